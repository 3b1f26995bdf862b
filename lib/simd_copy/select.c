// SPDX-License-Identifier: GPL-2.0
/*
 * From samples to a choice. No clock and no CPU in here: the same samples always give
 * the same choice, be they taken now or read from a recording.
 *
 * A choice claims that this machine gets faster, so it is made the way such a claim is
 * made. Each case is decided by itself, in three steps:
 *
 * Screen: in each state of the case all rows are timed a few times between two calls of
 * stock. Those that seem best are timed some more times, and the best of these go on. A row
 * that seems slower than stock in one state, or faster in none, is out.
 *
 * Duel: stock, row, stock, row, stock. A try is won by the row if it is faster than both
 * calls of stock around it, so that what else the machine does at the time can cost the
 * row a try, but hardly give it one. The row must win in the state in which it seemed
 * best, and must not lose in the others.
 *
 * Final: rows that have won their duels are timed in turn once more, to tell the best one.
 *
 * Whatever was not shown to be faster is not used. Stock is. Of several winners the best
 * one is used, or the first of the table if others tie with it.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <asm/page.h>

#include "simd_copy.h"

/* Gains are in thousandths: stock's time over the row's. */
#define EQUAL		1000

/*
 * Stages of the screen: after so many rounds so many rows stay, if they seem faster than
 * that in one state.
 */
static const struct {
	unsigned char	rounds;
	unsigned char	keep;
	unsigned short	least;
} stages[] = {
	{ 3, 5, 950 },
	{ 6, 2, 1020 },
};

#define SCREEN_ROUNDS	9
#define FINAL_ROUNDS	12
#define MAX_ROUNDS	(SCREEN_ROUNDS + FINAL_ROUNDS)

/* A row that seems slower than this in some state is out. */
#define SEEMS_SLOWER	900

/* A row is not tried that seemed worse than this, in thousandths of what has won. */
#define OUTDONE		930

/*
 * What ends a duel: after so many tries, so many that were won, or so few. If row and stock
 * were the same code, one try in three would be won, each of three samples being the least
 * with the same probability; tries that follow each other share a sample of stock. Simulated
 * with normal noise of 10 % a sample, stock's own code wins a duel in 0.5 % of cases, and a
 * row that is 15 % faster in 99 %; with noise of 20 % it is 0.6 % and 82 %.
 */
static const struct {
	unsigned char	tries;
	unsigned char	won;
	unsigned char	lost;
} looks[] = {
	{ 9, 9, 2 },
	{ 17, 13, 5 },
	{ 33, 20, 12 },
	{ 65, 35, 27 },
	{ 121, 58, 57 },
};

#define MAX_TRIES	121

/* And the median has to be this much better than stock's. */
#define FASTER		1050

/* Where a row need not win, its median in so many tries has to be no worse than this. */
#define OTHER_TRIES	25
#define SLOWER		990

/* A row that is at most so much worse than the best ties with it. */
#define TIE		20

/* Tries that could not be sampled, before a duel is given up. */
#define MISSING		MAX_TRIES

static unsigned int gain_of(u64 stock, u32 row)
{
	return min_t(u64, div_u64(stock * EQUAL, row), USHRT_MAX);
}

static void sort(unsigned short *gains, unsigned int n)
{
	unsigned int i, j;

	for (i = 1; i < n; i++)
		for (j = i; j && gains[j - 1] > gains[j]; j--)
			swap(gains[j - 1], gains[j]);
}

/* --- Screen -------------------------------------------------------------- */

static bool may_be_chosen(unsigned int c, const struct simd_result *results, unsigned int row)
{
	return simd_routines[row].kind == simd_cases[c].kind && simd_usable(&results[row]) &&
	       !results[row].veto && row != simd_stock_row(simd_cases[c].kind);
}

/* Of so many rounds one quarter, and the next gain. */
#define MOST		(MAX_ROUNDS / 4 + 1)

/**
 * struct screen - what the screen of a case has seen so far
 * @in:		by row, whether it is still in
 * @rounds:	by state
 * @most:	by state and row, the greatest gains over the faster of stock's calls before
 *		and after a round, in order
 */
struct screen {
	bool		in[SIMD_NR_ROUTINES];
	unsigned char	rounds[SIMD_NR_STATES];
	unsigned short	most[SIMD_NR_STATES][SIMD_NR_ROUTINES][MOST];
};

static void add_gain(unsigned short *most, unsigned short gain)
{
	unsigned int i;

	for (i = 0; i < MOST; i++)
		if (gain > most[i])
			swap(gain, most[i]);
}

