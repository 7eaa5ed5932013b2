/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Entropy values: the set of paths of one QP, their states and the selection of
 * the next one (MRC 1.0 chapter 9; selection follows the informative 11.2.2).
 *
 * A plane is one of the parallel networks; on the wire it is a number from 1
 * (MRC 1.0 11.5).  A port is a net device of a host.  Port p of a host is its
 * NIC in plane p, so one number denotes both: code that is about the network
 * says plane, code that is about a device, its link state or its route says
 * port.
 */
#ifndef MRC_CORE_EV_H
#define MRC_CORE_EV_H

#include <linux/compiler.h>
#include <linux/types.h>

/*
 * Maximum EVs in the set of one QP, and maximum planes (= ports of a device).
 */
#define MRC_EV_MAX 256
#define MRC_PLANE_MAX 32
/* min_active: as many paths as there are usable planes. */
#define MRC_EV_ONE_PER_PLANE U16_MAX
/* EVs of a QP without a profile (AUTO). */
#define MRC_EV_AUTO 128
/* Binary point of &struct mrc_ev_set.loss, and packets that it is about. */
#define MRC_EV_LOSS_SHIFT 24
#define MRC_EV_LOSS_PKTS 128
/* Of so many packets more are remembered, and with more precision. */
#define MRC_EV_RARE_LOSS_SHIFT 28
#define MRC_EV_RARE_LOSS_PKTS 4096
/* Unit of &struct mrc_ev.since, as a power of two in ns: 1 ms, for 52 days. */
#define MRC_EV_SINCE_SHIFT 20
/* Paths of a plane that REPS caches; the paper uses 8 for a connection. */
#define MRC_REPS_CACHE 8

/**
 * enum mrc_ev_state - state of a path (MRC 1.0 figure 5)
 * @MRC_EV_GOOD: in rotation
 * @MRC_EV_SKIP: congested; misses one turn of the rotation, then is GOOD again
 * @MRC_EV_ASSUMED_BAD: lost packets silently; used by probes only
 * @MRC_EV_DENIED: forbidden by the operator
 * @MRC_EV_BACKUP: GOOD, but out of rotation until a path of its plane fails
 *
 * GOOD and SKIP paths are active; these and backups are healthy.
 */
enum mrc_ev_state {
	MRC_EV_GOOD,
	MRC_EV_SKIP,
	MRC_EV_ASSUMED_BAD,
	MRC_EV_DENIED,
	MRC_EV_BACKUP,
};

/**
 * enum mrc_ev_signal - what the requester has learned about a packet of a path
 * @MRC_EV_SIGNAL_ACK: delivered, not ECN marked
 * @MRC_EV_SIGNAL_SKIP_ONCE: delivered with an ECN mark
 * @MRC_EV_SIGNAL_ALWAYS_SKIP: the responder requests that the path be left
 * @MRC_EV_SIGNAL_TRIM: trimmed before the last hop
 * @MRC_EV_SIGNAL_LOSS: lost without a trim, detected by RACK
 * @MRC_EV_SIGNAL_RTO: not acknowledged before the retransmission timeout
 * @MRC_EV_SIGNAL_SPURIOUS: delivered although it had been deemed lost
 */
enum mrc_ev_signal {
	MRC_EV_SIGNAL_ACK,
	MRC_EV_SIGNAL_SKIP_ONCE,
	MRC_EV_SIGNAL_ALWAYS_SKIP,
	MRC_EV_SIGNAL_TRIM,
	MRC_EV_SIGNAL_LOSS,
	MRC_EV_SIGNAL_RTO,
	MRC_EV_SIGNAL_SPURIOUS,
};

/**
 * struct mrc_ev_stats - counters of a path; free-running
 * @tx_pkts: packets sent, retransmissions included
 * @tx_bytes: payload bytes sent, retransmissions included
 * @acked: packets acknowledged
 * @ecn: acknowledgments with SKIP_ONCE
 * @trims: trims before the last hop
 * @rtx_pkts: retransmissions sent
 * @losses: losses detected by RACK
 * @probes: reliability probes sent
 * @timeouts: retransmission timeouts
 * @bad: transitions to ASSUMED_BAD
 * @padded_lost: reliability probes as long as data that were not acknowledged before
 *	the next one was sent
 */
struct mrc_ev_stats {
	u64 tx_pkts;
	u64 tx_bytes;
	u64 acked;
	u64 ecn;
	u64 trims;
	u32 rtx_pkts;
	u32 losses;
	u32 probes;
	u32 timeouts;
	u32 bad;
	u32 padded_lost;
};

