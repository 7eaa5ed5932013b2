/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Rings: memory shared between a process and the kernel (see
 * <rdma/mrc-abi.h>).  The process may write any byte at any time; the kernel
 * keeps its own indices and copies an entry before it checks it.
 *
 * Users in the kernel have rings of the same layout, which are not mapped: the code
 * that reads rings is the same for both.
 */
#ifndef MRC_VERBS_RING_H
#define MRC_VERBS_RING_H

#include <linux/spinlock.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>
#include <rdma/mrc-abi.h>

/**
 * struct mrc_ring - one shared ring
 * @entry: entry for mmap(); its last reference frees the ring; without ucontext for
 *	users in the kernel
 * @lock: serialises posts of users in the kernel; a leaf, taken in any context with
 *	interrupts off
 * @hdr: indices and flags, start of the shared memory
 * @slots: entries, behind @hdr
 * @entries: number of slots, a power of two
 * @stride: bytes from one slot to the next
 */
struct mrc_ring {
	struct rdma_user_mmap_entry entry;
	spinlock_t lock; /* prod of an SQ or RQ without a process */
	struct mrc_ring_hdr *hdr;
	void *slots;
	u32 entries;
	u32 stride;
};

struct mrc_ring *mrc_ring_create(struct ib_ucontext *uctx, u32 entries,
				 u32 stride, struct mrc_ring_info *info);
void mrc_ring_destroy(struct mrc_ring *ring);
void mrc_ring_move(struct mrc_ring *to, const struct mrc_ring *from, u32 first,
		   u32 last);

static inline bool mrc_ring_in_kernel(const struct mrc_ring *ring)
{
	return !ring->entry.ucontext;
}

int mrc_ring_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma);
void mrc_ring_mmap_free(struct rdma_user_mmap_entry *entry);

static inline void *mrc_ring_slot(const struct mrc_ring *ring, u32 index)
{
	return ring->slots + (size_t)(index & (ring->entries - 1)) *
			     ring->stride;
}

/**
 * mrc_ring_copy() - make a private copy of shared memory
 * @dst: private memory
 * @src: within a slot
 * @len: bytes
 *
 * The barrier keeps the compiler from reading @src again where @dst is used.
 */
static inline void mrc_ring_copy(void *dst, const void *src, size_t len)
{
	memcpy(dst, src, len);
	barrier();
}

/* Index of an SQ or RQ that the process writes. */
static inline u32 mrc_ring_prod(const struct mrc_ring *ring)
{
	/* The entries are read after it. */
	return smp_load_acquire(&ring->hdr->prod);
}

/* Index of a CQ that the process writes. */
static inline u32 mrc_ring_cons(const struct mrc_ring *ring)
{
	/* The entries are written after it. */
	return smp_load_acquire(&ring->hdr->cons);
}

/* Returns the entries of an SQ or RQ before @cons to the process. */
static inline void mrc_ring_set_cons(struct mrc_ring *ring, u32 cons)
{
	/* The entries have been read before it. */
	smp_store_release(&ring->hdr->cons, cons);
}

/**
 * mrc_ring_arm() - request a doorbell with the next post
 * @ring: SQ or RQ
 *
 * Pairs with the full barrier between the process's store of prod and its load
 * of flags: either it sees the flag or the caller sees the new prod.
 *
 * Return: prod as read after the flag was set.
 */
static inline u32 mrc_ring_arm(struct mrc_ring *ring)
{
	WRITE_ONCE(ring->hdr->flags, MRC_RING_NEED_DOORBELL);
	/* The flag is visible before prod is read again. */
	smp_mb();
	return mrc_ring_prod(ring);
}

/**
 * mrc_ring_watch() - tell the process that the ring is read again without a doorbell
 * @ring: SQ
 *
 * Pairs with the process as mrc_ring_arm() does.
 *
 * Return: prod as read after the flag was set.
 */
static inline u32 mrc_ring_watch(struct mrc_ring *ring)
{
	WRITE_ONCE(ring->hdr->flags, MRC_RING_WATCHED);
	/* The flag is visible before prod is read again. */
	smp_mb();
	return mrc_ring_prod(ring);
}

static inline bool mrc_ring_wants_watch(const struct mrc_ring *ring)
{
	return READ_ONCE(ring->hdr->wants) & MRC_RING_WANT_WATCH;
}

static inline void mrc_ring_disarm(struct mrc_ring *ring)
{
	WRITE_ONCE(ring->hdr->flags, 0);
}

#endif /* MRC_VERBS_RING_H */
