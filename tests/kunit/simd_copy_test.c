// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/simd_copy_test: lets the kselftests look into sections, run a routine
 * anywhere in the kernel, and break the rules.
 *
 * An oops can not be the oracle of a test for pending x87 exceptions: QEMU's
 * TCG raises #MF for FWAIT and FNOP only, never for an MMX instruction. So the
 * section reads the status word, and runs one FWAIT whose trap is caught.
 */
#include <linux/cleanup.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include <asm/asm.h>
#include <asm/extable.h>
#include <asm/fpu/api.h>
#include <asm/fpu/types.h>
#include <asm/fpu/xcr.h>
#include <asm/simd_page.h>

#include "choice.h"
#include "guard.h"
#include "run.h"
#include "simd_copy_test_uapi.h"

static bool section_begin(u32 section)
{
	bool live;

	switch (section) {
	case SIMD_COPY_TEST_XMM:
		return simd_guard_begin(SIMD_GUARD_XMM);
	case SIMD_COPY_TEST_MMX:
		return simd_guard_begin(SIMD_GUARD_MMX);
	case SIMD_COPY_TEST_PLAIN:
		/* Whoever was preempted on the way here has its registers in memory. */
		preempt_disable();
		live = simd_saves_state();
		if (live)
			kernel_fpu_begin_mask(KFPU_MXCSR);
		preempt_enable();
		return live;
	default:
		return false;
	}
}

static void section_end(u32 section)
{
	switch (section) {
	case SIMD_COPY_TEST_XMM:
		simd_guard_end(SIMD_GUARD_XMM);
		break;
	case SIMD_COPY_TEST_MMX:
		simd_guard_end(SIMD_GUARD_MMX);
		break;
	case SIMD_COPY_TEST_PLAIN:
		kernel_fpu_end();
		break;
	}
}

static void probe_section(struct simd_copy_test_probe *probe)
{
	u16 fsw, fcw;
	int err = 0;

	probe->fsw = 0;
	probe->fcw = 0;
	probe->trapped = 0;
	probe->entered = section_begin(probe->section);
	if (!probe->entered)
		return;

	asm volatile("fnstsw %0" : "=m" (fsw));
	asm volatile("fnstcw %0" : "=m" (fcw));
	/* #MF comes before FWAIT has done anything: the fixup is the next one. */
	asm volatile("1: fwait\n"
		     "2:\n"
		     _ASM_EXTABLE_TYPE_REG(1b, 2b, EX_TYPE_EFAULT_REG, %0)
		     : "+r" (err));
	/* What is pending must not be met by the next user of the registers. */
	if (err)
		asm volatile("fnclex");
	section_end(probe->section);

	probe->fsw = fsw;
	probe->fcw = fcw;
	probe->trapped = !!err;
}

#define MAX_PAGES	64
#define RED_ZONE	PAGE_SIZE
#define BUFFER_SIZE	(MAX_PAGES * PAGE_SIZE + 2 * RED_ZONE)

/* Protects all that follows. There is one run at a time. */
static DEFINE_MUTEX(test_lock);

/* A red zone, the extent, and the other red zone right behind it. */
static u8 *dst, *src;

/**
 * struct test - the run at hand
 * @row:	the row
 * @len:	bytes
 * @context:	enum simd_copy_test_context
 * @reached:	it came to run there
 * @ran:	what simd_run_row() said
 * @lost:	bytes of the registers of whoever holds fpregs_lock() that it changed
 * @blind:	a section there changes none that @lost would count
 */
static struct test {
	unsigned int	row;
	unsigned long	len;
	u32		context;
	bool		reached;
	bool		ran;
	u32		lost;
	bool		blind;
} test;

/**
 * struct later - a run that waits for its context, or for someone to fetch it
 * @run:	the run
 * @file:	the file whose release it waits for, NULL for a CPU
 * @err:	what came of it, -ENODATA while it waits
 */
struct later {
	struct simd_copy_test_run	run;
	struct file			*file;
	int				err;
};

/* In the order in which they were armed. */
static struct later later[SIMD_NR_ROUTINES];
static unsigned int nr_later;

