// SPDX-License-Identifier: GPL-2.0
/*
 * The rows with an x87 exception pending, as a process can leave one behind.
 *
 * A UML kernel is a host process: there, MMX instructions meet the exception on the
 * host's CPU, which no emulator replaces, and the guard has nothing but FNCLEX
 * against that. Where it fails, the kernel panics with "Kernel mode signal 8".
 * Elsewhere it oopses, but for QEMU's TCG, which does not raise #MF in MMX
 * instructions: so the status word has to be right as well.
 */
#include <linux/bits.h>
#include <linux/irqflags.h>
#include <asm/fpu/api.h>
#include <asm/page.h>

#include "check.h"

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

static void pending_exception(struct kunit *test)
{
	const struct simd_routine *r = test->param_value;
	const struct check *c = test->priv;
	unsigned int i;

	check_supported(test, r);
	for (i = 0; i < NR_EXCEPTIONS; i++) {
		u16 before, after;
		bool all;

		check_fill(c, r->kind, PAGE_SIZE, 0, PAGE_SIZE);
		/* Nobody else gets to see the registers. */
		local_irq_disable();
		kernel_fpu_begin_mask(0);
		leave_pending(BIT(i));
		before = status_word();
		kernel_fpu_end();
		all = simd_run_row(r - simd_routines, c->dst + PAGE_SIZE, c->src, PAGE_SIZE);
		kernel_fpu_begin_mask(0);
		after = status_word();
		asm volatile("fnclex; fninit");
		kernel_fpu_end();
		local_irq_enable();

		KUNIT_EXPECT_TRUE_MSG(test, before & FSW_ES, "FSW %04x: nothing was pending",
				      before);
		/* No other row has to touch it. */
		KUNIT_EXPECT_EQ_MSG(test, !(after & FSW_ES), r->guard == SIMD_GUARD_MMX,
				    "FSW was %04x, is %04x", before, after);
		KUNIT_EXPECT_TRUE_MSG(test, all, "the section was refused");
		KUNIT_EXPECT_STREQ(test, check_result(c, r->kind, PAGE_SIZE, 0, PAGE_SIZE) ?: "",
				   "");
	}
}

KUNIT_ARRAY_PARAM(row, simd_routines, check_row_desc);

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(pending_exception, row_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name		= "simd_copy_pending",
	.suite_init	= check_settled,
	.init		= check_init,
	.exit		= check_exit,
	.test_cases	= cases,
};

kunit_test_suite(suite);
