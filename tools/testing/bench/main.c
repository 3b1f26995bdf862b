// SPDX-License-Identifier: GPL-2.0
/*
 * simdbench: what each routine of the table takes, from which state.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/kernel.h>

#include "clock.h"
#include "fpswitch.h"
#include "machine.h"
#include "matrix.h"
#include "probe.h"
#include "recording.h"
#include "regret.h"
#include "result.h"
#include "selftest.h"
#include "stdout.h"
#include "walk.h"

#define EXIT_USAGE	2
#define EXIT_NOTHING	4

#define DEFAULT_SECONDS	60
#define MAX_SECONDS	86400
#define MAX_LOOPS	100000

enum {
	OPT_ROUTINE = 'f', OPT_LOOPS = 'l', OPT_VERBOSE = 'v', OPT_HELP = 'h',
	OPT_CPU = 256, OPT_SECONDS, OPT_JSON, OPT_CSV, OPT_LIST, OPT_COMPARE, OPT_REGRET,
	OPT_PLACEBO, OPT_RECORD, OPT_REPLAY, OPT_SELFTEST,
	OPT_AXIS
};

static const struct option common[] = {
	{ "routine", required_argument, NULL, OPT_ROUTINE },
	{ "loops", required_argument, NULL, OPT_LOOPS },
	{ "seconds", required_argument, NULL, OPT_SECONDS },
	{ "cpu", required_argument, NULL, OPT_CPU },
	{ "json", required_argument, NULL, OPT_JSON },
	{ "csv", required_argument, NULL, OPT_CSV },
	{ "verbose", no_argument, NULL, OPT_VERBOSE },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "compare", no_argument, NULL, OPT_COMPARE },
	{ "regret", no_argument, NULL, OPT_REGRET },
	{ "placebo", no_argument, NULL, OPT_PLACEBO },
	{ "record", required_argument, NULL, OPT_RECORD },
	{ "replay", required_argument, NULL, OPT_REPLAY },
	{ "selftest", no_argument, NULL, OPT_SELFTEST },
	{ "help", no_argument, NULL, OPT_HELP },
};

/**
 * struct request - the command line
 * @command:	what to do instead of measuring cells, 0 for that
 * @matrix:	the cells
 * @chosen:	there is a cell in @matrix; if not, measure the default set
 * @routines:	names by commas, NULL for all
 * @effort:	per cell; @ns is set when the number of cells is known
 * @seconds:	for all of it
 * @cpu:	where, -1 for any
 * @json:	file to write, NULL for none
 * @csv:	file to write, NULL for none
 * @recording:	file to write or to read, NULL for none
 * @verbose:	show every row
 */
struct request {
	int		command;
	struct matrix	matrix;
	bool		chosen;
	char		*routines;
	struct effort	effort;
	unsigned int	seconds;
	int		cpu;
	const char	*json;
	const char	*csv;
	const char	*recording;
	bool		verbose;
};

static const struct subject *subjects;
static unsigned int nr_subjects;

