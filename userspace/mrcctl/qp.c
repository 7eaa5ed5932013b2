// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl qp: queue pairs, their attributes and their paths.
 */
#include <stdio.h>
#include <string.h>

#include "mrcctl.h"
#include "out.h"
#include "path.h"
#include "qp_attr.h"
#include "request.h"
#include "show.h"

/**
 * struct qp_show - one queue pair after the other
 * @open: one has been begun
 * @dev: its device
 * @qpn: its number
 * @paths: print paths
 * @table: its paths so far; NULL: none, or JSON
 *
 * A queue pair with many paths is dumped in several messages.
 */
struct qp_show {
	bool open;
	char dev[MRC_NAME_MAX];
	uint32_t qpn;
	bool paths;
	struct out_table *table;
};

static void qp_counters_text(const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_QP_COUNTERS_MAX + 1];
	const struct counter_name *c;
	char word[OUT_WORD];
	uint64_t value;
	int n = 0;

	nl_nest(nest, tb, MRC_A_QP_COUNTERS_MAX);
	for (c = qp_counters; c->name; c++) {
		value = nl_u64(tb[c->attr]);
		if (!value && !out.details)
			continue;
		out_text("%s%s %s", n % 4 ? " " : n ? "\n    " : "    ",
			 c->name, out_human(value, word));
		n++;
	}
	if (n)
		out_text("\n");
}

static void qp_requester(const struct nlattr **tb)
{
	char word[OUT_WORD];

	if (!tb[MRC_A_QP_NXT])
		return;
	out_uint("una", "    una %s", nl_u32(tb[MRC_A_QP_UNA]));
	out_uint("nxt", " nxt %s", nl_u32(tb[MRC_A_QP_NXT]));
	out_uint("inflight", " inflight %s", nl_u32(tb[MRC_A_QP_INFLIGHT]));
	out_uint("cwnd", " cwnd %s", nl_u32(tb[MRC_A_QP_CWND]));
	out_uint("srtt_ns", NULL, nl_u32(tb[MRC_A_QP_SRTT]));
	out_text(" srtt %s", out_nsec(nl_u32(tb[MRC_A_QP_SRTT]), word));
	out_uint("base_rtt_ns", NULL, nl_u32(tb[MRC_A_QP_BASE_RTT]));
	out_text(" base-rtt %s", out_nsec(nl_u32(tb[MRC_A_QP_BASE_RTT]), word));
	out_uint("reo_wnd_path_ns", NULL, nl_u32(tb[MRC_A_QP_REO_WND_PATH]));
	out_text("\n    reo-wnd-path %s",
		 out_nsec(nl_u32(tb[MRC_A_QP_REO_WND_PATH]), word));
	out_uint("reo_wnd_any_ns", NULL, nl_u32(tb[MRC_A_QP_REO_WND_ANY]));
	out_text(" reo-wnd-any %s",
		 out_nsec(nl_u32(tb[MRC_A_QP_REO_WND_ANY]), word));
	out_uint("rate_mbps", " rate %s", nl_u32(tb[MRC_A_QP_RATE]));
	out_string("algorithm", " cc %s", nl_string(tb[MRC_A_QP_ALGORITHM]));
	out_string("lb", " lb %s\n", nl_string(tb[MRC_A_QP_LB]));
}

