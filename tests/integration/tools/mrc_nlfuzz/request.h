/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requests that are likely to be accepted.
 */
#ifndef MRC_NLFUZZ_REQUEST_H
#define MRC_NLFUZZ_REQUEST_H

#include <netinet/in.h>

#include "tree.h"

/**
 * struct subject - what the requests are about
 * @dev: name of the device; others are made and deleted
 * @peer: address of a peer in use
 * @ifindex: net_devices that no device has
 * @n_ifindex: how many
 * @qpn: queue pairs that send data
 * @n_qpn: how many
 */
struct subject {
	const char *dev;
	struct in6_addr peer;
	uint32_t ifindex[4];
	int n_ifindex;
	uint32_t qpn[16];
	int n_qpn;
};

void request_make(struct tree *t, struct rng *r, const struct subject *s,
		  const struct spec_op *op, const struct spec_list *list);

#endif /* MRC_NLFUZZ_REQUEST_H */
