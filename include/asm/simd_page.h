/* SPDX-License-Identifier: GPL-2.0 */
/*
 * simd_copy: clear and copy pages with the fastest routine this machine has.
 */
#ifndef _ASM_X86_SIMD_PAGE_H
#define _ASM_X86_SIMD_PAGE_H

#include <linux/compiler.h>
#include <linux/types.h>

/**
 * enum simd_regime - what becomes of the data
 * @SIMD_CACHED:	it is used right away: leave it in the caches
 * @SIMD_STREAM:	it is not, or it would not fit: keep the caches for others
 * @SIMD_MISALIGNED:	as %SIMD_CACHED, where source and destination are not
 *			aligned alike; simd_copy_to_user() sees that by itself
 * @SIMD_NR_REGIMES:	number of regimes
 * @SIMD_AUTO:		the caller does not know: large extents are streamed
 */
enum simd_regime {
	SIMD_CACHED,
	SIMD_STREAM,
	SIMD_MISALIGNED,
	SIMD_NR_REGIMES,
	SIMD_AUTO = SIMD_NR_REGIMES
};

/**
 * enum simd_guard - the register file a section may touch
 * @SIMD_GUARD_NONE:	general registers only: no section is needed
 * @SIMD_GUARD_XMM:	XMM, YMM and ZMM registers. Moves only: MXCSR keeps the
 *			owner's value, which no move looks at.
 * @SIMD_GUARD_MMX:	MMX registers, which alias the x87 stack. No x87
 *			exception is pending, whatever the owner left behind.
 * @SIMD_NR_GUARDS:	number of guard classes
 */
enum simd_guard {
	SIMD_GUARD_NONE,
	SIMD_GUARD_XMM,
	SIMD_GUARD_MMX,
	SIMD_NR_GUARDS
};

/**
 * simd_clear_pages() - clear a page extent
 * @addr:	page aligned, in the direct or a vmalloc mapping
 * @npages:	pages to clear
 * @regime:	what becomes of the data
 *
 * Where the chosen routine may not run, a stock one does: the extent is always
 * cleared. Does not sleep, and cannot fault on a mapped extent. Between the
 * sections of a large extent preemption and softirqs get in; where the kernel
 * does not preempt, the caller bounds @npages as it would for stock.
 *
 * Everything stored is visible to other CPUs before any later store of this
 * one, streaming or not.
 *
 * Context: any, NMI and early boot included.
 */
void simd_clear_pages(void *addr, unsigned int npages, enum simd_regime regime);

/**
 * simd_copy_pages() - copy a page extent
 * @dst:	page aligned, must not overlap @src
 * @src:	page aligned
 * @npages:	pages to copy
 * @regime:	what becomes of the data
 *
 * As simd_clear_pages(). A machine check on @src is not survived, as in
 * copy_page().
 *
 * Context: any, NMI and early boot included.
 */
void simd_copy_pages(void *dst, const void *src, unsigned int npages,
		     enum simd_regime regime);

/**
 * simd_copy_to_user() - copy to user space
 * @to:		user address, any alignment
 * @from:	kernel address, any alignment; must not fault
 * @n:		bytes
 *
 * As copy_to_user(): a page that is merely absent is faulted in, and the copy
 * goes on. Where nothing can be faulted in, all bytes before that are stored
 * and none from there on. Nothing is read beyond @from + @n.
 *
 * A section never spans a sleep: a store that faults in one ends it, and what
 * it left is stored outside of it.
 *
 * Context: task, may sleep unless page fault handling is off.
 * Return: bytes that could NOT be copied, 0 on success.
 */
unsigned long __must_check simd_copy_to_user(void __user *to, const void *from,
					     unsigned long n);

/**
 * simd_guard_begin() - open a section in which a register file may be used
 * @guard:	%SIMD_GUARD_XMM or %SIMD_GUARD_MMX
 *
 * Saves the owner's registers if they are live, and turns preemption and page
 * fault handling off until simd_guard_end(). Register contents are undefined
 * on entry. With %SIMD_GUARD_MMX no x87 exception is pending on entry, and the
 * section must leave the x87 tags empty (EMMS). The owner of the registers
 * gets them back unchanged, a pending exception included.
 *
 * A section must not sleep, fault on an unmapped kernel address, nest, change
 * the interrupt state, or run for longer than a few microseconds. Use
 * simd_section() of lib/simd_copy where the extent of the section is a block.
 *
 * Context: any. Refused in NMI, in early boot, in a hardirq under PREEMPT_RT,
 * and wherever a section of any kernel user is already open on this CPU.
 * Return: true if the section is open, false if it was refused: nothing has
 * changed then, and the caller uses a routine of %SIMD_GUARD_NONE.
 */
bool simd_guard_begin(enum simd_guard guard);

/**
 * simd_guard_end() - close the section that simd_guard_begin() opened
 * @guard:	the same class
 *
 * Context: that of simd_guard_begin(), same CPU, same interrupt state.
 */
void simd_guard_end(enum simd_guard guard);

#endif /* _ASM_X86_SIMD_PAGE_H */
