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
 *				kernel_fpu_begin() is on x86-64: the control
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

#endif /* _SIMD_COPY_TEST_UAPI_H */