/* Odd, so that no byte looks cleared. The source has the complement. */
static u8 pattern(unsigned long i)
{
	return SIMD_COPY_TEST_BYTE(i);
}

static void fill_buffers(void)
{
	unsigned long i;

	for (i = 0; i < test.len + 2 * RED_ZONE; i++) {
		dst[i] = pattern(i);
		src[i] = ~pattern(i);
	}
}

static u32 count_wrong(void)
{
	bool copies = simd_routines[test.row].kind != SIMD_KIND_clear;
	unsigned long i;
	u32 wrong = 0;

	for (i = 0; i < test.len + 2 * RED_ZONE; i++) {
		bool inside = i >= RED_ZONE && i < RED_ZONE + test.len;
		u8 brought = copies ? ~pattern(i) : 0;

		wrong += dst[i] != (inside ? brought : pattern(i));
		wrong += src[i] != (u8)~pattern(i);
	}
	return wrong;
}

/* Whether count_wrong() overlooks a wrong bit: it is of no use then. */
static bool count_is_blind(void)
{
	u8 *const spoilt[] = {
		dst + RED_ZONE - 1, dst + RED_ZONE, dst + RED_ZONE + test.len - 1,
		dst + RED_ZONE + test.len, src + RED_ZONE,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(spoilt); i++)
		*spoilt[i] ^= 0x10;
	return count_wrong() != ARRAY_SIZE(spoilt);
}

/* Whether this is the context that was asked for, as far as it can be told. */
static bool context_reached(void)
{
	switch (test.context) {
	case SIMD_COPY_TEST_IRQS_OFF:
		return irqs_disabled();
	case SIMD_COPY_TEST_SOFTIRQ:
	case SIMD_COPY_TEST_SECTION_SOFTIRQ:
		return in_serving_softirq() && !in_hardirq();
	case SIMD_COPY_TEST_HARDIRQ:
	case SIMD_COPY_TEST_SECTION_HARDIRQ:
		return in_hardirq();
	case SIMD_COPY_TEST_NMI:
		return in_nmi();
	case SIMD_COPY_TEST_KTHREAD:
		return current->flags & PF_KTHREAD;
	case SIMD_COPY_TEST_EXIT:
		return current->flags & PF_EXITING;
	case SIMD_COPY_TEST_HOTPLUG:
		return !cpu_active(raw_smp_processor_id());
	default:
		return in_task();
	}
}

static void run_here(void)
{
	test.reached = context_reached();
	test.ran = simd_run_row(test.row, dst + RED_ZONE, src + RED_ZONE, test.len);
}

/* Registers in the form of XSAVE, which begins with that of FXSAVE. */
union registers {
	struct {
		struct fxregs_state	legacy;
		struct xstate_header	header;
	};
	u8	bytes[PAGE_SIZE];
} __aligned(64);

/* All but those that no row touches: PKRU and AMX. */
static u32 registers_mask(void)
{
	return xgetbv(XCR_XFEATURE_ENABLED_MASK) & (SIMD_XFEATURES_ZMM | XFEATURE_MASK_FP);
}

static void save_registers(union registers *r)
{
	memset(r, 0, sizeof(*r));
	if (boot_cpu_has(X86_FEATURE_XSAVE))
		asm volatile("xsave %0" : "+m" (*r) : "a" (registers_mask()), "d" (0));
	else if (boot_cpu_has(X86_FEATURE_FXSR))
		asm volatile("fxsave %0" : "+m" (*r));
	else /* twice: the FRSTOR of an emulator may lose the instruction pointer */
		asm volatile("fnsave %0; frstor %0; fnsave %0; frstor %0" : "+m" (*r));
}

static void load_registers(const union registers *r)
{
	if (boot_cpu_has(X86_FEATURE_XSAVE))
		asm volatile("xrstor %0" : : "m" (*r), "a" (registers_mask()), "d" (0));
	else if (boot_cpu_has(X86_FEATURE_FXSR))
		asm volatile("fxrstor %0" : : "m" (*r));
	else
		asm volatile("frstor %0" : : "m" (*r));
}

