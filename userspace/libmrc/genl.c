// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Generic netlink on top of libmnl, without output: errors are errno and text.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "genl.h"

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif

/* --- errors -------------------------------------------------------------- */

/* Those that the controller API names. */
static int api_errno(int err)
{
	switch (err) {
	case EACCES:
		return EPERM;
	case EADDRNOTAVAIL:
	case EEXIST:
	case ERANGE:
	case EOPNOTSUPP:
		return EINVAL;
	case E2BIG:
	case EBUSY:
	case EINVAL:
	case ENOENT:
	case ENOMEM:
	case EPERM:
		return err;
	default:
		return EIO;
	}
}

/* --- requests ------------------------------------------------------------ */

static int exchange(struct genl *g, struct nlmsghdr *nlh)
{
	int ret = MNL_CB_OK;
	ssize_t len;

	g->sink.error[0] = '\0';
	if (mnl_socket_sendto(g->sock, nlh, nlh->nlmsg_len) < 0)
		return MNL_CB_ERROR;
	while (ret == MNL_CB_OK) {
		do {
			len = mnl_socket_recvfrom(g->sock, g->reply,
						  sizeof(g->reply));
		} while (len < 0 && errno == EINTR);
		if (len < 0)
			return MNL_CB_ERROR;
		ret = nl_msg_run(&g->sink, g->reply, len, nlh->nlmsg_seq,
				 mnl_socket_get_portid(g->sock));
		/* What is left of an interrupted call. */
		if (ret < 0 && errno == ESRCH)
			ret = MNL_CB_OK;
	}
	return ret;
}

static void take_group(struct genl *g, const struct nlattr *nest)
{
	const struct nlattr *tb[CTRL_ATTR_MCAST_GRP_MAX + 1];

	nl_nest(nest, tb, CTRL_ATTR_MCAST_GRP_MAX);
	if (!strcmp(nl_string(tb[CTRL_ATTR_MCAST_GRP_NAME]), MRC_MCGRP_PATHS))
		g->paths = nl_u32(tb[CTRL_ATTR_MCAST_GRP_ID]);
}

static int on_family(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[CTRL_ATTR_MAX + 1], *nest;
	struct genl *g = arg;

	nl_attrs(nlh, tb, CTRL_ATTR_MAX);
	if (tb[CTRL_ATTR_FAMILY_ID])
		g->family = mnl_attr_get_u16(tb[CTRL_ATTR_FAMILY_ID]);
	if (tb[CTRL_ATTR_MCAST_GROUPS])
		mnl_attr_for_each_nested(nest, tb[CTRL_ATTR_MCAST_GROUPS])
			take_group(g, nest);
	return MNL_CB_OK;
}

static int find_family(struct genl *g)
{
	struct nlmsghdr *nlh;

	nlh = nl_msg_begin(g->request, ++g->seq, GENL_ID_CTRL, CTRL_CMD_GETFAMILY,
			   1, false);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, MRC_FAMILY_NAME);
	g->sink.cb = on_family;
	g->sink.arg = g;
	if (exchange(g, nlh) < 0)
		return errno;
	return g->family ? 0 : ENOENT;
}

static int connect_socket(struct genl *g)
{
	int one = 1;

	g->sock = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!g->sock)
		return errno;
	/* Old kernels lack some options; messages are less precise then. */
	mnl_socket_setsockopt(g->sock, NETLINK_EXT_ACK, &one, sizeof(one));
	mnl_socket_setsockopt(g->sock, NETLINK_CAP_ACK, &one, sizeof(one));
	if (mnl_socket_bind(g->sock, 0, MNL_SOCKET_AUTOPID) < 0)
		return errno;
	g->seq = time(NULL);
	return find_family(g);
}

/**
 * genl_open() - connect to the path manager
 * @vctx: context of libibverbs
 *
 * Return: a connection, or NULL with errno set: EIO or ENOMEM.
 */
struct genl *genl_open(const struct ibv_context *vctx)
{
	struct genl *g = calloc(1, sizeof(*g));
	int ret;

