// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rings: mapped by the keys that the driver hands out and by others, and written to by
 * a second thread while the kernel uses them: entries as they should be, and anything.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "fuzz.h"

/*
 * Entries that are written at once, and the rest of the thread between them. With one
 * processor the thread only runs while a command waits, so the rest is longer.
 */
#define WRITES		16
#define REST_US		50
#define REST_ALONE_US	20000
#define WILD_PAGES	16

/**
 * ring_map - map a ring
 * @f: run
 * @info: where the kernel offers it
 */
void ring_map(struct fuzz *f, const struct mrc_ring_info *info)
{
	struct ring r = { .size = info->mmap_size, .entries = info->entries,
			  .stride = info->stride };

	/* A response that was cut off, or went elsewhere, describes none. */
	if (!info->entries || info->entries & (info->entries - 1) ||
	    info->mmap_size < sizeof(*r.hdr) + (uint64_t)info->entries * info->stride ||
	    f->rings == RINGS)
		return;
	r.hdr = mmap(NULL, r.size, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd,
		     info->mmap_key);
	if (r.hdr == MAP_FAILED)
		return;
	pthread_mutex_lock(&f->lock);
	f->ring[f->rings++] = r;
	pthread_mutex_unlock(&f->lock);
}

/**
 * ring_map_wild - map something at any offset, of any size
 * @f: run
 */
void ring_map_wild(struct fuzz *f)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t size = page * (1 + rng_below(&f->rng, WILD_PAGES));
	int prot = rng_below(&f->rng, 8), flags = MAP_SHARED;
	off_t offset = page * rng_below(&f->rng, 256);
	void *p;

	if (rng_one_in(&f->rng, 4))
		offset = rng_edge(&f->rng, 0, INT64_MAX) & INT64_MAX & ~(page - 1);
	if (rng_one_in(&f->rng, 4))
		flags = MAP_PRIVATE;
	p = mmap(NULL, size, prot, flags, f->fd, offset);
	if (p == MAP_FAILED)
		return;
	/* A mapping that is split, and one that is copied by fork(), behave as others. */
	madvise(p, page, MADV_DONTNEED);
	mprotect(p, page, PROT_READ);
	munmap(p, page);
	if (size > page)
		munmap((char *)p + page, size - page);
}

/**
 * ring_unmap_all - unmap all rings
 * @f: run
 */
void ring_unmap_all(struct fuzz *f)
{
	pthread_mutex_lock(&f->lock);
	while (f->rings) {
		f->rings--;
		munmap(f->ring[f->rings].hdr, f->ring[f->rings].size);
	}
	pthread_mutex_unlock(&f->lock);
}

/* A send that the kernel can carry out if the numbers are right. */
static void write_sqe(struct fuzz *f, struct rng *r, struct mrc_sqe *sqe)
{
	struct mrc_sge *sge = (void *)(sqe + 1);
	uint32_t key = 0;

	if (f->n[KIND_MR])
		key = f->object[KIND_MR][rng_below(r, OBJECTS)].number;
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = rng_below(r, 16);
	sqe->num_sge = 1;
	sqe->flags = rng_below(r, 16) & ~MRC_SQE_INLINE;
	sqe->rkey = key;
	sqe->remote_addr = (uintptr_t)f->memory + rng_below(r, MEMORY / 2);
	*sge = (struct mrc_sge){ sqe->remote_addr, rng_below(r, 8192), key };
}

static void write_rqe(struct fuzz *f, struct rng *r, struct mrc_rqe *rqe)
{
	struct mrc_sge *sge = (void *)(rqe + 1);

	*rqe = (struct mrc_rqe){ .num_sge = 1 };
	*sge = (struct mrc_sge){ (uintptr_t)f->memory, 8192,
				 f->object[KIND_MR][rng_below(r, OBJECTS)].number };
}

static void write_entry(struct fuzz *f, struct rng *r, struct ring *ring)
{
	char *slot = (char *)(ring->hdr + 1) +
		     (size_t)(ring->hdr->prod & (ring->entries - 1)) * ring->stride;

	if (ring->stride >= sizeof(struct mrc_sqe) + sizeof(struct mrc_sge) &&
	    !rng_one_in(r, 3))
		write_sqe(f, r, (void *)slot);
	else if (ring->stride >= sizeof(struct mrc_rqe) + sizeof(struct mrc_sge))
		write_rqe(f, r, (void *)slot);
	if (rng_one_in(r, 8))
		rng_bytes(r, slot, ring->stride);
	__atomic_store_n(&ring->hdr->prod, ring->hdr->prod + 1, __ATOMIC_RELEASE);
}

/* Indices and anything else; rarely, because it ends queue pairs. */
static void write_wild(struct rng *r, struct ring *ring)
{
	size_t at = 4 * rng_below(r, ring->size / 4);

	if (rng_one_in(r, 2))
		ring->hdr->prod = rng_edge(r, ring->hdr->cons,
					   ring->hdr->cons + ring->entries);
	else if (rng_one_in(r, 2))
		ring->hdr->cons = rng_edge(r, ring->hdr->cons, ring->hdr->prod);
	else
		rng_bytes(r, (char *)ring->hdr + at, 4);
}

/**
 * ring_write - write some entries to the rings
 * @f: run
 * @r: decides
 */
void ring_write(struct fuzz *f, struct rng *r)
{
	struct ring *ring;
	int i;

	pthread_mutex_lock(&f->lock);
	for (i = 0; i < WRITES && f->rings; i++) {
		ring = &f->ring[rng_below(r, f->rings)];
		if (rng_one_in(r, 40))
			write_wild(r, ring);
		else
			write_entry(f, r, ring);
	}
	pthread_mutex_unlock(&f->lock);
}

static void *write_rings(void *arg)
{
	useconds_t rest = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? REST_US : REST_ALONE_US;
	struct fuzz *f = arg;
	struct rng r;

	rng_seed(&r, f->rng.state);
	while (!__atomic_load_n(&f->stop, __ATOMIC_RELAXED)) {
		ring_write(f, &r);
		usleep(rest);
	}
	return NULL;
}

/**
 * ring_start - start the thread that writes to rings
 * @f: run
 *
 * Return: 0 or an errno.
 */
int ring_start(struct fuzz *f)
{
	pthread_mutex_init(&f->lock, NULL);
	return pthread_create(&f->thread, NULL, write_rings, f);
}

/**
 * ring_stop - end the thread
 * @f: run
 */
void ring_stop(struct fuzz *f)
{
	__atomic_store_n(&f->stop, true, __ATOMIC_RELAXED);
	pthread_join(f->thread, NULL);
}
