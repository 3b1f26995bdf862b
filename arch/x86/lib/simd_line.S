/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clear and copy by whole cache lines, no vector register involved.
 *
 * In:		dst, [src,] len as in simd_asm.h; dst aligned to 64 bytes, src
 *		any; len a multiple of 64
 * Clobbers:	rax, rcx, rdx, rsi, rdi, r8, r9, flags
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
 * movdir64b @off(SRC), and where to; and clzero. Spelt as bytes: the oldest binutils
 * that 6.1 and 6.12 build with (2.25) know neither. Retired when they need 2.33.
 */
.macro MOVDIR64B dst=TO_DST, off=0
	.byte	0x66
.if \dst > 7
	.byte	0x44
.endif
	.byte	0x0f, 0x38, 0xf8
.if \off == 0
	.byte	0x06 | ((\dst & 7) << 3)
.elseif \off < 128
	.byte	0x46 | ((\dst & 7) << 3), \off
.else
	.byte	0x86 | ((\dst & 7) << 3)
	.long	\off
.endif
.endm

/* Two lines from @off(SRC) on to @reg, which moves on. */
.macro TWO_LINES dst:req, reg:req, off:req
	MOVDIR64B \dst, \off
	add	$64, \reg
	MOVDIR64B \dst, \off + 64
	add	$64, \reg
.endm

/* Copy as long as there are @pages, 2 or 4, from all of which lines come in turn. */
.macro COPY_PAGES pages:req
	sub	$\pages * PAGE, LEN
	jb	.Lfewer\@
.Lpages\@:
	lea	PAGE(DST), TMP
	.if	\pages == 4
	lea	2 * PAGE(DST), %r8
	lea	3 * PAGE(DST), %r9
	.endif
	mov	$PAGE / 128, %edx
.Lturn\@:
	TWO_LINES TO_DST, DST, 0
	TWO_LINES TO_TMP, TMP, PAGE
	.if	\pages == 4
	TWO_LINES 8, %r8, 2*PAGE
	TWO_LINES 9, %r9, 3*PAGE
	.endif
	add	$128, SRC
	dec	%edx
	jnz	.Lturn\@
	.if	\pages == 4
	mov	%r9, DST
	.else
	mov	TMP, DST
	.endif
	add	$(\pages - 1) * PAGE, SRC
	sub	$\pages * PAGE, LEN
	jae	.Lpages\@
.Lfewer\@:
	add	$\pages * PAGE, LEN
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
 * Some pages at a time, two lines of each in turn: hardware prefetches within a
 * page only, so that they are read with as many times the lines under way. ns per
 * 4 KiB of cold memory on an Intel Xeon (family 6, model 207):
 *
 *		16 KiB	64 KiB	2 MiB
 *	2 pages	333	310	306
 *	4 pages	319	299	297
 *
 * 32-bit has no registers for four.
 */
SIMD_COPY_START simd_copy_movdir64b
#ifdef CONFIG_X86_64
	COPY_PAGES 4
#endif
	COPY_PAGES 2
	test	LEN, LEN
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