/* Load registers with what no task and no routine has in them. */
static void load_rubbish(void)
{
	static union registers rubbish;

	lockdep_assert_held(&test_lock);
	if (!boot_cpu_has(X86_FEATURE_FXSR)) {
		asm volatile("fninit; .rept 8; fldpi; .endr");
		return;
	}
	memset(&rubbish.legacy, 0x5a, sizeof(rubbish.legacy));
	rubbish.legacy.cwd = 0x37f;
	rubbish.legacy.swd = 0;
	rubbish.legacy.twd = 0xff;
	rubbish.legacy.mxcsr = MXCSR_DEFAULT;
	/* All else that the mask names gets its initial value: 0. */
	rubbish.header.xfeatures = XFEATURE_MASK_FPSSE;
	load_registers(&rubbish);
}

static u32 count_lost(const union registers *before, const union registers *after)
{
	const unsigned int header = sizeof(before->legacy), rest = header + sizeof(before->header);
	unsigned int i;
	u32 lost = 0;

	/* The header says what is in use, of which a CPU may have another opinion any time. */
	for (i = 0; i < sizeof(before->bytes); i++)
		lost += (i < header || i >= rest) && before->bytes[i] != after->bytes[i];
	return lost;
}

/*
 * As the kernel does it that saves a task's registers for a signal, or loads them after
 * one: inside fpregs_lock() what is in the registers is the owner's. The control is a
 * section that opens all the same.
 */
static void run_in_fpregs_lock(void)
{
	const struct simd_routine *r = &simd_routines[test.row];
	static union registers before, after;

	/* Saves those of the caller, who gets them back on its way to user space. */
	kernel_fpu_begin_mask(0);
	kernel_fpu_end();

	fpregs_lock();
	load_rubbish();
	save_registers(&before);
	run_here();
	save_registers(&after);
	test.lost = count_lost(&before, &after);
	if (r->guard) {
		kernel_fpu_begin_mask(0);
		simd_call(r->kind, r->fn, dst + RED_ZONE, src + RED_ZONE, test.len);
		kernel_fpu_end();
		save_registers(&after);
		test.blind = !count_lost(&before, &after);
	}
	fpregs_unlock();
}

static void run_work(struct work_struct *work)
{
	run_here();
}

static DECLARE_WORK(work, run_work);

static void run_softirq(struct tasklet_struct *unused)
{
	run_here();
}

static DECLARE_TASKLET(softirq, run_softirq);

static void run_hardirq(struct irq_work *unused)
{
	if (test.context == SIMD_COPY_TEST_SECTION_SOFTIRQ)
		tasklet_schedule(&softirq);
	else
		run_here();
}

static struct irq_work hardirq = IRQ_WORK_INIT_HARD(run_hardirq);

/* Interrupt this CPU, here: the IPI is the first to come once they are on. */
static void interrupt(void)
{
	unsigned long flags;

	local_irq_save(flags);
	irq_work_queue(&hardirq);
	local_irq_restore(flags);
	while (irq_work_is_busy(&hardirq))
		cpu_relax();
}

static void run_in_context(void)
{
	enum simd_guard class = simd_routines[test.row].guard ?: SIMD_GUARD_XMM;
	unsigned long flags;

	switch (test.context) {
	case SIMD_COPY_TEST_IRQS_OFF:
		local_irq_save(flags);
		run_here();
		local_irq_restore(flags);
		break;
	case SIMD_COPY_TEST_PREEMPT_OFF:
		preempt_disable();
		run_here();
		preempt_enable();
		break;
	case SIMD_COPY_TEST_BH_OFF:
		local_bh_disable();
		run_here();
		local_bh_enable();
		break;
	case SIMD_COPY_TEST_FPREGS:
		run_in_fpregs_lock();
		break;
	case SIMD_COPY_TEST_KTHREAD:
		schedule_work(&work);
		flush_work(&work);
		break;
	case SIMD_COPY_TEST_SOFTIRQ:
		/* On top of this task, and not in ksoftirqd. */
		local_bh_disable();
		tasklet_schedule(&softirq);
		local_bh_enable();
		tasklet_kill(&softirq);
		break;
	case SIMD_COPY_TEST_HARDIRQ:
		interrupt();
		break;
	case SIMD_COPY_TEST_NMI:
		local_irq_save(flags);
		preempt_count_add(NMI_OFFSET);
		run_here();
		preempt_count_sub(NMI_OFFSET);
		local_irq_restore(flags);
		break;
	case SIMD_COPY_TEST_NESTED:
		simd_section(class)
			run_here();
		break;
	case SIMD_COPY_TEST_FOREIGN:
		kernel_fpu_begin();
		run_here();
		kernel_fpu_end();
		break;
	case SIMD_COPY_TEST_SECTION_HARDIRQ:
		simd_section(class)
			interrupt();
		break;
	case SIMD_COPY_TEST_SECTION_SOFTIRQ:
		simd_section(class)
			interrupt();
		tasklet_kill(&softirq);
		break;
	default:
		run_here();
	}
}

