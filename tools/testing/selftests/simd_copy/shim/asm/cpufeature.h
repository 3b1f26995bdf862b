/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_CPUFEATURE_H
#define SHIM_ASM_CPUFEATURE_H

#include <linux/types.h>
#include <asm/cpufeatures.h>

bool boot_cpu_has(unsigned int bit);

#endif /* SHIM_ASM_CPUFEATURE_H */
