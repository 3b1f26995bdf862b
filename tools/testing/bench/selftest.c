// SPDX-License-Identifier: GPL-2.0
/*
 * Whether the states are what they are called. Each check is made twice: as it
 * should be, and with the state not made, when it must not find what it found.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <linux/kernel.h>

#include "clock.h"
#include "machine.h"
#include "measure.h"
#include "selftest.h"
#include "state.h"

#define KSFT_PASS	0
#define KSFT_FAIL	1
#define KSFT_SKIP	4

#define CHASE_BYTES	4096
#define LOADS		(CHASE_BYTES / LINE)

/*
 * A neighbour on the host may keep emptying L1 for some milliseconds. A thousand calls can all
 * be made meanwhile; as many as these take half a second.
 */
#define CALLS		20001

/*
 * The load that waits for a store takes 1.3 to 5 ns longer. Two figures of calls that do not wait
 * differ by up to 0.1 ns, and by up to 0.6 if they are of a thousand calls.
 */
#define FRESH_NS	0.3
/* With steps of the clock that are longer, ns, the wait is not seen. */
#define FRESH_STEP	1.8

/* Loading code from memory takes 100 ns. */
#define COLD_NS		30

/* Load all lines, each when the one before is there, in no order that helps. */
static void chase(const void *data)
{
	unsigned long line = 1, zero = 0, i;

	for (i = 0; i < LOADS; i++) {
		zero = READ_ONCE(*(unsigned long *)(data + line * LINE + zero));
		asm volatile("and $0, %0" : "+r" (zero));
		line = (line * 5 + 3) % LOADS;
	}
	/* The next call is not to start before. */
	asm volatile("lfence" : : : "memory");
}

static void chase_src(const struct subject *s, void *dst, const void *src, unsigned long len)
{
	chase(src);
}

static void chase_dst(const struct subject *s, void *dst, const void *src, unsigned long len)
{
	chase(dst);
}

/* Wider than any fresh store, and as wide as one. */
static void load_16(const struct subject *s, void *dst, const void *src, unsigned long len)
{
	asm volatile("movdqu (%0), %%xmm0" : : "r" (src) : "xmm0", "memory");
}

static void load_1(const struct subject *s, void *dst, const void *src, unsigned long len)
{
	asm volatile("movzbl (%0), %%eax" : : "r" (src) : "eax", "memory");
}

static void do_nothing(const struct subject *s, void *dst, const void *src, unsigned long len)
{
}

