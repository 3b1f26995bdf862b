/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of the kernel's own page and user copies, for who has chosen.
 */
#ifndef _LIB_SIMD_COPY_HOOKS_H
#define _LIB_SIMD_COPY_HOOKS_H

#include "simd_copy.h"

#ifdef CONFIG_SIMD_COPY_HOOKS
void simd_hooks_update(const struct simd_plan *plan);
#else
static inline void simd_hooks_update(const struct simd_plan *plan) { }
#endif

#endif /* _LIB_SIMD_COPY_HOOKS_H */
