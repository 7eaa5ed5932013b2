// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl port: the ports of devices, as a table; take them out of use; where
 * paths to them end.
 */
#include "mrcctl.h"
#include "out.h"
#include "request.h"
#include "show.h"

static const struct out_column port_columns[] = {
	{ "DEV", true }, { "PORT" }, { "NETDEV", true }, { "IFINDEX" },
	{ "STATE", true }, { "MTU" }, { "MBIT/S" }, { "USID", true },
};

/* In the order of port_counters. */
static const struct out_column counter_columns[] = {
	{ "DEV", true }, { "PORT" }, { "TX-PKTS" }, { "TX-BYTES" },
	{ "TX-DISC" }, { "RX-PKTS" }, { "RX-BYTES" }, { "RX-ERR" },
	{ "DOWNED" },
};

static void port_row(struct out_table *table, const char *dev,
		     const struct nlattr **tb)
{
	const char *ifname = nl_string(tb[MRC_A_PORT_IFNAME]);
	const struct in6_addr *usid = nl_addr(tb[MRC_A_PORT_USID]);
	char word[OUT_WORD];

	out_table_cell(table, "%s", dev);
	out_table_cell(table, "%u", nl_u32(tb[MRC_A_PORT_INDEX]));
	out_table_cell(table, "%s", *ifname ? ifname : "-");
	out_table_cell(table, "%u", nl_u32(tb[MRC_A_PORT_IFINDEX]));
	out_table_cell(table, "%s",
		       port_state_name(nl_u32(tb[MRC_A_PORT_STATE])));
	out_table_cell(table, "%u", nl_u32(tb[MRC_A_PORT_MTU]));
	if (tb[MRC_A_PORT_SPEED])
		out_table_cell(table, "%u", nl_u32(tb[MRC_A_PORT_SPEED]));
	else
		out_table_cell(table, "-");
	out_table_cell(table, "%s", usid ?
		       out_prefix_word(usid, nl_u32(tb[MRC_A_PORT_USID_LEN]),
				       word) : "-");
}

static void port_counters_row(struct out_table *table, const char *dev,
			      const struct nlattr **tb)
{
	const struct nlattr *counters[MRC_A_PORT_COUNTERS_MAX + 1];
	const struct counter_name *c;
	char word[OUT_WORD];

	nl_nest(tb[MRC_A_PORT_COUNTERS], counters, MRC_A_PORT_COUNTERS_MAX);
	out_table_cell(table, "%s", dev);
	out_table_cell(table, "%u", nl_u32(tb[MRC_A_PORT_INDEX]));
	for (c = port_counters; c->name; c++)
		out_table_cell(table, "%s",
			       out_human(nl_u64(counters[c->attr]), word));
}

static void port_json(const char *dev, const struct nlattr **tb)
{
	out_object(NULL);
	out_string("dev", NULL, dev);
	out_uint("port", NULL, nl_u32(tb[MRC_A_PORT_INDEX]));
	out_string("netdev", NULL, nl_string(tb[MRC_A_PORT_IFNAME]));
	out_uint("ifindex", NULL, nl_u32(tb[MRC_A_PORT_IFINDEX]));
	out_string("state", NULL,
		   port_state_name(nl_u32(tb[MRC_A_PORT_STATE])));
	out_uint("mtu", NULL, nl_u32(tb[MRC_A_PORT_MTU]));
	if (tb[MRC_A_PORT_SPEED])
		out_uint("speed", NULL, nl_u32(tb[MRC_A_PORT_SPEED]));
	out_prefix("usid", NULL, nl_addr(tb[MRC_A_PORT_USID]),
		   nl_u32(tb[MRC_A_PORT_USID_LEN]));
	if (tb[MRC_A_PORT_COUNTERS]) {
		out_object("counters");
		counters_json(tb[MRC_A_PORT_COUNTERS], port_counters);
		out_object_end();
	}
	out_object_end();
}

static int on_dev_ports(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_DEV_MAX + 1];
	const struct nlattr *port[MRC_A_PORT_MAX + 1];
	const struct nlattr *attr;
	const char *dev;

	nl_attrs(nlh, tb, MRC_A_DEV_MAX);
	dev = nl_string(tb[MRC_A_DEV_NAME]);
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != MRC_A_DEV_PORT)
			continue;
		nl_nest(attr, port, MRC_A_PORT_MAX);
		if (out.json)
			port_json(dev, port);
		else if (out.stats)
			port_counters_row(arg, dev, port);
		else
			port_row(arg, dev, port);
	}
	return MNL_CB_OK;
}

static int port_show(struct nl *nl, int argc, char **argv)
{
	const char *name = NULL;
	struct arg args[] = {
		{ "dev", ARG_NAME, false, &name },
		{ NULL }
	};
	struct out_table *table;
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	if (out.stats)
		table = out_table_new(counter_columns,
				      MNL_ARRAY_SIZE(counter_columns));
	else
		table = out_table_new(port_columns,
				      MNL_ARRAY_SIZE(port_columns));
	ret = dev_list(nl, name, out.stats, on_dev_ports, table);
	out_table_end(table, 0);
	return ret;
}

static int port_set(struct nl *nl, int argc, char **argv)
{
	const char *dev;
	uint32_t port;
	struct prefix usid;
	struct arg args[] = {
		{ "dev", ARG_NAME, true, &dev, .attr = MRC_A_DEV_NAME },
		{ "port", ARG_PORT, true, &port },
		{ "up", ARG_FLAG },
		{ "down", ARG_FLAG },
		{ "usid", ARG_PREFIX_OR_NONE, false, &usid },
		{ NULL }
	};
	bool up, down;
	struct nlmsghdr *nlh;
	struct nlattr *nest;
	int ret;

	ret = args_parse(argc, argv, args);
	up = args_given(args, "up");
	down = args_given(args, "down");
	if (!ret && (up ? down : !down && !args_given(args, "usid")))
		ret = usage_error("give 'up' or 'down', or 'usid'");
	if (ret)
		return ret;
	nlh = request_begin(nl, MRC_CMD_DEV_SET, false, args);
	if (!nlh)
		return EXIT_KERNEL;
	nest = mnl_attr_nest_start(nlh, MRC_A_DEV_PORT_SET);
	mnl_attr_put_u32(nlh, MRC_A_PORT_INDEX, port);
	if (up || down)
		mnl_attr_put_u32(nlh, MRC_A_PORT_ENABLED, up);
	if (args_given(args, "usid")) {
		mnl_attr_put(nlh, MRC_A_PORT_USID, sizeof(usid.addr),
			     &usid.addr);
		mnl_attr_put_u32(nlh, MRC_A_PORT_USID_LEN, usid.len);
	}
	mnl_attr_nest_end(nlh, nest);
	return nl_talk(nl, nlh, NULL, NULL);
}

static const struct command port_commands[] = {
	{ "show", port_show },
	{ "set", port_set },
	{ NULL }
};

const struct object port_object = {
	.name = "port",
	.usage = "mrcctl port show [dev NAME]\n"
		 "mrcctl port set dev NAME port N [up | down] [usid { PREFIX | none }]\n",
	.commands = port_commands,
};
