// SPDX-License-Identifier: GPL-2.0
/*
 * User memory to calibrate copies to user space with: an anonymous mapping in
 * the task that loads the module, and the same pages in the kernel's mapping,
 * through which cache states are made and results are read.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include "core.h"

/* For the largest copy; the smaller ones walk through all of it. */
#define WINDOW_PAGES	(SIMD_MAX_SIZE / PAGE_SIZE)

static struct page *pages[WINDOW_PAGES];
static int pinned;

/**
 * simd_window_open() - map user memory into the calling task
 * @window:	result
 *
 * Context: task, may sleep.
 * Return: true on success. A task without user memory gets false, and so does
 * one without the memory for it.
 */
bool simd_window_open(struct simd_user_window *window)
{
	unsigned long addr;

	/* A UML kernel has no user memory mapped. */
	if (IS_ENABLED(CONFIG_UML) || !current->mm)
		return false;

	addr = vm_mmap(NULL, 0, WINDOW_PAGES * PAGE_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(addr))
		return false;
	window->user = (void __user *)addr;
	window->alias = NULL;
	window->size = WINDOW_PAGES * PAGE_SIZE;

	pinned = pin_user_pages_fast(addr, WINDOW_PAGES, FOLL_WRITE, pages);
	if (pinned == WINDOW_PAGES)
		window->alias = vmap(pages, WINDOW_PAGES, VM_MAP, PAGE_KERNEL);
	if (window->alias)
		return true;

	simd_window_close(window);
	return false;
}

/**
 * simd_window_close() - give the memory back
 * @window:	of simd_window_open()
 *
 * Context: the task that opened it.
 */
void simd_window_close(struct simd_user_window *window)
{
	if (window->alias)
		vunmap(window->alias);
	if (pinned > 0)
		unpin_user_pages(pages, pinned);
	vm_munmap((unsigned long)window->user, WINDOW_PAGES * PAGE_SIZE);
}
