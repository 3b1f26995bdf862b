/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SEQ_FILE_H
#define SHIM_LINUX_SEQ_FILE_H

#include <stdio.h>

struct seq_file {
	FILE *out;
};

#define seq_printf(m, ...)	fprintf((m)->out, __VA_ARGS__)
#define seq_puts(m, s)		fputs(s, (m)->out)
#define seq_putc(m, c)		fputc(c, (m)->out)

#endif /* SHIM_LINUX_SEQ_FILE_H */