static void print_help(void)
{
	unsigned int i, n;

	fputs("Usage: simdbench walk [OPTION]...         loops as workloads have them\n"
	      "       simdbench [OPTION]...              single calls from a state of the caches\n"
	      "       simdbench probe                    forwarding, cost of sections\n"
	      "       simdbench fpswitch                 context switches and SIMD registers\n"
	      "       simdbench --compare A.json B.json  ratios, and which are outside the spread or interval\n"
	      "       simdbench --regret                 the kernel's choice against the best\n"
	      "       simdbench --placebo                how often it chooses stock's own code\n"
	      "       simdbench --record FILE            samples of this machine, to replay elsewhere\n"
	      "       simdbench --list                   routines, and why one is not supported\n"
	      "       simdbench --selftest               whether states are what they are called\n"
	      "\n"
	      "Without any of the first ten options, a set for a minute. Lists go by commas; all\n"
	      "combinations are measured.\n"
	      "\n", stdout);
	for (i = 0; i < NR_AXES; i++) {
		const struct axis *a = &axes[i];

		if (a->letter)
			printf("  -%c, --%-12s %s", a->letter, a->name, a->help);
		else
			printf("      --%-12s %s", a->name, a->help);
		for (n = 0; n < a->nr; n++)
			printf("%s%s", n ? " " : ": ", a->names[n]);
		putchar('\n');
	}
	fputs("  -f, --routine      only these and stock, see --list\n"
	      "  -l, --loops        calls of each routine in a cell; as many as fit, without\n"
	      "      --seconds      time for all cells (default 60)\n"
	      "      --cpu          where to measure (default: the last CPU)\n"
	      "      --json         file to write, - for standard output\n"
	      "      --csv          likewise\n"
	      "      --replay       --regret and --placebo of a recording, - for standard input\n"
	      "  -v, --verbose      every routine of a cell, every cell of a comparison\n"
	      "  -h, --help         print this\n"
	      "\n"
	      "Exit: 0, 1 something failed or differs, 2 wrong usage, 4 nothing could be measured\n",
	      stdout);
}

static int bad_usage(void)
{
	fprintf(stderr, "Try 'simdbench --help'.\n");
	return EXIT_USAGE;
}

static int read_limited(const char *name, const char *value, int least, int most, int *n)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(value, &end, 10);
	if (!errno && end != value && !*end && v >= least && v <= most) {
		*n = v;
		return 0;
	}
	fprintf(stderr, "simdbench: --%s: '%s' is not valid. Valid: %d to %d\n", name, value, least,
		most);
	return -1;
}

static bool listed(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (; list; list = strchr(list, ',')) {
		list += *list == ',';
		if (!strncmp(list, name, n) && (!list[n] || list[n] == ','))
			return true;
	}
	return false;
}

static bool wants(const struct request *r, const struct subject *s)
{
	/* Without stock there is nothing to compare with. */
	return !r->routines || s->stock || listed(r->routines, s->name);
}

static int check_routines(const struct request *r)
{
	char *copy = strdup(r->routines), *next = copy, *name;
	unsigned int i;
	int err = 0;

	while (!err && (name = strsep(&next, ","))) {
		for (i = 0; i < nr_subjects && strcmp(subjects[i].name, name); i++)
			;
		if (i < nr_subjects)
			continue;
		fprintf(stderr, "simdbench: --routine: there is no '%s'. Valid:", name);
		for (i = 0; i < nr_subjects; i++) {
			unsigned int j;

			for (j = 0; j < i && strcmp(subjects[j].name, subjects[i].name); j++)
				;
			if (j == i)
				fprintf(stderr, " %s", subjects[i].name);
		}
		fputc('\n', stderr);
		err = -1;
	}
	free(copy);
	return err;
}

