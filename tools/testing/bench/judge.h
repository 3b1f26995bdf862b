/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How good choices are, by what is true of the machine.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include "simd_copy.h"
#include "walk.h"

/**
 * struct truth - how fast rows are
 * @ratio:	by case, state and row: times as fast as stock, 0 if unknown
 */
struct truth {
	struct interval	ratio[SIMD_NR_CASES][SIMD_NR_STATES][SIMD_NR_ROUTINES];
};

/**
 * struct limits - what choices are held to
 * @mean:	regret, percent
 * @most:	regret, percent, that 95 of 100 choices do not exceed
 * @worst:	regret, percent, that none does
 * @slower:	percent of choices that are slower than %NEVER_BELOW times stock
 */
struct limits {
	double	mean;
	double	most;
	double	worst;
	double	slower;
};

/* A choice is slower than stock if it is below this in some state of its case. */
#define NEVER_BELOW	0.98

/**
 * struct judgement - on many calibrations
 * @n:		choices that were judged
 * @regrets:	of each, percent
 * @slower:	how many were slower than stock
 * @unsure:	how many cannot be told from the best row: their intervals overlap
 * @chosen:	by case and row, how often
 * @judged:	by case, choices
 */
struct judgement {
	unsigned int	n;
	double		*regrets;
	unsigned int	slower;
	unsigned int	unsure;
	unsigned int	chosen[SIMD_NR_CASES][SIMD_NR_ROUTINES];
	unsigned int	judged[SIMD_NR_CASES];
};

/* The row that is best among those that are slower than stock in no state of a case. */
unsigned int best_row(const struct truth *truth, unsigned int c);

/* How much faster than row would be the best one, percent. */
double regret_of(const struct truth *truth, unsigned int c, unsigned int row);

/* Least ratio of a row in the states of a case. */
double least_ratio(const struct truth *truth, unsigned int c, unsigned int row);

/* Add the choice of a case. */
void judge(struct judgement *j, const struct truth *truth, unsigned int c, unsigned int row);

/* Print what came of it. Return: how many limits do not hold. */
int print_judgement(struct judgement *j, const struct truth *truth, const struct limits *limits);

#endif /* JUDGE_H */
