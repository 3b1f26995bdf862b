/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the KUnit suites of simd_copy share: buffers that end where nothing is
 * mapped, and a checker that each routine is run through, wrong ones included.
 */
#ifndef _SIMD_COPY_TESTS_CHECK_H
#define _SIMD_COPY_TESTS_CHECK_H

#include <kunit/test.h>
#include <linux/string.h>

#include "choice.h"
#include "run.h"

/* Pages that each row is run over: see check_pages(). */
unsigned int check_pages(void);

static inline unsigned long check_bytes(void)
{
	return check_pages() * PAGE_SIZE;
}

/* Bytes around the destination that have to stay as they are. */
#define CHECK_RED	64

/**
 * struct check - buffers of check_bytes() with an unmapped page on each side
 * @dst:	what a routine writes to
 * @src:	what it reads
 */
struct check {
	u8	*dst;
	u8	*src;
};

/* As .init and .exit of a suite: the buffers are in test->priv. */
int check_init(struct kunit *test);
void check_exit(struct kunit *test);

/*
 * As .suite_init: built in, the library chooses its routines while the first tests run.
 * As .suite_exit of those who choose others: what is in use is what was in use before.
 */
int check_settled(struct kunit_suite *suite);
void check_restore(struct kunit_suite *suite);

/* Choose by name, in the regimes of a mask; stock in all; and a plan that no name gives. */
int check_choose(enum simd_kind kind, unsigned int regimes, const char *name);
int check_choose_stock(enum simd_kind kind);
void check_adopt(const struct simd_plan *plan);

/* What a source has at an offset. No two bytes near each other are alike. */
static inline u8 check_pattern(unsigned long i)
{
	return i * 37 + (i >> 8) * 11;
}

const char *check_call(const struct check *c, const struct simd_routine *r,
		       unsigned long dst_off, unsigned long src_off, unsigned long len);
void check_fill(const struct check *c, enum simd_kind kind, unsigned long dst_off,
		unsigned long src_off, unsigned long len);
const char *check_result(const struct check *c, enum simd_kind kind, unsigned long dst_off,
			 unsigned long src_off, unsigned long len);

/* Wrong on purpose, for the self-check to bar, and for this checker to see. */
static inline bool check_planted(const struct simd_routine *r)
{
	return IS_ENABLED(CONFIG_SIMD_COPY_PLANT) && !strcmp(r->name, "planted");
}

void check_supported(struct kunit *test, const struct simd_routine *r);
void check_row_desc(const struct simd_routine *r, char *desc);
void check_case_desc(const struct simd_case *k, char *desc);
void check_kind_desc(const char *const *kind, char *desc);

#endif /* _SIMD_COPY_TESTS_CHECK_H */
