// SPDX-License-Identifier: GPL-2.0
/*
 * Memory: every row against a byte-wise reference, between red zones and
 * between pages that cannot be touched, and with pages that cannot be stored to,
 * or loaded from.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <asm/page.h>
#include <asm/trapnr.h>

#include "checked_call.h"
#include "harness.h"

const char *const check_names[NR_CHECKS] = {
	[CHECK_DATA]	= "data",
	[CHECK_BEFORE]	= "bytes before the destination",
	[CHECK_AFTER]	= "bytes after the destination, or after those it could store",
	[CHECK_SOURCE]	= "bytes around the source, or a store to it",
	[CHECK_SAVED]	= "callee-saved registers",
	[CHECK_STACK]	= "the caller's stack",
	[CHECK_FLAGS]	= "flags DF and AC",
	[CHECK_X87]	= "x87 state",
	[CHECK_TAGS]	= "x87 tags (emms)",
	[CHECK_MXCSR]	= "MXCSR",
	[CHECK_VECTOR]	= "vector registers and opmasks",
	[CHECK_UPPER]	= "upper halves (vzeroupper)",
	[CHECK_RESIDUE]	= "the number of bytes not copied",
	[CHECK_ACCESS]	= "user access (stac, clac)",
	[CHECK_FIXUP]	= "a load or store that may fault, without an exception table entry",
	[CHECK_FENCE]	= "sfence after the last store",
	[CHECK_TRAPS]	= "the count of traps that were no page fault",
	[CHECK_TURNS]	= "the number of pages that it goes through in turn",
	[CHECK_CRASH]	= "survival",
};

#define ARENA_PAGES	18
#define ARENA		(ARENA_PAGES * PAGE_SIZE)
#define MAX_LEN		((ARENA_PAGES - 2) * PAGE_SIZE)
#define RED		256ul
#define RED_BYTE	0xa5

/* A row that has not come back by then never will. */
#define TIMEOUT		120

/* The third is a destination, and has a page that cannot be stored to. */
static u8 *dst_arena, *src_arena, *hole_arena;
static u8 *hole;
#define HOLE_PAGE	9

/* So many pages on each side of the hole are enough for all turns of a row. */
#define TURN_PAGES	8

/* The page that follows the source arena, where nothing can be loaded from. */
static u8 *src_end;

static u8 want[MAX_LEN], untouched[MAX_LEN];
static u8 red[RED];

/**
 * struct input - one call of a row
 * @arena:	that of @dst
 * @dst:	destination
 * @src:	source
 * @len:	bytes
 * @claim:	as in struct trap
 * @step:	as in struct trap
 */
struct input {
	u8		*arena;
	u8		*dst;
	const u8	*src;
	unsigned long	len;
	unsigned int	claim;
	bool		step;
};

static u64 rnd_state;

/* xorshift64* (Marsaglia 2003, Vigna 2016) */
static u32 rnd(u32 below)
{
	rnd_state ^= rnd_state >> 12;
	rnd_state ^= rnd_state << 25;
	rnd_state ^= rnd_state >> 27;
	return (u32)(rnd_state * 0x2545f4914f6cdd1dull >> 32) % below;
}

static void protect(u8 *p, unsigned long len, int prot)
{
	if (mprotect(p, len, prot)) {
		perror("harness: mprotect");
		exit(1);
	}
}

static u8 *map_arena(void)
{
	u8 *p = mmap(NULL, ARENA + 2 * PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		perror("harness: mmap");
		exit(1);
	}
	protect(p + PAGE_SIZE, ARENA, PROT_READ | PROT_WRITE);
	return p + PAGE_SIZE;
}

