/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows in use, as sysfs.c shows and changes them.
 */
#ifndef _LIB_SIMD_COPY_CORE_H
#define _LIB_SIMD_COPY_CORE_H

#include <linux/mutex.h>

#include "simd_copy.h"

extern struct mutex simd_lock;
extern struct simd_result simd_results[SIMD_NR_ROUTINES];
extern struct simd_choice simd_choices[SIMD_NR_KINDS];
extern struct simd_machine simd_machine;

/* Room for the names of one kind. */
#define SIMD_NAMES	384

void simd_list_names(enum simd_kind kind, unsigned int chosen, char *buf, size_t size);
int simd_force(enum simd_kind kind, unsigned int regimes, const char *name);

enum simd_regime simd_auto_regime(enum simd_kind kind, unsigned long len);
bool simd_is_stock(enum simd_kind kind, enum simd_regime regime, unsigned int sizes);
void simd_settle(void);

/* hooks.c */
#ifdef CONFIG_SIMD_COPY_HOOKS
void simd_hooks_update(enum simd_kind kind);
#else
static inline void simd_hooks_update(enum simd_kind kind) { }
#endif

/* window.c */
bool simd_window_open(struct simd_user_window *window);
void simd_window_close(struct simd_user_window *window);

/* sysfs.c */
int simd_sysfs_init(void);
void simd_sysfs_exit(void);

#endif /* _LIB_SIMD_COPY_CORE_H */
