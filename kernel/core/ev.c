// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Entropy values: state transitions of the paths (MRC 1.0 figure 5) and probes
 * of paths that lost packets.  The strategy selects among the usable paths.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "core/ev_overdue.h"
#include "core/lb.h"
#include "core/ack_path.h"
#include "core/rnd.h"

/*
 * Losses after which a path is ASSUMED_BAD, without an acknowledgment in
 * between.  The paper leaves a path after the first loss, because its switches
 * trim packets that they cannot queue.  Where switches do not trim, a loss may
 * be due to congestion or noise: the path misses one turn, and only silence
 * counts against the path itself.  Paths that deliver tell how often packets
 * are lost; so many losses in a row are asked for that chance explains one case
 * in EV_CHANCE at most.
 */
#define EV_STRIKES	2
#define EV_STRIKES_MAX	12
#define EV_CHANCE	BIT(20)
/* So many more while queues are long: a full one drops several packets in a row. */
#define EV_STRIKES_CROWDED 3
/* Likewise for a plane, one more; consecutive losses are of different paths. */
#define EV_PLANE_STRIKES 3

/*
 * A path that loses some packets and delivers those sent after them, more often
 * than others do: a sequential test (CUSUM, Page 1954) of the loss rates p and 8 p,
 * where p is what paths lose on average, and at least a thousandth.  The logarithm
 * of the likelihood ratio, in units of what a loss adds to it, falls by
 * 7 p / ln 8 with each packet that is delivered.  A path is ASSUMED_BAD when chance
 * explains the losses in one case in 10^6: ln 10^6 / ln 8 = 6.6.  An ECN mark
 * cancels a loss: it is congestion that fills the queue.
 */
#define EV_SCORE_ONE	BIT(16)
#define EV_SCORE_BAD	(EV_SCORE_ONE * 66 / 10)
#define EV_SCORE_STEP(loss) ((loss) / 256 * 27 / 8)
#define EV_SCORE_STEP_MIN EV_SCORE_STEP(BIT(MRC_EV_LOSS_SHIFT) / 1000)

/*
 * Probing is implementation-defined.  While probes are lost, their spacing is this part of
 * the time for which the path has been bad, from 1 ms to 1 s: a repaired path is noticed
 * soon compared with the outage, and each doubling of the outage costs about 22 probes
 * of the path.  Three consecutive acknowledged probes end ASSUMED_BAD; once one is acknowledged
 * the next ones follow sooner.
 */
#define EV_PROBE_NS	1000000ULL
#define EV_PROBE_MAX_NS	1000000000ULL
#define EV_PROBE_PART	32
#define EV_PROBE_OK_NS	125000ULL
#define EV_PROBE_OK	3

/*
 * Flapping: each failure doubles the shortest spacings and the number of
 * consecutive acknowledged probes that is required; each second without a
 * failure cancels one.  A path that loses 20 % passes three probes every other
 * time, but hardly ever twenty-four.  The second failure keeps a repaired path out
 * of use for some 4 ms, the sixth one for at most a sixth of a second.
 */
#define EV_FLAPS_MAX	6
#define EV_FLAP_MEMORY	(1000000000U >> MRC_EV_SINCE_SHIFT)
#define EV_PROBE_OK_MAX	24

/* A probe id is path and sequence number, so no table is needed. */
#define EV_ID_BITS	8
#define EV_ID_MASK	(BIT(EV_ID_BITS) - 1)

/* Acknowledgments are ignored if at least so many later probes were sent. */
#define EV_PROBE_OLD	16

static_assert(BIT(EV_ID_BITS) >= MRC_EV_MAX);

static bool port_usable(const struct mrc_ev_set *set, const struct mrc_ev *ev)
{
	return mrc_ev_ports(set) >> (ev->plane - 1) & 1;
}

/* Recompute when the next probe may be due. */
static void schedule_probes(struct mrc_ev_set *set)
{
	u64 next = 0;
	u16 i;

	for (i = 0; set->n_bad && i < set->n; i++) {
		const struct mrc_ev *ev = &set->ev[i];

		if (ev->state != MRC_EV_ASSUMED_BAD || !port_usable(set, ev))
			continue;
		next = min_not_zero(next, ev->probe_at);
	}
	set->probe_next = next;
}

