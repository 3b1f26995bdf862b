/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Buffers, and where their lines are.
 */
#ifndef STATE_H
#define STATE_H

#include "measure.h"

#define LINE		64
#define HUGE_PAGE	(2ul << 20)

/* Of a buffer just written, the stores at its front that the clock sees. */
#define FRESH_STORES	32

/**
 * struct buffers - a destination and a source
 * @dst:	starts a page, and a huge one if that was asked for
 * @src:	likewise
 * @size:	bytes of each
 * @huge:	they are in huge pages
 */
struct buffers {
	void		*dst;
	void		*src;
	unsigned long	size;
	bool		huge;
};

/* Return: 0, or -1 if there is no memory, or no huge pages. */
int buffers_get(struct buffers *b, unsigned long size, bool huge);
void buffers_put(struct buffers *b);

/*
 * What is not made, as a mask of places and SKIP_CODE: where a selftest must not
 * find what it looks for. What is to be in L2 stays in L1 then, and in L1 all is made.
 */
enum { SKIP_CODE = 1 << NR_PLACES };
extern unsigned int state_skip;

/**
 * evict_init() - memory to evict with
 *
 * Return: 0, or -1 without memory.
 */
int evict_init(void);

/* Bytes per store to a fresh source, 0 for a place that is none. */
unsigned int fresh_width(enum place place);

/* Bytes at the front of a source that state_make() leaves to fresh_front(). */
unsigned long fresh_front_size(const struct cell *cell);
void fresh_front(void *src, unsigned long size, unsigned int width);

void flush(const void *data, unsigned long size);

/*
 * Cold memory is elsewhere in each call, within so many bytes: more than an L2 cache, so
 * that there is no place in it until something else is written back. All of them are
 * flushed before calls walk through. What is flushed right before a call makes place,
 * where stock stores to while others wait for memory: it seems up to 10 % faster than it
 * is. And lines that were flushed and written a moment ago are slower to string
 * instructions, 1.8 times, until 1 MiB has passed in between (both: Intel Xeon, family 6,
 * model 207).
 */
#define WALK_BYTES	(32ul << 20)

/**
 * struct walk - through cold memory
 * @data:	%WALK_BYTES and those of the calls
 * @gap:	bytes left out after each of them
 * @at:		offset of the next ones; all is flushed before the first
 */
struct walk {
	void		*data;
	unsigned long	gap;
	unsigned long	at;
};

/**
 * state_place() - where the next calls find what is in a place
 * @walk:	through the memory that there is
 * @cell:	what is done there
 * @place:	if it is %PLACE_FLUSHED, they are flushed already, else state_make() has to come
 * @calls:	how many of them, state_stride() apart
 *
 * Return: of the first, without its offset.
 */
void *state_place(struct walk *walk, const struct cell *cell, enum place place,
		  unsigned int calls);

/**
 * state_make() - bring the lines of a cell to their places, if those are caches
 * @dst:	destination, with its offset
 * @src:	source, with its offset; NULL if there is none
 * @cell:	where to
 * @calls:	how many extents there are of each, state_stride() apart
 *
 * A fresh source lacks its front: its stores belong right before the call.
 */
void state_make(void *dst, void *src, const struct cell *cell, unsigned int calls);

/**
 * state_stride() - how far apart the extents of calls in a row are
 * @cell:	what with
 * @place:	that of the destination, or of the source
 *
 * Flushed lines are each in another page, so that none is prefetched on behalf of the one
 * before.
 *
 * Return: bytes.
 */
unsigned long state_stride(const struct cell *cell, enum place place);

/* Read every line, and depend on what was read. */
void read_lines(const void *data, unsigned long size);

#endif /* STATE_H */
