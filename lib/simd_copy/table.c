// SPDX-License-Identifier: GPL-2.0
/*
 * The table as data, and what this CPU can run of it.
 *
 * What is exported here, and elsewhere but for the calls of simd_page.h, is for
 * the test module, which looks behind them.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/page.h>

#include "run.h"
#include "simd_copy.h"

/*
 * Most bytes in one section: nothing else runs on the CPU meanwhile. At the
 * 10 GB/s that streaming stores reach this is 1.6 us; opening and closing the
 * section is about 1 % of it.
 */
#define SIMD_SECTION_NONE	0
#define SIMD_SECTION_XMM	16384
#define SIMD_SECTION_MMX	16384

/* How routines.def spells the fields of a row. */
#define SHAPE(_granule, _dst_align, _src_align)				\
	.granule = (_granule), .dst_align = (_dst_align), .src_align = (_src_align)
#define NEED(...)	.all = SIMD_FEATURES(__VA_ARGS__)
#define ANY(...)	.any = SIMD_FEATURES(__VA_ARGS__)
#define VETO(_feature)	.veto = SIMD_FEATURES(_feature)
#define XCR0(_state)	.xfeatures = SIMD_XFEATURES_##_state
#define STOCK(_feature)	.stock = SIMD_FEATURE(_feature)
#define STOCK_ALWAYS	.stock = { 0, "" }
#define STREAM		.flags = SIMD_STREAMING

const struct simd_routine simd_routines[SIMD_NR_ROUTINES] = {
#define SIMD_ROUTINE(_kind, _name, _guard, _desc, ...)			\
	[SIMD_ROW_##_kind##_##_name] = {				\
		.name		= #_name,				\
		.desc		= _desc,				\
		.kind		= SIMD_KIND_##_kind,			\
		.guard		= SIMD_GUARD_##_guard,			\
		.fn		= { ._kind = simd_##_kind##_##_name },	\
		.section	= SIMD_SECTION_##_guard,		\
		__VA_ARGS__						\
	},
#include "routines.def"
};
EXPORT_SYMBOL_GPL(simd_routines);

const char *const simd_kind_names[SIMD_NR_KINDS] = {
	[SIMD_KIND_clear]	= "clear",
	[SIMD_KIND_copy]	= "copy",
	[SIMD_KIND_to_user]	= "to_user",
};

const char *const simd_regime_names[SIMD_NR_REGIMES] = {
	[SIMD_CACHED]		= "cached",
	[SIMD_STREAM]		= "stream",
	[SIMD_COLD]		= "cold",
	[SIMD_MISALIGNED]	= "misaligned",
};
EXPORT_SYMBOL_GPL(simd_kind_names);

const char *const simd_guard_names[SIMD_NR_GUARDS] = {
	[SIMD_GUARD_NONE]	= "NONE",
	[SIMD_GUARD_XMM]	= "XMM",
	[SIMD_GUARD_MMX]	= "MMX",
};

/*
 * A page fault's worth, a batch of them, and a huge page; to user space what is
 * just worth a section, a page, a pipe's worth, and a huge page.
 */
const unsigned int simd_sizes[SIMD_NR_KINDS][SIMD_NR_SIZES] = {
	[SIMD_KIND_clear]	= { PAGE_SIZE, 16 * PAGE_SIZE, SIMD_MAX_SIZE },
	[SIMD_KIND_copy]	= { PAGE_SIZE, 16 * PAGE_SIZE, SIMD_MAX_SIZE },
	[SIMD_KIND_to_user]	= { SIMD_TO_USER_MIN, PAGE_SIZE, 16 * PAGE_SIZE,
				    SIMD_MAX_SIZE },
};
EXPORT_SYMBOL_GPL(simd_sizes);

static const char *first_missing(const struct simd_feature *f)
{
	for (; f->name; f++)
		if (!boot_cpu_has(f->bit))
			return f->name;
	return NULL;
}

static const char *first_present(const struct simd_feature *f)
{
	for (; f->name; f++)
		if (simd_cpu_has(f->bit))
			return f->name;
	return NULL;
}

static const char *missing(const struct simd_routine *r)
{
	const char *name = first_missing(r->all);

	if (name)
		return name;
	if (r->any[0].name && !first_present(r->any))
		return r->any[0].name;
	if (r->xfeatures && !cpu_has_xfeatures(r->xfeatures, NULL))
		return "XCR0";
	return NULL;
}

/* The stock rows; until simd_detect() those that run on any CPU. */
static unsigned int stock_rows[SIMD_NR_KINDS] = {
	[SIMD_KIND_clear]	= SIMD_ROW_clear_rep_stosb,
	[SIMD_KIND_copy]	= SIMD_ROW_copy_rep_movsb,
	[SIMD_KIND_to_user]	= SIMD_ROW_to_user_rep_movsb,
};

/**
 * simd_detect() - find out which rows this CPU can run, and which are stock
 * @results:	one per row; @missing and @veto are set, the rest is cleared
 *
 * Context: any; needs the CPU features of the boot CPU to be final.
 */
void simd_detect(struct simd_result *results)
{
	unsigned int row, kind;

	memset(results, 0, SIMD_NR_ROUTINES * sizeof(*results));
	simd_for_each_row(row) {
		results[row].missing = missing(&simd_routines[row]);
		results[row].veto = first_present(simd_routines[row].veto);
	}

	for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
		simd_for_each_row_of(row, kind) {
			const struct simd_feature *stock = &simd_routines[row].stock;

			if (!stock->name || (stock->name[0] && !boot_cpu_has(stock->bit)))
				continue;
			stock_rows[kind] = row;
			break;
		}
	}
}

/**
 * simd_stock_row() - the row that runs what the kernel runs by itself
 * @kind:	any kind
 *
 * Return: an index into simd_routines[]. The row has guard NONE and needs no
 * feature.
 */
unsigned int simd_stock_row(enum simd_kind kind)
{
	return stock_rows[kind];
}
EXPORT_SYMBOL_GPL(simd_stock_row);

/**
 * simd_fallback() - do with the stock row what a refused section could not
 * @kind:	what to do
 * @dst:	destination
 * @src:	source, unless @kind has none
 * @len:	bytes, a multiple of the stock row's granule
 *
 * Context: any; to user space it may sleep, unless page fault handling is off.
 * Return: bytes that could not be copied to user space, 0 otherwise.
 */
unsigned long simd_fallback(enum simd_kind kind, void *dst, const void *src,
			    unsigned long len)
{
	return simd_call(kind, simd_routines[simd_stock_row(kind)].fn, dst, src, len);
}
EXPORT_SYMBOL_GPL(simd_fallback);

/**
 * simd_find_row() - look a row up by its name
 * @kind:	the kind to look in
 * @name:	as in the table
 *
 * Return: an index into simd_routines[], or -1 if there is no such row.
 */
int simd_find_row(enum simd_kind kind, const char *name)
{
	unsigned int row;

	simd_for_each_row_of(row, kind)
		if (!strcmp(simd_routines[row].name, name))
			return row;
	return -1;
}
EXPORT_SYMBOL_GPL(simd_find_row);
