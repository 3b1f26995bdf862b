// SPDX-License-Identifier: GPL-2.0
/*
 * Which rows are used: chosen by measuring, or by name.
 */
#define pr_fmt(fmt) "simd_copy: " fmt

#include <linux/cleanup.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/moduleparam.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "choice.h"
#include "dispatch.h"
#include "hooks.h"

/* Whoever else wants the CPU gets most of it meanwhile. */
#define NICE		10

/* Protects what was chosen: see choice.h. */
DEFINE_MUTEX(simd_lock);
SIMD_EXPORT_FOR_TESTS(simd_lock);
struct simd_result simd_results[SIMD_NR_ROUTINES];
SIMD_EXPORT_FOR_TESTS(simd_results);
struct simd_plan simd_plan;
SIMD_EXPORT_FOR_TESTS(simd_plan);
struct simd_evidence simd_evidence[SIMD_NR_CASES];
struct simd_machine simd_machine;

static DECLARE_COMPLETION(settled);

/**
 * simd_adopt() - use other rows from now on
 * @plan:	for each case; its thresholds follow from them
 *
 * Context: task, may sleep; @simd_lock held.
 */
void simd_adopt(const struct simd_plan *plan)
{
	simd_plan = *plan;
	simd_set_thresholds(&simd_plan, simd_machine.cache_bytes);
	simd_use(&simd_plan);
	simd_hooks_update(&simd_plan);
}
SIMD_EXPORT_FOR_TESTS(simd_adopt);

/* --- By name ------------------------------------------------------------- */

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
		pr_warn("%s: '%s' is barred: %s; there are: auto %s\n",
			simd_kind_names[kind], name, simd_results[row].barred, names);
}

/**
 * simd_force() - use a routine whatever was measured
 * @kind:	the kind
 * @regimes:	bit mask of enum simd_regime: the cases that it is used for
 * @name:	the routine, or "auto" for what was chosen by measuring
 *
 * Context: task, may sleep; @simd_lock held.
 * Return: 0, or -EINVAL if there is no such routine on this machine: the log
 * then says which there are, and nothing has changed.
 */
int simd_force(enum simd_kind kind, unsigned int regimes, const char *name)
{
	struct simd_plan plan = simd_plan;
	bool automatic = !strcmp(name, "auto");
	int row = automatic ? 0 : simd_find_row(kind, name);
	unsigned int c;

	if (row < 0 || (!automatic && !simd_usable(&simd_results[row]))) {
		refuse_name(kind, name, row);
		return -EINVAL;
	}
	simd_for_each_case_of(c, kind)
		if (regimes & BIT(simd_cases[c].regime))
			plan.row[c] = automatic ? simd_evidence[c].row : row;
	simd_adopt(&plan);
	return 0;
}
SIMD_EXPORT_FOR_TESTS(simd_force);

/* --- By measuring -------------------------------------------------------- */

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
module_param_named(copy_mc, named[SIMD_KIND_copy_mc], charp, 0444);
MODULE_PARM_DESC(copy_mc, "name of the routine to copy pages with that may have a memory error (default: auto)");

/* Use stock in all cases, for that reason. */
static void choose_stock(const char *why)
{
	struct simd_plan plan;
	unsigned int c;

	simd_for_each_case(c) {
		simd_evidence[c].row = simd_stock_row(simd_cases[c].kind);
		simd_evidence[c].why = why;
		plan.row[c] = simd_evidence[c].row;
	}
	simd_adopt(&plan);
}

static void choose_by_measuring(u64 budget)
{
	struct simd_plan plan;
	struct simd_bench *b;
	unsigned int c;

	/* What holds for one CPU holds for the others: see below for where it does not. */
	migrate_disable();
	b = simd_bench_open(budget, simd_machine.cache_bytes);
	if (!b) {
		migrate_enable();
		pr_warn("no memory to measure with: using stock\n");
		choose_stock("stock: no memory to measure with");
		return;
	}
	simd_decide_all(simd_results, simd_bench_sampler(b), simd_evidence);
	simd_for_each_case(c)
		plan.row[c] = simd_evidence[c].row;
	migrate_enable();
	simd_machine.save_ns = simd_bench_save_ns(b);
	simd_bench_close(b);
	simd_adopt(&plan);
}

static void announce(u64 ns)
{
	unsigned int tenths = div_u64(ns, NSEC_PER_MSEC / 10), c, others = 0;
	char line[512] = "";
	size_t n = 0;

	simd_for_each_case(c) {
		const struct simd_case *k = &simd_cases[c];

		if (simd_plan.row[c] == simd_stock_row(k->kind))
			continue;
		n += scnprintf(line + n, sizeof(line) - n, "%s%s/%s %s", others++ ? ", " : "",
			       simd_kind_names[k->kind], k->name,
			       simd_routines[simd_plan.row[c]].name);
	}
	pr_info("%s%sstock in %u of %u cases; checked%s in %u.%u ms of CPU time\n",
		line, others ? "; " : "", SIMD_NR_CASES - others, SIMD_NR_CASES,
		calibrate ? " and timed" : "", tenths / 10, tenths % 10);
}

static int choose(void *unused)
{
	u64 start, spent;
	unsigned int kind;

	set_user_nice(current, NICE);
	start = simd_cpu_time();
	mutex_lock(&simd_lock);
	if (simd_self_check(simd_results)) {
		pr_warn("no memory to check the routines with: using stock\n");
		choose_stock("stock: no memory to check the routines with");
	} else if (!calibrate) {
		choose_stock("stock: simd_copy.calibrate=0");
	} else if (simd_cpus_differ()) {
		/* What wins on one of its CPUs may lose on another, where tasks run, too. */
		choose_stock("stock: the CPUs of this machine differ");
	} else {
		spent = simd_cpu_time() - start;
		choose_by_measuring(SIMD_BUDGET_NS - min(spent, SIMD_BUDGET_NS));
	}
	/* A bad name is logged, and leaves what was chosen. */
	for (kind = 0; kind < SIMD_NR_KINDS; kind++)
		if (named[kind])
			simd_force(kind, SIMD_ALL_REGIMES, named[kind]);
	announce(simd_cpu_time() - start);
	mutex_unlock(&simd_lock);
	/* The module may be gone as soon as this is complete. */
	kthread_complete_and_exit(&settled, 0);
}

/**
 * simd_settle() - wait until the routines of a kernel that boots are chosen
 *
 * Context: task, may sleep.
 */
void simd_settle(void)
{
	wait_for_completion(&settled);
	/* Others may wait as well, now or later. */
	complete(&settled);
}
SIMD_EXPORT_FOR_TESTS(simd_settle);

/**
 * simd_choice_init() - use stock, and choose something better if there is
 *
 * A thread of its own chooses. Whoever loads a module expects it to be ready, and waits
 * for that; a boot goes on.
 *
 * Return: 0, or an error if there can be no such thread.
 */
int simd_choice_init(void)
{
	struct task_struct *thread;
	unsigned int row;

	/* Stock, before anyone can ask for a row that has not been checked. */
	scoped_guard(mutex, &simd_lock) {
		simd_detect(simd_results);
		simd_machine.cache_bytes = simd_cache_bytes();
		simd_for_each_row(row)
			if (!simd_routines[row].stock.name)
				simd_results[row].barred = "not checked yet";
		choose_stock("stock: nothing has been chosen yet");
	}

	thread = kthread_run(choose, NULL, "simd_copy");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	if (IS_MODULE(CONFIG_SIMD_COPY))
		simd_settle();
	return 0;
}