void check_init(void)
{
	unsigned int i, row;

	simd_for_each_row(row) {
		const struct simd_routine *r = &simd_routines[row];

		if (r->pages <= TURN_PAGES && simd_all_pages(r) * PAGE_SIZE + r->granule <= MAX_LEN)
			continue;
		fprintf(stderr, "harness: %s/%s goes through too many pages for ARENA_PAGES\n",
			simd_kind_names[r->kind], r->name);
		exit(1);
	}

	trap_init();
	dst_arena = map_arena();
	src_arena = map_arena();
	src_end = src_arena + ARENA;
	hole_arena = map_arena();
	hole = hole_arena + HOLE_PAGE * PAGE_SIZE;
	protect(hole, PAGE_SIZE, PROT_NONE);
	memset(red, RED_BYTE, RED);
	rnd_state = 1;
	for (i = 0; i < ARENA; i++)
		src_arena[i] = rnd(256);
	/* Whoever writes to the source is to be caught in the act. */
	protect(src_arena, ARENA, PROT_READ);
}

static bool within(const u8 *arena, const u8 *p)
{
	return p >= arena - PAGE_SIZE && p < arena + ARENA + PAGE_SIZE;
}

/* Whether the source ends before the extent does. */
static bool source_ends(const struct input *in)
{
	return in->src + in->len > src_end;
}

static enum check blame(const struct input *in)
{
	if (trap.signal == SIGSEGV && within(src_arena, trap.addr))
		return trap.addr >= src_end && trap.addr < in->src + in->len ?
			CHECK_FIXUP : CHECK_SOURCE;
	if (trap.signal != SIGSEGV || !within(in->arena, trap.addr))
		return CHECK_CRASH;
	if (trap.addr < in->dst)
		return CHECK_BEFORE;
	return trap.addr < in->dst + in->len ? CHECK_FIXUP : CHECK_AFTER;
}

static void explain(const struct simd_routine *r, const struct input *in, unsigned int wrong)
{
	unsigned long i;
	int check;

	printf("# %s/%s: len %lu, dst %% 64 = %lu", simd_kind_names[r->kind], r->name, in->len,
	       (unsigned long)in->dst % 64);
	if (r->kind != SIMD_KIND_clear)
		printf(", src %% 64 = %lu", (unsigned long)in->src % 64);
	if (in->arena == hole_arena)
		printf(", no page at byte %ld", (long)(hole - in->dst));
	if (source_ends(in))
		printf(", no source at byte %ld", (long)(src_end - in->src));
	if (in->claim)
		printf(" until the first fault, said to be trap %u", in->claim);
	printf("\n");
	for (check = 0; check < NR_CHECKS; check++)
		if (wrong >> check & 1)
			printf("#   wrong: %s\n", check_names[check]);
	if (trap.signal == SIGALRM) {
		printf("#   not back after %u s\n", TIMEOUT);
		return;
	}
	if (trap.signal) {
		printf("#   signal %d at %p, destination %p, source %p\n", trap.signal,
		       (void *)trap.addr, in->dst, in->src);
		return;
	}
	if (simd_may_fault(r->kind))
		printf("#   returned %lu\n", checked_frame.ret);
	for (i = 0; i < in->len && (in->dst + i < hole || in->dst + i >= hole + PAGE_SIZE); i++) {
		if (in->dst[i] != want[i]) {
			printf("#   byte %lu is %02x, should be %02x\n", i, in->dst[i], want[i]);
			return;
		}
	}
}

/* How much of @len bytes from @p comes before @gap, how much before its end. */
static unsigned long until(const u8 *p, unsigned long len, const u8 *gap)
{
	if (!gap)
		return len;
	return gap > p ? min(len, (unsigned long)(gap - p)) : 0;
}

/* As memcpy() and !memcmp(), but for the page at @gap, if any. */
static void put(u8 *p, const u8 *data, unsigned long len, const u8 *gap)
{
	unsigned long skip = until(p, len, gap ? gap + PAGE_SIZE : NULL);

	memcpy(p, data, until(p, len, gap));
	memcpy(p + skip, data + skip, len - skip);
}

