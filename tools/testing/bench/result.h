/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was measured, and how it is written down.
 */
#ifndef RESULT_H
#define RESULT_H

#include <stdio.h>

#include "measure.h"

/**
 * struct result - one subject in one cell
 * @subject:	the subject
 * @cell:	the cell
 * @figures:	what it took
 */
struct result {
	const struct subject	*subject;
	struct cell		cell;
	struct figures		figures;
};

/* Changes whenever a field means something else than it did. */
#define SCHEMA	"simdbench 1"
#define WALK_SCHEMA	"simdbench walk 2"

/* A line of the table; @nr results of one cell. */
void print_head(void);
void print_cell(const struct result *results, unsigned int nr, bool verbose);
void print_foot(void);

/* As "64KB flushed<-flushed, read all", valid until the next call. */
const char *cell_name(const struct cell *cell, enum simd_kind kind);

/* Whether a file can be written, before it takes a minute to have what to write. */
int check_writable(const char *path);
int write_csv(const char *path, const struct result *results, unsigned int nr);
int write_json(const char *path, const struct result *results, unsigned int nr,
	       unsigned long stolen_before);

/**
 * compare() - set two files of write_json(), or of two walks, against each other
 * @path:	the files
 * @verbose:	print all cells, not only those that differ
 *
 * Return: exit status: 0 nothing is outside the spread and no winners are farther apart
 * than their intervals allow, 1 something is, 2 there is nothing to compare.
 */
int compare(char *const path[2], bool verbose);

#endif /* RESULT_H */
