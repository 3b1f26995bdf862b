/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_EXPORT_H
#define SHIM_LINUX_EXPORT_H

#define EXPORT_SYMBOL_GPL(symbol)	_Static_assert(1, "no modules here")

#endif /* SHIM_LINUX_EXPORT_H */
