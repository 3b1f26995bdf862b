/* SPDX-License-Identifier: GPL-2.0 */
/*
 * simd_copy: the table of routines, the table of cases, and what the layers above
 * both share.
 *
 * The files that include no more than this header and run.h also build in user space:
 * the harness and simdbench link them as they are, with shim headers.
 */
#ifndef _LIB_SIMD_COPY_H
#define _LIB_SIMD_COPY_H

#include <linux/bits.h>
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
 * @SIMD_KIND_copy_mc:	copy any number of bytes within the kernel, and survive a machine
 *			check in the source
 * @SIMD_NR_KINDS:	number of kinds
 *
 * Lower case, because the table pastes the kind of a row into the name of its
 * symbol: simd_KIND_NAME.
 */
enum simd_kind {
	SIMD_KIND_clear,
	SIMD_KIND_copy,
	SIMD_KIND_to_user,
	SIMD_KIND_copy_mc,
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
 * @copy_mc:	the same, where only @src may fault, or have a memory error. After a
 *		machine check less than %SIMD_MC_TURN bytes in front of the error may
 *		be said to be not copied, too, whether they have been stored or not
 *
 * Typed, so that the compiler and kCFI check every call made through the table.
 */
union simd_fn {
	void (*clear)(void *dst, unsigned long len) SIMD_ABI;
	void (*copy)(void *dst, const void *src, unsigned long len) SIMD_ABI;
	unsigned long (*to_user)(void __user *dst, const void *src, unsigned long len) SIMD_ABI;
	unsigned long (*copy_mc)(void *dst, const void *src, unsigned long len) SIMD_ABI;
};

/* MC_TURN of simd_asm.h */
#define SIMD_MC_TURN	256

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
 * @pages:	pages that it goes through in turn, 0 if one after the other
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
	unsigned int		pages;
	unsigned int		section;
	unsigned int		flags;
};

/**
 * simd_all_pages() - the least pages that take a row through all that it does
 * @r:		the row
 *
 * Return: as many as it goes through in turn, twice, and one.
 */
static inline unsigned int simd_all_pages(const struct simd_routine *r)
{
	return 2 * r->pages + 1;
}

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
#define SIMD_PROTOTYPE_copy_mc(_fn) \
	unsigned long SIMD_ABI _fn(void *dst, const void *src, unsigned long len)
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

/**
 * enum simd_state - where the data is before a call
 * @SIMD_HOT:		in the core's caches, source and destination
 * @SIMD_ORDER:		in no cache: the next extent of a walk through much memory
 * @SIMD_RANDOM:	in no cache: an extent at a random place of much memory, as the
 *			page allocator gives it; hardware does not prefetch it
 * @SIMD_WARM:		the same, but for the source, which is in the core's caches: a page that
 *			is copied on write was read just before
 * @SIMD_NR_STATES:	number of states
 *
 * Memory that is in no cache meets caches that are full of dirty lines of others. The
 * destination of a copy to user space is a buffer that is used again and again: it is
 * hot in all states, but for what is streamed.
 */
enum simd_state {
	SIMD_HOT,
	SIMD_ORDER,
	SIMD_RANDOM,
	SIMD_WARM,
	SIMD_NR_STATES
};

/**
 * struct simd_case - what a caller does, as data: a line of cases.def
 * @name:	unique within its kind
 * @kind:	the kind of routine that it calls
 * @regime:	what becomes of the data: with %SIMD_STREAM the time until the routine
 *		returns counts, otherwise the time until the result has been read: see
 *		simd_bytes_used()
 * @from:	the least bytes of a call
 * @bytes:	the size at which it is measured
 * @states:	bit mask of enum simd_state: what callers meet
 */
struct simd_case {
	const char		*name;
	enum simd_kind		kind;
	enum simd_regime	regime;
	unsigned int		from;
	unsigned int		bytes;
	unsigned int		states;
};

/* One index space: SIMD_CASE_clear_page is the case clear/page. */
enum {
#define SIMD_CASE(_kind, _name, ...) SIMD_CASE_##_kind##_##_name,
#include "cases.def"
	SIMD_NR_CASES
};

extern const struct simd_case simd_cases[SIMD_NR_CASES];
extern const char *const simd_state_names[SIMD_NR_STATES];

#define simd_for_each_case(c) \
	for ((c) = 0; (c) < SIMD_NR_CASES; (c)++)

#define simd_for_each_case_of(c, _kind)		\
	simd_for_each_case(c)			\
		if (simd_cases[c].kind != (_kind)) { } else

#define simd_for_each_state_of(state, _case)			\
	for ((state) = 0; (state) < SIMD_NR_STATES; (state)++)	\
		if (!(simd_cases[_case].states & BIT(state))) { } else

/* Whether the routines of a kind may fault, and return the bytes that are not copied. */
static inline bool simd_may_fault(enum simd_kind kind)
{
	return kind == SIMD_KIND_to_user || kind == SIMD_KIND_copy_mc;
}

/*
 * So many bytes of the result are read before the clock stops. Who writes to a page, and
 * so has it copied, goes on where that was. What is streamed is used later, when no cache
 * holds it either way.
 */
