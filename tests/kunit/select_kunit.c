// SPDX-License-Identifier: GPL-2.0
/*
 * The choice, from costs that are made up: no clock, and no CPU but for which row
 * is stock.
 */
#include <linux/limits.h>
#include <linux/string.h>
#include <asm/page.h>

#include "check.h"

#define CACHE	(64ul << 20)

/**
 * struct rows - a machine that has these only
 * @kind:	of all of them
 * @stock:	what the kernel runs by itself
 * @plain:	another one that needs no section
 * @guarded:	one that does
 * @second:	another one of those
 */
struct rows {
	enum simd_kind	kind;
	unsigned int	stock;
	unsigned int	plain;
	unsigned int	guarded;
	unsigned int	second;
};

static struct simd_result results[SIMD_NR_ROUTINES];
static struct simd_machine machine;
static struct simd_choice choice;

/* The first row behind @row that is not stock, and needs a section or not. */
static unsigned int next_row(struct kunit *test, enum simd_kind kind, bool guarded, int row)
{
	unsigned int r;

	simd_for_each_row_of(r, kind) {
		if ((int)r > row && r != simd_stock_row(kind) &&
		    !!simd_routines[r].guard == guarded)
			return r;
	}
	KUNIT_ASSERT_TRUE_MSG(test, false, "no such row of %s", simd_kind_names[kind]);
	return 0;
}

static struct rows start(struct kunit *test)
{
	enum simd_kind kind = (const char *const *)test->param_value - simd_kind_names;
	struct rows rows = { .kind = kind, .stock = simd_stock_row(kind) };

	memset(results, 0, sizeof(results));
	memset(&choice, 0xff, sizeof(choice));
	machine = (struct simd_machine) { .cache_bytes = CACHE };
	rows.plain = next_row(test, kind, false, -1);
	rows.guarded = next_row(test, kind, true, -1);
	rows.second = next_row(test, kind, true, rows.guarded);
	return rows;
}

/*
 * The same in all regimes, until the routine returns and until a consumer has read. A
 * fourth size is as the third one.
 */
static void cost(unsigned int row, u32 small, u32 medium, u32 large)
{
	const u32 costs[SIMD_NR_SIZES] = { small, medium, large, 10 * large };
	unsigned int regime, e;

	for (regime = 0; regime < SIMD_NR_REGIMES; regime++)
		for (e = 0; e < SIMD_NR_SIZES; e++)
			results[row].cost[regime][e] = (struct simd_cost) { costs[e], costs[e] };
}

static unsigned int chosen(enum simd_context context, enum simd_regime regime,
			   unsigned long len)
{
	const struct simd_plan *plan = &choice.plan[context][regime];

	return plan->row[simd_plan_part(plan, len)];
}

static const char *name_of(unsigned int row)
{
	return row < SIMD_NR_ROUTINES ? simd_routines[row].name : "no row at all";
}

/* At the sizes that were measured, in all regimes. */
static void expect_in(struct kunit *test, const struct rows *rows, enum simd_context context,
		      unsigned int small, unsigned int medium, unsigned int large)
{
	const unsigned int want[SIMD_NR_SIZES] = { small, medium, large, large };
	unsigned int regime, e, size;

	for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
		if (!simd_has_regime(rows->kind, regime))
			continue;
		simd_for_each_size(e, rows->kind) {
			size = simd_sizes[rows->kind][e];
			KUNIT_EXPECT_STREQ_MSG(test, name_of(chosen(context, regime, size)),
					       name_of(want[e]), "regime %u, %u bytes, context %u",
					       regime, size, context);
		}
	}
}

static void select_and_expect(struct kunit *test, const struct rows *rows, unsigned int small,
			      unsigned int medium, unsigned int large)
{
	simd_select(rows->kind, results, &machine, &choice);
	KUNIT_EXPECT_EQ(test, choice.stock, rows->stock);
	expect_in(test, rows, SIMD_OWNED, small, medium, large);
	expect_in(test, rows, SIMD_FREE, small, medium, large);
}

static void nothing_measured(struct kunit *test)
{
	struct rows r = start(test);

	select_and_expect(test, &r, r.stock, r.stock, r.stock);
	KUNIT_EXPECT_EQ(test, choice.threshold, ULONG_MAX);
}

