/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MINMAX_H
#define SHIM_LINUX_MINMAX_H

#define min_t(type, a, b) __extension__({ type __a = (a), __b = (b); __a < __b ? __a : __b; })
#define max_t(type, a, b) __extension__({ type __a = (a), __b = (b); __a > __b ? __a : __b; })
#define clamp_t(type, v, lo, hi) min_t(type, max_t(type, v, lo), hi)
#define clamp(v, lo, hi) clamp_t(__typeof__(v), v, lo, hi)
#define min(a, b) min_t(__typeof__((a) + (b)), a, b)
#define max(a, b) max_t(__typeof__((a) + (b)), a, b)

#endif /* SHIM_LINUX_MINMAX_H */
