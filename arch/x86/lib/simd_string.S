/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clear and copy with string instructions.
 *
 * In:		dst, [src,] len as in simd_asm.h; any alignment
 * Clobbers:	rax, rcx, rdx, rsi, rdi, flags
 * Ordering:	that of ordinary stores. The bytes of one string instruction
 *		may become visible in any order among themselves (SDM vol. 1,
 *		7.3.9.3), never to later stores of this CPU.
 *
 * These are the kernel's own instructions, run here without its hooks: they
 * are what the other rows are measured against and what a refused section
 * falls back to. REP MOVS runs forward, whatever the caller's extents: a set
 * direction flag costs an order of magnitude (FreeBSD f22068d91bf5).
 */
#include "simd_asm.h"

	.text

SIMD_CLEAR_START simd_clear_rep_stosb
	xor	%eax, %eax
	rep stosb
SIMD_END simd_clear_rep_stosb

SIMD_COPY_START simd_copy_rep_movsb
	rep movsb
SIMD_END simd_copy_rep_movsb

#ifdef CONFIG_X86_64
SIMD_CLEAR_START simd_clear_rep_stosq
	xor	%eax, %eax
	shr	$3, LEN
	rep stosq
SIMD_END simd_clear_rep_stosq

SIMD_COPY_START simd_copy_rep_movsq
	shr	$3, LEN
	rep movsq
SIMD_END simd_copy_rep_movsq
#else
SIMD_CLEAR_START simd_clear_rep_stosl
	xor	%eax, %eax
	shr	$2, LEN
	rep stosl
SIMD_END simd_clear_rep_stosl

SIMD_COPY_START simd_copy_rep_movsl
	shr	$2, LEN
	rep movsl
SIMD_END simd_copy_rep_movsl
#endif

/* A string instruction that faults says by itself how far it came. */
SIMD_TO_USER_START simd_to_user_rep_movsb
SIMD_TO_USER_END simd_to_user_rep_movsb, head=0

.macro REP_MOVS_TO_USER name:req
SIMD_TO_USER_START \name
	cmp	$WORD, LEN
	jb	.L\name\()_bytes
	SIMD_TO_USER_WORDS \name
SIMD_TO_USER_END \name
.endm

#ifdef CONFIG_X86_64
REP_MOVS_TO_USER simd_to_user_rep_movsq
#else
REP_MOVS_TO_USER simd_to_user_rep_movsl
#endif

/*
 * aligned_mov: a string instruction that moves words is fast where source and
 * destination are aligned alike, and far slower where they are not; loads and
 * stores hardly care. What decides is data, measured with hot lines on an Intel
 * Xeon (family 6, model 207), cycles by bytes and (dst ^ src):
 *
 *			256 B	1 KiB	4 KiB
 *	rep movsq, & 7	93	167	461
 *	rep movsq, else	31	41	67
 *	mov, & 7	17	54	202
 *
 * Whether the routine is right for a CPU at all is for the calibration to tell.
 */

/* Bits of dst ^ src that make a word move slow: the word's own. */
#define ALIGN_MASK	(WORD - 1)

/* Below this a string instruction does not start up in time. */
#define ALIGN_MIN	512

SIMD_COPY_START simd_copy_aligned_mov
	mov	LEN, REST
	cmp	$ALIGN_MIN, LEN
	jb	.Llines
	mov	DST, TMP
	xor	SRC, TMP
	test	$ALIGN_MASK, TMP
	jnz	.Llines

	/* Up to the first whole word of both, then words. */
	mov	DST, LEN
	neg	LEN
	and	$ALIGN_MASK, LEN
	sub	LEN, REST
	rep movsb
	mov	REST, LEN
	shr	$WORD_SHIFT, LEN
	REP_MOVS
	and	$ALIGN_MASK, REST
	jmp	.Lbytes

.Llines:
	sub	$64, REST
	jb	.Llast
