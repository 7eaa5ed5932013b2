// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attributes of QPs that verbs have not, as an application sets them: limits, ranges,
 * states in which they can be set, and what queries return.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "groups.h"
#include "pair.h"
#include "qp_attr.h"
#include "tap.h"

enum {
	/* Messages that consume a receive work request, of one test. */
	WIMMS = 8,
	/* With one in flight they take at least so many times as long as with all. */
	WIMM_FACTOR = 4,
};

static bool refused(struct ibv_qp *qp, const struct mrc_ib_qp_attr *attr,
		    int wanted)
{
	int ret = qp_attr_set(qp, attr);

	if (ret == wanted)
		return true;
	tap_note("%s, wanted %s", strerror(ret), strerror(wanted));
	return false;
}

static void limits(void)
{
	struct mrc_ib_device_attr l = {};

	if (!tap_ok(!qp_attr_limits(pair_dev[0].ctx, &l),
		    "the device can be queried"))
		return;
	tap_ok(l.protocol == 1 &&
	       l.caps == (MRC_IB_CAP_TRIM_NACK | MRC_IB_CAP_DYNAMIC_MPR |
			  MRC_IB_CAP_SVC_TIME),
	       "the device has MRC 1.0, trim NACKs, dynamic MPR, service time");
	tap_ok(l.mpr_min == 128 && l.mpr_unit == 128 && l.mpr_max >= 1024 &&
	       l.max_wimm >= 128 && l.max_wimm_dest >= 128,
	       "windows of 1024 PSNs and 128 messages are possible");
	tap_ok(l.timeout_max == 24 && l.linear_max == 7 && l.exp_max == 25,
	       "timeout and retries have the ranges of the MRC API");
}

/* One attribute that is out of range. */
#define REFUSED(qp, bit, ...) ({					\
	const struct mrc_ib_qp_attr _attr = {				\
		.mask = MRC_IB_QP_##bit, __VA_ARGS__			\
	};								\
	refused(qp, &_attr, EINVAL);					\
})

static void test_ranges(struct ibv_qp *qp)
{
	struct mrc_ib_qp_attr attr = { .mask = 1u << 31 };

	tap_ok(REFUSED(qp, MPR, .mpr = 127) &&
	       REFUSED(qp, MPR, .mpr = 16385) &&
	       REFUSED(qp, MPR_DEST, .mpr_dest = 0) &&
	       REFUSED(qp, MAX_WIMM, .max_wimm = 0) &&
	       REFUSED(qp, MAX_WIMM_DEST, .max_wimm_dest = 32769),
	       "windows out of range are refused");
	tap_ok(REFUSED(qp, TIMEOUT, .timeout = 0) &&
	       REFUSED(qp, TIMEOUT, .timeout = 25) &&
	       REFUSED(qp, LINEAR_CNT, .linear_cnt = 8) &&
	       REFUSED(qp, EXP_CNT, .exp_cnt = 26),
	       "timeout and retries out of range are refused");
	tap_ok(REFUSED(qp, TRIM_NACK, .trim_nack = 2) &&
	       REFUSED(qp, DYNAMIC_MPR, .dynamic_mpr = 2) &&
	       REFUSED(qp, SVC_TIME, .svc_time = 2) &&
	       REFUSED(qp, SVC_TIME_DEST, .svc_time_dest = 2),
	       "switches other than 0 and 1 are refused");
	tap_ok(refused(qp, &attr, EOPNOTSUPP), "an unknown bit is refused");
	attr = (struct mrc_ib_qp_attr){ .reserved = 1 };
	tap_ok(refused(qp, &attr, EOPNOTSUPP),
	       "a reserved field that is not zero is refused");
	attr = (struct mrc_ib_qp_attr){
		.mask = MRC_IB_QP_EV_PROFILE | MRC_IB_QP_TIMEOUT,
		.timeout = 11, .ev_profile = "no-such-profile",
	};
	tap_ok(refused(qp, &attr, ENOENT), "an unknown EV profile is refused");
	memset(attr.ev_profile, 'x', sizeof(attr.ev_profile));
	tap_ok(refused(qp, &attr, EINVAL), "a name without end is refused");
	attr = (struct mrc_ib_qp_attr){
		.mask = MRC_IB_QP_CC_PROFILE, .cc_profile = "no-such-cc",
	};
	tap_ok(refused(qp, &attr, ENOENT), "an unknown CC profile is refused");
	tap_ok(!qp_attr_get(qp, &attr) && !attr.mask,
	       "a request that is refused changes nothing");
}

static void ranges(void)
{
	struct pair p;

	if (tap_ok(!pair_alloc(&p, NULL), "two QPs in RESET"))
		test_ranges(p.a.qp);
	pair_destroy(&p);
}

static bool is_default(const struct mrc_ib_qp_attr *a)
{
	return !a->mask && a->mpr == 1024 && a->mpr_dest == 1024 &&
	       a->max_wimm == 128 && a->max_wimm_dest == 128 && a->trim_nack &&
	       !a->dynamic_mpr && !a->svc_time && !a->svc_time_dest &&
	       !*a->ev_profile && !*a->cc_profile;
}

