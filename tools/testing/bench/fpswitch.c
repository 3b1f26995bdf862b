// SPDX-License-Identifier: GPL-2.0
/*
 * What a context switch costs, by the registers that processes use, and by who
 * uses SIMD in the kernel meanwhile.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <linux/kernel.h>
#include <asm/cpufeature.h>

#include "clock.h"
#include "fpswitch.h"
#include "harness.h"
#include "machine.h"
#include "simd_copy_test_uapi.h"

#define TURNS	500
#define ROUNDS	11

#define STATS	"/sys/kernel/debug/simd_copy/stats"

/* What a process leaves in its registers before it is switched from. */
enum use { USE_NOTHING, USE_X87, USE_SSE, USE_AVX, USE_AVX512, NR_USES };

static const char *const use_names[NR_USES] = {
	[USE_NOTHING]	= "nothing",
	[USE_X87]	= "x87",
	[USE_SSE]	= "SSE",
	[USE_AVX]	= "AVX",
	[USE_AVX512]	= "AVX-512",
};

/* Who comes between the two. */
enum third { THIRD_NONE, THIRD_IDLE, THIRD_SIMD, NR_THIRDS };

static const char *const third_names[NR_THIRDS] = {
	[THIRD_NONE]	= "nobody",
	[THIRD_IDLE]	= "a third process",
	[THIRD_SIMD]	= "a third one, SIMD in the kernel",
};

static bool has_use(enum use use)
{
	if (use == USE_AVX)
		return (cpu_xcr0() & SIMD_XFEATURES_YMM) == SIMD_XFEATURES_YMM;
	if (use == USE_AVX512)
		return boot_cpu_has(X86_FEATURE_AVX512F) &&
		       (cpu_xcr0() & SIMD_XFEATURES_ZMM) == SIMD_XFEATURES_ZMM;
	return true;
}

static void use_registers(enum use use)
{
	/* An image that says "all as after power on": not in use, for XSAVE. */
	static char unused[4096] __aligned(64);

	if (boot_cpu_has(X86_FEATURE_OSXSAVE)) {
		unused[25] = 0x1f; /* MXCSR is loaded all the same: 1f80h */
		unused[24] = 0x80;
		asm volatile("xrstor64 %0" : : "m" (unused), "a" (-1), "d" (-1) : "memory");
	}
	switch (use) {
	case USE_X87:
		asm volatile("fninit; fld1" : : : "st");
		break;
	case USE_SSE:
		asm volatile("pcmpeqd %%xmm0, %%xmm0" : : : "xmm0");
		break;
	case USE_AVX:
		asm volatile("vcmptrueps %%ymm0, %%ymm0, %%ymm0" : : : "xmm0");
		break;
	case USE_AVX512:
		asm volatile("vpternlogd $255, %zmm16, %zmm16, %zmm16");
		break;
	default:
		break;
	}
}

static int device = -1;

static int simd_in_kernel(void)
{
	struct simd_copy_test_run run = {
		.row = "clear/sse_nt", .npages = 1, .context = SIMD_COPY_TEST_TASK,
	};

	return ioctl(device, SIMD_COPY_TEST_RUN, &run);
}

/* Saves that sections caused so far, on all CPUs; 0 if nobody counts. */
static unsigned long saves(void)
{
	FILE *f = fopen(STATS, "r");
	unsigned long n = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "total %*u %*u %lu", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

/* A member of the ring: wait for one's turn, use registers, pass it on. */
static int turn(int in, int out, enum use use, bool simd)
{
	char token;

	if (read(in, &token, 1) != 1 || (simd && simd_in_kernel()))
		return -1;
	use_registers(use);
	return write(out, &token, 1) == 1 ? 0 : -1;
}

static void member(int in, int out, enum use use, bool simd)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!turn(in, out, use, simd))
		;
	_exit(0);
}

