// SPDX-License-Identifier: GPL-2.0
/*
 * to_user: copies to user memory that is not there, not writable, or not there
 * yet.
 *
 * A destination is a run of pages that can be stored to, with one behind it that
 * can not, or of pages that the kernel has to bring first. What is left of a copy
 * is known beforehand, and so is each byte of it and around it. All of it is asked
 * of simd_copy_to_user(), with each routine in turn, of each routine by itself, and
 * of the kernel's own copy_to_user(): where that does not pass, the test is wrong.
 *
 * No copy may end in a signal, and none may trap other than by a page fault.
 *
 * to_user --smap has the kernel store to user memory without opening access to it:
 * an oops, and the reason why no routine that passes can have forgotten to.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "simd_copy_test_uapi.h"
#include "stdout.h"

#define KSFT_PASS	0
#define KSFT_FAIL	1
#define KSFT_SKIP	4

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define ROUTINES	"/sys/kernel/debug/simd_copy/routines"
#define STATS		"/sys/kernel/debug/simd_copy/stats"
#define CHOICE		"/sys/kernel/simd_copy/to_user"

#define PAGE		4096ul
#define SECTION		16384
#define MIB		(1024 * 1024)
#define AROUND		256		/* bytes looked at before and behind a copy */

/* Even, as no byte of the source is. */
#define POISON		0xee

#define CASES		25000
#define SEED		0x5eed0123456789ab

/* Below it the device's rows are not asked for. */
#define API_MIN		512

/* Who copies: a row by itself, the API with a row chosen for it, or stock. */
static struct subject {
	char	ask[28];	/* what the device is asked for */
	char	choice[24];	/* what is written to CHOICE first, if anything */
	char	name[48];
	bool	guarded;	/* counts sections and faults */
} subjects[128];
static unsigned int nr_subjects;
#define STOCK		(&subjects[0])

static int fd;
static bool nofault;		/* copy with page fault handling off */
static bool kernel32;		/* whose own copies count what they left in words */
static unsigned int failed;
static volatile sig_atomic_t nr_signals, expect_signal;
static sigjmp_buf after_signal;
static unsigned long long nr_copies, nr_faults;

static uint8_t source[SIMD_COPY_TEST_SOURCE];
static uint8_t untouched[2][MIB + 2 * PAGE];	/* all 0, all POISON */

