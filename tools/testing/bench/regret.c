// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's choice, many times over: select.c and measure.c are the kernel's own
 * files. What is true of a recorded machine is in the recording; what is true of this
 * one is measured by a walk, which shares no sample, state or clock step with the choice.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/kernel.h>

#include "judge.h"
#include "recording.h"
#include "regret.h"
#include "walk.h"

#define CALIBRATIONS		20
#define PLACEBO_CALIBRATIONS	100
#define REPLAYED_CALIBRATIONS	1000

/* Time to get the memory of the first calibration in. */
#define MEMORY_NS		10000000000ull

static const struct limits limits = {
	.mean = 3, .most = 10, .worst = 10, .slower = 0,
};

static const struct limits replay_limits = {
	.mean = 2, .most = 5, .worst = INFINITY, .slower = 1,
};

/*
 * Samples of a few calls on flushed lines, as older recordings have them, are noisier than
 * those of a walk: a gain of 8 % in one case of thirteen cannot be told from none.
 */
static const struct limits flushed_limits = {
	.mean = 2, .most = 8, .worst = INFINITY, .slower = 1,
};

/* --- What is true of a recorded machine ---------------------------------- */

static struct interval recorded_ratio(const struct recording *r, unsigned int c,
				      unsigned int state, unsigned int row)
{
	unsigned int stock = simd_stock_row(simd_cases[c].kind), round, n = 0;
	double ratios[RECORDED_ROUNDS];

	for (round = 0; round < r->rounds[c][state]; round++) {
		const u32 *ns = r->ns[c][state][round];

		if (ns[stock] && ns[row])
			ratios[n++] = (double)ns[stock] / ns[row];
	}
	return interval_of(ratios, n);
}

static void recorded_truth(const struct recording *r, struct truth *truth)
{
	unsigned int c, state, row;

	simd_for_each_case(c)
		simd_for_each_state_of(state, c)
			simd_for_each_row_of(row, simd_cases[c].kind)
				if (simd_usable(&r->results[row]) && !r->results[row].veto)
					truth->ratio[c][state][row] =
						recorded_ratio(r, c, state, row);
}

/* --- What is true of this machine ---------------------------------------- */

/* For a state of a case: 2.5 seconds. */
#define WALK_NS		2500000000ull

/* The loop that a case is about, in a state. */
static struct workload workload_of(unsigned int c, enum simd_state state, int offset)
{
	const struct simd_case *k = &simd_cases[c];

	return (struct workload) {
		.name		= k->name,
		.kind		= k->kind,
		.bytes		= k->bytes,
		.where		= state == SIMD_HOT ? WALK_CORE : WALK_BEYOND,
		.order		= state == SIMD_RANDOM || state == SIMD_WARM ?
				  WALK_RANDOM : WALK_ORDER,
		.options	= k->kind == SIMD_KIND_to_user && k->regime != SIMD_STREAM ?
				  WALK_HOT_DST : state == SIMD_WARM ? WALK_HOT_SRC : 0,
		.offset		= offset,
	};
}

/* The ratio that counts is the least one, if there are several loops. */
static void add_truth(struct truth *truth, unsigned int c, enum simd_state state, int offset)
{
	const struct subject *subjects[SIMD_NR_ROUTINES + 2];
	const struct workload w = workload_of(c, state, offset);
	unsigned int nr = walk_subjects(w.kind, subjects), used = simd_bytes_used(c), i;
	enum consumer reader = !used ? CONSUMER_NONE : used < w.bytes ? CONSUMER_FIRST :
			       CONSUMER_ALL;
	struct walked walked[SIMD_NR_ROUTINES + 2];

	walk(&w, reader, subjects, nr, WALK_NS, walked);
	for (i = 0; i < nr; i++) {
		struct interval *ratio;

		if (!subjects[i]->row)
			continue;
		ratio = &truth->ratio[c][state][subjects[i]->row - simd_routines];
		if (!ratio->median || walked[i].saving.median < ratio->median)
			*ratio = walked[i].saving;
	}
}

