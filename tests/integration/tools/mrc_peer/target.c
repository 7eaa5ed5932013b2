// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The device under test.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "qp_attr.h"
#include "rc.h"
#include "target.h"

#define PAGE		4096
#define GUARD		(16 * PAGE)
#define AREA		(32 * PAGE)
#define MEM		(TARGET_AREAS * (GUARD + AREA) + GUARD)
/* Areas neither begin nor end with a page. */
#define MARGIN		100
#define CQ_ENTRIES	1024
#define SEND_WR		16
#define PAUSE_NS	500000L
#define GIDS_MAX	256

struct target {
	struct rc_dev dev;
	struct ibv_pd *pd2;
	struct ibv_cq *cq;
	struct ibv_mr *mr[TARGET_AREAS];
	struct target_mr area[TARGET_AREAS];
	uint8_t *mem;
	uint8_t *shadow;
	union ibv_gid peer;
};

struct target_qp {
	struct target *target;
	struct ibv_qp *qp;
};

/* The fill depends on the offset, and no packet writes the same byte there. */
static void fill(uint8_t *mem, size_t from, size_t to)
{
	size_t i;

	for (i = from; i < to; i++)
		mem[i] = (i * 0x9e3779b1u) >> 24;
}

static size_t area_start(int area)
{
	return GUARD + area * (GUARD + AREA) + MARGIN;
}

static int register_area(struct target *t, int area)
{
	struct target_mr *a = &t->area[area];
	int access = area == TARGET_READ_ONLY ?
			     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ :
			     RC_ACCESS_ALL;
	uint8_t *start = t->mem + area_start(area);

	a->va = (uintptr_t)start;
	a->len = AREA - 2 * MARGIN;
	t->mr[area] = ibv_reg_mr(area == TARGET_FOREIGN ? t->pd2 : t->dev.pd,
				 start, a->len, access);
	if (!t->mr[area])
		return -1;
	a->rkey = t->mr[area]->rkey;
	return 0;
}

