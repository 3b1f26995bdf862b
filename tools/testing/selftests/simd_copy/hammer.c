// SPDX-License-Identifier: GPL-2.0
/*
 * hammer: registers of processes survive the kernel's use of them.
 *
 * Several processes per CPU load every register file with a pattern that says
 * whose it is, and verify all of it again and again, in assembly. Meanwhile they
 * are preempted, moved to other CPUs, sent signals whose handlers overwrite the
 * registers, and make system calls, of which some let simd_copy clear and copy
 * pages, in every context that /dev/simd_copy_test knows. One more process does
 * only that. One verification is one comparison of all register files.
 *
 * The controls: one bit of each register file is flipped, the registers of
 * another process are loaded, and the kernel overwrites registers without a
 * section. The same comparison must see it.
 *
 * Without the device all runs that needs none.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hammer.h"
#include "simd_copy_test_uapi.h"
#include "stdout.h"

#define KSFT_PASS	0
#define KSFT_FAIL	1
#define KSFT_USAGE	2
#define KSFT_SKIP	4

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static_assert(offsetof(struct hammer, clean) == HAMMER_CLEAN, "hammer.h");
static_assert(offsetof(struct hammer, rfbm) == HAMMER_WORDS, "hammer.h");
static_assert(offsetof(struct hammer, end) == HAMMER_WORDS + HAMMER_END * sizeof(long),
	      "hammer.h");
static_assert(sizeof(struct step) == STEP_WORDS * sizeof(long), "hammer.h");

static const char usage[] =
	"Usage: hammer [-n VERIFICATIONS | -t SECONDS]\n"
	"Hold patterns in all registers while simd_copy works. Output is KTAP.\n"
	"\n"
	"  -n N  verify N times (default 1000000)\n"
	"  -t N  verify for N seconds\n"
	"\n"
	"Exit: 0 all passed, 1 a test failed, 2 wrong usage, 4 nothing could be tested\n";

#define PER_CPU		4
#define STEPS		64
#define MAX_SLOTS	128
#define MAX_ROWS	128
#define ALTSTACK	(256 * 1024)

/* A control that is not caught in this time is not caught. */
#define CONTROL_SECONDS	10

#define PROGRESS_SECONDS 10

/* State components of XSAVE (SDM vol. 1, 13.1). */
#define XS_X87		0
#define XS_SSE		1
#define XS_YMM		2
#define XS_OPMASK	5
#define XS_ZMM_HI	6	/* upper halves of zmm0 to zmm15 */
#define XS_ZMM_16	7	/* zmm16 to zmm31 */
#define XS_BITS		0xe7

/* The 512 bytes of FXSAVE, which start an XSAVE area (SDM vol. 1, 10.5.1). */
#define FXSAVE_FCW	0
#define FXSAVE_FSW	2
#define FXSAVE_FTW	4
#define FXSAVE_MXCSR	24
#define FXSAVE_MASK	28
#define FXSAVE_ST	32
#define FXSAVE_XMM	160
#define FXSAVE_SIZE	512
#define XSAVE_BV	512

#define FSW_EXCEPTIONS	0x003f
#define FSW_SF		0x0040
#define FSW_ES		0x0080
#define FSW_CC		0x4700
#define FSW_TOP_SHIFT	11
#define FSW_B		0x8000
#define FCW_RESERVED	0x0040		/* reads as 1 */
#define MXCSR_MASK	0xffbf		/* where FXSAVE says 0 */

#ifdef __x86_64__
#define NR_VECTORS	16
#else
#define NR_VECTORS	8
#endif

enum {
	ST, MM, FCW, FSW, FTW, MXCSR, XMM, YMM, OPMASK, ZMM_HI, ZMM_16, NR_FILES
};

/*
 * The register files in the image. Those of eight bytes and more a register
 * hold words that say whose they are.
 */
