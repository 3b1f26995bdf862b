// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings: one line per sample,
 *
 *	ROUND KIND/CASE STATE ROW SIXTEENTHS
 *
 * time per call in sixteenths of a nanosecond, registers that have to be saved included.
 * Lines that begin with # say what machine it was, and which cases are not recorded:
 *
 *	# lacks KIND/CASE
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/kernel.h>

#include <asm/cpufeature.h>

#include "harness.h"
#include "machine.h"
#include "recording.h"

/* Each sample is taken for as long as it takes: the budget is that of no calibration. */
#define BUDGET_NS	3600000000000ull

static const char *const state_words[SIMD_NR_STATES] = {
	[SIMD_HOT]	= "hot",
	[SIMD_ORDER]	= "in_order",
	[SIMD_RANDOM]	= "random",
	[SIMD_WARM]	= "warm",
};

static void shuffle(unsigned int *rows, unsigned int n)
{
	while (n > 1) {
		unsigned int i = rand() % n--;

		swap(rows[i], rows[n]);
	}
}

static unsigned int recordable(unsigned int c, const struct simd_result *results,
			       unsigned int *rows)
{
	unsigned int row, n = 0;

	simd_for_each_row_of(row, simd_cases[c].kind)
		if (simd_usable(&results[row]))
			rows[n++] = row;
	return n;
}

/* Return: 0, or -1 if a row could not be sampled, and stderr says which. */
static int record_state(FILE *f, struct simd_sampler *s, unsigned int c, enum simd_state state,
			const struct simd_result *results)
{
	unsigned int rows[SIMD_NR_ROUTINES], n = recordable(c, results, rows), round, i;
	bool sampled[SIMD_NR_ROUTINES] = {};

	for (round = 0; round < RECORDED_ROUNDS; round++) {
		shuffle(rows, n);
		for (i = 0; i < n; i++) {
			u32 ns = s->sample(s, c, state, rows[i]);

			sampled[rows[i]] |= ns;
			fprintf(f, "%u %s/%s %s %s %u\n", round,
				simd_kind_names[simd_cases[c].kind], simd_cases[c].name,
				state_words[state], simd_routines[rows[i]].name, ns);
		}
	}
	for (i = 0; i < n; i++) {
		if (sampled[rows[i]])
			continue;
		fprintf(stderr, "simdbench: no sample of %s in %s/%s, %s: %s\n",
			simd_routines[rows[i]].name, simd_kind_names[simd_cases[c].kind],
			simd_cases[c].name, state_words[state],
			s->why_not ?: "each was interrupted");
		return -1;
	}
	return 0;
}

static void record_machine(FILE *f, const struct simd_bench *b, unsigned long cache_bytes,
			   const struct simd_result *results)
{
	unsigned int row;

	fprintf(f, "# machine %s, family %u model %u stepping %u%s%s\n", machine.model_name,
		machine.family, machine.model, machine.stepping,
		machine.hypervisor[0] ? ", guest of " : "", machine.hypervisor);
	fprintf(f, "# cache %lu\n# save %u\n", cache_bytes, simd_bench_save_ns(b));
	fprintf(f, "# has%s%s\n", boot_cpu_has(X86_FEATURE_ERMS) ? " ERMS" : "",
		boot_cpu_has(X86_FEATURE_REP_GOOD) ? " REP_GOOD" : "");
	simd_for_each_row(row)
		if (results[row].veto && simd_usable(&results[row]))
			fprintf(f, "# veto %s/%s\n", simd_kind_names[simd_routines[row].kind],
				simd_routines[row].name);
}

