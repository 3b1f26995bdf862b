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
#include <linux/vmalloc.h>
#include <asm/barrier.h>
#include <asm/cacheflush.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/page.h>

#include "run.h"
#include "simd_copy.h"

/* --- Self-check ---------------------------------------------------------- */

/* A red zone, two pages, at most a turn and the misalignment, a red zone. */
#define CHECK_ORDER	2
#define CHECK_BYTES	(PAGE_SIZE << CHECK_ORDER)
#define CHECK_RED	(PAGE_SIZE / 2)

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
	unsigned long used, i;

	dst_off += CHECK_RED;
	used = dst_off + len + CHECK_RED;
	memset(c->dst, 0xa5, used);
	memset(c->want, 0xa5, used);
	for (i = 0; i < len; i++)
		c->want[dst_off + i] = r->kind == SIMD_KIND_clear ? 0 : src[i];

	if (!simd_run_row(row, c->dst + dst_off, src, len)) {
		pr_warn("%s/%s: barred: its section was refused, so it could not be checked\n",
			simd_kind_names[r->kind], r->name);
		return false;
	}
	if (!memcmp(c->dst, c->want, used))
		return true;

	for (i = 0; c->dst[i] == c->want[i]; i++)
		;
	pr_warn("%s/%s: barred: byte %ld of %lu is %02x, should be %02x\n",
		simd_kind_names[r->kind], r->name, (long)i - dst_off, len,
		c->dst[i], c->want[i]);
	return false;
}

/*
 * One turn and a page; one turn, and two pages and a turn, as misaligned as the
 * row allows, source and destination not alike.
 */
