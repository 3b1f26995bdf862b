// SPDX-License-Identifier: GPL-2.0
/*
 * The table, CSV and JSON.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <jansson.h>
#include <sys/utsname.h>
#include <gnu/libc-version.h>

#include "machine.h"
#include "probe.h"
#include "result.h"

/* Digits of a time that mean something. */
#define PRECISION	6

static const char *size_name(unsigned long size)
{
	static char name[24];

	if (size && !(size & ((1 << 20) - 1)))
		snprintf(name, sizeof(name), "%luMB", size >> 20);
	else if (size && !(size & 1023))
		snprintf(name, sizeof(name), "%luKB", size >> 10);
	else
		snprintf(name, sizeof(name), "%lu", size);
	return name;
}

const char *cell_name(const struct cell *cell, enum simd_kind kind)
{
	static char name[128];
	int n;

	n = snprintf(name, sizeof(name), "%s %s", size_name(cell->size), place_names[cell->dst]);
	if (cell->dst_off)
		n += snprintf(name + n, sizeof(name) - n, "+%u", cell->dst_off);
	if (kind != SIMD_KIND_clear) {
		n += snprintf(name + n, sizeof(name) - n, "<-%s", place_names[cell->src]);
		if (cell->src_off)
			n += snprintf(name + n, sizeof(name) - n, "+%u", cell->src_off);
	}
	if (cell->consumer)
		n += snprintf(name + n, sizeof(name) - n, ", read %s",
			      consumer_names[cell->consumer]);
	snprintf(name + n, sizeof(name) - n, "%s%s", cell->cold_code ? ", cold code" : "",
		 cell->huge ? ", 2MB pages" : "");
	if (cell->threads > 1)
		snprintf(name + strlen(name), sizeof(name) - strlen(name), ", %u threads",
			 cell->threads);
	return name;
}

/* --- The table ----------------------------------------------------------- */

/* The cheapest of the table's rows; without a guard, if so asked. */
static const struct result *best(const struct result *results, unsigned int nr, bool plain)
{
	const struct result *r, *best = NULL;

	for (r = results; r < results + nr; r++) {
		if (!r->subject->row || !r->figures.calls ||
		    (plain && r->subject->row->guard != SIMD_GUARD_NONE))
			continue;
		if (!best || r->figures.median < best->figures.median)
			best = r;
	}
	return best;
}

static const struct result *find(const struct result *results, unsigned int nr, bool stock)
{
	const struct result *r;

	for (r = results; r < results + nr; r++)
		if (r->figures.calls && (stock ? r->subject->stock : !r->subject->row))
			return r;
	return NULL;
}

static const char *mark(const struct result *r)
{
	return r->subject->row && r->subject->row->guard != SIMD_GUARD_NONE ? "*" : "";
}

/* What the clock does not see is no figure. */
static void print_ns(double ns)
{
	if (ns < 0.05)
		printf(" %10s", "<0.1");
	else
		printf(" %10.1f", ns);
}

static void print_against(const struct result *r, const struct result *stock)
{
	char name[32];

	if (!r) {
		printf("  %-14s %10s %7s", "-", "", "");
		return;
	}
	snprintf(name, sizeof(name), "%s%s", r->subject->name, mark(r));
	printf("  %-14s", name);
	print_ns(r->figures.median);
	printf(" ");
	if (stock && r->figures.median >= 0.05)
		printf("%5.2f x", stock->figures.median / r->figures.median);
	else
		printf("%7s", "");
}

void print_head(void)
{
	printf("# ns a call, medians; N x: that many times as fast as stock\n");
	printf("%-7s %-38s  %-14s %10s  %-14s %10s %7s  %-14s %10s %7s  %s\n", "kind", "cell",
	       "stock", "ns", "winner", "ns", "", "w/o section", "ns", "", "libc");
}

