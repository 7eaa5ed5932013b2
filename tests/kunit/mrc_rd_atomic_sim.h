/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two QPs send each other READs, ATOMICs and WRITEs, over a network that loses,
 * duplicates, trims and reorders packets.  Unlike in mrc_sim.h both QPs send,
 * packets carry payload, and hosts have memory; paths and time are not checked.
 *
 *   mrc_rd_atomic_sim.c		hosts and network
 *   mrc_rd_atomic_sim_test.c	work requests, and their expected results
 */
#ifndef MRC_RD_ATOMIC_SIM_H
#define MRC_RD_ATOMIC_SIM_H

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "core/rd_atomic.h"
#include "core/ev.h"
#include "core/requester.h"
#include "core/responder.h"
#include "core/rd_pending.h"
#include "core/rnd.h"

#define RDA_US		1000ULL
#define RDA_MS		1000000ULL
/* Probabilities, of 65536. */
#define RDA_PERCENT	655
#define RDA_PMTU	256
#define RDA_OPS		96
#define RDA_EVENTS	2048
/* Bytes of a message; more than a burst and its remainder. */
#define RDA_LEN_MAX	4000
/* Memory of a side: constant bytes, counters of FetchAdd, cells. */
#define RDA_CONST	8192
#define RDA_COUNTERS	4
#define RDA_CELLS	RDA_OPS

/**
 * struct rda_op - a work request and its result
 * @flags: enum mrc_msg_flags
 * @raddr: offset in the memory of the peer
 * @length: bytes
 * @swap: operand
 * @compare: operand
 * @status: enum mrc_status of its completion
 * @done: it has completed
 * @orig: ATOMIC: original value of the response
 * @buf: READ: destination; WRITE: source
 */
struct rda_op {
	u16 flags;
	u32 raddr;
	u32 length;
	u64 swap;
	u64 compare;
	u8 status;
	bool done;
	u64 orig;
	u8 buf[RDA_LEN_MAX];
};

/**
 * struct rda_side - a host with one QP
 * @req: requester
 * @rsp: responder
 * @rd_pending: requests whose response is not complete
 * @evs: paths
 * @cursor: of the choice of paths for acknowledgments
 * @op: work requests
 * @n_ops: number of @op
 * @posted: work requests posted so far
 * @n_done: work requests completed so far
 * @executed: ATOMICs executed
 * @max_pending: most requests that were pending at a time
 * @dead: drops all that it receives
 * @idle: executes no requests
 * @nak: refuses requests with this syndrome when it executes them, unless 0
 * @constant: memory that is only read
 * @counter: memory for FetchAdd
 * @cell: memory that is written and read, and for CmpSwap
 * @scratch: memory that is only written
 */
struct rda_side {
	struct mrc_req req;
	struct mrc_rsp rsp;
	struct mrc_rd_pending rd_pending;
	struct mrc_ev_set *evs;
	u16 cursor;
	struct rda_op op[RDA_OPS];
	u32 n_ops;
	u32 posted;
	u32 n_done;
	u32 executed;
	u32 max_pending;
	bool dead;
	bool idle;
	u8 nak;
	u8 constant[RDA_CONST] __aligned(8);
	u64 counter[RDA_COUNTERS];
	u64 cell[RDA_CELLS];
	u8 scratch[RDA_LEN_MAX];
};

/**
 * struct rda_event - a data packet or acknowledgments in transit
 * @at: ns of its arrival; 0: the slot is free
 * @to: receiving side
 * @ev: entropy value
 * @trim: the payload was cut off
 * @hdr_len: bytes of headers (data)
 * @pkt_len: bytes of the whole packet (data)
 * @seg: bytes of every packet but the last (acknowledgments); 0: data
 * @len: bytes in @buf
 * @buf: packet or packets
 */
struct rda_event {
	u64 at;
	u8 to;
	u32 ev;
	bool trim;
	u16 hdr_len;
	u16 pkt_len;
	u16 seg;
	u16 len;
	u8 buf[MRC_ACK_BATCH_MAX];
};

/**
 * struct rda_cfg - what differs between runs
 * @loss: of data packets; this and the following: probability / 65536
 * @ctl_loss: of acknowledgments
 * @dup: of data packets arriving twice
 * @trim: of data packets being trimmed
 * @jitter: ns; upper bound of an additional random delay
 * @max_rd_atomic: outstanding requests of a requester
 * @max_dest_rd_atomic: responder resources; 0: the same
 * @first: number of the first request
 */
struct rda_cfg {
	u32 loss;
	u32 ctl_loss;
	u32 dup;
	u32 trim;
	u64 jitter;
	u32 max_rd_atomic;
	u32 max_dest_rd_atomic;
	u16 first;
};

/**
 * struct rda_sim - a simulation
 * @test: for expectations
 * @cfg: parameters
 * @now: ns
 * @rnd: state of the random numbers
 * @side: both hosts
 * @event: packets in transit
 */
struct rda_sim {
	struct kunit *test;
	struct rda_cfg cfg;
	u64 now;
	u64 rnd;
	struct rda_side side[2];
	struct rda_event event[RDA_EVENTS];
};

struct rda_sim *rda_sim_alloc(struct kunit *test);
void rda_sim_init(struct rda_sim *sim, const struct rda_cfg *cfg, u64 seed);
void rda_sim_free(struct rda_sim *sim);
void rda_sim_run(struct rda_sim *sim, u64 until);
bool rda_sim_over(const struct rda_sim *sim);
struct rda_op *rda_sim_op(struct rda_sim *sim, u8 side, u16 flags, u32 raddr,
			  u32 length);

static inline u8 rda_octet(u8 side, u32 at)
{
	return (at * 2654435761U >> 13) + 101 * side;
}

#endif /* MRC_RD_ATOMIC_SIM_H */
