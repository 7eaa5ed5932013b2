// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Controller API: EV events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "evprofile.h"

enum {
	/* Memory that the kernel takes for an event in a socket's buffer. */
	EVENT_SIZE = 2048,
	EVENTS_SIZE_MAX = 256 << 20,
};

/**
 * struct ev_queue - EV events that the application has not polled
 * @lock: serialises readers; protects all members
 * @genl: connection that receives them
 * @started: @serial is known
 * @serial: of the latest event
 * @lost: events that are missing between the latest two
 * @has_next: @next is an event that was received, but not returned
 * @next: its attributes
 */
struct ev_queue {
	pthread_mutex_t lock;
	struct genl *genl;
	bool started;
	uint64_t serial;
	uint64_t lost;
	bool has_next;
	struct {
		char profile[MRC_NAME_MAX];
		uint32_t index;
		uint32_t state;
		uint32_t drop_count;
	} next;
};

/* --- receiving ------------------------------------------------------------ */

static void take_serial(struct ev_queue *q, uint64_t serial)
{
	if (q->started)
		q->lost += serial - q->serial - 1;
	q->started = true;
	q->serial = serial;
}

/*
 * Entropy values without a profile of the API are not reported, nor what an operator
 * denies: a controller is not to be told what it has done.
 */
static int on_event(const struct nlmsghdr *nlh, void *arg)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *tb[MRC_A_EVENT_INDEX + 1];
	struct ev_queue *q = arg;

	nl_attrs(nlh, tb, MRC_A_EVENT_INDEX);
	if (genl->cmd != MRC_CMD_PATH_NTF ||
	    strcmp(nl_string(tb[MRC_A_EVENT_DEV]), q->genl->dev))
		return MNL_CB_OK;
	take_serial(q, nl_u64(tb[MRC_A_EVENT_SERIAL]));
	if (!profile_id(nl_string(tb[MRC_A_EVENT_PROFILE])) ||
	    nl_u32(tb[MRC_A_EVENT_PATH_STATE]) == MRC_PATH_STATE_DENIED)
		return MNL_CB_OK;
	q->has_next = true;
	snprintf(q->next.profile, sizeof(q->next.profile), "%s",
		 nl_string(tb[MRC_A_EVENT_PROFILE]));
	q->next.index = nl_u32(tb[MRC_A_EVENT_INDEX]);
	q->next.state = nl_u32(tb[MRC_A_EVENT_PATH_STATE]);
	q->next.drop_count = q->lost < UINT32_MAX ? q->lost : UINT32_MAX;
	q->lost = 0;
	return MNL_CB_OK;
}

/* Whether there is an event; those that were lost show in the next serial number. */
static bool queue_fill(struct ev_queue *q)
{
	int ret = 0;

	while (!q->has_next && (!ret || ret == ENOBUFS || ret == EINTR)) {
		memset(&q->next, 0, sizeof(q->next));
		ret = genl_receive(q->genl, on_event, q);
	}
	return q->has_next;
}

/* --- queues --------------------------------------------------------------- */

static struct ev_queue *queue_new(const struct mrc_context *ctx, int cqe)
{
	struct ev_queue *q = calloc(1, sizeof(*q));
	size_t bytes = (size_t)cqe * EVENT_SIZE;
	int ret;

	if (!q) {
		refuse(ENOMEM, "no memory for events");
		return NULL;
	}
	pthread_mutex_init(&q->lock, NULL);
	q->genl = genl_open(context_verbs(ctx));
	ret = q->genl ? genl_listen(q->genl, bytes < EVENTS_SIZE_MAX ? bytes :
				    EVENTS_SIZE_MAX) : errno;
	if (!ret)
		return q;
	genl_close(q->genl);
	pthread_mutex_destroy(&q->lock);
	free(q);
	refuse(ret, "no events of the path manager");
	return NULL;
}