static void qp_head(const struct nlattr **tb)
{
	out_string("dev", "%s", nl_string(tb[MRC_A_QP_DEV]));
	out_uint("qpn", " qpn %s", nl_u32(tb[MRC_A_QP_QPN]));
	out_string("state", " state %s",
		   qp_state_name(nl_u32(tb[MRC_A_QP_STATE])));
	if (tb[MRC_A_QP_DST])
		out_string("mode", " paths %s",
			   path_mode_name(nl_u32(tb[MRC_A_QP_MODE])));
	out_text("\n");
	qp_attrs_show(tb);
	if (!tb[MRC_A_QP_DST])
		return;
	out_addr("src", "    src %s", nl_addr(tb[MRC_A_QP_SRC]));
	out_addr("dst", " dst %s", nl_addr(tb[MRC_A_QP_DST]));
	out_uint("dst_qpn", " qpn %s", nl_u32(tb[MRC_A_QP_DST_QPN]));
	out_string("icrc", " icrc %s", nl_u32(tb[MRC_A_QP_ICRC]) ? "yes" : "no");
	if (tb[MRC_A_QP_HOME]) {
		out_uint("home", " home %s", nl_u32(tb[MRC_A_QP_HOME]));
		out_uint("ack_home", " ack-home %s",
			 nl_u32(tb[MRC_A_QP_ACK_HOME]));
	}
	out_text("\n");
	qp_requester(tb);
	if (out.json)
		counters_json(tb[MRC_A_QP_COUNTERS], qp_counters);
	else
		qp_counters_text(tb[MRC_A_QP_COUNTERS]);
}

static void qp_end(void *arg)
{
	struct qp_show *show = arg;

	if (!show->open)
		return;
	out_table_end(show->table, 4);
	show->table = NULL;
	if (show->paths)
		out_array_end();
	out_object_end();
	show->open = false;
}

static void qp_begin(struct qp_show *show, const struct nlattr **tb)
{
	const char *dev = nl_string(tb[MRC_A_QP_DEV]);
	uint32_t qpn = nl_u32(tb[MRC_A_QP_QPN]);

	if (show->open && show->qpn == qpn && !strcmp(show->dev, dev))
		return;
	qp_end(show);
	show->open = true;
	show->qpn = qpn;
	snprintf(show->dev, sizeof(show->dev), "%s", dev);
	out_object(NULL);
	qp_head(tb);
	if (show->paths) {
		out_array("paths");
		show->table = path_table_new();
	}
}

static void qp_path(struct qp_show *show, const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_PATH_MAX + 1];

	nl_nest(nest, tb, MRC_A_PATH_MAX);
	if (!out.json) {
		path_row(show->table, tb);
		return;
	}
	out_object(NULL);
	path_json(tb);
	out_object_end();
}

static int on_qp(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_QP_MAX + 1];
	const struct nlattr *attr;
	struct qp_show *show = arg;

	nl_attrs(nlh, tb, MRC_A_QP_MAX);
	qp_begin(show, tb);
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == MRC_A_QP_PATH && show->paths)
			qp_path(show, attr);
	}
	return MNL_CB_OK;
}

static int qp_show(struct nl *nl, int argc, char **argv)
{
	struct qp_show show = {};
	const char *dev;
	uint32_t qpn;
	struct arg args[] = {
		{ "dev", ARG_NAME, false, &dev, .attr = MRC_A_QP_DEV },
		{ "qpn", ARG_U32, false, &qpn, .attr = MRC_A_QP_QPN },
		{ "paths", ARG_FLAG, .attr = MRC_A_QP_PATHS },
		{ NULL }
	};
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	show.paths = args[2].given;
	return request_dump(nl, MRC_CMD_QP_GET, args, on_qp, qp_end, &show);
}

static const struct command qp_commands[] = {
	{ "show", qp_show },
	{ "set", qp_set },
	{ NULL }
};

const struct object qp_object = {
	.name = "qp",
	.usage = "mrcctl qp show [dev NAME] [qpn N] [paths]\n"
		 "mrcctl qp set dev NAME qpn N [profile { PROFILE | default }] [cc { PROFILE | default }]\n"
		 "              [timeout N] [linear N] [exp N] [mpr N] [mpr-dest N] [wimm N] [wimm-dest N]\n"
		 "              [trim-nack { on | off }] [dynamic-mpr { on | off }]\n"
		 "              [svc-time { on | off }] [svc-time-dest { on | off }]\n",
	.commands = qp_commands,
};
