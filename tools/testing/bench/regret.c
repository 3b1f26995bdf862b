// SPDX-License-Identifier: GPL-2.0
/*
 * How far what the kernel would choose is from the best row: select.c and
 * calibrate.c are the kernel's own files, with its budget, and then every row is
 * measured for as long as it takes.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <linux/ktime.h>
#include <asm/cpufeature.h>

#include "harness.h"
#include "machine.h"
#include "measure.h"
#include "run.h"
#include "section.h"

/* As core.c: the whole of self-check and calibration. */
#define BUDGET_NS	10000000ull

/* What each cell takes. */
#define CELL_NS		400000000ull
#define LARGE_CELL_NS	2000000000ull

/* Percent of the best; of stock; and times stock, from 64 KiB on. */
#define MEAN_REGRET	3.0
#define WORST_REGRET	10.0
#define NEVER_BELOW	0.98
#define CLEAR_GAIN	2.0
#define COPY_GAIN	1.8
#define GAIN_FROM	65536

static const unsigned long sizes[] = { 4096, 65536, 2097152 };

/* The regime that a caller names who knows what becomes of the data, and what was. */
static enum simd_regime regime_of(bool cold, bool read)
{
	if (!cold)
		return SIMD_CACHED;
	return read ? SIMD_COLD : SIMD_STREAM;
}

/* --- Sections ------------------------------------------------------------ */

/*
 * What sections cost a kernel. Where a task has registers, the first one saves
 * them, and they are loaded again on the way back to it.
 */
static u8 area[PAGE_SIZE] __aligned(64);
static bool owned, saved;

/* As the kernel: x87, SSE, AVX, AVX-512. */
#define SAVED_XFEATURES	0xe7

static void save(void)
{
	if (boot_cpu_has(X86_FEATURE_XSAVEC))
		asm volatile("xsavec %0" : "+m" (area) : "a" (SAVED_XFEATURES), "d" (0));
	else if (boot_cpu_has(X86_FEATURE_OSXSAVE))
		asm volatile("xsave %0" : "+m" (area) : "a" (SAVED_XFEATURES), "d" (0));
	else
		asm volatile("fxsave %0" : "=m" (area));
}

static void load(void)
{
	if (boot_cpu_has(X86_FEATURE_OSXSAVE))
		asm volatile("xrstor %0" : : "m" (area), "a" (SAVED_XFEATURES), "d" (0));
	else
		asm volatile("fxrstor %0" : : "m" (area));
}

void section_opens(void)
{
	if (owned && !saved) {
		save();
		saved = true;
	}
}

static void run_free(const struct subject *s, void *dst, const void *src, unsigned long len)
{
	owned = false;
	simd_run_row(s->row - simd_routines, dst, src, len);
}

static void run_owned(const struct subject *s, void *dst, const void *src, unsigned long len)
{
	owned = true;
	saved = false;
	simd_run_row(s->row - simd_routines, dst, src, len);
	if (saved)
		load();
}

/* Stock as it is called: kernels up to 6.18 go through extents page by page. */
static void run_pages(const struct subject *s, void *dst, const void *src, unsigned long len)
{
	unsigned long at;

	for (at = 0; at < len; at += PAGE_SIZE)
		simd_call(s->kind, s->fn, dst + at, src + at, PAGE_SIZE);
}

/* --- The choice ---------------------------------------------------------- */

static struct simd_result results[SIMD_NR_ROUTINES];
static struct simd_choice choices[SIMD_NR_KINDS];

/* Nothing else runs meanwhile, as on a machine that boots. */
static void undisturbed(bool on)
{
	struct sched_param param = { .sched_priority = on };

	if (sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &param))
		printf("not root: what else runs takes its part of the 10 ms\n");
}

