// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Mapping a dma-buf for the CPU.
 */
#include <linux/dma-buf.h>
#include <linux/module.h>

#include "compat/dmabuf.h"

/*
 * Namespace of the symbols.  Not MODULE_IMPORT_NS(), whose argument is a token
 * in older kernels and a string in newer ones.
 */
MODULE_INFO(import_ns, "DMA_BUF");

/* Weak: the address is NULL in kernels without the function. */
int dma_buf_vmap_unlocked(struct dma_buf *dmabuf,
			  struct iosys_map *map) __weak;
void dma_buf_vunmap_unlocked(struct dma_buf *dmabuf,
			     struct iosys_map *map) __weak;

/**
 * mrc_compat_dmabuf_vmap() - map a dma-buf for the CPU
 * @dmabuf: buffer
 * @map: set to the mapping
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int mrc_compat_dmabuf_vmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	if (dma_buf_vmap_unlocked)
		return dma_buf_vmap_unlocked(dmabuf, map);
	return dma_buf_vmap(dmabuf, map);
}

/**
 * mrc_compat_dmabuf_vunmap() - undo mrc_compat_dmabuf_vmap()
 * @dmabuf: buffer
 * @map: mapping from mrc_compat_dmabuf_vmap()
 *
 * Context: process.
 */
void mrc_compat_dmabuf_vunmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	if (dma_buf_vunmap_unlocked)
		dma_buf_vunmap_unlocked(dmabuf, map);
	else
		dma_buf_vunmap(dmabuf, map);
}