void print_cell(const struct result *results, unsigned int nr, bool verbose)
{
	const struct result *stock = find(results, nr, true), *libc = find(results, nr, false);
	const struct result *r;

	printf("%-7s %-38s", simd_kind_names[results->subject->kind],
	       cell_name(&results->cell, results->subject->kind));
	printf("  %-14s", stock ? stock->subject->name : "-");
	if (stock)
		print_ns(stock->figures.median);
	else
		printf(" %10s", "");
	print_against(best(results, nr, false), stock);
	print_against(best(results, nr, true), stock);
	if (libc && stock && libc->figures.median >= 0.05)
		printf("  %5.2f x", stock->figures.median / libc->figures.median);
	printf("\n");

	for (r = results; verbose && r < results + nr; r++) {
		printf("%48s", "");
		if (!r->figures.calls) {
			printf("  %s: fewer than 3 calls were not interrupted\n", r->subject->name);
			continue;
		}
		print_against(r, stock);
		printf("  min %.1f spread %.1f calls %u dropped %u\n", r->figures.min,
		       r->figures.spread, r->figures.calls, r->figures.dropped);
	}
	fflush(stdout);
}

void print_foot(void)
{
	struct guard_cost cost;

	probe_guard(&cost);
	printf("# *: needs a section, of which the time is not in these figures. It costs about\n"
	       "#    %.0f ns where the owner's registers have to be saved, %.0f ns if their memory is in\n"
	       "#    no cache, once per entry into the kernel; and %.0f ns for each section of MMX.\n",
	       cost.save.warm, cost.save.cold, cost.mmx.warm);
}

/* --- Files --------------------------------------------------------------- */

static FILE *open_to_write(const char *path)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "w") : stdout;

	if (!f)
		fprintf(stderr, "simdbench: cannot write %s: %m\n", path);
	return f;
}

static int written(FILE *f, const char *path)
{
	int err = ferror(f) | fflush(f);

	if (f != stdout)
		err |= fclose(f);
	if (err)
		fprintf(stderr, "simdbench: cannot write %s: %m\n", path);
	return err ? -1 : 0;
}

int check_writable(const char *path)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "a") : stdout;

	if (!f)
		fprintf(stderr, "simdbench: cannot write %s: %m\n", path);
	else if (f != stdout)
		fclose(f);
	return f ? 0 : -1;
}

/* Fields in this order, which is that of the columns, too. */
static json_t *describe(const struct result *r)
{
	const struct subject *s = r->subject;
	const struct cell *c = &r->cell;
	json_t *d = json_object();

	json_object_set_new(d, "kind", json_string(simd_kind_names[s->kind]));
	json_object_set_new(d, "routine", json_string(s->name));
	json_object_set_new(d, "guard", json_string(s->row ? simd_guard_names[s->row->guard] :
							     "NONE"));
	json_object_set_new(d, "stock", json_boolean(s->stock));
	json_object_set_new(d, "size", json_integer(c->size));
	json_object_set_new(d, "dst", json_string(place_names[c->dst]));
	json_object_set_new(d, "dst_off", json_integer(c->dst_off));
	json_object_set_new(d, "src", json_string(s->kind == SIMD_KIND_clear ? "" :
						  place_names[c->src]));
	json_object_set_new(d, "src_off", json_integer(c->src_off));
	json_object_set_new(d, "consumer", json_string(consumer_names[c->consumer]));
	json_object_set_new(d, "icache", json_string(c->cold_code ? "cold" : "warm"));
	json_object_set_new(d, "page", json_string(c->huge ? "2MB" : "4KB"));
	json_object_set_new(d, "threads", json_integer(c->threads));
	json_object_set_new(d, "min", json_real(r->figures.min));
	json_object_set_new(d, "median", json_real(r->figures.median));
	json_object_set_new(d, "spread", json_real(r->figures.spread));
	json_object_set_new(d, "calls", json_integer(r->figures.calls));
	json_object_set_new(d, "dropped", json_integer(r->figures.dropped));
	return d;
}

