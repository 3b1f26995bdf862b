/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clear and copy by whole cache lines, no vector register involved.
 *
 * In:		dst, [src,] len as in simd_asm.h; dst aligned to 64 bytes, src
 *		any; len a multiple of 64
 * Clobbers:	rax, rcx, rdx, rsi, rdi, flags
 * Ordering:	weak, like a non-temporal store, each line appearing at once;
 *		the routine ends with SFENCE (SDM vol. 2, MOVDIR64B: "direct
 *		store"; APM vol. 3, CLZERO: "weakly ordered")
 */
#include "simd_asm.h"

#define PAGE	4096

/* The register that an instruction stores to, as it spells it. */
#define TO_TMP	0	/* rax */
#define TO_DST	7	/* rdi */

/*
 * movdir64b (SRC), DST and clzero. Spelt as bytes: the oldest binutils that 6.1
 * and 6.12 build with (2.25) know neither. Retired when they need 2.33.
 */
.macro MOVDIR64B
	.byte	0x66, 0x0f, 0x38, 0xf8, 0x3e
.endm

/* movdir64b @off(SRC), and where to. */
.macro MOVDIR64B_FAR dst:req, off:req
	.byte	0x66, 0x0f, 0x38, 0xf8
.if \off < 128
	.byte	0x46 | (\dst << 3), \off
.else
	.byte	0x86 | (\dst << 3)
	.long	\off
.endif
.endm

.macro CLZERO
	.byte	0x0f, 0x01, 0xfc
.endm

	.section .rodata, "a"
	.balign	64
.Lzero_line:
	.skip	64

	.text

/* The source of the store is memory, so that there has to be a line of zeroes. */
SIMD_CLEAR_START simd_clear_movdir64b
#ifdef CONFIG_X86_64
	lea	.Lzero_line(%rip), SRC
#else
	mov	$.Lzero_line, SRC
#endif
1:	MOVDIR64B
	add	$64, DST
	sub	$64, LEN
	jnz	1b
	sfence
SIMD_END simd_clear_movdir64b

/*
 * Two pages at a time, two lines of each in turn: hardware prefetches within a
 * page only, so that two pages are read with twice as many lines under way.
 */
SIMD_COPY_START simd_copy_movdir64b
	sub	$2 * PAGE, LEN
	jb	3f
1:	lea	PAGE(DST), TMP
	mov	$PAGE / 128, %edx
2:	MOVDIR64B
	add	$64, DST
	MOVDIR64B_FAR TO_DST, 64
	add	$64, DST
	MOVDIR64B_FAR TO_TMP, PAGE
	add	$64, TMP
	MOVDIR64B_FAR TO_TMP, PAGE + 64
	add	$64, TMP
	add	$128, SRC
	dec	%edx
	jnz	2b
	mov	TMP, DST
	add	$PAGE, SRC
	sub	$2 * PAGE, LEN
	jae	1b
3:	add	$2 * PAGE, LEN
	jz	5f
4:	MOVDIR64B
	add	$64, SRC
	add	$64, DST
	sub	$64, LEN
	jnz	4b
5:	sfence
SIMD_END simd_copy_movdir64b

/* CLZERO takes its address in rAX, and nothing else. */
SIMD_CLEAR_START simd_clear_clzero
	mov	DST, TMP
1:	CLZERO
	add	$64, TMP
	sub	$64, LEN
	jnz	1b
	sfence
SIMD_END simd_clear_clzero
