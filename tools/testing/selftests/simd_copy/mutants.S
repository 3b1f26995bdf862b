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
/* Both are right. Their rows are wrong. */
SIMD_COPY_START mutant_copy_no_turns
	rep movsb
SIMD_END mutant_copy_no_turns

SIMD_COPY_START mutant_copy_turns
1:	cmp	$2 * PAGE, LEN
	jb	3f
	mov	$PAGE, TMP
2:	mov	(SRC), %dl
	mov	%dl, (DST)
	mov	PAGE(SRC), %dl
	mov	%dl, PAGE(DST)
	inc	SRC
	inc	DST
	dec	TMP
	jnz	2b
	add	$PAGE, SRC
	add	$PAGE, DST
	sub	$2 * PAGE, LEN
	jmp	1b
3:	rep movsb
SIMD_END mutant_copy_turns

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

/* --- Copies to user space --- */

/* The end of such a routine, without a fixup of its own. */
.macro USER_RETURN
	mov	LEN, TMP
#ifndef CONFIG_X86_64
	pop	%esi
	pop	%edi
#endif
	RET
.endm

/* Store all of LEN by single bytes; @fault is where to go if one can not be. */
.macro USER_BYTES fault:req
.Lbytes\@:
	rep movsb
	SIMD_FAULT .Lbytes\@, .Lfaulted\@
	jmp	.Lstored\@
.Lfaulted\@:
	SIMD_FAULTED \fault
.Lstored\@:
.endm

/* Store the first @width of LEN, if there are as many, then bytes. */
.macro USER_TURN load:req, store:req, reg:req, width:req, fault:req
	cmp	$\width, LEN
	jb	.Lbytes\@
.Lload\@:
	\load	(SRC), \reg
	SIMD_FAULT .Lload\@, .Lfaulted\@
.Lstore\@:
	\store	\reg, (DST)
	SIMD_FAULT .Lstore\@, .Lfaulted\@
	add	$\width, SRC
	add	$\width, DST
	sub	$\width, LEN
	jmp	.Lbytes\@
.Lfaulted\@:
	SIMD_FAULTED .Lbytes\@
.Lbytes\@:
	USER_BYTES \fault
.endm

SIMD_TO_USER_START mutant_to_user_less
	USER_BYTES 2f
1:	ASM_CLAC
	USER_RETURN
2:	dec	LEN
	jmp	1b
SYM_FUNC_END(mutant_to_user_less)

SIMD_TO_USER_START mutant_to_user_more
	USER_BYTES 2f
1:	ASM_CLAC
	USER_RETURN
2:	inc	LEN
	jmp	1b
SYM_FUNC_END(mutant_to_user_more)

/* As if none of a turn were stored when one of its bytes can not be. */
SIMD_TO_USER_START mutant_to_user_gives_up
	push	LEN
	and	$-64, LEN
	USER_BYTES 2f
	pop	LEN
	and	$63, LEN
	USER_BYTES 1f
1:	ASM_CLAC
	USER_RETURN
2:	add	$63, LEN
	and	$-64, LEN
	pop	TMP
	and	$63, %eax
	add	TMP, LEN
	jmp	1b
SYM_FUNC_END(mutant_to_user_gives_up)

/* A turn is counted before it is stored. */
SIMD_TO_USER_START mutant_to_user_early
	cmp	$4 * WORD, LEN
	jb	4f
	SIMD_SAFE_HEAD mutant_to_user_early, 2*WORD
0:	mov	(SRC), TMP
	SIMD_FAULT 0b, 6f
1:	mov	WORD(SRC), REST
	SIMD_FAULT 1b, 6f
	add	$2 * WORD, SRC
	add	$2 * WORD, DST
	sub	$2 * WORD, LEN
2:	mov	TMP, -2 * WORD(DST)
	SIMD_FAULT 2b, 6f
3:	mov	REST, -WORD(DST)
	SIMD_FAULT 3b, 6f
	cmp	$2 * WORD, LEN
	jae	0b
4:	USER_BYTES 5f
5:	ASM_CLAC
	USER_RETURN
6:	SIMD_FAULTED 4b
.Lmutant_to_user_early_head_fault:
	add	REST, LEN
	SIMD_FAULTED 5b
SYM_FUNC_END(mutant_to_user_early)

SIMD_TO_USER_START mutant_to_user_fence
	USER_TURN mov, movnti, TMP, WORD, 2f
	sfence
2:	ASM_CLAC
	USER_RETURN
SYM_FUNC_END(mutant_to_user_fence)

