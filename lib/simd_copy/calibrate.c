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

/*
 * Rows go through many pages in another way than through few: 8 of them at a time, 4,
 * and one by one. Besides those there are two red zones, at most a turn, and the
 * misalignment.
 */
#define CHECK_PAGES	(8 + 4 + 1)
#define CHECK_RED	(PAGE_SIZE / 2)
#define CHECK_BYTES	((CHECK_PAGES + 2) * PAGE_SIZE)

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
	if (r->kind == SIMD_KIND_clear)
		memset(c->want + dst_off, 0, len);
	else
		memcpy(c->want + dst_off, src, len);

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
 * One turn and a page; one turn, and many pages and a turn, as misaligned as the
 * row allows, source and destination not alike.
 */
static bool check_row(const struct check *c, unsigned int row)
{
	const struct simd_routine *r = &simd_routines[row];
	unsigned int dst_off = r->dst_align % 64, src_off = 3 * r->src_align % 64;

	return check_one(c, row, 0, 0, r->granule) &&
	       check_one(c, row, 0, 0, PAGE_SIZE) &&
	       check_one(c, row, dst_off, src_off, r->granule) &&
	       check_one(c, row, dst_off, src_off, CHECK_PAGES * PAGE_SIZE + r->granule);
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

	c.dst = vzalloc(CHECK_BYTES);
	c.want = vzalloc(CHECK_BYTES);
	c.src = vzalloc(CHECK_BYTES);

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

	vfree(c.dst);
	vfree(c.want);
	vfree(c.src);
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

/* After so many rounds the next size is begun. Of huge pages there are that part of rounds. */
#define MIN_ROUNDS	3
#define MIN_ROUNDS_HUGE	1

/* Nothing is learned from more. Stock is sampled twice in each, or nearly. */
#define MAX_ROUNDS	9
#define MAX_SAMPLES	(2 * MAX_ROUNDS)

/* No round but the first takes more than this part of the time that is left. */
#define ROUND_TAKES	2

/*
 * The rows of a size are those that were within so many percent of the best before.
 * Huge pages take so long that the best of each regime and context have to do.
 */
#define NEXT_WITHIN	30
#define NEXT_WITHIN_HUGE	0

/*
 * A row this much dearer than the best, in percent, is dropped. That is after two
 * rounds, since one may have been interrupted; the more there were, the surer it is.
 */
#define HOPELESS	30
#define HOPELESS_LEAST	8

/* A sample that took so many times what the shortest did, and so many ns, was interrupted. */
#define INTERRUPTED	16
#define INTERRUPTED_NS	1000000

/* Interruptions do not count, but not for ever: the budget, times this. */
#define PUT_OFF		10

/**
 * struct samples - those of a row in a cell
 * @n:		number of samples taken so far
 * @ret:	times to return, ns per call
 * @use:	times to use, likewise
 */
struct samples {
	unsigned int	n;
	u32		ret[MAX_SAMPLES];
	u32		use[MAX_SAMPLES];
};

/**
 * struct cell - rows that race: those of a kind, in a regime, at a size
 * @kind:	the kind
 * @regime:	one that is measured
 * @e:		index into simd_sizes[] of the kind
 * @rounds:	number of rounds so far
 * @round:	what the last one took, and the next one will, ns
 * @shortest:	of all samples, ns
 * @over:	there will be none
 * @rows:	bitmap of rows in the next one; none before the first is prepared
 * @samples:	by row
 */
struct cell {
	enum simd_kind		kind;
	enum simd_regime	regime;
	unsigned int		e;
	unsigned int		rounds;
	u64			round;
	u64			shortest;
	bool			over;
	DECLARE_BITMAP(rows, SIMD_NR_ROUTINES);
	struct samples		samples[SIMD_NR_ROUTINES];
};

/**
 * struct bench - what a calibration works with
 * @dst:	@order pages
 * @src:	likewise
 * @order:	as much of a huge page as there was to get
 * @window:	where copies to user space go
 * @dst_at:	offset in @dst of the next sample
 * @src_at:	likewise, in @src
 * @user_at:	likewise, in @window
 * @clock:	cost of reading the clock, ns
 * @deadline:	when the time is over; put off by what others took of it
 * @latest:	but not beyond this
 * @machine:	what is known of the machine
 * @results:	what is known of each row
 * @cells:	by size, kind and regime
 */
struct bench {
	void		*dst;
	void		*src;
	unsigned int	order;
	struct simd_user_window	window;
	unsigned long	dst_at;
	unsigned long	src_at;
	unsigned long	user_at;
	u32		clock;
	u64		deadline;
	u64		latest;
	const struct simd_machine	*machine;
	struct simd_result		*results;
	struct cell	cells[SIMD_NR_SIZES][SIMD_NR_KINDS][SIMD_NR_REGIMES];
};

static unsigned int size_of(const struct cell *c)
{
	return simd_sizes[c->kind][c->e];
}

static unsigned int min_rounds(const struct cell *c)
{
	return size_of(c) == SIMD_MAX_SIZE ? MIN_ROUNDS_HUGE : MIN_ROUNDS;
}

/* Calls in a sample of this size. */
static unsigned int sample_calls(unsigned int size)
{
	return DIV_ROUND_UP(BATCH_BYTES, size);
}

/* Streams of small extents are timed apart for the return and for the use. */
static bool timed_apart(const struct cell *c)
{
	return c->regime == SIMD_STREAM && sample_calls(size_of(c)) > 1;
}

/* What a page stores is on its way for a while, and the next ones wait for it. */
static unsigned int return_calls(const struct cell *c)
{
	return sample_calls(size_of(c)) * (timed_apart(c) ? 2 : 1);
}

/* All that a sample moves. */
static unsigned long sample_bytes(const struct cell *c)
{
	return (unsigned long)size_of(c) * (return_calls(c) +
					    (timed_apart(c) ? sample_calls(size_of(c)) : 0));
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

static bool measurable(const struct bench *b, const struct cell *c)
{
	/* Some regimes are judged by what is measured in another. */
	if (!simd_has_regime(c->kind, c->regime) || simd_measured(c->regime) != c->regime)
		return false;
	/*
	 * Without CLFLUSH there is no telling where the lines are, and less than a
	 * page is no stream.
	 */
	if (c->regime == SIMD_STREAM &&
	    (!boot_cpu_has(X86_FEATURE_CLFLUSH) || size_of(c) < PAGE_SIZE))
		return false;
	/* Two huge pages are hot nowhere. */
	if (c->regime != SIMD_STREAM && size_of(c) == SIMD_MAX_SIZE)
		return false;
	return sample_bytes(c) + (c->regime == SIMD_MISALIGNED ? MISALIGNED_BY : 0) <=
	       PAGE_SIZE << b->order;
}

/*
 * What the samples of a row come to. Half of those of stock took longer. Of any other
 * row a third did, but for one that may have been interrupted: where samples differ
 * much it takes more to win over stock.
 */
static u32 typical(const u32 *samples, unsigned int n, bool stock)
{
	u32 sorted[MAX_SAMPLES];
	unsigned int i, j;

	for (i = 0; i < n; i++) {
		for (j = i; j && sorted[j - 1] > samples[i]; j--)
			sorted[j] = sorted[j - 1];
		sorted[j] = samples[i];
	}
	if (stock || n < 3)
		return sorted[(n - 1) / 2];
	return sorted[min(n * 2 / 3, n - 2)];
}

static u32 per_call(u64 ns, unsigned int clock, unsigned int calls)
{
	/* A clock that stood still is no measurement, which 0 would mean. */
	return clamp_t(s64, div_s64(ns - clock, calls), 1, SIMD_MAX_COST);
}

/*
 * Where in @room the next @len bytes are. Samples go through all of it: lines that were
 * flushed and written a moment ago are no cold memory, string instructions take 1.8
 * times as long there, until 1 MiB has passed in between (Intel Xeon, family 6, model
 * 207). How source and destination lie to each other matters, too: @gap is left.
 */
static unsigned long place(unsigned long *at, unsigned long room, unsigned long len,
			   unsigned long gap)
{
	unsigned long here = *at + len <= room ? *at : 0;

	*at = here + DIV_ROUND_UP(len, PAGE_SIZE) * PAGE_SIZE + gap;
	return here;
}

static void make_state(const struct cell *c, void *dst, void *src, unsigned long len)
{
	if (c->regime == SIMD_STREAM) {
		clflush_cache_range(dst, len);
		if (c->kind != SIMD_KIND_clear)
			clflush_cache_range(src, len);
	} else {
		make_hot(dst, len);
		if (c->kind != SIMD_KIND_clear)
			make_hot(src, len);
	}
}

/* Stock alone, which never drops out, is none. */
static bool is_race(const struct cell *c)
{
	return bitmap_weight(c->rows, SIMD_NR_ROUTINES) > 1;
}

/* Take a sample of a row, and bring its cost up to date. */
static void sample(struct bench *b, struct cell *c, unsigned int row)
{
	struct simd_cost *cost = &b->results[row].cost[c->regime][c->e];
	struct samples *s = &c->samples[row];
	const bool user = c->kind == SIMD_KIND_to_user, stock = row == simd_stock_row(c->kind);
	unsigned int len = size_of(c), calls = sample_calls(len), n = return_calls(c), i;
	unsigned int misaligned = c->regime == SIMD_MISALIGNED ? MISALIGNED_BY : 0;
	const unsigned long room = PAGE_SIZE << b->order, bytes = sample_bytes(c);
	unsigned long at = user ? place(&b->user_at, b->window.size, bytes, 0) :
				  place(&b->dst_at, room, bytes, 0);
	void *dst = user ? (void __force *)b->window.user : b->dst;
	void *alias = user ? b->window.alias : b->dst;
	void *src = b->src + misaligned;
	u64 begin, start, ret, use, took;
	unsigned long sum = 0;

	cond_resched();
	begin = ktime_get_ns();
	/* What the others left in the caches is not this code. */
	simd_run_row(row, dst, src, min_t(unsigned int, len, PAGE_SIZE));

	dst += at;
	alias += at;
	src += place(&b->src_at, room, bytes + misaligned, PAGE_SIZE);
	make_state(c, alias, src, bytes);
	start = ktime_get_ns();
	for (i = 0; i < n; i++)
		simd_run_row(row, dst + i * len, src + i * len, len);
	ret = ktime_get_ns() - start;

	/*
	 * A page is read before the next one is done, which stores that are still on
	 * their way gain from. One call is one call.
	 */
	if (timed_apart(c)) {
		dst += n * len;
		alias += n * len;
		src += n * len;
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

	took = use - begin;
	if (s->n && took > INTERRUPTED_NS && took > INTERRUPTED * c->shortest) {
		b->deadline = min(b->deadline + took, b->latest);
		return;
	}
	c->round += took;
	c->shortest = min(c->shortest, took);
	s->ret[s->n] = per_call(ret, b->clock, n);
	s->use[s->n] = per_call(use - start, 2 * b->clock, calls);
	s->n++;
	cost->ret = typical(s->ret, s->n, stock);
	cost->use = typical(s->use, s->n, stock);
}

/*
 * Stock comes first and last: all depends on it. The others go forwards and
 * backwards in turn, since each runs in what the one before it has left.
 */
static void one_round(struct bench *b, struct cell *c)
{
	unsigned int stock = simd_stock_row(c->kind), i, row;

	c->round = 0;
	sample(b, c, stock);
	simd_for_each_row(i) {
		row = c->rounds % 2 ? SIMD_NR_ROUTINES - 1 - i : i;
		if (row != stock && test_bit(row, c->rows))
			sample(b, c, row);
	}
	if (size_of(c) != SIMD_MAX_SIZE)
		sample(b, c, stock);
	c->rounds++;

	if (c->rounds > 1)
		simd_contenders(c->kind, c->regime, c->e, b->results, b->machine,
				max(HOPELESS / (c->rounds - 1), HOPELESS_LEAST), c->rows);
	c->over = c->rounds == MAX_ROUNDS || !is_race(c);
}

/* The cell of the size before, if that says anything of this one. */
static struct cell *smaller(struct bench *b, const struct cell *c)
{
	/* What is best below a page says nothing of a page: sections are most of it. */
	if (!c->e || simd_sizes[c->kind][c->e - 1] < PAGE_SIZE)
		return NULL;
	return &b->cells[c->e - 1][c->kind][c->regime];
}

/* Name the rows of a cell, and what a round will take. Return: whether it is a race. */
static bool prepare(struct bench *b, struct cell *c)
{
	const struct cell *before = smaller(b, c);
	unsigned int row;

	if (!simd_usable(&b->results[simd_stock_row(c->kind)]))
		return false;
	simd_for_each_row_of(row, c->kind)
		if (before ? before->samples[row].n :
			     simd_usable(&b->results[row]) && !b->results[row].veto)
			__set_bit(row, c->rows);
	if (before) {
		simd_contenders(c->kind, c->regime, c->e - 1, b->results, b->machine,
				size_of(c) == SIMD_MAX_SIZE ? NEXT_WITHIN_HUGE : NEXT_WITHIN,
				c->rows);
		c->round = div_u64(before->shortest * sample_bytes(c), sample_bytes(before)) *
			   bitmap_weight(c->rows, SIMD_NR_ROUTINES);
	}
	return is_race(c);
}

/* Whether @a needs a round more than @b, which is not of a larger size. */
static bool needs_more(const struct cell *a, const struct cell *b)
{
	return a->rounds * min_rounds(b) < b->rounds * min_rounds(a);
}

/* Of all cells that are ready for a round, the one that needs it most. */
static struct cell *pick_cell(struct bench *b)
{
	struct cell *c, *before, *best = NULL;
	unsigned int e, kind, regime;

	for (e = 0; e < SIMD_NR_SIZES; e++) {
		for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
			for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
				c = &b->cells[e][kind][regime];
				before = smaller(b, c);
				if (c->over || (before && !before->over &&
						before->rounds < min_rounds(before)))
					continue;
				if (!best || needs_more(c, best))
					best = c;
			}
		}
	}
	return best;
}

static void race(struct bench *b)
{
	struct cell *c;
	u64 now, left;

	while ((c = pick_cell(b))) {
		now = ktime_get_ns();
		left = b->deadline - min(now, b->deadline);
		if (bitmap_empty(c->rows, SIMD_NR_ROUTINES))
			c->over = !prepare(b, c);
		/* The first round of the smallest size takes place whatever it costs. */
		if ((smaller(b, c) || c->rounds) &&
		    (!left || c->round * (c->rounds ? ROUND_TAKES : 1) > left))
			c->over = true;
		if (!c->over)
			one_round(b, c);
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

static void prepare_cells(struct bench *b)
{
	unsigned int e, kind, regime;

	for (e = 0; e < SIMD_NR_SIZES; e++) {
		for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
			for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
				struct cell *c = &b->cells[e][kind][regime];

				c->kind = kind;
				c->regime = regime;
				c->e = e;
				c->shortest = U64_MAX / INTERRUPTED;
				c->over = !measurable(b, c);
			}
		}
	}
}

/**
 * simd_calibrate() - time the usable rows
 * @results:	@missing and @barred are known; @cost is filled in
 * @budget:	time to spend, ns
 * @window:	where copies to user space go; NULL for kernel memory, which has
 *		the same stores at the same cost but for the page tables
 * @machine:	@save_ns is filled in
 *
 * In rounds, so that what else the machine does hits all rows of a cell alike. Of
 * stock the median counts, of others what two of three samples took at most: string
 * instructions on flushed lines are twice as fast as usual in some lucky round or
 * other, which a minimum would make the rule (Intel Xeon, family 6, model 207).
 *
 * A round goes to the cell that has had the fewest so far. A row that falls
 * behind is dropped, the sooner the more it does, and those that are left at a
 * size go on to the next one: so most of the time goes to rows that are hard to
 * tell apart, until it is over. The smallest size is always measured. A cell that is
 * not stays 0.
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

	if (!b || !alloc_buffers(b)) {
		vfree(b);
		return -ENOMEM;
	}
	if (window) {
		b->window = *window;
	} else {
		b->window.user = (void __user __force *)b->dst;
		b->window.alias = b->dst;
		b->window.size = PAGE_SIZE << b->order;
	}
	b->results = results;
	b->machine = machine;
	b->clock = clock_cost();
	machine->save_ns = registers_cost(b->dst, b->clock);
	prepare_cells(b);

	/* A huge page may be long in coming, which is no reason to time nothing. */
	b->deadline = max(start + budget, ktime_get_ns() + div_u64(budget, 2));
	b->latest = b->deadline + PUT_OFF * budget;
	race(b);

	free_pages((unsigned long)b->dst, b->order);
	free_pages((unsigned long)b->src, b->order);
	vfree(b);
	return 0;
}
