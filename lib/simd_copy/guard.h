/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The guard: sections, and what it counts.
 */
#ifndef _LIB_SIMD_COPY_GUARD_H
#define _LIB_SIMD_COPY_GUARD_H

#include "simd_copy.h"

/**
 * enum simd_refusal - why a section was refused
 * @SIMD_REFUSED_NESTED:	the task has one open on this CPU already
 * @SIMD_REFUSED_FPREGS:	the task has softirqs off, or preemption on PREEMPT_RT: it
 *				may be inside fpregs_lock()
 * @SIMD_REFUSED_SOFTIRQ:	the softirq interrupted one
 * @SIMD_REFUSED_HARDIRQ:	the hardirq interrupted one
 * @SIMD_REFUSED_RT:		the hardirq may have interrupted one: PREEMPT_RT
 *				does not tell
 * @SIMD_REFUSED_NMI:		NMI
 * @SIMD_REFUSED_EARLY:		the boot CPU is not set up yet
 * @SIMD_NR_REFUSALS:		number of reasons
 */
enum simd_refusal {
	SIMD_REFUSED_NESTED,
	SIMD_REFUSED_FPREGS,
	SIMD_REFUSED_SOFTIRQ,
	SIMD_REFUSED_HARDIRQ,
	SIMD_REFUSED_RT,
	SIMD_REFUSED_NMI,
	SIMD_REFUSED_EARLY,
	SIMD_NR_REFUSALS
};

/**
 * struct simd_stats - counters of one CPU
 * @sections:	sections opened
 * @bytes:	bytes moved in them
 * @saves:	sections that had to save the owner's registers first
 * @invalidations: sections of a kernel thread: it has nothing to save, but the
 *		last owner's registers, had they still been on the CPU, have to be
 *		loaded again
 * @faults:	sections that a fault of a copy ended, or a machine check
 * @small:	calls of simd_copy_to_user() with less than %SIMD_TO_USER_MIN bytes, which
 *		are stock's
 * @refused:	sections refused, by reason
 */
struct simd_stats {
	unsigned long	sections;
	unsigned long	bytes;
	unsigned long	saves;
	unsigned long	invalidations;
	unsigned long	faults;
	unsigned long	small;
	unsigned long	refused[SIMD_NR_REFUSALS];
};

bool simd_guard_begin(enum simd_guard guard);
void simd_guard_end(enum simd_guard guard);

/**
 * struct simd_section - a section that may be open
 * @guard:	its class
 * @open:	it has to be closed
 */
struct simd_section {
	enum simd_guard	guard;
	bool		open;
};

static inline void simd_section_close(struct simd_section *s)
{
	if (s->open)
		simd_guard_end(s->guard);
	s->open = false;
}

/*
 * simd_section(guard) { ... }: the block runs inside a section, or not at all
 * if the section is refused. Whichever way the block is left, the section is
 * closed: nothing else in the library calls simd_guard_begin().
 */
#define simd_section(_guard)						\
	for (struct simd_section __section __cleanup(simd_section_close) = \
		{ (_guard), simd_guard_begin(_guard) };			\
	     __section.open; simd_section_close(&__section))

/*
 * Traps of copies that were no page faults, nor machine checks where those are
 * survived. Their fixup would hide them as a short copy.
 */
extern int simd_odd_traps;

extern const char *const simd_refusal_names[SIMD_NR_REFUSALS];

struct seq_file;
void simd_guard_init(void);
void simd_account(unsigned long bytes, bool faulted);
void simd_account_small(void);
void simd_stats_total(struct simd_stats *total);
void simd_stats_show(struct seq_file *m);
void simd_stats_reset(void);

#endif /* _LIB_SIMD_COPY_GUARD_H */
