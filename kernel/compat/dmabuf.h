/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Mapping a dma-buf for the CPU.  Where dma_buf_vmap() must be called with the
 * reservation lock held, dma_buf_vmap_unlocked() takes the lock; older kernels
 * have neither the rule nor that function.
 */
#ifndef MRC_COMPAT_DMABUF_H
#define MRC_COMPAT_DMABUF_H

struct dma_buf;
struct iosys_map;

int mrc_compat_dmabuf_vmap(struct dma_buf *dmabuf, struct iosys_map *map);
void mrc_compat_dmabuf_vunmap(struct dma_buf *dmabuf, struct iosys_map *map);

#endif /* MRC_COMPAT_DMABUF_H */
