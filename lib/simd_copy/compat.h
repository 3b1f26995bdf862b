/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the kernels that simd_copy builds for: 6.1, 6.12 and
 * mainline, UML included. Each says when it can go.
 */
#ifndef _LIB_SIMD_COPY_COMPAT_H
#define _LIB_SIMD_COPY_COMPAT_H

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

/*
 * Only a kernel on bare hardware can be asked for the bit: a UML kernel and a program
 * have what /proc/cpuinfo shows, and it is not shown there. Retired by the first kernel
 * that has it everywhere.
 */
#if !defined(X86_FEATURE_PREFER_YMM) || !defined(__KERNEL__) || defined(CONFIG_UML)
#ifndef X86_FEATURE_PREFER_YMM
#define X86_FEATURE_PREFER_YMM	(NCAPINTS * 32)	/* the first number that is no bit */
#endif

static inline void simd_cpuid(u32 leaf, u32 *eax, u32 *ebx, u32 *ecx)
{
	u32 edx;

	*ecx = 0;
	asm volatile("cpuid" : "=a" (*eax), "=b" (*ebx), "+c" (*ecx), "=d" (edx) : "0" (leaf));
}

/* In rows of 64-bit kernels only, so that there is CPUID. */
static inline bool simd_prefers_ymm(void)
{
	u32 eax, ebx, ecx, signature, unused[2];

	simd_cpuid(0, &eax, &ebx, &ecx);
	simd_cpuid(1, &signature, &unused[0], &unused[1]);
	return simd_signature_prefers_ymm(ebx, ecx, signature);
}

#define simd_cpu_has(bit) \
	((bit) == X86_FEATURE_PREFER_YMM ? simd_prefers_ymm() : boot_cpu_has(bit))
#else
#define simd_cpu_has(bit)	boot_cpu_has(bit)
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
