// SPDX-License-Identifier: GPL-2.0
/*
 * Two runs against each other: other machines, or other versions.
 */
#include <stdio.h>
#include <string.h>
#include <jansson.h>
#include <linux/kernel.h>

#include "result.h"

/* What tells one cell from another. The rest is what was measured there. */
static const char *const identity[] = {
	"kind", "routine", "size", "dst", "dst_off", "src", "src_off", "consumer", "icache",
	"page", "threads", "workload", "read",
};

static const char *cell_key(const json_t *cell)
{
	static char key[256];
	unsigned int i;
	int n = 0;

	key[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(identity) && n < sizeof(key); i++) {
		json_t *field = json_object_get(cell, identity[i]);

		if (json_is_string(field))
			n += snprintf(key + n, sizeof(key) - n, " %s", json_string_value(field));
		else if (json_is_integer(field))
			n += snprintf(key + n, sizeof(key) - n, " %lld",
				      (long long)json_integer_value(field));
		else
			n += snprintf(key + n, sizeof(key) - n, " -");
	}
	return key + 1;
}

static json_t *load(const char *path, const char **list)
{
	json_error_t error;
	json_t *root = json_load_file(path, 0, &error);
	const char *schema;

	if (!root) {
		fprintf(stderr, "simdbench: %s: line %d: %s. Valid is what --json writes.\n", path,
			error.line, error.text);
		return NULL;
	}
	schema = json_string_value(json_object_get(root, "schema"));
	*list = schema && !strcmp(schema, WALK_SCHEMA) ? "loops" : "cells";
	if (schema && (!strcmp(schema, SCHEMA) || !strcmp(schema, WALK_SCHEMA)) &&
	    json_is_array(json_object_get(root, *list)))
		return root;
	fprintf(stderr, "simdbench: %s: its schema is '%s'. Valid: '%s' '%s'\n", path,
		schema ?: "missing", SCHEMA, WALK_SCHEMA);
	json_decref(root);
	return NULL;
}

static double number(const json_t *cell, const char *name)
{
	return json_number_value(json_object_get(cell, name));
}

static void print_machine(const char *path, const json_t *root)
{
	const json_t *m = json_object_get(root, "machine");
	const char *cpu = json_string_value(json_object_get(m, "cpu"));

	printf("# %s: %s, family %.0f model %.0f, %.0f MHz\n", path, cpu ?: "?",
	       number(m, "family"), number(m, "model"), number(m, "core_mhz"));
}

/* --- Walks --------------------------------------------------------------- */

/* So much may the winners of two walks differ. */
#define SAME	0.03

/**
 * struct bounds - a ratio to stock
 * @median:	of the blocks
 * @low:	lower end of the interval
 * @high:	upper end; below 0 if it is infinite
 */
struct bounds {
	double	median;
	double	low;
	double	high;
};

static struct bounds bounds_of(const json_t *row)
{
	const json_t *saving = json_object_get(row, "saving");

	return (struct bounds) {
		json_number_value(json_array_get(saving, 0)),
		json_number_value(json_array_get(saving, 1)),
		json_number_value(json_array_get(saving, 2)),
	};
}

static bool overlap(struct bounds a, struct bounds b)
{
	return (a.high < 0 || b.low <= a.high) && (b.high < 0 || a.low <= b.high);
}

/* Whether an interval is too wide to tell 3 %. */
static bool wide(struct bounds a)
{
	return a.high < 0 || a.low < a.median * (1 - SAME) || a.high > a.median * (1 + SAME);
}

static const char *text(const json_t *row, const char *name)
{
	return json_string_value(json_object_get(row, name)) ?: "?";
}

static bool is_stock(const json_t *row)
{
	return json_is_true(json_object_get(row, "stock"));
}

static bool same(const json_t *a, const json_t *b, const char *name)
{
	return json_equal(json_object_get(a, name), json_object_get(b, name));
}

/* Of the loop that a row is of, the row of a routine, or the winner for NULL. */
static const json_t *find(const json_t *rows, const json_t *like, const char *routine)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
		if (same(row, like, "workload") && same(row, like, "read") &&
		    (routine ? !strcmp(text(row, "routine"), routine) :
			       json_is_true(json_object_get(row, "winner"))))
			return row;
	return NULL;
}

/*
 * What a walk says of a winner. Where that is stock, since no row is surely faster, it is what
 * it says of the row that wins in the other walk: nothing, if the interval is wide.
 */
static struct bounds said_of(const json_t *rows, const json_t *winner, const json_t *other)
{
	const json_t *row = winner;

	if (is_stock(winner))
		row = find(rows, winner, text(other, "routine"));
	return row ? bounds_of(row) : (struct bounds) { 1, 0, -1 };
}

