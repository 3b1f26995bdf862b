// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of rows in cases: how long a row takes from a state of memory that callers
 * meet. No decision is made here.
 *
 * Memory that is in no cache is made by walking, as workloads do, and not by flushing.
 * CLFLUSH leaves room in the caches, so that stores find place there, and other rows win
 * than where each store evicts a dirty line of someone else. So samples walk through a
 * room that is several times as large as the caches, and leave it dirty behind them.
 */
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/page.h>

#include "run.h"
#include "simd_copy.h"

/* A room is made of so many bytes that follow each other in physical memory. */
#define BLOCK_BYTES	(512ul * PAGE_SIZE)
#define BLOCK_ORDER	9
#define ROOM_GFP	(GFP_KERNEL | __GFP_NOWARN | __GFP_NORETRY)

/* It is so many times as large as the last-level cache, if memory allows. */
#define ROOM_CACHES	4

/* But no more than this, or than this part of all memory. */
#define MAX_ROOM	(512ul << 20)
#define MAX_BLOCKS	(MAX_ROOM / BLOCK_BYTES)
#define ROOM_PART	8

/* In a smaller room, samples would meet their own lines in some cache. */
#define MIN_ROOM	(32ul << 20)

/*
 * A sample moves so much, so that what a call leaves behind for later, stores that are
 * still on their way and lines that have to be evicted, is mostly on its own clock.
 */
#define SAMPLE_BYTES	(128ul << 10)

/* Small copies leave nothing behind: they end in a buffer that is hot. */
#define SAMPLE_CALLS	64

/* Of hot memory nothing is left behind, and this much stays in the first-level cache. */
#define HOT_BYTES	(4 * PAGE_SIZE)

/* A sample is no shorter than so many steps of the clock. */
#define CLOCK_STEPS	100

/* And no longer than this, unless it is a single call: others want the CPU. */
#define SAMPLE_NS	500000

/* A clock with such steps or larger ones tells nothing at all. */
#define COARSE_NS	100000

/* How often a sample is taken again that was interrupted. */
#define ATTEMPTS	4

/* Samples to find out how many calls the clock can tell. */
#define CALLS_TRIES	32

/**
 * struct simd_bench - what samples are taken with
 * @sampler:	for those who decide
 * @block:	the room: destinations in the first half, sources in the second
 * @blocks:	how many there are, a power of two, or 0
 * @late:	there was no time to get enough blocks
 * @hot:	destination and source of hot memory, and destination of copies to user space
 * @at:		bytes that were walked so far, by order
 * @calls:	by case and state, how many calls make a sample; 0 if that is not known
 * @step:	of the clock, ns
 * @save_ns:	cost of saving the registers of a task and loading them again, ns
 * @end:	CPU time of this task at which the time is over, ns
 */
struct simd_bench {
	struct simd_sampler	sampler;
	void			*block[MAX_BLOCKS];
	unsigned int		blocks;
	bool			late;
	void			*hot[2];
	unsigned long		at[SIMD_NR_STATES];
	unsigned int		calls[SIMD_NR_CASES][SIMD_NR_STATES];
	u32			step;
	u32			save_ns;
	u64			end;
};

/* Both hot buffers have place for the largest case, and for what is misaligned. */
#define HOT_ORDER	5
#define HOT_ROOM	(PAGE_SIZE << HOT_ORDER)

/* --- The registers of a task --------------------------------------------- */

/* What the kernel saves of them, but for AMX, which tasks hardly ever use. */
#define SAVED_XFEATURES	(SIMD_XCR0_SSE | SIMD_XCR0_YMM | SIMD_XCR0_ZMM | 1)

/* The layout of FXSAVE and XSAVE (SDM vol. 1, 10.5.1 and 13.4.1). */
#define AREA_BYTES	PAGE_SIZE
#define AREA_MXCSR	24
#define MXCSR_DEFAULT	0x1f80

/* Rounds, the best of which counts, and turns in each. */
#define SAVE_ROUNDS	8
#define SAVES		64

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

