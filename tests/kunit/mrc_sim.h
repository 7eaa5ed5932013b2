/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A requester and a responder that talk over a model of a network: paths with
 * delay, jitter, rate, loss, duplication, trims, marks and outages.  Everything
 * follows from a seed.  Packets travel encoded; of payload only the place is
 * checked, for the core decides no more than that: every byte of every message
 * exactly once.
 *
 *   mrc_sim.c		setting up, and the loop over events
 *   mrc_sim_net.c	the network
 *   mrc_sim_host.c	both hosts
 *   mrc_sim_check.c	what must be true after every step, and at the end
 */
#ifndef MRC_SIM_H
#define MRC_SIM_H

#include <kunit/test.h>
#include <linux/kernel.h>

#include "core/lb.h"
#include "core/requester.h"
#include "core/responder.h"
#include "core/rnd.h"

#define SIM_US		1000ULL
#define SIM_MS		1000000ULL
#define SIM_PATHS	64
#define SIM_PLANES	8
#define SIM_MSGS	256
/* Of one message; a bit each in &struct sim_msg.got. */
#define SIM_MSG_PKTS	64
#define SIM_EVENTS	8192
#define SIM_PMTU	1024
#define SIM_QPN		0x123
#define SIM_NEVER	(~0ULL)
/* ns that a packet waits for its host's own wire at most. */
#define SIM_WIRE_MAX	SIM_MS
/* Long enough for everything that is not dead for good. */
#define SIM_LONG	(60000 * SIM_MS)
/* Probabilities, of 65536. */
#define SIM_PER_CENT	655

/* The one seed that is to be run, with a trace; 0: all of them, that is: .. */
#ifdef __KERNEL__
#define sim_wanted_seed()	0ULL
#define sim_wanted_seeds()	200ULL
#else
#define sim_wanted_seed()	shim_kunit_seed
/* .. as many as the user says, or over 10,000. */
#define sim_wanted_seeds()	(shim_kunit_seeds ?: 10020)
#endif

/**
 * sim_trace() - tell what happens, if somebody wants to know
 * @which: simulation
 * @fmt: as printf
 */
#define sim_trace(which, fmt, ...) do {					\
	const struct sim *__sim = (which);				\
									\
	if (__sim->trace)						\
		kunit_info(__sim->test, "%10llu ns " fmt "\n",		\
			   __sim->now - __sim->start, ##__VA_ARGS__);	\
} while (0)

/**
 * struct sim_queue - a port of a switch, one queue per direction
 * @ns_byte: ns that a byte takes on its wire; 0: there is no queue
 * @mark: ns of waiting beyond which packets are marked; 0: never
 * @max: ns of waiting that there is room for; 0: no limit
 * @trims: what finds no room is trimmed, not dropped
 * @free: ns when its wire is free, by direction
 */
struct sim_queue {
	u32 ns_byte;
	u64 mark;
	u64 max;
	bool trims;
	u64 free[2];
};

/**
 * enum sim_way - directions in which a path is dead
 * @SIM_BOTH_WAYS: neither data nor answers arrive
 * @SIM_WAY_THERE: what goes from the requester to the responder is swallowed
 * @SIM_WAY_BACK: what comes from there is
 */
enum sim_way {
	SIM_BOTH_WAYS,
	SIM_WAY_THERE,
	SIM_WAY_BACK,
};

/**
 * struct sim_path - one path, both directions alike
 * @delay: ns
 * @jitter: ns; up to so much more, differently for every burst
 * @fifo: jitter does not reorder
 * @loss: of data packets; this and the following: probability / 65536
 * @burst_loss: of whole bursts
 * @ctl_loss: of answers
 * @dup: of data packets arriving twice
 * @ce: of data packets being marked
 * @trim: of data packets being trimmed
 * @trim_last: of data packets being trimmed on the last hop
 * @dead_from: ns when it begins to swallow everything
 * @dead_to: ns when it no longer does
 * @dead_way: enum sim_way
 * @fifo_at: latest arrival, by direction
 * @queue: its narrowest port
 */
struct sim_path {
	u64 delay;
	u64 jitter;
	bool fifo;
	u32 loss;
	u32 burst_loss;
	u32 ctl_loss;
	u32 dup;
	u32 ce;
	u32 trim;
	u32 trim_last;
	u64 dead_from;
	u64 dead_to;
	u8 dead_way;
	u64 fifo_at[2];
	struct sim_queue queue;
};

