// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * User contexts and protection domains.
 */
#include <linux/bits.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mrc-abi.h>
#include <rdma/uverbs_ioctl.h>
#include "verbs/device.h"
#include "verbs/ucontext.h"

/**
 * mrc_udata_check() - check the driver's part of a request
 * @udata: of the request; NULL for users in the kernel
 * @resp_size: bytes of the driver's response
 *
 * No command has a driver request yet, so a newer process may only send zeros.
 *
 * Return: 0, -EINVAL without room for the response, -EOPNOTSUPP if the process
 * asks for what is not known here.
 */
int mrc_udata_check(struct ib_udata *udata, size_t resp_size)
{
	if (!udata)
		return 0;
	if (udata->outlen < resp_size)
		return -EINVAL;
	if (udata->inlen && !ib_is_udata_cleared(udata, 0, udata->inlen))
		return -EOPNOTSUPP;
	return 0;
}

/**
 * mrc_udata_respond() - give the driver's response
 * @udata: of the request; NULL for users in the kernel, who get none
 * @resp: response
 * @size: bytes of it
 *
 * Return: 0 or -EFAULT.
 */
int mrc_udata_respond(struct ib_udata *udata, const void *resp, size_t size)
{
	return udata ? ib_copy_to_udata(udata, (void *)resp, size) : 0;
}

/**
 * mrc_udata_context() - the context a request comes from
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
 * mrc_ucontext_alloc() - a process opens the device
 * @uctx: its context
 * @udata: response: struct mrc_alloc_ucontext_resp
 *
 * Return: 0 or a negative errno.
 */
int mrc_ucontext_alloc(struct ib_ucontext *uctx, struct ib_udata *udata)
{
	const struct mrc_alloc_ucontext_resp resp = {
		.max_inline = MRC_MAX_INLINE,
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

	err = mrc_udata_check(udata, sizeof(resp));
	if (err)
		return err;
	return mrc_udata_respond(udata, &resp, sizeof(resp));
}

/**
 * mrc_ucontext_dealloc() - a process has closed the device
 * @uctx: its context
 */
void mrc_ucontext_dealloc(struct ib_ucontext *uctx)
{
}

/**
 * mrc_ucontext_disassociate() - the device goes while a process has it open
 * @uctx: context of the process
 *
 * Nothing to do: what is mapped are pages of the rings, which the mapping
 * itself keeps; they are written no more once their QP or CQ is gone.
 */
void mrc_ucontext_disassociate(struct ib_ucontext *uctx)
{
}

/**
 * mrc_pd_alloc() - make a protection domain
 * @pd: protection domain
 * @udata: empty
 *
 * Those of users in the kernel take nothing from what programs may have.
 *
 * Return: 0 or a negative errno; -ENOMEM if there are too many.
 */
int mrc_pd_alloc(struct ib_pd *pd, struct ib_udata *udata)
{
	struct mrc_device *dev = mrc_device_from_ib(pd->device);
	int err = mrc_udata_check(udata, 0);

	if (!err && udata && !atomic_add_unless(&dev->n_pds, 1, MRC_MAX_PD))
		err = -ENOMEM;
	return err;
}

/**
 * mrc_pd_dealloc() - end a protection domain
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
