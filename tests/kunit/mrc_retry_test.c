// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Retries (MRC 1.0 7.4.1): their number and intervals while the peer does not
 * acknowledge; and the ranges of the requester's attributes.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/stddef.h>

#include "mrc_req_sample.h"

/* So long that the probe before a retry makes no difference. */
#define T	SECOND
/* Of the NACKs, far shorter. */
#define RTT	100000

static struct rig *rig_retrying(struct kunit *test, u8 linear_cnt, u8 exp_cnt)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;

	cfg.timeout_ns = T;
	cfg.linear_cnt = linear_cnt;
	cfg.exp_cnt = exp_cnt;
	r = rig_of(test, &cfg, 1 << 20);
	post(r, 0, 0, 1);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	return r;
}

/* Time until the packet is sent again, in T; 0 if the QP has failed. */
static u64 wait_for_retry(struct rig *r)
{
	u64 from = r->now;

	do {
		if (!tick(r))
			return 0;
	} while (!send_all(r));
	KUNIT_EXPECT_EQ(r->test, r->n, 1);
	return div_u64(r->now - from, T);
}

static void expect_retries(struct rig *r, const u8 *waits, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		KUNIT_EXPECT_EQ_MSG(r->test, wait_for_retry(r), waits[i],
				    "retry %u", i);
}

static void mrc_retry_linear_then_exponential(struct kunit *test)
{
	static const u8 waits[] = { 1, 1, 1, 2, 4, 8, 16 };
	struct rig *r = rig_retrying(test, 3, 4);

	expect_retries(r, waits, ARRAY_SIZE(waits));
	KUNIT_EXPECT_EQ(test, r->req.status, MRC_OK);
	KUNIT_EXPECT_EQ(test, wait_for_retry(r), 0);
	KUNIT_EXPECT_EQ(test, r->req.stats.timeouts, ARRAY_SIZE(waits) + 1);
	expect_done(r, 0, MRC_ERR_RETRY_EXC);
}

static void mrc_retry_linear_only(struct kunit *test)
{
	static const u8 waits[] = { 1, 1, 1, 1, 1, 1, 1 };
	struct rig *r = rig_retrying(test, MRC_LINEAR_MAX, 0);

	expect_retries(r, waits, ARRAY_SIZE(waits));
	KUNIT_EXPECT_EQ(test, wait_for_retry(r), 0);
	expect_done(r, 0, MRC_ERR_RETRY_EXC);
}

/* The first retry waits T. */
static void mrc_retry_exponential_only(struct kunit *test)
{
	static const u8 waits[] = { 1, 2, 4 };
	struct rig *r = rig_retrying(test, 0, 3);

	expect_retries(r, waits, ARRAY_SIZE(waits));
	KUNIT_EXPECT_EQ(test, wait_for_retry(r), 0);
	expect_done(r, 0, MRC_ERR_RETRY_EXC);
}

static void mrc_retry_count_0_ends_at_first_rto(struct kunit *test)
{
	struct rig *r = rig_retrying(test, 0, 0);

	KUNIT_EXPECT_EQ(test, wait_for_retry(r), 0);
	expect_done(r, 0, MRC_ERR_RETRY_EXC);
}

/* No limit of retries; no retry waits longer than the longest timeout. */
static void mrc_retry_forever_wait_is_bounded(struct kunit *test)
{
	struct rig *r = rig_retrying(test, MRC_LINEAR_MAX, MRC_EXP_FOREVER);
	u64 longest = div_u64(MRC_TIMEOUT_NS(MRC_TIMEOUT_MAX), T);
	u32 i;

	for (i = 0; i < 1000; i++) {
		u64 wait = wait_for_retry(r);

		KUNIT_EXPECT_GE(test, wait, 1);
		KUNIT_EXPECT_LE(test, wait, longest);
		if (i > MRC_EXP_MAX)
			KUNIT_EXPECT_EQ(test, wait, longest);
	}
	KUNIT_EXPECT_EQ(test, r->req.status, MRC_OK);
}

