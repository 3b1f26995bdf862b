#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# choice_mutants.sh OUTPUT: for each rule of select.c, and of the veto in table.c, break
# it, and see that choice tells. Prints KTAP. OUTPUT is where 'make' has built choice from
# the real ones.
set -eu
out=$1/mutants
cd "$(realpath "$(dirname "$0")")"
lib=../../../../lib/simd_copy
rm -rf "$out"
mkdir -p "$out"

# For each, the test that has to fail, what is broken, the file unless it is select.c, and
# how.
mutants()
{
	cat <<-'END'
	of rows that tie, one that needs|of rows that tie, the one that seemed best
	s/row < ev->contender\[first\].row/0/
	4 % is no reason|no hysteresis
	s/^#define FASTER.*/#define FASTER 1000/
	6 % is|too much of it
	s/^#define FASTER.*/#define FASTER 1100/
	a row that is slower in another|slower in another state is good enough
	s/^#define SLOWER.*/#define SLOWER 900/
	a row that wins in one state|a tie in another state is a loss
	s/^#define SLOWER.*/#define SLOWER 1001/
	a row that wins in one state|the row has to win in the first state
	s/ev->screen\[state\]\[row\] > ev->screen\[best\]\[row\]/0/
	a row that is far slower|all rows of the screen go on
	s/^#define SEEMS_SLOWER.*/#define SEEMS_SLOWER 1/
	a median is not enough|half of the tries are enough
	s/{ 9, 9, 2 }/{ 4, 2, 0 }/
	a try is won|a try is won against the greater of the two
	s/ns < min(before, after)/ns < max(before, after)/
	one odd sample|the screen goes by the greater of stock's two samples
	s/gain_of(min(before, after)/gain_of(max(before, after)/
	a row that could not be sampled|a row may miss samples
	s/s->in\[row\] = ns\[row\]/s->in[row] |= ns[row]/
	of rows that tie, the first|a tie is none
	s/^#define TIE.*/#define TIE 0/
	3 % are no tie|all winners tie
	s/^#define TIE.*/#define TIE 100/
	one that needs no section is|the best without a section does not go on
	/add_contender(c, SECTIONLESS/d
	the best streaming row|the best streaming row does not go on
	s/add_contender(c, STREAMING,.*/;/
	a row that failed its self-check|a barred row may win
	s/simd_usable(&results\[row\])/!results[row].missing/
	a row that the CPU lacks|a row may win that the CPU lacks
	s/simd_usable(&results\[row\])/!results[row].barred/
	a row that runs by name only|a vetoed row may win
	s/!results\[row\].veto \&\&/1 \&\&/
	streams by itself from|what the caches hold is streamed
	s/max_t(unsigned long, cache_bytes,/max_t(unsigned long, 0,/
	but not below|the size of the cache alone decides
	s/simd_cases\[c\].bytes);$/0);/
	not if the size of the cache|an unknown cache is a small one
	s/ || !cache_bytes)/)/
	not if streaming did not win|whatever won is streamed
	s/if (simd_routines\[plan->row\[c\]\].flags & SIMD_STREAMING)/if (1)/
	not if streaming did not win|single pages decide for large extents
	s/simd_case_end(c) != ULONG_MAX/simd_case_end(c) == ULONG_MAX/
	placebo: at most 1 % win, 5 % of noise|one try wins
	s/{ 9, 9, 2 }/{ 1, 1, 0 }/
	a row that wins in one state|a tie in one state keeps a row from being tried in the next
	s/ev->screen\[state\]\[row\] >= SEEMS_SLOWER/ev->screen[state][row] >= 1100/
	of 30 % and 25 % the better in 90 %, 5 % of noise|there is no final
	s/if (winners > 1)/if (0)/
	15 % are found in 90 %, every tenth|one round decides who stays in the screen
	s/{ 3, 5, 950 }/{ 1, 1, 950 }/
	15 % are found in 90 %, 5 % of noise|a row is given up that may be faster by 5 %
	s/t->high < FASTER/t->low < FASTER/
	15 % are found in 90 %, every tenth|no try may be lost
	s/{ 9, 9, 2 }/{ 9, 9, 8 }/
	what emulators lack|a guest is like any machine|table.c
	s/boot_cpu_has(X86_FEATURE_HYPERVISOR)/0/
	what emulators lack|any machine is like a guest|table.c
	s/boot_cpu_has(X86_FEATURE_HYPERVISOR)/1/
	what emulators lack|clearing and copying of pages is vetoed as well|table.c
	s/r->kind == SIMD_KIND_to_user \&\&/1 \&\&/
	what emulators lack|emulators know MOVDIR64B|table.c
	s/f->bit == X86_FEATURE_MOVDIR64B/0/
	what emulators lack|emulators know VEX|table.c
	s/return r->xfeatures & ~SIMD_XCR0_SSE/return false/
	END
}

echo "KTAP version 1"
echo "1..$(($(mutants | wc -l) / 2))"
nr=0
failed=0
mutants >"$out/list"
while IFS='|' read -r test what file && IFS= read -r script; do
	nr=$((nr + 1))
	file=${file:-select.c}
	sed "$script" "$lib/$file" >"$out/$file"
	verdict="not ok"
	if cmp -s "$lib/$file" "$out/$file"; then
		echo "# there is no such line in $file: $script"
	elif ! make -s OUTPUT="$1" MUTANT="$out/$file" "$out/choice" >"$out/log" 2>&1; then
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
