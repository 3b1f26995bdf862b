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
SIMD_SAFE_END simd_to_user_rep_movsb, head=0

SIMD_COPY_START simd_copy_mc_rep_movsb
.Lcopy_mc:
	rep movsb
	SIMD_FAULT .Lcopy_mc, .Lsimd_copy_mc_rep_movsb_last_fault, 1
SIMD_SAFE_END simd_copy_mc_rep_movsb, head=0, bytes=0, mc=1

.macro REP_MOVS_TO_USER name:req
SIMD_TO_USER_START \name
	cmp	$WORD, LEN
	jb	.L\name\()_bytes
	SIMD_SAFE_WORDS \name
SIMD_SAFE_END \name
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

.macro ALIGNED_MOV_SAFE name:req, mc=0
	cmp	$ALIGN_MIN, LEN
	jb	.Lloop\@
	mov	DST, TMP
	xor	SRC, TMP
	test	$ALIGN_MASK, TMP
	jz	.Lstring\@
.Lloop\@:
	SIMD_SAFE_LOOP \name, mov, mov, MOV_REGS, WORD, WORD, mc=\mc
	jmp	.L\name\()_bytes
.Lstring\@:
	SIMD_SAFE_WORDS \name, \mc
SIMD_SAFE_END \name, mc=\mc
.endm

SIMD_TO_USER_START simd_to_user_aligned_mov
ALIGNED_MOV_SAFE simd_to_user_aligned_mov

SIMD_COPY_START simd_copy_mc_aligned_mov
ALIGNED_MOV_SAFE simd_copy_mc_aligned_mov, mc=1

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

.macro PREFETCHNTA_SAFE name:req, mc=0
	cmp	$PREFETCH_WINDOW + WORD, LEN
	jb	.L\name\()_bytes
	SIMD_SAFE_HEAD \name, WORD, \mc
.Lwindow\@:
	mov	(SRC), %al
	SIMD_FAULT .Lwindow\@, .Lfirst_fault\@, \mc
	.set	.Loff, 0
	.rept	PREFETCH_WINDOW / 64
	prefetchnta .Loff(SRC)
	.set	.Loff, .Loff + 64
	.endr

	sub	$PREFETCH_WINDOW, REST
	mov	$PREFETCH_WINDOW / WORD, %ecx
.Lwords\@:
	REP_MOVS
	SIMD_FAULT .Lwords\@, .Lwords_fault\@, \mc
	cmp	$PREFETCH_WINDOW, REST
	jae	.Lwindow\@
	mov	REST, LEN
	jmp	.L\name\()_bytes
.Lwords_fault\@:
	shl	$WORD_SHIFT, LEN
	add	REST, LEN
	jmp	.L\name\()_fault
.Lfirst_fault\@:
	mov	REST, LEN
	jmp	.L\name\()_fault
SIMD_SAFE_END \name, mc=\mc
.endm

SIMD_TO_USER_START simd_to_user_prefetchnta
PREFETCHNTA_SAFE simd_to_user_prefetchnta

SIMD_COPY_START simd_copy_mc_prefetchnta
PREFETCHNTA_SAFE simd_copy_mc_prefetchnta, mc=1
