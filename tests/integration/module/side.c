// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A user of verbs in the kernel: two queue pairs, their memory, work requests.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include "user.h"

/* Upper limit of waiting; no test depends on it. */
#define USER_PATIENCE	(60 * HZ)

#define USER_ACCESS (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
		     IB_ACCESS_REMOTE_READ)

/* --- memory ---------------------------------------------------------------- */

static int user_alloc_pages(struct user_side *s)
{
	struct page *between;
	int i;

	s->buf = kzalloc(USER_LEN, GFP_KERNEL);
	if (!s->buf)
		return -ENOMEM;
	sg_init_table(s->sg, USER_PAGES);
	for (i = 0; i < USER_PAGES; i++) {
		s->pages[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		/* The page allocator probably returns the next page. */
		between = alloc_page(GFP_KERNEL);
		if (between)
			__free_page(between);
		if (!s->pages[i])
			return -ENOMEM;
		sg_set_page(&s->sg[i], s->pages[i], PAGE_SIZE, 0);
	}
	s->sg[0].offset = USER_SKIP;
	s->sg[0].length -= USER_SKIP;
	s->sg[USER_PAGES - 1].length -= USER_SKIP;
	return 0;
}

static void user_free_pages(struct user_side *s)
{
	int i;

	for (i = 0; i < USER_PAGES; i++)
		if (s->pages[i])
			__free_page(s->pages[i]);
	kfree(s->buf);
}

/**
 * user_fill() - write a pattern to all memory of a side
 * @s: side
 * @seed: the pattern
 */
void user_fill(struct user_side *s, u8 seed)
{
	u32 i;

	for (i = 0; i < USER_LEN; i++)
		s->buf[i] = seed + i % 251;
	sg_copy_from_buffer(s->sg, USER_PAGES, s->buf, USER_LEN);
}

/**
 * user_holds() - compare the pages of a side with a pattern
 * @s: side
 * @seed: the pattern
 *
 * Return: true if every byte is that of the pattern.
 */
bool user_holds(const struct user_side *s, u8 seed)
{
	const u8 *page;
	u32 i, at;

	for (i = 0; i < USER_LEN; i++) {
		at = i + USER_SKIP;
		page = page_address(s->pages[at / PAGE_SIZE]);
		if (page[at % PAGE_SIZE] != (u8)(seed + i % 251))
			return false;
	}
	return true;
}

/**
 * user_map() - map the pages of a side to its region, under a new key
 * @s: side
 *
 * Return: 0 or a negative errno.
 */
int user_map(struct user_side *s)
{
	int n = ib_map_mr_sg(s->mr, s->sg, USER_PAGES, NULL, PAGE_SIZE);

	if (n < 0)
		return n;
	if (n != USER_PAGES || s->mr->length != USER_LEN)
		return -EIO;
	ib_update_fast_reg_key(s->mr, ib_inc_rkey(s->mr->rkey));
	return 0;
}

/* --- work requests --------------------------------------------------------- */

static void user_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct user_op *op = container_of(wc->wr_cqe, struct user_op, cqe);

	op->wc = *wc;
	complete(&op->done);
}

/**
 * user_op_init() - prepare a work request to be posted
 * @op: work request
 */
void user_op_init(struct user_op *op)
{
	op->cqe.done = user_done;
	init_completion(&op->done);
}

/**
 * user_wait() - wait for the completion of a work request
 * @s: side that has posted it
 * @op: the work request
 *
 * Return: enum ib_wc_status, or -ETIMEDOUT.
 */
int user_wait(struct user_side *s, struct user_op *op)
{
	unsigned long end = jiffies + USER_PATIENCE;

	if (s->poll != IB_POLL_DIRECT)
		return wait_for_completion_timeout(&op->done, USER_PATIENCE) ?
			       op->wc.status : -ETIMEDOUT;
	while (!try_wait_for_completion(&op->done)) {
		if (time_after(jiffies, end))
			return -ETIMEDOUT;
		ib_process_cq_direct(s->cq, -1);
		/* Not cond_resched(): in virtual time only waiting takes time. */
		usleep_range(1, 2);
	}
	return op->wc.status;
}

static int user_post(struct user_side *s, struct ib_send_wr *wr)
{
	user_op_init(&s->op);
	wr->wr_cqe = &s->op.cqe;
	wr->send_flags = IB_SEND_SIGNALED;
	return ib_post_send(s->qp, wr, NULL) ?: user_wait(s, &s->op);
}

/**
 * user_reg() - register the region of a side
 * @s: side
 * @access: enum ib_access_flags
 *
 * Return: status of the completion, or a negative errno.
 */
int user_reg(struct user_side *s, int access)
{
	struct ib_reg_wr wr = {
		.wr.opcode = IB_WR_REG_MR,
		.mr = s->mr,
		.key = s->mr->rkey,
		.access = access,
	};

	return user_post(s, &wr.wr);
}

/**
 * user_inval() - invalidate the region of a side
 * @s: side
 *
 * Return: status of the completion, or a negative errno.
 */
int user_inval(struct user_side *s)
{
	struct ib_send_wr wr = {
		.opcode = IB_WR_LOCAL_INV,
		.ex.invalidate_rkey = s->mr->rkey,
	};

	return user_post(s, &wr);
}

/**
 * user_rdma() - WRITE or READ all memory of the peer, from or to that of a side
 * @s: side
 * @opcode: which
 * @addr: address at the peer
 * @key: its key
 *
 * Return: status of the completion, or a negative errno.
 */
