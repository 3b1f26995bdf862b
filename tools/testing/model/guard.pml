/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of the guard (lib/simd_copy/guard.c, run.h) among what can happen
 * around it, for spin to search through completely. run.sh says with what.
 *
 * There are two CPUs, a task that copies (OWNER) and may be a kthread, a second
 * task that gets a CPU in between, softirqs and hardirqs that copy or use the
 * FPU on their own, and a scheduler that preempts and migrates. A register is no
 * number here but a token of whoever wrote it.
 *
 * What one instruction or an interrupts-off region does is one STEP(); anything
 * can happen between two of them. A hardirq is atomic as a whole: nothing on
 * its CPU can run before it ends, and no other CPU looks at what it touches.
 *
 * The kernel it runs on, -D:
 *   PREEMPT_COUNT=1	counts preempt_disable(), and preempts kernel code
 *   PREEMPT_RT=1	fpregs_lock() leaves softirq_count() alone; softirqs are
 *			threads, OTHER being one
 *   BH_OFF=1		6.15 and later: a section has softirqs off
 *   LIVENESS, EVENTS	see below
 *
 * The rules of DESIGN, section "The guard"; each can be taken away by -D:
 *   NO_RULE1		a save of our own that forgets to save, or forgets
 *   NO_RULE1_OWNER	 that the registers are no longer what the owner left
 *   NO_RULE2		no FNCLEX
 *   NO_RULE2_ORDER	 FNCLEX before the save
 *   NO_RULE3		page fault handling stays on
 *   NO_RULE4		a section opens although one is open
 *   NO_RULE4_RT	 or although a hardirq on RT can not know
 *   NO_RULE5		the routine sleeps
 *   NO_RULE6		the section has no bound
 *   NO_RULE7		a fault leaves the section open
 *   NO_RULE7_IRQ	 or turns interrupts on for a caller that has them off
 *   NO_RULE9		a task may open one inside fpregs_lock(). Rule 8 is about UML and
 *			rule 10 about instructions, which are not here
 *   NO_FALLBACK	a refusal is taken for success
 *   NO_PREEMPT_OFF	simd_guard_begin() can migrate until the section is open
 *   NO_EMMS		the routine leaves the tags valid. Nothing comes of it: no
 *			section looks at the tags, and the owner gets its own
 */
#ifndef PREEMPT_COUNT
#define PREEMPT_COUNT	0
#endif
#ifndef PREEMPT_RT
#define PREEMPT_RT	0
#endif
#ifndef BH_OFF
#define BH_OFF		0
#endif

/* What has to be true. It is a name that the report of spin ends with. */
#define CHECK(what, cond)	assert((cond) || what)

hidden byte owner_registers_changed, exception_lost, exception_delivered_twice;
hidden byte MF_in_kernel, two_sections_on_a_CPU, class_mixed, end_without_begin;
hidden byte sleeps_in_section, scheduling_while_atomic, section_left_open;
hidden byte section_registers_changed, too_many_bytes, data_missing;
hidden byte mark_on_another_CPU, sigframe_wrong, irq_state_changed, preempt_count_changed;

/*
 * What has to be possible, or the model proves nothing: with -DEVENTS each is an
 * assertion that fails.
 */
#ifdef EVENTS
#define EVENT(what, cond)	assert(!(cond) || what)
#else
#define EVENT(what, cond)	skip
#endif
hidden byte task_refused, softirq_refused, hardirq_refused, fault_in_section;
hidden byte softirq_section, hardirq_section, exception_cleared;
hidden byte exception_of_another_task_cleared, exception_delivered;
hidden byte migrated_between_sections, registers_still_valid, refused_in_fpregs_lock;

/* enum simd_guard, and another user of kernel_fpu_begin(), such as crypto */
#define NONE		0
#define XMM		1
#define MMX		2
#define FOREIGN		3

/* Contexts: the two tasks, and the interrupts, which only CPU 0 gets. */
#define OWNER		0
#define OTHER		1
#define SOFTIRQ		2
#define HARDIRQ		3
#define is_task(ctx)	((ctx) < SOFTIRQ)
#define in_hardirq()	(me == HARDIRQ)
#define IDLE		2	/* for a task: none */

/* The tokens. In a task's fpstate STALE is one that is out of date. */
#define STALE		0
#define USER(task)	(1 + (task))
#define KERNEL(ctx)	(3 + (ctx))

typedef regs {
	byte val;		/* ST, MMX and XMM registers, and control words */
	bit tags;		/* whether some of the x87 stack are valid */
	bit es			/* FSW.ES: an unmasked exception is pending */
}

