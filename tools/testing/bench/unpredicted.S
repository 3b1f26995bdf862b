/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call a routine so that no CPU sees it coming: one that predicts where a call
 * goes fetches the code before the clock has started.
 *
 *	void call_unpredicted(const struct subject *s, void *dst, const void *src,
 *			      unsigned long len, void (*run)(...));
 *
 * run gets the first four arguments. All predictors know of the return is that it
 * goes to the trap.
 */
#include <linux/linkage.h>

	.text
SYM_FUNC_START(call_unpredicted)
	call	1f
.Ltrap:
	pause
	lfence
	jmp	.Ltrap
1:
	mov	%r8, (%rsp)
	ret
SYM_FUNC_END(call_unpredicted)
