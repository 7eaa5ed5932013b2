/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Simulation of a requester and a responder over a network: paths with delay,
 * jitter, rate, loss, duplication, trims, marks and outages.  A run is
 * determined by its seed.  Packets are encoded and have no payload; checked is
 * that each byte of each message is placed once, because the core decides only
 * that.
 *
 *   mrc_sim.c		set-up, and the loop over events
 *   mrc_sim_net.c	the network
 *   mrc_sim_host.c	both hosts
 *   mrc_sim_check.c	conditions after every step, and at the end
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
/* Packets of a message; each is a bit of &struct sim_msg.got. */
#define SIM_MSG_PKTS	64
#define SIM_EVENTS	8192
#define SIM_PMTU	1024
#define SIM_QPN		0x123
#define SIM_NEVER	(~0ULL)
/* ns; the longest queue at the sender's own wire. */
#define SIM_WIRE_MAX	SIM_MS
/* Longer than any run in which some path works. */
#define SIM_LONG	(60000 * SIM_MS)
/* Probabilities, of 65536. */
#define SIM_PERCENT	655

/* The one seed to run, with a trace; 0: sim_wanted_seeds() seeds. */
#ifdef __KERNEL__
#define sim_wanted_seed()	0ULL
#define sim_wanted_seeds()	200ULL
#else
#define sim_wanted_seed()	shim_kunit_seed
/* The number that the caller of the runner has chosen, or over 10,000. */
#define sim_wanted_seeds()	(shim_kunit_seeds ?: 10020)
#endif

/**
 * sim_trace() - print an event, if the run is traced
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
 * @ns_byte: ns per byte on its wire; 0: no queue
 * @mark: ns of waiting beyond which packets are marked; 0: never
 * @max: capacity in ns of waiting; 0: no limit
 * @trims: packets beyond the capacity are trimmed, not dropped
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
 * enum sim_dir - directions in which a path is dead
 * @SIM_BOTH_DIRS: all packets are dropped
 * @SIM_TO_RESPONDER: packets to the responder are dropped
 * @SIM_TO_REQUESTER: packets to the requester are dropped
 * @SIM_LONG_TO_RESPONDER: packets to the responder are dropped that are longer than half
 *	a full one
 */
enum sim_dir {
	SIM_BOTH_DIRS,
	SIM_TO_RESPONDER,
	SIM_TO_REQUESTER,
	SIM_LONG_TO_RESPONDER,
};

/**
 * struct sim_path - one path, both directions alike
 * @delay: ns
 * @jitter: ns; upper bound of an additional random delay of each burst
 * @fifo: jitter does not reorder
 * @loss: of data packets; this and the following: probability / 65536
 * @burst_loss: of whole bursts
 * @ctl_loss: of acknowledgments
 * @dup: of data packets arriving twice
 * @ce: of data packets being marked
 * @trim: of data packets being trimmed
 * @trim_last: of data packets being trimmed on the last hop
 * @dead_from: ns from which on it drops packets
 * @dead_to: ns when that ends
 * @dead_dir: enum sim_dir
 * @fifo_at: latest arrival, by direction
 * @queue: its slowest port
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
	u8 dead_dir;
	u64 fifo_at[2];
	struct sim_queue queue;
};

/**
 * struct sim_event - a packet or acknowledgments in transit
 * @at: ns of its arrival
 * @seq: order of events at the same time
 * @to_peer: to the host of the responder, otherwise to that of the requester
 * @at_port: it has passed the port in front of the responder
 * @last: last packet of its burst
 * @ce: marked
 * @trim: enum mrc_nack_reason if the payload was cut off, otherwise 0
 * @plane: its plane
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
 * struct sim_msg - state of a message
 * @length: bytes
 * @flags: enum mrc_msg_flags
 * @got: bit per packet that has been placed
 * @delivered: it has consumed a receive WQE
 * @done: it has completed
 */
struct sim_msg {
	u32 length;
	u16 flags;
	u64 got;
	bool delivered;
	bool done;
};

/**
 * struct sim_single - one packet that is dropped
 * @used: a packet is selected
 * @psn: its PSN; the first transmission is dropped
 * @lost_at: ns of that transmission
 * @rtx_at: ns of the retransmission
 */
struct sim_single {
	bool used;
	u32 psn;
	u64 lost_at;
	u64 rtx_at;
};

