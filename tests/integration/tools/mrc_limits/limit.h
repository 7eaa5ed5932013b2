/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Limits that are not numbers of objects.
 */
#ifndef MRC_TEST_LIMIT_H
#define MRC_TEST_LIMIT_H

void limit_element(void);
void limit_wqe(void);
void limit_message(void);
void limit_memory(void);

#endif /* MRC_TEST_LIMIT_H */
