#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# choice_mutants.sh OUTPUT: for each rule of select.c, break it, and see that choice
# tells. Prints KTAP. OUTPUT is where 'make' has built choice from the real one.
set -eu
out=$1/mutants
cd "$(realpath "$(dirname "$0")")"
select=../../../../lib/simd_copy/select.c
rm -rf "$out"
mkdir -p "$out"

# For each, the test that has to fail, what is broken, and how.
mutants()
{
	cat <<-'END'
	4 % is no reason|no hysteresis
	s/^#define WINNING.*/#define WINNING 1000/
	of rows that tie|a tie is none
	s/^#define TIE.*/#define TIE 0/
	registers of a task|saving registers costs nothing
	s/return context == SIMD_OWNED ?.*/return 0;/
	registers of a task|kernel threads save registers
	s/return context == SIMD_OWNED ?.*/return machine->save_ns;/
	what is best may be|one row for all sizes
	s/plan->from\[e\] = e ?.*/plan->row[e] = plan->row[0]; plan->from[e] = 0;/
	what is best may be|a row starts where it was measured
	s/if (!gained)/if (1)/
	a row that is barred|a barred row may win
	s/!simd_usable(res) ||/0 ||/
	a row that is barred|a vetoed row may win
	s/|| res->veto/|| 0/
	where stock was not measured|stock wins where it was not measured
	s/plan->row\[e - 1\], "not/stock, "not/
	a small cache|the cache alone says what is large
	s/max_t(unsigned long, cache_bytes, choice->crossed)/cache_bytes/
	Ice Lake|the use alone says what is large
	s/max_t(unsigned long, cache_bytes, choice->crossed)/choice->crossed + 1/
	without the size|no cache is a small one
	s/ || !cache_bytes//
	10 % from the best|only the best may win
	s/WHOLE + WHOLE \/ 100 \* percent/WHOLE/
	more than 10 % from it|all may win
	s/<= limit)/<= 2 * limit)/
	10 % from the best|stock may drop out
	s/__set_bit(stock, near);//
	one returns early|who is used early may not win
	/^void simd_contenders/,$ s/simd_measured(regime) != measured/regime != measured/
	best only where registers|only kernel threads matter
	/^void simd_contenders/,$ s/context = 0;/context = SIMD_FREE;/
	best only where none|only tasks matter
	/^void simd_contenders/,$ s/context < SIMD_NR_CONTEXTS/context < SIMD_FREE/
	10 % from where stock|to be as good as stock is enough
	s/best = min(best, part(base, WINNING));//
	stock was not measured yet|nobody is left where stock was not measured
	s/^			if (base)$//
	one was not measured|who was not measured drops out
	/^void simd_contenders/,$ s/save) <= limit)/save) - 1 < limit)/
	END
}

echo "KTAP version 1"
echo "1..$(($(mutants | wc -l) / 2))"
nr=0
failed=0
mutants >"$out/list"
while IFS='|' read -r test what && IFS= read -r script; do
	nr=$((nr + 1))
	sed "$script" "$select" >"$out/select.c"
	verdict="not ok"
	if cmp -s "$select" "$out/select.c"; then
		echo "# there is no such line in select.c: $script"
	elif ! make -s OUTPUT="$1" SELECT="$out/select.c" "$out/choice" >"$out/log" 2>&1; then
		sed 's/^/# /' "$out/log"
	elif "$out/choice" >"$out/ktap"; then
		echo "# it made no difference"
	elif ! grep -q "^not ok [0-9]* $test" "$out/ktap"; then
		echo "# not '$test', but:"
		grep '^not ok' "$out/ktap" | sed 's/^/# /'
	else
		verdict=ok
	fi
	[ "$verdict" = ok ] || failed=1
	echo "$verdict $nr $what"
done <"$out/list"
exit $failed
