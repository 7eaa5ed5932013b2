/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * EV probes of the operator: which paths to a peer work, and their round trips.
 */
#ifndef MRC_NET_EVPROBE_H
#define MRC_NET_EVPROBE_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/workqueue.h>
#include "core/evprobe.h"
#include "path/sid.h"

struct mrc_flow;
struct mrc_nic;
struct mrc_pkt;
struct netlink_ext_ack;

/* Rounds that a NIC may have at a time, and the longest wait for responses. */
#define MRC_EVPROBE_ROUNDS 16
#define MRC_EVPROBE_TIMEOUT_MS 10000

/**
 * struct mrc_evprobe_target - a path to be probed
 * @ev: entropy value
 * @plane: 1-based port; 0: all ports that have a path with this EV
 */
struct mrc_evprobe_target {
	u32 ev;
	u8 plane;
};

/**
 * struct mrc_evprobe_job - a round of EV probes that the operator requests
 * @nic: NIC; holds a reference
 * @dgid: address of the peer (IPv4 as ::ffff:a.b.c.d)
 * @sgid: own address; the unspecified address: chosen by the host
 * @timeout_ms: how long to wait for responses, 1..MRC_EVPROBE_TIMEOUT_MS
 * @plane: probe only paths of this 1-based port; 0: of all ports
 * @n: entries of @target; 0: all paths to the peer that no rule denies
 * @target: paths to be probed
 * @done: called by a work item when the round has ended; frees the object that
 *	contains the job
 * @round: result
 * @sids: outer destinations of the probes, valid with @srv6
 * @srv6: the paths have outer destinations
 * @v4: addresses are IPv4
 * @all_sent: all probes have been sent; under the NIC's ep.lock
 * @node: in the NIC's ep.rounds; under the NIC's ep.lock
 * @work: ends the round
 *
 * The caller fills in the fields up to @done and leaves the others zero.
 */
struct mrc_evprobe_job {
	struct mrc_nic *nic;
	struct in6_addr dgid;
	struct in6_addr sgid;
	u32 timeout_ms;
	u8 plane;
	u16 n;
	struct mrc_evprobe_target target[MRC_EV_MAX];
	void (*done)(struct mrc_evprobe_job *job);
	struct mrc_evprobe_round round;
	struct mrc_sid sids[MRC_EV_MAX];
	bool srv6;
	bool v4;
	bool all_sent;
	struct list_head node;
	struct delayed_work work;
};

int mrc_evprobe_start(struct mrc_evprobe_job *job,
		      struct netlink_ext_ack *extack);
void mrc_evprobe_rx(struct mrc_nic *nic, const struct mrc_flow *reply,
		    u8 plane, const struct mrc_pkt *pkt, u64 now);
void mrc_evprobe_stop(struct mrc_nic *nic);

int mrc_evprobe_wq_init(void);
void mrc_evprobe_wq_exit(void);

#endif /* MRC_NET_EVPROBE_H */
