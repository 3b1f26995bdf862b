/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_BARRIER_H
#define SHIM_ASM_BARRIER_H

/* All stores before, then all loads after. */
#define mb()	__sync_synchronize()

#endif /* SHIM_ASM_BARRIER_H */
