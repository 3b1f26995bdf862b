// SPDX-License-Identifier: GPL-2.0
/*
 * From samples to a choice. No clock and no CPU in here: the same samples always give
 * the same choice, be they taken now or read from a recording.
 *
 * A choice claims that this machine gets faster, so it is made the way such a claim is
 * made. Each case is decided by itself, in two steps:
 *
 * Screen: in each state of the case all rows are timed a few times between two calls of
 * stock. A row that seems slower than stock in one state, or faster in none, is out. The
 * few that seem best go on.
 *
 * Duel: stock, row, stock, row, stock. A try is won by the row if it is faster than both
 * calls of stock around it, so that what else the machine does at the time can cost the
 * row a try, but hardly give it one. The row must win in the state in which it seemed
 * best, and must not lose in the others.
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

/* A row is not tried that seemed worse than this, in thousandths of what has won. */
#define OUTDONE		930

/* Times a row is sampled in the screen, and after which of them the worst rows drop out. */
#define ROUNDS		5
#define FIRST_ROUNDS	2

/* They do so if no sample was better than this. */
#define HOPELESS	950

/* What the screen asks for: at least this in one state, no less than that in any. */
#define SEEMS_FASTER	1020
#define SEEMS_SLOWER	900

/* Rows that go on for being among the best. */
#define BEST_ROWS	5

/*
 * What wins a duel: after so many tries, so many that were won. If row and stock were the
 * same code, one try in three would be won, each of three samples being the least with
 * the same probability. Tries that follow each other share a sample of stock. Then one of
 * these comes about with probability 0.0035 (simulated; 0.0011 if they shared none), and
 * the median has to be better by FASTER as well.
 */
static const struct {
	unsigned char	tries;
	unsigned char	wins;
} victories[] = {
	{ 9, 9 },
	{ 13, 11 },
	{ 17, 13 },
	{ 25, 17 },
	{ 41, 25 },
	{ 61, 34 },
};

#define MAX_TRIES	61

/*
 * A row that has lost more tries than this, at first and in all, has lost the duel. So it has
 * if the interval of its gain ends below FASTER, which takes as many tries as the first.
 */
#define FIRST_TRIES	9
#define FIRST_LOSSES	5
#define ALL_LOSSES	27

/* And the median has to be this much better than stock's. */
#define FASTER		1050

/* Where a row need not win, its median has to be no worse than this. */
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

/**
 * struct screened - what the screen of a case and a state has seen so far
 * @n:		by row, how many gains there are
 * @gains:	by row
 */
struct screened {
	unsigned char	n[SIMD_NR_ROUTINES];
	unsigned short	gains[SIMD_NR_ROUTINES][ROUNDS];
};

static bool is_hopeless(const struct screened *s, unsigned int row)
{
	return s->n[row] == FIRST_ROUNDS && max(s->gains[row][0], s->gains[row][1]) < HOPELESS;
}

/* Whether it is known from a state before this one that a row is not chosen. */
static bool is_out(unsigned int c, const struct simd_evidence *ev, enum simd_state state,
		   unsigned int row)
{
	unsigned int before;

	simd_for_each_state_of(before, c)
		if (before < state && ev->screen[before][row] < SEEMS_SLOWER)
			return true;
	return false;
}

/* Return: false if stock could not be measured in this state. */
static bool screen(unsigned int c, enum simd_state state, const struct simd_result *results,
		   struct simd_sampler *sampler, struct simd_evidence *ev)
{
	const unsigned int stock = simd_stock_row(simd_cases[c].kind);
	u32 before, ns[SIMD_NR_ROUTINES], after, least;
	unsigned int round, i, row;
	/* Too large for the stack of a 32-bit kernel; one case is decided at a time. */
	static struct screened s;

	memset(&s, 0, sizeof(s));
	before = sampler->sample(sampler, c, state, stock);
	least = before;
	for (round = 0; round < ROUNDS; round++) {
		/* No row always comes first, or right after the same other one. */
		for (i = 0; i < SIMD_NR_ROUTINES; i++) {
			row = (i + round * SIMD_NR_ROUTINES / ROUNDS) % SIMD_NR_ROUTINES;
			row = round % 2 ? SIMD_NR_ROUTINES - 1 - row : row;
			ns[row] = may_be_chosen(c, results, row) && !is_hopeless(&s, row) &&
				  !is_out(c, ev, state, row) ?
				  sampler->sample(sampler, c, state, row) : 0;
		}
		after = sampler->sample(sampler, c, state, stock);
		if (!before || !after)
			return false;
		least = min(least, after);
		simd_for_each_row(row)
			if (ns[row])
				s.gains[row][s.n[row]++] =
					gain_of(((u64)before + after) / 2, ns[row]);
		before = after;
	}

	ev->ns[state] = least / 16;
	simd_for_each_row(row) {
		/* A row that could not be sampled each time was hardly measured. */
		if (s.n[row] < ROUNDS && !is_hopeless(&s, row))
			continue;
		sort(s.gains[row], s.n[row]);
		ev->screen[state][row] = s.gains[row][s.n[row] / 2];
	}
	return true;
}

/* The product of the gains in all states, 0 if a row is out. */
static u64 promise(unsigned int c, const struct simd_evidence *ev, unsigned int row)
{
	unsigned int state, gain, best = 0;
	u64 product = EQUAL;

	simd_for_each_state_of(state, c) {
		gain = ev->screen[state][row];
		if (gain < SEEMS_SLOWER)
			return 0;
		best = max(best, gain);
		product = div_u64(product * gain, EQUAL);
	}
	return best < SEEMS_FASTER ? 0 : product;
}

