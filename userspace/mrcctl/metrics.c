// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl metrics: collecting what monitoring systems read.  Paths are counted by
 * port and state, as there may be very many.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"
#include "metrics.h"
#include "mrcctl.h"
#include "peer.h"
#include "show.h"

/* Allocate one more, zeroed; the size doubles. */
static void *metrics_more(void *array, size_t n, size_t size)
{
	char *more = array;

	if (!(n & (n - 1))) {
		more = realloc(array, (n ? 2 * n : 1) * size);
		if (!more)
			abort();
	}
	memset(more + n * size, 0, size);
	return more;
}

static void metrics_take_counters(uint64_t *values, const struct nlattr *nest,
				  const struct counter_name *names)
{
	const struct nlattr *tb[MRC_A_QP_COUNTERS_MAX + 1];

	nl_nest(nest, tb, MRC_A_QP_COUNTERS_MAX);
	for (; names->name; names++)
		*values++ = nl_u64(tb[names->attr]);
}

/* --- devices and ports -------------------------------------------------------- */

static void metrics_take_stat(struct metrics_dev *dev,
			      const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_STAT_MAX + 1];
	struct metrics_stat *stat;

	if (dev->n_stats == METRICS_STATS_MAX)
		return;
	nl_nest(nest, tb, MRC_A_STAT_MAX);
	stat = &dev->stat[dev->n_stats++];
	snprintf(stat->name, sizeof(stat->name), "%s",
		 nl_string(tb[MRC_A_STAT_NAME]));
	stat->value = nl_u64(tb[MRC_A_STAT_VALUE]);
}

static void metrics_take_rtt(struct metrics_port *port,
			     const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_PORT_COUNTERS_MAX + 1];
	const struct nlattr *rtt;

	nl_nest(nest, tb, MRC_A_PORT_COUNTERS_MAX);
	port->rtt_sum = nl_u64(tb[MRC_A_PORT_COUNTERS_RTT_SUM]);
	rtt = tb[MRC_A_PORT_COUNTERS_RTT];
	if (!rtt)
		return;
	port->n_rtt = mnl_attr_get_payload_len(rtt) / sizeof(*port->rtt);
	if (port->n_rtt > METRICS_RTT_MAX)
		port->n_rtt = METRICS_RTT_MAX;
	memcpy(port->rtt, mnl_attr_get_payload(rtt),
	       port->n_rtt * sizeof(*port->rtt));
}

static void metrics_take_port(struct metrics *m, const char *dev,
			      const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_PORT_MAX + 1];
	struct metrics_port *port;

	nl_nest(nest, tb, MRC_A_PORT_MAX);
	m->ports = metrics_more(m->ports, m->n_ports, sizeof(*m->ports));
	port = &m->ports[m->n_ports++];
	snprintf(port->dev, sizeof(port->dev), "%s", dev);
	snprintf(port->ifname, sizeof(port->ifname), "%s",
		 nl_string(tb[MRC_A_PORT_IFNAME]));
	port->port = nl_u32(tb[MRC_A_PORT_INDEX]);
	port->state = nl_u32(tb[MRC_A_PORT_STATE]);
	port->speed = nl_u32(tb[MRC_A_PORT_SPEED]);
	metrics_take_counters(port->counters, tb[MRC_A_PORT_COUNTERS],
			      port_counters);
	metrics_take_rtt(port, tb[MRC_A_PORT_COUNTERS]);
}

static int metrics_on_dev(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_DEV_MAX + 1];
	const struct nlattr *attr;
	struct metrics *m = arg;
	struct metrics_dev *dev;

	nl_attrs(nlh, tb, MRC_A_DEV_MAX);
	m->devs = metrics_more(m->devs, m->n_devs, sizeof(*m->devs));
	dev = &m->devs[m->n_devs++];
	snprintf(dev->name, sizeof(dev->name), "%s",
		 nl_string(tb[MRC_A_DEV_NAME]));
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == MRC_A_DEV_STAT)
			metrics_take_stat(dev, attr);
		if (mnl_attr_get_type(attr) == MRC_A_DEV_PORT)
			metrics_take_port(m, dev->name, attr);
	}
	return MNL_CB_OK;
}

/* --- paths and peers ----------------------------------------------------------- */

static int metrics_on_path(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_PATH_MAX + 1];
	struct metrics *m = arg;
	struct metrics_port *port;
	uint32_t state;

	nl_attrs(nlh, tb, MRC_A_PATH_MAX);
	state = nl_u32(tb[MRC_A_PATH_STATE]);
	for (port = m->ports; port < m->ports + m->n_ports; port++) {
		if (port->port == nl_u32(tb[MRC_A_PATH_PORT]) &&
		    !strcmp(port->dev, nl_string(tb[MRC_A_PATH_DEV])) &&
		    state < METRICS_STATES)
			port->paths[state]++;
	}
	return MNL_CB_OK;
}

