// SPDX-License-Identifier: GPL-2.0
/*
 * The guard in the contexts of the kernel: the data is always right, a section is
 * refused where it has to be and nowhere else, and all is as it was afterwards.
 *
 * What becomes of the registers of tasks, a KUnit test can not see, being a kernel
 * thread: the kselftests hammer and state do.
 */
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/fpu/api.h>
#include <asm/page.h>

#include "check.h"
#include "guard.h"

/* Where code runs, as bits. */
#define IN_SECTION	0x01
#define IN_SOFTIRQ	0x02
#define IN_HARDIRQ	0x04
#define IN_NMI		0x08
#define IRQS_OFF	0x10

/* A row's destination, with some bytes on both sides that nobody may touch. */
#define ROW_RED		64
#define ROW_BYTES	(ROW_RED + PAGE_SIZE + ROW_RED)

/**
 * struct run - all rows, run in one context
 * @dst:	a destination for each, %ROW_BYTES
 * @src:	their source, a page
 * @in_section:	the task that starts it has a section open
 * @where:	where it came to run, 0 if nowhere but in a task
 * @times:	how often
 * @all:	which rows did all by themselves
 */
static struct run {
	u8		*dst;
	u8		*src;
	bool		in_section;
	unsigned int	where;
	unsigned int	times;
	bool		all[SIMD_NR_ROUTINES];
} run;

static u8 *row_dst(unsigned int row)
{
	return run.dst + row * ROW_BYTES + ROW_RED;
}

static bool supported(unsigned int row)
{
	return !simd_results[row].missing && !check_planted(&simd_routines[row]);
}

static void run_rows(void)
{
	unsigned int row;

	run.times++;
	run.where = (run.in_section ? IN_SECTION : 0) |
		    (in_serving_softirq() && !in_hardirq() ? IN_SOFTIRQ : 0) |
		    (in_hardirq() ? IN_HARDIRQ : 0) | (in_nmi() ? IN_NMI : 0) |
		    (irqs_disabled() ? IRQS_OFF : 0);
	simd_for_each_row(row)
		if (supported(row))
			run.all[row] = simd_run_row(row, row_dst(row), run.src, PAGE_SIZE);
}

static void preempt_off(void)
{
	preempt_disable();
	run_rows();
	preempt_enable();
}

static void softirqs_off(void)
{
	local_bh_disable();
	run_rows();
	local_bh_enable();
}

static void irqs_off(void)
{
	unsigned long flags;

	local_irq_save(flags);
	run_rows();
	local_irq_restore(flags);
}

/* To the guard an NMI is what the preemption count says. */
static void nmi(void)
{
	unsigned long flags;

	local_irq_save(flags);
	preempt_count_add(NMI_OFFSET);
	run_rows();
	preempt_count_sub(NMI_OFFSET);
	local_irq_restore(flags);
}

static void tasklet_fn(struct tasklet_struct *unused)
{
	run_rows();
}

static DECLARE_TASKLET(tasklet, tasklet_fn);

/* On top of this task, and not in ksoftirqd. */
static void softirq(void)
{
	local_bh_disable();
	tasklet_schedule(&tasklet);
	local_bh_enable();
	tasklet_kill(&tasklet);
}

static bool raise_softirq_there;

static void irq_fn(struct irq_work *unused)
{
	if (raise_softirq_there)
		tasklet_schedule(&tasklet);
	else
		run_rows();
}

static struct irq_work irq = IRQ_WORK_INIT_HARD(irq_fn);

/* Interrupt this CPU, here. In UML the next tick does. */
static void interrupt(bool softirq)
{
	unsigned long flags;

	raise_softirq_there = softirq;
	local_irq_save(flags);
	irq_work_queue(&irq);
	local_irq_restore(flags);
	while (irq_work_is_busy(&irq))
		cpu_relax();
}

static void hardirq(void)
{
	interrupt(false);
}

static void in_section(enum simd_guard guard, void (*fn)(void))
{
	simd_section(guard) {
		run.in_section = true;
		fn();
		run.in_section = false;
	}
}

static void in_section_irq(enum simd_guard guard, bool softirq)
{
	simd_section(guard) {
		run.in_section = true;
		interrupt(softirq);
		run.in_section = false;
	}
	if (softirq)
		tasklet_kill(&tasklet);
}

static void xmm_section(void)
{
	in_section(SIMD_GUARD_XMM, run_rows);
}

static void mmx_section(void)
{
	in_section(SIMD_GUARD_MMX, run_rows);
}

static void irqs_off_section(void)
{
	unsigned long flags;

	local_irq_save(flags);
	in_section(SIMD_GUARD_XMM, run_rows);
	local_irq_restore(flags);
}

static void hardirq_in_section(void)
{
	in_section_irq(SIMD_GUARD_XMM, false);
}

static void softirq_in_section(void)
{
	in_section_irq(SIMD_GUARD_MMX, true);
}

