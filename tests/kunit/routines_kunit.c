// SPDX-License-Identifier: GPL-2.0
/*
 * Each routine against a byte-wise reference, with buffers that end or start at a
 * page that is not mapped: who reads or writes beyond them does not get away.
 */
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/page.h>
#include <asm/simd_page.h>

#include "check.h"

/* Rounded up to granules. A turn and its neighbours, a page and its neighbours. */
static const unsigned int sizes[] = {
	1, 2, 3, 7, 8, 15, 33, 63, 64, 65, 127, 129, 200, 256, 300, 511, 513, 770, 1025,
	PAGE_SIZE - 1, PAGE_SIZE, PAGE_SIZE + 1, 2 * PAGE_SIZE - 3, 2 * PAGE_SIZE,
};

/* Offsets within a line that are tried: all that matter are in the harness. */
#define LINE		64
#define SHORT_STEP	3
#define LONG_STEP	21
#define NR_SOURCES	4

static void expect_right(struct kunit *test, const struct simd_routine *r,
			 unsigned long dst_off, unsigned long src_off, unsigned long len)
{
	const char *wrong = check_call(test->priv, r, dst_off, src_off, len);

	if (wrong)
		KUNIT_FAIL(test, "%s/%s, %lu bytes, to +%lu from +%lu: wrong: %s",
			   simd_kind_names[r->kind], r->name, len, dst_off, src_off, wrong);
}

/* At the start of the buffers, and at their end. */
static void run_at_edges(struct kunit *test, const struct simd_routine *r, unsigned long len)
{
	unsigned int step = len < PAGE_SIZE / 2 ? SHORT_STEP : LONG_STEP;
	unsigned int unit, i, d, s;

	for (unit = 0; unit * r->dst_align < LINE; unit += step) {
		d = unit * r->dst_align;
		for (i = 0; i < NR_SOURCES; i++) {
			s = round_down((d + 9 * i) % LINE, r->src_align);
			expect_right(test, r, d, s, len);
			expect_right(test, r, check_bytes() - len - d,
				     check_bytes() - len - s, len);
		}
	}
}

static void extents(struct kunit *test)
{
	const struct simd_routine *r = test->param_value;
	unsigned int i, len, last = 0;

	check_supported(test, r);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		len = round_up(sizes[i], r->granule);
		if (len != last)
			run_at_edges(test, r, len);
		last = len;
	}
	/* More than one section: where the first one ends the second one starts. */
	expect_right(test, r, 0, 0, check_bytes());
	expect_right(test, r, 0, r->src_align % LINE, check_bytes() - PAGE_SIZE + r->granule);
}

/* The public calls, in all regimes, whatever has been chosen for them. */
static void public_calls(struct kunit *test)
{
	const struct check *c = test->priv;
	unsigned int regime, n;
	unsigned long off;

	for (regime = 0; regime <= SIMD_AUTO; regime++) {
		for (n = 0; n <= check_pages(); n++) {
			off = check_bytes() - n * PAGE_SIZE;
			check_fill(c, SIMD_KIND_clear, off, 0, n * PAGE_SIZE);
			simd_clear_pages(c->dst + off, n, regime);
			KUNIT_EXPECT_NULL(test, check_result(c, SIMD_KIND_clear, off, 0,
							     n * PAGE_SIZE));
			check_fill(c, SIMD_KIND_copy, 0, off, n * PAGE_SIZE);
			simd_copy_pages(c->dst, c->src + off, n, regime);
			KUNIT_EXPECT_NULL(test, check_result(c, SIMD_KIND_copy, 0, off,
							     n * PAGE_SIZE));
		}
	}
}

/* Rows that the kernel was built with for the checks to find. */
static void planted(struct kunit *test)
{
	unsigned int row;

	if (!IS_ENABLED(CONFIG_SIMD_COPY_PLANT))
		kunit_skip(test, "no row is wrong on purpose: CONFIG_SIMD_COPY_PLANT is not set");
	simd_for_each_row(row)
		if (check_planted(&simd_routines[row]))
			KUNIT_EXPECT_NOT_NULL(test, check_call(test->priv, &simd_routines[row],
							       PAGE_SIZE, PAGE_SIZE, PAGE_SIZE));
}

