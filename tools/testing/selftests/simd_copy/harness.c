// SPDX-License-Identifier: GPL-2.0
/*
 * The harness: every routine of the table, as the kernel links it, checked in
 * user space. So are routines that are wrong on purpose, to check the checks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checked_call.h"
#include "harness.h"
#include "stdout.h"

#define DEFAULT_SEED	20240229

/* A mutant that takes more than these to be caught is not caught. */
#define MUTANT_CASES	1000

#define KSFT_PASS	0
#define KSFT_FAIL	1
#define KSFT_USAGE	2
#define KSFT_SKIP	4

static const char usage[] =
	"Usage: harness [OPTION]...\n"
	"Check every routine of the table on this CPU. Output is KTAP.\n"
	"\n"
	"  --row KIND/NAME  only this row, and no mutants\n"
	"  --cases N        random cases per row (default 100000); fewer sample the faults, too\n"
	"  --seed N         seed of the random cases (default 20240229)\n"
	"  --list           list the rows of this build: kind, name, guard, stream, features, what\n"
	"  --markdown       print the table of both widths for the README\n"
	"  --bench          calibrate as the kernel does, and print the report\n"
	"  --help           print this\n"
	"\n"
	"Exit: 0 all passed, 1 a test failed, 2 wrong usage, 4 nothing could be tested\n";

static unsigned int nr_tests, nr_failed, nr_skipped;

static void result(bool pass, const char *kind, const char *name, const char *note)
{
	nr_tests++;
	nr_failed += !pass;
	printf("%s %u %s/%s%s\n", pass ? "ok" : "not ok", nr_tests, kind, name, note);
	fflush(stdout);
}

static void skip(const char *kind, const char *name, const char *missing)
{
	char note[64];

	nr_skipped++;
	snprintf(note, sizeof(note), " # SKIP no %s", missing);
	result(true, kind, name, note);
}

static void test_row(unsigned int row, const char *missing, const struct sweep *sweep)
{
	const struct simd_routine *r = &simd_routines[row];
	const char *kind = simd_kind_names[r->kind];

	if (missing)
		skip(kind, r->name, missing);
	else
		result(!check_row(r, sweep), kind, r->name, "");
}

static void test_mutant(const struct mutant *m, const struct sweep *sweep)
{
	const char *missing = mutant_missing(m);
	unsigned int wrong, i;
	char kind[32];

	snprintf(kind, sizeof(kind), "mutant/%s", simd_kind_names[m->row.kind]);
	if (missing) {
		skip(kind, m->row.name, missing);
		return;
	}

	wrong = check_row(&m->row, sweep);
	for (i = 0; i < NR_CHECKS; i++) {
		if (i != m->check && wrong >> i & 1)
			printf("# %s/%s: caught by: %s\n", kind, m->row.name, check_names[i]);
	}
	if (!(wrong >> m->check & 1))
		printf("# %s/%s: not caught by: %s\n", kind, m->row.name, check_names[m->check]);
	result(wrong == 1u << m->check, kind, m->row.name, "");
}

static int usage_error(const char *what, const char *arg)
{
	fprintf(stderr, "harness: %s '%s'\nTry 'harness --help'.\n", what, arg);
	return KSFT_USAGE;
}

static bool parse_number(const char *arg, u64 *val)
{
	char *end;

	*val = strtoull(arg, &end, 0);
	return *arg >= '0' && *arg <= '9' && !*end;
}

static int parse_row(const char *arg)
{
	unsigned int kind, row;
	size_t len;
	int found;

	for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
		len = strlen(simd_kind_names[kind]);
		if (strncmp(arg, simd_kind_names[kind], len) || arg[len] != '/')
			continue;
		found = simd_find_row(kind, arg + len + 1);
		if (found >= 0)
			return found;
	}
	fprintf(stderr, "harness: no row '%s'. These are the rows:\n", arg);
	simd_for_each_row(row)
		fprintf(stderr, " %s/%s", simd_kind_names[simd_routines[row].kind],
			simd_routines[row].name);
	fprintf(stderr, "\n");
	return -1;
}

int main(int argc, char **argv)
{
	struct sweep sweep = { DEFAULT_SEED, ALL_CASES, true };
	struct simd_result results[SIMD_NR_ROUTINES];
	unsigned int row, wrong, i;
	int only = -1, arg;
	u64 val;

	for (arg = 1; arg < argc; arg++) {
		const char *opt = argv[arg], *value = argv[arg + 1];

		if (!strcmp(opt, "--help")) {
			printf("%s", usage);
			return KSFT_PASS;
		}
		if (!strcmp(opt, "--list")) {
			print_list();
			return KSFT_PASS;
		}
		if (!strcmp(opt, "--markdown")) {
			print_markdown();
			return KSFT_PASS;
		}
		if (!strcmp(opt, "--bench")) {
			state_init();
			return bench();
		}
		if (strcmp(opt, "--row") && strcmp(opt, "--cases") && strcmp(opt, "--seed"))
			return usage_error("unknown option", opt);
		if (!value)
			return usage_error("no value for", opt);
		arg++;
		if (!strcmp(opt, "--row")) {
			only = parse_row(value);
			if (only < 0)
				return KSFT_USAGE;
			continue;
		}
		if (!parse_number(value, &val))
			return usage_error("not a number:", value);
		if (!strcmp(opt, "--cases"))
			sweep.cases = val;
		else if (val)
			sweep.seed = val;
		else
			return usage_error("the seed must not be", value);
	}

	printf("KTAP version 1\n");
	check_init();
	state_init();
	wrong = state_misread();
	if (wrong) {
		for (i = 0; i < NR_CHECKS; i++)
			if (wrong >> i & 1)
				printf("# wrong after a call that does nothing: %s\n",
				       check_names[i]);
		printf("1..0 # SKIP registers cannot be read here: is this valgrind?\n");
		return KSFT_SKIP;
	}
	printf("1..%u\n", only < 0 ? SIMD_NR_ROUTINES + nr_mutants : 1);
	printf("# seed %llu, %lu random cases per row, %u-bit\n", (unsigned long long)sweep.seed,
	       sweep.cases, (unsigned int)sizeof(long) * 8);
	simd_detect(results);

	simd_for_each_row(row)
		if (only < 0 || row == (unsigned int)only)
			test_row(row, results[row].missing, &sweep);

	sweep.verbose = false;
	sweep.cases = MUTANT_CASES;
	for (i = 0; only < 0 && i < nr_mutants; i++)
		test_mutant(&mutants[i], &sweep);

	printf("# Totals: pass:%u fail:%u xfail:0 xpass:0 skip:%u error:0\n",
	       nr_tests - nr_failed - nr_skipped, nr_failed, nr_skipped);
	if (nr_failed)
		return KSFT_FAIL;
	return nr_skipped == nr_tests ? KSFT_SKIP : KSFT_PASS;
}
