/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the test device of simd_copy and the kselftests say to each other.
 *
 * /dev/simd_copy_test exists while simd_copy_test.ko is loaded, root only.
 * Tests and device are always of one build: this is no stable ABI.
 */
#ifndef _SIMD_COPY_TEST_UAPI_H
#define _SIMD_COPY_TEST_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define SIMD_COPY_TEST_PATH	"/dev/simd_copy_test"

/**
 * enum simd_copy_test_section - the sections that the device can open
 * @SIMD_COPY_TEST_NONE:	none
 * @SIMD_COPY_TEST_XMM:		simd_guard_begin(SIMD_GUARD_XMM)
 * @SIMD_COPY_TEST_MMX:		simd_guard_begin(SIMD_GUARD_MMX)
 * @SIMD_COPY_TEST_PLAIN:	kernel_fpu_begin_mask(KFPU_MXCSR), which is what
 *				kernel_fpu_begin() is on x86-64: the control. Refused
 *				if the caller's registers are not on the CPU any more
 * @SIMD_COPY_TEST_NR_SECTIONS:	number of sections
 */
enum simd_copy_test_section {
	SIMD_COPY_TEST_NONE,
	SIMD_COPY_TEST_XMM,
	SIMD_COPY_TEST_MMX,
	SIMD_COPY_TEST_PLAIN,
	SIMD_COPY_TEST_NR_SECTIONS
};

/**
 * struct simd_copy_test_probe - x87 state inside a section
 * @section:	in: enum simd_copy_test_section
 * @entered:	out: 1 if the section was opened, 0 if it was refused
 * @fsw:	out: x87 status word in the section
 * @fcw:	out: x87 control word in the section
 * @trapped:	out: 1 if an FWAIT in the section raised #MF
 */
struct simd_copy_test_probe {
	__u32	section;
	__u32	entered;
	__u32	fsw;
	__u32	fcw;
	__u32	trapped;
};

#define SIMD_COPY_TEST_PROBE	_IOWR('S', 1, struct simd_copy_test_probe)

/**
 * enum simd_copy_test_context - where the device runs a row
 * @SIMD_COPY_TEST_TASK:		in the caller
 * @SIMD_COPY_TEST_IRQS_OFF:		in the caller, interrupts off
 * @SIMD_COPY_TEST_PREEMPT_OFF:		in the caller, preemption off
 * @SIMD_COPY_TEST_BH_OFF:		in the caller, softirqs off
 * @SIMD_COPY_TEST_FPREGS:		in the caller, inside fpregs_lock()
 * @SIMD_COPY_TEST_KTHREAD:		in a kernel thread
 * @SIMD_COPY_TEST_SOFTIRQ:		in a softirq, outside any section
 * @SIMD_COPY_TEST_HARDIRQ:		in a hardirq, outside any section
 * @SIMD_COPY_TEST_NMI:			where in_nmi() is true
 * @SIMD_COPY_TEST_NESTED:		inside a section of the guard
 * @SIMD_COPY_TEST_FOREIGN:		inside kernel_fpu_begin() of someone else
 * @SIMD_COPY_TEST_SECTION_SOFTIRQ:	in a softirq that interrupts a section
 * @SIMD_COPY_TEST_SECTION_HARDIRQ:	in a hardirq that interrupts a section
 * @SIMD_COPY_TEST_EXIT:		in the caller, when it exits
 * @SIMD_COPY_TEST_HOTPLUG:		on a CPU that is coming online
 * @SIMD_COPY_TEST_NR_CONTEXTS:		number of contexts
 */
enum simd_copy_test_context {
	SIMD_COPY_TEST_TASK,
	SIMD_COPY_TEST_IRQS_OFF,
	SIMD_COPY_TEST_PREEMPT_OFF,
	SIMD_COPY_TEST_BH_OFF,
	SIMD_COPY_TEST_FPREGS,
	SIMD_COPY_TEST_KTHREAD,
	SIMD_COPY_TEST_SOFTIRQ,
	SIMD_COPY_TEST_HARDIRQ,
	SIMD_COPY_TEST_NMI,
	SIMD_COPY_TEST_NESTED,
	SIMD_COPY_TEST_FOREIGN,
	SIMD_COPY_TEST_SECTION_SOFTIRQ,
	SIMD_COPY_TEST_SECTION_HARDIRQ,
	SIMD_COPY_TEST_EXIT,
	SIMD_COPY_TEST_HOTPLUG,
	SIMD_COPY_TEST_NR_CONTEXTS
};

/**
 * struct simd_copy_test_run - run one row over buffers of the device's own
 * @row:	in: "KIND/NAME", as in the table. ENOENT if there is no such row,
 *		EOPNOTSUPP if this CPU can not run it
 * @npages:	in: 1 to 64
 * @context:	in: enum simd_copy_test_context
 * @ran:	out: 1 if the routine did all of it, 0 if a section was refused
 * @wrong:	out: bytes that are not what they should be, red zones included
 * @lost:	out: bytes of the registers that the row has changed, in
 *		%SIMD_COPY_TEST_FPREGS
 * @reason:	out: the refusal that was counted meanwhile, "" if none was
 *
 * For %SIMD_COPY_TEST_EXIT and %SIMD_COPY_TEST_HOTPLUG the call only arms the
 * run; SIMD_COPY_TEST_RESULT fetches what came of it, on any descriptor.
 */
