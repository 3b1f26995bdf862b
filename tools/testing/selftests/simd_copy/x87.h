/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x87 exceptions, and how to leave each of them pending.
 */
#ifndef X87_H
#define X87_H

#include <signal.h>
#include <stdint.h>
#include <string.h>

/* x87 status word */
#define FSW_IE		0x01
#define FSW_DE		0x02
#define FSW_ZE		0x04
#define FSW_OE		0x08
#define FSW_UE		0x10
#define FSW_PE		0x20
#define FSW_SF		0x40
#define FSW_ES		0x80
#define FSW_EXCEPTIONS	0x3f

/* x87 control word after FNINIT: all masked, 64-bit precision */
#define FCW_INIT	0x37f

/* FXSAVE image: x87 and XMM state; the rest is reserved or for software */
#define FXSAVE_SIZE	512
#define FXSAVE_STATE	416
#define FXSAVE_FSW	2
#define FXSAVE_FOP	6
#define FXSAVE_MXCSR	24

#ifdef __x86_64__
/* The other form has selectors, which a 64-bit kernel does not keep. */
#define FXSAVE		"fxsave64"
#define ENTER_KERNEL	"syscall"
#define ENTER_ARGS(_fd, _cmd, _arg)	"D" ((long)(_fd)), "S" (_cmd), "d" (_arg)
#define ENTER_CLOBBERS	"rcx", "r11", "cc", "memory"
#define IP(_uc)		((_uc)->uc_mcontext.gregs[REG_RIP])
#define FSW(_uc)	((_uc)->uc_mcontext.fpregs->swd)
#else
#define FXSAVE		"fxsave"
#define ENTER_KERNEL	"int $0x80"
#define ENTER_ARGS(_fd, _cmd, _arg)	"b" (_fd), "c" (_cmd), "d" (_arg)
#define ENTER_CLOBBERS	"cc", "memory"
#define IP(_uc)		((_uc)->uc_mcontext.gregs[REG_EIP])
#define FSW(_uc)	((_uc)->uc_mcontext.fpregs->sw)
#endif

/* Environment of FLDENV: seven 32-bit words, of them FCW, FSW and tags */
#define ENV_WORDS	7

#define FWAIT		0x9b

#define NAKED		__attribute__((naked))
#define USED		__attribute__((used))

typedef void raise_fn(void);

/* Each must end with the instruction that raises: the next one would take it. */
#define RAISE(_name, _code)			\
	static NAKED USED void raise_##_name(void)	\
	{					\
		asm(_code "\n\tret");		\
	}

/* 80-bit numbers: the largest, and the smallest normal one; a 32-bit denormal */
static const uint64_t largest[2] USED = { ~0ull, 0x7ffe };
static const uint64_t smallest[2] USED = { 1ull << 63, 0x0001 };
static const uint32_t denormal USED = 1;
static uint32_t planted_env[ENV_WORDS] USED;

RAISE(invalid, "fldz; fldz; fdiv %st(1), %st")
RAISE(denormal, "flds denormal")
RAISE(zero_divide, "fldz; fld1; fdiv %st(1), %st")
RAISE(overflow, "fldt largest; fadd %st(0), %st")
RAISE(underflow, "fldt smallest; fmul %st(0), %st")
RAISE(precision, "fldpi; fld1; fdiv %st(1), %st")
RAISE(stack, "fld %st(0)")
RAISE(planted, "fldenv planted_env")

static const struct exception {
	const char	*name;
	raise_fn	*raise;
	unsigned int	flags;		/* in the status word, once raised */
	unsigned int	unmask;		/* in the control word */
	int		si_code;	/* 0: no signal */
} exceptions[] = {
	{ "invalid",	 raise_invalid,	    FSW_IE,	     FSW_IE, FPE_FLTINV },
	{ "denormal",	 raise_denormal,    FSW_DE,	     FSW_DE, FPE_FLTUND },
	{ "zero-divide", raise_zero_divide, FSW_ZE,	     FSW_ZE, FPE_FLTDIV },
	{ "overflow",	 raise_overflow,    FSW_OE,	     FSW_OE, FPE_FLTOVF },
	{ "underflow",	 raise_underflow,   FSW_UE,	     FSW_UE, FPE_FLTUND },
	{ "precision",	 raise_precision,   FSW_PE,	     FSW_PE, FPE_FLTRES },
	{ "stack-fault", raise_stack,	    FSW_IE | FSW_SF, FSW_IE, FPE_FLTINV },
	{ "masked",	 raise_zero_divide, FSW_ZE,	     0,	     0 },
};

/*
 * Whether two FXSAVE images are of one state. The pointers to the last
 * instruction and operand only count with an exception pending: AMD CPUs before
 * Zen save them only then, and Linux clears them otherwise (X86_BUG_FXSAVE_LEAK).
 */
static inline int same_state(const unsigned char *a, const unsigned char *b)
{
	int start = a[FXSAVE_FSW] & FSW_ES ? FXSAVE_FOP : FXSAVE_MXCSR;

	return !memcmp(a, b, FXSAVE_FOP) && !memcmp(a + start, b + start, FXSAVE_STATE - start);
}

#endif /* X87_H */
