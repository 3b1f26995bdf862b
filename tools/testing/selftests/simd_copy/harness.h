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
	CHECK_RESIDUE,
	CHECK_ACCESS,
	CHECK_FIXUP,
	CHECK_FENCE,
	CHECK_TRAPS,
	CHECK_TURNS,
	CHECK_CRASH,
	NR_CHECKS
};

extern const char *const check_names[NR_CHECKS];

/* cpu.c */
void cpuid(u32 leaf, u32 subleaf, u32 regs[4]);
u64 cpu_xcr0(void);
/* As if the CPU had a feature or not. Before simd_detect(). */
void cpu_assume(unsigned int bit, bool has);

/* state.c */
void state_init(void);
void state_save(void);
void state_prepare(enum simd_guard guard);
unsigned int state_misread(void);
unsigned int state_compare(enum simd_guard guard);

/* trap.c */
/**
 * struct trap - what may happen to a call, and what did
 * @hole:	a page that can not be accessed, NULL if there is none
 * @claim:	the trap that the first access of @hole goes by. The page is there
 *		from then on. 0: all are page faults, and it is not.
 * @step:	look at each instruction
 * @user:	@hole may only be accessed while user access is open
 * @filled:	@hole is there now
 * @faults:	accesses of @hole so far
 * @closed:	one of them was made without user access
 * @fenced:	the last SFENCE came after the last access that may fault
 * @signal:	what ended the call, 0 if it returned
 * @addr:	the address that was for
 */
struct trap {
	u8		*hole;
	unsigned int	claim;
	bool		step;
	bool		user;
	bool		filled;
	unsigned int	faults;
	bool		closed;
	bool		fenced;
	int		signal;
	u8		*addr;
};

/* What the call at hand has of that, and how often it opened and closed access. */
extern struct trap trap;
extern unsigned int shim_stac, shim_clac;

void trap_init(void);
bool trap_call(void);

/* In simd_string.S */
extern int simd_odd_traps;

/* verify.c */
/* What a run that leaves nothing out takes. */
#define ALL_CASES	100000

/**
 * struct sweep - how to go through the inputs of a row
 * @seed:	of the random cases
 * @cases:	number of random cases; with fewer than %ALL_CASES, faults are sampled
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
