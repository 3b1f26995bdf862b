// SPDX-License-Identifier: GPL-2.0
/*
 * How long one call of a routine takes from a known state of the caches.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <asm/cpufeature.h>

#include "clock.h"
#include "machine.h"
#include "measure.h"
#include "state.h"
#include "unpredicted.h"

/* A median of fewer calls is none; more than these do not change it. */
#define MIN_LOOPS	11
#define MAX_LOOPS	2001

/* Calls that are interrupted are made up for, within as many times the rounds. */
#define MAX_RETRIES	4

/* A call that takes this many times the median was not alone on the CPU. */
#define OUTLIER		4

/*
 * Calls that are timed together move as many bytes; near, as a part of the L1 cache. Far,
 * some 400 ns of what stock does is still to be done when the last one returns.
 */
#define NEAR_PART	4
#define FAR_BYTES	262144ul
#define FAR_CALLS	64ul

/* No routine is longer than this, bytes. */
#define CODE_BYTES	2048

const char *const place_names[NR_PLACES] = {
	[PLACE_L1]	= "L1",
	[PLACE_L2]	= "L2",
	[PLACE_FLUSHED]	= "flushed",
	[PLACE_FRESH1]	= "fresh1",
	[PLACE_FRESH2]	= "fresh2",
	[PLACE_FRESH4]	= "fresh4",
	[PLACE_FRESH8]	= "fresh8",
};

const char *const consumer_names[NR_CONSUMERS] = {
	[CONSUMER_NONE]		= "none",
	[CONSUMER_FIRST]	= "first",
	[CONSUMER_ALL]		= "all",
};

int measure_init(int cpu)
{
	if (machine_init(cpu))
		return -1;
	if (!boot_cpu_has(X86_FEATURE_CLFLUSH)) {
		fprintf(stderr, "simdbench: this CPU has no CLFLUSH, so there are no states.\n");
		return -1;
	}
	if (evict_init()) {
		fprintf(stderr, "simdbench: no memory, or no cache sizes to go by.\n");
		return -1;
	}
	return 0;
}

/*
 * A single call says little: where it is short, it hides behind reading the clock,
 * and what it stores may still be on its way when it returns, for the next one to
 * wait for. So some calls are timed together, each with lines of its own.
 */
static unsigned int calls_at_once(const struct cell *cell, enum simd_kind kind)
{
	const enum place dst = cell->dst, src = kind == SIMD_KIND_clear ? dst : cell->src;
	const unsigned long near = machine.l1d / NEAR_PART;

	if (cell->cold_code || fresh_width(src))
		return 1;
	if (dst != PLACE_FLUSHED && src != PLACE_FLUSHED)
		return max(near / cell->size, 1ul);
	if (dst == PLACE_L1 || src == PLACE_L1)
		return max(min(near / cell->size, FAR_CALLS), 1ul);
	return max(min(FAR_BYTES / cell->size, FAR_CALLS), 1ul);
}

static unsigned long bytes_needed(const struct cell *cell, enum simd_kind kind)
{
	unsigned long stride = max(state_stride(cell, cell->dst), state_stride(cell, cell->src));

	return calls_at_once(cell, kind) * stride + max(cell->dst_off, cell->src_off) + LINE +
	       WALK_BYTES;
}

/* Buffers stay for the next cell. */
static struct buffers *buffers_for(const struct cell *cell, enum simd_kind kind)
{
	static struct buffers kept[2];
	struct buffers *b = &kept[cell->huge];
	unsigned long size = bytes_needed(cell, kind);

	if (b->size >= size)
		return b;
	buffers_put(b);
	return buffers_get(b, size, cell->huge) ? NULL : b;
}

/* A gap in one of them, so that source and destination do not always lie alike. */
static void walks_begin(const struct buffers *b, struct walk *dst, struct walk *src)
{
	*dst = (struct walk) { .data = b->dst };
	*src = (struct walk) { .data = b->src, .gap = PAGE_SIZE };
}