/* What a row would gain is unknown where stock was not measured. */
static void stock_not_measured(struct kunit *test)
{
	struct rows r = start(test);

	cost(r.plain, 10, 10, 10);
	select_and_expect(test, &r, r.stock, r.stock, r.stock);
}

static void not_measured_at_a_size(struct kunit *test)
{
	struct rows r = start(test);

	cost(r.stock, 1000, 1000, 1000);
	cost(r.plain, 500, 500, 0);
	select_and_expect(test, &r, r.plain, r.plain, r.stock);
}

static void hysteresis(struct kunit *test)
{
	struct rows r = start(test);

	cost(r.stock, 1000, 10000, 100000);
	cost(r.plain, 960, 9600, 96000);
	select_and_expect(test, &r, r.stock, r.stock, r.stock);
	cost(r.plain, 940, 9400, 94000);
	select_and_expect(test, &r, r.plain, r.plain, r.plain);
}

static void never_where_it_loses(struct kunit *test)
{
	struct rows r = start(test);

	cost(r.stock, 1000, 10000, 100000);
	cost(r.plain, 500, 5000, 110000);
	select_and_expect(test, &r, r.plain, r.plain, r.stock);
	cost(r.plain, 1100, 5000, 50000);
	select_and_expect(test, &r, r.stock, r.plain, r.plain);
}

/* A tie goes to the row that needs no section, then to the first one. */
static void ties(struct kunit *test)
{
	struct rows r = start(test);

	cost(r.stock, 1000, 10000, 100000);
	cost(r.guarded, 500, 5000, 50000);
	cost(r.second, 498, 4980, 49800);
	select_and_expect(test, &r, r.guarded, r.guarded, r.guarded);
	cost(r.plain, 505, 5050, 50500);
	select_and_expect(test, &r, r.plain, r.plain, r.plain);
	cost(r.plain, 600, 6000, 60000);
	select_and_expect(test, &r, r.guarded, r.guarded, r.guarded);
}

/* Where a task's registers have to be saved first, that is part of the cost. */
static void saving_costs(struct kunit *test)
{
	struct rows r = start(test);

	cost(r.stock, 1000, 10000, 100000);
	cost(r.guarded, 500, 5000, 50000);
	machine.save_ns = 700;
	simd_select(r.kind, results, &machine, &choice);
	expect_in(test, &r, SIMD_OWNED, r.stock, r.guarded, r.guarded);
	expect_in(test, &r, SIMD_FREE, r.guarded, r.guarded, r.guarded);

	cost(r.plain, 500, 5000, 50000);
	select_and_expect(test, &r, r.plain, r.plain, r.plain);
}

/* However fast it is. */
static void unusable(struct kunit *test)
{
	struct rows r = start(test);

	cost(r.stock, 1000, 10000, 100000);
	cost(r.plain, 100, 1000, 10000);
	results[r.plain].barred = true;
	cost(r.guarded, 100, 1000, 10000);
	results[r.guarded].missing = "it";
	cost(r.second, 100, 1000, 10000);
	results[r.second].veto = "it";
	select_and_expect(test, &r, r.stock, r.stock, r.stock);

	results[r.second].veto = NULL;
	select_and_expect(test, &r, r.second, r.second, r.second);
}

/* Cached and cold data is read afterwards, streamed data is not. */
static void judged_by(struct kunit *test)
{
	struct rows r = start(test);
	unsigned int e;

	cost(r.stock, 1000, 10000, 100000);
	cost(r.plain, 1000, 10000, 100000);
	for (e = 0; e < SIMD_NR_SIZES; e++) {
		results[r.plain].cost[SIMD_CACHED][e].ret /= 2;
		results[r.plain].cost[SIMD_STREAM][e].ret /= 2;
	}
	simd_select(r.kind, results, &machine, &choice);
	simd_for_each_size(e, r.kind) {
		unsigned int size = simd_sizes[r.kind][e];

		KUNIT_EXPECT_EQ(test, chosen(SIMD_FREE, SIMD_CACHED, size), r.stock);
		KUNIT_EXPECT_EQ(test, chosen(SIMD_FREE, SIMD_STREAM, size), r.plain);
		if (simd_has_regime(r.kind, SIMD_COLD))
			KUNIT_EXPECT_EQ(test, chosen(SIMD_FREE, SIMD_COLD, size), r.stock);
	}
}

