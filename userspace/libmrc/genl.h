/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Generic netlink: requests to the path manager of a device, and its events.
 */
#ifndef LIBMRC_GENL_H
#define LIBMRC_GENL_H

#include <linux/mrc.h>

#include "context.h"
#include "nl_msg.h"

enum {
	/* A batch of MRC_PROBES_MAX probes; less than the socket buffer of a send. */
	GENL_REQUEST_SIZE = 160 << 10,
	GENL_REPLY_SIZE = 64 << 10,
};

/**
 * struct genl - connection to the path manager
 * @sock: netlink socket
 * @family: number of the family
 * @paths: number of the group of path events
 * @seq: of the latest request
 * @dev: name of the device
 * @sink: what to do with the messages of the reply
 * @request: request under construction
 * @reply: what was received last
 */
struct genl {
	struct mnl_socket *sock;
	uint16_t family;
	uint32_t paths;
	uint32_t seq;
	char dev[MRC_NAME_MAX];
	struct nl_sink sink;
	char request[GENL_REQUEST_SIZE] __attribute__((aligned(8)));
	char reply[GENL_REPLY_SIZE] __attribute__((aligned(8)));
};

/* Connection of its own; NULL with errno set. */
struct genl *genl_open(const struct ibv_context *vctx);
void genl_close(struct genl *g);

/* Connection of a context, for one call: between these, no other call uses it. */
struct genl *genl_get(struct mrc_context *ctx);
void genl_put(struct mrc_context *ctx);

/* A request, whose first attribute @dev_attr names the device. */
struct nlmsghdr *genl_begin(struct genl *g, enum mrc_cmd cmd, bool dump,
			    int dev_attr);
/* 0 or an errno that the controller API has. */
int genl_talk(struct genl *g, struct nlmsghdr *nlh, mnl_cb_t cb, void *arg);

/* Events: what arrives next, or an errno. */
int genl_listen(struct genl *g, size_t bytes);
int genl_receive(struct genl *g, mnl_cb_t cb, void *arg);

#endif /* LIBMRC_GENL_H */
