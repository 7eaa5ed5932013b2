// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A round is one request; its reply comes when all probes are answered, or after the
 * timeout.  Several rounds are under way at a time, so the replies are read as they
 * come.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "exit_code.h"
#include "prober.h"

/* After the kernel has refused a round: others probe too. */
#define HOLD_S		0.05
/* A reply that does not come this long after the timeout was lost, s. */
#define GRACE_S		10.0
/* Replies of all rounds fit. */
enum { RECEIVE_SIZE = 4 << 20 };

/**
 * prober_init() - begin without probes
 * @prober: filled in
 * @dev: name of the device
 * @timeout: ms to wait for responses
 * @paths: paths; must stay
 */
void prober_init(struct prober *prober, const char *dev, uint32_t timeout,
		 struct paths *paths)
{
	memset(prober, 0, sizeof(*prober));
	prober->dev = dev;
	prober->timeout = timeout;
	prober->paths = paths;
}

/**
 * prober_open() - open the connection
 * @prober: prober
 *
 * Return: EXIT_OK, or EXIT_KERNEL after reporting what is wrong.
 */
int prober_open(struct prober *prober)
{
	const int size = RECEIVE_SIZE;

	if (!nl_begin(&prober->nl, MRC_CMD_PROBE, false))
		return EXIT_KERNEL;
	/* Without privileges the limit of the system applies. */
	if (setsockopt(mnl_socket_get_fd(prober->nl.sock), SOL_SOCKET,
		       SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(mnl_socket_get_fd(prober->nl.sock), SOL_SOCKET,
			   SO_RCVBUF, &size, sizeof(size));
	return EXIT_OK;
}

/* --- requests ---------------------------------------------------------------------- */

static struct pending *free_entry(struct prober *prober, double now)
{
	double life = prober->timeout / 1000.0 + GRACE_S;
	struct pending *p;

	for (p = prober->pending; p < prober->pending + PENDING_MAX; p++) {
		if (!p->seq || now - p->sent > life)
			return p;
	}
	return NULL;
}

/**
 * prober_has_room() - may a round be begun?
 * @prober: prober
 * @now: time, s
 *
 * Return: true if so.
 */
bool prober_has_room(const struct prober *prober, double now)
{
	return now >= prober->hold &&
	       free_entry((struct prober *)prober, now);
}

static struct nlmsghdr *begin(struct prober *prober, int peer)
{
	struct nlmsghdr *nlh = nl_begin(&prober->nl, MRC_CMD_PROBE, false);

	if (!nlh)
		return NULL;
	nlh->nlmsg_flags &= ~NLM_F_ACK;
	mnl_attr_put_strz(nlh, MRC_A_PROBE_DEV, prober->dev);
	mnl_attr_put(nlh, MRC_A_PROBE_DST, sizeof(struct in6_addr),
		     &prober->paths->peer[peer].addr);
	if (prober->paths->peer[prober->paths->self].has_addr)
		mnl_attr_put(nlh, MRC_A_PROBE_SRC, sizeof(struct in6_addr),
			     &prober->paths->peer[prober->paths->self].addr);
	mnl_attr_put_u32(nlh, MRC_A_PROBE_TIMEOUT, prober->timeout);
	return nlh;
}

static int send_request(struct prober *prober, struct nlmsghdr *nlh, int peer,
			bool learn, double now)
{
	struct pending *p = free_entry(prober, now);

	if (!p || mnl_socket_sendto(prober->nl.sock, nlh, nlh->nlmsg_len) < 0)
		return EXIT_KERNEL;
	*p = (struct pending){ nlh->nlmsg_seq, peer, learn, now };
	prober->rounds++;
	return EXIT_OK;
}

/**
 * prober_learn() - ask for the paths to a peer, and probe them
 * @prober: prober with room
 * @peer: number of the host
 * @now: time, s
 *
 * Return: enum exit_code.
 */
int prober_learn(struct prober *prober, int peer, double now)
{
	struct nlmsghdr *nlh;

	prober->paths->peer[peer].asked = now;
	nlh = begin(prober, peer);
	return nlh ? send_request(prober, nlh, peer, true, now) : EXIT_KERNEL;
}

static void put_path(struct nlmsghdr *nlh, const struct known_path *path)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, MRC_A_PROBE_SELECT);

	mnl_attr_put_u32(nlh, MRC_A_PROBE_PATH_EV, path->ev);
	mnl_attr_put_u32(nlh, MRC_A_PROBE_PATH_PORT, path->port);
	mnl_attr_nest_end(nlh, nest);
}

/**
 * prober_send() - begin a round
 * @prober: prober with room
 * @round: what to probe; paths that the kernel does not have are left out, those that
 *	a rule denies are not
 * @now: time, s
 *
 * Return: enum exit_code.
 */
int prober_send(struct prober *prober, const struct round *round, double now)
{
	const struct known_path *path;
	struct order order = {};
	struct nlmsghdr *nlh;
	int i, n = 0;

	nlh = begin(prober, round->peer);
	if (!nlh)
		return EXIT_KERNEL;
	while ((i = plan_order(round, &order)) >= 0) {
		path = paths_slot(prober->paths, round->peer,
				  round->path[i].plane, round->path[i].t1);
		if (!path->port)
			continue;
		put_path(nlh, path);
		n++;
	}
	return n ? send_request(prober, nlh, round->peer, false, now) : EXIT_OK;
}