/**
 * mrc_ev_set_ports() - set which ports may be used
 * @set: paths
 * @local: bit p-1 set: local port p is up and has a route to the peer
 * @peer: bit p-1 set: the peer's port p is reachable
 *
 * Takes effect with the next selection of a path; states of paths do not
 * change.
 *
 * Context: any, the caller serialises.
 */
void mrc_ev_set_ports(struct mrc_ev_set *set, u32 local, u32 peer)
{
	WRITE_ONCE(set->local_ports, local);
	WRITE_ONCE(set->peer_ports, peer);
	schedule_probes(set);
}

/* The backup whose last failure was longest ago. */
static int find_backup(struct mrc_ev_set *set, const struct mrc_ev_plane *plane)
{
	int best = -ENOENT;
	u16 i, idx;

	for (i = plane->n_active; i < plane->n; i++) {
		idx = set->ev[plane->first + i].order;
		if (set->ev[idx].state != MRC_EV_BACKUP)
			continue;
		if (best < 0 ||
		    (s32)(set->ev[idx].since - set->ev[best].since) < 0)
			best = idx;
	}
	return best;
}

/* Replace a path that has left the rotation by a backup of the same plane. */
static void activate_backup(struct mrc_ev_set *set,
			    const struct mrc_ev_plane *plane)
{
	int backup = -ENOENT;

	if (plane->n_active < plane->quota)
		backup = find_backup(set, plane);
	if (backup >= 0)
		mrc_ev_set_state(set, backup, MRC_EV_GOOD);
}

/*
 * A path that is healthy again is active only if its plane is below its quota.
 */
static enum mrc_ev_state state_by_quota(struct mrc_ev_set *set, u16 idx,
					enum mrc_ev_state state)
{
	const struct mrc_ev_plane *plane = mrc_ev_plane_of(set, idx);

	return plane->n_active < plane->quota ? state : MRC_EV_BACKUP;
}

static u32 ev_since(u64 now)
{
	return now >> MRC_EV_SINCE_SHIFT;
}

/* By how many powers of two flapping delays probes. */
static u8 flap_shift(const struct mrc_ev *ev)
{
	return ev->flaps ? ev->flaps - 1 : 0;
}

/*
 * At least so long that the previous probe can be acknowledged before.  Up to a quarter
 * more, so that QPs do not probe a link in step.
 */
static u64 probe_time(struct mrc_ev_set *set, const struct mrc_ev *ev, u64 ns,
		      u64 now)
{
	ns = max(ns, 2ULL * ev->srtt);
	return now + ns + mrc_rnd_below(&set->rnd, min_t(u64, ns / 4, U32_MAX));
}

static u64 next_probe(struct mrc_ev_set *set, const struct mrc_ev *ev, u64 now)
{
	u64 bad = (u64)(ev_since(now) - ev->since) << MRC_EV_SINCE_SHIFT;
	u64 least = EV_PROBE_NS << flap_shift(ev);

	return probe_time(set, ev, clamp_t(u64, bad / EV_PROBE_PART, least,
					   EV_PROBE_MAX_NS), now);
}

/* Has a packet been acknowledged that another active path sent later? */
static bool other_path_acked(const struct mrc_ev_set *set, u16 idx, u64 sent)
{
	u16 i;

	for (i = 0; i < set->n; i++) {
		const struct mrc_ev *ev = &set->ev[i];

		if (i != idx && ev->acked_sent > sent &&
		    mrc_ev_is_active(ev->state) && port_usable(set, ev))
			return true;
	}
	return false;
}

/*
 * Would there be too few active paths without this one?  Planes whose ports are
 * down neither provide paths nor need any.  Unless the operator has configured
 * a number, one path that delivers is enough: packets on the others would be
 * lost.
 */
static bool at_min_active(const struct mrc_ev_set *set, u16 idx, u64 sent)
{
	u32 ports = mrc_ev_ports(set);
	u16 paths = 0, planes = 0;
	u8 i;

	for (i = 0; i < set->n_planes; i++) {
		u8 plane = set->plane_order[i] - 1;

		if (!(ports >> plane & 1))
			continue;
		paths += set->planes[plane].n_active;
		planes++;
	}
	if (set->min_active != MRC_EV_ONE_PER_PLANE)
		return paths <= set->min_active;
	return paths <= planes && !other_path_acked(set, idx, sent);
}

