// SPDX-License-Identifier: GPL-2.0
/*
 * Memory: every row against a byte-wise reference, between red zones and
 * between pages that cannot be touched.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <asm/page.h>

#include "checked_call.h"
#include "harness.h"

const char *const check_names[NR_CHECKS] = {
	[CHECK_DATA]	= "data",
	[CHECK_BEFORE]	= "bytes before the destination",
	[CHECK_AFTER]	= "bytes after the destination",
	[CHECK_SOURCE]	= "bytes around the source, or a store to it",
	[CHECK_SAVED]	= "callee-saved registers",
	[CHECK_STACK]	= "the caller's stack",
	[CHECK_FLAGS]	= "flags DF and AC",
	[CHECK_X87]	= "x87 state",
	[CHECK_TAGS]	= "x87 tags (emms)",
	[CHECK_MXCSR]	= "MXCSR",
	[CHECK_VECTOR]	= "vector registers and opmasks",
	[CHECK_UPPER]	= "upper halves (vzeroupper)",
	[CHECK_CRASH]	= "survival",
};

#define ARENA_PAGES	8
#define ARENA		(ARENA_PAGES * PAGE_SIZE)
#define MAX_LEN		(5 * PAGE_SIZE)
#define RED		256ul
#define RED_BYTE	0xa5

/* A row that has not come back by then never will. */
#define TIMEOUT		120

static u8 *dst_arena, *src_arena;
static u8 want[MAX_LEN];
static u8 red[RED];

static sigjmp_buf crashed;
static volatile sig_atomic_t crash_signal;
static u8 *volatile crash_addr;

static u64 rnd_state;

/* xorshift64* (Marsaglia 2003, Vigna 2016) */
static u32 rnd(u32 below)
{
	rnd_state ^= rnd_state >> 12;
	rnd_state ^= rnd_state << 25;
	rnd_state ^= rnd_state >> 27;
	return (u32)(rnd_state * 0x2545f4914f6cdd1dull >> 32) % below;
}

static void on_signal(int sig, siginfo_t *info, void *ctx)
{
	crash_signal = sig;
	crash_addr = info->si_addr;
	siglongjmp(crashed, 1);
}

static u8 *map_arena(void)
{
	u8 *p = mmap(NULL, ARENA + 2 * PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + PAGE_SIZE, ARENA, PROT_READ | PROT_WRITE)) {
		perror("harness: mmap");
		exit(1);
	}
	return p + PAGE_SIZE;
}

void check_init(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGALRM };
	static u8 stack[64 * 1024];
	const stack_t altstack = { .ss_sp = stack, .ss_size = sizeof(stack) };
	const struct sigaction sa = {
		.sa_sigaction = on_signal,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};
	unsigned int i;

	/* A routine may have lost the stack pointer. */
	sigaltstack(&altstack, NULL);
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &sa, NULL);

	dst_arena = map_arena();
	src_arena = map_arena();
	memset(red, RED_BYTE, RED);
	rnd_state = 1;
	for (i = 0; i < ARENA; i++)
		src_arena[i] = rnd(256);
	/* Whoever writes to the source is to be caught in the act. */
	if (mprotect(src_arena, ARENA, PROT_READ)) {
		perror("harness: mprotect");
		exit(1);
	}
}

static bool guarded_call(void)
{
	if (sigsetjmp(crashed, 0)) {
		checked_clean();
		return false;
	}
	checked_call();
	return true;
}

static bool within(const u8 *arena, const u8 *p)
{
	return p >= arena - PAGE_SIZE && p < arena + ARENA + PAGE_SIZE;
}

static enum check blame(const u8 *dst)
{
	if (crash_signal == SIGSEGV && within(dst_arena, crash_addr))
		return crash_addr < dst ? CHECK_BEFORE : CHECK_AFTER;
	if (crash_signal == SIGSEGV && within(src_arena, crash_addr))
		return CHECK_SOURCE;
	return CHECK_CRASH;
}

static void explain(const struct simd_routine *r, const u8 *dst, const u8 *src,
		    unsigned long len, unsigned int wrong)
{
	unsigned long i;
	int check;

	printf("# %s/%s: len %lu, dst %% 64 = %lu", simd_kind_names[r->kind], r->name, len,
	       (unsigned long)dst % 64);
	if (r->kind != SIMD_KIND_clear)
		printf(", src %% 64 = %lu", (unsigned long)src % 64);
	printf("\n");
	for (check = 0; check < NR_CHECKS; check++)
		if (wrong >> check & 1)
			printf("#   wrong: %s\n", check_names[check]);
	if (crash_signal == SIGALRM) {
		printf("#   not back after %u s\n", TIMEOUT);
		return;
	}
	if (crash_signal) {
		printf("#   signal %d at %p, destination %p, source %p\n", (int)crash_signal,
		       (void *)crash_addr, dst, src);
		return;
	}
	for (i = 0; i < len; i++) {
		if (dst[i] != want[i]) {
			printf("#   byte %lu is %02x, should be %02x\n", i, dst[i], want[i]);
			return;
		}
	}
}

/* The reference, a byte at a time; no byte of the destination starts right. */
static void reference(const struct simd_routine *r, u8 *dst, const u8 *src, unsigned long len)
{
	unsigned long i;

	for (i = 0; i < len; i++) {
		want[i] = r->kind == SIMD_KIND_clear ? 0 : src[i];
		dst[i] = ~want[i];
	}
}

