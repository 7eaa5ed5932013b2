// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A device without hardware and kernel: what libmrc calls of libibverbs and of the
 * uverbs ioctl, strict about attributes of transitions.
 */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <rdma/mrc-abi.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "fake.h"

static struct ibv_device device = { .name = "mrc0" };

/* --- attributes that transitions require -------------------------------- */

struct transition {
	enum ibv_qp_state from, to;
	int required, optional;
};

static const struct transition transitions[] = {
	{ IBV_QPS_RESET, IBV_QPS_INIT,
	  IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0 },
	{ IBV_QPS_INIT, IBV_QPS_INIT, 0,
	  IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS },
	{ IBV_QPS_INIT, IBV_QPS_RTR,
	  IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
	  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
	  IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX },
	{ IBV_QPS_RTR, IBV_QPS_RTS,
	  IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
	  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
	  IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER },
	{ IBV_QPS_RTS, IBV_QPS_RTS, 0,
	  IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER },
	{ IBV_QPS_RTS, IBV_QPS_SQD, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY },
};

static int transition_check(enum ibv_qp_state from, enum ibv_qp_state to, int mask)
{
	size_t i;

	if (to == IBV_QPS_RESET || to == IBV_QPS_ERR)
		return mask & ~IBV_QP_STATE ? EINVAL : 0;
	for (i = 0; i < sizeof(transitions) / sizeof(*transitions); i++) {
		const struct transition *t = &transitions[i];

		if (t->from == from && t->to == to)
			return (mask & t->required) != t->required ||
			       mask & ~(t->required | t->optional | IBV_QP_STATE) ?
			       EINVAL : 0;
	}
	return EINVAL;
}

static int values_check(const struct ibv_qp_attr *attr, int mask)
{
	return (mask & IBV_QP_PORT && (!attr->port_num || attr->port_num > 2)) ||
	       (mask & IBV_QP_TIMEOUT && attr->timeout > 31) ||
	       (mask & IBV_QP_RETRY_CNT && attr->retry_cnt > 7) ||
	       (mask & IBV_QP_RNR_RETRY && attr->rnr_retry > 7) ? EINVAL : 0;
}

/* --- queue pairs --------------------------------------------------------- */

struct fake_qp {
	struct ibv_qp qp;
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr init;
	struct mrc_ib_qp_attr mrc;
	struct fake_qp *next;
};

static pthread_mutex_t qps_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fake_qp *qps;
static uint32_t qps_made;

static struct ibv_qp_attr last_attr;
static int last_mask;

static const struct mrc_ib_qp_attr mrc_defaults = {
	.mpr = 1024, .mpr_dest = 1024, .max_wimm = 128, .max_wimm_dest = 128,
	.timeout = 16, .linear_cnt = 3, .exp_cnt = 4, .trim_nack = 1,
};

int fake_last_modify(struct ibv_qp_attr *attr)
{
	*attr = last_attr;
	return last_mask;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init)
{
	struct fake_qp *qp;

	if (init->cap.max_send_wr > FAKE_WR_MAX || init->cap.max_recv_wr > FAKE_WR_MAX) {
		errno = EINVAL;
		return NULL;
	}
	qp = calloc(1, sizeof(*qp));
	init->cap.max_inline_data = 64;
	qp->init = *init;
	qp->mrc = mrc_defaults;
	qp->qp = (struct ibv_qp){
		.context = pd->context, .qp_context = init->qp_context, .pd = pd,
		.send_cq = init->send_cq, .recv_cq = init->recv_cq,
		.state = IBV_QPS_RESET, .qp_type = init->qp_type,
	};
	fake_cq_use(init->send_cq, 1);
	fake_cq_use(init->recv_cq, 1);
	pthread_mutex_lock(&qps_lock);
	qp->qp.handle = ++qps_made;
	qp->qp.qp_num = 0x100 + qps_made;
	qp->next = qps;
	qps = qp;
	pthread_mutex_unlock(&qps_lock);
	return &qp->qp;
}