/* Find a row by "KIND/NAME". */
static int find_row(const char *name)
{
	unsigned int kind;
	int row;

	for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
		size_t n = strlen(simd_kind_names[kind]);

		if (strncmp(name, simd_kind_names[kind], n) || name[n] != '/')
			continue;
		row = simd_find_row(kind, name + n + 1);
		if (row < 0)
			break;
		return simd_usable(&simd_results[row]) ? row : -EOPNOTSUPP;
	}
	return -ENOENT;
}

static int run_test(struct simd_copy_test_run *run)
{
	struct simd_stats before, after;
	unsigned int i;

	lockdep_assert_held(&test_lock);

	test = (struct test) {
		.row		= find_row(run->row),
		.len		= run->npages * PAGE_SIZE,
		.context	= run->context,
	};
	fill_buffers();
	simd_stats_total(&before);
	run_in_context();
	simd_stats_total(&after);
	if (!test.reached)
		return -EBUSY;

	run->ran = test.ran;
	run->wrong = count_wrong();
	run->lost = test.lost;
	run->reason[0] = '\0';
	for (i = 0; i < SIMD_NR_REFUSALS; i++) {
		if (after.refused[i] != before.refused[i])
			strscpy(run->reason, run->reason[0] ? "several" : simd_refusal_names[i],
				sizeof(run->reason));
	}
	return test.blind || (!run->wrong && count_is_blind()) ? -EIO : 0;
}

static int start_test(struct file *file, struct simd_copy_test_run *run)
{
	int row;

	run->row[sizeof(run->row) - 1] = '\0';
	if (!run->npages || run->npages > MAX_PAGES || run->context >= SIMD_COPY_TEST_NR_CONTEXTS)
		return -EINVAL;
	row = find_row(run->row);
	if (row < 0)
		return row;

	guard(mutex)(&test_lock);
	if (run->context != SIMD_COPY_TEST_EXIT && run->context != SIMD_COPY_TEST_HOTPLUG)
		return run_test(run);

	if (nr_later == ARRAY_SIZE(later))
		return -ENOSPC;
	later[nr_later++] = (struct later) {
		.run	= *run,
		.file	= run->context == SIMD_COPY_TEST_EXIT ? file : NULL,
		.err	= -ENODATA,
	};
	return 0;
}

static void run_armed(struct file *file)
{
	struct later *l;

	guard(mutex)(&test_lock);
	for (l = later; l < later + nr_later; l++) {
		if (l->err == -ENODATA && l->file == file)
			l->err = run_test(&l->run);
	}
}

static int fetch_result(struct simd_copy_test_run *run)
{
	unsigned int i;
	int err;

	guard(mutex)(&test_lock);
	for (i = 0; i < nr_later; i++) {
		if (later[i].err == -ENODATA)
			continue;
		*run = later[i].run;
		err = later[i].err;
		nr_later--;
		memmove(&later[i], &later[i + 1], (nr_later - i) * sizeof(later[0]));
		return err;
	}
	return -ENODATA;
}

/* What copies to user space are made from. */
static u8 *source;

