#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# series.sh KERNEL|KDIR [OUT]: write the patch series for Debian's source of KERNEL, or
# for the kernel tree KDIR, to OUT (default: build/series-KERNEL)
#
# The patches are made as commits of a repository that has only the files that
# they touch, and prove with "git am" that they give what apply.sh gives.
set -eu
top=$(realpath "$(dirname "$0")/../..")
. "$top/tools/series/lib.sh"

case ${1-} in
*/*)	check_tree "$1"
	tree=$(realpath "$1")
	name=$(tree_version "$tree") ;;
*)	[ ! -e "${1-}/Makefile" ] || exec "$0" "./$@"
	source_tree "${1-}"
	name=$1 ;;
esac
out=${2-$build/series-$name}
mkdir -p "$build"
stage=$(mktemp -d "$build/series.XXXXXX")
trap 'rm -rf "$stage"' EXIT
trap 'exit 1' HUP INT TERM

# Who signs the patches, and when. Nothing else of git's configuration matters.
ident=$(cd "$top" && git var GIT_COMMITTER_IDENT) ||
	die "git does not know who you are, and the patches are to be signed: type
  git config --global user.name 'Your Name'
  git config --global user.email you@example.org"
when=$(cd "$top" && git log -1 --format=%ct 2>/dev/null) || when=$(date +%s)
GIT_COMMITTER_NAME=${ident%% <*}
GIT_COMMITTER_EMAIL=${ident#*<}
GIT_COMMITTER_EMAIL=${GIT_COMMITTER_EMAIL%>*}
GIT_AUTHOR_NAME=$GIT_COMMITTER_NAME
GIT_AUTHOR_EMAIL=$GIT_COMMITTER_EMAIL
GIT_COMMITTER_DATE="$when +0000"
GIT_AUTHOR_DATE=$GIT_COMMITTER_DATE
GIT_CONFIG_GLOBAL=/dev/null
GIT_CONFIG_NOSYSTEM=1
export GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE GIT_AUTHOR_NAME \
	GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM

stage "$tree" "$stage"

# PATCH FILE PLACE: which patch has which file.
set -f
globs=$(for patch in $(patch_names); do
	field "$patch" Files | sed "s/^/$patch:/"
done)
while read -r file where; do
	owner=
	for glob in $globs; do
		[ "$file" != "${glob#*:}" ] || owner=${glob%%:*}
	done
	[ -n "$owner" ] || for glob in $globs; do
		# shellcheck disable=SC2254 # it is a pattern
		case $file in
		${glob#*:})	owner=${glob%%:*}; break ;;
		esac
	done
	[ -n "$owner" ] ||
		die "no patch has $file: add a line 'Files: $file' to one of tools/series/patches/"
	echo "$owner $file $where"
done <"$stage/places" >"$stage/owners"
set +f

# PATCH FILE PATTERN: the statements that come later than the rest of their file.
for patch in $(patch_names); do
	field "$patch" Part | sed "s/^/$patch /; s/: / /"
done >"$stage/parts"
parted=$(cut -d ' ' -f 2 "$stage/parts" | sort -u | paste -s -d ' ')

# so_far FILE PATCH: FILE without the statements that come after PATCH
so_far()
{
	awk -v file="$1" -v now="$2" '
	FILENAME == ARGV[1] {
		if ($2 == file && $1 > now)
			pattern[++n] = substr($0, index($0, " " file " ") + length(file) + 2)
		next
	}
	function flush(i) {
		for (i = 1; i <= n; i++)
			if (first ~ pattern[i]) {
				used[i] = 1
				statement = ""
			}
		text = text statement
		statement = ""
		first = ""
	}
	/^[^ \t]/ && first != "" { flush() }
	/^[^ \t#]/ { first = $0 }
	{ statement = statement $0 "\n" }
	END {
		flush()
		sub(/\n\n+$/, "\n", text)
		printf "%s", text
		for (i = 1; i <= n; i++)
			if (!used[i]) {
				print "error: " file " has no statement for " pattern[i] >"/dev/stderr"
				exit 1
			}
	}' "$stage/parts" "$top/$1"
}

commit()
{
	git add -A -f
	git commit -q --allow-empty "$@"
}

repo=$stage/repo
cp -a "$stage/base" "$repo"
cd "$repo"
git init -q -b simd_copy
commit -m "Linux $name"
git tag base

last=$(patch_names | tail -n 1)
reached=
for patch in $(patch_names); do
	reached="$reached $patch"
	for edit in $(field "$patch" Edits); do
		do_edit "$edit" "$repo" "$tree"
	done
	[ "$patch" != "$last" ] || cp "$stage/new/MAINTAINERS" MAINTAINERS
	while read -r owner file where; do
		case " $reached " in
		*" $owner "*)	;;
		*)		continue ;;
		esac
		[ -d "${where%/*}" ] || mkdir -p "${where%/*}"
		case " $parted " in
		*" $file "*)	so_far "$file" "$patch" >"$where" ;;
		*)		[ "$owner" != "$patch" ] || cp "$top/$file" "$where" ;;
		esac
	done <"$stage/owners"
	git add -A -f
	# One that is there for files to come.
	! git diff --cached --quiet || continue
	{ field "$patch" Subject; echo; message "$patch"; } >"$stage/message"
	commit -s -F "$stage/message"
done

{ field 00-cover Subject; echo; message 00-cover; } >"$stage/message"
git config branch.simd_copy.description "$(cat "$stage/message")"
rm -rf "$out"
mkdir -p "$(dirname "$out")"
git format-patch -q -o "$out" --cover-letter --cover-from-description=subject \
	--no-signature --zero-commit base

# "git am" stops at a patch that is empty, so the cover letter is not named like one.
# "git send-email" takes all files of a folder, in the order of their names.
mv "$out/0000-cover-letter.patch" "$out/0000-cover-letter.txt"

# What a maintainer gets from it is what "make apply" gives.
git worktree add -q --detach "$stage/am" base
cd "$stage/am"
set -- "$out"/*.patch
git am -q "$@" >"$stage/am.log" 2>&1 || {
	cat "$stage/am.log" >&2
	die "git am does not take the patches in $out"
}
rm .git
diff -r "$stage/new" "$stage/am" ||
	die "git am of $out does not give what apply.sh gives, see above"
step "$# patches and a cover letter, 0000-cover-letter.txt, for Linux $name. In a clone of it:
  git am $out/*.patch
  git send-email --to=ADDRESS $out"