static void others_section(void)
{
	kernel_fpu_begin();
	run.in_section = true;
	run_rows();
	run.in_section = false;
	kernel_fpu_end();
}

#define TAKEN	SIMD_NR_REFUSALS

/* What has to come of it where a task may be inside fpregs_lock(). */
#define IN_FPREGS_LOCK(_may)	((_may) ? SIMD_REFUSED_FPREGS : TAKEN)

static const struct context {
	const char		*name;
	void			(*enter)(void);
	unsigned int		where;
	enum simd_refusal	refused;
} contexts[] = {
	{ "task", run_rows, 0, TAKEN },
	{ "preemption off", preempt_off, 0, IN_FPREGS_LOCK(IS_ENABLED(CONFIG_PREEMPT_RT)) },
	{ "softirqs off", softirqs_off, 0, IN_FPREGS_LOCK(!IS_ENABLED(CONFIG_PREEMPT_RT)) },
	{ "interrupts off", irqs_off, IRQS_OFF, TAKEN },
	{ "softirq", softirq, IN_SOFTIRQ, TAKEN },
	{ "hardirq", hardirq, IN_HARDIRQ | IRQS_OFF, TAKEN },
	{ "nmi", nmi, IN_NMI | IRQS_OFF, SIMD_REFUSED_NMI },
	{ "XMM section", xmm_section, IN_SECTION, SIMD_REFUSED_NESTED },
	{ "MMX section", mmx_section, IN_SECTION, SIMD_REFUSED_NESTED },
	{ "section with interrupts off", irqs_off_section, IN_SECTION | IRQS_OFF,
	  SIMD_REFUSED_NESTED },
	{ "kernel_fpu_begin()", others_section, IN_SECTION, SIMD_REFUSED_NESTED },
	{ "hardirq in a section", hardirq_in_section, IN_SECTION | IN_HARDIRQ | IRQS_OFF,
	  SIMD_REFUSED_HARDIRQ },
	{ "softirq in a section", softirq_in_section, IN_SECTION | IN_SOFTIRQ,
	  SIMD_REFUSED_SOFTIRQ },
};

static void context_desc(const struct context *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", c->name);
}

/* A byte of the row's destination or of what is around it; @i may be negative. */
static u8 wanted(unsigned int row, long i)
{
	if (i < 0 || i >= PAGE_SIZE)
		return 0xa5;
	return simd_routines[row].kind == SIMD_KIND_clear ? 0 : check_pattern(i);
}

static void fill(void)
{
	unsigned int row;
	long i;

	for (i = 0; i < PAGE_SIZE; i++)
		run.src[i] = check_pattern(i);
	simd_for_each_row(row)
		for (i = -ROW_RED; i < (long)PAGE_SIZE + ROW_RED; i++)
			row_dst(row)[i] = wanted(row, i) ^ (i < 0 || i >= PAGE_SIZE ? 0 : 0xff);
}

static unsigned int count_wrong(unsigned int row)
{
	unsigned int wrong = 0;
	long i;

	for (i = -ROW_RED; i < (long)PAGE_SIZE + ROW_RED; i++)
		wrong += row_dst(row)[i] != wanted(row, i);
	return wrong;
}

static void expect_usable(struct kunit *test)
{
	unsigned int guard;
	bool taken;

	KUNIT_EXPECT_FALSE(test, pagefault_disabled());
	KUNIT_EXPECT_FALSE(test, irqs_disabled());
	for (guard = SIMD_GUARD_NONE + 1; guard < SIMD_NR_GUARDS; guard++) {
		taken = simd_guard_begin(guard);
		if (taken)
			simd_guard_end(guard);
		KUNIT_EXPECT_TRUE_MSG(test, taken, "class %u is refused afterwards", guard);
	}
}

static void context(struct kunit *test)
{
	const struct context *c = test->param_value;
	struct simd_stats before, after;
	enum simd_refusal refused = c->refused;
	unsigned int row, guarded = 0, why;
	int count = preempt_count();

	if (IS_ENABLED(CONFIG_UML) && c->enter == others_section)
		kunit_skip(test, "in UML, kernel_fpu_begin() leaves no trace");

	fill();
	simd_stats_total(&before);
	c->enter();
	simd_stats_total(&after);
	KUNIT_EXPECT_EQ(test, preempt_count(), count);
	expect_usable(test);

	KUNIT_ASSERT_EQ(test, run.times, 1);
	/* Where softirqs have to wait for the section's end, they may have one of their own. */
	if (c->where == (IN_SECTION | IN_SOFTIRQ) && run.where == IN_SOFTIRQ) {
		kunit_info(test, "here, softirqs wait for the end of a section");
		refused = TAKEN;
	} else {
		KUNIT_EXPECT_EQ(test, run.where, c->where);
	}
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && run.where & IN_HARDIRQ)
		refused = SIMD_REFUSED_RT;

	simd_for_each_row(row) {
		const struct simd_routine *r = &simd_routines[row];

		if (!supported(row))
			continue;
		guarded += r->guard != SIMD_GUARD_NONE;
		KUNIT_EXPECT_EQ_MSG(test, count_wrong(row), 0, "%s/%s",
				    simd_kind_names[r->kind], r->name);
		KUNIT_EXPECT_EQ_MSG(test, run.all[row],
				    r->guard == SIMD_GUARD_NONE || refused == TAKEN, "%s/%s",
				    simd_kind_names[r->kind], r->name);
	}
	for (why = 0; why < SIMD_NR_REFUSALS; why++)
		KUNIT_EXPECT_EQ_MSG(test, after.refused[why] - before.refused[why],
				    why == refused ? guarded : 0, "refused for '%s'",
				    simd_refusal_names[why]);
	KUNIT_EXPECT_GE(test, after.sections - before.sections, refused == TAKEN ? guarded : 0);
}

