/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Generic netlink: requests to the family "mrc", replies and events.
 */
#ifndef MRC_NL_H
#define MRC_NL_H

#include <linux/mrc.h>

#include "nl_msg.h"

enum {
	/* A probe request with MRC_PROBES_MAX targets. */
	NL_REQUEST_SIZE = 131072,
	NL_REPLY_SIZE = 65536,
	/* More than the family has. */
	NL_GROUPS_MAX = 8,
};

/**
 * struct nl_group - one group of events
 * @id: its number
 * @name: its name
 */
struct nl_group {
	uint32_t id;
	char name[GENL_NAMSIZ];
};

/**
 * struct nl - connection to the kernel
 * @sock: socket; NULL until the first request
 * @family: number of the family
 * @group: its groups of events
 * @n_groups: how many there are
 * @seq: of the latest request
 * @sink: what to do with the messages of the reply
 * @request: request under construction
 * @reply: what was received last
 */
struct nl {
	struct mnl_socket *sock;
	uint16_t family;
	struct nl_group group[NL_GROUPS_MAX];
	unsigned int n_groups;
	uint32_t seq;
	struct nl_sink sink;
	char request[NL_REQUEST_SIZE] __attribute__((aligned(8)));
	char reply[NL_REPLY_SIZE] __attribute__((aligned(8)));
};

struct nlmsghdr *nl_begin(struct nl *nl, enum mrc_cmd cmd, bool dump);
int nl_talk(struct nl *nl, struct nlmsghdr *nlh, mnl_cb_t cb, void *arg);
int nl_try(struct nl *nl, struct nlmsghdr *nlh, mnl_cb_t cb, void *arg,
	   bool *busy);
int nl_listen(struct nl *nl, const char *group, mnl_cb_t cb, void *arg);
void nl_close(struct nl *nl);

static inline uint8_t nl_cmd(const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);

	return genl->cmd;
}

#endif /* MRC_NL_H */
