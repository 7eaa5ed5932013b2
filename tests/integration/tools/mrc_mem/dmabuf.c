// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions of a dma-buf: udmabuf exports the pages of a file, and the test
 * module mrc_exporter further kinds, some of which registration must refuse.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/udmabuf.h>

#include "../../module/exporter.h"
#include "mem.h"

#define PAGE	4096
#define LEN	EXPORTER_LEN
/* Part of the buffer that is registered; it ends with the buffer. */
#define OFFSET	(PAGE + 64)
#define REG_LEN	(LEN - OFFSET)
#define IOVA	(0x1000000000000ULL + OFFSET)
#define UDMABUF	"/dev/udmabuf"
#define EXPORTER	"/dev/mrc_exporter"

/**
 * struct buffer - a dma-buf and its content
 * @name: for labels
 * @fd: dma-buf
 * @mem: mapping of the process
 */
struct buffer {
	const char *name;
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

/* A dma-buf of one of the kinds EXPORTER_*. */
static int export_kind(unsigned long kind)
{
	int dev = open(EXPORTER, O_RDWR);
	int fd;

	if (dev < 0)
		return -1;
	fd = ioctl(dev, kind);
	close(dev);
	return fd;
}

/* Map the buffer's bytes, which @file shows. */
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

	b->name = "udmabuf";
	b->fd = export_file(memfd);
	ok = buffer_map(b, memfd);
	close(memfd);
	return ok;
}

static bool buffer_create_exporter(struct buffer *b, const char *name,
				   unsigned long kind)
{
	b->name = name;
	b->fd = export_kind(kind);
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

static void refused(const char *name, const char *what, uint64_t offset,
		    size_t len, int fd, int access, int error)
{
	struct ibv_mr *mr;

	errno = 0;
	mr = ibv_reg_dmabuf_mr(pair_dev[1].pd, offset, len, offset, fd, access);
	if (!tap_ok(!mr && errno == error, "%s: region %s: %s", name, what,
		    strerror(error)))
		tap_note("ibv_reg_dmabuf_mr: %s",
			 mr ? "success" : strerror(errno));
	if (mr)
		ibv_dereg_mr(mr);
}

/* A peer writes and reads the region, at both ends. */
static void remote(struct pair *p, const struct buffer *b,
		   const struct ibv_mr *mr)
{
	const uint64_t last = IOVA + REG_LEN - MSG_LEN;
	uint64_t value = 41;
	char name[64];

	memset(p->a.buf, 'w', REG_LEN);
	tap_ok(access_memory(p, IBV_WR_RDMA_WRITE, IOVA, mr->rkey, REG_LEN) ==
		       IBV_WC_SUCCESS && all(b->mem, 'd', OFFSET) &&
	       all(b->mem + OFFSET, 'w', REG_LEN),
	       "%s: WRITE to the whole region", b->name);
	memset(b->mem, 'r', LEN);
	tap_ok(access_memory(p, IBV_WR_RDMA_READ, IOVA, mr->rkey, REG_LEN) ==
		       IBV_WC_SUCCESS && all(p->a.buf, 'r', REG_LEN),
	       "%s: READ of the whole region", b->name);
	memcpy(b->mem + OFFSET, &value, sizeof(value));
	tap_ok(access_memory(p, IBV_WR_ATOMIC_FETCH_AND_ADD, IOVA, mr->rkey,
			     sizeof(value)) == IBV_WC_SUCCESS &&
	       !memcmp(p->a.buf, &value, sizeof(value)) &&
	       *(uint64_t *)(b->mem + OFFSET) == value + 1,
	       "%s: FETCH_ADD in the region", b->name);
	snprintf(name, sizeof(name),
		 "%s: WRITE to the last bytes of the region", b->name);
	expect_access(p, IBV_WR_RDMA_WRITE, last, mr->rkey, IBV_WC_SUCCESS,
		      name);
}

/* Side b sends from the region. */
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
	       all(p->a.buf, 's', REG_LEN), "%s: SEND from the region",
	       b->name);
}

