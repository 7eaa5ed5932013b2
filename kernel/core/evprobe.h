/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * EV probes: endpoint requests that test chosen paths to a device, outside of
 * any QP (MRC 1.0 section 7.4.7).
 */
#ifndef MRC_CORE_EVPROBE_H
#define MRC_CORE_EVPROBE_H

#include <linux/types.h>

#include "core/ev.h"

struct mrc_pkt_endpoint;

/*
 * Request ids of probes have the upper bit set, those of the endpoint exchange
 * that detects a peer's capabilities do not, so no id is in use twice.
 */
#define MRC_EVPROBE_ID 0x8000
#define MRC_EVPROBE_ID_MASK 0x7fff
/*
 * Probes of a round: a free range of ids is found however the ranges of 15 other
 * rounds are placed.
 */
#define MRC_EVPROBE_MAX 1024

/**
 * enum mrc_evprobe_state - state of a probe
 * @MRC_EVPROBE_NEW: not sent yet
 * @MRC_EVPROBE_PENDING: sent, no response yet
 * @MRC_EVPROBE_RESPONDED: the response has arrived
 * @MRC_EVPROBE_DENIED: not sent: the operator forbids the path
 * @MRC_EVPROBE_PORT_DOWN: not sent: the port is down
 * @MRC_EVPROBE_NO_ROUTE: not sent: the port has no route to the peer
 * @MRC_EVPROBE_NO_PATH: not sent: there is no such path to the peer
 * @MRC_EVPROBE_NO_MEMORY: not sent: no memory for a packet
 */
enum mrc_evprobe_state {
	MRC_EVPROBE_NEW,
	MRC_EVPROBE_PENDING,
	MRC_EVPROBE_RESPONDED,
	MRC_EVPROBE_DENIED,
	MRC_EVPROBE_PORT_DOWN,
	MRC_EVPROBE_NO_ROUTE,
	MRC_EVPROBE_NO_PATH,
	MRC_EVPROBE_NO_MEMORY,
};

/**
 * struct mrc_evprobe - one probe
 * @sent: ns when it was sent
 * @ev: entropy value of its path
 * @rtt: RESPONDED: round trip in ns
 * @plane: plane of its path, from 1; 0: none
 * @state: enum mrc_evprobe_state
 * @port: RESPONDED: port that received the response, from 1; 0: no port of the
 *	device
 * @adjusted: RESPONDED: the peer's service time has been subtracted from @rtt
 * @has_ports: RESPONDED: @ports is valid
 * @ports: RESPONDED: ports that the peer reports as up, bit p-1 for port p
 */
struct mrc_evprobe {
	u64 sent;
	u32 ev;
	u32 rtt;
	u8 plane;
	u8 state;
	u8 port;
	bool adjusted;
	bool has_ports;
	u32 ports;
};

/**
 * struct mrc_evprobe_round - probes that are sent together
 * @first: request id of the first probe, without MRC_EVPROBE_ID; the others
 *	have consecutive ids
 * @n: probes
 * @n_pending: probes in state PENDING
 * @op: enum mrc_ep_op
 * @probe: the probes
 *
 * The caller serialises all calls.
 */
struct mrc_evprobe_round {
	u16 first;
	u16 n;
	u16 n_pending;
	u8 op;
	struct mrc_evprobe probe[MRC_EVPROBE_MAX];
};

bool mrc_evprobe_ids_overlap(const struct mrc_evprobe_round *a,
			     const struct mrc_evprobe_round *b);
void mrc_evprobe_sent(struct mrc_evprobe_round *round, u16 i, u64 now,
		      struct mrc_pkt_endpoint *e);
void mrc_evprobe_not_sent(struct mrc_evprobe_round *round, u16 i,
			  enum mrc_evprobe_state why);
int mrc_evprobe_find(const struct mrc_evprobe_round *round,
		     const struct mrc_pkt_endpoint *e);
bool mrc_evprobe_response(struct mrc_evprobe_round *round,
			  const struct mrc_pkt_endpoint *e, u8 port,
			  u64 now);

#endif /* MRC_CORE_EVPROBE_H */
