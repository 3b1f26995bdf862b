// SPDX-License-Identifier: GPL-2.0
/*
 * The table as people read it: debugfs shows it, and the harness.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/seq_file.h>

#include "simd_copy.h"

/**
 * struct figure - a group of columns
 * @title:	what it says
 * @regime:	of which regime
 * @use:	the time to use, or the time to return
 */
struct figure {
	const char		*title;
	enum simd_regime	regime;
	bool			use;
};

#define NR_FIGURES	3

static const struct figure page_figures[NR_FIGURES] = {
	{ "cached, time to use", SIMD_CACHED, true },
	{ "stream, time to return", SIMD_STREAM, false },
	{ "stream, time to use", SIMD_STREAM, true },
};

static const struct figure user_figures[NR_FIGURES] = {
	{ "cached, time to use", SIMD_CACHED, true },
	{ "misaligned, time to use", SIMD_MISALIGNED, true },
	{ "stream, time to return", SIMD_STREAM, false },
};

static const struct figure *figures_of(enum simd_kind kind)
{
	return kind == SIMD_KIND_to_user ? user_figures : page_figures;
}

static void report_head(struct seq_file *m, enum simd_kind kind)
{
	const struct figure *f = figures_of(kind);
	unsigned int i, e;

	/* Three groups of figures, then the sizes that each is of. */
	seq_printf(m, "%-25s", "ns per 4 KiB, by bytes");
	for (i = 0; i < NR_FIGURES; i++)
		seq_printf(m, " %*s", 8 * SIMD_NR_SIZES, f[i].title);
	seq_printf(m, "\n%-8s %-12s %-5s", "kind", "routine", "guard");
	for (i = 0; i < NR_FIGURES; i++) {
		seq_puts(m, " ");
		for (e = 0; e < SIMD_NR_SIZES; e++) {
			unsigned int size = simd_sizes[kind][e];

			if (size < 1024)
				seq_printf(m, " %7u", size);
			else if (size < 1024 * 1024)
				seq_printf(m, " %6uK", size / 1024);
			else
				seq_printf(m, " %6uM", size / 1024 / 1024);
		}
	}
	seq_puts(m, "  choice\n");
}

/* One group of figures of a row, so that sizes compare. */
static void report_cells(struct seq_file *m, enum simd_kind kind,
			 const struct simd_result *res, const struct figure *f)
{
	unsigned int e;

	seq_puts(m, " ");
	for (e = 0; e < SIMD_NR_SIZES; e++) {
		const struct simd_cost *cost = &res->cost[f->regime][e];
		u64 ns = f->use ? cost->use : cost->ret;

		if (ns)
			seq_printf(m, " %7llu", (unsigned long long)
				   div_u64(ns * 4096 + simd_sizes[kind][e] / 2,
					   simd_sizes[kind][e]));
		else
			seq_puts(m, "       -");
	}
}

static void report_row(struct seq_file *m, unsigned int row, const struct simd_result *res,
		       const struct simd_choice *choice)
{
	const struct simd_routine *r = &simd_routines[row];
	unsigned int i;

	seq_printf(m, "%-8s %-12s %-5s", simd_kind_names[r->kind], r->name,
		   simd_guard_names[r->guard]);

	if (res->missing) {
		seq_printf(m, " unsupported: no %s\n", res->missing);
		return;
	}
	if (res->barred) {
		seq_puts(m, " barred: failed its self-check\n");
		return;
	}

	for (i = 0; i < NR_FIGURES; i++)
		report_cells(m, r->kind, res, &figures_of(r->kind)[i]);
	seq_printf(m, "  %s", row == choice->stock ? "stock " : "");
	for (i = 0; i < SIMD_NR_REGIMES; i++)
		if (simd_has_regime(r->kind, i) && row == choice->row[i])
			seq_printf(m, "<- %s ", simd_regime_names[i]);
	if (res->veto)
		seq_printf(m, "only by name: %s", res->veto);
	seq_puts(m, "\n");
}

static void report_choice(struct seq_file *m, enum simd_kind kind,
			  const struct simd_choice *c)
{
	unsigned int regime;

	for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
		if (!simd_has_regime(kind, regime))
			continue;
		seq_printf(m, "%s, %s: %s (%s", simd_kind_names[kind], simd_regime_names[regime],
			   simd_routines[c->row[regime]].name, c->why[regime]);
		if (c->gain[regime])
			seq_printf(m, ", %u.%02u x stock", c->gain[regime] / 100,
				   c->gain[regime] % 100);
		seq_puts(m, ")\n");
	}
	if (c->threshold == ULONG_MAX)
		seq_printf(m, "%s: nothing is streamed by itself\n", simd_kind_names[kind]);
	else
		seq_printf(m, "%s: streamed by itself from %lu KiB\n", simd_kind_names[kind],
			   c->threshold / 1024);
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
	unsigned int row, kind;

	for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
		report_head(m, kind);
		simd_for_each_row_of(row, kind)
			report_row(m, row, &results[row], &choices[kind]);
		report_choice(m, kind, &choices[kind]);
	}
}
