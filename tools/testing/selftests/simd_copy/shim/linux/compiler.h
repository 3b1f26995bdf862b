/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_COMPILER_H
#define SHIM_LINUX_COMPILER_H

#include <sys/cdefs.h>

#define __aligned(x)		__attribute__((__aligned__(x)))
#define __cleanup(fn)		__attribute__((__cleanup__(fn)))
#define __force
#define __must_check		__attribute__((__warn_unused_result__))
#define __user
#define noinline		__attribute__((__noinline__))
#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, val)	(*(volatile __typeof__(x) *)&(x) = (val))
#define OPTIMIZER_HIDE_VAR(v)	__extension__({ asm("" : "+g" (v)); })

#endif /* SHIM_LINUX_COMPILER_H */
