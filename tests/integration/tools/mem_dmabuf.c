// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions of a dma-buf: udmabuf makes one of the pages of a file, and a
 * module of ours those that there is something to refuse about.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/udmabuf.h>

#include "../module/exporter.h"
#include "mem.h"

#define PAGE	4096
#define LEN	EXPORTER_LEN
/* Part of the buffer that is registered; it ends with the buffer. */
#define OFFSET	(PAGE + 64)
#define REG_LEN	(LEN - OFFSET)
#define IOVA	(0x1000000000000ULL + OFFSET)
#define UDMABUF	"/dev/udmabuf"
#define OURS	"/dev/mrc_exporter"

/**
 * struct buffer - a dma-buf and what is in it
 * @fd: dma-buf
 * @mem: the same bytes for the process
 */
struct buffer {
	int fd;
	char *mem;
};

static int export_file(int memfd)
{
	struct udmabuf_create create = { .memfd = memfd, .size = LEN };
	int dev, fd = -1;

	dev = open(UDMABUF, O_RDWR);
	if (dev < 0)
		return -1;
	if (!ftruncate(memfd, LEN) &&
	    !fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		fd = ioctl(dev, UDMABUF_CREATE, &create);
	close(dev);
	return fd;
}

/* Which of the EXPORTER_*; our memory may be that of the buffer itself. */
static int export_ours(unsigned long kind)
{
	int dev = open(OURS, O_RDWR);
	int fd;

	if (dev < 0)
		return -1;
	fd = ioctl(dev, kind);
	close(dev);
	return fd;
}

/* Of the buffer's bytes, as @file shows them. */
static bool buffer_map(struct buffer *b, int file)
{
	b->mem = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (b->fd < 0 || b->mem == MAP_FAILED)
		return false;
	memset(b->mem, 'd', LEN);
	return true;
}

static bool buffer_create_udmabuf(struct buffer *b)
{
	int memfd = memfd_create("udmabuf", MFD_ALLOW_SEALING);
	bool ok;

	b->fd = export_file(memfd);
	ok = buffer_map(b, memfd);
	close(memfd);
	return ok;
}

static bool buffer_create_ours(struct buffer *b)
{
	b->fd = export_ours(EXPORTER_MEMORY);
	return buffer_map(b, b->fd);
}

static void buffer_destroy(struct buffer *b)
{
	munmap(b->mem, LEN);
	if (b->fd >= 0)
		close(b->fd);
}

static bool all(const char *at, char c, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (at[i] != c)
			return false;
	return true;
}

static void refused(const char *what, uint64_t offset, size_t len, int fd,
		    int access, int error)
{
	struct ibv_mr *mr;

	errno = 0;
	mr = ibv_reg_dmabuf_mr(pair_dev[1].pd, offset, len, offset, fd, access);
	if (!tap_ok(!mr && errno == error, "%s: %s", what, strerror(error)))
		tap_note("got %s", mr ? "a region" : strerror(errno));
	if (mr)
		ibv_dereg_mr(mr);
}

/* A peer writes and reads it, at both ends. */
static void remote(struct pair *p, const struct buffer *b,
		   const struct ibv_mr *mr)
{
	const uint64_t last = IOVA + REG_LEN - MSG_LEN;
	uint64_t value = 41;

	memset(p->a.buf, 'w', REG_LEN);
	tap_ok(access_memory(p, IBV_WR_RDMA_WRITE, IOVA, mr->rkey, REG_LEN) ==
		       IBV_WC_SUCCESS && all(b->mem, 'd', OFFSET) &&
	       all(b->mem + OFFSET, 'w', REG_LEN), "WRITE to all of it");
	memset(b->mem, 'r', LEN);
	tap_ok(access_memory(p, IBV_WR_RDMA_READ, IOVA, mr->rkey, REG_LEN) ==
		       IBV_WC_SUCCESS && all(p->a.buf, 'r', REG_LEN),
	       "READ of all of it");
	memcpy(b->mem + OFFSET, &value, sizeof(value));
	tap_ok(access_memory(p, IBV_WR_ATOMIC_FETCH_AND_ADD, IOVA, mr->rkey,
			     sizeof(value)) == IBV_WC_SUCCESS &&
	       !memcmp(p->a.buf, &value, sizeof(value)) &&
	       *(uint64_t *)(b->mem + OFFSET) == value + 1, "FETCH_ADD");
	expect_access(p, IBV_WR_RDMA_WRITE, last, mr->rkey, IBV_WC_SUCCESS,
		      "its last bytes");
}

/* Side b sends from it and receives into it. */
static void local(struct pair *p, const struct buffer *b,
		  const struct ibv_mr *mr)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_wc wc;

	memset(b->mem, 's', LEN);
	end_wr(p, IBV_WR_SEND, REG_LEN, &wr, &sge);
	sge.addr = IOVA;
	sge.lkey = mr->lkey;
	tap_ok(!end_recv(&p->a, 1, 0, REG_LEN) && !end_post(&p->b, &wr) &&
	       wait_wc(p->b.scq, &wc) && !wc.status &&
	       wait_wc(p->a.rcq, &wc) && !wc.status &&
	       all(p->a.buf, 's', REG_LEN), "SEND from it");
}