static bool is(const u8 *p, const u8 *data, unsigned long len, const u8 *gap)
{
	unsigned long skip = until(p, len, gap ? gap + PAGE_SIZE : NULL);

	return !memcmp(p, data, until(p, len, gap)) &&
	       !memcmp(p + skip, data + skip, len - skip);
}

/*
 * The reference, a byte at a time; no byte of the destination starts right. A page
 * that comes to where there was no source is empty.
 */
static void reference(const struct simd_routine *r, const struct input *in)
{
	bool clear = r->kind == SIMD_KIND_clear;
	unsigned long i;

	for (i = 0; i < in->len; i++) {
		want[i] = clear || in->src + i >= src_end ? 0 : in->src[i];
		untouched[i] = ~want[i];
	}
}

static void set_call(const struct simd_routine *r, const struct input *in)
{
	struct checked_call *cc = &checked_frame;

	cc->arg[0] = (unsigned long)in->dst;
	cc->arg[1] = (unsigned long)in->src;
	cc->arg[2] = in->len;
	switch (r->kind) {
	case SIMD_KIND_clear:
		cc->fn = (void *)r->fn.clear;
		cc->arg[1] = in->len;
		cc->arg[2] = ~0ul;
		break;
	case SIMD_KIND_copy:
		cc->fn = (void *)r->fn.copy;
		break;
	case SIMD_KIND_to_user:
		cc->fn = (void *)r->fn.to_user;
		break;
	case SIMD_KIND_copy_mc:
		cc->fn = (void *)r->fn.copy_mc;
		break;
	case SIMD_NR_KINDS:
		break;
	}
}

static unsigned int check_case(const struct simd_routine *r, const struct input *in)
{
	const bool user = r->kind == SIMD_KIND_to_user, ends = in->claim == X86_TRAP_MC;
	u8 *gap = in->arena == hole_arena ? hole : NULL;
	unsigned long before = min((unsigned long)(in->dst - in->arena), RED);
	unsigned long after = min((unsigned long)(in->arena + ARENA - in->dst - in->len), RED);
	u8 *src_gap = source_ends(in) ? src_end : NULL;
	unsigned long reach = min(until(in->dst, in->len, gap), until(in->src, in->len, src_gap));
	unsigned long done = reach, left;
	int odd_traps = simd_odd_traps;
	unsigned int wrong;

	reference(r, in);
	if (in->claim)
		protect(hole, PAGE_SIZE, PROT_READ | PROT_WRITE);
	put(in->dst - before, red, before, gap);
	put(in->dst, untouched, in->len, in->claim ? NULL : gap);
	put(in->dst + in->len, red, after, in->claim ? NULL : gap);
	if (in->claim)
		protect(hole, PAGE_SIZE, PROT_NONE);

	set_call(r, in);
	trap.hole = gap ?: src_gap;
	trap.claim = in->claim;
	trap.step = in->step;
	trap.user = user;
	if (!trap_call()) {
		wrong = 1 << blame(in);
		goto out;
	}

	/* If the page came back, the routine may have gone on, or not. */
	if (trap.filled) {
		gap = NULL;
		done = ends ? 0 : done;
		while (done < in->len && in->dst[done] == want[done])
			done++;
	}

	wrong = state_compare(r->guard);
	left = simd_may_fault(r->kind) ? checked_frame.ret : 0;
	/* After a machine check the routine goes no further, and may say a bit less. */
	if (ends) {
		if (left > in->len || left < in->len - reach ||
		    left - (in->len - reach) >= SIMD_MC_TURN || done > reach)
			wrong |= 1 << CHECK_RESIDUE;
		reach = min(reach, in->len - min(left, in->len));
	} else if (left != in->len - done) {
		wrong |= 1 << CHECK_RESIDUE;
	}
	if (memcmp(in->dst, want, reach))
		wrong |= 1 << CHECK_DATA;
	/* What was said to be stored and is not is no store too many. */
	if (left <= in->len)
		done = max(done, in->len - left);
	if (!is(in->dst - before, red, before, gap))
		wrong |= 1 << CHECK_BEFORE;
	if (!is(in->dst + done, untouched + done, in->len - done, gap) ||
	    !is(in->dst + in->len, red, after, gap))
		wrong |= 1 << CHECK_AFTER;

	if (shim_stac != user || shim_clac != user || trap.closed)
		wrong |= 1 << CHECK_ACCESS;
	if (in->step && !trap.fenced)
		wrong |= 1 << CHECK_FENCE;
	if (simd_odd_traps - odd_traps != (trap.filled && in->claim != X86_TRAP_PF && !ends))
		wrong |= 1 << CHECK_TRAPS;

out:
	if (trap.filled)
		protect(trap.hole, PAGE_SIZE, PROT_NONE);
	return wrong;
}

