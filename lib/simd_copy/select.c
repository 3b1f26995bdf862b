// SPDX-License-Identifier: GPL-2.0
/*
 * From measured costs to a choice. No clock and no CPU in here: the same costs
 * always give the same choice.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <asm/page.h>

#include "simd_copy.h"

/* Costs as parts of the stock row's, which is this. */
#define STOCK_COST	1000

/* A winner is cheaper than this on average: the hysteresis. */
#define WINNING		950

/* And nowhere dearer than this: what is left is the clock's noise. */
#define LOSING		1020

/* A row this close to the best ties with it. */
#define TIE		20

/* Mean cost of a row relative to stock, 0 if it must not be chosen. */
static u32 relative_cost(const struct simd_result *row, const struct simd_result *stock,
			 enum simd_regime regime)
{
	unsigned int e, n = 0;
	u32 sum = 0;

	if (!simd_usable(row) || row->veto)
		return 0;

	for (e = 0; e < SIMD_NR_SIZES; e++) {
		u32 base = simd_judged_cost(&stock->cost[regime][e], regime);
		u32 cost = simd_judged_cost(&row->cost[regime][e], regime);
		u32 part;

		if (!base)
			continue;
		/* Unknown where stock is known: it might be slower there. */
		if (!cost)
			return 0;
		part = min_t(u64, div_u64((u64)cost * STOCK_COST, base), 100 * STOCK_COST);
		if (row != stock && part > LOSING)
			return 0;
		sum += part;
		n++;
	}
	return n ? sum / n : 0;
}

static void select_row(enum simd_kind kind, enum simd_regime regime,
		       const struct simd_result *results, struct simd_choice *choice)
{
	const struct simd_result *stock = &results[choice->stock];
	u32 best = 0, limit, cost;
	unsigned int row;
	int guarded;

	choice->row[regime] = choice->stock;
	choice->gain[regime] = 0;

	simd_for_each_row_of(row, kind) {
		cost = relative_cost(&results[row], stock, regime);
		if (cost && (!best || cost < best))
			best = cost;
	}
	if (!best) {
		choice->why[regime] = "stock: not measured";
		return;
	}
	if (best >= WINNING) {
		choice->why[regime] = "stock: no row is faster by 5 %";
		choice->gain[regime] = 100;
		return;
	}

	/* Of rows that tie, one that needs no section, then the first. */
	limit = best + best * TIE / STOCK_COST;
	for (guarded = 0; guarded < 2; guarded++) {
		simd_for_each_row_of(row, kind) {
			cost = relative_cost(&results[row], stock, regime);
			if (!cost || cost > limit || cost >= WINNING)
				continue;
			if (!guarded && simd_routines[row].guard != SIMD_GUARD_NONE)
				continue;
			choice->row[regime] = row;
			choice->why[regime] = "faster than stock";
			choice->gain[regime] = 100 * STOCK_COST / cost;
			return;
		}
	}
}

/**
 * simd_threshold() - from which size on data is streamed by itself
 * @results:		what is known of each row
 * @choice:		the rows of one kind
 * @cache_bytes:	size of the last-level cache, 0 if unknown
 *
 * Streaming pays off by itself where its time to use is no longer than that of
 * cached stores: the consumer misses the caches anyway. That is measured on
 * flushed lines, which say nothing of data that fits the caches: a smaller size
 * than theirs is never streamed.
 *
 * Return: bytes, ULONG_MAX for never.
 */
unsigned long simd_threshold(const struct simd_result *results,
			     const struct simd_choice *choice, unsigned long cache_bytes)
{
	const struct simd_cost *cached = results[choice->row[SIMD_CACHED]].cost[SIMD_STREAM];
	const struct simd_cost *stream = results[choice->row[SIMD_STREAM]].cost[SIMD_STREAM];
	const unsigned int *sizes = simd_sizes[simd_routines[choice->stock].kind];
	unsigned int top = SIMD_NR_SIZES, e;

	if (choice->row[SIMD_STREAM] == choice->row[SIMD_CACHED] || !cache_bytes)
		return ULONG_MAX;

	while (top && !(stream[top - 1].use && cached[top - 1].use))
		top--;
	/* From the largest down, so that one odd size does not count. */
	for (e = top; e && stream[e - 1].use <= cached[e - 1].use; e--)
		;
	return max_t(unsigned long, cache_bytes, sizes[e < top ? e : SIMD_NR_SIZES - 1]);
}

/**
 * simd_select() - choose the routines of one kind
 * @kind:		the kind
 * @results:		what is known of each row, measured costs included
 * @cache_bytes:	size of the last-level cache, 0 if unknown
 * @choice:		result
 *
 * A row that was not measured wherever stock was is never chosen, nor is one
 * that is slower than stock at a size that was measured.
 */
void simd_select(enum simd_kind kind, const struct simd_result *results,
		 unsigned long cache_bytes, struct simd_choice *choice)
{
	unsigned int regime;

	choice->stock = simd_stock_row(kind);
	for (regime = 0; regime < SIMD_NR_REGIMES; regime++)
		select_row(kind, regime, results, choice);
	choice->threshold = simd_threshold(results, choice, cache_bytes);
}