/* What a kernel is compiled without, and what UML and programs may keep values in. */
#if defined(__SSE__) && defined(__x86_64__)
#define VECTORS	"xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", \
		"xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory"
#elif defined(__SSE__)
#define VECTORS	"xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "memory"
#else
#define VECTORS	"memory"
#endif

/* As most tasks leave them: XMM registers are in use, nothing else is. */
static void fill_registers(void *area)
{
	memset(area, 0, AREA_BYTES);
	*(u32 *)(area + AREA_MXCSR) = MXCSR_DEFAULT;
	if (boot_cpu_has(X86_FEATURE_XSAVE) && cpu_has_xfeatures(SIMD_XCR0_SSE, NULL))
		asm volatile("xrstor (%0)" : : "r" (area), "a" (SAVED_XFEATURES), "d" (0)
			     : VECTORS);
	if (boot_cpu_has(X86_FEATURE_XMM))
		asm volatile("movups (%0), %%xmm0" : : "r" (area + AREA_MXCSR) : VECTORS);
}

/*
 * What it costs to save the registers of a task and to load them again, ns. The section
 * has saved the registers of this task already, so that they may be clobbered freely.
 */
static u32 registers_cost(void *area)
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
	return best == U32_MAX ? 0 : div_u64(best, SAVES);
}

/* --- Caches and clock ---------------------------------------------------- */

/* CPUID leaves that list the caches one by one (SDM vol. 2, CPUID; APM vol. 3, E.4). */
#define CACHES_INTEL	0x00000004
#define CACHES_AMD	0x8000001d
#define MAX_CACHES	8

/* Size of the last unified cache that a leaf lists, 0 if it lists none. */
static unsigned long listed_cache(u32 leaf)
{
	unsigned long size = 0;
	u32 i, a, b, c, d;

	cpuid_count(leaf & 0x80000000, 0, &a, &b, &c, &d);
	for (i = 0; a >= leaf && i < MAX_CACHES; i++) {
		u32 type;

		cpuid_count(leaf, i, &type, &b, &c, &d);
		type &= 0x1f;
		if (!type)
			break;
		if (type == 3)
			size = ((b >> 22) + 1ul) * ((b >> 12 & 0x3ff) + 1) *
			       ((b & 0xfff) + 1) * (c + 1ul);
	}
	return size;
}

/**
 * simd_cache_bytes() - how large the last-level cache is that one CPU reaches
 *
 * Not boot_cpu_data.x86_cache_size, which is the second-level cache of CPUs of AMD and
 * Hygon. The same as the last unified leaf of cacheinfo, which no module may ask.
 *
 * Return: bytes, 0 if that is not known.
 */
unsigned long simd_cache_bytes(void)
{
	u32 a, b, c, d;

	/* Older CPUs may have no CPUID, and no kernel of theirs knows their caches. */
	if (!boot_cpu_has(X86_FEATURE_MMX))
		return 0;
	if (listed_cache(CACHES_AMD))
		return listed_cache(CACHES_AMD);
	if (listed_cache(CACHES_INTEL))
		return listed_cache(CACHES_INTEL);
	/* AMD before that leaf (APM vol. 3, E.4.5): L3 in 512 KiB, L2 in KiB. */
	cpuid_count(0x80000000, 0, &a, &b, &c, &d);
	if (a < 0x80000006)
		return 0;
	cpuid_count(0x80000006, 0, &a, &b, &c, &d);
	return d >> 18 ? (d >> 18) * (512ul << 10) : (c >> 16) * 1024ul;
}

/* CPUID leaf of AMD's topology, and the bit for cores of more than one type (APM vol. 3). */
#define TOPOLOGY_AMD	0x80000026
#define CORES_DIFFER	BIT(30)

/**
 * simd_cpus_differ() - whether the machine has CPUs of more than one type
 *
 * Kernels before 6.13 have no feature bit for those of AMD.
 *
 * Return: whether what holds for one CPU may not hold for another.
 */
