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
#include <cpuid.h>
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
#include "stdout.h"
#include "x87.h"

#define KSFT_PASS	0
#define KSFT_FAIL	1
#define KSFT_SKIP	4

#define FNSAVE_FSW	4

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#ifdef __x86_64__
/* the compiler may keep data below the stack pointer */
#define RED_ZONE	"128"
#define SP		"%%rsp"
#else
#define RED_ZONE	"0"
#define SP		"%%esp"
#endif

static const char *const section_names[SIMD_COPY_TEST_NR_SECTIONS] = {
	[SIMD_COPY_TEST_NONE]	= "NONE",
	[SIMD_COPY_TEST_XMM]	= "XMM",
	[SIMD_COPY_TEST_MMX]	= "MMX",
	[SIMD_COPY_TEST_PLAIN]	= "control",
};

/* Without it the kernel saves with FNSAVE, and so does this. */
static int has_fxsave;

/* On a busy host a task may be preempted between any two instructions, but not each time. */
#define MAX_PREEMPTED	100

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
 */
#define HOSTILE_RUN(_save_before, _save_after, _take) \
	({ \
		asm volatile("fninit\n\t" \
			     "fldcw	%[fcw]\n\t" \
			     "sub	$" RED_ZONE ", " SP "\n\t" \
			     "call	*%[raise]\n\t" \
			     "add	$" RED_ZONE ", " SP "\n\t" \
			     _save_before "\n\t" \
			     ENTER_KERNEL "\n\t" \
			     _save_after "\n\t" \
			     _take "\n\t" \
			     "fninit" \
			     : "+a" (ret), [before] "+m" (r->before), [after] "+m" (r->after) \
			     : ENTER_ARGS(fd, SIMD_COPY_TEST_PROBE, &r->probe), \
			       [raise] "r" (raise), [fcw] "m" (fcw) \
			     : ENTER_CLOBBERS); \
	})

/* Returns what the system call returned. */
static long hostile_run(raise_fn *raise, uint16_t fcw, int fd, struct result *r)
{
	long ret = SYS_ioctl;

	if (has_fxsave)
		HOSTILE_RUN(FXSAVE " %[before]", FXSAVE " %[after]", "fwait");
	else /* twice: the FRSTOR of an emulator may lose the instruction pointer */
		HOSTILE_RUN("fnsave %[before]; frstor %[before];"
			    "fnsave %[before]; frstor %[before]",
			    "fnsave %[after]; frstor %[after]", "fnclex");
	return ret;
}

static uint16_t fsw_of(const unsigned char *image)
{
	uint16_t fsw;

	memcpy(&fsw, image + (has_fxsave ? FXSAVE_FSW : FNSAVE_FSW), sizeof(fsw));
	return fsw;
}

static void on_sigfpe(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	result->signals++;
	result->si_code = info->si_code;
	if (*(unsigned char *)IP(uc) != FWAIT)
		result->elsewhere = 1;
	/* Else FWAIT would raise it again on return, forever. */
	FSW(uc) &= ~(FSW_ES | FSW_SF | FSW_EXCEPTIONS);
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
	int want_code = has_fxsave ? e->si_code : 0;
	int want = want_code ? 1 : 0;
	unsigned int changed = 0;

	while (changed < FXSAVE_STATE && result->before[changed] == result->after[changed])
		changed++;
	EXPECT(status == 0 && result->finished, "the process died, wait status %x\n", status);
	EXPECT(result->ret == 0, "ioctl() returned %ld\n", result->ret);
	EXPECT(raised(e), "the exception was not raised, FSW %04x\n", fsw_of(result->before));
	EXPECT(changed == FXSAVE_STATE, "byte %u of the registers was %02x, is %02x\n", changed,
	       result->before[changed], result->after[changed]);
	EXPECT(result->signals == want, "SIGFPE came %d times, should have %d\n",
	       result->signals, want);
	EXPECT(result->si_code == want_code, "si_code is %d, should be %d\n",
	       result->si_code, want_code);
	EXPECT(!result->elsewhere, "SIGFPE did not come at the FWAIT of the process\n");
}

int main(void)
{
	unsigned int i, section, n = 0, bad = 0, a, b, c, d = 0;
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

	__get_cpuid(1, &a, &b, &c, &d);
	has_fxsave = d & bit_FXSAVE;
	if (!has_fxsave) {
		printf("# no FXSAVE, so no SIGFPE: to load a state over one with an exception\n"
		       "# pending, the kernel uses FRSTOR there, and takes #MF. 6.12 does not\n"
		       "# survive the signal on such a CPU, with or without simd_copy\n");
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
			unsigned int preempted = 0;
			int status;

			/* The control shows something only if it meets these registers. */
			do
				status = run_case(e, raise, fd, section);
			while (section == SIMD_COPY_TEST_PLAIN && !status && !result->ret &&
			       !result->probe.entered && preempted++ < MAX_PREEMPTED);
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
