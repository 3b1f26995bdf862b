/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SELFTEST_H
#define SELFTEST_H

/* simdbench --selftest: KTAP. Return: exit status. */
int selftest(void);

#endif /* SELFTEST_H */
