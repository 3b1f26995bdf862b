/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the kernels that simd_copy builds for: 6.1, 6.12 and
 * mainline, UML included. Each says when it can go.
 */
#ifndef _LIB_SIMD_COPY_COMPAT_H
#define _LIB_SIMD_COPY_COMPAT_H

#include <linux/export.h>
#include <linux/types.h>
#include <asm/cpufeatures.h>

/*
 * The calling convention of a routine. A 32-bit kernel passes arguments in
 * registers throughout, a 32-bit user-space build has to ask for it.
 */
#ifndef SIMD_ABI
#define SIMD_ABI
#endif

/**
 * simd_signature_prefers_ymm() - whether a CPU pays for 512-bit registers with its clock
 * @ebx:	its CPUID leaf 0
 * @ecx:	likewise
 * @signature:	EAX of its CPUID leaf 1: family, model, stepping
 *
 * Those on which kernels set X86_FEATURE_PREFER_YMM, if they have that bit: 6.12 has not.
 *
 * Return: whether it is one of them.
 */
static inline bool simd_signature_prefers_ymm(u32 ebx, u32 ecx, u32 signature)
{
	/* The first and the last four letters of GenuineIntel */
	if (ebx != 0x756e6547 || ecx != 0x6c65746e)
		return false;
	switch (signature & 0x0fff0ff0) {
	case 0x00050650:	/* Skylake-X, Cascade Lake, Cooper Lake */
	case 0x000606a0:	/* Ice Lake-X */
	case 0x000606c0:	/* Ice Lake-D */
	case 0x000706d0:	/* Ice Lake */
	case 0x000706e0:	/* Ice Lake-L */
	case 0x000906d0:	/* Ice Lake NNPI */
	case 0x000806c0:	/* Tiger Lake-L */
	case 0x000806d0:	/* Tiger Lake */
		return true;
	}
	return false;
}

#ifdef __KERNEL__

#include <linux/highmem.h>
#include <linux/kernel_stat.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/version.h>
#include <asm/fpu/api.h>
#include <asm/processor.h>

/*
 * What the test modules look at behind the public calls. A kernel without them exports
 * nothing of it. The namespace is a string from 6.13 on.
 */
#if IS_ENABLED(CONFIG_SIMD_COPY_TEST) || IS_ENABLED(CONFIG_SIMD_COPY_KUNIT_TEST)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define SIMD_EXPORT_FOR_TESTS(_symbol)	EXPORT_SYMBOL_NS_GPL(_symbol, SIMD_COPY_TEST)
#define SIMD_IMPORT_FOR_TESTS()		MODULE_IMPORT_NS(SIMD_COPY_TEST)
#else
#define SIMD_EXPORT_FOR_TESTS(_symbol)	EXPORT_SYMBOL_NS_GPL(_symbol, "SIMD_COPY_TEST")
#define SIMD_IMPORT_FOR_TESTS()		MODULE_IMPORT_NS("SIMD_COPY_TEST")
#endif
#else
#define SIMD_EXPORT_FOR_TESTS(_symbol)	extern typeof(_symbol) _symbol
#endif

/* copy_mc_to_kernel() is not instrumented before 6.10. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define instrument_memcpy_before(to, from, n)		do { } while (0)
#define instrument_memcpy_after(to, from, n, left)	do { } while (0)
#endif

/* KUnit has no user memory before 6.11. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define kunit_vm_mmap(test, file, addr, len, prot, flag, offset)	0
#endif

/* Tasks that have no registers of their own. Renamed in 6.4. */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER	PF_IO_WORKER
#endif

#ifdef CONFIG_UML

/*
 * The registers of a UML kernel are those of a host process, which saves them
 * around every entry: kernel_fpu_begin() is empty there, and has no mask form.
 */
static inline void kernel_fpu_begin_mask(unsigned int mask)
{
	kernel_fpu_begin();
}

static inline bool simd_has_state(void)
{
	return true;
}

static inline bool simd_saves_state(void)
{
	return false;
}

