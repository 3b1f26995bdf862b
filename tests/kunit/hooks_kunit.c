// SPDX-License-Identifier: GPL-2.0
/*
 * The hooks of page copies, each led to a routine by name: what they do is all of
 * what stock would have done, and nothing else.
 */
#include <linux/gfp.h>
#include <linux/jump_label.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/cpufeature.h>
#include <asm/page.h>
#include <asm/simd_hooks.h>

#include "check.h"
#include "guard.h"

/* One page, less than a batch of the hooks, and some batches. */
static const unsigned int orders[] = { 0, 1, 2, 5, 9 };

/* Most that are allocated, until two are next to each other. */
#define NR_FOLIOS	32

/* What a folio is filled with, words that are not the same anywhere else in it. */
#define SOURCE		0x5a5a5a5aul
#define OTHER		0xa5a5a5a5ul

/**
 * struct folios - memory to use the hooks on
 * @all:	allocated, to be freed
 * @pair:	two of them, each of which shows whether the other's end is kept
 * @src:	another one
 */
static struct folios {
	struct folio	*all[NR_FOLIOS + 1];
	struct folio	*pair[2];
	struct folio	*src;
} folios;

static unsigned long word(unsigned long i, unsigned long salt)
{
	return (i * 0x9e3779b1ul) ^ salt;
}

static void fill(struct folio *folio, unsigned long salt)
{
	unsigned long *words = folio_address(folio), i;

	for (i = 0; i < folio_size(folio) / sizeof(*words); i++)
		words[i] = word(i, salt);
}

static bool filled(struct folio *folio, unsigned long salt)
{
	unsigned long *words = folio_address(folio), i;

	for (i = 0; i < folio_size(folio) / sizeof(*words); i++)
		if (words[i] != word(i, salt))
			return false;
	return true;
}

static bool zeroed(struct folio *folio)
{
	return !memchr_inv(folio_address(folio), 0, folio_size(folio));
}

static struct folio *allocate(struct kunit *test, unsigned int i, unsigned int order)
{
	folios.all[i] = folio_alloc(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN, order);
	if (!folios.all[i])
		kunit_skip(test, "there is no memory for folios of order %u", order);
	return folios.all[i];
}

static void allocate_all(struct kunit *test)
{
	unsigned int order = *(const unsigned int *)test->param_value, i, n;

	if (IS_ENABLED(CONFIG_HIGHMEM))
		kunit_skip(test, "with CONFIG_HIGHMEM, folios have no hooks");
	folios.src = allocate(test, NR_FOLIOS, order);
	for (n = 0; n < NR_FOLIOS; n++) {
		struct folio *a = allocate(test, n, order);

		for (i = 0; i < n; i++) {
			struct folio *b = folios.all[i];

			if (folio_address(a) - folio_address(b) != folio_size(a) &&
			    folio_address(b) - folio_address(a) != folio_size(a))
				continue;
			folios.pair[0] = a;
			folios.pair[1] = b;
			return;
		}
	}
	kunit_skip(test, "no two of %u folios of order %u are next to each other", n, order);
}

static void force(struct kunit *test, enum simd_kind kind, unsigned int row)
{
	KUNIT_ASSERT_EQ(test, check_choose(kind, SIMD_ALL_REGIMES, simd_routines[row].name), 0);
}

static void force_stock(struct kunit *test, enum simd_kind kind)
{
	KUNIT_ASSERT_EQ(test, check_choose_stock(kind), 0);
}

/* What turns the hooks on. */
static void force_other(struct kunit *test, enum simd_kind kind)
{
	unsigned int row;

	simd_for_each_row_of(row, kind) {
		if (simd_usable(&simd_results[row]) && row != simd_stock_row(kind)) {
			force(test, kind, row);
			return;
		}
	}
	KUNIT_ASSERT_TRUE_MSG(test, false, "stock is all that this CPU can run");
}