static bool contends(const struct simd_evidence *ev, unsigned int row)
{
	unsigned int i;

	for (i = 0; i < ev->nr; i++)
		if (ev->contender[i].row == row)
			return true;
	return false;
}

/*
 * The best row that does not go on yet; or the best one that needs no section or that streams,
 * if that does not.
 */
static void add_contender(unsigned int c, struct simd_evidence *ev, bool sectionless,
			  bool streaming)
{
	unsigned int row, best = SIMD_NR_ROUTINES;
	u64 product, best_product = 0;

	simd_for_each_row_of(row, simd_cases[c].kind) {
		if ((sectionless && simd_routines[row].guard != SIMD_GUARD_NONE) ||
		    (streaming && !(simd_routines[row].flags & SIMD_STREAMING)) ||
		    (!sectionless && !streaming && contends(ev, row)))
			continue;
		product = promise(c, ev, row);
		if (product <= best_product)
			continue;
		best = row;
		best_product = product;
	}
	if (best < SIMD_NR_ROUTINES && !contends(ev, best))
		ev->contender[ev->nr++].row = best;
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

static bool is_victory(const struct simd_trial *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(victories); i++)
		if (t->tries == victories[i].tries && t->wins >= victories[i].wins)
			return true;
	return false;
}

static bool is_defeat(const struct simd_trial *t)
{
	unsigned int losses = t->tries - t->wins;

	return losses > ALL_LOSSES || (t->tries <= FIRST_TRIES && losses > FIRST_LOSSES) ||
	       (t->tries >= FIRST_TRIES && t->high < FASTER);
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
		if (!tries && (is_victory(t) || is_defeat(t)))
			break;
	}
	return true;
}

/* Return: NULL if a row is better than stock, else why it is not used. */
static const char *try_row(unsigned int c, unsigned int row, struct simd_trial *trials,
			   const struct simd_evidence *ev, struct simd_sampler *sampler)
{
	unsigned int state, best = SIMD_NR_STATES;

	simd_for_each_state_of(state, c)
		if (best == SIMD_NR_STATES || ev->screen[state][row] > ev->screen[best][row])
			best = state;
	if (!duel(c, best, row, 0, sampler, &trials[best]))
		return "not measured often enough";
	if (!is_victory(&trials[best]))
		return "not faster often enough";
	if (trials[best].gain < FASTER)
		return "faster by less than 5 %";

	simd_for_each_state_of(state, c) {
		if (state == best)
			continue;
		if (!duel(c, state, row, FIRST_TRIES, sampler, &trials[state]))
			return "not measured often enough";
		if (trials[state].gain < SLOWER)
			return "slower than stock in another state";
	}
	return NULL;
}

/* The product of the gains in all states. */
static u64 dueled(unsigned int c, const struct simd_trial *trials)
{
	u64 product = EQUAL;
	unsigned int state;

	simd_for_each_state_of(state, c)
		product = div_u64(product * trials[state].gain, EQUAL);
	return product;
}

/* Of the winners the best; the first of the table if others tie with it. */
static void pick(unsigned int c, struct simd_evidence *ev)
{
	unsigned int i, first = ev->nr;
	u64 best = 0;

	for (i = 0; i < ev->nr; i++)
		if (!ev->contender[i].why)
			best = max(best, dueled(c, ev->contender[i].trial));
	for (i = 0; i < ev->nr; i++) {
		if (ev->contender[i].why)
			continue;
		ev->contender[i].why = "faster than stock, but not the best";
		if (dueled(c, ev->contender[i].trial) * (EQUAL + TIE) >= best * EQUAL &&
		    (first == ev->nr || ev->contender[i].row < ev->contender[first].row))
			first = i;
	}
	if (first == ev->nr)
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
	unsigned int state, i;
	u64 best = 0;

	memset(ev, 0, sizeof(*ev));
	ev->row = simd_stock_row(simd_cases[c].kind);
	ev->why = "stock: no row is faster by 5 %";
	sampler->why_not = NULL;

	simd_for_each_state_of(state, c) {
		if (!screen(c, state, results, sampler, ev)) {
			ev->why = sampler->why_not ?: "stock: not measured";
			return;
		}
	}
	for (i = 0; i < BEST_ROWS; i++)
		add_contender(c, ev, false, false);
	add_contender(c, ev, true, false);
	if (simd_cases[c].regime == SIMD_STREAM)
		add_contender(c, ev, false, true);

	for (i = 0; i < ev->nr; i++) {
		unsigned int row = ev->contender[i].row;

		if (promise(c, ev, row) * EQUAL < best * OUTDONE) {
			ev->contender[i].why = "not tried, another row that won seemed better";
			continue;
		}
		ev->contender[i].why = try_row(c, row, ev->contender[i].trial, ev, sampler);
		if (!ev->contender[i].why)
			best = max(best, promise(c, ev, row));
	}
	pick(c, ev);
	/* What ended before it was decided is not known to be no faster. */
	if (ev->row == simd_stock_row(simd_cases[c].kind) && sampler->why_not)
		ev->why = sampler->why_not;
}
SIMD_EXPORT_FOR_TESTS(simd_decide);

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
