// SPDX-License-Identifier: GPL-2.0
/*
 * The public calls, and the routines that they lead to.
 */
#define pr_fmt(fmt) "simd_copy: " fmt

#include <linux/cleanup.h>
#include <linux/fault-inject-usercopy.h>
#include <linux/init.h>
#include <linux/instrumented.h>
#include <linux/kernel.h>
#include <linux/kmsan-checks.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include <asm/processor.h>

#include "core.h"
#include "guard.h"
#include "run.h"

/* The whole of self-check and calibration. */
#define BUDGET_NS	((u64)10 * NSEC_PER_MSEC)

/* Protects all that follows; the public calls only read what is patched in. */
DEFINE_MUTEX(simd_lock);
EXPORT_SYMBOL_GPL(simd_lock);
struct simd_result simd_results[SIMD_NR_ROUTINES];
EXPORT_SYMBOL_GPL(simd_results);
struct simd_choice simd_choices[SIMD_NR_KINDS];
EXPORT_SYMBOL_GPL(simd_choices);
struct simd_machine simd_machine;

/* What calibration chose, to go back to. */
static struct simd_choice calibrated[SIMD_NR_KINDS];

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
#define SIMD_ROUTINE(_kind, _name, _guard, ...) RUNNER_##_kind(_name, _guard)
#include "routines.def"

