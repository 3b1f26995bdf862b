// SPDX-License-Identifier: GPL-2.0
/*
 * The choice on machines that are not here: select.c gets samples that are made up, and
 * has to choose right. No clock. choice_mutants.sh shows that each rule is tested.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>

#include "simd_copy.h"
#include "stdout.h"

static bool is_guest;

/* Stock is rep_stosb, rep_movsq and rep_movsb here. */
bool boot_cpu_has(unsigned int bit)
{
	if (bit == X86_FEATURE_HYPERVISOR)
		return is_guest;
	return bit == X86_FEATURE_ERMS || bit == X86_FEATURE_REP_GOOD;
}

int cpu_has_xfeatures(u64 xfeatures, const char **missing)
{
	return 0;
}

static u32 seed;

/* Uniform, from 0 to @n - 1. */
static u32 at_random(u32 n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static unsigned int nr_tests, nr_failed;

static void result(bool ok, const char *name)
{
	printf("%sok %u %s\n", ok ? "" : "not ", ++nr_tests, name);
	nr_failed += !ok;
}

/* --- Rules --------------------------------------------------------------- */

#define MAX_PATTERN	8

/* Instead of ns: there is no sample to be had. */
#define MISSED		1

/*
 * What samples of a row say, one after the other, again and again: ns by state, in the
 * states of its case in the order of enum simd_state. 0 ends a pattern.
 */
struct samples {
	const char	*row;
	u32		ns[2][MAX_PATTERN];
	bool		barred;
	bool		veto;
	bool		missing;
};

#define TAKES(_row, ...)		{ .row = (_row), .ns = { __VA_ARGS__ } }
#define TAKES_BUT(_row, _is, ...)	{ .row = (_row), .ns = { __VA_ARGS__ }, ._is = true }

/*
 * struct rule - what must come of it
 * @name:	the rule
 * @c:		the case
 * @samples:	by row, the first one is stock; other rows are not there
 * @want:	the row that must be chosen
 * @nr:		how many rows must have come to a duel, -1 if that does not matter
 */
static const struct rule {
	const char	*name;
	unsigned int	c;
	struct samples	samples[8];
	const char	*want;
	int		nr;
} rules[] = {
	{
		"a row that is twice as fast is chosen", SIMD_CASE_clear_huge,
		{ TAKES("rep_stosb", { 1000 }), TAKES("mov", { 500 }) }, "mov", 1,
	}, {
		"4 % is no reason to change", SIMD_CASE_clear_huge,
		{ TAKES("rep_stosb", { 1000 }), TAKES("mov", { 961 }) }, "rep_stosb", 1,
	}, {
		"6 % is", SIMD_CASE_clear_huge,
		{ TAKES("rep_stosb", { 1000 }), TAKES("mov", { 943 }) }, "mov", 1,
	}, {
		"a row that is slower in another state is not chosen", SIMD_CASE_clear_page,
		{ TAKES("rep_stosb", { 100 }, { 1000 }), TAKES("mov", { 102 }, { 500 }) },
		"rep_stosb", 1,
	}, {
		"a row that wins in one state and ties in the other is", SIMD_CASE_clear_page,
		{ TAKES("rep_stosb", { 100 }, { 1000 }), TAKES("mov", { 100 }, { 500 }) },
		"mov", 1,
	}, {
		"whichever the state is that it wins in", SIMD_CASE_clear_page,
		{ TAKES("rep_stosb", { 1000 }, { 1000 }), TAKES("mov", { 500 }, { 1000 }) },
		"mov", 1,
	}, {
		"a row that is far slower in another state is not tried", SIMD_CASE_clear_page,
		{ TAKES("rep_stosb", { 100 }, { 1000 }), TAKES("mov", { 120 }, { 500 }) },
		"rep_stosb", 0,
	}, {
		"a median is not enough, most tries have to be won", SIMD_CASE_clear_huge,
		{ TAKES("rep_stosb", { 1000, 1400 }),
		  TAKES("mov", { 900, 900, 1100, 1100, 1100 }) },
		"rep_stosb", 1,
	}, {
		"a try is won against the lesser of stock's two samples", SIMD_CASE_clear_huge,
		{ TAKES("rep_stosb", { 1000, 1400 }), TAKES("mov", { 900, 1100, 1100 }) },
		"rep_stosb", 1,
	}, {
		"one odd sample of stock makes no other row faster", SIMD_CASE_clear_huge,
		{ TAKES("rep_stosb", { 50000, 1000, 1000, 1000, 1000, 1000, 1000, 1000 }),
		  TAKES("mov", { 1000 }) },
		"rep_stosb", 0,
	}, {
		"a row that could not be sampled each time was not measured",
		SIMD_CASE_clear_huge,
		{ TAKES("rep_stosb", { 1000 }), TAKES("mov", { 500, 500, MISSED }) },
		"rep_stosb", 0,
	}, {
		"where stock was not measured, stock stays", SIMD_CASE_clear_huge,
		{ TAKES("rep_stosb", { MISSED }), TAKES("mov", { 500 }) }, "rep_stosb", 0,
	}, {
		"where stock was not measured in one state, stock stays", SIMD_CASE_clear_page,
		{ TAKES("rep_stosb", { 1000 }, { MISSED }), TAKES("mov", { 500 }, { 500 }) },
		"rep_stosb", 0,
	}, {
		"of rows that tie, one that needs no section", SIMD_CASE_clear_stream,
		{ TAKES("rep_stosb", { 1000 }), TAKES("movnti", { 505 }),
		  TAKES("sse_nt", { 500 }) }, "movnti", 2,
	}, {
		"of rows that tie, the first", SIMD_CASE_clear_stream,
		{ TAKES("rep_stosb", { 1000 }), TAKES("sse_nt", { 505 }),
		  TAKES("avx2_nt", { 500 }) }, "sse_nt", 2,
	}, {
		"3 % are no tie", SIMD_CASE_clear_stream,
		{ TAKES("rep_stosb", { 1000 }), TAKES("movnti", { 515 }),
		  TAKES("sse_nt", { 500 }) }, "sse_nt", 2,
	}, {
		"one that needs no section is among those that are tried",
		SIMD_CASE_clear_stream,
		{ TAKES("rep_stosb", { 1000 }), TAKES("movnti", { 505 }),
		  TAKES("mmx", { 500 }), TAKES("mmx_nt", { 500 }), TAKES("sse", { 501 }),
		  TAKES("sse_nt", { 502 }), TAKES("avx2_nt", { 503 }) }, "movnti", 3,
	}, {
		"the best streaming row is, too", SIMD_CASE_clear_stream,
		{ TAKES("rep_stosb", { 1000 }), TAKES("mov", { 500 }),
		  TAKES("mov_x2", { 500 }), TAKES("mov_x4", { 500 }), TAKES("sse", { 500 }),
		  TAKES("avx2", { 500 }), TAKES("sse_nt", { 600 }) }, "mov", 3,
	}, {
		"a row that failed its self-check wins nothing", SIMD_CASE_clear_huge,
		{ TAKES("rep_stosb", { 1000 }), TAKES_BUT("mov", barred, { 100 }) },
		"rep_stosb", 0,
	}, {
		"a row that the CPU lacks wins nothing", SIMD_CASE_clear_huge,
		{ TAKES("rep_stosb", { 1000 }), TAKES_BUT("mov", missing, { 100 }) },
		"rep_stosb", 0,
	}, {
		"a row that runs by name only wins nothing", SIMD_CASE_clear_huge,
		{ TAKES("rep_stosb", { 1000 }), TAKES_BUT("mov", veto, { 100 }) },
		"rep_stosb", 0,
	}, {
		"the row of another kind wins nothing", SIMD_CASE_copy_huge,
		{ TAKES("rep_movsq", { 1000 }) }, "rep_movsq", 0,
	},
};

struct made_up {
	struct simd_sampler	sampler;
	const struct rule	*rule;
	unsigned int		n[SIMD_NR_STATES][SIMD_NR_ROUTINES];
};

/* The index of a state among those of its case. */
static unsigned int place_of(unsigned int c, enum simd_state state)
{
	unsigned int s, n = 0;

	simd_for_each_state_of(s, c)
		if (s < state)
			n++;
	return n;
}

static u32 made_up_sample(struct simd_sampler *sampler, unsigned int c,
			  enum simd_state state, unsigned int row)
{
	struct made_up *m = container_of(sampler, struct made_up, sampler);
	const struct samples *s;
	unsigned int length, n;

	for (s = m->rule->samples; s->row; s++) {
		const u32 *ns = s->ns[place_of(c, state)];

		if (strcmp(s->row, simd_routines[row].name))
			continue;
		for (length = 1; length < MAX_PATTERN && ns[length]; length++)
			;
		n = m->n[state][row]++;
		return ns[n % length] == MISSED ? 0 : ns[n % length] * 16;
	}
	return 0;
}

static bool holds(const struct rule *rule)
{
	static struct simd_result results[SIMD_NR_ROUTINES];
	static struct simd_evidence ev;
	struct made_up m = { .sampler.sample = made_up_sample, .rule = rule };
	const struct samples *s;
	unsigned int row;

	simd_detect(results);
	simd_for_each_row(row)
		results[row].missing = "a place in this machine";
	for (s = rule->samples; s->row; s++) {
		int found = simd_find_row(simd_cases[rule->c].kind, s->row);

		if (found < 0) {
			printf("# there is no row %s\n", s->row);
			return false;
		}
		results[found].missing = s->missing ? "something" : NULL;
		results[found].barred = s->barred ? "something" : NULL;
		results[found].veto = s->veto ? "something" : NULL;
	}
	simd_decide(rule->c, results, &m.sampler, &ev);
	if (!strcmp(simd_routines[ev.row].name, rule->want) && (int)ev.nr == rule->nr)
		return true;
	printf("# chose %s (%s) of %u, should be %s of %d\n", simd_routines[ev.row].name, ev.why,
	       ev.nr, rule->want, rule->nr);
	return false;
}

/* --- Thresholds ---------------------------------------------------------- */

static const struct threshold {
	const char	*name;
	unsigned int	row;
	unsigned long	cache;
	unsigned long	want;
} thresholds[] = {
	{ "streams by itself from the size of the cache on",
	  SIMD_ROW_clear_movnti, 32ul << 20, 32ul << 20 },
	{ "but not below the size at which streaming was seen to win",
	  SIMD_ROW_clear_movnti, 32ul << 10, 64 * PAGE_SIZE },
	{ "not if the size of the cache is unknown", SIMD_ROW_clear_movnti, 0, ULONG_MAX },
	{ "not if streaming did not win", SIMD_ROW_clear_rep_stosb, 32ul << 20, ULONG_MAX },
	{ "not if a row won that does not stream", SIMD_ROW_clear_mov, 32ul << 20, ULONG_MAX },
};

static bool streams_from(const struct threshold *t)
{
	static struct simd_plan plan;
	unsigned int c;

	simd_for_each_case(c)
		plan.row[c] = simd_stock_row(simd_cases[c].kind);
	/* What single pages do says nothing of large extents. */
	plan.row[SIMD_CASE_clear_page_stream] = SIMD_ROW_clear_movdir64b;
	plan.row[SIMD_CASE_clear_stream] = t->row;
	simd_set_thresholds(&plan, t->cache);
	if (plan.threshold[SIMD_KIND_clear] == t->want &&
	    plan.threshold[SIMD_KIND_copy] == ULONG_MAX)
		return true;
	printf("# streams from %lu, should be %lu\n", plan.threshold[SIMD_KIND_clear], t->want);
	return false;
}

/* --- Error rates --------------------------------------------------------- */

/* What happens to samples on a machine that does something else as well. */
enum noise { SMALL, LARGE, SPIKES, DRIFT, TWO_SPEEDS, NR_NOISES };

static const char *const noise_names[NR_NOISES] = {
	[SMALL]		= "1 % of noise",
	[LARGE]		= "5 % of noise",
	[SPIKES]	= "every tenth sample takes up to four times as long",
	[DRIFT]		= "the clock rate goes up and down by 20 %",
	[TWO_SPEEDS]	= "for some samples all is a third slower",
};

struct noisy {
	struct simd_sampler	sampler;
	enum noise		noise;
	unsigned int		fast;
	unsigned int		percent;
	unsigned int		second;
	unsigned int		n;
	unsigned int		slow;
};

#define ONE	160000u

/* The second row is so much slower than the fastest one, in percent of stock. */
#define SECOND	5

static u32 noisy_sample(struct simd_sampler *sampler, unsigned int c, enum simd_state state,
			unsigned int row)
{
	struct noisy *m = container_of(sampler, struct noisy, sampler);
	const int width = ONE / 100 * (m->noise == LARGE ? 10 : 2);
	u32 t = ONE, i;

	if (row == m->fast)
		t = t * 100 / (100 + m->percent);
	else if (row == m->second)
		t = t * 100 / (100 + m->percent - SECOND);
	/* The sum of three is nearly normal, with a standard deviation of half the width. */
	for (i = 0; i < 3; i++)
		t += (int)at_random(width) - width / 2;
	m->n++;
	switch (m->noise) {
	case SPIKES:
		if (!at_random(10))
			t += at_random(3 * ONE);
		break;
	case DRIFT:
		/* A triangle of 64 samples. */
		i = m->n % 64 < 32 ? m->n % 32 : 32 - m->n % 32;
		t += t / 5 * i / 32;
		break;
	case TWO_SPEEDS:
		if (!m->slow && !at_random(60))
			m->slow = 1 + at_random(20);
		if (m->slow) {
			m->slow--;
			t += t / 3;
		}
		break;
	default:
		break;
	}
	return t;
}

#define CALIBRATIONS	200

/**
 * struct rates - what came of many calibrations
 * @cases:	that were decided
 * @winners:	cases in which a row was chosen that is not stock
 * @found:	cases in which the row was that was made faster
 * @seemed:	cases in which some row seemed faster by 5 % in the screen
 */
struct rates {
	unsigned int	cases;
	unsigned int	winners;
	unsigned int	found;
	unsigned int	seemed;
};

static bool seems_faster(unsigned int c, const struct simd_evidence *ev)
{
	unsigned int row, state;

	simd_for_each_row(row)
		simd_for_each_state_of(state, c)
			if (ev->screen[state][row] >= 1050)
				return true;
	return false;
}

/* A row of the kind that is neither stock nor @but. */
static unsigned int any_row(enum simd_kind kind, unsigned int but)
{
	unsigned int row;

	do {
		row = at_random(SIMD_NR_ROUTINES);
	} while (simd_routines[row].kind != kind || row == simd_stock_row(kind) || row == but);
	return row;
}

/*
 * With a row that is @percent faster than others, which take as long as stock, but for one
 * if there @is_second.
 */
static struct rates calibrate(enum noise noise, unsigned int percent, bool is_second)
{
	static struct simd_result results[SIMD_NR_ROUTINES];
	static struct simd_evidence ev;
	struct rates rates = {};
	unsigned int i, c;

	memset(results, 0, sizeof(results));
	for (i = 0; i < CALIBRATIONS; i++) {
		struct noisy m = { .sampler.sample = noisy_sample, .noise = noise,
				   .percent = percent };

		seed = i;
		simd_for_each_case(c) {
			unsigned int stock = simd_stock_row(simd_cases[c].kind);

			m.fast = any_row(simd_cases[c].kind, SIMD_NR_ROUTINES);
			m.second = is_second ? any_row(simd_cases[c].kind, m.fast) :
					       SIMD_NR_ROUTINES;
			simd_decide(c, results, &m.sampler, &ev);
			rates.cases++;
			rates.winners += ev.row != stock;
			rates.found += ev.row == m.fast;
			rates.seemed += seems_faster(c, &ev);
		}
	}
	return rates;
}

static void error_rates(void)
{
	enum noise noise;
	char name[128];

	for (noise = 0; noise < NR_NOISES; noise++) {
		struct rates placebo = calibrate(noise, 0, false);
		struct rates true_gain = calibrate(noise, 15, false);
		struct rates better = calibrate(noise, 30, true);

		printf("# %s: %.2f %% of placebos win, %.1f %% seem to in the screen; a gain of 15 %% is found in %.1f %%, one of 30 %% beside 25 %% in %.1f %%\n",
		       noise_names[noise], 100.0 * placebo.winners / placebo.cases,
		       100.0 * placebo.seemed / placebo.cases,
		       100.0 * true_gain.found / true_gain.cases,
		       100.0 * better.found / better.cases);
		snprintf(name, sizeof(name), "placebo: at most 1 %% win, %s", noise_names[noise]);
		result(placebo.winners * 100 <= placebo.cases, name);
		snprintf(name, sizeof(name), "15 %% are found in 90 %%, %s", noise_names[noise]);
		result(true_gain.found * 10 >= true_gain.cases * 9, name);
		snprintf(name, sizeof(name), "of 30 %% and 25 %% the better in 90 %%, %s",
			 noise_names[noise]);
		result(better.found * 10 >= better.cases * 9, name);
		if (noise == LARGE)
			result(placebo.seemed * 4 >= placebo.cases,
			       "control: the screen alone would take placebos");
	}
}

/* --- What may be chosen at all ------------------------------------------- */

/* A CPU of Intel, or else of AMD. */
static bool prefers_ymm(bool intel, unsigned int family, unsigned int model)
{
	u32 signature = (model & 0xf0) << 12 | (model & 15) << 4 | 7;

	signature |= family < 15 ? family << 8 : 15 << 8 | (family - 15) << 20;
	return intel ? simd_signature_prefers_ymm(0x756e6547, 0x6c65746e, signature) :
		       simd_signature_prefers_ymm(0x68747541, 0x444d4163, signature);
}

static bool vetoed_models(void)
{
	static const u8 listed[] = { 0x55, 0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0x9d };
	unsigned int model, i;
	bool right = true;

	for (model = 0; model < 256; model++) {
		bool want = false;

		for (i = 0; i < sizeof(listed); i++)
			want |= listed[i] == model;
		if (prefers_ymm(true, 6, model) != want) {
			printf("# family 6, model %02x of Intel: should be %d\n", model, want);
			right = false;
		}
		/* The same numbers: Zen 4 and Zen 5, and a family of Intel to come. */
		if (prefers_ymm(false, 6, model) || prefers_ymm(false, 25, model) ||
		    prefers_ymm(false, 26, model) || prefers_ymm(true, 19, model)) {
			printf("# model %02x of another family or vendor\n", model);
			right = false;
		}
	}
	return right;
}

/* Descriptions name the instructions, those with VEX or EVEX by a v in front. */
static bool emulators_lack(const struct simd_routine *r)
{
	return strstr(r->desc, "vmov") || strstr(r->desc, "movdir64b");
}

static bool vetoed_in_guests(void)
{
	static struct simd_result results[SIMD_NR_ROUTINES];
	unsigned int row, guest, n = 0;
	bool right = true;

	for (guest = 0; guest < 2; guest++) {
		is_guest = guest;
		simd_detect(results);
		simd_for_each_row(row) {
			const struct simd_routine *r = &simd_routines[row];
			bool vetoed = results[row].veto && !strcmp(results[row].veto, "HYPERVISOR");
			bool want = guest && r->kind == SIMD_KIND_to_user && emulators_lack(r);

			n += vetoed;
			if (vetoed == want)
				continue;
			printf("# %s/%s %s: vetoed %d, should be %d\n", simd_kind_names[r->kind],
			       r->name, guest ? "in a guest" : "on hardware", vetoed, want);
			right = false;
		}
	}
	is_guest = false;
	return right && n;
}

int main(void)
{
	unsigned int i;

	printf("KTAP version 1\n1..%zu\n",
	       ARRAY_SIZE(rules) + ARRAY_SIZE(thresholds) + 3 * NR_NOISES + 3);
	for (i = 0; i < ARRAY_SIZE(rules); i++)
		result(holds(&rules[i]), rules[i].name);
	for (i = 0; i < ARRAY_SIZE(thresholds); i++)
		result(streams_from(&thresholds[i]), thresholds[i].name);
	result(vetoed_models(), "AVX-512 is vetoed on the models that pay for it, and on no other");
	result(vetoed_in_guests(),
	       "what emulators lack is vetoed in guests, of copies to user space, and nothing else");
	error_rates();
	return nr_failed != 0;
}
