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
 * @SIMD_MISALIGNED:	as %SIMD_CACHED, of a copy to user space whose source and
 *			destination are not aligned alike; such copies see that by
 *			themselves, no caller says so
 * @SIMD_STREAM:	it is not, or it would not fit: keep the caches for others
 * @SIMD_NR_REGIMES:	number of regimes
 * @SIMD_AUTO:		the caller does not know: extents that no cache holds are
 *			streamed, all others are as %SIMD_CACHED
 */
enum simd_regime {
	SIMD_CACHED,
	SIMD_MISALIGNED,
	SIMD_STREAM,
	SIMD_NR_REGIMES,
	SIMD_AUTO = SIMD_NR_REGIMES
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
 * simd_copy_mc() - copy within the kernel, and survive a machine check in the source
 * @dst:	kernel address that is mapped, any alignment, must not overlap @src
 * @src:	kernel address, any alignment
 * @len:	bytes; below a page a stock routine copies them
 *
 * As copy_mc_to_kernel(): if @src has a memory error, or is not mapped, all bytes that are
 * not returned as not copied are those of @src. What is in front of an unmapped page is
 * copied to the last byte. After a machine check, up to 255 bytes in front of the error
 * may be said to be not copied, too, some of which may have been stored. No byte that
 * belongs to the error, or comes behind it, is stored.
 *
 * An error ends the section that it comes in, and the copy: @src is not accessed again.
 * On a CPU that does not survive a machine check in a string instruction, no routine that
 * has any is chosen, but by name.
 *
 * Context: any, NMI and early boot included.
 * Return: bytes that could NOT be copied, 0 on success.
 */
unsigned long __must_check simd_copy_mc(void *dst, const void *src, unsigned long len);

/**
 * simd_copy_to_user() - copy to user space
 * @to:		user address, any alignment
 * @from:	kernel address, any alignment
 * @n:		bytes
 *
 * As copy_to_user(), but for its limit of INT_MAX bytes and the check of object
 * sizes at compile time: a page that is merely absent is faulted in, and the copy
 * goes on. Where nothing can be faulted in, or @from is not mapped, all bytes
 * before that are stored and none from there on. Nothing is read beyond @from + @n.
 *
 * A section never spans a sleep: an access that faults in one ends it, and what
 * it left is copied outside of it.
 *
 * Context: task, may sleep unless page fault handling is off.
 * Return: bytes that could NOT be copied, 0 on success.
 */
unsigned long __must_check simd_copy_to_user(void __user *to, const void *from,
					     unsigned long n);

/**
 * simd_copy_to_user_as() - copy to user space, for who knows what becomes of it
 * @to:		user address, any alignment
 * @from:	kernel address, any alignment
 * @n:		bytes
 * @regime:	what becomes of the data
 *
 * As simd_copy_to_user(), for which it is %SIMD_AUTO.
 *
 * Context: task, may sleep unless page fault handling is off.
 * Return: bytes that could NOT be copied, 0 on success.
 */
unsigned long __must_check simd_copy_to_user_as(void __user *to, const void *from,
						unsigned long n, enum simd_regime regime);

/* Below this a copy to user space is not worth a section, nor a choice. */
#define SIMD_TO_USER_MIN	512

/**
 * simd_raw_copy_to_user() - copy to user space, and nothing else
 * @to:		user address, any alignment; access_ok() has said yes
 * @from:	kernel address, any alignment
 * @n:		bytes, %SIMD_TO_USER_MIN or more
 *
 * As raw_copy_to_user(): simd_copy_to_user() without its checks, its
 * instrumentation and its fault injection.
 *
 * Context: task, may sleep unless page fault handling is off.
 * Return: bytes that could NOT be copied, 0 on success.
 */
unsigned long __must_check simd_raw_copy_to_user(void __user *to, const void *from,
						 unsigned long n);

#endif /* _ASM_X86_SIMD_PAGE_H */
