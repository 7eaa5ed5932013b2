/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Entropy values: the set of paths of one QP, their states and the choice of
 * the next one (MRC 1.0 chapter 9; informative selection of 11.2.2).
 */
#ifndef MRC_CORE_EV_H
#define MRC_CORE_EV_H

#include <linux/compiler.h>
#include <linux/types.h>

/* Most EVs in the set of one QP, and most planes (= ports) of one device. */
#define MRC_EV_MAX 256
#define MRC_PLANE_MAX 32
/* Of so many paths none is given up: as many as there are usable planes. */
#define MRC_EV_ONE_PER_PLANE U16_MAX
/* EVs of a QP without a profile (AUTO). */
#define MRC_EV_AUTO 128
/* Paths of a plane that REPS remembers; the paper uses 8 for a connection. */
#define MRC_REPS_CACHE 8

/**
 * enum mrc_ev_state - what the requester thinks of a path (spec figure 5)
 * @MRC_EV_GOOD: in rotation
 * @MRC_EV_SKIP: congested; leaves the rotation once, then is GOOD again
 * @MRC_EV_ASSUMED_BAD: lost packets silently; only probes use it
 * @MRC_EV_DENIED: forbidden by the operator
 * @MRC_EV_BACKUP: GOOD, but out of rotation until one of its plane fails
 *
 * The first two are active, and they and backups are healthy.
 */
enum mrc_ev_state {
	MRC_EV_GOOD,
	MRC_EV_SKIP,
	MRC_EV_ASSUMED_BAD,
	MRC_EV_DENIED,
	MRC_EV_BACKUP,
};

/**
 * enum mrc_ev_signal - what was learnt about a packet that used a path
 * @MRC_EV_SIG_OK: delivered, not marked
 * @MRC_EV_SIG_SKIP_ONCE: delivered with an ECN mark
 * @MRC_EV_SIG_ALWAYS_SKIP: the responder asks to leave the path
 * @MRC_EV_SIG_TRIM: trimmed before the last hop
 * @MRC_EV_SIG_LOSS: lost without a trim, by inference
 * @MRC_EV_SIG_TIMEOUT: no answer before the retransmission timeout
 * @MRC_EV_SIG_ALIVE: a packet that had been taken for lost arrived after all
 */
enum mrc_ev_signal {
	MRC_EV_SIG_OK,
	MRC_EV_SIG_SKIP_ONCE,
	MRC_EV_SIG_ALWAYS_SKIP,
	MRC_EV_SIG_TRIM,
	MRC_EV_SIG_LOSS,
	MRC_EV_SIG_TIMEOUT,
	MRC_EV_SIG_ALIVE,
};

/**
 * struct mrc_ev_stats - what a path has carried; free-running
 * @tx_pkts: packets sent, retransmissions included
 * @tx_bytes: payload bytes sent, retransmissions included
 * @rtx_pkts: packets sent that were retransmissions
 * @acked: packets answered
 * @ecn: answers with SKIP_ONCE
 * @trims: trims before the last hop
 * @losses: inferred losses
 * @probes: reliability probes sent
 * @timeouts: retransmission timeouts
 * @bad: transitions to ASSUMED_BAD
 */
struct mrc_ev_stats {
	u64 tx_pkts;
	u64 tx_bytes;
	u64 rtx_pkts;
	u64 acked;
	u64 ecn;
	u64 trims;
	u64 losses;
	u64 probes;
	u32 timeouts;
	u32 bad;
};

/**
 * struct mrc_ev - one path of a QP
 * @value: the 32-bit entropy value on the wire
 * @plane: 1-based plane (= local port)
 * @state: enum mrc_ev_state; written under the owner's lock, read without
 * @strikes: losses since the last answer
 * @damp: failures of late; each doubles the shortest probe spacing, and the
 *	probes that must be answered
 * @probe_ok: successful probes in a row while ASSUMED_BAD
 * @probe_at: ns when the next probe is due; 0 outside ASSUMED_BAD
 * @probe_sent: ns when the latest probe left
 * @acked_sent: ns when the latest answered packet of this path was sent
 * @since: ns of the latest change between usable and ASSUMED_BAD
 * @srtt: smoothed round trip in ns; 0: nothing is known
 * @await_from: when the oldest packet was sent that is known to be awaited, see
 *	evwait.h; 0: none is
 * @await_to: when the latest was
 * @order: index of the path that stands at this position of the rotation
 * @srtt_bound: @srtt is but a bound: there has been no sample
 * @probe_shift: exponent of the probe spacing
 * @probe_seq: sequence number of the latest probe
 * @probe_ack: sequence number of the latest probe that was answered
 * @stats: counters
 */