static struct file {
	const char	*name;
	const char	*reg;
	unsigned int	component;
	unsigned int	offset;		/* in the image; CPUID tells that of YMM and on */
	unsigned int	first;		/* its number */
	unsigned int	regs;
	unsigned int	bytes;
	unsigned int	stride;
	flip_fn		*flip;
} files[NR_FILES] = {
	[ST]	 = { "x87 registers", "st", XS_X87, FXSAVE_ST, 0, 8, 10, 16, flip_st },
	[MM]	 = { "MMX registers", "mm", XS_X87, FXSAVE_ST, 0, 8, 10, 16, flip_mmx },
	[FCW]	 = { "x87 control word", "fcw", XS_X87, FXSAVE_FCW, 0, 1, 2, 2, flip_fcw },
	[FSW]	 = { "x87 status word", "fsw", XS_X87, FXSAVE_FSW, 0, 1, 2, 2, flip_fsw },
	[FTW]	 = { "x87 tags", "ftw", XS_X87, FXSAVE_FTW, 0, 1, 1, 1, flip_ftw },
	[MXCSR]	 = { "MXCSR", "mxcsr", XS_SSE, FXSAVE_MXCSR, 0, 1, 4, 4, flip_mxcsr },
	[XMM]	 = { "XMM", "xmm", XS_SSE, FXSAVE_XMM, 0, NR_VECTORS, 16, 16, flip_xmm },
	[YMM]	 = { "YMM, upper halves", "ymm", XS_YMM, 0, 0, NR_VECTORS, 16, 16, flip_ymm },
	[OPMASK] = { "opmask", "k", XS_OPMASK, 0, 0, 8, 8, 8, flip_opmask },
	[ZMM_HI] = { "ZMM, upper halves", "zmm", XS_ZMM_HI, 0, 0, NR_VECTORS, 32, 32, flip_zmm },
#ifdef __x86_64__
	[ZMM_16] = { "ZMM16 to ZMM31", "zmm", XS_ZMM_16, 0, 16, 16, 64, 64, flip_zmm16 },
#else
	[ZMM_16] = { "ZMM16 to ZMM31" },
#endif
};

static const char *const context_names[SIMD_COPY_TEST_NR_CONTEXTS] = {
	[SIMD_COPY_TEST_TASK]		 = "task",
	[SIMD_COPY_TEST_IRQS_OFF]	 = "irqs-off",
	[SIMD_COPY_TEST_PREEMPT_OFF]	 = "preempt-off",
	[SIMD_COPY_TEST_BH_OFF]		 = "bh-off",
	[SIMD_COPY_TEST_FPREGS]		 = "fpregs-lock",
	[SIMD_COPY_TEST_KTHREAD]	 = "kthread",
	[SIMD_COPY_TEST_SOFTIRQ]	 = "softirq",
	[SIMD_COPY_TEST_HARDIRQ]	 = "hardirq",
	[SIMD_COPY_TEST_NMI]		 = "nmi",
	[SIMD_COPY_TEST_NESTED]		 = "nested",
	[SIMD_COPY_TEST_FOREIGN]	 = "foreign",
	[SIMD_COPY_TEST_SECTION_SOFTIRQ] = "section-softirq",
	[SIMD_COPY_TEST_SECTION_HARDIRQ] = "section-hardirq",
	/* The other two only arm something, for an exit or a hotplug. */
};

/* What a process found, in memory that it shares with the others. */
static struct shared {
	volatile int stop;
	struct slot {
		volatile pid_t	pid;
		uint64_t	verified[2];	/* with ST, and with MM */
		uint64_t	wrong[NR_FILES];
		uint64_t	mismatches;
		uint64_t	syscalls;
		uint64_t	signals;
		uint64_t	moves;
		uint64_t	preempted;
		uint64_t	errors;
		uint64_t	ran[SIMD_COPY_TEST_NR_CONTEXTS];
		uint64_t	refused[SIMD_COPY_TEST_NR_CONTEXTS];
		bool		pairs[MAX_ROWS][SIMD_COPY_TEST_NR_CONTEXTS];
	} slot[MAX_SLOTS];
} *shared;

static struct hammer h;
static struct step steps[STEPS];
static struct simd_copy_test_run runs[STEPS];
static struct simd_copy_test_probe probes[STEPS];
static unsigned char other[HAMMER_AREA] __attribute__((aligned(64)));
static unsigned char scratch[128];
static uint64_t rng;

static char rows[MAX_ROWS][sizeof(runs->row)];
static unsigned int nr_rows;
static unsigned int nr_slots;
static unsigned int nr_cpus, configured_cpus;
static cpu_set_t allowed_cpus;
static int fd = -1;
static const char *no_device;

static unsigned int me;
static unsigned char *altstack;
static volatile uint64_t nr_signals;
static uint32_t mxcsr_mask;

