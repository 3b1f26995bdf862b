#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kernel.sh NAME: have build.sh build a kernel, or download a stock Debian kernel
# and its headers and unpack them below build/kernel/NAME. Nothing is installed:
# the packages would put a kernel into the /boot of this machine.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

name=${1-}
check_kernel_name "$name"
dir=$build/kernel/$name
! is_built "$name" || exec "$vm/build.sh" "$name"

# The Makefile of the headers includes that of the common headers by an absolute
# path: it changes with the unpacking, and whenever this tree moves.
relocate()
{
	makefile=$(kernel_dir "$name")/Makefile
	grep -q "^include $dir/" "$makefile" ||
		sed -i "s|^include .*/usr/src/|include $dir/usr/src/|" "$makefile"
}

if [ -e "$dir/.complete" ]; then
	relocate
	exit
fi

# The packages that package $1 depends on and that match the pattern $2.
depends()
{
	apt-cache depends --important "$1" 2>/dev/null |
		awk -v re="$2" '$1 ~ /Depends:$/ && $2 ~ re { print $2 }'
}

resolve()
{
	image=$(depends "$(kernel_field "$name" 2)" '^linux-image-[0-9]')
	headers=$(depends "$(kernel_field "$name" 3)" '^linux-headers-[0-9]')
	[ -n "$image" ] && [ -n "$headers" ] || return 1
	common=$(depends "$headers" '^linux-headers-.*-common')
	kbuild=$(depends "$headers" '^linux-kbuild-')
	[ -n "$common" ] && [ -n "$kbuild" ]
}

# Download package $1, and unpack from it what the other arguments name.
unpack()
{
	pkg=$1
	shift
	apt-get -qq -o APT::Sandbox::User=root download "$pkg" </dev/null ||
		die "cannot download $pkg: is there a network? Are the package lists" \
			"new (sudo apt-get update)?"
	dpkg-deb --fsys-tarfile ./"$pkg"_*.deb | tar -x "$@"
	rm ./"$pkg"_*.deb
}

# A fresh machine has no package lists, an old one has stale ones.
if [ "$(id -u)" = 0 ]; then
	step "updating the package lists"
	apt-get -qq update </dev/null
fi
resolve || die "no package $(kernel_field "$name" 2) and $(kernel_field "$name" 3) here:" \
	"this needs Debian 12, and new package lists (sudo apt-get update)"

rm -rf "$dir"
mkdir -p "$dir"
cd "$dir"
step "downloading $image and its headers"
# The modules of the image are not needed: its drivers for QEMU are built in.
unpack "$image" ./boot
for p in "$headers" "$common" "$kbuild"; do
	unpack "$p" ./usr
done
relocate
touch .complete