#ifdef LIVENESS
/* A storm of interrupts starves anyone, so that there is an end to it here. */
byte irqs = 2;
#define IRQ_LEFT	irqs
#define IRQ_TAKEN	irqs--
#else
#define IRQ_LEFT	1
#define IRQ_TAKEN	skip
#endif

/* Per CPU. */
regs cpu_regs[2];
byte curr[2] = IDLE;
bit serving_softirq[2];
bit irqs_off[2];
byte preempt_count[2];		/* of the task that is running */
byte bh_off[2];
bit in_kernel_fpu[2];
byte fpu_fpregs_owner_ctx[2] = IDLE;
byte simd_live[2];

/* Per context, most of it for tasks. */
byte where[4];
bit kthread[2];
bit user_mode[2];
bit TIF_NEED_FPU_LOAD[2];
regs fpstate[2];
byte last_cpu[2];
byte pagefault_disabled[2];

/* No kernel knows these: what ought to be. */
bit armed[2];			/* the exception is still to be delivered */
byte open[2];			/* the class of the section that is open */

#define CPU		where[me]
#define current		curr[CPU]
#define irqs_disabled()	(irqs_off[CPU] || in_hardirq())
#define softirq_count(cpu) (bh_off[cpu] + serving_softirq[cpu])

/* A task runs when it is current and nothing has interrupted it. */
#define RUNS		(!is_task(me) || (curr[CPU] == me && !serving_softirq[CPU]))
#define STEP(...)	d_step { RUNS -> __VA_ARGS__ }

#define SET(to, from)	to.val = from.val; to.tags = from.tags; to.es = from.es

/* What a task has in its registers: OTHER has some on the x87 stack. */
#define INTACT(cpu, task)						\
	(cpu_regs[cpu].val == USER(task) && cpu_regs[cpu].tags == (task == OTHER))

/* Whether a section has the owner's registers to save: simd_saves_state(). */
#define SAVES(cpu)							\
	(curr[cpu] != IDLE && !kthread[curr[cpu]] && !TIF_NEED_FPU_LOAD[curr[cpu]])

/* __switch_to() a kthread that idles. */
inline switch_out(cpu)
{
	CHECK(sleeps_in_section, open[cpu] == NONE);
	CHECK(scheduling_while_atomic, !preempt_count[cpu] && !bh_off[cpu]);
	if
	:: SAVES(cpu) ->
		SET(fpstate[curr[cpu]], cpu_regs[cpu]);
		last_cpu[curr[cpu]] = cpu
	:: else
	fi;
	curr[cpu] = IDLE
}

inline switch_in(task, cpu)
{
	where[task] = cpu;
	curr[cpu] = task;
	TIF_NEED_FPU_LOAD[task] = !kthread[task]	/* switch_fpu_finish() */
}

/*
 * FXRSTOR and XRSTOR do not wait for x87 exceptions. From here on the registers
 * change, and what is in memory does not.
 */
inline fpregs_restore_userregs()
{
	if
	:: fpu_fpregs_owner_ctx[CPU] == me && last_cpu[me] == CPU ->
		EVENT(registers_still_valid, me == OWNER)
	:: else ->
		SET(cpu_regs[CPU], fpstate[me]);
		fpu_fpregs_owner_ctx[CPU] = me;
		last_cpu[me] = CPU
	fi;
	fpstate[me].val = STALE;
	fpstate[me].tags = 0;
	fpstate[me].es = 0;
	TIF_NEED_FPU_LOAD[me] = 0
}

/* Whatever entered the kernel, the way back to user mode is this one. */
inline exit_to_user()
{
	if
	:: TIF_NEED_FPU_LOAD[me] -> fpregs_restore_userregs()
	:: else
	fi;
	CHECK(owner_registers_changed, INTACT(CPU, me));
	CHECK(exception_lost, cpu_regs[CPU].es || !armed[me]);
	CHECK(exception_delivered_twice, !cpu_regs[CPU].es || armed[me])
}

inline preempt_disable()
{
	preempt_count[CPU] = preempt_count[CPU] + PREEMPT_COUNT
}

inline preempt_enable()
{
	preempt_count[CPU] = preempt_count[CPU] - PREEMPT_COUNT
}

#define irq_fpu_usable()						\
	(!in_kernel_fpu[CPU] && (!in_hardirq() || !softirq_count(CPU)))