static uint64_t random64(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

/* Comments of several processes must not mix: one write each. */
__attribute__((format(printf, 1, 2)))
static void say(const char *fmt, ...)
{
	char buf[512] = "# ";
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(buf + 2, sizeof(buf) - 2, fmt, args);
	va_end(args);
	len = len + 2 < (int)sizeof(buf) ? len + 2 : (int)sizeof(buf) - 1;
	fflush(stdout);
	if (write(STDOUT_FILENO, buf, len) != len)
		_exit(KSFT_FAIL);
}

/*
 * Patterns. A word of one: who holds it, in which round, and where. Patterns
 * of signal handlers have the top bit of who set.
 */
#define MAGIC		0xa5ull
#define ROUND_MASK	0xffffff
#define HANDLER		0x80

static uint64_t pattern(unsigned int who, unsigned int round, unsigned int file,
			unsigned int reg, unsigned int word)
{
	return MAGIC << 56 | (uint64_t)who << 48 | (uint64_t)(round & ROUND_MASK) << 24 |
		file << 16 | reg << 8 | word;
}

static const char *whose(uint64_t word, unsigned int round)
{
	static char buf[128];
	unsigned int who = word >> 48 & 0xff, slot = who & ~HANDLER;
	unsigned int then = word >> 24 & ROUND_MASK;

	if (!word)
		return "initial state";
	if (word >> 56 != MAGIC || slot >= MAX_SLOTS)
		return "no pattern";
	snprintf(buf, sizeof(buf), "pattern of %sprocess %d, round %u",
		 who & HANDLER ? "a signal handler of " : "", shared->slot[slot].pid, then);
	if (slot == me && who == me && then == (round & ROUND_MASK))
		return "its own pattern";
	return buf;
}

static bool has_sse;

static bool present(unsigned int f)
{
	if (!files[f].regs || files[f].component == XS_X87)
		return files[f].regs;
	if (files[f].component == XS_SSE)
		return has_sse;
	return h.rfbm >> files[f].component & 1;
}

static unsigned char *reg_at(unsigned char *image, unsigned int f, unsigned int reg)
{
	return image + files[f].offset + reg * files[f].stride;
}

/* Choices of a round, in the low bits of its random number. */
#define MMX		0x01
#define PENDING		0x02
#define KEEP_YMM	0x0c	/* else the upper halves stay in their initial state */
#define KEEP_ZMM	0x30
#define KEEP_ALL	(KEEP_YMM | KEEP_ZMM)

static void fill_x87(unsigned char *image, uint64_t rnd)
{
	static const uint16_t precision[4] = { 0x000, 0x200, 0x300, 0x300 };
	uint16_t masks = rnd >> 8 & FSW_EXCEPTIONS, flags = rnd >> 16 & FSW_EXCEPTIONS;
	uint16_t fcw, fsw;

	if (rnd & PENDING) {
		uint16_t one = 1 << (rnd >> 24) % 6;

		flags |= one;
		masks &= ~one;
	} else {
		masks |= flags;
	}
	fcw = FCW_RESERVED | masks | precision[rnd >> 32 & 3] | (rnd >> 34 & 3) << 10;

	fsw = flags | (rnd >> 36 & FSW_CC);
	if (flags & ~masks)
		fsw |= FSW_ES | FSW_B;
	if (flags & 1)
		fsw |= rnd >> 48 & FSW_SF;
	if (!(rnd & MMX))
		fsw |= (rnd >> 56 & 7) << FSW_TOP_SHIFT;

	memcpy(image + FXSAVE_FCW, &fcw, sizeof(fcw));
	memcpy(image + FXSAVE_FSW, &fsw, sizeof(fsw));
	image[FXSAVE_FTW] = rnd & MMX ? 0xff : random64();
}

/* An image to load, and to find, of round @round of @who. */
static void fill(unsigned char *image, unsigned int who, unsigned int round, uint64_t rnd)
{
	uint32_t mxcsr = random64() & mxcsr_mask;
	uint64_t bv = h.rfbm;
	unsigned int f, r, w;

	if (!(rnd & KEEP_YMM))
		bv &= ~(1ull << XS_YMM);
	if (!(rnd & KEEP_ZMM))
		bv &= ~(1ull << XS_ZMM_HI | 1ull << XS_ZMM_16);

	memset(image, 0, HAMMER_AREA);
	fill_x87(image, rnd);
	if (has_sse)
		memcpy(image + FXSAVE_MXCSR, &mxcsr, sizeof(mxcsr));
	if (h.rfbm)
		memcpy(image + XSAVE_BV, &bv, sizeof(bv));

	for (f = 0; f < NR_FILES; f++) {
		if (!present(f) || files[f].bytes < sizeof(uint64_t) || f == (rnd & MMX ? ST : MM))
			continue;
		if (files[f].component > XS_SSE && !(bv >> files[f].component & 1))
			continue;
		for (r = 0; r < files[f].regs; r++) {
			for (w = 0; w < files[f].bytes / sizeof(uint64_t); w++) {
				uint64_t word = pattern(who, round, f, r, w);

				memcpy(reg_at(image, f, r) + w * sizeof(word), &word, sizeof(word));
			}
			if (f == ST || f == MM) {
				/* An MMX instruction makes any register a NaN. */
				uint16_t exponent = f == MM ? 0xffff : 0x4000 | who << 4 | r;

				memcpy(reg_at(image, f, r) + 8, &exponent, sizeof(exponent));
			}
		}
	}
}

static const char *reg_name(unsigned int f, unsigned int reg)
{
	static char buf[16];

	if (files[f].regs == 1)
		return files[f].reg;
	snprintf(buf, sizeof(buf), "%s%u", files[f].reg, files[f].first + reg);
	return buf;
}

static void to_hex(char *hex, const unsigned char *reg, unsigned int bytes)
{
	while (bytes--)
		hex += sprintf(hex, "%02x", reg[bytes]);
}

/* Say how a register differs. */
static void show(unsigned int f, unsigned int reg, unsigned int round, const char *after)
{
	const unsigned char *want = reg_at(h.want, f, reg), *got = reg_at(h.got, f, reg);
	char hex_want[2 * 64 + 1], hex_got[2 * 64 + 1];
	const char *owner = "holds no name";
	unsigned int at = 0;
	uint64_t word;

	to_hex(hex_want, want, files[f].bytes);
	to_hex(hex_got, got, files[f].bytes);
	while (want[at] == got[at])
		at++;
	at &= ~7u;
	if (at + sizeof(word) <= files[f].bytes) {
		memcpy(&word, got + at, sizeof(word));
		owner = whose(word, round);
	}
	say("%d: %s is %s (%s), should be %s, after %s\n", shared->slot[me].pid,
	    reg_name(f, reg), hex_got, owner, hex_want, after);
}

/*
 * The files that are not as they should be, as bits. @lines: how many registers
 * to tell of at most.
 */
static unsigned int differences(unsigned int round, uint64_t rnd, const char *after,
				unsigned int lines)
{
	unsigned int f, r, bad = 0;

	for (f = 0; f < NR_FILES; f++) {
		if (!present(f) || f == (rnd & MMX ? ST : MM))
			continue;
		for (r = 0; r < files[f].regs; r++) {
			if (!memcmp(reg_at(h.want, f, r), reg_at(h.got, f, r), files[f].bytes))
				continue;
			bad |= 1u << f;
			if (lines) {
				show(f, r, round, after);
				lines--;
			}
		}
	}
	return bad;
}

static const char *describe(const struct step *s)
{
	const struct simd_copy_test_run *run = &runs[s - steps];
	static char buf[128];

	switch (s->nr) {
	case STEP_SPIN:		return "no system call";
	case STEP_CALL:		return "a deliberate change";
	case SYS_getppid:	return "getppid";
	case SYS_sched_yield:	return "sched_yield";
	case SYS_kill:		return "kill";
	case SYS_sched_setaffinity: return "sched_setaffinity";
	case SYS_madvise:	return "madvise";
	}
	if (s->arg[1] == SIMD_COPY_TEST_OFFEND)
		return "registers clobbered without a section";
	if (s->arg[1] == SIMD_COPY_TEST_PROBE) {
		snprintf(buf, sizeof(buf), "an empty section of class %u",
			 probes[s - steps].section);
		return buf;
	}
	snprintf(buf, sizeof(buf), "%s, %u pages, context %s", run->row, run->npages,
		 context_names[run->context]);
	return buf;
}

static void set_step(struct step *s, long nr, unsigned long a, unsigned long b, unsigned long c)
{
	*s = (struct step){ .nr = nr, .arg = { a, b, c } };
}

static void set_run(struct step *s, unsigned int row, unsigned int context, unsigned int npages)
{
	struct simd_copy_test_run *run = &runs[s - steps];

	memset(run, 0, sizeof(*run));
	memcpy(run->row, rows[row], sizeof(run->row));
	run->npages = npages;
	run->context = context;
	set_step(s, SYS_ioctl, fd, SIMD_COPY_TEST_RUN, (unsigned long)run);
}

/* Account for a run of the device. */
static void check_run(const struct step *s, struct slot *slot)
{
	const struct simd_copy_test_run *run = &runs[s - steps];
	unsigned int row;

	if (s->ret || run->wrong) {
		if (!slot->errors++)
			say("%s: returned %ld, %u bytes wrong\n", describe(s), s->ret, run->wrong);
		return;
	}
	if (run->ran)
		slot->ran[run->context]++;
	else
		slot->refused[run->context]++;
	for (row = 0; strcmp(rows[row], run->row); row++)
		;
	slot->pairs[row][run->context] = true;
}

static void on_signal(int sig)
{
	(void)sig;
	nr_signals++;
	/* The return from the handler must bring the owner's registers back. */
	hammer_load(other, h.rfbm);
}

static unsigned int random_cpu(void)
{
	unsigned int cpu;

	do {
		cpu = random64() % configured_cpus;
	} while (!CPU_ISSET(cpu, &allowed_cpus));
	return cpu;
}

static void choose_steps(cpu_set_t *cpus)
{
	unsigned int i;

	for (i = 0; i < STEPS; i++) {
		uint64_t rnd = random64();
		struct step *s = &steps[i];
		pid_t sibling = shared->slot[(rnd >> 8) % nr_slots].pid;

		switch (rnd & 127) {
		case 0:
		case 1:
			set_step(s, SYS_getppid, 0, 0, 0);
			break;
		case 2:
			set_step(s, SYS_sched_yield, 0, 0, 0);
			break;
		case 3:
			set_step(s, SYS_kill, sibling, SIGUSR1, 0);
			break;
		case 4:
			CPU_ZERO(&cpus[i]);
			CPU_SET(random_cpu(), &cpus[i]);
			set_step(s, SYS_sched_setaffinity, 0, sizeof(cpus[i]),
				 (unsigned long)&cpus[i]);
			break;
		case 5:
			/* The kernel then stores the registers where no page is yet. */
			set_step(s, SYS_madvise, (unsigned long)altstack, ALTSTACK, MADV_DONTNEED);
			break;
		case 6:
			if (nr_rows) {
				set_run(s, (rnd >> 8) % nr_rows,
					(rnd >> 24) % SIMD_COPY_TEST_EXIT, 1 + (rnd >> 40) % 2);
				break;
			}
			__attribute__((fallthrough));
		case 7:
			/* No lock and no buffers: the registers are still on the CPU. */
			if (nr_rows) {
				probes[i].section = SIMD_COPY_TEST_XMM + (rnd >> 8) % 3;
				set_step(s, SYS_ioctl, fd, SIMD_COPY_TEST_PROBE,
					 (unsigned long)&probes[i]);
				break;
			}
			__attribute__((fallthrough));
		default:
			set_step(s, STEP_SPIN, 0, 0, 0);
		}
	}
}

static void account_steps(struct slot *slot, const struct step *end)
{
	const struct step *s;

	for (s = steps; s < end; s++) {
		slot->syscalls += s->nr != STEP_SPIN;
		if (s->nr == SYS_ioctl && s->arg[1] == SIMD_COPY_TEST_RUN) {
			check_run(s, slot);
		} else if (s->nr != STEP_SPIN && s->nr != SYS_getppid && s->ret) {
			if (!slot->errors++)
				say("%s: returned %ld\n", describe(s), s->ret);
		}
		slot->moves += s->nr == SYS_sched_setaffinity;
	}
}

/* Verify @quota times, or until @deadline if that is not 0. */
static void hammer_process(uint64_t quota, uint64_t deadline)
{
	static cpu_set_t cpus[STEPS];
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_size = ALTSTACK };
	struct slot *slot = &shared->slot[me];
	unsigned int round = 0, f, bad;
	uint64_t verified = 0;
	struct rusage usage;

	altstack = mmap(NULL, ALTSTACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack.ss_sp = altstack;
	fill(other, HANDLER | me, 0, random64() | PENDING | KEEP_ALL);
	if (altstack == MAP_FAILED || sigaltstack(&stack, NULL) ||
	    sigaction(SIGUSR1, &action, NULL)) {
		say("cannot take signals: %s\n", strerror(errno));
		_exit(KSFT_FAIL);
	}

	while (deadline ? now_ms() < deadline : verified < quota) {
		uint64_t rnd = random64();

		choose_steps(cpus);
		fill(h.want, me, ++round, rnd);
		h.step = steps;
		h.end = steps + STEPS;
		hammer_run(&h);

		if (h.step != h.end) {
			bad = differences(round, rnd, describe(h.step),
					  slot->mismatches++ < 3 ? 4 : 0);
			for (f = 0; f < NR_FILES; f++)
				slot->wrong[f] += bad >> f & 1;
			h.step++;
		}
		account_steps(slot, h.step);
		slot->verified[rnd & MMX ? 1 : 0] += h.step - steps;
		verified += h.step - steps;
	}

	getrusage(RUSAGE_SELF, &usage);
	slot->preempted = usage.ru_nivcsw;
	slot->signals = nr_signals;
	_exit(KSFT_PASS);
}

/*
 * Walk all rows and contexts until the others are through, but once at least. One
 * of these is enough: the device runs one at a time.
 */
static void driver_process(void)
{
	struct slot *slot = &shared->slot[me];
	unsigned int row, context;
	bool through = false;

	while (!through || !shared->stop) {
		for (row = 0; row < nr_rows; row++) {
			for (context = 0; context < SIMD_COPY_TEST_EXIT; context++) {
				if (through && shared->stop)
					break;
				set_run(steps, row, context, 2);
				steps->ret = ioctl(fd, SIMD_COPY_TEST_RUN, runs) ? -errno : 0;
				check_run(steps, slot);
			}
		}
		through = true;
	}
	_exit(KSFT_PASS);
}

/* The rows of this build that this CPU can run. */
static void read_rows(const char *kind)
{
	char path[64], name[24];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/kernel/simd_copy/%s", kind);
	f = fopen(path, "r");
	while (f && nr_rows < MAX_ROWS && fscanf(f, " %23s", name) == 1) {
		char *start = name + (name[0] == '[');

		start[strcspn(start, "]")] = '\0';
		snprintf(rows[nr_rows++], sizeof(rows[0]), "%s/%s", kind, start);
	}
	if (f)
		fclose(f);
}

static void open_device(void)
{
	static char why[128];

	fd = open(SIMD_COPY_TEST_PATH, O_RDWR);
	if (fd < 0) {
		snprintf(why, sizeof(why),
			 "%s: %s. As root, load simd_copy.ko and simd_copy_test.ko",
			 SIMD_COPY_TEST_PATH, strerror(errno));
		no_device = why;
		return;
	}
	read_rows("clear");
	read_rows("copy");
	read_rows("to_user");
	read_rows("copy_mc");
}

/* What the guard has counted; nothing without debugfs. */
struct guard_count {
	unsigned long long	sections;
	unsigned long long	saves;
};

static struct guard_count guard_count(void)
{
	FILE *f = fopen("/sys/kernel/debug/simd_copy/stats", "r");
	struct guard_count n = { 0 };
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "total %llu %*u %llu", &n.sections, &n.saves) == 2)
			break;
	}
	if (f)
		fclose(f);
	return n;
}

