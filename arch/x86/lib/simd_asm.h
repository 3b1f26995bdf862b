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
 *	REST	scratch of copies
 *
 * Loops run forward and leave DST and SRC past the last byte.
 */
#ifndef _ARCH_X86_LIB_SIMD_ASM_H
#define _ARCH_X86_LIB_SIMD_ASM_H

#include <linux/linkage.h>
#include <linux/cfi_types.h>
#include <asm/asm.h>
#include <asm/smap.h>
#include <asm/trapnr.h>

#define PAGE	4096

#define DST	%_ASM_DI
#define SRC	%_ASM_SI
#define LEN	%_ASM_CX
#define TMP	%_ASM_AX
#define REST	%_ASM_DX

#ifdef CONFIG_X86_64
#define WORD		8
#define WORD_SHIFT	3
#define MOV_REGS	"%rax, %rdx, %r8, %r9"
#define REP_MOVS	rep movsq
#else
#define WORD		4
#define WORD_SHIFT	2
#define MOV_REGS	"%eax, %edx"
#define REP_MOVS	rep movsl
#endif

/* In: 64-bit rdi, rsi; 32-bit eax, edx. */
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

.macro SIMD_RET
#ifndef CONFIG_X86_64
	pop	%esi
	pop	%edi
#endif
	RET
.endm

.macro SIMD_END name:req
	SIMD_RET
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
 * An instruction; where its memory may fault, @name is the routine it faults in. @mc=1
 * is for a routine that survives a machine check.
 */
.macro SIMD_ACCESS name, mc, insn:vararg
.Laccess\@:
	\insn
	.ifnb \name
	SIMD_FAULT .Laccess\@, .L\name\()_fault, \mc
	.endif
.endm

/*
 * Copy @lines cache lines at offset @off, with @load and @store through @regs, @width
 * bytes each. All of @regs are loaded before the first is stored. With @mc=1 no store
 * may fault.
 */
.macro SIMD_COPY_LINES off:req, lines:req, load:req, store:req, regs:req, width:req, name, mc=0
	.set	.Lgroup, 0
	.irp	reg, \regs
	.set	.Lgroup, .Lgroup + \width
	.endr
	.set	.Lload, \off
	.set	.Lstore, \off
	.rept	\lines * 64 / .Lgroup
	.irp	reg, \regs
	SIMD_ACCESS \name, \mc, \load .Lload(SRC), \reg
	.set	.Lload, .Lload + \width
	.endr
	.irp	reg, \regs
	.if	\mc
	\store	\reg, .Lstore(DST)
	.else
	SIMD_ACCESS \name, 0, \store \reg, .Lstore(DST)
	.endif
	.set	.Lstore, .Lstore + \width
	.endr
	.endr
.endm

/* A turn of a copy: some lines, and on to the next; ZF says whether they were the last. */
.macro SIMD_COPY_TURN lines:req, load:req, store:req, regs:req, width:req, name, mc=0
	SIMD_COPY_LINES 0, \lines, \load, \store, "\regs", \width, "\name", \mc
	add	$\lines * 64, SRC
	add	$\lines * 64, DST
	sub	$\lines * 64, LEN
.endm

/*
 * Copy @pages pages at a time, as long as there are so many, @lines cache lines of each
 * in turn: hardware prefetches within a page only, so that they are read with as many
 * times the lines under way. @copy copies @lines at the offset that it is given, @count
 * is a register for the turns.
 *
 * ns per 4 KiB of flushed memory, extents of 64 KiB, on an Intel Xeon (family 6, model
 * 207). On an AMD Zen 5 (family 26, model 2) it is slower than page by page, so that each
 * such routine is a row of its own, NAME_pages:
 *
 *	pages in turn	1	2	4	8
 *	movnti		460	385	373	355
 *	movntps		390	346	340	328
 *	vmovntdq ymm	372	333	318	311
 *	movdir64b	360	328	316	312
 */
.macro SIMD_COPY_PAGES pages:req, lines:req, count:req, copy:req, args:vararg
.Lpages\@:
	cmp	$\pages * PAGE, LEN
	jb	.Lfewer\@
	mov	$PAGE / 64 / \lines, \count
