// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl dev: add, delete and show devices.
 */
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "limit.h"
#include "mrcctl.h"
#include "out.h"
#include "request.h"
#include "show.h"

/* Ports of a device to be added. */
struct ports {
	unsigned int ifindex[MRC_PORTS_MAX];
	int n;
};

static int take_port(struct ports *ports, const char *name, size_t len)
{
	char ifname[IF_NAMESIZE];

	if (!len)
		return usage_error("the list of 'netdev' has an empty name");
	if (ports->n == MRC_PORTS_MAX)
		return usage_error("'netdev' names more than %d ports",
				   MRC_PORTS_MAX);
	snprintf(ifname, sizeof(ifname), "%.*s", (int)len, name);
	ports->ifindex[ports->n] = len < IF_NAMESIZE ?
				   if_nametoindex(ifname) : 0;
	if (!ports->ifindex[ports->n])
		return usage_error("'netdev %.*s': no such net device in this network namespace",
				   (int)len, name);
	ports->n++;
	return EXIT_OK;
}

static int take_ports(struct ports *ports, const char *list)
{
	size_t len;
	int ret;

	for (;;) {
		len = strcspn(list, ",");
		ret = take_port(ports, list, len);
		if (ret || !list[len])
			return ret;
		list += len + 1;
	}
}

static void put_ports(struct nlmsghdr *nlh, const struct ports *ports)
{
	struct nlattr *nest;
	int i;

	for (i = 0; i < ports->n; i++) {
		nest = mnl_attr_nest_start(nlh, MRC_A_DEV_PORT_ADD);
		mnl_attr_put_u32(nlh, MRC_A_PORT_IFINDEX, ports->ifindex[i]);
		mnl_attr_nest_end(nlh, nest);
	}
}

static int dev_add(struct nl *nl, int argc, char **argv)
{
	const char *name, *list;
	struct ports ports = {};
	struct arg args[] = {
		{ "name", ARG_NAME, true, &name, .positional = true,
		  .attr = MRC_A_DEV_NAME },
		{ "netdev", ARG_LIST, true, &list },
		{ NULL }
	};
	struct nlmsghdr *nlh;
	int ret;

	ret = args_parse(argc, argv, args);
	if (!ret)
		ret = take_ports(&ports, list);
	if (ret)
		return ret;
	nlh = request_begin(nl, MRC_CMD_DEV_ADD, false, args);
	if (!nlh)
		return EXIT_KERNEL;
	put_ports(nlh, &ports);
	return nl_talk(nl, nlh, NULL, NULL);
}

/* "default" selects no profile. */
static int dev_set(struct nl *nl, int argc, char **argv)
{
	const char *name, *cc = NULL;
	uint32_t burst = 0, icrc = 0, peer_ports = 0;
	struct arg args[] = {
		{ "name", ARG_NAME, true, &name, .positional = true,
		  .attr = MRC_A_DEV_NAME },
		{ "burst", ARG_U32, false, &burst, .attr = MRC_A_DEV_BURST },
		{ "cc", ARG_NAME, false, &cc },
		{ "icrc", ARG_WORD, false, &icrc, .words = icrc_modes,
		  .attr = MRC_A_DEV_ICRC },
		{ "peer-ports", ARG_WORD, false, &peer_ports,
		  .words = peer_ports_words, .attr = MRC_A_DEV_PEER_PORTS },
		{ NULL }
	};
	struct nlmsghdr *nlh;
	int ret;

	ret = args_parse(argc, argv, args);
	if (!ret && !cc && !icrc && !peer_ports && !args_given(args, "burst"))
		ret = usage_error("'burst', 'cc', 'icrc' or 'peer-ports' is missing");
	if (ret)
		return ret;
	nlh = request_begin(nl, MRC_CMD_DEV_SET, false, args);
	if (!nlh)
		return EXIT_KERNEL;
	if (cc)
		mnl_attr_put_strz(nlh, MRC_A_DEV_CC,
				  strcmp(cc, "default") ? cc : "");
	return nl_talk(nl, nlh, NULL, NULL);
}

static int dev_del(struct nl *nl, int argc, char **argv)
{
	const char *name;
	struct arg args[] = {
		{ "name", ARG_NAME, true, &name, .positional = true,
		  .attr = MRC_A_DEV_NAME },
		{ NULL }
	};

	return request_do(nl, MRC_CMD_DEV_DEL, argc, argv, args);
}

