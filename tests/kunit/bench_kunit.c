// SPDX-License-Identifier: GPL-2.0
/*
 * How fast the rows are where this kernel runs: in UML that is the host's CPU. Off
 * unless asked for, and never a failure. simdbench measures much more.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <asm/page.h>

#include "check.h"

static bool bench;
module_param(bench, bool, 0444);
MODULE_PARM_DESC(bench, "time the routines (default: no)");

#define ROUNDS	20
#define CALLS	256

/* ns for a page in the caches: the least of some rounds, each long for any clock. */
static unsigned int page_cost(const struct check *c, unsigned int row)
{
	u64 best = U64_MAX, start;
	unsigned int round, i;

	for (round = 0; round < ROUNDS; round++) {
		start = ktime_get_ns();
		for (i = 0; i < CALLS; i++)
			simd_run_row(row, c->dst, c->src, PAGE_SIZE);
		best = min(best, ktime_get_ns() - start);
	}
	return div_u64(best, CALLS);
}

static void ns_per_page(struct kunit *test)
{
	unsigned int kind = (const char *const *)test->param_value - simd_kind_names, row, ns;

	if (!bench)
		kunit_skip(test, "it takes time: simd_copy_kunit.bench=1 turns it on");

	simd_for_each_row_of(row, kind) {
		if (!simd_usable(&simd_results[row]))
			continue;
		ns = page_cost(test->priv, row);
		kunit_info(test, "%s/%s: %u ns per %lu bytes", simd_kind_names[kind],
			   simd_routines[row].name, ns, PAGE_SIZE);
		KUNIT_EXPECT_GT(test, ns, 0);
	}
}

KUNIT_ARRAY_PARAM(kind, simd_kind_names, check_kind_desc);

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(ns_per_page, kind_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name		= "simd_copy_bench",
	.suite_init	= check_settled,
	.init		= check_init,
	.exit		= check_exit,
	.test_cases	= cases,
};

kunit_test_suite(suite);
