// SPDX-License-Identifier: GPL-2.0
/*
 * simdbench walk: the loops, as a table and as JSON.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <jansson.h>
#include <linux/kernel.h>
#include <asm/page.h>

#include "machine.h"
#include "result.h"
#include "walk.h"

#define EXIT_USAGE	2
#define EXIT_NOTHING	4

#define DEFAULT_SECONDS	100

/* Sizes of a curve, MiB. */
#define CURVE_FIRST	1
#define CURVE_WORKLOAD	"extent-64K"

/**
 * struct options - the command line
 * @workloads:	names by commas, NULL for all
 * @routines:	likewise
 * @read:	bit mask of enum consumer
 * @seconds:	for all loops
 * @mib:	of memory, 0 for several times the caches
 * @threads:	CPUs that walk at the same time
 * @small:	in pages of 4 KiB
 * @curve:	over sizes of memory
 * @verbose:	show every row
 * @selftest:	test this command instead
 * @json:	file to write, NULL for none
 */
struct options {
	const char	*workloads;
	const char	*routines;
	unsigned int	read;
	unsigned int	seconds;
	unsigned int	mib;
	unsigned int	threads;
	bool		small;
	bool		curve;
	bool		verbose;
	bool		selftest;
	const char	*json;
};

static void print_help(void)
{
	unsigned int i;

	fputs("Usage: simdbench walk [OPTION]...\n"
	      "\n"
	      "Runs loops as workloads have them, with each routine in turn: nothing is flushed, and\n"
	      "no call is timed by itself. What counts is the ratio to stock in the same round.\n"
	      "\n"
	      "  -w, --workload   only these, by commas\n"
	      "  -f, --routine    only these and stock, by commas\n"
	      "  -r, --read       who reads the result right after: none, first, all, by commas\n"
	      "                   (default: none,all)\n"
	      "  -s, --seconds    for all of it (default: 100)\n"
	      "  -m, --mib        of memory to walk through (default: several times the caches)\n"
	      "  -t, --threads    CPUs that walk at the same time (default: 1)\n"
	      "  -p, --page       4KB or 2MB (default: 2MB)\n"
	      "  -c, --curve      over more and more memory, instead of beyond the caches\n"
	      "      --json       file to write, - for standard output\n"
	      "  -v, --verbose    every routine\n"
	      "      --selftest   whether walks tell the truth\n"
	      "  -h, --help       print this\n"
	      "\n"
	      "Workloads:", stdout);
	for (i = 0; i < nr_workloads; i++)
		printf("%s%s", i % 5 ? " " : "\n  ", workloads[i].name);
	fputs("\n\nExit: 0, 1 something failed, 2 wrong usage, 4 nothing could be measured\n",
	      stdout);
}

static bool listed(const char *list, const char *name, size_t n)
{
	for (; list; list = strchr(list, ',')) {
		list += *list == ',';
		if (strcspn(list, ",") == n && !strncmp(list, name, n))
			return true;
	}
	return false;
}

static bool wants(const char *list, const char *name)
{
	return !list || listed(list, name, strlen(name));
}

static bool is_workload(const char *name, size_t n)
{
	unsigned int i;

	for (i = 0; i < nr_workloads; i++)
		if (strlen(workloads[i].name) == n && !strncmp(workloads[i].name, name, n))
			return true;
	return false;
}

static bool is_routine(const char *name, size_t n)
{
	unsigned int row;

	simd_for_each_row(row)
		if (strlen(simd_routines[row].name) == n &&
		    !strncmp(simd_routines[row].name, name, n))
			return true;
	return false;
}

/* Return: whether all names of a list are known; else stderr says what would be. */
static bool check_names(const char *option, const char *list,
			bool (*is_name)(const char *name, size_t n), const char *valid)
{
	size_t n;

	for (;; list += n + 1) {
		n = strcspn(list, ",");
		if (!is_name(list, n)) {
			fprintf(stderr, "simdbench: --%s: there is no '%.*s'. %s\n", option, (int)n,
				list, valid);
			return false;
		}
		if (!list[n])
			return true;
	}
}

static bool is_consumer(const char *name, size_t n)
{
	unsigned int i;

	for (i = 0; i < NR_CONSUMERS; i++)
		if (strlen(consumer_names[i]) == n && !strncmp(consumer_names[i], name, n))
			return true;
	return false;
}