static void zero(struct kunit *test, struct folio *folio, struct folio *next, bool hooked,
		 unsigned long hint)
{
	fill(folio, SOURCE);
	fill(next, OTHER);
	KUNIT_EXPECT_EQ(test, simd_zero_folio(folio, hint), hooked);
	KUNIT_EXPECT_TRUE_MSG(test, hooked ? zeroed(folio) : filled(folio, SOURCE),
			      "touched at %#lx", hint);
	KUNIT_EXPECT_TRUE_MSG(test, filled(next, OTHER),
			      "what is next to it, touched at %#lx", hint);
}

static void zero_folio(struct kunit *test)
{
	unsigned int i, hint;

	allocate_all(test);
	for (i = 0; i < 2; i++) {
		struct folio *folio = folios.pair[i], *next = folios.pair[!i];
		const unsigned long size = folio_size(folio), hints[] = {
			0, PAGE_SIZE, size / 2, size - 2 * PAGE_SIZE, size - 1,
			5 * size + 3 * PAGE_SIZE + 7, ULONG_MAX,
		};

		force_other(test, SIMD_KIND_clear);
		for (hint = 0; hint < ARRAY_SIZE(hints); hint++)
			zero(test, folio, next, true, hints[hint]);
		force_stock(test, SIMD_KIND_clear);
		zero(test, folio, next, false, 0);
	}
}

static void copy(struct kunit *test, struct folio *folio, struct folio *next, bool hooked)
{
	fill(folios.src, SOURCE);
	fill(folio, OTHER);
	fill(next, OTHER);
	KUNIT_EXPECT_EQ(test, simd_copy_folio(folio, folios.src), hooked);
	KUNIT_EXPECT_TRUE(test, filled(folio, hooked ? SOURCE : OTHER));
	KUNIT_EXPECT_TRUE(test, filled(next, OTHER));
	KUNIT_EXPECT_TRUE(test, filled(folios.src, SOURCE));
}

static void copy_folio(struct kunit *test)
{
	unsigned int i;

	allocate_all(test);
	for (i = 0; i < 2; i++) {
		force_other(test, SIMD_KIND_copy);
		copy(test, folios.pair[i], folios.pair[!i], true);
		force_stock(test, SIMD_KIND_copy);
		copy(test, folios.pair[i], folios.pair[!i], false);
	}
}

static void call(const struct check *c, enum simd_kind kind)
{
	unsigned long left = 0;

	if (kind == SIMD_KIND_clear)
		clear_page(c->dst + PAGE_SIZE);
	else if (kind == SIMD_KIND_copy)
		copy_page(c->dst + PAGE_SIZE, c->src + PAGE_SIZE);
	else
		left = copy_mc_to_kernel(c->dst + PAGE_SIZE, c->src + PAGE_SIZE, PAGE_SIZE);
	/* So that the destination is not what it should be. */
	if (left)
		memset(c->dst + PAGE_SIZE, 0, PAGE_SIZE);
}

/*
 * That a section was opened, another CPU may have seen to. That one was refused in a
 * section, nobody else has.
 */
static void expect_page(struct kunit *test, unsigned int row, bool in_section)
{
	const struct simd_routine *r = &simd_routines[row];
	bool guarded = r->guard != SIMD_GUARD_NONE;
	struct simd_stats before, after;

	check_fill(test->priv, r->kind, PAGE_SIZE, PAGE_SIZE, PAGE_SIZE);
	simd_stats_total(&before);
	if (in_section) {
		simd_section(SIMD_GUARD_XMM)
			call(test->priv, r->kind);
	} else {
		call(test->priv, r->kind);
	}
	simd_stats_total(&after);

	KUNIT_EXPECT_STREQ_MSG(test, check_result(test->priv, r->kind, PAGE_SIZE, PAGE_SIZE,
						  PAGE_SIZE) ?: "", "", "%s", r->name);
	KUNIT_EXPECT_GE_MSG(test, after.sections - before.sections, guarded || in_section, "%s",
			    r->name);
	KUNIT_EXPECT_EQ_MSG(test, after.refused[SIMD_REFUSED_NESTED] -
			    before.refused[SIMD_REFUSED_NESTED], guarded && in_section, "%s",
			    r->name);
}

static void expect_pages(struct kunit *test, enum simd_kind kind)
{
	unsigned int row;

	simd_for_each_row_of(row, kind) {
		if (!simd_usable(&simd_results[row]))
			continue;
		force(test, kind, row);
		expect_page(test, row, false);
		expect_page(test, row, true);
	}
}

