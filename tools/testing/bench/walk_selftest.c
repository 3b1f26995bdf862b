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
#define BLOCKS		12
#define SAMPLES		10

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
 * Rows that take the same time, on a machine whose clock rate changes by 30 % halfway, and
 * where either is up to 10 % faster in some pages than in others. Return: percent of the
 * intervals that hold 1.
 */
static unsigned int held(bool paired, bool by_block)
{
	double all[BLOCKS * SAMPLES], medians[BLOCKS];
	unsigned int n, b, i, ok = 0;

	for (n = 0; n < SERIES; n++) {
		struct interval in;

		for (b = 0; b < BLOCKS; b++) {
			double *ratios = all + b * SAMPLES;
			double speed = b < BLOCKS / 2 ? 1 : 1.3;
			double here = exp(0.2 * (uniform() + uniform() - 1) / 2);

			for (i = 0; i < SAMPLES; i++)
				ratios[i] = here * (paired ? speed * noise() : 1) /
					    (speed * noise());
			medians[b] = interval_of(ratios, SAMPLES).median;
		}
		in = by_block ? interval_of(medians, BLOCKS) : interval_of(all, BLOCKS * SAMPLES);
		ok += in.low <= 1 && in.high >= 1;
	}
	return ok * 100 / SERIES;
}

static void test_statistics(void)
{
	double few[] = { 1, 2, 3, 4, 5 };
	struct interval i = interval_of(few, ARRAY_SIZE(few));
	unsigned int blocks, unpaired, pooled;

	srand(1);
	blocks = held(true, true);
	unpaired = held(false, true);
	pooled = held(true, false);
	printf("# %u %% of intervals hold the true ratio; %u %% without pairs; %u %% if blocks are not told apart\n",
	       blocks, unpaired, pooled);
	result(blocks >= HOLDS, "95 % intervals of noisy series");
	result(unpaired < HOLDS, "control: without pairs they do not hold");
	result(pooled < HOLDS, "control: of all samples, blocks not told apart, neither");
	result(!i.low && isinf(i.high), "few samples have no interval");
}

/* --- Memory -------------------------------------------------------------- */

#define PAGES	4096

/* Numbers of the pages of the walk's memory, 0 where the kernel does not say. */
static void look_up(u64 *frames)
{
	FILE *f = fopen("/proc/self/pagemap", "r");
	u64 entry;
	unsigned int i;

	memset(frames, 0, PAGES * sizeof(*frames));
	if (!f)
		return;
	if (!fseek(f, (unsigned long)walk_memory() / 4096 * sizeof(entry), SEEK_SET))
		for (i = 0; i < PAGES && fread(&entry, sizeof(entry), 1, f) == 1; i++)
			frames[i] = entry & ((1ull << 55) - 1);
	fclose(f);
}

static unsigned int same_pages(const u64 *a, const u64 *b)
{
	unsigned int i, n = 0;

	for (i = 0; i < PAGES; i++)
		n += a[i] == b[i];
	return n;
}

static void test_memory(void)
{
	static u64 before[PAGES], again[PAGES], after[PAGES];

	look_up(before);
	look_up(again);
	if (!before[0] || 8192ul * PAGES > walk_setup.beyond) {
		skip("a block is in other pages than the one before",
		     "the kernel does not tell page numbers, or there is little memory");
		skip("control: without a new mapping they are the same", "for the same reason");
		return;
	}
	if (walk_remap())
		exit(1);
	look_up(after);
	printf("# %u of %u pages are the same in the next block\n", same_pages(before, after),
	       PAGES);
	result(same_pages(before, after) < PAGES / 10,
	       "a block is in other pages than the one before");
	result(same_pages(before, again) > PAGES / 2,
	       "control: without a new mapping they are the same");
}

/* --- States -------------------------------------------------------------- */

/* Times as long, at least, as a load takes from the next place that is farther away. */
#define CLEARLY		1.25

/* Any CPU's second-level cache holds that. */
#define LITTLE_BYTES	(128ul << 10)

static double latency(enum walk_where where)
{
	const struct workload w = {
		.kind = SIMD_KIND_clear, .bytes = 65536, .where = where,
	};

	return walk_latency(&w);
}

/*
 * What stores cost is each CPU's own affair: strings may go past all caches. What a load
 * has to wait for is not.
 */
