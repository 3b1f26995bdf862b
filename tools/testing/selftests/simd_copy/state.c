// SPDX-License-Identifier: GPL-2.0
/*
 * Registers: filled before a call, and compared after it with what the guard
 * class of the row allows.
 */
#include <stdio.h>
#include <string.h>
#include <linux/compiler.h>
#include <asm/cpufeature.h>

#include "checked_call.h"
#include "harness.h"

/* State components of XSAVE that are looked at (SDM vol. 1, 13.1). */
#define XS_X87		0
#define XS_SSE		1
#define XS_YMM		2
#define XS_OPMASK	5
#define XS_ZMM_HI	6	/* upper halves of zmm0 to zmm15 */
#define XS_ZMM_16	7	/* zmm16 to zmm31 */
#define XS_BITS		0xe7

/* The 108 bytes of FNSAVE (SDM vol. 1, figure 8-9). */
#define FNSAVE_FCW	0
#define FNSAVE_FSW	4
#define FNSAVE_FTW	8
#define FNSAVE_ST	28

/* The 512 bytes of FXSAVE, which start an XSAVE area (SDM vol. 1, 10.5.1). */
#define FXSAVE_FCW	0
#define FXSAVE_FSW	2
#define FXSAVE_FTW	4
#define FXSAVE_MXCSR	24
#define FXSAVE_ST	32
#define FXSAVE_XMM	160
#define XSAVE_BV	512

#define FCW_DEFAULT	0x037f
#define MXCSR_DEFAULT	0x1f80

/*
 * Nothing here is a default. All exceptions are masked and none is pending:
 * what a pending one does is the guard's business, not a routine's.
 */
#define FCW_TEST	0x0a7f
#define FSW_TEST	0x5800		/* TOP is 3 */
#define FTW_TEST	0xa6		/* 1 is a register in use */
#define MXCSR_TEST	0xff95

#ifdef CONFIG_X86_64
#define NR_VECTORS	16
#else
#define NR_VECTORS	8
#endif

#define AREA 4096
static u8 clean[AREA] __aligned(64);
static u8 before[AREA] __aligned(64);
static u8 after[AREA] __aligned(64);

struct checked_call checked_frame = { .clean = clean, .before = before, .after = after };

static bool has_sse;
static bool xinuse_works;
static unsigned int offset[8];

static bool has(unsigned int component)
{
	return checked_frame.mask >> component & 1;
}

static u16 get16(const u8 *p)
{
	return p[0] | p[1] << 8;
}

static void put16(u8 *p, u16 val)
{
	p[0] = val;
	p[1] = val >> 8;
}

/* Tags in the short form, one bit per register, whatever the image has. */
static u8 tags(const u8 *image)
{
	u16 full = get16(image + FNSAVE_FTW);
	u8 used = 0;
	int i;

	if (checked_frame.level != CC_LEVEL_FNSAVE)
		return image[FXSAVE_FTW];
	for (i = 0; i < 8; i++)
		if ((full >> 2 * i & 3) != 3)
			used |= 1 << i;
	return used;
}

static void put_tags(u8 *image, u8 used)
{
	u16 full = 0;
	int i;

	if (checked_frame.level != CC_LEVEL_FNSAVE) {
		image[FXSAVE_FTW] = used;
		return;
	}
	for (i = 0; i < 8; i++)
		if (!(used >> i & 1))
			full |= 3 << 2 * i;
	put16(image + FNSAVE_FTW, full);
}

static void image_init(u8 *image, u16 fcw, u16 fsw, u8 used, u32 mxcsr)
{
	if (checked_frame.level == CC_LEVEL_FNSAVE) {
		put16(image + FNSAVE_FCW, fcw);
		put16(image + FNSAVE_FSW, fsw);
	} else {
		put16(image + FXSAVE_FCW, fcw);
		put16(image + FXSAVE_FSW, fsw);
		memcpy(image + FXSAVE_MXCSR, &mxcsr, sizeof(mxcsr));
	}
	put_tags(image, used);
}