int user_rdma(struct user_side *s, enum ib_wr_opcode opcode, u64 addr, u32 key)
{
	struct ib_sge sge = {
		.addr = ib_dma_map_single(s->qp->device, s->buf, USER_LEN,
					  DMA_BIDIRECTIONAL),
		.length = USER_LEN,
		.lkey = s->qp->pd->local_dma_lkey,
	};
	struct ib_rdma_wr wr = {
		.wr.opcode = opcode,
		.wr.sg_list = &sge,
		.wr.num_sge = 1,
		.remote_addr = addr,
		.rkey = key,
	};

	return user_post(s, &wr.wr);
}

/**
 * user_recv() - post a receive work request without memory
 * @s: side
 * @op: work request
 *
 * Return: 0 or a negative errno.
 */
int user_recv(struct user_side *s, struct user_op *op)
{
	struct ib_recv_wr wr = { .wr_cqe = &op->cqe };

	user_op_init(op);
	return ib_post_recv(s->qp, &wr, NULL);
}

/**
 * user_send_inv() - SEND with Invalidate
 * @s: side
 * @key: of the peer
 *
 * Return: status of the completion, or a negative errno.
 */
int user_send_inv(struct user_side *s, u32 key)
{
	struct ib_send_wr wr = {
		.opcode = IB_WR_SEND_WITH_INV,
		.ex.invalidate_rkey = key,
	};

	return user_post(s, &wr);
}

/* --- queue pairs ----------------------------------------------------------- */

static int user_side_open(struct user_pair *p, struct user_side *s,
			  enum ib_poll_context poll)
{
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap.max_send_wr = USER_DEPTH,
		.cap.max_recv_wr = USER_DEPTH,
		.cap.max_send_sge = 1,
		.cap.max_recv_sge = 1,
	};
	int err;

	err = user_alloc_pages(s);
	if (err)
		return err;
	s->poll = poll;
	s->cq = ib_alloc_cq(p->dev, NULL, 4 * USER_DEPTH, 0, poll);
	if (IS_ERR(s->cq))
		return PTR_ERR(s->cq);
	init.send_cq = s->cq;
	init.recv_cq = s->cq;
	s->qp = ib_create_qp(p->pd, &init);
	if (IS_ERR(s->qp))
		return PTR_ERR(s->qp);
	s->mr = ib_alloc_mr(p->pd, IB_MR_TYPE_MEM_REG, USER_PAGES);
	if (IS_ERR(s->mr))
		return PTR_ERR(s->mr);
	if (ib_dma_map_sg(p->dev, s->sg, USER_PAGES, DMA_BIDIRECTIONAL) !=
	    USER_PAGES)
		return -EIO;
	return 0;
}

static void user_side_close(struct user_side *s)
{
	if (!IS_ERR_OR_NULL(s->qp)) {
		ib_drain_qp(s->qp);
		ib_destroy_qp(s->qp);
	}
	if (!IS_ERR_OR_NULL(s->mr))
		ib_dereg_mr(s->mr);
	if (!IS_ERR_OR_NULL(s->cq))
		ib_free_cq(s->cq);
	user_free_pages(s);
}

static int user_connect(struct ib_qp *qp, u32 peer, const union ib_gid *gid,
			int gid_index)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = USER_ACCESS,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = peer,
		.max_rd_atomic = 4,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 12,
		.timeout = 17,
		.retry_cnt = 7,
		.rnr_retry = 7,
	};
	int err;

	attr.ah_attr.type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_port_num(&attr.ah_attr, 1);
	rdma_ah_set_grh(&attr.ah_attr, (union ib_gid *)gid, 0, gid_index, 64, 0);

	err = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX |
				      IB_QP_PORT | IB_QP_ACCESS_FLAGS);
	attr.qp_state = IB_QPS_RTR;
	if (!err)
		err = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_AV |
				   IB_QP_PATH_MTU | IB_QP_DEST_QPN |
				   IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC |
				   IB_QP_MIN_RNR_TIMER);
	attr.qp_state = IB_QPS_RTS;
	if (!err)
		err = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_TIMEOUT |
				   IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
				   IB_QP_SQ_PSN | IB_QP_MAX_QP_RD_ATOMIC);
	return err;
}

/**
 * user_pair_open() - make two queue pairs and connect them
 * @p: zeroed
 * @dev: device
 * @gid_index: index of its address
 * @poll: context in which completions are polled
 *
 * Return: 0 or a negative errno; user_pair_close() must follow in any case.
 */
int user_pair_open(struct user_pair *p, struct ib_device *dev, int gid_index,
		   enum ib_poll_context poll)
{
	int err;

	p->dev = dev;
	p->gid_index = gid_index;
	p->pd = ib_alloc_pd(dev, 0);
	if (IS_ERR(p->pd))
		return PTR_ERR(p->pd);
	err = user_side_open(p, &p->a, poll) ?: user_side_open(p, &p->b, poll) ?:
	      rdma_query_gid(dev, 1, gid_index, &p->gid);
	if (err)
		return err;
	return user_connect(p->a.qp, p->b.qp->qp_num, &p->gid, gid_index) ?:
	       user_connect(p->b.qp, p->a.qp->qp_num, &p->gid, gid_index);
}

/**
 * user_pair_close() - drain both queue pairs and release everything
 * @p: pair
 */
void user_pair_close(struct user_pair *p)
{
	user_side_close(&p->a);
	user_side_close(&p->b);
	if (!IS_ERR_OR_NULL(p->pd))
		ib_dealloc_pd(p->pd);
}
