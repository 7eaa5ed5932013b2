// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rings: memory shared between a process and the kernel.
 */
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "net/alloc.h"
#include "verbs/ring.h"

static struct mrc_ring *mrc_ring_from_entry(struct rdma_user_mmap_entry *entry)
{
	return container_of(entry, struct mrc_ring, entry);
}

static size_t mrc_ring_size(u32 entries, u32 stride)
{
	return PAGE_ALIGN(sizeof(struct mrc_ring_hdr) +
			  (size_t)entries * stride);
}

static int mrc_ring_offer(struct mrc_ring *ring, struct ib_ucontext *uctx,
			  size_t size, struct mrc_ring_info *info)
{
	int err;

	err = rdma_user_mmap_entry_insert(uctx, &ring->entry, size);
	if (err)
		return err;
	info->mmap_key = rdma_user_mmap_get_offset(&ring->entry);
	info->mmap_size = size;
	info->entries = ring->entries;
	info->stride = ring->stride;
	return 0;
}

static void mrc_ring_free(struct mrc_ring *ring)
{
	vfree(ring->hdr);
	kfree(ring);
}

/**
 * mrc_ring_create() - create a ring
 * @uctx: context of the process that can map it; NULL for users in the kernel
 * @entries: slots, a power of two
 * @stride: bytes of a slot
 * @info: filled with what the process needs for its mmap()
 *
 * Context: may sleep.
 * Return: the ring, zeroed, or an ERR_PTR.
 */
struct mrc_ring *mrc_ring_create(struct ib_ucontext *uctx, u32 entries,
				 u32 stride, struct mrc_ring_info *info)
{
	size_t size = mrc_ring_size(entries, stride);
	struct mrc_ring *ring;
	int err = -ENOMEM;

	BUILD_BUG_ON(sizeof(struct mrc_ring_hdr) != 128);

	ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	if (!ring)
		return ERR_PTR(-ENOMEM);
	/* Accounted to the process, which chooses size and number of rings. */
	ring->hdr = __vmalloc(size, MRC_GFP_USER | __GFP_ZERO);
	if (!ring->hdr)
		goto err_free;
	spin_lock_init(&ring->lock);
	ring->slots = ring->hdr + 1;
	ring->entries = entries;
	ring->stride = stride;

	err = uctx ? mrc_ring_offer(ring, uctx, size, info) : 0;
	if (err)
		goto err_free;
	return ring;

err_free:
	mrc_ring_free(ring);
	return ERR_PTR(err);
}

/**
 * mrc_ring_destroy() - release a ring that the kernel does not use any more
 * @ring: the ring, or NULL
 *
 * The pages are freed when the process has unmapped them.
 */
void mrc_ring_destroy(struct mrc_ring *ring)
{
	if (!ring)
		return;
	if (mrc_ring_in_kernel(ring))
		mrc_ring_free(ring);
	else
		rdma_user_mmap_entry_remove(&ring->entry);
}

/**
 * mrc_ring_move() - copy entries and indices of a ring to another one
 * @to: new ring, of the same stride and large enough for the entries
 * @from: ring that the process does not access meanwhile
 * @first: oldest entry
 * @last: index after the newest entry
 */
void mrc_ring_move(struct mrc_ring *to, const struct mrc_ring *from, u32 first,
		   u32 last)
{
	u32 i;

	for (i = first; i != last; i++)
		memcpy(mrc_ring_slot(to, i), mrc_ring_slot(from, i),
		       to->stride);
	to->hdr->prod = last;
	to->hdr->cons = first;
	to->hdr->flags = from->hdr->flags;
}

static int mrc_ring_map(const struct mrc_ring *ring, struct vm_area_struct *vma)
{
	unsigned long addr;
	struct page *page;
	int err = 0;

	for (addr = vma->vm_start; addr < vma->vm_end && !err;
	     addr += PAGE_SIZE) {
		page = vmalloc_to_page((void *)ring->hdr + addr - vma->vm_start);
		err = vm_insert_page(vma, addr, page);
	}
	return err;
}

/**
 * mrc_ring_mmap() - map a ring into a process
 * @uctx: context of the process
 * @vma: mapping; its offset is the key of the ring and its size must match
 *
 * Return: 0, -EINVAL if there is no such ring, or -ENOMEM.
 */
int mrc_ring_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	int err;

	entry = rdma_user_mmap_entry_get(uctx, vma);
	if (!entry)
		return -EINVAL;

	err = mrc_ring_map(mrc_ring_from_entry(entry), vma);
	rdma_user_mmap_entry_put(entry);
	return err;
}

/**
 * mrc_ring_mmap_free() - free a ring with its last reference
 * @entry: of the ring
 */
void mrc_ring_mmap_free(struct rdma_user_mmap_entry *entry)
{
	mrc_ring_free(mrc_ring_from_entry(entry));
}
