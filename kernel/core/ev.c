// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Entropy values: states of the paths (MRC 1.0 figure 5) and probing of those
 * that lost packets.  Which usable path comes next is up to the strategy.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "core/evwait.h"
#include "core/lb.h"
#include "core/reverse.h"
#include "core/rnd.h"

/*
 * Losses in a row before a path is given up.  The paper leaves a path after
 * the first loss, for its switches trim what they cannot queue.  Where nothing
 * trims, one loss may be congestion: the path misses a turn, and only a second
 * loss without an answer in between condemns it.
 */
#define EV_STRIKES	2
/* Losses in a row, on one path and then on another, before a plane is. */
#define EV_PLANE_STRIKES 3

/*
 * Probing is implementation-defined.  Spacing doubles from 1 ms to 1 s while
 * probes are lost; three answers in a row bring a path back.
 */
#define EV_PROBE_NS	1000000ULL
#define EV_PROBE_SHIFT	10
#define EV_PROBE_OK	3

/*
 * Flapping: each failure doubles the shortest spacing and the answers that are
 * needed in a row, each good second forgives one.  Three probes come back by luck
 * every other time from a path that loses 20 %, twenty-four hardly ever; more
 * would keep a path that has been repaired waiting for over a second.
 */
#define EV_DAMP_MAX	6
#define EV_DAMP_NS	1000000000U
#define EV_PROBE_OK_MAX	24

/* Probe ids: path and sequence number, so that no table is needed. */
#define EV_ID_BITS	8
#define EV_ID_MASK	(BIT(EV_ID_BITS) - 1)

/* Answers to probes older than this many are ignored. */
#define EV_PROBE_OLD	16

static_assert(BIT(EV_ID_BITS) >= MRC_EV_MAX);

static bool usable(const struct mrc_ev_set *set, const struct mrc_ev *ev)
{
	return mrc_ev_ports(set) >> (ev->plane - 1) & 1;
}

/* When a probe may be due, looked up again after something changed. */
static void schedule_probes(struct mrc_ev_set *set)
{
	u64 next = 0;
	u16 i;

	for (i = 0; set->n_bad && i < set->n; i++) {
		const struct mrc_ev *ev = &set->ev[i];

		if (ev->state != MRC_EV_ASSUMED_BAD || !usable(set, ev))
			continue;
		next = min_not_zero(next, ev->probe_at);
	}
	set->probe_next = next;
}

/**
 * mrc_ev_set_ports() - say which ports may be used
 * @set: paths
 * @local: bit p-1 set: local port p is up and has a route to the peer
 * @peer: bit p-1 set: the peer's port p is reachable
 *
 * Takes effect with the next choice of a path; states of paths stay.
 *
 * Context: any, the owner serialises.
 */
void mrc_ev_set_ports(struct mrc_ev_set *set, u32 local, u32 peer)
{
	WRITE_ONCE(set->local_ports, local);
	WRITE_ONCE(set->peer_ports, peer);
	schedule_probes(set);
}

/* The backup that has been without a failure for the longest time. */
static int find_backup(struct mrc_ev_set *set, const struct mrc_ev_plane *plane)
{
	int best = -ENOENT;
	u16 i, idx;

	for (i = plane->n_active; i < plane->n; i++) {
		idx = set->ev[plane->first + i].order;
		if (set->ev[idx].state != MRC_EV_BACKUP)
			continue;
		if (best < 0 || set->ev[idx].since < set->ev[best].since)
			best = idx;
	}
	return best;
}

/* Fill the place of a path that has left with a backup of the same plane. */
static void replace(struct mrc_ev_set *set, const struct mrc_ev_plane *plane)
{
	int backup = -ENOENT;

	if (plane->n_active < plane->quota)
		backup = find_backup(set, plane);
	if (backup >= 0)
		mrc_ev_set_state(set, backup, MRC_EV_GOOD);
}

/* A path that is healthy again is active only if its place is still free. */
static enum mrc_ev_state welcome(struct mrc_ev_set *set, u16 idx,
				 enum mrc_ev_state state)
{
	const struct mrc_ev_plane *plane = mrc_ev_plane_of(set, idx);

	return plane->n_active < plane->quota ? state : MRC_EV_BACKUP;
}

/* Never so short that a probe leaves before the last one can be answered. */
static u64 probe_spacing(struct mrc_ev_set *set, const struct mrc_ev *ev)
{
	u64 ns = max(EV_PROBE_NS << ev->probe_shift, 2ULL * ev->srtt);

	/* Up to a quarter more, or all QPs probe a repaired link at once. */
	return ns + mrc_rnd_below(&set->rnd, min_t(u64, ns / 4, U32_MAX));
}