static inline unsigned int simd_bytes_used(unsigned int c)
{
	if (simd_cases[c].regime == SIMD_STREAM)
		return 0;
	return simd_cases[c].kind == SIMD_KIND_copy_mc ? 64 : simd_cases[c].bytes;
}

/**
 * struct simd_result - what is known of a routine on this machine
 * @missing:	the feature that it lacks, NULL if it is supported
 * @veto:	the feature that bars it from being chosen, NULL if none does: one of the
 *		row's, or HYPERVISOR for instructions that no emulator need know
 * @barred:	why it must never run, NULL if it passed the self-check
 */
struct simd_result {
	const char	*missing;
	const char	*veto;
	const char	*barred;
};

/**
 * struct simd_trial - a duel between a row and stock in one state
 * @tries:	how often the row was timed between two calls of stock
 * @wins:	how often it was faster than both
 * @gain:	median of stock's time, the mean of the two, over the row's, in thousandths
 * @low:	lower end of the 95 % confidence interval of @gain
 * @high:	upper end
 */
struct simd_trial {
	unsigned char	tries;
	unsigned char	wins;
	unsigned short	gain;
	unsigned short	low;
	unsigned short	high;
};

/* Rows that the screen of a case lets through to the duel, at most. */
#define SIMD_CONTENDERS	7

/**
 * struct simd_evidence - why a case runs the row that it runs
 * @row:	the row
 * @why:	the reason, in a few words
 * @ns:		by state, the least that stock took for a call, ns; 0 if unknown
 * @screen:	by state and row, median gain over stock in the screen, in thousandths;
 *		0 if the row was not measured
 * @nr:		number of contenders
 * @contender:	the rows that met stock in duels
 * @contender.row:	the row
 * @contender.why:	what came of it
 * @contender.trial:	by state
 */
struct simd_evidence {
	unsigned int	row;
	const char	*why;
	u32		ns[SIMD_NR_STATES];
	unsigned short	screen[SIMD_NR_STATES][SIMD_NR_ROUTINES];
	unsigned int	nr;
	struct {
		unsigned int		row;
		const char		*why;
		struct simd_trial	trial[SIMD_NR_STATES];
	} contender[SIMD_CONTENDERS];
};

/**
 * struct simd_plan - the rows in use
 * @row:	by case
 * @threshold:	by kind, bytes from which an extent is streamed by itself, ULONG_MAX
 *		for never
 */
struct simd_plan {
	unsigned int	row[SIMD_NR_CASES];
	unsigned long	threshold[SIMD_NR_KINDS];
};

/**
 * struct simd_sampler - where the samples of a decision come from
 * @sample:	time a row in a case and a state. Returns sixteenths of a
 *		nanosecond per call, or 0 if no sample could be taken.
 * @why_not:	why the last sample that could not be taken was not, NULL if there is none
 */
struct simd_sampler {
	u32 (*sample)(struct simd_sampler *sampler, unsigned int c, enum simd_state state,
		      unsigned int row);
	const char *why_not;
};

static inline bool simd_usable(const struct simd_result *res)
{
	return !res->missing && !res->barred;
}

/* table.c */
void simd_detect(struct simd_result *results);
unsigned int simd_stock_row(enum simd_kind kind);
int simd_find_row(enum simd_kind kind, const char *name);
unsigned long simd_case_end(unsigned int c);

/* check.c */
int simd_self_check(struct simd_result *results);

/* select.c */
void simd_decide(unsigned int c, const struct simd_result *results,
		 struct simd_sampler *sampler, struct simd_evidence *ev);
void simd_decide_all(const struct simd_result *results, struct simd_sampler *sampler,
		     struct simd_evidence *ev);
void simd_set_thresholds(struct simd_plan *plan, unsigned long cache_bytes);

/* CPU time for all of a choice, and which part of it may go into memory to measure in. */
#define SIMD_BUDGET_NS	100000000ull
#define SIMD_FILL_PART	4

/* measure.c */
struct simd_bench;
struct simd_bench *simd_bench_open(u64 budget, unsigned long cache_bytes);
void simd_bench_close(struct simd_bench *b);
struct simd_sampler *simd_bench_sampler(struct simd_bench *b);
u32 simd_bench_save_ns(const struct simd_bench *b);
unsigned long simd_cache_bytes(void);
bool simd_cpus_differ(void);
unsigned int simd_least_calls(unsigned int c, enum simd_state state);

/**
 * struct simd_machine - what a report says of the machine, rows and cases apart
 * @cache_bytes:	size of the last-level cache that one CPU reaches, 0 if unknown
 * @save_ns:		cost of saving the registers of a task and loading them again,
 *			0 if unknown
 */
struct simd_machine {
	unsigned long	cache_bytes;
	u32		save_ns;
};

/* report.c */
struct seq_file;
void simd_report(struct seq_file *m, const struct simd_result *results,
		 const struct simd_machine *machine, const struct simd_plan *plan,
		 const struct simd_evidence *evidence);

#endif /* _LIB_SIMD_COPY_H */
