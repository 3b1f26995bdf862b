// SPDX-License-Identifier: GPL-2.0
/*
 * pending: run every row of the table with an x87 exception pending.
 *
 * In the kernel, through /dev/simd_copy_test: the row does its work, the kernel
 * takes no #MF, and the process gets its own signal afterwards, once, with its
 * registers as they were. On a kernel whose guard does not clear exceptions the
 * first MMX row oopses, on a machine that is true to the CPU: QEMU's TCG is not.
 *
 * pending --native: on this CPU, in this process. Behind an FNCLEX, which is
 * what the guard adds, no row may get a signal. The control is without: then a
 * row gets it exactly if the table says that it uses MMX registers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <linux/kernel.h>
#include <asm/cpufeature.h>

#include "run.h"
#include "simd_copy.h"
#include "simd_copy_test_uapi.h"
#include "stdout.h"
#include "x87.h"

#define KSFT_PASS	0
#define KSFT_FAIL	1
#define KSFT_SKIP	4

/* What a child says of the row that it ran. */
enum { ROW_OK, ROW_FAILED, ROW_UNSUPPORTED };

#define BYTES		4096

static unsigned char before[FXSAVE_SIZE] __attribute__((aligned(16)));
static unsigned char after[FXSAVE_SIZE] __attribute__((aligned(16)));
static unsigned char dst[BYTES] __attribute__((aligned(64)));
static unsigned char src[BYTES] __attribute__((aligned(64)));

/* Of the signals that came: how many, of them not at an FWAIT, code of the last. */
static volatile int signals, elsewhere, si_code;

static int failed;

#define EXPECT(_cond, ...)				\
	do {						\
		if (!(_cond)) {				\
			printf("# " __VA_ARGS__);	\
			failed = 1;			\
		}					\
	} while (0)

static void on_sigfpe(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	signals++;
	elsewhere += *(unsigned char *)IP(uc) != FWAIT;
	si_code = info->si_code;
	/* Else the instruction would raise it again on return, forever. */
	FSW(uc) &= ~(FSW_ES | FSW_SF | FSW_EXCEPTIONS);
}

/* Nothing that the compiler puts between these looks at x87 exceptions. */
static void arm(raise_fn *raise, uint16_t fcw)
{
	asm volatile("fninit\n\tfldcw %0" : : "m" (fcw));
	raise();
}

static bool raises(const struct exception *e, raise_fn *raise)
{
	unsigned int want = e->flags | (e->unmask ? FSW_ES : 0);
	uint16_t fsw;

	planted_env[0] = FCW_INIT & ~e->unmask;
	planted_env[1] = want;
	planted_env[2] = 0xffff;
	arm(raise, FCW_INIT & ~e->unmask);
	asm volatile("fnstsw %0\n\tfnclex\n\tfninit" : "=m" (fsw));
	return (fsw & want) == want;
}

/*
 * The system call, the state on both sides of it, and the FWAIT that takes what
 * is pending. In one piece: XMM registers are compared as well.
 */
static long call_kernel(int fd, struct simd_copy_test_run *run)
{
	long ret = SYS_ioctl;

	asm volatile(FXSAVE "	%[before]\n\t"
		     ENTER_KERNEL "\n\t"
		     FXSAVE "	%[after]\n\t"
		     "fwait\n\t"
		     "fninit"
		     : "+a" (ret), [before] "=m" (before), [after] "=m" (after)
		     : ENTER_ARGS(fd, SIMD_COPY_TEST_RUN, run)
		     : ENTER_CLOBBERS);
	return ret;
}

static int run_in_kernel(const struct exception *e, raise_fn *raise,
			 const struct simd_routine *r, int fd)
{
	struct simd_copy_test_run run = { .npages = 1, .context = SIMD_COPY_TEST_TASK };
	long ret;

	snprintf(run.row, sizeof(run.row), "%s/%s", simd_kind_names[r->kind], r->name);
	arm(raise, FCW_INIT & ~e->unmask);
	ret = call_kernel(fd, &run);
	if (ret == -EOPNOTSUPP)
		return ROW_UNSUPPORTED;
	/* A second signal would come with the return from a system call. */
	getppid();

	if (ret) {
		printf("# %s: the ioctl returned %ld\n", run.row, ret);
		return ROW_FAILED;
	}
	EXPECT(run.ran, "%s: its section was refused: %.16s\n", run.row, run.reason);
	EXPECT(!run.wrong, "%s: %u bytes are wrong\n", run.row, run.wrong);
	EXPECT(same_state(before, after),
	       "%s: the process lost registers: FSW was %02x%02x, is %02x%02x\n", run.row,
	       before[FXSAVE_FSW + 1], before[FXSAVE_FSW],
	       after[FXSAVE_FSW + 1], after[FXSAVE_FSW]);
	EXPECT(signals == !!e->si_code && si_code == e->si_code,
	       "%s: SIGFPE came %d times with si_code %d, should have %d times with %d\n",
	       run.row, signals, si_code, !!e->si_code, e->si_code);
	EXPECT(!elsewhere, "%s: SIGFPE did not come at the FWAIT of the process\n", run.row);
	return failed ? ROW_FAILED : ROW_OK;
}

