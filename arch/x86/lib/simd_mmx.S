/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clear and copy through MMX registers.
 *
 * In:		dst, [src,] len as in simd_asm.h; any alignment; len a multiple
 *		of 64; inside an MMX section
 * Clobbers:	rcx, rdx, rsi, rdi, flags, mm0 to mm7 and with them the x87 stack:
 *		all tags are empty on return, the stack top is undefined
 * Ordering:	mmx: that of ordinary stores. mmx_nt: weak; the routine ends
 *		with SFENCE, so that everything it stored is visible before
 *		any later store of this CPU (SDM vol. 1, 10.4.6.2).
 *
 * Every instruction here waits for a pending x87 exception, EMMS included, and
 * takes #MF if there is one (SDM vol. 3, 12.5.1). That there is none is the
 * guard's part of the deal; that the tags are empty again is EMMS's.
 *
 * MOVNTQ and SFENCE came with SSE, and with AMD's MMX extensions before that.
 */
#include "simd_asm.h"

#define MM_REGS	"%mm0, %mm1, %mm2, %mm3, %mm4, %mm5, %mm6, %mm7"

	.text

SIMD_CLEAR_START simd_clear_mmx
	pxor	%mm0, %mm0
	SIMD_CLEAR_LOOP movq, %mm0, 8
	emms
SIMD_END simd_clear_mmx

SIMD_COPY_START simd_copy_mmx
	SIMD_COPY_LOOP movq, movq, MM_REGS, 8
	emms
SIMD_END simd_copy_mmx

SIMD_CLEAR_START simd_clear_mmx_nt
	pxor	%mm0, %mm0
	SIMD_CLEAR_LOOP movntq, %mm0, 8
	sfence
	emms
SIMD_END simd_clear_mmx_nt

SIMD_COPY_START simd_copy_mmx_nt
	SIMD_COPY_LOOP movq, movntq, MM_REGS, 8
	sfence
	emms
SIMD_END simd_copy_mmx_nt

SIMD_TO_USER simd_to_user_mmx, movq, movq, MM_REGS, 8, 8, leave=emms
SIMD_TO_USER simd_to_user_mmx_nt, movq, movntq, MM_REGS, 8, 8, fence=sfence, leave=emms

SIMD_COPY_MC simd_copy_mc_mmx, movq, movq, MM_REGS, 8, 8, leave=emms
SIMD_COPY_MC simd_copy_mc_mmx_nt, movq, movntq, MM_REGS, 8, 8, fence=sfence, leave=emms