static int run_to_user(struct simd_copy_test_to_user *t)
{
	void __user *to = (void __user *)(unsigned long)t->to;
	bool ok = access_ok(to, t->n);
	bool api = !strcmp(t->row, "api"), stock = !strcmp(t->row, "stock");
	const struct simd_routine *r = NULL;
	struct simd_stats before, after;
	const u8 *from;
	bool all, fits, open;
	unsigned int i;
	int row;

	if (t->offset > SIMD_COPY_TEST_SOURCE)
		return -EINVAL;
	from = source + t->offset;
	fits = t->n <= SIMD_COPY_TEST_SOURCE - t->offset;
	if (ok && !fits)
		return -EINVAL;
	if (!api && !stock) {
		row = find_row(t->row);
		if (row < 0)
			return row;
		r = &simd_routines[row];
		if (r->kind != SIMD_KIND_to_user)
			return -ENOENT;
		if (!ok && (!fits || t->to != SIMD_COPY_TEST_NOWHERE))
			return -EFAULT;
	}

	simd_stats_total(&before);
	if (t->nofault)
		pagefault_disable();
	/* copy_to_user() itself warns of an @n that no object can have. */
	if (api)
		t->left = simd_copy_to_user(to, from, t->n);
	else if (stock)
		t->left = _copy_to_user(to, from, t->n);
	else
		t->left = simd_run(r, r->kind, r->guard, r->fn, (void __force *)to, from, t->n,
				   &all);
	open = native_save_fl() & X86_EFLAGS_AC;
	if (t->nofault)
		pagefault_enable();
	simd_stats_total(&after);
	t->sections = after.sections - before.sections;
	t->faults = after.faults - before.faults;
	t->small = after.small - before.small;
	t->refused = 0;
	for (i = 0; i < SIMD_NR_REFUSALS; i++)
		t->refused += after.refused[i] - before.refused[i];
	return open ? -EIO : 0;
}

static long to_user_ioctl(struct simd_copy_test_to_user __user *user)
{
	struct simd_copy_test_to_user t;
	int err;

	if (copy_from_user(&t, user, sizeof(t)))
		return -EFAULT;
	t.row[sizeof(t.row) - 1] = '\0';
	err = run_to_user(&t);
	if (err)
		return err;
	return copy_to_user(user, &t, sizeof(t)) ? -EFAULT : 0;
}

static int run_copy_mc(struct simd_copy_test_copy_mc *t)
{
	bool api = !strcmp(t->row, "api"), stock = !strcmp(t->row, "stock"), all;
	const struct simd_routine *r = NULL;
	u8 *to, *from;
	long i;
	int row;

	if (t->n > SIMD_COPY_TEST_MC_MAX || t->align >= PAGE_SIZE ||
	    t->offset > SIMD_COPY_TEST_SOURCE || t->n > SIMD_COPY_TEST_SOURCE - t->offset)
		return -EINVAL;
	if (!api && !stock) {
		row = find_row(t->row);
		if (row < 0)
			return row;
		r = &simd_routines[row];
		if (r->kind != SIMD_KIND_copy_mc)
			return -ENOENT;
	}

	guard(mutex)(&test_lock);
	from = source + t->offset;
	to = dst + PAGE_SIZE + t->align;
	for (i = -SIMD_COPY_TEST_MC_RED; i < (long)t->n + SIMD_COPY_TEST_MC_RED; i++)
		to[i] = ~pattern(t->offset + i);

	if (api)
		t->left = simd_copy_mc(to, from, t->n);
	else if (stock)
		t->left = copy_mc_to_kernel(to, from, t->n);
	else
		t->left = simd_run(r, r->kind, r->guard, r->fn, to, from, t->n, &all);
	t->source = (unsigned long)from;

	return copy_to_user((void __user *)(unsigned long)t->to, to - SIMD_COPY_TEST_MC_RED,
			    t->n + 2 * SIMD_COPY_TEST_MC_RED) ? -EFAULT : 0;
}

static long copy_mc_ioctl(struct simd_copy_test_copy_mc __user *user)
{
	struct simd_copy_test_copy_mc t;
	int err;

	if (copy_from_user(&t, user, sizeof(t)))
		return -EFAULT;
	t.row[sizeof(t.row) - 1] = '\0';
	err = run_copy_mc(&t);
	if (err)
		return err;
	return copy_to_user(user, &t, sizeof(t)) ? -EFAULT : 0;
}

static int test_release(struct inode *inode, struct file *file)
{
	run_armed(file);
	return 0;
}

static int test_cpu_online(unsigned int cpu)
{
	run_armed(NULL);
	return 0;
}

