// SPDX-License-Identifier: GPL-2.0
/*
 * What comes first, and what goes last.
 */
#define pr_fmt(fmt) "simd_copy: " fmt

#include <linux/module.h>

#include "choice.h"
#include "debug.h"
#include "guard.h"
#include "sysfs.h"

static int __init simd_copy_init(void)
{
	int err;

	simd_debug_init();
	simd_guard_init();
	err = simd_choice_init();
	if (err) {
		simd_debug_exit();
		return err;
	}
	if (simd_sysfs_init())
		pr_warn("no files in /sys/kernel/simd_copy: the choice can not be changed\n");
	return 0;
}
late_initcall(simd_copy_init);

static void __exit simd_copy_exit(void)
{
	simd_sysfs_exit();
	simd_debug_exit();
}
module_exit(simd_copy_exit);

MODULE_DESCRIPTION("Clear and copy pages with the fastest routine of the machine");
MODULE_AUTHOR("The simd_copy developers");
MODULE_LICENSE("GPL");
