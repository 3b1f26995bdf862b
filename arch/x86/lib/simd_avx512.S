/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clear and copy through ZMM registers, 64-bit only.
 *
 * In:		dst, [src,] len as in simd_asm.h; dst aligned to 64 bytes, src
 *		any; len a multiple of the row's granule; inside an XMM section
 * Clobbers:	rcx, rdx, rsi, rdi, flags, zmm16 to zmm19
 * Ordering:	avx512: that of ordinary stores. avx512_nt: weak; the routine
 *		ends with SFENCE, so that everything it stored is visible
 *		before any later store of this CPU (SDM vol. 1, 10.4.6.2).
 *
 * The registers from zmm16 up have no part that SSE code can name: using them
 * leaves no upper halves behind, so there is no VZEROUPPER to do.
 */
#include "simd_asm.h"

#ifdef CONFIG_X86_64

#define ZMM_REGS	"%zmm16, %zmm17, %zmm18, %zmm19"

	.text

SIMD_CLEAR_START simd_clear_avx512
	vpxorq	%zmm16, %zmm16, %zmm16
	SIMD_CLEAR_LOOP vmovdqa64, %zmm16, 64
SIMD_END simd_clear_avx512

SIMD_COPY_START simd_copy_avx512
	SIMD_COPY_LOOP vmovdqu64, vmovdqa64, ZMM_REGS, 64, 4
SIMD_END simd_copy_avx512

SIMD_CLEAR_START simd_clear_avx512_nt
	vpxorq	%zmm16, %zmm16, %zmm16
	SIMD_CLEAR_LOOP vmovntdq, %zmm16, 64
	sfence
SIMD_END simd_clear_avx512_nt

SIMD_COPY_START simd_copy_avx512_nt
	SIMD_COPY_LOOP vmovdqu64, vmovntdq, ZMM_REGS, 64, 4
	sfence
SIMD_END simd_copy_avx512_nt

SIMD_TO_USER simd_to_user_avx512, vmovdqu64, vmovdqa64, ZMM_REGS, 64, 64, 4
SIMD_TO_USER simd_to_user_avx512_nt, vmovdqu64, vmovntdq, ZMM_REGS, 64, 64, 4, fence=sfence

SIMD_COPY_MC simd_copy_mc_avx512, vmovdqu64, vmovdqa64, ZMM_REGS, 64, 64, 4
SIMD_COPY_MC simd_copy_mc_avx512_nt, vmovdqu64, vmovntdq, ZMM_REGS, 64, 64, 4, fence=sfence

#endif /* CONFIG_X86_64 */
