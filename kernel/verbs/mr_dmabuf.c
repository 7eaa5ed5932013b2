// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions of a dma-buf, as far as the CPU can reach it.
 *
 * The data path copies with the CPU, through the mapping that the exporter makes
 * for the CPU (vmap).  It never touches the pages behind that mapping: the exporter
 * may not count references on them, or may have mapped them with other attributes.
 * Bytes to be sent are therefore copied.
 *
 * A mapping does not keep the storage in place.  So the buffer is attached first,
 * and pinned where its exporter moves buffers, for the life of the region.
 * Exporters without dma_buf_ops.pin may not move what is attached and mapped.
 *
 * ib_umem_dmabuf_get_pinned() cannot be used:
 *
 * - It attaches ib_device.dma_device.  That has to be NULL here: it is how the RDMA
 *   core knows that users in the kernel pass virtual addresses
 *   (ib_uses_virt_dma()), and dma_buf_dynamic_attach() refuses NULL with a warning.
 *   Newer kernels take another device, which must have a DMA mask; ours has none.
 * - It maps the attachment for DMA.  The result is a list of bus addresses, which
 *   the CPU cannot use, and of pages, which an importer must not use
 *   (CONFIG_DMABUF_DEBUG garbles the list for that reason).
 *
 * CPU access begins (dma_buf_begin_cpu_access()) once for the life of the region,
 * because a peer accesses it at any time.  Where CPU access is not coherent with the
 * exporter's device, that device sees the written data after deregistration.
 */
#include <linux/dma-buf.h>
#include <linux/dma-direction.h>
#include <linux/dma-resv.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include "compat/dmabuf.h"
#include "compat/ib.h"
#include "verbs/device.h"
#include "verbs/mr.h"
#include "verbs/ucontext.h"

static int mrc_mr_check_dmabuf(const struct dma_buf *dmabuf, u64 offset,
			       u64 length, int access)
{
	if (!length || length > MRC_MAX_MR_SIZE || offset > dmabuf->size ||
	    length > dmabuf->size - offset)
		return -EINVAL;
	if (ib_access_writable(access) && !(dmabuf->file->f_mode & FMODE_WRITE))
		return -EACCES;
	return dmabuf->ops->vmap ? 0 : -EOPNOTSUPP;
}

/* A pinned buffer does not move: this is a bug of the exporter. */
static void mrc_mr_dmabuf_moved(struct dma_buf_attachment *attach)
{
	struct mrc_mr *mr = attach->importer_priv;

	ibdev_warn_ratelimited(mr->region.pd->device,
			       "the exporter moves a dma-buf that is pinned\n");
}

static const struct dma_buf_attach_ops mrc_mr_dmabuf_attach_ops = {
	.move_notify = mrc_mr_dmabuf_moved,
};

static int mrc_mr_pin_dmabuf(struct mrc_mr *mr)
{
	int err;

	err = dma_resv_lock_interruptible(mr->dmabuf->resv, NULL);
	if (err)
		return err;
	err = dma_buf_pin(mr->attach);
	dma_resv_unlock(mr->dmabuf->resv);
	return err;
}

static void mrc_mr_unpin_dmabuf(struct mrc_mr *mr)
{
	dma_resv_lock(mr->dmabuf->resv, NULL);
	dma_buf_unpin(mr->attach);
	dma_resv_unlock(mr->dmabuf->resv);
}

/*
 * A dynamic attachment exactly where the exporter is dynamic: a mixed pair would
 * have the buffer mapped for DMA when it is attached.
 */
static int mrc_mr_attach_dmabuf(struct mrc_mr *mr)
{
	struct device *dev = &mr->region.pd->device->dev;
	bool dynamic = dma_buf_is_dynamic(mr->dmabuf);
	int err;

	mr->attach = dma_buf_dynamic_attach(mr->dmabuf, dev,
					    dynamic ? &mrc_mr_dmabuf_attach_ops :
						      NULL, mr);
	if (IS_ERR(mr->attach))
		return PTR_ERR(mr->attach);
	err = dynamic ? mrc_mr_pin_dmabuf(mr) : 0;
	if (err)
		dma_buf_detach(mr->dmabuf, mr->attach);
	return err;
}

static void mrc_mr_detach_dmabuf(struct mrc_mr *mr)
{
	if (dma_buf_attachment_is_dynamic(mr->attach))
		mrc_mr_unpin_dmabuf(mr);
	dma_buf_detach(mr->dmabuf, mr->attach);
}

