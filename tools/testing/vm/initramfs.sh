#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# initramfs.sh OUT [NAME=FILE]...: pack busybox, our init and files, as
# /bin/NAME or wherever NAME says, into the initramfs OUT. The same input
# gives the same bytes.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

out=$1
shift
root=$out.root
rm -rf "$root"
mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp"

put()
{
	mkdir -p "$(dirname "$root/$2")"
	cp -L "$1" "$root/$2"
}

busybox=$(command -v busybox) || die "no busybox: install busybox-static"
put "$busybox" bin/busybox
ln -s busybox "$root/bin/sh"
put "$vm/init" init
put "$vm/checklog.sh" bin/checklog.sh
put "$top/tools/testing/stats.sh" bin/stats.sh
for f; do
	put "${f#*=}" "${f%%=*}"
done

find "$root" -exec touch -h -d @0 {} +
(cd "$root" && find . | LC_ALL=C sort |
	cpio --quiet --reproducible -o -H newc -R 0:0) | gzip -n >"$out"
rm -rf "$root"
