// SPDX-License-Identifier: GPL-2.0
/*
 * What sections cost a kernel, for rows that run in user space: control registers
 * are set up in each, and the owner's registers are saved in some.
 */
#include "run.h"
#include "section.h"

bool simd_guard_begin(enum simd_guard guard)
{
	static const u32 mxcsr = 0x1f80;

	section_opens();
	if (guard == SIMD_GUARD_MMX)
		asm volatile("fnclex");
	else
		asm volatile("ldmxcsr %0" : : "m" (mxcsr));
	return true;
}

void simd_guard_end(enum simd_guard guard)
{
}

void simd_account(unsigned long bytes, bool faulted)
{
}
