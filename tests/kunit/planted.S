/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two rows that are wrong and would win any race: the self-check must bar them.
 *
 * Built for tests only (SIMD_COPY_PLANT=1). The clear forgets its last word,
 * the copy moves a page by one byte: both would pass a glance at the start.
 */
#include "../../arch/x86/lib/simd_asm.h"

	.text

SIMD_CLEAR_START simd_clear_planted
	xor	%eax, %eax
	sub	$WORD, LEN
	rep stosb
SIMD_END simd_clear_planted

SIMD_COPY_START simd_copy_planted
	inc	SRC
	rep movsb
SIMD_END simd_copy_planted
