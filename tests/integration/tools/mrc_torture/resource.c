// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Dumps of the objects of all devices by the RDMA core, which asks the driver about
 * objects that are being destroyed, too.
 */
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "torture.h"

#define READ_MAX	32768
/* Devices have the lowest free numbers. */
#define DEVICES		3
#define REST_US		1000
#define WAIT_US		500000

/**
 * struct request - a dump of the objects of a device
 * @nl: header
 * @attr: header of the attribute
 * @device: number of the device
 */
struct request {
	struct nlmsghdr nl;
	struct nlattr attr;
	uint32_t device;
};

static const uint16_t dumps[] = {
	RDMA_NLDEV_CMD_RES_QP_GET, RDMA_NLDEV_CMD_RES_CQ_GET,
	RDMA_NLDEV_CMD_RES_CQ_GET, RDMA_NLDEV_CMD_RES_MR_GET,
	RDMA_NLDEV_CMD_RES_PD_GET, RDMA_NLDEV_CMD_RES_CTX_GET,
	RDMA_NLDEV_CMD_RES_CM_ID_GET, RDMA_NLDEV_CMD_RES_SRQ_GET,
	RDMA_NLDEV_CMD_RES_SRQ_GET,
};

/* Read the dump to its end; false if it was refused. */
static bool read_all(int fd)
{
	static char buf[READ_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	const struct nlmsghdr *nl;
	int n;

	while ((n = recv(fd, buf, sizeof(buf), 0)) > 0)
		for (nl = (const void *)buf; NLMSG_OK(nl, n);
		     nl = NLMSG_NEXT(nl, n))
			if (nl->nlmsg_type == NLMSG_DONE ||
			    nl->nlmsg_type == NLMSG_ERROR)
				return nl->nlmsg_type == NLMSG_DONE;
	return false;
}

static void dump(int fd, uint16_t cmd, uint32_t device)
{
	struct request req = {
		.nl.nlmsg_len = sizeof(req),
		.nl.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd),
		.nl.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		.attr.nla_len = NLA_HDRLEN + sizeof(req.device),
		.attr.nla_type = RDMA_NLDEV_ATTR_DEV_INDEX,
		.device = device,
	};

	act("resources %u of %u", cmd, device);
	if (send(fd, &req, sizeof(req), 0) == sizeof(req))
		count(COUNT_RESOURCES, read_all(fd));
}

/**
 * resource_run - worker: the RDMA core shows objects while they come and go
 * @t: each action is a dump
 *
 * Return: 0, or -1 after a message.
 */
int resource_run(struct torture *t)
{
	struct timeval wait = { .tv_usec = WAIT_US };
	struct rnd *r = &t->rnd;
	uint32_t i;
	int fd;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	if (fd < 0)
		return wrong("no socket of the RDMA core");
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	for (i = 0; i < t->actions; i++) {
		dump(fd, dumps[rnd_below(r, sizeof(dumps) / sizeof(*dumps))],
		     rnd_below(r, DEVICES));
		if (rnd_one_in(r, 4))
			usleep(rnd_below(r, REST_US));
	}
	close(fd);
	return 0;
}
