#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kernel.sh NAME: have build.sh build a kernel, or download a stock Debian kernel
# and its headers and unpack them below build/kernel/NAME. Nothing is installed but
# what the headers depend on: their packages would put a kernel into the /boot of
# this machine.
# kernel.sh --depends NAME: print the packages that the headers depend on
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

only_depends=
case ${1-} in
--depends)	only_depends=1; shift ;;
esac
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

# own_lists COMMAND...: apt-get or apt-cache with package lists of this tree's own. The
# machine's may be old, or not there, and only root may renew them.
own_lists()
{
	set -- "$@" -qq -o Dir::State::lists="$build/apt/lists" -o Dir::Cache="$build/apt/cache" \
		-o Dir::Cache::pkgcache=pkgcache.bin -o Acquire::Languages=none \
		-o APT::Sandbox::User=root
	"$@" </dev/null
}

# Set $packages to lines "unpack PACKAGE", of what makes the kernel and its headers, and
# "needs PACKAGE", of what the headers depend on besides.
resolve()
{
	image=$(kernel_field "$name" 2)
	headers=$(kernel_field "$name" 3)
	mkdir -p "$build/apt/lists/partial" "$build/apt/cache/archives/partial"
	exec 9>"$build/apt/lock"
	flock 9
	own_lists apt-get update || :
	packages=$(own_lists apt-cache depends --recurse --important "$image" "$headers" |
		awk -v image="$image" -v headers="$headers" '
		/^[^ ]/ { of = $1; next }
		# Of alternatives the first.
		{ if (!after) depends[of] = depends[of] " " $2; after = $1 ~ /^[|]/ }

		function visit(package,		n, i, list) {
			if (seen[package]++)
				return
			if (package !~ /^linux-(image|headers|kbuild)-/) {
				print "needs " package
				return
			}
			if (package != image && package != headers)
				print "unpack " package
			# The image is booted, not installed.
			if (package ~ /^linux-image-/ && package != image)
				return
			n = split(depends[package], list, " ")
			for (i = 1; i <= n; i++)
				visit(list[i])
		}
		END { visit(image); visit(headers) }')
	exec 9>&-
	case $packages in
	*linux-image-*linux-headers-*linux-kbuild-*) ;;
	*)	die "no $image and $headers among the packages of this" \
			"machine. This needs Debian 12, a line for bookworm-security in" \
			"/etc/apt/sources.list, and a network" ;;
	esac
}

if [ -n "$only_depends" ]; then
	[ -s "$dir/.complete" ] || {
		resolve
		echo "$packages" | sed -n 's/^needs //p'
		exit
	}
	cat "$dir/.complete"
	exit
fi

"$vm/packages.sh" kernel "$name"
mkdir -p "$build/kernel"
exec 7>"$build/kernel/$name.lock"
flock 7
if [ -s "$dir/.complete" ]; then
	relocate
	exit
fi

step "downloading the kernel $name and its headers"
resolve
rm -rf "$dir"
mkdir -p "$dir"
cd "$dir"
for package in $(echo "$packages" | sed -n 's/^unpack //p'); do
	own_lists apt-get download "$package" ||
		die "cannot download $package, see above: is there a network?"
	# The modules of the image are not needed: its drivers for QEMU are built in.
	case $package in
	linux-image-*)	folder=./boot ;;
	*)		folder=./usr ;;
	esac
	dpkg-deb --fsys-tarfile ./"$package"_*.deb | tar -x "$folder"
	rm ./"$package"_*.deb
done
relocate
# What programs in user space need of the headers.
ln -s usr/src/linux-headers-*-common*/arch/x86/include/asm/cpufeatures.h .
echo "$packages" | sed -n 's/^needs //p' >.complete
