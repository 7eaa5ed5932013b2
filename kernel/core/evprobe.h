/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * EV probes: endpoint requests that ask a device for a sign of life over chosen
 * paths, outside of any QP (MRC 1.0 section 7.4.7).
 */
#ifndef MRC_CORE_EVPROBE_H
#define MRC_CORE_EVPROBE_H

#include <linux/types.h>

#include "core/ev.h"

struct mrc_pkt_endpoint;

/*
 * Request ids of probes have the upper bit, those of the exchange that finds
 * out what a peer is have not: so none is ever in use twice.
 */
#define MRC_EVPROBE_ID 0x8000
#define MRC_EVPROBE_ID_MASK 0x7fff

/**
 * enum mrc_evprobe_state - what became of a probe
 * @MRC_EVPROBE_NEW: it has not been sent
 * @MRC_EVPROBE_WAITING: it has been sent, nothing has come back
 * @MRC_EVPROBE_ANSWERED: it has been answered
 * @MRC_EVPROBE_DENIED: not sent: the operator forbids the path
 * @MRC_EVPROBE_PORT_DOWN: not sent: its port is down
 * @MRC_EVPROBE_NO_ROUTE: not sent: its port has no route
 * @MRC_EVPROBE_NO_PATH: not sent: there is no such path to the peer
 * @MRC_EVPROBE_NO_MEMORY: not sent: no memory for a packet
 */
enum mrc_evprobe_state {
	MRC_EVPROBE_NEW,
	MRC_EVPROBE_WAITING,
	MRC_EVPROBE_ANSWERED,
	MRC_EVPROBE_DENIED,
	MRC_EVPROBE_PORT_DOWN,
	MRC_EVPROBE_NO_ROUTE,
	MRC_EVPROBE_NO_PATH,
	MRC_EVPROBE_NO_MEMORY,
};

/**
 * struct mrc_evprobe - one probe
 * @sent: ns when it left
 * @ev: entropy value of its path
 * @rtt: ANSWERED: round trip in ns
 * @plane: 1-based port by which it leaves; 0: none
 * @state: enum mrc_evprobe_state
 * @port: ANSWERED: 1-based port by which the answer came; 0: none of ours
 * @adjusted: ANSWERED: @rtt is without the time that the peer kept it
 */
struct mrc_evprobe {
	u64 sent;
	u32 ev;
	u32 rtt;
	u8 plane;
	u8 state;
	u8 port;
	bool adjusted;
};

/**
 * struct mrc_evprobe_round - probes that are sent together
 * @first: request id of the first, without MRC_EVPROBE_ID; they count up
 * @n: probes
 * @waiting: those in state WAITING
 * @probe: the probes
 *
 * The owner serialises all calls.
 */
struct mrc_evprobe_round {
	u16 first;
	u16 n;
	u16 waiting;
	struct mrc_evprobe probe[MRC_EV_MAX];
};

bool mrc_evprobe_clash(const struct mrc_evprobe_round *a,
		       const struct mrc_evprobe_round *b);
void mrc_evprobe_sent(struct mrc_evprobe_round *round, u16 i, u64 now,
		      struct mrc_pkt_endpoint *e);
void mrc_evprobe_not_sent(struct mrc_evprobe_round *round, u16 i,
			  enum mrc_evprobe_state why);
bool mrc_evprobe_answer(struct mrc_evprobe_round *round,
			const struct mrc_pkt_endpoint *e, u8 port, u64 now);

#endif /* MRC_CORE_EVPROBE_H */
