#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# run32.sh [--native] PROGRAM [ARGUMENT]...: run a 32-bit program on this machine. Where
# the kernel runs no 32-bit programs, qemu-i386 runs it; or it is skipped, with --native,
# which is for programs that prove nothing on an emulated CPU.
#
# run32.sh --runs FOLDER: does the kernel run them? The program "runs32" in FOLDER, where
# 'make' puts it next to the others, finds out.
#
# In the environment, NO_32BIT=1 makes any kernel one that does not.

runs()
{
	[ -z "${NO_32BIT-}" ] && "$1/runs32" 2>/dev/null
}

# skip REASON
skip()
{
	echo "KTAP version 1"
	echo "1..0 # SKIP this kernel runs no 32-bit programs, $1"
	exit 4
}

native=
case $1 in
--runs)
	runs "$2"
	exit
	;;
--native)
	native=1
	shift
	;;
esac

! runs "$(dirname "$1")" || exec "$@"
[ -z "$native" ] || skip "and an emulated CPU proves nothing"
qemu=$(command -v qemu-i386-static) || skip "and qemu-user-static is not installed"
exec "$qemu" "$@"
