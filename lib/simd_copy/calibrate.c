// SPDX-License-Identifier: GPL-2.0
/*
 * Check every row against a byte-wise reference, then time the ones that
 * passed. Runs in a task that may sleep; nothing here touches the rows in use.
 */
#define pr_fmt(fmt) "simd_copy: " fmt

#include <linux/bitmap.h>
#include <linux/cache.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/cacheflush.h>
#include <asm/cpufeature.h>
#include <asm/page.h>

#include "run.h"
#include "simd_copy.h"

/* --- Self-check ---------------------------------------------------------- */

/* A red zone, at most two pages and their misalignment, a red zone. */
#define CHECK_ORDER	2
#define CHECK_BYTES	(PAGE_SIZE << CHECK_ORDER)
#define CHECK_RED	(PAGE_SIZE / 2)
#define CHECK_MAX	(2 * PAGE_SIZE)

/**
 * struct check - buffers of the self-check
 * @dst:	what the routine writes to
 * @want:	what the reference says it should look like then
 * @src:	what it reads
 */
struct check {
	u8	*dst;
	u8	*want;
	u8	*src;
};

static bool check_one(const struct check *c, unsigned int row, unsigned int dst_off,
		      unsigned int src_off, unsigned long len)
{
	const struct simd_routine *r = &simd_routines[row];
	const u8 *src = c->src + src_off;
	unsigned long i;

	dst_off += CHECK_RED;
	memset(c->dst, 0xa5, CHECK_BYTES);
	memset(c->want, 0xa5, CHECK_BYTES);
	for (i = 0; i < len; i++)
		c->want[dst_off + i] = r->kind == SIMD_KIND_clear ? 0 : src[i];

	if (!simd_run_row(row, c->dst + dst_off, src, len)) {
		pr_warn("%s/%s: barred: its section was refused, so it could not be checked\n",
			simd_kind_names[r->kind], r->name);
		return false;
	}
	if (!memcmp(c->dst, c->want, CHECK_BYTES))
		return true;

	for (i = 0; c->dst[i] == c->want[i]; i++)
		;
	pr_warn("%s/%s: barred: byte %ld of %lu is %02x, should be %02x\n",
		simd_kind_names[r->kind], r->name, (long)i - dst_off, len,
		c->dst[i], c->want[i]);
	return false;
}

/*
 * One turn and a page; one turn and nearly two pages, as misaligned as the row
 * allows, source and destination not alike.
 */
static bool check_row(const struct check *c, unsigned int row)
{
	const struct simd_routine *r = &simd_routines[row];
	unsigned int dst_off = r->dst_align % 64, src_off = 3 * r->src_align % 64;

	return check_one(c, row, 0, 0, r->granule) &&
	       check_one(c, row, 0, 0, PAGE_SIZE) &&
	       check_one(c, row, dst_off, src_off, r->granule) &&
	       check_one(c, row, dst_off, src_off, CHECK_MAX - r->granule);
}

/**
 * simd_self_check() - bar the rows that do not do what they should
 * @results:	@missing is known; @barred is set for the rows that fail
 *
 * A row that fails is named in the log with the first wrong byte. If there is
 * no memory to check with, all rows that are not stock are barred.
 *
 * Context: task, may sleep.
 */
void simd_self_check(struct simd_result *results)
{
	struct check c;
	unsigned int row, i;

	c.dst = (u8 *)__get_free_pages(GFP_KERNEL, CHECK_ORDER);
	c.want = (u8 *)__get_free_pages(GFP_KERNEL, CHECK_ORDER);
	c.src = (u8 *)__get_free_pages(GFP_KERNEL, CHECK_ORDER);

	if (c.src) {
		/* No two bytes near each other alike: a shift must show. */
		for (i = 0; i < CHECK_BYTES; i++)
			c.src[i] = (i * 31 + i / 251) | 1;
	}

	simd_for_each_row(row) {
		if (results[row].missing)
			continue;
		if (c.dst && c.want && c.src)
			results[row].barred = !check_row(&c, row);
		else
			results[row].barred = !simd_routines[row].stock.name;
		cond_resched();
	}

	free_pages((unsigned long)c.dst, CHECK_ORDER);
	free_pages((unsigned long)c.want, CHECK_ORDER);
	free_pages((unsigned long)c.src, CHECK_ORDER);
}

