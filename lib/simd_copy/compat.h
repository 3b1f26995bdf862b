/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the kernels that simd_copy builds for: 6.1, 6.12 and
 * mainline, UML included. Each says when it can go.
 */
#ifndef _LIB_SIMD_COPY_COMPAT_H
#define _LIB_SIMD_COPY_COMPAT_H

#include <asm/cpufeatures.h>

/*
 * The calling convention of a routine. A 32-bit kernel passes arguments in
 * registers throughout, a 32-bit user-space build has to ask for it.
 */
#ifndef SIMD_ABI
#define SIMD_ABI
#endif

/*
 * Set on the CPUs that pay for 512-bit registers with their clock. A kernel
 * without the bit does not know which these are, so all with AVX-512 count.
 * Retired by the first kernel that has it everywhere (not in 6.12).
 */
#ifndef X86_FEATURE_PREFER_YMM
#define X86_FEATURE_PREFER_YMM	X86_FEATURE_AVX512F
#endif

#ifdef __KERNEL__

#include <linux/sched.h>
#include <linux/version.h>
#include <asm/fpu/api.h>
#include <asm/processor.h>

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

/* Missing there, like the one below. CLFLUSH is not privileged. */
static inline void clflush_cache_range(void *addr, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i += 64)
		asm volatile("clflush %0" : "+m" (*(char *)(addr + i)));
	/* CLFLUSH is not ordered with loads that follow. */
	mb();
}

/* The host lists no feature in /proc/cpuinfo whose state it has not enabled. */
static inline int cpu_has_xfeatures(u64 xfeatures, const char **missing)
{
	return 1;
}

static inline unsigned long simd_cache_bytes(void)
{
	return 0;
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

/* Size of the last-level cache, 0 if unknown. */
static inline unsigned long simd_cache_bytes(void)
{
	return boot_cpu_data.x86_cache_size > 0 ? boot_cpu_data.x86_cache_size * 1024UL : 0;
}

#endif /* CONFIG_UML */
#endif /* __KERNEL__ */

#endif /* _LIB_SIMD_COPY_COMPAT_H */
