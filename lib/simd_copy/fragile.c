// SPDX-License-Identifier: GPL-2.0
/*
 * Whether this CPU survives a machine check in a load, but not in a string instruction.
 *
 * The kernel knows of it from PCI devices of Intel's servers from Ivy Bridge to Skylake,
 * or by mce=recovery, and keeps it in a static key that nobody else can read,
 * copy_mc_fragile_key. But the key decides how copy_mc_to_kernel() copies, and where
 * source and destination overlap that shows in what is stored.
 */
#include <linux/compiler.h>
#include <linux/export.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "simd_copy.h"

/*
 * The careful copy is one by bytes up to a word of the source, then one by words. So that
 * no other copies by the same units, the source begins inside a word, and the destination
 * is less than a word ahead of it.
 */
#define SOURCE		1
#define DESTINATION	(SOURCE + 4)
#define COPIED		40

struct overlap {
	u8	bytes[DESTINATION + COPIED];
} __aligned(8);

/* The compiler must not know that they overlap, nor make a memcpy() of its own. */
#define COPY(_copy, _o)								\
({										\
	u8 *_to = (_o)->bytes + DESTINATION;					\
	unsigned int _len = COPIED, _i;						\
										\
	for (_i = 0; _i < sizeof((_o)->bytes); _i++)				\
		(_o)->bytes[_i] = _i;						\
	OPTIMIZER_HIDE_VAR(_to);						\
	OPTIMIZER_HIDE_VAR(_len);						\
	_copy(_to, (_o)->bytes + SOURCE, _len);					\
})

/**
 * simd_copy_mc_is_fragile() - whether string instructions must not be used for copy_mc
 *
 * What is neither a string instruction nor memcpy() is taken for the careful copy. The
 * kernel is asked once: later its copy_mc_to_kernel() may be led here.
 *
 * Context: any; late enough in the boot for the kernel to have looked at its devices, and at
 * mce=recovery in mcheck_late_init(). That is a late_initcall as simd_copy_init() is, and
 * comes before it by the order of linking: arch/ before lib/.
 * Return: whether the kernel does not use them either.
 */
bool simd_copy_mc_is_fragile(void)
{
	static enum { UNKNOWN, STURDY, FRAGILE } known;
	struct overlap kernel, string, memory;
	unsigned long left;

	if (known != UNKNOWN)
		return known == FRAGILE;

	left = COPY(copy_mc_to_kernel, &kernel);
	left += COPY(simd_copy_mc_rep_movsb, &string);
	COPY(memcpy, &memory);
	known = !left && memcmp(&kernel, &string, sizeof(kernel)) &&
		memcmp(&kernel, &memory, sizeof(kernel)) ? FRAGILE : STURDY;
	return known == FRAGILE;
}
SIMD_EXPORT_FOR_TESTS(simd_copy_mc_is_fragile);
