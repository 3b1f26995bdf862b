// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: each routine that copies to user space, with user memory of KUnit's.
 *
 * The kselftest to_user asks for far more, from user space; this needs nothing but
 * a kernel with KUnit, and runs where its checks are on.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/simd_page.h>

#include "../../lib/simd_copy/core.h"
#include "../../lib/simd_copy/run.h"

/* A section, and a part of the next one. */
#define PAGES	5
#define BYTES	(PAGES * PAGE_SIZE)

static const void *next_row(const void *prev, char *desc)
{
	const struct simd_routine *r = prev ? (const struct simd_routine *)prev + 1 : simd_routines;

	for (; r < simd_routines + SIMD_NR_ROUTINES; r++) {
		if (r->kind != SIMD_KIND_to_user)
			continue;
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", r->name);
		return r;
	}
	return NULL;
}

/* Odd, so that no byte is one of a page that is still empty. */
static u8 *source(struct kunit *test)
{
	u8 *src = kunit_kmalloc(test, BYTES, GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, src);
	for (i = 0; i < BYTES; i++)
		src[i] = i * 7 | 1;
	return src;
}

static unsigned long map(struct kunit *test, unsigned int prot)
{
	unsigned long addr = kunit_vm_mmap(test, NULL, 0, BYTES, prot,
					   MAP_ANONYMOUS | MAP_PRIVATE, 0);

	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(addr));
	KUNIT_ASSERT_NE(test, addr, 0);
	return addr;
}

static const struct simd_routine *row_of(struct kunit *test)
{
	const struct simd_routine *r = test->param_value;
	const struct simd_result *res = &simd_results[r - simd_routines];

	if (res->missing)
		kunit_skip(test, "no %s", res->missing);
	KUNIT_ASSERT_FALSE(test, res->barred);
	return r;
}

static unsigned long copy(const struct simd_routine *r, unsigned long to, const u8 *from,
			  unsigned long n)
{
	bool all;

	return simd_run(r, r->kind, r->guard, r->fn, (void *)to, from, n, &all);
}

/* @n bytes at @addr are those of @src, and the one behind them is not. */
static void expect_bytes(struct kunit *test, unsigned long addr, const u8 *src,
			 unsigned long n, bool more)
{
	u8 *got = kunit_kzalloc(test, n + 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, got);
	KUNIT_ASSERT_EQ(test, copy_from_user(got, (void __user *)addr, n + more), 0);
	KUNIT_EXPECT_MEMEQ(test, got, src, n);
	KUNIT_EXPECT_EQ(test, got[n], 0);
	kunit_kfree(test, got);
}

/* Pages that are not there yet are brought, and the copy is whole. */
static void absent(struct kunit *test)
{
	const struct simd_routine *r = row_of(test);
	unsigned long addr = map(test, PROT_READ | PROT_WRITE);
	u8 *src = source(test);

	KUNIT_EXPECT_EQ(test, copy(r, addr + 3, src, BYTES - 5), 0);
	expect_bytes(test, addr + 3, src, BYTES - 5, true);
}

/* What is in front of a hole is stored to the last byte, wherever that is. */
static void hole(struct kunit *test)
{
	const struct simd_routine *r = row_of(test);
	unsigned long addr = map(test, PROT_READ | PROT_WRITE), end = addr + BYTES - PAGE_SIZE;
	u8 *src = source(test);
	unsigned int before;

	KUNIT_ASSERT_EQ(test, vm_munmap(end, PAGE_SIZE), 0);
	for (before = 0; before < 600; before += before < 70 ? 1 : 53) {
		KUNIT_ASSERT_EQ(test, clear_user((void __user *)end - 1024, 1024), 0);
		KUNIT_EXPECT_EQ(test, copy(r, end - before, src, 1000), 1000 - before);
		expect_bytes(test, end - before, src, before, false);
	}
	KUNIT_EXPECT_EQ(test, copy(r, addr, src, BYTES), PAGE_SIZE);
	expect_bytes(test, addr, src, BYTES - PAGE_SIZE, false);
}

static void read_only(struct kunit *test)
{
	const struct simd_routine *r = row_of(test);
	unsigned long addr = map(test, PROT_READ);
	u8 *src = source(test);

	KUNIT_EXPECT_EQ(test, copy(r, addr + 1, src, 5000), 5000);
	expect_bytes(test, addr + 1, src, 0, true);
}

/* Nothing is stored, and what is not copied is all of it. */
static void ranges(struct kunit *test)
{
	unsigned long addr = map(test, PROT_READ | PROT_WRITE);
	u8 *kernel = kunit_kzalloc(test, 4096, GFP_KERNEL);
	void __user *user = (void __user *)addr;
	u8 *src = source(test);

	KUNIT_ASSERT_NOT_NULL(test, kernel);
	KUNIT_EXPECT_EQ(test, simd_copy_to_user(user, src, 0), 0);
	KUNIT_EXPECT_EQ(test, simd_copy_to_user((void __user __force *)kernel, src, 4096), 4096);
	KUNIT_EXPECT_NULL(test, memchr_inv(kernel, 0, 4096));
	KUNIT_EXPECT_EQ(test, simd_copy_to_user(user, src, ULONG_MAX), ULONG_MAX);
	KUNIT_EXPECT_EQ(test, simd_copy_to_user(user, src, BYTES - 1), 0);
	expect_bytes(test, addr, src, BYTES - 1, true);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(absent, next_row),
	KUNIT_CASE_PARAM(hole, next_row),
	KUNIT_CASE_PARAM(read_only, next_row),
	KUNIT_CASE(ranges),
	{}
};

static struct kunit_suite suite = {
	.name		= "simd_copy",
	.test_cases	= cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit tests of simd_copy");
MODULE_AUTHOR("The simd_copy developers");
MODULE_LICENSE("GPL");