/**
 * struct sim_event - something on its way
 * @at: ns of its arrival
 * @seq: order of equal times
 * @to_peer: for the host of the responder, otherwise for that of the requester
 * @at_port: has passed the port in front of the responder
 * @last: the burst ends here
 * @ce: marked
 * @trim: enum mrc_nack_reason if the payload was cut off, otherwise 0
 * @plane: it travels on
 * @ev: entropy value
 * @pkt_len: bytes of the packet with its payload (data)
 * @seg: bytes of every packet but the last (control packets); 0: data
 * @len: bytes in @buf
 * @buf: headers (data), packets (control packets)
 */
struct sim_event {
	u64 at;
	u32 seq;
	bool to_peer;
	bool at_port;
	bool last;
	bool ce;
	u8 trim;
	u8 plane;
	u32 ev;
	u16 pkt_len;
	u16 seg;
	u16 len;
	u8 buf[MRC_ACK_BATCH_MAX];
};

/**
 * struct sim_msg - what became of a message
 * @length: bytes
 * @flags: enum mrc_msg_flags
 * @got: bit per packet that was placed
 * @delivered: it consumed a receive WQE
 * @done: it completed
 */
struct sim_msg {
	u32 length;
	u16 flags;
	u64 got;
	bool delivered;
	bool done;
};

/**
 * struct sim_single - the fate of one packet
 * @wanted: there is such a packet
 * @psn: its first transmission is lost
 * @lost_at: ns when that was
 * @resent_at: ns when it was sent again
 */
struct sim_single {
	bool wanted;
	u32 psn;
	u64 lost_at;
	u64 resent_at;
};

/**
 * struct sim - the whole
 * @test: for expectations
 * @trace: tell what happens
 * @seed: everything follows from it
 * @start: ns when it began
 * @now: ns
 * @rnd: generator
 * @ns_byte: ns that a byte takes on the sender's wire
 * @wire_free: ns when that wire is free
 * @wire_at: ns when there is room in its queue again; 0: there is
 * @path: the paths, index as in the EV sets
 * @port: ports in front of the responder, by plane
 * @cpu_period: ns; so often one CPU, which carries every other path ..
 * @cpu_stall: .. forwards nothing for so long
 * @vm_period: ns; so often both hosts ..
 * @vm_stall: .. do nothing for so long
 * @n_paths: their number
 * @used: bit per path that carried data
 * @turns: bursts by plane, while all of them have good paths ..
 * @ports: .. and these ports are up
 * @single: a packet that is looked at
 * @evs: paths of the requester
 * @peer_evs: paths of the responder's host, for answers
 * @cursor: of its choice
 * @req: requester
 * @rsp: responder
 * @peer_req: requester next to @rsp, which never has messages
 * @own_rsp: responder next to @req, which hears of its probes
 * @own_cursor: of its choice of paths
 * @answers: buffers of answers that left the responder
 * @answers_lost: of these swallowed by dead paths
 * @mpr_change: probability / 65536 that the responder changes its PSN window
 *	when it answers
 * @known_mpr: what the requester has heard of it ..
 * @known_rcvd: .. and the age of that word
 * @known_cack: highest PSN that the requester has heard to be covered
 * @msg: messages
 * @n_msgs: their number
 * @posted: messages posted
 * @n_done: messages completed
 * @done_status: of the first one that failed
 * @failed_msg: that message
 * @refuse_msg: message that the responder refuses, or SIM_MSGS
 * @whole_windows: messages are as long as they may be
 * @n_rq: messages posted that consume a receive WQE
 * @rq_msg: which these are
 * @rq_room: receive WQEs posted so far
 * @rq_gap: ns between two of them
 * @rq_at: ns of the next one
 * @whole: messages before this one have arrived
 * @probes: sent
 * @steps: so far
 * @end: ns of the last completion
 * @idle: go on when everything has completed
 * @n_events: events on their way
 * @seq: of the next event
 * @heap: index in @slot, a binary heap by time; behind @n_events unused ones
 * @slot: the events
 */