static const struct mrc_ib_qp_attr sample = {
	.mask = MRC_IB_QP_TIMEOUT | MRC_IB_QP_LINEAR_CNT | MRC_IB_QP_EXP_CNT |
		MRC_IB_QP_MPR | MRC_IB_QP_MAX_WIMM | MRC_IB_QP_MPR_DEST |
		MRC_IB_QP_MAX_WIMM_DEST | MRC_IB_QP_TRIM_NACK |
		MRC_IB_QP_DYNAMIC_MPR | MRC_IB_QP_SVC_TIME |
		MRC_IB_QP_SVC_TIME_DEST,
	.mpr = 384,
	.mpr_dest = 640,
	.max_wimm = 3,
	.max_wimm_dest = 5,
	.timeout = 15,
	.linear_cnt = 1,
	.exp_cnt = 2,
	.trim_nack = 0,
	.dynamic_mpr = 1,
	.svc_time = 1,
	.svc_time_dest = 1,
};

static void test_states(struct pair *p)
{
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	struct mrc_ib_qp_attr attr;

	tap_ok(!qp_attr_get(p->a.qp, &attr) && is_default(&attr),
	       "a query before anything is set returns the defaults");
	tap_ok(!qp_attr_set(p->a.qp, &sample) && !qp_attr_get(p->a.qp, &attr) &&
	       !memcmp(&attr, &sample, sizeof(attr)),
	       "a query in RESET returns what has been set");
	if (!tap_ok(!pair_connect(p), "the QPs are connected"))
		return;
	tap_ok(!qp_attr_get(p->a.qp, &attr) &&
	       !memcmp(&attr, &sample, sizeof(attr)),
	       "a query in RTS returns what has been set before");
	tap_ok(refused(p->a.qp, &sample, EBUSY),
	       "windows cannot be set in RTS");
	attr = (struct mrc_ib_qp_attr){
		.mask = MRC_IB_QP_TIMEOUT, .timeout = 17,
	};
	tap_ok(!qp_attr_set(p->a.qp, &attr) && !qp_attr_get(p->a.qp, &attr) &&
	       attr.timeout == 17 && attr.mask == sample.mask,
	       "the timeout can be set in RTS");
	tap_ok(!qp_attr_get(p->b.qp, &attr) &&
	       attr.timeout == p->params.timeout + 2,
	       "the timeout of verbs is in effect if no other is set");
	tap_ok(!ibv_modify_qp(p->a.qp, &reset, IBV_QP_STATE) &&
	       !qp_attr_get(p->a.qp, &attr) && is_default(&attr),
	       "a QP that enters RESET forgets its attributes");
}

static void states(void)
{
	struct pair p;

	if (tap_ok(!pair_alloc(&p, NULL), "two QPs in RESET"))
		test_states(&p);
	pair_destroy(&p);
}

/* ns from the first post to the last completion; 0: an error. */
static uint64_t send_all(struct pair *p)
{
	uint64_t begin = rc_now_ns();
	struct ibv_send_wr wr, *bad;
	struct ibv_sge sge;
	struct ibv_wc wc;
	int i;

	for (i = 0; i < WIMMS; i++)
		if (end_recv(&p->b, i, 0, 64))
			return 0;
	for (i = 0; i < WIMMS; i++) {
		end_wr(p, IBV_WR_RDMA_WRITE_WITH_IMM, 64, &wr, &sge);
		wr.wr_id = i;
		wr.send_flags = IBV_SEND_SIGNALED;
		if (ibv_post_send(p->a.qp, &wr, &bad))
			return 0;
	}
	for (i = 0; i < WIMMS; i++)
		if (!wait_wc(p->a.scq, &wc) || wc.status)
			return 0;
	return rc_now_ns() - begin;
}

static uint64_t time_with(uint32_t max_wimm)
{
	const struct mrc_ib_qp_attr attr = {
		.mask = MRC_IB_QP_MAX_WIMM, .max_wimm = max_wimm,
	};
	uint64_t ns = 0;
	struct pair p;

	if (!pair_alloc(&p, NULL) && !qp_attr_set(p.a.qp, &attr) &&
	    !pair_connect(&p) && send_all(&p))
		ns = send_all(&p);
	pair_destroy(&p);
	return ns;
}

/* The link between the devices is to have a delay. */
static void wimm(void)
{
	uint64_t one = time_with(1), all = time_with(WIMMS);

	if (!tap_ok(one && all, "WRITEs with immediate data complete"))
		return;
	tap_note("limit 1: %llu ns, limit %d: %llu ns",
		 (unsigned long long)one, WIMMS, (unsigned long long)all);
	tap_ok(one > WIMM_FACTOR * all,
	       "a limit of 1 serialises WRITEs with immediate data");
}

static const struct group all_groups[] = {
	{ "limits", limits },
	{ "ranges", ranges },
	{ "states", states },
	{ "wimm", wimm },
	{ NULL }
};

int main(int argc, char **argv)
{
	return groups_main(argc, argv, "mrc_qp_attr",
			   "attributes of QPs that verbs have not", all_groups);
}
