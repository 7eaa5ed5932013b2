// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Simulation: conditions after every step, and at the end.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <asm/byteorder.h>

#include "core/req_internal.h"
#include "core/psn.h"
#include "mrc_books.h"
#include "mrc_sim.h"

/**
 * sim_check_path() - may a path be used?
 * @sim: simulation
 * @evs: of the host that is about to use it
 * @path: index
 */
void sim_check_path(struct sim *sim, const struct mrc_ev_set *evs, int path)
{
	const struct mrc_ev *ev = &evs->ev[path];

	KUNIT_EXPECT_LT(sim->test, path, sim->n_paths);
	KUNIT_EXPECT_NE(sim->test, ev->state, MRC_EV_DENIED);
	KUNIT_EXPECT_TRUE_MSG(sim->test,
			      mrc_ev_ports(evs) >> (ev->plane - 1) & 1,
			      "path %d of masked port %u", path, ev->plane);
}

/**
 * sim_check_pkt() - may a packet be sent?
 * @sim: simulation
 * @pkt: packet
 *
 * No PSN is beyond the window, neither by the cumulative PSN of the responder
 * nor by the latest PSN window that the requester has received.
 */
void sim_check_pkt(struct sim *sim, const struct mrc_burst_pkt *pkt)
{
	u32 psn = pkt->hdr.psn;

	KUNIT_EXPECT_LT(sim->test, mrc_psn_diff(psn, sim->rsp.cack),
			(s32)sim->req.cfg.mpr);
	KUNIT_EXPECT_LE_MSG(sim->test, mrc_psn_diff(psn, sim->known_cack),
			    (s32)sim->known_mpr, "psn %06x", psn);
}

/* Bit per plane that is up and has a GOOD path. */
static u32 good_planes(const struct mrc_ev_set *evs, u16 n_paths)
{
	u32 planes = 0;
	u16 i;

	for (i = 0; i < n_paths; i++)
		if (evs->ev[i].state == MRC_EV_GOOD)
			planes |= BIT(evs->ev[i].plane - 1);
	return planes & mrc_ev_ports(evs);
}

/* Bytes in flight beyond those of empty queues; all planes below that are equal. */
static s64 load_of(const struct sim *sim, const struct mrc_ev_plane *plane)
{
	u64 empty = (u64)sim->evs->plane_rate * plane->shortest;

	if (!plane->shortest)
		return plane->inflight ?: S64_MIN;
	return max_t(s64, 0, plane->inflight - (s64)(empty >> MRC_EV_RATE_SHIFT));
}

/**
 * sim_check_planes() - note what is in flight before a burst is chosen
 * @sim: simulation
 */
void sim_check_planes(struct sim *sim)
{
	u8 i;

	sim->inflight = mrc_req_inflight(&sim->req);
	sim->ports = good_planes(sim->evs, sim->n_paths);
	sim->balanced = true;
	for (i = 0; i < SIM_PLANES; i++) {
		const struct mrc_ev_plane *plane = &sim->evs->planes[i];
		bool usable = mrc_ev_ports(sim->evs) >> i & 1 &&
			      plane->n_active;

		sim->load[i] = load_of(sim, plane);
		/* A plane all of whose paths miss a turn misses one. */
		sim->balanced &= usable == (sim->ports >> i & 1);
	}
}

/*
 * A burst goes to the plane with the least in flight.  Retransmissions avoid
 * paths instead.
 */
static void check_balance(struct sim *sim, const struct mrc_burst *b)
{
	s64 mine = sim->load[b->plane - 1];
	u32 i;

	if (b->rtx || !sim->balanced)
		return;
	for (i = 0; i < SIM_PLANES; i++)
		if (sim->ports >> i & 1)
			KUNIT_EXPECT_LE_MSG(sim->test, mine, sim->load[i],
					    "plane %u, plane %u has less",
					    b->plane, i + 1);
}

/**
 * sim_check_burst() - may a burst be sent?
 * @sim: simulation
 * @b: burst, which counts as in flight already
 */