/* What lies in a place, bytes. */
static unsigned long bytes_in(const struct cell *cell, enum simd_kind kind, enum place place)
{
	unsigned long bytes = 0;

	if (cell->dst == place)
		bytes += cell->size;
	if (kind != SIMD_KIND_clear && cell->src == place)
		bytes += cell->size;
	return bytes;
}

const char *cell_impossible(const struct cell *cell, enum simd_kind kind)
{
	unsigned int width = kind == SIMD_KIND_clear ? 0 : fresh_width(cell->src);
	unsigned int calls;

	if (!cell->size)
		return "there is nothing to do";
	if (fresh_width(cell->dst))
		return "a destination cannot be fresh";
	if (width && cell->size % width)
		return "fresh stores do not fill the source";
	if (cell->dst_off >= PAGE_SIZE || cell->src_off >= PAGE_SIZE)
		return "an offset is that of a page";
	calls = calls_at_once(cell, kind);
	/* A little room for what else is used meanwhile. */
	if (calls * bytes_in(cell, kind, PLACE_L1) > machine.l1d * 3 / 4)
		return "more than the L1 cache";
	if (calls * bytes_in(cell, kind, PLACE_L2) > machine.l2 / 2)
		return "more than half of the L2 cache";
	if (max(cell->threads, 1) > machine.cpus)
		return "more threads than CPUs";
	if (!buffers_for(cell, kind))
		return cell->huge ? "no huge pages to be had" : "no memory";
	return NULL;
}

static void nothing(const struct subject *s, void *dst, const void *src, unsigned long len)
{
}

static const struct subject empty = { .name = "nothing", .run = nothing };

/**
 * struct batch - calls that are timed together
 * @calls:	how many
 * @front:	bytes to write first, at the front of a fresh source
 * @width:	bytes per store that writes them
 */
struct batch {
	unsigned int	calls;
	unsigned long	front;
	unsigned int	width;
};

/* Return: ticks of all calls. */
static __attribute_noinline__ u64
time_calls(const struct subject *s, void *dst, void *src, const struct cell *cell,
	   const struct batch *batch, enum consumer consumer)
{
	const unsigned long dst_stride = state_stride(cell, cell->dst);
	const unsigned long src_stride = state_stride(cell, cell->src);
	const unsigned long size = cell->size;
	unsigned int calls = batch->calls;
	u64 begin = clock_read();

	if (batch->front)
		fresh_front(src, batch->front, batch->width);
	do {
		if (cell->cold_code)
			call_unpredicted(s, dst, src, size, s->run);
		else
			s->run(s, dst, src, size);
		if (consumer == CONSUMER_ALL)
			read_lines(dst, size);
		else if (consumer == CONSUMER_FIRST)
			read_lines(dst, 1);
		dst += dst_stride;
		src += src_stride;
	} while (--calls);
	return clock_read() - begin;
}

/* --- The other threads --------------------------------------------------- */

/**
 * struct crowd - CPUs that run the routine whenever it is measured
 * @cell:	what with
 * @kind:	what it does
 * @subject:	the routine, NULL to stop
 * @turn:	counts the times that a state is wanted of all
 * @ready:	how many have made it
 * @go:		the last turn in which they may call the routine
 * @threads:	how many others there are
 * @thread:	the threads
 * @cpu:	where the last one that started went, counted from the CPU measured
 * @failed:	how many have no buffers
 */
struct crowd {
	const struct cell	*cell;
	enum simd_kind		kind;
	const struct subject	*subject;
	unsigned int		turn;
	unsigned int		ready;
	unsigned int		go;
	unsigned int		threads;
	pthread_t		*thread;
	unsigned int		cpu;
	unsigned int		failed;
};

/* Until a counter is (no more) what it was. */
static void wait_for(const unsigned int *counter, unsigned int value, bool same)
{
	while ((__atomic_load_n(counter, __ATOMIC_ACQUIRE) == value) != same)
		asm volatile("pause");
}

