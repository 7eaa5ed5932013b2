// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions of a dma-buf, as far as the CPU can reach it.
 *
 * A software device has no DMA: what it moves, the CPU moves.  So it uses the
 * mapping that the exporter makes for the CPU, and nothing but that mapping: the
 * pages behind are the exporter's, who may count no references on them, or have
 * mapped them with other attributes.  Bytes to be sent are copied.
 *
 * The exporter is told of CPU access once for the life of the region, since a peer
 * does not say when he comes.  Where that is not coherent with the exporter's device,
 * the device sees what was written when the region has gone.
 */
#include <linux/dma-buf.h>
#include <linux/dma-direction.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include "compat/dmabuf.h"
#include "verbs/device.h"
#include "verbs/mr.h"

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

static int mrc_mr_map_dmabuf(struct mrc_mr *mr)
{
	int err;

	err = dma_buf_begin_cpu_access(mr->dmabuf, DMA_BIDIRECTIONAL);
	if (err)
		return err;
	err = mrc_compat_dmabuf_vmap(mr->dmabuf, &mr->map);
	if (err)
		goto err_end;
	/* Memory of a device needs instructions of its own. */
	if (!mr->map.is_iomem)
		return 0;
	err = -EOPNOTSUPP;
	mrc_compat_dmabuf_vunmap(mr->dmabuf, &mr->map);
err_end:
	dma_buf_end_cpu_access(mr->dmabuf, DMA_BIDIRECTIONAL);
	return err;
}

/**
 * mrc_mr_put_dmabuf() - let go of the dma-buf of a region that nobody uses
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
	if (!err)
		err = mrc_mr_map_dmabuf(mr);
	if (err)
		dma_buf_put(dmabuf);
	return err;
}

static struct ib_mr *mrc_mr_reg_dmabuf(struct ib_pd *pd, u64 offset, u64 length,
				       u64 iova, int fd, int access)
{
	struct mrc_mr *mr;
	int err;

	if (iova + length < iova)
		return ERR_PTR(-EINVAL);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = mrc_mr_get_dmabuf(mr, offset, length, fd, access);
	if (err)
		goto err_free;
	mr->region.pd = pd;
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

/**
 * mrc_mr_reg_dmabuf_udata() - register (a part of) a dma-buf
 * @pd: protection domain
 * @offset: first byte within the buffer
 * @length: bytes
 * @iova: address by which work requests and peers name the first byte
 * @fd: of the buffer
 * @access: enum ib_access_flags, of which the RDMA core lets through what we have
 * @udata: empty
 *
 * Return: the region, or an ERR_PTR; -EOPNOTSUPP if the CPU cannot reach it, -EACCES
 * if it is to be written and @fd is not for that.
 */
struct ib_mr *mrc_mr_reg_dmabuf_udata(struct ib_pd *pd, u64 offset, u64 length,
				      u64 iova, int fd, int access,
				      struct ib_udata *udata)
{
	return mrc_mr_reg_dmabuf(pd, offset, length, iova, fd, access);
}

/**
 * mrc_mr_reg_dmabuf_attrs() - register (a part of) a dma-buf
 * @pd: as for mrc_mr_reg_dmabuf_udata(), and so on
 * @offset: first byte
 * @length: bytes
 * @iova: address
 * @fd: buffer
 * @access: access
 * @attrs: of the call
 *
 * Return: the region, or an ERR_PTR.
 */
struct ib_mr *mrc_mr_reg_dmabuf_attrs(struct ib_pd *pd, u64 offset, u64 length,
				      u64 iova, int fd, int access,
				      struct uverbs_attr_bundle *attrs)
{
	return mrc_mr_reg_dmabuf(pd, offset, length, iova, fd, access);
}
