// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl path deny, allow, rules.
 */
#include <string.h>

#include "args.h"
#include "mrcctl.h"
#include "nl.h"
#include "out.h"
#include "rule.h"

static int rule_make(struct nl *nl, int argc, char **argv, enum mrc_cmd cmd)
{
	uint32_t ev, port, usid, next;
	struct prefix dst;
	const char *dev;
	struct arg args[] = {
		{ "dev", ARG_NAME, true, &dev },
		{ "dst", ARG_PREFIX, false, &dst },
		{ "ev", ARG_U32, false, &ev },
		{ "port", ARG_PORT, false, &port },
		{ "usid", ARG_HEX, false, &usid },
		{ "next", ARG_HEX, false, &next },
		{ NULL }
	};
	static const int attrs[] = {
		0, 0, MRC_A_DENY_EV, MRC_A_DENY_PORT, MRC_A_DENY_USID,
		MRC_A_DENY_NEXT,
	};
	struct nlmsghdr *nlh;
	size_t i;
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	nlh = nl_begin(nl, cmd, false);
	if (!nlh)
		return EXIT_KERNEL;
	mnl_attr_put_strz(nlh, MRC_A_DENY_DEV, dev);
	if (args[1].given) {
		mnl_attr_put(nlh, MRC_A_DENY_DST, sizeof(dst.addr), &dst.addr);
		mnl_attr_put_u32(nlh, MRC_A_DENY_LEN, dst.len);
	}
	for (i = 2; i < MNL_ARRAY_SIZE(attrs); i++) {
		if (args[i].given)
			mnl_attr_put_u32(nlh, attrs[i],
					 *(uint32_t *)args[i].value);
	}
	return nl_talk(nl, nlh, NULL, NULL);
}

/**
 * path_deny() - forbid paths
 * @nl: connection
 * @argc: arguments
 * @argv: likewise
 *
 * Return: enum exit_code.
 */
int path_deny(struct nl *nl, int argc, char **argv)
{
	return rule_make(nl, argc, argv, MRC_CMD_DENY_ADD);
}

/**
 * path_allow() - take back what was said to path_deny()
 * @nl: connection
 * @argc: arguments
 * @argv: likewise
 *
 * Return: enum exit_code.
 */
int path_allow(struct nl *nl, int argc, char **argv)
{
	return rule_make(nl, argc, argv, MRC_CMD_DENY_DEL);
}

static void show_hex(const char *key, const struct nlattr *attr)
{
	char word[OUT_WORD];

	if (!attr)
		return;
	snprintf(word, sizeof(word), "%x", nl_u32(attr));
	out_text(" %s ", key);
	out_string(key, "%s", word);
}

static void show_uint(const char *key, const struct nlattr *attr)
{
	if (!attr)
		return;
	out_text(" %s ", key);
	out_uint(key, "%s", nl_u32(attr));
}

static int on_rule(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_DENY_MAX + 1];

	(void)arg;
	nl_attrs(nlh, tb, MRC_A_DENY_MAX);
	out_object(NULL);
	out_string("dev", "dev %s", nl_string(tb[MRC_A_DENY_DEV]));
	out_prefix("dst", " dst %s", nl_addr(tb[MRC_A_DENY_DST]),
		   nl_u32(tb[MRC_A_DENY_LEN]));
	show_uint("ev", tb[MRC_A_DENY_EV]);
	show_uint("port", tb[MRC_A_DENY_PORT]);
	show_hex("usid", tb[MRC_A_DENY_USID]);
	show_hex("next", tb[MRC_A_DENY_NEXT]);
	out_text("\n");
	out_object_end();
	return MNL_CB_OK;
}

/**
 * path_rules() - show what is forbidden
 * @nl: connection
 * @argc: arguments
 * @argv: likewise
 *
 * Return: enum exit_code.
 */
int path_rules(struct nl *nl, int argc, char **argv)
{
	const char *dev;
	struct arg args[] = {
		{ "dev", ARG_NAME, false, &dev },
		{ NULL }
	};
	struct nlmsghdr *nlh;
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	nlh = nl_begin(nl, MRC_CMD_DENY_GET, true);
	if (!nlh)
		return EXIT_KERNEL;
	if (args[0].given)
		mnl_attr_put_strz(nlh, MRC_A_DENY_DEV, dev);
	out_begin();
	ret = nl_talk(nl, nlh, on_rule, NULL);
	out_end();
	return ret;
}