static bool check_row(const struct check *c, unsigned int row)
{
	const struct simd_routine *r = &simd_routines[row];
	unsigned int dst_off = r->dst_align % 64, src_off = 3 * r->src_align % 64;

	return check_one(c, row, 0, 0, r->granule) &&
	       check_one(c, row, 0, 0, PAGE_SIZE) &&
	       check_one(c, row, dst_off, src_off, r->granule) &&
	       check_one(c, row, dst_off, src_off, 2 * PAGE_SIZE + r->granule);
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

/* --- The registers of a task --------------------------------------------- */

/* What the kernel saves of them, but for AMX, which tasks hardly ever use. */
#define SAVED_XFEATURES	(SIMD_XCR0_SSE | SIMD_XCR0_YMM | SIMD_XCR0_ZMM | 1)

/* The layout of FXSAVE and XSAVE (SDM vol. 1, 10.5.1 and 13.4.1). */
#define AREA_BYTES	PAGE_SIZE
#define AREA_MXCSR	24
#define MXCSR_DEFAULT	0x1f80

/* Together long enough for the clock, and short enough for a section. */
#define SAVES		8
#define SAVE_ROUNDS	8

/* Save the registers in @area, and load them again. */
static void save_and_load(void *area)
{
	const u32 mask = SAVED_XFEATURES;

	if (!boot_cpu_has(X86_FEATURE_XSAVE) || !cpu_has_xfeatures(SIMD_XCR0_SSE, NULL)) {
		if (boot_cpu_has(X86_FEATURE_FXSR))
			asm volatile("fxsave (%0); fxrstor (%0)" : : "r" (area) : "memory");
		else
			asm volatile("fnsave (%0); frstor (%0)" : : "r" (area) : "memory");
		return;
	}
	/* The kernel has its own way, but both leave out what is not in use. */
	if (boot_cpu_has(X86_FEATURE_XSAVEC))
		asm volatile("xsavec (%0)" : : "r" (area), "a" (mask), "d" (0) : "memory");
	else
		asm volatile("xsave (%0)" : : "r" (area), "a" (mask), "d" (0) : "memory");
	asm volatile("xrstor (%0)" : : "r" (area), "a" (mask), "d" (0) : "memory");
}

/* As most tasks leave them: XMM registers are in use, nothing else is. */
static void fill_registers(void *area)
{
	memset(area, 0, AREA_BYTES);
	*(u32 *)(area + AREA_MXCSR) = MXCSR_DEFAULT;
	if (boot_cpu_has(X86_FEATURE_XSAVE) && cpu_has_xfeatures(SIMD_XCR0_SSE, NULL))
		asm volatile("xrstor (%0)" : : "r" (area), "a" (SAVED_XFEATURES), "d" (0)
			     : "memory");
	if (boot_cpu_has(X86_FEATURE_XMM))
		asm volatile("movups (%0), %%xmm0" : : "r" (area + AREA_MXCSR));
}

/*
 * What it costs to save the registers of a task and to load them again, ns. They
 * are its own in the section only by name: it has saved them already.
 */
static u32 registers_cost(void *area, u32 clock)
{
	enum simd_guard guard = boot_cpu_has(X86_FEATURE_XMM) ? SIMD_GUARD_XMM : SIMD_GUARD_MMX;
	unsigned int round, i;
	u64 t, best = U32_MAX;

	if (!boot_cpu_has(X86_FEATURE_XMM) && !boot_cpu_has(X86_FEATURE_MMX))
		return 0;
	for (round = 0; round < SAVE_ROUNDS; round++) {
		simd_section(guard) {
			fill_registers(area);
			t = ktime_get_ns();
			for (i = 0; i < SAVES; i++)
				save_and_load(area);
			t = ktime_get_ns() - t;
			if (guard == SIMD_GUARD_MMX)
				asm volatile("emms");
			best = min(best, t);
		}
	}
	return best == U32_MAX ? 0 : div_u64(best - min_t(u64, best, clock), SAVES);
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
static const unsigned int shares[SIMD_NR_SIZES] = { 25, 80, 100 };

/* What is kept back of that, for rows that win, or nearly do, percent. */
#define KEPT_BACK	35

/*
 * Rows go on to a larger size if as many rounds of them fit, and win after as many
 * as there is time for. A huge page is long enough to be an average by itself.
 */
#define MIN_ROUNDS	2
#define WINNER_ROUNDS	9
#define MAX_ROUNDS	100
#define MIN_ROUNDS_HUGE	1
#define WINNER_ROUNDS_HUGE	2

/* The median is that of the last of so many samples. */
#define NR_SAMPLES	31

/* Costs as parts of another, which is this. */
#define WHOLE		1024

/*
 * A row this much dearer than the best, in percent, is not timed again. That is
 * after one round; the more there were, the surer it is.
 */
#define HOPELESS	200
#define HOPELESS_LEAST	10

/* Nor is one this much dearer at the next size, which may favour it. */
#define HOPELESS_NEXT	50

/* A sample that took so many times what stock's did, and so many ns, was interrupted. */
#define INTERRUPTED	16
#define INTERRUPTED_NS	1000000

/* Interruptions do not count, but not for ever: the budget, times this. */
#define PUT_OFF		10

/**
 * struct samples - those of a row, a size and a regime
 * @n:		number of samples taken so far
 * @took:	how long the last one took in all, ns
 * @last:	the last one, ns per call
 * @ret:	ring of times to return: of stock ns per call, of the others parts of
 *		what stock took in the same round
 * @use:	ring of times to use, likewise
 */
struct samples {
	unsigned int		n;
	u32			took;
	struct simd_cost	last;
	u32			ret[NR_SAMPLES];
	u32			use[NR_SAMPLES];
};

/**
 * struct bench - what a calibration works with
 * @dst:	@order pages
 * @src:	likewise
 * @order:	as much of a huge page as there was to get
 * @window:	where copies to user space go
 * @clock:	cost of reading the clock, ns
 * @deadline:	when the time is over; put off by what others took of it
 * @latest:	but not beyond this
 * @samples:	by size, regime and row
 * @wanted:	by regime that is measured, the rows to time at the current size
 */
struct bench {
	void		*dst;
	void		*src;
	unsigned int	order;
	struct simd_user_window	window;
	u32		clock;
	u64		deadline;
	u64		latest;
	struct samples	samples[SIMD_NR_SIZES][SIMD_NR_REGIMES][SIMD_NR_ROUTINES];
	DECLARE_BITMAP(wanted[SIMD_NR_REGIMES], SIMD_NR_ROUTINES);
};

/* Whether a regime of a kind is judged by what is measured in another, or itself. */
static bool judged_by(enum simd_kind kind, enum simd_regime regime, enum simd_regime measured)
{
	return simd_has_regime(kind, regime) && simd_measured(regime) == measured;
}

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
	/* Stores that are still on their way would be on the clock. */
	mb();
}

static bool measurable(const struct bench *b, enum simd_kind kind, enum simd_regime regime,
		       unsigned int size)
{
	if (!judged_by(kind, regime, regime))
		return false;
	/*
	 * Without CLFLUSH there is no telling where the lines are, and less than a
	 * page is no stream.
	 */
	if (regime == SIMD_STREAM && (!boot_cpu_has(X86_FEATURE_CLFLUSH) || size < PAGE_SIZE))
		return false;
	/* Two huge pages are hot nowhere. */
	if (regime != SIMD_STREAM && size == SIMD_MAX_SIZE)
		return false;
	return size + (regime == SIMD_MISALIGNED ? MISALIGNED_BY : 0) <= PAGE_SIZE << b->order;
}

/* Half of the samples took longer. */
static u32 median(const u32 *samples, unsigned int n)
{
	u32 sorted[NR_SAMPLES];
	unsigned int i, j;

	n = min_t(unsigned int, n, NR_SAMPLES);
	for (i = 0; i < n; i++) {
		for (j = i; j && sorted[j - 1] > samples[i]; j--)
			sorted[j] = sorted[j - 1];
		sorted[j] = samples[i];
	}
	return n ? sorted[(n - 1) / 2] : 0;
}

static u32 per_call(u64 ns, unsigned int clock, unsigned int calls)
{
	/* A clock that stood still is no measurement, which 0 would mean. */
	return clamp_t(s64, div_s64(ns - clock, calls), 1, U32_MAX);
}

static void make_state(const struct bench *b, enum simd_kind kind, enum simd_regime regime,
		       void *dst, unsigned long len)
{
	if (regime == SIMD_STREAM) {
		clflush_cache_range(dst, len);
		if (kind != SIMD_KIND_clear)
			clflush_cache_range(b->src, len);
	} else {
		make_hot(dst, len);
		if (kind != SIMD_KIND_clear)
			make_hot(b->src, len);
	}
}

static void sample(struct bench *b, unsigned int row, enum simd_regime regime,
		   unsigned int e)
{
	const enum simd_kind kind = simd_routines[row].kind;
	struct samples *s = &b->samples[e][regime][row];
	const bool user = kind == SIMD_KIND_to_user;
	unsigned int len = simd_sizes[kind][e], calls = sample_calls(len), n, i;
	void *dst = user ? (void __force *)b->window.user : b->dst;
	void *alias = user ? b->window.alias : b->dst;
	void *src = b->src + (regime == SIMD_MISALIGNED ? MISALIGNED_BY : 0);
	u64 begin, start, ret, use;
	unsigned long sum = 0;

	/* The first call finds neither code nor translations in the caches. */
	if (!s->n)
		simd_run_row(row, dst, src, len);

	begin = ktime_get_ns();
	/* What a page stores is on its way for a while, and the next ones wait for it. */
	n = regime == SIMD_STREAM && calls > 1 ? 2 * calls : calls;
	make_state(b, kind, regime, alias, n * len);
	start = ktime_get_ns();
	for (i = 0; i < n; i++)
		simd_run_row(row, dst + i * len, src + i * len, len);
	ret = ktime_get_ns() - start;

	/*
	 * A page is read before the next one is done, which stores that are still on
	 * their way gain from. One call is one call.
	 */
	if (regime == SIMD_STREAM && calls > 1) {
		make_state(b, kind, regime, alias, calls * len);
		start = ktime_get_ns() - b->clock;
		for (i = 0; i < calls; i++) {
			simd_run_row(row, dst + i * len, src + i * len, len);
			sum += consume(alias + i * len, len);
		}
	} else {
		sum = consume(alias, calls * len);
	}
	OPTIMIZER_HIDE_VAR(sum);
	use = ktime_get_ns();

	s->took = min_t(u64, use - begin, U32_MAX);
	s->last.ret = per_call(ret, b->clock, n);
	s->last.use = per_call(use - start, 2 * b->clock, calls);
}

static u32 part_of(u32 part, u32 whole)
{
	return min_t(u64, div_u64((u64)part * WHOLE, whole), U32_MAX);
}

/* Enter what the rows took that were sampled, and bring all costs up to date. */
static void account(struct bench *b, struct simd_result *results, enum simd_kind kind,
		    enum simd_regime regime, unsigned int e)
{
	unsigned int stock = simd_stock_row(kind), row;
	struct samples *all = b->samples[e][regime], *base = &all[stock];
	u32 ret, use;

	simd_for_each_row_of(row, kind) {
		struct samples *s = &all[row];
		unsigned int at = s->n % NR_SAMPLES;

		if (!test_bit(row, b->wanted[regime]))
			continue;
		if (s->took > INTERRUPTED_NS && s->took / INTERRUPTED > base->took) {
			b->deadline = min(b->deadline + s->took, b->latest);
			continue;
		}
		s->ret[at] = row == stock ? s->last.ret : part_of(s->last.ret, base->last.ret);
		s->use[at] = row == stock ? s->last.use : part_of(s->last.use, base->last.use);
		s->n++;
	}

	ret = median(base->ret, base->n);
	use = median(base->use, base->n);
	simd_for_each_row_of(row, kind) {
		struct simd_cost *cost = &results[row].cost[regime][e];
		struct samples *s = &all[row];

		if (!s->n)
			continue;
		cost->ret = ret;
		cost->use = use;
		if (row == stock)
			continue;
		cost->ret = max_t(u64, (u64)ret * median(s->ret, s->n) / WHOLE, 1);
		cost->use = max_t(u64, (u64)use * median(s->use, s->n) / WHOLE, 1);
	}
}

/*
 * Stock comes last, since all others depend on what it took, and first, in case it is
 * interrupted then: what comes first is on the clock with what other states left
 * behind. The others go forwards and backwards in turn, for the same reason.
 */
static void sample_all(struct bench *b, struct simd_result *results, enum simd_kind kind,
		       enum simd_regime regime, unsigned int e)
{
	unsigned int stock = simd_stock_row(kind), i;
	struct samples *base = &b->samples[e][regime][stock];
	struct simd_cost first;

	if (!test_bit(stock, b->wanted[regime]))
		return;
	sample(b, stock, regime, e);
	first = base->last;
	simd_for_each_row(i) {
		unsigned int row = base->n % 2 ? SIMD_NR_ROUTINES - 1 - i : i;

		if (simd_routines[row].kind == kind && row != stock &&
		    test_bit(row, b->wanted[regime]))
			sample(b, row, regime, e);
	}
	if (simd_sizes[kind][e] != SIMD_MAX_SIZE)
		sample(b, stock, regime, e);
	if (base->last.use / 2 > first.use)
		base->last = first;
	account(b, results, kind, regime, e);
}

/*
 * The row that is cheapest in a regime of those in a bitmap, or of those that are
 * not in it; NR_ROUTINES if there is none.
 */
static unsigned int cheapest(const struct simd_result *results, enum simd_kind kind,
			     enum simd_regime regime, unsigned int e,
			     const unsigned long *rows, bool in)
{
	unsigned int row, best = SIMD_NR_ROUTINES;
	u32 cost, best_cost = 0;

	simd_for_each_row_of(row, kind) {
		if (test_bit(row, rows) != in || results[row].veto)
			continue;
		cost = simd_judged_cost(&results[row], regime, e);
		if (cost && (!best_cost || cost < best_cost)) {
			best_cost = cost;
			best = row;
		}
	}
	return best;
}

static bool beyond(const struct simd_result *res, enum simd_regime regime, unsigned int e,
		   u32 best, unsigned int percent)
{
	return simd_judged_cost(res, regime, e) > div_u64((u64)best * (100 + percent), 100);
}

/*
 * Mark a row for the next size, if enough rounds of it fit the time.
 *
 * Return: false if they do not.
 */
static bool want_row(struct bench *b, enum simd_kind kind, enum simd_regime measured,
		     unsigned int e, unsigned int row, u64 *time)
{
	const unsigned int *sizes = simd_sizes[kind];
	u64 est = b->samples[e - 1][measured][row].took;

	est *= sizes[e] == SIMD_MAX_SIZE ? MIN_ROUNDS_HUGE : MIN_ROUNDS;
	est = div_u64(est * sizes[e] * sample_calls(sizes[e]),
		      sizes[e - 1] * sample_calls(sizes[e - 1]));
	if (est > *time)
		return false;
	*time -= est;
	__set_bit(row, b->wanted[measured]);
	return true;
}

/*
 * Of one kind, mark stock and then the rows that did best at the size before this
 * one, for as long as there is time. Each regime that is judged by the same
 * figures names one in turn. One row alone is no race: if no second one fits,
 * none is marked.
 *
 * Return: the time left.
 */
static u64 want_best(struct bench *b, const struct simd_result *results,
		     enum simd_kind kind, enum simd_regime measured, unsigned int e, u64 time)
{
	unsigned int stock = simd_stock_row(kind), regime, row;
	unsigned long *wanted = b->wanted[measured];
	bool race = false, more = true;
	u32 best[SIMD_NR_REGIMES] = {};
	u64 left = time;

	if (!simd_usable(&results[stock]) || !want_row(b, kind, measured, e, stock, &left))
		return time;
	while (more) {
		more = false;
		for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
			if (!judged_by(kind, regime, measured))
				continue;
			row = cheapest(results, kind, regime, e - 1, wanted, false);
			if (row == SIMD_NR_ROUTINES)
				continue;
			best[regime] = best[regime] ?:
				       simd_judged_cost(&results[row], regime, e - 1);
			if (beyond(&results[row], regime, e - 1, best[regime], HOPELESS_NEXT) ||
			    !want_row(b, kind, measured, e, row, &left))
				continue;
			race = true;
			more = true;
		}
	}
	if (race)
		return left;
	__clear_bit(stock, wanted);
	return time;
}

