// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl format: EV format profiles.
 */
#include <string.h>

#include "mrcctl.h"
#include "out.h"
#include "request.h"
#include "save.h"
#include "show.h"

static int put_width(char *word, void *arg)
{
	uint64_t width;
	int ret;

	ret = parse_number("width", word, 0, UINT8_MAX, &width);
	if (!ret)
		mnl_attr_put_u32(arg, MRC_A_FORMAT_WIDTH, width);
	return ret;
}

/* An added object is set online unless the operator gives a state. */
static int format_make(struct nl *nl, int argc, char **argv, enum mrc_cmd cmd)
{
	const char *name, *dev, *widths = NULL;
	uint32_t mode = 0, state = 0;
	struct arg args[] = {
		{ "name", ARG_NAME, true, &name, .positional = true,
		  .attr = MRC_A_FORMAT_NAME },
		{ "dev", ARG_NAME, true, &dev, .attr = MRC_A_FORMAT_DEV },
		{ "mode", ARG_WORD, false, &mode, .words = format_kinds,
		  .attr = MRC_A_FORMAT_MODE },
		{ "width", ARG_LIST, false, &widths },
		{ "state", ARG_WORD, false, &state, .words = object_states },
		{ NULL }
	};
	struct nlmsghdr *nlh;
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	if (cmd == MRC_CMD_FORMAT_ADD && !state)
		state = MRC_OBJECT_STATE_ONLINE;
	nlh = request_begin(nl, cmd, false, args);
	if (!nlh)
		return EXIT_KERNEL;
	if (state)
		mnl_attr_put_u32(nlh, MRC_A_FORMAT_STATE, state);
	ret = widths ? parse_fields("width", widths, MRC_FIELDS_MAX, put_width,
				    nlh) : EXIT_OK;
	return ret ? ret : nl_talk(nl, nlh, NULL, NULL);
}

static int format_add(struct nl *nl, int argc, char **argv)
{
	return format_make(nl, argc, argv, MRC_CMD_FORMAT_ADD);
}

static int format_set(struct nl *nl, int argc, char **argv)
{
	return format_make(nl, argc, argv, MRC_CMD_FORMAT_SET);
}

static int format_del(struct nl *nl, int argc, char **argv)
{
	const char *name, *dev;
	struct arg args[] = {
		{ "name", ARG_NAME, true, &name, .positional = true,
		  .attr = MRC_A_FORMAT_NAME },
		{ "dev", ARG_NAME, true, &dev, .attr = MRC_A_FORMAT_DEV },
		{ NULL }
	};

	return request_do(nl, MRC_CMD_FORMAT_DEL, argc, argv, args);
}

static int on_format(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_FORMAT_MAX + 1];
	const struct nlattr *attr;
	const char *lead = " width ";

	(void)arg;
	nl_attrs(nlh, tb, MRC_A_FORMAT_MAX);
	out_object(NULL);
	out_string("name", "%s", nl_string(tb[MRC_A_FORMAT_NAME]));
	out_string("dev", " dev %s", nl_string(tb[MRC_A_FORMAT_DEV]));
	out_string("mode", " mode %s",
		   word_of(format_kinds, tb[MRC_A_FORMAT_MODE]));
	out_array("width");
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != MRC_A_FORMAT_WIDTH)
			continue;
		out_text("%s", lead);
		lead = ",";
		out_uint(NULL, "%s", nl_u32(attr));
	}
	out_array_end();
	out_string("state", " state %s",
		   word_of(object_states, tb[MRC_A_FORMAT_STATE]));
	out_uint("users", " users %s\n", nl_u32(tb[MRC_A_FORMAT_USERS]));
	out_object_end();
	return MNL_CB_OK;
}

static int format_show(struct nl *nl, int argc, char **argv)
{
	const char *name, *dev;
	struct arg args[] = {
		{ "name", ARG_NAME, false, &name, .positional = true,
		  .attr = MRC_A_FORMAT_NAME },
		{ "dev", ARG_NAME, false, &dev, .attr = MRC_A_FORMAT_DEV },
		{ NULL }
	};

	return request_show(nl, MRC_CMD_FORMAT_GET, argc, argv, args,
			    on_format);
}

static int on_save(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_FORMAT_MAX + 1];
	const struct nlattr *attr;
	const char *lead = " width ";
	FILE *f = arg;

	nl_attrs(nlh, tb, MRC_A_FORMAT_MAX);
	fprintf(f, "format add %s dev %s mode %s",
		nl_string(tb[MRC_A_FORMAT_NAME]),
		nl_string(tb[MRC_A_FORMAT_DEV]),
		word_of(format_kinds, tb[MRC_A_FORMAT_MODE]));
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != MRC_A_FORMAT_WIDTH)
			continue;
		fprintf(f, "%s%u", lead, nl_u32(attr));
		lead = ",";
	}
	fprintf(f, " state %s\n",
		word_of(object_states, tb[MRC_A_FORMAT_STATE]));
	return MNL_CB_OK;
}

/**
 * format_save() - write the commands that create the formats of a device
 * @nl: connection
 * @dev: name of the device
 * @f: where to
 *
 * Return: enum exit_code.
 */
int format_save(struct nl *nl, const char *dev, FILE *f)
{
	return request_save(nl, MRC_CMD_FORMAT_GET, MRC_A_FORMAT_DEV, dev,
			    on_save, f);
}

static const struct command format_commands[] = {
	{ "show", format_show },
	{ "add", format_add },
	{ "set", format_set },
	{ "del", format_del },
	{ NULL }
};

const struct object format_object = {
	.name = "format",
	.usage = "mrcctl format show [NAME] [dev DEV]\n"
		 "mrcctl format { add | set } NAME dev DEV [mode MODE]\n"
		 "              [width BITS[,BITS]...] [state STATE]\n"
		 "mrcctl format del NAME dev DEV\n",
	.commands = format_commands,
};
