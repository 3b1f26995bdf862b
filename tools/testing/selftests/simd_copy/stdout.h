/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the file with main(): results that could not be printed, for a full disk, are a
 * failure, whatever main() returns.
 */
#ifndef STDOUT_H
#define STDOUT_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void stdout_check(void)
{
	if (ferror(stdout) | fflush(stdout)) {
		fprintf(stderr, "error: cannot write to standard output: %m\n");
		_exit(EXIT_FAILURE);
	}
}

__attribute__((constructor)) static void stdout_watch(void)
{
	atexit(stdout_check);
}

#endif /* STDOUT_H */