/*
 * The upper quartile of the gains. What else the machine does makes samples longer, hardly
 * ever shorter: such a sample of stock is not the lesser of two, and such a sample of a row
 * is not in the upper quartile. So the quartile scatters less than a median does.
 */
static unsigned int quartile(const struct screen *s, enum simd_state state, unsigned int row)
{
	return s->most[state][row][(s->rounds[state] - 1) / 4];
}

/* Return: false if stock could not be measured. */
static bool take_round(unsigned int c, enum simd_state state, u32 *stock_ns, struct screen *s,
		       struct simd_sampler *sampler)
{
	const unsigned int round = s->rounds[state]++;
	u32 ns[SIMD_NR_ROUTINES], before = *stock_ns, after;
	unsigned int i, row;

	/* No row always comes first, or right after the same other one. */
	for (i = 0; i < SIMD_NR_ROUTINES; i++) {
		row = (i + round * SIMD_NR_ROUTINES / 5) % SIMD_NR_ROUTINES;
		row = round % 2 ? SIMD_NR_ROUTINES - 1 - row : row;
		ns[row] = s->in[row] ? sampler->sample(sampler, c, state, row) : 0;
	}
	after = sampler->sample(sampler, c, state, simd_stock_row(simd_cases[c].kind));
	if (!before || !after)
		return false;
	simd_for_each_row(row) {
		/* A row that could not be sampled each time was hardly measured. */
		s->in[row] = ns[row];
		if (ns[row])
			add_gain(s->most[state][row], gain_of(min(before, after), ns[row]));
	}
	*stock_ns = after;
	return true;
}

/* Return: false if stock could not be measured. */
static bool take_rounds(unsigned int c, unsigned int rounds, struct screen *s,
			struct simd_sampler *sampler, struct simd_evidence *ev)
{
	unsigned int state, round, row;
	u32 stock_ns;

	simd_for_each_state_of(state, c) {
		stock_ns = sampler->sample(sampler, c, state, simd_stock_row(simd_cases[c].kind));
		for (round = 0; round < rounds; round++) {
			if (!take_round(c, state, &stock_ns, s, sampler))
				return false;
			if (!ev->ns[state] || stock_ns / 16 < ev->ns[state])
				ev->ns[state] = stock_ns / 16;
		}
		simd_for_each_row(row) {
			if (!s->in[row])
				continue;
			ev->screen[state][row] = quartile(s, state, row);
			s->in[row] = ev->screen[state][row] >= SEEMS_SLOWER;
		}
	}
	return true;
}

/* The product of the gains in all states, 0 if none of them is at least @least. */
static u64 promise(unsigned int c, const struct simd_evidence *ev, unsigned int row,
		   unsigned int least)
{
	unsigned int state, best = 0;
	u64 product = EQUAL;

	simd_for_each_state_of(state, c) {
		best = max_t(unsigned int, best, ev->screen[state][row]);
		product = div_u64(product * ev->screen[state][row], EQUAL);
	}
	return best < least ? 0 : product;
}

static bool contends(const struct simd_evidence *ev, unsigned int row)
{
	unsigned int i;

	for (i = 0; i < ev->nr; i++)
		if (ev->contender[i].row == row)
			return true;
	return false;
}

/* Among which rows a contender is looked for. */
enum among { ALL, SECTIONLESS, STREAMING };

static bool is_among(unsigned int row, enum among among)
{
	return among == ALL ||
	       (among == SECTIONLESS && simd_routines[row].guard == SIMD_GUARD_NONE) ||
	       (among == STREAMING && simd_routines[row].flags & SIMD_STREAMING);
}

/* Of all rows the best one that does not contend yet; of others the best, if it does not. */
static void add_contender(unsigned int c, enum among among, unsigned int least,
			  const struct screen *s, struct simd_evidence *ev)
{
	unsigned int row, best = SIMD_NR_ROUTINES;
	u64 product, best_product = 0;

	simd_for_each_row_of(row, simd_cases[c].kind) {
		if (!s->in[row] || !is_among(row, among) || (among == ALL && contends(ev, row)))
			continue;
		product = promise(c, ev, row, least);
		if (product <= best_product)
			continue;
		best = row;
		best_product = product;
	}
	if (best < SIMD_NR_ROUTINES && !contends(ev, best))
		ev->contender[ev->nr++].row = best;
}

