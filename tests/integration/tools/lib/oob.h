/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Out-of-band TCP connection between the two sides of a test.
 */
#ifndef MRC_TEST_OOB_H
#define MRC_TEST_OOB_H

#include <stddef.h>

int oob_accept(const char *port);
int oob_connect(const char *host, const char *port);
int oob_exchange(int fd, const void *mine, void *theirs, size_t len);
int oob_barrier(int fd);

#endif /* MRC_TEST_OOB_H */
