/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_PAGE_H
#define SHIM_ASM_PAGE_H

#define PAGE_SHIFT	12
#define PAGE_SIZE	(1UL << PAGE_SHIFT)

static inline unsigned int get_order(unsigned long size)
{
	unsigned int order = 0;

	while ((PAGE_SIZE << order) < size)
		order++;
	return order;
}

#endif /* SHIM_ASM_PAGE_H */