/* Return: false if stock could not be measured. */
static bool screen(unsigned int c, struct screen *s, struct simd_sampler *sampler,
		   struct simd_evidence *ev)
{
	unsigned int stage, i, row;

	for (stage = 0; stage < ARRAY_SIZE(stages); stage++) {
		ev->nr = 0;
		if (!take_rounds(c, stages[stage].rounds, s, sampler, ev))
			return false;
		for (i = 0; i < stages[stage].keep; i++)
			add_contender(c, ALL, stages[stage].least, s, ev);
		add_contender(c, SECTIONLESS, stages[stage].least, s, ev);
		if (simd_cases[c].regime == SIMD_STREAM)
			add_contender(c, STREAMING, stages[stage].least, s, ev);
		simd_for_each_row(row)
			s->in[row] = contends(ev, row);
	}
	return true;
}

/* --- Duel ---------------------------------------------------------------- */

/* The median, and the two values that enclose that of all samples in 95 % of cases. */
static void summarize(struct simd_trial *t, unsigned short *gains)
{
	unsigned int n = t->tries, k = 0;

	/* Of n values k are expected below the interval: n / 2 less a root of n. */
	while ((n - 2 * k - 2) * (n - 2 * k - 2) >= 4 * n && 2 * k + 2 < n)
		k++;
	sort(gains, n);
	t->gain = gains[n / 2];
	t->low = gains[k];
	t->high = gains[n - 1 - k];
}

enum verdict { UNDECIDED, WON, LOST };

static enum verdict verdict_of(const struct simd_trial *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(looks); i++) {
		if (t->tries != looks[i].tries)
			continue;
		if (t->wins >= looks[i].won)
			return WON;
		if (t->wins <= looks[i].lost || t->high < FASTER)
			return LOST;
	}
	return UNDECIDED;
}

/*
 * A row against stock. With @tries 0 the duel goes on until it is won or lost.
 * Return: false if there were not enough samples to be had.
 */
static bool duel(unsigned int c, enum simd_state state, unsigned int row, unsigned int tries,
		 struct simd_sampler *sampler, struct simd_trial *t)
{
	const unsigned int stock = simd_stock_row(simd_cases[c].kind);
	unsigned short gains[MAX_TRIES];
	unsigned int missing = 0;
	u32 before, ns, after;

	before = sampler->sample(sampler, c, state, stock);
	while (t->tries < (tries ?: MAX_TRIES)) {
		ns = sampler->sample(sampler, c, state, row);
		after = sampler->sample(sampler, c, state, stock);
		if (before && ns && after) {
			gains[t->tries++] = gain_of(((u64)before + after) / 2, ns);
			t->wins += ns < min(before, after);
			summarize(t, gains);
		} else if (missing++ == MISSING) {
			return false;
		}
		before = after;
		if (!tries && verdict_of(t) != UNDECIDED)
			break;
	}
	return true;
}

/* Return: NULL if a row is better than stock, else why it is not used. */
static const char *try_row(unsigned int c, unsigned int row, struct simd_trial *trials,
			   const struct simd_evidence *ev, struct simd_sampler *sampler)
{
	unsigned int state, best = SIMD_NR_STATES;

	simd_for_each_state_of(state, c) {
		if (best == SIMD_NR_STATES || ev->screen[state][row] > ev->screen[best][row])
			best = state;
	}
	if (!duel(c, best, row, 0, sampler, &trials[best]))
		return "not measured often enough";
	if (verdict_of(&trials[best]) != WON)
		return "not faster often enough";
	if (trials[best].gain < FASTER)
		return "faster by less than 5 %";

	simd_for_each_state_of(state, c) {
		if (state == best)
			continue;
		if (!duel(c, state, row, OTHER_TRIES, sampler, &trials[state]))
			return "not measured often enough";
		if (trials[state].gain < SLOWER)
			return "slower than stock in another state";
	}
	return NULL;
}

/* --- Final --------------------------------------------------------------- */

/* Of the winners the best; the first of the table if others tie with it. */
static void pick(unsigned int c, struct screen *s, struct simd_sampler *sampler,
		 struct simd_evidence *ev)
{
	unsigned int i, row, winners = 0, first = SIMD_CONTENDERS;
	u64 best = 0;