/**
 * struct sim - a simulation
 * @test: for expectations
 * @trace: print events
 * @seed: determines the run
 * @start: ns of the beginning
 * @now: ns
 * @rnd: state of the random numbers
 * @ns_byte: ns per byte on the sender's wire
 * @wire_free: ns when that wire is free
 * @wire_at: ns when its queue accepts packets again; 0: it does
 * @path: the paths, index as in the EV sets
 * @port: ports in front of the responder, by plane
 * @cpu_period: ns between stalls of the CPU that forwards every other path
 * @cpu_stall: ns for which that CPU forwards nothing
 * @vm_period: ns between stalls of both hosts
 * @vm_stall: ns for which both hosts do nothing
 * @n_paths: number of paths
 * @used: bit per path that carried data
 * @load: by plane: bytes in flight for its length, before the burst
 * @balanced: all usable planes have GOOD paths, and can be compared
 * @ports: planes that are up and have a GOOD path
 * @inflight: bytes in flight of the requester before the burst
 * @single: a packet to drop
 * @evs: paths of the requester
 * @peer_evs: paths of the responder's host, for acknowledgments
 * @cursor: of the choice of paths in @peer_evs, by plane
 * @req: requester
 * @rsp: responder
 * @peer_req: requester of the responder's host, without messages
 * @own_rsp: responder of the requester's host, acknowledges its probes
 * @own_cursor: of the choice of paths of @own_rsp, by plane
 * @acks_sent: buffers of acknowledgments sent by the responder
 * @acks_lost: of these dropped by dead paths
 * @mpr_change: probability / 65536 that the responder changes its PSN window
 *	when it sends acknowledgments
 * @known_mpr: latest PSN window that the requester has received
 * @known_rcvd: rcvd_bytes of the SACK that contained it
 * @known_cack: highest cumulative PSN that the requester has received
 * @msg: messages
 * @n_msgs: number of messages
 * @posted: messages posted
 * @n_done: messages completed
 * @done_status: of the first one that failed
 * @failed_msg: that message
 * @refuse_msg: message that the responder refuses, or SIM_MSGS
 * @long_msgs: all messages have SIM_MSG_PKTS packets
 * @n_rq: messages posted that consume a receive WQE
 * @rq_msg: their indices in @msg, by rqmsn
 * @rq_posted: receive WQEs posted so far
 * @rq_gap: ns between two of them
 * @rq_at: ns of the next one
 * @n_complete: all messages before this one are complete at the responder
 * @probes: probes sent
 * @padded: of these with padding
 * @steps: steps so far
 * @end: ns of the last completion
 * @idle: continue when all messages have completed
 * @n_events: events in transit
 * @seq: of the next event
 * @heap: indices in @slot, a binary heap by time; from @n_events on unused ones
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
	s64 load[SIM_PLANES];
	bool balanced;
	u32 ports;
	u32 inflight;
	struct sim_single single;
	struct mrc_ev_set *evs;
	struct mrc_ev_set *peer_evs;
	u32 cursor[MRC_PLANE_MAX + 1];
	struct mrc_req req;
	struct mrc_rsp rsp;
	struct mrc_req peer_req;
	struct mrc_rsp own_rsp;
	u32 own_cursor[MRC_PLANE_MAX + 1];
	u32 acks_sent;
	u32 acks_lost;
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
	bool long_msgs;
	u32 n_rq;
	u16 rq_msg[SIM_MSGS];
	u32 rq_posted;
	u64 rq_gap;
	u64 rq_at;
	u32 n_complete;
	u32 probes;
	u32 padded;
	u32 steps;
	u64 end;
	bool idle;
	u32 n_events;
	u32 seq;
	u16 heap[SIM_EVENTS];
	struct sim_event slot[SIM_EVENTS];
};

/**
 * struct sim_setup - parameters of a simulation; 0: a default
 * @pmtu: bytes
 * @mpr: PSN window
 * @mpr_change: as in struct sim
 * @dynamic_mpr: the responder may change it
 * @svc_time: it adds its service time to timestamps
 * @max_wimm: messages in flight that consume a receive WQE
 * @burst: packets
 * @cwnd: bytes
 * @n_msgs: messages
 * @no_host_delay: the requester assumes no host delay
 * @timeout: ns
 * @exp_cnt: exponential retries, after three linear ones
 * @planes: planes over which the paths are spread
 * @n_paths: paths
 * @n_active: of these in rotation, the others are backups
 * @min_active: with no more usable ones none becomes ASSUMED_BAD
 * @cpu_period: as in struct sim
 * @cpu_stall: likewise
 * @vm_period: likewise
 * @vm_stall: likewise
 * @cc: congestion control
 * @lb: load balancer; by default it depends on the seed
 * @path: parameters of all paths
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
	bool no_host_delay;
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
void sim_send_acks(struct sim *sim, const struct mrc_ack_batch *a, int path);
void sim_send_own_acks(struct sim *sim, const struct mrc_ack_batch *a, int path);
void sim_send_peer_probe(struct sim *sim, const struct mrc_probe *probe);
u64 sim_next_event(const struct sim *sim);
bool sim_arrive(struct sim *sim, struct sim_event *e);
u64 sim_after_stall(u64 at, u64 period, u64 stall);

/* mrc_sim_host.c */
void sim_run_req(struct sim *sim);
void sim_run_peer(struct sim *sim);
void sim_rx_acks(struct sim *sim, const struct sim_event *e);
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
