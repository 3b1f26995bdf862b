/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clear and copy by whole cache lines, no vector register involved.
 *
 * In:		dst, [src,] len as in simd_asm.h; dst aligned to 64 bytes, src
 *		any; len a multiple of 64; any for a copy to user space
 * Clobbers:	rax, rcx, rdx, rsi, rdi, flags
 * Ordering:	weak, like a non-temporal store, each line appearing at once;
 *		the routine ends with SFENCE (SDM vol. 2, MOVDIR64B: "direct
 *		store"; APM vol. 3, CLZERO: "weakly ordered")
 */
#include "simd_asm.h"

/* The register that an instruction stores to, as it spells it. */
#define TO_TMP	0	/* rax */
#define TO_DST	7	/* rdi */

/*
 * movdir64b @off(SRC), and where to; and clzero. Spelt as bytes: the oldest binutils
 * that 6.1 and 6.12 build with (2.25) know neither. Retired when they need 2.33.
 */
.macro MOVDIR64B dst=TO_DST, off=0
	.byte	0x66, 0x0f, 0x38, 0xf8
.if \off == 0
	.byte	0x06 | (\dst << 3)
.elseif \off < 128
	.byte	0x46 | (\dst << 3), \off
.else
	.byte	0x86 | (\dst << 3)
	.long	\off
.endif
.endm

/* As SIMD_COPY_LINES; nothing else has to be said. */
.macro MOVDIR64B_LINES off:req, lines:req, nothing:vararg
	.set	.Lat, \off
	.rept	\lines
	lea	.Lat(DST), TMP
	MOVDIR64B TO_TMP, .Lat
	.set	.Lat, .Lat + 64
	.endr
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

.macro MOVDIR64B_COPY name:req, pages=1
SIMD_COPY_START \name
	.if	\pages > 1
	SIMD_COPY_PAGES \pages, 2, %edx, MOVDIR64B_LINES
	test	LEN, LEN
	jz	.Ldone\@
	.endif
.Lline\@:
	MOVDIR64B
	add	$64, SRC
	add	$64, DST
	sub	$64, LEN
	jnz	.Lline\@
.Ldone\@:
	sfence
SIMD_END \name
.endm

MOVDIR64B_COPY simd_copy_movdir64b
MOVDIR64B_COPY simd_copy_movdir64b_pages, 4

/* Each line is there or not, none of them in parts. */
.macro MOVDIR64B_SAFE name:req, mc=0
	cmp	$2 * 64, LEN
	jb	.L\name\()_bytes
	SIMD_SAFE_HEAD \name, 64, \mc
.Lline\@:
	SIMD_ACCESS \name, \mc, MOVDIR64B
	add	$64, SRC
	add	$64, DST
	sub	$64, LEN
	cmp	$64, LEN
	jae	.Lline\@
SIMD_SAFE_END \name, fence=sfence, mc=\mc
.endm

SIMD_TO_USER_START simd_to_user_movdir64b
MOVDIR64B_SAFE simd_to_user_movdir64b

SIMD_COPY_START simd_copy_mc_movdir64b
MOVDIR64B_SAFE simd_copy_mc_movdir64b, mc=1

/* CLZERO takes its address in rAX, and nothing else. */
SIMD_CLEAR_START simd_clear_clzero
	mov	DST, TMP
1:	CLZERO
	add	$64, TMP
	sub	$64, LEN
	jnz	1b
	sfence
SIMD_END simd_clear_clzero
