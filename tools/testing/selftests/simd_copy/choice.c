// SPDX-License-Identifier: GPL-2.0
/*
 * The choice on machines that are not here: select.c is fed with costs, some
 * made up, some after published figures, and has to choose right. No clock.
 * choice_mutants.sh shows that each rule is tested.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/page.h>

#include "simd_copy.h"
#include "stdout.h"

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

/*
 * What is to be chosen: "A/B" is A for the smaller sizes and then B. NULL where it
 * does not matter. @free is for where there are no registers to save, as the
 * others if NULL. @from is where B starts in @cold, if it matters. The choice
 * holds if costs are off by some percent, unless @close.
 */
struct machine {
	const char		*name;
	enum simd_kind		kind;
	unsigned int		features[3];
	struct costs		costs[6];
	const char		*cached;
	const char		*stream;
	const char		*cold;
	const char		*misaligned;
	const char		*free;
	u32			save;
	unsigned long		from;
	unsigned long		cache;
	unsigned long		threshold;
	bool			close;
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
			{ "movnti", { 900, 14000, 400000 }, { 460, 7000, 230000 },
			  { 800, 12000, 400000 } },
			{ "sse_nt", { 900, 14000, 400000 }, { 470, 7100, 231000 },
			  { 800, 12000, 400000 } },
		},
		.cached = "rep_stosb", .stream = "rep_stosb", .cold = "rep_stosb",
		.cache = CACHE, .threshold = NEVER,
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
		.cached = "rep_stosb", .stream = "movnti", .cold = "rep_stosb/movnti",
		.cache = 1ul << 20, .threshold = 512 * PAGE_SIZE,
	}, {
		.name = "Sapphire Rapids: as measured, sections in a task and without one",
		.kind = SIMD_KIND_clear,
		.features = { X86_FEATURE_ERMS, X86_FEATURE_REP_GOOD },
		.costs = {
			{ "rep_stosb", { 45, 2100, 78000 }, { 490, 8700, 172000 },
			  { 510, 10300, 208000 } },
			{ "movnti", { 690, 11500, 370000 }, { 300, 2650, 84000 },
			  { 570, 6400, 189000 } },
			{ "movdir64b", { 690, 11400, 340000 }, { 274, 3200, 114000 },
			  { 545, 6900, 235000 } },
			{ "avx2_nt", { 700, 12000, 360000 }, { 245, 3050, 102000 },
			  { 550, 6800, 210000 } },
		},
		.save = 67,
		.cached = "rep_stosb", .cold = "rep_stosb/movnti",
		.stream = "movdir64b/movnti", .free = "avx2_nt/movnti",
		.from = 2 * PAGE_SIZE, .cache = 260ul << 20, .threshold = 260ul << 20,
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
		.cached = "rep_stosb", .stream = "clzero", .cold = "rep_stosb",
		.cache = CACHE, .threshold = CACHE,
	}, {
		.name = "Zen 3: rep movsb is twenty times slower when misaligned",
		.kind = SIMD_KIND_to_user,
		.features = { X86_FEATURE_ERMS, X86_FEATURE_REP_GOOD },
		.costs = {
			{ "rep_movsb", { 20, 60, 1000 }, { 100, 300, 5000 }, { 110, 320, 5300 },
			  { 400, 1300, 20000 } },
			{ "mov", { 22, 130, 2200 }, { 110, 330, 5500 }, { 120, 350, 5900 },
			  { 30, 160, 2400 } },
			{ "sse", { 60, 110, 1900 }, { 140, 320, 5300 }, { 150, 340, 5500 },
			  { 61, 120, 2000 } },
		},
		.cached = "rep_movsb", .stream = "rep_movsb", .cold = "rep_movsb",
		.misaligned = "mov/sse", .cache = CACHE, .threshold = NEVER,
	}, {
		.name = "Pentium III: no string instruction is good, movntps streams",
		.kind = SIMD_KIND_copy,
		.costs = {
			{ "mov", { 5000, 90000, 0 },
			  { 9000, 150000, 0 }, { 9500, 160000, 0 } },
			{ "mmx", { 3300, 56000, 0 }, { 8800, 148000, 0 }, { 9400, 158000, 0 } },
			{ "sse_nt", { 9000, 150000, 0 }, { 4400, 71000, 0 }, { 8500, 136000, 0 } },
		},
		.save = 300,
		.cached = "mmx", .stream = "sse_nt", .cold = "sse_nt",
		.cache = 256ul << 10, .threshold = 256ul << 10, .close = true,
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
		.cached = "rep_movsq", .stream = "rep_movsq", .cold = "rep_movsq",
		.cache = CACHE, .threshold = NEVER, .close = true,
	}, {
		.name = "of rows that tie, one that needs no section, then the first",
		.kind = SIMD_KIND_clear,
		.features = { X86_FEATURE_ERMS },
		.costs = {
			{ "rep_stosb", { 100, 1600, 50000 }, { 400, 6400, 200000 },
			  { 500, 8000, 250000 } },
			{ "movdir64b", { 900, 14000, 400000 }, { 201, 3210, 100200 },
			  { 600, 9000, 260000 } },
			{ "movnti", { 900, 14000, 400000 }, { 202, 3220, 100300 },
			  { 600, 9000, 260000 } },
			{ "sse_nt", { 900, 14000, 400000 }, { 199, 3190, 99900 },
			  { 600, 9000, 260000 } },
		},
		.cached = "rep_stosb", .stream = "movnti", .cold = "rep_stosb",
		.cache = CACHE, .threshold = CACHE, .close = true,
	}, {
		.name = "what is best may be another row at another size",
		.kind = SIMD_KIND_clear,
		.features = { X86_FEATURE_ERMS },
		.costs = {
			{ "rep_stosb", { 100, 1600, 50000 }, { 400, 6400, 200000 },
			  { 500, 8000, 250000 } },
			{ "mov", { 50, 2000, 70000 }, { 200, 7400, 230000 },
			  { 600, 9000, 300000 } },
			{ "sse", { 80, 1200, 60000 }, { 300, 3200, 230000 },
			  { 600, 4000, 300000 } },
		},
		.cached = "mov/sse/rep_stosb", .stream = "mov/sse/rep_stosb",
		.cold = "rep_stosb/sse/rep_stosb", .from = 2 * PAGE_SIZE,
		.cache = CACHE, .threshold = NEVER,
	}, {
		.name = "what was not measured where stock was may be slower there",
		.kind = SIMD_KIND_clear,
		.features = { X86_FEATURE_ERMS },
		.costs = {
			{ "rep_stosb", { 100, 1600, 50000 }, { 400, 6400, 200000 },
			  { 500, 8000, 250000 } },
			{ "mov", { 50, 800, 0 }, { 200, 3200, 0 }, { 250, 4000, 0 } },
		},
		.cached = "mov/rep_stosb", .stream = "mov/rep_stosb", .cold = "mov/rep_stosb",
		.cache = CACHE, .threshold = NEVER,
	}, {
		.name = "where stock was not measured, as at the size below",
		.kind = SIMD_KIND_clear,
		.features = { X86_FEATURE_ERMS },
		.costs = {
			{ "rep_stosb", { 100, 1600, 0 }, { 400, 6400, 0 }, { 500, 8000, 0 } },
			{ "mov", { 50, 800, 25000 }, { 400, 6400, 0 }, { 250, 4000, 0 } },
			{ "sse", { 100, 400, 10000 }, { 400, 3200, 0 }, { 500, 2000, 0 } },
		},
		.cached = "mov/sse", .stream = "rep_stosb/sse", .cold = "mov/sse",
		.cache = CACHE, .threshold = NEVER,
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
		.cached = "sse_nt", .stream = "sse_nt", .cold = "sse_nt",
		.cache = CACHE, .threshold = NEVER,
	}, {
		.name = "registers of a task are worth more than a page, and less than 16",
		.kind = SIMD_KIND_clear,
		.features = { X86_FEATURE_ERMS },
		.costs = {
			{ "rep_stosb", { 100, 1600, 50000 }, { 400, 6400, 200000 },
			  { 500, 8000, 250000 } },
			{ "sse", { 70, 1120, 35000 }, { 370, 4800, 160000 },
			  { 420, 7000, 210000 } },
		},
		.save = 60,
		.cached = "rep_stosb/sse", .stream = "rep_stosb/sse", .cold = "rep_stosb/sse",
		.free = "sse", .cache = CACHE, .threshold = NEVER, .close = true,
	}, {
		.name = "without the size of the caches there is no telling what is large",
		.kind = SIMD_KIND_clear,
		.features = { X86_FEATURE_ERMS },
		.costs = {
			{ "rep_stosb", { 80, 1500, 90000 }, { 440, 5600, 170000 },
			  { 480, 6000, 250000 } },
			{ "movnti", { 900, 14000, 400000 }, { 170, 2700, 86000 },
			  { 560, 5000, 220000 } },
		},
		.cached = "rep_stosb", .stream = "movnti", .cold = "rep_stosb/movnti",
		.threshold = NEVER,
	}, {
		.name = "a small cache: streams from where the use costs no more",
		.kind = SIMD_KIND_clear,
		.features = { X86_FEATURE_ERMS },
		.costs = {
			{ "rep_stosb", { 80, 1500, 90000 }, { 440, 5600, 170000 },
			  { 480, 6000, 250000 } },
			{ "movnti", { 900, 14000, 400000 }, { 170, 2700, 86000 },
			  { 560, 5000, 220000 } },
		},
		.cached = "rep_stosb", .stream = "movnti", .cold = "rep_stosb/movnti",
		.cache = 32ul << 10, .threshold = 16 * PAGE_SIZE,
	}, {
		.name = "nothing was measured",
		.kind = SIMD_KIND_clear,
		.features = { X86_FEATURE_ERMS },
		.costs = { { "rep_stosb" }, { "mov" } },
		.cached = "rep_stosb", .stream = "rep_stosb", .cold = "rep_stosb",
		.cache = CACHE, .threshold = NEVER,
	},
};