static u8 recent_flaps(struct mrc_ev *ev, u64 now)
{
	u32 expired = (ev_since(now) - ev->since) / EV_FLAP_MEMORY;

	return ev->flaps - min_t(u32, ev->flaps, expired);
}

/*
 * A backup of its plane replaces the path.  If there is none and the path is
 * one of the last (ev_min_active), it stays active: a bad path is better than
 * none.
 */
static void assume_bad(struct mrc_ev_set *set, u16 idx, u64 sent, u64 now)
{
	struct mrc_ev_plane *plane = mrc_ev_plane_of(set, idx);
	struct mrc_ev *ev = &set->ev[idx];

	if (!mrc_ev_is_active(ev->state))
		return;
	if (find_backup(set, plane) < 0 && at_min_active(set, idx, sent)) {
		mrc_ev_set_state(set, idx, MRC_EV_SKIP);
		return;
	}
	ev->strikes = 0;
	ev->loss_score = 0;
	ev->flaps = min(recent_flaps(ev, now) + 1, EV_FLAPS_MAX);
	ev->probes_ok = 0;
	ev->since = ev_since(now);
	ev->probe_at = next_probe(set, ev, now);
	ev->stats.bad++;
	mrc_ev_set_state(set, idx, MRC_EV_ASSUMED_BAD);
	mrc_ack_path_lost(set, idx);
	activate_backup(set, plane);
	set->probe_next = min_not_zero(set->probe_next, ev->probe_at);
}

static void recover(struct mrc_ev_set *set, u16 idx, enum mrc_ev_state state,
		    u64 now)
{
	struct mrc_ev *ev = &set->ev[idx];

	ev->strikes = 0;
	ev->probe_at = 0;
	ev->since = ev_since(now);
	mrc_ev_set_state(set, idx, state_by_quota(set, idx, state));
	schedule_probes(set);
}

/* Has a packet been acknowledged that was sent later on another plane? */
static bool other_plane_acked(const struct mrc_ev_set *set, u8 nr, u64 sent)
{
	const struct mrc_ev_plane *plane;
	u32 ports = mrc_ev_ports(set);
	u8 i, other;

	for (i = 0; i < set->n_planes; i++) {
		other = set->plane_order[i];
		plane = &set->planes[other - 1];
		if (other != nr && ports >> (other - 1) & 1 &&
		    plane->n_active && plane->acked_sent > sent)
			return true;
	}
	return false;
}

/*
 * Paths of a plane have lost packets, and none that was sent on the plane since
 * has been acknowledged, unlike on other planes: what the paths share has
 * failed, the link of a host or a T0 switch.  Detecting the failure of each
 * path by itself would cost two more losses per path.
 */
static bool plane_is_silent(struct mrc_ev_set *set, u16 idx, u8 limit, u64 sent)
{
	struct mrc_ev_plane *plane = mrc_ev_plane_of(set, idx);

	if (sent <= plane->acked_sent ||
	    !other_plane_acked(set, set->ev[idx].plane, sent))
		return false;
	if (plane->last_strike != idx + 1 && plane->strikes < limit)
		plane->strikes++;
	plane->last_strike = idx + 1;
	return plane->strikes >= limit;
}

/* Backups that replace paths of the plane are ASSUMED_BAD too. */
static void assume_plane_bad(struct mrc_ev_set *set, struct mrc_ev_plane *plane,
			     u64 sent, u64 now)
{
	u16 i;

	for (i = 0; i < plane->n && plane->n_active; i++)
		assume_bad(set, set->ev[plane->first].order, sent, now);
}

static void lower_score(struct mrc_ev *ev, u32 by)
{
	ev->loss_score -= min(ev->loss_score, by);
}

/*
 * Packets of a path that delivers others have been delivered, or lost.  Paths that
 * seem to lose more than others do not count for what all lose.
 */
static bool counts_for_all(const struct mrc_ev *ev)
{
	return ev->loss_score < EV_SCORE_BAD / 2;
}

static void count_lost(struct mrc_ev_set *set, struct mrc_ev *ev)
{
	if (counts_for_all(ev)) {
		set->loss += BIT(MRC_EV_LOSS_SHIFT) / MRC_EV_LOSS_PKTS -
			     set->loss / MRC_EV_LOSS_PKTS;
		set->rare_loss += BIT(MRC_EV_RARE_LOSS_SHIFT) / MRC_EV_RARE_LOSS_PKTS -
				  set->rare_loss / MRC_EV_RARE_LOSS_PKTS;
	}
	/* The last path stays active: it must not take long to be trusted again. */
	ev->loss_score = min_t(u32, ev->loss_score + EV_SCORE_ONE,
			       2 * EV_SCORE_BAD);
}

