// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl port: the ports of devices, as a table; take them out of use.
 */
#include "mrcctl.h"
#include "out.h"
#include "request.h"
#include "show.h"

static const struct out_column port_columns[] = {
	{ "DEV", true }, { "PORT" }, { "NETDEV", true }, { "IFINDEX" },
	{ "STATE", true }, { "MTU" },
};

static void port_row(struct out_table *table, const char *dev,
		     const struct nlattr **tb)
{
	const char *ifname = nl_string(tb[MRC_A_PORT_IFNAME]);

	out_table_cell(table, "%s", dev);
	out_table_cell(table, "%u", nl_u32(tb[MRC_A_PORT_INDEX]));
	out_table_cell(table, "%s", *ifname ? ifname : "-");
	out_table_cell(table, "%u", nl_u32(tb[MRC_A_PORT_IFINDEX]));
	out_table_cell(table, "%s",
		       port_state_name(nl_u32(tb[MRC_A_PORT_STATE])));
	out_table_cell(table, "%u", nl_u32(tb[MRC_A_PORT_MTU]));
}

static int on_dev_ports(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_DEV_MAX + 1];
	const struct nlattr *port[MRC_A_PORT_MAX + 1];
	const struct nlattr *attr;

	nl_attrs(nlh, tb, MRC_A_DEV_MAX);
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != MRC_A_DEV_PORT)
			continue;
		nl_nest(attr, port, MRC_A_PORT_MAX);
		if (!out.json) {
			port_row(arg, nl_string(tb[MRC_A_DEV_NAME]), port);
			continue;
		}
		out_object(NULL);
		out_string("dev", NULL, nl_string(tb[MRC_A_DEV_NAME]));
		out_uint("port", NULL, nl_u32(port[MRC_A_PORT_INDEX]));
		out_string("netdev", NULL, nl_string(port[MRC_A_PORT_IFNAME]));
		out_uint("ifindex", NULL, nl_u32(port[MRC_A_PORT_IFINDEX]));
		out_string("state", NULL,
			   port_state_name(nl_u32(port[MRC_A_PORT_STATE])));
		out_uint("mtu", NULL, nl_u32(port[MRC_A_PORT_MTU]));
		out_object_end();
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
	table = out_table_new(port_columns, MNL_ARRAY_SIZE(port_columns));
	ret = dev_list(nl, name, false, on_dev_ports, table);
	out_table_end(table, 0);
	return ret;
}

static int port_set(struct nl *nl, int argc, char **argv)
{
	const char *dev;
	uint32_t port;
	struct arg args[] = {
		{ "dev", ARG_NAME, true, &dev, .attr = MRC_A_DEV_NAME },
		{ "port", ARG_PORT, true, &port },
		{ "up", ARG_FLAG },
		{ "down", ARG_FLAG },
		{ NULL }
	};
	struct nlmsghdr *nlh;
	struct nlattr *nest;
	int ret;

	ret = args_parse(argc, argv, args);
	if (!ret && args_given(args, "up") == args_given(args, "down"))
		ret = usage_error("'up' or 'down', one of them");
	if (ret)
		return ret;
	nlh = request_begin(nl, MRC_CMD_DEV_SET, false, args);
	if (!nlh)
		return EXIT_KERNEL;
	nest = mnl_attr_nest_start(nlh, MRC_A_DEV_PORT);
	mnl_attr_put_u32(nlh, MRC_A_PORT_INDEX, port);
	mnl_attr_put_u32(nlh, MRC_A_PORT_ENABLED, args_given(args, "up"));
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
		 "mrcctl port set dev NAME port N { up | down }\n",
	.commands = port_commands,
};