static void clear_page_rows(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_SIMD_COPY_CLEAR_PAGE))
		kunit_skip(test, "CONFIG_SIMD_COPY_CLEAR_PAGE is not set");
	expect_pages(test, SIMD_KIND_clear);
}

static void copy_page_rows(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_SIMD_COPY_COPY_PAGE))
		kunit_skip(test, "CONFIG_SIMD_COPY_COPY_PAGE is not set");
	expect_pages(test, SIMD_KIND_copy);
}

static void copy_mc_rows(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_SIMD_COPY_COPY_MC))
		kunit_skip(test, "CONFIG_SIMD_COPY_COPY_MC is not set");
	expect_pages(test, SIMD_KIND_copy_mc);
}

/* What is not made of whole pages is stock's, and a source that ends is told by either. */
static void copy_mc_residue(struct kunit *test)
{
	const unsigned long lens[] = { 1, 100, PAGE_SIZE - 1, PAGE_SIZE, PAGE_SIZE + 1,
				       2 * PAGE_SIZE };
	const struct check *c = test->priv;
	unsigned int row, i;

	if (!IS_ENABLED(CONFIG_SIMD_COPY_COPY_MC))
		kunit_skip(test, "CONFIG_SIMD_COPY_COPY_MC is not set");
	if (IS_ENABLED(CONFIG_KASAN_VMALLOC))
		kunit_skip(test, "KASAN reports a source that ends");
	simd_for_each_row_of(row, SIMD_KIND_copy_mc) {
		if (!simd_usable(&simd_results[row]))
			continue;
		force(test, SIMD_KIND_copy_mc, row);
		for (i = 0; i < ARRAY_SIZE(lens); i++) {
			/* The kernel's memcpy() does not survive it. */
			if (!boot_cpu_has(X86_FEATURE_ERMS) &&
			    (row == simd_stock_row(SIMD_KIND_copy_mc) || lens[i] % PAGE_SIZE))
				continue;
			KUNIT_EXPECT_EQ_MSG(test,
					    copy_mc_to_kernel(c->dst, c->src + check_bytes() - 77,
							      lens[i]),
					    lens[i] > 77 ? lens[i] - 77 : 0, "%s",
					    simd_routines[row].name);
		}
	}
}

/**
 * struct asked - what a hook asks for, when the regime is left to the size
 * @name:	of the hook
 * @key:	that turns it on
 * @kind:	kind
 * @least:	bytes
 * @most:	bytes
 */
struct asked {
	const char		*name;
	struct static_key_false	*key;
	enum simd_kind		kind;
	unsigned long		least;
	unsigned long		most;
};

static const struct asked hooks[] = {
	{ "clear_page", &simd_hook_clear_page, SIMD_KIND_clear, PAGE_SIZE, PAGE_SIZE },
	{ "clear_pages", &simd_hook_clear_pages, SIMD_KIND_clear, PAGE_SIZE, ULONG_MAX },
	{ "copy_page", &simd_hook_copy_page, SIMD_KIND_copy, PAGE_SIZE, PAGE_SIZE },
	{ "to_user", &simd_hook_to_user, SIMD_KIND_to_user, SIMD_TO_USER_MIN, ULONG_MAX },
	{ "copy_mc", &simd_hook_copy_mc, SIMD_KIND_copy_mc, PAGE_SIZE, ULONG_MAX },
};

/* Whether a size that a hook asks for belongs to a case: the least of the case's sizes. */
static bool asks_for(const struct asked *hook, const struct simd_plan *plan, unsigned int c)
{
	unsigned long threshold = plan->threshold[hook->kind], len = hook->least;
	unsigned long end = simd_case_end(c);

	len = max_t(unsigned long, len, simd_cases[c].from);
	if (simd_cases[c].regime == SIMD_STREAM)
		len = max(len, threshold);
	else
		end = min(end, threshold);
	return len <= hook->most && len < end;
}

