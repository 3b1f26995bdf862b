// SPDX-License-Identifier: GPL-2.0
/*
 * The checker: what a routine did to its destination, to what is around it and to
 * its source, byte by byte.
 */
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/vmalloc.h>
#include <asm/page.h>

#include "check.h"

/* Three sections and a part of the next one, and all that any row does. */
unsigned int check_pages(void)
{
	static unsigned int pages;
	unsigned int row;

	if (pages)
		return pages;
	simd_for_each_row(row) {
		const struct simd_routine *r = &simd_routines[row];

		pages = max(pages, simd_all_pages(r));
		pages = max_t(unsigned int, pages, 3 * r->section / PAGE_SIZE + 1);
	}
	return pages;
}

int check_init(struct kunit *test)
{
	struct check *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	if (!c)
		return -ENOMEM;
	test->priv = c;
	c->dst = vmalloc(check_bytes());
	c->src = vmalloc(check_bytes());
	return c->dst && c->src ? 0 : -ENOMEM;
}

void check_exit(struct kunit *test)
{
	struct check *c = test->priv;

	if (!c)
		return;
	vfree(c->dst);
	vfree(c->src);
}

/* What is in use without the tests: measured, or by name from the command line. */
static struct simd_plan in_use;

int check_settled(struct kunit_suite *suite)
{
	simd_settle();
	mutex_lock(&simd_lock);
	in_use = simd_plan;
	mutex_unlock(&simd_lock);
	return 0;
}

void check_restore(struct kunit_suite *suite)
{
	check_adopt(&in_use);
}

void check_adopt(const struct simd_plan *plan)
{
	mutex_lock(&simd_lock);
	simd_adopt(plan);
	mutex_unlock(&simd_lock);
}

int check_choose(enum simd_kind kind, unsigned int regimes, const char *name)
{
	int err;

	mutex_lock(&simd_lock);
	err = simd_force(kind, regimes, name);
	mutex_unlock(&simd_lock);
	return err;
}

int check_choose_stock(enum simd_kind kind)
{
	return check_choose(kind, SIMD_ALL_REGIMES, simd_routines[simd_stock_row(kind)].name);
}

static u8 wanted(enum simd_kind kind, unsigned long dst_off, unsigned long src_off,
		 unsigned long len, unsigned long i)
{
	if (i < dst_off || i >= dst_off + len)
		return ~check_pattern(i);
	return kind == SIMD_KIND_clear ? 0 : check_pattern(src_off + i - dst_off);
}

static unsigned long first(unsigned long off)
{
	return off - min_t(unsigned long, off, CHECK_RED);
}

static unsigned long end(unsigned long off, unsigned long len)
{
	return min(off + len + CHECK_RED, check_bytes());
}

/**
 * check_fill() - prepare the buffers for a call
 * @c:		the buffers
 * @kind:	what will be done
 * @dst_off:	offset of the destination
 * @src_off:	offset of the source
 * @len:	bytes
 *
 * No byte of the destination is what it has to become.
 */
void check_fill(const struct check *c, enum simd_kind kind, unsigned long dst_off,
		unsigned long src_off, unsigned long len)
{
	unsigned long dst_end = end(dst_off, len), src_end = end(src_off, len), i;

	for (i = first(dst_off); i < dst_end; i++) {
		c->dst[i] = wanted(kind, dst_off, src_off, len, i);
		if (i >= dst_off && i < dst_off + len)
			c->dst[i] ^= 0xff;
	}
	for (i = first(src_off); i < src_end; i++)
		c->src[i] = check_pattern(i);
}

/**
 * check_result() - what came of a call
 * @c:		the buffers
 * @kind:	what was to be done
 * @dst_off:	offset of the destination
 * @src_off:	offset of the source
 * @len:	bytes
 *
 * Return: NULL if all is right, else what is not.
 */
const char *check_result(const struct check *c, enum simd_kind kind, unsigned long dst_off,
			 unsigned long src_off, unsigned long len)
{
	unsigned long dst_end = end(dst_off, len), src_end = end(src_off, len), i;

	for (i = first(dst_off); i < dst_end; i++) {
		if (c->dst[i] == wanted(kind, dst_off, src_off, len, i))
			continue;
		if (i < dst_off)
			return "bytes before the destination";
		return i < dst_off + len ? "the destination" : "bytes after the destination";
	}
	for (i = first(src_off); i < src_end; i++)
		if (c->src[i] != check_pattern(i))
			return "the source";
	return NULL;
}

/**
 * check_call() - run a routine and look at what it did
 * @c:		the buffers
 * @r:		its row, which need not be one of the table
 * @dst_off:	offset of the destination
 * @src_off:	offset of the source
 * @len:	bytes
 *
 * Return: NULL if all is right, else what is not.
 */
const char *check_call(const struct check *c, const struct simd_routine *r,
		       unsigned long dst_off, unsigned long src_off, unsigned long len)
{
	unsigned long left;
	const char *wrong;
	bool all;

	check_fill(c, r->kind, dst_off, src_off, len);
	left = simd_run(r, r->kind, r->guard, r->fn, c->dst + dst_off, c->src + src_off, len, &all);
	wrong = check_result(c, r->kind, dst_off, src_off, len);
	if (wrong)
		return wrong;
	if (left)
		return "the bytes that are left";
	return all ? NULL : "the section, it was refused";
}

void check_supported(struct kunit *test, const struct simd_routine *r)
{
	const struct simd_result *res = &simd_results[r - simd_routines];

	if (res->missing)
		kunit_skip(test, "this CPU lacks %s", res->missing);
	if (check_planted(r))
		kunit_skip(test, "it is wrong on purpose");
}

void check_row_desc(const struct simd_routine *r, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s/%s", simd_kind_names[r->kind], r->name);
}

void check_case_desc(const struct simd_case *k, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s/%s", simd_kind_names[k->kind], k->name);
}

void check_kind_desc(const char *const *kind, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", *kind);
}

MODULE_DESCRIPTION("KUnit tests of simd_copy");
MODULE_AUTHOR("The simd_copy developers");
MODULE_LICENSE("GPL");
SIMD_IMPORT_FOR_TESTS();
