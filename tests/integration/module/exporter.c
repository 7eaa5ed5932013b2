// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * An exporter of DMA buffers, for tests: stock kernels have no exporter of the kinds
 * that importers must refuse, and not all of them have one for processes.
 */
#include <linux/dma-buf.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/iosys-map.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "exporter.h"

/**
 * struct exporter_buf - a buffer
 * @mem: its bytes
 * @pins: importers that have pinned it; reservation lock
 */
struct exporter_buf {
	void *mem;
	unsigned int pins;
};

/* --- operations of importers ----------------------------------------------- */

static int exporter_vmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	const struct exporter_buf *buf = dmabuf->priv;

	iosys_map_set_vaddr(map, buf->mem);
	return 0;
}

/* The storage of a buffer that is not pinned may move. */
static int exporter_vmap_pinned(struct dma_buf *dmabuf, struct iosys_map *map)
{
	const struct exporter_buf *buf = dmabuf->priv;

	return buf->pins ? exporter_vmap(dmabuf, map) : -EBUSY;
}

static int exporter_vmap_device(struct dma_buf *dmabuf, struct iosys_map *map)
{
	const struct exporter_buf *buf = dmabuf->priv;

	iosys_map_set_vaddr_iomem(map, (void __iomem *)buf->mem);
	return 0;
}

static int exporter_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	const struct exporter_buf *buf = dmabuf->priv;

	return remap_vmalloc_range(vma, buf->mem, vma->vm_pgoff);
}

static int exporter_pin(struct dma_buf_attachment *attachment)
{
	struct exporter_buf *buf = attachment->dmabuf->priv;

	buf->pins++;
	return 0;
}

static void exporter_unpin(struct dma_buf_attachment *attachment)
{
	struct exporter_buf *buf = attachment->dmabuf->priv;

	buf->pins--;
}

static int exporter_pin_refused(struct dma_buf_attachment *attachment)
{
	return -ENOSPC;
}

/* A buffer must stay pinned while it is mapped. */
static void exporter_vunmap_pinned(struct dma_buf *dmabuf,
				   struct iosys_map *map)
{
	const struct exporter_buf *buf = dmabuf->priv;

	WARN_ON(!buf->pins);
}

static struct sg_table *exporter_map_dma(struct dma_buf_attachment *attachment,
					 enum dma_data_direction dir)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static void exporter_unmap_dma(struct dma_buf_attachment *attachment,
			       struct sg_table *table,
			       enum dma_data_direction dir)
{
}

static void exporter_release(struct dma_buf *dmabuf)
{
	struct exporter_buf *buf = dmabuf->priv;

	WARN_ON(buf->pins);
	vfree(buf->mem);
	kfree(buf);
}

static const struct dma_buf_ops exporter_memory_ops = {
	.map_dma_buf = exporter_map_dma,
	.mmap = exporter_mmap,
	.release = exporter_release,
	.unmap_dma_buf = exporter_unmap_dma,
	.vmap = exporter_vmap,
};

static const struct dma_buf_ops exporter_unmapped_ops = {
	.map_dma_buf = exporter_map_dma,
	.mmap = exporter_mmap,
	.release = exporter_release,
	.unmap_dma_buf = exporter_unmap_dma,
};

static const struct dma_buf_ops exporter_device_ops = {
	.map_dma_buf = exporter_map_dma,
	.mmap = exporter_mmap,
	.release = exporter_release,
	.unmap_dma_buf = exporter_unmap_dma,
	.vmap = exporter_vmap_device,
};

static const struct dma_buf_ops exporter_movable_ops = {
	.map_dma_buf = exporter_map_dma,
	.mmap = exporter_mmap,
	.pin = exporter_pin,
	.release = exporter_release,
	.unmap_dma_buf = exporter_unmap_dma,
	.unpin = exporter_unpin,
	.vmap = exporter_vmap_pinned,
	.vunmap = exporter_vunmap_pinned,
};

static const struct dma_buf_ops exporter_unpinnable_ops = {
	.map_dma_buf = exporter_map_dma,
	.mmap = exporter_mmap,
	.pin = exporter_pin_refused,
	.release = exporter_release,
	.unmap_dma_buf = exporter_unmap_dma,
	.unpin = exporter_unpin,
	.vmap = exporter_vmap,
};

/* --- requests of processes ------------------------------------------------- */

static struct exporter_buf *exporter_alloc(void)
{
	struct exporter_buf *buf = kzalloc(sizeof(*buf), GFP_KERNEL);

	if (!buf)
		return NULL;
	buf->mem = vmalloc_user(EXPORTER_LEN);
	if (!buf->mem) {
		kfree(buf);
		return NULL;
	}
	memset(buf->mem, EXPORTER_FILL, EXPORTER_LEN);
	return buf;
}

static int exporter_export(const struct dma_buf_ops *ops, int flags)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct exporter_buf *buf = exporter_alloc();
	struct dma_buf *dmabuf;
	int fd;

	if (!buf)
		return -ENOMEM;
	info.ops = ops;
	info.flags = flags;
	info.size = EXPORTER_LEN;
	info.priv = buf;
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf)) {
		vfree(buf->mem);
		kfree(buf);
		return PTR_ERR(dmabuf);
	}
	fd = dma_buf_fd(dmabuf, O_CLOEXEC);
	if (fd < 0)
		dma_buf_put(dmabuf);
	return fd;
}

static long exporter_ioctl(struct file *file, unsigned int cmd,
			   unsigned long arg)
{
	switch (cmd) {
	case EXPORTER_MEMORY:
		return exporter_export(&exporter_memory_ops, O_RDWR);
	case EXPORTER_READ_ONLY:
		return exporter_export(&exporter_memory_ops, O_RDONLY);
	case EXPORTER_UNMAPPED:
		return exporter_export(&exporter_unmapped_ops, O_RDWR);
	case EXPORTER_DEVICE:
		return exporter_export(&exporter_device_ops, O_RDWR);
	case EXPORTER_MOVABLE:
		return exporter_export(&exporter_movable_ops, O_RDWR);
	case EXPORTER_UNPINNABLE:
		return exporter_export(&exporter_unpinnable_ops, O_RDWR);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations exporter_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = exporter_ioctl,
};

static struct miscdevice exporter_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "mrc_exporter",
	.fops = &exporter_fops,
};
module_misc_device(exporter_device);

/* Namespace of dma-buf symbols; the macro's argument differs between kernels. */
MODULE_INFO(import_ns, "DMA_BUF");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("Exporter of DMA buffers, for tests");