static bool read_number(const char *option, const char *value, unsigned int most,
			unsigned int *n)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(value, &end, 10);
	if (!errno && end != value && !*end && v >= 1 && v <= most) {
		*n = v;
		return true;
	}
	fprintf(stderr, "simdbench: --%s: '%s' is not valid. Valid: 1 to %u\n", option, value,
		most);
	return false;
}

static const struct option long_options[] = {
	{ "workload", required_argument, NULL, 'w' },
	{ "routine", required_argument, NULL, 'f' },
	{ "read", required_argument, NULL, 'r' },
	{ "seconds", required_argument, NULL, 's' },
	{ "mib", required_argument, NULL, 'm' },
	{ "threads", required_argument, NULL, 't' },
	{ "page", required_argument, NULL, 'p' },
	{ "curve", no_argument, NULL, 'c' },
	{ "json", required_argument, NULL, 'j' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "selftest", no_argument, NULL, 'S' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* Return: 0, or an exit status plus one. */
static int parse(int argc, char **argv, struct options *o)
{
	unsigned int i;
	bool ok = true;
	int opt;

	while (ok && (opt = getopt_long(argc, argv, "w:f:r:s:m:t:p:cvh", long_options,
					NULL)) != -1) {
		switch (opt) {
		case 'w':
			o->workloads = optarg;
			ok = check_names("workload", optarg, is_workload,
					 "'simdbench walk --help' lists them");
			break;
		case 'f':
			o->routines = optarg;
			ok = check_names("routine", optarg, is_routine,
					 "'simdbench --list' lists them");
			break;
		case 'r':
			ok = check_names("read", optarg, is_consumer, "Valid: none first all");
			o->read = 0;
			for (i = 0; i < NR_CONSUMERS; i++)
				o->read |= listed(optarg, consumer_names[i],
						  strlen(consumer_names[i])) << i;
			break;
		case 's':
			ok = read_number("seconds", optarg, 86400, &o->seconds);
			break;
		case 'm':
			ok = read_number("mib", optarg, 1 << 20, &o->mib);
			break;
		case 't':
			ok = read_number("threads", optarg, machine.cpus, &o->threads);
			break;
		case 'p':
			o->small = !strcmp(optarg, "4KB");
			ok = o->small || !strcmp(optarg, "2MB");
			if (!ok)
				fprintf(stderr, "simdbench: --page: '%s' is not valid. Valid: 4KB 2MB\n",
					optarg);
			break;
		case 'c':
			o->curve = true;
			break;
		case 'j':
			o->json = optarg;
			break;
		case 'v':
			o->verbose = true;
			break;
		case 'S':
			o->selftest = true;
			break;
		case 'h':
			print_help();
			return EXIT_SUCCESS + 1;
		default:
			ok = false;
			break;
		}
	}
	if (ok && argv[optind]) {
		fprintf(stderr, "simdbench: walk: '%s' is no option\n", argv[optind]);
		ok = false;
	}
	if (!ok)
		fprintf(stderr, "Try 'simdbench walk --help'.\n");
	return ok ? 0 : EXIT_USAGE + 1;
}

/* --- Table --------------------------------------------------------------- */

/* A hit in a second-level TLB costs less. */
#define TLB_MISS_NS	5

static void print_legend(void)
{
	printf("# memory: %lu MiB, of which %lu MiB are in huge pages; CPUs: %u\n"
	       "# caches by the latency of loads: the core's %lu KiB, the last-level one %lu MiB, as\n"
	       "# CPUID says %lu MiB\n"
	       "# TLB: what a load at a random place of those waits for page walks, ns, -: less than %u\n"
	       "# N.NN x [low high]: times as fast as stock in the same round, median and its 95 %%\n"
	       "# interval. *: needs a section; saving and loading registers for each call, %.0f ns,\n"
	       "# is in the figure before the /, and not in the one behind it\n",
	       walk_setup.beyond >> 20, walk_setup.huge >> 20, walk_setup.threads,
	       walk_setup.core >> 10, walk_setup.llc >> 20, (machine.l3 ?: machine.l2) >> 20,
	       TLB_MISS_NS, walk_setup.save_ns);
	printf("%-20s %-7s %-6s %3s %-8s %-5s %16s  %-16s %s\n", "workload", "kind", "where", "TLB",
	       "order", "read", "stock, ns/4 KiB", "best", "times stock");
}

static const char *order_name(const struct workload *w)
{
	return w->order == WALK_RANDOM ? "random" : "in order";
}

static const char *mark(const struct subject *s)
{
	return s->row && s->row->guard != SIMD_GUARD_NONE ? "*" : "";
}

static void print_ratio(const struct subject *s, const struct walked *r)
{
	char name[24];

	snprintf(name, sizeof(name), "%s%s", s->name, mark(s));
	printf("  %-16s %4.2f x [%4.2f %4.2f]", name, r->saving.median, r->saving.low,
	       r->saving.high);
	if (mark(s)[0])
		printf(" / %4.2f", r->ratio.median);
}

/* The fastest of those that are surely faster than stock, 0 if none is. */
static unsigned int winner(const struct walk_loop *loop)
{
	const struct walked *walked = loop->walked;
	unsigned int i, best = 0;

	for (i = 1; i < loop->nr; i++)
		if (loop->subjects[i]->row && walked[i].faster &&
		    (!best || walked[i].saving.median > walked[best].saving.median))
			best = i;
	return best;
}

static void print_loop(const struct walk_loop *loop, const struct options *o)
{
	const struct workload *w = loop->w;
	const struct walked *walked = loop->walked;
	unsigned int best = winner(loop), i;
	char tlb[8] = "-";

	if (loop->tlb_ns >= TLB_MISS_NS)
		snprintf(tlb, sizeof(tlb), "%.0f", loop->tlb_ns);
	printf("%-20s %-7s %-6s %3s %-8s %-5s %6.1f [%5.1f %5.1f]", w->name,
	       simd_kind_names[w->kind], walk_where_names[w->where], tlb, order_name(w),
	       consumer_names[loop->reader],
	       walked->ns.median, walked->ns.low, walked->ns.high);
	if (best)
		print_ratio(loop->subjects[best], &walked[best]);
	else
		printf("  %-16s no row is surely faster", "-");
	if (w->bytes > PAGE_SIZE && !loop->subjects[1]->row)
		printf(", %s %.2f x [%4.2f %4.2f]", loop->subjects[1]->name,
		       walked[1].ratio.median, walked[1].ratio.low, walked[1].ratio.high);
	printf("\n");
	for (i = 0; o->verbose && i < loop->nr; i++) {
		printf("%60s", "");
		print_ratio(loop->subjects[i], &walked[i]);
		printf(", %u blocks, %u rounds, %u interrupted\n", walked[i].blocks,
		       walked[i].rounds, walked[i].dropped);
	}
	fflush(stdout);
}

/* --- JSON ---------------------------------------------------------------- */

static json_t *json_interval(const struct interval *i)
{
	return json_pack("[f, f, f]", i->median, i->low, isinf(i->high) ? -1.0 : i->high);
}

static void add_json(json_t *list, const struct walk_loop *loop)
{
	const struct workload *w = loop->w;
	const unsigned int best = winner(loop);
	unsigned int i;

	for (i = 0; i < loop->nr; i++) {
		const struct walked *r = &loop->walked[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:b, s:b, s:i, s:s, s:s, s:s, s:f, s:o, s:o, s:o, s:i, s:i, s:i}",
						      "workload", w->name,
						      "kind", simd_kind_names[w->kind],
						      "routine", loop->subjects[i]->name,
						      "stock", i == 0, "winner", i == best,
						      "bytes", w->bytes,
						      "where", walk_where_names[w->where],
						      "order", order_name(w),
						      "read", consumer_names[loop->reader],
						      "tlb_ns", loop->tlb_ns,
						      "ratio", json_interval(&r->ratio),
						      "saving", json_interval(&r->saving),
						      "ns_4k", json_interval(&r->ns),
						      "blocks", r->blocks, "rounds", r->rounds,
						      "dropped", r->dropped));
	}
}

