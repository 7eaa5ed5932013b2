// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Devices and RC queue pairs as the tests need them.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rc.h"

#define RC_HOP_LIMIT	64
#define RC_PSN_MASK	0xffffff

const struct rc_params rc_defaults = {
	.access = RC_ACCESS_ALL,
	.timeout = 14,
	.retry_cnt = 7,
	.rnr_retry = 7,
	.min_rnr_timer = 12,
};

static struct ibv_context *rc_open_device(const char *name)
{
	struct ibv_context *ctx = NULL;
	struct ibv_device **list;
	int i, n;

	list = ibv_get_device_list(&n);
	if (!list) {
		perror("ibv_get_device_list");
		return NULL;
	}
	for (i = 0; i < n; i++)
		if (!name || !strcmp(ibv_get_device_name(list[i]), name))
			break;
	if (i == n)
		fprintf(stderr, "no RDMA device %s\n", name ? name : "at all");
	else
		ctx = ibv_open_device(list[i]);
	if (i < n && !ctx)
		fprintf(stderr, "open %s: %s\n", ibv_get_device_name(list[i]),
			strerror(errno));
	ibv_free_device_list(list);
	return ctx;
}

static bool rc_gid_usable(const union ibv_gid *gid, bool link_local)
{
	static const union ibv_gid none;
	bool ll = gid->raw[0] == 0xfe && (gid->raw[1] & 0xc0) == 0x80;

	return memcmp(gid, &none, sizeof(none)) && (link_local || !ll);
}

static int rc_find_gid(struct rc_dev *dev, bool link_local)
{
	int i;

	for (i = 0; i < dev->port_attr.gid_tbl_len; i++)
		if (!ibv_query_gid(dev->ctx, dev->port, i, &dev->gid) &&
		    rc_gid_usable(&dev->gid, link_local))
			return i;
	return -1;
}

static int rc_pick_gid(struct rc_dev *dev, int gid_index)
{
	if (gid_index != RC_GID_AUTO) {
		dev->gid_index = gid_index;
		return ibv_query_gid(dev->ctx, dev->port, gid_index,
				     &dev->gid);
	}
	dev->gid_index = rc_find_gid(dev, false);
	if (dev->gid_index < 0)
		dev->gid_index = rc_find_gid(dev, true);
	return dev->gid_index < 0 ? -1 : 0;
}

/**
 * rc_open - open a device and choose a port and an identity
 * @dev: filled in
 * @name: device, or NULL for the first
 * @port: from 1
 * @gid_index: or RC_GID_AUTO
 *
 * Return: 0, or -1 after a message.
 */
int rc_open(struct rc_dev *dev, const char *name, int port, int gid_index)
{
	memset(dev, 0, sizeof(*dev));
	dev->port = port;
	dev->ctx = rc_open_device(name);
	if (!dev->ctx)
		return -1;
	if (ibv_query_device(dev->ctx, &dev->attr)) {
		perror("ibv_query_device");
		goto err;
	}
	if (ibv_query_port(dev->ctx, port, &dev->port_attr)) {
		fprintf(stderr, "port %d: %s\n", port, strerror(errno));
		goto err;
	}
	if (rc_pick_gid(dev, gid_index)) {
		fprintf(stderr, "port %d has no usable GID\n", port);
		goto err;
	}
	dev->pd = ibv_alloc_pd(dev->ctx);
	if (!dev->pd) {
		perror("ibv_alloc_pd");
		goto err;
	}
	return 0;

err:
	ibv_close_device(dev->ctx);
	return -1;
}

/**
 * rc_close - undo rc_open()
 * @dev: without objects left
 */
void rc_close(struct rc_dev *dev)
{
	if (ibv_dealloc_pd(dev->pd))
		perror("ibv_dealloc_pd");
	if (ibv_close_device(dev->ctx))
		perror("ibv_close_device");
}

/**
 * rc_address - address of a QP for its peer
 * @dev: device
 * @qp: queue pair
 * @p: parameters
 * @addr: filled in
 */
void rc_address(const struct rc_dev *dev, const struct ibv_qp *qp,
		const struct rc_params *p, struct rc_addr *addr)
{
	addr->gid = dev->gid;
	addr->qpn = qp->qp_num;
	addr->psn = (qp->qp_num * 0x9e3779b1u) & RC_PSN_MASK;
	addr->lid = dev->port_attr.lid;
	addr->mtu = dev->port_attr.active_mtu;
	if (p->mtu && p->mtu < addr->mtu)
		addr->mtu = p->mtu;
}