/* Return: 0, or an exit status plus one. */
static int parse(int argc, char **argv, struct request *r)
{
	struct option options[ARRAY_SIZE(common) + NR_AXES + 1];
	char letters[3 * ARRAY_SIZE(options)], *l = letters;
	unsigned int i;
	int opt, n;

	memset(options, 0, sizeof(options));
	memcpy(options, common, sizeof(common));
	for (i = 0; i < NR_AXES; i++) {
		options[ARRAY_SIZE(common) + i] = (struct option) {
			axes[i].name, required_argument, NULL, OPT_AXIS + i
		};
		if (axes[i].letter)
			l += sprintf(l, "%c:", axes[i].letter);
	}
	sprintf(l, "f:l:vh");

	while ((opt = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		for (i = 0; i < NR_AXES; i++)
			if (opt == OPT_AXIS + i || (axes[i].letter && opt == axes[i].letter))
				break;
		if (i < NR_AXES) {
			if (matrix_set(&r->matrix, i, optarg))
				return EXIT_USAGE + 1;
			r->chosen = true;
			continue;
		}
		n = 0;
		switch (opt) {
		case OPT_ROUTINE:
			r->routines = optarg;
			if (check_routines(r))
				return EXIT_USAGE + 1;
			break;
		case OPT_LOOPS:
			if (read_limited("loops", optarg, LEAST_CALLS, MAX_LOOPS, &n))
				return EXIT_USAGE + 1;
			r->effort.loops = n;
			break;
		case OPT_SECONDS:
			if (read_limited("seconds", optarg, 1, MAX_SECONDS, &n))
				return EXIT_USAGE + 1;
			r->seconds = n;
			break;
		case OPT_CPU:
			if (read_limited("cpu", optarg, 0, 1023, &r->cpu))
				return EXIT_USAGE + 1;
			break;
		case OPT_JSON:
			r->json = optarg;
			break;
		case OPT_CSV:
			r->csv = optarg;
			break;
		case OPT_VERBOSE:
			r->verbose = true;
			break;
		case OPT_HELP:
			print_help();
			return EXIT_SUCCESS + 1;
		case OPT_REPLAY:
			r->recording = strcmp(optarg, "-") ? optarg : "/dev/stdin";
			break;
		case OPT_RECORD:
		case OPT_LIST:
		case OPT_COMPARE:
		case OPT_REGRET:
		case OPT_PLACEBO:
		case OPT_SELFTEST:
			if (r->command && r->command != opt) {
				fprintf(stderr, "simdbench: one of --list, --compare, --regret, --placebo, --record and --selftest\n");
				return bad_usage() + 1;
			}
			r->command = opt;
			if (opt == OPT_RECORD)
				r->recording = optarg;
			break;
		default:
			return bad_usage() + 1;
		}
	}
	return 0;
}

static int list(void)
{
	unsigned int i;

	for (i = 0; i < nr_subjects; i++) {
		const struct subject *s = &subjects[i];

		printf("%-8s %-12s %-5s %s%s\n", simd_kind_names[s->kind], s->name,
		       s->row ? simd_guard_names[s->row->guard] : "NONE",
		       s->row ? s->row->desc : "as the C library has it", s->stock ? ", stock" : "");
		if (s->missing)
			printf("%22s unsupported: no %s\n", "", s->missing);
	}
	return 0;
}

static void progress(unsigned int i, const struct jobs *jobs)
{
	const struct job *j = &jobs->job[i];

	if (!isatty(STDERR_FILENO))
		return;
	if (i < jobs->nr)
		fprintf(stderr, "\r%3u %%  %-7s %-48s", 100 * i / jobs->nr,
			simd_kind_names[j->kind], cell_name(&j->cell, j->kind));
	else
		fprintf(stderr, "\r%64s\r", "");
}

/* Return: results added, or -1. */
static int run_job(const struct job *j, const struct request *r, struct result *results)
{
	const struct subject *list[nr_subjects];
	struct figures figures[nr_subjects];
	const char *why = cell_impossible(&j->cell, j->kind);
	unsigned int i, nr = 0;

	if (why) {
		fprintf(stderr, "simdbench: not measured: %s %s: %s\n", simd_kind_names[j->kind],
			cell_name(&j->cell, j->kind), why);
		return 0;
	}
	for (i = 0; i < nr_subjects; i++) {
		const struct subject *s = &subjects[i];

		if (s->kind == j->kind && wants(r, s) && !s->missing &&
		    !subject_unfit(s, &j->cell))
			list[nr++] = s;
	}
	if (!nr)
		return 0;
	if (measure(&j->cell, list, nr, &r->effort, figures)) {
		fprintf(stderr, "simdbench: no memory, or no threads\n");
		return -1;
	}
	for (i = 0; i < nr; i++)
		results[i] = (struct result) { list[i], j->cell, figures[i] };
	return nr;
}

static void print_machine(const struct request *r)
{
	unsigned int i;

	printf("# %s, family %u model %u stepping %u%s%s: CPU %u, %.0f MHz, clock %.0f MHz\n",
	       machine.model_name, machine.family, machine.model, machine.stepping,
	       machine.hypervisor[0] ? ", guest of " : "", machine.hypervisor, machine.cpu,
	       machine.core_mhz, machine.tsc_mhz);
	for (i = 0; i < nr_subjects; i++)
		if (subjects[i].missing && wants(r, &subjects[i]))
			printf("# %s/%s: unsupported: no %s\n", simd_kind_names[subjects[i].kind],
			       subjects[i].name, subjects[i].missing);
	print_head();
}

static int run_jobs(const struct jobs *jobs, struct request *r)
{
	/* Standard output is either a table or a file. */
	bool table = !(r->json && !strcmp(r->json, "-")) && !(r->csv && !strcmp(r->csv, "-"));
	struct result *results = NULL;
	unsigned long stolen = machine_stolen_ms();
	unsigned int nr = 0, i;
	int n, status = 0;

	if ((r->json && check_writable(r->json)) || (r->csv && check_writable(r->csv)))
		return 1;
	if (table)
		print_machine(r);
	r->effort.ns = r->seconds * 1000000000ull / jobs->nr;
	for (i = 0; i < jobs->nr; i++) {
		progress(i, jobs);
		results = realloc(results, (nr + nr_subjects) * sizeof(*results));
		n = results ? run_job(&jobs->job[i], r, results + nr) : -1;
		if (n < 0)
			return 1;
		if (n && table) {
			progress(jobs->nr, jobs);
			print_cell(results + nr, n, r->verbose);
		}
		nr += n;
	}
	progress(jobs->nr, jobs);
	if (!nr) {
		fprintf(stderr, "simdbench: nothing was measured\n");
		return EXIT_NOTHING;
	}
	if (table)
		print_foot();
	if (r->json)
		status |= write_json(r->json, results, nr, stolen);
	if (r->csv)
		status |= write_csv(r->csv, results, nr);
	free(results);
	return !!status;
}

static int measure_cells(struct request *r)
{
	struct jobs jobs = {};

	if (r->chosen)
		matrix_jobs(&r->matrix, &jobs);
	else
		default_jobs(&jobs);

	return run_jobs(&jobs, r);
}

int main(int argc, char **argv)
{
	struct request r = { .seconds = DEFAULT_SECONDS, .cpu = -1 };
	int status;

	nr_subjects = subjects_init(&subjects);
	if (argc > 1 && !strcmp(argv[1], "walk"))
		return walk_main(argc - 1, argv + 1);
	status = parse(argc, argv, &r);
	if (status)
		return status - 1;
	argc -= optind;
	argv += optind;

	if (r.command == OPT_COMPARE) {
		if (argc == 2)
			return compare(argv, r.verbose);
		fprintf(stderr, "simdbench: --compare takes two files that --json wrote\n");
		return bad_usage();
	}
	if (argc > 1 || (argc && strcmp(argv[0], "probe") && strcmp(argv[0], "fpswitch"))) {
		fprintf(stderr, "simdbench: '%s' is not valid. Valid: probe, fpswitch, or options\n",
			argv[argc - 1]);
		return bad_usage();
	}
	if (r.command == OPT_LIST)
		return list();

	if (r.recording && r.command != OPT_REGRET && r.command != OPT_PLACEBO &&
	    r.command != OPT_RECORD) {
		fprintf(stderr, "simdbench: --replay goes with --regret or --placebo\n");
		return bad_usage();
	}
	if (measure_init(r.cpu))
		return 1;
	if (r.command == OPT_REGRET)
		return regret(r.recording);
	if (r.command == OPT_PLACEBO)
		return placebo(r.recording);
	if (r.command == OPT_RECORD)
		return record(r.recording);
	if (r.command == OPT_SELFTEST)
		return selftest();
	if (argc)
		return strcmp(argv[0], "probe") ? fpswitch() : probe();
	return measure_cells(&r);
}
