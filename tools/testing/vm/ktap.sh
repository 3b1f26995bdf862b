#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# ktap.sh FILE...: count the results in KTAP files, and print what failed and
# what was skipped. The last line is "tests: N passed, N failed, N skipped".
# Fails if a test failed, or if there was none. ktap.sh --selftest proves it.
#
# A program that dies takes its remaining results with it: a missing plan, and
# each result that the plan promises and that did not come, counts as failed.
# Of nested results the innermost count.

count()
{
	awk '
	function bad(n, what) { failed += n; print file ": " what }

	function open_level(i) {
		depth++
		indent[depth] = i; plan[depth] = -1; seen[depth] = 0
		skip[depth] = 0; before[depth] = failed
	}

	# A level is vouched for if the result that sums it up came: KUnit has no plan
	# for the parameters of a test.
	function close_level(vouched,	n) {
		n = plan[depth] - seen[depth]
		if (plan[depth] < 0 && vouched && seen[depth])
			n = 0
		else if (plan[depth] < 0)
			bad(1, "no plan: did the test die?")
		else if (n > 0)
			bad(n, n " of " plan[depth] " results did not come: did the test die?")
		else if (n < 0)
			bad(-n, -n " results more than the plan says")
		else if (!plan[depth] && !skip[depth])
			bad(1, "a plan of no tests")
		inner_failed = failed - before[depth]
		depth--
	}

	function end_file() {
		while (depth)
			close_level()
		if (file != "" && !headers)
			bad(1, "no KTAP in it")
	}

	function start_file() {
		end_file()
		file = FILENAME
		headers = 0
		saw[file] = 1
	}

	FNR == 1 { start_file() }
	{ sub(/\r$/, ""); match($0, /^ */); at = RLENGTH; body = substr($0, at + 1) }

	body ~ /^K?TAP version [0-9]+$/ {
		while (depth && indent[depth] >= at)
			close_level()
		open_level(at)
		headers++
		next
	}
	body ~ /^1\.\.[0-9]+/ {
		while (depth && indent[depth] > at)
			close_level()
		if (!depth || indent[depth] != at || plan[depth] >= 0) {
			bad(1, "a plan out of place: " body)
			next
		}
		plan[depth] = substr(body, 4) + 0
		if (body ~ /# *SKIP/) {
			skip[depth] = 1
			skipped++
			print file ": skipped: " body
		}
		next
	}
	body ~ /^(not )?ok [0-9]+/ {
		nested = 0
		while (depth && indent[depth] > at) {
			close_level(1)
			nested = 1
		}
		if (!depth || indent[depth] != at) {
			bad(1, "a result out of place: " body)
			next
		}
		seen[depth]++
		number = body
		sub(/^(not )?ok /, "", number)
		if (number + 0 != seen[depth])
			bad(1, "result " seen[depth] " is numbered wrong: " body)
		else if (nested) {
			# It only sums up what was counted already.
			if (body ~ /^not ok/ && !inner_failed)
				bad(1, body)
		} else if (body ~ /^not ok/)
			bad(1, body)
		else if (body ~ /# *SKIP/) {
			skipped++
			print file ": skipped: " body
		} else
			passed++
		next
	}
	body ~ /^Bail out!/ { bad(1, body) }
	END {
		end_file()
		for (i = 1; i < ARGC; i++)
			if (!(ARGV[i] in saw)) {
				file = ARGV[i]
				bad(1, "it is empty")
			}
		printf "tests: %d passed, %d failed, %d skipped\n", passed, failed, skipped
		exit failed || !(passed + skipped)
	}' "$@"
}

nr=0
bad=0

# expect STATUS "N passed, N failed, N skipped" KTAP
expect()
{
	nr=$((nr + 1))
	printf "$3" >"$tmp"
	got=$(count "$tmp")
	status=$?
	got=$(echo "$got" | tail -n 1)
	[ "$got" = "tests: $2" ] && [ $status = "$1" ] && return
	bad=$((bad + 1))
	echo "# expected $1 '$2', got $status '${got#tests: }' for: $3"
}

selftest()
{
	tmp=$(mktemp)
	trap 'rm -f "$tmp"' EXIT
	v='KTAP version 1\n'
	expect 0 '2 passed, 0 failed, 0 skipped' "${v}1..2\nok 1 a\nok 2 b\n"
	expect 0 '1 passed, 0 failed, 1 skipped' "TAP version 13\n1..2\nok 1 a\nok 2 b # SKIP why\n"
	expect 0 '0 passed, 0 failed, 1 skipped' "${v}1..0 # SKIP why\n"
	expect 0 '2 passed, 0 failed, 0 skipped' "${v}1..1\nok 1 a\n${v}1..1\nok 1 b\n"
	expect 0 '1 passed, 0 failed, 0 skipped' "${v}ok 1 a\r\n1..1\r\n"
	expect 0 '3 passed, 0 failed, 0 skipped' \
		"${v}1..2\n  ${v}  1..2\n  ok 1 a\n  ok 2 b\nok 1 ab\nok 2 c\n"
	expect 1 '2 passed, 1 failed, 0 skipped' \
		"${v}1..2\n  ${v}  1..2\n  ok 1 a\n  not ok 2 b\nnot ok 1 ab\nok 2 c\n"
	expect 1 '1 passed, 1 failed, 0 skipped' "${v}1..1\n  ${v}  1..1\n  ok 1 a\nnot ok 1 a\n"
	expect 1 '1 passed, 1 failed, 0 skipped' "${v}1..1\n  ${v}  1..2\n  ok 1 a\nok 1 a\n"
	expect 1 '1 passed, 1 failed, 0 skipped' "${v}1..2\nok 1 a\nnot ok 2 b\n"
	expect 0 '2 passed, 0 failed, 0 skipped' \
		"${v}1..1\n  ${v}  ok 1 a\n  ok 2 b\nok 1 ab\n"
	expect 1 '1 passed, 2 failed, 0 skipped' "${v}1..1\n  ${v}  ok 1 a\n"
	expect 1 '1 passed, 3 failed, 0 skipped' "${v}1..4\nok 1 a\n"
	expect 1 '1 passed, 1 failed, 0 skipped' "${v}ok 1 a\n"
	expect 1 '2 passed, 1 failed, 0 skipped' "${v}1..1\nok 1 a\nok 2 b\n"
	expect 1 '1 passed, 1 failed, 0 skipped' "${v}1..2\nok 1 a\nok 3 b\n"
	expect 1 '0 passed, 1 failed, 0 skipped' "${v}1..0\n"
	expect 1 '0 passed, 1 failed, 0 skipped' "${v}"
	expect 1 '0 passed, 1 failed, 0 skipped' "Segmentation fault\n"
	expect 1 '0 passed, 2 failed, 0 skipped' "${v}1..1\nBail out! no memory\n"
	expect 1 '0 passed, 1 failed, 0 skipped' ''
	echo "# $nr samples"
	[ $nr -gt 15 ] && [ $bad = 0 ]
}

case ${1-} in
--selftest)	selftest ;;
*)		count "$@" ;;
esac
