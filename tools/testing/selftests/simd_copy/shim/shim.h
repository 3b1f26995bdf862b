/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What compat.h takes from a kernel, in user space.
 */
#ifndef SHIM_H
#define SHIM_H

#include <cpuid.h>
#include <time.h>
#include <unistd.h>
#include <linux/types.h>
#include <sys/resource.h>

static inline void cpuid_count(u32 leaf, u32 subleaf, u32 *a, u32 *b, u32 *c, u32 *d)
{
	__cpuid_count(leaf, subleaf, *a, *b, *c, *d);
}

static inline unsigned long simd_disturbances(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* Only a kernel knows, and no program survives a machine check. */
#define simd_copy_mc_is_fragile()	false

static inline u64 simd_cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static inline unsigned long simd_memory_bytes(void)
{
	return (unsigned long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

#endif /* SHIM_H */
