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

/* Capabilities of this driver. */
#define MRC_ENDPOINT_CAPS (MRC_CAP_NOICRC | MRC_CAP_SEND | \
			   MRC_CAP_SVC_TIME | MRC_CAP_READ | MRC_CAP_INV | \
			   MRC_CAP_PADDED_PROBE)

/*
 * Limits of EV probes that a device sends, and of requests of one peer to which
 * a device responds.  The burst is ten requests for each path to a peer.
 */
enum {
	MRC_ENDPOINT_REQ_RATE = 10000,		/* per second */
	MRC_ENDPOINT_REQ_BURST = 2560,
};

/**
 * struct mrc_endpoint - endpoint operations of a NIC
 * @lock: protects all other fields; BH-safe, a leaf
 * @rsp_rate: limits responses to devices that are not peers, together
 * @probe_rate: limits EV probes
 * @rounds: rounds of EV probes that have not ended
 * @n_rounds: number of these rounds
 * @stopped: no further round may start
 */
struct mrc_endpoint {
	spinlock_t lock; /* all below */
	struct mrc_rate rsp_rate;
	struct mrc_rate probe_rate;
	struct list_head rounds;
	u8 n_rounds;
	bool stopped;
};

void mrc_endpoint_init(struct mrc_endpoint *ep);
u16 mrc_endpoint_caps(const struct mrc_nic *nic);
int mrc_endpoint_send(struct mrc_nic *nic, const struct mrc_flow *flow,
		      const struct mrc_pkt_endpoint *e, bool request);
void mrc_endpoint_on_request(struct mrc_nic *nic, const struct mrc_flow *reply,
			     const struct mrc_pkt *pkt, u64 arrived);

#endif /* MRC_NET_ENDPOINT_H */