/* --- Calibration --------------------------------------------------------- */

/*
 * A sample moves this many bytes at least, less is too short for the clock;
 * destination and source together still fit a 48 KiB L1.
 */
#define BATCH_BYTES	(4 * PAGE_SIZE)

/* The source of a misaligned copy is off by this. */
#define MISALIGNED_BY	1

/* What a size may take of the time that is left, percent. */
static const unsigned int shares[SIMD_NR_SIZES] = { 30, 40, 100 };

/* One round is no race, and more than these do not lower the minimum further. */
#define MIN_ROUNDS	2
#define MAX_ROUNDS	100

/* A row this much dearer than the best, in percent, is not timed again. */
#define HOPELESS	150

/**
 * struct bench - what a calibration works with
 * @dst:	@order pages
 * @src:	likewise
 * @order:	as much of a huge page as there was to get
 * @window:	where copies to user space go
 * @clock:	cost of reading the clock, ns
 * @took:	by regime and row, how long the last sample took in all, ns
 * @wanted:	by regime, the rows to time at the current size
 */
struct bench {
	void		*dst;
	void		*src;
	unsigned int	order;
	struct simd_user_window	window;
	u32		clock;
	u32		took[SIMD_NR_REGIMES][SIMD_NR_ROUTINES];
	DECLARE_BITMAP(wanted[SIMD_NR_REGIMES], SIMD_NR_ROUTINES);
};

/* Calls in a sample of this size. */
static unsigned int sample_calls(unsigned int size)
{
	return DIV_ROUND_UP(BATCH_BYTES, size);
}

/* The consumer: it reads every line, and depends on what it has read. */
static unsigned long consume(const void *data, unsigned long len)
{
	unsigned long sum = 0, i;

	for (i = 0; i < len; i += 64)
		sum += READ_ONCE(*(const unsigned long *)(data + i));
	return sum;
}

static void make_hot(void *data, unsigned long len)
{
	unsigned long i;

	for (i = 0; i < len; i += 64)
		WRITE_ONCE(*(unsigned long *)(data + i), i);
}

static bool measurable(const struct bench *b, enum simd_kind kind, enum simd_regime regime,
		       unsigned int size)
{
	if (!simd_has_regime(kind, regime))
		return false;
	/* Without CLFLUSH there is no telling where the lines are. */
	if (regime == SIMD_STREAM && !boot_cpu_has(X86_FEATURE_CLFLUSH))
		return false;
	return size + (regime == SIMD_MISALIGNED ? MISALIGNED_BY : 0) <= PAGE_SIZE << b->order;
}

static void sample(struct bench *b, unsigned int row, enum simd_regime regime,
		   unsigned int len, struct simd_cost *cost)
{
	const enum simd_kind kind = simd_routines[row].kind;
	const bool user = kind == SIMD_KIND_to_user;
	unsigned int calls = sample_calls(len), i;
	void *dst = user ? (void __force *)b->window.user : b->dst;
	void *alias = user ? b->window.alias : b->dst;
	void *src = b->src + (regime == SIMD_MISALIGNED ? MISALIGNED_BY : 0);
	u64 begin, start, ret, use;
	unsigned long sum;

	begin = ktime_get_ns();
	if (regime == SIMD_STREAM) {
		clflush_cache_range(alias, calls * len);
		if (kind != SIMD_KIND_clear)
			clflush_cache_range(b->src, calls * len);
	} else {
		make_hot(alias, calls * len);
		if (kind != SIMD_KIND_clear)
			make_hot(b->src, calls * len);
	}

	start = ktime_get_ns();
	for (i = 0; i < calls; i++)
		simd_run_row(row, dst + i * len, src + i * len, len);
	ret = ktime_get_ns();
	sum = consume(alias, calls * len);
	OPTIMIZER_HIDE_VAR(sum);
	use = ktime_get_ns();

	b->took[regime][row] = min_t(u64, use - begin, U32_MAX);

	/* A clock that stood still is no measurement, which 0 would mean. */
	ret = max_t(s64, div_s64(ret - start - b->clock, calls), 1);
	use = max_t(s64, div_s64(use - start - 2 * b->clock, calls), 1);
	if (!cost->ret || ret < cost->ret)
		cost->ret = min_t(u64, ret, U32_MAX);
	if (!cost->use || use < cost->use)
		cost->use = min_t(u64, use, U32_MAX);
}