static void detect(void)
{
	unsigned int a, b, c, d, f;

	__cpuid(1, a, b, c, d);
	has_sse = d & bit_SSE;
	if (c & bit_OSXSAVE) {
		asm volatile("xgetbv" : "=a" (a), "=d" (d) : "c" (0));
		h.rfbm = a & XS_BITS;
	}
	h.size = FXSAVE_SIZE;
	for (f = 0; f < NR_FILES; f++) {
		unsigned int r;

		if (!present(f))
			continue;
		if (files[f].component > XS_SSE) {
			__cpuid_count(0xd, files[f].component, a, b, c, d);
			files[f].offset = b;
			if (b + a > h.size)
				h.size = b + a;
		}
		if (h.size > HAMMER_AREA)
			continue;
		for (r = 0; r < files[f].regs; r++)
			memset(reg_at(h.mask, f, r), 0xff, files[f].bytes);
	}
	if (present(ZMM_HI))
		files[YMM].flip = flip_zmm_ymm;

	asm volatile("fxsave (%0)" : : "r" (h.got) : "memory");
	memcpy(&mxcsr_mask, h.got + FXSAVE_MASK, sizeof(mxcsr_mask));
	mxcsr_mask = (mxcsr_mask ? mxcsr_mask : MXCSR_MASK) & 0xffff;
}

