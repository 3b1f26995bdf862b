/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One test after the other, as KTAP. For programs that run in a guest, where
 * nothing but a C library is; kselftest.h is only in a kernel tree.
 */
#ifndef KTAP_H
#define KTAP_H

#include <stdio.h>

#include "stdout.h"

#define KSFT_PASS	0
#define KSFT_FAIL	1
#define KSFT_SKIP	4

static int ktap_failed, ktap_any_failed;
static unsigned int ktap_nr;

#define FAIL(...)				\
	do {					\
		printf("# " __VA_ARGS__);	\
		printf("\n");			\
		ktap_failed = 1;		\
	} while (0)

/* The result of the test that ends here; the next one begins. Whoever waits sees it. */
static inline void end(const char *name)
{
	printf("%s %u %s\n", ktap_failed ? "not ok" : "ok", ++ktap_nr, name);
	fflush(stdout);
	ktap_any_failed |= ktap_failed;
	ktap_failed = 0;
}

#define SKIP(_name, ...)							\
	do {									\
		printf("ok %u %s # SKIP ", ++ktap_nr, _name);			\
		printf(__VA_ARGS__);						\
		printf("\n");							\
	} while (0)

/* What main() returns. */
static inline int ktap_result(void)
{
	return ktap_any_failed ? KSFT_FAIL : KSFT_PASS;
}

#endif /* KTAP_H */
