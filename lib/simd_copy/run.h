/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Running a row: the section, its bound, and what happens when it is refused.
 */
#ifndef _LIB_SIMD_COPY_RUN_H
#define _LIB_SIMD_COPY_RUN_H

#include "debug.h"
#include "guard.h"
#include "simd_copy.h"

/* Return: bytes that were NOT done, which only a fault causes. */
static __always_inline unsigned long simd_call(enum simd_kind kind, union simd_fn fn,
					       void *dst, const void *src,
					       unsigned long len)
{
	switch (kind) {
	case SIMD_KIND_clear:
		fn.clear(dst, len);
		return 0;
	case SIMD_KIND_copy:
		fn.copy(dst, src, len);
		return 0;
	case SIMD_KIND_to_user:
		return fn.to_user((void __user __force *)dst, src, len);
	case SIMD_KIND_copy_mc:
		return fn.copy_mc(dst, src, len);
	case SIMD_NR_KINDS:
		break;
	}
	return len;
}

/*
 * Do with the stock row what a section refused or faulted on. To user space that may
 * sleep, unless page fault handling is off.
 */
static inline unsigned long simd_fallback(enum simd_kind kind, void *dst, const void *src,
					  unsigned long len)
{
	return simd_call(kind, simd_routines[simd_stock_row(kind)].fn, dst, src, len);
}

/**
 * simd_run() - run a routine over an extent, in sections if it needs them
 * @r:		its row
 * @kind:	its kind; a constant, like @guard and @fn, wherever the call of the
 *		routine is to be a direct one
 * @guard:	its guard class
 * @fn:		the routine
 * @dst:	destination, aligned as the row says
 * @src:	source, unless the kind has none
 * @len:	bytes, a multiple of the granules of the row and of stock
 * @all:	result, whether the routine did all that could be done: false if
 *		a section was refused or an access in one faulted
 *
 * Stock does what a section refused or faulted on, outside of it; then sections resume.
 * But a copy that survives a machine check ends with it: nobody may access the source
 * again, which might go well, so that the error would be lost.
 *
 * The end of a section lets preemption and softirqs in. There is no
 * cond_resched(): a caller may hold a lock that this cannot see.
 *
 * Return: bytes that could not be copied, which only a fault causes.
 */
static __always_inline unsigned long simd_run(const struct simd_routine *r,
					      enum simd_kind kind, enum simd_guard guard,
					      union simd_fn fn, void *dst, const void *src,
					      unsigned long len, bool *all)
{
	*all = true;
	if (guard == SIMD_GUARD_NONE)
		return simd_call(kind, fn, dst, src, len);

	while (len) {
		unsigned long n = min_t(unsigned long, len, r->section), left = n;
		bool refused = true;

		simd_section(guard) {
			refused = false;
			simd_debug_enter(r);
			left = simd_call(kind, fn, dst, src, n);
			simd_debug_leave(n - left);
			simd_account(n - left, left);
		}
		dst += n - left;
		src += n - left;
		len -= n - left;
		if (left) {
			unsigned long stuck = left;

			*all = false;
			if (refused || kind != SIMD_KIND_copy_mc)
				stuck = simd_fallback(kind, dst, src, left);
			dst += left - stuck;
			src += left - stuck;
			len -= left - stuck;
			if (stuck)
				return len;
		}
	}
	return 0;
}

/* Return: whether the row did all of it by itself. */
static inline bool simd_run_row(unsigned int row, void *dst, const void *src,
				unsigned long len)
{
	const struct simd_routine *r = &simd_routines[row];
	bool all;

	return !simd_run(r, r->kind, r->guard, r->fn, dst, src, len, &all) && all;
}

#endif /* _LIB_SIMD_COPY_RUN_H */
