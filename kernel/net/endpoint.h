/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Endpoint operations: packets from device to device rather than from QP to QP
 * (MRC 1.0 sections 7.4.7, 7.4.8 and 7.5.5).
 */
#ifndef MRC_NET_ENDPOINT_H
#define MRC_NET_ENDPOINT_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include "core/packet.h"
#include "core/rate.h"
#include "core/wire.h"

struct mrc_flow;
struct mrc_nic;

/* What a device understands. */
#define MRC_ENDPOINT_CAPS (MRC_CAP_NOICRC | MRC_CAP_SEND | \
			   MRC_CAP_SVC_TIME | MRC_CAP_READ | MRC_CAP_INV)

/*
 * What a device asks of others at most, and what each of those it has
 * connections to may ask of it: ten requests for all paths of a peer.
 */
enum {
	MRC_ENDPOINT_PROBES = 10000,		/* per second */
	MRC_ENDPOINT_PROBES_AT_ONCE = 2560,
};

/**
 * struct mrc_endpoint - endpoint operations of a NIC
 * @lock: protects what follows; BH-safe, a leaf
 * @answers: how many requests of strangers are answered
 * @probes: how many EV probes are sent
 * @rounds: rounds of EV probes that are under way
 * @n_rounds: how many
 * @stopped: no more rounds
 */
struct mrc_endpoint {
	spinlock_t lock; /* all below */
	struct mrc_rate answers;
	struct mrc_rate probes;
	struct list_head rounds;
	u8 n_rounds;
	bool stopped;
};

void mrc_endpoint_init(struct mrc_endpoint *ep);
u16 mrc_endpoint_caps(const struct mrc_nic *nic);
int mrc_endpoint_send(struct mrc_nic *nic, const struct mrc_flow *flow,
		      const struct mrc_pkt_endpoint *e, bool request);
void mrc_endpoint_on_request(struct mrc_nic *nic, const struct mrc_flow *reply,
			     const struct mrc_pkt *pkt, u64 came);

#endif /* MRC_NET_ENDPOINT_H */
