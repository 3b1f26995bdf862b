#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# readme.sh [--update]: the table of routines in README.md is that of
# routines.def, as the harness prints it. Reports KTAP. --update rewrites it.
set -eu
cd "$(realpath "$(dirname "$0")/../../..")"
out=build/lint/readme
. tools/testing/lint/lib.sh
harness=build/harness/harness_64
first='<!-- routines -->'
last='<!-- /routines -->'

# block FILE: the lines between the two marks; fails unless there is one block
block()
{
	awk -v first="$first" -v last="$last" '
	$0 == first { bad += inside; inside = 1; next }
	$0 == last { bad += !inside; inside = 0; blocks++; next }
	inside
	END { exit bad || inside || blocks != 1 }' "$1" && return
	echo "$1: wanted, once: a line '$first', the table, a line '$last'" >&2
	return 1
}

# same FILE: its table is the one in $out/table
same()
{
	block "$1" >"$out/block" 2>&1 || { cat "$out/block"; return 1; }
	diff -u --label "$1" --label "$harness --markdown" "$out/block" "$out/table" && return
	echo "$1: type 'make readme' to rewrite the table"
	return 1
}

# update FILE
update()
{
	block "$1" >/dev/null || return 1
	awk -v last="$last" -v first="$first" -v table="$out/table" '
	$0 == last { skip = 0 }
	!skip
	$0 == first { skip = 1; while ((getline line < table) > 0) print line }' "$1" >"$out/new"
	cat "$out/new" >"$1"
}

results()
{
	is 0 "README.md has the table of routines.def" same README.md

	printf '%s\n' before "$first" "$last" after >"$out/right"
	update "$out/right"
	is 0 "a table just written is right" same "$out/right"

	sed '5d' "$out/right" >"$out/wrong"
	is 1 "control: a row is missing" same "$out/wrong"
	update "$out/wrong"
	is 0 "an update repairs it and nothing else" cmp "$out/right" "$out/wrong"

	sed '5s/|/||/' "$out/right" >"$out/wrong"
	is 1 "control: a row is not the same" same "$out/wrong"

	for mark in "$first" "$last"; do
		grep -vxF -e "$mark" "$out/right" >"$out/wrong"
		is 1 "control: no line '$mark'" same "$out/wrong"
	done
	cat "$out/right" "$out/right" >"$out/wrong"
	is 1 "control: two tables" same "$out/wrong"
}

# A harness from before the last edit of routines.def would not know of it.
"${MAKE:-make}" -s -C tools/testing/selftests/simd_copy >&2
"$harness" --markdown >"$out/table"
[ -s "$out/table" ] || { echo "$harness --markdown prints nothing" >&2; exit 1; }

case ${1-} in
--update)	update README.md ;;
"")		ktap results ;;
*)		echo "Usage: $0 [--update]" >&2; exit 1 ;;
esac
