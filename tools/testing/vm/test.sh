#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# test.sh [check|vm]: run all tests, those of two minutes, or the patched kernels;
# cheapest first. The KTAP of each step goes to build/test/STEP.ktap. The last line
# counts them. test.sh --step STEP is what runs one of them.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

out=$build/test
cd "$top"

# The checkers themselves, fed with what they must catch and must not.
checkers()
{
	echo "KTAP version 1"
	echo "1..4"
	nr=0
	bad=0
	for checker in ktap.sh checklog.sh watch.sh test.sh; do
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

# Several steps run these: one builds them.
programs()
{
	flock "$build/lock" make -s -C "$selftests" >&2
}

# The guest's results; its progress is for whoever watches.
guest()
{
	rm -f "$out/$1.failed"
	{ "$vm/guest.sh" "$1" 2>&1 || touch "$out/$1.failed"; } | sed -u "s/^/$1: /" >&3
	cat "$build/run/$1/results.ktap"
	[ ! -e "$out/$1.failed" ]
}

# A step of the selftest, with a child that takes its time to end.
endless()
{
	sh -c 'trap "sleep 0.5; exit" TERM; sleep 99 & echo $PPID $$ $! >>"$0"; wait' "$ids" &
	wait
}

# What prints the KTAP of a step.
do_step()
{
	case $1 in
	checkers)	checkers ;;
	harness)	programs; make -s -C "$selftests" check ;;
	bench)		make -s -C tools/testing/bench check ;;
	models)		programs; make -s -C "$selftests" models ;;
	lint)		"$vm/lint.sh" ;;
	model)		tools/testing/model/run.sh ;;
	series)		tools/series/check.sh ;;
	off)		"$vm/off.sh" ;;
	bare)		"$vm/bare.sh" ;;
	kunit)		"$vm/kunit.sh" ;;
	bochs-*)	"$vm/bochs.sh" "${1#bochs-}" ;;
	mce-*)		"$vm/mce.sh" "${1#mce-}" ;;
	vm-*)		guest "${1#vm-}" ;;
	endless-*)	endless ;;
	esac
}

if [ "${1-}" = --step ]; then
	# Who types this reads the progress of a guest where messages of errors go.
	(: >&3) 2>/dev/null || exec 3>&2
	mkdir -p "$out"
	do_step "$2"
	exit
fi

# The process group of what runs, or the lanes, each of which has one. A lane ignores
# SIGINT.
running=
stop()
{
	trap '' HUP INT TERM
	for pid in $running; do
		kill -- "-$pid" 2>/dev/null || kill "$pid" 2>/dev/null || :
	done
	wait
	# A child whose parent is gone already may take its time to clean up.
	tenths=0
	for pid in $running; do
		while kill -s 0 -- "-$pid" 2>/dev/null && [ $tenths -lt 300 ]; do
			sleep 0.1
			tenths=$((tenths + 1))
		done
	done
	exit 1
}

# group COMMAND...: run it as what stop() ends, as a whole
group()
{
	setsid "$@" </dev/null &
	running=$!
	wait $running && rc=0 || rc=$?
	running=
	return $rc
}

run()
{
	name=$1
	ktap=$out/$name.ktap
	before=$(date +%s)
	step "$name"
	group "$vm/test.sh" --step "$name" >"$ktap" 2>"$out/$name.log" || :

	"$vm/ktap.sh" "$ktap" >"$out/$name.count" && counted=0 || counted=1
	# A failure that no result tells of is one all the same.
	if [ $counted = 0 ] && [ $rc != 0 ] && [ $rc != 4 ]; then
		printf 'KTAP version 1\n1..1\nnot ok 1 %s exited with status %s\n' \
			"$name" "$rc" >>"$ktap"
		"$vm/ktap.sh" "$ktap" >"$out/$name.count" || counted=1
	fi
	{
		# The lines of one step stay together.
		flock 9
		if [ $counted = 0 ]; then
			grep -E '^ *(K?TAP version|1\.\.|ok|not ok)' "$ktap"
		else
			cat "$ktap" "$out/$name.log"
		fi
		sed -e "s|^$top/||" -e "s|^tests: |$name: |" \
			-e "\$s|\$| ($(($(date +%s) - before)) s)|" "$out/$name.count"
	} 9>"$out/printing"
}

# take: print the next step, once
take()
{
	flock 9
	head -n 1 "$out/steps"
	sed -i 1d "$out/steps"
} 9>"$out/taking"

lane()
{
	running=
	trap stop HUP INT TERM
	while name=$(take) && [ -n "$name" ]; do
		run "$name"
	done
}

# lanes STEP...: two at a time, as many of them use one CPU only
lanes()
{
	printf '%s\n' "$@" >"$out/steps"
	lane &
	running=$!
	lane &
	running="$running $!"
	for pid in $running; do
		wait "$pid" || stop
	done
	running=
}

# selftest: of two steps, and of what they have started, a signal leaves nothing
selftest()
{
	out=$(mktemp -d)
	export ids="$out/ids"
	: >"$ids"
	(
		trap stop TERM
		lanes endless-1 endless-2
	) >"$out/log" 2>&1 &
	until [ "$(wc -w <"$ids")" = 6 ]; do
		kill -0 $! || return 1
		sleep 0.1
	done
	kill $!
	wait $! || :
	bad=0
	for pid in $(cat "$ids"); do
		# A zombie is gone, too.
		! grep -qs '^State:.[^ZX]' "/proc/$pid/status" || bad=1
	done
	[ $bad = 0 ] || echo "# a process of a step is left"
	rm -r "$out"
	return $bad
}

vm_steps()
{
	printf 'vm-%s ' "$@"
}

if [ "${1-}" = --selftest ]; then
	selftest
	exit
fi

rm -rf "$out"
mkdir -p "$out"
exec 3>&1
trap stop HUP INT TERM
case ${1-} in
check)	group "$vm/packages.sh" check 6.12 ;;
*)	group "$vm/packages.sh" test ;;
esac
case ${1-} in
check)
	lanes checkers bench harness vm-6.12
	;;
vm)
	# shellcheck disable=SC2046 # words
	lanes $(vm_steps $(patched_guests))
	;;
*)
	# shellcheck disable=SC2046,SC2086 # words
	lanes checkers bench harness models lint model series off bare kunit \
		bochs-i386 bochs-6.12 mce-6.12 $(vm_steps $(kernel_names) $guests)
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
