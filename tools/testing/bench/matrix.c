// SPDX-License-Identifier: GPL-2.0
/*
 * Which cells to measure: lists of values, and all their combinations.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>

#include "matrix.h"

#define MAX_SIZE	(64ul << 20)
#define MAX_THREADS	1024

static const char *const icache_names[] = { "warm", "cold" };
static const char *const page_names[] = { "4KB", "2MB" };

const struct axis axes[NR_AXES] = {
	[AXIS_KIND] = {
		.name = "kind", .letter = 'k', .help = "what routines do",
		.names = simd_kind_names, .nr = SIMD_NR_KINDS,
	},
	[AXIS_SIZE] = {
		.name = "size", .letter = 's', .help = "bytes, as 4096,4KB,2MB",
		.max = MAX_SIZE, .usual = PAGE_SIZE,
	},
	[AXIS_DST] = {
		.name = "dst", .help = "where the destination is",
		.names = place_names, .nr = NR_PLACES,
	},
	[AXIS_SRC] = {
		.name = "src", .help = "where the source is",
		.names = place_names, .nr = NR_PLACES,
	},
	[AXIS_DST_OFF] = {
		.name = "dst-off", .help = "offset in the page, as 0,3 or 0-63",
		.max = PAGE_SIZE - 1,
	},
	[AXIS_SRC_OFF] = {
		.name = "src-off", .help = "likewise; 0-60/4 goes by fours",
		.max = PAGE_SIZE - 1,
	},
	[AXIS_CONSUMER] = {
		.name = "consumer", .letter = 'c', .help = "what is read of the result",
		.names = consumer_names, .nr = NR_CONSUMERS,
	},
	[AXIS_ICACHE] = {
		.name = "icache", .letter = 'i', .help = "whether the routine is in the caches",
		.names = icache_names, .nr = ARRAY_SIZE(icache_names),
	},
	[AXIS_PAGE] = {
		.name = "page", .letter = 'p', .help = "pages that the buffers are in",
		.names = page_names, .nr = ARRAY_SIZE(page_names),
	},
	[AXIS_THREADS] = {
		.name = "threads", .letter = 't', .help = "CPUs that do the same at once",
		.max = MAX_THREADS, .usual = 1,
	},
};

static const char *const default_set[] = {
	"kind=clear size=64,256,4KB dst=L1 consumer=none,all",
	"kind=clear size=4KB,64KB dst=L2 consumer=none,all",
	"kind=clear size=4KB,64KB,2MB dst=flushed consumer=none,all",
	"kind=copy size=64,256,4KB consumer=none,all",
	"kind=copy size=4KB src=L1,flushed dst=flushed consumer=none,all",
	"kind=copy size=64KB,2MB src=flushed dst=flushed consumer=none,all",
	"kind=copy size=4KB,64KB src=L2 dst=L2",
	"kind=copy size=64,256,1KB src=fresh1,fresh2,fresh4,fresh8",
	"kind=copy size=4KB src-off=0,1,8,32 dst-off=0,1,8,32",
	"kind=to_user size=512,4KB src-off=0,1 dst=L1,L2",
	"kind=to_user size=4KB,64KB src=flushed dst=flushed",
	"kind=copy_mc size=4KB src=L1,flushed dst=flushed consumer=none,all",
	"kind=clear,copy size=256,4KB icache=cold",
	"kind=clear,copy size=4KB,64KB,2MB src=flushed dst=flushed page=2MB",
	"kind=clear,copy size=64KB src=flushed dst=flushed threads=2",
};

static void wrong(const struct axis *axis, const char *value)
{
	unsigned int i;

	fprintf(stderr, "simdbench: --%s: '%s' is not valid. Valid:", axis->name, value);
	for (i = 0; i < axis->nr; i++)
		fprintf(stderr, " %s", axis->names[i]);
	if (!axis->names)
		fprintf(stderr, " 0 to %lu, at most %u of them, as 64,4KB,2MB or 0-60/4", axis->max,
			MAX_VALUES);
	fputc('\n', stderr);
}

/* Return: past the number, NULL if there is none. */
static char *read_number(char *s, unsigned long *n)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;

	if (*s < '0' || *s > '9')
		return NULL;
	*n = strtoul(s, &end, 10);
	unit = *end ? strchr(units, *end & ~0x20) : NULL;
	if (unit) {
		*n <<= 10 * (unit - units + 1);
		end++;
		if (*end == 'i')
			end++;
	}
	return end + (*end == 'B');
}

