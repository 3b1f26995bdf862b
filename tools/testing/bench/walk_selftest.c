// SPDX-License-Identifier: GPL-2.0
/*
 * Whether walks tell the truth. The statistics are tested on series with known answers,
 * the states by what they cost, and the whole with stock against itself and with a row
 * that is slowed down. Each test has a control that must fail.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>

#include "clock.h"
#include "machine.h"
#include "run.h"
#include "walk.h"

#define KSFT_SKIP	4

static unsigned int nr_tests, nr_failed;

static void result(bool ok, const char *name)
{
	printf("%sok %u %s\n", ok ? "" : "not ", ++nr_tests, name);
	fflush(stdout);
	nr_failed += !ok;
}

static void skip(const char *name, const char *why)
{
	printf("ok %u %s # SKIP %s\n", ++nr_tests, name, why);
	fflush(stdout);
}

/* --- Statistics ---------------------------------------------------------- */

#define SERIES		2000
#define SAMPLES		60

/* Of a hundred intervals so many have to hold the true value: 95, less what chance takes. */
#define HOLDS		93

static double uniform(void)
{
	return (rand() + 0.5) / (RAND_MAX + 1.0);
}

/* With a few samples that are several times as long, as interruptions make them. */
static double noise(void)
{
	return 1 + 0.1 * (uniform() + uniform() - 1) + (uniform() < 0.05 ? 3 * uniform() : 0);
}

/*
 * Rows that take the same time, on a machine whose clock rate changes by 30 % halfway.
 * Return: percent of the intervals that hold 1.
 */
static unsigned int held(bool paired)
{
	double ratios[SAMPLES];
	unsigned int n, i, ok = 0;

	for (n = 0; n < SERIES; n++) {
		for (i = 0; i < SAMPLES; i++) {
			double speed = i < SAMPLES / 2 ? 1 : 1.3;
			double stock = paired ? speed * noise() : 1, row = speed * noise();

			ratios[i] = stock / row;
		}
		struct interval in = interval_of(ratios, SAMPLES);

		ok += in.low <= 1 && in.high >= 1;
	}
	return ok * 100 / SERIES;
}

static void test_statistics(void)
{
	double few[] = { 1, 2, 3, 4 };
	struct interval i = interval_of(few, ARRAY_SIZE(few));
	unsigned int paired, unpaired;

	srand(1);
	paired = held(true);
	unpaired = held(false);
	printf("# %u %% of intervals hold the true ratio; %u %% without pairs\n", paired,
	       unpaired);
	result(paired >= HOLDS, "95 % intervals of noisy series");
	result(unpaired < HOLDS, "control: without pairs they do not hold");
	result(!i.low && isinf(i.high), "few samples have no interval");
}

/* --- States -------------------------------------------------------------- */

#define STATE_NS	300000000ull

/* Times as slow, at least, as memory is for stock's stores. */
#define CLEARLY		1.25

static double stock_ns(enum walk_where where, struct interval *ns)
{
	const struct workload w = {
		.kind = SIMD_KIND_clear, .bytes = 65536, .where = where,
	};
	const struct subject *subjects[SIMD_NR_ROUTINES + 2];
	struct walked walked[2];

	walk_subjects(SIMD_KIND_clear, subjects);
	subjects[1] = subjects[0];
	walk(&w, CONSUMER_NONE, subjects, 2, STATE_NS, walked);
	*ns = walked[0].ns;
	return ns->median;
}

static void test_states(void)
{
	struct interval ns[NR_WALKS];
	const unsigned long beyond = walk_setup.beyond;
	unsigned int i;

	for (i = 0; i < NR_WALKS; i++) {
		stock_ns(i, &ns[i]);
		printf("# %s: %.0f [%.0f %.0f] ns per 4 KiB\n", walk_where_names[i], ns[i].median,
		       ns[i].low, ns[i].high);
	}
	if (walk_setup.llc > machine.l2)
		result(ns[WALK_CORE].high < ns[WALK_LLC].low,
		       "the last-level cache is slower than the core's");
	else
		skip("the last-level cache is slower than the core's",
		     "a walk finds no cache behind the core's");
	result(CLEARLY * ns[WALK_LLC].high < ns[WALK_BEYOND].low, "memory is slower than the caches");

	walk_setup.beyond = 256 << 10;
	stock_ns(WALK_BEYOND, &ns[WALK_BEYOND]);
	walk_setup.beyond = beyond;
	result(CLEARLY * ns[WALK_LLC].high > ns[WALK_BEYOND].low,
	       "control: a walk over little memory is not");
}

/* --- Ratios -------------------------------------------------------------- */

#define PLACEBOS	100
#define PLACEBO_NS	40000000ull

/* 95 of 100 hold, less what chance takes with probability 0.001. */
#define PLACEBOS_HOLD	88

static const struct workload loop = {
	.kind = SIMD_KIND_copy, .bytes = 65536, .where = WALK_LLC,
};

static void test_placebo(void)
{
	const struct subject *subjects[SIMD_NR_ROUTINES + 2];
	struct walked walked[2];
	unsigned int i, held = 0;

	walk_subjects(loop.kind, subjects);
	subjects[1] = subjects[0];
	for (i = 0; i < PLACEBOS; i++) {
		walk(&loop, CONSUMER_ALL, subjects, 2, PLACEBO_NS, walked);
		held += walked[1].ratio.low <= 1 && walked[1].ratio.high >= 1;
	}
	printf("# 1.00 is in %u of %u intervals of stock against itself\n", held, PLACEBOS);
	result(held >= PLACEBOS_HOLD, "stock against itself is 1.00 within its interval");
}

/* Stock, and then 5 % of the time that it took. */
static void slowed(const struct subject *s, void *dst, const void *src, unsigned long len)
{
	u64 start = clock_read(), end;

	simd_call(s->kind, s->fn, dst, src, len);
	end = clock_read();
	end += (end - start) / 20;
	while (clock_read() < end)
		;
}

#define PLANTED_NS	3000000000ull

static void test_planted(void)
{
	const struct subject *subjects[SIMD_NR_ROUTINES + 2];
	struct subject planted;
	struct walked walked[3];

	walk_subjects(loop.kind, subjects);
	planted = *subjects[0];
	planted.run = slowed;
	subjects[1] = &planted;
	subjects[2] = subjects[0];
	walk(&loop, CONSUMER_ALL, subjects, 3, PLANTED_NS, walked);
	printf("# slowed down by 5 %%: %.3f [%.3f %.3f]; not slowed down: %.3f [%.3f %.3f]\n",
	       walked[1].ratio.median, walked[1].ratio.low, walked[1].ratio.high,
	       walked[2].ratio.median, walked[2].ratio.low, walked[2].ratio.high);
	if (walked[1].ratio.high - walked[1].ratio.low > 0.08) {
		skip("a row that is slowed down by 5 % is found",
		     "this machine is so busy that no interval is narrow enough");
		skip("control: one that is not is not", "for the same reason");
		return;
	}
	result(walked[1].ratio.high < 1 && walked[1].ratio.median > 0.9,
	       "a row that is slowed down by 5 % is found");
	result(walked[2].ratio.high >= 1 || walked[2].ratio.median > 0.98,
	       "control: one that is not is not");
}

int walk_selftest(void)
{
	printf("KTAP version 1\n");
	if (!strncmp(machine.hypervisor, "TCG", 3)) {
		printf("1..0 # SKIP an emulated CPU has no caches\n");
		return KSFT_SKIP;
	}
	printf("1..9\n");
	test_statistics();
	test_states();
	test_placebo();
	test_planted();
	return nr_failed != 0;
}
