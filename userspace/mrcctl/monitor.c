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

static const char * const event_groups[] = {
	"", MRC_MCGRP_PORTS, MRC_MCGRP_QPS, MRC_MCGRP_PATHS, NULL
};

static const char * const qp_causes[] = {
	"unknown", "retry-exceeded", "rnr-retry-exceeded", NULL
};

/**
 * struct event_kind - what an event is called
 * @cmd: the kernel's number; 0 ends a list
 * @name: in the output
 * @group: group with its serial numbers
 */
struct event_kind {
	uint8_t cmd;
	const char *name;
	const char *group;
};

static const struct event_kind event_kinds[] = {
	{ MRC_CMD_DEV_ADD_NTF, "dev-add", MRC_MCGRP_PORTS },
	{ MRC_CMD_DEV_DEL_NTF, "dev-del", MRC_MCGRP_PORTS },
	{ MRC_CMD_PORT_NTF, "port", MRC_MCGRP_PORTS },
	{ MRC_CMD_PATH_NTF, "path", MRC_MCGRP_PATHS },
	{ MRC_CMD_QP_NTF, "qp", MRC_MCGRP_QPS },
	{ 0 }
};

static const struct event_kind *event_kind(uint8_t cmd)
{
	const struct event_kind *kind;

	for (kind = event_kinds; kind->cmd; kind++) {
		if (kind->cmd == cmd)
			return kind;
	}
	return NULL;
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
 * struct seen - serial number of the events of one group and device
 * @next: in the list
 * @serial: number of its next event
 * @group: name of the group
 * @dev: name of the device
 */
struct seen {
	struct seen *next;
	uint64_t serial;
	const char *group;
	char dev[MRC_NAME_MAX];
};

/**
 * struct monitor - a run of mrcctl monitor
 * @dev: name of the only device to be shown, or NULL
 * @seen: devices of the events so far, by group
 */
struct monitor {
	const char *dev;
	struct seen *seen;
};

static struct seen *seen_find(struct monitor *m, const char *group,
			      const char *dev)
{
	struct seen *seen;

	for (seen = m->seen; seen; seen = seen->next) {
		if (!strcmp(seen->group, group) && !strcmp(seen->dev, dev))
			return seen;
	}
	seen = calloc(1, sizeof(*seen));
	if (!seen)
		return NULL;
	seen->group = group;
	snprintf(seen->dev, sizeof(seen->dev), "%s", dev);
	seen->next = m->seen;
	m->seen = seen;
	return seen;
}

/*
 * How many events of a group were lost before this one.  Losses
 * before the first event are unknown; the serial numbers of a device that was
 * deleted and added again start again.
 */
static uint64_t events_lost(struct monitor *m, const char *group,
			    const struct nlattr **tb)
{
	struct seen *seen = seen_find(m, group, nl_string(tb[MRC_A_EVENT_DEV]));
	uint64_t serial = nl_u64(tb[MRC_A_EVENT_SERIAL]);
	uint64_t lost = 0;

	if (!seen)
		return 0;
	if (seen->serial && serial > seen->serial)
		lost = serial - seen->serial;
	seen->serial = serial + 1;
	return lost;
}

static void show_event(const struct event_kind *kind, const struct nlattr **tb,
		       uint64_t lost)
{
	show_time(nl_u64(tb[MRC_A_EVENT_TIME]));
	out_string("dev", "%s", nl_string(tb[MRC_A_EVENT_DEV]));
	out_string("event", " %s", kind->name);
	out_string("group", NULL, kind->group);
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
	if (tb[MRC_A_EVENT_PROFILE])
		out_string("profile", " profile %s",
			   nl_string(tb[MRC_A_EVENT_PROFILE]));
	if (tb[MRC_A_EVENT_INDEX])
		out_uint("index", " index %s", nl_u32(tb[MRC_A_EVENT_INDEX]));
	if (tb[MRC_A_EVENT_QP_CAUSE])
		out_string("cause", " failed: %s",
			   word_of(qp_causes, tb[MRC_A_EVENT_QP_CAUSE]));
	if (lost) {
		out_uint("lost", " (%s events", lost);
		out_text(" of %s lost)", kind->group);
	}
}

static int on_event(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_EVENT_MAX + 1];
	const struct event_kind *kind = event_kind(nl_cmd(nlh));
	struct monitor *m = arg;
	uint64_t lost;

	nl_attrs(nlh, tb, MRC_A_EVENT_MAX);
	if (!kind)
		return MNL_CB_OK;
	if (m->dev && strcmp(m->dev, nl_string(tb[MRC_A_EVENT_DEV])))
		return MNL_CB_OK;
	lost = events_lost(m, kind->group, tb);
	out_object(NULL);
	show_event(kind, tb, lost);
	out_object_end();
	out_line();
	return MNL_CB_OK;
}

static int monitor_show(struct nl *nl, int argc, char **argv)
{
	struct monitor m = {};
	uint32_t group = 0;
	struct arg args[] = {
		{ "dev", ARG_NAME, false, &m.dev },
		{ "group", ARG_WORD, false, &group, .words = event_groups },
		{ NULL }
	};
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	/* One object per line, so that a reader can parse the stream. */
	out.pretty = false;
	return nl_listen(nl, group ? event_groups[group] : NULL, on_event, &m);
}

static const struct command monitor_commands[] = {
	{ "show", monitor_show },
	{ NULL }
};

const struct object monitor_object = {
	.name = "monitor",
	.usage = "mrcctl monitor [dev NAME] [group { ports | qps | paths }]\n",
	.commands = monitor_commands,
};
