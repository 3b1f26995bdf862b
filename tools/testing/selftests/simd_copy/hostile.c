// SPDX-License-Identifier: GPL-2.0
/*
 * hostile: enter the kernel with an x87 exception pending.
 *
 * An unprivileged process can unmask an x87 exception, raise it, and make a
 * system call before any instruction that would take it. If the kernel then
 * runs an MMX instruction, it takes the #MF that the process had coming. So
 * for each exception and each class of section that simd_copy has, this looks
 * at what the kernel would meet (through /dev/simd_copy_test), and whether the
 * process still gets its own signal afterwards, once.
 *
 * The controls are kernel_fpu_begin(), which must show the trap, or else the
 * test is void, and a process with nothing pending, which must not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "simd_copy_test_uapi.h"

#ifndef __x86_64__
#error "hostile needs x86-64: it makes the system call by itself"
#endif

#define KSFT_PASS	0
#define KSFT_FAIL	1
#define KSFT_SKIP	4

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

/* Environment of FLDENV: seven 32-bit words, of them FCW, FSW and tags */
#define ENV_WORDS	7

#define NAKED		__attribute__((naked))
#define USED		__attribute__((used))
#define FWAIT		0x9b

typedef void raise_fn(void);

/* Each must end with the instruction that raises: the next one would take it. */
#define RAISE(_name, _code)			\
	static NAKED void raise_##_name(void)	\
	{					\
		asm(_code "\n\tret");		\
	}

/* 80-bit numbers: the largest, and the smallest normal one; a 32-bit denormal */
static const uint64_t largest[2] USED = { ~0ull, 0x7ffe };
static const uint64_t smallest[2] USED = { 1ull << 63, 0x0001 };
static const uint32_t denormal USED = 1;
static uint32_t planted_env[ENV_WORDS] USED;

RAISE(invalid, "fldz; fldz; fdiv %st(1), %st")
RAISE(denormal, "flds denormal(%rip)")
RAISE(zero_divide, "fldz; fld1; fdiv %st(1), %st")
RAISE(overflow, "fldt largest(%rip); fadd %st(0), %st")
RAISE(underflow, "fldt smallest(%rip); fmul %st(0), %st")
RAISE(precision, "fldpi; fld1; fdiv %st(1), %st")
RAISE(stack, "fld %st(0)")
RAISE(planted, "fldenv planted_env(%rip)")

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

static const char *const section_names[SIMD_COPY_TEST_NR_SECTIONS] = {
	[SIMD_COPY_TEST_NONE]	= "NONE",
	[SIMD_COPY_TEST_XMM]	= "XMM",
	[SIMD_COPY_TEST_MMX]	= "MMX",
	[SIMD_COPY_TEST_PLAIN]	= "control",
};

/* What a child found out, in memory that it shares with its parent. */
static struct result {
	unsigned char			before[FXSAVE_SIZE] __attribute__((aligned(16)));
	unsigned char			after[FXSAVE_SIZE] __attribute__((aligned(16)));
	struct simd_copy_test_probe	probe;
	long				ret;
	int				signals;
	int				si_code;
	int				elsewhere;
	int				finished;
} *result;

/*
 * Raise the exception with @raise under the control word @fcw, note the state,
 * make the system call, note the state again, and take what is pending at the
 * FWAIT. All in one piece of assembly: neither compiler nor C library may get
 * an instruction in that takes the exception earlier.
 * Returns what the system call returned.
 */
static long hostile_run(raise_fn *raise, uint16_t fcw, int fd, struct result *r)
{
	long ret = SYS_ioctl;

	asm volatile("fninit\n\t"
		     "fldcw	(%[fcw])\n\t"
		     /* the compiler may keep data below the stack pointer */
		     "sub	$128, %%rsp\n\t"
		     "call	*%[raise]\n\t"
		     "add	$128, %%rsp\n\t"
		     "fxsave	(%[before])\n\t"
		     "syscall\n\t"
		     "fxsave	(%[after])\n\t"
		     "fwait\n\t"
		     "fninit"
		     : "+a" (ret)
		     : "D" ((long)fd), "S" (SIMD_COPY_TEST_PROBE), "d" (&r->probe),
		       [raise] "r" (raise), [fcw] "r" (&fcw),
		       [before] "r" (r->before), [after] "r" (r->after)
		     : "rcx", "r11", "cc", "memory");
	return ret;
}

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static uint16_t fsw_of(const unsigned char *fxsave)
{
	uint16_t fsw;

	memcpy(&fsw, fxsave + FXSAVE_FSW, sizeof(fsw));
	return fsw;
}

static void on_sigfpe(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	result->signals++;
	result->si_code = info->si_code;
	if (*(unsigned char *)uc->uc_mcontext.gregs[REG_RIP] != FWAIT)
		result->elsewhere = 1;
	/* Else FWAIT would raise it again on return, forever. */
	uc->uc_mcontext.fpregs->swd &= ~(FSW_ES | FSW_SF | FSW_EXCEPTIONS);
}

