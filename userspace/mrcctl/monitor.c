// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl monitor: events as they happen, one per line.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "args.h"
#include "mrcctl.h"
#include "nl.h"
#include "out.h"
#include "show.h"

static const char * const qp_causes[] = {
	"unknown", "no-answer", "no-receive", NULL
};

static const char *event_name(uint8_t cmd)
{
	switch (cmd) {
	case MRC_CMD_DEV_ADD_NTF:
		return "dev-add";
	case MRC_CMD_DEV_DEL_NTF:
		return "dev-del";
	case MRC_CMD_PORT_NTF:
		return "port";
	case MRC_CMD_PATH_NTF:
		return "path";
	case MRC_CMD_QP_NTF:
		return "qp";
	default:
		return NULL;
	}
}

static void show_time(uint64_t ns)
{
	time_t seconds = ns / 1000000000;
	char word[OUT_WORD];
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(word, sizeof(word), "%Y-%m-%dT%H:%M:%S", &tm);
	out_text("%s.%06u ", word, (unsigned int)(ns % 1000000000 / 1000));
	out_uint("time_ns", NULL, ns);
}

static void show_event(uint8_t cmd, const struct nlattr **tb)
{
	show_time(nl_u64(tb[MRC_A_EVENT_TIME]));
	out_string("dev", "%s", nl_string(tb[MRC_A_EVENT_DEV]));
	out_string("event", " %s", event_name(cmd));
	if (tb[MRC_A_EVENT_QPN])
		out_uint("qpn", " qpn %s", nl_u32(tb[MRC_A_EVENT_QPN]));
	out_addr("dst", " dst %s", nl_addr(tb[MRC_A_EVENT_DST]));
	if (tb[MRC_A_EVENT_EV])
		out_uint("ev", " ev %s", nl_u32(tb[MRC_A_EVENT_EV]));
	if (tb[MRC_A_EVENT_PORT])
		out_uint("port", " port %s", nl_u32(tb[MRC_A_EVENT_PORT]));
	if (tb[MRC_A_EVENT_IFNAME])
		out_string("netdev", " netdev %s",
			   nl_string(tb[MRC_A_EVENT_IFNAME]));
	if (tb[MRC_A_EVENT_PORT_STATE])
		out_string("state", " state %s",
			   port_state_name(nl_u32(tb[MRC_A_EVENT_PORT_STATE])));
	if (tb[MRC_A_EVENT_PATH_STATE])
		out_string("state", " state %s",
			   path_state_name(nl_u32(tb[MRC_A_EVENT_PATH_STATE])));
	if (tb[MRC_A_EVENT_QP_CAUSE])
		out_string("cause", " failed: %s",
			   word_of(qp_causes, tb[MRC_A_EVENT_QP_CAUSE]));
	if (tb[MRC_A_EVENT_LOST])
		out_uint("lost", " (%s events lost)",
			 nl_u64(tb[MRC_A_EVENT_LOST]));
}

/* @arg: name of the only device to be told about, or NULL. */
static int on_event(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_EVENT_MAX + 1];
	uint8_t cmd = nl_cmd(nlh);

	nl_attrs(nlh, tb, MRC_A_EVENT_MAX);
	if (!event_name(cmd))
		return MNL_CB_OK;
	if (arg && strcmp(arg, nl_string(tb[MRC_A_EVENT_DEV])))
		return MNL_CB_OK;
	out_object(NULL);
	show_event(cmd, tb);
	out_object_end();
	out_line();
	return MNL_CB_OK;
}

static int monitor_show(struct nl *nl, int argc, char **argv)
{
	const char *dev = NULL;
	struct arg args[] = {
		{ "dev", ARG_NAME, false, &dev },
		{ NULL }
	};
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	/* One object per line is what makes a stream readable. */
	out.pretty = false;
	return nl_listen(nl, on_event, (void *)dev);
}

static const struct command monitor_commands[] = {
	{ "show", monitor_show },
	{ NULL }
};

const struct object monitor_object = {
	.name = "monitor",
	.usage = "mrcctl monitor [dev NAME]\n",
	.commands = monitor_commands,
};
