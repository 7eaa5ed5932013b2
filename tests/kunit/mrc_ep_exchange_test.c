// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The endpoint exchange: which responses are believed, and what a port mask changes.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/time64.h>

#include "core/ep_exchange.h"
#include "core/evprobe.h"
#include "core/packet.h"

enum {
	T0 = 1000000,
	/* A request expires after 2 s. */
	LIFE_MS = 2000,
	/* Wrong responses that a request survives. */
	WRONG = 15,
};

#define AFTER(ms)	(T0 + (u64)(ms) * NSEC_PER_MSEC)
#define RANDOM		0x1234abcdu

/* A request as it is sent; the response reflects the same values. */
static struct mrc_pkt_endpoint send(struct mrc_ep_req *req, u32 random, u64 now)
{
	struct mrc_pkt_endpoint e = {};

	mrc_ep_req_fill(req, random, 0, now, &e);
	return e;
}

static struct mrc_ep_req wanted(void)
{
	struct mrc_ep_req req = {};

	mrc_ep_req_want(&req);
	return req;
}

/* A forger has to guess 31 bits: id and timestamp. */
static void mrc_ep_req_has_31_random_bits(struct kunit *test)
{
	struct mrc_ep_req req = wanted();
	struct mrc_pkt_endpoint e = send(&req, RANDOM, T0);
	u32 bit;

	KUNIT_EXPECT_EQ(test, e.req_id, RANDOM & MRC_EVPROBE_ID_MASK);
	KUNIT_EXPECT_EQ(test, e.tx_ts, RANDOM >> 16);
	for (bit = 0; bit < 16; bit++) {
		struct mrc_pkt_endpoint f = e;

		f.tx_ts ^= BIT(bit);
		KUNIT_EXPECT_EQ(test, mrc_ep_req_response(&req, &f, T0),
				MRC_EP_WRONG);
		f = e;
		f.req_id ^= BIT(bit);
		KUNIT_EXPECT_EQ(test, mrc_ep_req_response(&req, &f, T0),
				MRC_EP_WRONG);
	}
	KUNIT_EXPECT_EQ(test, mrc_ep_req_response(&req, &e, T0), MRC_EP_RIGHT);
	KUNIT_EXPECT_FALSE(test, req.wanted);
}

/* Ids of the two requests to a peer differ, and none is 0. */
static void mrc_ep_req_ids_differ(struct kunit *test)
{
	struct mrc_ep_req req = wanted();
	struct mrc_pkt_endpoint e;

	mrc_ep_req_fill(&req, 0x8000, 1, T0, &e);
	KUNIT_EXPECT_EQ(test, e.req_id, 2);
	mrc_ep_req_want(&req);
	mrc_ep_req_fill(&req, MRC_EVPROBE_ID_MASK, MRC_EVPROBE_ID_MASK, T0, &e);
	KUNIT_EXPECT_EQ(test, e.req_id, 1);
}

/* Before anything has been sent no response is right, not even one of zeros. */
static void mrc_ep_req_unsent_has_no_response(struct kunit *test)
{
	const struct mrc_pkt_endpoint zeros = {};
	struct mrc_ep_req req = wanted();

	KUNIT_EXPECT_EQ(test, mrc_ep_req_response(&req, &zeros, T0),
			MRC_EP_WRONG);
}

/* A request that is repeated is the same; its second response is late. */
static void mrc_ep_req_repeated_is_answered_once(struct kunit *test)
{
	struct mrc_ep_req req = wanted();
	struct mrc_pkt_endpoint a = send(&req, RANDOM, T0);
	struct mrc_pkt_endpoint b = send(&req, ~RANDOM, AFTER(10));

	KUNIT_EXPECT_EQ(test, b.req_id, a.req_id);
	KUNIT_EXPECT_EQ(test, b.tx_ts, a.tx_ts);
	KUNIT_EXPECT_EQ(test, mrc_ep_req_response(&req, &a, AFTER(11)),
			MRC_EP_RIGHT);
	KUNIT_EXPECT_EQ(test, mrc_ep_req_response(&req, &b, AFTER(12)),
			MRC_EP_LATE);
}

