/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Messages of generic netlink, without output.
 */
#ifndef MRC_NL_MSG_H
#define MRC_NL_MSG_H

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/mrc.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct nl_sink - what to do with what is received
 * @cb: called for each message; may be NULL
 * @arg: for @cb
 * @error: extack text of a refusal; empty: there was none
 */
struct nl_sink {
	mnl_cb_t cb;
	void *arg;
	char error[256];
};

int nl_msg_run(struct nl_sink *sink, const void *buf, size_t len, uint32_t seq,
	       uint32_t portid);
struct nlmsghdr *nl_msg_begin(void *buf, uint32_t seq, uint16_t family, uint8_t cmd,
			      uint8_t version, bool dump);

/* Attributes of a message of the family, or of a nest: @tb has @max + 1. */
void nl_attrs(const struct nlmsghdr *nlh, const struct nlattr **tb, int max);
void nl_nest(const struct nlattr *nest, const struct nlattr **tb, int max);

/* Values; 0, "" or NULL for an attribute that is absent or too short. */
uint32_t nl_u32(const struct nlattr *attr);
uint64_t nl_u64(const struct nlattr *attr);
const char *nl_string(const struct nlattr *attr);
const struct in6_addr *nl_addr(const struct nlattr *attr);

#endif /* MRC_NL_MSG_H */
