/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trampoline that every routine under test is called through.
 *
 * It loads every register with something known, calls, and stores what it
 * finds. It judges nothing: that is done in C, where it can be explained.
 */
#include <linux/linkage.h>
#include <asm/asm.h>

#include "checked_call.h"

#ifdef CONFIG_X86_64
#define WORD		8
#define MOVS		movsq
#define F(word)		checked_frame + WORD * (word)(%rip)
#define SAVED		rbx, rbp, r12, r13, r14, r15
#define UNSAVED		r15, r14, r13, r12, rbp, rbx
#else
#define WORD		4
#define MOVS		movsl
#define F(word)		checked_frame + WORD * (word)
#define SAVED		ebx, ebp, esi, edi
#define UNSAVED		edi, esi, ebp, ebx
#endif

#define AX	%_ASM_AX
#define CX	%_ASM_CX
#define DX	%_ASM_DX
#define SI	%_ASM_SI
#define DI	%_ASM_DI
#define SP	%_ASM_SP

/* Load or store the state image @image. Clobbers AX, DX, DI, flags. */
.macro STATE image:req, x87:req, legacy:req, extended:req
	mov	F(\image), DI
	mov	F(CC_MASK), AX
	xor	%edx, %edx
	cmpb	$CC_LEVEL_FXSAVE, F(CC_LEVEL)
	jb	.Lx87\@
	je	.Llegacy\@
	\extended	(DI)
	jmp	.Ldone\@
.Llegacy\@:
	\legacy	(DI)
	jmp	.Ldone\@
.Lx87\@:
	\x87	(DI)
.Ldone\@:
.endm

	.text

SYM_FUNC_START(checked_clean)
#ifndef CONFIG_X86_64
	push	%edi
#endif
	STATE	CC_CLEAN, frstor, fxrstor, xrstor
#ifndef CONFIG_X86_64
	pop	%edi
#endif
	RET
SYM_FUNC_END(checked_clean)

SYM_FUNC_START(checked_call)
	.irp	reg, SAVED
	push	%\reg
	.endr
	mov	SP, F(CC_SP_IN)
	sub	$WORD * CC_CANARIES, SP

	lea	F(CC_STACK_IN), SI
	mov	SP, DI
	mov	$CC_CANARIES, %ecx
	rep MOVS

	STATE	CC_BEFORE, frstor, fxrstor, xrstor

	.set	.Lword, CC_SAVED_IN
	.irp	reg, SAVED
	mov	F(.Lword), %\reg
	.set	.Lword, .Lword + 1
	.endr
#ifdef CONFIG_X86_64
	mov	F(CC_ARG), %rdi
	mov	F(CC_ARG + 1), %rsi
	mov	F(CC_ARG + 2), %rdx
	/* What is no argument holds garbage, as it may in a kernel. */
	mov	%rbx, %rax
	mov	%rbp, %rcx
	mov	%r12, %r8
	mov	%r13, %r9
	mov	%r14, %r10
	mov	%r15, %r11
#else
	mov	F(CC_ARG), %eax
	mov	F(CC_ARG + 1), %edx
	mov	F(CC_ARG + 2), %ecx
#endif
	push	F(CC_FLAGS_IN)
	popf
	call	*F(CC_FN)

	mov	AX, F(CC_RET)
	pushf
	pop	F(CC_FLAGS)
	/* DF, TF and AC would not let the rest of this program live. */
	push	$2
	popf
	.set	.Lword, CC_SAVED_OUT
	.irp	reg, SAVED
	mov	%\reg, F(.Lword)
	.set	.Lword, .Lword + 1
	.endr
	mov	SP, F(CC_SP_OUT)

	STATE	CC_AFTER, fnsave, fxsave, xsave
	STATE	CC_CLEAN, frstor, fxrstor, xrstor

	mov	F(CC_SP_IN), SP
	lea	-WORD * CC_CANARIES(SP), SI
	lea	F(CC_STACK_OUT), DI
	mov	$CC_CANARIES, %ecx
	rep MOVS
	.irp	reg, UNSAVED
	pop	%\reg
	.endr
	RET
SYM_FUNC_END(checked_call)

#ifndef CONFIG_X86_64
/*
 * A 32-bit handler returns by INT 0x80, which takes 10 us in some guests: most
 * of a run. And while the frame has x87 state twice, as FNSAVE and as FXSAVE
 * store it, QEMU (7.2 for one) fills in the first and restores the second.
 */
#define FRAME_FXSAVE	112	/* what follows the FNSAVE image */
#define FRAME_MAGIC	464	/* in FXSAVE: XSAVE follows */
#define XSAVE_FOLLOWS	0x46505853

/* In struct sigcontext, words */
#define FRAME_DI	4
#define FRAME_SP	7
#define FRAME_IP	14	/* then CS, flags */

SYM_FUNC_START(checked_resume)
	mov	4(SP), %ebx
	mov	8(SP), %esi

	mov	F(CC_MASK), AX
	xor	%edx, %edx
	cmpb	$CC_LEVEL_FXSAVE, F(CC_LEVEL)
	jb	2f
	je	1f
	cmpl	$XSAVE_FOLLOWS, FRAME_FXSAVE + FRAME_MAGIC(SI)
	jne	1f
	xrstor	FRAME_FXSAVE(SI)
	jmp	2f
1:	fxrstor	FRAME_FXSAVE(SI)
2:	frstor	(SI)

	/*
	 * IRET takes these from below the stack that was in use. After POPF and
	 * RET, TF would trap before the same instruction for ever.
	 */
	mov	FRAME_SP * WORD(%ebx), DI
	sub	$3 * WORD, DI
	lea	FRAME_IP * WORD(%ebx), SI
	mov	DI, resume_sp
	movsl
	movsl
	movsl
	lea	FRAME_DI * WORD(%ebx), SP
	popa
	mov	resume_sp, SP
	iret
SYM_FUNC_END(checked_resume)

	.local	resume_sp
	.comm	resume_sp, WORD, WORD
#endif

SYM_FUNC_START(checked_probe_dirty)
	vxorps	%ymm0, %ymm0, %ymm0
	RET
SYM_FUNC_END(checked_probe_dirty)

SYM_FUNC_START(checked_probe_clean)
	vxorps	%ymm0, %ymm0, %ymm0
	vzeroupper
	RET
SYM_FUNC_END(checked_probe_clean)
