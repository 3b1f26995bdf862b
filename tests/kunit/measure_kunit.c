// SPDX-License-Identifier: GPL-2.0
/*
 * What decides in measuring: where samples are taken, how long they are, and why there is
 * none. measure.c itself, with a clock, a CPU and memory that are made up.
 */
#include <linux/bitmap.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/page.h>

#include "check.h"

/**
 * struct machine - what measure.c takes for the machine
 * @now:	time, ns
 * @step:	by which the clock goes on, ns
 * @call_ns:	what a call of any row takes
 * @disturb:	so many calls from now on, each is interrupted
 * @disturbances: interrupts so far
 * @calls:	calls so far
 * @pages:	so many allocations of pages still succeed
 */
static struct machine {
	u64		now;
	u32		step;
	u32		call_ns;
	unsigned int	disturb;
	unsigned long	disturbances;
	unsigned int	calls;
	unsigned int	pages;
} machine;

static u64 made_up_clock(void)
{
	u32 rest;

	/* Reading it takes time, too. */
	machine.now += 1;
	div_u64_rem(machine.now, machine.step, &rest);
	return machine.now - rest;
}

static u64 made_up_cpu_time(void)
{
	return machine.now;
}

static unsigned long made_up_disturbances(void)
{
	return machine.disturbances;
}

/* Whatever it is that is called. */
static unsigned long made_up_call(unsigned int what)
{
	machine.calls++;
	machine.now += machine.call_ns;
	if (machine.disturb) {
		machine.disturb--;
		machine.disturbances++;
	}
	return 0;
}

static unsigned long made_up_pages(gfp_t gfp, unsigned int order)
{
	if (!machine.pages)
		return 0;
	machine.pages--;
	return __get_free_pages(gfp, order);
}

/* What CPUID says: the leaves that are listed, and 0 in all others. */
struct leaf {
	u32	leaf;
	u32	subleaf;
	u32	regs[4];
};

static const struct leaf *leaves;

static void made_up_cpuid(u32 leaf, u32 subleaf, u32 *a, u32 *b, u32 *c, u32 *d)
{
	static const struct leaf none;
	const struct leaf *l = leaves;

	while (l->leaf && (l->leaf != leaf || l->subleaf != subleaf))
		l++;
	if (!l->leaf)
		l = &none;
	*a = l->regs[0];
	*b = l->regs[1];
	*c = l->regs[2];
	*d = l->regs[3];
}

/* What is tested is a second copy: its calls are not the library's. */
#define ktime_get_ns()			made_up_clock()
#define simd_cpu_time()			made_up_cpu_time()
#define simd_disturbances()		made_up_disturbances()
#define simd_memory_bytes()		(1ul << 30)
#define simd_call(kind, ...)		made_up_call(kind)
#define simd_run_row(row, ...)		made_up_call(row)
#undef __get_free_pages
#define __get_free_pages(gfp, order)	made_up_pages(gfp, order)
#define simd_bench_open			tested_bench_open
#define simd_bench_close		tested_bench_close
#define simd_bench_sampler		tested_bench_sampler
#define simd_bench_save_ns		tested_bench_save_ns
#define simd_cache_bytes		tested_cache_bytes
#define simd_cpus_differ		tested_cpus_differ
#define simd_least_calls		tested_least_calls
#define cpuid_count			made_up_cpuid
struct simd_bench *simd_bench_open(u64 budget, unsigned long cache_bytes);
void simd_bench_close(struct simd_bench *b);
struct simd_sampler *simd_bench_sampler(struct simd_bench *b);
u32 simd_bench_save_ns(const struct simd_bench *b);
unsigned long simd_cache_bytes(void);
bool simd_cpus_differ(void);
unsigned int simd_least_calls(unsigned int c, enum simd_state state);
#include "measure.c"

/* A room that nobody stores to: two blocks of it are destinations, two are sources. */
#define BLOCKS	4
#define HALF	(BLOCKS * BLOCK_BYTES / 2)

#define SECOND	1000000000ull

static struct simd_bench *bench_with(struct kunit *test, u32 step, u32 call_ns)
{
	struct simd_bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	machine = (struct machine) { .step = step, .call_ns = call_ns };
	b->end = SECOND;
	b->step = step;
	b->sampler.sample = sample;
	for (i = 0; i < ARRAY_SIZE(b->hot); i++) {
		b->hot[i] = kunit_kzalloc(test, HOT_ROOM, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, b->hot[i]);
	}
	return b;
}

