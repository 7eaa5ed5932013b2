/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Groups of negative tests.
 */
#ifndef MRC_TEST_VERBS_ERRORS_H
#define MRC_TEST_VERBS_ERRORS_H

#include "pair.h"
#include "tap.h"

void bad_send(void);
void bad_post(void);
void bad_qp(void);
void bad_resource(void);
void bad_event(void);
void bad_rd_atomic(void);
void bad_wr(void);
void bad_abi(void);

#endif /* MRC_TEST_VERBS_ERRORS_H */
