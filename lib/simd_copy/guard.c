// SPDX-License-Identifier: GPL-2.0
/*
 * The guard: when a register file may be used in the kernel, and by whom.
 *
 * The rules, and what happens without each:
 *
 * 1. Sections are kernel_fpu_begin_mask() and kernel_fpu_end(), never a save of
 *    our own. Those that were got it wrong (OpenZFS #9346, #13236, #14989).
 * 2. An MMX section clears pending x87 exceptions, after the owner's state is
 *    saved and before the first MMX instruction. MMX instructions wait for x87
 *    exceptions (SDM vol. 3, 12.5.1), a user process can leave one pending, and
 *    in the kernel #MF is an oops. kernel_fpu_begin() does not do this on
 *    x86-64 since commit 49200d17d27d. Clearing before the save would take the
 *    exception away from its owner, who has to get the SIGFPE.
 * 3. Page fault handling is off in a section. preempt_disable() does not do
 *    that without CONFIG_PREEMPT_COUNT: a fault would be handled, sleep, and
 *    the context switch would not save the registers, since the owner's are
 *    saved already.
 * 4. Sections do not nest, a section being open on this CPU refuses the next,
 *    whoever opened it: irq_fpu_usable() knows, but for UML, where it does not.
 *    An NMI, a hardirq on PREEMPT_RT and early boot are refused: none of them can
 *    know whether a section is open.
 * 5. Nothing sleeps in a section: the registers would be lost as in rule 3. With
 *    CONFIG_SIMD_COPY_DEBUG a section that schedules is reported: see debug.c.
 * 6. A section is short. It ends after as many bytes as its row says, so that
 *    preemption and softirqs do not wait for a whole extent.
 * 7. A section ends in the interrupt state in which it began, and ends whatever
 *    happens in it: simd_section() is the only way into one.
 * 8. UML has no kernel_fpu_begin_mask(). The host saves the registers of the
 *    kernel's process, so that FNCLEX and EMMS are all that is left of a section.
 * 9. A task that has softirqs off, or preemption off on PREEMPT_RT, is refused. It
 *    may be inside fpregs_lock(), where the registers on the CPU are taken for the
 *    owner's, and irq_fpu_usable() does not tell: a section would overwrite them.
 * 10. User memory may be a device's. In a guest a hypervisor then emulates the access,
 *    so that only instructions that it knows may be used: see veto() in table.c.
 *
 * tools/testing/model holds the same steps as a model, with everything that can
 * happen between them, and shows what goes wrong without each rule. Whoever
 * changes the steps changes both.
 */
#include <linux/export.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include <asm/fpu/api.h>

#include "debug.h"
#include "guard.h"

static DEFINE_PER_CPU(struct simd_stats, simd_stats);

/*
 * The first section of a kernel that has simd_copy built in must not come before
 * the FPU and per-CPU data of all CPUs are set up; a module's can not.
 */
static DEFINE_STATIC_KEY_FALSE(simd_booted);

/**
 * simd_guard_init() - sections may be opened from now on
 *
 * Context: task.
 */
void simd_guard_init(void)
{
	static_branch_enable(&simd_booted);
}

/* Counted by the routines: see guard.h. */
int simd_odd_traps;

/* The class of the section that is open on this CPU. */
static DEFINE_PER_CPU(enum simd_guard, simd_live);

const char *const simd_refusal_names[SIMD_NR_REFUSALS] = {
	[SIMD_REFUSED_NESTED]	= "nested",
	[SIMD_REFUSED_FPREGS]	= "fpregs",
	[SIMD_REFUSED_SOFTIRQ]	= "softirq",
	[SIMD_REFUSED_HARDIRQ]	= "hardirq",
	[SIMD_REFUSED_RT]	= "rt_hardirq",
	[SIMD_REFUSED_NMI]	= "nmi",
	[SIMD_REFUSED_EARLY]	= "early",
};
SIMD_EXPORT_FOR_TESTS(simd_refusal_names);