/* Memory for the room, of which a consumer reads. */
static void add_room(struct kunit *test, struct simd_bench *b)
{
	for (b->blocks = 0; b->blocks < BLOCKS; b->blocks++) {
		b->block[b->blocks] = vzalloc(BLOCK_BYTES);
		if (!b->block[b->blocks])
			kunit_skip(test, "there is no memory for a room");
	}
	test->priv = b;
}

static void release(struct kunit *test)
{
	struct simd_bench *b = test->priv;
	unsigned int i;

	for (i = 0; b && i < b->blocks; i++)
		vfree(b->block[i]);
}

#define MOST_EXTENDED(_leaf)	{ 0x80000000, 0, { _leaf } }

/* A unified cache of so many KiB as leaves 4 and 8000001Dh list it: 16 ways of 64 bytes. */
#define CACHE(_leaf, _n, _kib)	{ _leaf, _n, { 3, 15 << 22 | 63, (_kib) - 1 } }

/* The same with data alone. */
#define DATA(_leaf, _n, _kib)	{ _leaf, _n, { 1, 15 << 22 | 63, (_kib) - 1 } }

static const struct machine_leaves {
	const char	*name;
	struct leaf	leaves[8];
	unsigned long	cache_kib;
	bool		differ;
} machines[] = {
	{ "AMD, L3", { MOST_EXTENDED(0x80000020), DATA(0x8000001d, 0, 32),
		       CACHE(0x8000001d, 1, 512), CACHE(0x8000001d, 2, 32768) }, 32768, false },
	{ "AMD, no L3", { MOST_EXTENDED(0x80000020), DATA(0x8000001d, 0, 32),
			  CACHE(0x8000001d, 1, 512) }, 512, false },
	{ "AMD, leaf 80000006h, L3", { MOST_EXTENDED(0x80000008),
		       { 0x80000006, 0, { 0, 0, 512 << 16, 12 << 18 } } }, 6144, false },
	{ "AMD, leaf 80000006h, L2", { MOST_EXTENDED(0x80000008),
		       { 0x80000006, 0, { 0, 0, 512 << 16, 0 } } }, 512, false },
	{ "nothing is known", { MOST_EXTENDED(0x80000004) }, 0, false },
	{ "AMD, cores alike", { MOST_EXTENDED(0x80000026),
				{ 0x80000026, 0, { BIT(31) | BIT(29) } } }, 0, false },
	{ "AMD, cores of two types", { MOST_EXTENDED(0x80000026), { 0x80000026, 0, { BIT(30) } } },
	  0, true },
	{ "no leaf 80000026h", { MOST_EXTENDED(0x80000025), { 0x80000026, 0, { BIT(30) } } },
	  0, false },
};

static void leaves_of_cpuid(struct kunit *test)
{
	const struct machine_leaves *m = test->param_value;

	if (!boot_cpu_has(X86_FEATURE_MMX))
		kunit_skip(test, "this CPU may have no CPUID, which is not read then");
	leaves = m->leaves;
	KUNIT_EXPECT_EQ(test, simd_cache_bytes(), m->cache_kib << 10);
	/* Of Intel's the kernel knows. */
	KUNIT_EXPECT_EQ(test, simd_cpus_differ(),
			m->differ || boot_cpu_has(X86_FEATURE_HYBRID_CPU));
}

/* Among so many calls in a row, no two are nearer than this part of all places. */
#define NEAR_CALLS	12
#define NEAR_PART	64

static unsigned long apart(unsigned long a, unsigned long b)
{
	return a > b ? a - b : b - a;
}

/* In random order a walk comes to each place once before it comes to any twice. */
static void random_places(struct kunit *test)
{
	const struct simd_case *k = test->param_value;
	unsigned int places = HALF / k->bytes, round, i, j;
	struct simd_bench *b = bench_with(test, 1, 1);
	unsigned long *seen = kunit_kzalloc(test, BITS_TO_LONGS(places) * sizeof(long),
					    GFP_KERNEL);
	unsigned int near = 0;

	if (!(k->states & BIT(SIMD_RANDOM)))
		kunit_skip(test, "it is not met at random places");
	KUNIT_ASSERT_NOT_NULL(test, seen);
	b->blocks = BLOCKS;
	for (round = 0; round < 2; round++) {
		unsigned long at, last[NEAR_CALLS];

		memset(last, 0xff, sizeof(last));
		bitmap_zero(seen, places);
		for (i = 0; i < places; i++) {
			at = next_place(b, SIMD_RANDOM, k->bytes);
			KUNIT_ASSERT_LT(test, at, HALF);
			KUNIT_ASSERT_EQ(test, at % k->bytes, 0);
			KUNIT_EXPECT_FALSE_MSG(test, test_and_set_bit(at / k->bytes, seen),
					       "%lu is met twice", at);
			for (j = 0; j < NEAR_CALLS; j++)
				near += apart(at, last[j]) <= places / NEAR_PART * k->bytes;
			last[i % NEAR_CALLS] = at;
		}
		KUNIT_EXPECT_TRUE(test, bitmap_full(seen, places));
	}
	/* No walk in order, nor some of them by turns. */
	KUNIT_EXPECT_EQ(test, near, 0);
}

