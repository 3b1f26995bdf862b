#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# check.sh [SIMDBENCH]: what simdbench promises about its options and files. KTAP.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
bench=${1-$top/build/bench/simdbench}
table=$top/lib/simd_copy/routines.def
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
nr=0
bad=0

# result STATUS NAME
result()
{
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr $2"
	else
		echo "not ok $nr $2"
		bad=1
	fi
}

# run STATUS TEXT ARGUMENT...: simdbench exits like that, and says that
run()
{
	want=$1
	text=$2
	shift 2
	status=0
	"$bench" "$@" >out 2>&1 || status=$?
	[ $status = "$want" ] && grep -qF -e "$text" out && return 0
	echo "# '$*': expected $want and '$text', got $status and:"
	sed 's/^/# /' out
	return 1
}

# says STATUS TEXT ARGUMENT...: run as a test of its own
says()
{
	shown=$1
	run "$@" && passed=0 || passed=1
	shift 2
	result $passed "status $shown of simdbench $*"
}

# line FILE N: the Nth cell of a file
line()
{
	awk -v n="$2" '/"routine"/ && /"median"/ && ++seen == n' "$1"
}

# compared STATUS TEXT FILE: against A
compared()
{
	run "$1" "$2" --compare A "$3"
}

echo "KTAP version 1"
echo "1..$((49 + 2 * $(ls "$top"/tools/testing/bench/machines | wc -l)))"

says 0 '--routine' --help
says 2 "Try 'simdbench --help'" --bogus
says 2 'Valid: clear copy to_user copy_mc' --kind clean
says 2 'Valid: L1 L2 flushed fresh1 fresh2 fresh4 fresh8' --src L3
says 2 'Valid: none first all' --consumer most
says 2 'Valid: warm cold' --icache tepid
says 2 'Valid: 4KB 2MB' -p 1GB
says 2 'Valid: 0 to 67108864' -s 4QB
says 2 "'65MB' is not valid" -s 4KB,65MB
says 2 'Valid: 0 to 4095' --src-off 8-4
says 2 'at most 64' --dst-off 0-64
says 2 ' movnti ' --routine movntq
says 2 'Valid: 3 to' -l 2
says 2 'Valid: 1 to' --seconds 1s
says 2 'one of --list' --list --regret
says 2 'Valid: probe, fpswitch' prob
says 2 'goes with --regret' --replay x
says 1 'cannot read none' --regret --replay none
says 1 'cannot write none/A' --record none/A
says 0 'fault-recycled' walk --help
says 2 "no 'fork'" walk --workload fault,fork
says 2 "no 'movntq'" walk --routine movntq
says 2 'Valid: none first all' walk --read most
says 2 'Valid: 1 to' walk --seconds 0
says 2 'Valid: 4KB 2MB' walk --page 1GB
says 2 "'fast' is no option" walk fast
says 1 'cannot write' walk --json none/A
says 2 'takes two files' --compare A
says 1 'no CPU 1023' --cpu 1023
says 1 'cannot write' -s 64 --json none/A
says 4 'a destination cannot be fresh' --dst fresh4
says 4 'more than the L1 cache' -k clear -s 4MB --dst L1
says 4 'more threads than CPUs' -t 1024

status=0
"$bench" --list >/dev/full 2>out || status=$?
[ $status = 1 ] && grep -q 'cannot write to standard output' out && passed=0 || passed=1
result $passed "a full disk is a failure"

# Every row of the table, supported or not; a stock row of each kind.
rows=$(grep -E '^SIMD_ROUTINE(_64)?\(' "$table" | grep -cv ', planted,')
run 0 movnti --list && [ "$(grep -c ', stock$' out)" = 4 ] &&
	[ "$(grep -cE '^(clear|copy|to_user|copy_mc) ' out)" = $((rows + 4)) ] &&
	passed=0 || passed=1
result $passed "--list has all rows, and the C library's four"

run 0 'rep_movsq' -k copy -s 4KB,64KB --src flushed --dst flushed -l 5 --json A --csv csv &&
	passed=0 || passed=1
result $passed "a measurement, with files"

cells=$(grep -c '"routine".*"median"' A) || true
[ "$cells" -gt 20 ] && [ "$(wc -l <csv)" = $((cells + 1)) ] && passed=0 || passed=1
result $passed "as many cells in either file"

