// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Netlink dumps whose readers are slow, stop half-way, or never begin: what they are
 * about may go meanwhile.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/mrc.h>

#include "torture.h"

#define SOCKETS		4
/* A small buffer needs many messages for a dump. */
#define RCVBUF		4096
#define READ_MAX	4096
#define READS_MAX	8
/* After one of this many readings nobody reads the rest. */
#define LEAVE_ONE_IN	4
#define NAME_LEN	64

/**
 * struct request - a netlink message
 * @nl: header
 * @genl: header of generic netlink
 * @attr: header of the attribute
 * @name: of family or device
 */
struct request {
	struct nlmsghdr nl;
	struct genlmsghdr genl;
	struct nlattr attr;
	char name[NAME_LEN];
};

static const uint8_t dumps[] = {
	MRC_CMD_DEV_GET, MRC_CMD_PATH_GET, MRC_CMD_QP_GET, MRC_CMD_FORMAT_GET,
	MRC_CMD_TEMPLATE_GET, MRC_CMD_PROFILE_GET, MRC_CMD_DEST_GET,
	MRC_CMD_DENY_GET, MRC_CMD_CC_GET,
};

static int send_request(int fd, int type, int flags, uint8_t cmd, int attr,
			const char *name)
{
	struct request req = {
		.nl.nlmsg_type = type,
		.nl.nlmsg_flags = NLM_F_REQUEST | flags,
		.genl.cmd = cmd,
		.genl.version = 1,
		.attr.nla_type = attr,
	};

	snprintf(req.name, sizeof(req.name), "%s", name);
	req.attr.nla_len = NLA_HDRLEN + strlen(req.name) + 1;
	req.nl.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN) +
			   (attr ? NLA_ALIGN(req.attr.nla_len) : 0);
	return send(fd, &req, req.nl.nlmsg_len, MSG_DONTWAIT) < 0 ? -1 : 0;
}

static int find_family(void)
{
	char buf[READ_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	const struct nlattr *a;
	int fd, n, at;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (fd < 0 || send_request(fd, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY,
				   CTRL_ATTR_FAMILY_NAME, "mrc"))
		return -1;
	n = recv(fd, buf, sizeof(buf), 0);
	close(fd);
	for (at = NLMSG_LENGTH(GENL_HDRLEN); at + NLA_HDRLEN < n;
	     at += NLA_ALIGN(a->nla_len)) {
		a = (const void *)(buf + at);
		if (a->nla_type == CTRL_ATTR_FAMILY_ID)
			return *(const uint16_t *)(buf + at + NLA_HDRLEN);
		if (!a->nla_len)
			break;
	}
	return -1;
}

/* The attribute that names the device is not the same in all sets. */
static int name_attr(uint8_t cmd)
{
	switch (cmd) {
	case MRC_CMD_DEV_GET:
		return MRC_A_DEV_NAME;
	case MRC_CMD_PATH_GET:
		return MRC_A_PATH_DEV;
	case MRC_CMD_QP_GET:
		return MRC_A_QP_DEV;
	case MRC_CMD_FORMAT_GET:
		return MRC_A_FORMAT_DEV;
	case MRC_CMD_TEMPLATE_GET:
		return MRC_A_TEMPLATE_DEV;
	case MRC_CMD_PROFILE_GET:
		return MRC_A_PROFILE_DEV;
	case MRC_CMD_DEST_GET:
		return MRC_A_DEST_DEV;
	case MRC_CMD_DENY_GET:
		return MRC_A_DENY_DEV;
	default:
		return MRC_A_CC_DEV;
	}
}

static int begin(struct torture *t, int family)
{
	uint8_t cmd = dumps[rnd_below(&t->rnd, sizeof(dumps))];
	const char *dev = t->dev[rnd_below(&t->rnd, t->devs)];
	int size = RCVBUF, fd;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	act("dump %u of %s", cmd, dev);
	send_request(fd, family, NLM_F_DUMP, cmd,
		     rnd_one_in(&t->rnd, 8) ? 0 : name_attr(cmd), dev);
	return fd;
}

/* Read some of the dump; false if it has ended. */
static bool read_some(struct torture *t, int fd)
{
	char buf[READ_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	const struct nlmsghdr *nl = (const void *)buf;
	int n;

	for (n = rnd_below(&t->rnd, READS_MAX); n; n--) {
		if (recv(fd, buf, sizeof(buf), MSG_DONTWAIT) < 0)
			return true;
		/* The last message of a dump comes alone. */
		if (nl->nlmsg_type == NLMSG_DONE || nl->nlmsg_type == NLMSG_ERROR) {
			count(COUNT_DUMP, nl->nlmsg_type == NLMSG_DONE);
			return false;
		}
	}
	return true;
}

/**
 * dump_run - worker: dumps that are read slowly, in part or not at all
 * @t: devices; each action is a dump
 *
 * Return: 0, or -1 after a message.
 */
int dump_run(struct torture *t)
{
	int fd[SOCKETS] = { -1, -1, -1, -1 }, family = find_family(), k;
	uint32_t i;
	bool more;

	if (family < 0 || !t->devs)
		return wrong("no family, or no device");
	for (i = 0; i < t->actions; i++) {
		k = rnd_below(&t->rnd, SOCKETS);
		if (fd[k] < 0)
			fd[k] = begin(t, family);
		if (fd[k] < 0)
			continue;
		more = read_some(t, fd[k]);
		if (!more || rnd_one_in(&t->rnd, LEAVE_ONE_IN)) {
			if (more)
				count(COUNT_DUMP_LEFT, true);
			close(fd[k]);
			fd[k] = -1;
		}
		rnd_nap(&t->rnd);
	}
	return 0;
}