static int make_memory(struct target *t)
{
	int i;

	t->mem = mmap(NULL, MEM, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	t->shadow = malloc(MEM);
	if (t->mem == MAP_FAILED || !t->shadow)
		return -1;
	fill(t->mem, 0, MEM);
	memcpy(t->shadow, t->mem, MEM);
	for (i = 0; i < TARGET_AREAS; i++)
		if (register_area(t, i))
			return -1;
	if (ibv_dereg_mr(t->mr[TARGET_GONE]))
		return -1;
	t->mr[TARGET_GONE] = NULL;
	return 0;
}

/**
 * target_open - open the device and prepare its memory
 * @name: device
 * @own: one of its addresses, as a GID
 * @peer: address of the raw peer
 *
 * Return: target, or NULL after a message.
 */
struct target *target_open(const char *name, const uint8_t *own,
			   const uint8_t *peer)
{
	struct target *t = calloc(1, sizeof(*t));

	if (!t || rc_open(&t->dev, name, 1, RC_GID_AUTO))
		return NULL;
	t->pd2 = ibv_alloc_pd(t->dev.ctx);
	t->cq = ibv_create_cq(t->dev.ctx, CQ_ENTRIES, NULL, NULL, 0);
	if (!t->pd2 || !t->cq || make_memory(t)) {
		perror("prepare the target");
		return NULL;
	}
	target_set_addresses(t, own, peer);
	return t;
}

/**
 * target_close - undo target_open()
 * @t: target without queue pairs
 */
void target_close(struct target *t)
{
	int i;

	for (i = 0; i < TARGET_AREAS; i++)
		if (t->mr[i] && ibv_dereg_mr(t->mr[i]))
			perror("ibv_dereg_mr");
	if (ibv_destroy_cq(t->cq) || ibv_dealloc_pd(t->pd2))
		perror("close the target");
	rc_close(&t->dev);
	munmap(t->mem, MEM);
	free(t->shadow);
	free(t);
}

/**
 * target_set_addresses - choose the addresses of queue pairs created from now on
 * @t: target
 * @own: one of the device's addresses, as a GID
 * @peer: address of the raw peer, as a GID
 */
void target_set_addresses(struct target *t, const uint8_t *own,
			  const uint8_t *peer)
{
	union ibv_gid gid;
	int i;

	memcpy(t->peer.raw, peer, sizeof(t->peer.raw));
	for (i = 0; i < GIDS_MAX; i++) {
		if (ibv_query_gid(t->dev.ctx, 1, i, &gid))
			break;
		if (memcmp(gid.raw, own, sizeof(gid.raw)))
			continue;
		t->dev.gid = gid;
		t->dev.gid_index = i;
		return;
	}
	fprintf(stderr, "the device has no such GID\n");
	exit(1);
}

/**
 * target_mr - address and key of an area
 * @t: target
 * @area: which
 * @mr: filled in
 */
void target_mr(const struct target *t, enum target_area area,
	       struct target_mr *mr)
{
	*mr = t->area[area];
}

/**
 * target_deregister - deregister an area
 * @t: target
 * @area: registered
 *
 * The current content is the expected one; every later change is an error.
 *
 * Return: 0 or an errno.
 */
int target_deregister(struct target *t, enum target_area area)
{
	int ret = ibv_dereg_mr(t->mr[area]);

	if (ret)
		return ret;
	t->mr[area] = NULL;
	target_accept_all(t, area);
	return 0;
}

/**
 * target_reregister - undo target_deregister()
 * @t: target
 * @area: deregistered
 * @mr: filled in; the key is a new one
 *
 * Return: 0, or -1 with errno.
 */
int target_reregister(struct target *t, enum target_area area,
		      struct target_mr *mr)
{
	if (register_area(t, area))
		return -1;
	*mr = t->area[area];
	return 0;
}

/**
 * target_expect - set the expected content of memory
 * @t: target
 * @va: address
 * @data: content
 * @len: bytes
 */
void target_expect(struct target *t, uint64_t va, const void *data, size_t len)
{
	memcpy(t->shadow + (va - (uintptr_t)t->mem), data, len);
}

/**
 * target_damage - compare the memory with its expected content
 * @t: target
 * @va: set to the address of the first byte that differs
 *
 * Return: number of bytes that differ.
 */
size_t target_damage(const struct target *t, uint64_t *va)
{
	size_t i, n = 0;

	if (!memcmp(t->mem, t->shadow, MEM))
		return 0;
	for (i = 0; i < MEM; i++) {
		if (t->mem[i] == t->shadow[i])
			continue;
		if (!n++)
			*va = (uintptr_t)t->mem + i;
	}
	return n;
}

/**
 * target_accept_all - take the current content of an area as the expected one
 * @t: target
 * @area: which
 */
void target_accept_all(struct target *t, enum target_area area)
{
	memcpy(t->shadow + area_start(area), t->mem + area_start(area),
	       t->area[area].len);
}

static int qp_connect(struct target_qp *qp, const struct target_cfg *cfg)
{
	const struct target *t = qp->target;
	struct rc_params p = rc_defaults;
	struct rc_addr self = { .psn = cfg->sq_psn };
	struct rc_addr peer = {
		.gid = t->peer,
		.qpn = cfg->peer_qpn,
		.psn = cfg->rq_psn,
		.mtu = IBV_MTU_1024,
	};
	struct ibv_qp_attr attr;
	int mask, ret;

	p.timeout = cfg->timeout;
	p.retry_cnt = cfg->retry_cnt;
	p.rd_atomic = TARGET_RD_ATOMIC;
	if (cfg->no_access)
		p.access = IBV_ACCESS_LOCAL_WRITE;
	ret = rc_init(&t->dev, qp->qp, &p);
	if (!ret && cfg->attr.mask) {
		ret = qp_attr_set(qp->qp, &cfg->attr);
		errno = ret;
	}
	if (ret || cfg->state == TARGET_INIT)
		return ret;
	if (cfg->state == TARGET_RTS)
		return rc_connect(&t->dev, qp->qp, &p, &self, &peer);
	rc_attr_rtr(&t->dev, &p, &peer, &attr, &mask);
	return ibv_modify_qp(qp->qp, &attr, mask);
}

/**
 * target_qp_create - a queue pair connected to the raw peer
 * @t: target
 * @cfg: attributes
 *
 * Return: queue pair, or NULL after a message.
 */
struct target_qp *target_qp_create(struct target *t,
				   const struct target_cfg *cfg)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = t->cq,
		.recv_cq = t->cq,
		.cap.max_send_wr = SEND_WR,
		.cap.max_recv_wr = TARGET_RECV_WR,
		.cap.max_send_sge = 1,
		.cap.max_recv_sge = 1,
		.qp_type = IBV_QPT_RC,
	};
	struct target_qp *qp = calloc(1, sizeof(*qp));

	if (!qp)
		return NULL;
	qp->target = t;
	qp->qp = ibv_create_qp(t->dev.pd, &attr);
	if (!qp->qp) {
		perror("ibv_create_qp");
		free(qp);
		return NULL;
	}
	if (!qp_connect(qp, cfg))
		return qp;
	perror("connect QP");
	target_qp_destroy(qp);
	return NULL;
}