/* What is best below a page says nothing of a page: sections are most of it. */
static bool want_all(enum simd_kind kind, unsigned int e)
{
	return !e || simd_sizes[kind][e - 1] < PAGE_SIZE;
}

static void want_rows(struct bench *b, const struct simd_result *results, unsigned int e,
		      u64 time)
{
	unsigned int regime, kind, row, cells = 0;

	for (regime = 0; regime < SIMD_NR_REGIMES; regime++)
		for (kind = 0; kind < SIMD_NR_KINDS; kind++)
			cells += measurable(b, kind, regime, simd_sizes[kind][e]);

	for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
		bitmap_zero(b->wanted[regime], SIMD_NR_ROUTINES);
		for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
			u64 share;

			if (!measurable(b, kind, regime, simd_sizes[kind][e]))
				continue;
			/* What one cell does not need the next may have: streams take most. */
			share = div_u64(time, cells--);
			if (!want_all(kind, e)) {
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
			  enum simd_kind kind, enum simd_regime measured, unsigned int e,
			  unsigned int rounds)
{
	unsigned int percent = max(HOPELESS / rounds, HOPELESS_LEAST);
	unsigned int stock = simd_stock_row(kind), regime, best, row;
	DECLARE_BITMAP(hopeful, SIMD_NR_ROUTINES);
	u32 limit;

	bitmap_zero(hopeful, SIMD_NR_ROUTINES);
	for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
		if (!judged_by(kind, regime, measured))
			continue;
		best = cheapest(results, kind, regime, e, b->wanted[measured], true);
		if (best == SIMD_NR_ROUTINES)
			return;
		limit = simd_judged_cost(&results[best], regime, e);
		simd_for_each_row_of(row, kind)
			if (!beyond(&results[row], regime, e, limit, percent))
				__set_bit(row, hopeful);
	}
	simd_for_each_row_of(row, kind)
		if (row != stock && (results[row].veto || !test_bit(row, hopeful)))
			__clear_bit(row, b->wanted[measured]);
}

