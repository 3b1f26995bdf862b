#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# stats.sh COMMAND [ARGUMENT]...: what the guard of simd_copy counted while a
# command ran, by CPU, and what perf has to say of it where there is a perf.
set -eu
stats=/sys/kernel/debug/simd_copy/stats

if [ $# = 0 ]; then
	echo "usage: $0 COMMAND [ARGUMENT]..." >&2
	exit 2
fi
if ! [ -r "$stats" ]; then
	echo "$0: cannot read $stats." >&2
	echo "As root: insmod simd_copy.ko (see 'make modules'), and where it is missing:" >&2
	echo "  mount -t debugfs none /sys/kernel/debug" >&2
	exit 1
fi

before=$(cat "$stats")
status=0
if perf stat true >/dev/null 2>&1; then
	perf stat -- "$@" || status=$?
else
	"$@" || status=$?
fi

# The lines of the table start with a CPU or "total", below a head of names.
{ echo "$before"; echo; cat "$stats"; } | awk '
function line(i)
{
	printf "%-6s", $1
	for (i = 2; i <= NF; i++)
		printf " %13s", $i
	print ""
}
!NF { after = 1; next }
$1 == "cpu" {
	if (after)
		line()
	next
}
$1 !~ /^([0-9]+|total)$/ { next }
!after {
	for (i = 2; i <= NF; i++)
		was[$1, i] = $i
	next
}
{
	for (i = 2; i <= NF; i++)
		$i -= was[$1, i]
	line()
}
'
exit $status