static int metrics_on_peer(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_PEER_MAX + 1];
	struct metrics_peer *peer;
	struct metrics *m = arg;

	nl_attrs(nlh, tb, MRC_A_PEER_MAX);
	if (!nl_addr(tb[MRC_A_PEER_SRC]) || !nl_addr(tb[MRC_A_PEER_DST]))
		return MNL_CB_OK;
	m->peers = metrics_more(m->peers, m->n_peers, sizeof(*m->peers));
	peer = &m->peers[m->n_peers++];
	snprintf(peer->dev, sizeof(peer->dev), "%s",
		 nl_string(tb[MRC_A_PEER_DEV]));
	peer->src = *nl_addr(tb[MRC_A_PEER_SRC]);
	peer->dst = *nl_addr(tb[MRC_A_PEER_DST]);
	peer->qps = nl_u32(tb[MRC_A_PEER_QPS]);
	peer->cwnd = nl_u64(tb[MRC_A_PEER_CWND]);
	peer->inflight = nl_u64(tb[MRC_A_PEER_INFLIGHT]);
	peer->srtt = nl_u32(tb[MRC_A_PEER_SRTT]);
	peer->base_rtt = nl_u32(tb[MRC_A_PEER_BASE_RTT]);
	metrics_take_counters(peer->counters, tb[MRC_A_PEER_COUNTERS],
			      peer_counters);
	return MNL_CB_OK;
}

static int metrics_by_address(const void *a, const void *b)
{
	const struct metrics_peer *x = a, *y = b;
	int ret = strcmp(x->dev, y->dev);

	if (!ret)
		ret = memcmp(&x->dst, &y->dst, sizeof(x->dst));
	return ret ? ret : memcmp(&x->src, &y->src, sizeof(x->src));
}

/* In order, each once: a dump may have repeated some. */
static void metrics_sort_peers(struct metrics *m)
{
	size_t i, d, n = 0;

	if (m->n_peers)
		qsort(m->peers, m->n_peers, sizeof(*m->peers),
		      metrics_by_address);
	for (i = 0; i < m->n_peers; i++) {
		if (n && !metrics_by_address(&m->peers[n - 1], &m->peers[i]))
			continue;
		m->peers[n++] = m->peers[i];
		for (d = 0; d < m->n_devs; d++)
			m->devs[d].peers += !strcmp(m->devs[d].name,
						    m->peers[i].dev);
	}
	m->n_peers = n;
}

/**
 * metrics_collect() - look at everything
 * @nl: connection
 * @dev: name of the only device of interest, or NULL
 * @m: filled in; metrics_free() is due in any case
 *
 * Return: EXIT_OK, or EXIT_KERNEL after reporting what is wrong.
 */
int metrics_collect(struct nl *nl, const char *dev, struct metrics *m)
{
	struct nlmsghdr *nlh;
	int ret;

	memset(m, 0, sizeof(*m));
	ret = dev_get(nl, dev, true, metrics_on_dev, m);
	if (ret || !m->n_devs)
		return ret;
	nlh = nl_begin(nl, MRC_CMD_PATH_GET, true);
	if (!nlh)
		return EXIT_KERNEL;
	if (dev)
		mnl_attr_put_strz(nlh, MRC_A_PATH_DEV, dev);
	ret = nl_talk(nl, nlh, metrics_on_path, m);
	if (!ret)
		ret = peer_get(nl, dev, metrics_on_peer, m);
	metrics_sort_peers(m);
	return ret;
}

/**
 * metrics_free() - free what metrics_collect() has allocated
 * @m: metrics
 */
void metrics_free(struct metrics *m)
{
	free(m->devs);
	free(m->ports);
	free(m->peers);
	memset(m, 0, sizeof(*m));
}

/* --- the command ----------------------------------------------------------------- */

static int metrics_failed(const char *what, const char *path)
{
	fprintf(stderr, "mrcctl: cannot %s %s: %s\n", what, path,
		strerror(errno));
	return EXIT_KERNEL;
}

/* Readers see the old file or the new one; the name of neither changes. */
static int metrics_to_file(const char *path, const struct metrics *m,
			   const struct metrics_format *format)
{
	char *part;
	FILE *f;
	int fd, ret = EXIT_OK;

	if (asprintf(&part, "%s.XXXXXX", path) < 0)
		abort();
	fd = mkstemp(part);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f) {
		ret = metrics_failed("create", part);
		goto out;
	}
	metrics_write(f, m, format);
	fchmod(fd, 0644);
	if (ferror(f) | fclose(f))
		ret = metrics_failed("write", part);
	else if (rename(part, path))
		ret = metrics_failed("replace", path);
	if (ret)
		unlink(part);
out:
	free(part);
	return ret;
}

static int metrics_run(struct nl *nl, int argc, char **argv)
{
	struct metrics_format format = { .peers = METRICS_PEERS };
	const char *dev = NULL, *file = NULL;
	struct arg args[] = {
		{ "dev", ARG_NAME, false, &dev },
		{ "peers", ARG_U32, false, &format.peers },
		{ "file", ARG_LIST, false, &file },
		{ "openmetrics", ARG_FLAG },
		{ NULL }
	};
	struct metrics m;
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	format.openmetrics = args_given(args, "openmetrics");
	ret = metrics_collect(nl, dev, &m);
	if (!ret && file)
		ret = metrics_to_file(file, &m, &format);
	else if (!ret)
		metrics_write(stdout, &m, &format);
	metrics_free(&m);
	return ret;
}

static const struct command metrics_commands[] = {
	{ "show", metrics_run },
	{ NULL }
};

const struct object metrics_object = {
	.name = "metrics",
	.usage = "mrcctl metrics [dev NAME] [peers N] [file PATH] [openmetrics]\n",
	.commands = metrics_commands,
};
