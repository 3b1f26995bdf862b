/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was chosen, and how to choose something else.
 */
#ifndef _LIB_SIMD_COPY_CHOICE_H
#define _LIB_SIMD_COPY_CHOICE_H

#include <linux/mutex.h>

#include "simd_copy.h"

/* Protects all that follows. */
extern struct mutex simd_lock;
extern struct simd_result simd_results[SIMD_NR_ROUTINES];
extern struct simd_plan simd_plan;
extern struct simd_evidence simd_evidence[SIMD_NR_CASES];
extern struct simd_machine simd_machine;

/* All cases of a kind, as simd_force() takes them, and those of one regime. */
#define SIMD_ALL_REGIMES	(BIT(SIMD_NR_REGIMES) - 1)

/* Room for the names of one kind. */
#define SIMD_NAMES	384

void simd_list_names(enum simd_kind kind, unsigned int chosen, char *buf, size_t size);
int simd_force(enum simd_kind kind, unsigned int regimes, const char *name);
void simd_adopt(const struct simd_plan *plan);
void simd_settle(void);

int simd_choice_init(void);

#endif /* _LIB_SIMD_COPY_CHOICE_H */
