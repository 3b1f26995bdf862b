// SPDX-License-Identifier: GPL-2.0
/*
 * The self-check: every row against a byte-wise reference, before it may run for anyone.
 */
#define pr_fmt(fmt) "simd_copy: " fmt

#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/page.h>

#include "run.h"
#include "simd_copy.h"

/* Bytes around the destination that have to stay as they are. */
#define CHECK_RED	(PAGE_SIZE / 2)

/**
 * struct check - buffers of the self-check
 * @dst:	what the routine writes to
 * @want:	what the reference says it should look like then
 * @src:	what it reads
 * @size:	of each, bytes
 */
struct check {
	u8		*dst;
	u8		*want;
	u8		*src;
	unsigned long	size;
};

/* The most that a row is checked with: all that it does, and the least that it can do. */
static unsigned long most(const struct simd_routine *r)
{
	return simd_all_pages(r) * PAGE_SIZE + r->granule;
}

/* Return: NULL, or why the row is barred. */
static const char *check_one(const struct check *c, unsigned int row, unsigned int dst_off,
			     unsigned int src_off, unsigned long len)
{
	const struct simd_routine *r = &simd_routines[row];
	const u8 *src = c->src + src_off;
	unsigned long used, i;

	dst_off += CHECK_RED;
	used = dst_off + len + CHECK_RED;
	memset(c->dst, 0xa5, used);
	memset(c->want, 0xa5, used);
	if (r->kind == SIMD_KIND_clear)
		memset(c->want + dst_off, 0, len);
	else
		memcpy(c->want + dst_off, src, len);

	if (!simd_run_row(row, c->dst + dst_off, src, len)) {
		pr_warn("%s/%s: barred: its section was refused, so it could not be checked\n",
			simd_kind_names[r->kind], r->name);
		return "not checked, its section was refused";
	}
	if (!memcmp(c->dst, c->want, used))
		return NULL;

	for (i = 0; c->dst[i] == c->want[i]; i++)
		;
	pr_warn("%s/%s: barred: byte %ld of %lu is %02x, should be %02x\n",
		simd_kind_names[r->kind], r->name, (long)i - dst_off, len,
		c->dst[i], c->want[i]);
	return "failed its self-check";
}

/*
 * The least and a page; the least and the most, as misaligned as the row allows, source
 * and destination not alike.
 */
static const char *check_row(const struct check *c, unsigned int row)
{
	const struct simd_routine *r = &simd_routines[row];
	unsigned int dst_off = r->dst_align % 64, src_off = 3 * r->src_align % 64;

	return check_one(c, row, 0, 0, r->granule) ?:
	       check_one(c, row, 0, 0, PAGE_SIZE) ?:
	       check_one(c, row, dst_off, src_off, r->granule) ?:
	       check_one(c, row, dst_off, src_off, most(r));
}

/**
 * simd_self_check() - bar the rows that do not do what they should
 * @results:	@missing is known; @barred is set for the rows that fail
 *
 * A row that fails is named in the log with the first wrong byte.
 *
 * Context: task, may sleep.
 * Return: 0, or -ENOMEM if there is no memory to check with: nothing is known of any row
 * then, and all that are not stock are barred.
 */
int simd_self_check(struct simd_result *results)
{
	struct check c = {};
	unsigned int row;
	unsigned long i;
	int err = 0;

	simd_for_each_row(row)
		c.size = max(c.size, most(&simd_routines[row]) + 2 * CHECK_RED + 2 * 64);
	c.dst = vzalloc(c.size);
	c.want = vzalloc(c.size);
	c.src = vzalloc(c.size);
	if (!c.dst || !c.want || !c.src)
		err = -ENOMEM;

	/* No two bytes near each other alike: a shift must show. */
	for (i = 0; !err && i < c.size; i++)
		c.src[i] = (i * 31 + i / 251) | 1;

	simd_for_each_row(row) {
		if (results[row].missing)
			continue;
		if (!err)
			results[row].barred = check_row(&c, row);
		else if (!simd_routines[row].stock.name)
			results[row].barred = "not checked, for want of memory";
		cond_resched();
	}

	vfree(c.dst);
	vfree(c.want);
	vfree(c.src);
	return err;
}
