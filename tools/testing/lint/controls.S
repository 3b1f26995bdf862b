/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Routines that break one rule of rows.awk each. They are never run.
 *
 * controls.def says which complaint each must draw.
 */
#include "simd_asm.h"

	.macro CONTROL name:req
SYM_TYPED_FUNC_START(simd_clear_\name)
	.endm

	.macro CONTROL_END name:req
SYM_FUNC_END(simd_clear_\name)
	.endm

	.text

/* --- The symbol --- */

CONTROL norow
	ret
CONTROL_END norow

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