1:
	.set	.Loff, 0
	.rept	64 / WORD / 2
	mov	.Loff(SRC), TMP
	mov	.Loff + WORD(SRC), LEN
	mov	TMP, .Loff(DST)
	mov	LEN, .Loff + WORD(DST)
	.set	.Loff, .Loff + 2 * WORD
	.endr
	add	$64, SRC
	add	$64, DST
	sub	$64, REST
	jae	1b
.Llast:
	add	$64, REST
.Lbytes:
	mov	REST, LEN
	rep movsb
SIMD_END simd_copy_aligned_mov

SIMD_TO_USER_START simd_to_user_aligned_mov
	cmp	$ALIGN_MIN, LEN
	jb	1f
	mov	DST, TMP
	xor	SRC, TMP
	test	$ALIGN_MASK, TMP
	jz	2f
1:	SIMD_TO_USER_LOOP simd_to_user_aligned_mov, mov, mov, MOV_REGS, WORD, WORD
	jmp	.Lsimd_to_user_aligned_mov_bytes
2:	SIMD_TO_USER_WORDS simd_to_user_aligned_mov
SIMD_TO_USER_END simd_to_user_aligned_mov

/*
 * prefetchnta: bring a window of the source near without displacing what is in
 * the outer caches, then copy it with the string instruction. No vector
 * register is touched, for all that PREFETCHNTA came with SSE.
 *
 * Window and distance, ns per page with the same source flushed each time, same Xeon:
 *
 *	window	distance	4 KiB	64 KiB	2 MiB
 *	256	0		600	636	534
 *	512	0		683	633	488
 *	1024	0		692	641	508
 *	4096	0		657	778	628
 *	512	512		653	676	509
 *	512	2048		632	693	492
 *	none (rep movsq)	423	426	404
 *
 * A distance gains nothing, and would have to stop short of the end of the
 * source: prefetching past it faults on some CPUs (AMD K7, K8, erratum 91).
 */
#define PREFETCH_WINDOW	256

SIMD_COPY_START simd_copy_prefetchnta
	mov	LEN, REST
.Lwindow:
	mov	$PREFETCH_WINDOW, %ecx
	cmp	REST, LEN
	jbe	1f
	mov	REST, LEN
1:
	/* A prefetch whose translation is not loaded is dropped: load it. */
	mov	(SRC), %al
	xor	%eax, %eax
2:	prefetchnta (SRC, TMP)
	add	$64, TMP
	cmp	LEN, TMP
	jb	2b

	sub	LEN, REST
	shr	$WORD_SHIFT, LEN
	REP_MOVS
	test	REST, REST
	jnz	.Lwindow
SIMD_END simd_copy_prefetchnta

SIMD_TO_USER_START simd_to_user_prefetchnta
	cmp	$PREFETCH_WINDOW + WORD, LEN
	jb	.Lsimd_to_user_prefetchnta_bytes
	SIMD_TO_USER_HEAD simd_to_user_prefetchnta, WORD
1:	mov	(SRC), %al
	SIMD_FAULT 1b, 5f
	xor	%eax, %eax
2:	prefetchnta (SRC, TMP)
	add	$64, TMP
	cmp	$PREFETCH_WINDOW, TMP
	jb	2b

	sub	$PREFETCH_WINDOW, REST
	mov	$PREFETCH_WINDOW / WORD, %ecx
3:	REP_MOVS
	SIMD_FAULT 3b, 4f
	cmp	$PREFETCH_WINDOW, REST
	jae	1b
	mov	REST, LEN
	jmp	.Lsimd_to_user_prefetchnta_bytes
4:
	shl	$WORD_SHIFT, LEN
	add	REST, LEN
	jmp	.Lsimd_to_user_prefetchnta_fault
5:
	mov	REST, LEN
	jmp	.Lsimd_to_user_prefetchnta_fault
SIMD_TO_USER_END simd_to_user_prefetchnta
