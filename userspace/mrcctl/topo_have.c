// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a device has of a topology already.
 */
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"
#include "request.h"
#include "topo_have.h"

static void take_port(struct topo_have *have, const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_PORT_MAX + 1];
	struct prefix *usid = &have->usid[have->ports++];

	nl_nest(nest, tb, MRC_A_PORT_MAX);
	memset(usid, 0, sizeof(*usid));
	if (!nl_addr(tb[MRC_A_PORT_USID]))
		return;
	usid->addr = *nl_addr(tb[MRC_A_PORT_USID]);
	usid->len = nl_u32(tb[MRC_A_PORT_USID_LEN]);
}

static void take_ports(struct topo_have *have, const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;

	have->ports = 0;
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == MRC_A_DEV_PORT &&
		    have->ports < MRC_PORTS_MAX)
			take_port(have, attr);
	}
}

/* The device that is looked for, or any. */
static int on_dev(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_DEV_MAX + 1];
	struct topo_have *have = arg;
	const char *name;

	nl_attrs(nlh, tb, MRC_A_DEV_MAX);
	name = nl_string(tb[MRC_A_DEV_NAME]);
	have->devs++;
	snprintf(have->dev, sizeof(have->dev), "%s", name);
	take_ports(have, nlh);
	return MNL_CB_OK;
}

static int get_dev(struct nl *nl, const char *dev, struct topo_have *have)
{
	struct nlmsghdr *nlh = nl_begin(nl, MRC_CMD_DEV_GET, !dev);
	int ret;

	if (!nlh)
		return EXIT_KERNEL;
	if (dev)
		mnl_attr_put_strz(nlh, MRC_A_DEV_NAME, dev);
	ret = nl_talk(nl, nlh, on_dev, have);
	if (ret)
		return ret;
	if (!have->devs)
		return usage_error("no mrc device in this network "
				   "namespace, add one with 'mrcctl dev add'");
	if (have->devs > 1)
		return usage_error("'dev' is missing, there are %d devices",
				   have->devs);
	return EXIT_OK;
}

static void add_had(struct topo_have *have, const char *kind,
		    const struct nlattr *name, const struct nlattr *state)
{
	struct topo_had *had;

	if (strncmp(nl_string(name), TOPO_PREFIX, strlen(TOPO_PREFIX)))
		return;
	have->object = topo_grow(have->object, have->objects, sizeof(*had));
	had = &have->object[have->objects++];
	*had = (struct topo_had){
		.kind = kind,
		.online = !state || nl_u32(state) == MRC_OBJECT_STATE_ONLINE,
	};
	snprintf(had->name, sizeof(had->name), "%s", nl_string(name));
}

static int on_format(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_FORMAT_MAX + 1];

	nl_attrs(nlh, tb, MRC_A_FORMAT_MAX);
	add_had(arg, "format", tb[MRC_A_FORMAT_NAME], tb[MRC_A_FORMAT_STATE]);
	return MNL_CB_OK;
}

/* Without a state it is the continuation of one. */
static int on_profile(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_PROFILE_MAX + 1];

	nl_attrs(nlh, tb, MRC_A_PROFILE_MAX);
	if (tb[MRC_A_PROFILE_STATE])
		add_had(arg, "profile", tb[MRC_A_PROFILE_NAME],
			tb[MRC_A_PROFILE_STATE]);
	return MNL_CB_OK;
}

static int on_template(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_TEMPLATE_MAX + 1];

	nl_attrs(nlh, tb, MRC_A_TEMPLATE_MAX);
	add_had(arg, "template", tb[MRC_A_TEMPLATE_NAME], NULL);
	return MNL_CB_OK;
}

/* Deny rules of a topology match a port and a uSID, and no peers. */
static int on_rule(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_DENY_MAX + 1];
	struct topo_have *have = arg;

	nl_attrs(nlh, tb, MRC_A_DENY_MAX);
	if (!tb[MRC_A_DENY_PORT] || !tb[MRC_A_DENY_USID] ||
	    tb[MRC_A_DENY_DST] || tb[MRC_A_DENY_EV])
		return MNL_CB_OK;
	have->rule = topo_grow(have->rule, have->rules, sizeof(*have->rule));
	have->rule[have->rules++] = (struct topo_rule){
		.port = nl_u32(tb[MRC_A_DENY_PORT]),
		.usid = nl_u32(tb[MRC_A_DENY_USID]),
		.next = nl_u32(tb[MRC_A_DENY_NEXT]),
	};
	return MNL_CB_OK;
}

static int get_all(struct nl *nl, struct topo_have *have, enum mrc_cmd cmd,
		   int attr, mnl_cb_t cb)
{
	struct nlmsghdr *nlh = nl_begin(nl, cmd, true);

	if (!nlh)
		return EXIT_KERNEL;
	mnl_attr_put_strz(nlh, attr, have->dev);
	return nl_talk(nl, nlh, cb, have);
}

static int get_dests(struct nl *nl, struct topo_have *have)
{
	const char *dev = have->dev;
	struct arg args[] = {
		{ "dev", ARG_NAME, true, &dev, .attr = MRC_A_DEST_DEV,
		  .given = true },
		{ NULL }
	};

	return dests_get(nl, args, &have->dests);
}

/**
 * topo_have() - find what a device has
 * @nl: connection
 * @dev: name of the device; NULL: the only one
 * @have: filled in; topo_have_free() it in any case
 *
 * Return: enum exit_code.
 */
int topo_have(struct nl *nl, const char *dev, struct topo_have *have)
{
	int ret;

	memset(have, 0, sizeof(*have));
	ret = get_dev(nl, dev, have);
	if (!ret)
		ret = get_all(nl, have, MRC_CMD_FORMAT_GET, MRC_A_FORMAT_DEV,
			      on_format);
	if (!ret)
		ret = get_all(nl, have, MRC_CMD_PROFILE_GET, MRC_A_PROFILE_DEV,
			      on_profile);
	if (!ret)
		ret = get_all(nl, have, MRC_CMD_TEMPLATE_GET,
			      MRC_A_TEMPLATE_DEV, on_template);
	if (!ret)
		ret = get_all(nl, have, MRC_CMD_DENY_GET, MRC_A_DENY_DEV,
			      on_rule);
	return ret ? ret : get_dests(nl, have);
}

/**
 * topo_have_free() - free what topo_have() has allocated
 * @have: filled in by topo_have()
 */
void topo_have_free(struct topo_have *have)
{
	free(have->object);
	free(have->dests.dest);
	free(have->rule);
}
