/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Routines that are wrong on purpose, one mistake each. mutants.def says which
 * check has to catch it.
 */
#include "simd_asm.h"

#ifdef CONFIG_X86_64
#define LAST_SAVED	r15
#define ARGUMENTS	0
#else
#define LAST_SAVED	esi
#define ARGUMENTS	2 * WORD	/* edi and esi are on the stack */
#endif
#define BX		%_ASM_BX
#define BP		%_ASM_BP
#define SP		%_ASM_SP

#define MM_REGS		"%mm0, %mm1, %mm2, %mm3"
#define YMM_REGS	"%ymm0, %ymm1"

	.text

/* --- What is stored, and where --- */

SIMD_CLEAR_START mutant_clear_nothing
SIMD_END mutant_clear_nothing

SIMD_CLEAR_START mutant_clear_short
	xor	%eax, %eax
	sub	$64, LEN
	rep stosb
SIMD_END mutant_clear_short

/* Right but for one length in 16, none of which is an obvious one. */
SIMD_CLEAR_START mutant_clear_rare
	mov	LEN, TMP
	shr	$6, TMP
	and	$15, %eax
	cmp	$11, %eax
	mov	$0, %eax
	jne	1f
	dec	LEN
1:	rep stosb
SIMD_END mutant_clear_rare

SIMD_CLEAR_START mutant_clear_before
	xor	%eax, %eax
	mov	%al, -1(DST)
	rep stosb
SIMD_END mutant_clear_before

SIMD_CLEAR_START mutant_clear_after
	xor	%eax, %eax
	add	$64, LEN
	rep stosb
SIMD_END mutant_clear_after

/* The last word of the extent comes from a register that nothing was put in. */
SIMD_COPY_START mutant_copy_tail
	sub	$WORD, LEN
	rep movsb
	mov	BX, (DST)
SIMD_END mutant_copy_tail

/* A line late: what a wrong offset in an unrolled loop looks like. */
SIMD_COPY_START mutant_copy_shifted
	push	SRC
	rep movsb
	pop	SRC
	mov	1(SRC), %al
	mov	%al, -64(DST)
SIMD_END mutant_copy_shifted

SIMD_COPY_START mutant_copy_overread
	rep movsb
	mov	(SRC), %al
SIMD_END mutant_copy_overread

SIMD_COPY_START mutant_copy_underread
	mov	-1(SRC), %al
	rep movsb
SIMD_END mutant_copy_underread

SIMD_COPY_START mutant_copy_source
	mov	(SRC), %al
	mov	%al, (SRC)
	rep movsb
SIMD_END mutant_copy_source

/* --- General registers, stack, flags --- */

SIMD_CLEAR_START mutant_clear_bx
	xor	%eax, %eax
	rep stosb
	xor	%ebx, %ebx
SIMD_END mutant_clear_bx

SIMD_COPY_START mutant_copy_bp
	rep movsb
	inc	BP
SIMD_END mutant_copy_bp

SIMD_COPY_START mutant_copy_last_saved
	rep movsb
#ifdef CONFIG_X86_64
	inc	%LAST_SAVED
#else
	incl	(SP)		/* where SIMD_END takes esi from */
#endif
SIMD_END mutant_copy_last_saved

/* The word above the return address is the caller's. */
SIMD_CLEAR_START mutant_clear_slot
	xor	%eax, %eax
	rep stosb
	mov	TMP, (ARGUMENTS + WORD)(SP)
SIMD_END mutant_clear_slot

SIMD_CLEAR_START mutant_clear_sp
	xor	%eax, %eax
	rep stosb
#ifndef CONFIG_X86_64
	pop	%esi
	pop	%edi
#endif
	ret	$WORD
SYM_FUNC_END(mutant_clear_sp)

SIMD_CLEAR_START mutant_clear_std
	xor	%eax, %eax
	rep stosb
	std
SIMD_END mutant_clear_std

/* What a routine that opens user access and forgets to close it does. */
SIMD_CLEAR_START mutant_clear_ac
	xor	%eax, %eax
	rep stosb
	pushf
	orl	$1 << 18, (SP)
	popf
SIMD_END mutant_clear_ac

/* --- Registers that the guard does not cover --- */

SIMD_CLEAR_START mutant_clear_fld
	xor	%eax, %eax
	rep stosb
	fld1
SIMD_END mutant_clear_fld

SIMD_CLEAR_START mutant_clear_none_mmx
	pxor	%mm0, %mm0
	SIMD_CLEAR_LOOP movq, %mm0, 8
	emms
SIMD_END mutant_clear_none_mmx

SIMD_CLEAR_START mutant_clear_xmm_mmx
	pxor	%mm0, %mm0
	SIMD_CLEAR_LOOP movq, %mm0, 8
	emms
SIMD_END mutant_clear_xmm_mmx

SIMD_CLEAR_START mutant_clear_fcw
	pxor	%mm0, %mm0
	SIMD_CLEAR_LOOP movq, %mm0, 8
	fninit
SIMD_END mutant_clear_fcw

SIMD_COPY_START mutant_copy_emms
	SIMD_COPY_LOOP movq, movq, MM_REGS, 8
SIMD_END mutant_copy_emms

SIMD_CLEAR_START mutant_clear_mxcsr
	xorps	%xmm0, %xmm0
	SIMD_CLEAR_LOOP movaps, %xmm0, 16
	push	TMP
	movl	$0x1f80, (SP)
	ldmxcsr	(SP)
	pop	TMP
SIMD_END mutant_clear_mxcsr

SIMD_CLEAR_START mutant_clear_none_xmm
	xorps	%xmm7, %xmm7
	SIMD_CLEAR_LOOP movaps, %xmm7, 16
SIMD_END mutant_clear_none_xmm

SIMD_CLEAR_START mutant_clear_mmx_xmm
	xorps	%xmm0, %xmm0
	SIMD_CLEAR_LOOP movaps, %xmm0, 16
	emms
SIMD_END mutant_clear_mmx_xmm

/* XMM registers survive this, what is above them does not. */
SIMD_CLEAR_START mutant_clear_none_upper
	xor	%eax, %eax
	rep stosb
	vzeroupper
SIMD_END mutant_clear_none_upper

#ifdef CONFIG_X86_64
#define ZMM	%zmm17
#else
#define ZMM	%zmm7
#endif
SIMD_CLEAR_START mutant_clear_none_zmm
	vpxord	ZMM, ZMM, ZMM
	SIMD_CLEAR_LOOP vmovdqu32, ZMM, 64
SIMD_END mutant_clear_none_zmm

SIMD_CLEAR_START mutant_clear_mmx_opmask
	pxor	%mm0, %mm0
	SIMD_CLEAR_LOOP movq, %mm0, 8
	kxnorw	%k1, %k1, %k1
	emms
SIMD_END mutant_clear_mmx_opmask

SIMD_COPY_START mutant_copy_vzeroupper
	SIMD_COPY_LOOP vmovups, vmovups, YMM_REGS, 32
SIMD_END mutant_copy_vzeroupper

SIMD_COPY_START mutant_copy_zmm_upper
	SIMD_COPY_LOOP vmovdqu32, vmovdqu32, %zmm0, 64
SIMD_END mutant_copy_zmm_upper

/* --- Those that do not return --- */

SIMD_CLEAR_START mutant_clear_ud2
	ud2
SIMD_END mutant_clear_ud2

/* The row says that any source will do. */
SIMD_COPY_START mutant_copy_aligned
	SIMD_COPY_LOOP movaps, movaps, %xmm0, 16
SIMD_END mutant_copy_aligned
