// SPDX-License-Identifier: GPL-2.0
/*
 * CPU features, by the kernel's numbers, from CPUID.
 */
#include <ctype.h>
#include <cpuid.h>
#include <stdio.h>
#include <string.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>

#include "harness.h"

enum reg { EAX, EBX, ECX, EDX };

/* Where the words of X86_FEATURE_* come from; the others Linux makes itself. */
static const struct leaf {
	u32		leaf;
	u32		subleaf;
	enum reg	reg;
} leaves[] = {
	[0]	= { 0x00000001, 0, EDX },
	[1]	= { 0x80000001, 0, EDX },
	[4]	= { 0x00000001, 0, ECX },
	[6]	= { 0x80000001, 0, ECX },
	[9]	= { 0x00000007, 0, EBX },
	[10]	= { 0x0000000d, 1, EAX },
	[12]	= { 0x00000007, 1, EAX },
	[13]	= { 0x80000008, 0, EBX },
	[16]	= { 0x00000007, 0, ECX },
	[18]	= { 0x00000007, 0, EDX },
};

/* A leaf that the CPU does not have reads as 0, not as some other leaf. */
void cpuid(u32 leaf, u32 subleaf, u32 regs[4])
{
	u32 a, b, c, d;

	memset(regs, 0, 4 * sizeof(*regs));
	if ((u32)__get_cpuid_max(leaf & 0x80000000, NULL) < leaf)
		return;
	if (leaf == 7 && subleaf) {
		__cpuid_count(7, 0, a, b, c, d);
		if (a < subleaf)
			return;
	}
	__cpuid_count(leaf, subleaf, a, b, c, d);
	regs[EAX] = a;
	regs[EBX] = b;
	regs[ECX] = c;
	regs[EDX] = d;
}

/* A bit's name is in the rows that use it. */
static const char *feature_name(unsigned int bit)
{
	const struct simd_routine *r;
	const struct simd_feature *f;

	for (r = simd_routines; r < simd_routines + SIMD_NR_ROUTINES; r++) {
		if (r->stock.name && r->stock.name[0] && r->stock.bit == bit)
			return r->stock.name;
		for (f = r->all; f->name; f++)
			if (f->bit == bit)
				return f->name;
		for (f = r->any; f->name; f++)
			if (f->bit == bit)
				return f->name;
		for (f = r->veto; f->name; f++)
			if (f->bit == bit)
				return f->name;
	}
	return NULL;
}

/*
 * A bit that Linux makes up: as the running kernel says. Under an emulator
 * this speaks of the host, which is why only cost may depend on such a bit.
 */
static bool kernel_has(unsigned int bit)
{
	const char *name = feature_name(bit);
	FILE *f = fopen("/proc/cpuinfo", "r");
	bool found = false;
	char word[64];
	size_t i;

	while (f && name && !found && fscanf(f, "%63s", word) == 1) {
		for (i = 0; word[i]; i++)
			word[i] = toupper((unsigned char)word[i]);
		found = !strcmp(word, name);
	}
	if (f)
		fclose(f);
	return found;
}

static bool probe(unsigned int bit)
{
	unsigned int word = bit / 32;
	u32 regs[4];

	if (word >= ARRAY_SIZE(leaves) || !leaves[word].leaf)
		return kernel_has(bit);
	cpuid(leaves[word].leaf, leaves[word].subleaf, regs);
	return regs[leaves[word].reg] >> bit % 32 & 1;
}

static signed char known[32 * 32];

void cpu_assume(unsigned int bit, bool has)
{
	known[bit] = has ? 1 : -1;
}

/* CPUID traps in a guest, and what asks may be on the clock: ask once. */
bool boot_cpu_has(unsigned int bit)
{
	if (!known[bit])
		known[bit] = probe(bit) ? 1 : -1;
	return known[bit] > 0;
}

u64 cpu_xcr0(void)
{
	u32 lo, hi;

	if (!boot_cpu_has(X86_FEATURE_OSXSAVE))
		return 0;
	asm volatile("xgetbv" : "=a" (lo), "=d" (hi) : "c" (0));
	return (u64)hi << 32 | lo;
}

int cpu_has_xfeatures(u64 xfeatures, const char **missing)
{
	return (cpu_xcr0() & xfeatures) == xfeatures;
}
