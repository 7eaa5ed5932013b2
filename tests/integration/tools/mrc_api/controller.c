// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What controllers set is read back, refusals have the documented errno, and the
 * application API sees what controllers have configured.
 */
#include <errno.h>
#include <string.h>

#include "api.h"
#include "tap.h"

enum { ID = 13, OTHER = 15, EVS = 4 };

#define FAILS(call, err) (errno = 0, (call) == -1 && errno == (err))

/* --- device and ports ------------------------------------------------------ */

static void test_device(void)
{
	struct mrc_ctl_device_attr attr = {};
	struct mrc_device_attr dev = {};
	int supported = 0;

	tap_ok(!mrc_query_device_ex(verbs, ctx, &dev, &supported) && supported &&
	       dev.mrc_protocol_version == MRC_PROTOCOL_VERSION_1 &&
	       dev.mpr_attr.max_mpr >= 8 && dev.wimm_attr.max_wimm >= 128,
	       "the application API tells the limits of the device");
	tap_ok(!mrc_ctl_query_device_ex(verbs, ctx, &attr, &supported) && supported,
	       "the controller API tells the limits of the device");
	tap_ok(dev.mpr_attr.mpr_resolution == 1 && dev.qp_attr.max_qp_hint,
	       "the window is a multiple of 128, and QP hints are accepted");
	tap_ok(attr.phy_port_mask == 0x6, "the device has ports 1 and 2");
	tap_ok(attr.mrc_ctl_protocol_version == MRC_CTL_PROTOCOL_VERSION_1 &&
	       attr.opt_attr == (MRC_CTL_OPT_CAP_EV_PROFILE_MODIFY_ONLINE |
				 MRC_CTL_OPT_CAP_CC_PROFILE_MODIFY_ONLINE |
				 MRC_CTL_OPT_CAP_EV_EVENT |
				 MRC_CTL_OPT_CAP_EV_EVENT_PRECISE_DROP_CNT |
				 MRC_CTL_OPT_CAP_EP_OP_EV_PROBE),
	       "the device has all options but MRC_CTL_OPT_CAP_EV_EXPLICIT_RANGE");
	tap_ok(attr.ev.ev_max_fmt_profiles >= 16 && attr.cc.cc_max_profiles >= 16 &&
	       attr.ev.ev_max_width >= 128 && attr.ev.ev_count_align == 1 &&
	       attr.ev.ev_op_max_entries == 0,
	       "limits of formats, CC profiles and entropy values are right");
	tap_ok(attr.ev.ev_max_count_profile == 256 && attr.ev.ev_max_profiles == 256 &&
	       attr.ev.ev_free_count <= attr.ev.ev_max_count &&
	       attr.ev.ev_mode_mask == (MRC_CTL_EV_MODE_AUTO | MRC_CTL_EV_MODE_EXP |
					MRC_CTL_EV_MODE_GEN) &&
	       attr.ev.ev_fmt_mode_mask == (MRC_CTL_EV_FMT_MODE_STEV |
					    MRC_CTL_EV_FMT_MODE_SRV6 |
					    MRC_CTL_EV_FMT_MODE_UDP),
	       "numbers of entropy values, profiles and modes are right");
	tap_ok(attr.cc.algorithms[0] &&
	       !strcmp(attr.cc.algorithms[0], "uet-1.0-nscc") &&
	       !attr.cc.algorithms[1], "the algorithm is uet-1.0-nscc");
}

static void test_ports(void)
{
	struct mrc_ctl_port_attr attr = {
		.port_admin_state = MRC_CTL_PORT_ADMIN_DISABLED,
	};
	struct ibv_port_attr port;
	const int mask = MRC_CTL_PORT_ADMIN_STATE;

	tap_ok(!mrc_ctl_modify_port(ctx, 2, &attr, mask) &&
	       !ibv_query_port(verbs, 2, &port) && port.state == IBV_PORT_DOWN,
	       "a port that is disabled is DOWN for verbs");
	attr.port_admin_state = MRC_CTL_PORT_ADMIN_ENABLED;
	tap_ok(!mrc_ctl_query_port(ctx, 2, &attr, mask) &&
	       attr.port_admin_state == MRC_CTL_PORT_ADMIN_DISABLED,
	       "the disabled port is read back");
	attr.port_admin_state = MRC_CTL_PORT_ADMIN_ENABLED;
	tap_ok(!mrc_ctl_modify_port(ctx, 2, &attr, mask) &&
	       !ibv_query_port(verbs, 2, &port) && port.state == IBV_PORT_ACTIVE,
	       "a port that is enabled again is ACTIVE");
	tap_ok(FAILS(mrc_ctl_query_port(ctx, 3, &attr, mask), EINVAL) &&
	       FAILS(mrc_ctl_modify_port(ctx, 0, &attr, mask), EINVAL),
	       "ports that are not there are refused with EINVAL");
}

