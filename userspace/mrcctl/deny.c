// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl path deny, allow, rules.
 */
#include <string.h>

#include "mrcctl.h"
#include "out.h"
#include "request.h"
#include "save.h"
#include "deny.h"

static int rule_make(struct nl *nl, int argc, char **argv, enum mrc_cmd cmd)
{
	uint32_t ev, port, usid, next;
	struct prefix dst;
	const char *dev;
	struct arg args[] = {
		{ "dev", ARG_NAME, true, &dev, .attr = MRC_A_DENY_DEV },
		{ "dst", ARG_PREFIX, false, &dst,
		  .attr = MRC_A_DENY_DST,
		  .len_attr = MRC_A_DENY_LEN },
		{ "ev", ARG_U32, false, &ev, .attr = MRC_A_DENY_EV },
		{ "port", ARG_PORT, false, &port, .attr = MRC_A_DENY_PORT },
		{ "usid", ARG_HEX, false, &usid, .attr = MRC_A_DENY_USID },
		{ "next", ARG_HEX, false, &next, .attr = MRC_A_DENY_NEXT },
		{ NULL }
	};

	return request_do(nl, cmd, argc, argv, args);
}

/**
 * path_deny() - add a deny rule
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
 * path_allow() - remove a deny rule
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

static int on_save(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_DENY_MAX + 1];
	char word[OUT_WORD];
	FILE *f = arg;

	nl_attrs(nlh, tb, MRC_A_DENY_MAX);
	fprintf(f, "path deny dev %s", nl_string(tb[MRC_A_DENY_DEV]));
	if (nl_addr(tb[MRC_A_DENY_DST]))
		fprintf(f, " dst %s",
			out_prefix_word(nl_addr(tb[MRC_A_DENY_DST]),
					nl_u32(tb[MRC_A_DENY_LEN]), word));
	if (tb[MRC_A_DENY_EV])
		fprintf(f, " ev %u", nl_u32(tb[MRC_A_DENY_EV]));
	if (tb[MRC_A_DENY_PORT])
		fprintf(f, " port %u", nl_u32(tb[MRC_A_DENY_PORT]));
	if (tb[MRC_A_DENY_USID])
		fprintf(f, " usid %x", nl_u32(tb[MRC_A_DENY_USID]));
	if (tb[MRC_A_DENY_NEXT])
		fprintf(f, " next %x", nl_u32(tb[MRC_A_DENY_NEXT]));
	fputc('\n', f);
	return MNL_CB_OK;
}

/**
 * deny_save() - write the commands that add the deny rules of a device
 * @nl: connection
 * @dev: name of the device
 * @f: where to
 *
 * Return: enum exit_code.
 */
int deny_save(struct nl *nl, const char *dev, FILE *f)
{
	return request_save(nl, MRC_CMD_DENY_GET, MRC_A_DENY_DEV, dev, on_save,
			    f);
}

/**
 * path_rules() - show deny rules
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
		{ "dev", ARG_NAME, false, &dev, .attr = MRC_A_DENY_DEV },
		{ NULL }
	};

	return request_show(nl, MRC_CMD_DENY_GET, argc, argv, args,
			    on_rule);
}
