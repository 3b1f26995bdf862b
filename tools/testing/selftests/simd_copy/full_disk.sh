#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# full_disk.sh FOLDER: results that a full disk has no room for are a failure of the
# program that prints them. KTAP; FOLDER holds the programs.
out=$1
echo "KTAP version 1"
echo "1..4"
nr=0
failed=0

# refused PROGRAM [ARGUMENT]...: with a message and a status of its own, and not so
# where there is room
refused()
{
	nr=$((nr + 1))
	program=$1
	shift
	verdict="not ok"
	message=$("$out/$program" "$@" 2>&1 >/dev/full)
	status=$?
	if [ $status != 1 ] || [ "${message#*cannot write to standard output}" = "$message" ]; then
		echo "# exit status $status: '$message'"
	elif ! "$out/$program" "$@" >/dev/null; then
		echo "# control: it fails where there is room, too"
	else
		verdict=ok
	fi
	[ "$verdict" = ok ] || failed=1
	echo "$verdict $nr a full disk: $program $*"
}

refused choice
refused harness_64 --list
refused harness_64 --row clear/mov --cases 1
refused hammer -h
exit $failed
