// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion channels.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "context.h"

static struct ibv_comp_channel *channel_verbs(const struct mrc_comp_channel *ch)
{
	return ch->obj.verbs;
}

/* The library waits for the outer descriptor, so reading the inner one never blocks. */
static int channel_watch(struct mrc_comp_channel *ch)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd = channel_verbs(ch)->fd;
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return errno;
	ch->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (ch->epoll < 0)
		return errno;
	if (!epoll_ctl(ch->epoll, EPOLL_CTL_ADD, fd, &event))
		return 0;
	close(ch->epoll);
	return errno;
}

static int channel_create(struct mrc_context *ctx, struct mrc_comp_channel **out)
{
	struct mrc_comp_channel *ch;
	int ret;

	ch = (struct mrc_comp_channel *)object_new(ctx);
	if (!ch)
		return errno;
	ch->obj.verbs = ibv_create_comp_channel(context_verbs(ctx));
	if (!ch->obj.verbs) {
		ret = errno;
		goto err_free;
	}
	ret = channel_watch(ch);
	if (ret)
		goto err_verbs;
	*out = object_publish(&ch->obj, OBJECT_CHANNEL);
	return 0;

err_verbs:
	ibv_destroy_comp_channel(channel_verbs(ch));
err_free:
	object_free(&ch->obj);
	return refuse(ret, "no completion channel");
}

EXPORT
int mrc_create_comp_channel(struct mrc_context *mrc_ctx,
			    struct mrc_comp_channel **channel)
{
	int ret;

	if (!channel)
		return refuse(EINVAL, "channel is NULL");
	if (!object_hold(mrc_ctx, OBJECT_CONTEXT))
		return refuse(EINVAL, "not a context");
	ret = channel_create(mrc_ctx, channel);
	object_drop(mrc_ctx);
	return ret;
}

EXPORT
int mrc_get_comp_channel_fd(struct mrc_comp_channel *channel, int *fd)
{
	if (!fd)
		return minus_one(refuse(EINVAL, "fd is NULL"));
	if (!object_hold(channel, OBJECT_CHANNEL))
		return minus_one(refuse(EINVAL, "not a completion channel"));
	*fd = channel->epoll;
	object_drop(channel);
	return 0;
}

/**
 * channel_destroy() - destroy a channel
 * @channel: doomed
 *
 * Return: 0 or an errno; then it is as before.
 */
int channel_destroy(struct mrc_comp_channel *channel)
{
	int ret = channel->ev_cqs ? EBUSY :
		  ibv_destroy_comp_channel(channel_verbs(channel));

	if (ret) {
		object_revive(&channel->obj);
		return refuse(ret, "completion queues use the channel");
	}
	close(channel->epoll);
	object_free(&channel->obj);
	return 0;
}

EXPORT
int mrc_destroy_comp_channel(struct mrc_comp_channel *channel)
{
	int ret = object_doom(channel, OBJECT_CHANNEL);

	if (ret)
		return refuse(ret, "%s", ret == EBUSY ?
			      "another thread waits for the channel" :
			      "not a completion channel");
	return channel_destroy(channel);
}

/* --- events ------------------------------------------------------------- */

/* An event of libibverbs: 0, EAGAIN if there is none, or another errno. */
static int channel_read(struct mrc_comp_channel *ch, struct mrc_cq **cq)
{
	struct ibv_cq *vcq;
	void *context;

	if (ibv_get_cq_event(channel_verbs(ch), &vcq, &context))
		return errno;
	*cq = context;
	(*cq)->obj.events++;
	return 0;
}

/* What @event says: 0, or EAGAIN if nothing is left to report. */
static int channel_take(struct mrc_comp_channel *ch,
			const struct epoll_event *event, struct mrc_cq **cq)
{
	struct mrc_cq *ev_cq = event->data.ptr;
	bool ready;

	if (!ev_cq)
		return channel_read(ch, cq);
	if (!object_hold(ev_cq, OBJECT_EV_CQ))
		return EAGAIN;
	ready = ev_cq_ready(ev_cq);
	if (ready) {
		*cq = ev_cq;
		ev_cq->obj.events++;
	}
	object_drop(ev_cq);
	return ready ? 0 : EAGAIN;
}

/*
 * 0 when there may be events, or an errno. SIGSTOP and SIGCONT would end epoll_wait()
 * with EINTR, but not poll().
 */
static int channel_sleep(const struct mrc_comp_channel *ch)
{
	struct pollfd fd = { .fd = ch->epoll, .events = POLLIN };

	if (fcntl(ch->epoll, F_GETFL) & O_NONBLOCK)
		return EAGAIN;
	return poll(&fd, 1, -1) < 0 ? errno : 0;
}

static int channel_wait(struct mrc_comp_channel *ch, struct mrc_cq **cq)
{
	int ret = channel_read(ch, cq), n;
	struct epoll_event event;

	while (ret == EAGAIN) {
		n = epoll_wait(ch->epoll, &event, 1, 0);
		if (n < 0)
			return errno;
		if (n) {
			ret = channel_take(ch, &event, cq);
			continue;
		}
		ret = channel_sleep(ch);
		if (ret)
			return ret;
		ret = EAGAIN;
	}
	return ret;
}

EXPORT
int mrc_get_cq_event(struct mrc_comp_channel *channel, struct mrc_cq **cq,
		     void **cq_context)
{
	int ret;

	if (!cq || !cq_context)
		return minus_one(refuse(EINVAL, "cq or cq_context is NULL"));
	if (!object_hold(channel, OBJECT_CHANNEL))
		return minus_one(refuse(EINVAL, "not a completion channel"));
	ret = channel_wait(channel, cq);
	object_drop(channel);
	if (ret == EAGAIN || ret == EINTR)
		errno = ret;
	else if (ret)
		refuse(ret, "cannot receive completion events");
	else
		*cq_context = (*cq)->cq_context;
	return minus_one(ret);
}
