// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Mapping of the rings that are shared with the kernel.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* At @addr, which is replaced, or anywhere if it is NULL. */
static int mrc_ring_map_at(struct mrc_ring *ring, void *addr, int cmd_fd,
			   const struct mrc_ring_info *info, size_t entry_size)
{
	void *map;

	if (!mrc_ring_info_valid(info, entry_size))
		return EPROTO;
	map = mmap(addr, info->mmap_size, PROT_READ | PROT_WRITE,
		   MAP_SHARED | (addr ? MAP_FIXED : 0), cmd_fd,
		   info->mmap_key);
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
	if (!info->mmap_size)
		return 0;
	return mrc_ring_map_at(ring, NULL, cmd_fd, info, entry_size);
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

/**
 * mrc_ring_reserve - reserve address space before the kernel replaces a ring
 * @ring: the ring
 * @entries: of the ring that replaces it; the kernel rounds up to a power of two
 * @room: filled in; for mrc_ring_replace() or mrc_ring_release()
 *
 * Once the kernel has replaced a ring, the old one is of no use.  So what can be
 * refused to a process (address space, number of mappings) is taken before.
 *
 * Return: 0 or the errno of mmap().
 */
int mrc_ring_reserve(const struct mrc_ring *ring, uint32_t entries,
		     struct mrc_room *room)
{
	size_t page = sysconf(_SC_PAGESIZE);
	uint64_t rounded = 1, size;

	*room = (struct mrc_room){};
	while (rounded < entries)
		rounded *= 2;
	size = sizeof(struct mrc_ring_hdr) + rounded * ring->stride;
	size = (size + page - 1) / page * page;
	room->addr = mmap(NULL, size, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room->addr == MAP_FAILED)
		return errno;
	room->size = size;
	return 0;
}

/**
 * mrc_ring_release - give address space back that was not used
 * @room: from mrc_ring_reserve()
 */
void mrc_ring_release(const struct mrc_room *room)
{
	munmap(room->addr, room->size);
}

/**
 * mrc_ring_replace - map the ring by which the kernel has replaced another one
 * @ring: the old ring; becomes the new one
 * @cmd_fd: command file of the device
 * @info: response of the kernel
 * @entry_size: bytes that an entry needs
 * @room: address space for it
 *
 * After an error the old ring is marked as lost: its owner must report that, since
 * the kernel does not use it any more.  Another change of the size can succeed.
 *
 * Return: 0 or an errno.
 */
int mrc_ring_replace(struct mrc_ring *ring, int cmd_fd,
		     const struct mrc_ring_info *info, size_t entry_size,
		     const struct mrc_room *room)
{
	struct mrc_ring next = {};
	int ret;

	if (info->mmap_size == room->size) {
		ret = mrc_ring_map_at(&next, room->addr, cmd_fd, info,
				      entry_size);
	} else {
		mrc_ring_release(room);
		ret = mrc_ring_map_at(&next, NULL, cmd_fd, info, entry_size);
	}
	if (ret) {
		ring->lost = true;
		return ret;
	}
	mrc_ring_unmap(ring);
	*ring = next;
	return 0;
}
