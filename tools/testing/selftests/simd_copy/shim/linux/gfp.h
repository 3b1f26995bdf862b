/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_GFP_H
#define SHIM_LINUX_GFP_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <asm/page.h>

#define gfp_t		unsigned int

#define GFP_KERNEL	0
#define __GFP_ZERO	1u
#define __GFP_NOWARN	0
#define __GFP_NORETRY	0

#define SHIM_ORDERS	16

/* What was freed, by order: memory of a kernel has been there since long before. */
static void *shim_free_pages[SHIM_ORDERS];

/* In huge pages where there are any, as in the kernel. */
static inline unsigned long __get_free_pages(gfp_t gfp, unsigned int order)
{
	unsigned long size = PAGE_SIZE << order;
	void *p = shim_free_pages[order];

	if (p) {
		shim_free_pages[order] = *(void **)p;
	} else {
		p = aligned_alloc(size, size);
		if (p)
			madvise(p, size, MADV_HUGEPAGE);
	}
	if (p && (gfp & __GFP_ZERO))
		memset(p, 0, size);
	return (unsigned long)p;
}

static inline void free_pages(unsigned long addr, unsigned int order)
{
	*(void **)addr = shim_free_pages[order];
	shim_free_pages[order] = (void *)addr;
}

#endif /* SHIM_LINUX_GFP_H */
