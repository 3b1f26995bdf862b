/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_ASM_H
#define SHIM_ASM_ASM_H

#ifdef CONFIG_X86_64
#define _ASM_AX	rax
#define _ASM_BX	rbx
#define _ASM_CX	rcx
#define _ASM_DX	rdx
#define _ASM_SI	rsi
#define _ASM_DI	rdi
#define _ASM_BP	rbp
#define _ASM_SP	rsp
#else
#define _ASM_AX	eax
#define _ASM_BX	ebx
#define _ASM_CX	ecx
#define _ASM_DX	edx
#define _ASM_SI	esi
#define _ASM_DI	edi
#define _ASM_BP	ebp
#define _ASM_SP	esp
#endif

/* The kernel's own layout: where an instruction that may fault goes on. */
#define EX_TYPE_FAULT		2	/* with the trap number in eax */
#define EX_TYPE_FAULT_MCE_SAFE	15	/* the same, after a machine check, too */

#ifdef __ASSEMBLY__
#define _ASM_EXTABLE_TYPE(insn, fixup, type) shim_extable insn, fixup, type

.macro shim_extable insn:req, fixup:req, type:req
	.pushsection __ex_table, "a"
	.balign	4
	.long	\insn - .
	.long	\fixup - .
	.long	\type
	.popsection
.endm
#endif

#endif /* SHIM_ASM_ASM_H */
