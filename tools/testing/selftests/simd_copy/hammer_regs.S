/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of the register hammer in which the registers hold patterns.
 *
 * From the load to the last verification there is nothing but this: a compiler
 * or a C library would use the registers. What was wrong is told in C.
 */
#include <linux/linkage.h>
#include <asm/asm.h>

#include "hammer.h"

#define AX		%_ASM_AX
#define CX		%_ASM_CX
#define DX		%_ASM_DX
#define BP		%_ASM_BP

/* STEP is no register of an argument of a system call, nor is BP. */
#ifdef CONFIG_X86_64
#define WORD		8
#define ARG1		%rdi
#define ARG2		%rsi
#define STEP		%rbx
#define SAVED		rbx, rbp
#define UNSAVED		rbp, rbx
#else
#define WORD		4
#define ARG1		%eax
#define ARG2		%edx
#define STEP		%edi
#define SAVED		ebx, ebp, esi, edi
#define UNSAVED		edi, esi, ebp, ebx
#endif

#define H(word)		HAMMER_WORDS + WORD * (word)(BP)
#define S(word)		WORD * (word)(STEP)

/* Load or store the image at @mem of the components in EAX. Clobbers EDX. */
.macro STATE mem:req, legacy:req, extended:req
	xor	%edx, %edx
	test	%eax, %eax
	jz	.Llegacy\@
	\extended	\mem
	jmp	.Ldone\@
.Llegacy\@:
	\legacy	\mem
.Ldone\@:
.endm

	.text

SYM_FUNC_START(hammer_run)
	.irp	reg, SAVED
	push	%\reg
	.endr
	mov	ARG1, BP
	mov	H(HAMMER_STEP), STEP

	mov	H(HAMMER_RFBM), AX
	STATE	HAMMER_CLEAN(BP), fxsave, xsave
	STATE	HAMMER_WANT(BP), fxrstor, xrstor

.Lstep:
	mov	S(STEP_NR), AX
	cmp	$STEP_SPIN, AX
	je	.Lverify
#ifdef CONFIG_X86_64
	mov	S(STEP_ARG), %rdi
	mov	S(STEP_ARG + 1), %rsi
	mov	S(STEP_ARG + 2), %rdx
	cmp	$STEP_CALL, AX
	je	.Lcall
	syscall
#else
	cmp	$STEP_CALL, AX
	je	.Lcall
	mov	S(STEP_ARG), %ebx
	mov	S(STEP_ARG + 1), %ecx
	mov	S(STEP_ARG + 2), %edx
	int	$0x80
#endif
	mov	AX, S(STEP_RET)

.Lverify:
	mov	H(HAMMER_RFBM), AX
	STATE	HAMMER_GOT(BP), fxsave, xsave
	mov	H(HAMMER_SIZE), CX
	xor	%edx, %edx
.Lcompare:
	mov	HAMMER_WANT - WORD(BP, CX), AX
	xor	HAMMER_GOT - WORD(BP, CX), AX
	and	HAMMER_MASK - WORD(BP, CX), AX
	or	AX, DX
	sub	$WORD, CX
	jnz	.Lcompare
	test	DX, DX
	jnz	.Lout
	add	$WORD * STEP_WORDS, STEP
	cmp	H(HAMMER_END), STEP
	jne	.Lstep

.Lout:
	mov	STEP, H(HAMMER_STEP)
	mov	H(HAMMER_RFBM), AX
	STATE	HAMMER_CLEAN(BP), fxrstor, xrstor
	.irp	reg, UNSAVED
	pop	%\reg
	.endr
	RET

.Lcall:
#ifdef CONFIG_X86_64
	call	*%rdx
#else
	mov	S(STEP_ARG), %eax
	mov	S(STEP_ARG + 1), %edx
	call	*S(STEP_ARG + 2)
#endif
	jmp	.Lverify
SYM_FUNC_END(hammer_run)

SYM_FUNC_START(hammer_load)
	mov	ARG1, CX
	mov	ARG2, AX
	STATE	(CX), fxrstor, xrstor
	RET
SYM_FUNC_END(hammer_load)

/*
 * The x87 instructions that wait would take a pending exception. FNSAVE does
 * not, and leaves none for FRSTOR.
 */
.macro FLIP_X87 name:req, insn:req, mask:req, at:req
SYM_FUNC_START(\name)
	fnsave	(ARG1)
	\insn	$\mask, \at(ARG1)
	frstor	(ARG1)
	RET
SYM_FUNC_END(\name)
.endm

FLIP_X87 flip_fcw, xorb, 0x04, 1	/* rounding */
FLIP_X87 flip_fsw, xorb, 0x40, 5	/* C3 */
FLIP_X87 flip_ftw, xorb, 0x03, 8		/* empty: not so, and the reverse */
FLIP_X87 flip_st, xorb, 0x01, (28 + 10 * 5)

.macro FLIP name:req, store:req, load:req, reg:req, mask:req, at:req
SYM_FUNC_START(\name)
	\store	\reg, (ARG1)
	xorb	$\mask, \at(ARG1)
	\load	(ARG1), \reg
	RET
SYM_FUNC_END(\name)
.endm

.macro FLIP_SELF name:req, store:req, load:req, mask:req, at:req
SYM_FUNC_START(\name)
	\store	(ARG1)
	xorb	$\mask, \at(ARG1)
	\load	(ARG1)
	RET
SYM_FUNC_END(\name)
.endm

FLIP_SELF flip_mxcsr, stmxcsr, ldmxcsr, 0x20, 1		/* rounding */
FLIP flip_mmx, movq, movq, %mm3, 0x01, 0
FLIP flip_xmm, movups, movups, %xmm5, 0x01, 0
/* The second is for CPUs with ZMM, whose upper half the first would clear. */
FLIP flip_ymm, vmovdqu, vmovdqu, %ymm6, 0x01, 16
FLIP flip_zmm_ymm, vmovdqu64, vmovdqu64, %zmm6, 0x01, 16
FLIP flip_zmm, vmovdqu64, vmovdqu64, %zmm7, 0x01, 32
#ifdef CONFIG_X86_64
FLIP flip_zmm16, vmovdqu64, vmovdqu64, %zmm17, 0x01, 0
#endif
/* With AVX512F alone this is the only move, and clears the other 48 bits. */
FLIP flip_opmask, kmovw, kmovw, %k1, 0x01, 0