/**
 * dev_get() - read devices
 * @nl: connection
 * @name: of the device; NULL: all
 * @stats: with counters
 * @cb: called for each device
 * @arg: for @cb
 *
 * Return: enum exit_code.
 */
int dev_get(struct nl *nl, const char *name, bool stats, mnl_cb_t cb,
	    void *arg)
{
	struct nlmsghdr *nlh;

	nlh = nl_begin(nl, MRC_CMD_DEV_GET, !name);
	if (!nlh)
		return EXIT_KERNEL;
	if (name)
		mnl_attr_put_strz(nlh, MRC_A_DEV_NAME, name);
	if (stats)
		mnl_attr_put(nlh, MRC_A_DEV_STATS, 0, NULL);
	return nl_talk(nl, nlh, cb, arg);
}

/**
 * dev_list() - show devices
 * @nl: connection
 * @name: of the device; NULL: all
 * @stats: with counters
 * @cb: prints a device
 * @arg: for @cb
 *
 * Return: enum exit_code.
 */
int dev_list(struct nl *nl, const char *name, bool stats, mnl_cb_t cb,
	     void *arg)
{
	int ret;

	out_begin();
	ret = dev_get(nl, name, stats, cb, arg);
	out_end();
	return ret;
}

static void show_port(const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_PORT_MAX + 1];

	nl_nest(nest, tb, MRC_A_PORT_MAX);
	out_object(NULL);
	out_uint("port", "    port %s", nl_u32(tb[MRC_A_PORT_INDEX]));
	out_string("state", " state %s",
		   port_state_name(nl_u32(tb[MRC_A_PORT_STATE])));
	if (tb[MRC_A_PORT_IFINDEX]) {
		out_string("netdev", " netdev %s",
			   nl_string(tb[MRC_A_PORT_IFNAME]));
		out_uint("ifindex", NULL, nl_u32(tb[MRC_A_PORT_IFINDEX]));
		out_uint("mtu", " mtu %s", nl_u32(tb[MRC_A_PORT_MTU]));
	}
	out_prefix("usid", " usid %s", nl_addr(tb[MRC_A_PORT_USID]),
		   nl_u32(tb[MRC_A_PORT_USID_LEN]));
	out_text("\n");
	out_object_end();
}

static void show_ports(const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;

	out_array("ports");
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == MRC_A_DEV_PORT)
			show_port(attr);
	}
	out_array_end();
}

static int on_dev(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_DEV_MAX + 1];

	(void)arg;
	nl_attrs(nlh, tb, MRC_A_DEV_MAX);
	out_object(NULL);
	out_string("dev", "%s", nl_string(tb[MRC_A_DEV_NAME]));
	out_uint("index", " index %s", nl_u32(tb[MRC_A_DEV_INDEX]));
	out_uint("burst", " burst %s", nl_u32(tb[MRC_A_DEV_BURST]));
	out_string("icrc", " icrc %s",
		   word_of(icrc_modes, tb[MRC_A_DEV_ICRC]));
	out_string("peer-ports", " peer-ports %s",
		   word_of(peer_ports_words, tb[MRC_A_DEV_PEER_PORTS]));
	if (tb[MRC_A_DEV_CC])
		out_string("cc", " cc %s", nl_string(tb[MRC_A_DEV_CC]));
	out_text("\n");
	show_ports(nlh);
	if (tb[MRC_A_DEV_STAT]) {
		out_object("stats");
		stats_print(nlh, false);
		out_object_end();
	}
	out_object_end();
	return MNL_CB_OK;
}

static int dev_show(struct nl *nl, int argc, char **argv)
{
	const char *name = NULL;
	struct arg args[] = {
		{ "dev", ARG_NAME, false, &name, .positional = true },
		{ NULL }
	};
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	return dev_list(nl, name, out.stats, on_dev, NULL);
}

static const struct command dev_commands[] = {
	{ "show", dev_show },
	{ "add", dev_add },
	{ "set", dev_set },
	{ "del", dev_del },
	{ "limits", dev_limits },
	{ NULL }
};

const struct object dev_object = {
	.name = "dev",
	.usage = "mrcctl dev show [NAME]\n"
		 "mrcctl dev add NAME netdev NETDEV[,NETDEV]...\n"
		 "mrcctl dev set NAME [burst N] [cc { PROFILE | default }] [icrc { auto | always }] [peer-ports { trust | ignore }]\n"
		 "mrcctl dev del NAME\n"
		 "mrcctl dev limits [NAME]\n",
	.commands = dev_commands,
};
