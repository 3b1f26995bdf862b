/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_LINKAGE_H
#define SHIM_LINUX_LINKAGE_H

#define RET ret
#define SYM_FUNC_START(name) shim_func_start name
#define SYM_FUNC_END(name) shim_func_end name
#define SYM_DATA(name, ...) shim_data name, __VA_ARGS__

.macro shim_func_start name:req
	.globl	\name
	.type	\name, @function
	.balign	16
\name:
.endm

.macro shim_func_end name:req
	.size	\name, . - \name
.endm

.macro shim_data name:req, data:vararg
	.globl	\name
	.type	\name, @object
\name:
	\data
	.size	\name, . - \name
.endm

#endif /* SHIM_LINUX_LINKAGE_H */