static const struct machine *machine;
static struct simd_result results[SIMD_NR_ROUTINES];
static bool quiet;

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

/* --- Noise --------------------------------------------------------------- */

/* Of each sample, percent either way. */
#define NOISE		3

/* Samples of each row, and of those that are still within so many percent then. */
#define ROUNDS		3
#define MORE_ROUNDS	9
#define CONTENDING	20

static u32 seed;

static u32 noisy(u32 cost)
{
	seed = seed * 1664525 + 1013904223;
	return cost * (1000ull - 10 * NOISE + (seed >> 8) % (20 * NOISE + 1)) / 1000;
}

static int compare(const void *a, const void *b)
{
	return *(const u32 *)a < *(const u32 *)b ? -1 : 1;
}

/* The median of some samples; without rounds, or a cost, what it was. */
static u32 sampled(u32 cost, unsigned int rounds)
{
	u32 samples[MORE_ROUNDS];
	unsigned int i;

	if (!cost || !rounds)
		return cost;
	for (i = 0; i < rounds; i++)
		samples[i] = noisy(cost);
	qsort(samples, rounds, sizeof(*samples), compare);
	return samples[rounds / 2];
}

/* --- Machines ------------------------------------------------------------ */

static void measure_row(const struct costs *c, struct simd_result *res,
			enum simd_regime regime, unsigned int e, unsigned int rounds)
{
	const u32 *ret = regime == SIMD_STREAM ? c->stream :
			 regime == SIMD_CACHED ? c->cached : c->misaligned;
	const u32 *use = regime == SIMD_STREAM ? c->stream_use : ret;

