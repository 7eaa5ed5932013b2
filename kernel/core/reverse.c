// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reverse paths: which EV of each plane carries control packets, and the probes
 * that find one where no data does (paper 2.4).
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "core/packet.h"
#include "core/probe.h"
#include "core/reverse.h"
#include "core/rnd.h"

/*
 * Probes in a row that a plane leaves unanswered before answers leave the
 * plane.  One or two may be on their way, and any may have tried a dead EV.
 */
#define REVERSE_MISSES	4
/* Probes for the planes that did not answer, when nothing comes in any more. */
#define REVERSE_LAST	16
/* A cursor: choices since one was what is known, above the turn of the others. */
#define REVERSE_OTHERS	14
#define REVERSE_TURN	(BIT(REVERSE_OTHERS) - 1)

static_assert(REVERSE_TURN >= MRC_EV_MAX);

/*
 * What was known when data last came in may have died since.  A peer that asks
 * by probes alone may be doing so because it hears nothing.
 */
static bool is_fresh(const struct mrc_reverse *r)
{
	return READ_ONCE(r->next);
}

/* A path assumed bad that has been answered since is as good as any. */
static bool may_use(const struct mrc_ev_set *set, u16 idx)
{
	const struct mrc_ev *ev = &set->ev[idx];

	return READ_ONCE(ev->state) != MRC_EV_DENIED &&
	       mrc_ev_ports(set) >> (ev->plane - 1) & 1;
}

static bool is_silent(const struct mrc_ev_set *set, u8 plane)
{
	return READ_ONCE(set->reverse.plane[plane - 1].asked) >= REVERSE_MISSES;
}

static int proven_path(const struct mrc_ev_set *set, u8 plane)
{
	u16 known = READ_ONCE(set->reverse.plane[plane - 1].known);

	return known && may_use(set, known - 1) ? known - 1 : -ENOENT;
}

/* Some other plane that answers; the cursor stays if there is none. */
static int other_plane(const struct mrc_ev_set *set, u16 *cursor)
{
	int path;
	u8 i, plane;

	for (i = 0; i < set->n_planes; i++) {
		plane = set->plane_order[(*cursor + i) % set->n_planes];
		path = is_silent(set, plane) ? -ENOENT :
					       proven_path(set, plane);
		if (path < 0)
			continue;
		*cursor += i + 1;
		return path;
	}
	return -ENOENT;
}

/* How many choices among all there are between two of what is known. */
static u16 others_between(const struct mrc_ev_set *set, enum mrc_doubt doubt)
{
	if (doubt != MRC_DOUBT_NONE)
		return doubt;
	return is_fresh(&set->reverse) ? 0 : 1;
}

/**
 * mrc_reverse_pick() - choose a path for a control packet
 * @set: paths
 * @plane: preferred plane
 * @doubt: the peer may not hear us (&struct mrc_answer.doubt)
 * @cursor: the caller's position, moved on; begins anywhere
 *
 * The EV of the plane that is known to arrive.  All take turns before one is
 * known and while no plane answers; and every other time when no data comes in,
 * for what is known then may be old, or while something is missing: what took that
 * along may have been on the way back, too.  If what was answered comes again, two
 * of three times, and then what is known of any plane: this one may be it.
 *
 * Context: any, no lock, as mrc_ev_pick().
 * Return: index of a path, or -ENOENT if none may be used.
 */
int mrc_reverse_pick(const struct mrc_ev_set *set, u8 plane,
		     enum mrc_doubt doubt, u16 *cursor)
{
	u16 at = *cursor & REVERSE_TURN, others = *cursor >> REVERSE_OTHERS;
	bool known = others >= others_between(set, doubt);
	int path = -ENOENT;

	if (known && plane && plane <= MRC_PLANE_MAX)
		path = is_silent(set, plane) || doubt == MRC_DOUBT_UNHEARD ?
		       other_plane(set, &at) : proven_path(set, plane);
	if (path < 0)
		path = mrc_ev_pick(set, plane, &at);
	others = known ? 0 : others + 1;
	*cursor = (at & REVERSE_TURN) | others << REVERSE_OTHERS;
	return path;
}

/**
 * mrc_reverse_proven() - what was sent on a path has been answered
 * @set: paths
 * @idx: path
 *
 * Context: any, the owner serialises; mrc_reverse_pick() may read meanwhile.
 */
void mrc_reverse_proven(struct mrc_ev_set *set, u16 idx)
{
	struct mrc_reverse_plane *p = &set->reverse.plane[set->ev[idx].plane -
							  1];

	WRITE_ONCE(p->known, idx + 1);
	WRITE_ONCE(p->asked, 0);
}

/**
 * mrc_reverse_given_up() - a path is assumed bad
 * @set: paths
 * @idx: path
 *
 * Context: any, the owner serialises; mrc_reverse_pick() may read meanwhile.
 */
void mrc_reverse_given_up(struct mrc_ev_set *set, u16 idx)
{
	struct mrc_reverse_plane *p = &set->reverse.plane[set->ev[idx].plane -
							  1];

	if (p->known == idx + 1)
		WRITE_ONCE(p->known, 0);
}

/**
 * mrc_reverse_sacked() - a data packet has been answered, without a mark
 * @set: paths
 * @idx: its path
 *
 * Over planes that carry data there and back no probes are needed.
 *
 * Context: any, the owner serialises; mrc_reverse_pick() may read meanwhile.
 */
