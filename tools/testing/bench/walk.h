/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How fast rows are in loops as workloads have them, against stock.
 *
 * Nothing is flushed, and no call is timed by itself. Rows take turns in chunks of
 * megabytes, so that what a call leaves behind, stores on their way and dirty lines that
 * have to be evicted, is paid for by the row that left it.
 */
#ifndef WALK_H
#define WALK_H

#include "measure.h"

enum walk_where {
	WALK_CORE,
	WALK_LLC,
	WALK_BEYOND,
	NR_WALKS
};

enum walk_order {
	WALK_ORDER,
	WALK_RANDOM,
};

/**
 * struct workload - a loop, as data: a line of workloads.def
 * @name:	unique
 * @kind:	the kind of routine that it calls
 * @bytes:	of a call
 * @where:	what is walked through
 * @order:	how
 * @options:	%WALK_HOT_DST and %WALK_HOT_SRC
 * @offset:	bytes from the source to the destination, modulo the page
 */
struct workload {
	const char	*name;
	enum simd_kind	kind;
	unsigned int	bytes;
	enum walk_where	where;
	enum walk_order	order;
	unsigned int	options;
	int		offset;
};

#define WALK_HOT_DST	1
#define WALK_HOT_SRC	2

extern const struct workload workloads[];
extern const unsigned int nr_workloads;
extern const char *const walk_where_names[NR_WALKS];

/**
 * struct walk_setup - what holds for all loops of a run
 * @beyond:	bytes of memory to walk through, destinations and sources together
 * @llc:	bytes of the last-level cache as the latency of loads shows them: what CPUID
 *		says in a guest may be another machine's
 * @core:	bytes of the caches before that one, likewise
 * @save_ns:	cost of saving the registers of a task and loading them again
 * @huge:	bytes of the memory that are in huge pages
 * @small:	they are to be in pages of 4 KiB
 * @threads:	CPUs that walk at the same time, each in memory of its own
 */
struct walk_setup {
	unsigned long	beyond;
	unsigned long	llc;
	unsigned long	core;
	double		save_ns;
	unsigned long	huge;
	bool		small;
	unsigned int	threads;
};

extern struct walk_setup walk_setup;

/**
 * walk_init() - get memory, and look at the caches
 * @mib:	of memory to walk through, 0 for several times the caches
 * @huge:	in huge pages, if there are any
 * @threads:	CPUs that walk at the same time
 *
 * After measure_init(). Return: 0, or -1, and stderr says why.
 */
int walk_init(unsigned long mib, bool huge, unsigned int threads);

/*
 * Other pages for all memory, %walk_setup.beyond bytes for each CPU; for a moment, half of
 * those more for one of them. Return: 0, or -1, and stderr says why.
 */
int walk_remap(void);

/* Destinations of the first CPU, half of %walk_setup.beyond. */
const u8 *walk_memory(void);

/* Whether a loop is possible: not all CPUs have a cache behind those that pipes fit. */
bool walk_exists(const struct workload *w);

/* Latency of a load from where a loop has stored, while it goes on, ns. */
double walk_latency(const struct workload *w);

/* Likewise, where a loop goes through so many bytes of memory. */
double walk_latency_in(unsigned long bytes);

/*
 * What a load at a random place of those where a loop stores waits for page walks, ns: what
 * it takes longer than one of as many lines that are close together.
 */
double walk_tlb_ns(const struct workload *w);

/**
 * struct interval - a median and where it is with 95 % confidence
 * @median:	of the samples
 * @low:	lower end; 0 if there are too few samples
 * @high:	upper end; infinite if there are too few
 */
struct interval {
	double	median;
	double	low;
	double	high;
};

/* Sorts @values. They must be independent of each other. */
struct interval interval_of(double *values, unsigned int n);

/**
 * struct walked - what came of a loop, for one subject
 * @ratio:	stock's time in the same round over the subject's
 * @saving:	likewise, with saving and loading of registers for each call of a
 *		subject that needs a section
 * @ns:		per 4 KiB
 * @faster:	surely: @saving is above 1 in all of ten or more blocks, but for one of twelve
 * @blocks:	in memory of their own, of which the medians make intervals
 * @rounds:	that count
 * @dropped:	rounds in which a chunk was interrupted, again and again
 */
struct walked {
	struct interval	ratio;
	struct interval	saving;
	struct interval	ns;
	bool		faster;
	unsigned int	blocks;
	unsigned int	rounds;
	unsigned int	dropped;
};

/* Stock, stock by page, and rows. */
#define WALK_SUBJECTS	(SIMD_NR_ROUTINES + 2)

/**
 * struct walk_loop - a loop that is to be walked
 * @w:		the loop
 * @reader:	who reads the result right after each call
 * @subjects:	what to call; the first one is stock
 * @nr:		number of subjects
 * @tlb_ns:	result, of walk_tlb_ns()
 * @walked:	result, by subject
 */
struct walk_loop {
	const struct workload	*w;
	enum consumer		reader;
	const struct subject	*subjects[WALK_SUBJECTS];
	unsigned int		nr;
	double			tlb_ns;
	struct walked		walked[WALK_SUBJECTS];
};

/**
 * walk_loops() - run loops with each of their subjects in turn
 * @loops:	the loops
 * @nr:		how many
 * @ns:		time to spend on all of them
 * @progress:	called before each step, and with no name at the end; or NULL
 *
 * A round is a chunk of each subject, and two of stock, in random order. A block is some
 * rounds of each loop. Blocks are in other memory each.
 */
void walk_loops(struct walk_loop *loops, unsigned int nr, u64 ns,
		void (*progress)(unsigned int done, unsigned int all, const char *name));

/* walk_loops() with one loop. */
void walk(const struct workload *w, enum consumer reader,
	  const struct subject *const *subjects, unsigned int nr, u64 ns,
	  struct walked *walked);

/* Stock, called for each page of an extent: what it gains from extents is no row's gain. */
#define WALK_BY_PAGE	"stock by page"

/* Stock, stock by page, and all rows that the CPU can run. Return: how many. */
unsigned int walk_subjects(enum simd_kind kind, const struct subject **subjects);

/* simdbench walk. Return: exit status. */
int walk_main(int argc, char **argv);

/* simdbench walk --selftest: whether walks tell the truth, as KTAP. Return: exit status. */
int walk_selftest(void);

#endif /* WALK_H */