	for (i = 0; i < ev->nr; i++) {
		s->in[ev->contender[i].row] = !ev->contender[i].why;
		winners += !ev->contender[i].why;
	}
	if (winners > 1)
		take_rounds(c, FINAL_ROUNDS, s, sampler, ev);
	for (i = 0; i < ev->nr; i++)
		if (!ev->contender[i].why)
			best = max(best, promise(c, ev, ev->contender[i].row, 0));
	for (i = 0; i < ev->nr; i++) {
		if (ev->contender[i].why)
			continue;
		row = ev->contender[i].row;
		ev->contender[i].why = "faster than stock, but not the best";
		if (promise(c, ev, row, 0) * (EQUAL + TIE) >= best * EQUAL &&
		    (first == SIMD_CONTENDERS || row < ev->contender[first].row))
			first = i;
	}
	if (first == SIMD_CONTENDERS)
		return;
	ev->contender[first].why = "chosen";
	ev->row = ev->contender[first].row;
	ev->why = "faster than stock";
}

/**
 * simd_decide() - choose the row of a case
 * @c:		the case
 * @results:	what is known of each row
 * @sampler:	where samples come from
 * @ev:		result: the row, and what speaks for it
 *
 * Context: that of @sampler; one at a time.
 */
void simd_decide(unsigned int c, const struct simd_result *results,
		 struct simd_sampler *sampler, struct simd_evidence *ev)
{
	/* Too large for the stack of a 32-bit kernel; one case is decided at a time. */
	static struct screen s;
	unsigned int i, row;
	u64 best = 0, seems;

	memset(ev, 0, sizeof(*ev));
	memset(&s, 0, sizeof(s));
	ev->row = simd_stock_row(simd_cases[c].kind);
	ev->why = "stock: no row is faster by 5 %";
	sampler->why_not = NULL;

	simd_for_each_row(row)
		s.in[row] = may_be_chosen(c, results, row);
	if (!screen(c, &s, sampler, ev)) {
		ev->why = sampler->why_not ?: "stock: not measured";
		return;
	}
	for (i = 0; i < ev->nr; i++) {
		row = ev->contender[i].row;
		seems = promise(c, ev, row, 0);
		if (seems * EQUAL < best * OUTDONE) {
			ev->contender[i].why = "not tried, another row that won seemed better";
			continue;
		}
		ev->contender[i].why = try_row(c, row, ev->contender[i].trial, ev, sampler);
		if (!ev->contender[i].why)
			best = max(best, seems);
	}
	pick(c, &s, sampler, ev);
	/* What ended before it was decided is not known to be no faster. */
	if (ev->row == simd_stock_row(simd_cases[c].kind) && sampler->why_not)
		ev->why = sampler->why_not;
}
SIMD_EXPORT_FOR_TESTS(simd_decide);

/**
 * simd_decide_all() - choose the rows of all cases
 * @results:	what is known of each row
 * @sampler:	where samples come from
 * @ev:		result, by case
 *
 * What else a machine does for some milliseconds can cost each row its tries. So the time
 * that is left goes into cases in which stock has stayed: they are decided once more.
 *
 * Context: that of @sampler; one at a time.
 */
void simd_decide_all(const struct simd_result *results, struct simd_sampler *sampler,
		     struct simd_evidence *ev)
{
	/* Too large for the stack, as above. */
	static struct simd_evidence again;
	unsigned int c;

	simd_for_each_case(c)
		simd_decide(c, results, sampler, &ev[c]);
	simd_for_each_case(c) {
		if (ev[c].row != simd_stock_row(simd_cases[c].kind))
			continue;
		simd_decide(c, results, sampler, &again);
		if (again.row != ev[c].row)
			ev[c] = again;
	}
}

/**
 * simd_set_thresholds() - from which size on data is streamed by itself
 * @plan:		@row is known, @threshold is the result
 * @cache_bytes:	size of the last-level cache that one CPU reaches, 0 if unknown
 *
 * An extent that the caches could hold is never streamed by itself, since its data may
 * be used soon. One that they could not hold is, if streaming was seen to win.
 */
void simd_set_thresholds(struct simd_plan *plan, unsigned long cache_bytes)
{
	unsigned int kind, c;

	for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
		plan->threshold[kind] = ULONG_MAX;
		simd_for_each_case_of(c, kind) {
			if (simd_cases[c].regime != SIMD_STREAM ||
			    simd_case_end(c) != ULONG_MAX || !cache_bytes)
				continue;
			if (simd_routines[plan->row[c]].flags & SIMD_STREAMING)
				plan->threshold[kind] = max_t(unsigned long, cache_bytes,
							      simd_cases[c].bytes);
		}
	}
}
SIMD_EXPORT_FOR_TESTS(simd_set_thresholds);
