/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_VMALLOC_H
#define SHIM_LINUX_VMALLOC_H

#include <stdlib.h>
#include <string.h>
#include <asm/page.h>

/* In whole pages, as in the kernel. */
static inline void *vzalloc(unsigned long size)
{
	unsigned long whole = (size + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
	void *p = aligned_alloc(PAGE_SIZE, whole);

	return p ? memset(p, 0, whole) : NULL;
}

static inline void vfree(const void *addr)
{
	free((void *)addr);
}

#endif /* SHIM_LINUX_VMALLOC_H */
