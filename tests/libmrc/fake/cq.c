// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues, channels and events of the device without hardware.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "fake.h"

enum { ASYNC_MAX = 64, WAIT_US = 100, WAIT_MAX = 100000 };

struct fake_cq {
	struct ibv_cq cq;
	pthread_mutex_t lock;
	_Atomic int users;
	bool armed;
	_Atomic uint32_t events, acked;
	uint32_t pending;
	uint64_t wr_id;
	struct ibv_qp *qp;
};

struct fake_channel {
	struct ibv_comp_channel ch;
	pthread_mutex_t lock;
	struct fake_cq *ready[64];
	unsigned int n;
	_Atomic int users;
};

static pthread_mutex_t async_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ibv_async_event async[ASYNC_MAX];
static unsigned int n_async;

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *ctx)
{
	struct fake_channel *ch = calloc(1, sizeof(*ch));

	ch->ch.context = ctx;
	ch->ch.fd = eventfd(0, EFD_SEMAPHORE);
	pthread_mutex_init(&ch->lock, NULL);
	return &ch->ch;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	struct fake_channel *ch = (struct fake_channel *)channel;

	if (ch->users)
		return EBUSY;
	close(channel->fd);
	free(ch);
	return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *ctx, int cqe, void *cq_context,
			     struct ibv_comp_channel *channel, int vector)
{
	struct fake_cq *cq;

	(void)vector;
	if (cqe > FAKE_WR_MAX) {
		errno = EINVAL;
		return NULL;
	}
	cq = calloc(1, sizeof(*cq));
	cq->cq.context = ctx;
	cq->cq.cq_context = cq_context;
	cq->cq.channel = channel;
	cq->cq.cqe = cqe;
	pthread_mutex_init(&cq->lock, NULL);
	if (channel)
		((struct fake_channel *)channel)->users++;
	return &cq->cq;
}

void fake_cq_use(struct ibv_cq *cq, int n)
{
	((struct fake_cq *)cq)->users += n;
}

static void channel_forget(struct fake_channel *ch, struct fake_cq *cq)
{
	unsigned int i, kept = 0;

	pthread_mutex_lock(&ch->lock);
	for (i = 0; i < ch->n; i++)
		if (ch->ready[i] != cq)
			ch->ready[kept++] = ch->ready[i];
	ch->n = kept;
	pthread_mutex_unlock(&ch->lock);
}

/* As libibverbs: wait until all events are acknowledged; not for ever. */
static void wait_acked(const struct fake_cq *cq)
{
	unsigned int tries;

	for (tries = 0; cq->events != cq->acked; tries++) {
		if (tries == WAIT_MAX)
			abort();
		usleep(WAIT_US);
	}
}

int ibv_destroy_cq(struct ibv_cq *vcq)
{
	struct fake_cq *cq = (struct fake_cq *)vcq;

	if (cq->users)
		return EBUSY;
	if (vcq->channel) {
		channel_forget((struct fake_channel *)vcq->channel, cq);
		((struct fake_channel *)vcq->channel)->users--;
	}
	wait_acked(cq);
	free(cq);
	return 0;
}

int fake_req_notify_cq(struct ibv_cq *vcq, int solicited)
{
	(void)solicited;
	((struct fake_cq *)vcq)->armed = true;
	return 0;
}

void fake_complete(struct ibv_cq *vcq, struct ibv_qp *qp, uint64_t wr_id)
{
	struct fake_cq *cq = (struct fake_cq *)vcq;
	struct fake_channel *ch = (struct fake_channel *)vcq->channel;
	uint64_t one = 1;

	pthread_mutex_lock(&cq->lock);
	cq->qp = qp;
	cq->wr_id = wr_id;
	cq->pending++;
	if (ch && cq->armed) {
		cq->armed = false;
		pthread_mutex_lock(&ch->lock);
		if (ch->n < 64) {
			ch->ready[ch->n++] = cq;
			if (write(ch->ch.fd, &one, sizeof(one)) < 0)
				abort();
		}
		pthread_mutex_unlock(&ch->lock);
	}
	pthread_mutex_unlock(&cq->lock);
}

int fake_poll_cq(struct ibv_cq *vcq, int n, struct ibv_wc *wc)
{
	struct fake_cq *cq = (struct fake_cq *)vcq;
	int i;

	pthread_mutex_lock(&cq->lock);
	for (i = 0; i < n && cq->pending; i++, cq->pending--)
		wc[i] = (struct ibv_wc){ .wr_id = cq->wr_id };
	pthread_mutex_unlock(&cq->lock);
	return i;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq,
		     void **context)
{
	struct fake_channel *ch = (struct fake_channel *)channel;
	struct fake_cq *ready = NULL;
	uint64_t value;

	if (read(channel->fd, &value, sizeof(value)) < 0)
		return -1;
	pthread_mutex_lock(&ch->lock);
	if (ch->n) {
		ready = ch->ready[0];
		memmove(ch->ready, ch->ready + 1, --ch->n * sizeof(*ch->ready));
		ready->events++;
	}
	pthread_mutex_unlock(&ch->lock);
	if (!ready) {
		errno = EAGAIN;
		return -1;
	}
	*cq = &ready->cq;
	*context = ready->cq.cq_context;
	return 0;
}

void ibv_ack_cq_events(struct ibv_cq *vcq, unsigned int n)
{
	struct fake_cq *cq = (struct fake_cq *)vcq;

	cq->acked += n;
	if (cq->acked > cq->events)
		abort();	/* The library has to prevent it. */
}

/* --- asynchronous events --------------------------------------------------- */

void fake_async_event(struct ibv_context *ctx, enum ibv_event_type type,
		      void *element)
{
	uint64_t one = 1;

	pthread_mutex_lock(&async_lock);
	async[n_async++ % ASYNC_MAX] = (struct ibv_async_event){
		.event_type = type, .element.cq = element,
	};
	pthread_mutex_unlock(&async_lock);
	if (write(ctx->async_fd, &one, sizeof(one)) < 0)
		abort();
}

int ibv_get_async_event(struct ibv_context *ctx, struct ibv_async_event *event)
{
	uint64_t value;

	if (read(ctx->async_fd, &value, sizeof(value)) < 0)
		return -1;
	pthread_mutex_lock(&async_lock);
	*event = async[(n_async - 1) % ASYNC_MAX];
	pthread_mutex_unlock(&async_lock);
	return 0;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
	(void)event;
}
