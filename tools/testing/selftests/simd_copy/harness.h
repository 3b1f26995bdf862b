/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the harness share.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <linux/kernel.h>

#include "simd_copy.h"

/* What can be wrong with a routine; a mutant names the one that it gets wrong. */
enum check {
	CHECK_DATA,
	CHECK_BEFORE,
	CHECK_AFTER,
	CHECK_SOURCE,
	CHECK_SAVED,
	CHECK_STACK,
	CHECK_FLAGS,
	CHECK_X87,
	CHECK_TAGS,
	CHECK_MXCSR,
	CHECK_VECTOR,
	CHECK_UPPER,
	CHECK_CRASH,
	NR_CHECKS
};

extern const char *const check_names[NR_CHECKS];

/* cpu.c */
void cpuid(u32 leaf, u32 subleaf, u32 regs[4]);
u64 cpu_xcr0(void);

/* state.c */
void state_init(void);
void state_save(void);
void state_prepare(enum simd_guard guard);
unsigned int state_compare(enum simd_guard guard);

/* check.c */
/**
 * struct sweep - how to go through the inputs of a row
 * @seed:	of the random cases
 * @cases:	number of random cases
 * @verbose:	stop at the first failure, and explain it
 */
struct sweep {
	u64		seed;
	unsigned long	cases;
	bool		verbose;
};

void check_init(void);
unsigned int check_row(const struct simd_routine *r, const struct sweep *sweep);

/* mutant_table.c */
/**
 * struct mutant - a row that is wrong on purpose
 * @check:	what has to catch it
 * @row:	the row
 */
struct mutant {
	enum check		check;
	struct simd_routine	row;
};

extern const struct mutant mutants[];
extern const unsigned int nr_mutants;
const char *mutant_missing(const struct mutant *m);

/* doc.c */
void print_list(void);
void print_markdown(void);

/* bench.c */
int bench(void);

#endif /* HARNESS_H */
