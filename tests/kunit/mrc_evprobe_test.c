// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * EV probes, and the allowances that bound them.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "core/evprobe.h"
#include "core/packet.h"
#include "core/rate.h"
#include "core/wire.h"

enum {
	T0 = 1000000,
	RTT = 50000,
	FIRST = 0x7ffe,	/* ids go round */
	PROBES = 4,
};

static struct mrc_evprobe_round round;

/* Sends all probes, one ns apart; returns the request of the last one. */
static struct mrc_pkt_endpoint send_all(void)
{
	struct mrc_pkt_endpoint e = {};
	u16 i;

	memset(&round, 0, sizeof(round));
	round.first = FIRST;
	round.n = PROBES;
	for (i = 0; i < PROBES; i++)
		mrc_evprobe_sent(&round, i, T0 + i, &e);
	return e;
}

/* 7.4.7: the response reflects id and time of the request. */
static void mrc_evprobe_is_answered(struct kunit *test)
{
	struct mrc_pkt_endpoint e = send_all();

	KUNIT_EXPECT_EQ(test, e.op, MRC_EP_EV_PROBE);
	KUNIT_EXPECT_EQ(test, e.req_id,
			MRC_EVPROBE_ID | ((FIRST + 3) & MRC_EVPROBE_ID_MASK));
	KUNIT_EXPECT_EQ(test, e.tx_ts, mrc_ts_from_ns(T0 + 3));
	KUNIT_EXPECT_EQ(test, round.waiting, PROBES);

	KUNIT_EXPECT_TRUE(test, mrc_evprobe_answer(&round, &e, 2,
						   T0 + 3 + RTT));
	KUNIT_EXPECT_EQ(test, round.waiting, PROBES - 1);
	KUNIT_EXPECT_EQ(test, round.probe[3].state, MRC_EVPROBE_ANSWERED);
	KUNIT_EXPECT_EQ(test, round.probe[3].rtt, RTT);
	KUNIT_EXPECT_EQ(test, round.probe[3].port, 2);
	KUNIT_EXPECT_FALSE(test, round.probe[3].adjusted);
	KUNIT_EXPECT_EQ(test, round.probe[0].state, MRC_EVPROBE_WAITING);
}

/* An answer counts once, and only if it was asked for. */
static void mrc_evprobe_strange_answers(struct kunit *test)
{
	struct mrc_pkt_endpoint e = send_all(), other;

	KUNIT_ASSERT_TRUE(test, mrc_evprobe_answer(&round, &e, 1, T0 + RTT));
	KUNIT_EXPECT_FALSE(test, mrc_evprobe_answer(&round, &e, 1,
						    T0 + 2 * RTT));
	KUNIT_EXPECT_EQ(test, round.probe[3].rtt, RTT - 3);

	other = e;
	other.req_id = MRC_EVPROBE_ID |
		       ((FIRST + PROBES) & MRC_EVPROBE_ID_MASK);
	KUNIT_EXPECT_FALSE(test, mrc_evprobe_answer(&round, &other, 1, T0));
	other.req_id = MRC_EVPROBE_ID | (FIRST - 1);
	KUNIT_EXPECT_FALSE(test, mrc_evprobe_answer(&round, &other, 1, T0));
	/* The exchange that asks what a peer is has ids of its own. */
	other.req_id = FIRST;
	KUNIT_EXPECT_FALSE(test, mrc_evprobe_answer(&round, &other, 1, T0));
	other.req_id = MRC_EVPROBE_ID | FIRST;
	other.op = MRC_EP_PORT_STATUS;
	KUNIT_EXPECT_FALSE(test, mrc_evprobe_answer(&round, &other, 1, T0));
	KUNIT_EXPECT_EQ(test, round.waiting, PROBES - 1);
}