.Lturn\@:
	.set	.Lpage, 0
	.rept	\pages
	\copy	.Lpage, \lines, \args
	.set	.Lpage, .Lpage + PAGE
	.endr
	/* Of 128, too, the negative fits a byte. */
	sub	$-\lines * 64, SRC
	sub	$-\lines * 64, DST
	dec	\count
	jnz	.Lturn\@
	add	$(\pages - 1) * PAGE, SRC
	add	$(\pages - 1) * PAGE, DST
	sub	$\pages * PAGE, LEN
	jmp	.Lpages\@
.Lfewer\@:
.endm

.macro SIMD_COPY_LOOP load:req, store:req, regs:req, width:req, lines=1, pages=1, count=%edx
	.if	\pages > 1
	SIMD_COPY_PAGES \pages, \lines, \count, SIMD_COPY_LINES, \load, \store, "\regs", \width
	test	LEN, LEN
	jz	.Lcopied\@
	.endif
.Lcopy\@:
	SIMD_COPY_TURN \lines, \load, \store, "\regs", \width
	jnz	.Lcopy\@
.Lcopied\@:
.endm

/*
 * Copies that may fault, of which there are two kinds. They stop at what cannot be
 * accessed, and return the bytes that are not copied.
 *
 * Copies to user space: SIMD_TO_USER_START opens user access, SIMD_SAFE_END closes it on
 * the only way out: no caller has to, and objtool sees both. Nothing beyond the extent
 * is loaded. What is may fault as well as what is stored: /proc/kcore copies from the
 * vsyscall page, which may not be readable, and memory that has failed is unmapped under
 * its readers.
 *
 * Copies that survive a machine check, with @mc=1: loads may fault. A string instruction
 * is only used where a routine is made of it: on some CPUs a machine check in one is not
 * survived.
 *
 * A load or store that faults gives up on its turn, whatever part of it is stored
 * by then. DST, SRC and LEN still stand at the first byte of that turn, so all
 * before it is stored. After a page fault single bytes find the first that can not be
 * copied, and LEN is exact. Storing some bytes twice does no harm, they are the same.
 * After a machine check nothing is accessed again: LEN counts from the beginning of the
 * turn, less than MC_TURN bytes in front of the error, and of these some may have been
 * stored.
 */
#define MC_TURN		256

/*
 * @fault is where to go if the instruction at @insn faults, the trap in eax. A UML
 * kernel has another table, and no memory that could fault.
 */
.macro SIMD_FAULT insn:req, fault:req, mc=0
#ifndef CONFIG_UML
	.if	\mc
	_ASM_EXTABLE_TYPE(\insn, \fault, EX_TYPE_FAULT_MCE_SAFE)
	.else
	_ASM_EXTABLE_TYPE(\insn, \fault, EX_TYPE_FAULT)
	.endif
#endif
.endm

.macro SIMD_TO_USER_START name:req
	SIMD_COPY_START \name
	ASM_STAC
.endm

/*
 * Go to @to, or after a machine check to @mc_to; the trap number is in eax. Only a page
 * fault says something about memory, but any other trap would look like one: count it.
 */
.macro SIMD_FAULTED to:req, mc_to
	cmp	$X86_TRAP_PF, %eax
	je	\to
	.ifnb	\mc_to
	cmp	$X86_TRAP_MC, %eax
	je	\mc_to
	.endif
#ifdef CONFIG_X86_64
	lock incl simd_odd_traps(%rip)
#else
	lock incl simd_odd_traps
#endif
	jmp	\to
.endm

/* Copy LEN single bytes, which may be none. */
.macro SIMD_SAFE_BYTES fault:req, mc=0
	.if	\mc
	test	LEN, LEN
	jz	.Lcopied\@
.Lbyte\@:
	mov	(SRC), %al
	SIMD_FAULT .Lbyte\@, \fault, 1
	mov	%al, (DST)
	inc	SRC
	inc	DST
	dec	LEN
	jnz	.Lbyte\@
