// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl top: taking samples and comparing them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mrcctl.h"
#include "show.h"
#include "top.h"

const char * const top_sorts[] = {
	"unknown", "rate", "rtt", "ecn", "loss", "name", NULL
};

/* Allocate one more; all samples of a run are about as large. */
static void *top_more(void *array, size_t n, size_t size)
{
	if (n & (n - 1))
		return array;
	array = realloc(array, (n ? 2 * n : 1) * size);
	if (!array)
		abort();
	return array;
}

/* --- ports ------------------------------------------------------------------ */

static void top_take_port(struct top_sample *s, const char *dev,
			  const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_PORT_MAX + 1];
	struct top_port *port;

	nl_nest(nest, tb, MRC_A_PORT_MAX);
	s->ports = top_more(s->ports, s->n_ports, sizeof(*s->ports));
	port = &s->ports[s->n_ports++];
	memset(port, 0, sizeof(*port));
	snprintf(port->dev, sizeof(port->dev), "%s", dev);
	snprintf(port->ifname, sizeof(port->ifname), "%s",
		 nl_string(tb[MRC_A_PORT_IFNAME]));
	port->port = nl_u32(tb[MRC_A_PORT_INDEX]);
	port->state = nl_u32(tb[MRC_A_PORT_STATE]);
}

static int top_on_dev(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_DEV_MAX + 1];
	const struct nlattr *attr;

	nl_attrs(nlh, tb, MRC_A_DEV_MAX);
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == MRC_A_DEV_PORT)
			top_take_port(arg, nl_string(tb[MRC_A_DEV_NAME]),
				      attr);
	}
	return MNL_CB_OK;
}

/* --- paths ------------------------------------------------------------------ */

static void top_take_counters(struct top_counters *c, const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_PATH_COUNTERS_MAX + 1];

	nl_nest(nest, tb, MRC_A_PATH_COUNTERS_MAX);
	c->pkts = nl_u64(tb[MRC_A_PATH_COUNTERS_TX_PKTS]);
	c->bytes = nl_u64(tb[MRC_A_PATH_COUNTERS_TX_BYTES]);
	c->rtx = nl_u64(tb[MRC_A_PATH_COUNTERS_RTX_PKTS]);
	c->acked = nl_u64(tb[MRC_A_PATH_COUNTERS_ACKED]);
	c->ecn = nl_u64(tb[MRC_A_PATH_COUNTERS_ECN]);
	c->losses = nl_u64(tb[MRC_A_PATH_COUNTERS_LOSSES]) +
		    nl_u64(tb[MRC_A_PATH_COUNTERS_TIMEOUTS]);
}

static int top_on_path(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_PATH_MAX + 1];
	struct top_sample *s = arg;
	struct top_path *path;

	nl_attrs(nlh, tb, MRC_A_PATH_MAX);
	if (!nl_addr(tb[MRC_A_PATH_DST]))
		return MNL_CB_OK;
	s->paths = top_more(s->paths, s->n_paths, sizeof(*s->paths));
	path = &s->paths[s->n_paths++];
	memset(path, 0, sizeof(*path));
	snprintf(path->dev, sizeof(path->dev), "%s",
		 nl_string(tb[MRC_A_PATH_DEV]));
	path->dst = *nl_addr(tb[MRC_A_PATH_DST]);
	path->qpn = nl_u32(tb[MRC_A_PATH_QPN]);
	path->ev = nl_u32(tb[MRC_A_PATH_EV]);
	path->port = nl_u32(tb[MRC_A_PATH_PORT]);
	path->state = nl_u32(tb[MRC_A_PATH_STATE]);
	path->qps = nl_u32(tb[MRC_A_PATH_CONNS]);
	path->rtt = nl_u32(tb[MRC_A_PATH_SRTT]);
	top_take_counters(&path->now, tb[MRC_A_PATH_COUNTERS]);
	return MNL_CB_OK;
}

/**
 * top_sample() - look at everything
 * @nl: connection
 * @dev: name of the only device of interest, or NULL
 * @s: filled in
 *
 * Return: EXIT_OK, or EXIT_KERNEL after reporting what is wrong.
 */
int top_sample(struct nl *nl, const char *dev, struct top_sample *s)
{
	struct nlmsghdr *nlh;
	struct timespec now;
	int ret;

	memset(s, 0, sizeof(*s));
	ret = dev_get(nl, dev, false, top_on_dev, s);
	if (ret)
		return ret;
	nlh = nl_begin(nl, MRC_CMD_PATH_GET, true);
	if (!nlh)
		return EXIT_KERNEL;
	if (dev)
		mnl_attr_put_strz(nlh, MRC_A_PATH_DEV, dev);
	clock_gettime(CLOCK_MONOTONIC, &now);
	s->ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	return nl_talk(nl, nlh, top_on_path, s);
}