static void queue_free(struct ev_queue *q)
{
	genl_close(q->genl);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

/* Not armed yet: EPOLLONESHOT events of mask 0. */
static int channel_add(struct mrc_comp_channel *channel, struct mrc_cq *cq)
{
	struct epoll_event event = { .events = EPOLLONESHOT, .data.ptr = cq };

	if (!channel)
		return 0;
	if (epoll_ctl(channel->epoll, EPOLL_CTL_ADD,
		      mnl_socket_get_fd(cq->ev->genl->sock), &event))
		return refuse(errno, "the channel cannot watch events");
	channel->ev_cqs++;
	return 0;
}

static struct mrc_cq *ev_cq_create(struct mrc_context *ctx, int cqe,
				   void *cq_context,
				   struct mrc_comp_channel *channel, int vector)
{
	struct mrc_cq *cq;

	(void)vector;
	cq = (struct mrc_cq *)object_new(ctx);
	if (!cq)
		return NULL;
	cq->cq_context = cq_context;
	cq->channel = channel;
	cq->ev = queue_new(ctx, cqe);
	if (!cq->ev)
		goto err_free;
	if (!channel_add(channel, cq))
		return object_publish(&cq->obj, OBJECT_EV_CQ);
	queue_free(cq->ev);
err_free:
	object_free(&cq->obj);
	return NULL;
}

EXPORT
struct mrc_cq *mrc_ctl_create_ev_event_cq(struct mrc_context *mrc_ctx, int cqe,
					  void *cq_context,
					  struct mrc_comp_channel *channel,
					  int comp_vector)
{
	return cq_create_checked(mrc_ctx, cqe, cq_context, channel, comp_vector,
				 ev_cq_create);
}

/**
 * ev_cq_destroy() - destroy an EV event queue
 * @cq: doomed
 *
 * Return: 0.
 */
int ev_cq_destroy(struct mrc_cq *cq)
{
	/* The last descriptor of the socket: epoll forgets it. */
	queue_free(cq->ev);
	if (cq->channel)
		cq->channel->ev_cqs--;
	object_free(&cq->obj);
	return 0;
}

/**
 * ev_cq_arm() - report the next event to the channel, once
 * @cq: held, with a channel
 *
 * Return: 0 or an errno.
 */
int ev_cq_arm(struct mrc_cq *cq)
{
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLONESHOT, .data.ptr = cq,
	};

	return epoll_ctl(cq->channel->epoll, EPOLL_CTL_MOD,
			 mnl_socket_get_fd(cq->ev->genl->sock), &event) ?
	       errno : 0;
}

/**
 * ev_cq_ready() - decide whether a channel reports a queue
 * @cq: held; its socket is readable
 *
 * Return: whether there is an event; if not, the queue is armed again.
 */
bool ev_cq_ready(struct mrc_cq *cq)
{
	bool ready;

	pthread_mutex_lock(&cq->ev->lock);
	ready = queue_fill(cq->ev);
	pthread_mutex_unlock(&cq->ev->lock);
	if (!ready)
		ev_cq_arm(cq);
	return ready;
}

/* --- polling -------------------------------------------------------------- */

/* What programs of before 1.0.1 have no room for is the last member. */
static size_t event_size(const struct mrc_context *ctx)
{
	return context_version_before(ctx, MRC_CTL_API_VER(1, 0, 1)) ?
	       offsetof(struct mrc_ctl_ev_event, state) :
	       sizeof(struct mrc_ctl_ev_event);
}

static void event_put(const struct ev_queue *q, const struct ev_profile *p,
		      void *to, size_t size)
{
	struct mrc_ctl_ev_event event;

	memset(&event, 0, sizeof(event));
	event.profile_id = profile_id(q->next.profile);
	event.drop_count = q->next.drop_count;
	event.state = q->next.state == MRC_PATH_STATE_ASSUMED_BAD ?
		      MRC_CTL_EV_ASSUMED_BAD : MRC_CTL_EV_GOOD;
	if (q->next.index < p->count)
		ev_from_slot(p, &p->slot[q->next.index], &event.ev);
	memcpy(to, &event, size);
}

/* Entropy values of the profile of the next event; one is asked for once. */
static int event_profile(struct genl *g, const struct ev_queue *q,
			 char *name, struct ev_profile *p)
{
	if (!strcmp(name, q->next.profile))
		return 0;
	memcpy(name, q->next.profile, MRC_NAME_MAX);
	return evprofile_get(g, name, true, p);
}

static int poll_events(struct genl *g, struct ev_queue *q, int n, char *to,
		       size_t size)
{
	struct ev_profile *p = malloc(sizeof(*p));
	char name[MRC_NAME_MAX] = "";
	int i, ret = 0;

	if (!p)
		return -ENOMEM;
	for (i = 0; i < n && queue_fill(q); i++) {
		ret = event_profile(g, q, name, p);
		if (ret)
			break;
		event_put(q, p, to + i * size, size);
		q->has_next = false;
	}
	free(p);
	/* An event that was not returned is the next one. */
	return ret && !i ? -ret : i;
}

static int ev_cq_poll(struct mrc_cq *cq, int n, void *to)
{
	struct mrc_context *ctx = cq->obj.ctx;
	struct genl *g = genl_get(ctx);
	int ret;

	if (!g)
		return -errno;
	pthread_mutex_lock(&cq->ev->lock);
	ret = poll_events(g, cq->ev, n, to, event_size(ctx));
	pthread_mutex_unlock(&cq->ev->lock);
	genl_put(ctx);
	return ret;
}

EXPORT
int mrc_ctl_poll_ev_event(struct mrc_cq *ev_cq, int num_entries,
			  struct mrc_ctl_ev_event *ev_event)
{
	int ret;

	if (num_entries < 0 || (num_entries && !ev_event))
		return -refuse(EINVAL, "no room for events");
	if (!object_hold(ev_cq, OBJECT_EV_CQ))
		return -refuse(EINVAL, "not an EV event queue");
	ret = ev_cq_poll(ev_cq, num_entries, ev_event);
	object_drop(ev_cq);
	return ret;
}