int ibv_destroy_qp(struct ibv_qp *vqp)
{
	struct fake_qp **link, *qp = NULL;

	pthread_mutex_lock(&qps_lock);
	for (link = &qps; *link && &(*link)->qp != vqp; link = &(*link)->next)
		;
	qp = *link;
	*link = qp->next;
	pthread_mutex_unlock(&qps_lock);
	fake_cq_use(vqp->send_cq, -1);
	fake_cq_use(vqp->recv_cq, -1);
	free(qp);
	return 0;
}

int ibv_modify_qp(struct ibv_qp *vqp, struct ibv_qp_attr *attr, int mask)
{
	enum ibv_qp_state to = mask & IBV_QP_STATE ? attr->qp_state : vqp->state;
	struct fake_qp *qp = (struct fake_qp *)vqp;
	int ret;

	ret = transition_check(vqp->state, to, mask);
	if (!ret)
		ret = values_check(attr, mask);
	if (ret)
		return ret;
	last_attr = *attr;
	last_mask = mask;
	vqp->state = to;
	qp->attr = *attr;
	if (to == IBV_QPS_RESET)
		qp->mrc = mrc_defaults;
	return 0;
}

int ibv_query_qp(struct ibv_qp *vqp, struct ibv_qp_attr *attr, int mask,
		 struct ibv_qp_init_attr *init)
{
	struct fake_qp *qp = (struct fake_qp *)vqp;

	(void)mask;
	*attr = qp->attr;
	attr->qp_state = vqp->state;
	*init = qp->init;
	return 0;
}

static int fake_post_send(struct ibv_qp *vqp, struct ibv_send_wr *wr,
			  struct ibv_send_wr **bad_wr)
{
	for (; wr; wr = wr->next) {
		if (vqp->state != IBV_QPS_RTS || wr->num_sge > 16 ||
		    (wr->num_sge && !wr->sg_list[wr->num_sge - 1].length)) {
			*bad_wr = wr;
			return EINVAL;
		}
		fake_complete(vqp->send_cq, vqp, wr->wr_id);
	}
	return 0;
}

static int fake_post_recv(struct ibv_qp *vqp, struct ibv_recv_wr *wr,
			  struct ibv_recv_wr **bad_wr)
{
	for (; wr; wr = wr->next) {
		if (vqp->state == IBV_QPS_RESET || wr->num_sge > 16 ||
		    (wr->num_sge && !wr->sg_list[wr->num_sge - 1].length)) {
			*bad_wr = wr;
			return EINVAL;
		}
	}
	return 0;
}

/* --- devices -------------------------------------------------------------- */

struct ibv_context *fake_context(void)
{
	struct verbs_context *v = calloc(1, sizeof(*v));
	struct ibv_context *ctx = &v->context;

	v->sz = sizeof(*v);
	ctx->device = &device;
	ctx->cmd_fd = FAKE_CMD_FD;
	ctx->async_fd = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE);
	ctx->num_comp_vectors = 2;
	ctx->ops.poll_cq = fake_poll_cq;
	ctx->ops.req_notify_cq = fake_req_notify_cq;
	ctx->ops.post_send = fake_post_send;
	ctx->ops.post_recv = fake_post_recv;
	return ctx;
}

void fake_context_free(struct ibv_context *ctx)
{
	close(ctx->async_fd);
	free((char *)ctx - offsetof(struct verbs_context, context));
}

const char *ibv_get_device_name(struct ibv_device *dev)
{
	return dev->name;
}

#undef ibv_query_port
int ibv_query_port(struct ibv_context *ctx, uint8_t port,
		   struct _compat_ibv_port_attr *attr)
{
	struct ibv_port_attr *to = (struct ibv_port_attr *)attr;

	(void)ctx;
	if (!port || port > 2)
		return EINVAL;
	to->state = IBV_PORT_ACTIVE;
	to->active_mtu = IBV_MTU_4096;
	return 0;
}

/* --- the driver's methods ------------------------------------------------- */

