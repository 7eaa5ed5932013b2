// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Transitions of queue pairs.  The API leaves out attributes that verbs require for
 * a transition, and calls others unsupported that programs set nevertheless.
 */
#include "qp.h"

/* Ignored: MRC has attributes of its own for them, or does not need them. */
#define IGNORED                                                               \
	(IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |               \
	 IBV_QP_MIN_RNR_TIMER | IBV_QP_MAX_QP_RD_ATOMIC |                     \
	 IBV_QP_MAX_DEST_RD_ATOMIC)

enum {
	DEFAULT_PORT = 1,
	DEFAULT_ACCESS = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
	DEFAULT_HOP_LIMIT = 64,
	/*
	 * Receivers post enough for the WRITEs with immediate data that may be in
	 * flight; if one does not, its peer waits 0.64 ms and tries again, without end.
	 */
	DEFAULT_RNR_TIMER = 12,
	DEFAULT_RNR_RETRY = 7,
	/* 67 ms and 7 retries, unless MRC_QP_TIMEOUT and MRC_QP_RETRY_CNT say more. */
	DEFAULT_TIMEOUT = 14,
	DEFAULT_RETRY_CNT = 7,
};

static void complete_init(struct ibv_qp_attr *attr, int *mask)
{
	if (!(*mask & IBV_QP_PKEY_INDEX))
		attr->pkey_index = 0;
	if (!(*mask & IBV_QP_PORT))
		attr->port_num = DEFAULT_PORT;
	if (!(*mask & IBV_QP_ACCESS_FLAGS))
		attr->qp_access_flags = DEFAULT_ACCESS;
	*mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
}

static int complete_mtu(const struct mrc_qp *qp, struct ibv_qp_attr *attr)
{
	struct ibv_port_attr port;

	if (ibv_query_port(qp_verbs(qp)->context, attr->ah_attr.port_num, &port))
		return refuse(EINVAL, "port %u cannot be queried",
			      attr->ah_attr.port_num);
	attr->path_mtu = port.active_mtu;
	return 0;
}

static int complete_rtr(const struct mrc_qp *qp, struct ibv_qp_attr *attr,
			int *mask)
{
	int ret;

	if (~*mask & (IBV_QP_AV | IBV_QP_DEST_QPN))
		return refuse(EINVAL, "RTR needs IBV_QP_AV and IBV_QP_DEST_QPN");
	if (!attr->ah_attr.port_num)
		attr->ah_attr.port_num = DEFAULT_PORT;
	if (!attr->ah_attr.grh.hop_limit)
		attr->ah_attr.grh.hop_limit = DEFAULT_HOP_LIMIT;
	if (!(*mask & IBV_QP_PATH_MTU)) {
		ret = complete_mtu(qp, attr);
		if (ret)
			return ret;
	}
	if (!(*mask & IBV_QP_RQ_PSN))
		attr->rq_psn = 0;
	attr->max_dest_rd_atomic = 0;
	attr->min_rnr_timer = DEFAULT_RNR_TIMER;
	*mask |= IBV_QP_PATH_MTU | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
		 IBV_QP_MIN_RNR_TIMER;
	return 0;
}

static void complete_rts(struct ibv_qp_attr *attr, int *mask)
{
	if (!(*mask & IBV_QP_SQ_PSN))
		attr->sq_psn = 0;
	attr->timeout = DEFAULT_TIMEOUT;
	attr->retry_cnt = DEFAULT_RETRY_CNT;
	attr->rnr_retry = DEFAULT_RNR_RETRY;
	attr->max_rd_atomic = 0;
	*mask |= IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		 IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
}

/**
 * qp_state_complete() - make attributes of the API those that verbs require
 * @qp: queue pair; lock held
 * @attr: attributes, which are changed
 * @mask: which of them are set, likewise
 *
 * Return: 0 or an errno.
 */
int qp_state_complete(const struct mrc_qp *qp, struct ibv_qp_attr *attr,
		      int *mask)
{
	enum ibv_qp_state from = qp_verbs(qp)->state;

	*mask &= ~IGNORED;
	if (!(*mask & IBV_QP_STATE))
		return 0;
	if (attr->qp_state == IBV_QPS_INIT && from == IBV_QPS_RESET)
		complete_init(attr, mask);
	else
		*mask &= ~IBV_QP_PORT;
	if (attr->qp_state == IBV_QPS_RTR && from == IBV_QPS_INIT)
		return complete_rtr(qp, attr, mask);
	if (attr->qp_state == IBV_QPS_RTS && from == IBV_QPS_RTR)
		complete_rts(attr, mask);
	return 0;
}
