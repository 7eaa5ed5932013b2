// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which way of the topology a path of the kernel takes follows from its outer
 * destination.
 */
#include <stdlib.h>
#include <string.h>

#include "exit_code.h"
#include "paths.h"

/**
 * paths_init() - begin without paths
 * @paths: filled in
 * @topo: network; must stay
 * @self: number of this host
 * @evidence: where what is seen of them is counted
 */
void paths_init(struct paths *paths, const struct topo *topo, int self,
		struct evidence *evidence)
{
	int i;

	memset(paths, 0, sizeof(*paths));
	paths->topo = topo;
	paths->self = self;
	paths->evidence = evidence;
	paths->peer = topo_alloc(topo->hosts, sizeof(*paths->peer));
	for (i = 0; i < topo->hosts; i++) {
		paths->peer[i].addr = topo->host[i].prefix.addr;
		paths->peer[i].has_addr = topo->host[i].prefix.len == 128;
	}
}

/**
 * paths_free() - free all paths
 * @paths: filled in by paths_init()
 */
void paths_free(struct paths *paths)
{
	int i;

	for (i = 0; i < paths->topo->hosts; i++)
		free(paths->peer[i].path);
	free(paths->peer);
}

/* The paths of a peer, for all planes and T1s. */
static size_t path_slots(const struct paths *paths)
{
	return (size_t)paths->topo->planes * (paths->topo->t1.n + 1);
}

/**
 * paths_slot() - place of a path
 * @paths: paths
 * @peer: number of the host
 * @plane: from 0
 * @t1: T1 that it visits; -1: none
 *
 * Return: the place; its port is 0 if the kernel has no such path.
 */
struct known_path *paths_slot(struct paths *paths, int peer, int plane, int t1)
{
	struct peer *p = &paths->peer[peer];

	if (!p->path)
		p->path = topo_alloc(path_slots(paths), sizeof(*p->path));
	return &p->path[(size_t)plane * (paths->topo->t1.n + 1) + t1 + 1];
}

/**
 * paths_find() - find a path as the kernel names it
 * @paths: paths
 * @peer: number of the host
 * @ev: entropy value
 * @port: port
 *
 * Return: the path, or NULL if it is not known.
 */
struct known_path *paths_find(struct paths *paths, int peer, uint32_t ev,
			      uint32_t port)
{
	struct peer *p = &paths->peer[peer];
	size_t i, first, n = paths->topo->t1.n + 1;

	if (!p->path || !port || port > (uint32_t)paths->topo->planes)
		return NULL;
	first = (port - 1) * n;
	for (i = first; i < first + n; i++) {
		if (p->path[i].port == port && p->path[i].ev == ev)
			return &p->path[i];
	}
	return NULL;
}

/**
 * paths_learn() - take a path that the kernel has told
 * @paths: paths
 * @peer: number of the host
 * @ev: entropy value
 * @port: port
 * @sid: outer destination, or NULL
 *
 * Return: false if it is none of the topology.
 */
bool paths_learn(struct paths *paths, int peer, uint32_t ev, uint32_t port,
		 const struct in6_addr *sid)
{
	const struct topo *topo = paths->topo;
	const struct topo_host *from = &topo->host[paths->self];
	const struct topo_host *to = &topo->host[peer];
	struct topo_path path = { .plane = (int)port - 1 };
	struct known_path *known;
	struct in6_addr wanted;
	struct route route;
	int last;

	if (!sid || !port || port > (uint32_t)topo->planes)
		return false;
	path.t1 = topo_is_local(topo, from, to) ? -1 : 0;
	last = path.t1 < 0 ? -1 : topo->t1.n - 1;
	for (; path.t1 <= last; path.t1++) {
		topo_sid(topo, from, to, &path, &wanted);
		if (!memcmp(&wanted, sid, sizeof(wanted)))
			break;
	}
	if (path.t1 > last)
		return false;
	route = (struct route){ paths->self, peer, path.plane, path.t1 };
	known = paths_slot(paths, peer, path.plane, path.t1);
	/* Of several with this way the first is probed. */
	if (known->port)
		return true;
	*known = (struct known_path){
		.ev = ev,
		.port = port,
		.cell = evidence_cell(paths->evidence, &route),
	};
	return true;
}

/* --- traffic --------------------------------------------------------------------- */

static int host_number(struct paths *paths, const struct in6_addr *addr)
{
	const struct topo_host *host = addr ? topo_host_of(paths->topo, addr) :
					      NULL;

	return host ? host - paths->topo->host : -1;
}

/*
 * Data packets, and the lost ones of the probes that are as long; few of these arrive, as
 * three in a row end them. Counters that became smaller belong to queue pairs that are
 * new.
 */
static void count_path(struct paths *paths, struct known_path *path,
		       const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_PATH_COUNTERS_MAX + 1];
	uint64_t sent, lost, probes;

	nl_nest(nest, tb, MRC_A_PATH_COUNTERS_MAX);
	probes = nl_u64(tb[MRC_A_PATH_COUNTERS_PADDED_LOST]);
	sent = nl_u64(tb[MRC_A_PATH_COUNTERS_TX_PKTS]) + probes;
	lost = nl_u64(tb[MRC_A_PATH_COUNTERS_LOSSES]) + probes;
	if (path->counted && sent > path->sent && lost >= path->lost)
		evidence_add(paths->evidence, path->cell, METRIC_DATA,
			     sent - path->sent,
			     lost - path->lost < sent - path->sent ?
			     lost - path->lost : sent - path->sent);
	path->sent = sent;
	path->lost = lost;
	path->counted = true;
}

static int on_path(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_PATH_MAX + 1];
	struct known_path *path;
	struct paths *paths = arg;
	const struct in6_addr *addr;
	int peer;

	nl_attrs(nlh, tb, MRC_A_PATH_MAX);
	addr = nl_addr(tb[MRC_A_PATH_DST]);
	peer = host_number(paths, addr);
	if (peer < 0) {
		paths->strangers++;
		return MNL_CB_OK;
	}
	if (!paths->peer[peer].has_addr) {
		paths->peer[peer].addr = *addr;
		paths->peer[peer].has_addr = true;
	}
	path = paths_find(paths, peer, nl_u32(tb[MRC_A_PATH_EV]),
			  nl_u32(tb[MRC_A_PATH_PORT]));
	if (path && tb[MRC_A_PATH_COUNTERS])
		count_path(paths, path, tb[MRC_A_PATH_COUNTERS]);
	return MNL_CB_OK;
}

/**
 * paths_count_data() - read the counters of the paths that carry data
 * @paths: paths
 * @nl: connection
 * @dev: name of the device
 *
 * Also tells the addresses of peers of which the topology has only a prefix, and how
 * many paths lead to peers that it does not have.
 *
 * Return: enum exit_code.
 */
int paths_count_data(struct paths *paths, struct nl *nl, const char *dev)
{
	struct nlmsghdr *nlh = nl_begin(nl, MRC_CMD_PATH_GET, true);

	if (!nlh)
		return EXIT_KERNEL;
	paths->strangers = 0;
	mnl_attr_put_strz(nlh, MRC_A_PATH_DEV, dev);
	return nl_talk(nl, nlh, on_path, paths);
}
