// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Messages to the kernel, many at once, and the verdict on each.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/genetlink.h>

#include "talk.h"

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif

#define REPLIES		16
#define REPLY_ROOM	(32 << 10)
#define RECEIVE_ROOM	(8 << 20)

static char replies[REPLIES][REPLY_ROOM];

static int on_family(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;
	struct talk *t = arg;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
			t->family = mnl_attr_get_u16(attr);
	return MNL_CB_OK;
}

static int find_family(struct talk *t, const char *name)
{
	char buf[TALK_ROOM];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl;
	ssize_t len;

	nlh->nlmsg_type = GENL_ID_CTRL;
	nlh->nlmsg_flags = NLM_F_REQUEST;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = CTRL_CMD_GETFAMILY;
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, name);
	if (mnl_socket_sendto(t->sock, nlh, nlh->nlmsg_len) < 0)
		return -1;
	len = mnl_socket_recvfrom(t->sock, replies[0], REPLY_ROOM);
	return len < 0 || mnl_cb_run(replies[0], len, 0, 0, on_family, t) < 0 ||
	       !t->family ? -1 : 0;
}

/**
 * talk_open - open a connection
 * @t: connection
 * @family: name of the family
 *
 * Return: 0, or -1 with errno.
 */
int talk_open(struct talk *t, const char *family)
{
	int on = 1, room = RECEIVE_ROOM;

	memset(t, 0, sizeof(*t));
	t->sock = mnl_socket_open(NETLINK_GENERIC);
	if (!t->sock || mnl_socket_bind(t->sock, 0, MNL_SOCKET_AUTOPID) < 0)
		return -1;
	mnl_socket_setsockopt(t->sock, NETLINK_EXT_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(t->sock, NETLINK_CAP_ACK, &on, sizeof(on));
	if (setsockopt(mnl_socket_get_fd(t->sock), SOL_SOCKET, SO_RCVBUFFORCE,
		       &room, sizeof(room)))
		return -1;
	return find_family(t, family);
}

/**
 * talk_close - close a connection, whatever it waits for
 * @t: connection
 */
void talk_close(struct talk *t)
{
	mnl_socket_close(t->sock);
}

/**
 * talk_add - begin a request in the batch
 * @t: connection
 * @cmd: command
 * @flags: NLM_F_*
 *
 * Return: the message, of at most TALK_ROOM bytes.
 */
struct nlmsghdr *talk_add(struct talk *t, uint8_t cmd, uint16_t flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(t->batch + t->len);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = t->family;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = t->seq + t->n;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = 1;
	return nlh;
}

/**
 * talk_added - a request is complete
 * @t: connection
 * @nlh: message of talk_add()
 */
void talk_added(struct talk *t, const struct nlmsghdr *nlh)
{
	t->got[t->n++] = false;
	t->len += MNL_ALIGN(nlh->nlmsg_len);
}

/* The text behind the fixed part of the message. */
static void take_words(const struct nlmsghdr *nlh, size_t fixed, char *words)
{
	const char *tail = (const char *)nlh + nlh->nlmsg_len;
	const struct nlattr *attr;

	words[0] = '\0';
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	attr = (const void *)((const char *)nlh + MNL_NLMSG_HDRLEN + fixed);
	for (; mnl_attr_ok(attr, tail - (const char *)attr);
	     attr = mnl_attr_next(attr))
		if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG)
			snprintf(words, TALK_WORDS, "%s", mnl_attr_get_str(attr));
}

static void take(struct talk *t, const struct nlmsghdr *nlh, size_t fixed)
{
	uint32_t i = nlh->nlmsg_seq - t->seq;
	const int *error = mnl_nlmsg_get_payload(nlh);

	if (i >= (uint32_t)t->n)
		return;
	t->got[i] = true;
	t->verdict[i].error = -*error;
	take_words(nlh, fixed, t->verdict[i].words);
}

/* Returns how many requests have ended. */
static int take_all(struct talk *t, const char *data, int len)
{
	const struct nlmsghdr *nlh = (const void *)data;
	int ended = 0;

	for (; mnl_nlmsg_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len)) {
		if (nlh->nlmsg_type != NLMSG_ERROR && nlh->nlmsg_type != NLMSG_DONE)
			continue;
		take(t, nlh, nlh->nlmsg_type == NLMSG_ERROR ?
		     sizeof(struct nlmsgerr) : sizeof(int));
		ended++;
	}
	return ended;
}

/**
 * talk_read - read replies until as many requests have ended as are in the batch
 * @t: connection
 * @most: read at most this many times; 0: as often as it takes
 *
 * Return: requests that have ended, or -1 with errno.
 */
int talk_read(struct talk *t, int most)
{
	struct iovec iov[REPLIES];
	struct mmsghdr msg[REPLIES] = {};
	int i, n, ended = 0, times = 0;

	for (i = 0; i < REPLIES; i++) {
		iov[i] = (struct iovec){ replies[i], REPLY_ROOM };
		msg[i].msg_hdr.msg_iov = &iov[i];
		msg[i].msg_hdr.msg_iovlen = 1;
	}
	while (ended < t->n && (!most || times++ < most)) {
		n = recvmmsg(mnl_socket_get_fd(t->sock), msg, most ? 1 : REPLIES,
			     MSG_WAITFORONE, NULL);
		if (n < 0)
			return -1;
		for (i = 0; i < n; i++)
			ended += take_all(t, replies[i], msg[i].msg_len);
	}
	return ended;
}

/**
 * talk_send - send the batch
 * @t: connection
 *
 * Return: 0, or -1 with errno.
 */
int talk_send(struct talk *t)
{
	ssize_t n = t->n ? mnl_socket_sendto(t->sock, t->batch, t->len) : 0;

	t->len = 0;
	return n < 0 ? -1 : 0;
}
