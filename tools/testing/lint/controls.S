/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Routines that break one rule of rows.awk each. They are never run.
 *
 * controls.def says which complaint each must draw.
 */
#include "simd_asm.h"

	.macro CONTROL name:req, kind=clear
SYM_TYPED_FUNC_START(simd_\kind\()_\name)
	.endm

	.macro CONTROL_END name:req, kind=clear
SYM_FUNC_END(simd_\kind\()_\name)
	.endm

	/* Of kind to_user: @insn may fault, and then @fixup is next. */
	.macro FAULTING fixup:req, insn:vararg
0:	\insn
	SIMD_FAULT 0b, \fixup
	.endm

	.text

/* --- The symbol --- */

CONTROL norow
	ret
CONTROL_END norow

	.pushsection .data
SYM_DATA(simd_clear_norow_data, .long 0)
	.popsection

	.globl simd_clear_function
simd_clear_function:
	ret

CONTROL size
	.skip	512, 0x90
	ret
CONTROL_END size

CONTROL end
	nop
CONTROL_END end

/* --- What no row may do --- */

CONTROL decode
	.byte	0x0f, 0x04
	ret
CONTROL_END decode

CONTROL call
	call	memset
	ret
CONTROL_END call

CONTROL call_next
	call	1f
1:	ret
CONTROL_END call_next

CONTROL call_tail
	jmp	memset
CONTROL_END call_tail

CONTROL call_branch
	jz	simd_clear_norow
	ret
CONTROL_END call_branch

CONTROL call_pointer
	jmp	*TMP
CONTROL_END call_pointer

CONTROL std
	std
	ret
CONTROL_END std

CONTROL std_popf
	popf
	ret
CONTROL_END std_popf

CONTROL privileged
	cli
	ret
CONTROL_END privileged

CONTROL privileged_msr
	wrmsr
	ret
CONTROL_END privileged_msr

CONTROL privileged_cr
	mov	%cr0, TMP
	ret
CONTROL_END privileged_cr

CONTROL privileged_stac
	stac
	mov	TMP, (DST)
	clac
	ret
CONTROL_END privileged_stac

CONTROL privileged_mc, copy_mc
	stac
	clac
	ret
CONTROL_END privileged_mc, copy_mc

CONTROL privileged_user, to_user
	stac
	cli
	clac
	ret
CONTROL_END privileged_user, to_user

CONTROL string
	rep movsw
	ret
CONTROL_END string

CONTROL string_repne
	repne scasb
	ret
CONTROL_END string_repne

CONTROL string_address
#ifdef CONFIG_X86_64
	.byte	0x67, 0xf3, 0xa4
#else
	.byte	0x67, 0xf3, 0xaa
#endif
	ret
CONTROL_END string_address

#ifdef CONFIG_X86_64
CONTROL string_rex
	.byte	0xf3, 0x40, 0xa4
	ret
CONTROL_END string_rex

CONTROL string_rexr
	.byte	0xf3, 0x44, 0xaa
	ret
CONTROL_END string_rexr

CONTROL string_rex48
	.byte	0xf3, 0x48, 0xa4
	ret
CONTROL_END string_rex48

CONTROL string_early
	.byte	0x40, 0xf3, 0xa4
	ret
CONTROL_END string_early
#endif

CONTROL store
#ifdef CONFIG_X86_64
	mov	TMP, simd_clear_store(%rip)
#else
	mov	TMP, simd_clear_store
#endif
	ret
CONTROL_END store

CONTROL store_indexed
	movb	$0, simd_clear_store(, TMP, 4)
	ret
CONTROL_END store_indexed

CONTROL store_base
	incl	simd_clear_store(TMP)
	ret
CONTROL_END store_base

CONTROL store_counter
#ifdef CONFIG_X86_64
	incl	simd_odd_traps(%rip)
#else
	incl	simd_odd_traps
#endif
	ret
CONTROL_END store_counter

CONTROL store_user, to_user
	stac
#ifdef CONFIG_X86_64
	incl	simd_odd_traps + 4(%rip)
#else
	incl	simd_odd_traps + 4
#endif
	clac
	ret
CONTROL_END store_user, to_user

/* --- STREAM and SFENCE --- */