static void one_round(struct bench *b, struct simd_result *results, unsigned int e)
{
	unsigned int kind, regime;

	for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
		for (regime = 0; regime < SIMD_NR_REGIMES; regime++)
			sample_all(b, results, kind, regime, e);
		cond_resched();
	}
}

static void race(struct bench *b, struct simd_result *results, unsigned int e, u64 time)
{
	u64 end = ktime_get_ns() + time, put_off = b->deadline;
	unsigned int kind, regime, round;

	want_rows(b, results, e, time);
	for (round = 1; round <= MAX_ROUNDS; round++) {
		one_round(b, results, e);
		/* One round is no race: the first one takes place whatever it costs. */
		if (round > !e && ktime_get_ns() >= end + (b->deadline - put_off))
			break;
		for (kind = 0; kind < SIMD_NR_KINDS; kind++)
			for (regime = 0; regime < SIMD_NR_REGIMES; regime++)
				drop_hopeless(b, results, kind, regime, e, round);
	}
}

/* A row that wins has to do so often enough, with and without registers to save. */
static void want_winners(struct bench *b, const struct simd_result *results,
			 enum simd_kind kind, enum simd_regime regime, unsigned int e)
{
	const enum simd_regime measured = simd_measured(regime);
	const unsigned int enough = simd_sizes[kind][e] == SIMD_MAX_SIZE ?
				    WINNER_ROUNDS_HUGE : WINNER_ROUNDS;
	unsigned int stock = simd_stock_row(kind), row;
	DECLARE_BITMAP(guarded, SIMD_NR_ROUTINES);

