// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: each routine that copies to user space, with user memory of KUnit's.
 *
 * The kselftest to_user asks for far more, from user space; this needs nothing but
 * a kernel with KUnit, and runs where its checks are on.
 */
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/simd_page.h>

#include "check.h"

/* The rows of this kind, as the table has them. */
static const unsigned int rows[] = {
#define SIMD_ROUTINE(_kind, _name, ...) ROW_##_kind(_name)
#define ROW_clear(...)
#define ROW_copy(...)
#define ROW_to_user(_name) SIMD_ROW_to_user_##_name,
#define ROW_copy_mc(...)
#include "routines.def"
};

static void row_desc(const unsigned int *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", simd_routines[*row].name);
}

/* Odd, so that no byte is one of a page that is still empty. */
static u8 *source(struct kunit *test)
{
	u8 *src = kunit_kmalloc(test, check_bytes(), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, src);
	for (i = 0; i < check_bytes(); i++)
		src[i] = i * 7 | 1;
	return src;
}

static unsigned long map(struct kunit *test, unsigned int prot)
{
	unsigned long addr = kunit_vm_mmap(test, NULL, 0, check_bytes(), prot,
					   MAP_ANONYMOUS | MAP_PRIVATE, 0);

	if (!addr)
		kunit_skip(test, "this kernel's KUnit has no user memory");
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(addr));
	return addr;
}

static const struct simd_routine *row_of(struct kunit *test)
{
	const struct simd_routine *r = &simd_routines[*(const unsigned int *)test->param_value];

	check_supported(test, r);
	return r;
}

static unsigned long copy(const struct simd_routine *r, unsigned long to, const u8 *from,
			  unsigned long n)
{
	bool all;

	return simd_run(r, r->kind, r->guard, r->fn, (void *)to, from, n, &all);
}

/*
 * Whether @n bytes at @addr are those of @src, and the one behind them is still 0.
 * It is not looked at where it is not mapped.
 */
static bool arrived(struct kunit *test, unsigned long addr, const u8 *src, unsigned long n,
		    bool more)
{
	u8 *got = kunit_kzalloc(test, n + 1, GFP_KERNEL);
	bool same;

	KUNIT_ASSERT_NOT_NULL(test, got);
	KUNIT_ASSERT_EQ(test, copy_from_user(got, (void __user *)addr, n + more), 0);
	same = !memcmp(got, src, n) && !got[n];
	kunit_kfree(test, got);
	return same;
}

/* Pages that are not there yet are brought, and the copy is whole. */
static void absent(struct kunit *test)
{
	const struct simd_routine *r = row_of(test);
	unsigned long addr = map(test, PROT_READ | PROT_WRITE);
	u8 *src = source(test);

	KUNIT_EXPECT_EQ(test, copy(r, addr + 3, src, check_bytes() - 5), 0);
	KUNIT_EXPECT_TRUE(test, arrived(test, addr + 3, src, check_bytes() - 5, true));
}

/* What is in front of a hole is stored to the last byte, wherever that is. */
static void hole(struct kunit *test)
{
	const struct simd_routine *r = row_of(test);
	unsigned long addr = map(test, PROT_READ | PROT_WRITE);
	unsigned long end = addr + check_bytes() - PAGE_SIZE;
	u8 *src = source(test);
	unsigned int before;

	KUNIT_ASSERT_EQ(test, vm_munmap(end, PAGE_SIZE), 0);
	for (before = 0; before < 600; before += before < 70 ? 1 : 53) {
		KUNIT_ASSERT_EQ(test, clear_user((void __user *)end - 1024, 1024), 0);
		KUNIT_EXPECT_EQ(test, copy(r, end - before, src, 1000), 1000 - before);
		KUNIT_EXPECT_TRUE(test, arrived(test, end - before, src, before, false));
	}
	KUNIT_EXPECT_EQ(test, copy(r, addr, src, check_bytes()), PAGE_SIZE);
	KUNIT_EXPECT_TRUE(test, arrived(test, addr, src, check_bytes() - PAGE_SIZE, false));
}

/* The same where it is the source that ends: no kernel dies of a bad read of its own. */
static void source_ends(struct kunit *test)
{
	const struct simd_routine *r = row_of(test);
	unsigned long addr = map(test, PROT_READ | PROT_WRITE);
	u8 *src = test->priv = vmalloc(check_bytes()), *end = src + check_bytes();
	unsigned int before, to, i;

	KUNIT_ASSERT_NOT_NULL(test, src);
	KUNIT_EXPECT_NULL(test, vmalloc_to_page(end));
	for (i = 0; i < check_bytes(); i++)
		src[i] = i * 7 | 1;
	for (before = 0; before < 600; before += before < 70 ? 1 : 53) {
		to = before % 67;
		KUNIT_EXPECT_EQ(test, clear_user((void __user *)addr, 1024), 0);
		KUNIT_EXPECT_EQ(test, copy(r, addr + to, end - before, 900), 900 - before);
		KUNIT_EXPECT_TRUE(test, arrived(test, addr + to, end - before, before, true));
	}
	KUNIT_EXPECT_EQ(test, copy(r, addr, src + PAGE_SIZE, check_bytes()), PAGE_SIZE);
	KUNIT_EXPECT_TRUE(test, arrived(test, addr, src + PAGE_SIZE, check_bytes() - PAGE_SIZE,
					true));
}

static void release(struct kunit *test)
{
	vfree(test->priv);
}

static void read_only(struct kunit *test)
{
	const struct simd_routine *r = row_of(test);
	unsigned long addr = map(test, PROT_READ);
	u8 *src = source(test);

	KUNIT_EXPECT_EQ(test, copy(r, addr + 1, src, 5000), 5000);
	KUNIT_EXPECT_TRUE(test, arrived(test, addr + 1, src, 0, true));
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
	KUNIT_EXPECT_EQ(test, simd_copy_to_user(user, src, check_bytes() - 1), 0);
	KUNIT_EXPECT_TRUE(test, arrived(test, addr, src, check_bytes() - 1, true));
}

/* What a wrong copy has left must not pass for a right one. */
static void control(struct kunit *test)
{
	unsigned long addr = map(test, PROT_READ | PROT_WRITE);
	void __user *user = (void __user *)addr;
	u8 *src = source(test);

	KUNIT_EXPECT_FALSE(test, arrived(test, addr, src, 1, true));
	KUNIT_ASSERT_EQ(test, copy_to_user(user, src, 5000), 0);
	KUNIT_EXPECT_TRUE(test, arrived(test, addr, src, 5000, true));
	KUNIT_EXPECT_TRUE(test, arrived(test, addr, src, 4999, false));
	KUNIT_EXPECT_FALSE(test, arrived(test, addr, src, 4999, true));
	KUNIT_EXPECT_FALSE(test, arrived(test, addr, src, 5001, true));
	KUNIT_EXPECT_FALSE(test, arrived(test, addr + 1, src, 4999, true));
}

KUNIT_ARRAY_PARAM(row, rows, row_desc);

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(absent, row_gen_params),
	KUNIT_CASE_PARAM(hole, row_gen_params),
	KUNIT_CASE_PARAM(source_ends, row_gen_params),
	KUNIT_CASE_PARAM(read_only, row_gen_params),
	KUNIT_CASE(ranges),
	KUNIT_CASE(control),
	{}
};

static struct kunit_suite suite = {
	.name		= "simd_copy_to_user",
	.suite_init	= check_settled,
	.exit		= release,
	.test_cases	= cases,
};

kunit_test_suite(suite);
