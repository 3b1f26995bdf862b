/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which cells to measure: lists of values, and all their combinations.
 */
#ifndef MATRIX_H
#define MATRIX_H

#include "measure.h"

#define MAX_VALUES	64

/* What cells differ in; the last one changes fastest. */
enum axis_id {
	AXIS_KIND,
	AXIS_PAGE,
	AXIS_THREADS,
	AXIS_ICACHE,
	AXIS_CONSUMER,
	AXIS_SRC,
	AXIS_DST,
	AXIS_SIZE,
	AXIS_DST_OFF,
	AXIS_SRC_OFF,
	NR_AXES
};

/**
 * struct axis - one of these, as an option
 * @name:	of the option, without dashes
 * @letter:	of the option, 0 if it has none
 * @help:	what it means
 * @names:	what its values are called, NULL where they are numbers
 * @nr:		how many names there are
 * @max:	the largest number
 * @usual:	its value if none is given
 */
struct axis {
	const char		*name;
	char			letter;
	const char		*help;
	const char *const	*names;
	unsigned int		nr;
	unsigned long		max;
	unsigned long		usual;
};

extern const struct axis axes[NR_AXES];

/**
 * struct matrix - lists of values, whose combinations are cells
 * @list:	by axis; an empty one stands for the usual value, for all kinds, and for
 *		the nearest place
 * @list.nr:	how many values there are
 * @list.value:	the values; of those that have names, the index
 */
struct matrix {
	struct {
		unsigned int	nr;
		unsigned long	value[MAX_VALUES];
	} list[NR_AXES];
};

/**
 * matrix_set() - read the values of an axis
 * @m:		where they go
 * @axis:	the axis
 * @values:	by commas
 *
 * Return: 0, or -1. Stderr says what would be valid.
 */
int matrix_set(struct matrix *m, enum axis_id axis, const char *values);

/**
 * struct job - a cell, and what is measured in it
 * @kind:	what the subjects do
 * @cell:	the cell
 * @value:	the same, by axis
 */
struct job {
	enum simd_kind	kind;
	struct cell	cell;
	unsigned long	value[NR_AXES];
};

/**
 * struct jobs - a list that grows
 * @nr:		how many
 * @job:	the jobs
 */
struct jobs {
	unsigned int	nr;
	struct job	*job;
};

/* All combinations that are not in the list. After measure_init(). */
void matrix_jobs(const struct matrix *m, struct jobs *jobs);

/* What a minute is well spent on. */
void default_jobs(struct jobs *jobs);

#endif /* MATRIX_H */
