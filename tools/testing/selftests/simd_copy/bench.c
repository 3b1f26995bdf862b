// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's own calibration, in user space: the same files, the same rows.
 */
#include <stdio.h>
#include <unistd.h>
#include <linux/seq_file.h>
#include <asm/cpufeature.h>

#include "checked_call.h"
#include "harness.h"
#include "section.h"
#include "simd_copy.h"

/* No boot waits for this, so it takes its time. */
#define BUDGET_NS	500000000ull

/* Once between two returns to user space, however many sections follow. */
void section_opens(void)
{
	static bool saved;

	if (!saved)
		state_save();
	saved = true;
}

int bench(void)
{
	static struct simd_result results[SIMD_NR_ROUTINES];
	static struct simd_choice choices[SIMD_NR_KINDS];
	struct seq_file out = { stdout };
	long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
	struct simd_machine machine = { .cache_bytes = cache > 0 ? cache : 0 };
	unsigned int kind, row;

	simd_detect(results);
	simd_self_check(results);
	if (simd_calibrate(results, BUDGET_NS, NULL, &machine)) {
		fprintf(stderr, "harness: no memory to calibrate with\n");
		return 1;
	}
	for (kind = 0; kind < SIMD_NR_KINDS; kind++)
		simd_select(kind, results, &machine, &choices[kind]);
	simd_report(&out, results, &machine, choices);

	simd_for_each_row(row)
		if (results[row].barred)
			return 1;
	return 0;
}