struct mrc_ev {
	u32 value;
	u8 plane;
	u8 state;
	u8 strikes;
	u8 damp:3;
	u8 probe_ok:5;
	u64 probe_at;
	u64 probe_sent;
	u64 acked_sent;
	u64 since;
	u32 srtt;
	u32 await_from;
	u32 await_to;
	u8 order;
	u8 srtt_bound:1;
	u8 probe_shift:4;
	u8 probe_seq;
	u8 probe_ack;
	struct mrc_ev_stats stats;
};

/**
 * struct mrc_reps - paths of a plane that were found good (strategy REPS)
 * @frozen_until: ns up to which no path is tried out
 * @path: a ring of paths whose packets were answered without a mark
 * @head: where the next one goes
 * @fresh: how many before @head have not been used again yet
 * @known: how many there are
 * @again: the next one when all have been used
 */
struct mrc_reps {
	u64 frozen_until;
	u8 path[MRC_REPS_CACHE];
	u8 head;
	u8 fresh;
	u8 known;
	u8 again;
};

/**
 * struct mrc_ev_plane - the paths of one plane
 * @answered: ns when the latest packet was sent on it that has been answered
 * @lost: 1 + index of the latest path that has lost what was sent after that;
 *	0: none has
 * @n_lost: how often it was another one than before
 * @first: where they begin in the rotation (&struct mrc_ev.order)
 * @n: paths
 * @quota: paths that are active as long as so many are healthy; 1 .. @n
 * @n_active: paths in state GOOD or SKIP; they stand first in the rotation
 * @cursor: next position of the rotation, 0 .. @n_active - 1, or 0
 * @reps: what REPS remembers
 *
 * A plane holds back backups only while its quota is met.
 */
struct mrc_ev_plane {
	u64 answered;
	u16 lost;
	u8 n_lost;
	u16 first;
	u16 n;
	u16 quota;
	u16 n_active;
	u16 cursor;
	struct mrc_reps reps;
};

/**
 * struct mrc_reverse_plane - the way back over one plane
 * @known: 1 + index of the path that was answered last; 0: none was
 * @asked: probes sent since
 * @sacked: a data packet has been answered since its last turn
 */
struct mrc_reverse_plane {
	u16 known;
	u8 asked;
	bool sacked;
};

/**
 * struct mrc_reverse - the paths of control packets
 * @next: ns when a probe may be due; 0: nothing comes in, so none will be
 * @used: data has been answered since @next was set; written without the
 *	owner's lock
 * @turn: position in the order of planes of the next probe
 * @left: probes that may follow when no data is answered any more
 * @rtt: ns of the latest round trip, where there is no requester; 0: unknown
 * @plane: by plane, index plane - 1; written under the owner's lock, read
 *	without
 */
struct mrc_reverse {
	u64 next;
	bool used;
	u8 turn;
	u8 left;
	u32 rtt;
	struct mrc_reverse_plane plane[MRC_PLANE_MAX];
};

struct mrc_lb_ops;

