#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# build.sh NAME: build a kernel from Debian's source package as build/kernel/NAME,
# with the configuration configs/base and configs/NAME.config. One that is there
# is kept while source and configuration stay the same. The patched ones have the
# series applied, and configs/patched as well. NAME-6.1 is of Linux 6.1, others of 6.12.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

name=${1-}
[ -e "$vm/configs/$name.config" ] ||
	die "no configuration '$name': build.sh takes one of $(built_names)"
out=$build/kernel/$name
base=$(built_from "$name")
"$vm/packages.sh" kernel "$name"
set -- "$vm/configs/base" "$vm/configs/$name.config"
if is_patched "$name"; then
	patched_source $base
	linux=$patched
	applied=$(cat "$linux/.simd_copy/files")
	set -- "$@" "$vm/configs/patched"
else
	linux_source $base
	linux=$build/linux-$base
	applied=
fi

# KASAN and UBSAN are there for the library and its callers, which these folders hold. To
# watch all of the kernel takes twice as long, to build as well as to run.
# shellcheck disable=SC2016 # for make, in each folder
watched='$(if $(filter mm lib lib/simd_copy lib/simd_copy/tests arch/x86/lib,$(obj)),y,n)'

fragments=$(cat "$@")
# What came out depends on these. kbuild keeps absolute paths.
inputs="$top $(cat "$linux/.complete") $applied
$(cat "$vm/configs/Kconfig")
$fragments
$watched"
[ ! -e "$out/.complete" ] || [ "$(cat "$out/.complete")" != "$inputs" ] || exit 0

kmake()
{
	make -s -C "$linux" O="$out" ARCH=x86 KBUILD_KCONFIG="$out/Kconfig.all" \
		KASAN_SANITIZE="$watched" UBSAN_SANITIZE="$watched" "$@" \
		>>"$out/build.log" 2>&1 </dev/null || {
		tail -n 30 "$out/build.log" >&2
		die "the kernel $name does not build, see above and build/kernel/$name/build.log"
	}
}

# kconfig drops what it does not know, and what depends on something else.
check_config()
{
	grep -E '^(# )?CONFIG_' "$out/fragments" | while IFS= read -r line; do
		case $line in
		'# '*)	symbol=${line#\# }
			! grep -q "^${symbol%% *}=" "$out/.config" ;;
		*)	grep -qxF "$line" "$out/.config" ;;
		esac || die "configs/: '$line' did not make it into the configuration of $name"
	done
}

# Debian's busybox for a 32-bit kernel, with package lists of its own: those of
# this machine need not know of i386.
fetch_busybox()
{
	apt=$out/apt
	rm -rf "$apt"
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	(
		cd "$apt"
		set -- -qq -o APT::Architecture=i386 -o APT::Architectures::=i386 \
			-o Dir::State::lists="$apt/lists" -o Dir::State::status=/dev/null \
			-o Dir::Cache="$apt/cache" -o Acquire::Languages=none \
			-o APT::Sandbox::User=root
		# Not every source of this machine has to have i386.
		apt-get "$@" update </dev/null >apt.log 2>&1 || :
		apt-get "$@" download busybox-static </dev/null >>apt.log 2>&1
	) || {
		cat "$apt/apt.log" >&2
		die "cannot download busybox-static for i386: is there a network?"
	}
	dpkg-deb --fsys-tarfile "$apt"/busybox-static_*.deb |
		tar -x -C "$out" --strip-components=2 \
		./bin/busybox
	rm -rf "$apt"
}

mkdir -p "$out/boot"
rm -f "$out/.complete"
: >"$out/build.log"
echo "$fragments" >"$out/fragments"
cat "$linux/Kconfig" "$vm/configs/Kconfig" >"$out/Kconfig.all"
kmake KCONFIG_ALLCONFIG="$out/fragments" allnoconfig
check_config
grep -q '^CONFIG_64BIT=y' "$out/.config" || [ -e "$out/busybox" ] || fetch_busybox

step "building the kernel $name, which takes minutes, once"
began=$(date +%s)
kmake -j"$(nproc)" bzImage modules
! grep -qx CONFIG_KASAN=y "$out/.config" ||
	nm "$out/lib/simd_copy/dispatch.o" | grep -q ' __asan_' ||
	die "KASAN does not watch the library in the kernel $name"
ln -sf ../arch/x86/boot/bzImage "$out/boot/vmlinuz-$name"
echo "$inputs" >"$out/.complete"
step "built the kernel $name in $(($(date +%s) - began)) s"
