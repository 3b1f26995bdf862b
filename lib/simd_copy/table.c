// SPDX-License-Identifier: GPL-2.0
/*
 * The tables as data, and what this CPU can run of the routines.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/page.h>

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
#define PAGES(_n)	.pages = (_n)
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
SIMD_EXPORT_FOR_TESTS(simd_routines);

const char *const simd_kind_names[SIMD_NR_KINDS] = {
	[SIMD_KIND_clear]	= "clear",
	[SIMD_KIND_copy]	= "copy",
	[SIMD_KIND_to_user]	= "to_user",
	[SIMD_KIND_copy_mc]	= "copy_mc",
};

const char *const simd_regime_names[SIMD_NR_REGIMES] = {
	[SIMD_CACHED]		= "cached",
	[SIMD_STREAM]		= "stream",
	[SIMD_MISALIGNED]	= "misaligned",
};
SIMD_EXPORT_FOR_TESTS(simd_kind_names);

const char *const simd_guard_names[SIMD_NR_GUARDS] = {
	[SIMD_GUARD_NONE]	= "NONE",
	[SIMD_GUARD_XMM]	= "XMM",
	[SIMD_GUARD_MMX]	= "MMX",
};

const struct simd_case simd_cases[SIMD_NR_CASES] = {
#define SIMD_CASE(_kind, _name, _regime, _from, _bytes, _states)	\
	[SIMD_CASE_##_kind##_##_name] = {				\
		.name	= #_name,					\
		.kind	= SIMD_KIND_##_kind,				\
		.regime	= SIMD_##_regime,				\
		.from	= (_from),					\
		.bytes	= (_bytes),					\
		.states	= (_states),					\
	},
#include "cases.def"
};
SIMD_EXPORT_FOR_TESTS(simd_cases);

const char *const simd_state_names[SIMD_NR_STATES] = {
	[SIMD_HOT]	= "hot",
	[SIMD_ORDER]	= "in order",
	[SIMD_RANDOM]	= "random",
	[SIMD_WARM]	= "warm",
};

/**
 * simd_case_end() - where the sizes of a case end
 * @c:	the case
 *
 * Return: the least bytes of the next larger case, ULONG_MAX if there is none.
 */
unsigned long simd_case_end(unsigned int c)
{
	unsigned long end = ULONG_MAX;
	unsigned int other;

	for (other = 0; other < c; other++)
		if (simd_cases[other].kind == simd_cases[c].kind &&
		    simd_cases[other].regime == simd_cases[c].regime)
			end = simd_cases[other].from;
	return end;
}
SIMD_EXPORT_FOR_TESTS(simd_case_end);

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

/*
 * Whether an emulator of memory accesses may not know the stores of a row. KVM's knows no
 * VEX and no EVEX, which is what there is for YMM and ZMM registers, and no MOVDIR64B.
 */
static bool is_hard_to_emulate(const struct simd_routine *r)
{
	const struct simd_feature *f;

	for (f = r->all; f->name; f++)
		if (f->bit == X86_FEATURE_MOVDIR64B)
			return true;
	return r->xfeatures & ~SIMD_XCR0_SSE;
}

/*
 * User memory may be a device's, mapped by a driver. In a guest an access to it can trap,
 * and the hypervisor does it; one that does not know the instruction kills the guest, or
 * its process. There is no telling whose memory a copy will meet.
 */
static const char *veto(const struct simd_routine *r)
{
	if (r->kind == SIMD_KIND_to_user && boot_cpu_has(X86_FEATURE_HYPERVISOR) &&
	    is_hard_to_emulate(r))
		return "HYPERVISOR";
	return first_present(r->veto);
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
	[SIMD_KIND_copy_mc]	= SIMD_ROW_copy_mc_careful,
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
		results[row].veto = veto(&simd_routines[row]);
	}

	for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
		simd_for_each_row_of(row, kind) {
			const struct simd_feature *stock = &simd_routines[row].stock;

			if (!stock->name || (stock->name[0] && !simd_cpu_has(stock->bit)))
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
SIMD_EXPORT_FOR_TESTS(simd_stock_row);

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
SIMD_EXPORT_FOR_TESTS(simd_find_row);
