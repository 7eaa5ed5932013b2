// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl stats: counters of devices.
 */
#include "args.h"
#include "mrcctl.h"
#include "nl.h"
#include "out.h"
#include "show.h"

static int on_dev_stats(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_DEV_MAX + 1];
	const bool *all = arg;

	nl_attrs(nlh, tb, MRC_A_DEV_MAX);
	out_object(NULL);
	out_string("dev", "%s\n", nl_string(tb[MRC_A_DEV_NAME]));
	out_object("stats");
	stats_print(nlh, *all);
	out_object_end();
	out_object_end();
	return MNL_CB_OK;
}

static int stats_show(struct nl *nl, int argc, char **argv)
{
	const char *name = NULL;
	struct arg args[] = {
		{ "dev", ARG_NAME, false, &name },
		{ "all", ARG_FLAG },
		{ NULL }
	};
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	return dev_list(nl, name, true, on_dev_stats, &args[1].given);
}

static const struct command stats_commands[] = {
	{ "show", stats_show },
	{ NULL }
};

const struct object stats_object = {
	.name = "stats",
	.usage = "mrcctl stats show [dev NAME] [all]\n",
	.commands = stats_commands,
};