bool simd_cpus_differ(void)
{
	u32 a, b, c, d;

	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		return true;
	if (!boot_cpu_has(X86_FEATURE_MMX))
		return false;
	cpuid_count(0x80000000, 0, &a, &b, &c, &d);
	if (a < TOPOLOGY_AMD)
		return false;
	cpuid_count(TOPOLOGY_AMD, 0, &a, &b, &c, &d);
	return a & CORES_DIFFER;
}

/* What the clock goes by at a time, or what it takes to read it if that is more. */
static u32 clock_step(void)
{
	u64 start = ktime_get_ns(), last = start, now, best = U32_MAX;
	unsigned int i;

	for (i = 0; i < 1000 && last - start < COARSE_NS; i++) {
		now = ktime_get_ns();
		if (now == last)
			continue;
		best = min(best, now - last);
		last = now;
	}
	return best;
}

/* --- The room ------------------------------------------------------------ */

static bool time_is_over(const struct simd_bench *b, u64 part)
{
	return simd_cpu_time() >= b->end - part;
}

static void *in_room(const struct simd_bench *b, unsigned long at)
{
	return b->block[at / BLOCK_BYTES] + at % BLOCK_BYTES;
}

static void free_room(struct simd_bench *b, unsigned int keep)
{
	while (b->blocks > keep)
		free_pages((unsigned long)b->block[--b->blocks], BLOCK_ORDER);
}

/*
 * Memory that is in no cache, since nobody has used it for long. One line of each page is
 * touched: memory of a guest may have nothing behind it before.
 */
static void alloc_room(struct simd_bench *b, unsigned long bytes, u64 reserve)
{
	void *block;
	unsigned long at;

	while (b->blocks < rounddown_pow_of_two(bytes) / BLOCK_BYTES) {
		block = (void *)__get_free_pages(ROOM_GFP, BLOCK_ORDER);
		if (!block)
			break;
		b->block[b->blocks++] = block;
		for (at = 0; at < BLOCK_BYTES; at += PAGE_SIZE)
			WRITE_ONCE(*(char *)(block + at), 0);
		cond_resched();
		b->late = time_is_over(b, reserve);
		if (b->late)
			break;
	}
	b->late &= b->blocks * BLOCK_BYTES < MIN_ROOM;
	free_room(b, b->blocks * BLOCK_BYTES < MIN_ROOM ? 0 : rounddown_pow_of_two(b->blocks));
}

/*
 * Leave the caches full of dirty lines of memory that is not in the room, so that stores to
 * the room have to evict them.
 */
static void fill_caches(const struct simd_bench *b, unsigned long bytes, u64 reserve)
{
	void *block, *last = NULL;
	unsigned long filled, at;

	for (filled = 0; filled < bytes && !time_is_over(b, reserve); filled += BLOCK_BYTES) {
		block = (void *)__get_free_pages(ROOM_GFP, BLOCK_ORDER);
		if (!block)
			break;
		for (at = 0; at < BLOCK_BYTES; at += SAMPLE_BYTES) {
			memset(block + at, 0, SAMPLE_BYTES);
			cond_resched();
		}
		*(void **)block = last;
		last = block;
	}
	while (last) {
		block = last;
		last = *(void **)block;
		free_pages((unsigned long)block, BLOCK_ORDER);
	}
}

/*
 * Where the next call of @len bytes is, as an offset in half of the room. At random, each
 * place comes once before one comes again: the number of places is a power of two, and
 * the stride is odd. It is the golden section of all places, so that a walk stays away
 * from where it has just been, and nothing is prefetched.
 */
#define GOLDEN		0x9e37	/* of 65536 */

static unsigned long next_place(struct simd_bench *b, enum simd_state state, unsigned int len)
{
	unsigned long half = b->blocks * BLOCK_BYTES / 2, places = half / len;
	unsigned long at = b->at[state] / len % places;

	b->at[state] += len;
	if (state != SIMD_ORDER)
		at = at * ((unsigned long)((u64)places * GOLDEN >> 16) | 1) % places;
	return at * len;
}