.Lcopied\@:
	.else
.Lbytes\@:
	rep movsb
	SIMD_FAULT .Lbytes\@, \fault
	.endif
.endm

/*
 * Copy byte by byte what is left, do what the memory order and the registers
 * need (@fence, @leave), and return LEN. Faults lead to .L@name_fault. @head=0
 * is for a routine without a SIMD_SAFE_HEAD, @bytes=0 for one that leaves none.
 */
.macro SIMD_SAFE_END name:req, fence, leave, head=1, bytes=1, mc=0
	.if	\bytes
.L\name\()_bytes:
	SIMD_SAFE_BYTES .L\name\()_last_fault, \mc
	.endif
.L\name\()_done:
	\fence
	\leave
	.ifeq	\mc
	ASM_CLAC
	.endif
	mov	LEN, TMP
	SIMD_RET

	.if	\head
.L\name\()_head_fault:
	add	REST, LEN
	.endif
.L\name\()_last_fault:
	.if	\mc
	SIMD_FAULTED .L\name\()_done, .L\name\()_done
	.else
	SIMD_FAULTED .L\name\()_done
	.endif
	.if	\head
.L\name\()_fault:
	.if	\mc
	SIMD_FAULTED .L\name\()_bytes, .L\name\()_done
	.else
	SIMD_FAULTED .L\name\()_bytes
	.endif
	.endif
SYM_FUNC_END(\name)
.endm

/* Copy bytes until DST is aligned to @align; LEN is at least that. */
.macro SIMD_SAFE_HEAD name:req, align:req, mc=0
	mov	DST, TMP
	neg	TMP
	and	$\align - 1, TMP
	mov	LEN, REST
	sub	TMP, REST
	mov	TMP, LEN
	SIMD_SAFE_BYTES .L\name\()_head_fault, \mc
	mov	REST, LEN
.endm

/* Align DST, then copy whole words with a string instruction; LEN is at least one. */
.macro SIMD_SAFE_WORDS name:req, mc=0
	SIMD_SAFE_HEAD \name, WORD, \mc
	and	$WORD - 1, REST
	shr	$WORD_SHIFT, LEN
.Lwords\@:
	REP_MOVS
	SIMD_FAULT .Lwords\@, .Lwords_fault\@, \mc
	mov	REST, LEN
	jmp	.L\name\()_bytes
.Lwords_fault\@:
	shl	$WORD_SHIFT, LEN
	add	REST, LEN
	jmp	.L\name\()_fault
.endm

/*
 * As SIMD_COPY_LOOP, for as long as there is a whole turn; @store may need DST
 * aligned to @align.
 */
.macro SIMD_SAFE_LOOP name:req, load:req, store:req, regs:req, width:req, align:req, lines=1, mc=0
	cmp	$\lines * 64 + \align, LEN
	jb	.L\name\()_bytes
	SIMD_SAFE_HEAD \name, \align, \mc
.L\name\()_turn:
	SIMD_COPY_TURN \lines, \load, \store, "\regs", \width, "\name", \mc
	cmp	$\lines * 64, LEN
	jae	.L\name\()_turn
.endm

/* A whole routine of each kind. */
.macro SIMD_TO_USER name:req load:req store:req regs:req width:req align:req lines=1 fence leave
SIMD_TO_USER_START \name
	SIMD_SAFE_LOOP \name, \load, \store, "\regs", \width, \align, \lines
SIMD_SAFE_END \name, \fence, \leave
.endm

.macro SIMD_COPY_MC name:req load:req store:req regs:req width:req align:req lines=1 fence leave
	.if	\lines * 64 > MC_TURN
	.error	"\name is to report a machine check within MC_TURN bytes"
	.endif
SIMD_COPY_START \name
	SIMD_SAFE_LOOP \name, \load, \store, "\regs", \width, \align, \lines, 1
SIMD_SAFE_END \name, \fence, \leave, mc=1
.endm

#endif /* _ARCH_X86_LIB_SIMD_ASM_H */