static void *join_in(void *data)
{
	struct crowd *crowd = data;
	const struct cell *cell = crowd->cell;
	const bool clear = crowd->kind == SIMD_KIND_clear;
	const unsigned int calls = calls_at_once(cell, crowd->kind);
	struct walk dst_walk, src_walk;
	struct buffers b = {};
	unsigned int turn;

	if (machine_pin(machine_other_cpu(__atomic_add_fetch(&crowd->cpu, 1, __ATOMIC_RELAXED))) ||
	    buffers_get(&b, bytes_needed(cell, crowd->kind), cell->huge)) {
		__atomic_add_fetch(&crowd->failed, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&crowd->ready, 1, __ATOMIC_RELEASE);
		return NULL;
	}
	walks_begin(&b, &dst_walk, &src_walk);
	__atomic_add_fetch(&crowd->ready, 1, __ATOMIC_RELEASE);

	for (turn = 0; ; turn++) {
		struct batch batch = { .calls = calls };
		const struct subject *s;
		void *dst, *src;

		wait_for(&crowd->turn, turn, false);
		s = crowd->subject;
		if (!s)
			break;
		dst = state_place(&dst_walk, cell, cell->dst, calls) + cell->dst_off;
		src = state_place(&src_walk, cell, cell->src, calls) + cell->src_off;
		state_make(dst, clear ? NULL : src, cell, calls);
		clock_settle();
		__atomic_add_fetch(&crowd->ready, 1, __ATOMIC_RELEASE);
		wait_for(&crowd->go, turn + 1, true);
		time_calls(s, dst, src, cell, &batch, cell->consumer);
	}
	buffers_put(&b);
	return NULL;
}

static void crowd_prepare(struct crowd *crowd, const struct subject *s)
{
	crowd->subject = s;
	crowd->ready = 0;
	__atomic_add_fetch(&crowd->turn, 1, __ATOMIC_RELEASE);
}

/* They start when this CPU does. */
static void crowd_go(struct crowd *crowd)
{
	wait_for(&crowd->ready, crowd->threads, true);
	__atomic_store_n(&crowd->go, crowd->turn, __ATOMIC_RELEASE);
}

static void crowd_stop(struct crowd *crowd)
{
	crowd_prepare(crowd, NULL);
	while (crowd->threads)
		pthread_join(crowd->thread[--crowd->threads], NULL);
	free(crowd->thread);
}

static int crowd_start(struct crowd *crowd, const struct cell *cell, enum simd_kind kind)
{
	unsigned int threads = max(cell->threads, 1) - 1;

	*crowd = (struct crowd) { .cell = cell, .kind = kind };
	if (!threads)
		return 0;
	crowd->thread = calloc(threads, sizeof(*crowd->thread));
	while (crowd->thread && crowd->threads < threads &&
	       !pthread_create(&crowd->thread[crowd->threads], NULL, join_in, crowd))
		crowd->threads++;
	wait_for(&crowd->ready, crowd->threads, true);
	if (crowd->threads == threads && !crowd->failed)
		return 0;
	crowd_stop(crowd);
	return -1;
}

/* --- Rounds -------------------------------------------------------------- */

/* What tells that a call was not left alone. */
static long interruptions(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw + usage.ru_minflt + usage.ru_majflt;
}

/**
 * struct entrant - a subject in a race
 * @subject:	the subject
 * @consumer:	who reads its result
 * @ticks:	what its calls took
 * @calls:	how many there are
 * @dropped:	how many did not count
 */
struct entrant {
	const struct subject	*subject;
	enum consumer		consumer;
	u64			*ticks;
	unsigned int		calls;
	unsigned int		dropped;
};

/**
 * struct race - a cell that is being measured
 * @cell:	the cell
 * @dst:	where the subjects store to
 * @src:	where they load from
 * @kind:	what the subjects do
 * @crowd:	what the other CPUs do
 * @entrant:	who takes part; the last one does nothing, and shows what the clock
 *		and the stores to a fresh source cost
 * @nr:		how many that are
 * @order:	of this round
 * @loops:	calls wanted of each
 */