static void count_delivered(struct mrc_ev_set *set, struct mrc_ev *ev)
{
	/* Nothing has been lost for long; the average of fewer packets has ended before. */
	if (likely((set->rare_loss | ev->loss_score) < MRC_EV_RARE_LOSS_PKTS))
		return;
	if (counts_for_all(ev)) {
		set->loss -= set->loss / MRC_EV_LOSS_PKTS;
		set->rare_loss -= set->rare_loss / MRC_EV_RARE_LOSS_PKTS;
	}
	lower_score(ev, max_t(u32, EV_SCORE_STEP(set->loss),
			      EV_SCORE_STEP_MIN));
}

/*
 * Losses in a row that chance does not explain.  Between losses that are farther apart
 * than the packets of one average the other one tells.
 */
static u8 strikes_needed(const struct mrc_ev_set *set)
{
	u64 loss = max(set->loss, set->rare_loss >>
		       (MRC_EV_RARE_LOSS_SHIFT - MRC_EV_LOSS_SHIFT));
	u64 chance = loss * loss >> MRC_EV_LOSS_SHIFT;
	u8 n = EV_STRIKES;

	if (set->crowded)
		n += EV_STRIKES_CROWDED;
	while (chance > BIT(MRC_EV_LOSS_SHIFT) / EV_CHANCE &&
	       n < EV_STRIKES_MAX) {
		chance = chance * loss >> MRC_EV_LOSS_SHIFT;
		n++;
	}
	return n;
}

/*
 * The path delivers a packet that was sent at @sent (U64_MAX: not known when): what was
 * lost before was lost by chance. More in a row than chance explains was no chance, but
 * an outage.
 */
static void forgive(struct mrc_ev_set *set, struct mrc_ev *ev, u64 sent)
{
	u8 n = min_t(u8, ev->strikes, strikes_needed(set) - 1);

	if (sent == U64_MAX ||
	    (s32)(mrc_ev_overdue_time(sent) - ev->strike_sent) < 0)
		return;
	ev->strikes = 0;
	while (n--)
		count_lost(set, ev);
}

/*
 * Packets that are sent together are lost together, by one full queue: that is
 * one strike.
 */
static bool is_new_strike(struct mrc_ev *ev, u64 sent)
{
	u32 at = mrc_ev_overdue_time(sent);

	if (sent != U64_MAX && at == ev->strike_sent)
		return false;
	ev->strike_sent = at;
	return true;
}

static void add_strike(struct mrc_ev_set *set, u16 idx, u8 limit, u64 sent,
		       u64 now)
{
	struct mrc_ev *ev = &set->ev[idx];
	u8 needed = strikes_needed(set);

	if (ev->strikes < U8_MAX && is_new_strike(ev, sent))
		ev->strikes++;
	if (plane_is_silent(set, idx, needed + EV_PLANE_STRIKES - EV_STRIKES,
			    sent))
		assume_plane_bad(set, mrc_ev_plane_of(set, idx), sent, now);
	else if (ev->strikes >= min(limit, needed) ||
		 ev->loss_score >= EV_SCORE_BAD)
		assume_bad(set, idx, sent, now);
	else if (ev->state == MRC_EV_GOOD)
		mrc_ev_set_state(set, idx, MRC_EV_SKIP);
}

/*
 * A packet is lost.  That is no evidence against the path while its port is
 * down.  If it has delivered a data packet that was sent together with this one or
 * later, only frequent losses are.
 */
static void on_loss(struct mrc_ev_set *set, u16 idx, u8 limit, u64 sent,
		    u64 now)
{
	struct mrc_ev *ev = &set->ev[idx];

	if (!port_usable(set, ev))
		return;
	if (sent > ev->acked_sent || ev->probe_acked) {
		add_strike(set, idx, limit, sent, now);
		return;
	}
	if (ev->strikes || is_new_strike(ev, sent))
		count_lost(set, ev);
	if (ev->loss_score >= EV_SCORE_BAD)
		assume_bad(set, idx, sent, now);
	else if (ev->state == MRC_EV_GOOD)
		mrc_ev_set_state(set, idx, MRC_EV_SKIP);
}

