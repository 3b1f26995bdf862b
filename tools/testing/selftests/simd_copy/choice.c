// SPDX-License-Identifier: GPL-2.0
/*
 * The choice on machines that are not here: select.c is fed with costs, some
 * made up, some after published figures, and has to choose right. No clock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/page.h>

#include "simd_copy.h"

/* ns per call, by size; 0 is not measured. */
struct costs {
	const char	*row;
	u32		cached[SIMD_NR_SIZES];
	u32		stream[SIMD_NR_SIZES];
	u32		stream_use[SIMD_NR_SIZES];
	u32		misaligned[SIMD_NR_SIZES];
	bool		barred;
	bool		veto;
};

struct machine {
	const char		*name;
	enum simd_kind		kind;
	unsigned int		features[3];
	struct costs		costs[6];
	const char		*cached;
	const char		*stream;
	const char		*misaligned;
	unsigned long		cache;
	unsigned long		threshold;
};

#define CACHE		(32ul << 20)
#define NEVER		ULONG_MAX

/* 0 is X86_FEATURE_FPU, which no row asks for as stock. */
static const struct machine machines[] = {
	{
		.name = "Skylake: non-temporal stores are slower than rep stosb",
		.kind = SIMD_KIND_clear,
		.features = { X86_FEATURE_ERMS, X86_FEATURE_REP_GOOD },
		.costs = {
			{ "rep_stosb", { 80, 1500, 90000 }, { 400, 6000, 190000 },
			  { 450, 7000, 260000 } },
			{ "movnti", { 900, 14000, 400000 }, { 420, 7000, 230000 },
			  { 800, 12000, 400000 } },
			{ "sse_nt", { 900, 14000, 400000 }, { 430, 7100, 231000 },
			  { 800, 12000, 400000 } },
		},
		.cached = "rep_stosb", .stream = "rep_stosb", .threshold = NEVER,
	}, {
		.name = "Ice Lake: movnti is twice as fast on cold memory",
		.kind = SIMD_KIND_clear,
		.features = { X86_FEATURE_ERMS, X86_FEATURE_REP_GOOD },
		.costs = {
			{ "rep_stosb", { 80, 1500, 90000 }, { 440, 5600, 170000 },
			  { 480, 6000, 250000 } },
			{ "movnti", { 900, 14000, 400000 }, { 170, 2700, 86000 },
			  { 560, 7000, 220000 } },
		},
		.cached = "rep_stosb", .stream = "movnti",
		.cache = 1ul << 20, .threshold = 512 * PAGE_SIZE,
	}, {
		.name = "Zen: clzero, and its use costs more than its return says",
		.kind = SIMD_KIND_clear,
		.features = { X86_FEATURE_ERMS, X86_FEATURE_REP_GOOD },
		.costs = {
			{ "rep_stosb", { 70, 1300, 80000 }, { 300, 4700, 160000 },
			  { 320, 5000, 170000 } },
			{ "movnti", { 900, 14000, 400000 }, { 220, 3500, 112000 },
			  { 600, 9000, 300000 } },
			{ "clzero", { 600, 10000, 300000 }, { 90, 1400, 50000 },
			  { 450, 7000, 230000 } },
		},
		.cached = "rep_stosb", .stream = "clzero", .cache = CACHE, .threshold = CACHE,
	}, {
		.name = "Zen 3: rep movsb is twenty times slower when misaligned",
		.kind = SIMD_KIND_to_user,
		.features = { X86_FEATURE_ERMS, X86_FEATURE_REP_GOOD },
		.costs = {
			{ "rep_movsb", { 20, 60, 1000 }, { 100, 300, 5000 }, { 110, 320, 5300 },
			  { 130, 920, 14000 } },
			{ "mov", { 18, 130, 2200 }, { 110, 330, 5500 }, { 120, 350, 5900 },
			  { 19, 150, 2400 } },
			{ "sse", { 60, 110, 1900 }, { 140, 320, 5300 }, { 150, 340, 5500 },
			  { 61, 120, 2000 } },
		},
		.cached = "rep_movsb", .stream = "rep_movsb", .misaligned = "mov",
		.threshold = NEVER,
	}, {
		.name = "Pentium III: no string instruction is good, movntps streams",
		.kind = SIMD_KIND_copy,
		.costs = {
			{ "mov", { 5000, 90000, 0 },
			  { 9000, 150000, 0 }, { 9500, 160000, 0 } },
			{ "mmx", { 3300, 56000, 0 }, { 8800, 148000, 0 }, { 9400, 158000, 0 } },
			{ "sse_nt", { 9000, 150000, 0 }, { 4400, 71000, 0 }, { 8800, 141000, 0 } },
		},
		.cached = "mmx", .stream = "sse_nt", .cache = 256ul << 10, .threshold = 256ul << 10,
	}, {
		.name = "4 % is no reason to change",
		.kind = SIMD_KIND_copy,
		.features = { X86_FEATURE_REP_GOOD },
		.costs = {
			{ "rep_movsq", { 100, 1600, 50000 },
			  { 400, 6400, 200000 }, { 500, 8000, 250000 } },
			{ "rep_movsb", { 96, 1536, 48000 }, { 384, 6144, 192000 },
			  { 480, 7680, 240000 } },
		},
		.cached = "rep_movsq",
		.stream = "rep_movsq", .threshold = NEVER,
	}, {
		.name = "of rows that tie, one that needs no section",
		.kind = SIMD_KIND_clear,
		.features = { X86_FEATURE_ERMS },
		.costs = {
			{ "rep_stosb", { 100, 1600, 50000 }, { 400, 6400, 200000 },
			  { 500, 8000, 250000 } },
			{ "movnti", { 900, 14000, 400000 }, { 200, 3200, 100000 },
			  { 600, 9000, 260000 } },
			{ "sse_nt", { 900, 14000, 400000 }, { 198, 3170, 99000 },
			  { 600, 9000, 260000 } },
		},
		.cached = "rep_stosb", .stream = "movnti", .cache = CACHE, .threshold = CACHE,
	}, {
		.name = "twice as fast is not enough where it is slower elsewhere",
		.kind = SIMD_KIND_clear,
		.features = { X86_FEATURE_ERMS },
		.costs = {
			{ "rep_stosb", { 100, 1600, 50000 }, { 400, 6400, 200000 },
			  { 500, 8000, 250000 } },
			{ "mov", { 50, 800, 55000 }, { 200, 3200, 210000 }, { 250, 4000, 260000 } },
		},
		.cached = "rep_stosb", .stream = "rep_stosb", .threshold = NEVER,
	}, {
		.name = "what was not measured where stock was may be slower there",
		.kind = SIMD_KIND_clear,
		.features = { X86_FEATURE_ERMS },
		.costs = {
			{ "rep_stosb", { 100, 1600, 50000 }, { 400, 6400, 200000 },
			  { 500, 8000, 250000 } },
			{ "mov", { 50, 800, 0 }, { 200, 3200, 0 }, { 250, 4000, 0 } },
		},
		.cached = "rep_stosb", .stream = "rep_stosb", .threshold = NEVER,
	}, {
		.name = "a row that is barred or vetoed wins nothing",
		.kind = SIMD_KIND_clear,
		.features = { X86_FEATURE_ERMS },
		.costs = {
			{ "rep_stosb", { 100, 1600, 50000 }, { 400, 6400, 200000 },
			  { 500, 8000, 250000 } },
			{ "mov", { 10, 160, 5000 }, { 40, 640, 20000 }, { 50, 800, 25000 },
			  .barred = true },
			{ "sse", { 20, 320, 10000 }, { 80, 1280, 40000 }, { 100, 1600, 50000 },
			  .veto = true },
			{ "sse_nt", { 80, 1280, 40000 }, { 80, 1280, 40000 }, { 90, 1400, 45000 } },
		},
		.cached = "sse_nt", .stream = "sse_nt", .threshold = NEVER,
	}, {
		.name = "without the size of the caches there is no telling what is large",
		.kind = SIMD_KIND_clear,
		.features = { X86_FEATURE_ERMS },
		.costs = {
			{ "rep_stosb", { 80, 1500, 90000 }, { 440, 5600, 170000 },
			  { 480, 6000, 250000 } },
			{ "movnti", { 900, 14000, 400000 }, { 170, 2700, 86000 },
			  { 460, 5000, 220000 } },
		},
		.cached = "rep_stosb", .stream = "movnti", .threshold = NEVER,
	}, {
		.name = "nothing was measured",
		.kind = SIMD_KIND_clear,
		.features = { X86_FEATURE_ERMS },
		.costs = { { "rep_stosb" }, { "mov" } },
		.cached = "rep_stosb", .stream = "rep_stosb", .threshold = NEVER,
	},
};