inline kernel_fpu_begin_mask(class)
{
	STEP(	if
		:: BH_OFF && !irqs_disabled() -> bh_off[CPU]++
		:: else -> preempt_disable()
		fi
	);
	STEP(	CHECK(two_sections_on_a_CPU, open[CPU] == NONE);
		in_kernel_fpu[CPU] = 1;
		open[CPU] = class
	);
	STEP(	saves = SAVES(CPU);
		if
		:: saves -> TIF_NEED_FPU_LOAD[current] = 1
		:: else
		fi
	);
#ifdef NO_RULE2_ORDER
	STEP(	if
		:: class == MMX -> cpu_regs[CPU].es = 0
		:: else
		fi
	);
#endif
	STEP(	if
#ifndef NO_RULE1
		:: saves -> SET(fpstate[current], cpu_regs[CPU])
#endif
		:: else
		fi;
		saves = 0
	);
#ifndef NO_RULE1_OWNER
	STEP(fpu_fpregs_owner_ctx[CPU] = IDLE)
#endif
}

inline kernel_fpu_end(class)
{
	STEP(	CHECK(end_without_begin, in_kernel_fpu[CPU]);
		CHECK(class_mixed, open[CPU] == class);
		in_kernel_fpu[CPU] = 0;
		open[CPU] = NONE;
		cpu_regs[CPU].val = STALE
	);
	STEP(	if
		:: BH_OFF && !irqs_disabled() -> bh_off[CPU]--
		:: else -> preempt_enable()
		fi
	)
}

#ifdef NO_RULE4_RT
#define REFUSES_HARDIRQ	0
#else
#define REFUSES_HARDIRQ	PREEMPT_RT
#endif

/* What a task knows of fpregs_lock(). simd_guard_begin() has preemption off itself. */
#ifdef NO_RULE9
#define MAY_HOLD_FPREGS	0
#else
#define MAY_HOLD_FPREGS							\
	(is_task(me) && (PREEMPT_RT -> preempt_count[CPU] > PREEMPT_COUNT : bh_off[CPU]))
#endif

/* NMI and early boot come to no section: nothing to see there. */
inline refusal()
{
#ifdef NO_RULE4
	STEP(usable = 1);
#else
	STEP(usable = simd_live[CPU] == NONE && !(REFUSES_HARDIRQ && in_hardirq()));
	STEP(usable = usable && irq_fpu_usable());
#endif
	STEP(usable = usable && !MAY_HOLD_FPREGS)
}

inline simd_guard_begin(class)
{
#ifndef NO_PREEMPT_OFF
	STEP(preempt_disable());
#endif
	refusal();
	if
	:: usable ->
		STEP(	EVENT(softirq_section, me == SOFTIRQ);
			EVENT(hardirq_section, me == HARDIRQ);
			simd_live[CPU] = class
		);
#ifndef NO_RULE3
		STEP(	if
			:: current != IDLE -> pagefault_disabled[current]++
			:: else
			fi
		);
#endif
		kernel_fpu_begin_mask(class);
#if !defined(NO_RULE2) && !defined(NO_RULE2_ORDER)
		STEP(	if
			:: class == MMX ->
				EVENT(exception_cleared, cpu_regs[CPU].es && current == OWNER);
				EVENT(exception_of_another_task_cleared,
				      cpu_regs[CPU].es && kthread[OWNER]);
				cpu_regs[CPU].es = 0	/* FNCLEX */
			:: else
			fi
		)
#endif
	:: else
	fi;
#ifndef NO_PREEMPT_OFF
	STEP(preempt_enable())
#endif
}

inline simd_guard_end(class)
{
	STEP(simd_live[CPU] = NONE);
	STEP(	if
		:: current != IDLE && pagefault_disabled[current] ->
			pagefault_disabled[current]--
		:: else
		fi
	);
	kernel_fpu_end(class)
}

#ifdef NO_EMMS
#define EMMS(class)	skip
#else
#define EMMS(class)	cpu_regs[CPU].tags = (class == MMX -> 0 : cpu_regs[CPU].tags)
#endif

/* A routine starts to load: MMX waits for x87 exceptions, XMM does not. */
inline load(class)
{
	CHECK(MF_in_kernel, class != MMX || !cpu_regs[CPU].es);
	cpu_regs[CPU].val = KERNEL(me);
	cpu_regs[CPU].tags = (class == MMX -> 1 : cpu_regs[CPU].tags)
}

/* What it stores has to be what it loaded. */
inline store(bytes)
{
	CHECK(section_registers_changed, cpu_regs[CPU].val == KERNEL(me));
	CHECK(too_many_bytes, bytes <= 1);
	moved = moved + bytes
}

/*
 * do_user_addr_fault() takes the fixup if faulthandler_disabled(), else it
 * reads the page in, and that sleeps. The count of preempt_disable() is of use
 * only with PREEMPT_COUNT; softirqs being off is counted always.
 */
