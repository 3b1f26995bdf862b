/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clear and copy through XMM registers.
 *
 * In:		dst, [src,] len as in simd_asm.h; dst aligned to 16 bytes, src
 *		any; len a multiple of the row's granule; inside an XMM section
 * Clobbers:	rcx, rdx, rsi, rdi, flags, xmm0 to xmm3
 * Ordering:	sse: that of ordinary stores. sse_nt: weak; the routine ends
 *		with SFENCE, so that everything it stored is visible before
 *		any later store of this CPU (SDM vol. 1, 10.4.6.2).
 *
 * SSE1 is enough, so that a Pentium III runs these. Moves never look at MXCSR
 * and cannot raise #XM. A pending x87 exception does not concern them either:
 * only x87 and MMX instructions check for one (SDM vol. 3, table 22-8).
 */
#include "simd_asm.h"

#define XMM_REGS	"%xmm0, %xmm1, %xmm2, %xmm3"

	.text

SIMD_CLEAR_START simd_clear_sse
	xorps	%xmm0, %xmm0
	SIMD_CLEAR_LOOP movaps, %xmm0, 16
SIMD_END simd_clear_sse

SIMD_COPY_START simd_copy_sse
	SIMD_COPY_LOOP movups, movaps, XMM_REGS, 16
SIMD_END simd_copy_sse

SIMD_CLEAR_START simd_clear_sse_nt
	xorps	%xmm0, %xmm0
	SIMD_CLEAR_LOOP movntps, %xmm0, 16
	sfence
SIMD_END simd_clear_sse_nt

.macro SSE_NT_COPY name:req, pages:req
SIMD_COPY_START \name
	SIMD_COPY_LOOP movups, movntps, XMM_REGS, 16, pages=\pages
	sfence
SIMD_END \name
.endm

SSE_NT_COPY simd_copy_sse_nt, 1
SSE_NT_COPY simd_copy_sse_nt_pages, 4

SIMD_TO_USER simd_to_user_sse, movups, movaps, XMM_REGS, 16, 16
SIMD_TO_USER simd_to_user_sse_nt, movups, movntps, XMM_REGS, 16, 16, fence=sfence

SIMD_COPY_MC simd_copy_mc_sse, movups, movaps, XMM_REGS, 16, 16
SIMD_COPY_MC simd_copy_mc_sse_nt, movups, movntps, XMM_REGS, 16, 16, fence=sfence
