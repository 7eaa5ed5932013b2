// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Generic netlink on top of libmnl.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "args.h"
#include "exit_code.h"
#include "nl.h"

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif

/* Size of the socket buffer for events, in bytes. */
enum { NL_EVENTS_SIZE = 4 << 20 };

/* Print a message that begins with the name of the program. */
__attribute__((format(printf, 1, 2)))
static int nl_report(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_KERNEL;
}

static int nl_failed(const char *what)
{
	return nl_report("%s: %s", what, strerror(errno));
}

/* Print the extack message of the kernel, or else the errno. */
static int nl_refused(const struct nl *nl)
{
	if (nl->sink.error[0])
		return nl_report("%s", nl->sink.error);
	if (errno == EPERM)
		return nl_report("not permitted: CAP_NET_ADMIN is required");
	return nl_report("the kernel refused the request: %s", strerror(errno));
}

static int nl_run(struct nl *nl, ssize_t len, uint32_t seq)
{
	return nl_msg_run(&nl->sink, nl->reply, len, seq,
			  seq ? mnl_socket_get_portid(nl->sock) : 0);
}

/* --- requests ----------------------------------------------------------- */

static struct nlmsghdr *nl_put_header(struct nl *nl, uint16_t family,
				      uint8_t cmd, uint8_t version, bool dump)
{
	return nl_msg_begin(nl->request, ++nl->seq, family, cmd, version, dump);
}

static int nl_exchange(struct nl *nl, struct nlmsghdr *nlh)
{
	ssize_t len;
	int ret = MNL_CB_OK;

	nl->sink.error[0] = '\0';
	if (mnl_socket_sendto(nl->sock, nlh, nlh->nlmsg_len) < 0)
		return MNL_CB_ERROR;
	while (ret == MNL_CB_OK) {
		len = mnl_socket_recvfrom(nl->sock, nl->reply,
					  sizeof(nl->reply));
		if (len < 0)
			return MNL_CB_ERROR;
		ret = nl_run(nl, len, nlh->nlmsg_seq);
	}
	return ret;
}

static void nl_take_groups(struct nl *nl, const struct nlattr *groups)
{
	const struct nlattr *tb[CTRL_ATTR_MCAST_GRP_MAX + 1];
	const struct nlattr *nest;
	struct nl_group *group;

	nl->n_groups = 0;
	mnl_attr_for_each_nested(nest, groups) {
		if (nl->n_groups == NL_GROUPS_MAX)
			return;
		nl_nest(nest, tb, CTRL_ATTR_MCAST_GRP_MAX);
		group = &nl->group[nl->n_groups++];
		group->id = nl_u32(tb[CTRL_ATTR_MCAST_GRP_ID]);
		snprintf(group->name, sizeof(group->name), "%s",
			 nl_string(tb[CTRL_ATTR_MCAST_GRP_NAME]));
	}
}

static int nl_on_family(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[CTRL_ATTR_MAX + 1];
	struct nl *nl = arg;

	nl_attrs(nlh, tb, CTRL_ATTR_MAX);
	if (tb[CTRL_ATTR_FAMILY_ID])
		nl->family = mnl_attr_get_u16(tb[CTRL_ATTR_FAMILY_ID]);
	if (tb[CTRL_ATTR_MCAST_GROUPS])
		nl_take_groups(nl, tb[CTRL_ATTR_MCAST_GROUPS]);
	return MNL_CB_OK;
}

/* The lookup of the family makes the kernel load the module. */
static int nl_find_family(struct nl *nl)
{
	struct nlmsghdr *nlh;

	nlh = nl_put_header(nl, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1, false);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, MRC_FAMILY_NAME);
	nl->sink.cb = nl_on_family;
	nl->sink.arg = nl;
	if (nl_exchange(nl, nlh) >= 0 && nl->family)
		return EXIT_OK;
	if (errno != ENOENT)
		return nl_refused(nl);
	return nl_report("the mrc module is not loaded: modprobe mrc");
}

static int nl_open(struct nl *nl)
{
	int one = 1;

	if (nl->sock)
		return EXIT_OK;
	nl->sock = mnl_socket_open(NETLINK_GENERIC);
	if (!nl->sock)
		return nl_failed("cannot open a netlink socket");
	/* Old kernels lack some options; messages are less precise then. */
	mnl_socket_setsockopt(nl->sock, NETLINK_EXT_ACK, &one, sizeof(one));
	mnl_socket_setsockopt(nl->sock, NETLINK_CAP_ACK, &one, sizeof(one));
	if (mnl_socket_bind(nl->sock, 0, MNL_SOCKET_AUTOPID) < 0)
		return nl_failed("cannot bind a netlink socket");
	nl->seq = time(NULL);
	return nl_find_family(nl);
}

