// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * EV probes, and the rate limit of endpoint requests.
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
	FIRST = 0x7ffe,	/* request ids wrap */
	PROBES = 4,
};

static struct mrc_evprobe_round round;

/* Send all probes, one ns apart; return the request of the last one. */
static struct mrc_pkt_endpoint send_all(void)
{
	struct mrc_pkt_endpoint e = {};
	u16 i;

	memset(&round, 0, sizeof(round));
	round.first = FIRST;
	round.n = PROBES;
	round.op = MRC_EP_EV_PROBE;
	for (i = 0; i < PROBES; i++)
		mrc_evprobe_sent(&round, i, T0 + i, &e);
	return e;
}

/* 7.4.7: the response reflects id and time of the request. */
static void mrc_evprobe_response_matches_request(struct kunit *test)
{
	struct mrc_pkt_endpoint e = send_all();

	KUNIT_EXPECT_EQ(test, e.op, MRC_EP_EV_PROBE);
	KUNIT_EXPECT_EQ(test, e.req_id,
			MRC_EVPROBE_ID | ((FIRST + 3) & MRC_EVPROBE_ID_MASK));
	KUNIT_EXPECT_EQ(test, e.tx_ts, mrc_ts_from_ns(T0 + 3));
	KUNIT_EXPECT_EQ(test, round.n_pending, PROBES);

	KUNIT_EXPECT_TRUE(test, mrc_evprobe_response(&round, &e, 2,
						     T0 + 3 + RTT));
	KUNIT_EXPECT_EQ(test, round.n_pending, PROBES - 1);
	KUNIT_EXPECT_EQ(test, round.probe[3].state, MRC_EVPROBE_RESPONDED);
	KUNIT_EXPECT_EQ(test, round.probe[3].rtt, RTT);
	KUNIT_EXPECT_EQ(test, round.probe[3].port, 2);
	KUNIT_EXPECT_FALSE(test, round.probe[3].adjusted);
	KUNIT_EXPECT_EQ(test, round.probe[0].state, MRC_EVPROBE_PENDING);
}

/* A response counts once, and only if its request is pending. */
static void mrc_evprobe_unexpected_response_ignored(struct kunit *test)
{
	struct mrc_pkt_endpoint e = send_all(), other;

	KUNIT_ASSERT_TRUE(test, mrc_evprobe_response(&round, &e, 1, T0 + RTT));
	KUNIT_EXPECT_FALSE(test, mrc_evprobe_response(&round, &e, 1,
						      T0 + 2 * RTT));
	KUNIT_EXPECT_EQ(test, round.probe[3].rtt, RTT - 3);

	other = e;
	other.req_id = MRC_EVPROBE_ID |
		       ((FIRST + PROBES) & MRC_EVPROBE_ID_MASK);
	KUNIT_EXPECT_FALSE(test, mrc_evprobe_response(&round, &other, 1, T0));
	other.req_id = MRC_EVPROBE_ID | (FIRST - 1);
	KUNIT_EXPECT_FALSE(test, mrc_evprobe_response(&round, &other, 1, T0));
	/* Requests for the capabilities of a peer have ids of their own. */
	other.req_id = FIRST;
	KUNIT_EXPECT_FALSE(test, mrc_evprobe_response(&round, &other, 1, T0));
	other.req_id = MRC_EVPROBE_ID | FIRST;
	other.op = MRC_EP_PORT_STATUS;
	KUNIT_EXPECT_FALSE(test, mrc_evprobe_response(&round, &other, 1, T0));
	KUNIT_EXPECT_EQ(test, round.n_pending, PROBES - 1);
}

/* The service time that the peer reports is subtracted from the round trip. */
static void mrc_evprobe_service_time_subtracted(struct kunit *test)
{
	struct mrc_pkt_endpoint e = send_all();
	u32 svc_time = 100 * MRC_TS_NS;

	e.tx_ts += 100;
	e.caps = MRC_CAP_SVC_TIME;
	KUNIT_ASSERT_TRUE(test, mrc_evprobe_response(&round, &e, 1,
						     T0 + 3 + RTT));
	KUNIT_EXPECT_TRUE(test, round.probe[3].adjusted);
	KUNIT_EXPECT_EQ(test, round.probe[3].rtt, RTT - svc_time);

	/* Without MRC_CAP_SVC_TIME the reflected time is not corrected. */
	e = send_all();
	e.tx_ts += 100;
	KUNIT_ASSERT_TRUE(test, mrc_evprobe_response(&round, &e, 1,
						     T0 + 3 + RTT));
	KUNIT_EXPECT_FALSE(test, round.probe[3].adjusted);
	KUNIT_EXPECT_EQ(test, round.probe[3].rtt, RTT);

	/* A service time longer than the round trip is ignored. */
	e = send_all();
	e.tx_ts += RTT / MRC_TS_NS + 1;
	e.caps = MRC_CAP_SVC_TIME;
	KUNIT_ASSERT_TRUE(test, mrc_evprobe_response(&round, &e, 1,
						     T0 + 3 + RTT));
	KUNIT_EXPECT_FALSE(test, round.probe[3].adjusted);
	KUNIT_EXPECT_EQ(test, round.probe[3].rtt, RTT);
}

/* A probe that was not sent is not pending. */
static void mrc_evprobe_unsent_is_not_pending(struct kunit *test)
{
	struct mrc_pkt_endpoint e = send_all();

	mrc_evprobe_not_sent(&round, 3, MRC_EVPROBE_NO_ROUTE);
	KUNIT_EXPECT_EQ(test, round.n_pending, PROBES - 1);
	KUNIT_EXPECT_FALSE(test, mrc_evprobe_response(&round, &e, 1, T0 + RTT));
	KUNIT_EXPECT_EQ(test, round.probe[3].state, MRC_EVPROBE_NO_ROUTE);
}

/* Control API: request ids are unique among pending requests. */
static void mrc_evprobe_ids_are_unique(struct kunit *test)
{
	static struct mrc_evprobe_round a, b;
	static const struct {
		u16 a, n, b, m;
		bool overlap;
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
		KUNIT_EXPECT_EQ_MSG(test, mrc_evprobe_ids_overlap(&a, &b),
				    cases[i].overlap, "overlap of ids, case %u", i);
	}
}

/* A burst of 64, then 1000 per second; a request is granted whole or refused. */
static void mrc_evprobe_rate_is_limited(struct kunit *test)
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
	/* After a pause no more than the burst is granted at once. */
	now += 3600 * (u64)NSEC_PER_SEC;
	for (n = 0; n < 1000 && mrc_rate_take(&rate, now, 1); n++)
		;
	KUNIT_EXPECT_EQ(test, n, 64);
}

static struct kunit_case mrc_evprobe_cases[] = {
	KUNIT_CASE(mrc_evprobe_response_matches_request),
	KUNIT_CASE(mrc_evprobe_unexpected_response_ignored),
	KUNIT_CASE(mrc_evprobe_service_time_subtracted),
	KUNIT_CASE(mrc_evprobe_unsent_is_not_pending),
	KUNIT_CASE(mrc_evprobe_ids_are_unique),
	KUNIT_CASE(mrc_evprobe_rate_is_limited),
	{}
};

static struct kunit_suite mrc_evprobe_suite = {
	.name = "mrc_evprobe",
	.test_cases = mrc_evprobe_cases,
};

kunit_test_suite(mrc_evprobe_suite);

MODULE_DESCRIPTION("KUnit tests of EV probes");
MODULE_LICENSE("Dual BSD/GPL");
