// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl peer: what the queue pairs to each address do together.
 */
#include "args.h"
#include "mrcctl.h"
#include "nl.h"
#include "out.h"
#include "peer.h"
#include "show.h"

static const struct out_column peer_columns[] = {
	{ "DEV", true }, { "QPS" }, { "TX" }, { "RTX" }, { "SPURIOUS" },
	{ "RX" }, { "ECN" }, { "CWND" }, { "SRTT" }, { "SRC", true },
	{ "DST", true },
};

/**
 * peer_get() - read peers
 * @nl: connection
 * @dev: name of the only device of interest, or NULL
 * @cb: called for each peer; for some perhaps twice
 * @arg: for @cb
 *
 * Return: enum exit_code.
 */
int peer_get(struct nl *nl, const char *dev, mnl_cb_t cb, void *arg)
{
	struct nlmsghdr *nlh;

	nlh = nl_begin(nl, MRC_CMD_PEER_GET, true);
	if (!nlh)
		return EXIT_KERNEL;
	if (dev)
		mnl_attr_put_strz(nlh, MRC_A_PEER_DEV, dev);
	return nl_talk(nl, nlh, cb, arg);
}

static void peer_row(struct out_table *table, const struct nlattr **tb)
{
	const struct nlattr *c[MRC_A_QP_COUNTERS_MAX + 1];
	char word[OUT_WORD];

	nl_nest(tb[MRC_A_PEER_COUNTERS], c, MRC_A_QP_COUNTERS_MAX);
	out_table_cell(table, "%s", nl_string(tb[MRC_A_PEER_DEV]));
	out_table_cell(table, "%u", nl_u32(tb[MRC_A_PEER_QPS]));
	out_table_cell(table, "%s",
		       out_human(nl_u64(c[MRC_A_QP_COUNTERS_TX_BYTES]), word));
	out_table_cell(table, "%s",
		       out_human(nl_u64(c[MRC_A_QP_COUNTERS_RTX_BYTES]), word));
	out_table_cell(table, "%s",
		       out_human(nl_u64(c[MRC_A_QP_COUNTERS_SPURIOUS]), word));
	out_table_cell(table, "%s",
		       out_human(nl_u64(c[MRC_A_QP_COUNTERS_RX_BYTES]), word));
	out_table_cell(table, "%s",
		       out_human(nl_u64(c[MRC_A_QP_COUNTERS_RX_ECN]), word));
	out_table_cell(table, "%s",
		       out_human(nl_u64(tb[MRC_A_PEER_CWND]), word));
	out_table_cell(table, "%s",
		       out_nsec(nl_u32(tb[MRC_A_PEER_SRTT]), word));
	out_table_cell(table, "%s",
		       out_addr_word(nl_addr(tb[MRC_A_PEER_SRC]), word));
	out_table_cell(table, "%s",
		       out_addr_word(nl_addr(tb[MRC_A_PEER_DST]), word));
}

static void peer_json(const struct nlattr **tb)
{
	out_object(NULL);
	out_string("dev", NULL, nl_string(tb[MRC_A_PEER_DEV]));
	out_addr("src", NULL, nl_addr(tb[MRC_A_PEER_SRC]));
	out_addr("dst", NULL, nl_addr(tb[MRC_A_PEER_DST]));
	out_uint("qps", NULL, nl_u32(tb[MRC_A_PEER_QPS]));
	out_uint("cwnd", NULL, nl_u64(tb[MRC_A_PEER_CWND]));
	out_uint("inflight", NULL, nl_u64(tb[MRC_A_PEER_INFLIGHT]));
	out_uint("srtt_ns", NULL, nl_u32(tb[MRC_A_PEER_SRTT]));
	out_uint("base_rtt_ns", NULL, nl_u32(tb[MRC_A_PEER_BASE_RTT]));
	out_object("counters");
	counters_json(tb[MRC_A_PEER_COUNTERS], peer_counters);
	out_object_end();
	out_object_end();
}

static int on_peer(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_PEER_MAX + 1];

	nl_attrs(nlh, tb, MRC_A_PEER_MAX);
	if (out.json)
		peer_json(tb);
	else
		peer_row(arg, tb);
	return MNL_CB_OK;
}

static int peer_show(struct nl *nl, int argc, char **argv)
{
	const char *dev = NULL;
	struct arg args[] = {
		{ "dev", ARG_NAME, false, &dev },
		{ NULL }
	};
	struct out_table *table;
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	table = out_table_new(peer_columns, MNL_ARRAY_SIZE(peer_columns));
	out_begin();
	ret = peer_get(nl, dev, on_peer, table);
	out_end();
	out_table_end(table, 0);
	return ret;
}

static const struct command peer_commands[] = {
	{ "show", peer_show },
	{ NULL }
};

const struct object peer_object = {
	.name = "peer",
	.usage = "mrcctl peer show [dev NAME]\n",
	.commands = peer_commands,
};
