// SPDX-License-Identifier: GPL-2.0
/*
 * That a call leads to the row of its case, and to no other. All cases but one run stock,
 * which opens no section; then a call in an open section is refused some if it leads to
 * that case, and only then.
 */
#include <linux/limits.h>
#include <linux/mman.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/page.h>
#include <asm/simd_page.h>

#include "check.h"
#include "dispatch.h"
#include "guard.h"

/* In a kthread that has none by itself, user memory that is there. */
static unsigned long user;

/* The largest call there is. */
static unsigned long most_bytes(void)
{
	unsigned long most = 0;
	unsigned int c;

	simd_for_each_case(c)
		most = max_t(unsigned long, most, 2 * simd_cases[c].bytes);
	return most + PAGE_SIZE;
}

/* What lengths go by, and the least one that is led anywhere. */
static unsigned long unit(enum simd_kind kind)
{
	return simd_may_fault(kind) ? 1 : PAGE_SIZE;
}

static unsigned long least(enum simd_kind kind)
{
	return kind == SIMD_KIND_to_user ? SIMD_TO_USER_MIN : PAGE_SIZE;
}

/* Return: bytes that were not copied. */
static unsigned long call(const struct check *b, enum simd_kind kind, unsigned long len,
			  enum simd_regime regime)
{
	unsigned int off = regime == SIMD_MISALIGNED ? 1 : 0;

	switch (kind) {
	case SIMD_KIND_clear:
		simd_clear_pages(b->dst, len / PAGE_SIZE, regime);
		return 0;
	case SIMD_KIND_copy:
		simd_copy_pages(b->dst, b->src, len / PAGE_SIZE, regime);
		return 0;
	case SIMD_KIND_copy_mc:
		return simd_copy_mc(b->dst, b->src, len);
	default:
		/* What is misaligned is cached to who calls, and told by the addresses. */
		return simd_copy_to_user_as((void __user *)user, b->src + off, len,
					    off ? SIMD_CACHED : regime);
	}
}

/* Sections that a call is refused: nobody else is refused one for that reason. */
static unsigned long refused(struct kunit *test, enum simd_kind kind, unsigned long len,
			     enum simd_regime regime)
{
	struct simd_stats before, after;
	unsigned long left = len;

	simd_stats_total(&before);
	simd_section(SIMD_GUARD_XMM)
		left = call(test->priv, kind, len, regime);
	simd_stats_total(&after);
	KUNIT_EXPECT_EQ(test, left, 0);
	return after.refused[SIMD_REFUSED_NESTED] - before.refused[SIMD_REFUSED_NESTED];
}

/* A row that asks for sections. */
static unsigned int guarded_row(struct kunit *test, enum simd_kind kind)
{
	unsigned int row;

	if (kind == SIMD_KIND_to_user && !user)
		kunit_skip(test, "this kernel's KUnit has no user memory");
	simd_for_each_row_of(row, kind)
		if (simd_usable(&simd_results[row]) && simd_routines[row].guard)
			return row;
	kunit_skip(test, "no routine of this CPU needs a section");
	return 0;
}

static struct simd_plan all_stock(void)
{
	struct simd_plan plan;
	unsigned int c, kind;

	simd_for_each_case(c)
		plan.row[c] = simd_stock_row(simd_cases[c].kind);
	for (kind = 0; kind < SIMD_NR_KINDS; kind++)
		plan.threshold[kind] = ULONG_MAX;
	return plan;
}

/*
 * Pages are always aligned, and such a call is as any other. Who copies on write is not
 * asked for a regime.
 */
static bool has_regime(enum simd_kind kind, enum simd_regime regime)
{
	return kind == SIMD_KIND_to_user || regime == SIMD_CACHED ||
	       (kind != SIMD_KIND_copy_mc && regime != SIMD_MISALIGNED);
}

/* A call of @len bytes leads to a case, in which @row is used, or it does not. */
static void expect_led(struct kunit *test, unsigned int c, unsigned int row, bool led,
		       unsigned long len, enum simd_regime regime)
{
	const struct simd_case *k = &simd_cases[c];
	unsigned long sections = DIV_ROUND_UP(len, simd_routines[row].section);

	KUNIT_EXPECT_EQ_MSG(test, refused(test, k->kind, len, regime), led ? sections : 0,
			    "%s/%s, called for %lu bytes, regime %u", simd_kind_names[k->kind],
			    k->name, len, regime);
}

/*
 * Where a case begins, where it is measured and where it ends, and right before that: with
 * the sizes of @sizes, in all regimes.
 */
