// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * An exporter of DMA buffers, for tests: stock kernels have none that refuses what
 * is to be refused, and not all of them have one that a process can use.
 */
#include <linux/dma-buf.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/iosys-map.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/vmalloc.h>
#include "exporter.h"

/* --- what importers ask for ------------------------------------------------ */

static int exporter_vmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	iosys_map_set_vaddr(map, dmabuf->priv);
	return 0;
}

static int exporter_vmap_device(struct dma_buf *dmabuf, struct iosys_map *map)
{
	iosys_map_set_vaddr_iomem(map, (void __iomem *)dmabuf->priv);
	return 0;
}

static int exporter_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	return remap_vmalloc_range(vma, dmabuf->priv, vma->vm_pgoff);
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
	vfree(dmabuf->priv);
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

/* --- what processes ask for ------------------------------------------------ */

static int exporter_export(const struct dma_buf_ops *ops, int flags)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct dma_buf *dmabuf;
	int fd;

	info.ops = ops;
	info.flags = flags;
	info.size = EXPORTER_LEN;
	info.priv = vmalloc_user(EXPORTER_LEN);
	if (!info.priv)
		return -ENOMEM;
	memset(info.priv, EXPORTER_FILL, EXPORTER_LEN);
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf)) {
		vfree(info.priv);
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

/* Of which namespace the symbols are; the macro's argument has changed. */
MODULE_INFO(import_ns, "DMA_BUF");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("Exporter of DMA buffers, for tests");