struct sim {
	struct kunit *test;
	bool trace;
	u64 seed;
	u64 start;
	u64 now;
	u64 rnd;
	u32 ns_byte;
	u64 wire_free;
	u64 wire_at;
	struct sim_path path[SIM_PATHS];
	struct sim_queue port[SIM_PLANES];
	u64 cpu_period;
	u64 cpu_stall;
	u64 vm_period;
	u64 vm_stall;
	u16 n_paths;
	u64 used;
	u32 turns[SIM_PLANES];
	u32 ports;
	struct sim_single single;
	struct mrc_ev_set *evs;
	struct mrc_ev_set *peer_evs;
	u16 cursor;
	struct mrc_req req;
	struct mrc_rsp rsp;
	struct mrc_req peer_req;
	struct mrc_rsp own_rsp;
	u16 own_cursor;
	u32 answers;
	u32 answers_lost;
	u32 mpr_change;
	u32 known_mpr;
	u32 known_rcvd;
	u32 known_cack;
	struct sim_msg msg[SIM_MSGS];
	u32 n_msgs;
	u32 posted;
	u32 n_done;
	u8 done_status;
	u32 failed_msg;
	u32 refuse_msg;
	bool whole_windows;
	u32 n_rq;
	u16 rq_msg[SIM_MSGS];
	u32 rq_room;
	u64 rq_gap;
	u64 rq_at;
	u32 whole;
	u32 probes;
	u32 steps;
	u64 end;
	bool idle;
	u32 n_events;
	u32 seq;
	u16 heap[SIM_EVENTS];
	struct sim_event slot[SIM_EVENTS];
};

/**
 * struct sim_setup - what differs between simulations; 0: a default
 * @pmtu: bytes
 * @mpr: PSN window
 * @mpr_change: as in struct sim
 * @dynamic_mpr: the responder may change it
 * @svc_time: it tells for how long it kept packets
 * @max_wimm: messages in flight that consume a receive WQE
 * @burst: packets
 * @cwnd: bytes
 * @n_msgs: messages
 * @quick: the requester is told that hosts hold nothing back
 * @timeout: ns
 * @exp_cnt: timeouts, besides three of the same length
 * @planes: planes over which the paths are spread
 * @n_paths: paths
 * @n_active: of these in rotation, the others are backups
 * @min_active: of which none is given up
 * @cpu_period: as in struct sim
 * @cpu_stall: likewise
 * @vm_period: likewise
 * @vm_stall: likewise
 * @cc: congestion control
 * @lb: choice of paths; by default every other pair of seeds has the other one
 * @path: all paths are like that
 */
struct sim_setup {
	u32 pmtu;
	u32 mpr;
	u32 mpr_change;
	bool dynamic_mpr;
	bool svc_time;
	u32 max_wimm;
	u32 burst;
	u32 cwnd;
	u32 n_msgs;
	bool quick;
	u64 timeout;
	u8 exp_cnt;
	u8 planes;
	u16 n_paths;
	u16 n_active;
	u16 min_active;
	u64 cpu_period;
	u64 cpu_stall;
	u64 vm_period;
	u64 vm_stall;
	const struct mrc_cc_ops *cc;
	const struct mrc_lb_ops *lb;
	struct sim_path path;
};

/* mrc_sim.c */
struct sim *sim_alloc(struct kunit *test);
void sim_init(struct sim *sim, const struct sim_setup *setup, u64 seed);
void sim_free(struct sim *sim);
void sim_run_until(struct sim *sim, u64 until);
bool sim_over(const struct sim *sim);

/* mrc_sim_net.c */
void sim_send_burst(struct sim *sim, const struct mrc_burst *b);
void sim_send_probe(struct sim *sim, const struct mrc_probe *probe);
void sim_send_answer(struct sim *sim, const struct mrc_ack_batch *a, int path);
void sim_send_own_answer(struct sim *sim, const struct mrc_ack_batch *a, int path);
void sim_send_peer_probe(struct sim *sim, const struct mrc_probe *probe);
u64 sim_next_event(const struct sim *sim);
bool sim_arrive(struct sim *sim, struct sim_event *e);
u64 sim_after_stall(u64 at, u64 period, u64 stall);

/* mrc_sim_host.c */
void sim_run_req(struct sim *sim);
void sim_run_peer(struct sim *sim);
void sim_rx_answer(struct sim *sim, const struct sim_event *e);
void sim_rx_data(struct sim *sim, const struct sim_event *e);
u64 sim_all_pkts(const struct sim *sim, const struct sim_msg *m);

/* mrc_sim_check.c */
void sim_check_planes(struct sim *sim);
void sim_check_path(struct sim *sim, const struct mrc_ev_set *evs, int path);
void sim_check_pkt(struct sim *sim, const struct mrc_burst_pkt *pkt);
void sim_check_burst(struct sim *sim, const struct mrc_burst *b);
void sim_check_delivery(struct sim *sim, const struct mrc_delivery *d);
void sim_check_done(struct sim *sim, const struct mrc_done *done);
void sim_check_step(struct sim *sim);
void sim_check_end(struct sim *sim);

static inline bool sim_chance(struct sim *sim, u32 p)
{
	return p && mrc_rnd_below(&sim->rnd, 65536) < p;
}

#endif /* MRC_SIM_H */
