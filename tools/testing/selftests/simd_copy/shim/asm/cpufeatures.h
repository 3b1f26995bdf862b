/* SPDX-License-Identifier: GPL-2.0 */
/* X86_FEATURE_*: the kernel's own header, which the Makefile looks for. */
#include CPUFEATURES