static void test_states(void)
{
	const struct workload llc = { .where = WALK_LLC };
	double ns[NR_WALKS], caches, little;
	unsigned int i;

	for (i = 0; i < NR_WALKS; i++)
		ns[i] = latency(i);
	little = walk_latency_in(LITTLE_BYTES);
	printf("# a load takes %.1f ns in the core's caches, %.1f ns in the last-level cache, %.1f ns in memory, %.1f ns in little memory\n",
	       ns[WALK_CORE], ns[WALK_LLC], ns[WALK_BEYOND], little);

	if (walk_exists(&llc)) {
		result(CLEARLY * ns[WALK_CORE] < ns[WALK_LLC],
		       "the last-level cache is farther away than the core's");
		caches = ns[WALK_LLC];
	} else {
		skip("the last-level cache is farther away than the core's",
		     "a walk finds no cache behind those that 64 KiB fit");
		caches = ns[WALK_CORE];
	}
	result(CLEARLY * caches < ns[WALK_BEYOND], "memory is farther away than the caches");
	result(CLEARLY * caches >= little, "control: little memory is not");
}

/* Page walks cost something where there are any, at least. */
#define TLB_NS		1

static void test_tlb(void)
{
	const struct workload beyond = { .bytes = PAGE_SIZE, .where = WALK_BEYOND };
	const struct workload core = { .bytes = PAGE_SIZE, .where = WALK_CORE };
	const bool small = walk_setup.small;
	double far, near;

	walk_setup.small = true;
	if (walk_remap())
		exit(1);
	far = walk_tlb_ns(&beyond);
	near = walk_tlb_ns(&core);
	walk_setup.small = small;
	if (walk_remap())
		exit(1);
	printf("# page walks in pages of 4 KiB: %.1f ns in memory, %.1f ns in the core's caches\n",
	       far, near);
	result(far > near + TLB_NS, "misses of the TLB are seen");
	result(near < TLB_NS, "control: there are none in a few pages");
}

/* --- Ratios -------------------------------------------------------------- */

#define PLACEBOS	100
#define PLACEBO_NS	100000000ull
#define PLACEBO_BYTES	(8ul << 20)

/* 95 of 100 hold, less what chance takes with probability 0.001. */
#define PLACEBOS_HOLD	88

static const struct workload loop = {
	.kind = SIMD_KIND_copy, .bytes = 65536, .where = WALK_CORE,
};

static void test_placebo(void)
{
	const struct subject *subjects[WALK_SUBJECTS];
	struct walked walked[2];
	unsigned int i, held = 0;

	walk_subjects(loop.kind, subjects);
	subjects[1] = subjects[0];
	/* More is not walked through, and has to be mapped for each block. */
	walk_setup.beyond = PLACEBO_BYTES;
	for (i = 0; i < PLACEBOS; i++) {
		walk(&loop, CONSUMER_ALL, subjects, 2, PLACEBO_NS, walked);
		held += walked[1].ratio.low <= 1 && walked[1].ratio.high >= 1;
	}
	printf("# 1.00 is in %u of %u intervals of stock against itself\n", held, PLACEBOS);
	result(held >= PLACEBOS_HOLD, "stock against itself is 1.00 within its interval");
}

/*
 * Stock, and then so many percent of the time that it took. Its stores are waited for, else
 * the delay hides behind them.
 */
static void delayed(const struct subject *s, void *dst, const void *src, unsigned long len,
		    unsigned int percent)
{
	u64 start = clock_read(), end;

	simd_call(s->kind, s->fn, dst, src, len);
	clock_settle();
	end = clock_read();
	end += (end - start) * percent / 100;
	while (clock_read() < end)
		;
}

static void delayed_by_0(const struct subject *s, void *dst, const void *src,
			 unsigned long len)
{
	delayed(s, dst, src, len, 0);
}

static void delayed_by_5(const struct subject *s, void *dst, const void *src,
			 unsigned long len)
{
	delayed(s, dst, src, len, 5);
}

#define PLANTED_NS	3000000000ull

static void test_planted(void)
{
	const struct subject *subjects[WALK_SUBJECTS];
	struct subject plain, planted;
	struct walked walked[3];

	walk_subjects(loop.kind, subjects);
	plain = *subjects[0];
	plain.run = delayed_by_0;
	planted = plain;
	planted.run = delayed_by_5;
	subjects[0] = &plain;
	subjects[1] = &planted;
	subjects[2] = &plain;
	walk(&loop, CONSUMER_NONE, subjects, 3, PLANTED_NS, walked);
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
	printf("1..14\n");
	test_statistics();
	test_memory();
	test_states();
	test_tlb();
	test_placebo();
	test_planted();
	return nr_failed != 0;
}