CONTROL nt
	movnti	%eax, (DST)
	sfence
	ret
CONTROL_END nt

CONTROL nt_direct
	movdir64b (SRC), DST
	sfence
	ret
CONTROL_END nt_direct

CONTROL nt_clzero
	clzero
	sfence
	ret
CONTROL_END nt_clzero

CONTROL nt_mmx
	movntq	%mm0, (DST)
	emms
	sfence
	ret
CONTROL_END nt_mmx

CONTROL nt_mask
	maskmovq %mm1, %mm0
	emms
	ret
CONTROL_END nt_mask

CONTROL nt_sse
	movntps	%xmm0, (DST)
	sfence
	ret
CONTROL_END nt_sse

#ifdef CONFIG_X86_64
CONTROL nt_avx512
	vmovntdq %zmm16, (DST)
	sfence
	ret
CONTROL_END nt_avx512
#endif

CONTROL stream
	mov	TMP, (DST)
	sfence
	ret
CONTROL_END stream

CONTROL sfence
	movnti	%eax, (DST)
	ret
CONTROL_END sfence

CONTROL sfence_early
	sfence
	movnti	%eax, (DST)
	ret
CONTROL_END sfence_early

CONTROL sfence_store
	movnti	%eax, (DST)
	sfence
	movb	$0, (DST)
	ret
CONTROL_END sfence_store

CONTROL sfence_string
	movnti	%eax, (DST)
	sfence
	rep stosb
	ret
CONTROL_END sfence_string

CONTROL sfence_line
	sfence
	movdir64b (SRC), DST
	ret
CONTROL_END sfence_line

CONTROL sfence_skipped
	movnti	%eax, (DST)
	jz	1f
	sfence
1:	ret
CONTROL_END sfence_skipped

CONTROL sfence_second
	movnti	%eax, (DST)
	jz	1f
	sfence
	ret
1:	ret
CONTROL_END sfence_second

CONTROL sfence_first
	movnti	%eax, (DST)
	jz	1f
	ret
1:	sfence
	ret
CONTROL_END sfence_first

CONTROL sfence_load
	movnti	%eax, (DST)
	lfence
	ret
CONTROL_END sfence_load

CONTROL sfence_mc, copy_mc
0:	mov	(SRC), TMP
	SIMD_FAULT 0b, 1f, 1
	movnti	TMP, (DST)
	sfence
1:	ret
CONTROL_END sfence_mc, copy_mc

CONTROL sfence_fault, to_user
	stac
	FAULTING 1f, movnti %eax, (DST)
	sfence
1:	clac
	ret
CONTROL_END sfence_fault, to_user

/* --- Faults and user access --- */

CONTROL noentry, to_user
	stac
	mov	TMP, (DST)
	clac
	ret
CONTROL_END noentry, to_user

CONTROL noentry_load, to_user
	stac
	mov	(SRC), TMP
	clac
	ret
CONTROL_END noentry_load, to_user

CONTROL noentry_string, to_user
	stac
	rep movsb
	clac
	ret
CONTROL_END noentry_string, to_user

CONTROL noentry_second, to_user
	stac
	FAULTING 1f, mov TMP, (DST)
	movnti	TMP, WORD(DST)
1:	sfence
	clac
	ret
CONTROL_END noentry_second, to_user

CONTROL noentry_mc, copy_mc
	mov	(SRC), TMP
	mov	TMP, (DST)
	ret
CONTROL_END noentry_mc, copy_mc

CONTROL noentry_mcstring, copy_mc
	rep movsb
	ret
CONTROL_END noentry_mcstring, copy_mc

CONTROL noentry_mcline, copy_mc
	.byte	0x66, 0x0f, 0x38, 0xf8, 0x3e	/* movdir64b (SRC), DST */
	sfence
	ret
CONTROL_END noentry_mcline, copy_mc

CONTROL entry, to_user
	stac
	FAULTING 1f, mov LEN, TMP
1:	clac
	ret
CONTROL_END entry, to_user

CONTROL entry_clear
	FAULTING 1f, rep stosb
1:	ret
CONTROL_END entry_clear

CONTROL entry_inside, to_user
	stac
	FAULTING 1f, mov TMP, (DST)
	SIMD_FAULT 0b+1, 1f
1:	clac
	ret