static void put_bv(u8 *image, u64 bv)
{
	memset(image + XSAVE_BV, 0, 64);
	memcpy(image + XSAVE_BV, &bv, sizeof(bv));
}

static u64 get_bv(const u8 *image)
{
	u64 bv;

	memcpy(&bv, image + XSAVE_BV, sizeof(bv));
	return bv;
}

/* Does XINUSE tell a YMM register in use from one that VZEROUPPER cleaned? */
static bool probe_xinuse(void)
{
	u64 dirty, cleaned;

	state_prepare(SIMD_GUARD_XMM);
	checked_frame.fn = checked_probe_dirty;
	checked_call();
	dirty = get_bv(after) >> XS_YMM & 1;

	state_prepare(SIMD_GUARD_XMM);
	checked_frame.fn = checked_probe_clean;
	checked_call();
	cleaned = get_bv(after) >> XS_YMM & 1;

	return dirty && !cleaned;
}

void state_init(void)
{
	/* Either half of these is nothing that a routine comes by. */
	static const u64 saved = 0x9d5ab3c7e1f86b35ull, canary = 0xc5d1a97be36f2d4bull;
	u32 regs[4];
	int i;

	has_sse = boot_cpu_has(X86_FEATURE_XMM);
	checked_frame.mask = cpu_xcr0() & XS_BITS;
	if (checked_frame.mask)
		checked_frame.level = CC_LEVEL_XSAVE;
	else if (boot_cpu_has(X86_FEATURE_FXSR))
		checked_frame.level = CC_LEVEL_FXSAVE;
	else
		checked_frame.level = CC_LEVEL_FNSAVE;

	for (i = XS_YMM; i <= XS_ZMM_16; i++) {
		if (!has(i))
			continue;
		cpuid(0xd, i, regs);
		offset[i] = regs[1];
		if (regs[1] + regs[0] > AREA)
			checked_frame.mask &= ~(1UL << i);
	}

	/* An odd multiplier: no two registers alike, none of them 0. */
	for (i = 0; i < AREA; i++)
		before[i] = (i * 167 + i / 16 * 13) | 1;
	memset(before + FXSAVE_FCW, 0, FXSAVE_ST);
	image_init(before, FCW_TEST, FSW_TEST, FTW_TEST, MXCSR_TEST);
	image_init(clean, FCW_DEFAULT, 0, 0, MXCSR_DEFAULT);

	for (i = 0; i < CC_SAVED; i++)
		checked_frame.saved_in[i] = saved * (i + 1);
	for (i = 0; i < CC_CANARIES; i++)
		checked_frame.stack_in[i] = canary * (i + 1);

	xinuse_works = has(XS_YMM) && probe_xinuse();
	printf("# registers are read by %s, upper halves %s\n",
	       checked_frame.level == CC_LEVEL_XSAVE ? "xsave" :
	       checked_frame.level == CC_LEVEL_FXSAVE ? "fxsave" : "fnsave",
	       xinuse_works ? "by XINUSE" : has(XS_YMM) ? "by value only" : "do not exist");
}

/*
 * A row that may write vector registers starts with clean upper halves, so
 * that those it leaves dirty are its own.
 */
void state_prepare(enum simd_guard guard)
{
	u64 bv = checked_frame.mask;

	if (guard == SIMD_GUARD_XMM)
		bv &= ~(1ull << XS_YMM | 1ull << XS_ZMM_HI);
	if (checked_frame.level == CC_LEVEL_XSAVE) {
		put_bv(before, bv);
		put_bv(clean, 0);
	}
}

/* Save the registers as an owner's would be. */
void state_save(void)
{
	switch (checked_frame.level) {
	case CC_LEVEL_XSAVE:
		asm volatile("xsave %0" : "+m" (after) : "a" ((u32)checked_frame.mask), "d" (0));
		break;
	case CC_LEVEL_FXSAVE:
		asm volatile("fxsave %0" : "=m" (after));
		break;
	default:
		asm volatile("fnsave %0; frstor %0" : "=m" (after));
	}
}

