// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the daemon asks of the kernel beside probes.  Its deny rules have the condition
 * that the peer is in ::/0, which holds for all peers: so they can be told from those
 * of the operator and of mrcctl topo.
 */
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "exit_code.h"

/* In Mb/s; 0 if the driver does not tell. */
static uint32_t speed_of(const char *ifname)
{
	char path[128];
	int speed = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/net/%s/speed", ifname);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%d", &speed) != 1 || speed < 0)
		speed = 0;
	fclose(f);
	return speed;
}

static int on_dev(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_DEV_MAX + 1], *port[MRC_A_PORT_MAX + 1];
	struct device *device = arg;
	const struct nlattr *attr;

	nl_attrs(nlh, tb, MRC_A_DEV_MAX);
	device->n++;
	device->ports = 0;
	snprintf(device->name, sizeof(device->name), "%s",
		 nl_string(tb[MRC_A_DEV_NAME]));
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != MRC_A_DEV_PORT ||
		    device->ports == MRC_PORTS_MAX)
			continue;
		nl_nest(attr, port, MRC_A_PORT_MAX);
		device->speed[device->ports++] =
			speed_of(nl_string(port[MRC_A_PORT_IFNAME]));
	}
	return MNL_CB_OK;
}

/**
 * device_find() - find the device
 * @nl: connection
 * @name: its name; NULL: the only one
 * @device: filled in
 *
 * Return: EXIT_OK, or another enum exit_code after reporting what is wrong.
 */
int device_find(struct nl *nl, const char *name, struct device *device)
{
	struct nlmsghdr *nlh = nl_begin(nl, MRC_CMD_DEV_GET, !name);
	int ret;

	memset(device, 0, sizeof(*device));
	if (!nlh)
		return EXIT_KERNEL;
	if (name)
		mnl_attr_put_strz(nlh, MRC_A_DEV_NAME, name);
	ret = nl_talk(nl, nlh, on_dev, device);
	if (ret)
		return ret;
	if (device->n == 1)
		return EXIT_OK;
	/* It may be added yet. */
	if (!device->n) {
		usage_error("no mrc device in this network namespace");
		return EXIT_KERNEL;
	}
	return usage_error("'dev' is missing, there are %d devices", device->n);
}

/**
 * device_rule() - add or remove a deny rule
 * @nl: connection
 * @dev: name of the device
 * @rule: the rule
 * @add: true: add it
 *
 * Return: enum exit_code.
 */
int device_rule(struct nl *nl, const char *dev, const struct deny_rule *rule,
		bool add)
{
	const struct in6_addr any = {};
	struct nlmsghdr *nlh;

	nlh = nl_begin(nl, add ? MRC_CMD_DENY_ADD : MRC_CMD_DENY_DEL, false);
	if (!nlh)
		return EXIT_KERNEL;
	mnl_attr_put_strz(nlh, MRC_A_DENY_DEV, dev);
	mnl_attr_put(nlh, MRC_A_DENY_DST, sizeof(any), &any);
	mnl_attr_put_u32(nlh, MRC_A_DENY_LEN, 0);
	mnl_attr_put_u32(nlh, MRC_A_DENY_PORT, rule->port);
	mnl_attr_put_u32(nlh, MRC_A_DENY_USID, rule->usid);
	if (rule->next)
		mnl_attr_put_u32(nlh, MRC_A_DENY_NEXT, rule->next);
	return nl_talk(nl, nlh, NULL, NULL);
}

/* Who takes the rules. */
struct rule_taker {
	void (*take)(void *arg, uint32_t port, uint32_t usid, uint32_t next);
	void *arg;
};

static int on_rule(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_DENY_MAX + 1];
	const struct rule_taker *taker = arg;

	nl_attrs(nlh, tb, MRC_A_DENY_MAX);
	if (tb[MRC_A_DENY_DST] && !nl_u32(tb[MRC_A_DENY_LEN]) &&
	    tb[MRC_A_DENY_PORT] && tb[MRC_A_DENY_USID] && !tb[MRC_A_DENY_EV])
		taker->take(taker->arg, nl_u32(tb[MRC_A_DENY_PORT]),
			    nl_u32(tb[MRC_A_DENY_USID]),
			    nl_u32(tb[MRC_A_DENY_NEXT]));
	return MNL_CB_OK;
}

/**
 * device_rules() - read the deny rules that are this daemon's
 * @nl: connection
 * @dev: name of the device
 * @take: called for each
 * @arg: for @take
 *
 * Return: enum exit_code.
 */
int device_rules(struct nl *nl, const char *dev,
		 void (*take)(void *arg, uint32_t port, uint32_t usid,
			      uint32_t next),
		 void *arg)
{
	struct nlmsghdr *nlh = nl_begin(nl, MRC_CMD_DENY_GET, true);
	struct rule_taker taker = { take, arg };

	if (!nlh)
		return EXIT_KERNEL;
	mnl_attr_put_strz(nlh, MRC_A_DENY_DEV, dev);
	return nl_talk(nl, nlh, on_rule, &taker);
}