/* --- formats ---------------------------------------------------------------- */

static int format_state(uint64_t id)
{
	struct mrc_ctl_ev_fmt_profile_attr attr = {};

	if (mrc_ctl_query_ev_fmt_profile(ctx, id, &attr, MRC_CTL_EV_FMT_PROFILE_STATE))
		return -1;
	return attr.profile_state;
}

static int format_go(uint64_t id, enum mrc_ctl_profile_state state)
{
	struct mrc_ctl_ev_fmt_profile_attr attr = { .profile_state = state };

	return mrc_ctl_modify_ev_fmt_profile(ctx, id, &attr,
					     MRC_CTL_EV_FMT_PROFILE_STATE);
}

static void test_format(void)
{
	struct mrc_ctl_ev_fmt_field widths[2] = { { 16 }, { 16 } }, got[2] = {};
	struct mrc_ctl_ev_fmt_profile_attr attr = {
		.profile_state = MRC_CTL_PROFILE_OFFLINE,
		.ev_fmt_mode = MRC_CTL_EV_FMT_MODE_STEV,
		.ev_fmt_op = { MRC_CTL_EV_FMT_OP_MODIFY_FIELDS, widths, 2 },
	};
	const int all = MRC_CTL_EV_FMT_PROFILE_STATE |
			MRC_CTL_EV_FMT_PROFILE_MODE | MRC_CTL_EV_FMT_PROFILE_OP;

	tap_ok(format_state(ID) == MRC_CTL_PROFILE_INIT,
	       "a format that does not exist is in state INIT");
	tap_ok(FAILS(format_go(ID, MRC_CTL_PROFILE_OFFLINE), EINVAL),
	       "a format without mode does not go OFFLINE: EINVAL");
	tap_ok(!mrc_ctl_modify_ev_fmt_profile(ctx, ID, &attr, all) &&
	       format_state(ID) == MRC_CTL_PROFILE_OFFLINE,
	       "a format with mode and fields goes OFFLINE");
	tap_ok(!format_go(ID, MRC_CTL_PROFILE_ONLINE) &&
	       format_state(ID) == MRC_CTL_PROFILE_ONLINE, "and ONLINE");
	tap_ok(FAILS(format_go(ID, MRC_CTL_PROFILE_INIT), EINVAL),
	       "from ONLINE it does not go INIT: EINVAL");
	tap_ok(FAILS(mrc_ctl_modify_ev_fmt_profile(ctx, ID, &attr,
						   MRC_CTL_EV_FMT_PROFILE_OP), EBUSY),
	       "fields of a format that is ONLINE are not changed: EBUSY");
	attr.ev_fmt_op.op = MRC_CTL_EV_FMT_OP_QUERY_FIELDS;
	attr.ev_fmt_op.fmt_fields = got;
	attr.ev_fmt_op.fmt_field_count = 1;
	tap_ok(FAILS(mrc_ctl_query_ev_fmt_profile(ctx, ID, &attr,
						  MRC_CTL_EV_FMT_PROFILE_OP), E2BIG) &&
	       attr.ev_fmt_op.fmt_field_count == 2,
	       "too little room for fields: E2BIG, and the number that is needed");
	attr.ev_fmt_mode = 0;
	tap_ok(!mrc_ctl_query_ev_fmt_profile(ctx, ID, &attr, all) &&
	       attr.ev_fmt_mode == MRC_CTL_EV_FMT_MODE_STEV &&
	       got[0].width == 16 && got[1].width == 16,
	       "mode and fields are read back");
	tap_ok(FAILS(format_go(0, MRC_CTL_PROFILE_OFFLINE), EINVAL),
	       "number 0 is refused with EINVAL");
}