int record(const char *path)
{
	static struct simd_result results[SIMD_NR_ROUTINES];
	const unsigned long cache_bytes = simd_cache_bytes();
	struct simd_bench *b;
	unsigned int c, state;
	int err = 0, wrong;
	FILE *f;

	f = fopen(path, "w");
	if (!f) {
		fprintf(stderr, "simdbench: cannot write %s: %m\n", path);
		return 1;
	}
	simd_detect(results);
	b = simd_self_check(results) ? NULL : simd_bench_open(BUDGET_NS, cache_bytes);
	if (!b) {
		fprintf(stderr, "simdbench: no memory to measure with\n");
		fclose(f);
		return 1;
	}
	record_machine(f, b, cache_bytes, results);
	simd_for_each_case(c) {
		if (isatty(STDERR_FILENO))
			fprintf(stderr, "\r%3u %%", 100 * c / SIMD_NR_CASES);
		simd_for_each_state_of(state, c)
			err = err ?: record_state(f, simd_bench_sampler(b), c, state, results);
	}
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r     \r");
	simd_bench_close(b);
	wrong = ferror(f);
	if (fclose(f) | wrong) {
		fprintf(stderr, "simdbench: cannot write %s: %m\n", path);
		return 1;
	}
	return err ? 1 : 0;
}

/* --- Reading ------------------------------------------------------------- */

/* KIND/NAME, of a case or of a row. Return: the kind, and what comes behind; or -1. */
static int kind_of(const char *name, const char **rest)
{
	unsigned int kind;

	for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
		size_t n = strlen(simd_kind_names[kind]);

		*rest = name + n + 1;
		if (!strncmp(name, simd_kind_names[kind], n) && name[n] == '/')
			return kind;
	}
	return -1;
}

static int find_case(const char *name)
{
	const char *rest;
	int kind = kind_of(name, &rest);
	unsigned int c;

	simd_for_each_case(c)
		if ((int)simd_cases[c].kind == kind && !strcmp(simd_cases[c].name, rest))
			return c;
	return -1;
}

static int find_state(const char *word)
{
	unsigned int state;

	for (state = 0; state < SIMD_NR_STATES; state++)
		if (!strcmp(state_words[state], word))
			return state;
	return -1;
}

/* Return: NULL, or what is wrong with the line. */
static const char *read_comment(struct recording *r, const char *line)
{
	char name[64];
	const char *rest;
	int kind, row, c;

	if (!strncmp(line, "# machine ", 10))
		snprintf(r->about, sizeof(r->about), "%.*s", (int)strcspn(line + 10, "\n"),
			 line + 10);
	if (sscanf(line, "# cache %lu", &r->cache_bytes) == 1)
		return NULL;
	if (sscanf(line, "# lacks %63s", name) == 1) {
		c = find_case(name);
		if (c < 0)
			return "there is no such case";
		r->lacks[c] = true;
		r->nr_lacked++;
		return NULL;
	}
	r->flushed |= !strcmp(line, "# flushed\n");
	/* What decides which rows are stock. */
	if (!strncmp(line, "# has", 5)) {
		cpu_assume(X86_FEATURE_ERMS, strstr(line, " ERMS"));
		cpu_assume(X86_FEATURE_REP_GOOD, strstr(line, " REP_GOOD"));
	}
	if (sscanf(line, "# veto %63s", name) != 1)
		return NULL;
	kind = kind_of(name, &rest);
	row = kind < 0 ? -1 : simd_find_row(kind, rest);
	if (row >= 0)
		r->vetoed[row] = true;
	return NULL;
}

/* Return: NULL, or what is wrong with the line. Rows of today need not be recorded. */
static const char *read_sample(struct recording *r, const char *line)
{
	char name[64], word[16], routine[32];
	unsigned int round, ns;
	int c, state, row;

	if (sscanf(line, "%u %63s %15s %31s %u", &round, name, word, routine, &ns) != 5)
		return "not ROUND KIND/CASE STATE ROW SIXTEENTHS";
	c = find_case(name);
	state = find_state(word);
	if (c < 0)
		return "there is no such case";
	if (state < 0)
		return "there is no such state";
	if (round >= RECORDED_ROUNDS)
		return "there are too many rounds";
	row = simd_find_row(simd_cases[c].kind, routine);
	if (row < 0)
		return NULL;
	r->ns[c][state][round][row] = ns;
	if (ns)
		r->rounds[c][state] = max(r->rounds[c][state], round + 1);
	r->recorded[row] = true;
	return NULL;
}

