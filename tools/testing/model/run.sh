#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# run.sh: search the model of the guard (guard.pml) completely with spin, for
# each kind of kernel. Then take the rules of the guard away one by one: each
# time there has to be a counterexample, and to the property that the rule is
# there for.
set -u
dir=$(realpath "$(dirname "$0")")
out=$dir/../../../build/model

# What a kernel is, as guard.pml has it.
none="-DPREEMPT_COUNT=0"
preempt="-DPREEMPT_COUNT=1"
rt="-DPREEMPT_COUNT=1 -DPREEMPT_RT=1"
bh_off="-DPREEMPT_COUNT=1 -DBH_OFF=1"

# What has to be possible. On RT no softirq interrupts, and no hardirq may copy.
rt_events="exception_cleared exception_delivered exception_of_another_task_cleared"
rt_events="$rt_events fault_in_section hardirq_refused migrated_between_sections"
rt_events="$rt_events refused_in_fpregs_lock registers_still_valid task_refused"
events="exception_cleared exception_delivered exception_of_another_task_cleared"
events="$events fault_in_section hardirq_refused hardirq_section"
events="$events migrated_between_sections refused_in_fpregs_lock registers_still_valid"
events="$events softirq_refused softirq_section task_refused"

# EXPECTED | flags | what it is. EXPECTED is "holds", "ends" if it is about
# liveness, the events that are possible, or the property that does not hold.
configurations()
{
	cat <<END
holds | $preempt | the guard holds with preemption
holds | $bh_off | the guard holds with softirqs off in sections (6.15)
holds | $none | the guard holds without PREEMPT_COUNT
holds | $rt | the guard holds on PREEMPT_RT
ends | $rt -DLIVENESS | every section ends
$events | $none -DEVENTS | what matters can happen
$rt_events | $rt -DEVENTS | what matters can happen on PREEMPT_RT, and that only
owner_registers_changed | $none -DNO_RULE1 | without rule 1, the save
owner_registers_changed | $none -DNO_RULE1_OWNER | without rule 1, the owner of the registers
MF_in_kernel | $none -DNO_RULE2 | without rule 2, FNCLEX
exception_lost | $none -DNO_RULE2_ORDER | without rule 2, FNCLEX before the save
sleeps_in_section | $none -DNO_RULE3 | without rule 3, pagefault_disable()
two_sections_on_a_CPU | $none -DNO_RULE4 | without rule 4, refusal
sigframe_wrong | $rt -DNO_RULE4_RT | without rule 4, refusal in hardirq on RT
sleeps_in_section | $none -DNO_RULE5 | without rule 5, no sleep
too_many_bytes | $none -DNO_RULE6 | without rule 6, the bound
section_left_open | $none -DNO_RULE7 | without rule 7, the end
never_ends | $rt -DNO_RULE7 -DLIVENESS | without rule 7, the end, in time
irq_state_changed | $none -DNO_RULE7_IRQ | without rule 7, interrupt state
sigframe_wrong | $none -DNO_RULE9 | without rule 9, refusal in fpregs_lock()
sigframe_wrong | $rt -DNO_RULE9 | without rule 9, refusal in fpregs_lock() on RT
data_missing | $none -DNO_FALLBACK | without the fallback
mark_on_another_CPU | $preempt -DNO_PREEMPT_OFF | without preemption off around the refusal
holds | $rt -DNO_EMMS | nobody sees that EMMS is missing, with the registers reloaded
END
}

# check NR EXPECTED FLAGS: search one configuration, in a directory of its own.
check()
{
	nr=$1
	expected=$2
	flags=$3
	opt=-O0
	cc=-DSAFETY
	search="-m1000000 -w20"
	case "$expected" in
	holds)		opt=-O1; search="-m1000000 -w22" ;;
	ends|never_ends) opt=-O1; cc=-DNFAIR=3; search="-a -A -f -m2000000 -w22" ;;
	*" "*)		opt=-O1; search="-m1000000 -w22 -c0" ;;
	esac

	mkdir -p "$out/$nr" && cd "$out/$nr" || return 1
	# shellcheck disable=SC2086 # flags are words
	if ! spin -a $flags "$dir/guard.pml" >spin.log 2>&1 ||
	   ! gcc $opt $cc -DMEMLIM=1500 -o search pan.c >gcc.log 2>&1; then
		echo "spin or gcc failed, see build/model/$nr/*.log" >result
		return 1
	fi
	# shellcheck disable=SC2086
	./search $search >pan.log 2>&1
	states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' pan.log)
	found=$(sed -n 's/^pan:[0-9]*: assertion violated .*||(*\(([a-z]*)\)*\([A-Za-z_]*\).*/\2/p
			s/^pan:[0-9]*: acceptance cycle.*/never_ends/p
			s/^pan:[0-9]*: \(invalid end state\).*/\1/p' pan.log | sort -u | xargs)
	echo "${states:-no} states, found: ${found:-nothing}" >result
	case "$expected" in
	holds|ends) [ -z "$found" ] && grep -q 'errors: 0$' pan.log && searched_all ;;
	*" "*)	[ "$found" = "$expected" ] && searched_all ;;
	*)	[ "$found" = "$expected" ] ;;
	esac
}

# Whether the search went everywhere: a limit that was hit is said in many ways.
searched_all()
{
	grep -q '^Full statespace search' pan.log &&
		! grep -qiE -e 'too small|not completed|truncated' \
			-e 'out of memory|memory.*exceeded' pan.log
}

if ! command -v spin >/dev/null || ! command -v gcc >/dev/null; then
	echo "KTAP version 1"
	echo "1..0 # SKIP spin and gcc are needed: apt-get install spin gcc"
	exit 4
fi

rm -rf "$out"
mkdir -p "$out"
configurations >"$out/list"

# Two at a time, every other one each: the first ones are the long ones.
worker()
{
	nr=0
	while IFS='|' read -r expected flags what; do
		nr=$((nr + 1))
		[ $((nr % 2)) = "$1" ] || continue
		if (check $nr "${expected% }" "$flags"); then
			echo ok >"$out/$nr/verdict"
		fi
	done <"$out/list"
}
worker 0 &
worker 1
wait $!

echo "KTAP version 1"
echo "1..$(wc -l <"$out/list")"
nr=0
bad=0
while IFS='|' read -r expected flags what; do
	nr=$((nr + 1))
	result=$(cat "$out/$nr/result")
	if [ -e "$out/$nr/verdict" ]; then
		case "$expected" in
		"holds "|"ends "|*" "*" ") echo "ok $nr$what # ${result% }" ;;
		*) echo "ok $nr$what: counterexample: ${expected% }" ;;
		esac
	else
		bad=$((bad + 1))
		echo "not ok $nr$what"
		echo "# expected: $expected"
		echo "# got: $result"
		echo "# see build/model/$nr/pan.log, and the steps: cd build/model/$nr &&" \
			"spin -t -p -g$flags ../../../tools/testing/model/guard.pml"
	fi
done <"$out/list"
exit $((bad != 0))
