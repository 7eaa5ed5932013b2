// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ACK paths: which EV of each plane carries control packets, and the probes
 * that prove one where no data is sent (paper 2.4).
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "core/packet.h"
#include "core/probe.h"
#include "core/ack_path.h"
#include "core/rnd.h"

/*
 * Unacknowledged probes in a row after which control packets leave a plane.
 * One or two may be on their way, and any may have been sent on a failed EV.
 */
#define ACK_PATH_MISSES	4
/* Further probes of unresponsive planes when data no longer arrives. */
#define ACK_PATH_LAST	16
/* Doublings of the interval of probes while no round trip is known: up to a second. */
#define ACK_PATH_BACKOFF_MAX	8
/*
 * Layout of a cursor, from the lowest bits on: position among the paths that are in
 * rotation, among the planes, among the other paths, and choices since the last proven
 * path.  With one position for all, choices of planes would move it over the same paths
 * each time.
 */
#define ACK_PATH_PLANE	8
#define ACK_PATH_OFF	14
#define ACK_PATH_OTHERS	22
#define ACK_PATH_PATHS	(BIT(ACK_PATH_PLANE) - 1)
#define ACK_PATH_PLANES	(BIT(ACK_PATH_OFF - ACK_PATH_PLANE) - 1)
#define ACK_PATH_OFFS	(BIT(ACK_PATH_OTHERS - ACK_PATH_OFF) - 1)

static_assert(MRC_PLANE_MAX - 1 <= ACK_PATH_PLANES);
static_assert(MRC_EV_MAX - 1 <= ACK_PATH_PATHS);
static_assert(MRC_EV_MAX - 1 <= ACK_PATH_OFFS);

/*
 * Is the proven path up to date? It may have failed since data last arrived.  A
 * peer that sends probes only may do so because it receives no
 * acknowledgments.
 */
static bool is_current(const struct mrc_ack_paths *r)
{
	return READ_ONCE(r->next);
}

/* An ASSUMED_BAD path may be used: it may have been acknowledged since. */
static bool may_use(const struct mrc_ev_set *set, u16 idx)
{
	const struct mrc_ev *ev = &set->ev[idx];

	return READ_ONCE(ev->state) != MRC_EV_DENIED &&
	       mrc_ev_ports(set) >> (ev->plane - 1) & 1;
}

static bool is_unresponsive(const struct mrc_ev_set *set, u8 plane)
{
	const struct mrc_ack_path_plane *p = &set->ack_paths.plane[plane - 1];

	return READ_ONCE(p->probes_open) >= ACK_PATH_MISSES;
}

static int proven_path(const struct mrc_ev_set *set, u8 plane)
{
	u16 proven = READ_ONCE(set->ack_paths.plane[plane - 1].proven);

	return proven && may_use(set, proven - 1) ? proven - 1 : -ENOENT;
}

/*
 * A proven path of some plane, of a responsive one unless @any; the position stays if
 * there is none.
 */
static int other_proven_path(const struct mrc_ev_set *set, bool any, u16 *position)
{
	u8 i, plane, at;
	int path;

	for (i = 0; i < set->n_planes; i++) {
		at = (*position + i) % set->n_planes;
		plane = set->plane_order[at];
		path = !any && is_unresponsive(set, plane) ?
		       -ENOENT : proven_path(set, plane);
		if (path < 0)
			continue;
		*position = (at + 1) % set->n_planes;
		return path;
	}
	return -ENOENT;
}

/*
 * A path that is not in rotation: BACKUP, or ASSUMED_BAD, which a path also is that works
 * although the probe or its acknowledgment was lost.  Likewise any of the other planes
 * than @but; 0: none of them.
 */
static int path_off_rotation(const struct mrc_ev_set *set, u8 but, u16 *position)
{
	const struct mrc_ev *ev;
	u16 i, idx;

	for (i = 0; i < set->n; i++) {
		idx = (*position + i) % set->n;
		ev = &set->ev[idx];
		if (!may_use(set, idx) || (mrc_ev_is_active(READ_ONCE(ev->state)) &&
					   (!but || ev->plane == but)))
			continue;
		*position = (idx + 1) % set->n;
		return idx;
	}
	return -ENOENT;
}

/* Probes of the plane get no response, nor those of any other plane that has a proven path. */
static bool all_are_silent(const struct mrc_ev_set *set, u8 plane)
{
	u16 position = 0;

	return plane && plane <= MRC_PLANE_MAX && is_unresponsive(set, plane) &&
	       other_proven_path(set, false, &position) < 0;
}