/* The cheapest row that is in a bitmap, or not in it; NR_ROUTINES if none is. */
static unsigned int cheapest(const struct bench *b, const struct simd_result *results,
			     enum simd_kind kind, enum simd_regime regime, unsigned int e,
			     bool wanted)
{
	unsigned int row, best = SIMD_NR_ROUTINES;
	u32 cost, best_cost = 0;

	simd_for_each_row_of(row, kind) {
		if (test_bit(row, b->wanted[regime]) != wanted || results[row].veto)
			continue;
		cost = simd_judged_cost(&results[row].cost[regime][e], regime);
		if (cost && (!best_cost || cost < best_cost)) {
			best_cost = cost;
			best = row;
		}
	}
	return best;
}

/*
 * Of one kind and regime, mark stock and then the rows that did best at the
 * size before this one, for as long as enough rounds of them fit the time. One
 * row alone is no race: if no second one fits, none is marked.
 *
 * Return: the time left.
 */
static u64 want_best(struct bench *b, const struct simd_result *results,
		     enum simd_kind kind, enum simd_regime regime, unsigned int e, u64 time)
{
	const unsigned int *sizes = simd_sizes[kind];
	unsigned int stock = simd_stock_row(kind), row = stock, n;
	u64 left = time;

	if (!simd_usable(&results[stock]))
		return time;
	for (n = 0; row < SIMD_NR_ROUTINES; n++) {
		u64 est = (u64)b->took[regime][row] * MIN_ROUNDS;

		est = div_u64(est * sizes[e] * sample_calls(sizes[e]),
			      sizes[e - 1] * sample_calls(sizes[e - 1]));

		if (est > left)
			break;
		left -= est;
		__set_bit(row, b->wanted[regime]);
		row = cheapest(b, results, kind, regime, e - 1, false);
	}
	if (n == 1) {
		__clear_bit(stock, b->wanted[regime]);
		return time;
	}
	return left;
}

static void want_rows(struct bench *b, const struct simd_result *results, unsigned int e,
		      u64 time)
{
	unsigned int cells = SIMD_NR_KINDS * SIMD_NR_REGIMES;
	unsigned int regime, kind, row;

	for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
		bitmap_zero(b->wanted[regime], SIMD_NR_ROUTINES);
		for (kind = 0; kind < SIMD_NR_KINDS; kind++, cells--) {
			/* What one cell does not need, the next ones may have. */
			u64 share = div_u64(time, cells);

			if (!measurable(b, kind, regime, simd_sizes[kind][e]))
				continue;
			if (e) {
				time -= share - want_best(b, results, kind, regime, e, share);
				continue;
			}
			simd_for_each_row_of(row, kind)
				if (simd_usable(&results[row]))
					__set_bit(row, b->wanted[regime]);
		}
	}
}

/* Spend the rounds that follow on the rows that may still win, and on stock. */
static void drop_hopeless(struct bench *b, const struct simd_result *results,
			  enum simd_kind kind, enum simd_regime regime, unsigned int e)
{
	unsigned int best = cheapest(b, results, kind, regime, e, true);
	unsigned int stock = simd_stock_row(kind), row;
	u64 limit;

