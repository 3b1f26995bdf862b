// SPDX-License-Identifier: GPL-2.0
/*
 * That the public calls lead to the routine of their regime, size and context. All
 * but one part of a plan is stock, which opens no section; then a call in an open
 * section is refused one if it leads to that part, and only then.
 */
#include <linux/cleanup.h>
#include <linux/mman.h>
#include <linux/uaccess.h>
#include <asm/page.h>
#include <asm/simd_page.h>

#include "check.h"
#include "guard.h"

/* Each kind, a part of it at its smallest size. */
static const unsigned int lens[] = {
	[SIMD_KIND_clear]	= PAGE_SIZE,
	[SIMD_KIND_copy]	= PAGE_SIZE,
	[SIMD_KIND_to_user]	= SIMD_TO_USER_MIN,
};

/* In a kthread that has none by itself, user memory that is there. */
static unsigned long user;

/* Return: bytes that were not copied. */
static unsigned long call(const struct check *c, enum simd_kind kind, unsigned long len,
			  enum simd_regime regime)
{
	unsigned int off = regime == SIMD_MISALIGNED ? 1 : 0;

	switch (kind) {
	case SIMD_KIND_clear:
		simd_clear_pages(c->dst, len / PAGE_SIZE, regime);
		return 0;
	case SIMD_KIND_copy:
		simd_copy_pages(c->dst, c->src, len / PAGE_SIZE, regime);
		return 0;
	default:
		/* What is misaligned is cached to who calls, and told by the addresses. */
		return simd_copy_to_user_as((void __user *)user, c->src + off, len,
					    off ? SIMD_CACHED : regime);
	}
}

/* Nobody else is refused one for that reason. */
static unsigned long nested(struct kunit *test, enum simd_kind kind, unsigned long len,
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

/* A row that asks for a section. */
static unsigned int guarded_row(struct kunit *test, enum simd_kind kind)
{
	unsigned int row;

	simd_for_each_row_of(row, kind)
		if (simd_usable(&simd_results[row]) &&
		    simd_routines[row].guard == SIMD_GUARD_XMM)
			return row;
	kunit_skip(test, "no routine of this CPU needs an XMM section");
	return 0;
}

static void skip_without_user(struct kunit *test, enum simd_kind kind)
{
	if (kind == SIMD_KIND_to_user && !user)
		kunit_skip(test, "this kernel's KUnit has no user memory");
}

/* Of all kinds: where contexts differ in one, calls of all find their row another way. */
static void choose_stock(struct kunit *test)
{
	unsigned int kind;

	for (kind = 0; kind < SIMD_NR_KINDS; kind++)
		KUNIT_ASSERT_EQ(test, check_choose_stock(kind), 0);
}

/* Of each regime only the calls that name it lead to its routine. */
static void regimes(struct kunit *test)
{
	enum simd_kind kind = (const char *const *)test->param_value - simd_kind_names;
	unsigned int row = guarded_row(test, kind), set, called;

	skip_without_user(test, kind);
	for (set = 0; set < SIMD_NR_REGIMES; set++) {
		if (!simd_has_regime(kind, set))
			continue;
		choose_stock(test);
		KUNIT_ASSERT_EQ(test, check_choose(kind, BIT(set), simd_routines[row].name), 0);
		for (called = 0; called <= SIMD_AUTO; called++) {
			if (called != SIMD_AUTO && !simd_has_regime(kind, called))
				continue;
			/* Extents of this size are never streamed by themselves. */
			KUNIT_EXPECT_EQ_MSG(test, nested(test, kind, lens[kind], called),
					    set == (called == SIMD_AUTO ? SIMD_CACHED : called),
					    "set for regime %u, called with %u", set, called);
		}
	}
}

/*
 * A plan of cached data, in both contexts: @row for all sizes in @context, stock in the
 * other one. No name does that.
 */
static void set_context(struct kunit *test, enum simd_kind kind, enum simd_context context,
			unsigned int row)
{
	unsigned int other, e;

	choose_stock(test);
	scoped_guard(mutex, &simd_lock) {
		for (other = 0; other < SIMD_NR_CONTEXTS; other++)
			for (e = 0; e < SIMD_NR_SIZES; e++)
				if (other == context)
					simd_choices[kind].plan[other][SIMD_CACHED].row[e] = row;
		/* Changes nothing, but patches. */
		simd_force(kind, 0, "auto");
	}
}

/* This is a kernel thread. */
static void contexts(struct kunit *test)
{
	enum simd_kind kind = (const char *const *)test->param_value - simd_kind_names;
	unsigned int row = guarded_row(test, kind), context;

	skip_without_user(test, kind);
	for (context = 0; context < SIMD_NR_CONTEXTS; context++) {
		set_context(test, kind, context, row);
		KUNIT_EXPECT_EQ_MSG(test, nested(test, kind, lens[kind], SIMD_CACHED),
				    context == SIMD_FREE, "set for context %u", context);
	}
}

/* Each part of a plan begins where it says. */
static void sizes(struct kunit *test)
{
	enum simd_kind kind = (const char *const *)test->param_value - simd_kind_names;
	unsigned int row = guarded_row(test, kind), e, at;
	struct simd_plan *plan;
	unsigned int context;

	skip_without_user(test, kind);
	for (e = 0; e < SIMD_NR_SIZES; e++) {
		choose_stock(test);
		scoped_guard(mutex, &simd_lock) {
			for (context = 0; context < SIMD_NR_CONTEXTS; context++) {
				plan = &simd_choices[kind].plan[context][SIMD_CACHED];
				plan->row[e] = row;
				for (at = 0; at < SIMD_NR_SIZES; at++)
					plan->from[at] = at ? (at + 1) * lens[kind] : 0;
			}
			simd_force(kind, 0, "auto");
		}
		for (at = 0; at < SIMD_NR_SIZES; at++)
			KUNIT_EXPECT_EQ_MSG(test, nested(test, kind,
							 (at + 1) * lens[kind], SIMD_CACHED),
					    at == e, "set for size %u, called with %u", e, at);
	}
}

static int prepare(struct kunit *test)
{
	int err = check_init(test);

	/* A UML kernel has none mapped. */
	user = err || IS_ENABLED(CONFIG_UML) ? 0 :
		kunit_vm_mmap(test, NULL, 0, CHECK_BYTES, PROT_READ | PROT_WRITE,
			      MAP_ANONYMOUS | MAP_PRIVATE, 0);
	/* In a section nothing is faulted in. */
	return !user ? err : clear_user((void __user *)user, CHECK_BYTES) ? -EFAULT : 0;
}

KUNIT_ARRAY_PARAM(kind, simd_kind_names, check_kind_desc);

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(regimes, kind_gen_params),
	KUNIT_CASE_PARAM(contexts, kind_gen_params),
	KUNIT_CASE_PARAM(sizes, kind_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name		= "simd_copy_dispatch",
	.suite_init	= check_settled,
	.suite_exit	= check_choose_again,
	.init		= prepare,
	.exit		= check_exit,
	.test_cases	= cases,
};

kunit_test_suite(suite);
