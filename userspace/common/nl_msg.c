// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Messages of generic netlink, without output: for programs and for libmrc.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nl_msg.h"

/* --- errors ------------------------------------------------------------- */

static void nl_take_tlvs(struct nl_sink *sink, const struct nlmsghdr *nlh,
			 size_t offset)
{
	const char *tail = (const char *)nlh + nlh->nlmsg_len;
	const struct nlattr *attr;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	attr = (const struct nlattr *)((const char *)nlh + offset);
	for (; mnl_attr_ok(attr, tail - (const char *)attr);
	     attr = mnl_attr_next(attr)) {
		if (mnl_attr_get_type(attr) != NLMSGERR_ATTR_MSG ||
		    mnl_attr_validate(attr, MNL_TYPE_STRING) < 0)
			continue;
		snprintf(sink->error, sizeof(sink->error), "%.*s",
			 (int)mnl_attr_get_payload_len(attr),
			 mnl_attr_get_str(attr));
	}
}

static int nl_on_error(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	size_t offset = MNL_NLMSG_HDRLEN + MNL_ALIGN(sizeof(*err));

	if (nlh->nlmsg_len < mnl_nlmsg_size(sizeof(*err))) {
		errno = EBADMSG;
		return MNL_CB_ERROR;
	}
	if (!err->error)
		return MNL_CB_STOP;
	/* The kernel echoes a refused request unless NETLINK_CAP_ACK is set. */
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		offset += MNL_ALIGN(err->msg.nlmsg_len - MNL_NLMSG_HDRLEN);
	nl_take_tlvs(arg, nlh, offset);
	errno = -err->error;
	return MNL_CB_ERROR;
}

static int nl_on_done(const struct nlmsghdr *nlh, void *arg)
{
	int error = 0;

	if (nlh->nlmsg_len >= mnl_nlmsg_size(sizeof(error)))
		memcpy(&error, mnl_nlmsg_get_payload(nlh), sizeof(error));
	if (error >= 0)
		return MNL_CB_STOP;
	nl_take_tlvs(arg, nlh, MNL_NLMSG_HDRLEN + MNL_ALIGN(sizeof(error)));
	errno = -error;
	return MNL_CB_ERROR;
}

/* Not const because the prototype of libmnl is not. */
static mnl_cb_t nl_control[] = {
	[NLMSG_ERROR] = nl_on_error,
	[NLMSG_DONE] = nl_on_done,
};

/* libmnl has one argument for all callbacks. */
static int nl_on_data(const struct nlmsghdr *nlh, void *arg)
{
	struct nl_sink *sink = arg;

	if (nlh->nlmsg_len < mnl_nlmsg_size(sizeof(struct genlmsghdr)))
		return MNL_CB_OK;
	return sink->cb ? sink->cb(nlh, sink->arg) : MNL_CB_OK;
}

/**
 * nl_msg_run() - process what has been received
 * @sink: what to do with it; its text is set if the kernel refuses a request
 * @buf: messages
 * @len: their length
 * @seq: of the request, or 0 for any
 * @portid: of the socket, or 0 for any
 *
 * Return: as mnl_cb_run().
 */
int nl_msg_run(struct nl_sink *sink, const void *buf, size_t len, uint32_t seq,
	       uint32_t portid)
{
	return mnl_cb_run2(buf, len, seq, portid, nl_on_data, sink, nl_control,
			   MNL_ARRAY_SIZE(nl_control));
}

/**
 * nl_msg_begin() - begin a request
 * @buf: where
 * @seq: its number
 * @family: family
 * @cmd: command
 * @version: of the family
 * @dump: request all objects
 *
 * Return: the request, to which attributes may be added.
 */
struct nlmsghdr *nl_msg_begin(void *buf, uint32_t seq, uint16_t family, uint8_t cmd,
			      uint8_t version, bool dump)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = family;
	nlh->nlmsg_flags = NLM_F_REQUEST | (dump ? NLM_F_DUMP : NLM_F_ACK);
	nlh->nlmsg_seq = seq;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = version;
	return nlh;
}

/* --- attributes ---------------------------------------------------------- */

static void nl_index(const struct nlattr *attr, const struct nlattr **tb,
		     int max)
{
	int type = mnl_attr_get_type(attr);

	if (type <= max)
		tb[type] = attr;
}

/**
 * nl_attrs() - sort the attributes of a message by type
 * @nlh: message
 * @tb: filled in; of attributes that occur more than once, the last
 * @max: highest type
 */
void nl_attrs(const struct nlmsghdr *nlh, const struct nlattr **tb, int max)
{
	const struct nlattr *attr;

	memset(tb, 0, (max + 1) * sizeof(*tb));
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		nl_index(attr, tb, max);
}

/**
 * nl_nest() - sort the attributes of a nest by type
 * @nest: the nest
 * @tb: filled in
 * @max: highest type
 */
void nl_nest(const struct nlattr *nest, const struct nlattr **tb, int max)
{
	const struct nlattr *attr;

	memset(tb, 0, (max + 1) * sizeof(*tb));
	if (!nest)
		return;
	mnl_attr_for_each_nested(attr, nest)
		nl_index(attr, tb, max);
}

/**
 * nl_u32() - value of an attribute
 * @attr: attribute or NULL
 *
 * Return: the number, 0 if there is none.
 */
uint32_t nl_u32(const struct nlattr *attr)
{
	return attr && mnl_attr_validate(attr, MNL_TYPE_U32) >= 0 ?
	       mnl_attr_get_u32(attr) : 0;
}

/**
 * nl_u64() - value of an attribute
 * @attr: attribute or NULL
 *
 * Return: the number, 0 if there is none.
 */
uint64_t nl_u64(const struct nlattr *attr)
{
	return attr && mnl_attr_validate(attr, MNL_TYPE_U64) >= 0 ?
	       mnl_attr_get_u64(attr) : 0;
}

/**
 * nl_string() - value of an attribute
 * @attr: attribute or NULL
 *
 * Return: the string, "" if there is none.
 */
const char *nl_string(const struct nlattr *attr)
{
	return attr && mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0 ?
	       mnl_attr_get_str(attr) : "";
}

/**
 * nl_addr() - value of an attribute
 * @attr: attribute or NULL
 *
 * Return: the address, NULL if there is none.
 */
const struct in6_addr *nl_addr(const struct nlattr *attr)
{
	return attr && mnl_attr_get_payload_len(attr) == MRC_GID_LEN ?
	       mnl_attr_get_payload(attr) : NULL;
}