/**
 * struct mrc_ev_set - the paths of one QP
 * @ops: strategy
 * @n: entries in use
 * @min_active: usable active paths of which none is given up any more, or
 *	MRC_EV_ONE_PER_PLANE
 * @n_active: paths in state GOOD or SKIP
 * @n_skip: paths in state SKIP
 * @n_bad: paths in state ASSUMED_BAD
 * @restored: path that this choice has brought back from SKIP, or -1
 * @n_planes: planes that have paths
 * @plane_cursor: next position in @plane_order
 * @local_ports: bit p-1 set: local port p is up and has a route to the peer
 * @peer_ports: bit p-1 set: the peer's port p is reachable
 * @late: ns by which answers may exceed the round trip of their path before they
 *	are overdue; 0: nothing is known
 * @probe_next: ns when a probe of an ASSUMED_BAD path may be due; 0: never
 * @rnd: state of the generator behind the random order
 * @plane_order: 1-based planes that have paths, in the order of this pass
 * @planes: paths by plane, index plane - 1
 * @reverse: which of them control packets take
 * @on_state: told when path @idx has entered or left ASSUMED_BAD or DENIED
 *	(coming from @old; the path has its new state already); NULL: nobody
 *	listens.  Called in the context of whoever changed it; must not call
 *	back into the set
 * @owner: of the set, for @on_state
 * @ev: the paths
 *
 * @on_state and @owner are NULL after mrc_ev_set_init().
 *
 * Allocated by the owner with mrc_ev_set_size() bytes.  The owner serialises
 * all calls, except mrc_ev_pick() and mrc_reverse_pick() (see there).
 */
struct mrc_ev_set {
	const struct mrc_lb_ops *ops;
	u16 n;
	u16 min_active;
	u16 n_active;
	u16 n_skip;
	u16 n_bad;
	s16 restored;
	u8 n_planes;
	u8 plane_cursor;
	u32 local_ports;
	u32 peer_ports;
	u32 late;
	u64 probe_next;
	u64 rnd;
	u8 plane_order[MRC_PLANE_MAX];
	struct mrc_ev_plane planes[MRC_PLANE_MAX];
	struct mrc_reverse reverse;
	void (*on_state)(struct mrc_ev_set *set, u16 idx,
			 enum mrc_ev_state old);
	void *owner;
	struct mrc_ev ev[];
};

/**
 * struct mrc_ev_entry - one path as the path manager describes it
 * @value: entropy value
 * @plane: 1-based plane
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
 * @min_active: active paths of which none is given up (spec:
 *	ev_min_active); 0: one per usable plane
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
int mrc_ev_next(struct mrc_ev_set *set, u64 now);
int mrc_ev_next_alive(const struct mrc_ev_set *set, u16 lost);
int mrc_ev_next_fresh(struct mrc_ev_set *set, u16 lost, u64 now);
int mrc_ev_pick(const struct mrc_ev_set *set, u8 plane, u16 *cursor);
bool mrc_ev_is(const struct mrc_ev_set *set, u16 idx, u32 value);
int mrc_ev_find(const struct mrc_ev_set *set, u32 value);
void mrc_ev_feedback(struct mrc_ev_set *set, u16 idx, enum mrc_ev_signal sig,
		     u64 now);
void mrc_ev_lost(struct mrc_ev_set *set, u16 idx, enum mrc_ev_signal sig,
		 u64 sent, u64 now);
void mrc_ev_answered(struct mrc_ev_set *set, u16 idx, u64 sent);
void mrc_ev_rtt(struct mrc_ev_set *set, u16 idx, u32 rtt);
void mrc_ev_rtt_bound(struct mrc_ev_set *set, u16 idx, u32 rtt);
void mrc_ev_deny(struct mrc_ev_set *set, u16 idx);
void mrc_ev_allow(struct mrc_ev_set *set, u16 idx);
void mrc_ev_take_over(struct mrc_ev_set *set, u16 idx,
		      const struct mrc_ev *old);
int mrc_ev_probe_due(struct mrc_ev_set *set, u64 now);
u16 mrc_ev_probe_sent(struct mrc_ev_set *set, u16 idx, u64 now);
int mrc_ev_probe_answer(struct mrc_ev_set *set, u16 probe_id, bool marked,
			u64 now, u64 *sent, bool *first);
u64 mrc_ev_deadline(const struct mrc_ev_set *set);

/* For strategies, and between the files of the set. */
void mrc_ev_set_state(struct mrc_ev_set *set, u16 idx, enum mrc_ev_state state);

/**
 * mrc_ev_ports - ports over which packets may leave now
 * @set: paths
 *
 * Context: any, no lock: one word each is read.
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

#endif /* MRC_CORE_EV_H */
