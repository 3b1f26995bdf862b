/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FPSWITCH_H
#define FPSWITCH_H

/* simdbench fpswitch. Return: exit status. */
int fpswitch(void);

#endif /* FPSWITCH_H */
