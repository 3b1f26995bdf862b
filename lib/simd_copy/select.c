// SPDX-License-Identifier: GPL-2.0
/*
 * From measured costs to a choice. No clock and no CPU in here: the same costs
 * always give the same choice.
 */
#include <linux/bitmap.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <asm/page.h>

#include "simd_copy.h"

/* Costs as parts of another, which is this. */
#define WHOLE		1000

/* A winner's cost is below this part of stock's: the hysteresis. */
#define WINNING		950

/* A row this close to the best ties with it. */
#define TIE		20

static u32 part(u32 cost, unsigned int of_whole)
{
	return div_u64((u64)cost * of_whole, WHOLE);
}

/* What the first section of a call costs besides itself. */
static u32 save_cost(const struct simd_machine *machine, enum simd_context context)
{
	return context == SIMD_OWNED ? machine->save_ns : 0;
}

/* Cost of a call of a row; 0 if it was not measured, or must not be chosen. */
static u32 cost_of(const struct simd_result *results, unsigned int row,
		   enum simd_regime regime, unsigned int e, u32 save)
{
	const struct simd_result *res = &results[row];
	u32 cost = simd_judged_cost(res, regime, e);

	if (!cost || !simd_usable(res) || res->veto)
		return 0;
	return simd_routines[row].guard == SIMD_GUARD_NONE ? cost : cost + save;
}

static u32 least_cost(enum simd_kind kind, const struct simd_result *results,
		      enum simd_regime regime, unsigned int e, u32 save)
{
	u32 best = 0, cost;
	unsigned int row;

	simd_for_each_row_of(row, kind) {
		cost = cost_of(results, row, regime, e, save);
		if (cost && (!best || cost < best))
			best = cost;
	}
	return best;
}

static void choose(struct simd_plan *plan, unsigned int e, unsigned int row,
		   const char *why, unsigned int gain)
{
	plan->row[e] = row;
	plan->why[e] = why;
	plan->gain[e] = gain;
}

static void select_row(enum simd_kind kind, enum simd_regime regime, unsigned int e,
		       const struct simd_result *results, u32 save, unsigned int stock,
		       struct simd_plan *plan)
{
	u32 base = cost_of(results, stock, regime, e, save);
	u32 best = least_cost(kind, results, regime, e, save);
	unsigned int guarded, row;
	u32 cost;

	/* What a row gains over stock is unknown where stock is. */
	if (!base) {
		if (e)
			choose(plan, e, plan->row[e - 1], "not measured: as smaller ones", 0);
		else
			choose(plan, e, stock, "stock: not measured", 0);
		return;
	}
	if (best >= part(base, WINNING)) {
		choose(plan, e, stock, "stock: no row is faster by 5 %", 100);
		return;
	}

	/* Of rows that tie, one that needs no section, then the first. */
	for (guarded = 0; guarded < 2; guarded++) {
		simd_for_each_row_of(row, kind) {
			cost = cost_of(results, row, regime, e, save);
			if (!cost || cost > part(best, WHOLE + TIE) ||
			    cost >= part(base, WINNING))
				continue;
			if (!guarded && simd_routines[row].guard != SIMD_GUARD_NONE)
				continue;
			choose(plan, e, row, "faster than stock",
			       div_u64((u64)base * 100, cost));
			return;
		}
	}
}

/*
 * Between two sizes that were measured, costs are taken to grow with the size:
 * where does the row of the larger one become the cheaper one?
 */
static unsigned long crossover(enum simd_kind kind, const struct simd_result *results,
			       enum simd_regime regime, u32 save,
			       const struct simd_plan *plan, unsigned int e)
{
	const unsigned int *sizes = simd_sizes[kind];
	unsigned long step = kind == SIMD_KIND_to_user ? 64 : PAGE_SIZE, at;
	u32 old[2], new[2], lost, gained;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		old[i] = cost_of(results, plan->row[e - 1], regime, e - 1 + i, save);
		new[i] = cost_of(results, plan->row[e], regime, e - 1 + i, save);
		if (!old[i] || !new[i])
			return sizes[e];
	}
	lost = new[0] - min(new[0], old[0]);
	gained = old[1] - min(old[1], new[1]);
	if (!gained)
		return sizes[e];

	at = sizes[e - 1] + div_u64((u64)(sizes[e] - sizes[e - 1]) * lost, lost + gained);
	/* The smaller one of the two sizes is not in question. */
	return min_t(unsigned long, (at / step + 1) * step, sizes[e]);
}

static void make_plan(enum simd_kind kind, enum simd_regime regime,
		      const struct simd_result *results, u32 save, unsigned int stock,
		      struct simd_plan *plan)
{
	unsigned int e;