/* Whatever sizes were walked before, a call stays in its half of the room, and in a block. */
static void places_of_all_sizes(struct kunit *test)
{
	static const unsigned int sizes[] = { 65536, 512, 64 * PAGE_SIZE, 512, PAGE_SIZE };
	struct simd_bench *b = bench_with(test, 1, 1);
	unsigned int state, i, n;
	unsigned long at;

	b->blocks = BLOCKS;
	for (state = SIMD_ORDER; state < SIMD_NR_STATES; state++) {
		/* An odd number of each, so that sizes begin anywhere. */
		for (n = 0; n < 2 * ARRAY_SIZE(sizes) * 4099; n++) {
			i = n / 4099 % ARRAY_SIZE(sizes);
			at = next_place(b, state, sizes[i]);
			KUNIT_ASSERT_LE(test, at + sizes[i], HALF);
			KUNIT_ASSERT_LE(test, at % BLOCK_BYTES + sizes[i], BLOCK_BYTES);
		}
	}
}

static void places_in_order(struct kunit *test)
{
	const struct simd_case *k = test->param_value;
	struct simd_bench *b = bench_with(test, 1, 1);
	unsigned long want = 0, i;

	b->blocks = BLOCKS;
	for (i = 0; i < 2 * HALF / k->bytes; i++) {
		KUNIT_ASSERT_EQ(test, next_place(b, SIMD_ORDER, k->bytes), want);
		want = (want + k->bytes) % HALF;
	}
	/* Each order has a walk of its own. */
	next_place(b, SIMD_RANDOM, k->bytes);
	KUNIT_EXPECT_EQ(test, next_place(b, SIMD_ORDER, k->bytes), want);
}

/*
 * A sample is at least 100 steps of the clock long, so that it is exact to 1 %, and no
 * longer than others may have to wait, unless one call is.
 */
static void long_enough(struct kunit *test)
{
	static const u32 steps[] = { 1, 50, 4000 };
	static const u32 page_ns[] = { 40, 600, 30000 };
	const struct simd_case *k = test->param_value;
	unsigned int s, n, c = k - simd_cases, state, stock = simd_stock_row(k->kind);

	for (s = 0; s < ARRAY_SIZE(steps); s++) {
		for (n = 0; n < ARRAY_SIZE(page_ns); n++) {
			u32 call_ns = div_u64((u64)page_ns[n] * k->bytes, PAGE_SIZE);
			struct simd_bench *b = bench_with(test, steps[s], call_ns);

			add_room(test, b);
			b->end = 1000 * SECOND;
			simd_for_each_state_of(state, c) {
				u32 got = sample(&b->sampler, c, state, stock);
				u64 ns = (u64)call_ns * b->calls[c][state];

				KUNIT_EXPECT_GE(test, ns + 2 * steps[s], CLOCK_STEPS * steps[s]);
				if (b->calls[c][state] > 1)
					KUNIT_EXPECT_LE(test, ns, 2 * SAMPLE_NS);
				/* Sixteenths of a nanosecond a call. */
				KUNIT_EXPECT_LE(test, abs((int)(got - 16 * call_ns)),
						(int)(16 * call_ns / 50 + 16));
			}
			release(test);
			b->blocks = 0;
			test->priv = NULL;
		}
	}
}

