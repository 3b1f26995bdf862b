#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# off.sh: the series costs nothing where it is not configured: the objects of those
# who clear and copy have the same bytes with the series and without it. And where
# it is, neither gcc (W=1), nor clang, sparse or objtool has more to say than before.
# For Linux 6.12 and 6.1. Prints KTAP; leaves the objects in build/off/.
#
# The control is a kernel that has the hooks: there each of the objects differs.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

out=$build/off

# Callers of clear_page(), copy_page(), raw_copy_to_user() and of the folio calls.
objects='mm/memory.o mm/page_alloc.o mm/util.o mm/shmem.o lib/usercopy.o lib/iov_iter.o'

# copy_mc_to_kernel() is there in 64-bit only.
objects_64="$objects arch/x86/lib/copy_mc.o"
config_64='CONFIG_64BIT=y
CONFIG_X86_MCE=y'

# With line numbers in them, objects change with each line that is added above.
config='CONFIG_EXPERT=y
CONFIG_BUG=y
# CONFIG_DEBUG_BUGVERBOSE is not set
CONFIG_JUMP_LABEL=y
CONFIG_TRANSPARENT_HUGEPAGE=y
CONFIG_SHMEM=y
CONFIG_TMPFS=y
CONFIG_PRINTK=y'
hooks="$(grep '^CONFIG_SIMD_COPY[_A-Z]*=y' "$vm/configs/patched")
CONFIG_SIMD_COPY_COPY_MC=y"

# compile NAME LINUX CONFIG OBJECTS CHECKS [VARIABLE=VALUE]...: to build/off/NAME/, where
# NAME begins with the version of the kernel. All of one source are built in one folder:
# the kernel's host programs take as long to build as the objects.
compile()
{
	name=$1
	linux=$2
	made=$4
	tree=$out/${linux##*/}
	step "$name"
	rm -rf "${out:?}/$name"
	mkdir -p "$out/$name" "$tree"
	echo "$3" >"$out/$name/config"
	checks=$5
	shift 5
	# What is not compiled again says nothing.
	# shellcheck disable=SC2086 # words
	(cd "$tree" && rm -rf $made)
	# Of single objects kbuild makes some twice at a time, if it may.
	for target in allnoconfig "-j$(nproc) prepare" "$checks $made"; do
		# shellcheck disable=SC2086 # words, all of them
		make -s -C "$linux" O="$tree" ARCH=x86 KCONFIG_ALLCONFIG="$out/$name/config" \
			"$@" $target >"$out/$name/build.log" 2>&1 </dev/null || {
			tail -n 30 "$out/$name/build.log" >&2
			die "the objects do not build, see above and build/off/$name/build.log"
		}
	done
	# shellcheck disable=SC2086 # words
	(cd "$tree" && cp -r --parents $made "$out/$name")
}

# What was said of the objects, wherever in the files it is now.
complaints()
{
	grep -E 'warning|error|objtool' "$out/$1/build.log" |
		sed -E "s|^.*/linux-[0-9.]+(-simd_copy)?/||; s/:[0-9]+//g" | sort -u
}

# All bytes of all sections, and what they refer to. Names of local symbols have a
# number of the compiler's in them that counts declarations.
contents()
{
	objdump -sr "$1" | tail -n +3
}

differing()
{
	for object in $3; do
		contents "$out/$1/$object" >"$out/a"
		contents "$out/$2/$object" >"$out/b"
		cmp -s "$out/a" "$out/b" || echo "$object"
	done
}

# same KERNEL BITS
same()
{
	made=$objects
	[ "$2" != 64 ] || made=$objects_64
	for object in $(differing "$1-stock-$2" "$1-off-$2" "$made"); do
		echo "$object differs: compare what objdump -dr says of it in" \
			"build/off/$1-stock-$2 and in build/off/$1-off-$2"
		return 1
	done
}

# no_new_complaint KERNEL
no_new_complaint()
{
	complaints "$1-stock-64" >"$out/a"
	complaints "$1-on-64" >"$out/b"
	comm -13 "$out/a" "$out/b" >"$out/new"
	cat "$out/new"
	[ ! -s "$out/new" ]
}

no_complaint_of_clang()
{
	! complaints 6.12-on-clang | grep simd
}

# control KERNEL
control()
{
	differing "$1-off-64" "$1-on-64" "$objects_64" >"$out/differ"
	n=$(wc -l <"$out/differ")
	[ "$n" = "$(echo "$objects_64" | wc -w)" ] && return
	echo "the test is void: with the hooks only $n objects differ:"
	cat "$out/differ"
	return 1
}

# Of objects that are only compared, nobody reads the complaints.
checked="W=1 C=1"

# compile_all KERNEL
compile_all()
{
	patched_source "$1"
	stock=$build/linux-$1
	compile "$1-stock-64" "$stock" "$config
$config_64" "$objects_64" "$checked"
	compile "$1-stock-32" "$stock" "$config
# CONFIG_64BIT is not set" "$objects" ""
	compile "$1-off-32" "$patched" "$config
# CONFIG_64BIT is not set" "$objects" ""
	compile "$1-off-64" "$patched" "$config
$config_64" "$objects_64" ""
	compile "$1-on-64" "$patched" "$config
$hooks
$config_64" "$objects_64 lib/simd_copy/" "$checked"
}

{
	"$vm/packages.sh" test
	# One object after the other leaves a CPU to the other kernel.
	compile_all 6.1 &
	pid=$!
	{
		compile_all 6.12
		compile 6.12-on-clang "$patched" "$config
$hooks
CONFIG_64BIT=y" "mm/util.o lib/usercopy.o lib/simd_copy/" "$checked" CC=clang
	} &
	rc=0
	wait $! || rc=1
	wait $pid || rc=1
	[ $rc = 0 ] || exit 1
} >&2
checker="eval"
checks "$out/said" "same 6.12 64" "same 6.12 32" "no_new_complaint 6.12" "control 6.12" \
	no_complaint_of_clang "same 6.1 64" "same 6.1 32" "no_new_complaint 6.1" "control 6.1"