/* --- Samples ------------------------------------------------------------- */

/* The consumer: it reads every line, and depends on what it has read. */
static unsigned long consume(const void *data, unsigned long len)
{
	unsigned long sum = 0, i;

	for (i = 0; i < len; i += 64)
		sum += READ_ONCE(*(const unsigned long *)(data + i));
	return sum;
}

/* A misaligned copy is off by one byte, ahead of its source and behind it by turns. */
static unsigned long misaligned_by(unsigned int c, unsigned int call)
{
	if (simd_cases[c].regime != SIMD_MISALIGNED)
		return 0;
	return call % 2 ? PAGE_SIZE + 1 : PAGE_SIZE - 1;
}

/*
 * Stock is what callers run inline. Any other row is led to by a call that first looks
 * which case it is: that is a call more on its clock.
 */
static noinline void led_to_row(unsigned int row, void *dst, const void *src,
				unsigned long len)
{
	simd_run_row(row, dst, src, len);
}

static void run_calls(struct simd_bench *b, unsigned int c, enum simd_state state,
		      unsigned int row, unsigned int calls)
{
	const struct simd_case *k = &simd_cases[c];
	const bool hot_dst = state == SIMD_HOT ||
			     (k->kind == SIMD_KIND_to_user && k->regime != SIMD_STREAM);
	const struct simd_routine *r = &simd_routines[row];
	const bool is_stock = row == simd_stock_row(k->kind);
	const unsigned int used = simd_bytes_used(c);
	unsigned long half = b->blocks * BLOCK_BYTES / 2, at, sum = 0;
	unsigned int len = k->bytes, i;
	void *dst, *src;

	for (i = 0; i < calls; i++) {
		if (state == SIMD_HOT) {
			at = len < HOT_BYTES ? i * len % HOT_BYTES : 0;
			src = b->hot[1] + at;
		} else {
			at = next_place(b, state, len);
			src = state == SIMD_WARM ? b->hot[1] : in_room(b, half + at);
		}
		dst = hot_dst ? b->hot[0] + (state == SIMD_HOT ? at : 0) : in_room(b, at);
		dst += misaligned_by(c, i);
		if (is_stock)
			simd_call(r->kind, r->fn, dst, src, len);
		else
			led_to_row(row, dst, src, len);
		sum += consume(dst, used);
		OPTIMIZER_HIDE_VAR(sum);
	}
}

/* Return: ns, 0 if others were on the CPU meanwhile. */
static u32 timed(struct simd_bench *b, unsigned int c, enum simd_state state,
		 unsigned int row, unsigned int calls)
{
	unsigned long disturbances;
	u64 start, ns;

	/* So that the code of this row, and hot memory, is where it is in a workload. */
	if (state == SIMD_HOT)
		run_calls(b, c, state, row, max(HOT_BYTES / simd_cases[c].bytes, 1ul));
	disturbances = simd_disturbances();
	start = ktime_get_ns();
	run_calls(b, c, state, row, calls);
	ns = ktime_get_ns() - start;
	/* A call that a coarse clock did not see was not disturbed. */
	ns = disturbances == simd_disturbances() ? clamp_t(u64, ns, 1, U32_MAX / 32) : 0;
	cond_resched();
	return ns;
}

/* Calls that make a sample, where the clock can tell how long they take. */
unsigned int simd_least_calls(unsigned int c, enum simd_state state)
{
	return clamp((state == SIMD_HOT ? HOT_BYTES : SAMPLE_BYTES) / simd_cases[c].bytes, 1ul,
		     (unsigned long)SAMPLE_CALLS);
}