/**
 * mrc_ev_feedback() - process a signal about a path
 * @set: paths
 * @idx: path; ignored if it has been removed from the set
 * @sig: what the requester has learned
 * @now: ns
 *
 * MRC 1.0 figure 5.  Signals of congestion are handled by the strategy, signals
 * of loss change the state of the path here.
 *
 * Context: any, the caller serialises.
 */
void mrc_ev_feedback(struct mrc_ev_set *set, u16 idx, enum mrc_ev_signal sig,
		     u64 now)
{
	mrc_ev_feedback_at(set, idx, sig, U64_MAX, now);
}

/**
 * mrc_ev_feedback_at() - process a signal about a packet of known sending time
 * @set: paths
 * @idx: path; ignored if it has been removed from the set
 * @sig: what the requester has learned
 * @sent: ns when the packet was sent; U64_MAX: unknown
 * @now: ns
 *
 * As mrc_ev_feedback().  With @sent the loss is compared with later packets of
 * other paths and planes.
 *
 * Context: any, the caller serialises.
 */
void mrc_ev_feedback_at(struct mrc_ev_set *set, u16 idx, enum mrc_ev_signal sig,
			u64 sent, u64 now)
{
	struct mrc_ev *ev = &set->ev[idx];

	if (idx == set->n)
		return;
	switch (sig) {
	case MRC_EV_SIGNAL_ACK:
		if (unlikely(ev->strikes))
			forgive(set, ev, sent);
		ev->strikes = 0;
		break;
	case MRC_EV_SIGNAL_SKIP_ONCE:
		ev->stats.ecn++;
		ev->strikes = 0;
		lower_score(ev, EV_SCORE_ONE);
		break;
	case MRC_EV_SIGNAL_TRIM:
		ev->stats.trims++;
		break;
	case MRC_EV_SIGNAL_ALWAYS_SKIP:
		assume_bad(set, idx, sent, now);
		break;
	case MRC_EV_SIGNAL_LOSS:
		ev->stats.losses++;
		on_loss(set, idx, EV_STRIKES_MAX, sent, now);
		break;
	case MRC_EV_SIGNAL_RTO:
		ev->stats.timeouts++;
		on_loss(set, idx, 1, sent, now);
		break;
	case MRC_EV_SIGNAL_SPURIOUS:
		ev->strikes = 0;
		if (ev->state == MRC_EV_ASSUMED_BAD)
			recover(set, idx, MRC_EV_GOOD, now);
		break;
	}
	set->ops->feedback(set, idx, sig, sent, now);
}

/* Returns true if no packet of the path is known to be acknowledged that was sent later. */
static bool note_acked(struct mrc_ev_set *set, u16 idx, u64 sent)
{
	struct mrc_ev *ev = &set->ev[idx];
	struct mrc_ev_plane *plane;

	if (sent <= ev->acked_sent)
		return false;
	ev->acked_sent = sent;
	mrc_ev_overdue_acked_or_lost(set, idx, sent);
	if (idx == set->n)
		return false;
	plane = mrc_ev_plane_of(set, idx);
	if (sent > plane->acked_sent) {
		plane->acked_sent = sent;
		plane->last_strike = 0;
		plane->strikes = 0;
	}
	return true;
}

/**
 * mrc_ev_acked() - a data packet of a path has been acknowledged
 * @set: paths
 * @idx: path; may be one that has been removed from the set
 * @sent: ns when the packet was sent
 *
 * Context: any, the caller serialises.
 */
void mrc_ev_acked(struct mrc_ev_set *set, u16 idx, u64 sent)
{
	struct mrc_ev *ev = &set->ev[idx];

	if (idx < set->n)
		count_delivered(set, ev);
	if (!note_acked(set, idx, sent))
		return;
	ev->probe_acked = false;
	if (unlikely(ev->strikes))
		forgive(set, ev, sent);
}

/**
 * mrc_ev_probe_passed() - a reliability probe of a path has been acknowledged
 * @set: paths
 * @idx: path
 * @sent: ns when the probe was sent
 *
 * As mrc_ev_acked(), but a probe is short.  A path may deliver all of them and drop
 * the data, so it does not excuse lost data.
 *
 * Context: any, the caller serialises.
 */