	res->cost[regime][e].ret = sampled(ret[e], rounds);
	res->cost[regime][e].use = sampled(use[e], rounds);
}

/* Return: whether all rows are there. */
static bool set_up(const struct machine *m, unsigned int rounds)
{
	const struct costs *c;
	unsigned int row, regime, e;

	machine = m;
	simd_detect(results);
	simd_for_each_row(row)
		results[row].missing = "a place in this machine";

	for (c = m->costs; c < m->costs + ARRAY_SIZE(m->costs) && c->row; c++) {
		int found = simd_find_row(m->kind, c->row);

		if (found < 0) {
			printf("# there is no row %s\n", c->row);
			return false;
		}
		results[found].missing = NULL;
		results[found].barred = c->barred;
		results[found].veto = c->veto ? "something" : NULL;
		for (regime = 0; regime < SIMD_NR_REGIMES; regime++)
			for (e = 0; simd_measured(regime) == regime && e < SIMD_NR_SIZES; e++)
				measure_row(c, &results[found], regime, e, rounds);
	}
	return true;
}

static struct simd_machine facts(const struct machine *m)
{
	return (struct simd_machine) { .cache_bytes = m->cache, .save_ns = m->save };
}

static void all_rows(unsigned long *rows)
{
	unsigned int row;

	simd_for_each_row(row)
		__set_bit(row, rows);
}