static const struct simd_routine *first_guarded(void)
{
	unsigned int row;

	simd_for_each_row(row) {
		if (simd_routines[row].guard && simd_usable(&simd_results[row]))
			return &simd_routines[row];
	}
	return NULL;
}

static const struct simd_routine *last_guarded(void)
{
	unsigned int row = SIMD_NR_ROUTINES;

	while (row--) {
		if (simd_routines[row].guard && simd_usable(&simd_results[row]))
			return &simd_routines[row];
	}
	return NULL;
}

/*
 * Whatever a section holds of the preemption count. A kernel without
 * PREEMPT_COUNT holds nothing: that is how it comes to schedule.
 */
static void offend_schedule(const struct simd_routine *r)
{
	const unsigned long switches = current->nvcsw;
	int held;

	migrate_disable();
	held = preempt_count();
	simd_section(r->guard) {
		simd_debug_enter(r);
		held = preempt_count() - held;
		preempt_count_sub(held);
		/* On a busy host time may be over before the task is off the CPU. */
		while (current->nvcsw == switches)
			schedule_timeout_uninterruptible(1);
		preempt_count_add(held);
	}
	migrate_enable();
}

/*
 * The section ends where it began: the kernel would never open one again on a CPU where
 * one stayed open. Not the routine of offend_schedule(), which has been reported.
 */
static int offend_migrate(void)
{
	const struct simd_routine *r = last_guarded();
	static struct cpumask allowed;
	unsigned int from, to;
	int held, err = -EAGAIN;

	lockdep_assert_held(&test_lock);
	cpumask_copy(&allowed, current->cpus_ptr);
	migrate_disable();
	from = smp_processor_id();
	to = cpumask_any_but(cpu_online_mask, from);
	migrate_enable();
	if (to >= nr_cpu_ids || set_cpus_allowed_ptr(current, cpumask_of(to)))
		return -EAGAIN;
	/* So that the last section of that CPU had no routine. */
	simd_section(r->guard)
		barrier();
	if (set_cpus_allowed_ptr(current, cpumask_of(from)))
		goto restore;
	held = preempt_count();
	simd_section(r->guard) {
		simd_debug_enter(r);
		held = preempt_count() - held;
		preempt_count_sub(held);
		err = set_cpus_allowed_ptr(current, cpumask_of(to));
		simd_debug_leave(0);
		err = set_cpus_allowed_ptr(current, cpumask_of(from)) ?: err;
		preempt_count_add(held);
	}
restore:
	set_cpus_allowed_ptr(current, &allowed);
	return err;
}

static void offend_irqs(const struct simd_routine *r)
{
	int count = preempt_count();

	if (!simd_guard_begin(r->guard))
		return;
	simd_debug_enter(r);
	local_irq_disable();
	simd_guard_end(r->guard);
	/* From 6.15 on kernel_fpu_end() leaves softirqs alone where IRQs are off. */
	if (preempt_count() != count)
		preempt_count_sub(preempt_count() - count);
	local_irq_enable();
}

static void offend_class(void)
{
	if (simd_guard_begin(SIMD_GUARD_XMM))
		simd_guard_end(SIMD_GUARD_MMX);
}

/* In a section after all, but in none that the library knows of. */
static void offend_outside(const struct simd_routine *r)
{
	kernel_fpu_begin_mask(KFPU_387);
	simd_debug_enter(r);
	simd_call(r->kind, r->fn, dst, src, PAGE_SIZE);
	simd_debug_leave(PAGE_SIZE);
	kernel_fpu_end();
}

static void offend_bytes(const struct simd_routine *r)
{
	simd_section(r->guard) {
		simd_debug_enter(r);
		simd_debug_leave(r->section + 1);
	}
}

/* Only while the registers on the CPU are those of the caller. */
static int offend_no_save(void)
{
	int err = -EAGAIN;

	guard(mutex)(&test_lock);
	local_irq_disable();
	if (simd_saves_state()) {
		load_rubbish();
		err = 0;
	}
	local_irq_enable();
	return err;
}

