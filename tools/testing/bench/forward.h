/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FORWARD_H
#define FORWARD_H

#include "probe.h"

/* By width of the store, and of the load: turns of that in 64 bytes of memory. */
extern void (*const forward_table[NR_WIDTHS][NR_WIDTHS])(void *data, unsigned long turns);

#endif /* FORWARD_H */