static void nothing(void)
{
}

/*
 * A call that does nothing leaves all registers as they were. Not so where an emulator
 * leaves out some of what XRSTOR loads, as valgrind does: there is nothing to compare with.
 * Return: a mask of checks.
 */
unsigned int state_misread(void)
{
	state_prepare(SIMD_GUARD_NONE);
	checked_frame.fn = nothing;
	checked_call();
	return state_compare(SIMD_GUARD_NONE);
}

static bool same(unsigned int from, unsigned int bytes)
{
	return !memcmp(before + from, after + from, bytes);
}

static bool same_x87(void)
{
	bool fnsave = checked_frame.level == CC_LEVEL_FNSAVE;
	int i;

	if (fnsave && !same(FNSAVE_FSW, 2))
		return false;
	if (!fnsave && !same(FXSAVE_FSW, 2))
		return false;
	if (tags(before) != tags(after))
		return false;
	for (i = 0; i < 8; i++)
		if (!same(fnsave ? FNSAVE_ST + 10 * i : FXSAVE_ST + 16 * i, 10))
			return false;
	return true;
}

static bool same_vectors(void)
{
	if (has_sse && !same(FXSAVE_XMM, NR_VECTORS * 16))
		return false;
	if (has(XS_YMM) && !same(offset[XS_YMM], NR_VECTORS * 16))
		return false;
	if (has(XS_OPMASK) && !same(offset[XS_OPMASK], 8 * 8))
		return false;
	if (has(XS_ZMM_HI) && !same(offset[XS_ZMM_HI], NR_VECTORS * 32))
		return false;
	return NR_VECTORS < 16 || !has(XS_ZMM_16) || same(offset[XS_ZMM_16], 16 * 64);
}

static bool zero(unsigned int from, unsigned int bytes)
{
	while (bytes--)
		if (after[from++])
			return false;
	return true;
}

static bool clean_upper(void)
{
	if (xinuse_works && get_bv(after) & (1 << XS_YMM | 1 << XS_ZMM_HI))
		return false;
	if (has(XS_YMM) && !zero(offset[XS_YMM], NR_VECTORS * 16))
		return false;
	return !has(XS_ZMM_HI) || zero(offset[XS_ZMM_HI], NR_VECTORS * 32);
}

/* What the call just made did to registers and stack: a mask of checks. */
unsigned int state_compare(enum simd_guard guard)
{
	const struct checked_call *cc = &checked_frame;
	unsigned int wrong = 0;

	if (memcmp(cc->saved_in, cc->saved_out, sizeof(cc->saved_in)))
		wrong |= 1 << CHECK_SAVED;
	if (memcmp(cc->stack_in, cc->stack_out, sizeof(cc->stack_in)) ||
	    cc->sp_out != cc->sp_in - sizeof(cc->stack_in))
		wrong |= 1 << CHECK_STACK;
	/* DF and AC */
	if (cc->flags & (1 << 10 | 1 << 18))
		wrong |= 1 << CHECK_FLAGS;

	/* Word 0 of either image. */
	if (!same(FXSAVE_FCW, 2))
		wrong |= 1 << CHECK_X87;
	if (guard == SIMD_GUARD_MMX) {
		if (tags(after))
			wrong |= 1 << CHECK_TAGS;
	} else if (!same_x87()) {
		wrong |= 1 << CHECK_X87;
	}

	if (has_sse && !same(FXSAVE_MXCSR, 4))
		wrong |= 1 << CHECK_MXCSR;
	if (guard == SIMD_GUARD_XMM) {
		if (!clean_upper())
			wrong |= 1 << CHECK_UPPER;
	} else if (!same_vectors()) {
		wrong |= 1 << CHECK_VECTOR;
	}
	return wrong;
}