static const struct subject chases_src = { "chase_src", SIMD_KIND_copy, .run = chase_src };
static const struct subject chases_dst = { "chase_dst", SIMD_KIND_copy, .run = chase_dst };
static const struct subject loads_16 = { "load_16", SIMD_KIND_copy, .run = load_16 };
static const struct subject loads_1 = { "load_1", SIMD_KIND_copy, .run = load_1 };
/* A multiplication waits for the one before. */
#define SHORT(_n)								\
	static void short_##_n(const struct subject *s, void *dst, const void *src,	\
			       unsigned long len)				\
	{									\
		asm volatile(".rept " #_n "; imul %0, %0; .endr; lfence" : "+r" (len)); \
	}									\
	static const struct subject shorts_##_n = { "short_" #_n, SIMD_KIND_copy,	\
						    .run = short_##_n }
SHORT(5);
SHORT(11);
SHORT(18);

static const struct subject idles = { "nothing", SIMD_KIND_copy, .run = do_nothing };

/**
 * struct contrast - two states, of which one must take longer
 * @name:	what it shows
 * @subject:	who tells them apart; NULL for stock clear
 * @other:	who does not wait in the same state, NULL to look at another state
 * @slow:	the state that takes longer
 * @fast:	the other one, unless there is @other
 * @ratio:	it takes this many times as long
 * @least:	and longer by this, ns
 * @skip:	with this not made it takes no longer
 */
static const struct contrast {
	const char		*name;
	const struct subject	*subject;
	const struct subject	*other;
	struct cell		slow;
	struct cell		fast;
	double			ratio;
	double			least;
	unsigned int		skip;
} contrasts[] = {
#define SRC(_place) { .size = CHASE_BYTES, .src = (_place) }
#define DST(_place) { .size = CHASE_BYTES, .dst = (_place) }
	{ "a source in L2 is not in L1", &chases_src, NULL,
	  SRC(PLACE_L2), SRC(PLACE_L1), 1.4, 0, 1 << PLACE_L2 },
	{ "a destination in L2 is not in L1", &chases_dst, NULL,
	  DST(PLACE_L2), DST(PLACE_L1), 1.4, 0, 1 << PLACE_L2 },
	{ "a flushed source is not in L2", &chases_src, NULL,
	  SRC(PLACE_FLUSHED), SRC(PLACE_L2), 2, 0, 1 << PLACE_FLUSHED },
	{ "a flushed destination is not in L2", &chases_dst, NULL,
	  DST(PLACE_FLUSHED), DST(PLACE_L2), 2, 0, 1 << PLACE_FLUSHED },
#define FRESH(_bytes)								\
	{ "a wider load waits for fresh stores of " #_bytes, &loads_16, &loads_1,	\
	  FRESH_SRC(_bytes), {}, 1, FRESH_NS, 1 << PLACE_FRESH##_bytes }
#define FRESH_SRC(_bytes) { .size = LINE, .src = PLACE_FRESH##_bytes }
	FRESH(1),
	FRESH(2),
	FRESH(4),
	FRESH(8),
	{ "cold code is not in the caches", NULL, NULL, { .size = LINE, .cold_code = true },
	  { .size = LINE }, 1, COLD_NS, SKIP_CODE },
};

static unsigned int nr_tests;
static bool failed;

static void result(bool pass, const char *name)
{
	printf("%s %u %s\n", pass ? "ok" : "not ok", ++nr_tests, name);
	fflush(stdout);
	failed |= !pass;
}

static void time_in(const struct cell *cell, const struct subject *const *list,
		    unsigned int nr, struct figures *figures)
{
	static const struct effort effort = { .loops = CALLS };
	const char *why = cell_impossible(cell, list[0]->kind);

	memset(figures, 0, nr * sizeof(*figures));
	if (why || measure(cell, list, nr, &effort, figures))
		printf("# %s: %s\n", list[0]->name, why ?: "no memory");
}

static bool told_apart(const struct contrast *c, const struct subject *s)
{
	const struct subject *list[] = { s, c->other };
	struct figures f[2];
	bool apart;

	/* Two subjects in one state are interleaved. */
	time_in(&c->slow, list, c->other ? 2 : 1, f);
	if (!c->other)
		time_in(&c->fast, list, 1, &f[1]);
	apart = f[0].calls && f[1].calls && f[0].middle > c->ratio * f[1].middle &&
		f[0].middle - f[1].middle > c->least;

	printf("# %s: %.1f and %.1f ns\n", state_skip ? "not made" : "made", f[0].middle,
	       f[1].middle);
	return apart;
}

static void test_contrast(const struct contrast *c)
{
	const struct subject *s = c->subject;
	bool made, skipped;

	if (fresh_width(c->slow.src) && ticks_to_ns(machine.tsc_step) > FRESH_STEP) {
		printf("ok %u %s # SKIP the clock goes by %u ticks at a time\n", ++nr_tests,
		       c->name, machine.tsc_step);
		return;
	}

	if (!s) {
		subjects_init(&s);
		while (s->kind != SIMD_KIND_clear || !s->stock)
			s++;
	}
	made = told_apart(c, s);
	state_skip = c->skip;
	skipped = told_apart(c, s);
	state_skip = 0;
	if (skipped)
		printf("# found even where the state was not made\n");
	result(made && !skipped, c->name);
}

/* A call of nothing costs nothing, one that is not alone does not count. */
static void test_clock(void)
{
	const struct cell cell = { .size = CHASE_BYTES };
	const struct subject *list[] = { &idles, &chases_src };
	struct figures f[2];

	time_in(&cell, list, 2, f);

	printf("# nothing: %.1f ns, %u loads: %.1f ns\n", f[0].median, LOADS, f[1].median);
	result(f[0].calls && f[0].median < f[1].median / 10, "what the clock costs is taken off");

	machine.cpu++;
	time_in(&cell, list, 1, f);
	machine.cpu--;
	printf("# %u calls count, %u dropped\n", f[0].calls, f[0].dropped);
	result(!f[0].calls && f[0].dropped, "calls on another CPU do not count");
}

/*
 * Short calls, as a clock sees them that advances in steps of 10 ns, as that of some AMD
 * CPUs does. Return: whether each figure is 0 or a multiple of a step. One may be so by chance.
 */
static bool in_steps(void)
{
	const struct cell cell = { .size = 64, .dst = PLACE_L1, .src = PLACE_FRESH8 };
	const struct subject *list[] = { &shorts_5, &shorts_11, &shorts_18 };
	const double step = ticks_to_ns(clock_coarse);
	struct figures f[ARRAY_SIZE(list)];
	unsigned int i, multiples = 0;

	time_in(&cell, list, ARRAY_SIZE(list), f);
	for (i = 0; i < ARRAY_SIZE(list); i++) {
		double steps = f[i].median / step;

		printf("# %.2f ns, %.3f steps\n", f[i].median, steps);
		multiples += fabs(steps - round(steps)) < 0.000001;
	}
	return multiples == ARRAY_SIZE(list);
}

static void test_coarse_clock(void)
{
	const unsigned int step = machine.tsc_step;
	bool known, unknown;

	clock_coarse = machine.tsc_mhz / 100;
	machine.tsc_step = clock_coarse;
	known = in_steps();
	machine.tsc_step = 0;
	unknown = in_steps();
	machine.tsc_step = step;
	clock_coarse = 0;
	result(!known, "no figure is a multiple of the clock's steps");
	result(unknown, "control: without knowing the steps some are");
}

int selftest(void)
{
	unsigned int i;

	printf("KTAP version 1\n");
	if (!strncmp(machine.hypervisor, "TCG", 3)) {
		printf("1..0 # SKIP an emulated CPU has no caches\n");
		return KSFT_SKIP;
	}
	printf("1..%zu\n", ARRAY_SIZE(contrasts) + 4);
	for (i = 0; i < ARRAY_SIZE(contrasts); i++)
		test_contrast(&contrasts[i]);
	test_clock();
	test_coarse_clock();
	return failed ? KSFT_FAIL : KSFT_PASS;
}
