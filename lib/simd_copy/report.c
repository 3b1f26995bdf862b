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

/* A size as people write it. */
struct size {
	unsigned long	n;
	const char	*unit;
};

static struct size size_of(unsigned long bytes)
{
	if (bytes % 1024)
		return (struct size){ bytes, "" };
	if (bytes % (1024 * 1024))
		return (struct size){ bytes / 1024, "K" };
	return (struct size){ bytes / 1024 / 1024, "M" };
}

static u64 per_4k(u64 ns, unsigned int size)
{
	return div_u64(ns * 4096 + size / 2, size);
}

static void report_head(struct seq_file *m, enum simd_kind kind)
{
	const struct figure *f = figures_of(kind);
	unsigned int i, e, width = 0;

	/* Three groups of figures, then the sizes that each is of. */
	simd_for_each_size(e, kind)
		width += 8;
	seq_printf(m, "%-25s", "ns per 4 KiB, by bytes");
	for (i = 0; i < NR_FIGURES; i++)
		seq_printf(m, " %*s", width, f[i].title);
	seq_printf(m, "\n%-8s %-12s %-5s", "kind", "routine", "guard");
	for (i = 0; i < NR_FIGURES; i++) {
		seq_puts(m, " ");
		simd_for_each_size(e, kind) {
			struct size s = size_of(simd_sizes[kind][e]);

			seq_printf(m, " %*lu%s", s.unit[0] ? 6 : 7, s.n, s.unit);
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
	simd_for_each_size(e, kind) {
		const struct simd_cost *cost = &res->cost[f->regime][e];
		u64 ns = f->use ? cost->use : cost->ret;

		if (ns)
			seq_printf(m, " %7llu", (unsigned long long)
				   per_4k(ns, simd_sizes[kind][e]));
		else
			seq_puts(m, "       -");
	}
}

static bool in_plan(const struct simd_plan *plan, unsigned int row)
{
	unsigned int e;

	for (e = 0; e < SIMD_NR_SIZES; e++)
		if (plan->row[e] == row)
			return true;
	return false;
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
		if (simd_has_regime(r->kind, i) && in_plan(&choice->plan[SIMD_OWNED][i], row))
			seq_printf(m, "<- %s ", simd_regime_names[i]);
	if (res->veto)
		seq_printf(m, "only by name: %s", res->veto);
	seq_puts(m, "\n");
}

static void report_plan(struct seq_file *m, enum simd_kind kind, enum simd_regime regime,
			const struct simd_plan *plan, const char *where)
{
	unsigned int e;

	for (e = 0; e < SIMD_NR_SIZES; e++) {
		struct size from = size_of(plan->from[e]);

		if (e && plan->row[e] == plan->row[e - 1])
			continue;
		seq_printf(m, "%s, %s%s", simd_kind_names[kind], simd_regime_names[regime], where);
		if (e)
			seq_printf(m, ", from %lu%s", from.n, from.unit);
		seq_printf(m, ": %s (%s", simd_routines[plan->row[e]].name, plan->why[e]);
		if (plan->gain[e])
			seq_printf(m, ", %u.%02u x stock", plan->gain[e] / 100,
				   plan->gain[e] % 100);
		seq_puts(m, ")\n");
	}
}

/* The time to use that a threshold rests on. */
static unsigned long long crossing_use(const struct simd_result *results,
				       const struct simd_choice *c, enum simd_regime regime)
{
	const struct simd_plan *plan = &c->plan[SIMD_OWNED][regime];
	unsigned int row = plan->row[simd_plan_part(plan, c->crossed)], e = 0;
	const unsigned int *sizes = simd_sizes[simd_routines[row].kind];

	while (sizes[e] != c->crossed)
		e++;
	return per_4k(results[row].cost[SIMD_STREAM][e].use, c->crossed);
}

static void report_threshold(struct seq_file *m, enum simd_kind kind,
			     const struct simd_result *results,
			     const struct simd_machine *machine, const struct simd_choice *c)
{
	struct size from = size_of(c->threshold), cache = size_of(machine->cache_bytes);
	unsigned long long stream = crossing_use(results, c, SIMD_STREAM);
	unsigned long long cached = crossing_use(results, c, SIMD_CACHED);
	struct size at = size_of(c->crossed);

	if (c->threshold == ULONG_MAX)
		seq_printf(m, "%s: nothing is streamed by itself: ", simd_kind_names[kind]);
	else
		seq_printf(m, "%s: streamed by itself from %lu%s: ", simd_kind_names[kind],
			   from.n, from.unit);
	if (stream && cached)
		seq_printf(m, "time to use, flushed, %llu ns per 4 KiB against %llu at %lu%s, ",
			   stream, cached, at.n, at.unit);
	if (machine->cache_bytes)
		seq_printf(m, "last-level cache %lu%s\n", cache.n, cache.unit);
	else
		seq_puts(m, "last-level cache unknown\n");
}

static void report_choice(struct seq_file *m, enum simd_kind kind,
			  const struct simd_result *results,
			  const struct simd_machine *machine, const struct simd_choice *c)
{
	bool differ = simd_contexts_differ(c);
	unsigned int regime;

	for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
		if (!simd_has_regime(kind, regime))
			continue;
		report_plan(m, kind, regime, &c->plan[SIMD_OWNED][regime], "");
		if (differ)
			report_plan(m, kind, regime, &c->plan[SIMD_FREE][regime],
				    ", no registers to save");
	}
	report_threshold(m, kind, results, machine, c);
}

/**
 * simd_report() - print the table and the choices made from it
 * @m:		where to
 * @results:	one per row
 * @machine:	what is known of the machine
 * @choices:	one per kind
 */
void simd_report(struct seq_file *m, const struct simd_result *results,
		 const struct simd_machine *machine, const struct simd_choice *choices)
{
	unsigned int row, kind;

	for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
		report_head(m, kind);
		simd_for_each_row_of(row, kind)
			report_row(m, row, &results[row], &choices[kind]);
		report_choice(m, kind, results, machine, &choices[kind]);
	}
	seq_printf(m, "saving the registers of a task and loading them again: %u ns\n",
		   machine->save_ns);
}
