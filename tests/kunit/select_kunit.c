// SPDX-License-Identifier: GPL-2.0
/*
 * The choice, from samples that are made up: no clock, and no CPU but for which row is
 * stock. A handful of rules, with the rows of this kernel; choice of the selftests tests
 * all of them, and what wrong ones would do.
 */
#include <linux/limits.h>
#include <linux/string.h>
#include <asm/page.h>

#include "check.h"

/* Where memory is in no cache, all takes this many times as long. */
#define SLOW	7

/* What a sample of stock takes, ns. */
#define STOCK	1000

/**
 * struct made_up - a machine whose samples are made up
 * @sampler:	what simd_decide() asks
 * @ns:		by row, what it takes; 0 if there is no sample to be had
 * @first:	instead, in the first state of the case, if that is not 0
 */
static struct made_up {
	struct simd_sampler	sampler;
	unsigned int		ns[SIMD_NR_ROUTINES];
	unsigned int		first[SIMD_NR_ROUTINES];
} machine;

/* All rows but these are missing: stock, one without sections, and two with them. */
static struct simd_result results[SIMD_NR_ROUTINES];
static unsigned int stock, plain, guarded, second;

static struct simd_evidence ev;

static u32 made_up_sample(struct simd_sampler *sampler, unsigned int c, enum simd_state state,
			  unsigned int row)
{
	const struct made_up *m = container_of(sampler, struct made_up, sampler);
	bool is_first = !(simd_cases[c].states & (BIT(state) - 1));
	unsigned int ns = is_first && m->first[row] ? m->first[row] : m->ns[row];

	return ns * 16 * (state == SIMD_HOT ? 1 : SLOW);
}

/* The first row behind @row that is not stock, and needs a section or not. */
static unsigned int next_row(struct kunit *test, enum simd_kind kind, bool section, int row)
{
	unsigned int r;

	simd_for_each_row_of(r, kind)
		if ((int)r > row && r != stock && !!simd_routines[r].guard == section &&
		    !check_planted(&simd_routines[r]))
			return r;
	KUNIT_ASSERT_TRUE_MSG(test, false, "no such row of %s", simd_kind_names[kind]);
	return 0;
}

static unsigned int start(struct kunit *test)
{
	const struct simd_case *k = test->param_value;
	unsigned int row;

	simd_for_each_row(row)
		results[row] = (struct simd_result) { .missing = "a place in this machine" };
	machine = (struct made_up) { .sampler.sample = made_up_sample };
	stock = simd_stock_row(k->kind);
	plain = next_row(test, k->kind, false, -1);
	guarded = next_row(test, k->kind, true, -1);
	second = next_row(test, k->kind, true, guarded);
	results[stock].missing = NULL;
	results[plain].missing = NULL;
	results[guarded].missing = NULL;
	results[second].missing = NULL;
	machine.ns[stock] = STOCK;
	return k - simd_cases;
}

static void expect(struct kunit *test, unsigned int c, unsigned int row)
{
	memset(&ev, 0xff, sizeof(ev));
	simd_decide(c, results, &machine.sampler, &ev);
	KUNIT_EXPECT_STREQ(test, simd_routines[ev.row].name, simd_routines[row].name);
}

static void unmeasured_is_stock(struct kunit *test)
{
	unsigned int c = start(test);

	/* No row but stock. */
	expect(test, c, stock);
	/* Nor stock: what a row would gain is unknown. */
	machine.ns[stock] = 0;
	machine.ns[plain] = 1;
	expect(test, c, stock);
	machine.sampler.why_not = "a reason";
	expect(test, c, stock);
	KUNIT_EXPECT_NOT_NULL(test, ev.why);
}

static void five_percent(struct kunit *test)
{
	unsigned int c = start(test);

	machine.ns[plain] = STOCK * 100 / 104;
	expect(test, c, stock);
	machine.ns[plain] = STOCK * 100 / 106;
	expect(test, c, plain);
}

