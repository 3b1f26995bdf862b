/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a section is to those who time rows in user space.
 */
#ifndef SECTION_H
#define SECTION_H

/*
 * A section opens: save the owner's registers, if the kernel would have to. That is
 * for whoever times to know.
 */
void section_opens(void);

#endif /* SECTION_H */