/* The host lists no feature in /proc/cpuinfo whose state it has not enabled. */
static inline int cpu_has_xfeatures(u64 xfeatures, const char **missing)
{
	return 1;
}

/* CPUID is not privileged. */
static inline void cpuid_count(u32 leaf, u32 subleaf, u32 *a, u32 *b, u32 *c, u32 *d)
{
	asm volatile("cpuid" : "=a" (*a), "=b" (*b), "=c" (*c), "=d" (*d)
		     : "0" (leaf), "2" (subleaf));
}

#else /* !CONFIG_UML */

/* Whether the task has registers of its own. */
static inline bool simd_has_state(void)
{
	return !(current->flags & (PF_KTHREAD | PF_USER_WORKER));
}

/* Whether they are on the CPU, so that a section has to save them. */
static inline bool simd_saves_state(void)
{
	return simd_has_state() && !test_thread_flag(TIF_NEED_FPU_LOAD);
}

#endif /* CONFIG_UML */

/* fragile.c */
bool simd_copy_mc_is_fragile(void);

/* Interrupts that the kernel's common count leaves out: the tick, and those of other CPUs. */
static inline unsigned long simd_local_interrupts(void)
{
	unsigned long n = 0;

#if !defined(CONFIG_UML) && defined(CONFIG_X86_LOCAL_APIC)
	n += raw_cpu_read(irq_stat.apic_timer_irqs);
#endif
#if !defined(CONFIG_UML) && defined(CONFIG_SMP)
	n += raw_cpu_read(irq_stat.irq_resched_count) + raw_cpu_read(irq_stat.irq_call_count);
#endif
	return n;
}

/* What has interrupted this task so far, or this CPU: a sample that it hits is void. */
static inline unsigned long simd_disturbances(void)
{
	return current->nvcsw + current->nivcsw + simd_local_interrupts() +
	       kstat_cpu_irqs_sum(raw_smp_processor_id());
}

/* CPU time of this task, ns, as exact as the scheduler's tick. */
static inline u64 simd_cpu_time(void)
{
	return READ_ONCE(current->se.sum_exec_runtime);
}

/* Memory that has an address in the kernel. */
static inline unsigned long simd_memory_bytes(void)
{
	return min(totalram_pages() - totalhigh_pages(), ULONG_MAX >> PAGE_SHIFT) << PAGE_SHIFT;
}

#else /* !__KERNEL__ */

#include <shim.h>

#endif /* __KERNEL__ */

/*
 * Only a kernel on bare hardware can be asked for the bit: a UML kernel and a program
 * have what /proc/cpuinfo shows, and it is not shown there. Retired by the first kernel
 * that has it everywhere.
 */
#if !defined(X86_FEATURE_PREFER_YMM) || !defined(__KERNEL__) || defined(CONFIG_UML)
#ifndef X86_FEATURE_PREFER_YMM
#define X86_FEATURE_PREFER_YMM	(NCAPINTS * 32)	/* the first number that is no bit */
#endif

/* In rows of 64-bit kernels only, so that there is CPUID. */
static inline bool simd_prefers_ymm(void)
{
	u32 ebx, ecx, signature, unused[3];

	cpuid_count(0, 0, &unused[0], &ebx, &ecx, &unused[1]);
	cpuid_count(1, 0, &signature, &unused[0], &unused[1], &unused[2]);
	return simd_signature_prefers_ymm(ebx, ecx, signature);
}

#define simd_prefers_ymm_or_has(bit) \
	((bit) == X86_FEATURE_PREFER_YMM ? simd_prefers_ymm() : boot_cpu_has(bit))
#else
#define simd_prefers_ymm_or_has(bit)	boot_cpu_has(bit)
#endif

/* What the kernel knows of the CPU, and has no bit for: see fragile.c. */
#define X86_FEATURE_COPY_MC_FRAGILE	(NCAPINTS * 32 + 1)

#define simd_cpu_has(bit) \
	((bit) == X86_FEATURE_COPY_MC_FRAGILE ? simd_copy_mc_is_fragile() : \
						simd_prefers_ymm_or_has(bit))

#endif /* _LIB_SIMD_COPY_COMPAT_H */
