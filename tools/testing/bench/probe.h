/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Costs that are no routine's: of forwards that are blocked, and of sections.
 */
#ifndef PROBE_H
#define PROBE_H

#include <linux/types.h>

/* Widths of loads and stores: 1 << i bytes. */
#define NR_WIDTHS	7

/**
 * struct forward_cost - what it costs to load what was just stored
 * @cycles:	of the core, by width of the stores and of the load: as many stores as
 *		fill the load, and the load; 0 if the CPU has no such width
 */
struct forward_cost {
	double	cycles[NR_WIDTHS][NR_WIDTHS];
};

void probe_forward(struct forward_cost *cost);

/**
 * struct op_cost - what an instruction costs
 * @warm:	ns, its memory in the L1 cache
 * @cold:	ns, its memory in no cache
 */
struct op_cost {
	double	warm;
	double	cold;
};

/**
 * struct guard_cost - what a section consists of
 * @save:	the owner's registers, all of them in use
 * @restore:	on the way back to the owner
 * @mmx:	section of MMX: FNCLEX, EMMS. One of XMM sets up nothing
 * @fninit:	what kernel_fpu_begin() does as well where it is not told not to
 * @ldmxcsr:	likewise
 */
struct guard_cost {
	struct op_cost	save;
	struct op_cost	restore;
	struct op_cost	mmx;
	struct op_cost	fninit;
	struct op_cost	ldmxcsr;
};

void probe_guard(struct guard_cost *cost);

/* simdbench probe */
int probe(void);

#endif /* PROBE_H */