	if (!g) {
		refuse(ENOMEM, "no memory for a connection");
		return NULL;
	}
	snprintf(g->dev, sizeof(g->dev), "%s",
		 ibv_get_device_name(vctx->device));
	ret = connect_socket(g);
	if (!ret)
		return g;
	refuse(EIO, "no connection to the path manager: %s", strerror(ret));
	genl_close(g);
	errno = EIO;
	return NULL;
}

/**
 * genl_close() - end a connection
 * @g: connection, or NULL
 */
void genl_close(struct genl *g)
{
	if (g && g->sock)
		mnl_socket_close(g->sock);
	free(g);
}

/**
 * genl_get() - connection of a context, for one call
 * @ctx: what the application has passed
 *
 * Return: the connection, for this thread until genl_put(), or NULL with errno set.
 */
struct genl *genl_get(struct mrc_context *ctx)
{
	if (!object_hold(ctx, OBJECT_CONTEXT)) {
		refuse(EINVAL, "not a context");
		return NULL;
	}
	pthread_mutex_lock(&ctx->genl_lock);
	if (!ctx->genl)
		ctx->genl = genl_open(context_verbs(ctx));
	if (ctx->genl)
		return ctx->genl;
	genl_put(ctx);
	return NULL;
}

/**
 * genl_put() - end of a call
 * @ctx: context
 */
void genl_put(struct mrc_context *ctx)
{
	pthread_mutex_unlock(&ctx->genl_lock);
	object_drop(ctx);
}

/**
 * context_genl_close() - end the connection of a context
 * @ctx: doomed
 */
void context_genl_close(struct mrc_context *ctx)
{
	genl_close(ctx->genl);
	ctx->genl = NULL;
}

/**
 * genl_begin() - begin a request
 * @g: connection
 * @cmd: command
 * @dump: request all objects
 * @dev_attr: attribute for the name of the device
 *
 * Return: the request, to which attributes may be added.
 */
struct nlmsghdr *genl_begin(struct genl *g, enum mrc_cmd cmd, bool dump,
			    int dev_attr)
{
	struct nlmsghdr *nlh = nl_msg_begin(g->request, ++g->seq, g->family, cmd,
					    MRC_FAMILY_VERSION, dump);

	mnl_attr_put_strz(nlh, dev_attr, g->dev);
	return nlh;
}

/**
 * genl_talk() - send a request and process the reply
 * @g: connection
 * @nlh: request of genl_begin()
 * @cb: called for each message of the reply; may be NULL
 * @arg: for @cb
 *
 * Return: 0 or an errno, after reporting what is wrong.
 */
int genl_talk(struct genl *g, struct nlmsghdr *nlh, mnl_cb_t cb, void *arg)
{
	int err;

	g->sink.cb = cb;
	g->sink.arg = arg;
	if (exchange(g, nlh) >= 0)
		return 0;
	err = errno;
	return refuse(api_errno(err), "%s: %s", g->dev,
		      g->sink.error[0] ? g->sink.error : strerror(err));
}

/* --- events -------------------------------------------------------------- */

/**
 * genl_listen() - receive events of paths
 * @g: connection, not used for requests afterwards
 * @bytes: size of the buffer for events; without privileges the system's limit applies
 *
 * Return: 0 or an errno.
 */
int genl_listen(struct genl *g, size_t bytes)
{
	const int fd = mnl_socket_get_fd(g->sock), size = bytes;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		return errno;
	if (mnl_socket_setsockopt(g->sock, NETLINK_ADD_MEMBERSHIP, &g->paths,
				  sizeof(g->paths)) < 0)
		return errno;
	return 0;
}

/**
 * genl_receive() - receive events that have arrived
 * @g: connection of genl_listen()
 * @cb: called for each event
 * @arg: for @cb
 *
 * Return: 0; EAGAIN if there are none; ENOBUFS if some were lost; another errno.
 */
int genl_receive(struct genl *g, mnl_cb_t cb, void *arg)
{
	ssize_t len = mnl_socket_recvfrom(g->sock, g->reply, sizeof(g->reply));

	if (len < 0)
		return errno;
	g->sink.cb = cb;
	g->sink.arg = arg;
	nl_msg_run(&g->sink, g->reply, len, 0, 0);
	return 0;
}
