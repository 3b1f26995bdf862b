/* SPDX-License-Identifier: GPL-2.0 */
#ifndef REGRET_H
#define REGRET_H

/*
 * How good the kernel's choice is, on this machine, or on a recorded one if @recording is
 * the path of a recording. Return: exit status.
 */
int regret(const char *recording);

/* How often it chooses a row that is stock's own code. Return: exit status. */
int placebo(const char *recording);

#endif /* REGRET_H */