static unsigned int nr_tests, nr_failed;

__attribute__((format(printf, 2, 3)))
static void result(bool pass, const char *fmt, ...)
{
	va_list args;

	nr_failed += !pass;
	printf("%s %u ", pass ? "ok" : "not ok", ++nr_tests);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

static void file_result(bool pass, const char *what, unsigned int f)
{
	if (present(f))
		result(pass, "%s%s", what, files[f].name);
	else
		result(true, "%s%s # SKIP this CPU or width has none", what, files[f].name);
}

/* One step that must be seen. Returns the files in which it was. */
static unsigned int control(uint64_t rnd, const struct step *s, unsigned int lines)
{
	static unsigned int round;

	fill(h.want, me, ++round, rnd);
	steps[0] = *s;
	h.step = steps;
	h.end = steps + 1;
	hammer_run(&h);
	return h.step == h.end ? 0 : differences(round, rnd, describe(h.step), lines);
}

static void test_flip(unsigned int f)
{
	/* An instruction of MMX would take a pending exception. */
	uint64_t rnd = (random64() & ~(uint64_t)(MMX | PENDING)) | KEEP_ALL;
	unsigned int seen = 0;
	struct step s;

	set_step(&s, STEP_CALL, (unsigned long)scratch, 0, (unsigned long)files[f].flip);
	if (present(f))
		seen = control(f == MM ? rnd | MMX : rnd, &s, 1);
	if (present(f) && seen != 1u << f)
		say("flipping a bit was seen in the files %x, should be %x\n", seen, 1u << f);
	file_result(seen == 1u << f, "control: one bit of ", f);
}

/* Another process's registers: the report must say so. */
static void test_leak(void)
{
	const unsigned int who = 1;
	unsigned int f, r, seen, bad = 0;
	uint64_t rnd = (random64() & ~(uint64_t)MMX) | KEEP_ALL;
	char expect[64];
	struct step s;

	shared->slot[who].pid = getppid();
	snprintf(expect, sizeof(expect), "pattern of process %d, round 4711", getppid());
	fill(other, who, 4711, rnd);
	set_step(&s, STEP_CALL, (unsigned long)other, h.rfbm, (unsigned long)hammer_load);
	seen = control(rnd, &s, 1);
	for (f = 0; f < NR_FILES; f++) {
		if (!present(f) || f == MM || files[f].bytes < sizeof(uint64_t))
			continue;
		for (r = 0; r < files[f].regs; r++) {
			const char *owner;
			uint64_t word;

			memcpy(&word, reg_at(h.got, f, r), sizeof(word));
			owner = whose(word, 0);
			if (seen >> f & 1 && !strcmp(owner, expect) &&
			    (word & 0xffffff) == (f << 16 | r << 8))
				continue;
			if (!bad++)
				say("%s should be seen as %s, is seen as %s\n", reg_name(f, r),
				    expect, owner);
		}
	}
	result(!bad, "control: registers of another process");
}

/*
 * Each file must be lost once, maybe not at the first try: the device says EAGAIN
 * if the registers of this process are in memory already, where nothing is lost.
 */
static void test_no_save(void)
{
	uint64_t start = now_ms(), elapsed;
	unsigned int seen = 0, want = 0, tries = 0, f;
	struct step s;

	for (f = 0; f < NR_FILES; f++)
		want |= present(f) << f;

	set_step(&s, SYS_ioctl, fd, SIMD_COPY_TEST_OFFEND, SIMD_COPY_TEST_NO_SAVE);
	do {
		seen |= control(random64() | KEEP_ALL, &s, tries < 1 ? 4 : 0);
		if (steps[0].ret && steps[0].ret != -EAGAIN) {
			say("SIMD_COPY_TEST_OFFEND returned %ld\n", steps[0].ret);
			break;
		}
		tries++;
		elapsed = now_ms() - start;
	} while (seen != want && elapsed < CONTROL_SECONDS * 1000);
	say("a guard that does not save: %u tries, %llu ms\n", tries,
	    (unsigned long long)(now_ms() - start));
	for (f = 0; f < NR_FILES; f++)
		file_result(seen >> f & 1, "control: no save, ", f);
}

static void run_controls(void)
{
	unsigned int f;

	me = 0;
	shared->slot[me].pid = getpid();
	for (f = 0; f < NR_FILES; f++)
		test_flip(f);
	test_leak();
	if (!no_device) {
		test_no_save();
		return;
	}
	result(true, "control: no save # SKIP %s", no_device);
}

#define TOTAL(field) ({							\
	uint64_t sum_ = 0;						\
	unsigned int i_;						\
									\
	for (i_ = 0; i_ < MAX_SLOTS; i_++)				\
		sum_ += shared->slot[i_].field;				\
	(unsigned long long)sum_;					\
})