	simd_for_each_size(e, kind) {
		select_row(kind, regime, e, results, save, stock, plan);
		plan->from[e] = e ? crossover(kind, results, regime, save, plan, e) : 0;
	}
	for (; e < SIMD_NR_SIZES; e++) {
		choose(plan, e, plan->row[e - 1], plan->why[e - 1], plan->gain[e - 1]);
		plan->from[e] = ULONG_MAX;
	}
}

/**
 * simd_set_threshold() - from which size on data is streamed by itself
 * @results:		what is known of each row
 * @cache_bytes:	size of the last-level cache, 0 if unknown
 * @choice:		of one kind; the plans are known
 *
 * Streaming pays off by itself where its time to use is no longer than that of
 * cached stores: the consumer misses the caches anyway. That is measured on
 * flushed lines, which say nothing of data that fits the caches: a smaller size
 * than theirs is never streamed.
 */
void simd_set_threshold(const struct simd_result *results, unsigned long cache_bytes,
			struct simd_choice *choice)
{
	const unsigned int *cached = choice->plan[SIMD_OWNED][SIMD_CACHED].row;
	const unsigned int *stream = choice->plan[SIMD_OWNED][SIMD_STREAM].row;
	const enum simd_kind kind = simd_routines[choice->stock].kind;
	const unsigned int *sizes = simd_sizes[kind];
	unsigned int e;

	simd_for_each_size(e, kind)
		choice->crossed = sizes[e];
	choice->threshold = ULONG_MAX;
	if (stream[e - 1] == cached[e - 1] || !cache_bytes)
		return;

	/* From the largest down, so that one odd size does not count. */
	for (; e; e--) {
		u32 c = results[cached[e - 1]].cost[SIMD_STREAM][e - 1].use;
		u32 s = results[stream[e - 1]].cost[SIMD_STREAM][e - 1].use;

		if (s > c)
			break;
		if (s)
			choice->crossed = sizes[e - 1];
	}
	choice->threshold = max_t(unsigned long, cache_bytes, choice->crossed);
}

/**
 * simd_select() - choose the routines of one kind
 * @kind:	the kind
 * @results:	what is known of each row, measured costs included
 * @machine:	what is known of the machine
 * @choice:	result
 *
 * A row that was not measured wherever stock was is never chosen, nor is one
 * that is not faster than stock by the hysteresis.
 */
void simd_select(enum simd_kind kind, const struct simd_result *results,
		 const struct simd_machine *machine, struct simd_choice *choice)
{
	unsigned int context, regime;

	choice->stock = simd_stock_row(kind);
	for (context = 0; context < SIMD_NR_CONTEXTS; context++)
		for (regime = 0; regime < SIMD_NR_REGIMES; regime++)
			make_plan(kind, regime, results, save_cost(machine, context),
				  choice->stock, &choice->plan[context][regime]);
	simd_set_threshold(results, machine->cache_bytes, choice);
}
EXPORT_SYMBOL_GPL(simd_select);

/**
 * simd_contenders() - which rows may still be chosen
 * @kind:	the kind
 * @measured:	a regime that is measured
 * @e:		index into simd_sizes[] of the kind
 * @results:	what is known of each row
 * @machine:	what is known of the machine
 * @percent:	how much dearer than the best a row may seem, or than what beats stock
 * @rows:	bitmap of rows; those that are dearer, in each regime that is judged by
 *		these figures and in each context, are removed, but for stock
 */
void simd_contenders(enum simd_kind kind, enum simd_regime measured, unsigned int e,
		     const struct simd_result *results, const struct simd_machine *machine,
		     unsigned int percent, unsigned long *rows)
{
	const unsigned int stock = simd_stock_row(kind);
	DECLARE_BITMAP(near, SIMD_NR_ROUTINES);
	unsigned int context, regime, row;

	bitmap_zero(near, SIMD_NR_ROUTINES);
	__set_bit(stock, near);
	for (context = 0; context < SIMD_NR_CONTEXTS; context++) {
		u32 save = save_cost(machine, context);

		for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
			u32 base = cost_of(results, stock, regime, e, save);
			u32 best = least_cost(kind, results, regime, e, save);
			u32 limit;

			if (simd_measured(regime) != measured)
				continue;
			/* Where stock is the best, it is not enough to be as good. */
			if (base)
				best = min(best, part(base, WINNING));
			limit = part(best, WHOLE + WHOLE / 100 * percent);
			/* What was not measured yet, for some interruption, costs 0. */
			simd_for_each_row_of(row, kind)
				if (cost_of(results, row, regime, e, save) <= limit)
					__set_bit(row, near);
		}
	}
	bitmap_and(rows, rows, near, SIMD_NR_ROUTINES);
}
