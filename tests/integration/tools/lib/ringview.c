// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A process's view of the rings that its provider has mapped.
 *
 * The program's mmap() overrides that of the C library, so the provider's calls show
 * where the rings are, and can be made to fail.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rdma/ib_user_verbs.h>

#include "ringview.h"

/* Order in which pair_alloc() makes the provider map the rings of side a. */
enum {
	MAP_SCQ,
	MAP_RCQ,
	MAP_SQ,
	MAP_RQ,
	N_MAPS,
};

#define MARK	0x6d72632d72696e67ull

static struct {
	void *addr;
	size_t size;
} maps[N_MAPS];

static unsigned int n_maps = N_MAPS;
static uint32_t sq_stride;
static uint32_t rq_stride;

/* Set by tests around the call that has to cope with the failure. */
enum mapfail mapfail;

static void *map_and_log(void *addr, size_t size, int prot, int flags, int fd,
			 off_t offset)
{
	void *p;

	if (mapfail == MAPFAIL_ALL || (mapfail == MAPFAIL_FILES && fd >= 0)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	p = (void *)syscall(SYS_mmap, addr, size, prot, flags, fd, offset);
	if (p != MAP_FAILED && fd >= 0 && (flags & MAP_SHARED) &&
	    n_maps < N_MAPS) {
		maps[n_maps].addr = p;
		maps[n_maps++].size = size;
	}
	return p;
}

/**
 * mmap - as in the C library; the mapping is recorded
 * @addr: hint
 * @size: bytes
 * @prot: PROT_*
 * @flags: MAP_*
 * @fd: file
 * @offset: within the file
 *
 * Return: address or MAP_FAILED.
 */
void *mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	return map_and_log(addr, size, prot, flags, fd, offset);
}

/**
 * mmap64 - the name that large-file builds use
 * @addr: hint
 * @size: bytes
 * @prot: PROT_*
 * @flags: MAP_*
 * @fd: file
 * @offset: within the file
 *
 * Return: address or MAP_FAILED.
 */
void *mmap64(void *addr, size_t size, int prot, int flags, int fd,
	     off64_t offset)
{
	return map_and_log(addr, size, prot, flags, fd, offset);
}

static void view_set(struct ringview *r, int map, uint32_t entries,
		     uint32_t stride)
{
	r->hdr = maps[map].addr;
	r->size = maps[map].size;
	r->entries = entries;
	r->stride = stride;
}

/**
 * ringview_pair - a pair in RTS and the rings of its side a
 * @p: filled in
 * @v: filled in
 *
 * Return: 0, or an errno after a message; pair_destroy() in any case.
 */
int ringview_pair(struct pair *p, struct endview *v)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int ret;

	n_maps = 0;
	ret = pair_create(p, NULL);
	if (!ret && n_maps < N_MAPS) {
		fprintf(stderr, "the provider maps %u rings\n", n_maps);
		ret = ENODEV;
	}
	n_maps = N_MAPS;
	if (!ret)
		ret = ibv_query_qp(p->a.qp, &attr, IBV_QP_CAP, &init);
	if (ret)
		return ret;
	view_set(&v->scq, MAP_SCQ, p->a.scq->cqe, sizeof(struct mrc_cqe));
	view_set(&v->rcq, MAP_RCQ, p->a.rcq->cqe, sizeof(struct mrc_cqe));
	view_set(&v->sq, MAP_SQ, init.cap.max_send_wr, sq_stride);
	view_set(&v->rq, MAP_RQ, init.cap.max_recv_wr, rq_stride);
	return 0;
}

/**
 * ringview_expect - record the next ring that the provider maps
 */
void ringview_expect(void)
{
	n_maps = N_MAPS - 1;
}

/**
 * ringview_expected - the ring recorded since ringview_expect()
 *
 * Return: its header, or NULL if there was none.
 */
struct mrc_ring_hdr *ringview_expected(void)
{
	void *addr = n_maps == N_MAPS ? maps[N_MAPS - 1].addr : NULL;

	n_maps = N_MAPS;
	return addr;
}