	if (best == SIMD_NR_ROUTINES)
		return;
	limit = simd_judged_cost(&results[best].cost[regime][e], regime);
	limit = div_u64(limit * HOPELESS, 100);

	simd_for_each_row_of(row, kind) {
		if (row != stock &&
		    simd_judged_cost(&results[row].cost[regime][e], regime) > limit)
			__clear_bit(row, b->wanted[regime]);
	}
}

static void one_round(struct bench *b, struct simd_result *results, unsigned int e)
{
	unsigned int kind, regime, row;

	simd_for_each_row(row) {
		for (regime = 0; regime < SIMD_NR_REGIMES; regime++)
			if (test_bit(row, b->wanted[regime]))
				sample(b, row, regime, simd_sizes[simd_routines[row].kind][e],
				       &results[row].cost[regime][e]);
		cond_resched();
	}

	for (kind = 0; kind < SIMD_NR_KINDS; kind++)
		for (regime = 0; regime < SIMD_NR_REGIMES; regime++)
			drop_hopeless(b, results, kind, regime, e);
}

static u32 clock_cost(void)
{
	u64 t, best = U32_MAX;
	unsigned int i;

	for (i = 0; i < 16; i++) {
		t = ktime_get_ns();
		t = ktime_get_ns() - t;
		best = min(best, t);
	}
	return best;
}

static bool alloc_buffers(struct bench *b)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN | __GFP_NORETRY;

	for (b->order = get_order(SIMD_MAX_SIZE); ; b->order--) {
		b->dst = (void *)__get_free_pages(gfp, b->order);
		b->src = (void *)__get_free_pages(gfp, b->order);
		if (b->dst && b->src)
			break;
		free_pages((unsigned long)b->dst, b->order);
		free_pages((unsigned long)b->src, b->order);
		if (PAGE_SIZE << b->order <= 2 * BATCH_BYTES)
			return false;
	}
	return true;
}

/**
 * simd_calibrate() - time the usable rows
 * @results:	@missing and @barred are known; @cost is filled in
 * @budget:	time to spend, ns
 * @window:	where copies to user space go; NULL for kernel memory, which has
 *		the same stores at the same cost but for the page tables
 *
 * Rounds over all rows are interleaved and the minimum is kept, so that what
 * else the machine does hits all rows alike or is not seen at all. The
 * smallest size is always measured; after that the budget decides how many
 * rows, the best ones first, go on to the larger ones.
 * A cell that is not measured stays 0.
 *
 * The cost of opening and closing sections is in the figures; that of saving
 * the owner's registers is not when called from a kernel thread, which has
 * none. It arises once per entry into the kernel, however many sections follow.
 *
 * Context: task, may sleep.
 * Return: 0, or -ENOMEM if nothing was measured.
 */
int simd_calibrate(struct simd_result *results, u64 budget,
		   const struct simd_user_window *window)
{
	u64 deadline = ktime_get_ns() + budget;
	struct bench b = {};
	unsigned int e, round;

	if (!alloc_buffers(&b))
		return -ENOMEM;
	if (window) {
		b.window = *window;
	} else {
		b.window.user = (void __user __force *)b.dst;
		b.window.alias = b.dst;
	}
	b.clock = clock_cost();

	for (e = 0; e < SIMD_NR_SIZES; e++) {
		u64 now = ktime_get_ns();
		u64 share = div_u64((deadline - min(now, deadline)) * shares[e], 100);

		want_rows(&b, results, e, share);
		for (round = 0; round < MAX_ROUNDS; round++) {
			one_round(&b, results, e);
			if (round + 1 >= MIN_ROUNDS && ktime_get_ns() - now >= share)
				break;
		}
	}

	free_pages((unsigned long)b.dst, b.order);
	free_pages((unsigned long)b.src, b.order);
	return 0;
}
