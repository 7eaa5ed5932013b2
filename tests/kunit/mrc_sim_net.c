// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Simulation: the network between two hosts.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/psn.h"
#include "mrc_books.h"
#include "mrc_sim.h"

/* Event queue. */

static bool before(const struct sim *sim, u16 a, u16 b)
{
	const struct sim_event *x = &sim->slot[a], *y = &sim->slot[b];

	return x->at != y->at ? x->at < y->at : (s32)(x->seq - y->seq) < 0;
}

static void push(struct sim *sim, const struct sim_event *e)
{
	u32 i = sim->n_events;
	u16 slot = sim->heap[i];

	KUNIT_ASSERT_LT(sim->test, i + 1, SIM_EVENTS);
	sim->slot[slot] = *e;
	sim->slot[slot].seq = sim->seq++;
	sim->n_events++;
	while (i && before(sim, slot, sim->heap[(i - 1) / 2])) {
		sim->heap[i] = sim->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	sim->heap[i] = slot;
}

static void take(struct sim *sim, struct sim_event *e)
{
	u16 first = sim->heap[0], last = sim->heap[--sim->n_events];
	u32 i = 0, child;

	*e = sim->slot[first];
	while ((child = 2 * i + 1) < sim->n_events) {
		if (child + 1 < sim->n_events &&
		    before(sim, sim->heap[child + 1], sim->heap[child]))
			child++;
		if (!before(sim, sim->heap[child], last))
			break;
		sim->heap[i] = sim->heap[child];
		i = child;
	}
	sim->heap[i] = last;
	sim->heap[sim->n_events] = first;
}

/**
 * sim_next_event() - time of the next arrival
 * @sim: simulation
 *
 * Return: ns, or SIM_NEVER.
 */
u64 sim_next_event(const struct sim *sim)
{
	return sim->n_events ? sim->slot[sim->heap[0]].at : SIM_NEVER;
}

/* Outages, stalls and queues. */

/* Does a path drop a packet of @len bytes?  0: one that is short. */
static bool is_dead(const struct sim *sim, u16 path, enum sim_dir dir, u16 len)
{
	const struct sim_path *p = &sim->path[path];
	bool drops = p->dead_dir == SIM_BOTH_DIRS || p->dead_dir == dir ||
		     (p->dead_dir == SIM_LONG_TO_RESPONDER &&
		      dir == SIM_TO_RESPONDER && len > sim->req.cfg.pmtu / 2);

	return drops && sim->now >= p->dead_from && sim->now < p->dead_to;
}

/**
 * sim_after_stall() - time at which a host that stalls does something
 * @at: ns; time at which it would do it without stalls
 * @period: ns between the beginnings of stalls
 * @stall: ns that a stall lasts
 *
 * Return: the end of the stall that @at falls into, or @at.
 */
u64 sim_after_stall(u64 at, u64 period, u64 stall)
{
	u64 phase;

	if (!period)
		return at;
	div64_u64_rem(at, period, &phase);
	return phase < stall ? at - phase + stall : at;
}

/*
 * Wait in a queue.  Trimmed packets do not wait: they are short and have a
 * queue of their own.  False if the queue is full and drops the packet.
 */
static bool pass(struct sim_queue *q, struct sim_event *e, u8 reason)
{
	u64 wire = (u64)q->ns_byte * (e->to_peer ? e->pkt_len : e->len);
	u64 *free = &q->free[e->to_peer];
	u64 wait = *free > e->at ? *free - e->at : 0;

	if (!q->ns_byte || e->trim)
		return true;
	if (q->max && wait + wire > q->max) {
		e->trim = e->to_peer && !e->seg && q->trims ? reason : 0;
		return e->trim;
	}
	e->ce |= q->mark && wait > q->mark;
	e->at += wait + wire;
	*free = e->at;
	return true;
}

/* From the sender's wire at @e->at to the peer's port; false if dropped. */
static bool travel(struct sim *sim, u16 path, struct sim_event *e)
{
	struct sim_path *p = &sim->path[path];

	if (!pass(&p->queue, e, MRC_NACK_TRIMMED))
		return false;
	e->at += p->delay;
	if (p->jitter)
		e->at += mrc_rnd_below(&sim->rnd, p->jitter);
	if (p->fifo && !e->trim) {
		e->at = max(e->at, p->fifo_at[e->to_peer] + 1);
		p->fifo_at[e->to_peer] = e->at;
	}
	if (path & 1)
		e->at = sim_after_stall(e->at, sim->cpu_period, sim->cpu_stall);
	return true;
}

/* Packets of a burst arrive together, unless queues separate them. */
struct train {
	struct sim_event e;
	struct sim_event held;
	bool have;
};

static void add_to_train(struct sim *sim, struct train *t, u16 path)
{
	struct sim_path *p = &sim->path[path];
	struct sim_event twin;

	t->e.ce = sim_chance(sim, p->ce);
	t->e.trim = sim_chance(sim, p->trim) ? MRC_NACK_TRIMMED : 0;
	if (sim_chance(sim, p->trim_last))
		t->e.trim = MRC_NACK_TRIMMED_LASTHOP;
	t->e.at = sim->wire_free;
	if (t->have && !p->queue.ns_byte)
		t->e.at = t->held.at;
	else if (!travel(sim, path, &t->e))
		return;
	if (t->have) {
		t->held.last = t->held.at != t->e.at;
		push(sim, &t->held);
	}
	t->held = t->e;
	t->have = true;
	if (!sim_chance(sim, p->dup))
		return;
	/* The copy arrives later and is not part of the burst. */
	twin = t->e;
	twin.last = true;
	twin.at += p->delay;
	push(sim, &twin);
}

static bool is_lost(struct sim *sim, u32 psn, u16 path)
{
	struct sim_single *s = &sim->single;

	if (s->used && psn == s->psn && !s->lost_at) {
		s->lost_at = sim->now;
		return true;
	}
	if (s->used && psn == s->psn && !s->rtx_at)
		s->rtx_at = sim->now;
	return sim_chance(sim, sim->path[path].loss);
}

static u16 put_pkt(struct sim_event *e, const struct mrc_burst_pkt *pkt)
{
	e->len = mrc_pkt_put_data(e->buf, &pkt->hdr);
	e->pkt_len = e->len + pkt->hdr.payload_len +
		     mrc_pkt_trailer_len(pkt->hdr.payload_len);
	return e->pkt_len;
}

/**
 * sim_send_burst() - put a burst on the wire
 * @sim: simulation
 * @b: burst
 */
void sim_send_burst(struct sim *sim, const struct mrc_burst *b)
{
	struct train t = {
		.e = { .to_peer = true, .ev = b->ev, .plane = b->plane },
	};
	bool gone = sim_chance(sim, sim->path[b->path].burst_loss);
	u16 first = 0, len = 0;
	struct mrc_burst_pkt pkt;
	u8 i;

	for (i = 0; i < b->n; i++) {
		KUNIT_EXPECT_TRUE(sim->test, books_pkt(&sim->req, b, i,
						       sim->now, &pkt));
		sim_check_pkt(sim, &pkt);
		/* Only the last packet may be shorter. */
		KUNIT_EXPECT_TRUE(sim->test, !i || len == first);
		len = put_pkt(&t.e, &pkt);
		first = i ? first : len;
		KUNIT_EXPECT_LE(sim->test, len, first);
		sim->wire_free = max(sim->wire_free, sim->now) +
				 (u64)len * sim->ns_byte;
		if (is_lost(sim, pkt.hdr.psn, b->path) || gone ||
		    is_dead(sim, b->path, SIM_TO_RESPONDER, len))
			sim_trace(sim, "lost: psn %06x", pkt.hdr.psn);
		else
			add_to_train(sim, &t, b->path);
	}
	if (!t.have)
		return;
	t.held.last = true;
	push(sim, &t.held);
}

/**
 * sim_send_probe() - put a probe on the wire
 * @sim: simulation
 * @probe: probe
 */
void sim_send_probe(struct sim *sim, const struct mrc_probe *probe)
{
	struct mrc_pkt_probe pp = {
		.probe_id = probe->probe_id, .tx_ts = probe->tx_ts,
	};
	struct sim_event e = {
		.at = sim->now, .to_peer = true, .last = true, .ev = probe->ev,
		.plane = probe->plane, .pkt_len = probe->padded ?
			MRC_PADDED_PROBE_LEN(sim->req.cfg.pmtu) : MRC_PROBE_LEN,
	};

	sim->probes++;
	sim->padded += probe->padded;
	e.len = mrc_pkt_put_probe(e.buf, probe->dest_qpn, &pp);
	/* A trimmed probe is none. */
	if (is_dead(sim, probe->path, SIM_TO_RESPONDER, e.pkt_len) ||
	    sim_chance(sim, sim->path[probe->path].loss) ||
	    !travel(sim, probe->path, &e) || e.trim)
		sim_trace(sim, "lost: probe %04x", probe->probe_id);
	else
		push(sim, &e);
}

/* Control packets of either host; false if a dead path drops them. */
static bool send_control(struct sim *sim, struct sim_event *e, int path)
{
	bool dead = is_dead(sim, path, e->to_peer ? SIM_TO_RESPONDER :
						    SIM_TO_REQUESTER, 0);

	e->at = sim->now;
	e->last = true;
	e->pkt_len = e->len;
	if (dead || sim_chance(sim, sim->path[path].ctl_loss) ||
	    !travel(sim, path, e))
		sim_trace(sim, "lost: control packets on path %d", path);
	else
		push(sim, e);
	return !dead;
}

static void put_acks(struct sim_event *e, const struct mrc_ack_batch *a)
{
	e->seg = a->seg;
	e->len = a->len;
	memcpy(e->buf, a->buf, a->len);
}

/**
 * sim_send_acks() - put acknowledgments of the responder on the wire
 * @sim: simulation
 * @a: a GSO buffer of acknowledgments
 * @path: index of the EV
 */
void sim_send_acks(struct sim *sim, const struct mrc_ack_batch *a, int path)
{
	const struct mrc_ev *ev = &sim->peer_evs->ev[path];
	struct sim_event e = { .ev = ev->value, .plane = ev->plane };

	put_acks(&e, a);
	sim->acks_sent++;
	sim->acks_lost += !send_control(sim, &e, path);
}

/**
 * sim_send_own_acks() - put acknowledgments of @own_rsp on the wire
 * @sim: simulation
 * @a: a GSO buffer of acknowledgments
 * @path: index of the EV
 */
void sim_send_own_acks(struct sim *sim, const struct mrc_ack_batch *a, int path)
{
	const struct mrc_ev *ev = &sim->evs->ev[path];
	struct sim_event e = {
		.to_peer = true, .ev = ev->value, .plane = ev->plane,
	};

	put_acks(&e, a);
	send_control(sim, &e, path);
}

/**
 * sim_send_peer_probe() - put a probe of the responder's host on the wire
 * @sim: simulation
 * @probe: probe
 */
void sim_send_peer_probe(struct sim *sim, const struct mrc_probe *probe)
{
	const struct mrc_pkt_probe pp = {
		.probe_id = probe->probe_id, .tx_ts = probe->tx_ts,
	};
	struct sim_event e = { .ev = probe->ev, .plane = probe->plane };

	e.len = mrc_pkt_put_probe(e.buf, probe->dest_qpn, &pp);
	e.seg = e.len;
	send_control(sim, &e, probe->path);
}

/*
 * The queue in front of the responder: true if @e arrives now; a dropped last
 * packet of a burst arrives empty, because it ends the burst.
 */
static bool leave_port(struct sim *sim, struct sim_event *e)
{
	e->at_port = true;
	e->at = sim->now;
	if (!pass(&sim->port[e->plane - 1], e, MRC_NACK_TRIMMED_LASTHOP)) {
		sim_trace(sim, "lost on the last hop");
		e->len = 0;
		return e->last;
	}
	if (e->at == sim->now)
		return true;
	e->last = true;
	push(sim, e);
	return false;
}

/**
 * sim_arrive() - take the next arrival that is due
 * @sim: simulation
 * @e: the arrival; empty if its @len is 0
 *
 * Return: false if no more arrivals are due.
 */
bool sim_arrive(struct sim *sim, struct sim_event *e)
{
	while (sim_next_event(sim) <= sim->now) {
		take(sim, e);
		if (!e->to_peer || e->at_port || leave_port(sim, e))
			return true;
	}
	return false;
}