/*
 * Whether a task may be inside fpregs_lock(), which turns softirqs off, or preemption on
 * PREEMPT_RT. The caller has preemption off once itself. A softirq can not have
 * interrupted fpregs_lock(), and a hardirq asks irq_fpu_usable().
 */
static bool may_hold_fpregs(void)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return (preempt_count() & PREEMPT_MASK) > PREEMPT_OFFSET;
	return in_task() && softirq_count();
}

/* Why a section can not be opened here, SIMD_NR_REFUSALS if it can. Preemption is off. */
static enum simd_refusal refusal(void)
{
	if (in_nmi())
		return SIMD_REFUSED_NMI;
	if (IS_BUILTIN(CONFIG_SIMD_COPY) && !static_branch_likely(&simd_booted))
		return SIMD_REFUSED_EARLY;
	/*
	 * fpregs_lock() only disables preemption on PREEMPT_RT, so that
	 * irq_fpu_usable() can not tell that it was interrupted.
	 */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && in_hardirq())
		return SIMD_REFUSED_RT;
	if (!this_cpu_read(simd_live) && irq_fpu_usable())
		return may_hold_fpregs() ? SIMD_REFUSED_FPREGS : SIMD_NR_REFUSALS;
	if (in_hardirq())
		return SIMD_REFUSED_HARDIRQ;
	if (in_serving_softirq())
		return SIMD_REFUSED_SOFTIRQ;
	return SIMD_REFUSED_NESTED;
}

/**
 * simd_guard_begin() - open a section in which a register file may be used
 * @guard:	%SIMD_GUARD_XMM or %SIMD_GUARD_MMX
 *
 * Saves the owner's registers if they are live, and turns preemption and page
 * fault handling off until simd_guard_end(). Register contents are undefined
 * on entry. With %SIMD_GUARD_MMX no x87 exception is pending on entry, and the
 * section must leave the x87 tags empty (EMMS). The owner of the registers
 * gets them back unchanged, a pending exception included.
 *
 * A section must not sleep, fault where there is no exception entry, nest, change
 * the interrupt state, or run for longer than a few microseconds. Only
 * simd_section() calls this, so that no path can leave a section open.
 *
 * Context: any. Refused in NMI, in early boot, in a hardirq under PREEMPT_RT, in a
 * task that has softirqs off (PREEMPT_RT: preemption), and wherever a section of
 * any kernel user is already open on this CPU.
 * Return: true if the section is open, false if it was refused: nothing has
 * changed then, and the caller uses a routine of %SIMD_GUARD_NONE.
 */
bool simd_guard_begin(enum simd_guard guard)
{
	enum simd_refusal why;

	preempt_disable();
	why = refusal();
	if (unlikely(why < SIMD_NR_REFUSALS)) {
		this_cpu_inc(simd_stats.refused[why]);
		preempt_enable();
		return false;
	}

	if (simd_saves_state())
		this_cpu_inc(simd_stats.saves);
	else if (!simd_has_state())
		this_cpu_inc(simd_stats.invalidations);
	this_cpu_inc(simd_stats.sections);
	this_cpu_write(simd_live, guard);
	pagefault_disable();

	/*
	 * Mask 0: no move looks at MXCSR. Nor does MMX care for what else FNINIT
	 * would set up, so that KFPU_387 is not needed either. FCW is still the
	 * owner's, but unmasks nothing: MMX instructions raise no numeric
	 * exception (SDM vol. 1, "Exception Handling in MMX Code"). Stack top and
	 * tags are the owner's, but the first MMX instruction makes them 0 and
	 * valid, and EMMS makes the tags empty (SDM vol. 1, "Transitions Between
	 * x87 FPU and MMX Code"; APM vol. 1, "Mixing Media Code with x87 Code").
	 * Only a pending exception is in the way. FNCLEX clears that, does not
	 * wait for it, and takes 10 ns; FNINIT takes 25 ns (Intel Xeon, family 6,
	 * model 207).
	 */
	kernel_fpu_begin_mask(0);
	if (guard == SIMD_GUARD_MMX)
		asm volatile("fnclex");
	simd_debug_begin(guard);

	/* The section itself keeps the task on this CPU from here on. */
	preempt_enable();
	return true;
}
SIMD_EXPORT_FOR_TESTS(simd_guard_begin);