/* Another active path on which something was answered that was sent later. */
static bool other_lives(const struct mrc_ev_set *set, u16 idx, u64 sent)
{
	u16 i;

	for (i = 0; i < set->n; i++) {
		const struct mrc_ev *ev = &set->ev[i];

		if (i != idx && ev->acked_sent > sent &&
		    mrc_ev_is_active(ev->state) && usable(set, ev))
			return true;
	}
	return false;
}

/*
 * Would there be too few paths if this one were given up?  What counts is what
 * is really there: masked ports have no paths, nor do they need any.  Unless
 * the operator has named a number, one that lives is enough: all that is sent
 * on the others would be lost.
 */
static bool at_the_floor(const struct mrc_ev_set *set, u16 idx, u64 sent)
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
	return paths <= planes && !other_lives(set, idx, sent);
}

static u8 damping(struct mrc_ev *ev, u64 now)
{
	u64 forgiven = div_u64(now - ev->since, EV_DAMP_NS);

	return ev->damp - min_t(u64, ev->damp, forgiven);
}

/*
 * A backup of its plane takes its place.  Without one it stays if it is one of
 * the last: rather a bad path than none (ev_min_active).
 */
static void give_up(struct mrc_ev_set *set, u16 idx, u64 sent, u64 now)
{
	struct mrc_ev_plane *plane = mrc_ev_plane_of(set, idx);
	struct mrc_ev *ev = &set->ev[idx];

	if (!mrc_ev_is_active(ev->state))
		return;
	if (find_backup(set, plane) < 0 && at_the_floor(set, idx, sent)) {
		mrc_ev_set_state(set, idx, MRC_EV_SKIP);
		return;
	}
	ev->strikes = 0;
	ev->probe_shift = damping(ev, now);
	ev->damp = min(ev->probe_shift + 1, EV_DAMP_MAX);
	ev->probe_ok = 0;
	ev->probe_at = now + probe_spacing(set, ev);
	ev->since = now;
	ev->stats.bad++;
	mrc_ev_set_state(set, idx, MRC_EV_ASSUMED_BAD);
	mrc_reverse_given_up(set, idx);
	replace(set, plane);
	set->probe_next = min_not_zero(set->probe_next, ev->probe_at);
}

static void bring_back(struct mrc_ev_set *set, u16 idx,
		       enum mrc_ev_state state, u64 now)
{
	struct mrc_ev *ev = &set->ev[idx];

	ev->strikes = 0;
	ev->probe_at = 0;
	ev->since = now;
	mrc_ev_set_state(set, idx, welcome(set, idx, state));
	schedule_probes(set);
}

/* Something sent later on another plane has been answered. */
static bool other_plane_lives(const struct mrc_ev_set *set, u8 nr, u64 sent)
{
	const struct mrc_ev_plane *plane;
	u32 ports = mrc_ev_ports(set);
	u8 i, other;

	for (i = 0; i < set->n_planes; i++) {
		other = set->plane_order[i];
		plane = &set->planes[other - 1];
		if (other != nr && ports >> (other - 1) & 1 &&
		    plane->n_active && plane->answered > sent)
			return true;
	}
	return false;
}

/*
 * Paths of a plane have lost packets, and nothing that was sent on the plane since
 * has been answered, unlike on others: what they share is broken, the link of a
 * host or a T0.  To find out about each of the paths would cost two losses more.
 */
static bool is_silent(struct mrc_ev_set *set, u16 idx, u64 sent)
{
	struct mrc_ev_plane *plane = mrc_ev_plane_of(set, idx);

	if (sent <= plane->answered ||
	    !other_plane_lives(set, set->ev[idx].plane, sent))
		return false;
	if (plane->lost != idx + 1 && plane->n_lost < EV_PLANE_STRIKES)
		plane->n_lost++;
	plane->lost = idx + 1;
	return plane->n_lost >= EV_PLANE_STRIKES;
}

/* Backups take the places of others, and have to go too. */
static void give_up_plane(struct mrc_ev_set *set, struct mrc_ev_plane *plane,
			  u64 sent, u64 now)
{
	u16 i;

	for (i = 0; i < plane->n && plane->n_active; i++)
		give_up(set, set->ev[plane->first].order, sent, now);
}

/* A loss while the port is masked says nothing about the path behind it. */
static void strike(struct mrc_ev_set *set, u16 idx, u8 limit, u64 sent, u64 now)
{
	struct mrc_ev *ev = &set->ev[idx];

	if (!usable(set, ev))
		return;
	if (ev->strikes < U8_MAX)
		ev->strikes++;
	if (is_silent(set, idx, sent))
		give_up_plane(set, mrc_ev_plane_of(set, idx), sent, now);
	else if (ev->strikes >= limit)
		give_up(set, idx, sent, now);
	else if (ev->state == MRC_EV_GOOD)
		mrc_ev_set_state(set, idx, MRC_EV_SKIP);
}