/**
 * rc_attr_init - attributes of RESET to INIT
 * @dev: device
 * @p: parameters
 * @attr: filled in
 * @mask: filled in
 */
void rc_attr_init(const struct rc_dev *dev, const struct rc_params *p,
		  struct ibv_qp_attr *attr, int *mask)
{
	*attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_INIT,
		.port_num = dev->port,
		.qp_access_flags = p->access,
	};
	*mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		IBV_QP_ACCESS_FLAGS;
}

/**
 * rc_attr_rtr - attributes of INIT to RTR
 * @dev: device
 * @p: parameters
 * @peer: the other QP
 * @attr: filled in
 * @mask: filled in
 */
void rc_attr_rtr(const struct rc_dev *dev, const struct rc_params *p,
		 const struct rc_addr *peer, struct ibv_qp_attr *attr,
		 int *mask)
{
	enum ibv_mtu mtu = dev->port_attr.active_mtu;

	if (p->mtu && p->mtu < mtu)
		mtu = p->mtu;
	*attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = peer->mtu < mtu ? peer->mtu : mtu,
		.dest_qp_num = peer->qpn,
		.rq_psn = peer->psn,
		.max_dest_rd_atomic = p->rd_atomic ? p->rd_atomic : 1,
		.min_rnr_timer = p->min_rnr_timer,
		.ah_attr.is_global = 1,
		.ah_attr.dlid = peer->lid,
		.ah_attr.port_num = dev->port,
		.ah_attr.grh.dgid = peer->gid,
		.ah_attr.grh.sgid_index = dev->gid_index,
		.ah_attr.grh.hop_limit = RC_HOP_LIMIT,
		.ah_attr.grh.traffic_class = p->tclass,
	};
	*mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
		IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
		IBV_QP_MIN_RNR_TIMER;
}

/**
 * rc_attr_rts - attributes of RTR to RTS
 * @p: parameters
 * @self: this QP
 * @attr: filled in
 * @mask: filled in
 */
void rc_attr_rts(const struct rc_params *p, const struct rc_addr *self,
		 struct ibv_qp_attr *attr, int *mask)
{
	*attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.timeout = p->timeout,
		.retry_cnt = p->retry_cnt,
		.rnr_retry = p->rnr_retry,
		.sq_psn = self->psn,
		.max_rd_atomic = p->rd_atomic ? p->rd_atomic : 1,
	};
	*mask = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC;
}

static int rc_modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		     const char *state)
{
	int ret = ibv_modify_qp(qp, attr, mask);

	if (ret)
		fprintf(stderr, "QP %u to %s: %s\n", qp->qp_num, state,
			strerror(ret));
	return ret;
}

/**
 * rc_init - RESET to INIT
 * @dev: device
 * @qp: queue pair
 * @p: parameters
 *
 * Return: 0, or an errno after a message.
 */
int rc_init(const struct rc_dev *dev, struct ibv_qp *qp,
	    const struct rc_params *p)
{
	struct ibv_qp_attr attr;
	int mask;

	rc_attr_init(dev, p, &attr, &mask);
	return rc_modify(qp, &attr, mask, "INIT");
}

/**
 * rc_connect - INIT to RTS
 * @dev: device
 * @qp: queue pair
 * @p: parameters
 * @self: this QP
 * @peer: the other QP
 *
 * Return: 0, or an errno after a message.
 */
int rc_connect(const struct rc_dev *dev, struct ibv_qp *qp,
	       const struct rc_params *p, const struct rc_addr *self,
	       const struct rc_addr *peer)
{
	struct ibv_qp_attr attr;
	int mask, ret;

	rc_attr_rtr(dev, p, peer, &attr, &mask);
	ret = rc_modify(qp, &attr, mask, "RTR");
	if (ret)
		return ret;
	rc_attr_rts(p, self, &attr, &mask);
	return rc_modify(qp, &attr, mask, "RTS");
}

/**
 * rc_now_ns - monotonic clock
 *
 * Return: nanoseconds.
 */
uint64_t rc_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}