CONTROL_END entry_inside, to_user

CONTROL fixup, to_user
	stac
	FAULTING simd_clear_norow, mov TMP, (DST)
	clac
	ret
CONTROL_END fixup, to_user

CONTROL fixup_next, to_user
	stac
	FAULTING .Lfixup_next, mov TMP, (DST)
	clac
	ret
CONTROL_END fixup_next, to_user

CONTROL fixup_inside, to_user
	stac
	FAULTING 1f+1, mov TMP, (DST)
1:
.Lfixup_next:
	clac
	ret
CONTROL_END fixup_inside, to_user

CONTROL fixup_type, to_user
	stac
1:	mov	TMP, (DST)
	_ASM_EXTABLE_TYPE(1b, 2f, 1)
2:	clac
	ret
CONTROL_END fixup_type, to_user

/* Where a store may fault as well, an error of the destination is taken for the source's. */
CONTROL entry_mc, copy_mc
0:	mov	(SRC), TMP
	SIMD_FAULT 0b, 1f, 1
2:	mov	TMP, (DST)
	SIMD_FAULT 2b, 1f, 1
1:	ret
CONTROL_END entry_mc, copy_mc

/* What is right for a copy to user space does not recover from a machine check. */
CONTROL fixup_mc, copy_mc
	FAULTING 1f, mov (SRC), TMP
	mov	TMP, (DST)
1:	ret
CONTROL_END fixup_mc, copy_mc

CONTROL fragile, copy_mc
0:	rep movsb
	SIMD_FAULT 0b, 1f, 1
1:	ret
CONTROL_END fragile, copy_mc

CONTROL fragile_veto, copy_mc
0:	REP_MOVS
	SIMD_FAULT 0b, 1f, 1
1:	ret
CONTROL_END fragile_veto, copy_mc

CONTROL stac, to_user
	FAULTING 1f, mov TMP, (DST)
1:	clac
	ret
CONTROL_END stac, to_user

CONTROL stac_late, to_user
	FAULTING 1f, mov TMP, (DST)
	stac
1:	clac
	ret
CONTROL_END stac_late, to_user

CONTROL stac_skipped, to_user
	jz	1f
	stac
1:	FAULTING 2f, mov TMP, (DST)
2:	clac
	ret
CONTROL_END stac_skipped, to_user

CONTROL stac_twice, to_user
	stac
	stac
	FAULTING 1f, mov TMP, (DST)
1:	clac
	ret
CONTROL_END stac_twice, to_user

CONTROL stac_loop, to_user
1:	stac
	FAULTING 2f, mov TMP, (DST)
	jnz	1b
2:	clac
	ret
CONTROL_END stac_loop, to_user

CONTROL clac, to_user
	stac
	FAULTING 1f, mov TMP, (DST)
1:	ret
CONTROL_END clac, to_user

CONTROL clac_fault, to_user
	stac
	FAULTING 1f, mov TMP, (DST)
	clac
1:	ret
CONTROL_END clac_fault, to_user

CONTROL clac_early, to_user
	stac
	clac
	FAULTING 1f, mov TMP, (DST)
	ret
1:	clac
	ret
CONTROL_END clac_early, to_user

/* --- The guard --- */

CONTROL none_xmm
	movups	(SRC), %xmm7
	ret
CONTROL_END none_xmm

CONTROL none_zmm
	vmovdqu64 %zmm7, (DST)
	ret
CONTROL_END none_zmm

CONTROL none_mask
	kmovw	%eax, %k1
	ret
CONTROL_END none_mask

CONTROL none_mm
	movq	%mm0, (DST)
	ret
CONTROL_END none_mm

CONTROL none_emms
	emms
	ret
CONTROL_END none_emms

CONTROL none_fninit
	fninit
	ret
CONTROL_END none_fninit

CONTROL none_fst
	fstpl	(DST)
	ret
CONTROL_END none_fst

CONTROL none_fwait
	fwait
	ret
CONTROL_END none_fwait

CONTROL none_mxcsr
	ldmxcsr	(SRC)
	ret
CONTROL_END none_mxcsr

CONTROL none_vzeroupper
	vzeroupper
	ret
CONTROL_END none_vzeroupper

