// SPDX-License-Identifier: GPL-2.0
/*
 * debug: break each rule of a section, and look for the report.
 *
 * Needs modules that were built with SIMD_COPY_DEBUG=1, freshly loaded: a rule
 * that a routine has broken is reported once. Before and after, all routines
 * run in all contexts, which must not lead to a report.
 *
 * debug --control needs modules without: nobody may report what they would.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ktap.h"
#include "simd_copy_test_uapi.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static const struct offence {
	unsigned int	nr;
	const char	*name;
	const char	*report;	/* "simd_copy: WHO " and this */
	int		routine;	/* WHO is one, not a user of the guard */
} offences[] = {
	{ SIMD_COPY_TEST_SCHEDULE, "schedule", "scheduled in a section", 1 },
	{ SIMD_COPY_TEST_MIGRATE, "migrate", "scheduled in a section", 1 },
	{ SIMD_COPY_TEST_IRQS, "interrupt state", "changed the interrupt state in a section", 1 },
	{ SIMD_COPY_TEST_CLASS, "class", "ended a section of another class", 0 },
	{ SIMD_COPY_TEST_OUTSIDE, "outside", "ran outside a section of its class", 1 },
	{ SIMD_COPY_TEST_BYTES, "bytes", "moved more in a section than its bound", 1 },
};

/* What the kernel has logged since the last look. */
struct log {
	unsigned int	reports;	/* of ours */
	unsigned int	splats;		/* of anyone */
	char		report[256];	/* the last of ours */
};

static int kmsg;

static void look(struct log *log)
{
	char record[8192];
	ssize_t n;

	memset(log, 0, sizeof(*log));
	for (;;) {
		char *text;

		n = read(kmsg, record, sizeof(record) - 1);
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			FAIL("/dev/kmsg: %s", n ? strerror(errno) : "ended");
			return;
		}
		record[n] = '\0';
		/* "priority,number,time,flags;text", then lines with more */
		text = strchr(record, ';');
		if (!text)
			continue;
		text++;
		text[strcspn(text, "\n")] = '\0';
		if (!strncmp(text, "simd_copy: ", 11)) {
			log->reports++;
			snprintf(log->report, sizeof(log->report), "%s", text + 11);
		}
		if (strstr(text, "WARNING: ") || strstr(text, "BUG: "))
			log->splats++;
	}
}

/* Run contexts, which is beside this program. */
static int run_contexts(void)
{
	char self[PATH_MAX], path[PATH_MAX + 16];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int status;
	pid_t pid;

	if (n < 0)
		return -1;
	self[n] = '\0';
	snprintf(path, sizeof(path), "%.*s/contexts", (int)(strrchr(self, '/') - self), self);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		execl(path, path, NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_clean(void)
{
	struct log log;
	int ret;

	look(&log);
	ret = run_contexts();
	if (ret)
		FAIL("'contexts' returned %d: run it to see why", ret);
	look(&log);
	if (log.reports || log.splats)
		FAIL("%u reports, %u warnings, should be none: %s", log.reports, log.splats,
		     log.report);
}

/* Whether the report is about what it should be about. */
static int report_fits(const struct offence *o, const char *report)
{
	size_t n = strlen(report), end = strlen(o->report);
	const char *who = o->routine ? strchr(report, '/') : strstr(report, "a user of the guard ");

	if (n <= end || strcmp(report + n - end, o->report))
		return 0;
	/* Of a routine its name, which is one word. */
	if (o->routine)
		return who && strchr(report, ' ') == report + n - end - 1;
	return who == report;
}

static void test_offence(const struct offence *o, int fd)
{
	struct log log;

	look(&log);
	if (ioctl(fd, SIMD_COPY_TEST_OFFEND, o->nr))
		FAIL("ioctl: %s", strerror(errno));
	look(&log);
	if (log.reports != 1 || log.splats != 1)
		FAIL("%u reports, %u warnings, should be one", log.reports, log.splats);
	if (!report_fits(o, log.report))
		FAIL("reported: '%s', should be: '%s %s'", log.report,
		     o->routine ? "KIND/NAME" : "a user of the guard", o->report);

	if (ioctl(fd, SIMD_COPY_TEST_OFFEND, o->nr))
		FAIL("ioctl, again: %s", strerror(errno));
	look(&log);
	if (log.reports || log.splats)
		FAIL("again: %u reports, %u warnings, should be none: %s", log.reports,
		     log.splats, log.report);
}

/* What the checks are for: without them nobody tells, not even the kernel. */
static void test_control(int fd)
{
	struct rusage before, after;
	struct log log;

	look(&log);
	getrusage(RUSAGE_SELF, &before);
	if (ioctl(fd, SIMD_COPY_TEST_OFFEND, SIMD_COPY_TEST_SCHEDULE))
		FAIL("ioctl: %s", strerror(errno));
	getrusage(RUSAGE_SELF, &after);
	if (after.ru_nvcsw == before.ru_nvcsw)
		FAIL("the test is void: nothing was scheduled");
	look(&log);
	if (log.reports || log.splats)
		FAIL("%u reports, %u warnings, should be none: %s", log.reports, log.splats,
		     log.report);
}

int main(int argc, char **argv)
{
	int control = argc > 1 && !strcmp(argv[1], "--control");
	unsigned int i;
	int checked, fd;

	printf("KTAP version 1\n");
	fd = open(SIMD_COPY_TEST_PATH, O_RDWR);
	if (fd < 0) {
		printf("1..0 # SKIP %s: %s. As root, load simd_copy.ko and simd_copy_test.ko\n",
		       SIMD_COPY_TEST_PATH, strerror(errno));
		return KSFT_SKIP;
	}
	/* No offence, so nothing happens: EINVAL is the answer of a device that could. */
	ioctl(fd, SIMD_COPY_TEST_OFFEND, SIMD_COPY_TEST_NR_OFFENCES);
	checked = errno != EOPNOTSUPP;
	if (errno == ENODEV || checked == control) {
		printf("1..0 # SKIP %s\n", errno == ENODEV ?
		       "no routine that this CPU can run needs a section" : control ?
		       "these modules have the checks: the control is one without" :
		       "no checks in these modules: build them with SIMD_COPY_DEBUG=1");
		return KSFT_SKIP;
	}
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	if (kmsg < 0 || lseek(kmsg, 0, SEEK_END) < 0) {
		printf("Bail out! /dev/kmsg: %s\n", strerror(errno));
		return KSFT_FAIL;
	}

	if (control) {
		printf("1..1\n");
		test_control(fd);
		end("control: without the checks nobody reports a schedule");
		return ktap_result();
	}

	printf("1..%zu\n", ARRAY_SIZE(offences) + 2);
	test_clean();
	end("nothing to report in any context");
	for (i = 0; i < ARRAY_SIZE(offences); i++) {
		if (offences[i].nr == SIMD_COPY_TEST_MIGRATE &&
		    sysconf(_SC_NPROCESSORS_ONLN) < 2) {
			SKIP(offences[i].name, "it takes a second CPU");
			continue;
		}
		test_offence(&offences[i], fd);
		end(offences[i].name);
	}
	test_clean();
	end("nothing to report afterwards");
	return ktap_result();
}