cp A same
compared 0 "$cells compared, 0 outside the spread, 0 only in A, 0 only in B" same &&
	passed=0 || passed=1
result $passed "a file is no different from itself"

# One median ten times what it was, or nearly: that cell is flagged, and no other one.
sed '/"routine".*"median"/ { s/"median": /&9/; :a; n; ba; }' A >slow
key=$(line A 1 | sed 's/.*"routine": "\([^"]*\)".*/\1/')
compared 1 "$cells compared, 1 outside the spread" slow && grep '^!' out | grep -qw "$key" &&
	passed=0 || passed=1
result $passed "a cell that is slower is flagged"

sed 's/"size": 65536/"size": 32768/' A >other
compared 0 "only in A, $((cells - cells / 2)) only in B" other && passed=0 || passed=1
result $passed "cells that only one file has are counted"

head -n 8 A >short
compared 2 'short: line ' short && passed=0 || passed=1
result $passed "half a file is refused, with the line"

sed 's/simdbench 1/simdbench 0/' A >old
compared 2 "Valid: 'simdbench 1'" old && passed=0 || passed=1
result $passed "another schema is refused"

# A walk of one loop, as a table and as JSON, with an interval at each figure.
run 0 'pipe-4K ' walk -w pipe-4K -r none -s 1 -m 64 -v --json walk && grep -q '"ratio": \[' walk &&
	[ "$(grep -c '"workload": "pipe-4K"' walk)" = "$(grep -c rounds, out)" ] &&
	! grep -E ' x( |$)' out | grep -vq ' x \[' && passed=0 || passed=1
result $passed "a walk has an interval at each figure, in the table and in JSON"

# A walk says what it says itself; one whose winner is another by 20 % does not.
walked()
{
	printf '{ "schema": "simdbench walk 2", "loops": [ { "workload": "fault", "read": "none",'
	printf ' "routine": "%s", "stock": false, "winner": true, "saving": [%s] } ] }' mov "$1"
}
walked '1.2, 1.19, 1.21' >one
walked '1.21, 1.2, 1.22' >near
walked '1.44, 1.42, 1.45' >far
walked '1.44, 1.1, 1.8' >wide
# Of which the same row is the best, but not surely.
walked '1.3, 0.9, 1.8' | sed 's/"winner": true/"winner": false/
	s/} ] }/}, { "workload": "fault", "read": "none", "routine": "rep_stosb", "stock": true,&/
	s/true,} ] }/true, "winner": true, "saving": [1, 1, 1] } ] }/' >unsure
run 0 '1 with intervals that tell 3 %, 0 winners' --compare one near &&
	run 0 '0 with intervals that tell 3 %, 0 winners' --compare one wide && passed=0 || passed=1
result $passed "walks with near winners agree, and a wide interval tells nothing"
cp unsure again
run 0 '1 loops, 0 with stock in both, 0 with intervals' --compare one unsure &&
	run 0 '1 with stock in both, 0 with' --compare unsure again && passed=0 || passed=1
result $passed "a walk in which no row wins tells nothing, either"
run 1 '1 winners farther apart' --compare one far && passed=0 || passed=1
result $passed "walks with winners far apart do not"

# The choice on machines that are not at hand.
for recording in "$top"/tools/testing/bench/machines/*.xz; do
	for what in regret placebo; do
		xz -dc "$recording" >recording
		run 0 PASS --$what --replay - <recording && passed=0 || passed=1
		sed 's/^/# /' out
		result $passed "$what, $(basename "$recording" .txt.xz)"
	done
done

# One sample less than it says is no recording.
{ head -n 100 recording; echo '1 clear/huge in_order'; } >broken
run 1 'line 101: not ROUND' --regret --replay broken && passed=0 || passed=1
result $passed "a broken recording is refused, with the line"

# A case that is not recorded has to be named as such.
grep -v ' to_user/stream in_order ' recording >broken
run 1 'without to_user/stream, in_order' --regret --replay broken && passed=0 || passed=1
result $passed "a recording without a case is refused, with the case"

# Without memory there are no samples, and all of them being 0 is no recording.
(
	ulimit -v 60000
	run 1 'no sample of' --record broken && grep -q 'no memory to measure with' out
) && passed=0 || passed=1
result $passed "a recording without samples is a failure"
exit $bad
