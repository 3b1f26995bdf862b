// SPDX-License-Identifier: GPL-2.0
/*
 * The hooks of the kernel's own page and user copies, of which asm/simd_hooks.h
 * has the inline halves.
 */
#include <linux/export.h>
#include <linux/jump_label.h>
#include <linux/kmsan.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <asm/simd_hooks.h>

#include "dispatch.h"
#include "hooks.h"

/*
 * Stock calls test these inline, whoever makes them: clear_page() of x86-32 is a memset()
 * that any module may have.
 */
DEFINE_STATIC_KEY_FALSE(simd_hook_clear_page);
EXPORT_SYMBOL(simd_hook_clear_page);
DEFINE_STATIC_KEY_FALSE(simd_hook_clear_pages);
EXPORT_SYMBOL(simd_hook_clear_pages);
DEFINE_STATIC_KEY_FALSE(simd_hook_copy_page);
EXPORT_SYMBOL(simd_hook_copy_page);
DEFINE_STATIC_KEY_FALSE(simd_hook_to_user);
EXPORT_SYMBOL(simd_hook_to_user);
DEFINE_STATIC_KEY_FALSE(simd_hook_copy_mc);
SIMD_EXPORT_FOR_TESTS(simd_hook_copy_mc);
static DEFINE_STATIC_KEY_FALSE(simd_hook_zero_folio);
static DEFINE_STATIC_KEY_FALSE(simd_hook_copy_folio);

/* Pages between two chances to reschedule: 25 us at 10 GB/s. */
#define FOLIO_BATCH	64ul

/* Pages on each side of the one that user space touches first. */
#define FOLIO_NEAR	2ul

/* A page of a folio in highmem has no address to form extents with. */
static bool folio_hooked(struct static_key_false *key)
{
	return static_key_enabled(key) && !IS_ENABLED(CONFIG_HIGHMEM);
}

static void zero_extent(void *base, unsigned long first, unsigned long end,
			enum simd_regime regime)
{
	unsigned long n;

	for (; first < end; first += n) {
		n = min(end - first, FOLIO_BATCH);
		simd_clear_pages(base + first * PAGE_SIZE, n, regime);
		cond_resched();
	}
}

/**
 * simd_zero_folio() - clear a large folio that user space is about to map
 * @folio:	the folio
 * @addr_hint:	the user address that faulted, or any other in the folio
 *
 * In extents, and not page by page. The pages around @addr_hint come last, and
 * stay in the caches.
 *
 * Context: task, may sleep.
 * Return: true if it is cleared, false if stock is to do so.
 */
bool simd_zero_folio(struct folio *folio, unsigned long addr_hint)
{
	unsigned long nr = folio_nr_pages(folio), touched, first, end;
	enum simd_regime regime;
	void *base;

	if (!folio_hooked(&simd_hook_zero_folio))
		return false;

	base = folio_address(folio);
	regime = simd_auto_regime(SIMD_KIND_clear, nr * PAGE_SIZE);
	touched = (addr_hint >> PAGE_SHIFT) % nr;
	first = touched - min(touched, FOLIO_NEAR);
	end = min(touched + FOLIO_NEAR + 1, nr);

	zero_extent(base, 0, first, regime);
	zero_extent(base, end, nr, regime);
	zero_extent(base, first, end, SIMD_CACHED);
	return true;
}
EXPORT_SYMBOL_GPL(simd_zero_folio);

/**
 * simd_copy_folio() - copy a folio to another of its size
 * @dst:	where to
 * @src:	where from
 *
 * In extents, and not page by page. A machine check on @src is not survived, as
 * in folio_copy().
 *
 * Context: task, may sleep if the folio has more than one page.
 * Return: true if it is copied, false if stock is to do so.
 */
bool simd_copy_folio(struct folio *dst, struct folio *src)
{
	unsigned long nr = folio_nr_pages(src), first = 0, n, i;
	enum simd_regime regime;

	if (!folio_hooked(&simd_hook_copy_folio))
		return false;

	regime = simd_auto_regime(SIMD_KIND_copy, nr * PAGE_SIZE);
	for (;;) {
		n = min(nr - first, FOLIO_BATCH);
		simd_copy_pages(folio_address(dst) + first * PAGE_SIZE,
				folio_address(src) + first * PAGE_SIZE, n, regime);
		for (i = first; i < first + n; i++)
			kmsan_copy_page_meta(folio_page(dst, i), folio_page(src, i));
		first += n;
		if (first == nr)
			return true;
		cond_resched();
	}
}
EXPORT_SYMBOL_GPL(simd_copy_folio);

static void patch(struct static_key_false *key, bool on)
{
	if (on)
		static_branch_enable(key);
	else
		static_branch_disable(key);
}

/*
 * Whether calls of a kind, of up to @most bytes and of a regime that the size decides,
 * can lead to a row that is not stock.
 */
static bool leads_elsewhere(const struct simd_plan *plan, enum simd_kind kind,
			    unsigned long most)
{
	const unsigned long threshold = plan->threshold[kind];
	unsigned int c;

	simd_for_each_case_of(c, kind) {
		bool stream = simd_cases[c].regime == SIMD_STREAM;

		if (plan->row[c] == simd_stock_row(kind) || simd_cases[c].from > most ||
		    (stream && (threshold > most || simd_case_end(c) <= threshold)))
			continue;
		return true;
	}
	return false;
}

/**
 * simd_hooks_update() - patch the hooks in, or out where all they lead to is stock
 * @plan:	the rows in use
 *
 * Context: task, may sleep; one at a time.
 */
void simd_hooks_update(const struct simd_plan *plan)
{
	const bool clears = leads_elsewhere(plan, SIMD_KIND_clear, ULONG_MAX);

	patch(&simd_hook_clear_page, leads_elsewhere(plan, SIMD_KIND_clear, PAGE_SIZE));
	patch(&simd_hook_clear_pages, clears);
	patch(&simd_hook_zero_folio, clears);
	patch(&simd_hook_copy_page, leads_elsewhere(plan, SIMD_KIND_copy, PAGE_SIZE));
	patch(&simd_hook_copy_folio, leads_elsewhere(plan, SIMD_KIND_copy, ULONG_MAX));
	patch(&simd_hook_to_user, leads_elsewhere(plan, SIMD_KIND_to_user, ULONG_MAX));
	patch(&simd_hook_copy_mc, leads_elsewhere(plan, SIMD_KIND_copy_mc, ULONG_MAX));
}
