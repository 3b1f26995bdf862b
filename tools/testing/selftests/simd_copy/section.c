// SPDX-License-Identifier: GPL-2.0
/*
 * Sections, for rows that run in user space: what guard.c does besides saving the owner's
 * registers. What that costs is added by who measures.
 */
#include "run.h"

int simd_odd_traps;

bool simd_guard_begin(enum simd_guard guard)
{
	if (guard == SIMD_GUARD_MMX)
		asm volatile("fnclex");
	return true;
}

void simd_guard_end(enum simd_guard guard)
{
}

void simd_account(unsigned long bytes, bool faulted)
{
}