/* An advancing cumulative PSN resets the number of retries and the wait. */
static void mrc_retry_progress_resets_wait(struct kunit *test)
{
	static const u8 waits[] = { 1, 2, 4 };
	struct rig *r = rig_retrying(test, 1, 2);
	u32 i;

	for (i = 0; i < 5; i++) {
		expect_retries(r, waits, ARRAY_SIZE(waits));
		rx_ack(r, i, MRC_SYN_ACK);
		expect_done(r, 0, MRC_OK);
		post(r, 0, 0, 1);
		KUNIT_EXPECT_EQ(test, send_all(r), 1);
	}
	KUNIT_EXPECT_EQ(test, r->req.status, MRC_OK);
}

/* The operator may change the number of retries while a packet waits. */
static void mrc_retry_count_changes_in_flight(struct kunit *test)
{
	static const u8 waits[] = { 1, 1, 1 };
	struct rig *r = rig_retrying(test, 1, 0);
	struct mrc_req_cfg cfg = r->req.cfg;

	cfg.linear_cnt = ARRAY_SIZE(waits);
	mrc_req_change(&r->req, &cfg, r->req.cc.ops, &r->req.cc.cfg, r->now);
	expect_retries(r, waits, ARRAY_SIZE(waits));
	KUNIT_EXPECT_EQ(test, wait_for_retry(r), 0);
	expect_done(r, 0, MRC_ERR_RETRY_EXC);
}

/* A timeout that is configured later applies to packets in flight. */
static void mrc_retry_timeout_set_in_flight(struct kunit *test)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;

	cfg.timeout_ns = 0;
	cfg.linear_cnt = 0;
	cfg.exp_cnt = 0;
	r = rig_of(test, &cfg, 1 << 20);
	post(r, 0, 0, 1);
	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	r->now += 10 * T;
	cfg.timeout_ns = T;
	mrc_req_change(&r->req, &cfg, r->req.cc.ops, &r->req.cc.cfg, r->now);
	KUNIT_EXPECT_EQ(test, wait_for_retry(r), 0);
	expect_done(r, 0, MRC_ERR_RETRY_EXC);
}

/* A NACK proves that path and peer work: it is no retry unless configured so. */
static void mrc_retry_nack_is_no_retry(struct kunit *test)
{
	struct rig *r = rig_retrying(test, 0, 1);
	u32 i;

	for (i = 0; i < 20; i++) {
		rx_nack(r, 0, r->evs->ev[r->sent[0].path].value,
			MRC_NACK_TRIMMED_LASTHOP);
		KUNIT_ASSERT_EQ(test, send_all(r), 1);
	}
	KUNIT_EXPECT_EQ(test, r->req.rto.retries, 0);
}

/* The packet with PSN @i of the first message; all of them have been sent. */
static void rx_trim(struct rig *r, u32 i)
{
	rx_nack(r, i, r->evs->ev[r->sent[i].path].value,
		MRC_NACK_TRIMMED_LASTHOP);
}

static struct rig *rig_counting_nacks(struct kunit *test, u32 npkts)
{
	struct mrc_req_cfg cfg = rig_cfg();
	struct rig *r;

	cfg.linear_cnt = 1;
	cfg.exp_cnt = 2;
	cfg.nack_retry = true;
	r = rig_of(test, &cfg, 1 << 20);
	post(r, 0, 0, npkts * PMTU);
	return r;
}

/* Configured so, NACKs draw on the retries that the RTO draws on. */
static void mrc_retry_nack_counts_if_configured(struct kunit *test)
{
	struct rig *r = rig_counting_nacks(test, 1);
	u32 i;

	KUNIT_ASSERT_EQ(test, send_all(r), 1);
	for (i = 1; i <= 3; i++) {
		r->now += RTT;
		rx_trim(r, 0);
		KUNIT_EXPECT_EQ(test, r->req.rto.retries, i);
		KUNIT_ASSERT_EQ(test, send_all(r), 1);
	}
	r->now += RTT;
	rx_trim(r, 0);
	expect_done(r, 0, MRC_ERR_RETRY_EXC);
}

