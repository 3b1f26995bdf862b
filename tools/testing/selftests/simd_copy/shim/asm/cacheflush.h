/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_CACHEFLUSH_H
#define SHIM_ASM_CACHEFLUSH_H

static inline void clflush_cache_range(void *addr, unsigned int size)
{
	char *p = (char *)((unsigned long)addr & -64UL), *end = (char *)addr + size;

	for (; p < end; p += 64)
		asm volatile("clflush %0" : "+m" (*p));
	asm volatile("mfence" : : : "memory");
}

#endif /* SHIM_ASM_CACHEFLUSH_H */