static void walked_truth(const struct simd_result *results, struct truth *truth)
{
	unsigned int c, state, row;

	simd_for_each_case(c) {
		if (isatty(STDERR_FILENO))
			fprintf(stderr, "\r%3u %%", 100 * c / SIMD_NR_CASES);
		simd_for_each_state_of(state, c) {
			bool misaligned = simd_cases[c].regime == SIMD_MISALIGNED;

			add_truth(truth, c, state, misaligned);
			if (misaligned)
				add_truth(truth, c, state, -1);
			/* Of stock against itself only noise is left. */
			truth->ratio[c][state][simd_stock_row(simd_cases[c].kind)] =
				(struct interval) { 1, 1, 1 };
			/* What runs by name only is no choice. */
			simd_for_each_row_of(row, simd_cases[c].kind)
				if (results[row].veto || !simd_usable(&results[row]))
					truth->ratio[c][state][row] = (struct interval) {};
		}
	}
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r     \r");
}

/* --- Placebo and planted gain -------------------------------------------- */

/**
 * struct disguise - a sampler that has stock's code behind every name
 * @sampler:	for those who decide
 * @real:	where its samples come from
 * @fast:	by case, the row that is made faster
 * @percent:	by how much
 */
struct disguise {
	struct simd_sampler	sampler;
	struct simd_sampler	*real;
	unsigned int		fast[SIMD_NR_CASES];
	unsigned int		percent;
};

/* A sample of stock at its own place in a recording would be the same one again. */
static u32 disguised(struct simd_sampler *sampler, unsigned int c, enum simd_state state,
		     unsigned int row)
{
	struct disguise *d = container_of(sampler, struct disguise, sampler);
	u32 ns;

	d->real->why_not = NULL;
	ns = d->real->sample(d->real, c, state, simd_stock_row(simd_cases[c].kind));
	sampler->why_not = d->real->why_not;
	return row == d->fast[c] ? ns * 100ull / (100 + d->percent) : ns;
}

/* --- Calibrations -------------------------------------------------------- */

/**
 * struct session - a machine to choose on
 * @recording:	of the machine, NULL for this one
 * @results:	what is known of its rows
 * @replay:	if it is recorded
 * @bench:	if it is not
 */
struct session {
	struct recording	*recording;
	struct simd_result	results[SIMD_NR_ROUTINES];
	struct replay		replay;
	struct simd_bench	*bench;
};

static int open_session(struct session *s, const char *path)
{
	memset(s, 0, sizeof(*s));
	srand(1);
	if (path) {
		s->recording = read_recording(path);
		if (!s->recording)
			return -1;
		memcpy(s->results, s->recording->results, sizeof(s->results));
		printf("# recorded: %s\n", s->recording->about);
		if (s->recording->nr_lacked)
			printf("# not recorded: %u of %u cases\n", s->recording->nr_lacked,
			       SIMD_NR_CASES);
		return 0;
	}
	simd_detect(s->results);
	/* Memory of a kernel has been there since long before: it costs no time to get it. */
	s->bench = simd_bench_open(MEMORY_NS, simd_cache_bytes());
	return s->bench ? simd_self_check(s->results) : -1;
}

/* Where the samples of one calibration come from. */
static struct simd_sampler *next_calibration(struct session *s)
{
	if (s->recording) {
		start_replay(&s->replay, s->recording);
		return &s->replay.sampler;
	}
	if (s->bench)
		simd_bench_close(s->bench);
	s->bench = simd_bench_open(SIMD_BUDGET_NS, simd_cache_bytes());
	return s->bench ? simd_bench_sampler(s->bench) : NULL;
}

static bool is_known(const struct session *s, unsigned int c)
{
	return !s->recording || !s->recording->lacks[c];
}

static unsigned int calibrations(const struct session *s)
{
	return s->recording ? REPLAYED_CALIBRATIONS : CALIBRATIONS;
}