static void run_child(const struct exception *e, raise_fn *raise, int fd)
{
	struct sigaction action = { .sa_sigaction = on_sigfpe, .sa_flags = SA_SIGINFO };
	const uint16_t fcw = FCW_INIT & ~e->unmask;

	planted_env[0] = fcw;
	planted_env[1] = e->flags | FSW_ES;
	planted_env[2] = 0xffff;
	if (sigaction(SIGFPE, &action, NULL))
		_exit(1);
	result->ret = hostile_run(raise, fcw, fd, result);
	/* A second signal would come with the return from a system call. */
	getppid();
	result->finished = 1;
	_exit(0);
}

/* One case in a child of its own. Returns the child's status. */
static int run_case(const struct exception *e, raise_fn *raise, int fd, unsigned int section)
{
	int status;
	pid_t pid;

	memset(result, 0, sizeof(*result));
	result->probe.section = section;
	fflush(stdout);
	pid = fork();
	if (!pid)
		run_child(e, raise, fd);
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		printf("# cannot run a child: %s\n", strerror(errno));
		return -1;
	}
	return status;
}

static int raised(const struct exception *e)
{
	unsigned int want = e->flags | (e->unmask ? FSW_ES : 0);

	return (fsw_of(result->before) & want) == want;
}

static int failed;

#define EXPECT(cond, ...)				\
	do {						\
		if (!(cond)) {				\
			printf("# " __VA_ARGS__);	\
			failed = 1;			\
		}					\
	} while (0)

/* What the section should have met; pending: an unmasked exception. */
static void check_section(const struct simd_copy_test_probe *p, int pending)
{
	int met = p->fsw & FSW_ES || p->fsw & ~p->fcw & FSW_EXCEPTIONS;

	printf("# entered %u, FSW %04x, FCW %04x, trapped %u\n", p->entered, p->fsw,
	       p->fcw, p->trapped);
	switch (p->section) {
	case SIMD_COPY_TEST_NONE:
		EXPECT(!p->entered, "no section was asked for, one was opened\n");
		break;
	case SIMD_COPY_TEST_XMM:
		/* No XMM instruction looks at x87 exceptions: one may be pending. */
		EXPECT(p->entered, "the section was refused\n");
		break;
	case SIMD_COPY_TEST_MMX:
		EXPECT(p->entered, "the section was refused\n");
		EXPECT(!met, "an x87 exception is pending in the section\n");
		EXPECT(!p->trapped, "FWAIT in the section raised #MF\n");
		break;
	case SIMD_COPY_TEST_PLAIN:
		EXPECT(p->entered, "the control was refused\n");
		EXPECT(met == pending, "the test is void: the control shows %s exception\n",
		       met ? "an" : "no");
		EXPECT((int)p->trapped == pending, "the test is void: FWAIT in the control %s\n",
		       p->trapped ? "trapped" : "did not trap");
		break;
	}
}

static void check_owner(const struct exception *e, int status)
{
	int want = e->si_code ? 1 : 0;

	EXPECT(status == 0 && result->finished, "the process died, wait status %x\n", status);
	EXPECT(result->ret == 0, "ioctl() returned %ld\n", result->ret);
	EXPECT(raised(e), "the exception was not raised, FSW %04x\n", fsw_of(result->before));
	EXPECT(!memcmp(result->before, result->after, FXSAVE_STATE),
	       "the process lost registers: FSW was %04x, is %04x\n",
	       fsw_of(result->before), fsw_of(result->after));
	EXPECT(result->signals == want, "SIGFPE came %d times, should have %d\n",
	       result->signals, want);
	EXPECT(result->si_code == e->si_code, "si_code is %d, should be %d\n",
	       result->si_code, e->si_code);
	EXPECT(!result->elsewhere, "SIGFPE did not come at the FWAIT of the process\n");
}

int main(void)
{
	unsigned int i, section, n = 0, bad = 0;
	int fd;

	printf("KTAP version 1\n");
	fd = open(SIMD_COPY_TEST_PATH, O_RDWR);
	if (fd < 0) {
		printf("1..0 # SKIP %s: %s. As root, load simd_copy.ko and simd_copy_test.ko\n",
		       SIMD_COPY_TEST_PATH, strerror(errno));
		return KSFT_SKIP;
	}
	result = mmap(NULL, sizeof(*result), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (result == MAP_FAILED) {
		printf("Bail out! mmap: %s\n", strerror(errno));
		return KSFT_FAIL;
	}

	printf("1..%zu\n", ARRAY_SIZE(exceptions) * SIMD_COPY_TEST_NR_SECTIONS);
	for (i = 0; i < ARRAY_SIZE(exceptions); i++) {
		const struct exception *e = &exceptions[i];
		raise_fn *raise = e->raise;

		/* An emulator may not know of it. The register image does as well. */
		run_case(e, raise, fd, SIMD_COPY_TEST_NONE);
		if (!raised(e)) {
			printf("# %s: not raised by this CPU, so loaded with FLDENV\n", e->name);
			raise = raise_planted;
		}

		for (section = 0; section < SIMD_COPY_TEST_NR_SECTIONS; section++) {
			int status = run_case(e, raise, fd, section);

			failed = 0;
			check_section(&result->probe, e->unmask != 0);
			check_owner(e, status);
			bad += failed;
			printf("%s %u %s %s\n", failed ? "not ok" : "ok", ++n, e->name,
			       section_names[section]);
		}
	}
	return bad ? KSFT_FAIL : KSFT_PASS;
}
