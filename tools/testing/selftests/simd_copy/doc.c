// SPDX-License-Identifier: GPL-2.0
/*
 * The table for people: this machine's with --list, all of it with --markdown.
 */
#include <stdio.h>
#include <string.h>

#include "harness.h"

static void print_features(const struct simd_feature *f, const char *between)
{
	const char *sep = "";

	for (; f->name; f++, sep = between)
		printf("%s%s", sep, f->name);
}

void print_list(void)
{
	struct simd_result results[SIMD_NR_ROUTINES];
	unsigned int row;

	simd_detect(results);
	simd_for_each_row(row) {
		const struct simd_routine *r = &simd_routines[row];

		printf("%-8s %-12s %-5s %-6s ", simd_kind_names[r->kind], r->name,
		       simd_guard_names[r->guard],
		       r->flags & SIMD_STREAMING ? "stream" : "-");
		if (!r->all[0].name && !r->any[0].name)
			printf("-");
		print_features(r->all, ",");
		if (r->all[0].name && r->any[0].name)
			printf(",");
		print_features(r->any, "|");
		printf("\t%s", r->desc);
		if (results[row].missing)
			printf(" [no %s]", results[row].missing);
		if (results[row].veto)
			printf(" [only by name: %s]", results[row].veto);
		printf("\n");
	}
}

/*
 * routines.def once per width, its fields as text: the rows of the other width
 * have no symbols here that a table could point to.
 */
struct doc {
	const char *kind;
	const char *name;
	const char *guard;
	const char *desc;
	const char *fields;
};

#define SIMD_ROUTINE_DOC(_kind, _name, _guard, _desc, ...)		\
	{ #_kind, #_name, #_guard, _desc, #__VA_ARGS__ },

#pragma push_macro("CONFIG_X86_64")
#undef CONFIG_X86_64

static const struct doc rows_32[] = {
#define SIMD_ROUTINE SIMD_ROUTINE_DOC
#include "routines.def"
};

#define CONFIG_X86_64 1

static const struct doc rows_64[] = {
#define SIMD_ROUTINE SIMD_ROUTINE_DOC
#include "routines.def"
};

#pragma pop_macro("CONFIG_X86_64")

static bool listed(const struct doc *d, const struct doc *rows, unsigned int n)
{
	while (n--)
		if (!strcmp(d->kind, rows[n].kind) && !strcmp(d->name, rows[n].name))
			return true;
	return false;
}

/* The argument of MACRO(...) in @fields, with @sep for ", ". */
static bool print_field(const char *fields, const char *macro, const char *before,
			const char *sep)
{
	const char *p = strstr(fields, macro);

	if (!p)
		return false;
	printf("%s", before);
	for (p += strlen(macro); *p && *p != ')'; p++) {
		if (*p == ',') {
			printf("%s", sep);
			p += p[1] == ' ';
		} else {
			putchar(*p);
		}
	}
	return true;
}

static void print_row(const struct doc *d, const char *width)
{
	bool some;

	printf("| %s | `%s` | %s | ", d->kind, d->name, d->desc);
	some = print_field(d->fields, "NEED(", "", ", ");
	some |= print_field(d->fields, "ANY(", some ? ", " : "", " or ");
	printf("%s | %s | ", some ? "" : "-", d->guard);
	print_field(d->fields, "SHAPE(", "", " / ");
	printf(" | %s | %s |\n", strstr(d->fields, "STREAM") ? "yes" : "", width);
}

void print_markdown(void)
{
	unsigned int i;

	printf("| kind | routine | instructions | needs | guard | ");
	printf("granule / dst / src alignment | streams | width |\n");
	printf("|---|---|---|---|---|---|---|---|\n");
	for (i = 0; i < ARRAY_SIZE(rows_64); i++)
		print_row(&rows_64[i], listed(&rows_64[i], rows_32, ARRAY_SIZE(rows_32)) ?
			  "both" : "64");
	for (i = 0; i < ARRAY_SIZE(rows_32); i++)
		if (!listed(&rows_32[i], rows_64, ARRAY_SIZE(rows_64)))
			print_row(&rows_32[i], "32");
}
