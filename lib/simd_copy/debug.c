// SPDX-License-Identifier: GPL-2.0
/*
 * Checks that a section keeps its rules, whatever the preemption model: on a
 * kernel without PREEMPT_COUNT nothing else notices a schedule() in a section,
 * and the registers are gone without a trace.
 *
 * Each report is a WARN, once per rule and routine, and the section goes on.
 */
#define pr_fmt(fmt) "simd_copy: " fmt

#include <linux/bitmap.h>
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

#include "debug.h"

/**
 * enum rule - what a section must not do
 * @RULE_SCHEDULE:	schedule
 * @RULE_IRQS:		change the interrupt state
 * @RULE_CLASS:		end as another class than it began as
 * @RULE_OUTSIDE:	be missing around a routine that needs it
 * @RULE_BYTES:		move more than the routine's bound
 * @NR_RULES:		number of rules
 */
enum rule {
	RULE_SCHEDULE,
	RULE_IRQS,
	RULE_CLASS,
	RULE_OUTSIDE,
	RULE_BYTES,
	NR_RULES
};

static const char *const broken[NR_RULES] = {
	[RULE_SCHEDULE]	= "scheduled in a section",
	[RULE_IRQS]	= "changed the interrupt state in a section",
	[RULE_CLASS]	= "ended a section of another class",
	[RULE_OUTSIDE]	= "ran outside a section of its class",
	[RULE_BYTES]	= "moved more in a section than its bound",
};

/* Routines that broke a rule; the last bit is for sections without a routine. */
static DECLARE_BITMAP(reported[NR_RULES], SIMD_NR_ROUTINES + 1);

/**
 * struct section_debug - the section that is open on a CPU
 * @task:	who opened it, NULL if none is open
 * @guard:	its class
 * @irqs_off:	whether interrupts were off when it began
 * @scheduled:	@task has been scheduled out since
 * @notified:	@notifier is registered
 * @notifier:	called when @task is scheduled out
 * @r:		the routine that runs in it, if one does
 * @start:	when that began, ns
 * @longest:	by row, the longest it ever took on this CPU, ns
 */
struct section_debug {
	struct task_struct		*task;
	enum simd_guard			guard;
	bool				irqs_off;
	bool				scheduled;
	bool				notified;
	struct preempt_notifier		notifier;
	const struct simd_routine	*r;
	u64				start;
	u32				longest[SIMD_NR_ROUTINES];
};

static DEFINE_PER_CPU(struct section_debug, section_debug);

static void report(enum rule rule, const struct simd_routine *r)
{
	if (test_and_set_bit(r ? r - simd_routines : SIMD_NR_ROUTINES, reported[rule]))
		return;
	if (r)
		WARN(1, "simd_copy: %s/%s %s\n", simd_kind_names[r->kind], r->name, broken[rule]);
	else
		WARN(1, "simd_copy: a user of the guard %s\n", broken[rule]);
}

static void sched_in(struct preempt_notifier *notifier, int cpu)
{
}

/* The scheduler holds its lock, under which a console may not be woken. */
static void sched_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	container_of(notifier, struct section_debug, notifier)->scheduled = true;
}

static struct preempt_ops preempt_ops = {
	.sched_in	= sched_in,
	.sched_out	= sched_out,
};

/*
 * The section that this task has open, NULL if it has none. Whoever has scheduled in one
 * may be on another CPU than it began on. An interrupt's own section comes first.
 */
static struct section_debug *find_section(void)
{
	/* A section that can sleep is where preemption is on: it is what this is to report. */
	struct section_debug *d = raw_cpu_ptr(&section_debug);
	int cpu;

	if (READ_ONCE(d->task) == current)
		return d;
	for_each_possible_cpu(cpu) {
		d = per_cpu_ptr(&section_debug, cpu);
		if (READ_ONCE(d->task) == current)
			return d;
	}
	return NULL;
}

/**
 * simd_debug_begin() - a section has been opened
 * @guard:	its class
 */
void simd_debug_begin(enum simd_guard guard)
{
	struct section_debug *d = this_cpu_ptr(&section_debug);

	WRITE_ONCE(d->task, current);
	d->guard = guard;
	d->irqs_off = irqs_disabled();
	d->scheduled = false;
	d->r = NULL;
	/* An interrupt handler does not schedule, the task below it may. */
	d->notified = in_task();
	if (d->notified) {
		preempt_notifier_init(&d->notifier, &preempt_ops);
		preempt_notifier_register(&d->notifier);
	}
}

/**
 * simd_debug_end() - a section is about to be closed
 * @guard:	the class it is said to be of
 */
void simd_debug_end(enum simd_guard guard)
{
	struct section_debug *d = find_section();

	if (!d || d->guard != guard)
		report(RULE_CLASS, d ? d->r : NULL);
	if (!d)
		return;

	if (d->scheduled)
		report(RULE_SCHEDULE, d->r);
	if (d->irqs_off != irqs_disabled())
		report(RULE_IRQS, d->r);
	if (d->notified)
		preempt_notifier_unregister(&d->notifier);
	WRITE_ONCE(d->task, NULL);
}

/**
 * simd_debug_enter() - a routine is about to be called
 * @r:	the routine
 */
void simd_debug_enter(const struct simd_routine *r)
{
	struct section_debug *d = find_section();

	if (!d || d->guard != r->guard)
		report(RULE_OUTSIDE, r);
	if (!d)
		return;
	d->r = r;
	d->start = ktime_get_mono_fast_ns();
}
SIMD_EXPORT_FOR_TESTS(simd_debug_enter);

/**
 * simd_debug_leave() - the routine has returned
 * @bytes:	what it has moved
 */
void simd_debug_leave(unsigned long bytes)
{
	struct section_debug *d = find_section();
	u64 took;
	u32 *longest;

	/* Reported when it was entered. */
	if (!d || !d->r)
		return;
	took = ktime_get_mono_fast_ns() - d->start;
	longest = &d->longest[d->r - simd_routines];
	if (took > *longest)
		*longest = min_t(u64, took, U32_MAX);
	if (bytes > d->r->section)
		report(RULE_BYTES, d->r);
}
SIMD_EXPORT_FOR_TESTS(simd_debug_leave);

/**
 * simd_debug_show() - print the longest section of each row
 * @m:	where to
 */
void simd_debug_show(struct seq_file *m)
{
	unsigned int row;
	u32 longest;
	int cpu;

	simd_for_each_row(row) {
		longest = 0;
		for_each_possible_cpu(cpu)
			longest = max(longest, per_cpu_ptr(&section_debug, cpu)->longest[row]);
		if (longest)
			seq_printf(m, "longest section of %s/%s: %u ns\n",
				   simd_kind_names[simd_routines[row].kind],
				   simd_routines[row].name, longest);
	}
}

void simd_debug_init(void)
{
	preempt_notifier_inc();
}

void simd_debug_exit(void)
{
	preempt_notifier_dec();
}