/**
 * struct mrc_ev - one path of a QP
 * @value: the 32-bit entropy value on the wire
 * @plane: plane, 1..MRC_PLANE_MAX
 * @state: enum mrc_ev_state; written under the caller's lock, read without
 * @strikes: sending times of lost packets since data was last acknowledged
 * @flaps: recent transitions to ASSUMED_BAD; each doubles the shortest probe
 *	spacing and the number of acknowledged probes that end ASSUMED_BAD
 * @probes_ok: consecutive acknowledged probes while ASSUMED_BAD
 * @inflight: nominal bytes in flight, kept by the requester
 * @loss_score: evidence that the path loses more than others, in 2^-16 losses
 * @probe_at: ns when the next probe is due; 0 outside ASSUMED_BAD
 * @probe_sent: ns when the latest probe was sent
 * @acked_sent: ns when the latest acknowledged packet of this path was sent
 * @since: time of the latest transition into or out of ASSUMED_BAD, in units of
 *	2^MRC_EV_SINCE_SHIFT ns
 * @srtt: smoothed round trip in ns; 0: unknown
 * @unacked_first: when the oldest packet was sent that is known to be
 *	unacknowledged, in units of ev_overdue.h; 0: there is none
 * @unacked_last: when the latest packet was sent, likewise
 * @strike_sent: when the latest lost packet was sent, likewise; valid with
 *	@strikes
 * @order: index of the path that has this position in the rotation
 * @srtt_bound: @srtt is an upper bound: there has been no sample
 * @probe_acked: the packet of @acked_sent was a probe
 * @padded_open: the latest probe was as long as data, and is not acknowledged
 * @probe_seq: sequence number of the latest probe
 * @probe_ack: sequence number of the latest acknowledged probe
 * @stats: counters
 */
struct mrc_ev {
	u32 value;
	u8 plane;
	u8 state;
	u8 strikes;
	u8 flaps:3;
	u8 probes_ok:5;
	u32 inflight;
	u32 loss_score;
	u64 probe_at;
	u64 probe_sent;
	u64 acked_sent;
	u32 since;
	u32 srtt;
	u32 unacked_first;
	u32 unacked_last;
	u32 strike_sent;
	u8 order;
	u8 srtt_bound:1;
	u8 probe_acked:1;
	u8 padded_open:1;
	u8 probe_seq;
	u8 probe_ack;
	struct mrc_ev_stats stats;
};

/**
 * struct mrc_reps - cached paths of a plane (strategy REPS)
 * @frozen_until: ns until which only cached paths are used
 * @path: ring of paths whose packets were acknowledged without an ECN mark
 * @head: next entry to be written
 * @n_valid: entries before @head that have not been reused yet
 * @n_cached: entries written, at most MRC_REPS_CACHE
 * @replay: entry that is used next while frozen, if none is valid
 * @marked: path of the latest packet that was marked or trimmed
 * @marked_sent: ns when that packet was sent; U64_MAX: not known
 */
struct mrc_reps {
	u64 frozen_until;
	u8 path[MRC_REPS_CACHE];
	u8 head;
	u8 n_valid;
	u8 n_cached;
	u8 replay;
	u8 marked;
	u64 marked_sent;
};

/*
 * Planes that are shorter, ns, count as long as this: of two planes without any length
 * the one that was measured a little longer would get nearly all packets.
 */
#define MRC_EV_SHORTEST_MIN	10000U

/* Unit of &struct mrc_ev_set.plane_rate: 2^-10 bytes/ns are 8 Mb/s. */
#define MRC_EV_RATE_SHIFT	10

/**
 * struct mrc_ev_plane - the paths of one plane
 * @acked_sent: ns when the latest acknowledged packet of this plane was sent
 * @inflight: nominal bytes in flight, kept by the requester
 * @shortest: ns, at least MRC_EV_SHORTEST_MIN; shortest time for which a packet was in
 *	flight lately, at most the shortest round trip: SACKs of a shorter plane
 *	acknowledge its packets, too; 0: not known
 * @newer: ns; the same since the older half of the measurements was dropped, 0: none
 * @last_strike: 1 + index of the latest path that lost a packet sent after
 *	@acked_sent; 0: none
 * @strikes: how often @last_strike has changed to another path
 * @first: first position of the plane in the rotation (&struct mrc_ev.order)
 * @n: paths
 * @quota: target number of active paths, 1..@n
 * @n_active: paths in state GOOD or SKIP; they are first in the rotation
 * @cursor: next position of the rotation, 0..@n_active - 1, or 0
 * @reps: cache of REPS
 *
 * Paths of a plane are in state BACKUP only while @n_active equals @quota.
 */
