/* SPDX-License-Identifier: GPL-2.0 */
/*
 * simd_copy: the routine table and what the layers above it share.
 *
 * This header, table.c, select.c, calibrate.c and report.c also build in user
 * space: the harness links them as they are, with shim headers. Keep what only
 * a kernel has in guard.c, core.c and sysfs.c.
 */
#ifndef _LIB_SIMD_COPY_H
#define _LIB_SIMD_COPY_H

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <asm/cpufeatures.h>
#include <asm/page.h>
#include <asm/simd_page.h>

#include "compat.h"

/**
 * enum simd_kind - what a routine does
 * @SIMD_KIND_clear:	clear a page extent
 * @SIMD_KIND_copy:	copy a page extent to one that does not overlap it
 * @SIMD_KIND_to_user:	copy any number of bytes to user space, which may fault
 * @SIMD_NR_KINDS:	number of kinds
 *
 * Lower case, because the table pastes the kind of a row into the name of its
 * symbol: simd_KIND_NAME.
 */
enum simd_kind {
	SIMD_KIND_clear,
	SIMD_KIND_copy,
	SIMD_KIND_to_user,
	SIMD_NR_KINDS
};

/**
 * enum simd_guard - the register file a section may touch
 * @SIMD_GUARD_NONE:	general registers only: no section is needed
 * @SIMD_GUARD_XMM:	XMM, YMM and ZMM registers. Moves only: MXCSR keeps the
 *			owner's value, which no move looks at.
 * @SIMD_GUARD_MMX:	MMX registers, which alias the x87 stack. No x87
 *			exception is pending, whatever the owner left behind.
 * @SIMD_NR_GUARDS:	number of guard classes
 */
enum simd_guard {
	SIMD_GUARD_NONE,
	SIMD_GUARD_XMM,
	SIMD_GUARD_MMX,
	SIMD_NR_GUARDS
};

/**
 * union simd_fn - the C ABI of a routine, one member per kind
 * @clear:	clear @len bytes at @dst
 * @copy:	copy @len bytes from @src to @dst
 * @to_user:	the same, where either may fault; returns the bytes NOT copied, and
 *		stores nothing beyond the others
 *
 * Typed, so that the compiler and kCFI check every call made through the table.
 */
union simd_fn {
	void (*clear)(void *dst, unsigned long len) SIMD_ABI;
	void (*copy)(void *dst, const void *src, unsigned long len) SIMD_ABI;
	unsigned long (*to_user)(void __user *dst, const void *src, unsigned long len) SIMD_ABI;
};

/**
 * struct simd_feature - one CPU feature, as data
 * @bit:	X86_FEATURE_*
 * @name:	the same in print, NULL ends a list (bit 0 is a real feature)
 */
struct simd_feature {
	unsigned short	bit;
	const char	*name;
};

/* xfeatures a routine needs enabled in XCR0: CPUID alone does not tell */
#define SIMD_XCR0_SSE		0x02
#define SIMD_XCR0_YMM		0x04
#define SIMD_XCR0_ZMM		0xe0
#define SIMD_XFEATURES_YMM	(SIMD_XCR0_SSE | SIMD_XCR0_YMM)
#define SIMD_XFEATURES_ZMM	(SIMD_XFEATURES_YMM | SIMD_XCR0_ZMM)

/* The routine stores around the caches, and ends with its own SFENCE. */
#define SIMD_STREAMING		0x01

/**
 * struct simd_routine - one row of the table
 * @name:	unique within its kind; the name in sysfs and on the command line
 * @desc:	what it does, in a few words
 * @kind:	what it does, as data
 * @guard:	the register file it touches
 * @fn:		its entry point
 * @all:	CPU features it needs, all of them
 * @any:	CPU features of which it needs one, if any is listed
 * @veto:	CPU features that bar it from being chosen, but not from being
 *		forced by name or tested
 * @stock:	the feature with which the kernel itself runs these
 *		instructions, name "" where it always does and NULL where it
 *		never does; the first row to match is the stock row
 * @xfeatures:	bits it needs set in XCR0
 * @granule:	the length must be a multiple of this, bytes
 * @dst_align:	alignment the destination must have, bytes
 * @src_align:	alignment the source must have, bytes
 * @section:	most bytes to process in one section; 0 for no bound, which
 *		only %SIMD_GUARD_NONE may have
 * @flags:	%SIMD_STREAMING
 */
struct simd_routine {
	const char		*name;
	const char		*desc;
	enum simd_kind		kind;
	enum simd_guard		guard;
	union simd_fn		fn;
	struct simd_feature	all[4];
	struct simd_feature	any[3];
	struct simd_feature	veto[2];
	struct simd_feature	stock;
	unsigned int		xfeatures;
	unsigned int		granule;
	unsigned int		dst_align;
	unsigned int		src_align;
	unsigned int		section;
	unsigned int		flags;
};