static int choose(void)
{
	struct simd_machine m = { .cache_bytes = machine.l3 ?: machine.l2 };
	unsigned int kind, regime, e;
	u64 start, spent;
	int err;

	undisturbed(true);
	simd_detect(results);
	start = ktime_get_ns();
	simd_self_check(results);
	spent = ktime_get_ns() - start;
	err = simd_calibrate(results, BUDGET_NS - min(spent, BUDGET_NS), NULL, &m);
	for (kind = 0; !err && kind < SIMD_NR_KINDS; kind++)
		simd_select(kind, results, &m, &choices[kind]);
	spent = ktime_get_ns() - start;
	undisturbed(false);
	if (err) {
		fprintf(stderr, "simdbench: no memory to calibrate with\n");
		return -1;
	}

	printf("checked, timed and chosen in %.1f ms; saving registers takes %u ns\n",
	       spent / 1e6, m.save_ns);
	for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
		for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
			const struct simd_plan *plan = &choices[kind].plan[SIMD_OWNED][regime];

			if (!simd_has_regime(kind, regime))
				continue;
			printf("%s, %s:", simd_kind_names[kind], simd_regime_names[regime]);
			for (e = 0; e < SIMD_NR_SIZES; e++)
				if (!e || plan->row[e] != plan->row[e - 1])
					printf(" from %lu %s", plan->from[e],
					       simd_routines[plan->row[e]].name);
			printf("\n");
		}
	}
	return 0;
}

/* --- The cells ----------------------------------------------------------- */

/* A row with and without registers to save, and stock page by page. */
#define MAX_SUBJECTS	(2 * SIMD_NR_ROUTINES + 1)

/**
 * struct verdict - on all cells of a context
 * @sum:	of the regrets, percent
 * @worst:	the greatest one
 * @cells:	how many there were
 * @misses:	targets that were missed
 */
struct verdict {
	double		sum;
	double		worst;
	unsigned int	cells;
	unsigned int	misses;
};

static void miss(struct verdict *v, const char *what, double is, double target)
{
	printf("  MISSED: %s %.2f, target %.2f\n", what, is, target);
	v->misses++;
}

/**
 * struct outcome - what came of a cell
 * @context:	whether a task has registers to save
 * @kind:	what was done
 * @size:	bytes
 * @cold:	lines were flushed, not hot
 * @read:	the result was read
 * @chosen:	the row that the library would run
 * @best:	the fastest of all
 * @chosen_ns:	ns per 4 KiB
 * @best_ns:	likewise
 * @stock_ns:	of the stock row, in one call
 * @pages_ns:	likewise, as kernels call it that go through extents page by page
 */
struct outcome {
	enum simd_context	context;
	enum simd_kind		kind;
	unsigned long		size;
	bool			cold;
	bool			read;
	unsigned int		chosen;
	unsigned int		best;
	double			chosen_ns;
	double			best_ns;
	double			stock_ns;
	double			pages_ns;
};

static void judge(struct verdict *v, const struct outcome *o)
{
	double regret = (o->chosen_ns / o->best_ns - 1) * 100;
	double gain = o->pages_ns / o->chosen_ns;
	double least = min(o->stock_ns, o->pages_ns) / o->chosen_ns;
	double target = o->kind == SIMD_KIND_clear ? CLEAR_GAIN : COPY_GAIN;

	printf("%-7s %-7s %5luK %-4s %-4s %-12s %6.0f  %-12s %6.0f %6.0f %6.0f %5.1f%% %6.2f %6.2f\n",
	       o->context == SIMD_OWNED ? "task" : "kthread", simd_kind_names[o->kind],
	       o->size / 1024, o->cold ? "cold" : "hot", o->read ? "read" : "-",
	       simd_routines[o->chosen].name, o->chosen_ns, simd_routines[o->best].name,
	       o->best_ns, o->stock_ns, o->pages_ns, regret, o->stock_ns / o->chosen_ns, gain);
	v->sum += regret;
	v->worst = max(v->worst, regret);
	v->cells++;
	if (regret > WORST_REGRET)
		miss(v, "regret, percent", regret, WORST_REGRET);
	if (least < NEVER_BELOW)
		miss(v, "times stock", least, NEVER_BELOW);
	if (o->kind != SIMD_KIND_to_user && o->cold && !o->read && o->size >= GAIN_FROM &&
	    gain < target)
		miss(v, "times stock, page by page", gain, target);
}

static int measure_cell(enum simd_kind kind, unsigned long size, bool cold, bool read,
			struct verdict *verdicts)
{
	const enum place place = cold ? PLACE_DRAM : PLACE_L1;
	const struct cell cell = {
		.size = size, .dst = place, .src = place, .huge = true,
		.consumer = read ? CONSUMER_ALL : CONSUMER_NONE,
	};
	const struct effort effort = { .ns = size > GAIN_FROM ? LARGE_CELL_NS : CELL_NS };
	const struct subject *all, *list[MAX_SUBJECTS];
	struct subject with[SIMD_NR_CONTEXTS][SIMD_NR_ROUTINES], pages;
	struct figures figures[MAX_SUBJECTS], of[SIMD_NR_CONTEXTS][SIMD_NR_ROUTINES] = {};
	unsigned int stock = simd_stock_row(kind), context, row, i, n = 0;
	const double per_4k = 4096.0 / size;

