/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_EXPORT_H
#define SHIM_LINUX_EXPORT_H

#define SIMD_EXPORT_FOR_TESTS(symbol)	extern typeof(symbol) symbol

#endif /* SHIM_LINUX_EXPORT_H */
