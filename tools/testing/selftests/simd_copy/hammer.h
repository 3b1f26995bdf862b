/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One round of the register hammer: what hammer_run() is told, and tells.
 */
#ifndef HAMMER_H
#define HAMMER_H

/* A state image. Those of AVX-512 take 2696 bytes, if no gaps are left. */
#define HAMMER_AREA	4096

/* In bytes */
#define HAMMER_WANT	(0 * HAMMER_AREA)
#define HAMMER_GOT	(1 * HAMMER_AREA)
#define HAMMER_MASK	(2 * HAMMER_AREA)
#define HAMMER_CLEAN	(3 * HAMMER_AREA)
#define HAMMER_WORDS	(4 * HAMMER_AREA)

/* In words, from HAMMER_WORDS on */
#define HAMMER_RFBM	0
#define HAMMER_SIZE	1
#define HAMMER_STEP	2
#define HAMMER_END	3

/* In words */
#define STEP_NR		0
#define STEP_ARG	1
#define STEP_RET	4
#define STEP_WORDS	5

/* Instead of the number of a system call */
#define STEP_SPIN	-1
#define STEP_CALL	-2

#ifndef __ASSEMBLY__
/**
 * struct step - what is done before the registers are verified once more
 * @nr:		system call, %STEP_SPIN for nothing, or %STEP_CALL to call @arg[2]
 *		with the first two arguments
 * @arg:	arguments
 * @ret:	what the system call returned
 */
struct step {
	long		nr;
	unsigned long	arg[3];
	long		ret;
};

/**
 * struct hammer - one round
 * @want:	image to load, and to find
 * @got:	image found last
 * @mask:	the bits of an image that are compared
 * @clean:	image for C code, filled by hammer_run()
 * @rfbm:	state components for XSAVE and XRSTOR, 0 to use FXSAVE and FXRSTOR
 * @size:	bytes of an image to compare
 * @step:	in: first step; out: the step with a mismatch, or @end
 * @end:	end of the steps
 */
struct hammer {
	unsigned char	want[HAMMER_AREA];
	unsigned char	got[HAMMER_AREA];
	unsigned char	mask[HAMMER_AREA];
	unsigned char	clean[HAMMER_AREA];
	unsigned long	rfbm;
	unsigned long	size;
	struct step	*step;
	struct step	*end;
} __attribute__((aligned(64)));

#ifdef __x86_64__
#define HAMMER_ABI
#else
#define HAMMER_ABI __attribute__((regparm(2)))
#endif

/* Load the registers, and verify them after each step, until one is wrong. */
void HAMMER_ABI hammer_run(struct hammer *h);

/* Load all registers from @image, and leave them so. */
typedef void HAMMER_ABI hammer_fn(void *image, unsigned long rfbm);
hammer_fn hammer_load;

/*
 * Flip one bit of one register, with the instructions that programs use it
 * with. @scratch: 128 bytes.
 */
typedef void HAMMER_ABI flip_fn(void *scratch);
flip_fn flip_st, flip_mmx, flip_fcw, flip_fsw, flip_ftw, flip_mxcsr, flip_xmm;
flip_fn flip_ymm, flip_zmm_ymm, flip_opmask, flip_zmm, flip_zmm16;
#endif /* __ASSEMBLY__ */

#endif /* HAMMER_H */
