// SPDX-License-Identifier: GPL-2.0
/*
 * Costs that are no routine's: of forwards that are blocked, and of sections.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <asm/cpufeature.h>

#include "clock.h"
#include "forward.h"
#include "harness.h"
#include "machine.h"
#include "measure.h"
#include "probe.h"
#include "state.h"

#define TRIES	101

static double middle(u64 ticks[TRIES])
{
	sort_ticks(ticks, TRIES);
	return trimmed_mean(ticks, TRIES, 20);
}

/* --- Forwarding ---------------------------------------------------------- */

#define FORWARD_TURNS	1000

static bool has_width(unsigned int i)
{
	if (i == 6)
		return boot_cpu_has(X86_FEATURE_AVX512F) &&
		       (cpu_xcr0() & SIMD_XFEATURES_ZMM) == SIMD_XFEATURES_ZMM;
	if (i == 5)
		return boot_cpu_has(X86_FEATURE_AVX) &&
		       (cpu_xcr0() & SIMD_XFEATURES_YMM) == SIMD_XFEATURES_YMM;
	return true;
}

void probe_forward(struct forward_cost *cost)
{
	static u8 data[64] __aligned(64);
	unsigned int store, load, i;

	for (store = 0; store < NR_WIDTHS; store++) {
		for (load = 0; load < NR_WIDTHS; load++) {
			u64 ticks[TRIES];

			cost->cycles[store][load] = 0;
			if (!has_width(store) || !has_width(load))
				continue;
			for (i = 0; i < TRIES; i++) {
				ticks[i] = clock_read();
				forward_table[store][load](data, FORWARD_TURNS);
				ticks[i] = clock_read() - ticks[i];
			}
			cost->cycles[store][load] =
				ns_to_cycles(ticks_to_ns(middle(ticks))) / FORWARD_TURNS;
		}
	}
}

/* --- Sections ------------------------------------------------------------ */

/* What a kernel saves of a process; AMX tiles are not for everyone to use. */
#define SAVED	(3 | SIMD_XCR0_YMM | SIMD_XCR0_ZMM)

/* The legacy area, and where XSAVE says what is in it. */
#define FXSAVE_BYTES	512

static u8 *area;
static unsigned long area_bytes;

static void use_registers(void)
{
	asm volatile("fninit; fld1" : : : "st");
	if (has_width(6))
		asm volatile("vpternlogd $255, %%zmm0, %%zmm0, %%zmm0;"
			     "vpternlogd $255, %%zmm16, %%zmm16, %%zmm16" : : : "xmm0");
	else if (has_width(5))
		asm volatile("vcmptrueps %%ymm0, %%ymm0, %%ymm0" : : : "xmm0");
	else
		asm volatile("pcmpeqd %%xmm0, %%xmm0" : : : "xmm0");
}

static void op_fxsave(void)
{
	asm volatile("fxsave64 %0" : "=m" (*area));
}

static void op_fxrstor(void)
{
	asm volatile("fxrstor64 %0" : : "m" (*area));
}

static void op_xsave(void)
{
	asm volatile("xsave64 %0" : "+m" (*area) : "a" (SAVED), "d" (0) : "memory");
}

static void op_xsavec(void)
{
	asm volatile("xsavec64 %0" : "+m" (*area) : "a" (SAVED), "d" (0) : "memory");
}

static void op_xrstor(void)
{
	asm volatile("xrstor64 %0" : : "m" (*area), "a" (SAVED), "d" (0) : "memory");
}

static void op_ldmxcsr(void)
{
	*(u32 *)area = 0x1f80;
	asm volatile("ldmxcsr %0" : : "m" (*(u32 *)area));
}

static void op_fnclex_emms(void)
{
	asm volatile("fnclex; emms");
}

static void op_fninit(void)
{
	asm volatile("fninit");
}

static void op_nothing(void)
{
}

static double time_op(void (*op)(void), bool cold)
{
	u64 ticks[TRIES];
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		op();
		use_registers();
		if (cold)
			flush(area, area_bytes);
		else
			read_lines(area, area_bytes);
		clock_settle();
		ticks[i] = clock_read();
		op();
		ticks[i] = clock_read() - ticks[i];
	}
	return ticks_to_ns(middle(ticks));
}

static void time_both(void (*op)(void), struct op_cost *cost)
{
	static double clock;

	if (!clock)
		clock = time_op(op_nothing, false);
	cost->warm = max(time_op(op, false) - clock, 0.0);
	cost->cold = max(time_op(op, true) - clock, 0.0);
}

void probe_guard(struct guard_cost *cost)
{
	void (*save)(void) = op_fxsave, (*restore)(void) = op_fxrstor;
	u32 regs[4];

	area_bytes = FXSAVE_BYTES;
	if (boot_cpu_has(X86_FEATURE_OSXSAVE)) {
		cpuid(0xd, 0, regs);
		area_bytes = (regs[1] + LINE - 1) / LINE * LINE;
		save = boot_cpu_has(X86_FEATURE_XSAVEC) ? op_xsavec : op_xsave;
		restore = op_xrstor;
	}
	area = aligned_alloc(LINE, area_bytes);
	if (!area) {
		fprintf(stderr, "simdbench: no memory\n");
		exit(1);
	}
	memset(area, 0, area_bytes);

	/* LDMXCSR last: it writes where a restore looks for a control word. */
	time_both(save, &cost->save);
	save();
	time_both(restore, &cost->restore);
	time_both(op_fninit, &cost->fninit);
	time_both(op_fnclex_emms, &cost->mmx);
	time_both(op_ldmxcsr, &cost->ldmxcsr);
	free(area);
}

static void show_forward(void)
{
	struct forward_cost cost;
	unsigned int store, load;

	probe_forward(&cost);
	printf("# Core cycles for stores that fill a load, and the load; +: the forward is blocked,\n"
	       "# which takes more than twice as long as one store as wide as the load\n");
	printf("%-14s", "store \\ load");
	for (load = 0; load < NR_WIDTHS; load++)
		printf(" %7u", 1u << load);
	printf("\n");
	for (store = 0; store < NR_WIDTHS; store++) {
		printf("%-14u", 1u << store);
		for (load = 0; load < NR_WIDTHS; load++) {
			double cycles = cost.cycles[store][load];
			bool blocked = store < load && cycles > 2 * cost.cycles[load][load];

			if (cycles > 0)
				printf(" %6.1f%c", cycles, blocked ? '+' : ' ');
			else
				printf(" %6s ", "-");
		}
		printf("\n");
	}
}

static void show_op(const char *name, const struct op_cost *cost)
{
	printf("%-36s %8.1f %8.1f\n", name, cost->warm, cost->cold);
}

int probe(void)
{
	struct guard_cost cost;

	show_forward();
	probe_guard(&cost);
	printf("\n# What sections are made of, ns; cold: the registers' memory is in no cache\n");
	printf("%-36s %8s %8s\n", "", "warm", "cold");
	show_op("save, all registers in use", &cost.save);
	show_op("restore", &cost.restore);
	show_op("each section of MMX: fnclex, emms", &cost.mmx);
	show_op("others than ours: fninit", &cost.fninit);
	show_op("others than ours: ldmxcsr", &cost.ldmxcsr);
	return 0;
}