/* Service time: what the peer says it has added is taken off, if it can be. */
static void mrc_evprobe_service_time(struct kunit *test)
{
	struct mrc_pkt_endpoint e = send_all();
	u32 kept = 100 * MRC_TS_NS;

	e.tx_ts += 100;
	e.caps = MRC_CAP_SVC_TIME;
	KUNIT_ASSERT_TRUE(test, mrc_evprobe_answer(&round, &e, 1,
						   T0 + 3 + RTT));
	KUNIT_EXPECT_TRUE(test, round.probe[3].adjusted);
	KUNIT_EXPECT_EQ(test, round.probe[3].rtt, RTT - kept);

	/* A peer that does not say so has only made a mess of the time. */
	e = send_all();
	e.tx_ts += 100;
	KUNIT_ASSERT_TRUE(test, mrc_evprobe_answer(&round, &e, 1,
						   T0 + 3 + RTT));
	KUNIT_EXPECT_FALSE(test, round.probe[3].adjusted);
	KUNIT_EXPECT_EQ(test, round.probe[3].rtt, RTT);

	/* Nor can it have kept it for longer than it took. */
	e = send_all();
	e.tx_ts += RTT / MRC_TS_NS + 1;
	e.caps = MRC_CAP_SVC_TIME;
	KUNIT_ASSERT_TRUE(test, mrc_evprobe_answer(&round, &e, 1,
						   T0 + 3 + RTT));
	KUNIT_EXPECT_FALSE(test, round.probe[3].adjusted);
	KUNIT_EXPECT_EQ(test, round.probe[3].rtt, RTT);
}

/* A probe that did not leave waits for nothing. */
static void mrc_evprobe_did_not_leave(struct kunit *test)
{
	struct mrc_pkt_endpoint e = send_all();

	mrc_evprobe_not_sent(&round, 3, MRC_EVPROBE_NO_ROUTE);
	KUNIT_EXPECT_EQ(test, round.waiting, PROBES - 1);
	KUNIT_EXPECT_FALSE(test, mrc_evprobe_answer(&round, &e, 1, T0 + RTT));
	KUNIT_EXPECT_EQ(test, round.probe[3].state, MRC_EVPROBE_NO_ROUTE);
}

/* Control API: request ids are unique among those that are out. */
static void mrc_evprobe_ids(struct kunit *test)
{
	static struct mrc_evprobe_round a, b;
	static const struct {
		u16 a, n, b, m;
		bool clash;
	} cases[] = {
		{ 0, 4, 4, 4, false },
		{ 0, 5, 4, 4, true },
		{ 4, 4, 0, 5, true },
		{ 10, 1, 10, 1, true },
		{ 0x7ffe, 2, 0, 4, false },
		{ 0x7ffe, 3, 0, 4, true },
		{ 0, 4, 0x7ffe, 3, true },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		a.first = cases[i].a;
		a.n = cases[i].n;
		b.first = cases[i].b;
		b.n = cases[i].m;
		KUNIT_EXPECT_EQ_MSG(test, mrc_evprobe_clash(&a, &b),
				    cases[i].clash, "case %u", i);
	}
}

/* So many at once, then so many per second; all of a request or none. */
static void mrc_evprobe_rate(struct kunit *test)
{
	struct mrc_rate rate;
	u64 now = 5 * NSEC_PER_SEC, end = now + NSEC_PER_SEC;
	u32 n = 0;

	mrc_rate_init(&rate, 1000, 64);
	KUNIT_EXPECT_FALSE(test, mrc_rate_take(&rate, now, 65));
	KUNIT_EXPECT_TRUE(test, mrc_rate_take(&rate, now, 60));
	KUNIT_EXPECT_FALSE(test, mrc_rate_take(&rate, now, 5));
	KUNIT_EXPECT_TRUE(test, mrc_rate_take(&rate, now, 4));
	KUNIT_EXPECT_FALSE(test, mrc_rate_take(&rate, now, 1));
	for (; now < end; now += NSEC_PER_MSEC / 10)
		n += mrc_rate_take(&rate, now, 1);
	KUNIT_EXPECT_GE(test, n, 999);
	KUNIT_EXPECT_LE(test, n, 1000);
	/* A pause saves up no more than that. */
	now += 3600 * (u64)NSEC_PER_SEC;
	for (n = 0; n < 1000 && mrc_rate_take(&rate, now, 1); n++)
		;
	KUNIT_EXPECT_EQ(test, n, 64);
}

static struct kunit_case mrc_evprobe_cases[] = {
	KUNIT_CASE(mrc_evprobe_is_answered),
	KUNIT_CASE(mrc_evprobe_strange_answers),
	KUNIT_CASE(mrc_evprobe_service_time),
	KUNIT_CASE(mrc_evprobe_did_not_leave),
	KUNIT_CASE(mrc_evprobe_ids),
	KUNIT_CASE(mrc_evprobe_rate),
	{}
};

static struct kunit_suite mrc_evprobe_suite = {
	.name = "mrc_evprobe",
	.test_cases = mrc_evprobe_cases,
};

kunit_test_suite(mrc_evprobe_suite);

MODULE_DESCRIPTION("KUnit tests of EV probes");
MODULE_LICENSE("Dual BSD/GPL");
