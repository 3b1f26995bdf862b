// SPDX-License-Identifier: GPL-2.0
/*
 * The rows with an x87 exception pending, in a UML kernel.
 *
 * A UML kernel is a host process: its MMX instructions meet a pending exception
 * on the host's real CPU, and its guard has nothing but FNCLEX against that.
 * Where the guard fails, the kernel panics with "Kernel mode signal 8".
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/string.h>
#include <asm/page.h>

#include "core.h"
#include "run.h"
#include "simd_copy.h"

/* x87 status word */
#define FSW_ES		0x80
#define NR_EXCEPTIONS	6

/* Environment of FLDENV: control word, status word, tags, and four more */
#define ENV_WORDS	7
#define TAGS_EMPTY	0xffff
#define FCW_INIT	0x37f

/* FLDENV does not look at the flags that it loads, the next instruction does. */
static void leave_pending(unsigned int exception)
{
	u32 env[ENV_WORDS] = { FCW_INIT & ~exception, exception | FSW_ES, TAGS_EMPTY };

	asm volatile("fldenv %0" : : "m" (env));
}

static u16 status_word(void)
{
	u16 fsw;

	asm volatile("fnstsw %0" : "=m" (fsw));
	return fsw;
}

static void pending_test(struct kunit *test)
{
	const struct simd_routine *r = test->param_value;
	const struct simd_result *res = &simd_results[r - simd_routines];
	u8 *dst, *src, *want;
	unsigned int i;

	if (res->missing)
		kunit_skip(test, "this CPU lacks %s", res->missing);

	dst = (u8 *)kunit_kzalloc(test, 4 * PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, dst);
	dst = PTR_ALIGN(dst, PAGE_SIZE);
	src = dst + PAGE_SIZE;
	want = src + PAGE_SIZE;
	for (i = 0; i < PAGE_SIZE; i++) {
		src[i] = i * 31 + i / 251;
		want[i] = r->kind == SIMD_KIND_clear ? 0 : src[i];
	}

	for (i = 0; i < NR_EXCEPTIONS; i++) {
		u16 before, after;
		bool all;

		memset(dst, 0xa5, PAGE_SIZE);
		leave_pending(BIT(i));
		before = status_word();
		all = simd_run_row(r - simd_routines, dst, src, PAGE_SIZE);
		after = status_word();
		asm volatile("fnclex; fninit");

		KUNIT_EXPECT_TRUE_MSG(test, before & FSW_ES, "FSW %04x: nothing was pending",
				      before);
		/* No other row has to touch it. */
		KUNIT_EXPECT_EQ_MSG(test, !(after & FSW_ES), r->guard == SIMD_GUARD_MMX,
				    "FSW was %04x, is %04x", before, after);
		KUNIT_EXPECT_TRUE_MSG(test, all, "the section was refused");
		KUNIT_EXPECT_MEMEQ(test, dst, want, PAGE_SIZE);
	}
}

static const void *rows_gen_params(const void *prev, char *desc)
{
	const struct simd_routine *next = prev ? (const struct simd_routine *)prev + 1 :
						 simd_routines;

	if (next == simd_routines + SIMD_NR_ROUTINES)
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s/%s", simd_kind_names[next->kind], next->name);
	return next;
}

static struct kunit_case pending_cases[] = {
	KUNIT_CASE_PARAM(pending_test, rows_gen_params),
	{}
};

static struct kunit_suite pending_suite = {
	.name		= "simd_copy_pending",
	.test_cases	= pending_cases,
};

kunit_test_suite(pending_suite);

MODULE_DESCRIPTION("Test of simd_copy with x87 exceptions pending");
MODULE_AUTHOR("The simd_copy developers");
MODULE_LICENSE("GPL");