/* A request expires: its response comes too late, the next one has another id. */
static void mrc_ep_req_expires(struct kunit *test)
{
	struct mrc_ep_req req = wanted();
	struct mrc_pkt_endpoint a = send(&req, RANDOM, T0), b;

	b = send(&req, ~RANDOM, AFTER(LIFE_MS - 1));
	KUNIT_EXPECT_EQ(test, b.req_id, a.req_id);
	KUNIT_EXPECT_EQ(test, mrc_ep_req_response(&req, &a, AFTER(LIFE_MS)),
			MRC_EP_LATE);
	KUNIT_EXPECT_TRUE(test, req.wanted);

	b = send(&req, ~RANDOM, AFTER(LIFE_MS));
	KUNIT_EXPECT_NE(test, b.req_id, a.req_id);
	KUNIT_EXPECT_NE(test, b.tx_ts, a.tx_ts);
	KUNIT_EXPECT_EQ(test, mrc_ep_req_response(&req, &a, AFTER(LIFE_MS)),
			MRC_EP_WRONG);
	KUNIT_EXPECT_EQ(test, mrc_ep_req_response(&req, &b, AFTER(LIFE_MS)),
			MRC_EP_RIGHT);
}

/* Too many wrong responses end a request, which is then replaced. */
static void mrc_ep_req_bounds_wrong_responses(struct kunit *test)
{
	struct mrc_ep_req req = wanted();
	struct mrc_pkt_endpoint a = send(&req, RANDOM, T0), b;
	u32 i;

	for (i = 0; i < WRONG; i++)
		KUNIT_EXPECT_FALSE(test, mrc_ep_req_wrong(&req));
	KUNIT_EXPECT_TRUE(test, mrc_ep_req_wrong(&req));
	KUNIT_EXPECT_FALSE(test, mrc_ep_req_wrong(&req));
	KUNIT_EXPECT_EQ(test, mrc_ep_req_response(&req, &a, T0), MRC_EP_LATE);
	KUNIT_EXPECT_TRUE(test, req.wanted);

	b = send(&req, ~RANDOM, T0);
	KUNIT_EXPECT_NE(test, b.req_id, a.req_id);
	KUNIT_EXPECT_FALSE(test, mrc_ep_req_wrong(&req));
	KUNIT_EXPECT_EQ(test, mrc_ep_req_response(&req, &b, T0), MRC_EP_RIGHT);
}

/* A response to what was asked before is not taken for that to a new request. */
static void mrc_ep_req_cancelled_has_no_response(struct kunit *test)
{
	struct mrc_ep_req req = wanted();
	struct mrc_pkt_endpoint a = send(&req, RANDOM, T0);

	mrc_ep_req_cancel(&req);
	KUNIT_EXPECT_EQ(test, mrc_ep_req_response(&req, &a, T0), MRC_EP_LATE);
	mrc_ep_req_want(&req);
	KUNIT_EXPECT_EQ(test, mrc_ep_req_response(&req, &a, T0), MRC_EP_LATE);
}

/* All ports are usable until a report says that one has been up and is down. */
static void mrc_ep_ports_unknown_are_usable(struct kunit *test)
{
	struct mrc_ep_ports p = {};

	KUNIT_EXPECT_EQ(test, mrc_ep_ports_usable(&p), U32_MAX);
	KUNIT_EXPECT_FALSE(test, mrc_ep_ports_response(&p, 0x3));
	KUNIT_EXPECT_EQ(test, mrc_ep_ports_usable(&p), U32_MAX);
}