/* Where an extent is put: away from the ends, right at the first, at the last. */
enum place { MIDDLE, FIRST, LAST, NR_PLACES };

/* @off is a misalignment that the row allows; it only matters in the middle. */
static u8 *place(u8 *arena, enum place where, unsigned int off, unsigned long len)
{
	switch (where) {
	case FIRST:
		return arena;
	case LAST:
		return arena + ARENA - len;
	default:
		return arena + PAGE_SIZE + off;
	}
}

/**
 * struct verdict - what is known of a row
 * @r:		the row
 * @sweep:	how to go through its inputs
 * @wrong:	a mask of the checks that it failed
 */
struct verdict {
	const struct simd_routine	*r;
	const struct sweep		*sweep;
	unsigned int			wrong;
};

/* Return: whether to go on. */
static bool try(struct verdict *v, const struct input *in)
{
	unsigned int wrong;

	if ((unsigned long)in->dst % v->r->dst_align || (unsigned long)in->src % v->r->src_align)
		return true;
	wrong = check_case(v->r, in);
	v->wrong |= wrong;
	if (!wrong || !v->sweep->verbose)
		return true;
	explain(v->r, in, wrong);
	return false;
}

/*
 * Every alignment and size at which routines tend to change their ways. The
 * misalignment of source and destination to each other takes all values that
 * the row allows.
 */
static bool check_edges(struct verdict *v)
{
	static const unsigned int granules[] = {
		1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129
	};
	const unsigned int sizes[] = {
		PAGE_SIZE / 2, PAGE_SIZE, 2 * PAGE_SIZE, 3 * PAGE_SIZE, 5 * PAGE_SIZE,
		8 * PAGE_SIZE, simd_all_pages(v->r) * PAGE_SIZE
	};
	const unsigned int granule = v->r->granule;
	unsigned long lens[ARRAY_SIZE(granules) + 3 * ARRAY_SIZE(sizes)];
	struct input in = { .arena = dst_arena };
	unsigned int i, nr_lens = 0, rel;
	int where;

	for (i = 0; i < ARRAY_SIZE(granules); i++)
		lens[nr_lens++] = granules[i] * granule;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		unsigned long len = sizes[i] / granule * granule;

		lens[nr_lens++] = len - granule;
		lens[nr_lens++] = len;
		lens[nr_lens++] = len + granule;
	}

	for (i = 0; i < nr_lens; i++) {
		in.len = lens[i];
		if (in.len > MAX_LEN)
			continue;
		for (rel = 0; rel < 64; rel++) {
			unsigned int off = rel * 7 % 64 / v->r->dst_align * v->r->dst_align;

			in.dst = place(dst_arena, MIDDLE, off, in.len);
			in.src = place(src_arena, MIDDLE, off + rel, in.len);
			if (!try(v, &in))
				return false;
		}
		for (where = 0; where < NR_PLACES * NR_PLACES; where++) {
			in.dst = place(dst_arena, where % NR_PLACES, 0, in.len);
			in.src = place(src_arena, where / NR_PLACES, 0, in.len);
			if (!try(v, &in))
				return false;
		}
	}
	return true;
}

