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

static void take_tlvs(struct genl *g, const struct nlmsghdr *nlh, size_t offset)
{
	const char *tail = (const char *)nlh + nlh->nlmsg_len;
	const struct nlattr *attr;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	attr = (const struct nlattr *)((const char *)nlh + offset);
	for (; mnl_attr_ok(attr, tail - (const char *)attr);
	     attr = mnl_attr_next(attr))
		if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG)
			snprintf(g->error, sizeof(g->error), "%s",
				 genl_string(attr));
}

static int on_error(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	size_t offset = MNL_NLMSG_HDRLEN + MNL_ALIGN(sizeof(*err));

	if (nlh->nlmsg_len < mnl_nlmsg_size(sizeof(*err))) {
		errno = EBADMSG;
		return MNL_CB_ERROR;
	}
	if (!err->error)
		return MNL_CB_STOP;
	/* The kernel repeats a refused request unless NETLINK_CAP_ACK is set. */
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		offset += MNL_ALIGN(err->msg.nlmsg_len - MNL_NLMSG_HDRLEN);
	take_tlvs(arg, nlh, offset);
	errno = -err->error;
	return MNL_CB_ERROR;
}

static int on_done(const struct nlmsghdr *nlh, void *arg)
{
	int error = 0;

	if (nlh->nlmsg_len >= mnl_nlmsg_size(sizeof(error)))
		memcpy(&error, mnl_nlmsg_get_payload(nlh), sizeof(error));
	if (error >= 0)
		return MNL_CB_STOP;
	take_tlvs(arg, nlh, MNL_NLMSG_HDRLEN + MNL_ALIGN(sizeof(error)));
	errno = -error;
	return MNL_CB_ERROR;
}

/* Not const because the prototype of libmnl is not. */
static mnl_cb_t control[] = {
	[NLMSG_ERROR] = on_error,
	[NLMSG_DONE] = on_done,
};

/* libmnl has one argument for all callbacks. */
static int on_data(const struct nlmsghdr *nlh, void *arg)
{
	struct genl *g = arg;

	if (nlh->nlmsg_len < mnl_nlmsg_size(sizeof(struct genlmsghdr)))
		return MNL_CB_OK;
	return g->cb ? g->cb(nlh, g->arg) : MNL_CB_OK;
}

/* Those that the controller API names. */
static int api_errno(int err)
{
	switch (err) {
	case EACCES:
		return EPERM;
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

static struct nlmsghdr *put_header(struct genl *g, uint16_t family, uint8_t cmd,
				   uint8_t version, bool dump)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(g->request);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = family;
	nlh->nlmsg_flags = NLM_F_REQUEST | (dump ? NLM_F_DUMP : NLM_F_ACK);
	nlh->nlmsg_seq = ++g->seq;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = version;
	return nlh;
}

static int exchange(struct genl *g, struct nlmsghdr *nlh)
{
	int ret = MNL_CB_OK;
	ssize_t len;

	g->error[0] = '\0';
	if (mnl_socket_sendto(g->sock, nlh, nlh->nlmsg_len) < 0)
		return MNL_CB_ERROR;
	while (ret == MNL_CB_OK) {
		do {
			len = mnl_socket_recvfrom(g->sock, g->reply,
						  sizeof(g->reply));
		} while (len < 0 && errno == EINTR);
		if (len < 0)
			return MNL_CB_ERROR;
		ret = mnl_cb_run2(g->reply, len, nlh->nlmsg_seq,
				  mnl_socket_get_portid(g->sock), on_data, g,
				  control, MNL_ARRAY_SIZE(control));
		/* What is left of an interrupted call. */
		if (ret < 0 && errno == ESRCH)
			ret = MNL_CB_OK;
	}
	return ret;
}

static void take_group(struct genl *g, const struct nlattr *nest)
{
	const struct nlattr *tb[CTRL_ATTR_MCAST_GRP_MAX + 1];

	genl_nest(nest, tb, CTRL_ATTR_MCAST_GRP_MAX);
	if (!strcmp(genl_string(tb[CTRL_ATTR_MCAST_GRP_NAME]), MRC_MCGRP_PATHS))
		g->paths = genl_u32(tb[CTRL_ATTR_MCAST_GRP_ID]);
}

static int on_family(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[CTRL_ATTR_MAX + 1], *nest;
	struct genl *g = arg;

	genl_attrs(nlh, tb, CTRL_ATTR_MAX);
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

	nlh = put_header(g, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1, false);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, MRC_FAMILY_NAME);
	g->cb = on_family;
	g->arg = g;
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
	struct nlmsghdr *nlh = put_header(g, g->family, cmd,
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

	g->cb = cb;
	g->arg = arg;
	if (exchange(g, nlh) >= 0)
		return 0;
	err = errno;
	return refuse(api_errno(err), "%s: %s", g->dev,
		      g->error[0] ? g->error : strerror(err));
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
	g->cb = cb;
	g->arg = arg;
	mnl_cb_run2(g->reply, len, 0, 0, on_data, g, control,
		    MNL_ARRAY_SIZE(control));
	return 0;
}

/* --- attributes ----------------------------------------------------------- */

static void index_attr(const struct nlattr *attr, const struct nlattr **tb,
		       int max)
{
	int type = mnl_attr_get_type(attr);

	if (type <= max)
		tb[type] = attr;
}

/**
 * genl_attrs() - sort the attributes of a message by type
 * @nlh: message
 * @tb: filled in, @max + 1; of attributes that occur more than once, the last
 * @max: highest type
 */
void genl_attrs(const struct nlmsghdr *nlh, const struct nlattr **tb, int max)
{
	const struct nlattr *attr;

	memset(tb, 0, (max + 1) * sizeof(*tb));
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		index_attr(attr, tb, max);
}

/**
 * genl_nest() - sort the attributes of a nest by type
 * @nest: the nest
 * @tb: filled in, @max + 1
 * @max: highest type
 */
void genl_nest(const struct nlattr *nest, const struct nlattr **tb, int max)
{
	const struct nlattr *attr;

	memset(tb, 0, (max + 1) * sizeof(*tb));
	mnl_attr_for_each_nested(attr, nest)
		index_attr(attr, tb, max);
}

/**
 * genl_u32() - value of an attribute
 * @attr: attribute or NULL
 *
 * Return: the number, 0 if there is none.
 */
uint32_t genl_u32(const struct nlattr *attr)
{
	return attr && mnl_attr_validate(attr, MNL_TYPE_U32) >= 0 ?
	       mnl_attr_get_u32(attr) : 0;
}

/**
 * genl_u64() - value of an attribute
 * @attr: attribute or NULL
 *
 * Return: the number, 0 if there is none.
 */
uint64_t genl_u64(const struct nlattr *attr)
{
	return attr && mnl_attr_validate(attr, MNL_TYPE_U64) >= 0 ?
	       mnl_attr_get_u64(attr) : 0;
}

/**
 * genl_string() - value of an attribute
 * @attr: attribute or NULL
 *
 * Return: the string, "" if there is none.
 */
const char *genl_string(const struct nlattr *attr)
{
	return attr && mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0 ?
	       mnl_attr_get_str(attr) : "";
}