/* A row in one case, or in two: the hooks are on that lead there, and no others are. */
static void expect_keys(struct kunit *test, const struct simd_plan *plan)
{
	unsigned int i, c;
	bool on;

	check_adopt(plan);
	mutex_lock(&simd_lock);
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		const struct asked *hook = &hooks[i];

		on = false;
		simd_for_each_case_of(c, hook->kind)
			on |= simd_plan.row[c] != simd_stock_row(hook->kind) &&
			      asks_for(hook, &simd_plan, c);
		KUNIT_EXPECT_EQ_MSG(test, static_key_enabled(hook->key), on, "%s", hook->name);
	}
	mutex_unlock(&simd_lock);
}

static void keys(struct kunit *test)
{
	const struct simd_case *k = test->param_value;
	unsigned int c = k - simd_cases, row, other;
	struct simd_plan plan;

	simd_for_each_row_of(row, k->kind) {
		if (!simd_usable(&simd_results[row]))
			continue;
		simd_for_each_case(other)
			plan.row[other] = simd_stock_row(simd_cases[other].kind);
		plan.row[c] = row;
		expect_keys(test, &plan);
		/* Where large extents are streamed. */
		simd_for_each_case_of(other, k->kind)
			if (simd_cases[other].regime == SIMD_STREAM &&
			    simd_case_end(other) == ULONG_MAX)
				plan.row[other] = row;
		expect_keys(test, &plan);
	}
}

/* Calls that no size makes are no reason to patch: they are those of who says "stream". */
static void not_reached(struct kunit *test)
{
	unsigned int row, kind, i;

	for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
		simd_for_each_row_of(row, kind)
			if (simd_usable(&simd_results[row]) && row != simd_stock_row(kind) &&
			    !(simd_routines[row].flags & SIMD_STREAMING))
				break;
		force_stock(test, kind);
		KUNIT_ASSERT_EQ(test, check_choose(kind, BIT(SIMD_STREAM),
						   simd_routines[row].name), 0);
	}
	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		KUNIT_EXPECT_FALSE_MSG(test, static_key_enabled(hooks[i].key), "%s",
				       hooks[i].name);
}

/* A byte that is wrong, wherever it is, must not pass for a right one. */
static void control(struct kunit *test)
{
	struct folio *folio = allocate(test, 0, 1);
	u8 *bytes = folio_address(folio);
	unsigned int i, at[] = { 0, PAGE_SIZE - 1, PAGE_SIZE, folio_size(folio) - 1 };

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		fill(folio, SOURCE);
		KUNIT_EXPECT_TRUE(test, filled(folio, SOURCE));
		KUNIT_EXPECT_FALSE(test, filled(folio, OTHER));
		bytes[at[i]] ^= 1;
		KUNIT_EXPECT_FALSE(test, filled(folio, SOURCE));

		memset(bytes, 0, folio_size(folio));
		KUNIT_EXPECT_TRUE(test, zeroed(folio));
		bytes[at[i]] = 1;
		KUNIT_EXPECT_FALSE(test, zeroed(folio));
	}
}

static void release(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(folios.all); i++)
		if (folios.all[i])
			folio_put(folios.all[i]);
	folios = (struct folios) { };
	check_exit(test);
}

static void order_desc(const unsigned int *order, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "order %u", *order);
}

KUNIT_ARRAY_PARAM(order, orders, order_desc);
KUNIT_ARRAY_PARAM(case, simd_cases, check_case_desc);

static struct kunit_case cases[] = {
	KUNIT_CASE(control),
	KUNIT_CASE_PARAM(keys, case_gen_params),
	KUNIT_CASE(not_reached),
	KUNIT_CASE_PARAM(zero_folio, order_gen_params),
	KUNIT_CASE_PARAM(copy_folio, order_gen_params),
	KUNIT_CASE(clear_page_rows),
	KUNIT_CASE(copy_page_rows),
	KUNIT_CASE(copy_mc_rows),
	KUNIT_CASE(copy_mc_residue),
	{}
};

static struct kunit_suite suite = {
	.name		= "simd_copy_hooks",
	.suite_init	= check_settled,
	.suite_exit	= check_restore,
	.init		= check_init,
	.exit		= release,
	.test_cases	= cases,
};

kunit_test_suite(suite);
