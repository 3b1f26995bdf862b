// SPDX-License-Identifier: GPL-2.0
/*
 * The table as people read it: debugfs shows it, and the harness.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/seq_file.h>
#include <asm/page.h>

#include "simd_copy.h"

/* The extents of one figure, in ns per page so that they compare. */
static void report_cells(struct seq_file *m, const struct simd_result *res,
			 enum simd_regime regime, bool use)
{
	unsigned int e;

	for (e = 0; e < SIMD_NR_EXTENTS; e++) {
		const struct simd_cost *cost = &res->cost[regime][e];
		u32 ns = use ? cost->use : cost->ret;

		if (ns)
			seq_printf(m, " %6u", DIV_ROUND_CLOSEST(ns, simd_extents[e]));
		else
			seq_puts(m, "      -");
	}
}

static void report_row(struct seq_file *m, unsigned int row, const struct simd_result *res,
		       const struct simd_choice *choice)
{
	const struct simd_routine *r = &simd_routines[row];

	seq_printf(m, "%-6s %-12s %-5s", simd_kind_names[r->kind], r->name,
		   simd_guard_names[r->guard]);

	if (res->missing) {
		seq_printf(m, " unsupported: no %s\n", res->missing);
		return;
	}
	if (res->barred) {
		seq_puts(m, " barred: failed its self-check\n");
		return;
	}

	seq_puts(m, " ");
	report_cells(m, res, SIMD_CACHED, true);
	seq_puts(m, " ");
	report_cells(m, res, SIMD_STREAM, false);
	seq_puts(m, " ");
	report_cells(m, res, SIMD_STREAM, true);
	seq_printf(m, "  %s%s%s", row == choice->stock ? "stock " : "",
		   row == choice->row[SIMD_CACHED] ? "<- cached " : "",
		   row == choice->row[SIMD_STREAM] ? "<- stream " : "");
	if (res->veto)
		seq_printf(m, "only by name: %s", res->veto);
	seq_puts(m, "\n");
}

/**
 * simd_report() - print the table and the choices made from it
 * @m:		where to
 * @results:	one per row
 * @choices:	one per kind
 */
void simd_report(struct seq_file *m, const struct simd_result *results,
		 const struct simd_choice *choices)
{
	static const char *const figures[] = {
		"cached, time to use", "stream, time to return", "stream, time to use",
	};
	unsigned int row, kind, i, e;

	/* Three columns of figures, then the extents that each is of. */
	seq_printf(m, "%-25s", "ns per page, by pages");
	for (i = 0; i < ARRAY_SIZE(figures); i++)
		seq_printf(m, " %*s", 7 * SIMD_NR_EXTENTS, figures[i]);
	seq_printf(m, "\n%-6s %-12s %-5s", "kind", "routine", "guard");
	for (i = 0; i < ARRAY_SIZE(figures); i++) {
		seq_puts(m, " ");
		for (e = 0; e < SIMD_NR_EXTENTS; e++)
			seq_printf(m, " %6u", simd_extents[e]);
	}
	seq_puts(m, "  choice\n");

	simd_for_each_row(row)
		report_row(m, row, &results[row], &choices[simd_routines[row].kind]);

	for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
		const struct simd_choice *c = &choices[kind];
		unsigned int regime;

		for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
			seq_printf(m, "%s, %s: %s (%s", simd_kind_names[kind],
				   regime == SIMD_CACHED ? "cached" : "stream",
				   simd_routines[c->row[regime]].name, c->why[regime]);
			if (c->gain[regime])
				seq_printf(m, ", %u.%02u x stock", c->gain[regime] / 100,
					   c->gain[regime] % 100);
			seq_puts(m, ")\n");
		}
		if (c->threshold == ULONG_MAX)
			seq_printf(m, "%s: no extent is streamed by itself\n",
				   simd_kind_names[kind]);
		else
			seq_printf(m, "%s: extents from %lu KiB are streamed by themselves\n",
				   simd_kind_names[kind], c->threshold / 1024);
	}
}