static void expect_case(struct kunit *test, unsigned int c, unsigned int row,
			const struct simd_case *sizes)
{
	const struct simd_case *k = &simd_cases[c];
	unsigned long end = simd_case_end(sizes - simd_cases), i;
	const unsigned long lens[] = {
		sizes->from, sizes->from - unit(k->kind), sizes->bytes,
		end == ULONG_MAX ? 2 * sizes->bytes : end - unit(k->kind),
	};
	unsigned int regime;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		unsigned long len = lens[i] > most_bytes() ? 0 : lens[i];

		len = max(len, least(k->kind));
		for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
			if (!has_regime(k->kind, regime))
				continue;
			expect_led(test, c, row, regime == k->regime && len >= k->from &&
				   len < simd_case_end(c), len, regime);
		}
	}
}

/* In use by simd_adopt(), as all that is chosen. */
static void case_leads_to_its_row(struct kunit *test)
{
	const struct simd_case *k = test->param_value;
	unsigned int row = guarded_row(test, k->kind), c = k - simd_cases, other;
	struct simd_plan plan = all_stock();

	plan.row[c] = row;
	check_adopt(&plan);
	simd_for_each_case_of(other, k->kind)
		expect_case(test, c, row, &simd_cases[other]);
	plan.row[c] = simd_stock_row(k->kind);
	check_adopt(&plan);
	expect_led(test, c, row, false, k->bytes, k->regime);
}

/* By name, in all cases of a kind and a regime, and in no others. */
static void name_is_for_its_regime(struct kunit *test)
{
	enum simd_kind kind = (const char *const *)test->param_value - simd_kind_names;
	unsigned int row = guarded_row(test, kind), named, c;
	const struct simd_plan stock = all_stock();

	for (named = 0; named < SIMD_NR_REGIMES; named++) {
		check_adopt(&stock);
		KUNIT_ASSERT_EQ(test, check_choose(kind, BIT(named), simd_routines[row].name), 0);
		simd_for_each_case_of(c, kind)
			expect_led(test, c, row, simd_cases[c].regime == named,
				   simd_cases[c].bytes, simd_cases[c].regime);
	}
}

/* Below the threshold a call of no regime is one of cached data, from there on a stream. */
static void threshold(struct kunit *test)
{
	enum simd_kind kind = (const char *const *)test->param_value - simd_kind_names;
	unsigned int row = guarded_row(test, kind), c;
	struct simd_plan plan = all_stock();
	const unsigned long from = 9 * PAGE_SIZE, below = from - unit(kind);

	if (!has_regime(kind, SIMD_STREAM))
		kunit_skip(test, "nothing of this kind is streamed");
	check_adopt(&plan);
	simd_for_each_case_of(c, kind)
		if (simd_cases[c].regime == SIMD_STREAM)
			plan.row[c] = row;
	/* simd_adopt() would find a threshold that is as large as the caches. */
	mutex_lock(&simd_lock);
	plan.threshold[kind] = from;
	simd_use(&plan);
	c = 0;
	while (simd_cases[c].kind != kind)
		c++;
	expect_led(test, c, row, false, below, SIMD_AUTO);
	expect_led(test, c, row, true, from, SIMD_AUTO);
	KUNIT_EXPECT_EQ(test, simd_auto_regime(kind, below), SIMD_CACHED);
	KUNIT_EXPECT_EQ(test, simd_auto_regime(kind, from), SIMD_STREAM);

	plan.threshold[kind] = ULONG_MAX;
	simd_use(&plan);
	expect_led(test, c, row, false, most_bytes() - PAGE_SIZE, SIMD_AUTO);
	mutex_unlock(&simd_lock);
}

static void release(struct kunit *test)
{
	const struct simd_plan stock = all_stock();

	check_adopt(&stock);
	check_exit(test);
}

static int prepare(struct kunit *test)
{
	struct check *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	if (!b)
		return -ENOMEM;
	test->priv = b;
	b->dst = vmalloc(most_bytes());
	b->src = vmalloc(most_bytes());
	if (!b->dst || !b->src)
		return -ENOMEM;
	/* A UML kernel has none mapped. */
	user = IS_ENABLED(CONFIG_UML) ? 0 :
		kunit_vm_mmap(test, NULL, 0, most_bytes(), PROT_READ | PROT_WRITE,
			      MAP_ANONYMOUS | MAP_PRIVATE, 0);
	/* In a section nothing is faulted in. */
	return user && clear_user((void __user *)user, most_bytes()) ? -EFAULT : 0;
}

KUNIT_ARRAY_PARAM(case, simd_cases, check_case_desc);
KUNIT_ARRAY_PARAM(kind, simd_kind_names, check_kind_desc);

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(case_leads_to_its_row, case_gen_params),
	KUNIT_CASE_PARAM(name_is_for_its_regime, kind_gen_params),
	KUNIT_CASE_PARAM(threshold, kind_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name		= "simd_copy_dispatch",
	.suite_init	= check_settled,
	.suite_exit	= check_restore,
	.init		= prepare,
	.exit		= release,
	.test_cases	= cases,
};

kunit_test_suite(suite);