struct mrc_ev_plane {
	u64 acked_sent;
	u32 inflight;
	u32 shortest;
	u32 newer;
	u16 last_strike;
	u8 strikes;
	u16 first;
	u16 n;
	u16 quota;
	u16 n_active;
	u16 cursor;
	struct mrc_reps reps;
};

/**
 * struct mrc_ack_path_plane - ACK path over one plane
 * @proven: 1 + index of the path that was acknowledged last; 0: none
 * @probes_open: probes sent since
 * @sacked: a data packet has been acknowledged since the plane's last turn
 */
struct mrc_ack_path_plane {
	u16 proven;
	u8 probes_open;
	bool sacked;
};

/**
 * struct mrc_ack_paths - the paths of control packets
 * @next: ns when a probe may be due; 0: no data is received, so none is due
 * @used: data has been acknowledged since @next was set; written without the
 *	caller's lock
 * @turn: position in the order of planes of the next probe
 * @left: probes that may still be sent after data stops arriving
 * @rtt: ns of the latest round trip, without a requester; 0: unknown
 * @plane: by plane, index plane - 1; written under the caller's lock, read
 *	without
 */
struct mrc_ack_paths {
	u64 next;
	bool used;
	u8 turn;
	u8 left;
	u32 rtt;
	struct mrc_ack_path_plane plane[MRC_PLANE_MAX];
};

struct mrc_lb_ops;

/**
 * struct mrc_ev_set - the paths of one QP
 * @ops: strategy
 * @n: entries in use
 * @min_active: number of usable active paths at which none is set to
 *	ASSUMED_BAD any more, or MRC_EV_ONE_PER_PLANE
 * @n_active: paths in state GOOD or SKIP
 * @n_skip: paths in state SKIP
 * @n_bad: paths in state ASSUMED_BAD
 * @skip_ended: path that the current selection set from SKIP to GOOD, or -1
 * @n_planes: planes that have paths
 * @plane_cursor: next position in @plane_order
 * @local_ports: bit p-1 set: local port p is up and has a route to the peer
 * @peer_ports: bit p-1 set: the peer's port p is reachable
 * @rtt_slack: ns by which an acknowledgment may exceed the round trip of its
 *	path before the path is overdue; 0: unknown
 * @loss: share of packets that are lost on paths that deliver others, in
 *	2^-MRC_EV_LOSS_SHIFT; an average of the latest MRC_EV_LOSS_PKTS
 * @rare_loss: likewise, in 2^-MRC_EV_RARE_LOSS_SHIFT, of the latest
 *	MRC_EV_RARE_LOSS_PKTS
 * @crowded: queues are so long that a loss is likely to be due to a full one; set by
 *	the requester before it reports losses
 * @pad_probes: the peer answers probes with padding (extension); set by the caller
 * @shortest_since: of the measurements, when @newer of the planes began
 * @plane_rate: bytes in 2^-MRC_EV_RATE_SHIFT that a plane carries in a ns, kept by
 *	the requester; 0: not known
 * @probe_next: ns when a probe of an ASSUMED_BAD path may be due; 0: never
 * @rnd: state of the generator of the random order
 * @plane_order: planes that have paths, in the order of this pass
 * @planes: paths by plane, index plane - 1
 * @ack_paths: paths for control packets
 * @on_state: called when path @idx has entered or left ASSUMED_BAD or DENIED
 *	(coming from @old; the path has its new state already); may be NULL.
 *	Called in the context of the function that changed the state; must not
 *	call back into the set
 * @priv: for @on_state
 * @ev: the paths
 *
 * @on_state and @priv are NULL after mrc_ev_set_init().
 *
 * The caller allocates mrc_ev_set_size() bytes and serialises all calls, except
 * mrc_ev_pick() and mrc_ack_path_pick() (see there).
 */
struct mrc_ev_set {
	const struct mrc_lb_ops *ops;
	u16 n;
	u16 min_active;
	u16 n_active;
	u16 n_skip;
	u16 n_bad;
	s16 skip_ended;
	u8 n_planes;
	u8 plane_cursor;
	u32 local_ports;
	u32 peer_ports;
	u32 rtt_slack;
	u32 loss;
	u32 rare_loss;
	bool crowded;
	bool pad_probes;
	u32 shortest_since;
	u32 plane_rate;
	u64 probe_next;
	u64 rnd;
	u8 plane_order[MRC_PLANE_MAX];
	struct mrc_ev_plane planes[MRC_PLANE_MAX];
	struct mrc_ack_paths ack_paths;
	void (*on_state)(struct mrc_ev_set *set, u16 idx,
			 enum mrc_ev_state old);
	void *priv;
	struct mrc_ev ev[];
};

