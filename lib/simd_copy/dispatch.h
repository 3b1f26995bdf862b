/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows in use: who has chosen says so here.
 */
#ifndef _LIB_SIMD_COPY_DISPATCH_H
#define _LIB_SIMD_COPY_DISPATCH_H

#include "simd_copy.h"

void simd_use(const struct simd_plan *plan);
enum simd_regime simd_auto_regime(enum simd_kind kind, unsigned long len);

#endif /* _LIB_SIMD_COPY_DISPATCH_H */