/* Mostly small, sometimes pages: a row spends its surprises early. */
static unsigned long random_len(const struct simd_routine *r)
{
	static const unsigned int limits[] = { 256, 256, 256, 1024, 1024, PAGE_SIZE };
	unsigned long limit = limits[rnd(ARRAY_SIZE(limits))];

	if (!rnd(64))
		limit = MAX_LEN;
	return r->granule * (1 + rnd(limit / r->granule));
}

static bool check_random(struct verdict *v)
{
	struct input in = { .arena = dst_arena };
	unsigned long i;

	rnd_state = v->sweep->seed;
	for (i = 0; i < v->sweep->cases; i++) {
		in.len = random_len(v->r);
		in.dst = place(dst_arena, rnd(NR_PLACES),
			       rnd(64) / v->r->dst_align * v->r->dst_align, in.len);
		in.src = place(src_arena, rnd(NR_PLACES),
			       rnd(64) / v->r->src_align * v->r->src_align, in.len);
		if (!try(v, &in)) {
			printf("#   random case %lu of seed %llu\n", i,
			       (unsigned long long)v->sweep->seed);
			return false;
		}
	}
	return true;
}

/* --- Faults --- */

/* Every size up to this one, and every byte of it. */
#define ALL_SIZES	320

/* Of larger extents, every byte this close to an end, and one in so many. */
#define NEAR_END	96
#define ONE_IN		67

static bool worth_a_fault(unsigned long len, unsigned long at)
{
	return len <= ALL_SIZES || at <= NEAR_END || len - at <= NEAR_END || at % ONE_IN == 0;
}

/*
 * An extent of @len bytes that runs into the hole at byte @at; if @at is @len,
 * it ends there. The source ends where nothing can be read: with all sizes and
 * all @at, source and destination take all alignments to each other.
 */
static struct input input_at(unsigned long len, unsigned long at)
{
	return (struct input){
		.arena = hole_arena,
		.dst = hole - at,
		.src = place(src_arena, LAST, 0, len),
		.len = len,
	};
}

/* As input_at(), but it is the source that ends at byte @at. */
static struct input source_at(unsigned long len, unsigned long at)
{
	return (struct input){
		.arena = dst_arena,
		.dst = place(dst_arena, LAST, 0, len),
		.src = src_end - at,
		.len = len,
	};
}

/* Sizes around which routines change their ways, beyond those in ALL_SIZES. */
static const unsigned int fault_sizes[] = {
	512, 576, 640, 1024, PAGE_SIZE, PAGE_SIZE + 256, 3 * PAGE_SIZE
};

/* A store of a copy within the kernel does not fault. */
static bool stores_fault(const struct verdict *v)
{
	return v->r->kind == SIMD_KIND_to_user;
}

static bool check_fault_size(struct verdict *v, unsigned long len, unsigned long *nr)
{
	unsigned long every = max(ALL_CASES / max(v->sweep->cases, 1ul), 1ul), at;

	for (at = 0; at <= len; at++) {
		struct input in = input_at(len, at);

		if (!worth_a_fault(len, at) || (*nr)++ % every)
			continue;
		if (stores_fault(v) && !try(v, &in))
			return false;
		/* What is loaded beyond the extent has to be in that page as well. */
		in = source_at(len, at);
		if (len - at < PAGE_SIZE && !try(v, &in))
			return false;
	}
	return true;
}

static bool check_faults(struct verdict *v)
{
	unsigned long nr = 0, len;
	unsigned int i;
	int off;

	for (len = 0; len <= ALL_SIZES; len++)
		if (!check_fault_size(v, len, &nr))
			return false;
	for (i = 0; i < ARRAY_SIZE(fault_sizes); i++)
		for (off = -1; off <= 1; off++)
			if (!check_fault_size(v, fault_sizes[i] + off, &nr))
				return false;
	return true;
}