/* Nothing that is in a cell has a comma or a quote. */
static void put_csv(FILE *f, json_t *cell, bool names)
{
	const char *name, *comma = "";
	json_t *value;

	json_object_foreach(cell, name, value) {
		fputs(comma, f);
		comma = ",";
		if (names)
			fputs(name, f);
		else if (json_is_string(value))
			fputs(json_string_value(value), f);
		else
			json_dumpf(value, f, JSON_ENCODE_ANY | JSON_REAL_PRECISION(PRECISION));
	}
	fputc('\n', f);
}

int write_csv(const char *path, const struct result *results, unsigned int nr)
{
	FILE *f = open_to_write(path);
	const struct result *r;
	bool names = true;

	if (!f)
		return -1;
	for (r = results; r < results + nr; r++) {
		json_t *cell = describe(r);

		if (names)
			put_csv(f, cell, true);
		names = false;
		if (r->figures.calls)
			put_csv(f, cell, false);
		json_decref(cell);
	}
	return written(f, path);
}

static json_t *json_machine(unsigned long stolen_before)
{
	json_t *m = json_object();
	struct utsname uts;

	uname(&uts);
	json_object_set_new(m, "cpu", json_string(machine.model_name));
	json_object_set_new(m, "hypervisor", json_string(machine.hypervisor));
	json_object_set_new(m, "family", json_integer(machine.family));
	json_object_set_new(m, "model", json_integer(machine.model));
	json_object_set_new(m, "stepping", json_integer(machine.stepping));
	json_object_set_new(m, "cpus", json_integer(machine.cpus));
	json_object_set_new(m, "measured_cpu", json_integer(machine.cpu));
	json_object_set_new(m, "l1d", json_integer(machine.l1d));
	json_object_set_new(m, "l2", json_integer(machine.l2));
	json_object_set_new(m, "l3", json_integer(machine.l3));
	json_object_set_new(m, "tsc_mhz", json_real(machine.tsc_mhz));
	json_object_set_new(m, "core_mhz", json_real(machine.core_mhz));
	json_object_set_new(m, "kernel", json_string(uts.release));
	json_object_set_new(m, "libc", json_string(gnu_get_libc_version()));
	json_object_set_new(m, "stolen_ms", json_integer(machine_stolen_ms() - stolen_before));
	return m;
}

static json_t *json_unsupported(void)
{
	const struct subject *subjects;
	unsigned int nr = subjects_init(&subjects), i;
	json_t *list = json_array();

	for (i = 0; i < nr; i++) {
		json_t *row;

		if (!subjects[i].missing)
			continue;
		row = json_object();
		json_object_set_new(row, "kind", json_string(simd_kind_names[subjects[i].kind]));
		json_object_set_new(row, "routine", json_string(subjects[i].name));
		json_object_set_new(row, "needs", json_string(subjects[i].missing));
		json_array_append_new(list, row);
	}
	return list;
}

/* One element a line, for diff and eyes. */
static void put_list(FILE *f, const char *name, json_t *list)
{
	size_t i;

	fprintf(f, "\"%s\": [", name);
	for (i = 0; i < json_array_size(list); i++) {
		fputs(i ? ",\n" : "\n", f);
		json_dumpf(json_array_get(list, i), f, JSON_REAL_PRECISION(PRECISION));
	}
	fputs("\n]", f);
	json_decref(list);
}

int write_json(const char *path, const struct result *results, unsigned int nr,
	       unsigned long stolen_before)
{
	json_t *cells = json_array(), *about = json_machine(stolen_before);
	FILE *f = open_to_write(path);
	const struct result *r;

	if (!f)
		return -1;
	for (r = results; r < results + nr; r++)
		if (r->figures.calls)
			json_array_append_new(cells, describe(r));
	fprintf(f, "{\n\"schema\": \"%s\",\n\"machine\": ", SCHEMA);
	json_dumpf(about, f, JSON_REAL_PRECISION(PRECISION));
	json_decref(about);
	fputs(",\n", f);
	put_list(f, "unsupported", json_unsupported());
	fputs(",\n", f);
	put_list(f, "cells", cells);
	fputs("\n}\n", f);
	return written(f, path);
}
