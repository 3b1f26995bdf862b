/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNPREDICTED_H
#define UNPREDICTED_H

#include "measure.h"

/* run(s, dst, src, len), where no CPU can tell that it goes there. */
void call_unpredicted(const struct subject *s, void *dst, const void *src, unsigned long len,
		      void (*run)(const struct subject *s, void *dst, const void *src,
				  unsigned long len));

#endif /* UNPREDICTED_H */