void mrc_reverse_sacked(struct mrc_ev_set *set, u16 idx)
{
	set->reverse.plane[set->ev[idx].plane - 1].sacked = true;
	mrc_reverse_proven(set, idx);
}

/**
 * mrc_reverse_wake() - data is being answered again
 * @set: paths
 * @now: ns
 *
 * Context: any, the owner serialises.  Afterwards mrc_req_deadline() may be an
 * earlier one.
 */
void mrc_reverse_wake(struct mrc_ev_set *set, u64 now)
{
	struct mrc_reverse *r = &set->reverse;
	u8 i;

	if (r->next)
		return;
	for (i = 0; i < set->n_planes; i++)
		r->plane[set->plane_order[i] - 1].sacked = false;
	WRITE_ONCE(r->next, now + MRC_REVERSE_NS);
}

static bool all_answer(const struct mrc_ev_set *set)
{
	u8 i;

	for (i = 0; i < set->n_planes; i++)
		if (set->reverse.plane[set->plane_order[i] - 1].asked)
			return false;
	return true;
}

/* Something came in of late, or the last word of a plane is awaited. */
static bool stays_awake(struct mrc_ev_set *set)
{
	struct mrc_reverse *r = &set->reverse;

	if (READ_ONCE(r->used)) {
		WRITE_ONCE(r->used, false);
		r->left = REVERSE_LAST;
		return true;
	}
	if (!r->left || all_answer(set))
		return false;
	r->left--;
	return true;
}

/* Some EV of a plane; those assumed bad are probed at a pace of their own. */
static int random_path(struct mrc_ev_set *set, u8 plane)
{
	const struct mrc_ev_plane *p = &set->planes[plane - 1];
	u16 i, idx, at = mrc_rnd_below(&set->rnd, p->n);

	for (i = 0; i < p->n; i++) {
		idx = set->ev[p->first + (at + i) % p->n].order;
		if (set->ev[idx].state != MRC_EV_ASSUMED_BAD &&
		    may_use(set, idx))
			return idx;
	}
	return -ENOENT;
}

/**
 * mrc_reverse_probe() - which path is to be probed now for the way back?
 * @set: paths
 * @rtt: ns of a round trip; 0: unknown
 * @now: ns
 *
 * Every round trip one, but none sooner than MRC_REVERSE_NS after the last;
 * planes take turns.  A plane on which data has been answered since its last turn
 * needs none: that others carry data says nothing of this one.  When
 * nothing comes in any more it falls asleep; data that is answered at this very
 * moment leaves it to the next to wake it.
 *
 * Context: any, the owner serialises; asked when &struct mrc_reverse.next has
 * come.
 * Return: index of the path, or -ENOENT if none is due.
 */
int mrc_reverse_probe(struct mrc_ev_set *set, u32 rtt, u64 now)
{
	struct mrc_reverse *r = &set->reverse;
	struct mrc_reverse_plane *p;
	u8 i, plane;
	int path;

	if (!r->next || now < r->next)
		return -ENOENT;
	if (!stays_awake(set)) {
		WRITE_ONCE(r->next, 0);
		return -ENOENT;
	}
	WRITE_ONCE(r->next, now + max(rtt, MRC_REVERSE_NS));
	for (i = 0; i < set->n_planes; i++) {
		plane = set->plane_order[r->turn++ % set->n_planes];
		path = random_path(set, plane);
		if (path < 0)
			continue;
		p = &r->plane[plane - 1];
		if (p->sacked) {
			p->sacked = false;
			return -ENOENT;
		}
		WRITE_ONCE(p->asked, min(p->asked + 1, U8_MAX));
		return path;
	}
	return -ENOENT;
}

/**
 * mrc_reverse_next_probe() - choose a probe to be sent now, without a requester
 * @set: paths
 * @dest_qpn: peer's QP
 * @now: ns
 * @probe: the probe
 *
 * A QP need not be ready to send to receive: programs which only do that may
 * leave it so.  With a requester mrc_req_next_probe() does this.
 *
 * Context: any, the owner serialises; asked when &struct mrc_reverse.next has
 * come.
 * Return: false if none is due.
 */
bool mrc_reverse_next_probe(struct mrc_ev_set *set, u32 dest_qpn, u64 now,
			    struct mrc_probe *probe)
{
	int path = mrc_reverse_probe(set, set->reverse.rtt, now);

	if (path < 0)
		return false;
	mrc_probe_fill(probe, set, path, dest_qpn, now);
	return true;
}

/**
 * mrc_reverse_on_sack() - process a SACK without a requester
 * @set: paths
 * @s: decoded SACK; counts if it answers a probe
 * @now: ns
 *
 * Context: any, the owner serialises; mrc_reverse_pick() may read meanwhile.
 */
void mrc_reverse_on_sack(struct mrc_ev_set *set, const struct mrc_pkt_sack *s,
			 u64 now)
{
	bool marked = s->mark == MRC_MARK_SKIP_ONCE, first;
	u64 sent;
	int path;

	if (!s->probe)
		return;
	path = mrc_ev_probe_answer(set, s->probe_id, marked, now, &sent,
				   &first);
	if (path < 0 || !sent)
		return;
	mrc_reverse_proven(set, path);
	/* A copy may have come at any time. */
	if (first)
		set->reverse.rtt = min_t(u64, now - sent, U32_MAX);
}
