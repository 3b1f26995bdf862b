#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# watch.sh SILENCE TOTAL FILE... -- COMMAND...: run COMMAND, and end it when none of the
# files has grown for SILENCE seconds, or after TOTAL seconds. Silence means that it hangs,
# slowness does not: TOTAL is for what talks and never ends. Exits with the status of
# COMMAND, or says why it was ended and exits with 124. All that COMMAND has started ends
# with it, and when watch.sh itself is interrupted. watch.sh --selftest proves that.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

# Something of the command is left.
alive()
{
	kill -s 0 -- "-$pid" 2>/dev/null
}

# QEMU ends at SIGTERM, Bochs does not.
end()
{
	for signal in TERM KILL; do
		# It is no group yet when it has only just been started.
		kill -s $signal -- "-$pid" 2>/dev/null || kill -s $signal "$pid" 2>/dev/null || :
		for tenth in 1 2 3 4 5 6 7 8 9 10; do
			alive || return 0
			sleep 0.1
		done
	done
}

# watcher FILE...: exits with 124 if it ends the command
watcher()
{
	seconds=0
	quiet=0
	size=
	while :; do
		sleep 1 &
		trap 'kill $!; exit' TERM
		wait $!
		# Counted and not read from a clock: when the machine stands still, so
		# does the command.
		seconds=$((seconds + 1))
		quiet=$((quiet + 1))
		before=$size
		size=$(stat -c %s "$@" 2>/dev/null) || :
		[ "$size" = "$before" ] || quiet=0
		if [ $quiet -ge "$silence" ]; then
			why="it was silent for $silence s"
		elif [ $seconds -ge "$total" ]; then
			why="it had not ended after $total s"
		elif ! kill -s 0 $$ 2>/dev/null; then
			why="nobody waits for it"
		else
			continue
		fi
		trap '' TERM
		echo "# killed: $why"
		end
		exit 124
	done
}

interrupted()
{
	trap '' HUP INT TERM
	end
	kill $watcher 2>/dev/null || :
	exit "$1"
}

watch()
{
	silence=$1
	total=$2
	shift 2
	files=
	while [ "$1" != -- ]; do
		files="$files $1"
		shift
	done
	shift

	# A process group of its own can be ended as a whole. ^C does not reach it.
	setsid "$@" &
	pid=$!
	# shellcheck disable=SC2086 # words
	watcher $files &
	watcher=$!
	# The watcher must not have these: what came before it dropped them would be lost.
	trap 'interrupted 129' HUP
	trap 'interrupted 130' INT
	trap 'interrupted 143' TERM
	rc=0
	wait $pid || rc=$?
	kill $watcher 2>/dev/null || :
	wait $watcher || [ $? != 124 ] || rc=124
	! alive || end
	exit $rc
}

# Each of these is a test: it runs watch.sh on a script, which talks to the file $0, and
# writes the ids of its processes into the file $1.

# expect STATUS MESSAGE SILENCE TOTAL SCRIPT
expect()
{
	rc=0
	"$0" "$3" "$4" "$log" -- sh -c "$5" "$log" "$ids" >"$log.said" || rc=$?
	cat "$log.said"
	[ $rc = "$1" ] || { echo "exit status $rc, not $1"; return 1; }
	[ "$(cat "$log.said")" = "$2" ] || { echo "it did not say '$2'"; return 1; }
	[ -s "$ids" ] || { echo "the script did not start"; return 1; }
	# All of the scripts end by themselves at last.
	[ $(($(date +%s) - start)) -lt 90 ] || { echo "it was not ended in time"; return 1; }
	! left || { echo "a process of the script is left"; return 1; }
}

# A zombie is gone, too.
left()
{
	while read -r id; do
		! grep -qs '^State:.[^ZX]' "/proc/$id/status" || return 0
	done <"$ids"
	return 1
}

slow_lives()
{
	expect 7 '' 4 60 'echo $$ >>"$1"; for i in 1 2 3; do sleep 2; echo $i >>"$0"; done; exit 7'
}

silent_ends()
{
	expect 124 '# killed: it was silent for 2 s' 2 60 \
		'sleep 99 & echo $$ $! | tr " " "\n" >>"$1"; wait'
}

silent_and_deaf_ends()
{
	expect 124 '# killed: it was silent for 2 s' 2 60 \
		'trap "" TERM; sleep 99 & echo $$ $! | tr " " "\n" >>"$1"; wait'
}

endless_ends()
{
	expect 124 '# killed: it had not ended after 4 s' 3 4 \
		'echo $$ >>"$1"; while echo a >>"$0"; do sleep 0.2; done'
}

leftover_ends()
{
	expect 0 '' 9 60 'sleep 99 & echo $! >>"$1"'
}

# interrupt SIGNAL: as at a terminal, where SIGINT is not ignored
interrupt()
{
	env --default-signal=INT "$0" 60 60 "$log" -- \
		sh -c 'sleep 99 & echo $$ $! | tr " " "\n" >>"$1"; wait' "$log" "$ids" &
	interrupted=$!
	until [ -s "$ids" ]; do
		sleep 0.1
	done
	kill -s "$1" $interrupted
	wait $interrupted || :
	# Of SIGKILL its other half knows within a second.
	for second in 1 2 3 4 5 6 7 8 9; do
		left || return 0
		[ "$1" = KILL ] || break
		sleep 1
	done
	echo "a process of the script is left"
	return 1
}

# They take their time, and at once.
selftest()
{
	tmp=$(mktemp -d)
	set -- slow_lives silent_ends silent_and_deaf_ends endless_ends leftover_ends \
		"interrupt INT" "interrupt TERM" "interrupt KILL"
	for check; do
		(
			log=$tmp/${check#* }
			ids=$log.ids
			: >"$log"
			$check >"$log.out" 2>&1 && : >"$log.ok"
		) &
	done
	wait
	outcome()
	{
		cat "$tmp/${1#* }.out"
		[ -e "$tmp/${1#* }.ok" ]
	}
	checker=outcome
	rc=0
	checks "$tmp/said" "$@" >"$tmp/ktap" || rc=1
	sed 's/^/    /' "$tmp/ktap"
	rm -r "$tmp"
	return $rc
}

case ${1-} in
--selftest)	selftest ;;
*)		watch "$@" ;;
esac
