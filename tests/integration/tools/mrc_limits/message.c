// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The longest message, every byte compared, and a message longer by one byte.
 */
#include <string.h>
#include <sys/mman.h>

#include "limit.h"
#include "pair.h"
#include "pattern.h"
#include "tap.h"

#define PAGE	4096
/* PAIR_WAIT_MS each; what takes longer than all of them does not come. */
#define WAITS	10

/**
 * struct area - memory for a message, and a page after it
 * @mem: the memory
 * @mr: of all of it
 */
struct area {
	char *mem;
	struct ibv_mr *mr;
};

static bool area_open(struct area *a, struct rc_dev *dev, size_t len)
{
	a->mem = mmap(NULL, len + PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (a->mem == MAP_FAILED)
		return false;
	a->mr = ibv_reg_mr(dev->pd, a->mem, len + PAGE, RC_ACCESS_ALL);
	return a->mr;
}

static void area_close(struct area *a, size_t len)
{
	if (a->mr)
		ibv_dereg_mr(a->mr);
	if (a->mem != MAP_FAILED)
		munmap(a->mem, len + PAGE);
}

static bool ends(struct ibv_cq *cq, enum ibv_wc_status status)
{
	struct ibv_wc wc;
	int i;

	for (i = 0; i < WAITS; i++)
		if (wait_wc(cq, &wc))
			break;
	if (wc.status != status)
		tap_note("completion: %s", ibv_wc_status_str(wc.status));
	return wc.status == status;
}

static bool move(struct pair *p, enum ibv_wr_opcode opcode,
		 const struct area *local, const struct area *remote,
		 uint32_t len, enum ibv_wc_status status)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;

	end_wr(p, opcode, len, &wr, &sge);
	sge.addr = (uintptr_t)local->mem;
	sge.lkey = local->mr->lkey;
	wr.wr.rdma.remote_addr = (uintptr_t)remote->mem;
	wr.wr.rdma.rkey = remote->mr->rkey;
	return !end_post(&p->a, &wr) && ends(p->a.scq, status);
}

/* It has arrived, and nothing else has. */
static bool holds(const struct area *a, size_t len, uint64_t base)
{
	static const char zero[PAGE];
	size_t same = pattern_check(a->mem, len, base);

	if (same != len)
		tap_note("byte %zu differs", same);
	return same == len && !memcmp(a->mem + len, zero, PAGE);
}

static void move_longest(const struct area *a, const struct area *b, size_t len)
{
	const uint64_t base[2] = {
		pattern_base(1, 0, 0), pattern_base(1, 0, 1),
	};
	struct pair p;

	if (!pair_ready(&p, "longest message", NULL))
		return;
	pattern_fill(a->mem, len, base[0]);
	tap_ok(move(&p, IBV_WR_RDMA_WRITE, a, b, len, IBV_WC_SUCCESS) &&
	       holds(b, len, base[0]),
	       "WRITE of max_msg_sz (%zu) bytes moves all bytes", len);
	pattern_fill(b->mem, len, base[1]);
	tap_ok(move(&p, IBV_WR_RDMA_READ, a, b, len, IBV_WC_SUCCESS) &&
	       holds(a, len, base[1]),
	       "READ of max_msg_sz (%zu) bytes moves all bytes", len);
	pair_destroy(&p);
}

static void refuse_longer(enum ibv_wr_opcode opcode, const char *name,
			  const struct area *a, const struct area *b,
			  uint32_t len)
{
	struct pair p;

	if (!pair_ready(&p, name, NULL))
		return;
	tap_ok(move(&p, opcode, a, b, len, IBV_WC_LOC_LEN_ERR),
	       "%s of max_msg_sz + 1 (%u) bytes: %s", name, len,
	       ibv_wc_status_str(IBV_WC_LOC_LEN_ERR));
	pair_destroy(&p);
}

/**
 * limit_message - tests: messages of max_msg_sz bytes and of one byte more
 */
void limit_message(void)
{
	const size_t len = pair_dev[0].port_attr.max_msg_sz;
	struct area a = {}, b = {};

	if (tap_ok(area_open(&a, &pair_dev[0], len) &&
		   area_open(&b, &pair_dev[1], len),
		   "memory for messages of %zu bytes", len)) {
		move_longest(&a, &b, len);
		refuse_longer(IBV_WR_RDMA_WRITE, "WRITE", &a, &b, len + 1);
		refuse_longer(IBV_WR_RDMA_READ, "READ", &a, &b, len + 1);
		refuse_longer(IBV_WR_SEND, "SEND", &a, &b, len + 1);
	}
	area_close(&a, len);
	area_close(&b, len);
}
