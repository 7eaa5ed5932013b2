/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Results of many nodes in the format of SuperBench: which node differs.
 */
#ifndef MRCD_RESULTS_H
#define MRCD_RESULTS_H

int results_judge(const char *file, const char *rules);

#endif /* MRCD_RESULTS_H */