/* Time those rows again that may still win. */
static void race_on(const struct machine *m)
{
	const struct simd_machine about = facts(m);
	DECLARE_BITMAP(rows, SIMD_NR_ROUTINES);
	const struct costs *c;
	unsigned int regime, e;

	for (e = 0; e < SIMD_NR_SIZES; e++) {
		for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
			if (simd_measured(regime) != regime)
				continue;
			all_rows(rows);
			simd_contenders(m->kind, regime, e, results, &about, CONTENDING, rows);
			for (c = m->costs; c < m->costs + ARRAY_SIZE(m->costs) && c->row; c++) {
				unsigned int row = simd_find_row(m->kind, c->row);

				if (test_bit(row, rows))
					measure_row(c, &results[row], regime, e, MORE_ROUNDS);
			}
		}
	}
}

/* "A/B" */
static const char *spell(const struct simd_plan *plan)
{
	static char text[128];
	unsigned int e, n = 0;

	for (e = 0; e < SIMD_NR_SIZES; e++)
		if (!e || plan->row[e] != plan->row[e - 1])
			n += snprintf(text + n, sizeof(text) - n, "%s%s", e ? "/" : "",
				      simd_routines[plan->row[e]].name);
	return text;
}

static bool is(const struct simd_choice *c, enum simd_context context,
	       enum simd_regime regime, const char *want)
{
	const struct simd_plan *plan = &c->plan[context][regime];

	if (!want || !strcmp(spell(plan), want))
		return true;
	if (!quiet)
		printf("# %s%s: chose %s (%s), should be %s\n", simd_regime_names[regime],
		       context == SIMD_FREE ? ", no registers to save" : "", spell(plan),
		       plan->why[0], want);
	return false;
}

static bool chosen_right(const struct machine *m)
{
	const struct simd_machine about = facts(m);
	struct simd_choice choice;
	bool right;

	simd_select(m->kind, results, &about, &choice);
	right = is(&choice, SIMD_OWNED, SIMD_CACHED, m->cached);
	right &= is(&choice, SIMD_OWNED, SIMD_STREAM, m->stream);
	right &= is(&choice, SIMD_OWNED, SIMD_COLD, m->cold);
	right &= is(&choice, SIMD_OWNED, SIMD_MISALIGNED, m->misaligned);
	right &= is(&choice, SIMD_FREE, SIMD_STREAM, m->free ?: m->stream);
	if (quiet)
		return right;

	if (choice.threshold != m->threshold) {
		printf("# streams from %lu, should be %lu\n", choice.threshold, m->threshold);
		right = false;
	}
	if (m->from && choice.plan[SIMD_OWNED][SIMD_COLD].from[1] != m->from) {
		printf("# cold: changes at %lu, should at %lu\n",
		       choice.plan[SIMD_OWNED][SIMD_COLD].from[1], m->from);
		right = false;
	}
	return right;
}

/* --- Tests --------------------------------------------------------------- */

static unsigned int nr_tests, nr_failed;

static void result(bool ok, const char *name)
{
	printf("%sok %u %s\n", ok ? "" : "not ", ++nr_tests, name);
	nr_failed += !ok;
}

#define SEEDS	1000

/* Return: seeds with which the choice is another one, on all machines but @close ones. */
static unsigned int changed_by_noise(unsigned int rounds, bool on)
{
	const struct machine *m;
	unsigned int i, changed = 0;

	quiet = true;
	for (m = machines; m < machines + ARRAY_SIZE(machines); m++) {
		for (i = 0; !m->close && i < SEEDS; i++) {
			seed = i;
			set_up(m, rounds);
			if (on)
				race_on(m);
			if (!chosen_right(m)) {
				if (on)
					printf("# seed %u: %s\n", i, m->name);
				changed++;
			}
		}
	}
	quiet = false;
	return changed;
}