/* --- EV profiles -------------------------------------------------------------- */

static int profile_op(enum mrc_ctl_ev_op op, struct mrc_ctl_ev_op_entry *entry, int n)
{
	struct mrc_ctl_ev_profile_attr attr = { .ev_op = { op, entry, n } };

	return mrc_ctl_modify_ev_profile(ctx, ID, &attr, MRC_CTL_EV_PROFILE_EV_OP);
}

static int profile_go(enum mrc_ctl_profile_state state)
{
	struct mrc_ctl_ev_profile_attr attr = { .profile_state = state };

	return mrc_ctl_modify_ev_profile(ctx, ID, &attr, MRC_CTL_EV_PROFILE_STATE);
}

/* A state that a call expects, and that is not the present one. */
static void test_cur_state(void)
{
	struct mrc_ctl_ev_fmt_profile_attr fmt = {
		.profile_state = MRC_CTL_PROFILE_OFFLINE,
		.cur_profile_state = MRC_CTL_PROFILE_INIT,
	};
	struct mrc_ctl_ev_profile_attr ev = {
		.profile_state = MRC_CTL_PROFILE_OFFLINE,
		.cur_profile_state = MRC_CTL_PROFILE_INIT,
	};
	struct mrc_ctl_cc_profile_attr cc = {
		.profile_state = MRC_CTL_PROFILE_OFFLINE,
		.cur_profile_state = MRC_CTL_PROFILE_INIT,
	};

	tap_ok(FAILS(mrc_ctl_modify_ev_fmt_profile(ctx, ID, &fmt,
						   MRC_CTL_EV_FMT_PROFILE_STATE |
						   MRC_CTL_EV_FMT_PROFILE_CUR_STATE),
		     EINVAL) &&
	       FAILS(mrc_ctl_modify_ev_profile(ctx, ID, &ev, MRC_CTL_EV_PROFILE_STATE |
					       MRC_CTL_EV_PROFILE_CUR_STATE), EINVAL) &&
	       FAILS(mrc_ctl_modify_cc_profile(ctx, ID, &cc, MRC_CTL_CC_PROFILE_STATE |
					       MRC_CTL_CC_PROFILE_CUR_STATE), EINVAL),
	       "calls that expect another state are refused with EINVAL");
	tap_ok(format_state(ID) == MRC_CTL_PROFILE_ONLINE,
	       "and leave the state as it is");
}

static void test_profile_create(void)
{
	struct mrc_ctl_ev_profile_attr attr = {
		.profile_state = MRC_CTL_PROFILE_OFFLINE,
		.ev_mode = MRC_CTL_EV_MODE_EXP, .ev_fmt_profile_id = ID,
		.ev_count = EVS, .ev_min_active = 1,
		.ev_event_mask = MRC_CTL_EV_DENIED,
	};
	const int all = MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_MODE |
			MRC_CTL_EV_PROFILE_FMT_ID | MRC_CTL_EV_PROFILE_COUNT |
			MRC_CTL_EV_PROFILE_MIN_ACTIVE;
	struct mrc_ctl_ev_op_entry entry[EVS + 1] = {};
	int i;

	tap_ok(FAILS(mrc_ctl_modify_ev_profile(ctx, ID, &attr, all |
					       MRC_CTL_EV_PROFILE_EVENT_MASK), EINVAL),
	       "an event mask with DENIED is refused with EINVAL");
	tap_ok(!mrc_ctl_modify_ev_profile(ctx, ID, &attr, all),
	       "an explicit EV profile goes OFFLINE");
	tap_ok(FAILS(profile_go(MRC_CTL_PROFILE_ONLINE), EINVAL),
	       "without entropy values it does not go ONLINE: EINVAL");
	attr.ev_op.op = MRC_CTL_EV_OP_QUERY_EV_ARRAY;
	attr.ev_op.entries = entry;
	attr.ev_op.entry_count = EVS;
	tap_ok(!mrc_ctl_query_ev_profile(ctx, ID, &attr, MRC_CTL_EV_PROFILE_EV_OP) &&
	       entry[0].state == MRC_CTL_EV_UNKNOWN,
	       "the state of an entry without entropy value is UNKNOWN");
	memset(&attr, 0, sizeof(attr));
	tap_ok(!mrc_ctl_query_ev_profile(ctx, ID, &attr, all) &&
	       attr.profile_state == MRC_CTL_PROFILE_OFFLINE &&
	       attr.ev_mode == MRC_CTL_EV_MODE_EXP &&
	       attr.ev_fmt_profile_id == ID && attr.ev_count == EVS &&
	       attr.ev_min_active == 1,
	       "attributes of the EV profile are read back");
	for (i = 0; i < EVS; i++) {
		entry[i].ev = MRC_CTL_EV_UNPOPULATED;
		entry[i].ev_new = ev_of(0x10001 * (i + 1), 1 + i % 2);
		entry[i].state = MRC_CTL_EV_GOOD;
	}
	tap_ok(!profile_op(MRC_CTL_EV_OP_REPLACE_EV, entry, EVS) &&
	       !profile_go(MRC_CTL_PROFILE_ONLINE),
	       "with entropy values on two ports it goes ONLINE");
}