	bitmap_zero(guarded, SIMD_NR_ROUTINES);
	for (;;) {
		row = cheapest(results, kind, regime, e, guarded, false);
		if (row == stock || row == SIMD_NR_ROUTINES)
			break;
		if (b->samples[e][measured][row].n < enough) {
			__set_bit(row, b->wanted[measured]);
			__set_bit(stock, b->wanted[measured]);
		}
		if (simd_routines[row].guard == SIMD_GUARD_NONE)
			break;
		/* The best of those without a section is the other one. */
		simd_for_each_row_of(row, kind)
			if (simd_routines[row].guard != SIMD_GUARD_NONE)
				__set_bit(row, guarded);
	}
}

/* Mark the rows to race again at a size, and tell how long a round of them takes. */
static u64 want_contenders(struct bench *b, const struct simd_result *results,
			   const struct simd_machine *machine, unsigned int e)
{
	unsigned int kind, regime, row;
	u64 time = 0;

	for (regime = 0; regime < SIMD_NR_REGIMES; regime++)
		bitmap_zero(b->wanted[regime], SIMD_NR_ROUTINES);
	for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
		for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
			if (!simd_has_regime(kind, regime))
				continue;
			simd_contenders(kind, regime, e, results, machine,
					b->wanted[simd_measured(regime)]);
			want_winners(b, results, kind, regime, e);
		}
	}
	for (regime = 0; regime < SIMD_NR_REGIMES; regime++)
		simd_for_each_row(row)
			if (test_bit(row, b->wanted[regime]))
				time += b->samples[e][regime][row].took;
	return time;
}