static void slower_in_no_state(struct kunit *test)
{
	unsigned int c = start(test);

	if (is_power_of_2(simd_cases[c].states))
		kunit_skip(test, "it has one state");
	machine.ns[plain] = STOCK / 2;
	machine.first[plain] = STOCK + STOCK / 50;
	expect(test, c, stock);
	machine.first[plain] = STOCK;
	expect(test, c, plain);
}

/* A tie goes to the row that needs no section, then to the first one. */
static void ties(struct kunit *test)
{
	unsigned int c = start(test);

	machine.ns[second] = STOCK / 2;
	machine.ns[guarded] = STOCK / 2 + STOCK / 500;
	expect(test, c, guarded);
	machine.ns[plain] = STOCK / 2 + STOCK / 500;
	expect(test, c, plain);
	machine.ns[plain] = STOCK * 3 / 5;
	expect(test, c, guarded);
}

/* However fast it is. */
static void unusable(struct kunit *test)
{
	unsigned int c = start(test);

	machine.ns[plain] = STOCK / 10;
	results[plain].barred = "it is wrong";
	machine.ns[guarded] = STOCK / 10;
	results[guarded].missing = "an instruction";
	machine.ns[second] = STOCK / 10;
	results[second].veto = "its clock";
	expect(test, c, stock);
	results[second].veto = NULL;
	expect(test, c, second);
}

/* In use everywhere, what becomes of the threshold of a kind? */
static unsigned long threshold_with(enum simd_kind kind, unsigned int row, unsigned long cache)
{
	struct simd_plan plan;
	unsigned int c;

	simd_for_each_case(c)
		plan.row[c] = simd_stock_row(simd_cases[c].kind);
	simd_for_each_case_of(c, kind)
		plan.row[c] = row;
	simd_set_thresholds(&plan, cache);
	return plan.threshold[kind];
}

static void threshold(struct kunit *test)
{
	enum simd_kind kind = (const char *const *)test->param_value - simd_kind_names;
	const unsigned long cache = 64ul << 20;
	bool has_stream = false;
	unsigned int row, c;

	/* What was copied on write is used: its kind has no case of a stream. */
	simd_for_each_case_of(c, kind)
		has_stream |= simd_cases[c].regime == SIMD_STREAM;
	KUNIT_EXPECT_EQ(test, has_stream, kind != SIMD_KIND_copy_mc);

	simd_for_each_row_of(row, kind) {
		bool streams = has_stream && simd_routines[row].flags & SIMD_STREAMING;
		unsigned long small = threshold_with(kind, row, 1);

		KUNIT_EXPECT_EQ_MSG(test, threshold_with(kind, row, cache),
				    streams ? cache : ULONG_MAX, "%s", simd_routines[row].name);
		KUNIT_EXPECT_EQ_MSG(test, threshold_with(kind, row, 0), ULONG_MAX, "%s",
				    simd_routines[row].name);
		/* Not below the size at which it won. */
		KUNIT_EXPECT_EQ(test, small == ULONG_MAX, !streams);
		simd_for_each_case_of(c, kind)
			if (simd_cases[c].regime == SIMD_STREAM)
				KUNIT_EXPECT_GE(test, small, simd_cases[c].bytes);
	}
}

KUNIT_ARRAY_PARAM(case, simd_cases, check_case_desc);
KUNIT_ARRAY_PARAM(kind, simd_kind_names, check_kind_desc);

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(unmeasured_is_stock, case_gen_params),
	KUNIT_CASE_PARAM(five_percent, case_gen_params),
	KUNIT_CASE_PARAM(slower_in_no_state, case_gen_params),
	KUNIT_CASE_PARAM(ties, case_gen_params),
	KUNIT_CASE_PARAM(unusable, case_gen_params),
	KUNIT_CASE_PARAM(threshold, kind_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name		= "simd_copy_select",
	.suite_init	= check_settled,
	.test_cases	= cases,
};

kunit_test_suite(suite);