/* Number of choices among all paths between two proven ones. */
static u16 unproven_between(const struct mrc_ev_set *set,
			    enum mrc_ack_path_health health)
{
	if (health != MRC_ACK_PATH_OK)
		return health;
	return is_current(&set->ack_paths) ? 0 : 1;
}

/**
 * mrc_ack_path_pick() - choose a path for a control packet
 * @set: paths
 * @plane: preferred plane
 * @health: whether acknowledgments reach the peer (&struct
 *	mrc_ack_batch.health)
 * @cursor: the caller's position, advanced; may start anywhere.  One for each
 *	plane: where planes alternate, the first path of each would always be the
 *	next one of a common position
 *
 * That is the proven EV of the plane.  The paths in rotation take turns while none is
 * proven.  They also do every other time while no data arrives, because the proven
 * path may be outdated, and while there is a gap, because what lost the packet may
 * be on the ACK path, too.  If acknowledged packets are retransmitted, or no plane
 * is responsive, they do two of three times, and the third time the proven path of
 * any plane is taken, because that of this plane may have failed.  One of the two
 * is left to the paths that are not in rotation, if there are such, and to other
 * planes if no plane is responsive: the only path in rotation may have failed,
 * and no acknowledgment would tell.
 *
 * Context: any, no lock, as mrc_ev_pick().
 * Return: index of a path, or -ENOENT if none may be used.
 */
int mrc_ack_path_pick(const struct mrc_ev_set *set, u8 plane,
		      enum mrc_ack_path_health health, u32 *cursor)
{
	u16 at = *cursor & ACK_PATH_PATHS;
	u16 plane_at = *cursor >> ACK_PATH_PLANE & ACK_PATH_PLANES;
	u16 off_at = *cursor >> ACK_PATH_OFF & ACK_PATH_OFFS;
	u8 others = *cursor >> ACK_PATH_OTHERS;
	bool silent = all_are_silent(set, plane);
	u8 between = silent ? MRC_ACK_PATH_LOSSY : unproven_between(set, health);
	bool proven = others >= between;
	int path = -ENOENT;

	if (proven && plane && plane <= MRC_PLANE_MAX)
		path = health == MRC_ACK_PATH_LOSSY || is_unresponsive(set, plane) ?
		       other_proven_path(set, silent, &plane_at) :
		       proven_path(set, plane);
	else if (between == MRC_ACK_PATH_LOSSY && others)
		path = path_off_rotation(set, silent ? plane : 0, &off_at);
	if (path < 0)
		path = mrc_ev_pick(set, plane, &at);
	others = proven ? 0 : others + 1;
	*cursor = at | plane_at << ACK_PATH_PLANE | off_at << ACK_PATH_OFF |
		  others << ACK_PATH_OTHERS;
	return path;
}

/**
 * mrc_ack_path_proven() - a packet sent on a path has been acknowledged
 * @set: paths
 * @idx: path
 *
 * Context: any, the caller serialises; mrc_ack_path_pick() may read meanwhile.
 */
void mrc_ack_path_proven(struct mrc_ev_set *set, u16 idx)
{
	struct mrc_ack_path_plane *p =
		&set->ack_paths.plane[set->ev[idx].plane - 1];

	WRITE_ONCE(p->proven, idx + 1);
	WRITE_ONCE(p->probes_open, 0);
}

/**
 * mrc_ack_path_sacked() - a data packet has been SACKed, without an ECN mark
 * @set: paths
 * @idx: its path
 *
 * Planes over which data and its acknowledgments pass need no probes.
 *
 * Context: any, the caller serialises; mrc_ack_path_pick() may read meanwhile.
 */
void mrc_ack_path_sacked(struct mrc_ev_set *set, u16 idx)
{
	set->ack_paths.plane[set->ev[idx].plane - 1].sacked = true;
	mrc_ack_path_proven(set, idx);
}

/**
 * mrc_ack_path_wake() - data arrives again: resume probing
 * @set: paths
 * @now: ns
 *
 * Context: any, the caller serialises.  Afterwards mrc_req_deadline() may be
 * earlier.
 */
void mrc_ack_path_wake(struct mrc_ev_set *set, u64 now)
{
	struct mrc_ack_paths *r = &set->ack_paths;
	u8 i;

	if (r->next)
		return;
	for (i = 0; i < set->n_planes; i++)
		r->plane[set->plane_order[i] - 1].sacked = false;
	WRITE_ONCE(r->next, now + MRC_ACK_PATH_PROBE_NS);
}

