/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Store-to-load forwarding, for each width of a store and of a load that it, or
 * several of it, cover.
 *
 *	void forward_S_L(void *data, unsigned long turns);
 *
 * A turn stores S bytes as often as it takes to fill L, loads L, and makes the
 * next turn's stores wait for what it loaded. 32 bytes and more need AVX, 64
 * AVX-512. Clobbers rax, xmm0 with all of its upper parts, and 64 bytes of data.
 */
#include <linux/linkage.h>

#define MAX_WIDTH	64

.macro STORE width:req, vex:req, off:req
	.if \width == 1
	movb	%al, \off(%rdi)
	.elseif \width == 2
	movw	%ax, \off(%rdi)
	.elseif \width == 4
	movl	%eax, \off(%rdi)
	.elseif \width == 8
	movq	%rax, \off(%rdi)
	.elseif \width == 16 && !\vex
	movdqu	%xmm0, \off(%rdi)
	.elseif \width == 16
	vmovdqu	%xmm0, \off(%rdi)
	.elseif \width == 32
	vmovdqu	%ymm0, \off(%rdi)
	.else
	vmovdqu64 %zmm0, \off(%rdi)
	.endif
.endm

.macro LOAD width:req, vex:req
	.if \width == 1
	movzbl	(%rdi), %eax
	.elseif \width == 2
	movzwl	(%rdi), %eax
	.elseif \width == 4
	movl	(%rdi), %eax
	.elseif \width == 8
	movq	(%rdi), %rax
	.elseif \width == 16 && !\vex
	movdqu	(%rdi), %xmm0
	.elseif \width == 16
	vmovdqu	(%rdi), %xmm0
	.elseif \width == 32
	vmovdqu	(%rdi), %ymm0
	.else
	vmovdqu64 (%rdi), %zmm0
	.endif
.endm

/* From the register that was loaded to the one that is stored. */
.macro CROSS store:req, load:req, vex:req
	.if \load > 8 && \store <= 8
	.if \vex
	vmovq	%xmm0, %rax
	.else
	movq	%xmm0, %rax
	.endif
	.elseif \load <= 8 && \store > 8
	.if \vex
	vmovq	%rax, %xmm0
	.else
	movq	%rax, %xmm0
	.endif
	.endif
.endm

.macro FORWARD store:req, load:req, vex:req
SYM_FUNC_START(forward_\store\()_\load)
	.balign	16
.Lturn\@:
	.set	.Loff, 0
	.rept	(\load + \store - 1) / \store
	STORE	\store, \vex, .Loff
	.set	.Loff, .Loff + \store
	.endr
	LOAD	\load, \vex
	CROSS	\store, \load, \vex
	dec	%rsi
	jnz	.Lturn\@
	.if \vex
	vzeroupper
	.endif
	ret
SYM_FUNC_END(forward_\store\()_\load)
.endm

.macro FORWARD_TO store:req
	.irp	load, 1, 2, 4, 8, 16, 32, 64
	.if \store > 16 || \load > 16
	FORWARD	\store, \load, 1
	.else
	FORWARD	\store, \load, 0
	.endif
	.endr
.endm

	.text
	.irp	store, 1, 2, 4, 8, 16, 32, 64
	FORWARD_TO \store
	.endr

/* void (*const forward_table[7][7])(void *, unsigned long): by store, by load */
	.section .data.rel.ro, "aw"
	.balign	8
	.globl	forward_table
forward_table:
	.irp	store, 1, 2, 4, 8, 16, 32, 64
	.irp	load, 1, 2, 4, 8, 16, 32, 64
	.quad	forward_\store\()_\load
	.endr
	.endr
	.size	forward_table, . - forward_table
