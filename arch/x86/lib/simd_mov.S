/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clear and copy through general registers, a word at a time.
 *
 * In:		dst, [src,] len as in simd_asm.h; any alignment; len a multiple
 *		of the row's granule
 * Clobbers:	rax, rcx, rdx, rsi, rdi, r8, r9, flags
 * Ordering:	mov: that of ordinary stores. movnti: weak; the routine ends
 *		with SFENCE, so that everything it stored is visible before
 *		any later store of this CPU (SDM vol. 1, 10.4.6.2).
 *
 * movnti is SSE2 by its CPUID bit only: it moves a general register, so no
 * section is needed for it.
 */
#include "simd_asm.h"

	.text

.macro MOV_ROUTINES suffix, lines:req
SIMD_CLEAR_START simd_clear_mov\suffix
	xor	%eax, %eax
	SIMD_CLEAR_LOOP mov, TMP, WORD, \lines
SIMD_END simd_clear_mov\suffix

SIMD_COPY_START simd_copy_mov\suffix
	SIMD_COPY_LOOP mov, mov, MOV_REGS, WORD, \lines
SIMD_END simd_copy_mov\suffix
.endm

/* Cache lines a turn: does unrolling pay for the instruction cache it takes? */
MOV_ROUTINES "", 1
MOV_ROUTINES _x2, 2
MOV_ROUTINES _x4, 4

SIMD_CLEAR_START simd_clear_movnti
	xor	%eax, %eax
	SIMD_CLEAR_LOOP movnti, TMP, WORD
	sfence
SIMD_END simd_clear_movnti

SIMD_COPY_START simd_copy_movnti
	SIMD_COPY_LOOP mov, movnti, MOV_REGS, WORD
	sfence
SIMD_END simd_copy_movnti