/* Rows that win or nearly do are raced again, until that is sure or the time is over. */
static void race_again(struct bench *b, struct simd_result *results,
		       const struct simd_machine *machine, unsigned int e, u64 end)
{
	unsigned int round;

	for (round = 0; round < MAX_ROUNDS; round++) {
		u64 time = want_contenders(b, results, machine, e);

		if (!time || ktime_get_ns() + time > end)
			break;
		one_round(b, results, e);
	}
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
 * @machine:	@save_ns is filled in
 *
 * Rounds over all rows are interleaved, and what a row takes is compared with what
 * stock takes in the same round, so that what else the machine does hits both. The
 * median counts: string instructions on flushed lines are twice as fast as usual
 * in some lucky round or other, which a minimum would make the rule (Intel Xeon,
 * family 6, model 207).
 *
 * The smallest size is always measured; after that the budget decides how many
 * rows, the best ones first, go on to the larger ones. A part of it is kept back
 * for rows that win, or nearly do. A cell that is not measured stays 0.
 *
 * The cost of opening and closing sections is in the figures. That of saving the
 * owner's registers is not, whether a task calls or a kernel thread: it arises once,
 * in the first round. It is measured by itself.
 *
 * Context: task, may sleep.
 * Return: 0, or -ENOMEM if nothing was measured.
 */
int simd_calibrate(struct simd_result *results, u64 budget,
		   const struct simd_user_window *window, struct simd_machine *machine)
{
	u64 start = ktime_get_ns();
	struct bench *b = vzalloc(sizeof(*b));
	unsigned int e;

	if (!b || !alloc_buffers(b)) {
		vfree(b);
		return -ENOMEM;
	}
	if (window) {
		b->window = *window;
	} else {
		b->window.user = (void __user __force *)b->dst;
		b->window.alias = b->dst;
	}
	b->clock = clock_cost();
	machine->save_ns = registers_cost(b->dst, b->clock);

	/* A huge page may be long in coming, which is no reason to time nothing. */
	b->deadline = max(start + budget, ktime_get_ns() + div_u64(budget, 2));
	b->latest = b->deadline + PUT_OFF * budget;

	for (e = 0; e < SIMD_NR_SIZES; e++) {
		u64 now = ktime_get_ns();
		u64 time = div_u64((b->deadline - min(now, b->deadline)) * shares[e], 100);

		race(b, results, e, div_u64(time * (100 - KEPT_BACK), 100));
		race_again(b, results, machine, e, now + time);
	}
	for (e = 0; e < SIMD_NR_SIZES; e++)
		race_again(b, results, machine, e, b->deadline);

	free_pages((unsigned long)b->dst, b->order);
	free_pages((unsigned long)b->src, b->order);
	vfree(b);
	return 0;
}