static const union simd_fn runners[SIMD_NR_ROUTINES] = {
#define SIMD_ROUTINE(_kind, _name, ...) \
	[SIMD_ROW_##_kind##_##_name] = { ._kind = run_##_kind##_##_name },
#include "routines.def"
};

/*
 * A static call for each part of a plan. The first target is right on every CPU,
 * and in use for as long as nothing is known of this one.
 */
#define CALLS(_kind, _regime, _first)						\
	DEFINE_STATIC_CALL(simd_##_kind##_##_regime##_0, _first);		\
	DEFINE_STATIC_CALL(simd_##_kind##_##_regime##_1, _first);		\
	DEFINE_STATIC_CALL(simd_##_kind##_##_regime##_2, _first);		\
	DEFINE_STATIC_CALL(simd_##_kind##_##_regime##_3, _first)

static_assert(SIMD_NR_SIZES == 4);
CALLS(clear, cached, run_clear_rep_stosb);
CALLS(clear, stream, run_clear_rep_stosb);
CALLS(clear, cold, run_clear_rep_stosb);
CALLS(copy, cached, run_copy_rep_movsb);
CALLS(copy, stream, run_copy_rep_movsb);
CALLS(copy, cold, run_copy_rep_movsb);
CALLS(to_user, cached, run_to_user_rep_movsb);
CALLS(to_user, stream, run_to_user_rep_movsb);
CALLS(to_user, cold, run_to_user_rep_movsb);
CALLS(to_user, misaligned, run_to_user_rep_movsb);

/* Some plan is another one where there are no registers to save. */
static DEFINE_STATIC_KEY_FALSE(contexts_differ);

/* Run what the plan says: a direct call, unless it is that other plan's. */
#define RUN_PLAN(_kind, _regime, _index, _len, ...)				\
({										\
	bool other = static_branch_unlikely(&contexts_differ) && !simd_saves_state(); \
	const struct simd_plan *plan = &simd_choices[SIMD_KIND_##_kind]		\
			.plan[other ? SIMD_FREE : SIMD_OWNED][_index];		\
	unsigned int part = simd_plan_part(plan, _len);				\
										\
	other ? runners[READ_ONCE(plan->row[part])]._kind(__VA_ARGS__) :	\
	part == 0 ? static_call(simd_##_kind##_##_regime##_0)(__VA_ARGS__) :	\
	part == 1 ? static_call(simd_##_kind##_##_regime##_1)(__VA_ARGS__) :	\
	part == 2 ? static_call(simd_##_kind##_##_regime##_2)(__VA_ARGS__) :	\
		    static_call(simd_##_kind##_##_regime##_3)(__VA_ARGS__);	\
})

#define PATCH_PLAN(_kind, _regime, _plan)					\
do {										\
	const struct simd_plan *p = &(_plan);					\
										\
	static_call_update(simd_##_kind##_##_regime##_0, runners[p->row[0]]._kind); \
	static_call_update(simd_##_kind##_##_regime##_1, runners[p->row[1]]._kind); \
	static_call_update(simd_##_kind##_##_regime##_2, runners[p->row[2]]._kind); \
	static_call_update(simd_##_kind##_##_regime##_3, runners[p->row[3]]._kind); \
} while (0)

static void patch_calls(enum simd_kind kind)
{
	const struct simd_plan *plan = simd_choices[kind].plan[SIMD_OWNED];
	bool differ = false;
	unsigned int k;

	switch (kind) {
	case SIMD_KIND_clear:
		PATCH_PLAN(clear, cached, plan[SIMD_CACHED]);
		PATCH_PLAN(clear, stream, plan[SIMD_STREAM]);
		PATCH_PLAN(clear, cold, plan[SIMD_COLD]);
		break;
	case SIMD_KIND_copy:
		PATCH_PLAN(copy, cached, plan[SIMD_CACHED]);
		PATCH_PLAN(copy, stream, plan[SIMD_STREAM]);
		PATCH_PLAN(copy, cold, plan[SIMD_COLD]);
		break;
	case SIMD_KIND_to_user:
		PATCH_PLAN(to_user, cached, plan[SIMD_CACHED]);
		PATCH_PLAN(to_user, stream, plan[SIMD_STREAM]);
		PATCH_PLAN(to_user, cold, plan[SIMD_COLD]);
		PATCH_PLAN(to_user, misaligned, plan[SIMD_MISALIGNED]);
		break;
	case SIMD_NR_KINDS:
		return;
	}
	for (k = 0; k < SIMD_NR_KINDS; k++)
		differ |= simd_contexts_differ(&simd_choices[k]);
	if (differ)
		static_branch_enable(&contexts_differ);
	else
		static_branch_disable(&contexts_differ);
	simd_hooks_update(kind);
}

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
	unsigned long threshold = READ_ONCE(simd_choices[kind].threshold);

	/* Nothing has been chosen yet where there is none. */
	return threshold && len >= threshold ? SIMD_STREAM : SIMD_CACHED;
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
	if (regime == SIMD_STREAM)
		RUN_PLAN(clear, stream, SIMD_STREAM, len, addr, len);
	else if (regime == SIMD_COLD)
		RUN_PLAN(clear, cold, SIMD_COLD, len, addr, len);
	else
		RUN_PLAN(clear, cached, SIMD_CACHED, len, addr, len);
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
	if (regime == SIMD_STREAM)
		RUN_PLAN(copy, stream, SIMD_STREAM, len, dst, src, len);
	else if (regime == SIMD_COLD)
		RUN_PLAN(copy, cold, SIMD_COLD, len, dst, src, len);
	else
		RUN_PLAN(copy, cached, SIMD_CACHED, len, dst, src, len);
}
EXPORT_SYMBOL(simd_copy_pages);

/**
 * simd_is_stock() - whether stock is what runs
 * @kind:	the kind
 * @regime:	the regime
 * @sizes:	how many of the sizes of the kind, from the smallest on
 *
 * Context: task, @simd_lock held.
 * Return: true if no other row runs in any context.
 */
bool simd_is_stock(enum simd_kind kind, enum simd_regime regime, unsigned int sizes)
{
	const struct simd_choice *c = &simd_choices[kind];
	unsigned int context, e;

	for (context = 0; context < SIMD_NR_CONTEXTS; context++)
		for (e = 0; e < sizes; e++)
			if (c->plan[context][regime].row[e] != c->stock)
				return false;
	return true;
}

static __always_inline unsigned long run_to_user(void __user *to, const void *from,
						 unsigned long n, enum simd_regime regime)
{
	if (regime == SIMD_AUTO)
		regime = simd_auto_regime(SIMD_KIND_to_user, n);
	if (regime == SIMD_STREAM)
		return RUN_PLAN(to_user, stream, SIMD_STREAM, n, to, from, n);
	if (regime == SIMD_COLD)
		return RUN_PLAN(to_user, cold, SIMD_COLD, n, to, from, n);
	if (((unsigned long)to ^ (unsigned long)from) % sizeof(long))
		return RUN_PLAN(to_user, misaligned, SIMD_MISALIGNED, n, to, from, n);
	return RUN_PLAN(to_user, cached, SIMD_CACHED, n, to, from, n);
}

unsigned long simd_raw_copy_to_user(void __user *to, const void *from, unsigned long n)
{
	return run_to_user(to, from, n, SIMD_AUTO);
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
	if (IS_ENABLED(CONFIG_UML) || n < SIMD_TO_USER_MIN) {
		simd_refuse(SIMD_REFUSED_SHORT);
		return raw_copy_to_user(to, from, n);
	}
	return run_to_user(to, from, n, regime);
}
EXPORT_SYMBOL_GPL(simd_copy_to_user_as);

unsigned long simd_copy_to_user(void __user *to, const void *from, unsigned long n)
{
	return simd_copy_to_user_as(to, from, n, SIMD_AUTO);
}
EXPORT_SYMBOL_GPL(simd_copy_to_user);

/**
 * simd_list_names() - list the rows of a kind that can be chosen by name
 * @kind:	the kind
 * @chosen:	the row to put in brackets, if any
 * @buf:	result
 * @size:	of @buf; %SIMD_NAMES is enough
 */
void simd_list_names(enum simd_kind kind, unsigned int chosen, char *buf, size_t size)
{
	unsigned int row;
	size_t n = 0;

	buf[0] = '\0';
	simd_for_each_row_of(row, kind) {
		if (simd_usable(&simd_results[row]))
			n += scnprintf(buf + n, size - n, row == chosen ? "%s[%s]" : "%s%s",
				       n ? " " : "", simd_routines[row].name);
	}
}

/* Say what is wrong with a name, and which ones there are. */
static void refuse_name(enum simd_kind kind, const char *name, int row)
{
	char names[SIMD_NAMES];

	simd_list_names(kind, SIMD_NR_ROUTINES, names, sizeof(names));
	if (row < 0)
		pr_warn("%s: there is no routine '%s', only: auto %s\n",
			simd_kind_names[kind], name, names);
	else if (simd_results[row].missing)
		pr_warn("%s: '%s' needs %s, which this CPU lacks; there are: auto %s\n",
			simd_kind_names[kind], name, simd_results[row].missing, names);
	else
		pr_warn("%s: '%s' is barred, it failed its self-check; there are: auto %s\n",
			simd_kind_names[kind], name, names);
}

/**
 * simd_force() - use a routine whatever calibration says
 * @kind:	the kind
 * @regimes:	bit mask of enum simd_regime
 * @name:	the routine, or "auto" for what calibration chose
 *
 * Context: task, @simd_lock held.
 * Return: 0, or -EINVAL if there is no such routine on this machine: the log
 * then says which there are, and nothing has changed.
 */
int simd_force(enum simd_kind kind, unsigned int regimes, const char *name)
{
	struct simd_choice *c = &simd_choices[kind];
	bool automatic = !strcmp(name, "auto");
	unsigned int context, regime, e;
	int row = 0;

	if (!automatic) {
		row = simd_find_row(kind, name);
		if (row < 0 || !simd_usable(&simd_results[row])) {
			refuse_name(kind, name, row);
			return -EINVAL;
		}
	}

	for (context = 0; context < SIMD_NR_CONTEXTS; context++) {
		for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
			struct simd_plan *plan = &c->plan[context][regime];

			if (!(regimes & BIT(regime)))
				continue;
			*plan = calibrated[kind].plan[context][regime];
			for (e = 0; !automatic && e < SIMD_NR_SIZES; e++) {
				plan->row[e] = row;
				plan->why[e] = "by name";
				plan->gain[e] = 0;
			}
		}
	}
	simd_set_threshold(simd_results, simd_machine.cache_bytes, c);
	patch_calls(kind);
	return 0;
}
EXPORT_SYMBOL_GPL(simd_force);

static bool calibrate = true;
module_param(calibrate, bool, 0444);
MODULE_PARM_DESC(calibrate, "time the routines and choose the fastest (default: yes); no: use stock");

static char *named[SIMD_NR_KINDS];
module_param_named(clear, named[SIMD_KIND_clear], charp, 0444);
MODULE_PARM_DESC(clear, "name of the routine to clear pages with (default: auto)");
module_param_named(copy, named[SIMD_KIND_copy], charp, 0444);
MODULE_PARM_DESC(copy, "name of the routine to copy pages with (default: auto)");
module_param_named(to_user, named[SIMD_KIND_to_user], charp, 0444);
MODULE_PARM_DESC(to_user, "name of the routine to copy to user space with (default: auto)");

static void announce(u64 ns)
{
	unsigned int tenths = div_u64(ns, NSEC_PER_MSEC / 10);
	unsigned int kind, regime, e;
	char line[512];
	size_t n = 0;

	for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
		const struct simd_choice *c = &simd_choices[kind];

		n += scnprintf(line + n, sizeof(line) - n, "%s%s", kind ? "; " : "",
			       simd_kind_names[kind]);
		for (regime = 0; regime < SIMD_NR_REGIMES; regime++) {
			const unsigned int *row = c->plan[SIMD_OWNED][regime].row;

			if (!simd_has_regime(kind, regime))
				continue;
			n += scnprintf(line + n, sizeof(line) - n, "%s %s",
				       regime ? "," : "", simd_regime_names[regime]);
			for (e = 0; e < SIMD_NR_SIZES; e++)
				if (!e || row[e] != row[e - 1])
					n += scnprintf(line + n, sizeof(line) - n, "%c%s",
						       e ? '/' : ' ', simd_routines[row[e]].name);
		}
	}
	pr_info("%s; checked and timed in %u.%u ms\n", line, tenths / 10, tenths % 10);
}

/* Choose from what is known so far, and use it. */
static void adopt(void)
{
	unsigned int kind;

	for (kind = 0; kind < SIMD_NR_KINDS; kind++) {
		simd_select(kind, simd_results, &simd_machine, &calibrated[kind]);
		simd_choices[kind] = calibrated[kind];
		patch_calls(kind);
	}
}

/* Check, time and choose. The caller's registers are saved once, if at all. */
static void choose_routines(struct work_struct *work)
{
	struct simd_user_window window;
	bool opened;
	u64 start = ktime_get_ns(), spent;
	unsigned int kind;

	guard(mutex)(&simd_lock);

	simd_self_check(simd_results);
	spent = ktime_get_ns() - start;
	opened = calibrate && simd_window_open(&window);
	if (calibrate && simd_calibrate(simd_results, BUDGET_NS - min(spent, BUDGET_NS),
					opened ? &window : NULL, &simd_machine))
		pr_warn("no memory to calibrate with: using stock\n");
	if (opened)
		simd_window_close(&window);

	adopt();
	/* A bad name is logged, and leaves the calibrated choice. */
	for (kind = 0; kind < SIMD_NR_KINDS; kind++)
		if (named[kind])
			simd_force(kind, BIT(SIMD_NR_REGIMES) - 1, named[kind]);
	announce(ktime_get_ns() - start);
}

static DECLARE_WORK(choose_work, choose_routines);

/**
 * simd_settle() - wait until the routines of a kernel that boots are chosen
 *
 * Context: task, may sleep.
 */
void simd_settle(void)
{
	flush_work(&choose_work);
}
EXPORT_SYMBOL_GPL(simd_settle);

static int __init simd_copy_init(void)
{
	unsigned int row;

	simd_debug_init();
	static_branch_enable(&simd_booted);

	/* Stock, before anyone can ask for a row that has not been checked. */
	scoped_guard(mutex, &simd_lock) {
		simd_detect(simd_results);
		simd_machine.cache_bytes = simd_cache_bytes();
		simd_for_each_row(row)
			simd_results[row].barred = !simd_routines[row].stock.name;
		adopt();
	}

	/*
	 * Whoever loads a module expects it to be ready, and has user memory to
	 * calibrate with. A boot does not wait, and has none yet.
	 */
	if (IS_MODULE(CONFIG_SIMD_COPY))
		choose_routines(NULL);
	else
		queue_work(system_unbound_wq, &choose_work);

	if (simd_sysfs_init())
		pr_warn("no files in /sys/kernel/simd_copy: the choice can not be changed\n");
	return 0;
}
late_initcall(simd_copy_init);

static void __exit simd_copy_exit(void)
{
	simd_sysfs_exit();
	simd_debug_exit();
}
module_exit(simd_copy_exit);

MODULE_DESCRIPTION("Clear and copy pages with the fastest routine of the machine");
MODULE_AUTHOR("The simd_copy developers");
MODULE_LICENSE("GPL");
