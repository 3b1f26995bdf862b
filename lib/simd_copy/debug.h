/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CONFIG_SIMD_COPY_DEBUG: the rules of a section, checked while they are kept.
 */
#ifndef _LIB_SIMD_COPY_DEBUG_H
#define _LIB_SIMD_COPY_DEBUG_H

#include "simd_copy.h"

struct seq_file;

#ifdef CONFIG_SIMD_COPY_DEBUG

void simd_debug_begin(enum simd_guard guard);
void simd_debug_end(enum simd_guard guard);
void simd_debug_enter(const struct simd_routine *r);
void simd_debug_leave(unsigned long bytes);
void simd_debug_show(struct seq_file *m);
void simd_debug_init(void);
void simd_debug_exit(void);

#else

static inline void simd_debug_begin(enum simd_guard guard) { }
static inline void simd_debug_end(enum simd_guard guard) { }
static inline void simd_debug_enter(const struct simd_routine *r) { }
static inline void simd_debug_leave(unsigned long bytes) { }
static inline void simd_debug_show(struct seq_file *m) { }
static inline void simd_debug_init(void) { }
static inline void simd_debug_exit(void) { }

#endif /* CONFIG_SIMD_COPY_DEBUG */

#endif /* _LIB_SIMD_COPY_DEBUG_H */