void sim_check_burst(struct sim *sim, const struct mrc_burst *b)
{
	struct kunit *test = sim->test;
	const struct mrc_req *req = &sim->req;
	const struct mrc_tx_pkt *first = &req->pkts[b->psn &
						    (req->cfg.mpr - 1)];
	u32 inflight = mrc_req_inflight(req);

	sim_check_path(sim, sim->evs, b->path);
	check_balance(sim, b);
	KUNIT_EXPECT_EQ(test, b->ev, sim->evs->ev[b->path].value);
	KUNIT_EXPECT_EQ(test, b->plane, sim->evs->ev[b->path].plane);
	KUNIT_EXPECT_GE(test, b->n, 1);
	KUNIT_EXPECT_LE(test, b->n, req->cfg.burst);
	/*
	 * One packet may be in flight, however small the window is, and the copy that a
	 * tail loss probe carries takes the place of a packet.
	 */
	KUNIT_EXPECT_TRUE_MSG(test, inflight <= req->cc.cwnd ||
			      inflight <= first->nominal ||
			      inflight <= sim->inflight,
			      "%u bytes in flight, window %u", inflight,
			      req->cc.cwnd);
}

/**
 * sim_check_delivery() - may a message be delivered?
 * @sim: simulation; all messages before @sim->n_complete have arrived
 * @d: delivery
 */
void sim_check_delivery(struct sim *sim, const struct mrc_delivery *d)
{
	struct kunit *test = sim->test;
	u32 cookie = sim->rq_msg[d->rqmsn];
	struct sim_msg *m = &sim->msg[cookie];

	KUNIT_EXPECT_LT(test, cookie, sim->n_complete);
	KUNIT_EXPECT_FALSE(test, m->delivered);
	if (d->rqmsn)
		KUNIT_EXPECT_TRUE(test, sim->msg[sim->rq_msg[d->rqmsn - 1]]
					.delivered);
	KUNIT_EXPECT_EQ(test, d->length, m->length);
	KUNIT_EXPECT_EQ(test, d->is_send, !!(m->flags & MRC_MSG_SEND));
	KUNIT_EXPECT_EQ(test, d->has_imm, !!(m->flags & MRC_MSG_IMM));
	KUNIT_EXPECT_EQ(test, d->has_inv, !!(m->flags & MRC_MSG_INV));
	if (d->has_imm || d->has_inv)
		KUNIT_EXPECT_EQ(test, be32_to_cpu(d->imm), cookie);
}

/**
 * sim_check_done() - may a message complete?
 * @sim: simulation
 * @done: completion
 */
void sim_check_done(struct sim *sim, const struct mrc_done *done)
{
	const struct sim_msg *m = &sim->msg[done->cookie];
	struct kunit *test = sim->test;

	KUNIT_EXPECT_EQ(test, done->cookie, sim->n_done);
	KUNIT_EXPECT_FALSE(test, m->done);
	if (done->status) {
		/* One message has failed, later ones are flushed. */
		if (sim->done_status)
			KUNIT_EXPECT_EQ(test, done->status, MRC_ERR_FLUSH);
		return;
	}
	KUNIT_EXPECT_EQ(test, sim->done_status, MRC_OK);
	KUNIT_EXPECT_EQ_MSG(test, m->got, sim_all_pkts(sim, m),
			    "message %u completed too early", done->cookie);
	if (m->flags)
		KUNIT_EXPECT_TRUE(test, m->delivered);
}

/**
 * sim_check_step() - conditions after every step
 * @sim: simulation
 */
void sim_check_step(struct sim *sim)
{
	const char *wrong = books_req(&sim->req) ?: books_rsp(&sim->rsp);

	KUNIT_ASSERT_TRUE_MSG(sim->test, !wrong, "%s", wrong);
}

/**
 * sim_check_end() - conditions at the end of a run without a failed message
 * @sim: simulation
 */
void sim_check_end(struct sim *sim)
{
	struct kunit *test = sim->test;

	KUNIT_EXPECT_EQ(test, sim->n_done, sim->n_msgs);
	KUNIT_EXPECT_EQ(test, sim->done_status, MRC_OK);
	KUNIT_EXPECT_EQ(test, sim->req.inflight, 0);
	KUNIT_EXPECT_EQ(test, sim->req.n_lost, 0);
	KUNIT_EXPECT_EQ(test, sim->req.wimm, 0);
	KUNIT_EXPECT_EQ(test, sim->req.una, sim->req.nxt);
	KUNIT_EXPECT_EQ(test, sim->req.ack_psn, sim->req.nxt);
	KUNIT_EXPECT_EQ(test, sim->req.stats.stale, 0);
	KUNIT_EXPECT_EQ(test, sim->rsp.ooo, 0);
	KUNIT_EXPECT_EQ(test, sim->rsp.msn, sim->n_msgs);
	KUNIT_EXPECT_TRUE(test, mrc_req_free_slots(&sim->req) == sim->req.cfg.max_msgs);
}