/* Who may still win, of stock, mov and sse, with what streams cost to return and to use. */
static const struct race {
	const char	*name;
	u32		ret[3];
	u32		use[3];
	u32		save;
	unsigned int	percent;
	const char	*left;
} races[] = {
	{ "10 % from the best", { 1000, 500, 550 }, { 1000, 500, 550 }, 0, 10, "stock mov sse" },
	{ "more than 10 % from it", { 1000, 500, 551 }, { 1000, 500, 551 }, 0, 10, "stock mov" },
	{ "only the best", { 1000, 500, 501 }, { 1000, 500, 501 }, 0, 0, "stock mov" },
	{ "10 % from where stock would be beaten",
	  { 1000, 1045, 1046 }, { 1000, 1045, 1046 }, 0, 10, "stock mov" },
	{ "one returns early, the other is used early",
	  { 1000, 500, 900 }, { 1000, 900, 500 }, 0, 10, "stock mov sse" },
	{ "best only where registers are saved",
	  { 1000, 600, 500 }, { 1000, 600, 500 }, 200, 10, "stock mov sse" },
	{ "best only where none are",
	  { 1000, 500, 450 }, { 1000, 500, 450 }, 200, 5, "stock mov sse" },
	{ "one was not measured yet", { 1000, 500, 0 }, { 1000, 500, 0 }, 0, 10, "stock mov sse" },
	{ "stock was not measured yet", { 0, 500, 900 }, { 0, 500, 900 }, 0, 10, "stock mov" },
};

static bool leaves(const struct race *r)
{
	static const char *const names[] = { "rep_stosb", "mov", "sse" };
	const struct simd_machine about = { .save_ns = r->save };
	static const char *const spelt[] = { "stock", "mov", "sse" };
	struct machine m = { .features = { X86_FEATURE_ERMS } };
	DECLARE_BITMAP(rows, SIMD_NR_ROUTINES);
	char left[64] = "";
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		m.costs[i].row = names[i];
		m.costs[i].stream[1] = r->ret[i];
		m.costs[i].stream_use[1] = r->use[i];
	}
	set_up(&m, 0);
	all_rows(rows);
	simd_contenders(SIMD_KIND_clear, SIMD_STREAM, 1, results, &about, r->percent, rows);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!test_bit(simd_find_row(SIMD_KIND_clear, names[i]), rows))
			continue;
		if (left[0])
			strcat(left, " ");
		strcat(left, spelt[i]);
	}
	if (!strcmp(left, r->left))
		return true;
	printf("# left: '%s', should be: '%s'\n", left, r->left);
	return false;
}

/* Intel's CPUs of family 6 that pay for 512-bit registers with their clock, by model. */
static bool prefers_ymm(u32 ebx, u32 ecx, unsigned int family, unsigned int model)
{
	u32 signature = (model & 0xf0) << 12 | (model & 15) << 4 | 7;

	signature |= family < 15 ? family << 8 : 15 << 8 | (family - 15) << 20;
	return simd_signature_prefers_ymm(ebx, ecx, signature);
}

#define INTEL	0x756e6547, 0x6c65746e
#define AMD	0x68747541, 0x444d4163

static bool vetoed_models(void)
{
	static const u8 listed[] = { 0x55, 0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0x9d };
	unsigned int model, i;
	bool right = true;

	for (model = 0; model < 256; model++) {
		bool want = false;

		for (i = 0; i < sizeof(listed); i++)
			want |= listed[i] == model;
		if (prefers_ymm(INTEL, 6, model) != want) {
			printf("# family 6, model %02x of Intel: should be %d\n", model, want);
			right = false;
		}
		/* The same numbers: Zen 4 and Zen 5, and a family of Intel to come. */
		if (prefers_ymm(AMD, 6, model) || prefers_ymm(AMD, 25, model) ||
		    prefers_ymm(AMD, 26, model) || prefers_ymm(INTEL, 19, model)) {
			printf("# model %02x of another family or vendor\n", model);
			right = false;
		}
	}
	return right;
}

int main(void)
{
	unsigned int i, changed;

	printf("KTAP version 1\n1..%zu\n", ARRAY_SIZE(machines) + ARRAY_SIZE(races) + 3);
	for (i = 0; i < ARRAY_SIZE(machines); i++)
		result(set_up(&machines[i], 0) && chosen_right(&machines[i]), machines[i].name);
	for (i = 0; i < ARRAY_SIZE(races); i++)
		result(leaves(&races[i]), races[i].name);

	result(vetoed_models(), "AVX-512 is vetoed on the models that pay for it, and on no other");
	result(!changed_by_noise(ROUNDS, true), "1000 seeds of 3 % noise make no difference");
	changed = changed_by_noise(1, false);
	printf("# %u choices changed\n", changed);
	result(changed, "control: they do if a single sample counts");
	return nr_failed != 0;
}
