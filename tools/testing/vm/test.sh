#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# test.sh [check|vm]: run all tests, those of two minutes, or the patched kernels;
# cheapest first. The KTAP of each step goes to build/test/STEP.ktap. The last line
# counts them.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

out=$build/test
rm -rf "$out"
mkdir -p "$out"
cd "$top"
exec 3>&1

# run NAME COMMAND: COMMAND prints KTAP
run()
{
	ktap=$out/$1.ktap
	name=$1
	shift
	before=$(date +%s)
	step "$name"
	rc=0
	"$@" >"$ktap" 2>"$out/$name.log" </dev/null || rc=$?

	"$vm/ktap.sh" "$ktap" >"$out/$name.count" && counted=0 || counted=1
	# A failure that no result tells of is one all the same.
	if [ $counted = 0 ] && [ $rc != 0 ] && [ $rc != 4 ]; then
		printf 'KTAP version 1\n1..1\nnot ok 1 %s exited with status %s\n' \
			"$name" "$rc" >>"$ktap"
		"$vm/ktap.sh" "$ktap" >"$out/$name.count" || counted=1
	fi
	if [ $counted = 0 ]; then
		grep -E '^ *(K?TAP version|1\.\.|ok|not ok)' "$ktap"
	else
		cat "$ktap" "$out/$name.log"
	fi
	sed -e "s|^$top/||" -e "s|^tests: |$name: |" -e "\$s|\$| ($(($(date +%s) - before)) s)|" \
		"$out/$name.count"
}

# The checkers themselves, fed with what they must catch and must not.
checkers()
{
	echo "KTAP version 1"
	echo "1..3"
	nr=0
	bad=0
	for checker in ktap.sh checklog.sh watch.sh; do
		nr=$((nr + 1))
		if "$vm/$checker" --selftest; then
			echo "ok $nr $checker"
		else
			echo "not ok $nr $checker"
			bad=1
		fi
	done
	return $bad
}

# The guest's results; its progress is for whoever watches.
guest()
{
	{ "$vm/guest.sh" "$1" 2>&1 || touch "$out/$1.failed"; } | sed -u "s/^/$1: /" >&3
	cat "$build/run/$1/results.ktap"
	[ ! -e "$out/$1.failed" ]
}

# guests NAME...: a guest is busy on one CPU, so that two run at a time
guests()
{
	for turn in 0 1; do
		nr=0
		for guest; do
			nr=$((nr + 1))
			[ $((nr % 2)) = $turn ] || run "vm-$guest" guest "$guest"
		done &
	done
	wait
}

case ${1-} in
check)	"$vm/packages.sh" check 6.12 ;;
*)	"$vm/packages.sh" test ;;
esac
case ${1-} in
check)
	run checkers checkers
	run harness make -s -C "$selftests" check
	run bench make -s -C tools/testing/bench check
	run vm-6.12 guest 6.12
	;;
vm)
	# shellcheck disable=SC2086 # words
	guests $(patched_guests)
	;;
*)
	run checkers checkers
	run harness make -s -C "$selftests" check
	run bench make -s -C tools/testing/bench check
	run models "$selftests/models.sh"
	run lint "$vm/lint.sh"
	run model tools/testing/model/run.sh
	run series tools/series/check.sh
	run off "$vm/off.sh"
	run bare "$vm/bare.sh"
	run kunit "$vm/kunit.sh"
	run bochs-i386 "$vm/bochs.sh" i386
	run bochs-6.12 "$vm/bochs.sh" 6.12
	# shellcheck disable=SC2086 # words
	guests $(kernel_names) $guests
	;;
esac

rc=0
"$vm/ktap.sh" "$out"/*.ktap >"$out/all.count" || rc=1
# Where a long log is cut to its end, that is what failed.
sed -e '$d' -e "s|^$out/||" -e '/^[^:]*: skipped: /d' -e 's/\.ktap: /: /' -e 's/^/failed: /' \
	"$out/all.count"
echo
tail -n 1 "$out/all.count"
exit $rc
