#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# modules.sh KDIR NAME [make arguments]: build the modules against the kernel
# headers KDIR in build/modules/NAME.
#
# MUTATE="FILE EXPRESSION" changes FILE with sed first: a module that is wrong on
# purpose, for a test to catch.
#
# kbuild writes its products beside the sources of an external module, and
# 6.12 has no MO= to send them elsewhere. A tree of links keeps them out of
# the source tree, and several kernels apart.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

kdir=$1
name=$2
shift 2
[ -e "$kdir/Makefile" ] ||
	die "no kernel headers in $kdir: install linux-headers-$(uname -r), or say KDIR="

# What built the kernel builds its modules, or at least what is of its kind: gcc does
# not know the options that are for clang.
if grep -qsx CONFIG_CC_IS_CLANG=y "$kdir/.config" && [ -z "${LLVM-}" ]; then
	version=$(sed -n 's/^CONFIG_CLANG_VERSION=\([0-9]*\)[0-9]\{4\}$/-\1/p' "$kdir/.config")
	if command -v "clang$version" && command -v "ld.lld$version"; then
		set -- "$@" LLVM="$version"
	elif command -v clang && command -v ld.lld; then
		set -- "$@" LLVM=1
	else
		die "clang has built the kernel of $kdir, and is missing here. Type:" \
			"sudo apt-get install clang$version lld$version llvm$version"
	fi >/dev/null
fi

out=$build/modules/$name
mkdir -p "$out"
cd "$top"
for f in Kbuild Kconfig lib arch include tests; do
	[ ! -e "$f" ] || cp -rsf "$top/$f" "$out"
done
# Sources that are gone must not build, nor must objects of one that was wrong stay:
# it was newer than the right one is.
find "$out" -xtype l -delete
if [ -e "$out/mutated" ]; then
	find "$out" -name '*.o' -delete
	rm "$out/mutated"
fi
if [ -n "${MUTATE-}" ]; then
	touch "$out/mutated"
	file=${MUTATE%% *}
	rm "$out/$file"
	sed "${MUTATE#* }" "$file" >"$out/$file"
	! cmp -s "$file" "$out/$file" ||
		die "'$MUTATE' changes nothing: has $file changed?"
fi

if ! make -C "$kdir" M="$out" "$@" modules >"$out/build.log" 2>&1; then
	cat "$out/build.log" >&2
	die "the modules do not build against $kdir, see above"
fi
# Where they are built is nobody's business.
find "$out" -mindepth 2 -name '*.ko' -exec ln -sf -t "$out" {} +
