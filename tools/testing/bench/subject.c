// SPDX-License-Identifier: GPL-2.0
/*
 * What can be measured: the rows of the table, and the C library's own calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "measure.h"

static struct subject all[SIMD_NR_ROUTINES + SIMD_NR_KINDS];

static void libc_clear(const struct subject *s, void *dst, const void *src, unsigned long len)
{
	memset(dst, 0, len);
}

static void libc_copy(const struct subject *s, void *dst, const void *src, unsigned long len)
{
	memcpy(dst, src, len);
}

void subject_run(const struct subject *s, void *dst, const void *src, unsigned long len)
{
	simd_call(s->kind, s->fn, dst, src, len);
}

unsigned int subjects_init(const struct subject **subjects)
{
	static struct simd_result results[SIMD_NR_ROUTINES];
	struct subject *s = all;
	unsigned int row, kind;

	simd_detect(results);
	simd_for_each_row(row) {
		const struct simd_routine *r = &simd_routines[row];

		*s++ = (struct subject) {
			.name		= r->name,
			.kind		= r->kind,
			.row		= r,
			.missing	= results[row].missing,
			.stock		= row == simd_stock_row(r->kind),
			/* All members of the union are in the same place. */
			.code		= r->fn.clear,
			.run		= subject_run,
			.fn		= r->fn,
		};
	}
	for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
		bool clear = kind == SIMD_KIND_clear;

		*s++ = (struct subject) {
			.name		= clear ? "libc_memset" : "libc_memcpy",
			.kind		= kind,
			.code		= dlsym(RTLD_DEFAULT, clear ? "memset" : "memcpy"),
			.run		= clear ? libc_clear : libc_copy,
		};
	}
	*subjects = all;
	return s - all;
}

const char *subject_unfit(const struct subject *s, const struct cell *cell)
{
	static char reason[64];

	reason[0] = '\0';
	if (s->row && cell->size % s->row->granule)
		snprintf(reason, sizeof(reason), "its length is a multiple of %u",
			 s->row->granule);
	else if (s->row && cell->dst_off % s->row->dst_align)
		snprintf(reason, sizeof(reason), "its destination is aligned to %u",
			 s->row->dst_align);
	else if (s->row && s->kind != SIMD_KIND_clear && cell->src_off % s->row->src_align)
		snprintf(reason, sizeof(reason), "its source is aligned to %u", s->row->src_align);
	return reason[0] ? reason : NULL;
}