/* Each case is recorded in all of its states, or the recording says that it is not. */
static const char *find_gap(const struct recording *r)
{
	static char gap[128];
	unsigned int c, state;

	simd_for_each_case(c)
		simd_for_each_state_of(state, c)
			if (!r->lacks[c] &&
			    (!r->rounds[c][state] ||
			     !r->recorded[simd_stock_row(simd_cases[c].kind)])) {
				snprintf(gap, sizeof(gap), "the end, without %s/%s, %s",
					 simd_kind_names[simd_cases[c].kind],
					 simd_cases[c].name, state_words[state]);
				return gap;
			}
	return NULL;
}

struct recording *read_recording(const char *path)
{
	struct recording *r = calloc(1, sizeof(*r));
	FILE *f = fopen(path, "r");
	const char *wrong = NULL;
	unsigned int nr = 0, row;
	char line[256];

	if (!f || !r) {
		fprintf(stderr, "simdbench: cannot read %s: %m\n", path);
		goto fail;
	}
	while (!wrong && fgets(line, sizeof(line), f)) {
		nr++;
		if (line[0] == '#')
			wrong = read_comment(r, line);
		else
			wrong = read_sample(r, line);
	}
	if (!wrong && !r->about[0])
		wrong = "the end, and no line has said what machine this is";
	if (!wrong)
		wrong = find_gap(r);
	simd_detect(r->results);
	simd_for_each_row(row)
		r->results[row] = (struct simd_result) {
			.missing	= r->recorded[row] ? NULL : "a recording",
			.veto		= r->vetoed[row] ? "as recorded" : NULL,
		};
	if (wrong) {
		fprintf(stderr, "simdbench: %s: line %u: %s\n", path, nr, wrong);
		goto fail;
	}
	fclose(f);
	return r;
fail:
	if (f)
		fclose(f);
	free(r);
	return NULL;
}

/* --- Replay -------------------------------------------------------------- */

/* Where a clock goes in steps of up to 50 ns, a sample is no shorter than 100 of them. */
#define SHORTEST_NS	5000ull

/* Of so many rounds one is followed by another than the next. */
#define JUMP	16

static u32 replayed(struct simd_sampler *sampler, unsigned int c, enum simd_state state,
		    unsigned int row)
{
	struct replay *p = container_of(sampler, struct replay, sampler);
	const unsigned int rounds = p->recording->rounds[c][state];
	unsigned int *round = &p->round[c][state];
	u64 ns;

	if (p->left <= 0) {
		sampler->why_not = "stock: the time to measure in was over";
		return 0;
	}
	if (!rounds) {
		sampler->why_not = "stock: not recorded";
		return 0;
	}
	if (p->taken[row]) {
		*round = (rand() % JUMP ? *round + 1 : (unsigned int)rand()) % rounds;
		memset(p->taken, 0, sizeof(p->taken));
	}
	p->taken[row] = true;
	ns = p->recording->ns[c][state][*round][row];
	/* Flushed lines were measured with other calls than those of a kernel. */
	if (!p->recording->flushed)
		p->left -= max(ns * simd_least_calls(c, state) / 16, SHORTEST_NS);
	return ns;
}

void start_replay(struct replay *p, const struct recording *recording)
{
	unsigned int c, state;

	p->sampler.sample = replayed;
	p->recording = recording;
	p->left = SIMD_BUDGET_NS - SIMD_BUDGET_NS / SIMD_FILL_PART;
	memset(p->taken, 0, sizeof(p->taken));
	simd_for_each_case(c)
		simd_for_each_state_of(state, c)
			if (recording->rounds[c][state])
				p->round[c][state] = rand() % recording->rounds[c][state];
}