/* Wait until a process ends, and say how far all are, unless they do not get further. */
static void wait_for_end(pid_t pid)
{
	static unsigned long long said;
	static uint64_t said_at;
	siginfo_t info = { 0 };

	while (!waitid(P_PID, pid, &info, WEXITED | WNOWAIT | WNOHANG) && !info.si_pid) {
		unsigned long long verified = TOTAL(verified[0]) + TOTAL(verified[1]);

		usleep(100000);
		if (verified == said || now_ms() - said_at < PROGRESS_SECONDS * 1000)
			continue;
		say("%llu verifications\n", verified);
		fflush(stdout);
		said = verified;
		said_at = now_ms();
	}
}

/* Start all processes, and wait for all. False if one did not end well. */
static bool run_processes(uint64_t quota, uint64_t deadline)
{
	unsigned int i, nr = nr_slots + !!nr_rows;
	bool good = true;
	int start[2];

	if (pipe(start)) {
		say("pipe: %s\n", strerror(errno));
		return false;
	}
	/* Until its own handler stands, a process must not die of it. */
	signal(SIGUSR1, SIG_IGN);
	fflush(stdout);
	for (i = 0; i < nr; i++) {
		pid_t pid = fork();
		char c;

		if (pid < 0) {
			say("fork: %s\n", strerror(errno));
			good = false;
			nr = i;
			break;
		}
		if (pid) {
			shared->slot[i].pid = pid;
			continue;
		}
		/* Nobody starts before all pids are known. */
		close(start[1]);
		if (read(start[0], &c, 1))
			_exit(KSFT_FAIL);
		me = i;
		rng += i * 0x9e3779b97f4a7c15ull;
		if (i < nr_slots)
			hammer_process(quota, deadline);
		driver_process();
	}
	if (!good)
		for (i = 0; i < nr; i++)
			kill(shared->slot[i].pid, SIGKILL);
	close(start[0]);
	close(start[1]);

	/* Not reaped before the last one ends: another may still kill() its pid. */
	for (i = 0; i < nr && i < nr_slots; i++)
		wait_for_end(shared->slot[i].pid);
	shared->stop = 1;
	for (i = 0; i < nr; i++) {
		int status;

		if (waitpid(shared->slot[i].pid, &status, 0) < 0 || status) {
			say("process %d ended with status %x, should be 0%s\n",
			    shared->slot[i].pid, status,
			    WIFSIGNALED(status) && WTERMSIG(status) == SIGFPE ?
			    ": it took an exception that it had left pending" : "");
			good = false;
		}
	}
	return good;
}

