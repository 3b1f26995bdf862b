/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frame and the loops that the routines are made of.
 *
 * A routine is a plain C function that touches general registers, the vector
 * registers its guard class names, and memory; it calls nothing and takes no
 * lock. SIMD_CLEAR_START and SIMD_COPY_START bring the arguments of either
 * width into the same registers:
 *
 *	DST	destination
 *	SRC	source (copy only; free for a clear in 64-bit)
 *	LEN	bytes, a multiple of the row's granule, not 0
 *	TMP	scratch
 *
 * Loops run forward and leave DST and SRC past the last byte.
 */
#ifndef _ARCH_X86_LIB_SIMD_ASM_H
#define _ARCH_X86_LIB_SIMD_ASM_H

#include <linux/linkage.h>
#include <linux/cfi_types.h>
#include <asm/asm.h>

#define DST	%_ASM_DI
#define SRC	%_ASM_SI
#define LEN	%_ASM_CX
#define TMP	%_ASM_AX

#ifdef CONFIG_X86_64
#define WORD		8
#define MOV_REGS	"%rax, %rdx, %r8, %r9"
#else
#define WORD		4
#define MOV_REGS	"%eax, %edx"
#endif

/* In: 64-bit rdi, rsi; 32-bit eax, edx. SRC is preserved for the caller. */
.macro SIMD_CLEAR_START name:req
SYM_TYPED_FUNC_START(\name)
#ifdef CONFIG_X86_64
	mov	%rsi, LEN
#else
	push	%edi
	push	%esi
	mov	%eax, DST
	mov	%edx, LEN
#endif
.endm

/* In: 64-bit rdi, rsi, rdx; 32-bit eax, edx, ecx. */
.macro SIMD_COPY_START name:req
SYM_TYPED_FUNC_START(\name)
#ifdef CONFIG_X86_64
	mov	%rdx, LEN
#else
	push	%edi
	push	%esi
	mov	%eax, DST
	mov	%edx, SRC
#endif
.endm

.macro SIMD_END name:req
#ifndef CONFIG_X86_64
	pop	%esi
	pop	%edi
#endif
	RET
SYM_FUNC_END(\name)
.endm

/* Clear with @store of @reg, @width bytes each, @lines cache lines a turn. */
.macro SIMD_CLEAR_LOOP store:req, reg:req, width:req, lines=1
.Lclear\@:
	.set	.Loff, 0
	.rept	\lines * 64 / \width
	\store	\reg, .Loff(DST)
	.set	.Loff, .Loff + \width
	.endr
	add	$\lines * 64, DST
	sub	$\lines * 64, LEN
	jnz	.Lclear\@
.endm

/*
 * Copy with @load and @store through @regs, @width bytes each, @lines cache
 * lines a turn. All of @regs are loaded before the first is stored.
 */
.macro SIMD_COPY_LOOP load:req, store:req, regs:req, width:req, lines=1
	.set	.Lgroup, 0
	.irp	reg, \regs
	.set	.Lgroup, .Lgroup + \width
	.endr
.Lcopy\@:
	.set	.Lload, 0
	.set	.Lstore, 0
	.rept	\lines * 64 / .Lgroup
	.irp	reg, \regs
	\load	.Lload(SRC), \reg
	.set	.Lload, .Lload + \width
	.endr
	.irp	reg, \regs
	\store	\reg, .Lstore(DST)
	.set	.Lstore, .Lstore + \width
	.endr
	.endr
	add	$\lines * 64, SRC
	add	$\lines * 64, DST
	sub	$\lines * 64, LEN
	jnz	.Lcopy\@
.endm

#endif /* _ARCH_X86_LIB_SIMD_ASM_H */
