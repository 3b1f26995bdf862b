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

/* So many pages come first: what the rows before left in the caches is not this code. */
#define WARM_PAGES	1

/*
 * Before a stream is timed there are so many more: until all that stores can wait in is
 * full, stock seems faster than it is, by some 400 ns in all (Intel Xeon, family 6, model
 * 207).
 */
#define LEAD_PAGES	3

/* A huge page is so many extents of those that hooks clear and copy at a time. */
#define PIECES		8

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
 * Huge pages take so long that the best of each regime and context have to do; where
 * that is stock, they are left to it.
 */
#define NEXT_WITHIN	20
#define NEXT_WITHIN_HUGE	0

/*
 * A row this much dearer than the best, in percent, is dropped. That is after two
 * rounds, since one may have been interrupted; the more there were, the surer it is.
 */
#define HOPELESS	12
#define HOPELESS_LEAST	8

/* A sample that took so many times what the shortest did, and so many ns, was interrupted. */
#define INTERRUPTED	16
#define INTERRUPTED_NS	100000

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
 * struct room - memory that samples walk through
 * @data:	its address in the kernel
 * @user:	its address for copies to user space
 * @size:	bytes
 * @at:		offset of the next sample
 */
struct room {
	void		*data;
	void		*user;
	unsigned long	size;
	unsigned long	at;
};

/**
 * struct extent - what a sample is taken of
 * @dst:	where the row stores to
 * @alias:	the same memory, to read from
 * @src:	where it loads from
 */
struct extent {
	void	*dst;
	void	*alias;
	void	*src;
};

/**
 * struct bench - what a calibration works with
 * @dst:	as much of a huge page as there was to get
 * @src:	likewise
 * @window:	where copies to user space go
 * @litter:	a huge page to fill caches with, NULL if there was none
 * @clock:	cost of reading the clock, ns
 * @deadline:	when the time is over; put off by what others took of it
 * @latest:	but not beyond this
 * @machine:	what is known of the machine
 * @results:	what is known of each row
 * @cells:	by size, kind and regime
 */
struct bench {
	struct room	dst;
	struct room	src;
	struct room	window;
	void		*litter;
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

/* All that a sample moves. */
static unsigned long sample_bytes(const struct cell *c)
{
	unsigned int calls = sample_calls(size_of(c)) * (timed_apart(c) ? 2 : 1);

	if (size_of(c) == SIMD_MAX_SIZE)
		return SIMD_MAX_SIZE;
	return (unsigned long)size_of(c) * calls +
	       (WARM_PAGES + (c->regime == SIMD_STREAM ? LEAD_PAGES : 0)) * PAGE_SIZE;
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
	if (!size_of(c))
		return false;
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
	       b->dst.size;
}

/*
 * The median. Of two in the middle it is the lesser of stock, and the greater of others:
 * where samples are few it takes more to win over stock. But two are for when one was
 * interrupted.
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
	return sorted[stock || n == 2 ? (n - 1) / 2 : n / 2];
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
static unsigned long place(struct room *room, unsigned long len, unsigned long gap)
{
	unsigned long here = room->at + len <= room->size ? room->at : 0;

	room->at = here + DIV_ROUND_UP(len, PAGE_SIZE) * PAGE_SIZE + gap;
	return here;
}

static void make_state(const struct bench *b, const struct cell *c, void *dst, void *src,
		       unsigned long len)
{
	if (c->regime == SIMD_STREAM) {
		clflush_cache_range(dst, len);
		if (c->kind != SIMD_KIND_clear)
			clflush_cache_range(src, len);
		/*
		 * Flushing so much leaves the caches empty, which they are not on a
		 * machine that has something to do.
		 */
		if (size_of(c) == SIMD_MAX_SIZE && b->litter)
			memset(b->litter, 0, SIMD_MAX_SIZE);
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

static void advance(struct extent *x, unsigned long len)
{
	x->dst += len;
	x->alias += len;
	x->src += len;
}

static u32 in_all(const u32 *pieces)
{
	return min_t(u64, (u64)PIECES * typical(pieces, PIECES, true), SIMD_MAX_COST);
}

/* A huge page, in pieces as hooks go through it: an interruption is in a few of them. */
static struct simd_cost time_huge(const struct bench *b, unsigned int row, struct extent x)
{
	const unsigned int len = SIMD_MAX_SIZE / PIECES;
	u32 ret[PIECES], read[PIECES];
	struct simd_cost cost;
	unsigned long sum = 0;
	unsigned int i;
	u64 start;

	for (i = 0; i < PIECES; i++) {
		start = ktime_get_ns();
		simd_run_row(row, x.dst + i * len, x.src + i * len, len);
		ret[i] = per_call(ktime_get_ns() - start, b->clock, 1);
	}
	for (i = 0; i < PIECES; i++) {
		start = ktime_get_ns();
		sum += consume(x.alias + i * len, len);
		OPTIMIZER_HIDE_VAR(sum);
		read[i] = per_call(ktime_get_ns() - start, b->clock, 1);
	}
	cost.ret = in_all(ret);
	cost.use = min(cost.ret + in_all(read), SIMD_MAX_COST);
	return cost;
}

/* Pages that are not timed, in calls of @len bytes at most. */
static void run_pages(unsigned int row, struct extent *x, unsigned int pages, unsigned int len)
{
	while (pages--) {
		simd_run_row(row, x->dst, x->src, min_t(unsigned int, len, PAGE_SIZE));
		advance(x, PAGE_SIZE);
	}
}

/* So many calls together that the clock can tell. */
static struct simd_cost time_calls(const struct bench *b, const struct cell *c, unsigned int row,
				   struct extent x)
{
	unsigned int len = size_of(c), calls = sample_calls(len), i;
	unsigned long sum = 0;
	struct simd_cost cost;
	u64 start;

