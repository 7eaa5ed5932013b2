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
#include <linux/string.h>

#include "core/ev.h"
#include "core/rnd.h"

/*
 * Losses in a row before a path is given up.  The paper leaves a path after
 * the first loss, for its switches trim what they cannot queue.  Where nothing
 * trims, one loss may be congestion: the path misses a turn, and only a second
 * loss without an answer in between condemns it.
 */
#define EV_STRIKES	2

/*
 * Probing is implementation-defined.  Spacing doubles from 1 ms to 1 s while
 * probes are lost; three answers in a row bring a path back.
 */
#define EV_PROBE_NS	1000000ULL
#define EV_PROBE_SHIFT	10
#define EV_PROBE_OK	3

/* Flapping: each failure doubles the shortest spacing, each second forgives. */
#define EV_DAMP_MAX	6
#define EV_DAMP_NS	1000000000U

/* Probe ids: path and sequence number, so that no table is needed. */
#define EV_ID_BITS	8
#define EV_ID_MASK	(BIT(EV_ID_BITS) - 1)

/* Answers to probes older than this many are ignored. */
#define EV_PROBE_OLD	16

/* UDP source ports of AUTO paths: the ephemeral range of RFC 6335. */
#define EV_SPORT_MIN	0xc000
#define EV_SPORT_NUM	0x4000

static_assert(BIT(EV_ID_BITS) >= MRC_EV_MAX);
static_assert((EV_SPORT_NUM / 4) >= MRC_EV_MAX);

static bool usable(const struct mrc_ev_set *set, const struct mrc_ev *ev)
{
	return mrc_ev_ports(set) >> (ev->plane - 1) & 1;
}

static bool is_active(u8 state)
{
	return state == MRC_EV_GOOD || state == MRC_EV_SKIP;
}

/**
 * mrc_ev_set_size() - memory of a set
 * @n: paths
 *
 * Return: bytes.
 */
size_t mrc_ev_set_size(u16 n)
{
	return sizeof(struct mrc_ev_set) + n * sizeof(struct mrc_ev);
}

static void count_paths(struct mrc_ev_set *set,
			const struct mrc_ev_entry *entries)
{
	u16 i;

	for (i = 0; i < set->n; i++) {
		struct mrc_ev_plane *plane = &set->planes[entries[i].plane - 1];

		if (!plane->n++)
			set->plane_order[set->n_planes++] = entries[i].plane;
		if (entries[i].denied)
			continue;
		plane->n_active++;
		set->n_active++;
	}
}

/* Give every plane its stretch of the rotation, in the order of the entries. */
static void deal_out(struct mrc_ev_set *set)
{
	u16 fill[MRC_PLANE_MAX];
	u16 i, first = 0;

	for (i = 0; i < MRC_PLANE_MAX; i++) {
		set->planes[i].first = first;
		fill[i] = first;
		first += set->planes[i].n;
	}
	for (i = 0; i < set->n; i++)
		set->ev[fill[set->ev[i].plane - 1]++].order = i;
}

/**
 * mrc_ev_set_init() - fill a set
 * @set: mrc_ev_set_size(@n) bytes, uninitialised
 * @entries: the paths
 * @n: their number, 1..MRC_EV_MAX
 * @seed: of the random order; differs between QPs
 *
 * All ports count as usable until mrc_ev_set_ports() says otherwise.  The
 * floor of active paths is one per plane (spec: ev_min_active).
 *
 * Context: any, the caller serialises.
 * Return: 0, or -EINVAL if @n or a plane is out of range.
 */
int mrc_ev_set_init(struct mrc_ev_set *set, const struct mrc_ev_entry *entries,
		    u16 n, u64 seed)
{
	u16 i;

	if (!n || n > MRC_EV_MAX)
		return -EINVAL;
	for (i = 0; i < n; i++)
		if (!entries[i].plane || entries[i].plane > MRC_PLANE_MAX)
			return -EINVAL;

	memset(set, 0, mrc_ev_set_size(n));
	set->ops = &mrc_lb_rotation;
	set->n = n;
	set->rnd = seed;
	set->local_ports = U32_MAX;
	set->peer_ports = U32_MAX;
	for (i = 0; i < n; i++) {
		set->ev[i].value = entries[i].value;
		set->ev[i].plane = entries[i].plane;
		if (entries[i].denied)
			set->ev[i].state = MRC_EV_DENIED;
	}
	count_paths(set, entries);
	set->min_active = set->n_planes;
	deal_out(set);
	return 0;
}

static bool sport_taken(const struct mrc_ev_entry *entries, u16 n, u16 sport)
{
	u16 i;

	for (i = 0; i < n; i++)
		if ((entries[i].value & 0xffff) == sport)
			return true;
	return false;
}

