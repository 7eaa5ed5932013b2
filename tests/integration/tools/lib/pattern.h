/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Message contents that depend on the sender, on the number of the message and on
 * the offset: bytes that are lost, stale, repeated or misplaced do not match.
 */
#ifndef MRC_TEST_PATTERN_H
#define MRC_TEST_PATTERN_H

#include <stddef.h>
#include <stdint.h>

uint64_t pattern_base(uint64_t seed, uint32_t stream, uint64_t number);
void pattern_fill(void *buf, size_t len, uint64_t base);
size_t pattern_check(const void *buf, size_t len, uint64_t base);

#endif /* MRC_TEST_PATTERN_H */
