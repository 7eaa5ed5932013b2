// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl monitor: events as they happen, one per line.
 */
#include <stdio.h>
#include <stdlib.h>
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

/**
 * struct seen - what has been heard of a device
 * @next: in the list
 * @serial: number of its next event
 * @dev: its name
 */
struct seen {
	struct seen *next;
	uint64_t serial;
	char dev[MRC_NAME_MAX];
};

/**
 * struct monitor - what one listens to
 * @dev: name of the only device to be told about, or NULL
 * @seen: devices that were heard of
 */
struct monitor {
	const char *dev;
	struct seen *seen;
};

static struct seen *seen_find(struct monitor *m, const char *dev)
{
	struct seen *seen;

	for (seen = m->seen; seen; seen = seen->next) {
		if (!strcmp(seen->dev, dev))
			return seen;
	}
	seen = calloc(1, sizeof(*seen));
	if (!seen)
		return NULL;
	snprintf(seen->dev, sizeof(seen->dev), "%s", dev);
	seen->next = m->seen;
	m->seen = seen;
	return seen;
}

/*
 * How many events of a device were lost before this one.  Nothing is known of
 * those before the first; numbers of a device that is made anew begin anew.
 */
static uint64_t events_lost(struct monitor *m, const struct nlattr **tb)
{
	struct seen *seen = seen_find(m, nl_string(tb[MRC_A_EVENT_DEV]));
	uint64_t serial = nl_u64(tb[MRC_A_EVENT_SERIAL]);
	uint64_t lost = 0;

	if (!seen)
		return 0;
	if (seen->serial && serial > seen->serial)
		lost = serial - seen->serial;
	seen->serial = serial + 1;
	return lost;
}

static void show_event(uint8_t cmd, const struct nlattr **tb, uint64_t lost)
{
	show_time(nl_u64(tb[MRC_A_EVENT_TIME]));
	out_string("dev", "%s", nl_string(tb[MRC_A_EVENT_DEV]));
	out_string("event", " %s", event_name(cmd));
	out_uint("serial", NULL, nl_u64(tb[MRC_A_EVENT_SERIAL]));
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
	if (lost)
		out_uint("lost", " (%s events lost)", lost);
}

static int on_event(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_EVENT_MAX + 1];
	uint8_t cmd = nl_cmd(nlh);
	struct monitor *m = arg;
	uint64_t lost;

	nl_attrs(nlh, tb, MRC_A_EVENT_MAX);
	if (!event_name(cmd))
		return MNL_CB_OK;
	if (m->dev && strcmp(m->dev, nl_string(tb[MRC_A_EVENT_DEV])))
		return MNL_CB_OK;
	lost = events_lost(m, tb);
	out_object(NULL);
	show_event(cmd, tb, lost);
	out_object_end();
	out_line();
	return MNL_CB_OK;
}

static int monitor_show(struct nl *nl, int argc, char **argv)
{
	struct monitor m = {};
	struct arg args[] = {
		{ "dev", ARG_NAME, false, &m.dev },
		{ NULL }
	};
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	/* One object per line is what makes a stream readable. */
	out.pretty = false;
	return nl_listen(nl, on_event, &m);
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