static void test_event_mask(void)
{
	struct mrc_ctl_ev_profile_attr attr = {
		.ev_event_mask = MRC_CTL_EV_ASSUMED_BAD,
	};
	const int mask = MRC_CTL_EV_PROFILE_EVENT_MASK;
	const char *name = "an event mask is set while ONLINE and read back";

	if (FAILS(mrc_ctl_modify_ev_profile(ctx, ID, &attr, mask), EINVAL)) {
		tap_skip(name, "the kernel has no event masks");
		return;
	}
	attr.ev_event_mask = 0;
	tap_ok(!mrc_ctl_query_ev_profile(ctx, ID, &attr, mask) &&
	       attr.ev_event_mask == MRC_CTL_EV_ASSUMED_BAD, "%s", name);
}

static void test_profile_evs(void)
{
	struct mrc_ctl_ev_op_entry entry[EVS] = {};
	struct mrc_ctl_ev_profile_attr attr = {
		.ev_op = { MRC_CTL_EV_OP_QUERY_EV_ARRAY, entry, 1 },
	};

	tap_ok(FAILS(mrc_ctl_query_ev_profile(ctx, ID, &attr,
					      MRC_CTL_EV_PROFILE_EV_OP), E2BIG) &&
	       attr.ev_op.entry_count == EVS,
	       "too little room for entries: E2BIG, and the number that is needed");
	tap_ok(!mrc_ctl_query_ev_profile(ctx, ID, &attr, MRC_CTL_EV_PROFILE_EV_OP) &&
	       number_of(&entry[2].ev) == 0x30003 && entry[2].ev.port == 1 &&
	       entry[2].state == MRC_CTL_EV_GOOD, "entropy values are read back");
	entry[0].ev = ev_of(0x20002, 2);
	entry[0].state = MRC_CTL_EV_DENIED;
	tap_ok(!profile_op(MRC_CTL_EV_OP_MODIFY_EV_STATE, entry, 1),
	       "an entropy value is denied while the profile is ONLINE");
	entry[0].state = 0;
	tap_ok(!profile_op(MRC_CTL_EV_OP_QUERY_EV_STATE, entry, 1) &&
	       entry[0].state == MRC_CTL_EV_DENIED, "its state is DENIED");
	entry[0].flags = ~MRC_CTL_EV_OP_F_ALL_COPIES;
	tap_ok(FAILS(profile_op(MRC_CTL_EV_OP_MODIFY_EV_STATE, entry, 1), EINVAL),
	       "unknown flags of an entry are refused with EINVAL");
	entry[0].flags = MRC_CTL_EV_OP_F_ALL_COPIES;
	entry[0].ev = ev_of(0x40004, 2);
	entry[0].ev_new = ev_of(0x50005, 2);
	entry[0].state = MRC_CTL_EV_GOOD;
	tap_ok(!profile_op(MRC_CTL_EV_OP_REPLACE_EV, entry, 1),
	       "an entropy value is replaced while the profile is ONLINE");
	tap_ok(FAILS(profile_op(MRC_CTL_EV_OP_REPLACE_EV, entry, 1), ENOENT),
	       "one that is not there is not replaced: ENOENT");
	entry[0].ev = ev_of(0x50005, 2);
	entry[0].ev_new = ev_of(0x10001, 1);
	tap_ok(FAILS(profile_op(MRC_CTL_EV_OP_REPLACE_EV, entry, 1), EINVAL),
	       "an entropy value that the profile has is refused with EINVAL");
	entry[0].ev_new = ev_of(0x60006, 3);
	tap_ok(FAILS(profile_op(MRC_CTL_EV_OP_REPLACE_EV, entry, 1), EINVAL),
	       "a port that is not there is refused with EINVAL");
	entry[0].state = MRC_CTL_EV_ASSUMED_BAD;
	tap_ok(FAILS(profile_op(MRC_CTL_EV_OP_MODIFY_EV_STATE, entry, 1), EINVAL),
	       "state ASSUMED_BAD is not to be set: EINVAL");
}

