#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# packages.sh run|test|build [KERNEL]|series|bench: make sure that the Debian packages
# are installed which "make run", "make test" as well, build.sh, "make series" or "make
# bench" needs. Root installs what is missing; anyone else is told the one line to type.
set -eu

run='gcc gcc-12 gcc-multilib libc6-dev make libelf1 cpio xz-utils
	busybox-static qemu-system-x86'
test='sparse spin perl dash qemu-user-static linux-source-6.12 linux-source-6.1 git
	flex bison bc clang python3 python3-sphinx libjansson-dev
	bochs bochs-term bochsbios vgabios isolinux syslinux-common genisoimage'
series='git linux-source-6.12 linux-source-6.1 xz-utils'
build='gcc make flex bison bc libelf-dev lz4 xz-utils'
bench='gcc make libc6-dev libjansson-dev gnuplot-nox'

case ${1-} in
run)	want=$run ;;
test)	want="$run $test" ;;
build)	want="$build linux-source-${2-6.12}" ;;
series)	want=$series ;;
bench)	want=$bench ;;
*)	echo "usage: packages.sh run|test|build [KERNEL]|series|bench" >&2; exit 1 ;;
esac

missing=
for p in $want; do
	# shellcheck disable=SC2016 # dpkg-query's own variable
	case $(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null) in
	installed)	;;
	*)		missing="$missing $p" ;;
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
	echo "error: '$line' failed, see above" >&2
	exit 1
fi