struct race {
	const struct cell	*cell;
	struct walk		dst;
	struct walk		src;
	enum simd_kind		kind;
	struct crowd		crowd;
	struct entrant		*entrant;
	unsigned int		nr;
	unsigned int		*order;
	unsigned int		loops;
};

/*
 * Make the state, and call. @crowd joins in, unless it is NULL.
 * Return: ticks.
 */
static u64 prepared_call(struct race *r, const struct entrant *e, const struct cell *cell,
			 struct crowd *crowd)
{
	struct batch batch = { .calls = calls_at_once(cell, r->kind) };
	void *dst = state_place(&r->dst, cell, cell->dst, batch.calls) + cell->dst_off;
	void *src = state_place(&r->src, cell, cell->src, batch.calls) + cell->src_off;
	const struct subject *s = e->subject;

	if (r->kind == SIMD_KIND_clear) {
		src = NULL;
	} else if (!(state_skip >> cell->src & 1)) {
		batch.front = fresh_front_size(cell);
		batch.width = fresh_width(cell->src);
	}

	if (crowd)
		crowd_prepare(crowd, s);
	state_make(dst, src, cell, batch.calls);
	if (cell->cold_code && s->code && !(state_skip & SKIP_CODE))
		flush(s->code, CODE_BYTES);
	clock_settle();
	if (crowd)
		crowd_go(crowd);
	return time_calls(s, dst, src, cell, &batch, e->consumer);
}

/* Return: ticks, 0 if something came between. */
static u64 sample(struct race *r, const struct entrant *e)
{
	struct cell rehearsal = *r->cell;
	long before = interruptions();
	u64 t;

	/*
	 * The call before was of another routine. Where code is warm, it and what the
	 * branch predictors know are those of this one.
	 */
	if (!rehearsal.cold_code) {
		rehearsal.size = min(rehearsal.size, PAGE_SIZE);
		prepared_call(r, e, &rehearsal, NULL);
	}
	t = prepared_call(r, e, r->cell, r->crowd.threads ? &r->crowd : NULL);

	/* Where the CPU is another one, so is what is in its caches. */
	if (interruptions() != before || sched_getcpu() != machine.cpu)
		return 0;
	return max(t, 1ull);
}