struct simd_copy_test_run {
	char	row[32];
	__u32	npages;
	__u32	context;
	__u32	ran;
	__u32	wrong;
	__u32	lost;
	char	reason[16];
};

#define SIMD_COPY_TEST_RUN	_IOWR('S', 2, struct simd_copy_test_run)
#define SIMD_COPY_TEST_RESULT	_IOR('S', 3, struct simd_copy_test_run)

/**
 * enum simd_copy_test_offence - rules of a section that the device can break
 * @SIMD_COPY_TEST_SCHEDULE:	schedule in a section, as a kernel without
 *				PREEMPT_COUNT would let it
 * @SIMD_COPY_TEST_MIGRATE:	have a routine return on another CPU than it began on.
 *				EAGAIN if there is none
 * @SIMD_COPY_TEST_IRQS:	end a section with another interrupt state
 * @SIMD_COPY_TEST_CLASS:	end a section as another class
 * @SIMD_COPY_TEST_OUTSIDE:	run a guarded routine outside a section
 * @SIMD_COPY_TEST_BYTES:	claim to have moved more than the bound in a section
 * @SIMD_COPY_TEST_NO_SAVE:	clobber all registers without a section: the
 *				owner's are lost
 * @SIMD_COPY_TEST_SMAP:	store to the caller's stack without user access.
 *				The caller is killed, if the CPU has SMAP
 * @SIMD_COPY_TEST_NR_OFFENCES:	number of offences
 *
 * The argument of SIMD_COPY_TEST_OFFEND, by value. The machine stays alive.
 */
enum simd_copy_test_offence {
	SIMD_COPY_TEST_SCHEDULE,
	SIMD_COPY_TEST_MIGRATE,
	SIMD_COPY_TEST_IRQS,
	SIMD_COPY_TEST_CLASS,
	SIMD_COPY_TEST_OUTSIDE,
	SIMD_COPY_TEST_BYTES,
	SIMD_COPY_TEST_NO_SAVE,
	SIMD_COPY_TEST_SMAP,
	SIMD_COPY_TEST_NR_OFFENCES
};

#define SIMD_COPY_TEST_OFFEND	_IO('S', 4)

/* Bytes of the source, and what is in it: odd bytes. Not mapped from there on. */
#define SIMD_COPY_TEST_SOURCE	(1024 * 1024)
#define SIMD_COPY_TEST_BYTE(i)	((__u8)((__u32)(i) * 0x9e3779b1u >> 24 | 1))

/* An address that is nobody's, on any CPU: a store there is no page fault. */
#define SIMD_COPY_TEST_NOWHERE	0x4000000000000000ull

/**
 * struct simd_copy_test_to_user - copy from the device's source to the caller
 * @row:	in: "to_user/NAME", a row without what surrounds the call;
 *		"api", simd_copy_to_user(); "stock", the kernel's own. Errors are
 *		those of SIMD_COPY_TEST_RUN, and EIO if user access was left open
 * @nofault:	in: 1 to do it with page fault handling off
 * @to:		in: where to. EFAULT for a row and an address that access_ok()
 *		refuses, other than %SIMD_COPY_TEST_NOWHERE
 * @n:		in: bytes
 * @offset:	in: where in the source. EINVAL if it ends before @offset + @n,
 *		unless access_ok() refuses as many
 * @left:	out: bytes that were not copied
 * @sections:	out: sections opened meanwhile
 * @faults:	out: sections that met a fault meanwhile
 * @small:	out: calls counted as small meanwhile
 * @refused:	out: sections refused meanwhile
 */
struct simd_copy_test_to_user {
	char	row[28];
	__u32	nofault;
	__u64	to;
	__u64	n;
	__u64	offset;
	__u64	left;
	__u32	sections;
	__u32	faults;
	__u32	small;
	__u32	refused;
};

#define SIMD_COPY_TEST_TO_USER	_IOWR('S', 5, struct simd_copy_test_to_user)

/**
 * struct simd_copy_test_copy_mc - copy from the device's source within the kernel
 * @row:	in: "copy_mc/NAME", a row without what surrounds the call; "api",
 *		simd_copy_mc(); "stock", copy_mc_to_kernel(). Errors are those of
 *		SIMD_COPY_TEST_RUN
 * @n:		in: bytes, up to %SIMD_COPY_TEST_MC_MAX
 * @offset:	in: where in the source
 * @align:	in: where in the first page of the destination
 * @pad:	unused
 * @to:		in: where the caller gets the destination to see, @n bytes and
 *		%SIMD_COPY_TEST_MC_RED on either side. It held the complement of
 *		SIMD_COPY_TEST_BYTE() of @offset and on, where nothing was stored
 * @source:	out: kernel address of the first byte of the source
 * @left:	out: bytes that were not copied
 */
struct simd_copy_test_copy_mc {
	char	row[32];
	__u32	n;
	__u32	offset;
	__u32	align;
	__u32	pad;
	__u64	to;
	__u64	source;
	__u64	left;
};

#define SIMD_COPY_TEST_MC_MAX	(16 * 4096)
#define SIMD_COPY_TEST_MC_RED	256

#define SIMD_COPY_TEST_COPY_MC	_IOWR('S', 6, struct simd_copy_test_copy_mc)

#endif /* _SIMD_COPY_TEST_UAPI_H */
