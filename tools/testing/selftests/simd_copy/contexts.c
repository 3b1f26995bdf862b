// SPDX-License-Identifier: GPL-2.0
/*
 * contexts: run every routine in every context of the kernel.
 *
 * Wherever it runs, the data must be right: by the routine, or by stock where
 * no section can be opened. And it must be refused where it may not run, for
 * the right reason, and nowhere else: a guard that always refuses is safe and
 * of no use. Inside fpregs_lock() the registers must be what they were before.
 *
 * The device counts wrong bytes, and spoils some after each run to see that it
 * would have counted them. It counts lost registers, and loses some likewise.
 */
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ktap.h"
#include "simd_copy_test_uapi.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define ROUTINES	"/sys/kernel/debug/simd_copy/routines"
#define CPU		"/sys/devices/system/cpu/cpu1/online"

/* A section of 16 KiB, and a part of the next. */
#define NPAGES		5

/* What a section meets there: "" if it is opened, else why it is refused. */
static const struct context {
	const char	*name;
	const char	*refused;
	const char	*refused_else;	/* where differs() says so */
} contexts[SIMD_COPY_TEST_NR_CONTEXTS] = {
	[SIMD_COPY_TEST_TASK]		  = { "task", "" },
	[SIMD_COPY_TEST_IRQS_OFF]	  = { "interrupts off", "" },
	/* fpregs_lock() is one or the other, and nobody can tell it from that. */
	[SIMD_COPY_TEST_PREEMPT_OFF]	  = { "preemption off", "", "fpregs" },
	[SIMD_COPY_TEST_BH_OFF]		  = { "softirqs off", "fpregs", "" },
	[SIMD_COPY_TEST_FPREGS]		  = { "fpregs_lock", "fpregs" },
	[SIMD_COPY_TEST_KTHREAD]	  = { "kernel thread", "" },
	[SIMD_COPY_TEST_SOFTIRQ]	  = { "softirq", "" },
	[SIMD_COPY_TEST_HARDIRQ]	  = { "hardirq", "", "rt_hardirq" },
	[SIMD_COPY_TEST_NMI]		  = { "nmi", "nmi" },
	[SIMD_COPY_TEST_NESTED]		  = { "section", "nested" },
	[SIMD_COPY_TEST_FOREIGN]	  = { "kernel_fpu_begin", "nested" },
	/* If softirqs wait, they come once the section is over. */
	[SIMD_COPY_TEST_SECTION_SOFTIRQ]  = { "softirq in a section", "softirq", "" },
	[SIMD_COPY_TEST_SECTION_HARDIRQ]  = { "hardirq in a section", "hardirq", "rt_hardirq" },
	[SIMD_COPY_TEST_EXIT]		  = { "exiting task", "" },
	[SIMD_COPY_TEST_HOTPLUG]	  = { "CPU coming online", "" },
};

/* The rows, as debugfs lists them. */
static struct row {
	char	name[32];		/* KIND/NAME */
	int	guarded;
	char	lacks[32];		/* "unsupported:", "barred:", or neither */
} rows[128];
static unsigned int nr_rows;
static int realtime, softirqs_wait, fd;

static int read_rows(void)
{
	char line[512], kind[16], name[16], guard[8];
	FILE *f = fopen(ROUTINES, "r");

	if (!f)
		return -1;
	while (nr_rows < ARRAY_SIZE(rows) && fgets(line, sizeof(line), f)) {
		struct row *r = &rows[nr_rows];

		/* Of a row that is supported, and not in use, there is no fourth word. */
		if (sscanf(line, "%15s %15s %7s %31s", kind, name, guard, r->lacks) < 3)
			continue;
		if (strcmp(guard, "NONE") && strcmp(guard, "XMM") && strcmp(guard, "MMX"))
			continue;
		snprintf(r->name, sizeof(r->name), "%s/%s", kind, name);
		r->guarded = !!strcmp(guard, "NONE");
		nr_rows++;
	}
	fclose(f);
	return 0;
}