static int run_natively(const struct exception *e, raise_fn *raise,
			const struct simd_routine *r, bool guarded)
{
	const char *kind = simd_kind_names[r->kind];
	/* Guarded, it is gone; else it comes, and MMX does not leave it to FWAIT. */
	int want = e->si_code && !guarded;
	int want_elsewhere = want && r->guard == SIMD_GUARD_MMX;
	unsigned int i, wrong = 0;

	for (i = 0; i < BYTES; i++) {
		src[i] = i * 31 + i / 251;
		dst[i] = ~(r->kind == SIMD_KIND_clear ? 0 : src[i]);
	}

	arm(raise, FCW_INIT & ~e->unmask);
	if (guarded)
		asm volatile("fnclex");
	simd_call(r->kind, r->fn, dst, src, BYTES);
	asm volatile("fwait\n\tfninit");

	for (i = 0; i < BYTES; i++)
		wrong += dst[i] != (r->kind == SIMD_KIND_clear ? 0 : src[i]);
	EXPECT(!wrong, "%s/%s: %u bytes are wrong\n", kind, r->name, wrong);
	EXPECT(signals == want && elsewhere == want_elsewhere,
	       "%s/%s: SIGFPE came %d times, %d of them at the FWAIT behind it, should have %d, %d\n",
	       kind, r->name, signals, signals - elsewhere, want, want - want_elsewhere);
	EXPECT(!signals || si_code == e->si_code, "%s/%s: si_code is %d, should be %d\n",
	       kind, r->name, si_code, e->si_code);
	return failed ? ROW_FAILED : ROW_OK;
}

/* One row in a child of its own. @fd: the device, or -1 for a native run. */
static int run_row(const struct exception *e, raise_fn *raise, const struct simd_routine *r,
		   int fd, bool guarded)
{
	struct sigaction action = { .sa_sigaction = on_sigfpe, .sa_flags = SA_SIGINFO };
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		sigaction(SIGFPE, &action, NULL);
		status = fd < 0 ? run_natively(e, raise, r, guarded) :
				  run_in_kernel(e, raise, r, fd);
		fflush(stdout);
		_exit(status);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		printf("# cannot run a child: %s\n", strerror(errno));
		return ROW_FAILED;
	}
	if (!WIFEXITED(status)) {
		printf("# %s/%s: the process died, wait status %x\n",
		       simd_kind_names[r->kind], r->name, status);
		return ROW_FAILED;
	}
	return WEXITSTATUS(status);
}

/* Returns whether all rows that this CPU has did well. */
static bool run_exception(const struct exception *e, int fd, bool guarded)
{
	static struct simd_result results[SIMD_NR_ROUTINES];
	unsigned int row, rows = 0, mmx_rows = 0;
	raise_fn *raise = e->raise;
	bool good = true;

	/* An emulator may not know of it. The register image does as well. */
	if (!raises(e, raise)) {
		printf("# %s: not raised by this CPU, so loaded with FLDENV\n", e->name);
		raise = raise_planted;
		if (!raises(e, raise)) {
			printf("# %s: not even then\n", e->name);
			return false;
		}
	}

	simd_detect(results);
	simd_for_each_row(row) {
		const struct simd_routine *r = &simd_routines[row];
		int status;

		if (fd < 0 && results[row].missing)
			continue;
		status = run_row(e, raise, r, fd, guarded);
		if (status == ROW_UNSUPPORTED)
			continue;
		good &= status == ROW_OK;
		rows++;
		mmx_rows += r->guard == SIMD_GUARD_MMX;
	}
	printf("# %u rows, %u of them MMX\n", rows, mmx_rows);
	if (!mmx_rows)
		printf("# the test is void: no MMX row ran\n");
	return good && mmx_rows;
}

int main(int argc, char **argv)
{
	bool native = argc > 1 && !strcmp(argv[1], "--native");
	unsigned int i, n = 0, bad = 0;
	int fd = -1;

	printf("KTAP version 1\n");
	if (!boot_cpu_has(X86_FEATURE_FXSR) || !boot_cpu_has(X86_FEATURE_MMX)) {
		printf("1..0 # SKIP this CPU lacks MMX or FXSAVE\n");
		return KSFT_SKIP;
	}
	if (!native) {
		fd = open(SIMD_COPY_TEST_PATH, O_RDWR);
		if (fd < 0) {
			printf("1..0 # SKIP %s: %s. As root, load simd_copy.ko and simd_copy_test.ko, or say --native\n",
			       SIMD_COPY_TEST_PATH, strerror(errno));
			return KSFT_SKIP;
		}
	}

	printf("1..%zu\n", ARRAY_SIZE(exceptions) * (native ? 2 : 1));
	for (i = 0; i < ARRAY_SIZE(exceptions); i++) {
		int guarded;

		for (guarded = 1; guarded >= !native; guarded--) {
			bool good = run_exception(&exceptions[i], fd, guarded);

			bad += !good;
			printf("%s %u pending %s%s\n", good ? "ok" : "not ok", ++n,
			       exceptions[i].name, guarded ? "" : ", control");
		}
	}
	return bad ? KSFT_FAIL : KSFT_PASS;
}
