/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Messages to the kernel, many at once, and the verdict on each.
 */
#ifndef MRC_NLFUZZ_TALK_H
#define MRC_NLFUZZ_TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <libmnl/libmnl.h>

/* Messages that are sent at once, and the largest. */
#define TALK_BATCH	32
#define TALK_ROOM	2048
/* What is kept of a text. */
#define TALK_WORDS	96

/**
 * struct verdict - how a request ended
 * @error: errno, 0 if it was carried out
 * @words: why the kernel refused it; empty if it did not say
 */
struct verdict {
	int error;
	char words[TALK_WORDS];
};

/**
 * struct talk - a connection to the family
 * @sock: socket
 * @family: number of the family
 * @seq: number of the first request of the batch
 * @n: requests in the batch
 * @len: bytes of the batch
 * @batch: requests
 * @got: which have a verdict
 * @verdict: these
 */
struct talk {
	struct mnl_socket *sock;
	uint16_t family;
	uint32_t seq;
	int n;
	size_t len;
	char batch[TALK_BATCH * TALK_ROOM];
	bool got[TALK_BATCH];
	struct verdict verdict[TALK_BATCH];
};

int talk_open(struct talk *t, const char *family);
void talk_close(struct talk *t);
struct nlmsghdr *talk_add(struct talk *t, uint8_t cmd, uint16_t flags);
void talk_added(struct talk *t, const struct nlmsghdr *nlh);
int talk_send(struct talk *t);
int talk_read(struct talk *t, int most);

#endif /* MRC_NLFUZZ_TALK_H */