/* How routines.def spells features: FEATURES(A, B) in rows, one to three. */
#define SIMD_FEATURE(f)		{ X86_FEATURE_##f, #f }
#define SIMD_FEATURES_1(a)		SIMD_FEATURE(a)
#define SIMD_FEATURES_2(a, b)		SIMD_FEATURE(a), SIMD_FEATURE(b)
#define SIMD_FEATURES_3(a, b, c)	SIMD_FEATURES_2(a, b), SIMD_FEATURE(c)
#define SIMD_FEATURES_N(a, b, c, n, ...)	SIMD_FEATURES_##n
#define SIMD_FEATURES(...)						\
	{ SIMD_FEATURES_N(__VA_ARGS__, 3, 2, 1)(__VA_ARGS__) }

/* One index space: SIMD_ROW_clear_mov is the row of clear/mov. */
enum {
#define SIMD_ROUTINE(_kind, _name, ...) SIMD_ROW_##_kind##_##_name,
#include "routines.def"
	SIMD_NR_ROUTINES
};

#define SIMD_ROUTINE(_kind, _name, ...) SIMD_PROTOTYPE_##_kind(simd_##_kind##_##_name);
#define SIMD_PROTOTYPE_clear(_fn) \
	void SIMD_ABI _fn(void *dst, unsigned long len)
#define SIMD_PROTOTYPE_copy(_fn) \
	void SIMD_ABI _fn(void *dst, const void *src, unsigned long len)
#define SIMD_PROTOTYPE_to_user(_fn) \
	unsigned long SIMD_ABI _fn(void __user *dst, const void *src, unsigned long len)
#include "routines.def"

extern const struct simd_routine simd_routines[SIMD_NR_ROUTINES];
extern const char *const simd_kind_names[SIMD_NR_KINDS];
extern const char *const simd_regime_names[SIMD_NR_REGIMES];
extern const char *const simd_guard_names[SIMD_NR_GUARDS];

#define simd_for_each_row(row) \
	for ((row) = 0; (row) < SIMD_NR_ROUTINES; (row)++)

#define simd_for_each_row_of(row, _kind)	\
	simd_for_each_row(row)			\
		if (simd_routines[row].kind != (_kind)) { } else

/* Sizes that are measured, bytes by kind; 0 where a kind has fewer. */
#define SIMD_NR_SIZES		4
#define SIMD_MAX_SIZE		(512 * PAGE_SIZE)
extern const unsigned int simd_sizes[SIMD_NR_KINDS][SIMD_NR_SIZES];

#define simd_for_each_size(e, _kind) \
	for ((e) = 0; (e) < SIMD_NR_SIZES && simd_sizes[_kind][e]; (e)++)

/**
 * struct simd_cost - the cost of one call of one routine
 * @ret:	nanoseconds until the routine returned
 * @use:	nanoseconds until a consumer had read all of the result as well:
 *		the time to use. 0 when not measured, as is @ret.
 */
struct simd_cost {
	u32	ret;
	u32	use;
};

/* A cost is never more, so that a few can be added up. */
#define SIMD_MAX_COST	(U32_MAX / 8)

/**
 * struct simd_result - what is known of a routine on this machine
 * @missing:	the feature that it lacks, NULL if it is supported
 * @veto:	the feature that bars it from being chosen, NULL if none does
 * @barred:	it failed the self-check, and is never run again
 * @cost:	by regime and by index into simd_sizes[] of the kind
 */
struct simd_result {
	const char		*missing;
	const char		*veto;
	bool			barred;
	struct simd_cost	cost[SIMD_NR_REGIMES][SIMD_NR_SIZES];
};

/**
 * struct simd_machine - what the choice has to know of this machine, rows apart
 * @cache_bytes:	size of the last-level cache, 0 if unknown
 * @save_ns:		cost of saving the registers of a task and loading them
 *			again, 0 if unknown
 */
struct simd_machine {
	unsigned long	cache_bytes;
	u32		save_ns;
};

/**
 * enum simd_context - what a section costs besides itself
 * @SIMD_OWNED:		the registers of a task are on the CPU: they are saved now,
 *			and loaded again before the task goes on
 * @SIMD_FREE:		kernel threads have none, and those of a task are saved once
 *			between two returns to user space, however many sections follow
 * @SIMD_NR_CONTEXTS:	number of contexts
 */
enum simd_context {
	SIMD_OWNED,
	SIMD_FREE,
	SIMD_NR_CONTEXTS
};