static int is(const struct row *r, const char *lack)
{
	return !strcmp(r->lacks, lack);
}

static int usable(const struct row *r)
{
	return !is(r, "unsupported:") && !is(r, "barred:");
}

/* Start a run. Returns the error, 0 if there was none. */
static int start(struct simd_copy_test_run *run, const char *row, unsigned int npages,
		 unsigned int context)
{
	memset(run, 0, sizeof(*run));
	snprintf(run->row, sizeof(run->row), "%s", row);
	run->npages = npages;
	run->context = context;
	return ioctl(fd, SIMD_COPY_TEST_RUN, run) ? errno : 0;
}

/* Start a run of each row; they wait for the context to come. */
static int arm_all(unsigned int context)
{
	struct simd_copy_test_run run;
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr_rows && !err; i++) {
		if (usable(&rows[i]))
			err = start(&run, rows[i].name, NPAGES, context);
	}
	return err;
}

/* In a child that exits without closing the device. */
static int exit_armed(void)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		fd = open(SIMD_COPY_TEST_PATH, O_RDWR);
		_exit(fd < 0 ? errno : arm_all(SIMD_COPY_TEST_EXIT));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

static int set_cpu(char online)
{
	int cpu = open(CPU, O_WRONLY), err = 0;

	if (cpu < 0 || write(cpu, &online, 1) != 1)
		err = errno;
	close(cpu);
	return err;
}

static int hotplug_armed(void)
{
	int err, back;

	err = set_cpu('0');
	if (err)
		return err;
	err = arm_all(SIMD_COPY_TEST_HOTPLUG);
	/* It comes back whatever happened. */
	back = set_cpu('1');
	return err ? err : back;
}

static const char *explain(int err)
{
	switch (err) {
	case EBUSY:	return "it did not run there";
	case ENODATA:	return "it did not run";
	case EIO:	return "the device does not notice what is wrong: the test is void";
	default:	return strerror(err);
	}
}

/* There are rows that need a section then. */
static int has_mmx(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && d & bit_MMX;
}

static int differs(unsigned int context)
{
	return context == SIMD_COPY_TEST_SECTION_SOFTIRQ ? softirqs_wait : realtime;
}

static void test_context(unsigned int context)
{
	const struct context *c = &contexts[context];
	const char *refused = differs(context) && c->refused_else ? c->refused_else : c->refused;
	int later = context == SIMD_COPY_TEST_EXIT || context == SIMD_COPY_TEST_HOTPLUG;
	struct simd_copy_test_run run;
	unsigned int i, n = 0, guarded = 0;
	int err;

	if (later) {
		err = context == SIMD_COPY_TEST_EXIT ? exit_armed() : hotplug_armed();
		if (err)
			FAIL("cannot start: %s", strerror(err));
	}

	for (i = 0; i < nr_rows; i++) {
		const char *want = rows[i].guarded ? refused : "";

		if (!usable(&rows[i]))
			continue;
		n++;
		guarded += rows[i].guarded;
		if (later)
			err = ioctl(fd, SIMD_COPY_TEST_RESULT, &run) ? errno : 0;
		else
			err = start(&run, rows[i].name, NPAGES, context);
		if (!err && strcmp(run.row, rows[i].name))
			FAIL("%s: got the result of %s", rows[i].name, run.row);
		if (err) {
			FAIL("%s: %s", rows[i].name, explain(err));
			continue;
		}
		if (run.wrong)
			FAIL("%s: %u bytes are wrong", rows[i].name, run.wrong);
		if (run.lost)
			FAIL("%s: %u bytes of the registers are lost", rows[i].name, run.lost);
		if (run.ran != !*want || strcmp(run.reason, want))
			FAIL("%s: %s, refused: '%s', should %s, refused: '%s'", rows[i].name,
			     run.ran ? "ran" : "did not run", run.reason,
			     *want ? "not run" : "run", want);
	}
	if (!n || (!guarded && has_mmx()))
		FAIL("no rows%s: nothing was tested", n ? " that need a section" : "");
}