	run_pages(row, &x, WARM_PAGES, len);
	/*
	 * A page is read before the next one is done, which stores that are still on
	 * their way gain from. It comes first: what waits when many return is not there.
	 */
	if (timed_apart(c)) {
		start = ktime_get_ns();
		for (i = 0; i < calls; i++) {
			simd_run_row(row, x.dst + i * len, x.src + i * len, len);
			sum += consume(x.alias + i * len, len);
		}
		OPTIMIZER_HIDE_VAR(sum);
		cost.use = per_call(ktime_get_ns() - start, b->clock, calls);
		advance(&x, calls * len);
	}

	if (c->regime == SIMD_STREAM)
		run_pages(row, &x, LEAD_PAGES, len);
	start = ktime_get_ns();
	for (i = 0; i < calls; i++)
		simd_run_row(row, x.dst + i * len, x.src + i * len, len);
	cost.ret = per_call(ktime_get_ns() - start, b->clock, calls);
	if (timed_apart(c))
		return cost;

	/* One call is one call. */
	sum = consume(x.alias, calls * len);
	OPTIMIZER_HIDE_VAR(sum);
	cost.use = per_call(ktime_get_ns() - start, 2 * b->clock, calls);
	return cost;
}

/* Take a sample of a row, and bring its cost up to date. */
static void sample(struct bench *b, struct cell *c, unsigned int row)
{
	struct room *to = c->kind == SIMD_KIND_to_user && b->window.size ? &b->window : &b->dst;
	struct simd_cost *cost = &b->results[row].cost[c->regime][c->e], once;
	unsigned int misaligned = c->regime == SIMD_MISALIGNED ? MISALIGNED_BY : 0;
	const bool stock = row == simd_stock_row(c->kind);
	const unsigned long bytes = sample_bytes(c);
	struct samples *s = &c->samples[row];
	struct extent x;
	unsigned long at;
	u64 begin, took;

	cond_resched();
	begin = ktime_get_ns();
	at = place(to, bytes, 0);
	x.dst = to->user + at;
	x.alias = to->data + at;
	x.src = b->src.data + misaligned + place(&b->src, bytes + misaligned, PAGE_SIZE);
	make_state(b, c, x.alias, x.src, bytes);
	once = size_of(c) == SIMD_MAX_SIZE ? time_huge(b, row, x) : time_calls(b, c, row, x);

	took = ktime_get_ns() - begin;
	if (s->n && took > INTERRUPTED_NS && took > INTERRUPTED * c->shortest) {
		b->deadline = min(b->deadline + took, b->latest);
		return;
	}
	c->round += took;
	c->shortest = min(c->shortest, took);
	s->ret[s->n] = once.ret;
	s->use[s->n] = once.use;
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

static bool alloc_rooms(struct bench *b)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN | __GFP_NORETRY;
	unsigned int order;
	void *dst, *src;

	for (order = get_order(SIMD_MAX_SIZE); ; order--) {
		dst = (void *)__get_free_pages(gfp, order);
		src = (void *)__get_free_pages(gfp, order);
		if (dst && src)
			break;
		free_pages((unsigned long)dst, order);
		free_pages((unsigned long)src, order);
		if (PAGE_SIZE << order <= 2 * BATCH_BYTES)
			return false;
	}
	b->dst = (struct room){ .data = dst, .user = dst, .size = PAGE_SIZE << order };
	b->src = (struct room){ .data = src, .size = PAGE_SIZE << order };
	if (b->dst.size == SIMD_MAX_SIZE)
		b->litter = (void *)__get_free_pages(gfp & ~__GFP_ZERO, order);
	return true;
}

static void free_rooms(const struct bench *b)
{
	free_pages((unsigned long)b->dst.data, get_order(b->dst.size));
	free_pages((unsigned long)b->src.data, get_order(b->src.size));
	free_pages((unsigned long)b->litter, get_order(SIMD_MAX_SIZE));
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
 * In rounds, so that what else the machine does hits all rows of a cell alike. The
 * median counts: string instructions on flushed lines are twice as fast as usual in some
 * lucky round or other, which a minimum would make the rule (Intel Xeon, family 6, model
 * 207).
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

	if (!b || !alloc_rooms(b)) {
		vfree(b);
		return -ENOMEM;
	}
	if (window) {
		b->window.data = window->alias;
		b->window.user = (void __force *)window->user;
		b->window.size = window->size;
	}
	b->results = results;
	b->machine = machine;
	b->clock = clock_cost();
	machine->save_ns = registers_cost(b->dst.data, b->clock);
	prepare_cells(b);

	/* A huge page may be long in coming, which is no reason to time nothing. */
	b->deadline = max(start + budget, ktime_get_ns() + div_u64(budget, 2));
	b->latest = b->deadline + PUT_OFF * budget;
	race(b);

	free_rooms(b);
	vfree(b);
	return 0;
}
