// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Methods of the driver in the uverbs ioctl ABI.
 */
#include <errno.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "qp_attr.h"

enum { ATTRS_MAX = 2 };

/**
 * struct call - one call of a method
 * @hdr: header
 * @attr: its attributes
 */
struct call {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attr[ATTRS_MAX];
};

static void add(struct call *c, uint16_t id, uint16_t len, uint64_t data)
{
	c->attr[c->hdr.num_attrs++] = (struct ib_uverbs_attr){
		.attr_id = id,
		.len = len,
		.flags = UVERBS_ATTR_F_MANDATORY,
		.data = data,
	};
}

/* Returns 0 or an errno. */
static int run(struct ibv_context *ctx, struct call *c, uint16_t object,
	       uint16_t method)
{
	c->hdr.length = sizeof(c->hdr) + c->hdr.num_attrs * sizeof(c->attr[0]);
	c->hdr.object_id = object;
	c->hdr.method_id = method;
	c->hdr.driver_id = RDMA_DRIVER_MRC;
	return ioctl(ctx->cmd_fd, RDMA_VERBS_IOCTL, &c->hdr) ? errno : 0;
}

/**
 * qp_attr_set - set attributes
 * @qp: queue pair
 * @attr: attributes
 *
 * Return: 0 or an errno.
 */
int qp_attr_set(struct ibv_qp *qp, const struct mrc_ib_qp_attr *attr)
{
	struct call c = {};

	add(&c, MRC_IB_ATTR_QP_MODIFY_HANDLE, 0, qp->handle);
	add(&c, MRC_IB_ATTR_QP_MODIFY_ATTR, sizeof(*attr), (uintptr_t)attr);
	return run(qp->context, &c, UVERBS_OBJECT_QP, MRC_IB_METHOD_QP_MODIFY);
}

/**
 * qp_attr_get - query attributes
 * @qp: queue pair
 * @attr: filled in
 *
 * Return: 0 or an errno.
 */
int qp_attr_get(struct ibv_qp *qp, struct mrc_ib_qp_attr *attr)
{
	struct call c = {};

	add(&c, MRC_IB_ATTR_QP_QUERY_HANDLE, 0, qp->handle);
	add(&c, MRC_IB_ATTR_QP_QUERY_ATTR, sizeof(*attr), (uintptr_t)attr);
	return run(qp->context, &c, UVERBS_OBJECT_QP, MRC_IB_METHOD_QP_QUERY);
}

/**
 * qp_attr_limits - query the limits of a device
 * @ctx: device
 * @attr: filled in
 *
 * Return: 0 or an errno.
 */
int qp_attr_limits(struct ibv_context *ctx, struct mrc_ib_device_attr *attr)
{
	struct call c = {};

	add(&c, MRC_IB_ATTR_DEVICE_QUERY_ATTR, sizeof(*attr), (uintptr_t)attr);
	return run(ctx, &c, UVERBS_OBJECT_DEVICE, MRC_IB_METHOD_DEVICE_QUERY);
}
