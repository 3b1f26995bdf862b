/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_KERNEL_H
#define SHIM_LINUX_KERNEL_H

#include <errno.h>
#include <stdio.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/types.h>

#define ARRAY_SIZE(a)			(sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member)	((type *)((char *)(ptr) - offsetof(type, member)))
#define swap(a, b) do { __typeof__(a) __t = (a); (a) = (b); (b) = __t; } while (0)
#define DIV_ROUND_UP(x, div)		(((x) + (div) - 1) / (div))
#define DIV_ROUND_CLOSEST(x, div)	(((x) + (div) / 2) / (div))

#ifndef pr_fmt
#define pr_fmt(fmt) fmt
#endif
#define pr_warn(fmt, ...)	printf("# " pr_fmt(fmt), ##__VA_ARGS__)
#define pr_info(fmt, ...)	printf("# " pr_fmt(fmt), ##__VA_ARGS__)

#endif /* SHIM_LINUX_KERNEL_H */