static bool all_acked(const struct mrc_ev_set *set)
{
	u8 i;

	for (i = 0; i < set->n_planes; i++)
		if (set->ack_paths.plane[set->plane_order[i] - 1].probes_open)
			return false;
	return true;
}

/* Data has arrived recently, or some plane has not acknowledged its probes. */
static bool keep_probing(struct mrc_ev_set *set)
{
	struct mrc_ack_paths *r = &set->ack_paths;

	if (READ_ONCE(r->used)) {
		WRITE_ONCE(r->used, false);
		r->left = ACK_PATH_LAST;
		return true;
	}
	if (!r->left || all_acked(set))
		return false;
	r->left--;
	return true;
}

/*
 * Ns until the next probe.  An acknowledgment that takes longer than that is no
 * measurement, and too late it is ignored.  So each probe that is not acknowledged
 * doubles the interval until a round trip is known.
 */
static u64 ack_probe_interval(const struct mrc_ev_set *set, u32 rtt)
{
	u8 i, open = 0;

	if (rtt)
		return max(rtt, MRC_ACK_PATH_PROBE_NS);
	for (i = 0; i < set->n_planes; i++)
		open = max(open, set->ack_paths.plane[set->plane_order[i] - 1]
				 .probes_open);
	return (u64)MRC_ACK_PATH_PROBE_NS << min_t(u8, open, ACK_PATH_BACKOFF_MAX);
}

/* A random EV of a plane; ASSUMED_BAD ones are probed at their own pace. */
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
 * mrc_ack_path_probe() - choose a path to be probed as ACK path
 * @set: paths
 * @rtt: ns of a round trip; 0: unknown
 * @now: ns
 *
 * One per round trip, but at least MRC_ACK_PATH_PROBE_NS after the last one, and
 * ever more rarely while no round trip is known; planes take turns.  A plane on
 * which data has been SACKed since its last turn needs none; data on other planes
 * proves nothing about this one.  Probing stops when data no longer arrives; data
 * that arrives at that very moment leaves it to the next packet to resume probing.
 *
 * Context: any, the caller serialises; called when &struct mrc_ack_paths.next
 * is reached.
 * Return: index of the path, or -ENOENT if none is due.
 */
int mrc_ack_path_probe(struct mrc_ev_set *set, u32 rtt, u64 now)
{
	struct mrc_ack_paths *r = &set->ack_paths;
	struct mrc_ack_path_plane *p;
	u8 i, plane;
	int path;

	if (!r->next || now < r->next)
		return -ENOENT;
	if (!keep_probing(set)) {
		WRITE_ONCE(r->next, 0);
		return -ENOENT;
	}
	WRITE_ONCE(r->next, now + ack_probe_interval(set, rtt));
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
		WRITE_ONCE(p->probes_open, min(p->probes_open + 1, U8_MAX));
		return path;
	}
	return -ENOENT;
}

/**
 * mrc_ack_path_next_probe() - choose a probe of a QP without a requester
 * @set: paths
 * @dest_qpn: peer's QP
 * @now: ns
 * @probe: the probe
 *
 * A QP need not be ready to send in order to receive, and applications that
 * only receive may leave it in that state.  With a requester
 * mrc_req_next_probe() does this.
 *
 * Context: any, the caller serialises; called when &struct mrc_ack_paths.next
 * is reached.
 * Return: false if none is due.
 */
bool mrc_ack_path_next_probe(struct mrc_ev_set *set, u32 dest_qpn, u64 now,
			     struct mrc_probe *probe)
{
	int path = mrc_ack_path_probe(set, set->ack_paths.rtt, now);

	if (path < 0)
		return false;
	mrc_probe_fill(probe, set, path, dest_qpn, now);
	return true;
}

/**
 * mrc_ack_path_on_sack() - process a SACK without a requester
 * @set: paths
 * @s: decoded SACK; ignored unless it is that of a probe
 * @now: ns
 *
 * Context: any, the caller serialises; mrc_ack_path_pick() may read meanwhile.
 */
void mrc_ack_path_on_sack(struct mrc_ev_set *set, const struct mrc_pkt_sack *s,
			  u64 now)
{
	bool marked = s->mark == MRC_MARK_SKIP_ONCE, first;
	u64 sent;
	int path;

	if (!s->probe)
		return;
	path = mrc_ev_probe_acked(set, s->probe_id, marked, now, &sent,
				  &first);
	/* A duplicate may have arrived at any time, it proves nothing. */
	if (path < 0 || !first)
		return;
	mrc_ack_path_proven(set, path);
	if (sent)
		set->ack_paths.rtt = min_t(u64, now - sent, U32_MAX);
}