static void report_files(void)
{
	unsigned long long st = TOTAL(verified[0]), mm = TOTAL(verified[1]), n;
	unsigned int f;

	for (f = 0; f < NR_FILES; f++) {
		n = f == ST ? st : f == MM ? mm : st + mm;
		if (present(f))
			say("%s: verified %llu times, wrong %llu times\n", files[f].name, n,
			    TOTAL(wrong[f]));
		file_result(n && !TOTAL(wrong[f]), "", f);
	}
}

static void report_device(const struct guard_count *before)
{
	struct guard_count after = guard_count();
	unsigned int row, context, i, missing = 0;

	if (no_device) {
		result(true, "all rows in all contexts # SKIP %s", no_device);
		return;
	}
	for (context = 0; context < SIMD_COPY_TEST_EXIT; context++)
		say("%s: ran %llu times, refused %llu times\n", context_names[context],
		    TOTAL(ran[context]), TOTAL(refused[context]));
	for (row = 0; row < nr_rows; row++) {
		for (context = 0; context < SIMD_COPY_TEST_EXIT; context++) {
			for (i = 0; i < MAX_SLOTS; i++)
				if (shared->slot[i].pairs[row][context])
					break;
			if (i == MAX_SLOTS && !missing++)
				say("%s did not run in context %s\n", rows[row],
				    context_names[context]);
		}
	}
	say("%u rows, %llu sections, %llu of them had registers to save\n", nr_rows,
	    after.sections - before->sections, after.saves - before->saves);
	result(nr_rows && !missing && after.saves > before->saves, "all rows in all contexts");
}