/*
 * Page faults whose page is there by the time the routine goes on, and traps
 * that are no page faults at all. After a machine check the source is there as well, and
 * must not be looked at.
 */
static bool check_traps(struct verdict *v)
{
	static const unsigned int lens[] = { 1, 7, 64, 65, 200, 319, 513, 700, 1100 };
	static const unsigned int claims[] = { X86_TRAP_PF, X86_TRAP_MF, X86_TRAP_MC };
	const unsigned int nr_claims = ARRAY_SIZE(claims) - (v->r->kind != SIMD_KIND_copy_mc);
	unsigned int i, at, c;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		for (at = 0; at < lens[i]; at += 1 + lens[i] / 19) {
			for (c = 0; c < nr_claims; c++) {
				struct input in = input_at(lens[i], at);

				in.claim = claims[c];
				if (stores_fault(v) && !try(v, &in))
					return false;
				in = source_at(lens[i], at);
				in.claim = claims[c];
				if (!try(v, &in))
					return false;
			}
		}
	}
	return true;
}

/* Is there an SFENCE between the last store and the return, on each way out? */
static bool check_fences(struct verdict *v)
{
	static const unsigned int lens[] = { 0, 7, 65, 170, 319, 530 };
	unsigned int i, at;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		for (at = 0; at <= 2 * lens[i]; at = 2 * at + 1) {
			struct input in = input_at(lens[i], min(at, lens[i]));

			in.step = true;
			if (stores_fault(v) && !try(v, &in))
				return false;
			in = source_at(lens[i], min(at, lens[i]));
			in.step = true;
			if (!try(v, &in))
				return false;
			in.claim = X86_TRAP_MC;
			if (v->r->kind == SIMD_KIND_copy_mc && at < lens[i] && !try(v, &in))
				return false;
		}
	}
	return true;
}

/*
 * A page that is stored to in turn with the first one, and cannot be, ends a call before
 * the first page is complete. One that comes later does not.
 */
static void check_turns(struct verdict *v)
{
	const unsigned long len = TURN_PAGES * PAGE_SIZE;
	unsigned int page, in_turn = 0;

	for (page = 1; page < TURN_PAGES; page++) {
		struct input in = {
			.arena	= hole_arena,
			.dst	= hole - page * PAGE_SIZE,
			.src	= src_arena,
			.len	= len,
		};

		reference(v->r, &in);
		memcpy(in.dst, untouched, PAGE_SIZE);
		set_call(v->r, &in);
		trap.hole = NULL;
		trap.claim = 0;
		trap.step = false;
		if (!trap_call() && trap.addr >= hole && trap.addr < hole + PAGE_SIZE &&
		    memcmp(in.dst, want, PAGE_SIZE))
			in_turn = page + 1;
	}
	if (in_turn == v->r->pages)
		return;
	v->wrong |= 1 << CHECK_TURNS;
	if (v->sweep->verbose)
		printf("# %s/%s: goes through %u pages in turn, its row says %u\n",
		       simd_kind_names[v->r->kind], v->r->name, in_turn, v->r->pages);
}

/* A mask of all checks that @r fails; with @verbose, of those in one case. */
unsigned int check_row(const struct simd_routine *r, const struct sweep *sweep)
{
	struct verdict v = { r, sweep, 0 };

	alarm(TIMEOUT);
	state_prepare(r->guard);
	if (check_edges(&v) && check_random(&v) && simd_may_fault(r->kind) &&
	    check_faults(&v) && check_traps(&v) && r->flags & SIMD_STREAMING)
		check_fences(&v);
	/* Who copies to user space stops at a fault, and says so. */
	if (!v.wrong && r->kind != SIMD_KIND_to_user)
		check_turns(&v);
	alarm(0);
	return v.wrong;
}
