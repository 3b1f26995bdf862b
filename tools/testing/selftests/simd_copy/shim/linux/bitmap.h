/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_BITMAP_H
#define SHIM_LINUX_BITMAP_H

#include <string.h>

#define SHIM_LONG_BITS		(8 * sizeof(long))
#define SHIM_LONGS(bits)	(((bits) + SHIM_LONG_BITS - 1) / SHIM_LONG_BITS)

#define DECLARE_BITMAP(name, bits) unsigned long name[SHIM_LONGS(bits)]

static inline void bitmap_zero(unsigned long *map, unsigned int bits)
{
	memset(map, 0, SHIM_LONGS(bits) * sizeof(long));
}

static inline void __set_bit(unsigned int bit, unsigned long *map)
{
	map[bit / SHIM_LONG_BITS] |= 1UL << bit % SHIM_LONG_BITS;
}

static inline int test_bit(unsigned int bit, const unsigned long *map)
{
	return map[bit / SHIM_LONG_BITS] >> bit % SHIM_LONG_BITS & 1;
}

static inline void bitmap_and(unsigned long *map, const unsigned long *a,
			      const unsigned long *b, unsigned int bits)
{
	unsigned int i;

	for (i = 0; i < SHIM_LONGS(bits); i++)
		map[i] = a[i] & b[i];
}

static inline unsigned int bitmap_weight(const unsigned long *map, unsigned int bits)
{
	unsigned int bit, n = 0;

	for (bit = 0; bit < bits; bit++)
		n += test_bit(bit, map);
	return n;
}

static inline int bitmap_empty(const unsigned long *map, unsigned int bits)
{
	return !bitmap_weight(map, bits);
}

#endif /* SHIM_LINUX_BITMAP_H */
