#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# build.sh 6.12|KDIR [CONFIG...]: does the kernel build after each patch of the series?
# CONFIG is one of on, off, i386 and um; all by default. Reports KTAP. Takes most of
# an hour on two busy CPUs.
#
# Per patch this compiles all of simd_copy that there is and those of the kernel's
# files that meet the hooks, without a warning, and looks whether what they need
# of simd_copy is there; after the last patch it links the kernel. What is not built
# by the tree yet, for lack of a Makefile that names it, gets one here.
set -eu
top=$(realpath "$(dirname "$0")/../..")
. "$top/tools/series/lib.sh"

out=$build/series-build
linux=$out/linux
repo=$out/repo
sign_as_test

base='CONFIG_EXPERT=y
CONFIG_PRINTK=y
CONFIG_BUG=y
CONFIG_SYSFS=y
CONFIG_PROC_FS=y
CONFIG_DEBUG_FS=y
CONFIG_KALLSYMS=y
CONFIG_MODULES=y
CONFIG_FUTEX=y
CONFIG_BINFMT_ELF=y
CONFIG_WERROR=y'
hooked='CONFIG_SMP=y
CONFIG_JUMP_LABEL=y
CONFIG_HUGETLBFS=y
CONFIG_TRANSPARENT_HUGEPAGE=y
CONFIG_MIGRATION=y'
all_on="CONFIG_KUNIT=y
CONFIG_SIMD_COPY_DEBUG=y
$(sed -n 's/^\(CONFIG_SIMD_COPY[_A-Z]*\)=[ym]$/\1=y/p' "$vm/configs/patched")"

# The kernel's files that meet the hooks.
users='mm/memory.o mm/util.o mm/page_alloc.o lib/usercopy.o lib/iov_iter.o'

config()
{
	echo "$base"
	case $1 in
	on)	printf '%s\n' CONFIG_64BIT=y "$hooked" "$all_on" ;;
	off)	printf '%s\n' CONFIG_64BIT=y "$hooked" ;;
	i386)	printf '%s\n' CONFIG_M586=y "$hooked" "$all_on" ;;
	um)	printf '%s\n' CONFIG_64BIT=y "$all_on" ;;
	*)	die "no configuration '$1': build.sh takes on, off, i386 and um" ;;
	esac
}

kmake()
{
	arch=x86
	[ "$config" != um ] || arch=um
	make -s -C "$linux" O="$out/$config" ARCH=$arch \
		KCONFIG_ALLCONFIG="$out/$config/config" "$@" >>"$log" 2>&1 </dev/null
}