SIMD_TO_USER_START mutant_to_user_emms
	USER_TURN movq, movq, %mm0, 8, 2f
	emms
2:	ASM_CLAC
	USER_RETURN
SYM_FUNC_END(mutant_to_user_emms)

SIMD_TO_USER_START mutant_to_user_vzeroupper
	USER_TURN vmovups, vmovups, %ymm0, 32, 2f
	vzeroupper
2:	ASM_CLAC
	USER_RETURN
SYM_FUNC_END(mutant_to_user_vzeroupper)

SIMD_TO_USER_START mutant_to_user_clac
	USER_BYTES 1f
1:	USER_RETURN
SYM_FUNC_END(mutant_to_user_clac)

SIMD_TO_USER_START mutant_to_user_clac_fault
	USER_BYTES 1f
	ASM_CLAC
1:	USER_RETURN
SYM_FUNC_END(mutant_to_user_clac_fault)

SIMD_TO_USER_START mutant_to_user_clac_twice
	USER_BYTES 1f
	ASM_CLAC
1:	ASM_CLAC
	USER_RETURN
SYM_FUNC_END(mutant_to_user_clac_twice)

SIMD_TO_USER_START mutant_to_user_clac_early
	ASM_CLAC
	USER_BYTES 1f
1:	USER_RETURN
SYM_FUNC_END(mutant_to_user_clac_early)

/* The last byte once more, right behind itself. */
SIMD_TO_USER_START mutant_to_user_after
	mov	LEN, REST
	USER_BYTES 1f
	test	REST, REST
	jz	1f
	mov	-1(SRC), %al
	mov	%al, (DST)
1:	ASM_CLAC
	USER_RETURN
SYM_FUNC_END(mutant_to_user_after)

/* The last byte first. */
SIMD_TO_USER_START mutant_to_user_backward
	test	LEN, LEN
	jz	2f
0:	mov	-1(SRC, LEN), %al
	SIMD_FAULT 0b, 4f
1:	mov	%al, -1(DST, LEN)
	SIMD_FAULT 1b, 4f
2:	USER_BYTES 3f
3:	ASM_CLAC
	USER_RETURN
4:	SIMD_FAULTED 2b
SYM_FUNC_END(mutant_to_user_backward)

SIMD_TO_USER_START mutant_to_user_overread
	USER_BYTES 2f
	mov	(SRC), %al
2:	ASM_CLAC
	USER_RETURN
SYM_FUNC_END(mutant_to_user_overread)

SIMD_TO_USER_START mutant_to_user_overread_fault
	USER_BYTES 2f
1:	ASM_CLAC
	USER_RETURN
2:	mov	(SRC, LEN), %al
	jmp	1b
SYM_FUNC_END(mutant_to_user_overread_fault)

/* That it has an entry does not allow a load beyond the extent. */
SIMD_TO_USER_START mutant_to_user_load
	USER_BYTES 2f
1:	mov	(SRC), %al
	SIMD_FAULT 1b, 2f
2:	ASM_CLAC
	USER_RETURN
SYM_FUNC_END(mutant_to_user_load)

SIMD_TO_USER_START mutant_to_user_no_entry
	rep movsb
	ASM_CLAC
	USER_RETURN
SYM_FUNC_END(mutant_to_user_no_entry)

SIMD_TO_USER_START mutant_to_user_no_entry_load
	test	LEN, LEN
	jz	1f
	mov	(SRC), %al
1:	USER_BYTES 2f
2:	ASM_CLAC
	USER_RETURN
SYM_FUNC_END(mutant_to_user_no_entry_load)

SIMD_TO_USER_START mutant_to_user_uncounted
0:	rep movsb
	SIMD_FAULT 0b, 1f
1:	ASM_CLAC
	USER_RETURN
SYM_FUNC_END(mutant_to_user_uncounted)

/* Page faults are counted as well. */
SIMD_TO_USER_START mutant_to_user_miscounted
0:	rep movsb
	SIMD_FAULT 0b, 2f
1:	ASM_CLAC
	USER_RETURN
2:	xor	%eax, %eax
	SIMD_FAULTED 1b
SYM_FUNC_END(mutant_to_user_miscounted)

SIMD_TO_USER_START mutant_to_user_saved
	USER_BYTES 2f
1:	ASM_CLAC
	USER_RETURN
2:	inc	BX
	jmp	1b
SYM_FUNC_END(mutant_to_user_saved)

/* --- Copies that survive a machine check --- */

/* All of LEN by single bytes. After a page fault and after a machine check, go on there. */
.macro MC_BYTES fault:req, check:req
	test	LEN, LEN
	jz	.Lcopied\@