/* --- replies ----------------------------------------------------------------------- */

static void count(struct prober *prober, const struct pending *p,
		  struct known_path *path, const struct nlattr **tb)
{
	bool lost = nl_u32(tb[MRC_A_PROBE_PATH_RESULT]) ==
		    MRC_PROBE_RESULT_LOST;
	uint32_t rtt = nl_u32(tb[MRC_A_PROBE_PATH_RTT]);

	prober->sent++;
	prober->lost += lost;
	evidence_add(prober->paths->evidence, path->cell, METRIC_PROBE, 1,
		     lost);
	if (!lost && (path->round != p->seq || rtt < path->rtt)) {
		path->round = p->seq;
		path->rtt = rtt;
	}
}

/*
 * Of several probes on a path the fastest one counts: the others have waited for those
 * of their round.
 */
static void judge_rtt(struct prober *prober, const struct pending *p)
{
	struct paths *paths = prober->paths;
	struct known_path *path;
	int plane, t1;

	for (plane = 0; plane < paths->topo->planes; plane++) {
		for (t1 = -1; t1 < paths->topo->t1.n; t1++) {
			path = paths_slot(paths, p->peer, plane, t1);
			if (path->port && path->round == p->seq)
				evidence_add(paths->evidence, path->cell,
					     METRIC_SLOW, 1,
					     rtt_add(&prober->rtt, t1 >= 0,
						     path->rtt));
		}
	}
}

/* What was not sent says nothing about the network. */
static void take_path(struct prober *prober, const struct pending *p,
		      const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_PROBE_PATH_MAX + 1];
	uint32_t ev, port, result;
	struct known_path *path;

	nl_nest(nest, tb, MRC_A_PROBE_PATH_MAX);
	ev = nl_u32(tb[MRC_A_PROBE_PATH_EV]);
	port = nl_u32(tb[MRC_A_PROBE_PATH_PORT]);
	result = nl_u32(tb[MRC_A_PROBE_PATH_RESULT]);
	if (p->learn && result != MRC_PROBE_RESULT_NO_PATH &&
	    !paths_learn(prober->paths, p->peer, ev, port,
			 nl_addr(tb[MRC_A_PROBE_PATH_SID])))
		prober->paths->foreign++;
	path = paths_find(prober->paths, p->peer, ev, port);
	if (!path)
		return;
	if (result == MRC_PROBE_RESULT_ANSWERED ||
	    result == MRC_PROBE_RESULT_LOST) {
		count(prober, p, path, tb);
		return;
	}
	prober->unsent++;
	if (result == MRC_PROBE_RESULT_NO_PATH) {
		path->port = 0;
		prober->paths->peer[p->peer].known = false;
	}
}

static struct pending *pending_of(struct prober *prober, uint32_t seq)
{
	struct pending *p;

	for (p = prober->pending; p < prober->pending + PENDING_MAX; p++) {
		if (p->seq && p->seq == seq)
			return p;
	}
	return NULL;
}

static int on_reply(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_PROBE_MAX + 1];
	struct prober *prober = arg;
	struct pending *p = pending_of(prober, nlh->nlmsg_seq);
	const struct nlattr *attr;

	if (!p || nl_cmd(nlh) != MRC_CMD_PROBE)
		return MNL_CB_OK;
	nl_attrs(nlh, tb, MRC_A_PROBE_MAX);
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == MRC_A_PROBE_PATH)
			take_path(prober, p, attr);
	}
	if (!tb[MRC_A_PROBE_DONE])
		return MNL_CB_OK;
	if (p->learn)
		prober->paths->peer[p->peer].known = true;
	judge_rtt(prober, p);
	p->seq = 0;
	return MNL_CB_OK;
}

static int on_error(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	struct prober *prober = arg;
	struct pending *p = pending_of(prober, nlh->nlmsg_seq);

	if (nlh->nlmsg_len < mnl_nlmsg_size(sizeof(*err)) || !p || !err->error)
		return MNL_CB_OK;
	p->seq = 0;
	prober->refused++;
	prober->hold = prober->now + HOLD_S;
	/* The device was removed: the daemon looks for it again. */
	if (err->error == -ENODEV) {
		errno = ENODEV;
		return MNL_CB_ERROR;
	}
	return MNL_CB_OK;
}

static mnl_cb_t controls[] = { [NLMSG_ERROR] = on_error };

/**
 * prober_receive() - read the replies that have come
 * @prober: prober
 * @now: time, s
 *
 * Return: EXIT_OK, or EXIT_KERNEL with errno if there is no such device any more.
 */
int prober_receive(struct prober *prober, double now)
{
	int fd = mnl_socket_get_fd(prober->nl.sock);
	ssize_t len;

	prober->now = now;
	for (;;) {
		len = recv(fd, prober->nl.reply, sizeof(prober->nl.reply),
			   MSG_DONTWAIT);
		if (len < 0 && errno == EINTR)
			continue;
		/* Replies that did not fit are missed, and no more. */
		if (len < 0 && errno == ENOBUFS)
			continue;
		if (len < 0)
			return errno == EAGAIN ? EXIT_OK : EXIT_KERNEL;
		if (mnl_cb_run2(prober->nl.reply, len, 0, 0, on_reply, prober,
				controls, MNL_ARRAY_SIZE(controls)) < 0)
			return EXIT_KERNEL;
	}
}