/* One element a line, for diff and eyes. */
static int write_walk_json(const char *path, json_t *list)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "w") : stdout;
	size_t i;
	int err;

	if (!f) {
		fprintf(stderr, "simdbench: cannot write %s: %m\n", path);
		return -1;
	}
	fprintf(f, "{\n\"schema\": \"%s\",\n\"cpu\": \"%s\", \"family\": %u, \"model\": %u,\n",
		WALK_SCHEMA, machine.model_name, machine.family, machine.model);
	fprintf(f, "\"mib\": %lu, \"huge_mib\": %lu, \"llc_mib\": %lu, \"core_kib\": %lu, \"threads\": %u, \"save_ns\": %.1f,\n\"loops\": [",
		walk_setup.beyond >> 20, walk_setup.huge >> 20, walk_setup.llc >> 20,
		walk_setup.core >> 10, walk_setup.threads, walk_setup.save_ns);
	for (i = 0; i < json_array_size(list); i++) {
		fputs(i ? ",\n" : "\n", f);
		json_dumpf(json_array_get(list, i), f, JSON_REAL_PRECISION(5));
	}
	fputs("\n]\n}\n", f);
	err = fflush(f) | ferror(f);
	if (f != stdout)
		err |= fclose(f);
	if (err)
		fprintf(stderr, "simdbench: cannot write %s: %m\n", path);
	return err ? -1 : 0;
}

