/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel's own page and user copies call before they do it themselves.
 *
 * A hook that is not configured is no code at all. One that is costs a NOP, until
 * simd_copy chooses a routine that is not stock: then the NOP is patched into a
 * jump to the call.
 *
 * asm/page.h includes this, so it includes next to nothing.
 */
#ifndef _ASM_X86_SIMD_HOOKS_H
#define _ASM_X86_SIMD_HOOKS_H

#include <asm/simd_page.h>

#ifdef CONFIG_SIMD_COPY_HOOKS

#include <linux/jump_label.h>
#include <asm/page_types.h>

DECLARE_STATIC_KEY_FALSE(simd_hook_clear_page);
DECLARE_STATIC_KEY_FALSE(simd_hook_clear_pages);
DECLARE_STATIC_KEY_FALSE(simd_hook_copy_page);
DECLARE_STATIC_KEY_FALSE(simd_hook_to_user);
DECLARE_STATIC_KEY_FALSE(simd_hook_copy_mc);

/* Return: true if the pages are cleared. */
static __always_inline bool simd_hooked_clear_pages(void *addr, unsigned int npages)
{
	if (!IS_ENABLED(CONFIG_SIMD_COPY_CLEAR_PAGE))
		return false;
	/* One page is never streamed: that a stream routine won is nothing to it. */
	if (npages == 1 ? !static_branch_unlikely(&simd_hook_clear_page) :
			  !static_branch_unlikely(&simd_hook_clear_pages))
		return false;
	simd_clear_pages(addr, npages, SIMD_AUTO);
	return true;
}

/* Return: true if the page is copied. */
static __always_inline bool simd_hooked_copy_page(void *to, const void *from)
{
	if (!IS_ENABLED(CONFIG_SIMD_COPY_COPY_PAGE) ||
	    !static_branch_unlikely(&simd_hook_copy_page))
		return false;
	simd_copy_pages(to, from, 1, SIMD_CACHED);
	return true;
}

/* Return: true if @n bytes to user space are for simd_raw_copy_to_user(). */
static __always_inline bool simd_hooks_to_user(unsigned long n)
{
	if (!IS_ENABLED(CONFIG_SIMD_COPY_TO_USER) ||
	    (__builtin_constant_p(n < SIMD_TO_USER_MIN) && n < SIMD_TO_USER_MIN))
		return false;
	return static_branch_unlikely(&simd_hook_to_user) && n >= SIMD_TO_USER_MIN;
}

/* Return: true if @len bytes that may have a memory error are for simd_copy_mc(). */
static __always_inline bool simd_hooks_copy_mc(unsigned long len)
{
	if (!IS_ENABLED(CONFIG_SIMD_COPY_COPY_MC))
		return false;
	return static_branch_unlikely(&simd_hook_copy_mc) && len && len % PAGE_SIZE == 0;
}

#else /* !CONFIG_SIMD_COPY_HOOKS */

static __always_inline bool simd_hooked_clear_pages(void *addr, unsigned int npages)
{
	return false;
}

static __always_inline bool simd_hooked_copy_page(void *to, const void *from)
{
	return false;
}

static __always_inline bool simd_hooks_to_user(unsigned long n)
{
	return false;
}

static __always_inline bool simd_hooks_copy_mc(unsigned long len)
{
	return false;
}

#endif /* CONFIG_SIMD_COPY_HOOKS */

/* Return: true if the folio is cleared, or copied; false if stock is to do it. */
struct folio;
bool simd_zero_folio(struct folio *folio, unsigned long addr_hint);
bool simd_copy_folio(struct folio *dst, struct folio *src);
#ifdef CONFIG_SIMD_COPY_ZERO_FOLIO
#define arch_folio_zero_user simd_zero_folio
#endif
#ifdef CONFIG_SIMD_COPY_COPY_FOLIO
#define arch_folio_copy simd_copy_folio
#endif

#endif /* _ASM_X86_SIMD_HOOKS_H */