static unsigned int check_case(const struct simd_routine *r, u8 *dst, const u8 *src,
			       unsigned long len)
{
	u8 *from = dst - min((unsigned long)(dst - dst_arena), RED);
	u8 *to = dst + len + min((unsigned long)(dst_arena + ARENA - dst - len), RED);
	struct checked_call *cc = &checked_frame;
	unsigned int wrong;

	reference(r, dst, src, len);
	memset(from, RED_BYTE, dst - from);
	memset(dst + len, RED_BYTE, to - dst - len);

	switch (r->kind) {
	case SIMD_KIND_clear:
		cc->fn = (void *)r->fn.clear;
		cc->arg[0] = (unsigned long)dst;
		cc->arg[1] = len;
		cc->arg[2] = ~0ul;
		break;
	case SIMD_KIND_copy:
		cc->fn = (void *)r->fn.copy;
		cc->arg[0] = (unsigned long)dst;
		cc->arg[1] = (unsigned long)src;
		cc->arg[2] = len;
		break;
	case SIMD_NR_KINDS:
		break;
	}

	crash_signal = 0;
	if (!guarded_call())
		return 1 << blame(dst);

	wrong = state_compare(r->guard);
	if (memcmp(dst, want, len))
		wrong |= 1 << CHECK_DATA;
	if (memcmp(from, red, dst - from))
		wrong |= 1 << CHECK_BEFORE;
	if (memcmp(dst + len, red, to - dst - len))
		wrong |= 1 << CHECK_AFTER;
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

/*
 * Every alignment and size at which routines tend to change their ways. The
 * misalignment of source and destination to each other takes all values that
 * the row allows.
 */
static unsigned int check_edges(const struct simd_routine *r, const struct sweep *sweep)
{
	static const unsigned int granules[] = {
		1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129
	};
	static const unsigned int sizes[] = {
		PAGE_SIZE / 2, PAGE_SIZE, 2 * PAGE_SIZE, 3 * PAGE_SIZE, 5 * PAGE_SIZE
	};
	unsigned long lens[ARRAY_SIZE(granules) + 3 * ARRAY_SIZE(sizes)];
	unsigned int i, nr_lens = 0, rel, wrong, all_wrong = 0;
	unsigned long len;
	int where;
	u8 *dst, *src;

	for (i = 0; i < ARRAY_SIZE(granules); i++)
		lens[nr_lens++] = granules[i] * r->granule;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		len = sizes[i] / r->granule * r->granule;
		lens[nr_lens++] = len - r->granule;
		lens[nr_lens++] = len;
		lens[nr_lens++] = len + r->granule;
	}

	for (i = 0; i < nr_lens; i++) {
		len = lens[i];
		if (len > MAX_LEN)
			continue;
		for (rel = 0; rel < 64; rel++) {
			unsigned int dst_off = rel * 7 % 64 / r->dst_align * r->dst_align;

			if ((dst_off + rel) % r->src_align)
				continue;
			dst = place(dst_arena, MIDDLE, dst_off, len);
			src = place(src_arena, MIDDLE, dst_off + rel, len);
			wrong = check_case(r, dst, src, len);
			if (wrong && sweep->verbose) {
				explain(r, dst, src, len, wrong);
				return wrong;
			}
			all_wrong |= wrong;
		}
		for (where = 0; where < NR_PLACES * NR_PLACES; where++) {
			dst = place(dst_arena, where % NR_PLACES, 0, len);
			src = place(src_arena, where / NR_PLACES, 0, len);
			if ((unsigned long)dst % r->dst_align || (unsigned long)src % r->src_align)
				continue;
			wrong = check_case(r, dst, src, len);
			if (wrong && sweep->verbose) {
				explain(r, dst, src, len, wrong);
				return wrong;
			}
			all_wrong |= wrong;
		}
	}
	return all_wrong;
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

static unsigned int check_random(const struct simd_routine *r, const struct sweep *sweep)
{
	unsigned int wrong, all_wrong = 0;
	unsigned long i, len;
	u8 *dst, *src;

	rnd_state = sweep->seed;
	for (i = 0; i < sweep->cases; i++) {
		len = random_len(r);
		dst = place(dst_arena, rnd(NR_PLACES), rnd(64) / r->dst_align * r->dst_align, len);
		src = place(src_arena, rnd(NR_PLACES), rnd(64) / r->src_align * r->src_align, len);
		if ((unsigned long)dst % r->dst_align || (unsigned long)src % r->src_align)
			continue;
		wrong = check_case(r, dst, src, len);
		if (wrong && sweep->verbose) {
			explain(r, dst, src, len, wrong);
			printf("#   random case %lu of seed %llu\n", i,
			       (unsigned long long)sweep->seed);
			return wrong;
		}
		all_wrong |= wrong;
	}
	return all_wrong;
}

/* A mask of all checks that @r fails; with @verbose, of those in one case. */
unsigned int check_row(const struct simd_routine *r, const struct sweep *sweep)
{
	unsigned int wrong;

	alarm(TIMEOUT);
	state_prepare(r->guard);
	wrong = check_edges(r, sweep);
	if (!wrong || !sweep->verbose)
		wrong |= check_random(r, sweep);
	alarm(0);
	return wrong;
}
