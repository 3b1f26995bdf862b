/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LIB_SIMD_COPY_SYSFS_H
#define _LIB_SIMD_COPY_SYSFS_H

int simd_sysfs_init(void);
void simd_sysfs_exit(void);

#endif /* _LIB_SIMD_COPY_SYSFS_H */