/* Some bits of each field are of the EV. */
static void test_generated(void)
{
	struct mrc_ctl_ev_field fields[2] = {
		{ .width = 16, .init_val = 0xa000, .min_val = 1, .max_val = 6,
		  .mask = 0x7 },
		{ .width = 16, .init_val = 0xb0, .mask = 0xf00 },
	}, got[2] = {};
	struct mrc_ctl_ev_profile_attr attr = {
		.profile_state = MRC_CTL_PROFILE_ONLINE,
		.ev_mode = MRC_CTL_EV_MODE_GEN, .ev_fmt_profile_id = ID,
		.ev_count = EVS, .ev_min_active = 1,
		.ev_fields_op = { MRC_CTL_EV_FIELDS_OP_MODIFY_FIELDS, fields, 2 },
	};
	const int config = MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_MODE |
			   MRC_CTL_EV_PROFILE_FMT_ID | MRC_CTL_EV_PROFILE_COUNT |
			   MRC_CTL_EV_PROFILE_MIN_ACTIVE;

	tap_ok(!mrc_ctl_modify_ev_profile(ctx, OTHER, &attr, config |
					  MRC_CTL_EV_PROFILE_EV_FIELDS_OP),
	       "a generated EV profile goes ONLINE");
	attr.ev_mode = 0;
	attr.ev_fields_op.op = MRC_CTL_EV_FIELDS_OP_QUERY_FIELDS;
	attr.ev_fields_op.fields = got;
	tap_ok(!mrc_ctl_query_ev_profile(ctx, OTHER, &attr, MRC_CTL_EV_PROFILE_MODE |
					 MRC_CTL_EV_PROFILE_EV_FIELDS_OP) &&
	       attr.ev_mode == MRC_CTL_EV_MODE_GEN &&
	       attr.ev_fields_op.field_count == 2 &&
	       !memcmp(got, fields, sizeof(got)),
	       "its fields are read back, one of them with the range 0 to 0");
	attr.profile_state = MRC_CTL_PROFILE_OFFLINE;
	mrc_ctl_modify_ev_profile(ctx, OTHER, &attr, MRC_CTL_EV_PROFILE_STATE);
	attr.profile_state = MRC_CTL_PROFILE_INIT;
	tap_ok(!mrc_ctl_modify_ev_profile(ctx, OTHER, &attr,
					  MRC_CTL_EV_PROFILE_STATE),
	       "it is removed");
	attr.vendor_cfg[0] = 1;
	tap_ok(FAILS(mrc_ctl_modify_ev_profile(ctx, OTHER, &attr,
					       MRC_CTL_EV_PROFILE_VENDOR_CFG),
		     EINVAL),
	       "a vendor extension of an EV profile is refused with EINVAL");
}