/**
 * struct simd_plan - what to use in a regime and a context, by size
 * @row:	by index into simd_sizes[] of the kind, the chosen row
 * @from:	likewise, bytes from which it is used; those of the first are 0, and
 *		ULONG_MAX where the kind has no such size
 * @why:	likewise, the reason in a few words
 * @gain:	likewise, cost of stock over cost of the choice, in percent; 0 if
 *		it was not measured
 */
struct simd_plan {
	unsigned int	row[SIMD_NR_SIZES];
	unsigned long	from[SIMD_NR_SIZES];
	const char	*why[SIMD_NR_SIZES];
	unsigned int	gain[SIMD_NR_SIZES];
};

/**
 * struct simd_choice - the routines chosen for one kind
 * @plan:	by context and regime
 * @stock:	the stock row
 * @threshold:	bytes from which an extent is in the stream regime by itself,
 *		ULONG_MAX for never
 * @crossed:	the size whose figures that rests on: the least that was measured
 *		from which on streaming is no slower to use, or else the largest
 */
struct simd_choice {
	struct simd_plan	plan[SIMD_NR_CONTEXTS][SIMD_NR_REGIMES];
	unsigned int		stock;
	unsigned long		threshold;
	unsigned int		crossed;
};

/* Whether it matters if there are registers to save. */
static inline bool simd_contexts_differ(const struct simd_choice *c)
{
	unsigned int regime, e;

	for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
		const struct simd_plan *a = &c->plan[SIMD_OWNED][regime];
		const struct simd_plan *b = &c->plan[SIMD_FREE][regime];

		for (e = 0; e < SIMD_NR_SIZES; e++)
			if (a->row[e] != b->row[e] || a->from[e] != b->from[e])
				return true;
	}
	return false;
}

/* The part of a plan that a size is in: an index into its arrays. */
static inline unsigned int simd_plan_part(const struct simd_plan *plan, unsigned long len)
{
	unsigned int e = SIMD_NR_SIZES - 1;

	while (len < READ_ONCE(plan->from[e]))
		e--;
	return e;
}

/* Page extents are aligned alike, always. */
static inline bool simd_has_regime(enum simd_kind kind, enum simd_regime regime)
{
	return regime != SIMD_MISALIGNED || kind == SIMD_KIND_to_user;
}

static inline bool simd_usable(const struct simd_result *res)
{
	return !res->missing && !res->barred;
}

/* Where the figures of a regime are: cold data is measured as streamed data is. */
static inline enum simd_regime simd_measured(enum simd_regime regime)
{
	return regime == SIMD_COLD ? SIMD_STREAM : regime;
}

/*
 * What a regime is judged by: the time to use. But streamed data is used later,
 * when it is in no cache either way: there it is the time to return.
 */
static inline u32 simd_judged_cost(const struct simd_result *res, enum simd_regime regime,
				   unsigned int e)
{
	const struct simd_cost *cost = &res->cost[simd_measured(regime)][e];

	return regime == SIMD_STREAM ? cost->ret : cost->use;
}

/* table.c */
void simd_detect(struct simd_result *results);
unsigned int simd_stock_row(enum simd_kind kind);
int simd_find_row(enum simd_kind kind, const char *name);

unsigned long simd_fallback(enum simd_kind kind, void *dst, const void *src,
			    unsigned long len);

/* guard.c */
void simd_account(unsigned long bytes, bool faulted);

/* select.c */
void simd_set_threshold(const struct simd_result *results, unsigned long cache_bytes,
			struct simd_choice *choice);
void simd_select(enum simd_kind kind, const struct simd_result *results,
		 const struct simd_machine *machine, struct simd_choice *choice);
void simd_contenders(enum simd_kind kind, enum simd_regime measured, unsigned int e,
		     const struct simd_result *results, const struct simd_machine *machine,
		     unsigned int percent, unsigned long *rows);

/**
 * struct simd_user_window - user memory that calibration may write to
 * @user:	its user address, in the mm that is in use
 * @alias:	the same memory in the kernel's mapping
 * @size:	bytes, which are faulted in
 */
struct simd_user_window {
	void __user	*user;
	void		*alias;
	unsigned long	size;
};

/* calibrate.c */
void simd_self_check(struct simd_result *results);
int simd_calibrate(struct simd_result *results, u64 budget,
		   const struct simd_user_window *window, struct simd_machine *machine);

/* report.c */
struct seq_file;
void simd_report(struct seq_file *m, const struct simd_result *results,
		 const struct simd_machine *machine, const struct simd_choice *choices);

#endif /* _LIB_SIMD_COPY_H */
