// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * User contexts and protection domains.
 */
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/uaccess.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mrc-abi.h>
#include <rdma/uverbs_ioctl.h>
#include "verbs/device.h"
#include "verbs/ucontext.h"

/* Are all bytes after the first @known ones zero?  Newer kernels define them. */
static bool mrc_udata_known(struct ib_udata *udata, size_t known)
{
	return udata->inlen <= known ||
	       ib_is_udata_cleared(udata, known, udata->inlen - known);
}

/**
 * mrc_udata_check() - check the driver's part of a request that defines no fields
 * @udata: of the request; NULL for users in the kernel
 *
 * A newer provider may send fields that are unknown here, as long as they are zero.
 *
 * Context: process.
 * Return: 0, or -EOPNOTSUPP if any byte is not zero.
 */
int mrc_udata_check(struct ib_udata *udata)
{
	return !udata || mrc_udata_known(udata, 0) ? 0 : -EOPNOTSUPP;
}

/**
 * mrc_udata_request() - read the driver's part of a request
 * @udata: of the request
 * @req: filled; fields that an older provider does not send are zero
 * @size: bytes of @req
 *
 * Context: process.
 * Return: 0, -EFAULT, or -EOPNOTSUPP if any byte after the known ones is not zero.
 */
int mrc_udata_request(struct ib_udata *udata, void *req, size_t size)
{
	size_t len = min(size, udata->inlen);
	int err;

	if (!mrc_udata_known(udata, size))
		return -EOPNOTSUPP;
	err = ib_copy_from_udata(req, udata, len);
	if (!err)
		memset(req + len, 0, size - len);
	return err;
}

/**
 * mrc_udata_respond() - write the driver's part of a response
 * @udata: of the request; NULL for users in the kernel: nothing is written
 * @resp: response
 * @size: bytes of @resp
 *
 * The response is truncated to the size that an older provider expects; fields that
 * only a newer provider knows are zeroed.
 *
 * Context: process.
 * Return: 0 or -EFAULT.
 */
int mrc_udata_respond(struct ib_udata *udata, const void *resp, size_t size)
{
	size_t len;
	int err;

	if (!udata)
		return 0;
	len = min(size, udata->outlen);
	err = ib_copy_to_udata(udata, (void *)resp, len);
	if (!err && clear_user(udata->outbuf + len, udata->outlen - len))
		err = -EFAULT;
	return err;
}

/**
 * mrc_udata_context() - the user context of a request
 * @udata: of a request
 *
 * Return: the context; NULL for users in the kernel.
 */
struct ib_ucontext *mrc_udata_context(struct ib_udata *udata)
{
	if (!udata)
		return NULL;
	return &rdma_udata_to_drv_context(udata, struct mrc_ucontext, ib)->ib;
}

/**
 * mrc_ucontext_alloc() - open the device for a process
 * @uctx: its context
 * @udata: response: struct mrc_alloc_ucontext_resp
 *
 * Return: 0 or a negative errno.
 */
int mrc_ucontext_alloc(struct ib_ucontext *uctx, struct ib_udata *udata)
{
	const struct mrc_alloc_ucontext_resp resp = {
		.comp_mask = MRC_UCONTEXT_SEND_OPCODES,
		.send_opcodes = BIT(IB_UVERBS_WR_RDMA_WRITE) |
				BIT(IB_UVERBS_WR_RDMA_WRITE_WITH_IMM) |
				BIT(IB_UVERBS_WR_SEND) |
				BIT(IB_UVERBS_WR_SEND_WITH_IMM) |
				BIT(IB_UVERBS_WR_SEND_WITH_INV) |
				BIT(IB_UVERBS_WR_LOCAL_INV) |
				BIT(IB_UVERBS_WR_BIND_MW) |
				BIT(IB_UVERBS_WR_RDMA_READ) |
				BIT(IB_UVERBS_WR_ATOMIC_CMP_AND_SWP) |
				BIT(IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD),
	};
	int err;

	err = mrc_udata_check(udata);
	if (err)
		return err;
	return mrc_udata_respond(udata, &resp, sizeof(resp));
}

/**
 * mrc_ucontext_dealloc() - close the device for a process
 * @uctx: its context
 */
void mrc_ucontext_dealloc(struct ib_ucontext *uctx)
{
}

/**
 * mrc_ucontext_disassociate() - the device is unregistered while a process has it open
 * @uctx: context of the process
 *
 * Nothing to do: only pages of rings are mapped, and the mapping holds references to
 * them.  The kernel does not write them after their QP or CQ has been destroyed.
 */
void mrc_ucontext_disassociate(struct ib_ucontext *uctx)
{
}

/**
 * mrc_pd_alloc() - allocate a protection domain
 * @pd: protection domain
 * @udata: empty
 *
 * The limit applies to protection domains of processes only.
 *
 * Return: 0 or a negative errno; -ENOMEM if the limit is reached.
 */
int mrc_pd_alloc(struct ib_pd *pd, struct ib_udata *udata)
{
	struct mrc_device *dev = mrc_device_from_ib(pd->device);
	int err = mrc_udata_check(udata);

	if (!err && udata && !atomic_add_unless(&dev->n_pds, 1, MRC_MAX_PD))
		err = -ENOMEM;
	return err;
}

/**
 * mrc_pd_dealloc() - deallocate a protection domain
 * @pd: protection domain
 * @udata: empty
 *
 * Return: 0.
 */
int mrc_pd_dealloc(struct ib_pd *pd, struct ib_udata *udata)
{
	if (pd->uobject)
		atomic_dec(&mrc_device_from_ib(pd->device)->n_pds);
	return 0;
}