static int hammer(uint64_t count, uint64_t seconds)
{
	uint64_t start, elapsed, verified;
	struct guard_count before;
	bool good;

	printf("KTAP version 1\n1..%u\n", 2 * NR_FILES + 4 + (no_device ? 1 : NR_FILES));
	printf("# %s, %lu bytes of registers\n", h.rfbm ? "XSAVE" : "FXSAVE", h.size);
	run_controls();

	memset(shared, 0, sizeof(*shared));
	start = now_ms();
	before = guard_count();
	good = run_processes(count / nr_slots + 1, seconds ? start + seconds * 1000 : 0);
	elapsed = now_ms() - start;
	verified = TOTAL(verified[0]) + TOTAL(verified[1]);

	report_files();
	report_device(&before);
	say("%llu system calls, %llu signals, %llu moves to a CPU, %llu preemptions\n",
	    TOTAL(syscalls), TOTAL(signals), TOTAL(moves), TOTAL(preempted));
	result(TOTAL(signals) && TOTAL(moves) && TOTAL(preempted) && !TOTAL(errors),
	       "system calls, signals and preemption");
	say("%u processes on %u CPUs, %llu verifications in %llu.%llu s\n", nr_slots, nr_cpus,
	    (unsigned long long)verified, (unsigned long long)elapsed / 1000,
	    (unsigned long long)elapsed % 1000 / 100);
	result(good && verified >= count && !TOTAL(mismatches), "%llu mismatches",
	       TOTAL(mismatches));
	return nr_failed ? KSFT_FAIL : KSFT_PASS;
}

static bool parse_number(const char *arg, uint64_t *val)
{
	char *end;

	*val = strtoull(arg, &end, 10);
	return *arg >= '0' && *arg <= '9' && !*end && *val;
}

int main(int argc, char **argv)
{
	uint64_t count = 1000000, seconds = 0;
	unsigned int a, b, c, d;
	int opt;

	while ((opt = getopt(argc, argv, "n:t:h")) != -1) {
		if (opt == 'h') {
			printf("%s", usage);
			return KSFT_PASS;
		}
		if ((opt != 'n' || !parse_number(optarg, &count)) &&
		    (opt != 't' || !parse_number(optarg, &seconds))) {
			fprintf(stderr, "%s", usage);
			return KSFT_USAGE;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "%s", usage);
		return KSFT_USAGE;
	}
	if (seconds)
		count = 1;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(d & bit_FXSAVE)) {
		printf("KTAP version 1\n1..0 # SKIP this CPU has no FXSAVE\n");
		return KSFT_SKIP;
	}
	detect();
	configured_cpus = sysconf(_SC_NPROCESSORS_CONF);
	if (sched_getaffinity(0, sizeof(allowed_cpus), &allowed_cpus)) {
		printf("Bail out! sched_getaffinity: %s\n", strerror(errno));
		return KSFT_FAIL;
	}
	nr_cpus = CPU_COUNT(&allowed_cpus);
	if (nr_cpus > MAX_SLOTS / (PER_CPU + 1))
		nr_cpus = MAX_SLOTS / (PER_CPU + 1);
	nr_slots = PER_CPU * nr_cpus;
	rng = now_ms() << 32 | getpid();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED || h.size > HAMMER_AREA) {
		printf("Bail out! %s\n", shared == MAP_FAILED ? "mmap" : "HAMMER_AREA");
		return KSFT_FAIL;
	}
	open_device();
	return hammer(count, seconds);
}
