// SPDX-License-Identifier: GPL-2.0
/*
 * The public calls, and the routines that they lead to. Nothing here knows why.
 */
#include <linux/fault-inject-usercopy.h>
#include <linux/instrumented.h>
#include <linux/kernel.h>
#include <linux/kmsan-checks.h>
#include <linux/mm.h>
#include <linux/static_call.h>
#include <linux/uaccess.h>

#include "dispatch.h"
#include "run.h"

/*
 * One runner per row: the routine, and the section that belongs to it. A static
 * call leads here and not to the routine itself, so that a change of routine can
 * never meet the guard class of another.
 */
#define RUN(_kind, _name, _guard, _dst, _src, _len)				\
({										\
	bool all;								\
										\
	simd_run(&simd_routines[SIMD_ROW_##_kind##_##_name],			\
		 SIMD_KIND_##_kind, SIMD_GUARD_##_guard,			\
		 (union simd_fn){ ._kind = simd_##_kind##_##_name },		\
		 _dst, _src, _len, &all);					\
})
#define RUNNER_clear(_name, _guard)						\
	static void run_clear_##_name(void *dst, unsigned long len)		\
	{									\
		RUN(clear, _name, _guard, dst, NULL, len);			\
	}
#define RUNNER_copy(_name, _guard)						\
	static void run_copy_##_name(void *dst, const void *src,		\
				     unsigned long len)				\
	{									\
		RUN(copy, _name, _guard, dst, src, len);			\
	}
#define RUNNER_to_user(_name, _guard)						\
	static unsigned long run_to_user_##_name(void __user *dst,		\
						 const void *src,		\
						 unsigned long len)		\
	{									\
		return RUN(to_user, _name, _guard, (void __force *)dst, src, len); \
	}
#define RUNNER_copy_mc(_name, _guard)						\
	static unsigned long run_copy_mc_##_name(void *dst, const void *src,	\
						 unsigned long len)		\
	{									\
		return RUN(copy_mc, _name, _guard, dst, src, len);		\
	}
#define SIMD_ROUTINE(_kind, _name, _guard, ...) RUNNER_##_kind(_name, _guard)
#include "routines.def"

