/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the compiler calls at the start of each basic block.
 */
#ifndef MRC_TEST_YIELD_H
#define MRC_TEST_YIELD_H

void __sanitizer_cov_trace_pc(void);

#endif /* MRC_TEST_YIELD_H */
