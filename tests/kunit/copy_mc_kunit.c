// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: each routine that survives a machine check in its source, with a source that
 * ends where nothing is mapped: a page fault goes by the same exception entries.
 */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/page.h>
#include <asm/simd_page.h>

#include "check.h"

/* The rows of this kind, as the table has them. */
static const unsigned int rows[] = {
#define SIMD_ROUTINE(_kind, _name, ...) ROW_##_kind(_name)
#define ROW_clear(...)
#define ROW_copy(...)
#define ROW_to_user(...)
#define ROW_copy_mc(_name) SIMD_ROW_copy_mc_##_name,
#include "routines.def"
};

static void row_desc(const unsigned int *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", simd_routines[*row].name);
}

static const struct simd_routine *row_of(struct kunit *test)
{
	const struct simd_routine *r = &simd_routines[*(const unsigned int *)test->param_value];

	check_supported(test, r);
	return r;
}

static unsigned long copy(const struct simd_routine *r, u8 *to, const u8 *from, unsigned long n)
{
	bool all;

	return simd_run(r, r->kind, r->guard, r->fn, to, from, n, &all);
}

/* No byte of what a source holds is this one: see fill(). */
#define EMPTY	0

static void fill(const struct check *c)
{
	unsigned long i;

	for (i = 0; i < check_bytes(); i++)
		c->src[i] = i * 7 | 1;
	memset(c->dst, EMPTY, check_bytes());
}

/*
 * Copy @n bytes to offset @to, @before of which the source has. Return: what is wrong,
 * NULL if nothing is.
 */
static const char *wrong(const struct check *c, unsigned long left, unsigned long to,
			 unsigned long before, unsigned long n)
{
	const u8 *src = c->src + check_bytes() - before, *dst = c->dst + to;
	unsigned long red = min(n + CHECK_RED, check_bytes() - to) - before;

	if (left != n - before)
		return "the residue";
	if (memcmp(dst, src, before))
		return "what was copied";
	if (memchr_inv(dst + before, EMPTY, red))
		return "stored behind the end of the source";
	if (memchr_inv(c->dst, EMPTY, to))
		return "stored in front of the destination";
	return NULL;
}

/* Every byte of a few lines, at all alignments, and some of more than a section. */
static void source_ends(struct kunit *test)
{
	const struct simd_routine *r = row_of(test);
	const struct check *c = test->priv;
	unsigned long before, to, n;
	const char *fault;

	KUNIT_EXPECT_NULL(test, vmalloc_to_page(c->src + check_bytes()));
	fill(c);
	for (before = 0; before < 1200; before += before < 200 ? 1 : 53) {
		for (to = before % 7; to < 64; to += 7) {
			n = before + 900;
			fault = wrong(c, copy(r, c->dst + to, c->src + check_bytes() - before, n),
				      to, before, n);
			if (fault)
				KUNIT_FAIL(test, "%lu bytes, to +%lu, %lu there: wrong: %s", n, to,
					   before, fault);
			memset(c->dst, EMPTY, n + 64);
		}
	}
	before = check_bytes() - PAGE_SIZE;
	n = check_bytes();
	KUNIT_EXPECT_NULL(test, wrong(c, copy(r, c->dst, c->src + PAGE_SIZE, n), 0, before, n));
}

/* The public call, whatever it leads to: by each row in turn. */
static void public_call(struct kunit *test)
{
	const struct simd_routine *r = row_of(test);
	const struct check *c = test->priv;
	const unsigned long befores[] = { 0, 1, 511, PAGE_SIZE - 1, PAGE_SIZE + 77 };
	unsigned long i, n;

	if (!simd_usable(&simd_results[r - simd_routines]))
		kunit_skip(test, "it is barred");
	if (IS_ENABLED(CONFIG_KASAN_VMALLOC))
		kunit_skip(test, "KASAN reports a source that ends");
	KUNIT_ASSERT_EQ(test, check_choose(r->kind, SIMD_ALL_REGIMES, r->name), 0);
	for (i = 0; i < ARRAY_SIZE(befores); i++) {
		const u8 *src = c->src + check_bytes() - befores[i];

		for (n = befores[i] + 1; n < 3 * PAGE_SIZE; n += 4321) {
			fill(c);
			KUNIT_EXPECT_NULL(test, wrong(c, simd_copy_mc(c->dst + 1, src, n), 1,
						      befores[i], n));
		}
	}
	fill(c);
	KUNIT_EXPECT_EQ(test, simd_copy_mc(c->dst, c->src, check_bytes()), 0);
	KUNIT_EXPECT_EQ(test, memcmp(c->dst, c->src, check_bytes()), 0);
}

/* What a wrong copy has left must not pass for a right one. */
static void control(struct kunit *test)
{
	const struct check *c = test->priv;
	u8 *src = c->src + check_bytes() - 100;

	fill(c);
	memcpy(c->dst + 3, src, 100);
	KUNIT_EXPECT_NULL(test, wrong(c, 20, 3, 100, 120));
	KUNIT_EXPECT_STREQ(test, wrong(c, 21, 3, 100, 120), "the residue");
	KUNIT_EXPECT_STREQ(test, wrong(c, 19, 3, 100, 120), "the residue");
	c->dst[103] = 1;
	KUNIT_EXPECT_STREQ(test, wrong(c, 20, 3, 100, 120), "stored behind the end of the source");
	c->dst[103] = EMPTY;
	c->dst[2] = 1;
	KUNIT_EXPECT_STREQ(test, wrong(c, 20, 3, 100, 120), "stored in front of the destination");
	c->dst[2] = EMPTY;
	c->dst[102] ^= 2;
	KUNIT_EXPECT_STREQ(test, wrong(c, 20, 3, 100, 120), "what was copied");
}

KUNIT_ARRAY_PARAM(row, rows, row_desc);

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(source_ends, row_gen_params),
	KUNIT_CASE_PARAM(public_call, row_gen_params),
	KUNIT_CASE(control),
	{}
};

static struct kunit_suite suite = {
	.name		= "simd_copy_copy_mc",
	.suite_init	= check_settled,
	.suite_exit	= check_restore,
	.init		= check_init,
	.exit		= check_exit,
	.test_cases	= cases,
};

kunit_test_suite(suite);