/**
 * mrc_ev_auto() - make up paths for a QP without a profile
 * @entries: room for @n
 * @n: paths, at most MRC_EV_MAX
 * @ports: mask of local ports to use, bit p-1: port p; not 0
 * @seed: differs between QPs
 *
 * Spreads the paths evenly over the ports.  Their low 16 bits, which become
 * the UDP source port, are distinct, so that the paths also differ where IPv4
 * or a hash over the ports alone leaves nothing else; they lie in the ephemeral
 * range.
 *
 * Context: any.
 */
void mrc_ev_auto(struct mrc_ev_entry *entries, u16 n, u32 ports, u64 seed)
{
	u16 i, sport;
	u8 port = 0;

	for (i = 0; i < n; i++) {
		do {
			port = port % MRC_PLANE_MAX + 1;
		} while (!(ports >> (port - 1) & 1));
		do {
			sport = EV_SPORT_MIN + mrc_rnd_below(&seed,
							     EV_SPORT_NUM);
		} while (sport_taken(entries, i, sport));
		entries[i].value = (u32)mrc_rnd_next(&seed) << 16 | sport;
		entries[i].plane = port;
		entries[i].denied = false;
	}
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

/**
 * mrc_ev_next() - choose the path of the next burst
 * @set: paths
 * @now: ns
 *
 * Never a DENIED path nor one of a port that is masked out; an ASSUMED_BAD
 * one only if nothing better is left.
 *
 * Context: any, the owner serialises.
 * Return: index of a path, or -ENOENT if none may be used.
 */
int mrc_ev_next(struct mrc_ev_set *set, u64 now)
{
	return set->ops->next_path(set, now);
}

/**
 * mrc_ev_pick() - choose a path for a control packet
 * @set: paths
 * @plane: preferred plane; 0: any
 * @cursor: the caller's position, moved on; begins anywhere
 *
 * Context: any, no lock: states and masks are read once each, and a choice
 * that is outdated by the time it is used costs one control packet at worst.
 * The set itself must not be freed meanwhile.
 * Return: index of a path, or -ENOENT if none may be used.
 */
int mrc_ev_pick(const struct mrc_ev_set *set, u8 plane, u16 *cursor)
{
	u32 ports = mrc_ev_ports(set);
	int best = -ENOENT, rank, best_rank = 0;
	u16 i, idx = *cursor % set->n;

	for (i = 0; i < set->n; i++) {
		const struct mrc_ev *ev = &set->ev[idx];
		u8 state = READ_ONCE(ev->state);
		u16 at = idx;

		idx = idx + 1 < set->n ? idx + 1 : 0;
		if (!(ports >> (ev->plane - 1) & 1) || state == MRC_EV_DENIED)
			continue;
		rank = 1 + 2 * is_active(state) +
		       (!plane || ev->plane == plane);
		if (rank > best_rank) {
			best_rank = rank;
			best = at;
		}
		if (rank == 4)
			break;
	}
	*cursor = idx;
	return best;
}

/* IPv4 carries one half of a value only; the other comes back as zero. */
static bool is_value(u32 value, u32 reflected)
{
	if (value == reflected)
		return true;
	return reflected >> 16 ? !(reflected & 0xffff) &&
				 value >> 16 == reflected >> 16 :
				 (value & 0xffff) == reflected;
}

/**
 * mrc_ev_is() - was a packet sent on a path, going by its reflected value?
 * @set: paths
 * @idx: path; may be out of range
 * @value: entropy value as the peer reflected it
 *
 * Context: any, no lock.
 * Return: true if so.
 */
bool mrc_ev_is(const struct mrc_ev_set *set, u16 idx, u32 value)
{
	return idx < set->n && is_value(set->ev[idx].value, value);
}

/**
 * mrc_ev_find() - path of a reflected entropy value
 * @set: paths
 * @value: entropy value as the peer reflected it
 *
 * Context: any, no lock.
 * Return: index of the path, or -ENOENT.
 */
int mrc_ev_find(const struct mrc_ev_set *set, u32 value)
{
	u16 i;

	for (i = 0; i < set->n; i++)
		if (set->ev[i].value == value)
			return i;
	for (i = 0; i < set->n; i++)
		if (is_value(set->ev[i].value, value))
			return i;
	return -ENOENT;
}

/**
 * mrc_ev_set_state() - change the state of a path
 * @set: paths
 * @idx: path
 * @state: new state
 *
 * Keeps the counts; everything else is up to the caller.
 *
 * Context: any, the owner serialises; mrc_ev_pick() may read meanwhile.
 */
void mrc_ev_set_state(struct mrc_ev_set *set, u16 idx, enum mrc_ev_state state)
{
	struct mrc_ev *ev = &set->ev[idx];
	struct mrc_ev_plane *plane = &set->planes[ev->plane - 1];
	u8 old = ev->state;

	if (old == state)
		return;
	WRITE_ONCE(ev->state, state);
	set->n_skip += (state == MRC_EV_SKIP) - (old == MRC_EV_SKIP);
	set->n_bad += (state == MRC_EV_ASSUMED_BAD) -
		      (old == MRC_EV_ASSUMED_BAD);
	set->n_active += is_active(state) - is_active(old);
	plane->n_active += is_active(state) - is_active(old);
	if (is_active(state) && is_active(old))
		return;
	if (set->on_state)
		set->on_state(set, idx, old);
}

/* Never so short that a probe leaves before the last one can be answered. */
static u64 probe_spacing(struct mrc_ev_set *set, const struct mrc_ev *ev)
{
	u64 ns = max(EV_PROBE_NS << ev->probe_shift, 2ULL * ev->srtt);

	/* Up to a quarter more, or all QPs probe a repaired link at once. */
	return ns + mrc_rnd_below(&set->rnd, min_t(u64, ns / 4, U32_MAX));
}

/* Paths in use that are really there: masked ports do not count. */
static u16 active_paths(const struct mrc_ev_set *set)
{
	u32 ports = mrc_ev_ports(set);
	u16 n = 0;
	u8 i;

	for (i = 0; i < set->n_planes; i++) {
		u8 plane = set->plane_order[i] - 1;

		if (ports >> plane & 1)
			n += set->planes[plane].n_active;
	}
	return n;
}

static u8 damping(struct mrc_ev *ev, u64 now)
{
	u64 forgiven = div_u64(now - ev->since, EV_DAMP_NS);

	return ev->damp - min_t(u64, ev->damp, forgiven);
}

/* Unless it is one of the last: rather a bad path than none (ev_min_active). */
static void give_up(struct mrc_ev_set *set, u16 idx, u64 now)
{
	struct mrc_ev *ev = &set->ev[idx];

	if (!is_active(ev->state))
		return;
	if (active_paths(set) <= set->min_active) {
		mrc_ev_set_state(set, idx, MRC_EV_SKIP);
		return;
	}
	ev->probe_shift = damping(ev, now);
	ev->damp = min(ev->probe_shift + 1, EV_DAMP_MAX);
	ev->probe_ok = 0;
	ev->probe_at = now + probe_spacing(set, ev);
	ev->since = now;
	ev->stats.bad++;
	mrc_ev_set_state(set, idx, MRC_EV_ASSUMED_BAD);
	set->probe_next = min_not_zero(set->probe_next, ev->probe_at);
}

static void bring_back(struct mrc_ev_set *set, u16 idx,
		       enum mrc_ev_state state, u64 now)
{
	struct mrc_ev *ev = &set->ev[idx];

	ev->strikes = 0;
	ev->probe_at = 0;
	ev->since = now;
	mrc_ev_set_state(set, idx, state);
	schedule_probes(set);
}

/* A loss while the port is masked says nothing about the path behind it. */
static void strike(struct mrc_ev_set *set, u16 idx, u64 now)
{
	struct mrc_ev *ev = &set->ev[idx];

	if (!usable(set, ev))
		return;
	if (++ev->strikes < EV_STRIKES) {
		if (ev->state == MRC_EV_GOOD)
			mrc_ev_set_state(set, idx, MRC_EV_SKIP);
		return;
	}
	ev->strikes = 0;
	give_up(set, idx, now);
}

/**
 * mrc_ev_feedback() - a packet met something on its path
 * @set: paths
 * @idx: path
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
	struct mrc_ev *ev = &set->ev[idx];

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
		give_up(set, idx, now);
		break;
	case MRC_EV_SIG_LOSS:
		ev->stats.losses++;
		strike(set, idx, now);
		break;
	case MRC_EV_SIG_TIMEOUT:
		ev->stats.timeouts++;
		if (usable(set, ev))
			give_up(set, idx, now);
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

	ev->srtt = ev->srtt ? ev->srtt - ev->srtt / 8 + rtt / 8 : rtt;
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
	mrc_ev_set_state(set, idx, MRC_EV_GOOD);
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

/* Answers count as being in a row if no probe between them went unanswered. */
static void probe_success(struct mrc_ev_set *set, u16 idx, bool next,
			  bool marked, u64 now)
{
	struct mrc_ev *ev = &set->ev[idx];

	ev->probe_ok = next && ev->probe_ok ? ev->probe_ok + 1 : 1;
	if (ev->probe_ok >= EV_PROBE_OK) {
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