/**
 * target_qp_reconnect - take a queue pair to RESET and connect it again
 * @qp: queue pair
 * @cfg: attributes
 *
 * Return: 0 or an errno.
 */
int target_qp_reconnect(struct target_qp *qp, const struct target_cfg *cfg)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	int ret = ibv_modify_qp(qp->qp, &attr, IBV_QP_STATE);

	return ret ? ret : qp_connect(qp, cfg);
}

/**
 * target_qp_destroy - undo target_qp_create(); drops all completions
 * @qp: queue pair, or NULL
 */
void target_qp_destroy(struct target_qp *qp)
{
	struct target_wc wc;

	if (!qp)
		return;
	if (ibv_destroy_qp(qp->qp))
		perror("ibv_destroy_qp");
	while (target_poll(qp->target, &wc, 0))
		;
	free(qp);
}

/**
 * target_qpn - number of a queue pair
 * @qp: queue pair
 *
 * Return: number.
 */
uint32_t target_qpn(const struct target_qp *qp)
{
	return qp->qp->qp_num;
}

/**
 * target_state - state of a queue pair, as the kernel sees it
 * @qp: queue pair
 *
 * Return: state.
 */
enum target_state target_state(const struct target_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (ibv_query_qp(qp->qp, &attr, IBV_QP_STATE, &init))
		return TARGET_OTHER;
	switch (attr.qp_state) {
	case IBV_QPS_INIT:
		return TARGET_INIT;
	case IBV_QPS_RTR:
		return TARGET_RTR;
	case IBV_QPS_RTS:
		return TARGET_RTS;
	case IBV_QPS_ERR:
		return TARGET_ERROR;
	default:
		return TARGET_OTHER;
	}
}

/**
 * target_recv - post a receive
 * @qp: queue pair
 * @wr_id: of the work request
 * @va: in the area with all access
 * @len: bytes
 *
 * Return: 0 or an errno.
 */
int target_recv(struct target_qp *qp, uint64_t wr_id, uint64_t va,
		uint32_t len)
{
	struct ibv_sge sge = { va, len, qp->target->mr[TARGET_FULL]->lkey };
	struct ibv_recv_wr *bad, wr = {
		.wr_id = wr_id,
		.sg_list = &sge,
		.num_sge = 1,
	};

	return ibv_post_recv(qp->qp, &wr, &bad);
}

/**
 * target_write - post a WRITE to the raw peer
 * @qp: queue pair
 * @wr_id: of the work request
 * @va: in the area with all access
 * @len: bytes
 * @remote_va: address at the peer
 * @rkey: peer's key
 *
 * Return: 0 or an errno.
 */
int target_write(struct target_qp *qp, uint64_t wr_id, uint64_t va,
		 uint32_t len, uint64_t remote_va, uint32_t rkey)
{
	struct ibv_sge sge = { va, len, qp->target->mr[TARGET_FULL]->lkey };
	struct ibv_send_wr *bad, wr = {
		.wr_id = wr_id,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma.remote_addr = remote_va,
		.wr.rdma.rkey = rkey,
	};

	return ibv_post_send(qp->qp, &wr, &bad);
}

/**
 * target_pause - pause between two looks at something that is waited for
 * @end: last time to look, see rc_now_ns()
 *
 * Return: false, at once, if that has passed.
 */
bool target_pause(uint64_t end)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	if (rc_now_ns() >= end)
		return false;
	nanosleep(&pause, NULL);
	return true;
}

/**
 * target_poll - wait for a completion
 * @t: target
 * @wc: filled in
 * @timeout_ms: maximum
 *
 * Return: true if there is one.
 */
bool target_poll(struct target *t, struct target_wc *wc, int timeout_ms)
{
	uint64_t end = rc_now_ns() + timeout_ms * NS_PER_MS;
	struct ibv_wc c;

	do {
		if (ibv_poll_cq(t->cq, 1, &c) != 1)
			continue;
		wc->wr_id = c.wr_id;
		wc->status = c.status;
		wc->opcode = c.opcode;
		wc->byte_len = c.byte_len;
		wc->imm = c.wc_flags & IBV_WC_WITH_IMM ? c.imm_data : 0;
		return true;
	} while (target_pause(end));
	return false;
}

/**
 * target_await - wait for a state
 * @qp: queue pair
 * @state: awaited
 * @timeout_ms: maximum
 *
 * Return: true if the QP has reached @state.
 */
bool target_await(const struct target_qp *qp, enum target_state state,
		  int timeout_ms)
{
	uint64_t end = rc_now_ns() + timeout_ms * NS_PER_MS;

	do {
		if (target_state(qp) == state)
			return true;
	} while (target_pause(end));
	return false;
}
