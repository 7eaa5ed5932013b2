// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Registration with libibverbs, devices and contexts.
 */
#include <errno.h>
#include <stdlib.h>

#include "mrc.h"

static void mrc_free_context(struct ibv_context *ibctx)
{
	struct mrc_context *ctx = to_mctx(ibctx);

	verbs_uninit_context(&ctx->vctx);
	free(ctx);
}

static const struct verbs_context_ops mrc_context_ops = {
	.alloc_mw = mrc_alloc_mw,
	.alloc_pd = mrc_alloc_pd,
	.bind_mw = mrc_bind_mw,
	.cq_event = mrc_cq_event,
	.create_ah = mrc_create_ah,
	.create_cq = mrc_create_cq,
	.create_cq_ex = mrc_create_cq_ex,
	.create_qp = mrc_create_qp,
	.create_qp_ex = mrc_create_qp_ex,
	.create_srq = mrc_create_srq,
	.dealloc_mw = mrc_dealloc_mw,
	.dealloc_pd = mrc_dealloc_pd,
	.dereg_mr = mrc_dereg_mr,
	.destroy_ah = mrc_destroy_ah,
	.destroy_cq = mrc_destroy_cq,
	.destroy_qp = mrc_destroy_qp,
	.destroy_srq = mrc_destroy_srq,
	.free_context = mrc_free_context,
	.modify_cq = mrc_modify_cq,
	.modify_qp = mrc_modify_qp,
	.modify_srq = mrc_modify_srq,
	.poll_cq = mrc_poll_cq,
	.post_recv = mrc_post_recv,
	.post_send = mrc_post_send,
	.post_srq_recv = mrc_post_srq_recv,
	.query_device_ex = mrc_query_device_ex,
	.query_port = mrc_query_port,
	.query_qp = mrc_query_qp,
	.query_rt_values = mrc_query_rt_values,
	.query_srq = mrc_query_srq,
	.reg_dmabuf_mr = mrc_reg_dmabuf_mr,
	.reg_mr = mrc_reg_mr,
	.req_notify_cq = mrc_req_notify_cq,
	.rereg_mr = mrc_rereg_mr,
	.resize_cq = mrc_resize_cq,
};

static struct verbs_context *mrc_alloc_context(struct ibv_device *ibdev,
					       int cmd_fd, void *private_data)
{
	struct mrc_cmd_alloc_context_resp resp = {};
	struct ibv_get_context cmd = {};
	struct mrc_context *ctx;
	int ret;

	ctx = verbs_init_and_alloc_context(ibdev, cmd_fd, ctx, vctx,
					   RDMA_DRIVER_MRC);
	if (!ctx)
		return NULL;

	ret = ibv_cmd_get_context(&ctx->vctx, &cmd, sizeof(cmd),
				  &resp.ibv_resp, sizeof(resp));
	if (ret)
		goto err_uninit;

	/* Without the list of the kernel the supported operations are unknown. */
	if (!(resp.drv_payload.comp_mask & MRC_UCONTEXT_SEND_OPCODES)) {
		ret = EOPNOTSUPP;
		goto err_uninit;
	}
	ctx->send_opcodes = resp.drv_payload.send_opcodes;
	verbs_set_ops(&ctx->vctx, &mrc_context_ops);
	return &ctx->vctx;

err_uninit:
	verbs_uninit_context(&ctx->vctx);
	free(ctx);
	errno = ret;
	return NULL;
}

static struct verbs_device *mrc_alloc_device(struct verbs_sysfs_dev *sysfs_dev)
{
	struct mrc_device *dev = calloc(1, sizeof(*dev));

	return dev ? &dev->vdev : NULL;
}

static void mrc_uninit_device(struct verbs_device *vdev)
{
	free(to_mdev(vdev));
}

static const struct verbs_match_ent mrc_match_table[] = {
	VERBS_DRIVER_ID(RDMA_DRIVER_MRC),
	{},
};

static const struct verbs_device_ops mrc_device_ops = {
	.name = "mrc",
	.match_min_abi_version = MRC_ABI_VERSION,
	.match_max_abi_version = MRC_ABI_VERSION,
	.match_table = mrc_match_table,
	.alloc_device = mrc_alloc_device,
	.uninit_device = mrc_uninit_device,
	.alloc_context = mrc_alloc_context,
};

PROVIDER_DRIVER(mrc, mrc_device_ops);