inline page_fault()
{
	faulted = pagefault_disabled[me] || preempt_count[CPU] || bh_off[CPU];
	EVENT(fault_in_section, faulted);
	if
	:: faulted
	:: else -> switch_out(CPU)
	fi
}

inline routine(class, bytes)
{
	STEP(load(class));
#ifdef NO_RULE5
	STEP(switch_out(CPU));
#endif
	if
	/* Only user copies fault, and inside fpregs_lock() none is made that sleeps. */
	:: me == OWNER && !irqs_off[CPU] && !in_sigframe ->
		STEP(page_fault())
	:: true
	fi;
	STEP(	if
		:: !faulted -> store(bytes)
		:: else
		fi;
		EMMS(class)
	)
}

#ifdef NO_RULE6
#define UNBOUNDED	1
#else
#define UNBOUNDED	0
#endif

/* simd_run() of so many bytes, where a section is bounded by 1. */
inline simd_run(class, total)
{
	STEP(	irqs_were_off = irqs_disabled();
		count_was = preempt_count[CPU] + bh_off[CPU];
		cpu_was = CPU;
		left = total
	);
	do
	:: left ->
		STEP(	EVENT(migrated_between_sections, CPU != cpu_was);
			n = (UNBOUNDED -> left : 1)
		);
		simd_guard_begin(class);
		if
		:: usable ->
			routine(class, n);
#ifdef NO_RULE7_IRQ
			STEP(irqs_off[CPU] = 0);
#endif
#ifdef NO_RULE7
			if
			:: !faulted -> simd_guard_end(class)
			:: else
			fi
#else
			simd_guard_end(class)
#endif
		:: else
		fi;
		/* The fallback runs in any context, and sleeps to read a page in. */
		STEP(	CHECK(section_left_open, !usable || open[CPU] == NONE);
			if
#ifndef NO_FALLBACK
			:: !usable || faulted -> moved = moved + n
#endif
			:: else
			fi;
			EVENT(task_refused, !usable && is_task(me));
			EVENT(refused_in_fpregs_lock, !usable && in_sigframe);
			EVENT(softirq_refused, !usable && me == SOFTIRQ);
			EVENT(hardirq_refused, !usable && me == HARDIRQ);
			if
			:: faulted -> switch_out(CPU)
			:: else
			fi;
			left = left - n;
			n = 0;
			usable = 0;
			faulted = 0
		)
	:: else -> break
	od;
	skip;		/* spin lets no break lead to a d_step */
	STEP(	CHECK(data_missing, moved == total);
		CHECK(irq_state_changed, irqs_were_off == irqs_disabled());
		CHECK(preempt_count_changed, count_was == preempt_count[CPU] + bh_off[CPU]);
		moved = 0; irqs_were_off = 0; count_was = 0; cpu_was = 0
	)
}

/*
 * Kernel code copies, either class; possibly from within a section of another
 * user of the FPU.
 */
inline copy(total)
{
	if
	:: is_task(me) -> class = XMM
	:: class = MMX
	:: STEP(foreign = irq_fpu_usable());
		if
		:: foreign ->
			kernel_fpu_begin_mask(FOREIGN)
		:: else
		fi;
		class = XMM
	fi;
	simd_run(class, total);
	if
	:: foreign ->
		kernel_fpu_end(FOREIGN);
		foreign = 0
	:: else
	fi;
	class = NONE
}

#define LOCALS								\
	bit usable, saves, faulted, irqs_were_off, foreign, in_sigframe; \
	byte class, left, n, moved, count_was, cpu_was

/*
 * copy_fpstate_to_sigframe(): the registers go to user memory as they are. What happens
 * to copy in between, such as a page fault or a tracer, must leave them alone.
 */
inline sigframe()
{
	STEP(	bh_off[CPU] = bh_off[CPU] + !PREEMPT_RT;	/* fpregs_lock() */
		preempt_count[CPU] = preempt_count[CPU] + PREEMPT_RT
	);
	STEP(	if
		:: TIF_NEED_FPU_LOAD[me] -> fpregs_restore_userregs()
		:: else
		fi
	);
	if
	:: class = XMM
	:: class = MMX
	fi;
	in_sigframe = 1;
	simd_run(class, 1);
	class = NONE;
	in_sigframe = 0;
	STEP(	CHECK(sigframe_wrong, INTACT(CPU, me) && cpu_regs[CPU].es));
	STEP(	bh_off[CPU] = bh_off[CPU] - !PREEMPT_RT;
		preempt_count[CPU] = preempt_count[CPU] - PREEMPT_RT
	)
}