.Lbyte\@:
	mov	(SRC), %al
	SIMD_FAULT .Lbyte\@, .Lfaulted\@, 1
	mov	%al, (DST)
	inc	SRC
	inc	DST
	dec	LEN
	jnz	.Lbyte\@
	jmp	.Lcopied\@
.Lfaulted\@:
	SIMD_FAULTED \fault, \check
.Lcopied\@:
.endm

SIMD_COPY_START mutant_copy_mc_less
	MC_BYTES 2f, 1f
1:	USER_RETURN
2:	dec	LEN
	jmp	1b
SYM_FUNC_END(mutant_copy_mc_less)

SIMD_COPY_START mutant_copy_mc_more
	MC_BYTES 2f, 1f
1:	USER_RETURN
2:	inc	LEN
	jmp	1b
SYM_FUNC_END(mutant_copy_mc_more)

/* The second access may go well, and nobody learns of the error. */
SIMD_COPY_START mutant_copy_mc_again
	MC_BYTES 1f, 2f
1:	USER_RETURN
2:	MC_BYTES 1b, 1b
	jmp	1b
SYM_FUNC_END(mutant_copy_mc_again)

/* As if it had not reached the error, or nothing at all. */
SIMD_COPY_START mutant_copy_mc_beyond
	MC_BYTES 1f, 2f
1:	USER_RETURN
2:	dec	LEN
	jmp	1b
SYM_FUNC_END(mutant_copy_mc_beyond)

SIMD_COPY_START mutant_copy_mc_all
	mov	LEN, REST
	MC_BYTES 1f, 2f
1:	USER_RETURN
2:	mov	REST, LEN
	jmp	1b
SYM_FUNC_END(mutant_copy_mc_all)

SIMD_COPY_START mutant_copy_mc_after
	MC_BYTES 1f, 2f
1:	USER_RETURN
2:	notb	(DST)
	addb	$1, (DST)
	jmp	1b
SYM_FUNC_END(mutant_copy_mc_after)

/* A kernel goes on after a page fault, and panics after a machine check. */
SIMD_COPY_START mutant_copy_mc_type
0:	rep movsb
	SIMD_FAULT 0b, 2f
1:	USER_RETURN
2:	SIMD_FAULTED 1b
SYM_FUNC_END(mutant_copy_mc_type)

SIMD_COPY_START mutant_copy_mc_no_entry
	rep movsb
	USER_RETURN
SYM_FUNC_END(mutant_copy_mc_no_entry)

SIMD_COPY_START mutant_copy_mc_overread
	MC_BYTES 1f, 1f
	mov	(SRC), %al
1:	USER_RETURN
SYM_FUNC_END(mutant_copy_mc_overread)

SIMD_COPY_START mutant_copy_mc_access
	ASM_STAC
	MC_BYTES 1f, 1f
1:	ASM_CLAC
	USER_RETURN
SYM_FUNC_END(mutant_copy_mc_access)

/* Right after a page fault, and not after a machine check. */
SIMD_COPY_START mutant_copy_mc_fence
	cmp	$WORD, LEN
	jb	2f
0:	mov	(SRC), TMP
	SIMD_FAULT 0b, 4f, 1
	movnti	TMP, (DST)
	add	$WORD, SRC
	add	$WORD, DST
	sub	$WORD, LEN
2:	MC_BYTES 1f, 3f
1:	sfence
3:	USER_RETURN
4:	SIMD_FAULTED 2b, 3b
SYM_FUNC_END(mutant_copy_mc_fence)

SIMD_COPY_START mutant_copy_mc_vzeroupper
	vcmpps	$0xf, %ymm1, %ymm1, %ymm1	/* all ones */
	MC_BYTES 1f, 2f
1:	vzeroupper
2:	USER_RETURN
SYM_FUNC_END(mutant_copy_mc_vzeroupper)

SIMD_COPY_START mutant_copy_mc_emms
	movq	%mm0, %mm1
	MC_BYTES 1f, 2f
1:	emms
2:	USER_RETURN
SYM_FUNC_END(mutant_copy_mc_emms)

/* Machine checks are counted as well. */
SIMD_COPY_START mutant_copy_mc_miscounted
	MC_BYTES 1f, 2f
1:	USER_RETURN
2:	SIMD_FAULTED 1b
SYM_FUNC_END(mutant_copy_mc_miscounted)

SIMD_COPY_START mutant_copy_mc_saved
	MC_BYTES 1f, 2f
1:	USER_RETURN
2:	inc	BX
	jmp	1b
SYM_FUNC_END(mutant_copy_mc_saved)