/* Return: how many loops have winners that are too far apart. */
static unsigned int compare_winners(const json_t *a, const json_t *b, bool verbose)
{
	unsigned int told = 0, apart = 0, stock = 0, loops = 0;
	const json_t *row;
	size_t i;

	printf("# winners and their ratios to stock; !: more than 3 %% apart, though both intervals are\n"
	       "# narrower than that; ?: they are wider\n");
	json_array_foreach(a, i, row) {
		const json_t *other;
		struct bounds x, y;
		bool flag, unknown;

		if (!json_is_true(json_object_get(row, "winner")))
			continue;
		other = find(b, row, NULL);
		if (!other)
			continue;
		loops++;
		if (is_stock(row) && is_stock(other)) {
			stock++;
			continue;
		}
		x = said_of(a, row, other);
		y = said_of(b, other, row);
		unknown = wide(x) || wide(y);
		flag = !unknown && (y.median > x.median * (1 + SAME) ||
				    x.median > y.median * (1 + SAME));
		told += !unknown;
		apart += flag;
		if (flag || verbose)
			printf("%s %-20s %-5s %16s %4.2f [%4.2f %4.2f] %16s %4.2f [%4.2f %4.2f]\n",
			       flag ? "!" : unknown ? "?" : " ", text(row, "workload"),
			       text(row, "read"), text(row, "routine"), x.median, x.low, x.high,
			       text(other, "routine"), y.median, y.low, y.high);
	}
	printf("%u loops, %u with stock in both, %u with intervals that tell 3 %%, %u winners farther apart\n",
	       loops, stock, told, apart);
	return apart;
}

/* Of two intervals of the same thing nearly all overlap, if they are honest. */
static void compare_intervals(const json_t *a, const json_t *by_key)
{
	unsigned int rows = 0, agree = 0;
	const json_t *row, *other;
	size_t i;

	json_array_foreach(a, i, row) {
		other = json_object_get(by_key, cell_key(row));
		if (!other)
			continue;
		rows++;
		agree += overlap(bounds_of(row), bounds_of(other));
	}
	printf("%u rows, intervals of %u overlap\n", rows, agree);
}

/* Two walks: whether they say the same, as far as their intervals allow. */
static int compare_walks(json_t *const root[2], bool verbose)
{
	const json_t *a = json_object_get(root[0], "loops"), *b = json_object_get(root[1], "loops");
	json_t *by_key = json_object(), *row;
	unsigned int apart;
	size_t i;

	json_array_foreach(b, i, row)
		json_object_set(by_key, cell_key(row), row);
	if (!json_object_size(by_key) || !json_array_size(a)) {
		fprintf(stderr, "simdbench: the two have no loop in common\n");
		json_decref(by_key);
		return 2;
	}
	apart = compare_winners(a, b, verbose);
	compare_intervals(a, by_key);
	json_decref(by_key);
	return apart != 0;
}

/* --- Single calls -------------------------------------------------------- */

static int compare_cells(char *const path[2], json_t *const root[2], bool verbose)
{
	json_t *cells[2], *by_key, *a, *b;
	unsigned int both = 0, outside = 0, only_a, only_b = 0;
	size_t i;

	by_key = json_object();
	for (i = 0; i < 2; i++) {
		print_machine(path[i], root[i]);
		cells[i] = json_object_get(root[i], "cells");
	}
	json_array_foreach(cells[0], i, a)
		json_object_set(by_key, cell_key(a), a);

	printf("# B / A, medians; !: farther apart than both spreads together\n");
	json_array_foreach(cells[1], i, b) {
		const char *key = cell_key(b);
		double from, to, apart;
		bool flag;

		a = json_object_get(by_key, key);
		if (!a) {
			only_b++;
			continue;
		}
		from = number(a, "median");
		to = number(b, "median");
		apart = to > from ? to - from : from - to;
		flag = apart > number(a, "spread") + number(b, "spread");
		both++;
		outside += flag;
		if (flag || verbose)
			printf("%s %6.3f  %10.1f %10.1f  %s\n", flag ? "!" : " ",
			       from > 0 ? to / from : 0, from, to, key);
	}
	only_a = json_object_size(by_key) - both;
	printf("%u compared, %u outside the spread, %u only in A, %u only in B\n", both, outside,
	       only_a, only_b);
	json_decref(by_key);
	if (!both)
		fprintf(stderr, "simdbench: the two have no cell in common\n");
	return both ? outside != 0 : 2;
}

int compare(char *const path[2], bool verbose)
{
	const char *list[2];
	json_t *root[2] = { load(path[0], &list[0]), NULL };
	int status = 2;

	root[1] = root[0] ? load(path[1], &list[1]) : NULL;
	if (root[1] && strcmp(list[0], list[1]))
		fprintf(stderr, "simdbench: one is of walks, the other one is not\n");
	else if (root[1])
		status = !strcmp(list[0], "loops") ? compare_walks(root, verbose) :
						     compare_cells(path, root, verbose);
	json_decref(root[0]);
	json_decref(root[1]);
	return status;
}