/* Distance between two entries whose wr_id is MARK and MARK + 1. */
static uint32_t find_stride(const struct ringview *r)
{
	const char *base = (const char *)r->hdr;
	size_t at, first = 0, second = 0;
	uint64_t word;

	for (at = sizeof(*r->hdr); at + sizeof(word) <= r->size;
	     at += sizeof(word)) {
		memcpy(&word, base + at, sizeof(word));
		if (word == MARK)
			first = at;
		else if (word == MARK + 1)
			second = at;
	}
	return first && second > first ? second - first : 0;
}

/**
 * ringview_init - determine the strides of send and receive queues
 *
 * Only the provider gets them from the kernel; two work requests with known values
 * show them in the rings.
 *
 * Return: 0, or an errno after a message.
 */
int ringview_init(void)
{
	struct endview v;
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair p;
	int i, ret;

	ret = ringview_pair(&p, &v);
	for (i = 0; i < 2 && !ret; i++) {
		end_wr(&p, IBV_WR_RDMA_WRITE, 8, &wr, &sge);
		wr.wr_id = MARK + i;
		ret = end_post(&p.a, &wr);
		if (!ret)
			ret = end_recv(&p.a, MARK + i, 0, 8);
	}
	if (!ret) {
		sq_stride = find_stride(&v.sq);
		rq_stride = find_stride(&v.rq);
		if (!sq_stride || !rq_stride)
			ret = ENODEV;
	}
	if (ret)
		fprintf(stderr, "cannot find the rings: %s\n", strerror(ret));
	pair_destroy(&p);
	return ret;
}

/**
 * ringview_slot - an entry
 * @r: ring
 * @index: free-running
 *
 * Return: address.
 */
void *ringview_slot(const struct ringview *r, uint32_t index)
{
	return (char *)(r->hdr + 1) +
	       (size_t)(index & (r->entries - 1)) * r->stride;
}

/**
 * ringview_write - put a valid WRITE into the next free entry of a send queue
 * @p: the pair; side a writes from the begin of its buffer to that of side b
 * @sq: send queue of side a
 * @length: bytes
 *
 * The entry is not posted: the caller increments the producer index.
 *
 * Return: the entry.
 */
struct mrc_sqe *ringview_write(const struct pair *p, const struct ringview *sq,
			       uint32_t length)
{
	uint32_t prod = sq->hdr->prod;
	struct mrc_sqe *sqe = ringview_slot(sq, prod);
	struct mrc_sge *sge = (struct mrc_sge *)(sqe + 1);

	*sqe = (struct mrc_sqe){
		.wr_id = prod,
		.opcode = IBV_WR_RDMA_WRITE,
		.num_sge = 1,
		.flags = MRC_SQE_SIGNALED,
		.rkey = p->b.mr->rkey,
		.remote_addr = (uintptr_t)p->b.buf,
	};
	*sge = (struct mrc_sge){
		.addr = (uintptr_t)p->a.buf,
		.length = length,
		.lkey = p->a.mr->lkey,
	};
	return sqe;
}

/**
 * ringview_doorbell - make the kernel process a ring
 * @qp: queue pair
 * @send: send queue, else receive queue
 *
 * Return: 0 or an errno.
 */
int ringview_doorbell(const struct ibv_qp *qp, bool send)
{
	struct ib_uverbs_post_send_resp resp = {};
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send cmd;
	} db = {
		.hdr.command = send ? IB_USER_VERBS_CMD_POST_SEND :
				      IB_USER_VERBS_CMD_POST_RECV,
		.hdr.in_words = sizeof(db) / 4,
		.hdr.out_words = sizeof(resp) / 4,
		.cmd.response = (uintptr_t)&resp,
		.cmd.qp_handle = qp->handle,
		.cmd.wqe_size = send ? sizeof(struct ib_uverbs_send_wr) :
				       sizeof(struct ib_uverbs_recv_wr),
	};

	return write(qp->context->cmd_fd, &db, sizeof(db)) < 0 ? errno : 0;
}