/* The task that everything is done to, step by step. */
proctype owner(byte me)
{
	LOCALS;
	bit trap;

	do
	/* It gets an unmasked exception in user mode, */
	:: !kthread[me] && !armed[me] ->
		STEP(	exit_to_user();
			armed[me] = 1;
			cpu_regs[CPU].es = 1
		)

	/* which a waiting instruction delivers, and its handler clears. */
	:: !kthread[me] ->
		STEP(	exit_to_user();
			trap = cpu_regs[CPU].es;
			user_mode[me] = !trap
		);
		if
		:: trap ->
			sigframe();
			STEP(user_mode[me] = 1);
			STEP(	exit_to_user();
				EVENT(exception_delivered, trap);
			trap = 0;
				armed[me] = 0;
				cpu_regs[CPU].es = 0
			)
		:: else
		fi

	/* It enters the kernel, to sleep or to copy, with interrupts on or off. */
	:: true ->
		STEP(	if
			:: !kthread[me] -> exit_to_user()
			:: else
			fi;
			user_mode[me] = 0
		);
		if
		:: STEP(switch_out(CPU))
		:: true
		:: STEP(irqs_off[CPU] = 1)
		fi;
		copy(2);
		STEP(	irqs_off[CPU] = 0;
			user_mode[me] = !kthread[me]
		)
	od
}

/*
 * The task that gets a CPU in between. What it leaves there is all that matters
 * of it, so that a visit needs no steps: in user mode it may get an exception
 * or lose it, in the kernel it may have a section.
 */
proctype other(byte me)
{
	do
	:: atomic {
		curr[0] == IDLE -> switch_in(me, 0);
		if
		:: !kthread[me] ->
			exit_to_user();
			armed[me] = !armed[me];
			cpu_regs[CPU].es = armed[me]
		:: true
		fi;
		if
		:: true ->
			if
			:: SAVES(CPU) ->
				SET(fpstate[me], cpu_regs[CPU]);
				TIF_NEED_FPU_LOAD[me] = 1
			:: else
			fi;
			CHECK(two_sections_on_a_CPU, open[CPU] == NONE);
			CHECK(mark_on_another_CPU, simd_live[CPU] == NONE);
			fpu_fpregs_owner_ctx[CPU] = IDLE;
			cpu_regs[CPU].val = STALE;
			cpu_regs[CPU].tags = 0;
			cpu_regs[CPU].es = 0
		:: true
		fi;
		switch_out(CPU)
	}
	od
}

#define MAY_PREEMPT(cpu)						\
	(curr[cpu] == OWNER && !serving_softirq[cpu] && !irqs_off[cpu] &&	\
	 (user_mode[OWNER] || (PREEMPT_COUNT && !preempt_count[cpu] && !bh_off[cpu])))

proctype scheduler()
{
	do
	:: d_step { MAY_PREEMPT(0) -> switch_out(0) }
	:: d_step { MAY_PREEMPT(1) -> switch_out(1) }
	:: d_step { curr[0] == IDLE && curr[1] == IDLE -> switch_in(OWNER, 0) }
	:: d_step { curr[0] == IDLE && curr[1] == IDLE -> switch_in(OWNER, 1) }
	od
}

/*
 * An interrupt of a CPU that the owner is not on would only do there what a
 * section of the other task does.
 */
proctype softirq(byte me)
{
	LOCALS;

	do
	:: d_step {
		curr[CPU] == OWNER && !irqs_off[CPU] && !bh_off[CPU] && IRQ_LEFT ->
		IRQ_TAKEN;
		serving_softirq[CPU] = 1 }
		copy(1);
		serving_softirq[CPU] = 0
	od
}

proctype hardirq(byte me)
{
	LOCALS;

	do
	:: atomic {
		curr[CPU] == OWNER && !irqs_off[CPU] && IRQ_LEFT ->
		IRQ_TAKEN;
		simd_run(MMX, 1)
	}
	od
}

init
{
	atomic {
		if
		:: kthread[OWNER] = 1
		:: kthread[OTHER] = 1
		:: true
		fi;
		user_mode[OWNER] = !kthread[OWNER];
		fpstate[OWNER].val = USER(OWNER);
		fpstate[OTHER].val = USER(OTHER);
		fpstate[OTHER].tags = 1;
		run owner(OWNER);
		run other(OTHER);
		run scheduler();
#if !PREEMPT_RT
		run softirq(SOFTIRQ);
#endif
		run hardirq(HARDIRQ)
	}
}

#ifdef LIVENESS
ltl sections_end { [] ((open[0] || open[1]) -> <> !(open[0] || open[1])) }
#endif