/**
 * mrc_ev_feedback() - a packet met something on its path
 * @set: paths
 * @idx: path; nothing happens if it is one that is no more
 * @sig: what was learnt
 * @now: ns
 *
 * Figure 5 of the spec.  Congestion is balance, silence is the path: signals
 * of congestion go on to the strategy, those of loss are dealt with here.
 *
 * Context: any, the owner serialises.
 */
void mrc_ev_feedback(struct mrc_ev_set *set, u16 idx, enum mrc_ev_signal sig,
		     u64 now)
{
	mrc_ev_lost(set, idx, sig, U64_MAX, now);
}

/**
 * mrc_ev_lost() - a packet was lost on its path
 * @set: paths
 * @idx: path; nothing happens if it is one that is no more
 * @sig: what was learnt
 * @sent: ns when the packet was sent; U64_MAX: unknown
 * @now: ns
 *
 * As mrc_ev_feedback(), with the time that tells whether others were luckier.
 *
 * Context: any, the owner serialises.
 */
void mrc_ev_lost(struct mrc_ev_set *set, u16 idx, enum mrc_ev_signal sig,
		 u64 sent, u64 now)
{
	struct mrc_ev *ev = &set->ev[idx];

	if (idx == set->n)
		return;
	switch (sig) {
	case MRC_EV_SIG_OK:
		ev->strikes = 0;
		break;
	case MRC_EV_SIG_SKIP_ONCE:
		ev->stats.ecn++;
		ev->strikes = 0;
		break;
	case MRC_EV_SIG_TRIM:
		ev->stats.trims++;
		break;
	case MRC_EV_SIG_ALWAYS_SKIP:
		give_up(set, idx, sent, now);
		break;
	case MRC_EV_SIG_LOSS:
		ev->stats.losses++;
		strike(set, idx, EV_STRIKES, sent, now);
		break;
	case MRC_EV_SIG_TIMEOUT:
		ev->stats.timeouts++;
		strike(set, idx, 1, sent, now);
		break;
	case MRC_EV_SIG_ALIVE:
		ev->strikes = 0;
		if (ev->state == MRC_EV_ASSUMED_BAD)
			bring_back(set, idx, MRC_EV_GOOD, now);
		break;
	}
	set->ops->feedback(set, idx, sig, now);
}

/**
 * mrc_ev_answered() - what was sent on a path has been answered
 * @set: paths
 * @idx: path; may be one that is no more
 * @sent: ns when it was sent
 *
 * Context: any, the owner serialises.
 */
void mrc_ev_answered(struct mrc_ev_set *set, u16 idx, u64 sent)
{
	struct mrc_ev *ev = &set->ev[idx];
	struct mrc_ev_plane *plane;

	if (sent <= ev->acked_sent)
		return;
	ev->acked_sent = sent;
	mrc_evwait_settled(set, idx, sent);
	if (idx == set->n)
		return;
	plane = mrc_ev_plane_of(set, idx);
	if (sent > plane->answered) {
		plane->answered = sent;
		plane->lost = 0;
		plane->n_lost = 0;
	}
}

/**
 * mrc_ev_rtt() - take a round trip sample of a path
 * @set: paths
 * @idx: path
 * @rtt: ns
 *
 * Context: any, the owner serialises.
 */
void mrc_ev_rtt(struct mrc_ev_set *set, u16 idx, u32 rtt)
{
	struct mrc_ev *ev = &set->ev[idx];

	ev->srtt = ev->srtt && !ev->srtt_bound ?
		   ev->srtt - ev->srtt / 8 + rtt / 8 : rtt;
	ev->srtt_bound = false;
}

/**
 * mrc_ev_rtt_bound() - a packet was answered, perhaps long after it had arrived
 * @set: paths
 * @idx: its path
 * @rtt: ns from its sending to that answer
 *
 * Better than nothing, as long as there is no sample.
 *
 * Context: any, the owner serialises.
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
 * Context: any, the owner serialises.
 */
void mrc_ev_deny(struct mrc_ev_set *set, u16 idx)
{
	set->ev[idx].probe_at = 0;
	mrc_ev_set_state(set, idx, MRC_EV_DENIED);
	replace(set, mrc_ev_plane_of(set, idx));
	schedule_probes(set);
}

/**
 * mrc_ev_allow() - permit a forbidden path again
 * @set: paths
 * @idx: path; nothing happens if it is not forbidden
 *
 * Context: any, the owner serialises.
 */
void mrc_ev_allow(struct mrc_ev_set *set, u16 idx)
{
	struct mrc_ev *ev = &set->ev[idx];

	if (ev->state != MRC_EV_DENIED)
		return;
	ev->strikes = 0;
	mrc_ev_set_state(set, idx, welcome(set, idx, MRC_EV_GOOD));
}

