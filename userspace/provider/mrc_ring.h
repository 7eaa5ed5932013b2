/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Rings shared with the kernel: mapping and the ordering of their indices.
 */
#ifndef MRC_RING_H
#define MRC_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mrc-abi.h"

/* More than any queue can have; keeps sizes of rings within 64 bits. */
#define MRC_RING_ENTRIES_MAX (1U << 30)

/**
 * struct mrc_ring - one mapped ring
 * @hdr: indices and flags; NULL if the object has no such ring
 * @slots: first entry
 * @size: bytes mapped
 * @entries: power of two; 0 without a ring
 * @stride: bytes from one entry to the next
 * @lost: the kernel uses another ring now, which could not be mapped
 */
struct mrc_ring {
	struct mrc_ring_hdr *hdr;
	char *slots;
	size_t size;
	uint32_t entries;
	uint32_t stride;
	bool lost;
};

/**
 * struct mrc_room - address space for a ring that does not exist yet
 * @addr: begin
 * @size: bytes
 */
struct mrc_room {
	void *addr;
	size_t size;
};

int mrc_ring_map(struct mrc_ring *ring, int cmd_fd,
		 const struct mrc_ring_info *info, size_t entry_size);
void mrc_ring_unmap(struct mrc_ring *ring);
int mrc_ring_reserve(const struct mrc_ring *ring, uint32_t entries,
		     struct mrc_room *room);
int mrc_ring_replace(struct mrc_ring *ring, int cmd_fd,
		     const struct mrc_ring_info *info, size_t entry_size,
		     const struct mrc_room *room);
void mrc_ring_release(const struct mrc_room *room);

static inline void *mrc_ring_slot(const struct mrc_ring *ring, uint32_t index)
{
	return ring->slots +
	       (size_t)(index & (ring->entries - 1)) * ring->stride;
}

/* The entries before prod may be read after this. */
static inline uint32_t mrc_ring_prod(const struct mrc_ring *ring)
{
	return __atomic_load_n(&ring->hdr->prod, __ATOMIC_ACQUIRE);
}

/* The entries before cons may be written after this. */
static inline uint32_t mrc_ring_cons(const struct mrc_ring *ring)
{
	return __atomic_load_n(&ring->hdr->cons, __ATOMIC_ACQUIRE);
}

/* Publishes the entries before @prod, which have been written, to the kernel. */
static inline void mrc_ring_set_prod(struct mrc_ring *ring, uint32_t prod)
{
	__atomic_store_n(&ring->hdr->prod, prod, __ATOMIC_RELEASE);
}

/* Returns the entries before @cons, which have been read, to the kernel. */
static inline void mrc_ring_set_cons(struct mrc_ring *ring, uint32_t cons)
{
	__atomic_store_n(&ring->hdr->cons, cons, __ATOMIC_RELEASE);
}

static inline bool mrc_ring_flag(const struct mrc_ring *ring, uint32_t flag)
{
	return __atomic_load_n(&ring->hdr->flags, __ATOMIC_RELAXED) & flag;
}

/*
 * MRC_RING_* bits.  The kernel sets them and then reads prod again.  The caller has
 * stored prod; they must not be loaded before that store is visible.
 */
static inline uint32_t mrc_ring_flags(const struct mrc_ring *ring)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&ring->hdr->flags, __ATOMIC_RELAXED);
}

/* Whether the kernel should watch the ring when it has found it empty. */
static inline void mrc_ring_want_watch(const struct mrc_ring *ring, bool watch)
{
	__atomic_store_n(&ring->hdr->wants, watch ? MRC_RING_WANT_WATCH : 0,
			 __ATOMIC_RELAXED);
}

#endif /* MRC_RING_H */