static void test_automatic(void)
{
	struct mrc_ctl_ev_profile_attr attr = {
		.profile_state = MRC_CTL_PROFILE_OFFLINE,
		.ev_mode = MRC_CTL_EV_MODE_AUTO, .ev_count = EVS,
	};

	tap_ok(!mrc_ctl_modify_ev_profile(ctx, OTHER, &attr,
					  MRC_CTL_EV_PROFILE_STATE |
					  MRC_CTL_EV_PROFILE_COUNT |
					  MRC_CTL_EV_PROFILE_MODE),
	       "an automatic EV profile without format goes OFFLINE");
	attr.ev_mode = 0;
	tap_ok(!mrc_ctl_query_ev_profile(ctx, OTHER, &attr, MRC_CTL_EV_PROFILE_MODE) &&
	       attr.ev_mode == MRC_CTL_EV_MODE_AUTO, "its mode is read back");
	attr.profile_state = MRC_CTL_PROFILE_INIT;
	tap_ok(!mrc_ctl_modify_ev_profile(ctx, OTHER, &attr,
					  MRC_CTL_EV_PROFILE_STATE),
	       "the automatic one is removed");
}

/* --- CC profiles ---------------------------------------------------------------- */

static void test_cc(void)
{
	const struct mrc_ctl_cc_nscc_cfg cfg = {
		.adjust_bytes_threshold = 32768, .adjust_period_threshold = 12000,
		.base_rtt = 12000, .eta = 1500, .fi = 3000, .fi_scale = 0.25f,
		.gamma = 0.8f, .max_md_jump = 0.5f, .max_cwnd = 1 << 20,
		.qa_gate = 3, .qa_threshold = 48000, .target_delay = 9000,
	};
	struct mrc_ctl_cc_nscc_cfg got = {};
	struct mrc_ctl_cc_profile_attr attr = {
		.profile_state = MRC_CTL_PROFILE_ONLINE,
		.algorithm = "uet-1.0-nscc", .cc_config = &cfg,
	};
	const int all = MRC_CTL_CC_PROFILE_STATE |
			MRC_CTL_CC_PROFILE_ALGORITHM | MRC_CTL_CC_PROFILE_CONFIG;

	tap_ok(!mrc_ctl_modify_cc_profile(ctx, ID, &attr, all),
	       "a CC profile with a configuration goes ONLINE");
	attr.algorithm = NULL;
	attr.cc_config = &got;
	tap_ok(!mrc_ctl_query_cc_profile(ctx, ID, &attr, all) && attr.algorithm &&
	       !strcmp(attr.algorithm, "uet-1.0-nscc") &&
	       attr.profile_state == MRC_CTL_PROFILE_ONLINE,
	       "algorithm and state are read back");
	tap_ok(got.adjust_bytes_threshold == cfg.adjust_bytes_threshold &&
	       got.adjust_period_threshold == cfg.adjust_period_threshold &&
	       got.base_rtt == cfg.base_rtt && got.eta == cfg.eta &&
	       got.fi == cfg.fi && got.fi_scale == cfg.fi_scale &&
	       got.gamma == cfg.gamma && got.max_md_jump == cfg.max_md_jump &&
	       got.max_cwnd == cfg.max_cwnd && got.qa_gate == cfg.qa_gate &&
	       got.qa_threshold == cfg.qa_threshold &&
	       got.target_delay == cfg.target_delay && !got.disable_qa,
	       "all 13 values of NSCC are read back");
	attr.algorithm = "swift";
	tap_ok(FAILS(mrc_ctl_modify_cc_profile(ctx, ID, &attr,
					       MRC_CTL_CC_PROFILE_ALGORITHM), EINVAL),
	       "an unknown algorithm is refused with EINVAL");
	got.gamma = -1;
	tap_ok(FAILS(mrc_ctl_modify_cc_profile(ctx, ID, &attr,
					       MRC_CTL_CC_PROFILE_CONFIG), EINVAL),
	       "a negative gamma is refused with EINVAL");
}

/* --- the application's side -------------------------------------------------------- */