/* All uses of a buffer that can be read and written. */
static void use_buffer(struct buffer *b)
{
	struct ibv_mr *mr;
	struct pair p;
	char name[64];

	if (!pair_ready(&p, b->name, NULL))
		return;
	refused(b->name, "beyond the end", OFFSET, LEN, b->fd, RC_ACCESS_ALL,
		EINVAL);
	refused(b->name, "of no bytes", OFFSET, 0, b->fd, RC_ACCESS_ALL,
		EINVAL);
	mr = ibv_reg_dmabuf_mr(p.b.dev->pd, OFFSET, REG_LEN, IOVA, b->fd,
			       RC_ACCESS_ALL);
	if (!tap_ok(mr, "%s: ibv_reg_dmabuf_mr succeeds", b->name))
		goto out;
	/* The region holds a reference to the dma-buf. */
	close(b->fd);
	b->fd = -1;
	remote(&p, b, mr);
	local(&p, b, mr);
	tap_ok(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0),
	       "%s: ibv_rereg_mr of the region is refused", b->name);
	snprintf(name, sizeof(name), "%s: WRITE one byte beyond the region",
		 b->name);
	expect_access(&p, IBV_WR_RDMA_WRITE, IOVA + REG_LEN - MSG_LEN + 1,
		      mr->rkey, IBV_WC_REM_ACCESS_ERR, name);
	tap_ok(!ibv_dereg_mr(mr), "%s: ibv_dereg_mr succeeds", b->name);
out:
	pair_destroy(&p);
}

/**
 * mem_dmabuf - tests: memory exported by udmabuf
 */
void mem_dmabuf(void)
{
	struct buffer b;

	if (access(UDMABUF, F_OK)) {
		tap_skip("udmabuf", "not in this kernel");
		return;
	}
	refused("standard input", "of a file that is not a dma-buf", 0, LEN,
		STDIN_FILENO, RC_ACCESS_ALL, EINVAL);
	if (tap_ok(buffer_create_udmabuf(&b), "create a dma-buf of %s",
		   UDMABUF))
		use_buffer(&b);
	buffer_destroy(&b);
}

/* A read-only dma-buf can be registered for remote reads only. */
static void read_only(void)
{
	int fd = export_kind(EXPORTER_READ_ONLY);
	struct ibv_mr *mr;
	struct pair p;

	if (!pair_ready(&p, "read-only dma-buf", NULL))
		goto out;
	refused("read-only dma-buf", "with local write", 0, LEN, fd,
		IBV_ACCESS_LOCAL_WRITE, EACCES);
	refused("read-only dma-buf", "with all access", 0, LEN, fd,
		RC_ACCESS_ALL, EACCES);
	mr = ibv_reg_dmabuf_mr(p.b.dev->pd, OFFSET, REG_LEN, IOVA, fd,
			       IBV_ACCESS_REMOTE_READ);
	if (!tap_ok(mr, "read-only dma-buf: region with remote read"))
		goto out_pair;
	tap_ok(access_memory(&p, IBV_WR_RDMA_READ, IOVA, mr->rkey, REG_LEN) ==
		       IBV_WC_SUCCESS && all(p.a.buf, EXPORTER_FILL, REG_LEN),
	       "read-only dma-buf: READ of the whole region");
	expect_access(&p, IBV_WR_RDMA_WRITE, IOVA, mr->rkey,
		      IBV_WC_REM_ACCESS_ERR, "read-only dma-buf: WRITE");
	tap_ok(!ibv_dereg_mr(mr), "read-only dma-buf: ibv_dereg_mr succeeds");
out_pair:
	pair_destroy(&p);
out:
	close(fd);
}

static void kind_refused(const char *what, unsigned long kind, int error)
{
	int fd = export_kind(kind);

	refused(what, "with all access", 0, LEN, fd, RC_ACCESS_ALL, error);
	close(fd);
}

/**
 * mem_exporter - tests: memory exported by mrc_exporter, also kinds to be refused
 */
void mem_exporter(void)
{
	struct buffer b;

	if (tap_ok(buffer_create_exporter(&b, "mrc_exporter", EXPORTER_MEMORY),
		   "create a dma-buf of %s", EXPORTER))
		use_buffer(&b);
	buffer_destroy(&b);
	if (tap_ok(buffer_create_exporter(&b, "movable dma-buf",
					  EXPORTER_MOVABLE),
		   "create a dma-buf of %s that moves unless it is pinned",
		   EXPORTER))
		use_buffer(&b);
	buffer_destroy(&b);
	read_only();
	kind_refused("dma-buf that the exporter does not map",
		     EXPORTER_UNMAPPED, EOPNOTSUPP);
	kind_refused("dma-buf of device memory", EXPORTER_DEVICE, EOPNOTSUPP);
	kind_refused("dma-buf that cannot be pinned", EXPORTER_UNPINNABLE,
		     ENOSPC);
}
