/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The endpoint exchange with one peer: which responses are believed, and what a
 * reported port mask changes.
 */
#ifndef MRC_CORE_EP_EXCHANGE_H
#define MRC_CORE_EP_EXCHANGE_H

#include <linux/types.h>

struct mrc_pkt_endpoint;

/**
 * struct mrc_ep_req - an endpoint request, or a port status update
 * @wanted: no response has been accepted yet
 * @open: the request has been sent, its response is accepted
 * @wrong: responses received meanwhile that do not match
 * @id: request id
 * @ts: timestamp field
 * @expires: ns when the request has to be replaced by another one
 *
 * Who cannot read the packets of this device has to guess @id and @ts, which are
 * random, to forge a response.  The caller serialises all calls.
 */
struct mrc_ep_req {
	bool wanted;
	bool open;
	u8 wrong;
	u16 id;
	u16 ts;
	u64 expires;
};

/**
 * enum mrc_ep_verdict - what a response is to a request
 * @MRC_EP_RIGHT: its response, the first one
 * @MRC_EP_LATE: its response, but the request is not open any more
 * @MRC_EP_WRONG: not its response
 */
enum mrc_ep_verdict {
	MRC_EP_RIGHT,
	MRC_EP_LATE,
	MRC_EP_WRONG,
};

/**
 * struct mrc_ep_ports - ports of a peer
 * @mask: bit p-1 set: port p is up, by the reports so far
 * @seen: bit p-1 set: port p has been reported as up
 * @doubted: bit p-1 set: port p is up, but the latest response reports it as down
 *
 * The caller serialises all calls.
 */
struct mrc_ep_ports {
	u32 mask;
	u32 seen;
	u32 doubted;
};

void mrc_ep_req_want(struct mrc_ep_req *req);
void mrc_ep_req_cancel(struct mrc_ep_req *req);
void mrc_ep_req_fill(struct mrc_ep_req *req, u32 random, u16 other_id, u64 now,
		     struct mrc_pkt_endpoint *e);
enum mrc_ep_verdict mrc_ep_req_response(struct mrc_ep_req *req,
					const struct mrc_pkt_endpoint *e,
					u64 now);
bool mrc_ep_req_wrong(struct mrc_ep_req *req);

bool mrc_ep_ports_response(struct mrc_ep_ports *p, u32 mask);
void mrc_ep_ports_set(struct mrc_ep_ports *p, u32 mask);
u32 mrc_ep_ports_usable(const struct mrc_ep_ports *p);

#endif /* MRC_CORE_EP_EXCHANGE_H */