/* A sample that is interrupted is taken again, some times, and then there is none. */
static void interrupted(struct kunit *test)
{
	struct simd_bench *b = bench_with(test, 1, 100);
	unsigned int c = SIMD_CASE_clear_page, stock = simd_stock_row(SIMD_KIND_clear), calls;
	u32 got;

	KUNIT_ASSERT_NE(test, sample(&b->sampler, c, SIMD_HOT, stock), 0);
	calls = b->calls[c][SIMD_HOT];
	machine.disturb = 2 * calls;
	got = sample(&b->sampler, c, SIMD_HOT, stock);
	KUNIT_EXPECT_EQ(test, machine.disturb, 0);
	KUNIT_EXPECT_LE(test, abs((int)got - 1600), 32);

	machine.disturb = UINT_MAX;
	KUNIT_EXPECT_EQ(test, sample(&b->sampler, c, SIMD_HOT, stock), 0);
	KUNIT_EXPECT_NULL(test, b->sampler.why_not);
	KUNIT_EXPECT_EQ(test, sample(&b->sampler, c + 1, SIMD_HOT, stock), 0);
	KUNIT_EXPECT_STREQ(test, b->sampler.why_not, "stock: the CPU was too busy to measure on");
}

/* A section's row is charged with what saving the owner's registers costs. */
static void saving_costs(struct kunit *test)
{
	struct simd_bench *b = bench_with(test, 1, 1000);
	unsigned int row, none, guarded;

	b->save_ns = 70;
	simd_for_each_row_of(row, SIMD_KIND_clear) {
		u32 got = sample(&b->sampler, SIMD_CASE_clear_page, SIMD_HOT, row);

		none = abs((int)got - 16000);
		guarded = abs((int)got - 16 * 1070);
		KUNIT_EXPECT_LE_MSG(test, simd_routines[row].guard ? guarded : none, 200, "%s: %u",
				    simd_routines[row].name, got);
	}
}

/* The case that is decided with a bench, and what is said of it. */
static void expect_stock(struct kunit *test, struct simd_bench *b, unsigned int c, const char *why)
{
	static struct simd_evidence ev;

	simd_decide(c, simd_results, simd_bench_sampler(b), &ev);
	KUNIT_EXPECT_STREQ(test, simd_routines[ev.row].name,
			   simd_routines[simd_stock_row(simd_cases[c].kind)].name);
	KUNIT_EXPECT_STREQ(test, ev.why, why);
}

static void coarse_clock(struct kunit *test)
{
	struct simd_bench *b;

	machine = (struct machine) { .step = COARSE_NS, .call_ns = 100, .pages = UINT_MAX };
	b = simd_bench_open(SECOND, 0);
	KUNIT_ASSERT_NOT_NULL(test, b);
	/* A room for samples that nobody takes would be a waste. */
	KUNIT_EXPECT_EQ(test, b->blocks, 0);
	expect_stock(test, b, SIMD_CASE_clear_page,
		     "stock: the clock is too coarse to measure with");
	simd_bench_close(b);
}

static void no_memory(struct kunit *test)
{
	struct simd_bench *b;
	unsigned int pages;

	/* For hot memory, there must be some. */
	for (pages = 0; pages < ARRAY_SIZE(b->hot); pages++) {
		machine = (struct machine) { .step = 1, .call_ns = 100, .pages = pages };
		KUNIT_EXPECT_NULL(test, simd_bench_open(SECOND, 0));
	}
	/* Without a room, or with one that the caches could hold. */
	for (; pages < ARRAY_SIZE(b->hot) + 2; pages++) {
		machine = (struct machine) { .step = 1, .call_ns = 100, .pages = pages };
		b = simd_bench_open(SECOND, 0);
		KUNIT_ASSERT_NOT_NULL(test, b);
		KUNIT_EXPECT_EQ(test, b->blocks, 0);
		expect_stock(test, b, SIMD_CASE_clear_huge,
			     "stock: no memory to measure with");
		simd_bench_close(b);
	}
}

static void time_over(struct kunit *test)
{
	struct simd_bench *b = bench_with(test, 1, 100);

	b->end = 0;
	expect_stock(test, b, SIMD_CASE_clear_page, "stock: the time to measure in was over");
}

static void machine_desc(const struct machine_leaves *m, char *desc)
{
	strscpy(desc, m->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(case, simd_cases, check_case_desc);
KUNIT_ARRAY_PARAM(machine, machines, machine_desc);

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(leaves_of_cpuid, machine_gen_params),
	KUNIT_CASE_PARAM(random_places, case_gen_params),
	KUNIT_CASE_PARAM(places_in_order, case_gen_params),
	KUNIT_CASE(places_of_all_sizes),
	KUNIT_CASE_PARAM(long_enough, case_gen_params),
	KUNIT_CASE(interrupted),
	KUNIT_CASE(saving_costs),
	KUNIT_CASE(coarse_clock),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(time_over),
	{}
};

static struct kunit_suite suite = {
	.name		= "simd_copy_measure",
	.suite_init	= check_settled,
	.exit		= release,
	.test_cases	= cases,
};

kunit_test_suite(suite);