/**
 * top_forget() - free a sample
 * @s: sample, filled in or zero
 */
void top_forget(struct top_sample *s)
{
	free(s->ports);
	free(s->paths);
	memset(s, 0, sizeof(*s));
}

/* --- growth ------------------------------------------------------------------ */

static const struct top_path *top_find(const struct top_sample *s,
				       const struct top_path *path, size_t at)
{
	const struct top_path *p;
	size_t i;

	/* Usually it has the same index. */
	for (i = 0; i < s->n_paths; i++) {
		p = &s->paths[(at + i) % s->n_paths];
		if (p->ev == path->ev && p->port == path->port &&
		    p->qpn == path->qpn && !strcmp(p->dev, path->dev) &&
		    !memcmp(&p->dst, &path->dst, sizeof(p->dst)))
			return p;
	}
	return NULL;
}

/* Sums over queue pairs fall when one of them ends. */
static uint64_t top_grown(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static void top_subtract(struct top_path *path, const struct top_counters *b)
{
	const struct top_counters *a = &path->now;

	path->grown = (struct top_counters){
		.pkts = top_grown(a->pkts, b->pkts),
		.bytes = top_grown(a->bytes, b->bytes),
		.rtx = top_grown(a->rtx, b->rtx),
		.acked = top_grown(a->acked, b->acked),
		.ecn = top_grown(a->ecn, b->ecn),
		.losses = top_grown(a->losses, b->losses),
	};
}

static void top_add(struct top_port *port, const struct top_path *path)
{
	port->paths++;
	port->good += path->state >= MRC_PATH_STATE_BACKUP &&
		      path->state <= MRC_PATH_STATE_SKIP;
	port->bad += path->state >= MRC_PATH_STATE_ASSUMED_BAD;
	port->rtt_n += path->rtt > 0;
	port->rtt_sum += path->rtt;
	port->grown.pkts += path->grown.pkts;
	port->grown.bytes += path->grown.bytes;
	port->grown.rtx += path->grown.rtx;
	port->grown.acked += path->grown.acked;
	port->grown.ecn += path->grown.ecn;
	port->grown.losses += path->grown.losses;
}

/**
 * top_compare() - what has grown since
 * @s: sample
 * @before: the one before, in the order in which it was taken
 */
void top_compare(struct top_sample *s, const struct top_sample *before)
{
	const struct top_path *old;
	size_t i, j;

	for (i = 0; i < s->n_paths; i++) {
		old = top_find(before, &s->paths[i], i);
		if (old)
			top_subtract(&s->paths[i], &old->now);
		for (j = 0; j < s->n_ports; j++) {
			if (s->ports[j].port == s->paths[i].port &&
			    !strcmp(s->ports[j].dev, s->paths[i].dev))
				top_add(&s->ports[j], &s->paths[i]);
		}
	}
}

/* --- order ------------------------------------------------------------------- */

static uint64_t top_key(const struct top_path *p, uint32_t sort)
{
	switch (sort) {
	case TOP_SORT_RATE:
		return p->grown.bytes;
	case TOP_SORT_RTT:
		return p->rtt;
	case TOP_SORT_ECN:
		return p->grown.ecn;
	case TOP_SORT_LOSS:
		return p->grown.losses;
	default:
		return 0;
	}
}

static int top_by_name(const struct top_path *a, const struct top_path *b)
{
	int ret = strcmp(a->dev, b->dev);

	if (!ret)
		ret = (a->port > b->port) - (a->port < b->port);
	if (!ret)
		ret = (a->ev > b->ev) - (a->ev < b->ev);
	if (!ret)
		ret = memcmp(&a->dst, &b->dst, sizeof(a->dst));
	return ret ? ret : (a->qpn > b->qpn) - (a->qpn < b->qpn);
}

/* For qsort(), which passes nothing on. */
static uint32_t top_sort_key;

static int top_by_key(const void *a, const void *b)
{
	uint64_t x = top_key(a, top_sort_key), y = top_key(b, top_sort_key);

	return x == y ? top_by_name(a, b) : (x < y) - (x > y);
}

/**
 * top_order() - sort the paths
 * @s: sample
 * @sort: enum top_sort
 */
void top_order(struct top_sample *s, uint32_t sort)
{
	top_sort_key = sort;
	if (s->n_paths)
		qsort(s->paths, s->n_paths, sizeof(*s->paths), top_by_key);
}
