/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time-stamp counter.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <linux/types.h>

/* If not 0, as if the clock advanced in steps of so many ticks. For tests. */
extern unsigned int clock_coarse;

static inline u64 clock_read(void)
{
	u32 lo, hi;
	u64 now;

	/* RDTSC waits for nothing, and nothing waits for it, but for the fences. */
	asm volatile("lfence; rdtsc; lfence" : "=a" (lo), "=d" (hi) : : "memory");
	now = (u64)hi << 32 | lo;
	return clock_coarse ? now - now % clock_coarse : now;
}

/* Whatever was stored before is in the caches now, and costs nothing later. */
static inline void clock_settle(void)
{
	asm volatile("mfence; lfence" : : : "memory");
}

#endif /* CLOCK_H */
