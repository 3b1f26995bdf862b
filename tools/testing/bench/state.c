// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers, and where their lines are.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <linux/kernel.h>
#include <asm/cpufeature.h>

#include "clock.h"
#include "machine.h"
#include "state.h"

/* Reading as many times the size of a cache leaves nothing of before in it. */
#define EVICT_TIMES	3

unsigned int state_skip;

static char *evict_data;

int evict_init(void)
{
	unsigned long size = EVICT_TIMES * machine.l1d;

	if (size)
		evict_data = aligned_alloc(PAGE_SIZE, (size + PAGE_SIZE - 1) & -PAGE_SIZE);
	if (!evict_data)
		return -1;
	memset(evict_data, 1, size);
	return 0;
}

/* The kernel may have given small pages all the same, and says so. */
static bool is_huge(const void *data, unsigned long size)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	unsigned long start, end, kib;
	bool here = false, huge = false;
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			here = start <= (unsigned long)data && (unsigned long)data < end;
		else if (here && sscanf(line, "AnonHugePages: %lu kB", &kib) == 1)
			huge = kib * 1024 >= size;
	}
	if (f)
		fclose(f);
	return huge;
}

static void *get(unsigned long size, bool huge)
{
	char *data = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long skip;

	if (data == MAP_FAILED)
		return NULL;
	skip = -(unsigned long)data % HUGE_PAGE;
	if (skip)
		munmap(data, skip);
	data += skip;
	munmap(data + size, HUGE_PAGE - skip);

	madvise(data, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	memset(data, 1, size);
	if (!huge || is_huge(data, size))
		return data;
	munmap(data, size);
	return NULL;
}

int buffers_get(struct buffers *b, unsigned long size, bool huge)
{
	unsigned long unit = huge ? HUGE_PAGE : PAGE_SIZE;

	b->huge = huge;
	b->size = (size + unit - 1) / unit * unit;
	b->dst = get(b->size, huge);
	b->src = get(b->size, huge);
	if (b->dst && b->src)
		return 0;
	buffers_put(b);
	return -1;
}

void buffers_put(struct buffers *b)
{
	if (b->dst)
		munmap(b->dst, b->size);
	if (b->src)
		munmap(b->src, b->size);
	memset(b, 0, sizeof(*b));
}

static char *first_line(const void *data)
{
	return (char *)((unsigned long)data & -(unsigned long)LINE);
}

void flush(const void *data, unsigned long size)
{
	char *p = first_line(data), *end = (char *)data + size;

	if (boot_cpu_has(X86_FEATURE_CLFLUSHOPT)) {
		for (; p < end; p += LINE)
			asm volatile("clflushopt %0" : "+m" (*p));
	} else {
		for (; p < end; p += LINE)
			asm volatile("clflush %0" : "+m" (*p));
	}
	asm volatile("mfence" : : : "memory");
}

void read_lines(const void *data, unsigned long size)
{
	const char *p = first_line(data), *end = (const char *)data + size;
	unsigned long sum = 0;

	for (; p < end; p += LINE)
		sum += READ_ONCE(*(const unsigned long *)p);
	OPTIMIZER_HIDE_VAR(sum);
}

/* As a line is after it was stored to, contents as before. */
static void dirty_lines(void *data, unsigned long size)
{
	char *p = first_line(data), *end = (char *)data + size;

	for (; p < end; p += LINE)
		WRITE_ONCE(*(unsigned long *)p, READ_ONCE(*(unsigned long *)p));
}

static void evict_l1(void)
{
	read_lines(evict_data, EVICT_TIMES * machine.l1d);
	read_lines(evict_data, EVICT_TIMES * machine.l1d);
}

unsigned int fresh_width(enum place place)
{
	switch (place) {
	case PLACE_FRESH1:
		return 1;
	case PLACE_FRESH2:
		return 2;
	case PLACE_FRESH4:
		return 4;
	case PLACE_FRESH8:
		return 8;
	default:
		return 0;
	}
}

static __always_inline void fresh(char *data, unsigned long from, unsigned long to,
				  unsigned int width)
{
	unsigned long i = to;

	switch (width) {
#define FRESH(type)							\
	case sizeof(type):						\
		while (i > from) {					\
			i -= sizeof(type);				\
			WRITE_ONCE(*(type *)(data + i), -1);		\
		}							\
		break
	FRESH(u8);
	FRESH(u16);
	FRESH(u32);
	FRESH(u64);
	}
}

void fresh_front(void *src, unsigned long size, unsigned int width)
{
	fresh(src, 0, size, width);
}

unsigned long fresh_front_size(const struct cell *cell)
{
	return min(cell->size, 1ul * FRESH_STORES * fresh_width(cell->src));
}

static void bring(void *data, unsigned long size, bool dirty)
{
	if (dirty)
		dirty_lines(data, size);
	else
		read_lines(data, size);
}

static void bring_all(void *data, const struct cell *cell, unsigned int calls,
		      enum place place, bool dirty)
{
	const unsigned long stride = state_stride(cell, place);

	do {
		bring(data, cell->size, dirty);
		data += stride;
	} while (--calls);
}

unsigned long state_stride(const struct cell *cell, enum place place)
{
	const unsigned long unit = place == PLACE_FLUSHED ? PAGE_SIZE : LINE;

	return (cell->size + unit - 1) & -unit;
}

void *state_place(struct walk *walk, const struct cell *cell, enum place place, unsigned int calls)
{
	const unsigned long bytes = calls * state_stride(cell, place);
	void *here;

	if (place != PLACE_FLUSHED || state_skip >> PLACE_FLUSHED & 1)
		return walk->data;
	if (!walk->at || walk->at + bytes > WALK_BYTES) {
		/* A page more: extents may begin anywhere in one. */
		flush(walk->data, max(WALK_BYTES, bytes) + PAGE_SIZE);
		walk->at = 0;
	}
	here = walk->data + walk->at;
	walk->at += bytes + walk->gap;
	return here;
}

void state_make(void *dst, void *src, const struct cell *cell, unsigned int calls)
{
	/* Farthest first: nothing that follows brings a line nearer again. */
	static const enum place order[] = { PLACE_L2, PLACE_L1 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(order); i++) {
		bool any = false;

		if (cell->dst == order[i]) {
			bring_all(dst, cell, calls, order[i], true);
			any = true;
		}
		if (src && cell->src == order[i]) {
			bring_all(src, cell, calls, order[i], false);
			any = true;
		}
		if (any && order[i] == PLACE_L2 && !(state_skip >> PLACE_L2 & 1))
			evict_l1();
	}
	if (src && fresh_width(cell->src) && !(state_skip >> cell->src & 1))
		fresh(src, fresh_front_size(cell), cell->size, fresh_width(cell->src));
}
