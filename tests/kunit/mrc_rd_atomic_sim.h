/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two QPs that read from each other's memory and count in it, over a network that
 * loses, duplicates, trims and reorders.  Unlike in mrc_sim.h both send, payload
 * is carried, and there is memory; paths and time are of no interest.
 *
 *   mrc_rd_atomic_sim.c		hosts and network
 *   mrc_rd_atomic_sim_test.c	what is done, and what must come of it
 */
#ifndef MRC_ASK_SIM_H
#define MRC_ASK_SIM_H

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "core/rd_atomic.h"
#include "core/ev.h"
#include "core/requester.h"
#include "core/responder.h"
#include "core/rd_pending.h"
#include "core/rnd.h"

#define ASK_US		1000ULL
#define ASK_MS		1000000ULL
/* Probabilities, of 65536. */
#define ASK_PER_CENT	655
#define ASK_PMTU	256
#define ASK_OPS		96
#define ASK_EVENTS	2048
/* Octets of a message; more than a burst and its remainder. */
#define ASK_LEN_MAX	4000
/* A side's memory: constant octets, counters, cells, room for WRITEs. */
#define ASK_CONST	8192
#define ASK_COUNTERS	4
#define ASK_CELLS	ASK_OPS

/**
 * struct rda_op - a work request and what becomes of it
 * @flags: enum mrc_msg_flags
 * @raddr: offset in the memory of the peer
 * @length: bytes
 * @swap: operand
 * @compare: operand
 * @status: it ended with that
 * @done: it has ended
 * @orig: ATOMIC: what it returned
 * @buf: READ: where to; WRITE: from where
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
	u8 buf[ASK_LEN_MAX];
};

/**
 * struct rda_side - a host with one QP
 * @req: requester
 * @rsp: responder
 * @rd_pending: between the two
 * @evs: paths
 * @cursor: of the choice of paths for answers
 * @op: work requests
 * @n_ops: their number
 * @posted: posted so far
 * @n_done: ended so far
 * @executed: ATOMICs carried out
 * @most: most requests that were open at a time
 * @deaf: receives nothing any more
 * @idle: carries out no request for now
 * @refuse: refuses requests at their turn with this syndrome, unless it is 0
 * @constant: memory that nobody writes to
 * @counter: memory that is counted in
 * @cell: memory that is written to and read
 * @scratch: memory that is written to
 */
struct rda_side {
	struct mrc_req req;
	struct mrc_rsp rsp;
	struct mrc_rd_pending rd_pending;
	struct mrc_ev_set *evs;
	u16 cursor;
	struct rda_op op[ASK_OPS];
	u32 n_ops;
	u32 posted;
	u32 n_done;
	u32 executed;
	u32 most;
	bool deaf;
	bool idle;
	u8 refuse;
	u8 constant[ASK_CONST] __aligned(8);
	u64 counter[ASK_COUNTERS];
	u64 cell[ASK_CELLS];
	u8 scratch[ASK_LEN_MAX];
};

/**
 * struct rda_event - a packet on its way, or some answers
 * @at: ns of its arrival; 0: the slot is free
 * @to: side
 * @ev: entropy value
 * @trim: its payload was cut off
 * @hdr_len: bytes of headers (data)
 * @pkt_len: bytes of the whole packet (data)
 * @seg: bytes of every packet but the last (answers); 0: data
 * @len: bytes in @buf
 * @buf: octets
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
 * @ctl_loss: of answers
 * @dup: of data packets arriving twice
 * @trim: of data packets being trimmed
 * @jitter: ns; packets take up to so much longer
 * @max_rd_atomic: READs and ATOMICs that a requester allows itself
 * @max_dest_rd_atomic: that a responder allows; 0: the same
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
 * struct rda_sim - the whole
 * @test: for expectations
 * @cfg: parameters
 * @now: ns
 * @rnd: generator
 * @side: both hosts
 * @event: what is on its way
 */
struct rda_sim {
	struct kunit *test;
	struct rda_cfg cfg;
	u64 now;
	u64 rnd;
	struct rda_side side[2];
	struct rda_event event[ASK_EVENTS];
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

#endif /* MRC_ASK_SIM_H */
