// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A path manager that answers at random: messages of the right form with any
 * attributes, cut at any place, refusals.  It replaces the sockets of libmnl.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/mrc.h>

#include "fake.h"

enum { FAMILY = 0x20, PORTID = 4711, NEST_DEPTH = 3 };

struct mnl_socket {
	int fd;
	uint16_t type;
	uint16_t flags;
	uint8_t cmd;
	uint32_t seq;
	unsigned int step;
};

static _Thread_local uint64_t seed;

void fake_netlink_seed(uint64_t value)
{
	seed = value;
}

static uint32_t dice(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % n;
}

struct mnl_socket *mnl_socket_open2(int bus, int flags)
{
	struct mnl_socket *nl = calloc(1, sizeof(*nl));

	(void)bus;
	(void)flags;
	nl->fd = eventfd(0, EFD_NONBLOCK);
	return nl;
}

int mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid)
{
	(void)nl;
	(void)groups;
	(void)pid;
	return 0;
}

int mnl_socket_close(struct mnl_socket *nl)
{
	close(nl->fd);
	free(nl);
	return 0;
}

int mnl_socket_get_fd(const struct mnl_socket *nl)
{
	return nl->fd;
}

unsigned int mnl_socket_get_portid(const struct mnl_socket *nl)
{
	(void)nl;
	return PORTID;
}

int mnl_socket_setsockopt(const struct mnl_socket *nl, int type, void *buf,
			  socklen_t len)
{
	(void)nl;
	(void)type;
	(void)buf;
	(void)len;
	return 0;
}

ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *buf, size_t len)
{
	struct mnl_socket *socket = (struct mnl_socket *)nl;
	const struct nlmsghdr *nlh = buf;
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);

	if (!mnl_nlmsg_ok(nlh, len))
		abort();
	socket->type = nlh->nlmsg_type;
	socket->flags = nlh->nlmsg_flags;
	socket->seq = nlh->nlmsg_seq;
	socket->cmd = genl->cmd;
	socket->step = 0;
	return len;
}

/* --- replies --------------------------------------------------------------- */

static struct nlmsghdr *message(const struct mnl_socket *nl, void *buf, int type)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);

	nlh->nlmsg_type = type;
	nlh->nlmsg_seq = nl->seq;
	nlh->nlmsg_pid = PORTID;
	return nlh;
}

static void put_random(struct nlmsghdr *nlh, int depth)
{
	static const char *const words[] = {
		"mrc0", "13", "14", "nscc", "none", "0013", "", "x",
	};
	uint8_t bytes[40];
	uint32_t type = dice(40), n;
	struct nlattr *nest;

	switch (dice(depth ? 6 : 5)) {
	case 0:
		mnl_attr_put_u32(nlh, type, dice(300));
		return;
	case 1:
		mnl_attr_put_u32(nlh, type, seed >> 20);
		return;
	case 2:
		mnl_attr_put_strz(nlh, type, words[dice(8)]);
		return;
	case 3:
		for (n = 0; n < sizeof(bytes); n++)
			bytes[n] = dice(256);
		mnl_attr_put(nlh, type, dice(3) ? 32 : dice(sizeof(bytes)), bytes);
		return;
	case 4:
		mnl_attr_put_u64(nlh, type, dice(2) ? seed : dice(10));
		return;
	}
	nest = mnl_attr_nest_start(nlh, type);
	for (n = dice(12); n; n--)
		put_random(nlh, depth - 1);
	mnl_attr_nest_end(nlh, nest);
}

static void put_port(struct nlmsghdr *nlh)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, MRC_A_DEV_PORT);

	mnl_attr_put_u32(nlh, MRC_A_PORT_INDEX, 1 + dice(4));
	mnl_attr_put_u32(nlh, MRC_A_PORT_ENABLED, dice(2));
	mnl_attr_nest_end(nlh, nest);
}

static ssize_t reply_data(const struct mnl_socket *nl, void *buf)
{
	struct nlmsghdr *nlh = message(nl, buf, FAMILY);
	struct genlmsghdr *genl;
	uint32_t n;

	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = dice(2) ? nl->cmd : MRC_CMD_PATH_NTF;
	for (n = dice(30); n; n--)
		put_random(nlh, NEST_DEPTH);
	if (nl->cmd == MRC_CMD_DEV_GET)
		put_port(nlh);
	/* The results of a probe end, or the caller waits for ever. */
	if (nl->cmd == MRC_CMD_PROBE)
		mnl_attr_put(nlh, MRC_A_PROBE_DONE, 0, NULL);
	if (!dice(8))
		nlh->nlmsg_len -= dice(nlh->nlmsg_len - MNL_NLMSG_HDRLEN);
	return nlh->nlmsg_len;
}

static ssize_t reply_family(const struct mnl_socket *nl, void *buf)
{
	struct nlmsghdr *nlh = message(nl, buf, GENL_ID_CTRL);
	struct nlattr *groups, *group;

	mnl_nlmsg_put_extra_header(nlh, sizeof(struct genlmsghdr));
	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, FAMILY);
	groups = mnl_attr_nest_start(nlh, CTRL_ATTR_MCAST_GROUPS);
	group = mnl_attr_nest_start(nlh, 1);
	mnl_attr_put_u32(nlh, CTRL_ATTR_MCAST_GRP_ID, 5);
	mnl_attr_put_strz(nlh, CTRL_ATTR_MCAST_GRP_NAME, MRC_MCGRP_PATHS);
	mnl_attr_nest_end(nlh, group);
	mnl_attr_nest_end(nlh, groups);
	return nlh->nlmsg_len;
}

static ssize_t reply_end(const struct mnl_socket *nl, void *buf)
{
	static const int errors[] = {
		EINVAL, ENOENT, EBUSY, EPERM, ENODEV, E2BIG, EEXIST,
	};
	struct nlmsghdr *nlh;
	struct nlmsgerr *err;
	int *done;

	if (nl->flags & NLM_F_DUMP && dice(10)) {
		nlh = message(nl, buf, NLMSG_DONE);
		done = mnl_nlmsg_put_extra_header(nlh, sizeof(*done));
		*done = 0;
		return nlh->nlmsg_len;
	}
	nlh = message(nl, buf, NLMSG_ERROR);
	err = mnl_nlmsg_put_extra_header(nlh, sizeof(*err));
	err->error = nl->type == GENL_ID_CTRL || dice(3) ? 0 : -errors[dice(7)];
	if (err->error && dice(2)) {
		nlh->nlmsg_flags = NLM_F_CAPPED | NLM_F_ACK_TLVS;
		mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, "refused");
	}
	return nlh->nlmsg_len;
}

ssize_t mnl_socket_recvfrom(const struct mnl_socket *nl, void *buf, size_t len)
{
	struct mnl_socket *socket = (struct mnl_socket *)nl;

	memset(buf, 0, len < 16384 ? len : 16384);
	socket->step++;
	/* No request: events; or results of a probe, after its acknowledgment. */
	if (!nl->type || (nl->cmd == MRC_CMD_PROBE && nl->step > 1) ||
	    (nl->type == GENL_ID_CTRL && nl->step > 2)) {
		if (!dice(3) && nl->cmd != MRC_CMD_PROBE) {
			errno = dice(4) ? EAGAIN : ENOBUFS;
			return -1;
		}
		return reply_data(nl, buf);
	}
	if (nl->type == GENL_ID_CTRL)
		return nl->step == 1 ? reply_family(nl, buf) : reply_end(nl, buf);
	if (nl->cmd != MRC_CMD_PROBE && dice(nl->step + 1) == 0)
		return reply_data(nl, buf);
	return reply_end(nl, buf);
}