/* How many calls of stock the clock can tell. Return: 0 if there is no such number. */
static unsigned int find_calls(struct simd_bench *b, unsigned int c, enum simd_state state)
{
	unsigned int calls = simd_least_calls(c, state), tries = 0;
	u32 ns;

	while (tries++ < CALLS_TRIES) {
		ns = timed(b, c, state, simd_stock_row(simd_cases[c].kind), calls);
		if (!ns)
			continue;
		if (ns > SAMPLE_NS && calls > 1)
			calls = max(div_u64((u64)calls * SAMPLE_NS, ns), 1ull);
		else if (ns < CLOCK_STEPS * b->step && calls < UINT_MAX / 2)
			calls *= 2;
		else
			return calls;
	}
	return 0;
}

static unsigned int nr_calls(struct simd_bench *b, unsigned int c, enum simd_state state)
{
	if (!b->calls[c][state])
		b->calls[c][state] = find_calls(b, c, state);
	return b->calls[c][state];
}

static u32 sample(struct simd_sampler *sampler, unsigned int c, enum simd_state state,
		  unsigned int row)
{
	struct simd_bench *b = container_of(sampler, struct simd_bench, sampler);
	unsigned int attempt;
	u32 ns = 0, each;

	if (b->step >= COARSE_NS)
		sampler->why_not = "stock: the clock is too coarse to measure with";
	else if (time_is_over(b, 0) || (state != SIMD_HOT && b->late))
		sampler->why_not = "stock: the time to measure in was over";
	else if (state != SIMD_HOT && !b->blocks)
		sampler->why_not = "stock: no memory to measure with";
	else if (!nr_calls(b, c, state))
		sampler->why_not = "stock: the CPU was too busy to measure on";
	else
		for (attempt = 0; !ns && attempt < ATTEMPTS; attempt++)
			ns = timed(b, c, state, row, nr_calls(b, c, state));
	if (!ns)
		return 0;
	each = div_u64((u64)ns * 16, nr_calls(b, c, state));
	if (simd_routines[row].guard != SIMD_GUARD_NONE)
		each += b->save_ns * 16;
	return max(each, 1u);
}

/**
 * simd_bench_open() - get ready to measure
 * @budget:		CPU time to spend, ns
 * @cache_bytes:	size of the last-level cache
 *
 * Context: task, may sleep. Samples are to be taken by the same task, on the same CPU.
 * Return: what samples are taken with, or NULL if there is no memory for it.
 */
struct simd_bench *simd_bench_open(u64 budget, unsigned long cache_bytes)
{
	struct simd_bench *b = vzalloc(sizeof(*b));
	unsigned long most;
	unsigned int i;
	u64 reserve;

	if (!b)
		return NULL;
	b->end = simd_cpu_time() + budget;
	b->sampler.sample = sample;
	for (i = 0; i < ARRAY_SIZE(b->hot); i++) {
		b->hot[i] = (void *)__get_free_pages(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN,
						     HOT_ORDER);
		if (!b->hot[i]) {
			simd_bench_close(b);
			return NULL;
		}
	}
	b->step = clock_step();
	b->save_ns = registers_cost(b->hot[0]);
	if (b->step >= COARSE_NS)
		return b;
	most = min(simd_memory_bytes() / ROOM_PART, MAX_ROOM);
	if (most >= MIN_ROOM) {
		reserve = budget - div_u64(budget, SIMD_FILL_PART);
		cache_bytes = min(cache_bytes, most);
		alloc_room(b, clamp(ROOM_CACHES * cache_bytes, MIN_ROOM, most), reserve);
		fill_caches(b, max(cache_bytes, MIN_ROOM), reserve);
	}
	return b;
}

/**
 * simd_bench_close() - give back what measuring took
 * @b:	of simd_bench_open()
 */
void simd_bench_close(struct simd_bench *b)
{
	unsigned int i;

	free_room(b, 0);
	for (i = 0; i < ARRAY_SIZE(b->hot); i++)
		free_pages((unsigned long)b->hot[i], HOT_ORDER);
	vfree(b);
}

struct simd_sampler *simd_bench_sampler(struct simd_bench *b)
{
	return &b->sampler;
}

/* Cost of saving the registers of a task and loading them again, ns. */
u32 simd_bench_save_ns(const struct simd_bench *b)
{
	return b->save_ns;
}
