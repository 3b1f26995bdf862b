/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_FPU_API_H
#define SHIM_ASM_FPU_API_H

#include <linux/types.h>

int cpu_has_xfeatures(u64 xfeatures, const char **missing);

#endif /* SHIM_ASM_FPU_API_H */