static void test_qp(void)
{
	struct mrc_cq *cq = mrc_create_cq(ctx, 16, NULL, NULL, 0);
	struct ibv_pd *pd = ibv_alloc_pd(verbs);
	struct mrc_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .pd = pd,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct mrc_qp *qp = mrc_create_qp(ctx, &init);
	struct mrc_qp_attr attr = {
		.mpr = { 4, 2 }, .wimm = { 100, 50 }, .timeout = 17,
		.retry = { 5, 25 }, .profile = { ID, ID },
		.cap = MRC_QP_CAP_DYNAMIC_MPR | MRC_QP_CAP_TRIM_NACK_DEST_UNSUPPORTED |
		       MRC_QP_CAP_SVC_TIME_DEST_UNSUPPORTED,
	}, got = {};
	const int all = MRC_QP_MPR | MRC_QP_MPR_DEST | MRC_QP_MAX_WIMM |
			MRC_QP_MAX_WIMM_DEST | MRC_QP_TIMEOUT | MRC_QP_RETRY_CNT |
			MRC_QP_EV_PROFILE_ID | MRC_QP_CC_PROFILE_ID | MRC_QP_CAP;
	struct ibv_qp_attr v = { .qp_state = IBV_QPS_INIT };

	tap_ok(qp && !mrc_modify_qp(qp, &v, IBV_QP_STATE, &attr, all),
	       "a queue pair takes all attributes of MRC with INIT");
	tap_ok(!mrc_query_qp(qp, &v, IBV_QP_STATE, &got, all, &init) &&
	       got.mpr.mpr == 4 && got.mpr.mpr_dest == 2 &&
	       got.wimm.max_wimm == 100 && got.wimm.max_wimm_dest == 50 &&
	       got.timeout == 17 && got.retry.linear_cnt == 5 &&
	       got.retry.exp_cnt == 25 && got.profile.ev_profile_id == ID &&
	       got.profile.cc_profile_id == ID && got.cap == attr.cap &&
	       v.qp_state == IBV_QPS_INIT && init.send_cq == cq,
	       "the attributes are read back");
	tap_ok(FAILS(profile_go(MRC_CTL_PROFILE_OFFLINE), EBUSY),
	       "an EV profile that a queue pair has does not go OFFLINE: EBUSY");
	attr.profile.ev_profile_id = 99;
	tap_ok(mrc_modify_qp(qp, NULL, 0, &attr, MRC_QP_EV_PROFILE_ID) == ENOENT,
	       "a profile that is not there is refused with ENOENT");
	attr.vendor_cfg[0] = 1;
	tap_ok(mrc_modify_qp(qp, NULL, 0, &attr, MRC_QP_VENDOR_CFG) == EOPNOTSUPP,
	       "a vendor extension of a queue pair is refused with EOPNOTSUPP");
	attr.timeout = 25;
	tap_ok(mrc_modify_qp(qp, NULL, 0, &attr, MRC_QP_TIMEOUT) == EINVAL,
	       "a timeout of 25 is refused with EINVAL");
	tap_ok(!mrc_destroy_qp(qp) && !mrc_destroy_cq(cq) && !ibv_dealloc_pd(pd),
	       "the queue pair is destroyed");
}

/* --- commands ------------------------------------------------------------------ */

int controller_clear(void)
{
	struct mrc_ctl_cc_profile_attr cc = {
		.profile_state = MRC_CTL_PROFILE_OFFLINE,
	};
	const int state = MRC_CTL_CC_PROFILE_STATE;

	tap_ok(!profile_go(MRC_CTL_PROFILE_OFFLINE) &&
	       !profile_go(MRC_CTL_PROFILE_INIT), "the EV profile is removed");
	tap_ok(!format_go(ID, MRC_CTL_PROFILE_OFFLINE) &&
	       !format_go(ID, MRC_CTL_PROFILE_INIT), "the format is removed");
	tap_ok(!mrc_ctl_modify_cc_profile(ctx, ID, &cc, state), "the CC profile goes OFFLINE");
	cc.profile_state = MRC_CTL_PROFILE_INIT;
	tap_ok(!mrc_ctl_modify_cc_profile(ctx, ID, &cc, state), "the CC profile is removed");
	return tap_done();
}

int controller_setup(void)
{
	test_device();
	test_ports();
	test_format();
	test_profile_create();
	test_event_mask();
	test_profile_evs();
	test_generated();
	test_automatic();
	test_cc();
	test_cur_state();
	test_qp();
	return tap_done();
}