/* NACKs of one flight are one retry; progress resets the number. */
static void mrc_retry_nacks_of_flight_are_one(struct kunit *test)
{
	struct rig *r = rig_counting_nacks(test, 4);
	u32 i;

	KUNIT_ASSERT_EQ(test, send_all(r), 4);
	r->now += RTT;
	for (i = 0; i < 4; i++)
		rx_trim(r, i);
	KUNIT_EXPECT_EQ(test, r->req.n_lost, 4);
	KUNIT_EXPECT_EQ(test, r->req.rto.retries, 1);
	KUNIT_ASSERT_EQ(test, send_all(r), 4);
	r->now += RTT;
	rx_trim(r, 0);
	KUNIT_EXPECT_EQ(test, r->req.rto.retries, 2);
	rx_ack(r, 0, MRC_SYN_ACK);
	KUNIT_EXPECT_EQ(test, r->req.rto.retries, 0);
}

/* Ranges (control API). */

static const struct attr {
	const char *name;
	size_t at;
	size_t size;
	u32 min;
	u32 max;
	bool powers;
} attrs[] = {
#define ATTR(_name, _min, _max, _powers) {			\
		.name = #_name,					\
		.at = offsetof(struct mrc_req_cfg, _name),	\
		.size = sizeof_field(struct mrc_req_cfg, _name),\
		.min = _min, .max = _max, .powers = _powers,	\
	}
	ATTR(pmtu, 1, 4096, false),
	ATTR(mpr, 64, MRC_MPR_MAX, true),
	ATTR(max_msgs, 1, 1 << 16, true),
	ATTR(max_wimm, 1, U16_MAX, false),
	ATTR(max_rd_atomic, 0, MRC_RD_ATOMIC_MAX, false),
	/* One slot of the 64 is left for requests. */
	ATTR(max_responses, 0, 63, false),
	ATTR(burst, 1, MRC_BURST_MAX, false),
	ATTR(linear_cnt, 0, 7, false),
	ATTR(exp_cnt, 0, 25, false),
	ATTR(rnr_retry, 0, 7, false),
};

KUNIT_ARRAY_PARAM_DESC(attr, attrs, name);

static int check_with(const struct attr *a, u32 value, struct mrc_refusal *why)
{
	struct mrc_req_cfg cfg = rig_cfg();

	if (a->size == 1)
		*((u8 *)&cfg + a->at) = value;
	else
		memcpy((u8 *)&cfg + a->at, &value, sizeof(value));
	return mrc_req_check(&cfg, why);
}

static void mrc_retry_bad_cfg_refused(struct kunit *test)
{
	const struct attr *a = test->param_value;
	struct mrc_refusal why = {};

	KUNIT_EXPECT_EQ(test, check_with(a, a->min, &why), 0);
	KUNIT_EXPECT_EQ(test, check_with(a, a->max, &why), 0);
	KUNIT_EXPECT_EQ(test, why.text[0], 0);
	KUNIT_EXPECT_EQ(test, check_with(a, a->max + 1, &why), -EINVAL);
	KUNIT_EXPECT_EQ(test, strncmp(why.text, a->name, strlen(a->name)), 0);
	if (a->min)
		KUNIT_EXPECT_EQ(test, check_with(a, a->min - 1, &why), -EINVAL);
	if (a->powers)
		KUNIT_EXPECT_EQ(test, check_with(a, a->max - 1, &why), -EINVAL);
}

static struct kunit_case mrc_retry_cases[] = {
	KUNIT_CASE(mrc_retry_linear_then_exponential),
	KUNIT_CASE(mrc_retry_linear_only),
	KUNIT_CASE(mrc_retry_exponential_only),
	KUNIT_CASE(mrc_retry_count_0_ends_at_first_rto),
	KUNIT_CASE(mrc_retry_forever_wait_is_bounded),
	KUNIT_CASE(mrc_retry_progress_resets_wait),
	KUNIT_CASE(mrc_retry_count_changes_in_flight),
	KUNIT_CASE(mrc_retry_timeout_set_in_flight),
	KUNIT_CASE(mrc_retry_nack_is_no_retry),
	KUNIT_CASE(mrc_retry_nack_counts_if_configured),
	KUNIT_CASE(mrc_retry_nacks_of_flight_are_one),
	KUNIT_CASE_PARAM(mrc_retry_bad_cfg_refused, attr_gen_params),
	{}
};

static struct kunit_suite mrc_retry_suite = {
	.name = "mrc_retry",
	.test_cases = mrc_retry_cases,
};

kunit_test_suite(mrc_retry_suite);

MODULE_DESCRIPTION("KUnit tests of MRC retries");
MODULE_LICENSE("Dual BSD/GPL");
