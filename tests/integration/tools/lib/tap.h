/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Test Anything Protocol.
 */
#ifndef MRC_TEST_TAP_H
#define MRC_TEST_TAP_H

#include <stdbool.h>

bool tap_ok(bool ok, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void tap_skip(const char *name, const char *why);
void tap_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int tap_done(void);

#endif /* MRC_TEST_TAP_H */