static const union simd_fn runners[SIMD_NR_ROUTINES] = {
#define SIMD_ROUTINE(_kind, _name, ...) \
	[SIMD_ROW_##_kind##_##_name] = { ._kind = run_##_kind##_##_name },
#include "routines.def"
};

/*
 * A static call per case. The first target is right on every CPU, and in use for as long
 * as nothing is known of this one.
 */
#define FIRST_clear	run_clear_rep_stosb
#define FIRST_copy	run_copy_rep_movsb
#define FIRST_to_user	run_to_user_rep_movsb
#define FIRST_copy_mc	run_copy_mc_careful
#define SIMD_CASE(_kind, _name, ...) \
	DEFINE_STATIC_CALL(simd_##_kind##_##_name, FIRST_##_kind);
#include "cases.def"

static unsigned long thresholds[SIMD_NR_KINDS] = {
	[0 ... SIMD_NR_KINDS - 1] = ULONG_MAX,
};

/**
 * simd_use() - change the rows in use
 * @plan:	a row for each case that is supported, and was checked
 *
 * Calls that are under way end with the row that they began with.
 *
 * Context: task, may sleep; one at a time.
 */
void simd_use(const struct simd_plan *plan)
{
	unsigned int kind;

#define SIMD_CASE(_kind, _name, ...)						\
	static_call_update(simd_##_kind##_##_name,				\
			   runners[plan->row[SIMD_CASE_##_kind##_##_name]]._kind);
#include "cases.def"
	for (kind = 0; kind < SIMD_NR_KINDS; kind++)
		WRITE_ONCE(thresholds[kind], plan->threshold[kind]);
}
SIMD_EXPORT_FOR_TESTS(simd_use);

/**
 * simd_auto_regime() - what %SIMD_AUTO means for an extent
 * @kind:	the kind
 * @len:	bytes of the whole extent, to go through it in parts
 *
 * Context: any.
 * Return: the regime of each part.
 */
enum simd_regime simd_auto_regime(enum simd_kind kind, unsigned long len)
{
	return len >= READ_ONCE(thresholds[kind]) ? SIMD_STREAM : SIMD_CACHED;
}
SIMD_EXPORT_FOR_TESTS(simd_auto_regime);

/*
 * The call of the case that a regime and a size belong to. The cases of a regime come
 * with the larger ones first, and the last one takes what is left.
 */
#define IF_CASE(_kind, _name, _regime, _from, ...)				\
	if (regime == SIMD_##_regime && len >= (_from))				\
		return static_call(simd_##_kind##_##_name)(__VA_ARGS__);

static __always_inline void lead_clear(enum simd_regime regime, void *dst, unsigned long len)
{
#define CASE_clear(_name, _regime, _from, ...)					\
	IF_CASE(clear, _name, _regime, _from, dst, len)
#define CASE_copy(...)
#define CASE_to_user(...)
#define CASE_copy_mc(...)
#define SIMD_CASE(_kind, ...) CASE_##_kind(__VA_ARGS__)
#include "cases.def"
#undef CASE_clear
#undef CASE_copy
#undef CASE_to_user
#undef CASE_copy_mc
}

static __always_inline void lead_copy(enum simd_regime regime, void *dst, const void *src,
				      unsigned long len)
{
#define CASE_clear(...)
#define CASE_copy(_name, _regime, _from, ...)					\
	IF_CASE(copy, _name, _regime, _from, dst, src, len)
#define CASE_to_user(...)
#define CASE_copy_mc(...)
#define SIMD_CASE(_kind, ...) CASE_##_kind(__VA_ARGS__)
#include "cases.def"
#undef CASE_clear
#undef CASE_copy
#undef CASE_to_user
#undef CASE_copy_mc
}

static __always_inline unsigned long lead_to_user(enum simd_regime regime, void __user *dst,
						  const void *src, unsigned long len)
{
#define CASE_clear(...)
#define CASE_copy(...)
#define CASE_to_user(_name, _regime, _from, ...)				\
	IF_CASE(to_user, _name, _regime, _from, dst, src, len)
#define CASE_copy_mc(...)
#define SIMD_CASE(_kind, ...) CASE_##_kind(__VA_ARGS__)
#include "cases.def"
#undef CASE_clear
#undef CASE_copy
#undef CASE_to_user
#undef CASE_copy_mc
	return len;
}

static __always_inline unsigned long lead_copy_mc(enum simd_regime regime, void *dst,
						  const void *src, unsigned long len)
{
#define CASE_clear(...)
#define CASE_copy(...)
#define CASE_to_user(...)
#define CASE_copy_mc(_name, _regime, _from, ...)				\
	IF_CASE(copy_mc, _name, _regime, _from, dst, src, len)
#define SIMD_CASE(_kind, ...) CASE_##_kind(__VA_ARGS__)
#include "cases.def"
	return len;
}

void simd_clear_pages(void *addr, unsigned int npages, enum simd_regime regime)
{
	unsigned long len = (unsigned long)npages << PAGE_SHIFT;

	if (!len)
		return;
	VM_WARN_ON_ONCE(!PAGE_ALIGNED(addr));
	kmsan_unpoison_memory(addr, len);
	if (regime == SIMD_AUTO)
		regime = simd_auto_regime(SIMD_KIND_clear, len);
	lead_clear(regime == SIMD_STREAM ? SIMD_STREAM : SIMD_CACHED, addr, len);
}
EXPORT_SYMBOL(simd_clear_pages);

void simd_copy_pages(void *dst, const void *src, unsigned int npages,
		     enum simd_regime regime)
{
	unsigned long len = (unsigned long)npages << PAGE_SHIFT;

	if (!len)
		return;
	VM_WARN_ON_ONCE(!PAGE_ALIGNED(dst) || !PAGE_ALIGNED(src));
	/* KMSAN does not see the stores, and takes the page for initialized. */
	kmsan_unpoison_memory(dst, len);
	if (regime == SIMD_AUTO)
		regime = simd_auto_regime(SIMD_KIND_copy, len);
	lead_copy(regime == SIMD_STREAM ? SIMD_STREAM : SIMD_CACHED, dst, src, len);
}
EXPORT_SYMBOL(simd_copy_pages);

unsigned long simd_copy_mc(void *dst, const void *src, unsigned long len)
{
	unsigned long left;

	instrument_memcpy_before(dst, src, len);
	/* Less than a page is nobody's copy on write, and not worth a section. */
	if (len < PAGE_SIZE)
		left = simd_fallback(SIMD_KIND_copy_mc, dst, src, len);
	else
		left = lead_copy_mc(SIMD_CACHED, dst, src, len);
	instrument_memcpy_after(dst, src, len, left);
	return left;
}
EXPORT_SYMBOL_GPL(simd_copy_mc);

static __always_inline unsigned long copy_to_user_as(void __user *to, const void *from,
						     unsigned long n, enum simd_regime regime)
{
	if (regime == SIMD_AUTO)
		regime = simd_auto_regime(SIMD_KIND_to_user, n);
	if (regime == SIMD_STREAM)
		return lead_to_user(SIMD_STREAM, to, from, n);
	if (((unsigned long)to ^ (unsigned long)from) % sizeof(long))
		return lead_to_user(SIMD_MISALIGNED, to, from, n);
	return lead_to_user(SIMD_CACHED, to, from, n);
}

unsigned long simd_raw_copy_to_user(void __user *to, const void *from, unsigned long n)
{
	return copy_to_user_as(to, from, n, SIMD_AUTO);
}
EXPORT_SYMBOL(simd_raw_copy_to_user);

unsigned long simd_copy_to_user_as(void __user *to, const void *from, unsigned long n,
				   enum simd_regime regime)
{
	might_fault();
	if (should_fail_usercopy() || !access_ok(to, n))
		return n;
	check_object_size(from, n, true);
	instrument_copy_to_user(to, from, n);

	/* A UML kernel has no user memory mapped: no routine can store there. */
	if (IS_ENABLED(CONFIG_UML))
		return raw_copy_to_user(to, from, n);
	if (n < SIMD_TO_USER_MIN) {
		simd_account_small();
		return raw_copy_to_user(to, from, n);
	}
	return copy_to_user_as(to, from, n, regime);
}
EXPORT_SYMBOL_GPL(simd_copy_to_user_as);

unsigned long simd_copy_to_user(void __user *to, const void *from, unsigned long n)
{
	return simd_copy_to_user_as(to, from, n, SIMD_AUTO);
}
EXPORT_SYMBOL_GPL(simd_copy_to_user);
