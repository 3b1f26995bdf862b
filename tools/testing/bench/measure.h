/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long one call of a routine takes from a known state of the caches.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include "simd_copy.h"

/**
 * enum place - where the lines of a buffer are when the call starts
 * @PLACE_L1:		in the first-level cache
 * @PLACE_L2:		in the second-level cache, but not in the first
 * @PLACE_FLUSHED:		flushed from all caches
 * @PLACE_FRESH1:	just written, front last, with stores of one byte: those at
 *			the front are still on their way, and a wider load of them
 *			meets a blocked store-to-load forward. Sources only.
 * @PLACE_FRESH2:	likewise, 2 bytes each
 * @PLACE_FRESH4:	likewise, 4 bytes each
 * @PLACE_FRESH8:	likewise, 8 bytes each
 * @NR_PLACES:		number of places
 */
enum place {
	PLACE_L1,
	PLACE_L2,
	PLACE_FLUSHED,
	PLACE_FRESH1,
	PLACE_FRESH2,
	PLACE_FRESH4,
	PLACE_FRESH8,
	NR_PLACES
};

/**
 * enum consumer - who reads the result before the clock stops
 * @CONSUMER_NONE:	nobody: the time to return
 * @CONSUMER_FIRST:	its first line is read
 * @CONSUMER_ALL:	all of its lines are read: the time to use
 * @NR_CONSUMERS:	number of consumers
 */
enum consumer {
	CONSUMER_NONE,
	CONSUMER_FIRST,
	CONSUMER_ALL,
	NR_CONSUMERS
};

/* One call may have been interrupted, and of two there is no telling which. */
#define LEAST_CALLS	3

extern const char *const place_names[NR_PLACES];
extern const char *const consumer_names[NR_CONSUMERS];

/**
 * struct cell - what a call is measured with
 * @size:	bytes
 * @dst_off:	destination, bytes past the start of a page
 * @src_off:	source, likewise
 * @dst:	where the destination is
 * @src:	where the source is; means nothing to a clear
 * @consumer:	who reads the result
 * @cold_code:	the lines of the routine itself are flushed
 * @huge:	buffers are in pages of 2 MiB, not of 4 KiB
 * @threads:	CPUs that run the routine at once, each with buffers of its own;
 *		the first one's time counts. 0 is as good as 1
 */
struct cell {
	unsigned long	size;
	unsigned int	dst_off;
	unsigned int	src_off;
	enum place	dst;
	enum place	src;
	enum consumer	consumer;
	bool		cold_code;
	bool		huge;
	unsigned int	threads;
};

/**
 * struct subject - something to measure
 * @name:	its name, unique within the kind
 * @kind:	what it does
 * @row:	its row of the table, NULL for a reference
 * @missing:	why this CPU cannot run it, NULL if it can
 * @stock:	it is what the kernel does by itself
 * @code:	the lines to flush for a cell with @cold_code start here
 * @run:	do it. subject_run() calls the row as it is, without a section
 * @fn:		what subject_run() calls
 */
struct subject {
	const char			*name;
	enum simd_kind			kind;
	const struct simd_routine	*row;
	const char			*missing;
	bool				stock;
	const void			*code;
	void				(*run)(const struct subject *s, void *dst,
					       const void *src, unsigned long len);
	union simd_fn			fn;
};

/**
 * struct effort - how long to measure a cell
 * @loops:	rounds, each of which calls every subject once; 0 for as many as
 *		fit in @ns, but no fewer than a median needs
 * @ns:		time for all rounds of all subjects, states included
 */
struct effort {
	unsigned int	loops;
	u64		ns;
};

/**
 * struct figures - what came of it, for one subject
 * @min:	the shortest call, ns. The cost of reading the clock is taken off
 * @median:	half of the calls took longer, ns. This is what is compared. Of samples
 *		that the clock hardly sees it is the mean of all but a twentieth at either end
 * @middle:	mean of the middle half, ns: finer than small steps of the clock, and hardly
 *		moved by what interrupts less than a quarter of the calls
 * @spread:	the middle half of the calls lies this far apart, ns
 * @calls:	calls that count; if 0, there were fewer than %LEAST_CALLS, and the others
 *		mean nothing
 * @dropped:	calls that were interrupted, or that took several times the median
 */
struct figures {
	double		min;
	double		median;
	double		middle;
	double		spread;
	unsigned int	calls;
	unsigned int	dropped;
};

/* subject.c */
/**
 * subjects_init() - all rows of the table, then the references
 * @subjects:	result, static
 *
 * Rows come first, in the order of the table: subject i is row i.
 *
 * Return: number of subjects.
 */
unsigned int subjects_init(const struct subject **subjects);
void subject_run(const struct subject *s, void *dst, const void *src, unsigned long len);

/**
 * subject_unfit() - whether a subject may be called for a cell
 * @s:		any subject
 * @cell:	any cell
 *
 * Return: NULL, or the reason why not, valid until the next call.
 */
const char *subject_unfit(const struct subject *s, const struct cell *cell);

/* measure.c */
/**
 * measure_init() - choose a CPU and stay there, set the clock
 * @cpu:	the CPU, -1 for the last one that is allowed
 *
 * Must come first. Says on stderr what is wrong, if anything is.
 *
 * Return: 0, or -1.
 */
int measure_init(int cpu);

/**
 * cell_impossible() - whether there is such a state on this machine
 * @cell:	any cell
 * @kind:	what the subjects do
 *
 * Return: NULL, or the reason why not, valid until the next call.
 */
const char *cell_impossible(const struct cell *cell, enum simd_kind kind);

/**
 * measure() - time subjects side by side
 * @cell:	from which state, possible for the kind of the subjects
 * @subjects:	what to time; all of one kind, all fit for @cell and not @missing
 * @nr:		number of subjects
 * @effort:	how long
 * @figures:	result, one per subject
 *
 * A round calls each subject once, in an order of its own; the state is made
 * anew for every call.
 *
 * Return: 0, or -1 without memory.
 */
int measure(const struct cell *cell, const struct subject *const *subjects, unsigned int nr,
	    const struct effort *effort, struct figures *figures);

void sort_ticks(u64 *ticks, unsigned int nr);

/**
 * trimmed_mean() - the mean without the extreme ones: finer than the steps of the clock
 * @ticks:	sorted
 * @nr:		how many
 * @part:	one of so many is left out at either end, 3 or more
 *
 * Return: ticks.
 */
double trimmed_mean(const u64 *ticks, unsigned int nr, unsigned int part);

#endif /* MEASURE_H */
