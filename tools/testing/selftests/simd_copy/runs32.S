/* SPDX-License-Identifier: GPL-2.0 */
/*
 * exit(0), and nothing else: a kernel that does not run this 32-bit program runs
 * none. See run32.sh.
 */
#include <asm/unistd_32.h>

	.globl	_start
_start:
	mov	$__NR_exit, %eax
	xor	%ebx, %ebx
	int	$0x80
