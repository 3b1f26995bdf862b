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
	"page", "threads",
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

static json_t *load(const char *path)
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
	if (schema && !strcmp(schema, SCHEMA) && json_is_array(json_object_get(root, "cells")))
		return root;
	fprintf(stderr, "simdbench: %s: its schema is '%s'. Valid: '%s'\n", path,
		schema ?: "missing", SCHEMA);
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

int compare(char *const path[2], bool verbose)
{
	json_t *root[2] = { load(path[0]), NULL }, *cells[2], *by_key, *a, *b;
	unsigned int both = 0, outside = 0, only_a, only_b = 0;
	size_t i;

	root[1] = root[0] ? load(path[1]) : NULL;
	if (!root[1]) {
		json_decref(root[0]);
		return 2;
	}
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
	json_decref(root[0]);
	json_decref(root[1]);
	if (!both)
		fprintf(stderr, "simdbench: the two have no cell in common\n");
	return both ? outside != 0 : 2;
}
