/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Entropy values: the set of paths of one QP, their states and the choice of
 * the next one (MRC 1.0 chapter 9; informative selection of 11.2.2).
 */
#ifndef MRC_CORE_EV_H
#define MRC_CORE_EV_H

#include <linux/types.h>

/* Most EVs in the set of one QP, and most planes (= ports) of one device. */
#define MRC_EV_MAX 256
#define MRC_PLANE_MAX 32
/* EVs of a QP without a profile (AUTO). */
#define MRC_EV_AUTO 128

/**
 * enum mrc_ev_state - what the requester thinks of a path (spec figure 5)
 * @MRC_EV_GOOD: in rotation
 * @MRC_EV_SKIP: congested; leaves the rotation once, then is GOOD again
 * @MRC_EV_ASSUMED_BAD: lost packets silently; only probes use it
 * @MRC_EV_DENIED: forbidden by the operator
 */
enum mrc_ev_state {
	MRC_EV_GOOD,
	MRC_EV_SKIP,
	MRC_EV_ASSUMED_BAD,
	MRC_EV_DENIED,
};

/**
 * enum mrc_ev_signal - what was learnt about a packet that used a path
 * @MRC_EV_SIG_OK: delivered, not marked
 * @MRC_EV_SIG_SKIP_ONCE: delivered with an ECN mark
 * @MRC_EV_SIG_ALWAYS_SKIP: the responder asks to leave the path
 * @MRC_EV_SIG_TRIM: trimmed before the last hop
 * @MRC_EV_SIG_LOSS: lost without a trim, by inference
 * @MRC_EV_SIG_TIMEOUT: no answer before the retransmission timeout
 */
enum mrc_ev_signal {
	MRC_EV_SIG_OK,
	MRC_EV_SIG_SKIP_ONCE,
	MRC_EV_SIG_ALWAYS_SKIP,
	MRC_EV_SIG_TRIM,
	MRC_EV_SIG_LOSS,
	MRC_EV_SIG_TIMEOUT,
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
 * @timeouts: retransmission timeouts
 * @probes: reliability probes sent
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
	u64 timeouts;
	u64 probes;
	u64 bad;
};

/**
 * struct mrc_ev - one path of a QP
 * @value: the 32-bit entropy value on the wire
 * @plane: 1-based plane (= local port)
 * @state: enum mrc_ev_state; written under the owner's lock, read without
 * @probe_ok: successful probes in a row while ASSUMED_BAD
 * @probe_shift: exponent of the probe spacing
 * @probe_at: ns when the next probe is due; 0 outside ASSUMED_BAD
 * @acked_sent: ns when the latest answered packet of this path was sent
 * @srtt: smoothed round trip in ns; 0 before the first sample
 * @order: index of the path that stands at this position of the rotation
 * @stats: counters
 */
struct mrc_ev {
	u32 value;
	u8 plane;
	u8 state;
	u8 probe_ok;
	u8 probe_shift;
	u64 probe_at;
	u64 acked_sent;
	u32 srtt;
	u16 order;
	struct mrc_ev_stats stats;
};

struct mrc_ev_set;

/**
 * struct mrc_lb_ops - a strategy of choosing the path of the next burst
 * @name: as the operator writes it
 * @next_path: index of the path for the next burst, or -ENOENT if no path may
 *	be used now
 * @feedback: a packet of path @idx met @sig
 */
struct mrc_lb_ops {
	const char *name;
	int (*next_path)(struct mrc_ev_set *set, u64 now);
	void (*feedback)(struct mrc_ev_set *set, u16 idx,
			 enum mrc_ev_signal sig, u64 now);
};

/* Rotation in random order, renewed at every pass (MRC 11.2.2). */
extern const struct mrc_lb_ops mrc_lb_rotation;

/**
 * struct mrc_ev_set - the paths of one QP
 * @ops: strategy
 * @n: entries in use
 * @cursor: position in the rotation (&struct mrc_ev.order)
 * @min_active: GOOD paths below which none is given up any more
 * @n_active: paths in state GOOD or SKIP
 * @local_ports: bit p-1 set: local port p is up and has a route to the peer
 * @peer_ports: bit p-1 set: the peer's port p is reachable
 * @rnd: state of the generator behind the random order
 * @on_state: told when path @idx has entered or left ASSUMED_BAD or DENIED
 *	(coming from @old; the path has its new state already); NULL: nobody
 *	listens.  Called in the context of whoever changed it; must not call
 *	back into the set
 * @owner: of the set, for @on_state
 * @ev: the paths
 *
 * Both are NULL after mrc_ev_set_init().
 *
 * Allocated by the owner with mrc_ev_set_size() bytes.  The owner serialises
 * all calls, except mrc_ev_pick() (see there).
 */
struct mrc_ev_set {
	const struct mrc_lb_ops *ops;
	u16 n;
	u16 cursor;
	u16 min_active;
	u16 n_active;
	u32 local_ports;
	u32 peer_ports;
	u64 rnd;
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

size_t mrc_ev_set_size(u16 n);
int mrc_ev_set_init(struct mrc_ev_set *set, const struct mrc_ev_entry *entries,
		    u16 n, u64 seed);
void mrc_ev_auto(struct mrc_ev_entry *entries, u16 n, u32 ports, u64 seed);
void mrc_ev_set_ports(struct mrc_ev_set *set, u32 local, u32 peer);
int mrc_ev_next(struct mrc_ev_set *set, u64 now);
int mrc_ev_pick(const struct mrc_ev_set *set, u8 plane, u16 *cursor);
int mrc_ev_find(const struct mrc_ev_set *set, u32 value);
void mrc_ev_feedback(struct mrc_ev_set *set, u16 idx, enum mrc_ev_signal sig,
		     u64 now);
void mrc_ev_deny(struct mrc_ev_set *set, u16 idx);
void mrc_ev_allow(struct mrc_ev_set *set, u16 idx);
int mrc_ev_probe_due(struct mrc_ev_set *set, u64 now);
void mrc_ev_probe_sent(struct mrc_ev_set *set, u16 idx, u64 now);
void mrc_ev_probe_answer(struct mrc_ev_set *set, u16 idx, bool marked, u64 now);
u64 mrc_ev_deadline(const struct mrc_ev_set *set);

#endif /* MRC_CORE_EV_H */
