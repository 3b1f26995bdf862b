/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_CFI_TYPES_H
#define SHIM_LINUX_CFI_TYPES_H

#define SYM_TYPED_FUNC_START(name) SYM_FUNC_START(name)

#endif /* SHIM_LINUX_CFI_TYPES_H */
