// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Mapping of the rings that are shared with the kernel.
 */
#include <errno.h>
#include <sys/mman.h>

#include "mrc_ring.h"

static_assert(sizeof(struct mrc_ring_hdr) == 128, "ring header has changed");
static_assert(offsetof(struct mrc_ring_hdr, cons) == 64,
	      "both writers share a cache line");
static_assert(sizeof(struct mrc_sqe) == 64, "send entry has changed");
static_assert(sizeof(struct mrc_rqe) == 16, "receive entry has changed");
static_assert(sizeof(struct mrc_cqe) == 64, "completion has changed");

static bool mrc_ring_info_valid(const struct mrc_ring_info *info,
				size_t entry_size)
{
	uint64_t need = sizeof(struct mrc_ring_hdr) +
			(uint64_t)info->entries * info->stride;

	return info->entries && !(info->entries & (info->entries - 1)) &&
	       info->stride >= entry_size && info->mmap_size >= need;
}

/**
 * mrc_ring_map - map a ring
 * @ring: zeroed; filled on success
 * @cmd_fd: command file of the device
 * @info: response of the kernel when it created the object
 * @entry_size: bytes that an entry needs
 *
 * A ring of size 0 is left unmapped and has no entries.
 *
 * Return: 0, EPROTO if @info is inconsistent, or the errno of mmap().
 */
int mrc_ring_map(struct mrc_ring *ring, int cmd_fd,
		 const struct mrc_ring_info *info, size_t entry_size)
{
	void *map;

	if (!info->mmap_size)
		return 0;
	if (!mrc_ring_info_valid(info, entry_size))
		return EPROTO;
	map = mmap(NULL, info->mmap_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		   cmd_fd, info->mmap_key);
	if (map == MAP_FAILED)
		return errno;
	ring->hdr = map;
	ring->slots = (char *)map + sizeof(*ring->hdr);
	ring->size = info->mmap_size;
	ring->entries = info->entries;
	ring->stride = info->stride;
	return 0;
}

/**
 * mrc_ring_unmap - undo mrc_ring_map()
 * @ring: with or without a mapping
 */
void mrc_ring_unmap(struct mrc_ring *ring)
{
	if (ring->hdr)
		munmap(ring->hdr, ring->size);
	ring->hdr = NULL;
	ring->entries = 0;
}
