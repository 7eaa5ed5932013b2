// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl save: the whole configuration, as commands that create it.
 */
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"
#include "out.h"
#include "request.h"
#include "save.h"
#include "show.h"

/* Replaces the name of a removed net device: no name has a slash. */
#define SAVE_GONE "gone/"

/**
 * struct names - devices by name
 * @name: of each
 * @n: how many
 */
struct names {
	char (*name)[MRC_NAME_MAX];
	size_t n;
};

/**
 * struct head - the lines about a device itself
 * @f: those before its objects
 * @cc: its CC profile, which must exist first
 */
struct head {
	FILE *f;
	char cc[MRC_NAME_MAX];
};

static int on_name(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_DEV_MAX + 1];
	struct names *names = arg;

	nl_attrs(nlh, tb, MRC_A_DEV_MAX);
	names->name = realloc(names->name,
			      (names->n + 1) * sizeof(*names->name));
	if (!names->name)
		return MNL_CB_ERROR;
	snprintf(names->name[names->n++], MRC_NAME_MAX, "%s",
		 nl_string(tb[MRC_A_DEV_NAME]));
	return MNL_CB_OK;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

/*
 * A port whose net device was removed cannot be added again: the word written
 * for it is no name of a net device, and is only compared.
 */
static void save_ports(FILE *f, const char *dev, const struct nlmsghdr *nlh)
{
	const struct nlattr *port[MRC_A_PORT_MAX + 1];
	const struct nlattr *attr;
	const char *lead = "";

	fprintf(f, "dev add %s netdev ", dev);
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != MRC_A_DEV_PORT)
			continue;
		nl_nest(attr, port, MRC_A_PORT_MAX);
		fprintf(f, "%s%s", lead, port[MRC_A_PORT_IFNAME] ?
			nl_string(port[MRC_A_PORT_IFNAME]) : SAVE_GONE);
		lead = ",";
	}
	fputc('\n', f);
}

/* A port with default settings needs no line. */
static void save_port(FILE *f, const char *dev, const struct nlattr **port)
{
	const struct in6_addr *usid = nl_addr(port[MRC_A_PORT_USID]);
	bool down = port[MRC_A_PORT_ENABLED] &&
		    !nl_u32(port[MRC_A_PORT_ENABLED]);
	char word[OUT_WORD];

	if (!usid && !down)
		return;
	fprintf(f, "port set dev %s port %u %s", dev,
		nl_u32(port[MRC_A_PORT_INDEX]), down ? "down" : "up");
	if (usid)
		fprintf(f, " usid %s",
			out_prefix_word(usid, nl_u32(port[MRC_A_PORT_USID_LEN]),
					word));
	fputc('\n', f);
}

static void save_port_states(FILE *f, const char *dev,
			     const struct nlmsghdr *nlh)
{
	const struct nlattr *port[MRC_A_PORT_MAX + 1];
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != MRC_A_DEV_PORT)
			continue;
		nl_nest(attr, port, MRC_A_PORT_MAX);
		save_port(f, dev, port);
	}
}

static int on_dev(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_DEV_MAX + 1];
	struct head *head = arg;
	const char *dev;

	nl_attrs(nlh, tb, MRC_A_DEV_MAX);
	dev = nl_string(tb[MRC_A_DEV_NAME]);
	save_ports(head->f, dev, nlh);
	fprintf(head->f, "dev set %s burst %u\n", dev,
		nl_u32(tb[MRC_A_DEV_BURST]));
	if (nl_u32(tb[MRC_A_DEV_ICRC]) == MRC_ICRC_MODE_ALWAYS)
		fprintf(head->f, "dev set %s icrc always\n", dev);
	if (nl_u32(tb[MRC_A_DEV_PEER_PORTS]) == MRC_PEER_PORTS_IGNORE)
		fprintf(head->f, "dev set %s peer-ports ignore\n", dev);
	save_port_states(head->f, dev, nlh);
	snprintf(head->cc, sizeof(head->cc), "%s",
		 nl_string(tb[MRC_A_DEV_CC]));
	return MNL_CB_OK;
}

static int save_head(struct nl *nl, const char *dev, struct head *head)
{
	struct nlmsghdr *nlh = nl_begin(nl, MRC_CMD_DEV_GET, false);

	if (!nlh)
		return EXIT_KERNEL;
	mnl_attr_put_strz(nlh, MRC_A_DEV_NAME, dev);
	return nl_talk(nl, nlh, on_dev, head);
}

/* Objects precede those that refer to them. */
static int save_dev(struct nl *nl, const char *dev, FILE *f)
{
	static int (*const saves[])(struct nl *nl, const char *dev, FILE *f) = {
		format_save, profile_save, template_save, dest_save, path_save,
		deny_save,
	};
	struct head head = { .f = f };
	size_t i;
	int ret;

	ret = save_head(nl, dev, &head);
	if (!ret)
		ret = cc_save(nl, dev, f);
	if (!ret && *head.cc)
		fprintf(f, "dev set %s cc %s\n", dev, head.cc);
	for (i = 0; i < MNL_ARRAY_SIZE(saves) && !ret; i++)
		ret = saves[i](nl, dev, f);
	return ret;
}

/**
 * save_to() - write the commands that create the configuration
 * @nl: connection
 * @dev: name of the device; NULL: all
 * @f: where to
 *
 * Return: enum exit_code.
 */
int save_to(struct nl *nl, const char *dev, FILE *f)
{
	struct names names = {};
	struct nlmsghdr *nlh;
	size_t i;
	int ret;

	if (dev)
		return save_dev(nl, dev, f);
	nlh = nl_begin(nl, MRC_CMD_DEV_GET, true);
	if (!nlh)
		return EXIT_KERNEL;
	ret = nl_talk(nl, nlh, on_name, &names);
	if (names.n)
		qsort(names.name, names.n, sizeof(*names.name), by_name);
	for (i = 0; i < names.n && !ret; i++)
		ret = save_dev(nl, names.name[i], f);
	free(names.name);
	return ret;
}

static int save_show(struct nl *nl, int argc, char **argv)
{
	const char *dev = NULL;
	struct arg args[] = {
		{ "dev", ARG_NAME, false, &dev },
		{ NULL }
	};
	char *text = NULL;
	size_t size;
	FILE *f;
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	/* A part of it, restored, would remove the rest. */
	f = open_memstream(&text, &size);
	if (!f) {
		fputs("mrcctl: out of memory\n", stderr);
		return EXIT_KERNEL;
	}
	ret = save_to(nl, dev, f);
	if (fclose(f))
		ret = EXIT_KERNEL;
	if (!ret && strstr(text, SAVE_GONE)) {
		fputs("mrcctl: the net device of a port was removed, delete "
		      "and add the device again\n",
		      stderr);
		ret = EXIT_KERNEL;
	}
	if (!ret)
		fputs(text, stdout);
	free(text);
	return ret;
}

static const struct command save_commands[] = {
	{ "show", save_show },
	{ NULL }
};

const struct object save_object = {
	.name = "save",
	.usage = "mrcctl save [dev NAME]\n",
	.commands = save_commands,
};
