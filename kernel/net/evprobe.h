/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * EV probes of the operator: which paths to a peer work, and their round trips.
 */
#ifndef MRC_NET_EVPROBE_H
#define MRC_NET_EVPROBE_H

#include <linux/hrtimer.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <linux/workqueue.h>
#include "core/drop.h"
#include "core/evprobe.h"
#include "path/sid.h"

struct mrc_flow;
struct mrc_nic;
struct mrc_pkt;
struct netlink_ext_ack;

/* Rounds that a NIC may have at a time, and the longest wait for responses. */
#define MRC_EVPROBE_ROUNDS 16
#define MRC_EVPROBE_TIMEOUT_MS 10000
#define MRC_EVPROBE_TIMEOUT_NS (MRC_EVPROBE_TIMEOUT_MS * (u64)NSEC_PER_MSEC)

/**
 * enum mrc_evprobe_route - how the probe of a target is sent
 * @MRC_EVPROBE_PATH: on the path of queue pairs with its EV and port, if there is one,
 *	otherwise as PLAIN
 * @MRC_EVPROBE_PLAIN: to the peer itself
 * @MRC_EVPROBE_SRV6: to its SID
 */
enum mrc_evprobe_route {
	MRC_EVPROBE_PATH,
	MRC_EVPROBE_PLAIN,
	MRC_EVPROBE_SRV6,
};

/**
 * struct mrc_evprobe_target - a path to be probed
 * @ev: entropy value
 * @plane: 1-based port; 0: all ports that have a path with this EV; of a job with
 *	@multi not 0
 * @route: of a job with @multi: enum mrc_evprobe_route
 * @dgid: of a job with @multi: address of the peer
 * @sgid: of a job with @multi: own address; the unspecified address: chosen by the
 *	host
 * @sid: with MRC_EVPROBE_SRV6: outer destination
 */
struct mrc_evprobe_target {
	u32 ev;
	u8 plane;
	u8 route;
	struct in6_addr dgid;
	struct in6_addr sgid;
	struct mrc_sid sid;
};

/**
 * struct mrc_evprobe_job - a round of EV probes that the operator requests
 * @nic: NIC; holds a reference
 * @multi: each target has addresses of its own; probe i is that of target i
 * @dgid: without @multi: address of the peer (IPv4 as ::ffff:a.b.c.d)
 * @sgid: without @multi: own address; the unspecified address: chosen by the host
 * @timeout_ns: how long to wait for responses, 1..MRC_EVPROBE_TIMEOUT_NS
 * @op: enum mrc_ep_op
 * @tos: traffic class of the requests
 * @ports: port mask of the requests; 0: ports that are up
 * @plane: probe only paths of this 1-based port; 0: of all ports
 * @n: entries of @target; 0: all paths to the peer that no rule denies
 * @target: paths to be probed
 * @done: called by a work item when the round has ended; frees the object that
 *	contains the job
 * @round: result
 * @sids: outer destinations of the probes
 * @srv6: the probe has an outer destination
 * @all_sent: all probes have been sent; under the NIC's ep.lock
 * @node: in the NIC's ep.rounds; under the NIC's ep.lock
 * @timer: ends the wait for responses
 * @work: ends the round
 *
 * The caller fills in the fields up to @done and leaves the others zero.
 */
struct mrc_evprobe_job {
	struct mrc_nic *nic;
	bool multi;
	struct in6_addr dgid;
	struct in6_addr sgid;
	u64 timeout_ns;
	u8 op;
	u8 tos;
	u32 ports;
	u8 plane;
	u16 n;
	struct mrc_evprobe_target target[MRC_EVPROBE_MAX];
	void (*done)(struct mrc_evprobe_job *job);
	struct mrc_evprobe_round round;
	struct mrc_sid sids[MRC_EVPROBE_MAX];
	bool srv6[MRC_EVPROBE_MAX];
	bool all_sent;
	struct list_head node;
	struct hrtimer timer;
	struct work_struct work;
};

/**
 * mrc_evprobe_dst() - address of the peer of a probe
 * @job: round
 * @i: index of the probe
 *
 * Return: the address.
 */
static inline const struct in6_addr *
mrc_evprobe_dst(const struct mrc_evprobe_job *job, u16 i)
{
	return job->multi ? &job->target[i].dgid : &job->dgid;
}

/**
 * mrc_evprobe_src() - own address of a probe
 * @job: round that has been started
 * @i: index of the probe
 *
 * Return: the address.
 */
static inline const struct in6_addr *
mrc_evprobe_src(const struct mrc_evprobe_job *job, u16 i)
{
	return job->multi ? &job->target[i].sgid : &job->sgid;
}

int mrc_evprobe_start(struct mrc_evprobe_job *job,
		      struct netlink_ext_ack *extack);
enum mrc_drop mrc_evprobe_rx(struct mrc_nic *nic, const struct mrc_flow *reply,
			     u8 plane, const struct mrc_pkt *pkt, u64 now);
void mrc_evprobe_stop(struct mrc_nic *nic);

int mrc_evprobe_wq_init(void);
void mrc_evprobe_wq_exit(void);

#endif /* MRC_NET_EVPROBE_H */