static int device_query(const struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct mrc_ib_device_attr attr = {
		.protocol = 1,
		.caps = MRC_IB_CAP_TRIM_NACK | MRC_IB_CAP_DYNAMIC_MPR |
			MRC_IB_CAP_SVC_TIME,
		.mpr_min = 64, .mpr_max = 16384, .mpr_unit = 1,
		.max_wimm = 32768, .max_wimm_dest = 32768,
		.timeout_max = 24, .linear_max = 7, .exp_max = 25,
	};

	memcpy((void *)(uintptr_t)hdr->attrs[0].data, &attr, sizeof(attr));
	return 0;
}

static int qp_modify(struct fake_qp *qp, const struct mrc_ib_qp_attr *attr)
{
	struct mrc_ib_qp_attr *to = &qp->mrc;

	if ((attr->mask & MRC_IB_QP_TIMEOUT &&
	     (!attr->timeout || attr->timeout > 24)) ||
	    (attr->mask & MRC_IB_QP_MPR && attr->mpr < 64) ||
	    (attr->mask & MRC_IB_QP_LINEAR_CNT && attr->linear_cnt > 7) ||
	    (attr->mask & MRC_IB_QP_EXP_CNT && attr->exp_cnt > 25))
		return EINVAL;
	if (attr->mask & MRC_IB_QP_EV_PROFILE && attr->ev_profile[0] &&
	    strcmp(attr->ev_profile, "13"))
		return ENOENT;
	if ((attr->mask & (MRC_IB_QP_MPR_DEST | MRC_IB_QP_TRIM_NACK) &&
	     qp->qp.state >= IBV_QPS_RTR) ||
	    (attr->mask & MRC_IB_QP_MPR && qp->qp.state >= IBV_QPS_RTS))
		return EBUSY;
	to->mask |= attr->mask;
#define TAKE(bit, member) \
	do { if (attr->mask & MRC_IB_QP_##bit) to->member = attr->member; } while (0)
	TAKE(MPR, mpr);
	TAKE(MPR_DEST, mpr_dest);
	TAKE(MAX_WIMM, max_wimm);
	TAKE(MAX_WIMM_DEST, max_wimm_dest);
	TAKE(TIMEOUT, timeout);
	TAKE(LINEAR_CNT, linear_cnt);
	TAKE(EXP_CNT, exp_cnt);
	TAKE(TRIM_NACK, trim_nack);
	TAKE(DYNAMIC_MPR, dynamic_mpr);
	TAKE(SVC_TIME, svc_time);
	TAKE(SVC_TIME_DEST, svc_time_dest);
	if (attr->mask & MRC_IB_QP_EV_PROFILE)
		memcpy(to->ev_profile, attr->ev_profile, sizeof(to->ev_profile));
	if (attr->mask & MRC_IB_QP_CC_PROFILE)
		memcpy(to->cc_profile, attr->cc_profile, sizeof(to->cc_profile));
	return 0;
}

static int qp_method(const struct ib_uverbs_ioctl_hdr *hdr)
{
	struct mrc_ib_qp_attr *attr = (void *)(uintptr_t)hdr->attrs[1].data;
	struct fake_qp *qp;

	pthread_mutex_lock(&qps_lock);
	for (qp = qps; qp && qp->qp.handle != hdr->attrs[0].data; qp = qp->next)
		;
	pthread_mutex_unlock(&qps_lock);
	if (!qp)
		return ENOENT;
	if (hdr->method_id == MRC_IB_METHOD_QP_MODIFY)
		return qp_modify(qp, attr);
	*attr = qp->mrc;
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	const struct ib_uverbs_ioctl_hdr *hdr;
	va_list args;

	va_start(args, request);
	hdr = va_arg(args, const struct ib_uverbs_ioctl_hdr *);
	va_end(args);
	if (fd != FAKE_CMD_FD || request != RDMA_VERBS_IOCTL ||
	    hdr->driver_id != RDMA_DRIVER_MRC)
		errno = EINVAL;
	else if (hdr->object_id == UVERBS_OBJECT_DEVICE)
		errno = device_query(hdr);
	else
		errno = qp_method(hdr);
	return errno ? -1 : 0;
}
