// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Limits of one work request: elements, and inline data.
 */
#include <errno.h>
#include <string.h>

#include "limit.h"
#include "pair.h"
#include "pattern.h"
#include "tap.h"

/* Bytes of an element, and from one to the next: nothing is aligned. */
#define ELEMENT		301
#define STRIDE		(2 * ELEMENT)
#define SGES_MAX	64
#define INLINE_MAX	256

/* Every other part of a buffer. */
static void apart(struct ibv_sge *sge, const struct end *e, int n)
{
	int i;

	for (i = 0; i < n; i++)
		sge[i] = (struct ibv_sge){
			.addr = (uintptr_t)e->buf + i * STRIDE,
			.length = ELEMENT,
			.lkey = e->mr->lkey,
		};
}

/* The parts of @to, @step apart, are those of @from; between them is @fill. */
static bool moved(const char *to, size_t step, const char *from,
		  size_t from_step, int n, char fill)
{
	size_t at;
	int i;

	for (i = 0; i < n; i++) {
		if (memcmp(to + i * step, from + i * from_step, ELEMENT))
			return false;
		for (at = ELEMENT; at < step; at++)
			if (to[i * step + at] != fill)
				return false;
	}
	return true;
}

static bool done(struct pair *p, struct ibv_send_wr *wr)
{
	return !end_post(&p->a, wr) &&
	       expect_wc(p->a.scq, IBV_WC_SUCCESS,
			 "work request at a limit");
}

static void move_elements(struct pair *p, int n)
{
	struct ibv_sge sge[SGES_MAX], to[SGES_MAX];
	struct ibv_recv_wr *bad, recv = { .sg_list = to, .num_sge = n };
	struct ibv_send_wr wr;

	end_wr(p, IBV_WR_RDMA_WRITE, ELEMENT, &wr, sge);
	wr.num_sge = n;
	apart(sge, &p->a, n);
	pattern_fill(p->a.buf, n * STRIDE, pattern_base(1, 0, 0));
	tap_ok(done(p, &wr) &&
	       moved(p->b.buf, ELEMENT, p->a.buf, STRIDE, n, 0),
	       "WRITE of max_sge (%d) elements moves all bytes", n);

	wr.opcode = IBV_WR_RDMA_READ;
	pattern_fill(p->b.buf, n * ELEMENT, pattern_base(1, 0, 1));
	memset(p->a.buf, 'a', PAIR_BUF_LEN);
	tap_ok(done(p, &wr) &&
	       moved(p->a.buf, STRIDE, p->b.buf, ELEMENT, n, 'a'),
	       "READ into max_sge (%d) elements moves all bytes", n);

	wr.opcode = IBV_WR_SEND;
	memset(p->b.buf, 'b', PAIR_BUF_LEN);
	apart(to, &p->b, n);
	tap_ok(!ibv_post_recv(p->b.qp, &recv, &bad) && done(p, &wr) &&
	       expect_wc(p->b.rcq, IBV_WC_SUCCESS,
			 "receive into max_sge elements") &&
	       moved(p->b.buf, STRIDE, p->a.buf, STRIDE, n, 'b'),
	       "SEND of max_sge (%d) elements into as many moves all bytes", n);
}

static void refuse_elements(struct pair *p, int n)
{
	struct ibv_sge sge[SGES_MAX];
	struct ibv_recv_wr *bad, recv = { .sg_list = sge, .num_sge = n };
	struct ibv_send_wr wr;

	end_wr(p, IBV_WR_RDMA_WRITE, ELEMENT, &wr, sge);
	wr.num_sge = n;
	apart(sge, &p->a, n);
	tap_ok(end_post(&p->a, &wr) == EINVAL &&
	       ibv_post_recv(p->b.qp, &recv, &bad) == EINVAL,
	       "post_send and post_recv of max_sge + 1 (%d) elements: %s", n,
	       strerror(EINVAL));
}

static void move_inline(struct pair *p)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;

	end_wr(p, IBV_WR_RDMA_WRITE, INLINE_MAX, &wr, &sge);
	wr.send_flags |= IBV_SEND_INLINE;
	sge.lkey = 0;
	memset(p->b.buf, 'b', PAIR_BUF_LEN);
	pattern_fill(p->a.buf, INLINE_MAX, pattern_base(1, 0, 2));
	tap_ok(done(p, &wr) && !memcmp(p->b.buf, p->a.buf, INLINE_MAX) &&
	       p->b.buf[INLINE_MAX] == 'b', "WRITE of %d inline bytes",
	       INLINE_MAX);
	sge.length++;
	tap_ok(end_post(&p->a, &wr) == EINVAL, "WRITE of %d inline bytes: %s",
	       INLINE_MAX + 1,
	       strerror(EINVAL));
}

/**
 * limit_element - tests: the largest number of elements and of inline bytes
 */
void limit_element(void)
{
	const struct ibv_device_attr *dev = &pair_dev[0].attr;
	struct pair_opts opts = {
		.sges = dev->max_sge,
		.inline_len = INLINE_MAX,
	};
	struct pair p;

	if (!tap_ok(dev->max_sge < SGES_MAX && dev->max_sge_rd == dev->max_sge,
		    "max_sge_rd is max_sge, %d",
		    dev->max_sge) || !pair_ready(&p, "elements", &opts))
		return;
	move_elements(&p, dev->max_sge);
	refuse_elements(&p, dev->max_sge + 1);
	move_inline(&p);
	pair_destroy(&p);

	opts.inline_len++;
	tap_ok(pair_alloc(&p, &opts) == EINVAL,
	       "create_qp with max_inline_data %d: %s",
	       INLINE_MAX + 1, strerror(EINVAL));
	pair_destroy(&p);
}