# Bring the files of this patch into the tree that is built.
advance()
{
	git -C "$repo" diff --name-only "$1~" "$1" | while read -r file; do
		case $file in
		*/*)	mkdir -p "$linux/${file%/*}" ;;
		esac
		git -C "$repo" show "$1:$file" >"$out/file"
		cp --remove-destination "$out/file" "$linux/$file"
	done
	git -C "$repo" cat-file -e "$1:lib/simd_copy/Makefile" 2>/dev/null || {
		mkdir -p "$linux/lib/simd_copy"
		(
			cd "$linux/lib/simd_copy"
			for file in *.c ../../arch/x86/lib/simd_*.S; do
				[ ! -e "$file" ] || echo "obj-y += ${file%.*}.o"
			done
		) >"$out/file"
		cp --remove-destination "$out/file" "$linux/lib/simd_copy/Makefile"
		{ git -C "$repo" show base:lib/Makefile; echo 'obj-y += simd_copy/'; } >"$out/file"
		cmp -s "$out/file" "$linux/lib/Makefile" ||
			cp --remove-destination "$out/file" "$linux/lib/Makefile"
	}
}

# What one object needs of simd_copy another one has.
resolved()
{
	find "$out/$config/lib/simd_copy" "$out/$config/arch/x86/lib" -name '*.o' ! -name '.*' \
		-exec nm {} + 2>/dev/null >"$out/symbols" || :
	[ "$config" = um ] || (cd "$out/$config" && nm $users) >>"$out/symbols"
	awk '$NF ~ /^_*simd_/ {
		if ($(NF - 1) == "U") needs[$NF]; else has[$NF]
	}
	END {
		for (s in needs)
			if (!(s in has)) { print s " is nowhere"; bad = 1 }
		exit bad
	}' "$out/symbols"
}

build_all_there_is()
{
	kmake allnoconfig || return 1
	# UML has no user memory to copy to, and no hooks.
	set --
	[ "$config" = um ] || set -- $users
	if ! grep -q CONFIG_SIMD_COPY "$linux/lib/Makefile"; then
		# Objects that nothing links yet.
		kmake -j2 lib/simd_copy/ || return 1
	elif [ "$config" = off ]; then
		kmake -j2 "$@" || return 1
	else
		grep -q '^CONFIG_SIMD_COPY=y' "$out/$config/.config" || {
			echo "CONFIG_SIMD_COPY is off" >>"$log"
			return 1
		}
		kmake -j2 lib/simd_copy/ "$@" && resolved >>"$log" || return 1
	fi
	! grep -iE 'warning|objtool' "$log"
}

kernel=${1-6.12}
[ $# = 0 ] || shift
[ $# -gt 0 ] || set -- on off i386 um
for config; do
	config "$config" >/dev/null
done
case $kernel in
*/*)	check_tree "$kernel"
	tree=$(realpath "$kernel") ;;
6.12)	linux_source
	tree=$build/linux-6.12 ;;
*)	die "this builds KERNEL=6.12, or the source of another kernel, whole: KDIR=" ;;
esac
mkdir -p "$out"
"$series/series.sh" "$kernel" "$out/series" >&2
rm -rf "$linux" "$repo"
cp -al "$tree" "$linux" 2>/dev/null || {
	rm -rf "$linux"
	cp -a "$tree" "$linux"
}
mkdir "$repo"
(
	cd "$repo"
	git init -q
	# shellcheck disable=SC2013 # names
	for file in $(edited | sort -u); do
		[ ! -e "$tree/$file" ] || (cd "$tree" && cp --parents "$file" "$repo")
	done
	git add -A -f
	git commit -qm base
	git tag base
	git am -q "$out/series"/*.patch
)

echo "KTAP version 1"
echo "1..$#"
rc=0
number=0
for config; do
	number=$((number + 1))
	mkdir -p "$out/$config"
	config "$config" >"$out/$config/config"
	commits=$(git -C "$repo" rev-list --reverse base..HEAD)
	echo "    KTAP version 1"
	echo "    1..$(($(echo "$commits" | wc -w) + 1))"
	# Back to the start.
	git -C "$repo" diff --name-only base HEAD | while read -r file; do
		rm -f "$linux/$file"
		! git -C "$repo" cat-file -e "base:$file" 2>/dev/null || {
			git -C "$repo" show "base:$file" >"$out/file"
			cp "$out/file" "$linux/$file"
		}
	done
	rm -rf "$linux/lib/simd_copy" "$out/$config/lib/simd_copy"
	rm -f "$out/$config"/arch/x86/lib/simd_*
	nr=0
	bad=0
	for commit in $commits link; do
		nr=$((nr + 1))
		log=$out/$config/log-$nr
		: >"$log"
		began=$(date +%s)
		result=ok
		if [ "$commit" = link ]; then
			subject='the kernel links'
			kmake -j2 all || result='not ok'
		else
			subject=$(git -C "$repo" log -1 --format=%s "$commit")
			advance "$commit"
			build_all_there_is || result='not ok'
		fi
		[ "$result" = ok ] || {
			bad=1
			sed 's/^/    # /' "$log" | tail -n 40
		}
		echo "    # $(($(date +%s) - began)) s"
		echo "    $result $nr $subject"
	done
	if [ $bad = 0 ]; then
		echo "ok $number $config"
	else
		echo "not ok $number $config"
		rc=1
	fi
done
exit $rc
