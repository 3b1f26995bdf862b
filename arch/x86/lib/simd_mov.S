/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clear and copy through general registers, a word at a time.
 *
 * In:		dst, [src,] len as in simd_asm.h; any alignment; len a multiple
 *		of the row's granule
 * Clobbers:	rax, rcx, rdx, rsi, rdi, r8 to r10, flags
 * Ordering:	mov: that of ordinary stores. movnti: weak; the routine ends
 *		with SFENCE, so that everything it stored is visible before
 *		any later store of this CPU (SDM vol. 1, 10.4.6.2).
 *
 * movnti is SSE2 by its CPUID bit only: it moves a general register, so no
 * section is needed for it.
 */
#include "simd_asm.h"

	.text

.macro MOV_CLEAR name:req, lines:req
SIMD_CLEAR_START \name
	xor	%eax, %eax
	SIMD_CLEAR_LOOP mov, TMP, WORD, \lines
SIMD_END \name
.endm

.macro MOV_COPY name:req, lines:req
SIMD_COPY_START \name
	SIMD_COPY_LOOP mov, mov, MOV_REGS, WORD, \lines
SIMD_END \name
.endm

/* Cache lines a turn: does unrolling pay for the instruction cache it takes? */
MOV_CLEAR simd_clear_mov, 1
MOV_CLEAR simd_clear_mov_x2, 2
MOV_CLEAR simd_clear_mov_x4, 4
MOV_COPY simd_copy_mov, 1
MOV_COPY simd_copy_mov_x2, 2
#ifdef CONFIG_X86_64
/* 607 bytes in 32-bit, where it gains nothing over two lines a turn. */
MOV_COPY simd_copy_mov_x4, 4
#endif

SIMD_CLEAR_START simd_clear_movnti
	xor	%eax, %eax
	SIMD_CLEAR_LOOP movnti, TMP, WORD
	sfence
SIMD_END simd_clear_movnti

SIMD_COPY_START simd_copy_movnti
	SIMD_COPY_LOOP mov, movnti, MOV_REGS, WORD
	sfence
SIMD_END simd_copy_movnti

#ifdef CONFIG_X86_64
/* In 32-bit no register is left to count with. */
SIMD_COPY_START simd_copy_movnti_pages
	SIMD_COPY_LOOP mov, movnti, MOV_REGS, WORD, pages=2, count=%r10d
	sfence
SIMD_END simd_copy_movnti_pages
#endif

SIMD_TO_USER simd_to_user_mov, mov, mov, MOV_REGS, WORD, WORD
SIMD_TO_USER simd_to_user_movnti, mov, movnti, MOV_REGS, WORD, WORD, fence=sfence

SIMD_COPY_MC simd_copy_mc_mov, mov, mov, MOV_REGS, WORD, WORD
SIMD_COPY_MC simd_copy_mc_movnti, mov, movnti, MOV_REGS, WORD, WORD, fence=sfence

/*
 * As the kernel copies where a machine check in a string instruction is not survived:
 * single words, none of which is in two cache lines. What is reported after a machine
 * check is exact to the word.
 */
SIMD_COPY_START simd_copy_mc_careful
	cmp	$2 * WORD, LEN
	jb	.Lsimd_copy_mc_careful_bytes
	mov	SRC, TMP
	neg	TMP
	and	$WORD - 1, TMP
	mov	LEN, REST
	sub	TMP, REST
	mov	TMP, LEN
	SIMD_SAFE_BYTES .Lsimd_copy_mc_careful_head_fault, 1
	mov	REST, LEN
1:	SIMD_ACCESS simd_copy_mc_careful, 1, mov (SRC), TMP
	mov	TMP, (DST)
	add	$WORD, SRC
	add	$WORD, DST
	sub	$WORD, LEN
	cmp	$WORD, LEN
	jae	1b
SIMD_SAFE_END simd_copy_mc_careful, mc=1
