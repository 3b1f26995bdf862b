#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# apply.sh KDIR: put simd_copy into a kernel tree
# apply.sh --update KDIR: the same, or bring what was put there up to date. Files
#	that stay the same are not touched, so that the next build is a short one.
# apply.sh --undo KDIR: restore the tree
#
# KDIR/.simd_copy says what was done: files has the checksums of those that are
# changed or new, dirs the folders that are new, orig the files as they were.
set -eu
top=$(realpath "$(dirname "$0")/../..")
. "$top/tools/series/lib.sh"

mode=apply
case ${1-} in
--update|--undo)	mode=${1#--}; shift ;;
esac
check_tree "${1-}"
tree=$(realpath "$1")
record=$tree/.simd_copy

mkdir -p "$build"
stage=$(mktemp -d "$build/apply.XXXXXX")
trap 'rm -rf "$stage"' EXIT
trap 'exit 1' HUP INT TERM

case $mode in
apply)	[ ! -e "$record" ] ||
		die "simd_copy is applied to $tree already. To remove it: make unapply KDIR=$1" ;;
undo)	[ -e "$record/files" ] || die "simd_copy is not applied to $tree: there is no $record" ;;
esac
[ -w "$tree" ] || die "$tree cannot be written to"

# What has been applied must still be there, or else not have come there yet.
changed=
if [ -e "$record/files" ]; then
	(cd "$tree" && sha256sum -c --quiet "$record/files" 2>/dev/null || :) |
		sed -n 's/: FAILED.*//p' >"$stage/differ"
	while read -r file; do
		if [ -e "$tree/$file" ]; then
			cmp -s "$tree/$file" "$record/orig/$file" && continue
		elif [ ! -e "$record/orig/$file" ]; then
			continue
		fi
		changed="$changed
  $file"
	done <"$stage/differ"
fi
[ -z "$changed" ] || die "changed since simd_copy was applied to $tree:$changed
Save what you want to keep, and restore these files, or the whole tree, yourself:
$record/orig has them as they were before, those missing there were not there"

mkdir "$stage/new"
if [ "$mode" != undo ]; then
	stage "$tree" "$stage"
	# An alternative may leave alone what another one edits.
	(cd "$stage/base" && find . -type f) | while read -r file; do
		! cmp -s "$stage/base/$file" "$stage/new/$file" || rm "$stage/new/$file"
	done
fi
(cd "$stage/new" && find . -type f | sed 's|^\./||' | sort) >"$stage/list"
{ cat "$stage/list"; sed 's/^[^ ]* *//' "$record/files" 2>/dev/null || :; } | sort -u >"$stage/all"
while read -r file; do
	dir=$tree/$file
	dir=${dir%/*}
	while [ ! -e "$dir" ]; do
		echo "$dir"
		dir=${dir%/*}
	done
	[ -w "$dir" ] || die "$dir cannot be written to"
done <"$stage/all" >"$stage/newdirs"

# The record comes first: whatever happens next can be undone.
if [ "$mode" != undo ]; then
	mkdir -p "$record/orig"
	(cd "$stage/base" && find . -type f | sed 's|^\./||') | while read -r file; do
		grep -qxF "$file" "$stage/list" && [ ! -e "$record/orig/$file" ] || continue
		mkdir -p "$record/orig/$(dirname "$file")"
		cp -p "$stage/base/$file" "$record/orig/$file"
	done
	sed "s|^$tree/||" "$stage/newdirs" | sort -u >>"$record/dirs"
	(cd "$stage/new" && xargs sha256sum) <"$stage/list" >"$record/files.new"
fi

sort -u "$stage/newdirs" | xargs -r mkdir -p
# Never in place: the tree may share its files with another one.
while read -r file; do
	if [ -e "$stage/new/$file" ]; then
		[ -e "$tree/$file" ] && cmp -s "$stage/new/$file" "$tree/$file" && continue
		cp --remove-destination "$stage/new/$file" "$tree/$file"
	elif [ -e "$record/orig/$file" ]; then
		cmp -s "$record/orig/$file" "$tree/$file" ||
			cp --remove-destination "$record/orig/$file" "$tree/$file"
	else
		rm -f "$tree/$file"
	fi
done <"$stage/all"

if [ "$mode" != undo ]; then
	mv "$record/files.new" "$record/files"
	step "applied to $tree, Linux $(tree_version "$tree"): $(wc -l <"$record/files") files." \
		"To remove it: make unapply KDIR=$1"
	exit
fi
sort -r "$record/dirs" | while read -r dir; do
	rmdir --ignore-fail-on-non-empty "$tree/$dir" 2>/dev/null || :
done
rm -r "$record"
step "restored $tree"