/**
 * struct mrc_ev_entry - one path as the path manager describes it
 * @value: entropy value
 * @plane: plane, 1..MRC_PLANE_MAX
 * @denied: start in state DENIED
 */
struct mrc_ev_entry {
	u32 value;
	u8 plane;
	bool denied;
};

/**
 * struct mrc_ev_cfg - how a QP uses its paths
 * @lb: strategy; NULL: rotation
 * @seed: of the random order; differs between QPs
 * @n_active: paths in rotation, the others are backups; 0: all
 * @min_active: number of active paths at which none is set to ASSUMED_BAD any
 *	more (spec: ev_min_active); 0: one per usable plane
 */
struct mrc_ev_cfg {
	const struct mrc_lb_ops *lb;
	u64 seed;
	u16 n_active;
	u16 min_active;
};

size_t mrc_ev_set_size(u16 n);
int mrc_ev_set_init(struct mrc_ev_set *set, const struct mrc_ev_entry *entries,
		    u16 n, const struct mrc_ev_cfg *cfg);
void mrc_ev_auto(struct mrc_ev_entry *entries, u16 n, u32 ports, u64 seed);
void mrc_ev_set_ports(struct mrc_ev_set *set, u32 local, u32 peer);
int mrc_ev_pick(const struct mrc_ev_set *set, u8 plane, u16 *cursor);
bool mrc_ev_matches(const struct mrc_ev_set *set, u16 idx, u32 value);
int mrc_ev_find(const struct mrc_ev_set *set, u32 value);
void mrc_ev_feedback(struct mrc_ev_set *set, u16 idx, enum mrc_ev_signal sig,
		     u64 now);
void mrc_ev_feedback_at(struct mrc_ev_set *set, u16 idx, enum mrc_ev_signal sig,
			u64 sent, u64 now);
void mrc_ev_acked(struct mrc_ev_set *set, u16 idx, u64 sent);
void mrc_ev_probe_passed(struct mrc_ev_set *set, u16 idx, u64 sent);
void mrc_ev_rtt(struct mrc_ev_set *set, u16 idx, u32 rtt);
void mrc_ev_rtt_bound(struct mrc_ev_set *set, u16 idx, u32 rtt);
void mrc_ev_deny(struct mrc_ev_set *set, u16 idx);
void mrc_ev_allow(struct mrc_ev_set *set, u16 idx);
void mrc_ev_inherit(struct mrc_ev_set *set, u16 idx,
		    const struct mrc_ev *old);
int mrc_ev_probe_due(struct mrc_ev_set *set, u64 now);
u16 mrc_ev_probe_sent(struct mrc_ev_set *set, u16 idx, u64 now);
int mrc_ev_probe_acked(struct mrc_ev_set *set, u16 probe_id, bool marked,
		       u64 now, u64 *sent, bool *first);
u64 mrc_ev_deadline(const struct mrc_ev_set *set);

/* For strategies and for the files of the set. */
void mrc_ev_enter_rotation(struct mrc_ev_set *set, u16 idx);
void mrc_ev_set_state(struct mrc_ev_set *set, u16 idx, enum mrc_ev_state state);

void mrc_ev_stats_add(struct mrc_ev_stats *sum,
		      const struct mrc_ev_stats *part);

/**
 * mrc_ev_ports - ports through which packets may be sent now
 * @set: paths
 *
 * Context: any, no lock: each mask is read once.
 * Return: mask, bit p-1 set: port p.
 */
static inline u32 mrc_ev_ports(const struct mrc_ev_set *set)
{
	return READ_ONCE(set->local_ports) & READ_ONCE(set->peer_ports);
}

/**
 * mrc_ev_plane_of() - the plane of a path
 * @set: paths
 * @idx: path
 *
 * Return: its plane.
 */
static inline struct mrc_ev_plane *mrc_ev_plane_of(struct mrc_ev_set *set,
						   u16 idx)
{
	return &set->planes[set->ev[idx].plane - 1];
}

/**
 * mrc_ev_is_active() - is a path in rotation?
 * @state: enum mrc_ev_state
 *
 * Return: true if it is.
 */
static inline bool mrc_ev_is_active(u8 state)
{
	return state == MRC_EV_GOOD || state == MRC_EV_SKIP;
}

/**
 * mrc_ev_is_healthy() - is a path active or a backup?
 * @state: enum mrc_ev_state
 *
 * Return: true if it is.
 */
static inline bool mrc_ev_is_healthy(u8 state)
{
	return mrc_ev_is_active(state) || state == MRC_EV_BACKUP;
}

#endif /* MRC_CORE_EV_H */