/* One response withdraws no port; a second one that agrees does. */
static void mrc_ep_ports_down_takes_two_responses(struct kunit *test)
{
	struct mrc_ep_ports p = {};

	mrc_ep_ports_response(&p, 0xf);
	KUNIT_EXPECT_TRUE(test, mrc_ep_ports_response(&p, 0xd));
	KUNIT_EXPECT_EQ(test, mrc_ep_ports_usable(&p), U32_MAX);
	KUNIT_EXPECT_EQ(test, p.mask, 0xf);
	KUNIT_EXPECT_FALSE(test, mrc_ep_ports_response(&p, 0xd));
	KUNIT_EXPECT_EQ(test, mrc_ep_ports_usable(&p), (u32)~BIT(1));
	KUNIT_EXPECT_EQ(test, p.mask, 0xd);
}

/* Responses agree port by port; a port that is up again in between stays up. */
static void mrc_ep_ports_down_must_be_confirmed(struct kunit *test)
{
	struct mrc_ep_ports p = {};

	mrc_ep_ports_response(&p, 0xf);
	KUNIT_EXPECT_TRUE(test, mrc_ep_ports_response(&p, 0xc));
	KUNIT_EXPECT_TRUE(test, mrc_ep_ports_response(&p, 0x5));
	KUNIT_EXPECT_EQ(test, mrc_ep_ports_usable(&p), (u32)~BIT(1));
	KUNIT_EXPECT_FALSE(test, mrc_ep_ports_response(&p, 0xd));
	KUNIT_EXPECT_EQ(test, mrc_ep_ports_usable(&p), (u32)~BIT(1));
}

/* One response is enough to use a port again. */
static void mrc_ep_ports_up_at_once(struct kunit *test)
{
	struct mrc_ep_ports p = {};

	mrc_ep_ports_response(&p, 0xf);
	mrc_ep_ports_response(&p, 0xe);
	mrc_ep_ports_response(&p, 0xe);
	KUNIT_EXPECT_EQ(test, mrc_ep_ports_usable(&p), (u32)~BIT(0));
	KUNIT_EXPECT_FALSE(test, mrc_ep_ports_response(&p, 0xf));
	KUNIT_EXPECT_EQ(test, mrc_ep_ports_usable(&p), U32_MAX);
}

/* A device of another make cannot be asked: its mask applies at once. */
static void mrc_ep_ports_set_at_once(struct kunit *test)
{
	struct mrc_ep_ports p = {};

	mrc_ep_ports_set(&p, 0xf);
	mrc_ep_ports_response(&p, 0xe);
	mrc_ep_ports_set(&p, 0xd);
	KUNIT_EXPECT_EQ(test, mrc_ep_ports_usable(&p), (u32)~BIT(1));
	KUNIT_EXPECT_EQ(test, p.doubted, 0);
}

static struct kunit_case mrc_ep_exchange_cases[] = {
	KUNIT_CASE(mrc_ep_req_has_31_random_bits),
	KUNIT_CASE(mrc_ep_req_ids_differ),
	KUNIT_CASE(mrc_ep_req_unsent_has_no_response),
	KUNIT_CASE(mrc_ep_req_repeated_is_answered_once),
	KUNIT_CASE(mrc_ep_req_expires),
	KUNIT_CASE(mrc_ep_req_bounds_wrong_responses),
	KUNIT_CASE(mrc_ep_req_cancelled_has_no_response),
	KUNIT_CASE(mrc_ep_ports_unknown_are_usable),
	KUNIT_CASE(mrc_ep_ports_down_takes_two_responses),
	KUNIT_CASE(mrc_ep_ports_down_must_be_confirmed),
	KUNIT_CASE(mrc_ep_ports_up_at_once),
	KUNIT_CASE(mrc_ep_ports_set_at_once),
	{}
};

static struct kunit_suite mrc_ep_exchange_suite = {
	.name = "mrc_ep_exchange",
	.test_cases = mrc_ep_exchange_cases,
};

kunit_test_suite(mrc_ep_exchange_suite);

MODULE_DESCRIPTION("KUnit tests of the endpoint exchange");
MODULE_LICENSE("Dual BSD/GPL");