/**
 * nl_begin() - begin a request
 * @nl: connection; opened if it is not yet
 * @cmd: command
 * @dump: request all objects
 *
 * Return: the request, to which attributes may be added, or NULL after reporting
 * what is wrong.
 */
struct nlmsghdr *nl_begin(struct nl *nl, enum mrc_cmd cmd, bool dump)
{
	if (nl_open(nl)) {
		nl_close(nl);
		return NULL;
	}
	return nl_put_header(nl, nl->family, cmd, MRC_FAMILY_VERSION, dump);
}

/**
 * nl_talk() - send a request and process the reply
 * @nl: connection
 * @nlh: request of nl_begin()
 * @cb: called for each message of the reply; may be NULL
 * @arg: for @cb
 *
 * Return: EXIT_OK, or EXIT_KERNEL after reporting what is wrong.
 */
int nl_talk(struct nl *nl, struct nlmsghdr *nlh, mnl_cb_t cb, void *arg)
{
	nl->sink.cb = cb;
	nl->sink.arg = arg;
	if (nl_exchange(nl, nlh) >= 0)
		return EXIT_OK;
	return nl_refused(nl);
}

/**
 * nl_try() - send a request that may have to be repeated
 * @nl: connection
 * @nlh: request of nl_begin()
 * @cb: called for each message of the reply; may be NULL
 * @arg: for @cb
 * @busy: set if the kernel cannot execute it now, which is not reported
 *
 * Return: EXIT_OK, or EXIT_KERNEL.
 */
int nl_try(struct nl *nl, struct nlmsghdr *nlh, mnl_cb_t cb, void *arg,
	   bool *busy)
{
	nl->sink.cb = cb;
	nl->sink.arg = arg;
	*busy = false;
	if (nl_exchange(nl, nlh) >= 0)
		return EXIT_OK;
	*busy = errno == EBUSY;
	return *busy ? EXIT_KERNEL : nl_refused(nl);
}

/*
 * A failed switch causes an event for each path of each queue pair through it.
 * Without privileges the system's limit applies.
 */
static void nl_make_room(struct nl *nl)
{
	const int fd = mnl_socket_get_fd(nl->sock), size = NL_EVENTS_SIZE;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

static int nl_join(struct nl *nl, const char *name)
{
	struct nl_group *group = nl->group;

	for (; group < nl->group + nl->n_groups; group++) {
		if (name && strcmp(group->name, name))
			continue;
		if (mnl_socket_setsockopt(nl->sock, NETLINK_ADD_MEMBERSHIP,
					  &group->id, sizeof(group->id)) < 0)
			return nl_failed("cannot listen to events");
	}
	return EXIT_OK;
}

/**
 * nl_listen() - process events until the callback stops
 * @nl: connection; opened if it is not yet
 * @group: the only group to listen to, or NULL
 * @cb: called for each event; ends this with MNL_CB_STOP or MNL_CB_ERROR
 * @arg: for @cb
 *
 * Return: EXIT_OK, or EXIT_KERNEL after reporting what is wrong.
 */
int nl_listen(struct nl *nl, const char *group, mnl_cb_t cb, void *arg)
{
	ssize_t len;
	int ret = MNL_CB_OK;

	if (nl_open(nl) || nl_join(nl, group))
		return EXIT_KERNEL;
	nl_make_room(nl);
	nl->sink.cb = cb;
	nl->sink.arg = arg;
	while (ret == MNL_CB_OK) {
		len = mnl_socket_recvfrom(nl->sock, nl->reply,
					  sizeof(nl->reply));
		if (len >= 0) {
			ret = nl_run(nl, len, 0);
			continue;
		}
		if (errno != ENOBUFS)
			return nl_failed("cannot receive events");
		nl_report("events were lost: too many to read");
	}
	return ret < 0 ? nl_failed("malformed event") : EXIT_OK;
}

/**
 * nl_close() - close the connection
 * @nl: connection, open or not
 */
void nl_close(struct nl *nl)
{
	if (nl->sock)
		mnl_socket_close(nl->sock);
	nl->sock = NULL;
	nl->family = 0;
}