__attribute__((format(printf, 1, 2)))
static void fail(const char *fmt, ...)
{
	va_list args;

	/* The first ones tell enough. */
	if (failed++ >= 8)
		return;
	printf("# ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
}

__attribute__((format(printf, 1, 2), noreturn))
static void bail(const char *fmt, ...)
{
	va_list args;

	printf("Bail out! ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf(": %s\n", strerror(errno));
	fflush(stdout);
	_exit(KSFT_FAIL);
}

static void on_signal(int sig)
{
	nr_signals++;
	if (expect_signal)
		siglongjmp(after_signal, 1);
	if (nr_signals > 3) {
		static const char text[] = "Bail out! signals that come again and again\n";

		if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
			_exit(KSFT_SKIP);
		_exit(KSFT_FAIL);
	}
	(void)sig;
}

static uint64_t rng = SEED;

static uint64_t random64(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

static unsigned long below(unsigned long n)
{
	return random64() % n;
}

static unsigned long larger(unsigned long a, unsigned long b)
{
	return a > b ? a : b;
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

/* Traps other than page faults, since the module was loaded. */
static int odd_traps(void)
{
	FILE *f = fopen(STATS, "r");
	char line[512];
	int n = -1;

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "traps of copies that were neither page faults nor machine checks: %d",
		       &n);
	if (f)
		fclose(f);
	return n;
}

/* Have the API use the subject's row. */
static void choose(const struct subject *s)
{
	int f;

	if (!s->choice[0])
		return;
	f = open(CHOICE, O_WRONLY);
	if (f < 0 || write(f, s->choice, strlen(s->choice)) < 0)
		bail("writing %s to " CHOICE, s->choice);
	close(f);
}

/* Copy, and return the error if there is one. */
static int try_copy(const struct subject *s, uint64_t to, uint64_t n, uint64_t offset,
		    struct simd_copy_test_to_user *t)
{
	memset(t, 0, sizeof(*t));
	memcpy(t->row, s->ask, sizeof(t->row));
	t->nofault = nofault;
	t->to = to;
	t->n = n;
	t->offset = offset;
	t->left = 0x123456789abcdefull;
	nr_copies++;
	if (ioctl(fd, SIMD_COPY_TEST_TO_USER, t))
		return errno;
	nr_faults += t->faults;
	return 0;
}

static uint64_t copy(const struct subject *s, const uint8_t *to, uint64_t n, uint64_t offset,
		     struct simd_copy_test_to_user *t)
{
	int err = try_copy(s, (uintptr_t)to, n, offset, t);

	if (err)
		fail("%s: %llu bytes: %s", s->name, (unsigned long long)n, strerror(err));
	return err ? ~0ull : t->left;
}

/**
 * struct want - what has to be in memory after a copy
 * @start:	memory that can be read: from here
 * @end:	to here
 * @to:		where the copy went
 * @done:	bytes that are there
 * @offset:	where they come from
 * @blank:	what all other bytes are
 */
struct want {
	const uint8_t	*start;
	const uint8_t	*end;
	const uint8_t	*to;
	uint64_t	done;
	uint64_t	offset;
	uint8_t		blank;
};

/*
 * A 32-bit kernel's own copy gives up on a whole turn, of which a part may be done.
 * Short copies are its own whoever asks for them.
 */
#define TURN	64

static uint64_t given_up(const struct subject *s, uint64_t n)
{
	return kernel32 && (s == STOCK || (!strcmp(s->ask, "api") && n < API_MIN)) ? TURN : 0;
}

/* The first byte that is wrong, NULL if none is. The last @slack may be missing. */
static const uint8_t *first_wrong(const struct want *w, uint64_t slack)
{
	const uint8_t *rest = untouched[w->blank == POISON];
	const uint8_t *from = w->to - w->start > AROUND ? w->to - AROUND : w->start;
	const uint8_t *done = w->to + w->done;
	const uint8_t *until = w->end - done > (long)PAGE ? done + PAGE : w->end;
	const uint8_t *p;

	if (memcmp(from, rest, w->to - from)) {
		for (p = from; *p == w->blank; p++)
			;
		return p;
	}
	for (p = w->to; memcmp(p, source + w->offset + (p - w->to), done - p); p++) {
		while (*p == source[w->offset + (p - w->to)])
			p++;
		if (done - p > (long)slack || *p != w->blank)
			return p;
	}
	if (memcmp(done, rest, until - done)) {
		for (p = done; *p == w->blank; p++)
			;
		return p;
	}
	return NULL;
}

static void expect_bytes(const struct subject *s, const char *what, const struct want *w,
			 uint64_t n)
{
	const uint8_t *p = first_wrong(w, given_up(s, n));

	if (p)
		fail("%s, %s: byte %ld of %llu is %02x, %llu should be done (%lx in its page, source %llx)",
		     s->name, what, (long)(p - w->to), (unsigned long long)n, *p,
		     (unsigned long long)w->done, (unsigned long)((uintptr_t)w->to % PAGE),
		     (unsigned long long)w->offset);
}

static void expect_left(const struct subject *s, const char *what, const uint8_t *to, uint64_t n,
			uint64_t left, uint64_t want)
{
	if (left == want || (left > want && left - want <= given_up(s, n) && left <= n))
		return;
	fail("%s, %s: %lld of %llu bytes left, should be %llu (page offset %lx)", s->name, what,
	     (long long)left, (unsigned long long)n, (unsigned long long)want,
	     (unsigned long)((uintptr_t)to % PAGE));
}

/* A section that meets a fault counts it, and no other does. A small call is no refusal. */
static void expect_faults(const struct subject *s, const char *what, uint64_t n, bool want,
			  const struct simd_copy_test_to_user *t)
{
	bool small = !strcmp(s->ask, "api") && n < API_MIN;

	if (t->small != small || t->refused)
		fail("%s, %s, %llu bytes: %u small calls and %u refusals were counted", s->name,
		     what, (unsigned long long)n, t->small, t->refused);
	if (!s->guarded || !n || small)
		return;
	if (!t->sections)
		fail("%s, %s: no section was opened: nothing was tested", s->name, what);
	if (!!t->faults != want)
		fail("%s, %s, %llu bytes: %u faults were counted, should be %s", s->name, what,
		     (unsigned long long)n, t->faults, want ? "some" : "none");
}

static uint8_t *map(unsigned long len, int flags, int file)
{
	uint8_t *p = mmap(NULL, len, PROT_READ | PROT_WRITE, flags, file, 0);

	if (p == MAP_FAILED)
		bail("mmap of %lu bytes", len);
	return p;
}

/*
 * A process in the same memory: a small kernel has no futex, without which threads
 * can not be joined.
 */
static pid_t beside(int (*fn)(void *), void *arg)
{
	const unsigned long size = 16 * PAGE;
	uint8_t *stack = map(size, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	pid_t pid = clone(fn, stack + size, CLONE_VM | SIGCHLD, arg);

	if (pid < 0)
		bail("clone");
	return pid;
}

static int memory_file(unsigned long len)
{
	int file = memfd_create("to_user", 0);

	/* A small kernel may have no memory of that kind. */
	if (file < 0) {
		FILE *f = tmpfile();

		file = f ? fileno(f) : -1;
	}
	if (file < 0 || ftruncate(file, len))
		bail("a file of %lu bytes", len);
	return file;
}

/* Destinations: pages that can be stored to, a page that can not, and one that can. */
enum wall_kind { WALL_HOLE, WALL_READ_ONLY, WALL_NONE, WALL_EOF, NR_WALLS };

static const char *const wall_names[NR_WALLS] = {
	"hole", "read-only page", "PROT_NONE page", "page beyond the end of a file",
};

#define WALL_PAGES	6
#define WALL_BYTES	(WALL_PAGES * PAGE)

static uint8_t *walls[NR_WALLS];	/* where they stand, WALL_BYTES behind the start */

static void build_walls(void)
{
	unsigned int i;

	for (i = 0; i < NR_WALLS; i++) {
		unsigned long len = WALL_BYTES + 2 * PAGE;
		uint8_t *p, *wall;

		if (i == WALL_EOF)
			p = map(len, MAP_SHARED, memory_file(WALL_BYTES));
		else
			p = map(len, MAP_PRIVATE | MAP_ANONYMOUS, -1);
		wall = p + WALL_BYTES;
		memset(p, POISON, WALL_BYTES);
		if (i != WALL_EOF)
			memset(wall, POISON, PAGE);
		if (mmap(wall + PAGE, PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
			bail("mmap");
		memset(wall + PAGE, POISON, PAGE);
		if ((i == WALL_HOLE && munmap(wall, PAGE)) ||
		    (i == WALL_READ_ONLY && mprotect(wall, PAGE, PROT_READ)) ||
		    (i == WALL_NONE && mprotect(wall, PAGE, PROT_NONE)))
			bail("a %s", wall_names[i]);
		walls[i] = wall;
	}
}

/* Whether the wall, as far as there is one, and the page behind it are as they were. */
static bool wall_intact(unsigned int kind)
{
	uint8_t *wall = walls[kind];
	bool good = !memcmp(wall + PAGE, untouched[1], PAGE);

	if (kind == WALL_NONE && mprotect(wall, PAGE, PROT_READ))
		bail("mprotect");
	if (kind == WALL_READ_ONLY || kind == WALL_NONE)
		good = good && !memcmp(wall, untouched[1], PAGE);
	if (kind == WALL_NONE && mprotect(wall, PAGE, PROT_NONE))
		bail("mprotect");
	return good;
}

/* @before bytes up to a wall, and @beyond that can not be stored. */
static void copy_to_wall(const struct subject *s, unsigned int kind, unsigned long before,
			 unsigned long beyond, unsigned long offset)
{
	struct simd_copy_test_to_user t;
	uint8_t *wall = walls[kind], *to = wall - before;
	struct want w = {
		.start = wall - WALL_BYTES, .end = wall, .to = to, .done = before,
		.offset = offset, .blank = POISON,
	};
	uint64_t n = before + beyond, left = copy(s, to, n, offset, &t);

	expect_left(s, wall_names[kind], to, n, left, beyond);
	expect_bytes(s, wall_names[kind], &w, n);
	expect_faults(s, wall_names[kind], n, beyond, &t);
	/* What the next one finds. */
	memset(to, POISON, before);
}

static void test_walls(const struct subject *s, unsigned int kind)
{
	static const unsigned int lengths[] = {
		0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 191,
		255, 256, 257, 320, 511, 512, 513, 1000, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE + 77,
		SECTION - 1, SECTION, SECTION + 1, SECTION + 64, SECTION + 700, WALL_BYTES,
	};
	static const unsigned int beyond[] = { 1, 7, 8, 64, 320, 513, PAGE, SECTION + 5 };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (j = 0; j < ARRAY_SIZE(beyond); j++)
			copy_to_wall(s, kind, lengths[i], beyond[j], 64 + below(128));
	}
	if (!wall_intact(kind))
		fail("%s: stored to a %s, or behind it", s->name, wall_names[kind]);
}

static void test_hole(const struct subject *s)
{
	test_walls(s, WALL_HOLE);
}

static void test_read_only(const struct subject *s)
{
	test_walls(s, WALL_READ_ONLY);
}

static void test_prot_none(const struct subject *s)
{
	test_walls(s, WALL_NONE);
}

static void test_eof(const struct subject *s)
{
	test_walls(s, WALL_EOF);
}

/* Sizes and alignments, in memory that is all there. The source ends where its mapping does. */
static uint8_t *plain;

#define PLAIN_BYTES	(MIB + 2 * PAGE)

static void copy_plain(const struct subject *s, unsigned long to, unsigned long n,
		       unsigned long offset)
{
	struct simd_copy_test_to_user t;
	struct want w = {
		.start = plain, .end = plain + PLAIN_BYTES, .to = plain + to, .done = n,
		.offset = offset, .blank = POISON,
	};
	uint64_t left = copy(s, plain + to, n, offset, &t);

	expect_left(s, "memory", plain + to, n, left, 0);
	expect_bytes(s, "memory", &w, n);
	expect_faults(s, "memory", n, false, &t);
	memset(plain + to, POISON, n);
}

static void test_sizes(const struct subject *s)
{
	static const unsigned int around[] = { 512, 1024, PAGE, SECTION, 2 * SECTION };
	unsigned long n, i;

	for (n = 0; n <= 320; n++)
		copy_plain(s, PAGE + below(64), n, SIMD_COPY_TEST_SOURCE - n);
	for (i = 0; i < ARRAY_SIZE(around); i++) {
		for (n = around[i] - 65; n <= around[i] + 65; n += n + 3 < around[i] ||
		     n > around[i] + 3 ? 7 : 1)
			copy_plain(s, PAGE + below(64), n, SIMD_COPY_TEST_SOURCE - n);
	}
	/* Each relative alignment. */
	for (i = 0; i < 64; i++) {
		n = 512 + below(2048);
		copy_plain(s, PAGE + i, n, SIMD_COPY_TEST_SOURCE - (n + 63) / 64 * 64);
		copy_plain(s, PAGE + below(64), n, 64 + i);
	}
	copy_plain(s, PAGE + 1, 100000, 64 + 9);
	copy_plain(s, PAGE + 63, MIB, 0);
}

/* Pages that are there as soon as someone stores to them. */
enum absent_kind { ABSENT_ANONYMOUS, ABSENT_SHARED, ABSENT_PRIVATE, NR_ABSENT };

static const char *const absent_names[NR_ABSENT] = {
	"absent anonymous page", "absent page of a shared file", "absent page of a private file",
};

#define ABSENT_PAGES	8
#define ABSENT_BYTES	(ABSENT_PAGES * PAGE)

static uint8_t *absent[NR_ABSENT];

static void build_absent(void)
{
	int file = memory_file(ABSENT_BYTES);
	uint8_t *p = map(ABSENT_BYTES, MAP_SHARED, file);

	memset(p, POISON, ABSENT_BYTES);
	absent[ABSENT_PRIVATE] = map(ABSENT_BYTES, MAP_PRIVATE, file);
	absent[ABSENT_SHARED] = map(ABSENT_BYTES, MAP_SHARED, memory_file(ABSENT_BYTES));
	memset(absent[ABSENT_SHARED], POISON, ABSENT_BYTES);
	absent[ABSENT_ANONYMOUS] = map(ABSENT_BYTES, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	/* Refused by a kernel that has no huge pages anyway. */
	madvise(absent[ABSENT_ANONYMOUS], ABSENT_BYTES, MADV_NOHUGEPAGE);
}

static void copy_absent(const struct subject *s, unsigned int kind, unsigned long at,
			unsigned long n, unsigned long offset, unsigned int present)
{
	unsigned long first = at / PAGE, end = (at + n - 1) / PAGE + 1, page, missing = 0;
	unsigned long left_want = 0;
	struct simd_copy_test_to_user t;
	uint8_t *base = absent[kind];
	struct want w = {
		.start = base + first * PAGE, .end = base + end * PAGE, .to = base + at,
		.done = n, .offset = offset, .blank = kind == ABSENT_ANONYMOUS ? 0 : POISON,
	};
	uint64_t left;

	if (madvise(base + first * PAGE, (end - first) * PAGE, MADV_DONTNEED))
		bail("madvise");
	for (page = first; page < end; page++) {
		if (present >> page & 1)
			*(volatile uint8_t *)&base[page * PAGE] = w.blank;
		else if (!missing++ && nofault)
			left_want = at + n - larger(page * PAGE, at);
	}
	left = copy(s, w.to, n, offset, &t);
	expect_left(s, absent_names[kind], w.to, n, left, left_want);
	w.done -= left_want;
	expect_bytes(s, absent_names[kind], &w, n);
	expect_faults(s, absent_names[kind], n, missing, &t);
	/* The others get their old bytes back by themselves. */
	if (kind == ABSENT_SHARED)
		memset(base + first * PAGE, w.blank, (end - first) * PAGE);
}

static void test_absent(const struct subject *s)
{
	unsigned int kind, i;

	for (kind = 0; kind < NR_ABSENT; kind++) {
		copy_absent(s, kind, 0, ABSENT_BYTES, 0, 0);
		copy_absent(s, kind, 1, ABSENT_BYTES - 2, 3, 1);
		for (i = 0; i < 40; i++) {
			unsigned long at = below(ABSENT_BYTES - 1);

			copy_absent(s, kind, at, 1 + below(ABSENT_BYTES - at), below(4096),
				    random64());
		}
	}
}

/* Nobody brings them, so that they are holes. */
static void test_nofault(const struct subject *s)
{
	nofault = true;
	test_absent(s);
	nofault = false;
}

/* Write-protected until the copy, since another process has the same pages. */
static void test_cow(const struct subject *s)
{
	struct simd_copy_test_to_user t;
	const unsigned long n = 3 * SECTION + 77;
	uint8_t *p = map(n + 2 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	struct want w = {
		.start = p, .end = p + n + PAGE, .to = p + PAGE - 5, .done = n, .offset = 11,
		.blank = POISON,
	};
	int go[2], status;
	uint64_t left;
	pid_t pid;
	char c;

	memset(p, POISON, n + 2 * PAGE);
	fflush(stdout);
	if (pipe(go))
		bail("pipe");
	pid = fork();
	if (pid < 0)
		bail("fork");
	if (!pid) {
		close(go[1]);
		if (read(go[0], &c, 1))
			_exit(2);
		_exit(!!memcmp(p, untouched[1], n + 2 * PAGE));
	}
	close(go[0]);
	left = copy(s, w.to, n, w.offset, &t);
	close(go[1]);
	if (waitpid(pid, &status, 0) != pid)
		bail("waitpid");
	expect_left(s, "page shared with a child", w.to, n, left, 0);
	expect_bytes(s, "page shared with a child", &w, n);
	expect_faults(s, "page shared with a child", n, true, &t);
	if (status)
		fail("%s: the child sees what was copied to its parent, status %x", s->name,
		     status);
	munmap(p, n + 2 * PAGE);
}

/* A stack grows by a store below it, up to the guard gap above what is mapped there. */
#define GAP		(256 * PAGE)
#define GROWTH		4

static void test_stack(const struct subject *s)
{
	const unsigned long len = GAP + (GROWTH + 2) * PAGE;
	struct simd_copy_test_to_user t;
	uint8_t *floor = map(len, MAP_PRIVATE | MAP_ANONYMOUS, -1), *limit, *stack;
	struct want w;
	uint64_t left;

	limit = floor + PAGE + GAP;
	stack = floor + len - PAGE;
	if (munmap(floor + PAGE, len - PAGE) ||
	    mmap(stack, PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED, -1, 0) != stack)
		bail("a stack");

	/* Into the gap: nothing can be there, and the stack does not grow. */
	left = copy(s, limit - 100, 1000, 5, &t);
	expect_left(s, "guard gap of a stack", limit - 100, 1000, left, 1000);
	/* Below the stack, all of what it may grow by, then in it. */
	w = (struct want){
		.start = limit, .end = stack + PAGE, .to = limit + 100,
		.done = GROWTH * PAGE + 200, .offset = 5, .blank = 0,
	};
	left = copy(s, w.to, w.done, w.offset, &t);
	expect_left(s, "growing stack", w.to, w.done, left, 0);
	if (!failed)
		expect_bytes(s, "growing stack", &w, w.done);
	expect_faults(s, "growing stack", w.done, true, &t);
	munmap(limit, (GROWTH + 1) * PAGE);
	munmap(floor, PAGE);
}

/* Pages that another process brings, late. */
#define LATE_PAGES	5
#define LATE_BYTES	(LATE_PAGES * PAGE)

static uint8_t *late;
static int late_fd = -1;
static pid_t late_pid;
static volatile unsigned int nr_late;
static uint8_t late_page[PAGE] __attribute__((aligned(4096)));

static int bring_late(void *unused)
{
	struct pollfd pollfd = { .fd = late_fd, .events = POLLIN };
	struct uffd_msg msg;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		struct uffdio_copy bring = { .src = (uintptr_t)late_page, .len = PAGE };

		if (poll(&pollfd, 1, -1) < 0 || read(late_fd, &msg, sizeof(msg)) != sizeof(msg))
			continue;
		/* The one who waits is off its CPU by now, and its registers are gone. */
		usleep(1000);
		bring.dst = msg.arg.pagefault.address & -PAGE;
		/* Before it is there: who waits for it goes on at once, and looks. */
		nr_late++;
		if (ioctl(late_fd, UFFDIO_COPY, &bring) && errno != EEXIST)
			bail("UFFDIO_COPY");
	}
}

/* Returns why there can be none, NULL if there are. */
static const char *build_late(void)
{
	static char why[128];
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	late_fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (late_fd < 0 || ioctl(late_fd, UFFDIO_API, &api)) {
		snprintf(why, sizeof(why), "userfaultfd: %s", strerror(errno));
		return why;
	}
	late = map(LATE_BYTES, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	reg.range.start = (uintptr_t)late;
	reg.range.len = LATE_BYTES;
	if (ioctl(late_fd, UFFDIO_REGISTER, &reg))
		bail("UFFDIO_REGISTER");
	memset(late_page, POISON, PAGE);
	late_pid = beside(bring_late, NULL);
	return NULL;
}

static void copy_late(const struct subject *s, unsigned long at, unsigned long n)
{
	struct simd_copy_test_to_user t;
	struct want w = {
		.start = late + at / PAGE * PAGE, .end = late + (at + n + PAGE - 1) / PAGE * PAGE,
		.to = late + at, .done = n, .offset = 64 + below(128), .blank = POISON,
	};
	unsigned int before, want = (w.end - w.start) / PAGE;
	uint64_t left;

	if (madvise(late, LATE_BYTES, MADV_DONTNEED))
		bail("madvise");
	before = nr_late;
	left = copy(s, w.to, n, w.offset, &t);
	expect_left(s, "page that comes late", w.to, n, left, 0);
	expect_bytes(s, "page that comes late", &w, n);
	expect_faults(s, "page that comes late", n, true, &t);
	if (nr_late - before > want)
		fail("%s: %u pages came late, should be %u at most", s->name, nr_late - before,
		     want);
}

static void test_late(const struct subject *s)
{
	unsigned int before = nr_late;

	copy_late(s, 0, LATE_BYTES);
	copy_late(s, PAGE - 1, 2 * PAGE);
	copy_late(s, 3 * PAGE - 300, 600);
	copy_late(s, 77, 1);
	if (nr_late == before)
		fail("%s: no page came late: nothing was tested", s->name);
}

/* Pages that another process takes away again and again. A shared file keeps its bytes. */
#define RACE_BYTES	(16 * PAGE)
#define RACE_SECONDS	20

static uint8_t *racing;
static volatile bool race_off;

static int race(void *cpus)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sched_setaffinity(0, sizeof(cpu_set_t), cpus))
		bail("sched_setaffinity");
	while (!race_off) {
		if (madvise(racing, RACE_BYTES, MADV_DONTNEED))
			bail("madvise");
		/* For QEMU's TCG this is the other CPU's turn. */
		asm volatile("pause");
	}
	return 0;
}

static long minor_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_minflt;
}

static void test_race(const struct subject *s)
{
	struct simd_copy_test_to_user t;
	uint64_t start = now_ms();
	cpu_set_t all, one, others;
	bool raced;
	pid_t pid;

	if (sched_getaffinity(0, sizeof(all), &all))
		bail("sched_getaffinity");
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	CPU_XOR(&others, &all, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		bail("sched_setaffinity");
	memset(racing, POISON, RACE_BYTES);
	race_off = false;
	pid = beside(race, &others);
	/* Until it came in between, and not just before. */
	do {
		unsigned long at = 1 + below(PAGE - 1), n = RACE_BYTES - 2 * PAGE;
		struct want w = {
			.start = racing, .end = racing + RACE_BYTES, .to = racing + at, .done = n,
			.offset = below(PAGE), .blank = POISON,
		};
		long before;

		for (before = 0; before < RACE_BYTES; before += PAGE)
			*(volatile uint8_t *)&racing[before] = POISON;
		before = minor_faults();
		expect_left(s, "racing page", w.to, n, copy(s, w.to, n, w.offset, &t), 0);
		raced = s->guarded ? t.faults : minor_faults() > before;
		if (raced)
			expect_bytes(s, "racing page", &w, n);
		memset(racing + at, POISON, n);
		if (now_ms() - start > RACE_SECONDS * 1000)
			fail("%s: no page was taken away in %u s", s->name, RACE_SECONDS);
	} while (!raced && !failed);
	race_off = true;
	if (waitpid(pid, NULL, 0) != pid)
		bail("waitpid");
	if (sched_setaffinity(0, sizeof(all), &all))
		bail("sched_setaffinity");
}

/* Ranges that are nobody's, and nothing. */
static void test_range(const struct subject *s)
{
	const uint64_t p = (uintptr_t)plain, max = kernel32 ? UINT32_MAX : UINT64_MAX;
	const struct {
		uint64_t	to;
		uint64_t	n;
		uint64_t	left;
	} cases[] = {
		{ p, 0, 0 },
		{ 0, 0, 0 },
		{ 0, 1, 1 },
		{ max, 0, 0 },
		{ max, 1, 1 },
		{ max - 600, 600, 600 },
		{ p, max, max },
		{ p, max - 1, max - 1 },
		{ p, max - 4095, max - 4095 },
		{ p, max - p, max - p },
		{ p, max - p + 1, max - p + 1 },	/* wraps to 0 */
		{ p, max - p + 2, max - p + 2 },
		{ p, max / 2 + 1, max / 2 + 1 },
		/* The kernel's half, where it starts and where memory is mapped. */
		{ kernel32 ? 0xc0000000 : 0x8000000000000000, 600, 600 },
		{ kernel32 ? 0xc0000000 : 0xffff800000000000, 600, 600 },
		{ kernel32 ? 0xc0100000 : 0xffff888000000000, 1, 1 },
		{ kernel32 ? 0xc0100000 : 0xffffffff81000000, 600, 600 },
		{ kernel32 ? 0xc0100000 : 0xffffffff81000000, 0, 0 },
		{ kernel32 ? 0xfffff000 : SIMD_COPY_TEST_NOWHERE, 600, 600 },
	};
	static const uint64_t ends[] = {
		0x00007ffffffff000, 0x00fffffffffff000, 0xffffe000, 0xfffff000, 0xc0000000,
	};
	struct simd_copy_test_to_user t, stock;
	unsigned int i, mapped = 0;
	int err;

	/* Only the API looks at addresses. */
	if (s != STOCK && strcmp(s->ask, "api"))
		return;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		err = try_copy(s, cases[i].to, cases[i].n, 0, &t);
		if (err || t.left != cases[i].left)
			fail("%s: %llx bytes to %llx: %llx left, should be %llx (%s)", s->name,
			     (unsigned long long)cases[i].n, (unsigned long long)cases[i].to,
			     (unsigned long long)t.left, (unsigned long long)cases[i].left,
			     strerror(err));
		if (t.sections)
			fail("%s: a section was opened for nothing", s->name);
	}
	expect_left(s, "NULL", NULL, 600, copy(s, NULL, 600, 0, &t), 600);
	if (memcmp(plain, untouched[1], PLAIN_BYTES))
		fail("%s: something was stored to a range that was refused", s->name);

	/* The last page of user space, whatever its end is here; up to it, and beyond it. */
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		static const unsigned int beyond[] = { 0, 1, 700, 2 * PAGE };
		unsigned long end = ends[i];
		uint8_t *last = (uint8_t *)(end - PAGE);
		unsigned int j;

		if (end != ends[i] || mmap(last, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE |
					   MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != last)
			continue;
		mapped++;
		for (j = 0; j < ARRAY_SIZE(beyond); j++) {
			const unsigned long before = 600;
			uint64_t n = before + beyond[j];
			struct want w = {
				.start = last, .end = last + PAGE, .to = last + PAGE - before,
				.offset = 3, .blank = POISON,
			};

			memset(last, POISON, PAGE);
			copy(STOCK, w.to, n, w.offset, &stock);
			memset(last, POISON, PAGE);
			copy(s, w.to, n, w.offset, &t);
			/* All beyond is left; or all, if a range is refused as a whole. */
			if (t.left != beyond[j] && (t.left != n || !beyond[j]))
				fail("%s: %llu bytes left at the end %lx", s->name,
				     (unsigned long long)t.left, end);
			if (t.left != stock.left && !kernel32)
				fail("%s: %llu bytes left at the end %lx, stock leaves %llu",
				     s->name, (unsigned long long)t.left, end,
				     (unsigned long long)stock.left);
			w.done = n - t.left;
			expect_bytes(s, "last page", &w, n);
		}
		munmap(last, PAGE);
	}
	if (!mapped)
		fail("no last page could be mapped");
}

/* Random copies. The same ones for each of who is given, in one destination. */
static void copy_random(const struct subject *const *who, unsigned int nr)
{
	unsigned long n = below(10) ? 1 + below(1 << (3 + below(11))) : below(3 * SECTION);
	unsigned long offset = below(SIMD_COPY_TEST_SOURCE - n + 1);
	unsigned int kind = below(NR_WALLS + NR_ABSENT + 1), i;
	unsigned int present = random64();
	unsigned long before, at;

	/* At the very end of the source, one time of four. */
	if (!below(4))
		offset = SIMD_COPY_TEST_SOURCE - n;
	if (kind < NR_WALLS) {
		before = below(8) ? below(n + 1) : n;
		if (before > WALL_BYTES)
			before = WALL_BYTES;
		for (i = 0; i < nr; i++)
			copy_to_wall(who[i], kind, before, n - before, offset);
		return;
	}
	kind -= NR_WALLS;
	if (kind < NR_ABSENT) {
		if (n > ABSENT_BYTES)
			n = ABSENT_BYTES;
		at = below(ABSENT_BYTES - n + 1);
		for (i = 0; i < nr; i++)
			copy_absent(who[i], kind, at, n, offset, present);
		return;
	}
	at = AROUND + below(PLAIN_BYTES - 2 * AROUND - n);
	for (i = 0; i < nr; i++)
		copy_plain(who[i], at, n, offset);
}

/* The API takes turns with all rows, stock and the row by itself do the same. */
static void test_random(unsigned int cases)
{
	const struct subject *who[3] = { STOCK };
	unsigned int i, s, nr_api = 0, per, done = 0;
	uint64_t start = now_ms();

	rng = SEED;
	for (s = 0; s < nr_subjects; s++)
		nr_api += !strcmp(subjects[s].ask, "api");
	per = (cases + nr_api - 1) / nr_api;
	for (s = 0; s < nr_subjects; s++) {
		if (strcmp(subjects[s].ask, "api"))
			continue;
		choose(&subjects[s]);
		who[1] = &subjects[s];
		/* The row by itself comes right behind. */
		who[2] = strcmp(subjects[s].choice, "auto") ? &subjects[s + 1] : NULL;
		for (i = 0; i < per; i++)
			copy_random(who, who[2] && i % 8 == 0 ? 3 : 2);
		done += i;
		if (failed)
			break;
	}
	for (i = 0; i < NR_WALLS; i++) {
		if (!wall_intact(i))
			fail("stored to a %s, or behind it", wall_names[i]);
	}
	printf("# %u cases, seed %llx, %llu ms\n", done, (unsigned long long)SEED,
	       (unsigned long long)(now_ms() - start));
}

/* Controls: what the checks above have to see. */
static void control_bytes(void)
{
	const unsigned long n = 1000;
	struct simd_copy_test_to_user t;
	uint8_t *to = plain + PAGE + 3;
	struct want w = {
		.start = plain, .end = plain + PLAIN_BYTES, .to = to, .done = n, .offset = 77,
		.blank = POISON,
	};
	uint8_t *const spoilt[] = {
		to - AROUND, to - 1, to, to + 500, to + n - 1, to + n, to + n + PAGE - 1,
	};
	unsigned int i;

	copy(STOCK, to, n, w.offset, &t);
	if (first_wrong(&w, 0))
		fail("the bytes of stock are wrong");
	for (i = 0; i < ARRAY_SIZE(spoilt); i++) {
		*spoilt[i] ^= 0x10;
		if (first_wrong(&w, 0) != spoilt[i])
			fail("a wrong byte at %ld was not noticed", (long)(spoilt[i] - to));
		*spoilt[i] ^= 0x10;
	}
	w.done--;
	if (!first_wrong(&w, 0))
		fail("a byte stored too many was not noticed");
	w.done += 2;
	if (!first_wrong(&w, 0))
		fail("a byte stored too few was not noticed");
	w.done--;
	w.offset++;
	if (!first_wrong(&w, 0))
		fail("bytes from elsewhere were not noticed");
	memset(to, POISON, n);
}

static void control_left(void)
{
	static const struct subject nobody = { .name = "control" };
	unsigned int quiet;

	/* Without a word: these are no failures. */
	for (quiet = 0; quiet < 2; quiet++) {
		failed = 8;
		expect_left(&nobody, "", plain, 1000, quiet ? 501 : 499, 500);
		if (failed == 8) {
			failed = 0;
			fail("%d bytes left more than there are were not noticed", quiet ? 1 : -1);
			return;
		}
	}
	failed = 8;
	expect_left(&nobody, "", plain, 1000, 500, 500);
	if (failed != 8) {
		failed = 0;
		fail("500 bytes left are 500 bytes left");
		return;
	}
	failed = 0;
}

/* A fault of ours ends in a signal, and a signal is seen. */
static void control_signal(void)
{
	sig_atomic_t before = nr_signals;

	expect_signal = 1;
	if (!sigsetjmp(after_signal, 1))
		*(volatile uint8_t *)walls[WALL_HOLE] = 1;
	expect_signal = 0;
	if (nr_signals != before + 1)
		fail("a signal was not noticed");
	nr_signals = before;
}

/* A trap that is no page fault is counted as one, and the copy ends all the same. */
static void control_odd(void)
{
	struct simd_copy_test_to_user t;
	int before = odd_traps(), after;
	unsigned int s;

	for (s = 0; s < nr_subjects; s++) {
		if (strncmp(subjects[s].ask, "to_user/", 8))
			continue;
		if (try_copy(&subjects[s], SIMD_COPY_TEST_NOWHERE, 1000, 0, &t) || t.left != 1000)
			fail("%s: %llu bytes left of 1000 that can go nowhere", subjects[s].name,
			     (unsigned long long)t.left);
		after = odd_traps();
		if (after <= before)
			fail("%s: the trap was not counted", subjects[s].name);
		before = after;
	}
}

static unsigned int nr;
static bool any_failed;

static void end(const char *name)
{
	any_failed |= failed;
	if (failed > 8)
		printf("# and %u more\n", failed - 8);
	printf("%s %u %s\n", failed ? "not ok" : "ok", ++nr, name);
	fflush(stdout);
	failed = 0;
}

static const struct test {
	const char	*name;
	void		(*run)(const struct subject *s);
} tests[] = {
	{ "sizes and alignments", test_sizes },
	{ "hole", test_hole },
	{ "read-only page", test_read_only },
	{ "PROT_NONE page", test_prot_none },
	{ "page beyond the end of a file", test_eof },
	{ "absent pages", test_absent },
	{ "absent pages, page fault handling off", test_nofault },
	{ "pages shared with a child", test_cow },
	{ "growing stack and its guard gap", test_stack },
	{ "pages that come late", test_late },
	{ "pages that go away meanwhile", test_race },
	{ "ranges", test_range },
};

static void add(const char *ask, const char *choice, bool guarded)
{
	struct subject *s = &subjects[nr_subjects++];

	snprintf(s->ask, sizeof(s->ask), "%s", ask);
	snprintf(s->choice, sizeof(s->choice), "%s", choice);
	snprintf(s->name, sizeof(s->name), "%s%s%s", ask, *choice ? " with " : "", choice);
	s->guarded = guarded;
}

static int read_rows(void)
{
	char line[512], kind[16], name[20], guard[8], lacks[32], ask[28];
	FILE *f = fopen(ROUTINES, "r");

	if (!f)
		return -1;
	while (nr_subjects + 2 <= ARRAY_SIZE(subjects) && fgets(line, sizeof(line), f)) {
		/* Of a row that is supported, and not in use, there is no fourth word. */
		lacks[0] = '\0';
		if (sscanf(line, "%15s %19s %7s %31s", kind, name, guard, lacks) < 3 ||
		    strcmp(kind, "to_user") || !strcmp(lacks, "unsupported:") ||
		    !strcmp(lacks, "barred:"))
			continue;
		snprintf(ask, sizeof(ask), "to_user/%s", name);
		add("api", name, strcmp(guard, "NONE"));
		add(ask, "", strcmp(guard, "NONE"));
	}
	fclose(f);
	return 0;
}

/* The kernel's log has the oops. */
static int control_smap(void)
{
	int status;
	pid_t pid;

	printf("1..1\n");
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(ioctl(fd, SIMD_COPY_TEST_OFFEND, SIMD_COPY_TEST_SMAP) ? errno : 0);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		bail("fork");
	if (!WIFSIGNALED(status))
		fail("a store without user access went through, status %x", status);
	end("control: a store without user access is killed");
	return any_failed ? KSFT_FAIL : KSFT_PASS;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	long nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const char *no_late;
	unsigned int i, s;
	struct utsname uts;
	int odd;

	printf("KTAP version 1\n");
	fd = open(SIMD_COPY_TEST_PATH, O_RDWR);
	if (fd < 0) {
		printf("1..0 # SKIP %s: %s. As root, load simd_copy.ko and simd_copy_test.ko\n",
		       SIMD_COPY_TEST_PATH, strerror(errno));
		return KSFT_SKIP;
	}
	if (argc > 1 && !strcmp(argv[1], "--smap"))
		return control_smap();
	add("stock", "", false);
	add("api", "auto", false);
	if (read_rows() || odd_traps() < 0 || uname(&uts)) {
		printf("1..0 # SKIP " ROUTINES ": %s. Mount debugfs at /sys/kernel/debug\n",
		       strerror(errno));
		return KSFT_SKIP;
	}
	kernel32 = uts.machine[0] == 'i';
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);

	for (i = 0; i < sizeof(source); i++)
		source[i] = SIMD_COPY_TEST_BYTE(i);
	memset(untouched[0], 0, sizeof(untouched[0]));
	memset(untouched[1], POISON, sizeof(untouched[1]));
	plain = map(PLAIN_BYTES, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	memset(plain, POISON, PLAIN_BYTES);
	racing = map(RACE_BYTES, MAP_SHARED, memory_file(RACE_BYTES));
	build_walls();
	build_absent();
	no_late = build_late();
	odd = odd_traps();

	printf("1..%zu\n", ARRAY_SIZE(tests) + 6);
	printf("# %u-bit task, %s, %u ways to copy\n", (int)sizeof(long) * 8, uts.machine,
	       nr_subjects);
	control_bytes();
	end("control: wrong bytes");
	control_left();
	end("control: wrong counts");
	control_signal();
	end("control: signal");

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		uint64_t start = now_ms();

		if ((tests[i].run == test_late && no_late) ||
		    (tests[i].run == test_race && nr_cpus < 2)) {
			printf("ok %u %s # SKIP %s\n", ++nr, tests[i].name,
			       tests[i].run == test_late ? no_late :
			       "one CPU: nobody does anything meanwhile");
			continue;
		}
		rng = SEED;
		for (s = 0; s < nr_subjects; s++) {
			choose(&subjects[s]);
			tests[i].run(&subjects[s]);
			if (nr_signals)
				fail("%s: a signal came", subjects[s].name);
			nr_signals = 0;
		}
		printf("# %llu copies, %llu faults in sections, %llu ms\n", nr_copies, nr_faults,
		       (unsigned long long)(now_ms() - start));
		nr_copies = 0;
		nr_faults = 0;
		end(tests[i].name);
	}

	test_random(CASES);
	if (nr_signals)
		fail("a signal came");
	end("random copies, as stock does them");

	if (odd_traps() != odd)
		fail("%d traps were no page faults, should be none", odd_traps() - odd);
	end("no trap but page faults");
	if (kernel32) {
		printf("ok %u control: another trap # SKIP a 32-bit address is never one\n", ++nr);
	} else {
		control_odd();
		end("control: another trap");
	}
	choose(&subjects[1]);
	/* It has the device open, like us. */
	if (late_pid && (kill(late_pid, SIGKILL) || waitpid(late_pid, NULL, 0) != late_pid))
		bail("the end");
	return any_failed ? KSFT_FAIL : KSFT_PASS;
}