static int no_memory(void)
{
	fprintf(stderr, "simdbench: no memory to measure with\n");
	return 1;
}

int regret(const char *path)
{
	static struct simd_evidence ev[SIMD_NR_CASES];
	static struct truth truth;
	struct judgement j = {};
	struct simd_sampler *sampler;
	struct session s;
	unsigned int i, c;
	int missed;

	if (open_session(&s, path))
		return 1;
	if (!s.recording && walk_init(0, true, 1))
		return 1;
	if (s.recording)
		recorded_truth(s.recording, &truth);
	else
		walked_truth(s.results, &truth);
	for (i = 0; i < calibrations(&s); i++) {
		sampler = next_calibration(&s);
		if (!sampler)
			return no_memory();
		simd_decide_all(s.results, sampler, ev);
		simd_for_each_case(c)
			if (is_known(&s, c))
				judge(&j, &truth, c, ev[c].row);
	}
	missed = print_judgement(&j, &truth, !s.recording ? &limits :
				 s.recording->flushed ? &flushed_limits : &replay_limits);
	printf(missed ? "FAIL: %d targets missed\n" : "PASS\n", missed);
	return !!missed;
}

/**
 * struct rates - what came of many choices
 * @cases:	how many there were
 * @winners:	those that are not stock
 * @found:	those that are the row that was made faster
 */
struct rates {
	unsigned int	cases;
	unsigned int	winners;
	unsigned int	found;
};

static unsigned int any_row(const struct session *s, enum simd_kind kind)
{
	unsigned int row;

	do {
		row = rand() % SIMD_NR_ROUTINES;
	} while (simd_routines[row].kind != kind || row == simd_stock_row(kind) ||
		 !simd_usable(&s->results[row]) || s->results[row].veto);
	return row;
}

static int rate(struct session *s, unsigned int percent, struct rates *rates)
{
	static struct simd_evidence ev[SIMD_NR_CASES];
	unsigned int i, c;

	memset(rates, 0, sizeof(*rates));
	for (i = 0; i < (s->recording ? REPLAYED_CALIBRATIONS : PLACEBO_CALIBRATIONS); i++) {
		struct disguise d = { .sampler.sample = disguised, .percent = percent };

		d.real = next_calibration(s);
		if (!d.real)
			return -1;
		simd_for_each_case(c)
			if (is_known(s, c))
				d.fast[c] = any_row(s, simd_cases[c].kind);
		simd_decide_all(s->results, &d.sampler, ev);
		simd_for_each_case(c) {
			if (!is_known(s, c))
				continue;
			rates->winners += ev[c].row != simd_stock_row(simd_cases[c].kind);
			rates->found += ev[c].row == d.fast[c];
			rates->cases++;
		}
	}
	if (!rates->cases)
		return -1;
	return 0;
}

/* Percent of cases: placebos that may win, and gains of 15 % that have to be found. */
#define MOST_PLACEBOS	1
#define LEAST_FOUND	90
#define PLANTED		15

int placebo(const char *path)
{
	struct rates none, planted;
	struct session s;
	bool ok;

	if (open_session(&s, path))
		return 1;
	if (rate(&s, 0, &none) || rate(&s, PLANTED, &planted)) {
		fprintf(stderr, "simdbench: nothing could be measured\n");
		return 1;
	}
	printf("stock's code behind every name: %.2f %% of %u choices are not stock, at most %d %%\n",
	       100.0 * none.winners / none.cases, none.cases, MOST_PLACEBOS);
	printf("a row that is %d %% faster: found in %.1f %% of %u choices, at least %d %%\n",
	       PLANTED, 100.0 * planted.found / planted.cases, planted.cases, LEAST_FOUND);
	ok = none.winners * 100 <= none.cases * MOST_PLACEBOS &&
	     planted.found * 100ull >= planted.cases * LEAST_FOUND;
	printf(ok ? "PASS\n" : "FAIL\n");
	return !ok;
}
