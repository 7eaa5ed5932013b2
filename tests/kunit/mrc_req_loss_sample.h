/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A requester with two paths that sends single packets, and SACKs that miss one
 * of them.  For the suites of loss detection.
 */
#ifndef MRC_REQ_LOSS_SAMPLE_H
#define MRC_REQ_LOSS_SAMPLE_H

#include "mrc_req_sample.h"

/* Reordering windows of one path and across paths, at small round trips. */
#define REO_PATH	(16 * MS)
#define REO_ANY	(32 * MS)

/* A rig with paths A and B only, and bursts of one packet. */
#define A 0
#define B 1

static inline struct rig *two_paths_with(struct kunit *test, u32 reo_wnd_path,
					 u32 reo_wnd_any)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;
	u16 i;

	cfg.reo_wnd_path = reo_wnd_path;
	cfg.reo_wnd_any = reo_wnd_any;
	cfg.burst = 1;
	cfg.timeout_ns = 10 * SECOND;
	cfg.max_msgs = 512;
	r = rig_of(test, &cfg, 1 << 20);
	for (i = 2; i < r->evs->n; i++)
		mrc_ev_deny(r->evs, i);
	r->evs->min_active = 1;
	return r;
}

static inline struct rig *two_paths(struct kunit *test)
{
	return two_paths_with(test, MRC_REO_WND_PATH_HOST, MRC_REO_WND_ANY_HOST);
}

/* Send one packet; returns its path. */
static inline u16 send_one(struct rig *r)
{
	post(r, 0, 0, 1);
	KUNIT_ASSERT_EQ(r->test, send_all(r), 1);
	return r->sent[0].path;
}

/* Send packets until one takes @path; returns its PSN. */
static inline u32 send_on(struct rig *r, u16 path)
{
	while (send_one(r) != path)
		continue;
	return r->sent[0].pkt.psn;
}

/*
 * A SACK of all packets but @gap.  Its trigger is the newest packet.
 */
static inline void sack_all_but(struct rig *r, u32 gap)
{
	u32 newest = mrc_psn_add(r->req.nxt, -1);
	s32 n = mrc_psn_diff(newest, gap);
	struct mrc_pkt_sack s = {
		.cack_psn = mrc_psn_add(gap, -1),
		.sack_offset = 1,
		.bitmap = ((1ULL << n) - 1) << 1,
		.ack_psn_offset = n + 1,
		.entropy = r->evs->ev[r->req.pkts[newest & 255].path].value,
		.ooo_count = n,
	};

	rx_sack(r, &s);
}

/* The SACK that the first copy of @psn triggers: all packets are delivered. */
static inline void sack_first_copy(struct rig *r, u32 psn, u16 path)
{
	struct mrc_pkt_sack s = {
		.cack_psn = mrc_psn_add(r->req.nxt, -1),
		.ack_psn_offset = mrc_psn_diff(psn, r->req.nxt) + 1,
		.entropy = r->evs->ev[path].value,
	};

	rx_sack(r, &s);
}

#endif /* MRC_REQ_LOSS_SAMPLE_H */
