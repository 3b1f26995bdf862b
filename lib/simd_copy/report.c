// SPDX-License-Identifier: GPL-2.0
/*
 * The tables as people read them: debugfs shows them, and the harness.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "simd_copy.h"

/* A size as people write it. */
struct size {
	unsigned long	n;
	const char	*unit;
};

static struct size size_of(unsigned long bytes)
{
	if (!bytes || bytes % 1024)
		return (struct size){ bytes, "" };
	if (bytes % (1024 * 1024))
		return (struct size){ bytes / 1024, "K" };
	return (struct size){ bytes / 1024 / 1024, "M" };
}

static void report_row(struct seq_file *m, unsigned int row, const struct simd_result *res,
		       const struct simd_plan *plan)
{
	const struct simd_routine *r = &simd_routines[row];
	unsigned int c;

	seq_printf(m, "%-8s %-15s %s", simd_kind_names[r->kind], r->name,
		   simd_guard_names[r->guard]);
	if (res->missing)
		seq_printf(m, " unsupported: no %s", res->missing);
	else if (res->barred)
		seq_printf(m, " barred: %s", res->barred);
	else if (row == simd_stock_row(r->kind))
		seq_puts(m, " stock");
	if (res->veto && !res->missing)
		seq_printf(m, " only by name: %s", res->veto);
	simd_for_each_case_of(c, r->kind)
		if (plan->row[c] == row)
			seq_printf(m, " <- %s", simd_cases[c].name);
	seq_puts(m, "\n");
}

static void report_trial(struct seq_file *m, enum simd_state state, const struct simd_trial *t)
{
	if (t->tries)
		seq_printf(m, ", %s %u.%03u [%u.%03u %u.%03u] %u/%u", simd_state_names[state],
			   t->gain / 1000, t->gain % 1000, t->low / 1000, t->low % 1000,
			   t->high / 1000, t->high % 1000, t->wins, t->tries);
}

/* What stock took, and which row seemed best in the screen. */
static void report_screen(struct seq_file *m, unsigned int c, enum simd_state state,
			  const struct simd_evidence *ev)
{
	const unsigned short *screen = ev->screen[state];
	unsigned int row, best = SIMD_NR_ROUTINES;

	if (!ev->ns[state])
		return;
	simd_for_each_row_of(row, simd_cases[c].kind)
		if (screen[row] && (best == SIMD_NR_ROUTINES || screen[row] > screen[best]))
			best = row;
	seq_printf(m, "    %s: stock %u ns", simd_state_names[state], ev->ns[state]);
	if (best < SIMD_NR_ROUTINES)
		seq_printf(m, ", at first sight %s %u.%02u", simd_routines[best].name,
			   screen[best] / 1000, screen[best] % 1000 / 10);
	seq_puts(m, "\n");
}

static void report_case(struct seq_file *m, unsigned int c, unsigned int row,
			const struct simd_evidence *ev)
{
	const struct simd_case *k = &simd_cases[c];
	struct size from = size_of(k->from), bytes = size_of(k->bytes);
	unsigned int state, i;

	seq_printf(m, "%s/%s, from %lu%s, measured with %lu%s, until %s: %s (%s)\n",
		   simd_kind_names[k->kind], k->name, from.n, from.unit, bytes.n, bytes.unit,
		   simd_bytes_used(c) ? "read" : "done", simd_routines[row].name,
		   row == ev->row ? ev->why : "by name");
	simd_for_each_state_of(state, c)
		report_screen(m, c, state, ev);
	for (i = 0; i < ev->nr; i++) {
		seq_printf(m, "    %s: %s", simd_routines[ev->contender[i].row].name,
			   ev->contender[i].why);
		simd_for_each_state_of(state, c)
			report_trial(m, state, &ev->contender[i].trial[state]);
		seq_puts(m, "\n");
	}
}

static void report_threshold(struct seq_file *m, enum simd_kind kind, unsigned long threshold)
{
	struct size from = size_of(threshold);

	if (threshold == ULONG_MAX)
		seq_printf(m, "%s: nothing is streamed by itself\n", simd_kind_names[kind]);
	else
		seq_printf(m, "%s: streamed by itself from %lu%s\n", simd_kind_names[kind],
			   from.n, from.unit);
}

/**
 * simd_report() - print the tables and what was chosen
 * @m:		where to
 * @results:	one per row
 * @machine:	what is known of the machine
 * @plan:	the rows in use
 * @evidence:	one per case
 */
void simd_report(struct seq_file *m, const struct simd_result *results,
		 const struct simd_machine *machine, const struct simd_plan *plan,
		 const struct simd_evidence *evidence)
{
	struct size cache = size_of(machine->cache_bytes);
	unsigned int row, kind, c;

	simd_for_each_row(row)
		report_row(m, row, &results[row], plan);
	seq_puts(m, "\nrow: result, state: times stock [95 % interval] tries won/tries\n");
	simd_for_each_case(c)
		report_case(m, c, plan->row[c], &evidence[c]);
	seq_puts(m, "\n");
	for (kind = 0; kind < SIMD_NR_KINDS; kind++)
		report_threshold(m, kind, plan->threshold[kind]);
	if (machine->cache_bytes)
		seq_printf(m, "last-level cache: %lu%s\n", cache.n, cache.unit);
	else
		seq_puts(m, "last-level cache: unknown\n");
	seq_printf(m, "saving the registers of a task and loading them again: %u ns\n",
		   machine->save_ns);
}