/**
 * simd_guard_end() - close the section that simd_guard_begin() opened
 * @guard:	the same class
 *
 * Context: that of simd_guard_begin(), same CPU, same interrupt state.
 */
void simd_guard_end(enum simd_guard guard)
{
	simd_debug_end(guard);
	this_cpu_write(simd_live, SIMD_GUARD_NONE);
	pagefault_enable();
	kernel_fpu_end();
}
SIMD_EXPORT_FOR_TESTS(simd_guard_end);

/**
 * simd_account() - count what a section has done
 * @bytes:	moved
 * @faulted:	a copy met a fault, or a machine check
 *
 * Context: inside the section.
 */
void simd_account(unsigned long bytes, bool faulted)
{
	this_cpu_add(simd_stats.bytes, bytes);
	if (faulted)
		this_cpu_inc(simd_stats.faults);
}
SIMD_EXPORT_FOR_TESTS(simd_account);

/**
 * simd_account_small() - count a call that is too small for any routine but stock
 *
 * Context: any.
 */
void simd_account_small(void)
{
	this_cpu_inc(simd_stats.small);
}

static void stats_line(struct seq_file *m, const struct simd_stats *s)
{
	unsigned int i;

	seq_printf(m, " %12lu %16lu %10lu %13lu %10lu %10lu", s->sections, s->bytes,
		   s->saves, s->invalidations, s->faults, s->small);
	for (i = 0; i < SIMD_NR_REFUSALS; i++)
		seq_printf(m, " %10lu", s->refused[i]);
	seq_puts(m, "\n");
}

/**
 * simd_stats_total() - add the counters of all CPUs up
 * @total:	result
 */
void simd_stats_total(struct simd_stats *total)
{
	unsigned int i;
	int cpu;

	memset(total, 0, sizeof(*total));
	for_each_possible_cpu(cpu) {
		const struct simd_stats *s = per_cpu_ptr(&simd_stats, cpu);

		total->sections += s->sections;
		total->bytes += s->bytes;
		total->saves += s->saves;
		total->invalidations += s->invalidations;
		total->faults += s->faults;
		total->small += s->small;
		for (i = 0; i < SIMD_NR_REFUSALS; i++)
			total->refused[i] += s->refused[i];
	}
}
SIMD_EXPORT_FOR_TESTS(simd_stats_total);

/**
 * simd_stats_show() - print the counters, one line per CPU and the total
 * @m:	where to
 */
void simd_stats_show(struct seq_file *m)
{
	struct simd_stats total;
	unsigned int i;
	int cpu;

	seq_printf(m, "%-6s %12s %16s %10s %13s %10s %10s", "cpu", "sections", "bytes",
		   "saves", "invalidations", "faults", "small");
	for (i = 0; i < SIMD_NR_REFUSALS; i++)
		seq_printf(m, " %10s", simd_refusal_names[i]);
	seq_puts(m, "\n");

	for_each_possible_cpu(cpu) {
		seq_printf(m, "%-6d", cpu);
		stats_line(m, per_cpu_ptr(&simd_stats, cpu));
	}
	simd_stats_total(&total);
	seq_printf(m, "%-6s", "total");
	stats_line(m, &total);
	seq_printf(m, "traps of copies that were neither page faults nor machine checks: %d\n",
		   READ_ONCE(simd_odd_traps));
	simd_debug_show(m);
}

/**
 * simd_stats_reset() - start counting anew
 *
 * A count made on another CPU at the same time may survive.
 */
void simd_stats_reset(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&simd_stats, cpu), 0, sizeof(struct simd_stats));
}
