// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Requester and responder against a peer that sends arbitrary packets. */
#include "mrc_hostile.h"

#ifdef __KERNEL__
#define SEEDS 20
#else
#define SEEDS 300
#endif
#define STEPS 2000

static void mrc_hostile_peer(struct kunit *test)
{
	struct mrc_req_cfg req_cfg = hostile_req_cfg();
	struct mrc_rsp_cfg rsp_cfg = hostile_rsp_cfg();
	u32 failed = 0, dead = 0, seed, i;
	void *req_mem, *rsp_mem, *evs;
	struct hostile *h;

	h = kunit_kzalloc(test, sizeof(*h), GFP_KERNEL);
	evs = kunit_kzalloc(test, mrc_ev_set_size(HOSTILE_PATHS), GFP_KERNEL);
	req_mem = kunit_kzalloc(test, mrc_req_mem_size(&req_cfg), GFP_KERNEL);
	rsp_mem = kunit_kzalloc(test, mrc_rsp_mem_size(&rsp_cfg), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, h && evs && req_mem && rsp_mem);
	for (seed = 0; seed < SEEDS; seed++) {
		memset(h, 0, sizeof(*h));
		h->test = test;
		h->rnd = seed;
		hostile_init(h, evs, req_mem, rsp_mem, &req_cfg, &rsp_cfg);
		for (i = 0; i < STEPS; i++)
			hostile_step(h);
		failed += h->req.status != MRC_OK;
		dead += mrc_rsp_failed(&h->rsp);
	}
	/* Some runs must end in errors, or the peer is too harmless. */
	KUNIT_EXPECT_GT(test, failed, 0);
	KUNIT_EXPECT_GT(test, dead, 0);
}

static struct kunit_case mrc_hostile_cases[] = {
	KUNIT_CASE(mrc_hostile_peer),
	{}
};

static struct kunit_suite mrc_hostile_suite = {
	.name = "mrc_hostile",
	.test_cases = mrc_hostile_cases,
};

kunit_test_suite(mrc_hostile_suite);

MODULE_DESCRIPTION("KUnit tests of MRC against a hostile peer");
MODULE_LICENSE("Dual BSD/GPL");