CONTROL mmx
	movups	%xmm0, (DST)
	emms
	ret
CONTROL_END mmx

CONTROL mmx_ymm
	vmovdqu	%ymm0, (DST)
	emms
	ret
CONTROL_END mmx_ymm

CONTROL emms
	movq	%mm0, (DST)
	ret
CONTROL_END emms

CONTROL emms_early
	emms
	movq	%mm0, (DST)
	ret
CONTROL_END emms_early

CONTROL emms_x87
	emms
	fldz
	ret
CONTROL_END emms_x87

CONTROL emms_skipped
	movq	%mm0, (DST)
	jz	1f
	emms
1:	ret
CONTROL_END emms_skipped

CONTROL emms_fault, to_user
	stac
	FAULTING 1f, movq %mm0, (DST)
	emms
1:	clac
	ret
CONTROL_END emms_fault, to_user

CONTROL xmm
	movups	(SRC), %xmm0
	movq	%mm0, (DST)
	ret
CONTROL_END xmm

CONTROL xmm_x87
	fninit
	ret
CONTROL_END xmm_x87

CONTROL xmm_emms
	emms
	ret
CONTROL_END xmm_emms

CONTROL mxcsr
	addps	%xmm0, %xmm1
	ret
CONTROL_END mxcsr

CONTROL mxcsr_avx
	vsqrtps	%xmm0, %xmm1
	ret
CONTROL_END mxcsr_avx

CONTROL mxcsr_load
	ldmxcsr	(SRC)
	ret
CONTROL_END mxcsr_load

CONTROL vzeroupper
	vmovdqu	%ymm0, (DST)
	ret
CONTROL_END vzeroupper

CONTROL vzeroupper_early
	vzeroupper
	vmovdqu	(SRC), %ymm7
	ret
CONTROL_END vzeroupper_early

CONTROL vzeroupper_skipped
	vmovdqu	%ymm0, (DST)
	jz	1f
	vzeroupper
1:	ret
CONTROL_END vzeroupper_skipped

CONTROL vzeroupper_fault, to_user
	stac
	FAULTING 1f, vmovdqu %ymm0, (DST)
	vzeroupper
1:	clac
	ret
CONTROL_END vzeroupper_fault, to_user

#ifdef CONFIG_X86_64
CONTROL vzeroupper_zmm
	vmovdqu64 (SRC), %zmm15
	ret
CONTROL_END vzeroupper_zmm
#endif

/* --- What is right, and only just --- */

CONTROL good_none
	cmpb	$0, (DST)
	prefetchnta (DST)
	rep stosb
	ret
CONTROL_END good_none

CONTROL good_stream
1:	movnti	%eax, (DST)
	jz	2f
	sub	$64, LEN
	jnz	1b
	sfence
	mov	(SRC), %al
	ret
2:	sfence
	ret
CONTROL_END good_stream

CONTROL good_loop
1:	movnti	%eax, (DST)
	sfence
	sub	$64, LEN
	jnz	1b
	ret
CONTROL_END good_loop

CONTROL good_mmx
	movq	%mm0, (DST)
	emms
	mov	TMP, (DST)
	ret
CONTROL_END good_mmx

#ifdef CONFIG_X86_64
CONTROL good_xmm
	movntdqa (SRC), %xmm0
	vmovdqu64 %ymm16, (DST)
	kmovw	%eax, %k1
	vmovdqu8 %zmm31, (DST){%k1}
	ret
CONTROL_END good_xmm
#endif

CONTROL good_mc, copy_mc
0:	mov	(SRC), TMP
	SIMD_FAULT 0b, 3f, 1
	movnti	TMP, (DST)
1:	rep movsb
	SIMD_FAULT 1b, 2f, 1
2:	sfence
	mov	LEN, TMP
	ret
3:	SIMD_FAULTED 1b, 2b
CONTROL_END good_mc, copy_mc

CONTROL good_user, to_user
	push	TMP
	stac
	jz	1f
	FAULTING 3f, movnti %eax, (DST)
1:	FAULTING 2f, rep movsb
2:	sfence
	clac
	pop	TMP
	ret
3:	SIMD_FAULTED 1b
CONTROL_END good_user, to_user

	.data
SYM_DATA(simd_odd_traps, .long 0, 0)