/* Where nothing is: below the stack pointer and what a leaf may use there. */
static noinline void offend_smap(void)
{
	u8 *user = (u8 *)current_pt_regs()->sp - 512;

	asm volatile("movb $0, %0" : "=m" (*user));
}

static int offend(unsigned long offence)
{
	const struct simd_routine *r = first_guarded();

	if (offence == SIMD_COPY_TEST_NO_SAVE)
		return offend_no_save();
	if (offence == SIMD_COPY_TEST_SMAP) {
		offend_smap();
		return 0;
	}
	/* The control of the checks is one offence without them. */
	if (!IS_ENABLED(CONFIG_SIMD_COPY_DEBUG) && offence != SIMD_COPY_TEST_SCHEDULE)
		return -EOPNOTSUPP;
	if (!r)
		return -ENODEV;

	guard(mutex)(&test_lock);
	switch (offence) {
	case SIMD_COPY_TEST_SCHEDULE:
		offend_schedule(r);
		break;
	case SIMD_COPY_TEST_MIGRATE:
		return offend_migrate();
	case SIMD_COPY_TEST_IRQS:
		offend_irqs(r);
		break;
	case SIMD_COPY_TEST_CLASS:
		offend_class();
		break;
	case SIMD_COPY_TEST_OUTSIDE:
		offend_outside(r);
		break;
	case SIMD_COPY_TEST_BYTES:
		offend_bytes(r);
		break;
	default:
		return -EINVAL;
	}
	return 0;
}

static long test_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	struct simd_copy_test_probe probe;
	struct simd_copy_test_run run;
	int err;

	switch (cmd) {
	case SIMD_COPY_TEST_PROBE:
		if (copy_from_user(&probe, user, sizeof(probe)))
			return -EFAULT;
		if (probe.section >= SIMD_COPY_TEST_NR_SECTIONS)
			return -EINVAL;
		probe_section(&probe);
		return copy_to_user(user, &probe, sizeof(probe)) ? -EFAULT : 0;
	case SIMD_COPY_TEST_RUN:
		if (copy_from_user(&run, user, sizeof(run)))
			return -EFAULT;
		err = start_test(file, &run);
		break;
	case SIMD_COPY_TEST_RESULT:
		err = fetch_result(&run);
		break;
	case SIMD_COPY_TEST_OFFEND:
		return offend(arg);
	case SIMD_COPY_TEST_TO_USER:
		return to_user_ioctl(user);
	case SIMD_COPY_TEST_COPY_MC:
		return copy_mc_ioctl(user);
	default:
		return -ENOTTY;
	}
	if (err)
		return err;
	return copy_to_user(user, &run, sizeof(run)) ? -EFAULT : 0;
}

static const struct file_operations test_fops = {
	.owner		= THIS_MODULE,
	.release	= test_release,
	.unlocked_ioctl	= test_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static struct miscdevice test_device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "simd_copy_test",
	.mode	= 0600,
	.fops	= &test_fops,
};

static int hotplug_state;

static int __init test_init(void)
{
	unsigned long i;
	int err = -ENOMEM;

	dst = vzalloc(BUFFER_SIZE);
	src = vzalloc(BUFFER_SIZE);
	source = vmalloc(SIMD_COPY_TEST_SOURCE);
	if (!dst || !src || !source)
		goto free;
	for (i = 0; i < SIMD_COPY_TEST_SOURCE; i++)
		source[i] = pattern(i);

	err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "lib/simd_copy:test",
					test_cpu_online, NULL);
	if (err < 0)
		goto free;
	hotplug_state = err;
	err = misc_register(&test_device);
	if (err)
		goto remove_state;
	return 0;

remove_state:
	cpuhp_remove_state_nocalls(hotplug_state);
free:
	vfree(source);
	vfree(src);
	vfree(dst);
	return err;
}
module_init(test_init);

static void __exit test_exit(void)
{
	misc_deregister(&test_device);
	cpuhp_remove_state_nocalls(hotplug_state);
	vfree(source);
	vfree(src);
	vfree(dst);
}
module_exit(test_exit);

MODULE_DESCRIPTION("Test device for simd_copy");
MODULE_AUTHOR("The simd_copy developers");
MODULE_LICENSE("GPL");
SIMD_IMPORT_FOR_TESTS();