/* begin_cpu_access() also waits until the move that pinning needs is complete. */
static int mrc_mr_map_dmabuf(struct mrc_mr *mr)
{
	int err;

	err = dma_buf_begin_cpu_access(mr->dmabuf, DMA_BIDIRECTIONAL);
	if (err)
		return err;
	err = mrc_compat_dmabuf_vmap(mr->dmabuf, &mr->map);
	if (err)
		goto err_end;
	/* I/O memory needs its own accessors, which the data path does not use. */
	if (!mr->map.is_iomem)
		return 0;
	err = -EOPNOTSUPP;
	mrc_compat_dmabuf_vunmap(mr->dmabuf, &mr->map);
err_end:
	dma_buf_end_cpu_access(mr->dmabuf, DMA_BIDIRECTIONAL);
	return err;
}

/**
 * mrc_mr_put_dmabuf() - release the dma-buf of an unused region
 * @mr: region of any kind
 *
 * Context: process.
 */
void mrc_mr_put_dmabuf(struct mrc_mr *mr)
{
	if (!mr->dmabuf)
		return;
	mrc_compat_dmabuf_vunmap(mr->dmabuf, &mr->map);
	dma_buf_end_cpu_access(mr->dmabuf, DMA_BIDIRECTIONAL);
	mrc_mr_detach_dmabuf(mr);
	dma_buf_put(mr->dmabuf);
}

static int mrc_mr_get_dmabuf(struct mrc_mr *mr, u64 offset, u64 length, int fd,
			     int access)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);
	int err;

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	mr->dmabuf = dmabuf;
	err = mrc_mr_check_dmabuf(dmabuf, offset, length, access);
	if (err)
		goto err_put;
	err = mrc_mr_attach_dmabuf(mr);
	if (err)
		goto err_put;
	err = mrc_mr_map_dmabuf(mr);
	if (err)
		goto err_detach;
	return 0;

err_detach:
	mrc_mr_detach_dmabuf(mr);
err_put:
	dma_buf_put(dmabuf);
	return err;
}

static struct ib_mr *mrc_mr_reg_dmabuf(struct ib_pd *pd, u64 offset, u64 length,
				       u64 iova, int fd, int access,
				       struct ib_udata *udata)
{
	struct mrc_mr *mr;
	int err;

	err = mrc_udata_check(udata);
	if (err)
		return ERR_PTR(err);
	if (iova + length < iova)
		return ERR_PTR(-EINVAL);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->region.pd = pd;
	err = mrc_mr_get_dmabuf(mr, offset, length, fd, access);
	if (err)
		goto err_free;
	mr->region.access = access;
	mr->region.iova = iova;
	mr->region.length = length;
	mr->region.base = mr->map.vaddr + offset;
	mr->region.valid = true;
	err = mrc_mr_publish(mr, pd);
	if (err)
		goto err_put;
	return &mr->ib;

err_put:
	mrc_mr_put_dmabuf(mr);
err_free:
	kfree(mr);
	return ERR_PTR(err);
}

static struct ib_mr *mrc_mr_reg_dmabuf_udata(struct ib_pd *pd, u64 offset,
					     u64 length, u64 iova, int fd,
					     int access, struct ib_udata *udata)
{
	return mrc_mr_reg_dmabuf(pd, offset, length, iova, fd, access, udata);
}

static struct ib_mr *mrc_mr_reg_dmabuf_attrs(struct ib_pd *pd, u64 offset,
					     u64 length, u64 iova, int fd,
					     int access,
					     struct uverbs_attr_bundle *attrs)
{
	return mrc_mr_reg_dmabuf(pd, offset, length, iova, fd, access,
				 attrs ? &attrs->driver_udata : NULL);
}

/*
 * Operations of a device in kernels that have dma-buf.
 *
 * Registration fails with -EOPNOTSUPP if the CPU cannot reach the buffer, -EACCES if
 * the region is to be written and the file descriptor is read-only, -EINVAL if the
 * range is not within the buffer; otherwise with what the exporter reports when it
 * cannot attach, pin or map the buffer.
 */
const struct ib_device_ops mrc_mr_dmabuf_ops = {
	.reg_user_mr_dmabuf = MRC_REG_USER_MR_DMABUF(mrc_mr_reg_dmabuf_udata,
						     mrc_mr_reg_dmabuf_attrs),
};
