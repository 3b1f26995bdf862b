// SPDX-License-Identifier: GPL-2.0
/*
 * How good choices are. Regret is how much faster the best row would have been. The best
 * row is the best of those that may be chosen at all: a caller does not know in which
 * state its data is, so that a row that is slower than stock in one of the states of its
 * case is none, however fast it is in the others. Regret goes by medians, whatever their
 * intervals are; where those overlap it may be none.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "judge.h"

double least_ratio(const struct truth *truth, unsigned int c, unsigned int row)
{
	double least = INFINITY;
	unsigned int state;

	simd_for_each_state_of(state, c)
		least = fmin(least, truth->ratio[c][state][row].median);
	return least;
}

/* The geometric mean of the ratios in all states of a case, and of the ends of intervals. */
static struct interval means(const struct truth *truth, unsigned int c, unsigned int row)
{
	struct interval mean = { 1, 1, 1 };
	unsigned int state, n = 0;

	simd_for_each_state_of(state, c) {
		const struct interval *ratio = &truth->ratio[c][state][row];

		mean.median *= ratio->median;
		mean.low *= ratio->low;
		mean.high *= ratio->high;
		n++;
	}
	return (struct interval) { pow(mean.median, 1.0 / n), pow(mean.low, 1.0 / n),
				   pow(mean.high, 1.0 / n) };
}

static double overall(const struct truth *truth, unsigned int c, unsigned int row)
{
	return means(truth, c, row).median;
}

unsigned int best_row(const struct truth *truth, unsigned int c)
{
	unsigned int row, best = simd_stock_row(simd_cases[c].kind);

	simd_for_each_row_of(row, simd_cases[c].kind)
		if (least_ratio(truth, c, row) >= NEVER_BELOW &&
		    overall(truth, c, row) > overall(truth, c, best))
			best = row;
	return best;
}

double regret_of(const struct truth *truth, unsigned int c, unsigned int row)
{
	double best = overall(truth, c, best_row(truth, c));

	return fmax((best / overall(truth, c, row) - 1) * 100, 0);
}

void judge(struct judgement *j, const struct truth *truth, unsigned int c, unsigned int row)
{
	unsigned int best = best_row(truth, c);

	j->regrets = realloc(j->regrets, (j->n + 1) * sizeof(*j->regrets));
	if (!j->regrets)
		abort();
	j->regrets[j->n++] = regret_of(truth, c, row);
	j->slower += least_ratio(truth, c, row) < NEVER_BELOW;
	j->unsure += row != best && means(truth, c, row).high >= means(truth, c, best).low;
	j->chosen[c][row]++;
	j->judged[c]++;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int holds(const char *what, double is, double limit)
{
	printf("%-40s %6.2f %%  at most %5.1f %%%s\n", what, is, limit,
	       is <= limit ? "" : "  MISSED");
	return is > limit;
}

static void print_case(const struct judgement *j, const struct truth *truth, unsigned int c)
{
	unsigned int row, best = best_row(truth, c);

	printf("%-8s %-12s  best: %-10s %5.2f x  chosen:", simd_kind_names[simd_cases[c].kind],
	       simd_cases[c].name, simd_routines[best].name, overall(truth, c, best));
	simd_for_each_row_of(row, simd_cases[c].kind)
		if (j->chosen[c][row])
			printf(" %s %.2f x in %u of %u", simd_routines[row].name,
			       overall(truth, c, row), j->chosen[c][row], j->judged[c]);
	printf("\n");
}

int print_judgement(struct judgement *j, const struct truth *truth, const struct limits *limits)
{
	unsigned int i, c;
	double sum = 0;
	int missed;

	if (!j->n) {
		printf("FAIL: there was no choice to judge\n");
		return 1;
	}
	simd_for_each_case(c)
		if (j->judged[c])
			print_case(j, truth, c);
	qsort(j->regrets, j->n, sizeof(*j->regrets), ascending);
	for (i = 0; i < j->n; i++)
		sum += j->regrets[i];
	printf("\n%u choices; of %u the walk cannot tell whether the best row is better\n", j->n,
	       j->unsure);
	missed = holds("regret, mean", sum / j->n, limits->mean);
	missed += holds("regret, 95th percentile", j->regrets[(j->n - 1) * 95 / 100],
			limits->most);
	missed += holds("regret, worst", j->regrets[j->n - 1], limits->worst);
	missed += holds("choices below 0.98 times stock", 100.0 * j->slower / j->n,
			limits->slower);
	return missed;
}
