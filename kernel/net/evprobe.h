/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * EV probes of the operator: which paths to a peer answer, and how soon.
 */
#ifndef MRC_NET_EVPROBE_H
#define MRC_NET_EVPROBE_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/workqueue.h>
#include "core/evprobe.h"
#include "net/sid.h"

struct mrc_flow;
struct mrc_nic;
struct mrc_pkt;
struct netlink_ext_ack;

/* Rounds of a NIC that may be under way, and the longest time for answers. */
#define MRC_EVPROBE_ROUNDS 16
#define MRC_EVPROBE_TIMEOUT_MS 10000

/**
 * struct mrc_evprobe_want - a path that is to be probed
 * @ev: entropy value
 * @plane: 1-based port; 0: any that has a path of this name
 */
struct mrc_evprobe_want {
	u32 ev;
	u8 plane;
};

/**
 * struct mrc_evprobe_ask - what the operator wants to know
 * @nic: NIC; holds a reference
 * @dgid: the peer (IPv4 as ::ffff:a.b.c.d)
 * @sgid: own address; the unspecified one: whichever the host would use
 * @timeout_ms: how long to wait for answers, 1..MRC_EVPROBE_TIMEOUT_MS
 * @plane: only paths of this 1-based port; 0: of all
 * @n: entries of @want; 0: all paths to the peer that are not forbidden
 * @want: which paths
 * @done: called with the result, by a work item; frees what the ask is in
 * @round: result
 * @sids: outer destinations of the probes
 * @srv6: there are such
 * @v4: the peer is IPv4
 * @all_sent: all probes have left; under the NIC's ep.lock
 * @node: in the list of rounds under way; under the NIC's ep.lock
 * @work: ends the round
 */
struct mrc_evprobe_ask {
	struct mrc_nic *nic;
	struct in6_addr dgid;
	struct in6_addr sgid;
	u32 timeout_ms;
	u8 plane;
	u16 n;
	struct mrc_evprobe_want want[MRC_EV_MAX];
	void (*done)(struct mrc_evprobe_ask *ask);
	struct mrc_evprobe_round round;
	struct mrc_sid sids[MRC_EV_MAX];
	bool srv6;
	bool v4;
	bool all_sent;
	struct list_head node;
	struct delayed_work work;
};

int mrc_evprobe_start(struct mrc_evprobe_ask *ask,
		      struct netlink_ext_ack *extack);
bool mrc_evprobe_on_response(struct mrc_nic *nic, const struct mrc_flow *reply,
			     u8 plane, const struct mrc_pkt *pkt, u64 now);
void mrc_evprobe_stop(struct mrc_nic *nic);

int mrc_evprobe_wq_init(void);
void mrc_evprobe_wq_exit(void);

#endif /* MRC_NET_EVPROBE_H */