static void expect(const char *row, unsigned int npages, int want)
{
	struct simd_copy_test_run run;
	int err = start(&run, row, npages, SIMD_COPY_TEST_TASK);

	if (err != want)
		FAIL("%s, %u pages: %s, should be: %s", row, npages, strerror(err),
		     strerror(want));
	else if (run.wrong)
		FAIL("%s, %u pages: %u bytes are wrong", row, npages, run.wrong);
}

static void test_refused_rows(const char *lack, const char *name, const char *advice)
{
	unsigned int i, n = 0;

	for (i = 0; i < nr_rows; i++) {
		if (is(&rows[i], lack)) {
			expect(rows[i].name, NPAGES, EOPNOTSUPP);
			/* Else a guard that always refuses would leave no row to run. */
			if (is(&rows[i], "barred:") && !strstr(rows[i].name, "/planted"))
				FAIL("%s is barred, and is no planted row: see the log",
				     rows[i].name);
			n++;
		}
	}
	if (n)
		end(name);
	else
		SKIP(name, "there is none%s", advice);
}

int main(void)
{
	static const char *const unknown[] = {
		"clear/nonsense", "clear/", "clear", "clearmov", "nonsense/mov", "/mov", "",
	};
	struct simd_copy_test_run run;
	struct utsname uts;
	unsigned int i, major = 0, minor = 0;

	printf("KTAP version 1\n");
	fd = open(SIMD_COPY_TEST_PATH, O_RDWR);
	if (fd < 0) {
		printf("1..0 # SKIP %s: %s. As root, load simd_copy.ko and simd_copy_test.ko\n",
		       SIMD_COPY_TEST_PATH, strerror(errno));
		return KSFT_SKIP;
	}
	if (read_rows() || uname(&uts)) {
		printf("1..0 # SKIP " ROUTINES ": %s. Mount debugfs at /sys/kernel/debug\n",
		       strerror(errno));
		return KSFT_SKIP;
	}
	sscanf(uts.release, "%u.%u", &major, &minor);
	realtime = !!strstr(uts.version, "PREEMPT_RT");
	/* PREEMPT_RT runs softirqs in a thread. From 6.15 on sections keep them off. */
	softirqs_wait = realtime || major > 6 || (major == 6 && minor >= 15);

	printf("1..%zu\n", ARRAY_SIZE(contexts) + 5);
	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		if (i == SIMD_COPY_TEST_HOTPLUG && access(CPU, W_OK)) {
			SKIP(contexts[i].name, CPU ": %s. It takes a second CPU", strerror(errno));
			continue;
		}
		test_context(i);
		end(contexts[i].name);
	}

	for (i = 0; i < nr_rows; i++) {
		if (!usable(&rows[i]))
			continue;
		expect(rows[i].name, 0, EINVAL);
		expect(rows[i].name, 1, 0);
		expect(rows[i].name, 64, 0);
		expect(rows[i].name, 65, EINVAL);
	}
	end("1 to 64 pages");

	for (i = 0; i < ARRAY_SIZE(unknown); i++)
		expect(unknown[i], NPAGES, ENOENT);
	end("unknown rows");

	test_refused_rows("unsupported:", "rows that this CPU lacks", "");
	test_refused_rows("barred:", "rows that failed their self-check",
			  ": build with SIMD_COPY_PLANT=1 to have one");

	/* Armed, then closed by a task that lives on: no run in an exiting task. */
	close(fd);
	fd = open(SIMD_COPY_TEST_PATH, O_RDWR);
	i = start(&run, rows[0].name, NPAGES, SIMD_COPY_TEST_EXIT);
	if (i)
		FAIL("%s: %s", rows[0].name, strerror(i));
	close(fd);
	fd = open(SIMD_COPY_TEST_PATH, O_RDWR);
	if (!ioctl(fd, SIMD_COPY_TEST_RESULT, &run) || errno != EBUSY)
		FAIL("a run that was in another context than asked for was not noticed");
	end("another context than asked for");
	return ktap_result();
}