static const struct machine *machine;

bool boot_cpu_has(unsigned int bit)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(machine->features); i++)
		if (machine->features[i] && machine->features[i] == bit)
			return true;
	return false;
}

int cpu_has_xfeatures(u64 xfeatures, const char **missing)
{
	return 0;
}

static bool is(enum simd_regime regime, const struct simd_choice *c, const char *want)
{
	const char *got = simd_routines[c->row[regime]].name;

	if (!want || !strcmp(got, want))
		return true;
	printf("# %s: chose %s (%s), should be %s\n", simd_regime_names[regime], got,
	       c->why[regime], want);
	return false;
}

static bool chooses_right(const struct machine *m)
{
	static struct simd_result results[SIMD_NR_ROUTINES];
	struct simd_choice choice;
	const struct costs *c;
	unsigned int row, i;
	bool right;

	machine = m;
	simd_detect(results);
	simd_for_each_row(row)
		results[row].missing = "a place in this machine";

	for (c = m->costs; c < m->costs + ARRAY_SIZE(m->costs) && c->row; c++) {
		int found = simd_find_row(m->kind, c->row);
		struct simd_result *res = &results[found];

		if (found < 0) {
			printf("# there is no row %s\n", c->row);
			return false;
		}
		res->missing = NULL;
		res->barred = c->barred;
		res->veto = c->veto ? "something" : NULL;
		for (i = 0; i < SIMD_NR_SIZES; i++) {
			res->cost[SIMD_CACHED][i].ret = c->cached[i];
			res->cost[SIMD_CACHED][i].use = c->cached[i];
			res->cost[SIMD_STREAM][i].ret = c->stream[i];
			res->cost[SIMD_STREAM][i].use = c->stream_use[i];
			res->cost[SIMD_MISALIGNED][i].ret = c->misaligned[i];
			res->cost[SIMD_MISALIGNED][i].use = c->misaligned[i];
		}
	}

	simd_select(m->kind, results, m->cache, &choice);
	right = is(SIMD_CACHED, &choice, m->cached);
	right &= is(SIMD_STREAM, &choice, m->stream);
	right &= is(SIMD_MISALIGNED, &choice, m->misaligned);
	if (choice.threshold != m->threshold) {
		printf("# streams from %lu, should be %lu\n", choice.threshold, m->threshold);
		right = false;
	}
	return right;
}

int main(void)
{
	unsigned int i;
	int status = 0;

	printf("KTAP version 1\n1..%zu\n", ARRAY_SIZE(machines));
	for (i = 0; i < ARRAY_SIZE(machines); i++) {
		bool right = chooses_right(&machines[i]);

		printf("%sok %u %s\n", right ? "" : "not ", i + 1, machines[i].name);
		status |= !right;
	}
	return status;
}