static const struct class {
	const char	*name;
	enum simd_guard	guard;
} classes[] = {
	{ "XMM", SIMD_GUARD_XMM },
	{ "MMX", SIMD_GUARD_MMX },
};

/* What a section is, seen from inside. Nothing may be reported before its end. */
static void inside(struct kunit *test)
{
	enum simd_guard guard = ((const struct class *)test->param_value)->guard, other;
	struct simd_stats before, after;
	bool faults, preemptible, usable, nested = false;
	int count = preempt_count();

	simd_stats_total(&before);
	KUNIT_ASSERT_TRUE(test, simd_guard_begin(guard));
	faults = !pagefault_disabled();
	preemptible = preemptible();
	usable = irq_fpu_usable();
	for (other = SIMD_GUARD_NONE + 1; other < SIMD_NR_GUARDS; other++)
		nested |= simd_guard_begin(other);
	simd_guard_end(guard);
	simd_stats_total(&after);

	KUNIT_EXPECT_FALSE_MSG(test, faults, "page faults are handled");
	KUNIT_EXPECT_FALSE_MSG(test, nested, "a section in a section is taken");
	KUNIT_EXPECT_EQ(test, after.sections - before.sections, 1);
	KUNIT_EXPECT_EQ(test, after.refused[SIMD_REFUSED_NESTED] -
			before.refused[SIMD_REFUSED_NESTED], SIMD_NR_GUARDS - 1);
	/* UML saves nothing, and so has to keep nobody away. */
	if (!IS_ENABLED(CONFIG_UML)) {
		KUNIT_EXPECT_FALSE_MSG(test, preemptible, "it can be preempted");
		KUNIT_EXPECT_FALSE_MSG(test, usable, "others may use the registers");
	}
	KUNIT_EXPECT_EQ(test, preempt_count(), count);
	expect_usable(test);
}

/* The checks are of no use if they overlook a row that did nothing, or too much. */
static void counts_wrong(struct kunit *test)
{
	unsigned int row;

	fill();
	simd_for_each_row(row)
		KUNIT_EXPECT_EQ(test, count_wrong(row), PAGE_SIZE);
	run_rows();
	row_dst(0)[-1] ^= 1;
	row_dst(0)[0] ^= 1;
	row_dst(0)[PAGE_SIZE] ^= 1;
	KUNIT_EXPECT_EQ(test, count_wrong(0), supported(0) ? 3 : PAGE_SIZE + 1);
}

static int prepare(struct kunit *test)
{
	run = (struct run) {
		.dst	= vmalloc(SIMD_NR_ROUTINES * ROW_BYTES),
		.src	= vmalloc(PAGE_SIZE),
	};
	return run.dst && run.src ? 0 : -ENOMEM;
}

static void release(struct kunit *test)
{
	vfree(run.dst);
	vfree(run.src);
	run = (struct run) { };
}

static void class_desc(const struct class *class, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", class->name);
}

/*
 * Sections are counted on all CPUs: while there are hooks that open some, there is no
 * telling whose they are. Stock opens none.
 */
static int use_stock(struct kunit_suite *suite)
{
	unsigned int kind;
	int err = 0;

	check_settled(suite);
	for (kind = 0; kind < SIMD_NR_KINDS && !err; kind++)
		err = check_choose_stock(kind);
	if (err)
		check_restore(suite);
	/* Somebody may still be in what was chosen before. */
	synchronize_rcu_tasks();
	return err;
}

KUNIT_ARRAY_PARAM(context, contexts, context_desc);
KUNIT_ARRAY_PARAM(class, classes, class_desc);

static struct kunit_case cases[] = {
	KUNIT_CASE(counts_wrong),
	KUNIT_CASE_PARAM(context, context_gen_params),
	KUNIT_CASE_PARAM(inside, class_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name		= "simd_copy_guard",
	.suite_init	= use_stock,
	.suite_exit	= check_restore,
	.init		= prepare,
	.exit		= release,
	.test_cases	= cases,
};

kunit_test_suite(suite);
