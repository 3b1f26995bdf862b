#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# packages.sh WHAT [KERNEL]...: make sure that the Debian packages are installed which
# WHAT needs, and those that kernels need to be built, or modules for them. WHAT is
#
#	run		"make run" and what else boots a guest
#	check		"make check"
#	test		"make test"
#	kunit		"make kunit"
#	bench		"make bench" and "make plots"
#	series		"make series" and "make apply"; a kernel is one to make patches for
#	series-build	"make series-build", the same
#	kernel		nothing but the kernels
#
# Root installs what is missing; anyone else is told the one line to type.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

program='gcc make libc6-dev'
run="$program gcc-multilib busybox-static qemu-system-x86 cpio"
check="$run qemu-user-static libjansson-dev xz-utils"
# Compilers, analysers and emulators beside those.
test="$check sparse spin perl dash git clang python3 python3-sphinx debootstrap
	bochs bochs-term bochsbios vgabios isolinux syslinux-common genisoimage"
bench="$program libjansson-dev gnuplot-nox"
# What "make" needs in the source of a kernel.
build_kernel="$program flex bison bc libelf-dev lz4 xz-utils"

what=${1-}
[ $# = 0 ] || shift
case $what in
run)	want=$run ;;
check)	want=$check ;;
test)	want=$test
	# shellcheck disable=SC2046 # words
	set -- $(kernel_names) $(built_names) ;;
kunit)	want=python3
	set -- patched ;;
bench)	want=$bench ;;
series)	want=git ;;
series-build) want="git $build_kernel" ;;
kernel)	want= ;;
*)	die "usage: $0 WHAT [KERNEL]..., see its first lines" ;;
esac

for kernel; do
	case $what in
	series*)
		# What is no version, "make series" will say something about.
		case $kernel in
		*[!0-9.]*)	;;
		*)		want="$want xz-utils linux-source-$kernel" ;;
		esac
		continue ;;
	esac
	if is_built "$kernel"; then
		want="$want $build_kernel linux-source-$(built_from "$kernel")"
	else
		want="$want $("$vm/kernel.sh" --depends "$kernel")" || exit 1
	fi
done

missing=
for p in $want; do
	# shellcheck disable=SC2016 # dpkg-query's own variable
	case " $missing $(dpkg-query -W -f '${db:Status-Status} ' "$p" 2>/dev/null) " in
	*" $p "*|*" installed "*)	;;
	*)			missing="$missing $p" ;;
	esac
done
[ -n "$missing" ] || exit 0

line="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" != 0 ]; then
	echo "error: packages are missing. Type this, then try again:" >&2
	echo "  sudo apt-get update && sudo $line" >&2
	exit 1
fi

echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# A fresh machine has no package lists, an old one has stale ones.
apt-get -qq update </dev/null
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! $line </dev/null >"$log" 2>&1; then
	cat "$log" >&2
	die "'$line' failed, see above"
fi
