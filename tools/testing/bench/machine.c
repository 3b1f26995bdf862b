// SPDX-License-Identifier: GPL-2.0
/*
 * What this machine is, and the CPU that is measured.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "harness.h"
#include "machine.h"

/* The clock is set against the kernel's for this long. */
#define CALIBRATE_NS	50000000ull

/* A chain of as many additions takes as many cycles, on any CPU. */
#define CHAIN		1000
#define CHAIN_TRIES	200

/* What the clock goes by divides all of as many readings. */
#define STEP_TRIES	100

struct machine machine;
unsigned int clock_coarse;

static cpu_set_t allowed;

static void identify(void)
{
	u32 regs[4], brand[12], i;
	char *name;

	cpuid(1, 0, regs);
	machine.stepping = regs[0] & 15;
	machine.model = regs[0] >> 4 & 15;
	machine.family = regs[0] >> 8 & 15;
	if (machine.family == 6 || machine.family == 15)
		machine.model |= regs[0] >> 12 & 0xf0;
	if (machine.family == 15)
		machine.family += regs[0] >> 20 & 255;

	if (regs[2] >> 31) {
		/* Not a leaf of the CPU: the ones that cpuid() knows end before. */
		__cpuid(0x40000000, regs[0], regs[1], regs[2], regs[3]);
		memcpy(machine.hypervisor, &regs[1], 12);
	}

	for (i = 0; i < 3; i++)
		cpuid(0x80000002 + i, 0, &brand[4 * i]);
	for (name = (char *)brand; *name == ' '; name++)
		;
	snprintf(machine.model_name, sizeof(machine.model_name), "%.*s",
		 (int)((char *)(brand + 12) - name), name);
}

static u64 kernel_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static double tsc_mhz(void)
{
	u64 t, begin, end, ns, start = kernel_ns();

	begin = clock_read();
	do {
		ns = kernel_ns() - start;
		end = clock_read();
	} while (ns < CALIBRATE_NS);
	t = end - begin;
	return t * 1000.0 / ns;
}

static unsigned int tsc_step(void)
{
	u64 first = clock_read(), a = 0, b, t;
	unsigned int i;

	for (i = 0; i < STEP_TRIES; i++) {
		for (b = clock_read() - first; b; b = t) {
			t = a % b;
			a = b;
		}
	}
	return a;
}

static double core_mhz(void)
{
	u64 t, best = -1;
	unsigned int i;

	for (i = 0; i < CHAIN_TRIES; i++) {
		unsigned long n = CHAIN / 10;

		t = clock_read();
		asm volatile("1: .rept 9; add %1, %0; .endr; sub $1, %0; jnz 1b"
			     : "+r" (n) : "r" (0ul));
		t = clock_read() - t;
		if (t < best)
			best = t;
	}
	return CHAIN * machine.tsc_mhz / best;
}

static unsigned long cache(int name)
{
	long size = sysconf(name);

	return size > 0 ? size : 0;
}

int machine_pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (!sched_setaffinity(0, sizeof(set), &set))
		return 0;
	fprintf(stderr, "simdbench: cannot stay on CPU %u: %m\n", cpu);
	return -1;
}

unsigned int machine_other_cpu(unsigned int n)
{
	unsigned int cpu = machine.cpu;

	while (n) {
		cpu = (cpu + 1) % CPU_SETSIZE;
		n -= !!CPU_ISSET(cpu, &allowed);
	}
	return cpu;
}

unsigned long machine_stolen_ms(void)
{
	FILE *f = fopen("/proc/stat", "r");
	unsigned long stolen = 0;
	unsigned int cpu;
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "cpu%u %*u %*u %*u %*u %*u %*u %*u %lu", &cpu, &stolen) == 2 &&
		    cpu == machine.cpu)
			break;
		stolen = 0;
	}
	if (f)
		fclose(f);
	return stolen * 1000 / sysconf(_SC_CLK_TCK);
}

int machine_init(int cpu)
{
	unsigned int i;

	if (sched_getaffinity(0, sizeof(allowed), &allowed)) {
		fprintf(stderr, "simdbench: cannot tell which CPUs it may use: %m\n");
		return -1;
	}
	machine.cpus = CPU_COUNT(&allowed);
	for (i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &allowed))
			machine.cpu = i;
	if (cpu >= 0) {
		if (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &allowed)) {
			fprintf(stderr, "simdbench: no CPU %d here; 'taskset -p $$' says which.\n",
				cpu);
			return -1;
		}
		machine.cpu = cpu;
	}
	if (machine_pin(machine.cpu))
		return -1;

	identify();
	machine.l1d = cache(_SC_LEVEL1_DCACHE_SIZE);
	machine.l2 = cache(_SC_LEVEL2_CACHE_SIZE);
	machine.l3 = cache(_SC_LEVEL3_CACHE_SIZE);
	machine.tsc_mhz = tsc_mhz();
	machine.tsc_step = tsc_step();
	machine.core_mhz = core_mhz();
	return 0;
}