/* --- Command ------------------------------------------------------------- */

static void progress(unsigned int done, unsigned int all, const char *name)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (name)
		fprintf(stderr, "\r%3u %%  %-24s", 100 * done / all, name);
	else
		fprintf(stderr, "\r%32s\r", "");
}

static unsigned int wanted_subjects(const struct workload *w, const struct options *o,
				    const struct subject **list)
{
	unsigned int nr = walk_subjects(w->kind, list), i, n = 1;

	for (i = 1; i < nr; i++)
		if (!list[i]->row || (wants(o->routines, list[i]->name) &&
				      !(w->bytes % list[i]->row->granule)))
			list[n++] = list[i];
	return n;
}

static void run_loops(const struct options *o, json_t *list)
{
	struct walk_loop *loops = calloc(nr_workloads * NR_CONSUMERS, sizeof(*loops));
	unsigned int i, consumer, n = 0;

	if (!loops)
		abort();
	for (i = 0; i < nr_workloads; i++) {
		const struct workload *w = &workloads[i];

		if (!wants(o->workloads, w->name))
			continue;
		if (!walk_exists(w)) {
			fprintf(stderr, "simdbench: %s: left out, a walk finds no cache behind those that 64 KiB fit\n",
				w->name);
			continue;
		}
		for (consumer = 0; consumer < NR_CONSUMERS; consumer++) {
			if (!(o->read >> consumer & 1))
				continue;
			loops[n].w = w;
			loops[n].reader = consumer;
			loops[n].nr = wanted_subjects(w, o, loops[n].subjects);
			n++;
		}
	}
	walk_loops(loops, n, o->seconds * 1000000000ull, progress);
	if (!o->json || strcmp(o->json, "-"))
		print_legend();
	for (i = 0; i < n; i++) {
		if (!o->json || strcmp(o->json, "-"))
			print_loop(&loops[i], o);
		add_json(list, &loops[i]);
	}
	free(loops);
}

/* The same loop over more and more memory: what wins in which cache. */
static void run_curve(const struct options *o)
{
	const unsigned long most = walk_setup.beyond;
	const struct subject *subjects[WALK_SUBJECTS];
	struct walked walked[WALK_SUBJECTS];
	const struct workload *w = workloads;
	unsigned int nr, i;

	while (!wants(o->workloads ?: CURVE_WORKLOAD, w->name))
		w++;
	nr = wanted_subjects(w, o, subjects);
	printf("# %s, times stock by MiB of memory\n%-16s", w->name, "MiB");
	for (i = 0; i < nr; i++)
		printf(" %s", subjects[i]->name);
	printf("\n");
	for (walk_setup.beyond = CURVE_FIRST << 20; walk_setup.beyond <= most;
	     walk_setup.beyond *= 2) {
		walk(w, CONSUMER_NONE, subjects, nr, o->seconds * 1000000000ull / 12, walked);
		printf("%-16lu", walk_setup.beyond >> 20);
		for (i = 0; i < nr; i++)
			printf(" %.2f", walked[i].ratio.median);
		printf("\n");
		fflush(stdout);
	}
	walk_setup.beyond = most;
}

int walk_main(int argc, char **argv)
{
	struct options o = {
		.read = 1 << CONSUMER_NONE | 1 << CONSUMER_ALL, .seconds = DEFAULT_SECONDS,
		.threads = 1,
	};
	json_t *list = json_array();
	int status;

	if (measure_init(-1))
		return 1;
	status = parse(argc, argv, &o);
	if (status)
		return status - 1;
	if (o.json && check_writable(o.json))
		return 1;
	if (walk_init(o.mib, !o.small, o.threads))
		return EXIT_NOTHING;
	if (o.selftest)
		return walk_selftest();
	if (o.curve)
		run_curve(&o);
	else
		run_loops(&o, list);
	if (o.json && !o.curve && write_walk_json(o.json, list))
		return 1;
	return 0;
}