static int compare_ns(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/**
 * struct switches - what a ring of processes took
 * @min:	ns a turn of all, the best round
 * @median:	the usual round
 * @saves:	per turn
 */
struct switches {
	double	min;
	double	median;
	double	saves;
};

/* The first process is this one. Return: 0, or -1. */
static int go_around(const enum use use[2], enum third third, struct switches *s)
{
	unsigned int members = third == THIRD_NONE ? 2 : 3, i, round;
	pid_t pid[3] = {};
	int pipes[3][2], err = 0;
	double ns[ROUNDS];
	unsigned long before;
	char token = 0;

	for (i = 0; i < members; i++) {
		if (pipe2(pipes[i], O_CLOEXEC)) {
			fprintf(stderr, "simdbench: no pipes: %m\n");
			exit(1);
		}
	}
	for (i = 1; i < members; i++) {
		pid[i] = fork();
		if (!pid[i])
			member(pipes[i - 1][0], pipes[i][1], i == 1 ? use[1] : USE_NOTHING,
			       i == 2 && third == THIRD_SIMD);
		err |= pid[i] < 0;
	}

	before = saves();
	for (round = 0; !err && round < ROUNDS; round++) {
		u64 begin = clock_read();

		for (i = 0; !err && i < TURNS; i++) {
			use_registers(use[0]);
			err = write(pipes[0][1], &token, 1) != 1 ||
			      read(pipes[members - 1][0], &token, 1) != 1;
		}
		ns[round] = ticks_to_ns(clock_read() - begin) / TURNS;
	}
	s->saves = (double)(saves() - before) / (ROUNDS * TURNS);

	for (i = 0; i < members; i++) {
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
	for (i = 1; i < members; i++) {
		if (pid[i] > 0) {
			kill(pid[i], SIGKILL);
			waitpid(pid[i], NULL, 0);
		}
	}
	if (err) {
		fprintf(stderr, "simdbench: a process of the ring failed: %m\n");
		return -1;
	}
	qsort(ns, ROUNDS, sizeof(*ns), compare_ns);
	s->min = ns[0];
	s->median = ns[ROUNDS / 2];
	return 0;
}

static int show(enum use first, enum use second, enum third third)
{
	unsigned int members = third == THIRD_NONE ? 2 : 3;
	enum use use[2] = { first, second };
	struct switches s;

	if (go_around(use, third, &s))
		return -1;
	printf("%-8s %-8s %-32s %9.0f %9.0f", use_names[first], use_names[second],
	       third_names[third], s.min / members, s.median / members);
	if (third == THIRD_SIMD)
		printf(" %12.2f", s.saves);
	printf("\n");
	fflush(stdout);
	return 0;
}

int fpswitch(void)
{
	unsigned int use, third;

	device = open(SIMD_COPY_TEST_PATH, O_RDWR | O_CLOEXEC);
	if (device < 0)
		printf("# without SIMD in the kernel: cannot open %s: %m.\n"
		       "# As root: make modules && insmod build/modules/host/simd_copy.ko, and simd_copy_test.ko\n",
		       SIMD_COPY_TEST_PATH);
	else if (access(STATS, R_OK))
		printf("# saves are not counted: no %s. As root: mount -t debugfs none /sys/kernel/debug\n",
		       STATS);
	printf("# ns a context switch, all on CPU %u; the time in the kernel's SIMD included\n"
	       "%-8s %-8s %-32s %9s %9s %12s\n", machine.cpu, "one uses", "another", "between them",
	       "min", "median", device < 0 ? "" : "saves/turn");
	for (third = 0; third < NR_THIRDS; third++) {
		if (third == THIRD_SIMD && device < 0)
			continue;
		for (use = 0; use < NR_USES; use++) {
			if (!has_use(use)) {
				printf("%-8s unsupported by this CPU\n", use_names[use]);
				continue;
			}
			if (show(use, USE_NOTHING, third) ||
			    (use != USE_NOTHING && show(use, use, third)))
				return 1;
		}
	}
	return 0;
}
