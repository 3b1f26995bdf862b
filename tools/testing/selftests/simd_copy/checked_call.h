/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One call of a routine, and everything about it that can be seen afterwards.
 */
#ifndef CHECKED_CALL_H
#define CHECKED_CALL_H

/* In units of a word, because both widths share the layout. */
#ifdef CONFIG_X86_64
#define CC_SAVED	6	/* rbx, rbp, r12 to r15 */
#define CC_CANARIES	17	/* odd: the stack is then aligned at the call */
#else
#define CC_SAVED	4	/* ebx, ebp, esi, edi */
#define CC_CANARIES	19
#endif

#define CC_FN		0
#define CC_ARG		1
#define CC_SP_IN	4
#define CC_SP_OUT	5
#define CC_FLAGS	6
#define CC_LEVEL	7
#define CC_MASK		8
#define CC_CLEAN	9
#define CC_BEFORE	10
#define CC_AFTER	11
#define CC_RET		12
#define CC_FLAGS_IN	13
#define CC_SAVED_IN	14
#define CC_SAVED_OUT	(CC_SAVED_IN + CC_SAVED)
#define CC_STACK_IN	(CC_SAVED_OUT + CC_SAVED)
#define CC_STACK_OUT	(CC_STACK_IN + CC_CANARIES)

/* How the register state is loaded and stored. */
#define CC_LEVEL_FNSAVE	0
#define CC_LEVEL_FXSAVE	1
#define CC_LEVEL_XSAVE	2

#ifndef __ASSEMBLY__
/**
 * struct checked_call - arguments and results of checked_call()
 * @fn:		the routine
 * @arg:	its arguments
 * @sp_in:	stack pointer of the trampoline, above the canaries
 * @sp_out:	stack pointer after the call
 * @flags:	flags after the call
 * @level:	CC_LEVEL_*
 * @mask:	state components for XSAVE and XRSTOR
 * @clean:	state image for C code
 * @before:	state image loaded before the call
 * @after:	state image stored after it
 * @ret:	what the routine returned
 * @flags_in:	flags before the call
 * @saved_in:	callee-saved registers before the call
 * @saved_out:	and after it
 * @stack_in:	the words right above the return address, before the call
 * @stack_out:	and after it
 */
struct checked_call {
	void		*fn;
	unsigned long	arg[3];
	unsigned long	sp_in;
	unsigned long	sp_out;
	unsigned long	flags;
	unsigned long	level;
	unsigned long	mask;
	void		*clean;
	void		*before;
	void		*after;
	unsigned long	ret;
	unsigned long	flags_in;
	unsigned long	saved_in[CC_SAVED];
	unsigned long	saved_out[CC_SAVED];
	unsigned long	stack_in[CC_CANARIES];
	unsigned long	stack_out[CC_CANARIES];
};

/* One object at a fixed address: the trampoline needs no register to find it. */
extern struct checked_call checked_frame;
void checked_call(void);

/* Leave all registers in the state C code expects. */
void checked_clean(void);

/* Leave a signal handler for where the frame says, all registers as it says. */
void checked_resume(const void *regs, const void *fpregs);

/* Write YMM0; the second cleans the upper halves. For probing XINUSE. */
void checked_probe_dirty(void);
void checked_probe_clean(void);
#endif /* __ASSEMBLY__ */

#endif /* CHECKED_CALL_H */