void mrc_ev_probe_passed(struct mrc_ev_set *set, u16 idx, u64 sent)
{
	if (note_acked(set, idx, sent))
		set->ev[idx].probe_acked = true;
}

/**
 * mrc_ev_rtt() - process a round trip sample of a path
 * @set: paths
 * @idx: path
 * @rtt: ns
 *
 * Context: any, the caller serialises.
 */
void mrc_ev_rtt(struct mrc_ev_set *set, u16 idx, u32 rtt)
{
	struct mrc_ev *ev = &set->ev[idx];

	ev->srtt = ev->srtt && !ev->srtt_bound ?
		   ev->srtt - ev->srtt / 8 + rtt / 8 : rtt;
	ev->srtt_bound = false;
}

/**
 * mrc_ev_rtt_bound() - process an upper bound of the round trip of a path
 * @set: paths
 * @idx: path
 * @rtt: ns from sending a packet to an acknowledgment that may have been sent
 *	long after the packet had arrived
 *
 * Used as long as the path has no round trip sample.
 *
 * Context: any, the caller serialises.
 */
void mrc_ev_rtt_bound(struct mrc_ev_set *set, u16 idx, u32 rtt)
{
	struct mrc_ev *ev = &set->ev[idx];

	if (ev->srtt && !(ev->srtt_bound && rtt < ev->srtt))
		return;
	ev->srtt = rtt;
	ev->srtt_bound = true;
}

/**
 * mrc_ev_deny() - forbid a path
 * @set: paths
 * @idx: path
 *
 * Context: any, the caller serialises.
 */
void mrc_ev_deny(struct mrc_ev_set *set, u16 idx)
{
	set->ev[idx].probe_at = 0;
	mrc_ev_set_state(set, idx, MRC_EV_DENIED);
	activate_backup(set, mrc_ev_plane_of(set, idx));
	schedule_probes(set);
}

/**
 * mrc_ev_allow() - permit a forbidden path again
 * @set: paths
 * @idx: path; ignored if it is not in state DENIED
 *
 * Context: any, the caller serialises.
 */
void mrc_ev_allow(struct mrc_ev_set *set, u16 idx)
{
	struct mrc_ev *ev = &set->ev[idx];

	if (ev->state != MRC_EV_DENIED)
		return;
	ev->strikes = 0;
	mrc_ev_set_state(set, idx, state_by_quota(set, idx, MRC_EV_GOOD));
}

/**
 * mrc_ev_inherit() - continue a path of another set
 * @set: paths, just initialised
 * @idx: path
 * @old: the same path in the other set
 *
 * ASSUMED_BAD is inherited, SKIP is not; a path that is DENIED in @set stays
 * so.  What is in flight is counted anew by the requester.
 *
 * Context: any, the caller serialises.
 */
void mrc_ev_inherit(struct mrc_ev_set *set, u16 idx, const struct mrc_ev *old)
{
	struct mrc_ev *ev = &set->ev[idx];
	struct mrc_ev_plane *plane = mrc_ev_plane_of(set, idx);
	u8 state = ev->state, order = ev->order;

	*ev = *old;
	ev->state = state;
	ev->order = order;
	ev->inflight = 0;
	ev->probe_at = 0;
	plane->acked_sent = max(plane->acked_sent, old->acked_sent);
	if (state == MRC_EV_DENIED || old->state != MRC_EV_ASSUMED_BAD)
		return;
	ev->probe_at = old->probe_at;
	mrc_ev_set_state(set, idx, MRC_EV_ASSUMED_BAD);
	activate_backup(set, plane);
	schedule_probes(set);
}

/**
 * mrc_ev_probe_due() - find an ASSUMED_BAD path to be probed now
 * @set: paths
 * @now: ns
 *
 * Context: any, the caller serialises.
 * Return: index of the path, or -ENOENT if none is due.
 */
int mrc_ev_probe_due(struct mrc_ev_set *set, u64 now)
{
	u16 i;

	if (!set->probe_next || now < set->probe_next)
		return -ENOENT;
	for (i = 0; i < set->n; i++) {
		const struct mrc_ev *ev = &set->ev[i];

		if (ev->state == MRC_EV_ASSUMED_BAD && ev->probe_at <= now &&
		    port_usable(set, ev))
			return i;
	}
	schedule_probes(set);
	return -ENOENT;
}

