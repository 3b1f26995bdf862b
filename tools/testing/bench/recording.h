/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples of a machine, kept to try choices on it where it is not at hand.
 */
#ifndef RECORDING_H
#define RECORDING_H

#include "simd_copy.h"

/* Rounds of each case and state. A round has a sample of each row, in random order. */
#define RECORDED_ROUNDS	183

/**
 * struct recording - of one machine
 * @about:	the machine, in words
 * @cache_bytes:	of the last-level cache
 * @flushed:	samples are of flushed lines, as older recordings have them
 * @results:	rows that the machine has not, or runs by name only
 * @recorded:	by row, whether the recording has it
 * @vetoed:	by row, whether the machine runs it by name only
 * @lacks:	by case, whether the recording says that it is not in it
 * @nr_lacked:	how many are not
 * @rounds:	by case and state, how many rounds there are
 * @ns:		by case, state, round and row: sixteenths of a nanosecond per call, 0
 *		if there is no such sample
 */
struct recording {
	char			about[256];
	unsigned long		cache_bytes;
	bool			flushed;
	struct simd_result	results[SIMD_NR_ROUTINES];
	bool			recorded[SIMD_NR_ROUTINES];
	bool			vetoed[SIMD_NR_ROUTINES];
	bool			lacks[SIMD_NR_CASES];
	unsigned int		nr_lacked;
	unsigned int		rounds[SIMD_NR_CASES][SIMD_NR_STATES];
	u32			ns[SIMD_NR_CASES][SIMD_NR_STATES]
				  [RECORDED_ROUNDS][SIMD_NR_ROUTINES];
};

/* Measure this machine, and write it to a file. Return: exit status. */
int record(const char *path);

/* Return: a recording, to be freed; or NULL, and stderr says what is wrong. */
struct recording *read_recording(const char *path);

/**
 * struct replay - a sampler that reads a recording
 * @sampler:	for those who decide
 * @recording:	what it reads
 * @round:	by case and state, where it is
 * @taken:	by row, whether its sample of this round has been taken
 * @left:	CPU time that a kernel would have left, ns
 *
 * There are no more samples when those that were taken have used the kernel's budget up. It
 * goes to the next round when a sample is asked for that was taken already, so that
 * what a round has in common stays together, and jumps elsewhere now and then.
 */
struct replay {
	struct simd_sampler	sampler;
	const struct recording	*recording;
	unsigned int		round[SIMD_NR_CASES][SIMD_NR_STATES];
	bool			taken[SIMD_NR_ROUTINES];
	s64			left;
};

/* From a random place on. */
void start_replay(struct replay *replay, const struct recording *recording);

#endif /* RECORDING_H */
