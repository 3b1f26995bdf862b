/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What this machine is, and the CPU that is measured.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <linux/types.h>

/**
 * struct machine - what figures depend on
 * @model_name:	of the CPU
 * @hypervisor:	its signature, "" on bare metal
 * @family:	of the CPU
 * @model:	of the CPU
 * @stepping:	of the CPU
 * @cpu:	the CPU that is measured
 * @cpus:	CPUs that this process may run on
 * @l1d:	size of the data cache, bytes
 * @l2:		of the second-level cache
 * @l3:		of the last-level cache, 0 if there is none
 * @tsc_mhz:	ticks of the clock per microsecond
 * @tsc_step:	ticks that the clock goes by at a time
 * @core_mhz:	cycles of the core per microsecond, as far as it can be seen
 */
struct machine {
	char		model_name[64];
	char		hypervisor[16];
	unsigned int	family;
	unsigned int	model;
	unsigned int	stepping;
	unsigned int	cpu;
	unsigned int	cpus;
	unsigned long	l1d;
	unsigned long	l2;
	unsigned long	l3;
	double		tsc_mhz;
	unsigned int	tsc_step;
	double		core_mhz;
};

extern struct machine machine;

/* On failure, -1: stderr says why. */
int machine_init(int cpu);
int machine_pin(unsigned int cpu);

/* The CPU that is n places from the one measured, among those allowed. */
unsigned int machine_other_cpu(unsigned int n);

/* Time that the hypervisor kept the measured CPU for itself so far, ms. */
unsigned long machine_stolen_ms(void);

static inline double ticks_to_ns(double ticks)
{
	return ticks * 1000 / machine.tsc_mhz;
}

static inline double ns_to_cycles(double ns)
{
	return ns * machine.core_mhz / 1000;
}

#endif /* MACHINE_H */
