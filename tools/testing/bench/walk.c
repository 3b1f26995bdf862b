// SPDX-License-Identifier: GPL-2.0
/*
 * Loops over memory, and what they take.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/kernel.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "clock.h"
#include "machine.h"
#include "probe.h"
#include "run.h"
#include "walk.h"

/* A chunk is no smaller than this, in memory that caches hold and in memory they do not. */
#define HOT_CHUNK	(1024ul * 1024)
#define CHUNK		(4 * HOT_CHUNK)

/* What fits the caches of a core: as many pages as a pipe has. */
#define CORE_BYTES	(64ul << 10)

/* Memory to walk through, and no more than this part of all. */
#define BEYOND_MAX	(1ul << 30)
#define MEMORY_PART	4

#define HUGE_PAGE	(2ul << 20)

/*
 * Blocks, each in other memory than the one before, and no fewer than an interval needs.
 * Getting memory takes no more than this part of the time, unless those need it.
 */
#define BLOCKS		12
/* With fewer no row could be called surely faster. */
#define LEAST_BLOCKS	10
#define MEMORY_TIME	3

/* Rounds of a block. */
#define MAX_ROUNDS	500

const char *const walk_where_names[NR_WALKS] = {
	[WALK_CORE]	= "core",
	[WALK_LLC]	= "llc",
	[WALK_BEYOND]	= "beyond",
};

