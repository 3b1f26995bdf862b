/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_TRAPNR_H
#define SHIM_ASM_TRAPNR_H

#define X86_TRAP_PF	14	/* page fault */
#define X86_TRAP_MF	16	/* x87 exception */
#define X86_TRAP_MC	18	/* machine check */

#endif /* SHIM_ASM_TRAPNR_H */
