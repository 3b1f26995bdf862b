/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clear and copy through YMM registers.
 *
 * In:		dst, [src,] len as in simd_asm.h; dst aligned to 32 bytes, src
 *		any; len a multiple of the row's granule; inside an XMM section
 * Clobbers:	rcx, rdx, rsi, rdi, flags, ymm0 to ymm3, and the upper halves of
 *		ymm0 to ymm15, which are 0 on return
 * Ordering:	avx2: that of ordinary stores. avx2_nt: weak; the routine ends
 *		with SFENCE, so that everything it stored is visible before
 *		any later store of this CPU (SDM vol. 1, 10.4.6.2).
 *
 * VZEROUPPER at the end: with upper halves in use, SSE code that follows pays
 * for each instruction, and XSAVE saves more (SDM vol. 2, VZEROUPPER). A clear never
 * sets them, its VEX.128 zeroing clears them; which CPUs keep track of that by
 * value and which by instruction is not documented, so it does not rely on it.
 */
#include "simd_asm.h"

#define YMM_REGS	"%ymm0, %ymm1, %ymm2, %ymm3"

	.text

SIMD_CLEAR_START simd_clear_avx2
	vpxor	%xmm0, %xmm0, %xmm0
	SIMD_CLEAR_LOOP vmovdqa, %ymm0, 32
	vzeroupper
SIMD_END simd_clear_avx2

SIMD_COPY_START simd_copy_avx2
	SIMD_COPY_LOOP vmovdqu, vmovdqa, YMM_REGS, 32, 2
	vzeroupper
SIMD_END simd_copy_avx2

SIMD_CLEAR_START simd_clear_avx2_nt
	vpxor	%xmm0, %xmm0, %xmm0
	SIMD_CLEAR_LOOP vmovntdq, %ymm0, 32
	vzeroupper
	sfence
SIMD_END simd_clear_avx2_nt

.macro AVX2_NT_COPY name:req, pages:req
SIMD_COPY_START \name
	SIMD_COPY_LOOP vmovdqu, vmovntdq, YMM_REGS, 32, 2, pages=\pages
	vzeroupper
	sfence
SIMD_END \name
.endm

AVX2_NT_COPY simd_copy_avx2_nt, 1
AVX2_NT_COPY simd_copy_avx2_nt_pages, 4

SIMD_TO_USER simd_to_user_avx2, vmovdqu, vmovdqa, YMM_REGS, 32, 32, 2, leave=vzeroupper
SIMD_TO_USER simd_to_user_avx2_nt, vmovdqu, vmovntdq, YMM_REGS, 32, 32, 2, \
	fence=sfence, leave=vzeroupper

SIMD_COPY_MC simd_copy_mc_avx2, vmovdqu, vmovdqa, YMM_REGS, 32, 32, 2, leave=vzeroupper
SIMD_COPY_MC simd_copy_mc_avx2_nt, vmovdqu, vmovntdq, YMM_REGS, 32, 32, 2, \
	fence=sfence, leave=vzeroupper