static int compare_ticks(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

void sort_ticks(u64 *ticks, unsigned int nr)
{
	qsort(ticks, nr, sizeof(*ticks), compare_ticks);
}

/* Sort, and drop what is far out. */
static void tidy(struct entrant *e)
{
	u64 limit;

	if (!e->calls)
		return;
	sort_ticks(e->ticks, e->calls);
	limit = e->ticks[e->calls / 2] * OUTLIER;
	while (e->ticks[e->calls - 1] > limit) {
		e->calls--;
		e->dropped++;
	}
}

double trimmed_mean(const u64 *ticks, unsigned int nr, unsigned int part)
{
	unsigned int from = nr / part, to = nr - from, i;
	double sum = 0;

	for (i = from; i < to; i++)
		sum += ticks[i];
	return sum / (to - from);
}

static double net(double ticks, double clock, unsigned int calls)
{
	return ticks > clock ? ticks_to_ns(ticks - clock) / calls : 0;
}

static double net_mean(const struct entrant *e, const struct entrant *clock, unsigned int part,
		       unsigned int calls)
{
	return net(trimmed_mean(e->ticks, e->calls, part),
		   trimmed_mean(clock->ticks, clock->calls, part), calls);
}

/*
 * A median is reported of samples that are no shorter than so many steps of the clock, of
 * shorter ones the mean of no fewer than so many, but for a twentieth at either end. What is
 * shorter than the steps of the clock begins anywhere in a step, so that the mean of many is
 * not a multiple of it. Of the middle half alone it may be: three of four calls of 1.2 steps
 * are seen to take one.
 */
#define CLOCK_STEPS	100
#define MEAN_CALLS	50

static void reckon(const struct entrant *e, const struct entrant *clock, unsigned int calls,
		   struct figures *f)
{
	const unsigned int n = e->calls;

	*f = (struct figures) { .dropped = e->dropped };
	if (n < LEAST_CALLS || clock->calls < LEAST_CALLS)
		return;
	f->calls = n;
	f->middle = net_mean(e, clock, 4, calls);
	f->median = net(e->ticks[n / 2], clock->ticks[clock->calls / 2], calls);
	if (e->ticks[n / 2] < CLOCK_STEPS * machine.tsc_step) {
		if (n < MEAN_CALLS) {
			f->calls = 0;
			return;
		}
		f->median = net_mean(e, clock, 20, calls);
	}
	f->min = min(net(e->ticks[0], clock->ticks[0], calls), f->median);
	f->spread = net(e->ticks[3 * n / 4], e->ticks[n / 4], calls);
}

/* A row must not always have the same one before it. */
static void shuffle(unsigned int *order, unsigned int nr)
{
	static u32 seed = 1;
	unsigned int i, j, t;

	for (i = nr - 1; i; i--) {
		seed = seed * 1664525 + 1013904223;
		j = (seed >> 8) % (i + 1);
		t = order[i];
		order[i] = order[j];
		order[j] = t;
	}
}

/* Return: calls that count, of the one that has fewest. */
static unsigned int one_round(struct race *r)
{
	unsigned int least = r->loops, i;
	u64 t;

	shuffle(r->order, r->nr);
	for (i = 0; i < r->nr; i++) {
		struct entrant *e = &r->entrant[r->order[i]];

		if (e->calls == r->loops)
			continue;
		t = sample(r, e);
		if (t)
			e->ticks[e->calls++] = t;
		else
			e->dropped++;
		least = min(least, e->calls);
	}
	return least;
}

static void all_rounds(struct race *r, const struct effort *effort)
{
	u64 budget = effort->ns * machine.tsc_mhz / 1000, begin = clock_read();
	unsigned int rounds = r->loops * MAX_RETRIES, least;

	do {
		least = one_round(r);
		if (least == r->loops)
			break;
		if (!effort->loops &&
		    clock_read() - begin > (least < MIN_LOOPS ? MAX_RETRIES : 1) * budget)
			break;
	} while (--rounds);
}

static int race_init(struct race *r, const struct subject *const *subjects)
{
	const struct buffers *buffers = buffers_for(r->cell, r->kind);
	unsigned int i;

	r->entrant = calloc(r->nr, sizeof(*r->entrant));
	r->order = calloc(r->nr, sizeof(*r->order));
	if (!buffers || !r->entrant || !r->order)
		return -1;
	walks_begin(buffers, &r->dst, &r->src);
	for (i = 0; i < r->nr; i++) {
		bool last = i == r->nr - 1;

		r->order[i] = i;
		r->entrant[i].subject = last ? &empty : subjects[i];
		r->entrant[i].consumer = last ? CONSUMER_NONE : r->cell->consumer;
		r->entrant[i].ticks = calloc(r->loops, sizeof(*r->entrant[i].ticks));
		if (!r->entrant[i].ticks)
			return -1;
	}
	return crowd_start(&r->crowd, r->cell, r->kind);
}

static void race_free(struct race *r)
{
	unsigned int i;

	for (i = 0; r->entrant && i < r->nr; i++)
		free(r->entrant[i].ticks);
	free(r->entrant);
	free(r->order);
}

int measure(const struct cell *cell, const struct subject *const *subjects, unsigned int nr,
	    const struct effort *effort, struct figures *figures)
{
	struct race r = {
		.cell		= cell,
		.kind		= subjects[0]->kind,
		.nr		= nr + 1,
		.loops		= effort->loops ?: MAX_LOOPS,
	};
	int err = race_init(&r, subjects);
	unsigned int i;

	if (!err) {
		all_rounds(&r, effort);
		crowd_stop(&r.crowd);
		for (i = 0; i < r.nr; i++)
			tidy(&r.entrant[i]);
		for (i = 0; i < nr; i++)
			reckon(&r.entrant[i], &r.entrant[nr], calls_at_once(cell, r.kind),
			       &figures[i]);
	}
	race_free(&r);
	return err;
}
