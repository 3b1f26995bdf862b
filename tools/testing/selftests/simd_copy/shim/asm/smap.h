/* SPDX-License-Identifier: GPL-2.0 */
/*
 * STAC and CLAC. No program may run them, so the harness counts what would be
 * run; for who only reads the code, SHIM_PRIVILEGED gives the instructions.
 */
#ifndef SHIM_ASM_SMAP_H
#define SHIM_ASM_SMAP_H

#ifdef SHIM_PRIVILEGED
#define ASM_STAC	stac
#define ASM_CLAC	clac
#else
/* In whatever program the routines are linked into. */
	.comm	shim_stac, 4, 4
	.comm	shim_clac, 4, 4
#ifdef CONFIG_X86_64
#define ASM_STAC	incl shim_stac(%rip)
#define ASM_CLAC	incl shim_clac(%rip)
#else
#define ASM_STAC	incl shim_stac
#define ASM_CLAC	incl shim_clac
#endif
#endif

#endif /* SHIM_ASM_SMAP_H */
