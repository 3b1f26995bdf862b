/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_LIMITS_H
#define SHIM_LINUX_LIMITS_H

#include_next <linux/limits.h>
#include <limits.h>

#define U32_MAX		0xffffffffu
#define U64_MAX		((u64)~0ull)

#endif /* SHIM_LINUX_LIMITS_H */
