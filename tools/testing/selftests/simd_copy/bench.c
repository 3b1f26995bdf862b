// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's own choice, in user space: the same files, the same rows.
 */
#include <stdio.h>
#include <linux/seq_file.h>

#include "harness.h"
#include "simd_copy.h"

/* Nobody's boot waits for this: all cases are measured, however slow the machine is. */
#define BUDGET_NS	2000000000ull

int bench(void)
{
	static struct simd_result results[SIMD_NR_ROUTINES];
	static struct simd_evidence evidence[SIMD_NR_CASES];
	struct seq_file out = { stdout };
	struct simd_machine machine = { .cache_bytes = simd_cache_bytes() };
	struct simd_plan plan;
	struct simd_bench *b;
	unsigned int row, c;

	simd_detect(results);
	if (simd_self_check(results)) {
		fprintf(stderr, "harness: no memory to check the routines with\n");
		return 1;
	}
	b = simd_bench_open(BUDGET_NS, machine.cache_bytes);
	if (!b) {
		fprintf(stderr, "harness: no memory to measure with\n");
		return 1;
	}
	simd_for_each_case(c) {
		simd_decide(c, results, simd_bench_sampler(b), &evidence[c]);
		plan.row[c] = evidence[c].row;
	}
	machine.save_ns = simd_bench_save_ns(b);
	simd_bench_close(b);
	simd_set_thresholds(&plan, machine.cache_bytes);
	simd_report(&out, results, &machine, &plan, evidence);

	simd_for_each_row(row)
		if (results[row].barred)
			return 1;
	return 0;
}