#define BEYOND		WALK_BEYOND
#define LLC		WALK_LLC
#define CORE		WALK_CORE
#define ORDER		WALK_ORDER
#define RANDOM		WALK_RANDOM
#define HOT_DST		WALK_HOT_DST
#define HOT_SRC		WALK_HOT_SRC
#define WORKLOAD(_name, _kind, _bytes, _where, _order, _options, _offset)	\
	{ #_name, SIMD_KIND_##_kind, _bytes, _where, _order, _options, _offset },

const struct workload workloads[] = {
#include "workloads.def"
};

const unsigned int nr_workloads = ARRAY_SIZE(workloads);

struct walk_setup walk_setup;

/* --- Memory -------------------------------------------------------------- */

/**
 * struct walker - who walks, on one CPU
 * @dst:	memory for destinations, half of all that is walked
 * @src:	for sources
 * @hot:	a buffer that is used again and again
 * @dst_bytes:	of @dst
 * @src_bytes:	of @src
 * @at:		bytes that were walked so far
 * @sum:	of what was read
 */
struct walker {
	u8		*dst;
	u8		*src;
	u8		*hot;
	unsigned long	dst_bytes;
	unsigned long	src_bytes;
	unsigned long	at;
	unsigned long	sum;
};

#define MAX_THREADS	64

static struct walker walkers[MAX_THREADS];

/* The largest call, and what an offset takes. */
#define HOT_BYTES	(4ul << 20)

static u8 *get_memory(unsigned long bytes)
{
	u8 *p = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long skip = -(unsigned long)p % HUGE_PAGE;

	if (p == MAP_FAILED) {
		fprintf(stderr, "simdbench: no memory: %u times %lu MiB are to be walked\n",
			walk_setup.threads, walk_setup.beyond >> 20);
		return NULL;
	}
	if (skip)
		munmap(p, skip);
	p += skip;
	munmap(p + bytes, HUGE_PAGE - skip);
	madvise(p, bytes, walk_setup.small ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
	memset(p, 1, bytes);
	return p;
}

/* What was there goes last, so that none of its pages come back to the same place. */
static bool replace(u8 **memory, unsigned long old, unsigned long bytes)
{
	u8 *p = get_memory(bytes);

	if (!p)
		return false;
	if (*memory)
		munmap(*memory, old);
	*memory = p;
	return true;
}

int walk_remap(void)
{
	const unsigned long bytes = walk_setup.beyond / 2;
	struct guard_cost cost;
	unsigned int i;

	for (i = 0; i < walk_setup.threads; i++) {
		struct walker *w = &walkers[i];

		if (!replace(&w->dst, w->dst_bytes, bytes))
			return -1;
		w->dst_bytes = bytes;
		if (!replace(&w->src, w->src_bytes, bytes))
			return -1;
		w->src_bytes = bytes;
		if (!replace(&w->hot, HOT_BYTES, HOT_BYTES))
			return -1;
	}
	/* It is in the figures of sections, and differs from one time to the next as they do. */
	probe_guard(&cost);
	walk_setup.save_ns = cost.save.warm + cost.restore.warm;
	return 0;
}

const u8 *walk_memory(void)
{
	return walkers[0].dst;
}

static unsigned long huge_bytes(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	unsigned long kib = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "AnonHugePages: %lu", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib << 10;
}

static unsigned long power_of_two(unsigned long bytes)
{
	unsigned long n = HUGE_PAGE;

	while (2 * n <= bytes)
		n *= 2;
	return n;
}

/* --- Loops --------------------------------------------------------------- */

/* How much of each memory a loop walks through. */
static unsigned long extent_of(const struct workload *w)
{
	const bool two = w->kind != SIMD_KIND_clear &&
			 !(w->options & (WALK_HOT_DST | WALK_HOT_SRC));

	switch (w->where) {
	case WALK_CORE:
		return max(CORE_BYTES, (unsigned long)w->bytes);
	case WALK_LLC:
		/* More than the core's caches hold, and no more than that: others use this one. */
		return max(walk_setup.core * (two ? 1 : 2), (unsigned long)w->bytes);
	default:
		return walk_setup.beyond / 2;
	}
}

bool walk_exists(const struct workload *w)
{
	return w->where != WALK_LLC || walk_setup.core >= 2 * CORE_BYTES;
}

static unsigned long chunk_of(const struct workload *w)
{
	return max(w->where == WALK_CORE ? HOT_CHUNK : CHUNK, (unsigned long)w->bytes);
}

/* At random, each place of a power of two comes once before one comes again. */
static unsigned long place(struct walker *walker, const struct workload *w,
			   unsigned long extent)
{
	const unsigned long places = extent / w->bytes;
	unsigned long at = walker->at / w->bytes % places;

	walker->at += w->bytes;
	if (w->order == WALK_RANDOM)
		at = at * 0x61c88647ul % places;
	return at * w->bytes;
}

static unsigned long read_lines(const u8 *data, unsigned long len)
{
	unsigned long sum = 0, i;

	for (i = 0; i < len; i += 64)
		sum += READ_ONCE(*(const unsigned long *)(data + i));
	return sum;
}

/* One chunk. The page below the source's is that of an offset below 0. */
static void run_chunk(struct walker *walker, const struct workload *w, enum consumer reader,
		      const struct subject *s)
{
	const unsigned long extent = extent_of(w), chunk = chunk_of(w);
	const unsigned long shift = w->offset ? (PAGE_SIZE + w->offset) % PAGE_SIZE : 0;
	unsigned long done, at;
	u8 *dst, *src;

	for (done = 0; done < chunk; done += w->bytes) {
		at = place(walker, w, extent);
		src = w->options & WALK_HOT_SRC ? walker->hot : walker->src + at;
		dst = w->options & WALK_HOT_DST ? walker->hot + shift : walker->dst + at;
		s->run(s, dst, src, w->bytes);
		if (reader != CONSUMER_NONE)
			walker->sum += read_lines(dst, reader == CONSUMER_ALL ? w->bytes : 64);
	}
}

/* --- Caches -------------------------------------------------------------- */

/* A chain of as many loads, and chains of which the fastest counts: others use the CPU, too. */
#define CHAIN_LOADS	4000
#define CHAIN_TRIES	9

/*
 * A line in each of @places, @stride bytes apart. Where a load goes depends on the data of
 * the one before, and is at random, so that neither prefetch nor reordering hides what it
 * costs. Return: ns per load.
 */
static double chain_ns(const u8 *data, unsigned long places, unsigned long stride)
{
	/* Goes on where the chain before ended: its lines are in the caches now. */
	static unsigned long x;
	unsigned long loaded = 0, i, place, line;
	u64 t = clock_read();

	for (i = 0; i < CHAIN_LOADS; i++) {
		x = x * 0x5851f42d4c957f2dul + 1 + loaded;
		place = (x >> 32) * places >> 32;
		/* Not the same one of each place: few sets of a cache would have to hold them. */
		line = (place * 0x9e3779b1ul & 0xffffffff) * (stride / 64) >> 32;
		loaded = READ_ONCE(*(const unsigned long *)(data + place * stride + line * 64));
		/* The sum stays as it is, but the CPU waits for the load. */
		asm volatile("and $0, %0" : "+r" (loaded));
	}
	return ticks_to_ns(clock_read() - t) / CHAIN_LOADS;
}

double walk_latency(const struct workload *w)
{
	const struct subject *subjects[SIMD_NR_ROUTINES + 2];
	const unsigned long extent = extent_of(w);
	double best = INFINITY;
	unsigned long i;

	walk_subjects(w->kind, subjects);
	/* Read as well: stores may go past the caches, on some CPUs stock's, too. */
	for (i = 0; i < extent; i += chunk_of(w))
		run_chunk(&walkers[0], w, CONSUMER_ALL, subjects[0]);
	for (i = 0; i < CHAIN_TRIES; i++) {
		run_chunk(&walkers[0], w, CONSUMER_ALL, subjects[0]);
		best = fmin(best, chain_ns(walkers[0].dst, extent / 64, 64));
	}
	return best;
}

/* More than any TLB has entries, while as many lines fit the core's caches. */
#define TLB_PLACES	8192ul

double walk_tlb_ns(const struct workload *w)
{
	const unsigned long extent = extent_of(w);
	const unsigned long places = min(extent / PAGE_SIZE, TLB_PLACES);
	double near = INFINITY, far = INFINITY;
	unsigned int i;

	/* The first tries bring the lines to the caches. */
	for (i = 0; i < 2 * CHAIN_TRIES; i++)
		near = fmin(near, chain_ns(walkers[0].dst, places, 64));
	for (i = 0; i < 2 * CHAIN_TRIES; i++)
		far = fmin(far, chain_ns(walkers[0].dst, places, extent / places));
	return fmax(far - near, 0);
}

/* In any CPU's first-level cache. */
#define L1_BYTES	(16ul << 10)

double walk_latency_in(unsigned long bytes)
{
	const struct workload w = {
		.kind = SIMD_KIND_clear, .bytes = PAGE_SIZE, .where = WALK_BEYOND,
	};
	const unsigned long all = walk_setup.beyond;
	double ns;

	walk_setup.beyond = 2 * bytes;
	ns = walk_latency(&w);
	walk_setup.beyond = all;
	return ns;
}

/* The largest size, less than @bytes, in which a load takes no longer than @ns. */
static unsigned long size_with(double ns, unsigned long bytes)
{
	for (bytes /= 2; bytes > L1_BYTES && walk_latency_in(bytes) > ns; bytes /= 2)
		;
	return bytes;
}

/*
 * The last-level cache ends where a load takes as long as the mean of those in the
 * first-level cache and in memory. The core's caches end before: in twice their size every
 * other load still finds its line there. So for them it is the geometric mean, which is
 * nearer to the shorter time.
 */
static void find_caches(void)
{
	const unsigned long all = walk_setup.beyond / 2;
	const double first = walk_latency_in(L1_BYTES);

	walk_setup.llc = size_with((first + walk_latency_in(all)) / 2, all);
	walk_setup.core = size_with(sqrt(first * walk_latency_in(walk_setup.llc)), walk_setup.llc);
}

int walk_init(unsigned long mib, bool huge, unsigned int threads)
{
	unsigned long memory = (unsigned long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

	walk_setup.beyond = min(memory / MEMORY_PART / threads, BEYOND_MAX);
	if (mib)
		walk_setup.beyond = mib << 20;
	walk_setup.beyond = power_of_two(walk_setup.beyond);
	walk_setup.threads = threads;
	walk_setup.small = !huge;
	if (walk_remap())
		return -1;
	walk_setup.huge = huge_bytes();
	find_caches();
	return 0;
}

/* --- Other CPUs ---------------------------------------------------------- */

/**
 * struct company - what other CPUs do meanwhile
 * @w:		the loop
 * @reader:	who reads
 * @subject:	what they run, NULL for nothing more
 * @cpu:	the next one to take
 */
struct company {
	const struct workload	*w;
	enum consumer		reader;
	const struct subject	*subject;
	unsigned int		cpu;
};

static void *keep_company(void *arg)
{
	struct company *c = arg;
	unsigned int cpu = __atomic_add_fetch(&c->cpu, 1, __ATOMIC_RELAXED);
	const struct subject *s;

	machine_pin(machine_other_cpu(cpu));
	while ((s = __atomic_load_n(&c->subject, __ATOMIC_RELAXED)))
		run_chunk(&walkers[cpu], c->w, c->reader, s);
	return NULL;
}

/* --- Rounds -------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * The sorted values that enclose the median of all that there could be with 95 %
 * confidence, or a little more: as many tosses of a coin as there are values show heads as
 * rarely as values are below it.
 */
struct interval interval_of(double *values, unsigned int n)
{
	struct interval i = { 0, 0, INFINITY };
	double chance = pow(0.5, n), both = 2 * chance;
	unsigned int k = 0;

	if (!n)
		return i;
	qsort(values, n, sizeof(*values), ascending);
	i.median = n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
	for (; both <= 0.05; both += 2 * chance) {
		i.low = values[k];
		i.high = values[n - 1 - k];
		k++;
		chance *= (n - k + 1.0) / k;
	}
	return i;
}

static unsigned long interruptions(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* Of a chunk that is interrupted; then there is no sample. */
#define CHUNK_TRIES	3

static double timed_chunk(struct company *c, const struct subject *s)
{
	unsigned int tries;
	unsigned long before;
	u64 t;

	/* Those who keep company change as soon as they can, which is a chunk later. */
	__atomic_store_n(&c->subject, s, __ATOMIC_RELAXED);
	if (walk_setup.threads > 1)
		run_chunk(&walkers[0], c->w, c->reader, s);
	for (tries = 0; tries < CHUNK_TRIES; tries++) {
		before = interruptions();
		t = clock_read();
		run_chunk(&walkers[0], c->w, c->reader, s);
		t = clock_read() - t;
		if (interruptions() == before)
			return ticks_to_ns(t);
	}
	return 0;
}

/**
 * struct round - a chunk of each subject, and two of stock, in random order
 * @at:		by subject, when its turn was; stock comes twice, as 0 and as the last one
 * @ns:		likewise, what it took, 0 if it was interrupted
 */
struct round {
	unsigned int	at[SIMD_NR_ROUTINES + 3];
	double		ns[SIMD_NR_ROUTINES + 3];
};

static void one_round(struct company *c, const struct subject *const *subjects,
		      unsigned int nr, struct round *r)
{
	unsigned int order[nr + 1], i;

	for (i = 0; i <= nr; i++) {
		unsigned int j = rand() % (i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (i = 0; i <= nr; i++) {
		r->at[order[i]] = i;
		r->ns[order[i]] = timed_chunk(c, subjects[order[i] % nr]);
	}
}

/*
 * Which of stock's two samples a subject is compared with: the nearer one. It is a single
 * sample, as the subject's is: the mean of two is less often one of the long ones, and
 * then stock seems slower than itself.
 */
static unsigned int stock_for(const struct round *r, unsigned int i, unsigned int nr)
{
	if (!i)
		return nr;
	return abs((int)r->at[0] - (int)r->at[i]) < abs((int)r->at[nr] - (int)r->at[i]) ? 0 : nr;
}

/**
 * struct series - samples of a subject
 * @ratio:	to stock in the same round
 * @saving:	likewise, registers saved
 * @ns:		per 4 KiB
 * @n:		how many of each
 */
struct series {
	double		ratio[MAX_ROUNDS];
	double		saving[MAX_ROUNDS];
	double		ns[MAX_ROUNDS];
	unsigned int	n;
};

static void add_sample(struct series *s, double ratio, double saving, double ns)
{
	s->ratio[s->n] = ratio;
	s->saving[s->n] = saving;
	s->ns[s->n++] = ns;
}

static void add_round(struct series *series, struct walk_loop *loop, const struct round *r)
{
	const double calls = chunk_of(loop->w) / loop->w->bytes;
	const double pages = chunk_of(loop->w) / 4096.0;
	unsigned int i;

	for (i = 0; i < loop->nr; i++) {
		const struct simd_routine *row = loop->subjects[i]->row;
		double stock = r->ns[stock_for(r, i, loop->nr)], save = 0;

		if (!stock || !r->ns[i]) {
			loop->walked[i].dropped++;
			continue;
		}
		if (row && row->guard != SIMD_GUARD_NONE)
			save = calls * walk_setup.save_ns;
		add_sample(&series[i], stock / r->ns[i], stock / (r->ns[i] + save),
			   r->ns[i] / pages);
		loop->walked[i].rounds++;
	}
}

/*
 * A loop, for a while, or for a round at least. Of each subject's samples in this block
 * the median counts.
 */
static void run_block(struct walk_loop *loop, struct series *blocks, double limit)
{
	struct series *series = calloc(loop->nr, sizeof(*series));
	struct company company = { loop->w, loop->reader, loop->subjects[0], 0 };
	pthread_t threads[MAX_THREADS];
	unsigned int i, n = 0;
	struct round r;
	u64 start;

	if (!series)
		abort();
	for (i = 1; i < walk_setup.threads; i++)
		if (pthread_create(&threads[i], NULL, keep_company, &company))
			abort();
	start = clock_read();
	/* The first round finds memory in some other state. */
	one_round(&company, loop->subjects, loop->nr, &r);
	do {
		one_round(&company, loop->subjects, loop->nr, &r);
		add_round(series, loop, &r);
	} while (++n < MAX_ROUNDS && ticks_to_ns(clock_read() - start) < limit);
	__atomic_store_n(&company.subject, NULL, __ATOMIC_RELAXED);
	for (i = 1; i < walk_setup.threads; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < loop->nr; i++)
		if (series[i].n)
			add_sample(&blocks[i], interval_of(series[i].ratio, series[i].n).median,
				   interval_of(series[i].saving, series[i].n).median,
				   interval_of(series[i].ns, series[i].n).median);
	free(series);
}

/*
 * Of blocks, sorted: all but one of twelve, or all of ten or eleven, are above 1. Of twenty
 * rows no faster than stock, one gets so far in 6 % of all loops.
 */
static bool surely_faster(const double *saving, unsigned int n)
{
	return n >= LEAST_BLOCKS && saving[n == BLOCKS] > 1;
}

/*
 * Samples of a block share what they do not share with another process: the pages of
 * memory, and what else the machine does at that time. They are no independent evidence,
 * and an interval of them is too narrow. Medians of blocks in other pages at other times
 * are.
 */
static void judge_blocks(struct walk_loop *loop, struct series *blocks)
{
	unsigned int i;

	for (i = 0; i < loop->nr; i++) {
		struct walked *out = &loop->walked[i];

		out->ratio = interval_of(blocks[i].ratio, blocks[i].n);
		out->saving = interval_of(blocks[i].saving, blocks[i].n);
		out->ns = interval_of(blocks[i].ns, blocks[i].n);
		out->blocks = blocks[i].n;
		out->faster = surely_faster(blocks[i].saving, blocks[i].n);
	}
}

void walk_loops(struct walk_loop *loops, unsigned int nr, u64 limit,
		void (*progress)(unsigned int done, unsigned int all, const char *name))
{
	struct series *blocks = calloc(nr * WALK_SUBJECTS, sizeof(*blocks));
	unsigned int i, block, planned = BLOCKS;
	double memory = 0, left;
	u64 start = clock_read(), mapping;

	if (!blocks)
		abort();
	for (i = 0; i < nr; i++) {
		memset(loops[i].walked, 0, sizeof(loops[i].walked));
		loops[i].tlb_ns = walk_tlb_ns(loops[i].w);
	}
	for (block = 0; block < planned; block++) {
		mapping = clock_read();
		if (walk_remap())
			exit(1);
		if (!block) {
			memory = ticks_to_ns(clock_read() - mapping);
			planned = fmin(fmax(limit / MEMORY_TIME / memory, LEAST_BLOCKS), BLOCKS);
		}
		for (i = 0; i < nr; i++) {
			if (progress)
				progress(block * nr + i, planned * nr, loops[i].w->name);
			/* Of what is left, as each loop that is still to come gets. */
			left = limit - ticks_to_ns(clock_read() - start) -
			       (planned - block - 1) * memory;
			run_block(&loops[i], &blocks[i * WALK_SUBJECTS],
				  left / ((planned - block) * nr - i));
		}
		if (block + 1 >= LEAST_BLOCKS && ticks_to_ns(clock_read() - start) >= limit)
			break;
	}
	if (progress)
		progress(0, 0, NULL);
	for (i = 0; i < nr; i++)
		judge_blocks(&loops[i], &blocks[i * WALK_SUBJECTS]);
	free(blocks);
}

void walk(const struct workload *w, enum consumer reader,
	  const struct subject *const *subjects, unsigned int nr, u64 limit,
	  struct walked *walked)
{
	struct walk_loop loop = { .w = w, .reader = reader, .nr = nr };

	memcpy(loop.subjects, subjects, nr * sizeof(*subjects));
	walk_loops(&loop, 1, limit, NULL);
	memcpy(walked, loop.walked, nr * sizeof(*walked));
}

/* Kernels up to 6.18 clear and copy extents so. */
static void stock_by_page(const struct subject *s, void *dst, const void *src,
			  unsigned long len)
{
	unsigned long at;

	for (at = 0; at < len; at += PAGE_SIZE)
		simd_call(s->kind, s->fn, dst + at, src + at, PAGE_SIZE);
}

unsigned int walk_subjects(enum simd_kind kind, const struct subject **list)
{
	static struct subject by_page[SIMD_NR_KINDS];
	const struct subject *all;
	unsigned int stock = simd_stock_row(kind), row, n = 0;

	subjects_init(&all);
	by_page[kind] = all[stock];
	by_page[kind].name = WALK_BY_PAGE;
	by_page[kind].row = NULL;
	by_page[kind].run = stock_by_page;
	list[n++] = &all[stock];
	if (kind != SIMD_KIND_to_user)
		list[n++] = &by_page[kind];
	simd_for_each_row_of(row, kind)
		if (row != stock && !all[row].missing)
			list[n++] = &all[row];
	return n;
}
