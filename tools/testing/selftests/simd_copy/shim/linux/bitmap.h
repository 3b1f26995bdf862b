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

static inline void __clear_bit(unsigned int bit, unsigned long *map)
{
	map[bit / SHIM_LONG_BITS] &= ~(1UL << bit % SHIM_LONG_BITS);
}

static inline int test_bit(unsigned int bit, const unsigned long *map)
{
	return map[bit / SHIM_LONG_BITS] >> bit % SHIM_LONG_BITS & 1;
}

#endif /* SHIM_LINUX_BITMAP_H */