/*
 * Acknowledgments that would be ignored are not waited for: sequence numbers have eight
 * bits, and those of an acknowledgment after 128 lost probes would look like an old one.
 */
static void forget_old_probes(struct mrc_ev *ev)
{
	if ((u8)(ev->probe_seq - ev->probe_ack) <= EV_PROBE_OLD)
		return;
	ev->probe_ack = ev->probe_seq - EV_PROBE_OLD;
	ev->probes_ok = 0;
}

/**
 * mrc_ev_probe_sent() - record a probe that is about to be sent
 * @set: paths
 * @idx: its path, in any state
 * @now: ns
 *
 * Context: any, the caller serialises.
 * Return: the probe id it must carry.
 */
u16 mrc_ev_probe_sent(struct mrc_ev_set *set, u16 idx, u64 now)
{
	struct mrc_ev *ev = &set->ev[idx];

	ev->stats.probes++;
	ev->probe_seq++;
	ev->probe_sent = now;
	forget_old_probes(ev);
	if (ev->state == MRC_EV_ASSUMED_BAD) {
		ev->probe_at = next_probe(set, ev, now);
		schedule_probes(set);
	}
	return (u16)ev->probe_seq << EV_ID_BITS | idx;
}

/* Each active path has lost a packet since its last acknowledgment. */
static bool all_have_strikes(const struct mrc_ev_set *set)
{
	u16 i;

	for (i = 0; i < set->n; i++) {
		const struct mrc_ev *ev = &set->ev[i];

		if (mrc_ev_is_active(ev->state) && !ev->strikes &&
		    port_usable(set, ev))
			return false;
	}
	return true;
}

/* A path that has flapped recently must pass more probes. */
static u8 probes_needed(const struct mrc_ev *ev)
{
	return min(EV_PROBE_OK << flap_shift(ev), EV_PROBE_OK_MAX);
}

/*
 * Acknowledgments of probes are consecutive if all probes between them have
 * been acknowledged.  One is enough while all active paths may have failed.
 */
static void on_probe_acked(struct mrc_ev_set *set, u16 idx, bool next,
			   bool marked, u64 now)
{
	struct mrc_ev *ev = &set->ev[idx];

	ev->probes_ok = next && ev->probes_ok ? ev->probes_ok + 1 : 1;
	if (ev->probes_ok >= probes_needed(ev) || all_have_strikes(set)) {
		recover(set, idx, marked ? MRC_EV_SKIP : MRC_EV_GOOD, now);
		return;
	}
	ev->probe_at = probe_time(set, ev, EV_PROBE_OK_NS << flap_shift(ev), now);
	schedule_probes(set);
}

/**
 * mrc_ev_probe_acked() - process the acknowledgment of a probe
 * @set: paths
 * @probe_id: as the peer reflected it; any value
 * @marked: the probe was ECN marked
 * @now: ns
 * @sent: set to the ns when the probe was sent; to 0 if later probes were sent
 * @first: set to whether this is its first acknowledgment
 *
 * Context: any, the caller serialises.
 * Return: index of the path, or -ENOENT if no recent probe has this id.
 */
int mrc_ev_probe_acked(struct mrc_ev_set *set, u16 probe_id, bool marked,
		       u64 now, u64 *sent, bool *first)
{
	u16 idx = probe_id & EV_ID_MASK;
	u8 seq = probe_id >> EV_ID_BITS;
	struct mrc_ev *ev;
	u8 age, ahead;

	if (idx >= set->n)
		return -ENOENT;
	ev = &set->ev[idx];
	age = ev->probe_seq - seq;
	if (!ev->probe_sent || age >= EV_PROBE_OLD)
		return -ENOENT;
	ahead = seq - ev->probe_ack;
	*sent = age ? 0 : ev->probe_sent;
	*first = ahead && ahead <= U8_MAX / 2;
	if (!*first)
		return idx;
	ev->probe_ack = seq;
	ev->padded_open = false;
	if (ev->state == MRC_EV_ASSUMED_BAD)
		on_probe_acked(set, idx, ahead == 1, marked, now);
	return idx;
}

/**
 * mrc_ev_deadline() - time of the next call of mrc_ev_probe_due()
 * @set: paths
 *
 * Context: any, the caller serialises.
 * Return: ns, or 0 for never.
 */
u64 mrc_ev_deadline(const struct mrc_ev_set *set)
{
	return set->probe_next;
}