/**
 * mrc_ev_take_over() - let a path go on where another set has left it
 * @set: paths, just initialised
 * @idx: path
 * @old: the same path in the other set
 *
 * Congestion is forgotten, a suspicion is not; what @set denies stays so.
 *
 * Context: any, the owner serialises.
 */
void mrc_ev_take_over(struct mrc_ev_set *set, u16 idx, const struct mrc_ev *old)
{
	struct mrc_ev *ev = &set->ev[idx];
	struct mrc_ev_plane *plane = mrc_ev_plane_of(set, idx);
	u8 state = ev->state, order = ev->order;

	*ev = *old;
	ev->state = state;
	ev->order = order;
	ev->probe_at = 0;
	plane->answered = max(plane->answered, old->acked_sent);
	if (state == MRC_EV_DENIED || old->state != MRC_EV_ASSUMED_BAD)
		return;
	ev->probe_at = old->probe_at;
	mrc_ev_set_state(set, idx, MRC_EV_ASSUMED_BAD);
	replace(set, plane);
	schedule_probes(set);
}

/**
 * mrc_ev_probe_due() - which suspect path is to be probed now?
 * @set: paths
 * @now: ns
 *
 * Context: any, the owner serialises.
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
		    usable(set, ev))
			return i;
	}
	schedule_probes(set);
	return -ENOENT;
}

/**
 * mrc_ev_probe_sent() - a probe is about to leave
 * @set: paths
 * @idx: its path, in any state
 * @now: ns
 *
 * Context: any, the owner serialises.
 * Return: the probe id it must carry.
 */
u16 mrc_ev_probe_sent(struct mrc_ev_set *set, u16 idx, u64 now)
{
	struct mrc_ev *ev = &set->ev[idx];

	ev->stats.probes++;
	ev->probe_seq++;
	ev->probe_sent = now;
	if (ev->state == MRC_EV_ASSUMED_BAD) {
		ev->probe_at = now + probe_spacing(set, ev);
		ev->probe_shift = min(ev->probe_shift + 1, EV_PROBE_SHIFT);
		schedule_probes(set);
	}
	return (u16)ev->probe_seq << EV_ID_BITS | idx;
}

/* Each path in use has lost something since it was last answered. */
static bool all_suspect(const struct mrc_ev_set *set)
{
	u16 i;

	for (i = 0; i < set->n; i++) {
		const struct mrc_ev *ev = &set->ev[i];

		if (mrc_ev_is_active(ev->state) && !ev->strikes &&
		    usable(set, ev))
			return false;
	}
	return true;
}

/* Whoever has failed of late has to prove more. */
static u8 probes_needed(const struct mrc_ev *ev)
{
	if (!ev->damp)
		return EV_PROBE_OK;
	return min(EV_PROBE_OK << (ev->damp - 1), EV_PROBE_OK_MAX);
}

/*
 * Answers count as being in a row if no probe between them went unanswered.  One
 * is enough where nothing better is known than paths that may all be dead.
 */
static void probe_success(struct mrc_ev_set *set, u16 idx, bool next,
			  bool marked, u64 now)
{
	struct mrc_ev *ev = &set->ev[idx];

	ev->probe_ok = next && ev->probe_ok ? ev->probe_ok + 1 : 1;
	if (ev->probe_ok >= probes_needed(ev) || all_suspect(set)) {
		bring_back(set, idx, marked ? MRC_EV_SKIP : MRC_EV_GOOD, now);
		return;
	}
	ev->probe_shift = ev->damp ? ev->damp - 1 : 0;
	ev->probe_at = now + probe_spacing(set, ev);
	schedule_probes(set);
}

/**
 * mrc_ev_probe_answer() - a probe was answered
 * @set: paths
 * @probe_id: as the peer reflected it; may be anything
 * @marked: the probe met congestion
 * @now: ns
 * @sent: set to the ns when the probe left, or to 0 if that is forgotten
 * @first: set to whether this is the first answer to it
 *
 * Context: any, the owner serialises.
 * Return: index of the path, or -ENOENT if there was no such probe of late.
 */
int mrc_ev_probe_answer(struct mrc_ev_set *set, u16 probe_id, bool marked,
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
	if (ev->state == MRC_EV_ASSUMED_BAD)
		probe_success(set, idx, ahead == 1, marked, now);
	return idx;
}

/**
 * mrc_ev_deadline() - when must mrc_ev_probe_due() be asked again?
 * @set: paths
 *
 * Context: any, the owner serialises.
 * Return: ns, or 0 for never.
 */
u64 mrc_ev_deadline(const struct mrc_ev_set *set)
{
	return set->probe_next;
}