/* Every length has a row, and where it changes lies between two that were measured. */
static void between_sizes(struct kunit *test)
{
	struct rows r = start(test);
	const unsigned int *sizes = simd_sizes[r.kind];
	const struct simd_plan *plan = &choice.plan[SIMD_FREE][SIMD_CACHED];
	unsigned int e;

	cost(r.stock, 1000, 10000, 100000);
	cost(r.plain, 1300, 9000, 120000);
	select_and_expect(test, &r, r.stock, r.plain, r.stock);

	KUNIT_EXPECT_EQ(test, plan->from[0], 0);
	simd_for_each_size(e, r.kind) {
		KUNIT_EXPECT_LE(test, plan->from[e], sizes[e]);
		if (e)
			KUNIT_EXPECT_GT(test, plan->from[e], sizes[e - 1]);
	}
	KUNIT_EXPECT_EQ(test, chosen(SIMD_FREE, SIMD_CACHED, 1), r.stock);
	KUNIT_EXPECT_EQ(test, chosen(SIMD_FREE, SIMD_CACHED, plan->from[1] - 1), r.stock);
	KUNIT_EXPECT_EQ(test, chosen(SIMD_FREE, SIMD_CACHED, plan->from[1]), r.plain);
	KUNIT_EXPECT_EQ(test, chosen(SIMD_FREE, SIMD_CACHED, ULONG_MAX), r.stock);
}

/* What streams by itself is larger than the caches, and no slower to use. */
static void threshold(struct kunit *test)
{
	struct rows r = start(test);
	const unsigned int *sizes = simd_sizes[r.kind];
	struct simd_cost *plain = results[r.plain].cost[SIMD_STREAM];
	unsigned int e;

	cost(r.stock, 1000, 10000, 100000);
	cost(r.plain, 3000, 30000, 300000);
	for (e = 0; e < SIMD_NR_SIZES; e++)
		plain[e] = results[r.stock].cost[SIMD_STREAM][e];
	for (e = 0; e < SIMD_NR_SIZES; e++)
		plain[e].ret /= 2;
	plain[0].use *= 2;

	simd_select(r.kind, results, &machine, &choice);
	KUNIT_EXPECT_EQ(test, chosen(SIMD_FREE, SIMD_CACHED, sizes[2]), r.stock);
	KUNIT_EXPECT_EQ(test, chosen(SIMD_FREE, SIMD_STREAM, sizes[2]), r.plain);
	KUNIT_EXPECT_EQ(test, choice.threshold, CACHE);

	/* A small cache: the figures decide. */
	machine.cache_bytes = 1;
	simd_select(r.kind, results, &machine, &choice);
	KUNIT_EXPECT_EQ(test, choice.threshold, sizes[1]);

	/* One that nobody knows the size of. */
	machine.cache_bytes = 0;
	simd_select(r.kind, results, &machine, &choice);
	KUNIT_EXPECT_EQ(test, choice.threshold, ULONG_MAX);

	/* Nothing to stream with. */
	machine.cache_bytes = 1;
	cost(r.plain, 3000, 30000, 300000);
	simd_select(r.kind, results, &machine, &choice);
	KUNIT_EXPECT_EQ(test, choice.threshold, ULONG_MAX);
}

KUNIT_ARRAY_PARAM(kind, simd_kind_names, check_kind_desc);

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(nothing_measured, kind_gen_params),
	KUNIT_CASE_PARAM(stock_not_measured, kind_gen_params),
	KUNIT_CASE_PARAM(not_measured_at_a_size, kind_gen_params),
	KUNIT_CASE_PARAM(hysteresis, kind_gen_params),
	KUNIT_CASE_PARAM(never_where_it_loses, kind_gen_params),
	KUNIT_CASE_PARAM(ties, kind_gen_params),
	KUNIT_CASE_PARAM(saving_costs, kind_gen_params),
	KUNIT_CASE_PARAM(unusable, kind_gen_params),
	KUNIT_CASE_PARAM(judged_by, kind_gen_params),
	KUNIT_CASE_PARAM(between_sizes, kind_gen_params),
	KUNIT_CASE_PARAM(threshold, kind_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name		= "simd_copy_select",
	.test_cases	= cases,
};

kunit_test_suite(suite);