	subjects_init(&all);
	simd_for_each_row_of(row, kind) {
		/* What may only be used by name is no choice. */
		if (!simd_usable(&results[row]) || results[row].veto)
			continue;
		for (context = 0; context < SIMD_NR_CONTEXTS; context++) {
			with[context][row] = all[row];
			with[context][row].run = context == SIMD_OWNED ? run_owned : run_free;
		}
		list[n++] = &with[SIMD_OWNED][row];
		if (simd_routines[row].guard != SIMD_GUARD_NONE)
			list[n++] = &with[SIMD_FREE][row];
	}
	pages = all[stock];
	pages.run = run_pages;
	list[n++] = &pages;

	if (measure(&cell, list, n, &effort, figures)) {
		fprintf(stderr, "simdbench: no memory, or no huge pages to be had\n");
		return -1;
	}
	for (i = 0; i < n - 1; i++) {
		row = list[i]->row - simd_routines;
		context = list[i]->run == run_owned ? SIMD_OWNED : SIMD_FREE;
		of[context][row] = figures[i];
		if (simd_routines[row].guard == SIMD_GUARD_NONE)
			of[SIMD_FREE][row] = figures[i];
	}

	for (context = 0; context < SIMD_NR_CONTEXTS; context++) {
		const struct simd_plan *plan =
			&choices[kind].plan[context][regime_of(cold, read)];
		unsigned int chosen = plan->row[simd_plan_part(plan, size)], best = stock;
		const struct figures *f = of[context];

		simd_for_each_row_of(row, kind)
			if (f[row].calls && f[row].median < f[best].median)
				best = row;
		judge(&verdicts[context], &(struct outcome) {
			.context = context, .kind = kind, .size = size,
			.cold = cold, .read = read, .chosen = chosen, .best = best,
			.chosen_ns = f[chosen].median * per_4k,
			.best_ns = f[best].median * per_4k,
			.stock_ns = f[stock].median * per_4k,
			/* One page is not gone through page by page, nor is a user copy. */
			.pages_ns = size == PAGE_SIZE || kind == SIMD_KIND_to_user ?
				f[stock].median * per_4k : figures[n - 1].median * per_4k,
		});
	}
	return 0;
}

static int report(const char *name, struct verdict *v)
{
	double mean = v->cells ? v->sum / v->cells : 0;

	if (!v->cells)
		return 0;
	printf("%s: %u cells, mean regret %.1f %%, worst %.1f %%\n", name, v->cells, mean,
	       v->worst);
	if (mean > MEAN_REGRET)
		miss(v, "mean regret, percent", mean, MEAN_REGRET);
	return v->misses;
}

int regret(void)
{
	struct verdict verdicts[SIMD_NR_CONTEXTS] = {};
	unsigned int kind, i, misses;
	int cold, read;

	if (choose())
		return 1;

	printf("\nns per 4 KiB, medians. best: of all rows that may be chosen. stock: in one\n"
	       "call, and page by page, as kernels up to 6.18 clear and copy extents, and how\n"
	       "many times faster than either the choice is. kthread: no registers to save\n"
	       "%-7s %-7s %6s %-4s %-4s %-12s %6s  %-12s %6s %6s %6s %6s %6s %6s\n",
	       "for", "kind", "size", "from", "then", "chosen", "ns", "best", "ns", "stock",
	       "pages", "regret", "stock", "pages");
	for (kind = 0; kind < SIMD_NR_KINDS; kind++)
		for (i = 0; i < ARRAY_SIZE(sizes); i++)
			for (cold = 0; cold < 2; cold++)
				for (read = 0; read < 2; read++)
					if (measure_cell(kind, sizes[i], cold, read, verdicts))
						return 1;

	misses = report("task", &verdicts[SIMD_OWNED]);
	misses += report("kthread", &verdicts[SIMD_FREE]);
	printf(misses ? "FAIL: %u targets missed, see MISSED\n" : "PASS\n", misses);
	return misses != 0;
}