/* Without these the edges are no edges. */
static void unmapped(struct kunit *test)
{
	const struct check *c = test->priv;
	u8 *const buffers[] = { c->dst, c->src };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(buffers); i++) {
		KUNIT_EXPECT_NOT_NULL(test, vmalloc_to_page(buffers[i]));
		KUNIT_EXPECT_NOT_NULL(test, vmalloc_to_page(buffers[i] + check_bytes() - 1));
		KUNIT_EXPECT_NULL(test, vmalloc_to_page(buffers[i] - 1));
		KUNIT_EXPECT_NULL(test, vmalloc_to_page(buffers[i] + check_bytes()));
	}
}

/* Routines that are wrong, which the checker has to see. */
static void SIMD_ABI right(void *dst, const void *src, unsigned long len)
{
	memcpy(dst, src, len);
}

static void SIMD_ABI short_by_one(void *dst, const void *src, unsigned long len)
{
	memcpy(dst, src, len - 1);
}

static void SIMD_ABI short_by_a_line(void *dst, const void *src, unsigned long len)
{
	memcpy(dst, src, len - min_t(unsigned long, len, LINE));
}

static void SIMD_ABI late(void *dst, const void *src, unsigned long len)
{
	memcpy(dst + 1, src + 1, len - 1);
}

static void SIMD_ABI shifted(void *dst, const void *src, unsigned long len)
{
	memcpy(dst, src + 1, len);
}

static void SIMD_ABI stores_behind(void *dst, const void *src, unsigned long len)
{
	memcpy(dst, src, len);
	memset(dst + len, 0, 1);
}

static void SIMD_ABI stores_in_front(void *dst, const void *src, unsigned long len)
{
	memcpy(dst, src, len);
	memset(dst - 1, 0, 1);
}

static void SIMD_ABI stores_to_source(void *dst, const void *src, unsigned long len)
{
	memcpy(dst, src, len);
	memset((void *)src, 0x11, len);
}

static void SIMD_ABI does_nothing(void *dst, const void *src, unsigned long len)
{
}

static unsigned long SIMD_ABI says_left(void __user *dst, const void *src, unsigned long len)
{
	memcpy((void __force *)dst, src, len);
	return 1;
}

static void SIMD_ABI leaves_a_byte(void *dst, unsigned long len)
{
	memset(dst, 0, len);
	memset(dst + len / 2, 1, 1);
}

/* A row of each, and what the checker has to say of it. */
static const struct control {
	struct simd_routine	row;
	const char		*wrong;
} controls[] = {
#define CONTROL(_kind, _fn, _wrong)					\
	{ { .name = #_fn, .kind = SIMD_KIND_##_kind, .fn = { ._kind = _fn } }, _wrong }
	CONTROL(copy, right, NULL),
	CONTROL(copy, short_by_one, "the destination"),
	CONTROL(copy, short_by_a_line, "the destination"),
	CONTROL(copy, late, "the destination"),
	CONTROL(copy, shifted, "the destination"),
	CONTROL(copy, does_nothing, "the destination"),
	CONTROL(copy, stores_behind, "bytes after the destination"),
	CONTROL(copy, stores_in_front, "bytes before the destination"),
	CONTROL(copy, stores_to_source, "the source"),
	CONTROL(to_user, says_left, "the bytes that are left"),
	CONTROL(clear, leaves_a_byte, "the destination"),
};

static void control_desc(const struct control *control, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", control->row.name);
}

static void checker(struct kunit *test)
{
	const struct control *control = test->param_value;
	const unsigned long lens[] = { 1, 64, 3 * 64, PAGE_SIZE };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lens); i++)
		KUNIT_EXPECT_STREQ(test, control->wrong ?: "nothing",
				   check_call(test->priv, &control->row, LINE, LINE,
					      lens[i]) ?: "nothing");
}

KUNIT_ARRAY_PARAM(row, simd_routines, check_row_desc);
KUNIT_ARRAY_PARAM(control, controls, control_desc);

static struct kunit_case cases[] = {
	KUNIT_CASE(unmapped),
	KUNIT_CASE_PARAM(checker, control_gen_params),
	KUNIT_CASE_PARAM(extents, row_gen_params),
	KUNIT_CASE(public_calls),
	KUNIT_CASE(planted),
	{}
};

static struct kunit_suite suite = {
	.name		= "simd_copy_routines",
	.suite_init	= check_settled,
	.init		= check_init,
	.exit		= check_exit,
	.test_cases	= cases,
};

kunit_test_suite(suite);