/* All that there is to a buffer that can be read and written. */
static void whole(struct buffer *b)
{
	struct ibv_mr *mr;
	struct pair p;

	if (!pair_ready(&p, "dma-buf", NULL))
		return;
	refused("beyond its end", OFFSET, LEN, b->fd, RC_ACCESS_ALL, EINVAL);
	refused("no bytes of it", OFFSET, 0, b->fd, RC_ACCESS_ALL, EINVAL);
	mr = ibv_reg_dmabuf_mr(p.b.dev->pd, OFFSET, REG_LEN, IOVA, b->fd,
			       RC_ACCESS_ALL);
	if (!tap_ok(mr, "a region of it"))
		goto out;
	/* The region keeps it. */
	close(b->fd);
	b->fd = -1;
	remote(&p, b, mr);
	local(&p, b, mr);
	tap_ok(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0),
	       "it does not change");
	expect_access(&p, IBV_WR_RDMA_WRITE, IOVA + REG_LEN - MSG_LEN + 1,
		      mr->rkey, IBV_WC_REM_ACCESS_ERR, "a byte too far");
	tap_ok(!ibv_dereg_mr(mr), "the region goes");
out:
	pair_destroy(&p);
}

/**
 * mem_dmabuf - memory that somebody else has exported
 */
void mem_dmabuf(void)
{
	struct buffer b;

	if (access(UDMABUF, F_OK)) {
		tap_skip("udmabuf", "not in this kernel");
		return;
	}
	refused("no dma-buf", 0, LEN, STDIN_FILENO, RC_ACCESS_ALL, EINVAL);
	if (tap_ok(buffer_create_udmabuf(&b), "a dma-buf of udmabuf"))
		whole(&b);
	buffer_destroy(&b);
}

/* A peer may read it, if nobody asks for more. */
static void read_only(void)
{
	int fd = export_ours(EXPORTER_READ_ONLY);
	struct ibv_mr *mr;
	struct pair p;

	if (!pair_ready(&p, "read-only dma-buf", NULL))
		goto out;
	refused("read-only, for local writes", 0, LEN, fd,
		IBV_ACCESS_LOCAL_WRITE, EACCES);
	refused("read-only, for all", 0, LEN, fd, RC_ACCESS_ALL, EACCES);
	mr = ibv_reg_dmabuf_mr(p.b.dev->pd, OFFSET, REG_LEN, IOVA, fd,
			       IBV_ACCESS_REMOTE_READ);
	if (!tap_ok(mr, "a region of it to be read"))
		goto out_pair;
	tap_ok(access_memory(&p, IBV_WR_RDMA_READ, IOVA, mr->rkey, REG_LEN) ==
		       IBV_WC_SUCCESS && all(p.a.buf, EXPORTER_FILL, REG_LEN),
	       "READ of all of it");
	expect_access(&p, IBV_WR_RDMA_WRITE, IOVA, mr->rkey,
		      IBV_WC_REM_ACCESS_ERR, "WRITE to it");
	tap_ok(!ibv_dereg_mr(mr), "the region goes");
out_pair:
	pair_destroy(&p);
out:
	close(fd);
}

static void unreachable(const char *what, unsigned long kind)
{
	int fd = export_ours(kind);

	refused(what, 0, LEN, fd, RC_ACCESS_ALL, EOPNOTSUPP);
	close(fd);
}

/**
 * mem_exporter - the same by a module of ours, and what cannot be had
 */
void mem_exporter(void)
{
	struct buffer b;

	if (tap_ok(buffer_create_ours(&b), "a dma-buf of %s", OURS))
		whole(&b);
	buffer_destroy(&b);
	read_only();
	unreachable("not mapped by its exporter", EXPORTER_UNMAPPED);
	unreachable("memory of a device", EXPORTER_DEVICE);
}
