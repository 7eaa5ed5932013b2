// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions of a dma-buf, which udmabuf makes of the pages of a file.
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

#include "mem.h"

#define PAGE	4096
#define LEN	(8 * PAGE)
/* Part of the buffer that is registered; it ends with the buffer. */
#define OFFSET	(PAGE + 64)
#define REG_LEN	(LEN - OFFSET)
#define IOVA	(0x1000000000000ULL + OFFSET)
#define BACKING	"udmabuf"

/**
 * struct buffer - a dma-buf and what is in it
 * @fd: dma-buf
 * @mem: the same bytes by way of the file
 */
struct buffer {
	int fd;
	char *mem;
};

static int export_file(int memfd)
{
	struct udmabuf_create create = { .memfd = memfd, .size = LEN };
	int dev, fd = -1;

	dev = open("/dev/udmabuf", O_RDWR);
	if (dev < 0)
		return -1;
	if (!ftruncate(memfd, LEN) &&
	    !fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		fd = ioctl(dev, UDMABUF_CREATE, &create);
	close(dev);
	return fd;
}

static bool buffer_create(struct buffer *b)
{
	int memfd = memfd_create(BACKING, MFD_ALLOW_SEALING);

	b->fd = export_file(memfd);
	b->mem = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	close(memfd);
	if (b->fd < 0 || b->mem == MAP_FAILED)
		return false;
	memset(b->mem, 'd', LEN);
	return true;
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

static void refused(const struct pair *p, const char *what, uint64_t offset,
		    size_t len, int fd, int error)
{
	struct ibv_mr *mr;

	errno = 0;
	mr = ibv_reg_dmabuf_mr(p->b.dev->pd, offset, len, offset, fd,
			       RC_ACCESS_ALL);
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

/**
 * mem_dmabuf - memory that somebody else has exported
 */
void mem_dmabuf(void)
{
	struct buffer b;
	struct ibv_mr *mr;
	struct pair p;

	if (access("/dev/udmabuf", F_OK)) {
		tap_skip("dma-buf", "no udmabuf in this kernel");
		return;
	}
	if (!tap_ok(buffer_create(&b), "a dma-buf"))
		goto out;
	if (!pair_ready(&p, "dma-buf", NULL))
		goto out;
	refused(&p, "beyond its end", OFFSET, LEN, b.fd, EINVAL);
	refused(&p, "no bytes of it", OFFSET, 0, b.fd, EINVAL);
	refused(&p, "another file", 0, LEN, STDIN_FILENO, EINVAL);
	mr = ibv_reg_dmabuf_mr(p.b.dev->pd, OFFSET, REG_LEN, IOVA, b.fd,
			       RC_ACCESS_ALL);
	if (!tap_ok(mr, "a region of it"))
		goto out_pair;
	/* The region keeps it. */
	close(b.fd);
	b.fd = -1;
	remote(&p, &b, mr);
	local(&p, &b, mr);
	tap_ok(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0),
	       "it does not change");
	expect_access(&p, IBV_WR_RDMA_WRITE, IOVA + REG_LEN - MSG_LEN + 1,
		      mr->rkey, IBV_WC_REM_ACCESS_ERR, "a byte too far");
	tap_ok(!ibv_dereg_mr(mr), "the region goes");
out_pair:
	pair_destroy(&p);
out:
	buffer_destroy(&b);
}