/* A value, or a range of them. Return: 0, or -1. */
static int read_values(const struct axis *axis, char *s, unsigned long *from, unsigned long *to,
		       unsigned long *step)
{
	unsigned int i;

	*step = 1;
	for (i = 0; i < axis->nr; i++) {
		if (!strcasecmp(axis->names[i], s)) {
			*from = i;
			*to = i;
			return 0;
		}
	}
	s = axis->names ? NULL : read_number(s, from);
	*to = *from;
	if (s && *s == '-') {
		s = read_number(s + 1, to);
		if (s && *s == '/')
			s = read_number(s + 1, step);
	}
	return s && !*s && *to <= axis->max && *from <= *to && *step ? 0 : -1;
}

int matrix_set(struct matrix *m, enum axis_id axis, const char *values)
{
	char *copy = strdup(values), *next = copy, *value;
	unsigned long from = 0, to = 0, step;
	int err = 0;

	while (!err && (value = strsep(&next, ","))) {
		err = read_values(&axes[axis], value, &from, &to, &step);
		for (; !err && from <= to; from += step) {
			if (m->list[axis].nr == MAX_VALUES)
				err = -1;
			else
				m->list[axis].value[m->list[axis].nr++] = from;
		}
		if (err)
			wrong(&axes[axis], value);
	}
	free(copy);
	return err;
}

static struct job job_of(const unsigned long v[NR_AXES])
{
	struct job job = {
		.kind = v[AXIS_KIND],
		.cell = {
			.size		= v[AXIS_SIZE],
			.dst_off	= v[AXIS_DST_OFF],
			.src_off	= v[AXIS_SRC_OFF],
			.dst		= v[AXIS_DST],
			.src		= v[AXIS_SRC],
			.consumer	= v[AXIS_CONSUMER],
			.cold_code	= v[AXIS_ICACHE],
			.huge		= v[AXIS_PAGE],
			.threads	= v[AXIS_THREADS],
		},
	};

	memcpy(job.value, v, sizeof(job.value));
	return job;
}

/* Unless it is there. */
static void add_job(struct jobs *jobs, const struct job *job)
{
	unsigned int i;

	for (i = 0; i < jobs->nr; i++)
		if (!memcmp(jobs->job[i].value, job->value, sizeof(job->value)))
			return;
	if (!(jobs->nr & (jobs->nr - 1)))
		jobs->job = realloc(jobs->job, (2 * jobs->nr + 1) * sizeof(*jobs->job));
	if (!jobs->job) {
		fprintf(stderr, "simdbench: no memory\n");
		exit(1);
	}
	jobs->job[jobs->nr++] = *job;
}

/* What was not said to be anywhere is as near as there is room for it. */
static struct job nearest_job(unsigned long v[NR_AXES], bool dst_given, bool src_given)
{
	enum place place = PLACE_L1;
	struct job job = job_of(v);

	while (cell_impossible(&job.cell, job.kind) && place < PLACE_FLUSHED) {
		place++;
		if (!dst_given)
			v[AXIS_DST] = place;
		if (!src_given && job.kind != SIMD_KIND_clear)
			v[AXIS_SRC] = place;
		job = job_of(v);
	}
	return job;
}

void matrix_jobs(const struct matrix *given, struct jobs *jobs)
{
	unsigned long v[NR_AXES], total = 1, n, rest;
	struct matrix m = *given;
	struct job job;
	int a;

	for (a = 0; a < NR_AXES; a++) {
		if (!m.list[a].nr)
			m.list[a].value[m.list[a].nr++] = axes[a].usual;
		while (a == AXIS_KIND && !given->list[a].nr && m.list[a].nr < SIMD_NR_KINDS) {
			m.list[a].value[m.list[a].nr] = m.list[a].nr;
			m.list[a].nr++;
		}
		total *= m.list[a].nr;
	}

	for (n = 0; n < total; n++) {
		rest = n;
		for (a = NR_AXES - 1; a >= 0; a--) {
			v[a] = m.list[a].value[rest % m.list[a].nr];
			rest /= m.list[a].nr;
		}
		/* A clear has no source: what differs in nothing else is no new job. */
		if (v[AXIS_KIND] == SIMD_KIND_clear) {
			v[AXIS_SRC] = axes[AXIS_SRC].usual;
			v[AXIS_SRC_OFF] = axes[AXIS_SRC_OFF].usual;
		}
		job = nearest_job(v, given->list[AXIS_DST].nr, given->list[AXIS_SRC].nr);
		add_job(jobs, &job);
	}
}

void default_jobs(struct jobs *jobs)
{
	unsigned int i, a;

	for (i = 0; i < ARRAY_SIZE(default_set); i++) {
		char *copy = strdup(default_set[i]), *next = copy, *values;
		struct matrix m = {};

		while ((values = strsep(&next, " "))) {
			const char *name = strsep(&values, "=");

			for (a = 0; a < NR_AXES; a++)
				if (!strcmp(axes[a].name, name))
					matrix_set(&m, a, values);
		}
		matrix_jobs(&m, jobs);
		free(copy);
	}
}
