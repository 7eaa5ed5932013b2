// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of what a user of verbs in the kernel relies on.
 */
#include <linux/slab.h>
#include "user.h"

#define SEED_OLD	17
#define SEED_NEW	91

#define ACCESS_RW (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
		   IB_ACCESS_REMOTE_READ)

/* Return from the test with a message if the condition does not hold. */
#define expect(condition)						\
	do {								\
		if (!(condition)) {					\
			pr_info("mrc_user: # %s\n", #condition);	\
			return false;					\
		}							\
	} while (0)

/* As expect(), with the status in the message. */
#define expect_status(got, wanted)					\
	do {								\
		int status_ = (got);					\
									\
		if (status_ != (wanted)) {				\
			pr_info("mrc_user: # %s is %d\n", #got, status_); \
			return false;					\
		}							\
	} while (0)

/* Register the memory of @s, filled with bytes that the peer does not write. */
static bool open_region(struct user_side *s, int access)
{
	user_fill(s, SEED_OLD);
	expect_status(user_map(s), 0);
	expect_status(user_reg(s, access), IB_WC_SUCCESS);
	return true;
}

static int write_by_key(struct user_pair *p, u32 key)
{
	user_fill(&p->a, SEED_NEW);
	return user_rdma(&p->a, IB_WR_RDMA_WRITE, p->b.mr->iova, key);
}

static bool case_write(struct user_pair *p)
{
	expect(open_region(&p->b, ACCESS_RW));
	expect_status(write_by_key(p, p->b.mr->rkey), IB_WC_SUCCESS);
	expect(user_holds(&p->b, SEED_NEW));
	return true;
}

static bool case_read(struct user_pair *p)
{
	expect(open_region(&p->b, ACCESS_RW));
	user_fill(&p->a, SEED_NEW);
	expect_status(user_rdma(&p->a, IB_WR_RDMA_READ, p->b.mr->iova,
				p->b.mr->rkey), IB_WC_SUCCESS);
	sg_copy_from_buffer(p->a.sg, USER_PAGES, p->a.buf, USER_LEN);
	expect(user_holds(&p->a, SEED_OLD));
	return true;
}

/* The owner may choose another address after mapping the memory. */
static bool case_iova(struct user_pair *p)
{
	user_fill(&p->b, SEED_OLD);
	expect_status(user_map(&p->b), 0);
	p->b.mr->iova = 0x123456ULL << 32 | (u32)p->b.mr->iova;
	expect_status(user_reg(&p->b, ACCESS_RW), IB_WC_SUCCESS);
	expect_status(write_by_key(p, p->b.mr->rkey), IB_WC_SUCCESS);
	expect(user_holds(&p->b, SEED_NEW));
	return true;
}

static bool case_free_region(struct user_pair *p)
{
	user_fill(&p->b, SEED_OLD);
	expect_status(user_map(&p->b), 0);
	expect_status(write_by_key(p, p->b.mr->rkey), IB_WC_REM_ACCESS_ERR);
	expect(user_holds(&p->b, SEED_OLD));
	return true;
}

static bool case_old_key(struct user_pair *p)
{
	u32 old;

	expect(open_region(&p->b, ACCESS_RW));
	old = p->b.mr->rkey;
	expect_status(user_inval(&p->b), IB_WC_SUCCESS);
	expect(open_region(&p->b, ACCESS_RW));
	expect(p->b.mr->rkey != old);
	expect_status(write_by_key(p, old), IB_WC_REM_ACCESS_ERR);
	expect(user_holds(&p->b, SEED_OLD));
	return true;
}

static bool case_local_inv(struct user_pair *p)
{
	expect(open_region(&p->b, ACCESS_RW));
	expect_status(user_inval(&p->b), IB_WC_SUCCESS);
	expect_status(write_by_key(p, p->b.mr->rkey), IB_WC_REM_ACCESS_ERR);
	expect(user_holds(&p->b, SEED_OLD));
	return true;
}

/* Owner and peer may both invalidate the region. */
static bool case_inv_twice(struct user_pair *p)
{
	expect(open_region(&p->b, ACCESS_RW));
	expect_status(user_inval(&p->b), IB_WC_SUCCESS);
	expect_status(user_inval(&p->b), IB_WC_SUCCESS);
	return true;
}

static bool case_inv_old_key(struct user_pair *p)
{
	expect(open_region(&p->b, ACCESS_RW));
	ib_update_fast_reg_key(p->b.mr, ib_inc_rkey(p->b.mr->rkey));
	expect_status(user_inval(&p->b), IB_WC_MW_BIND_ERR);
	return true;
}

static bool case_remote_inv(struct user_pair *p)
{
	struct user_op *op = p->b.recvs;

	expect(open_region(&p->b, ACCESS_RW));
	expect_status(user_recv(&p->b, op), 0);
	expect_status(user_send_inv(&p->a, p->b.mr->rkey), IB_WC_SUCCESS);
	expect_status(user_wait(&p->b, op), IB_WC_SUCCESS);
	expect(op->wc.wc_flags & IB_WC_WITH_INVALIDATE);
	expect(op->wc.ex.invalidate_rkey == p->b.mr->rkey);
	expect_status(write_by_key(p, p->b.mr->rkey), IB_WC_REM_ACCESS_ERR);
	expect(user_holds(&p->b, SEED_OLD));
	return true;
}

/* A peer cannot invalidate a key without remote access. */
static bool case_remote_inv_local(struct user_pair *p)
{
	struct user_op *op = p->b.recvs;

	expect(open_region(&p->b, IB_ACCESS_LOCAL_WRITE));
	expect_status(user_recv(&p->b, op), 0);
	expect_status(user_send_inv(&p->a, p->b.mr->rkey),
		      IB_WC_REM_INV_REQ_ERR);
	expect_status(user_wait(&p->b, op), IB_WC_REM_INV_REQ_ERR);
	return true;
}

static bool case_read_only(struct user_pair *p)
{
	expect(open_region(&p->b, IB_ACCESS_REMOTE_READ));
	expect_status(write_by_key(p, p->b.mr->rkey), IB_WC_REM_ACCESS_ERR);
	expect(user_holds(&p->b, SEED_OLD));
	return true;
}

static bool case_remote_without_local(struct user_pair *p)
{
	expect_status(user_map(&p->b), 0);
	expect_status(user_reg(&p->b, IB_ACCESS_REMOTE_WRITE),
		      IB_WC_MW_BIND_ERR);
	return true;
}

static bool case_beyond(struct user_pair *p)
{
	expect_status(user_map(&p->b), 0);
	p->b.mr->length = USER_PAGES * PAGE_SIZE;
	expect_status(user_reg(&p->b, ACCESS_RW), IB_WC_MW_BIND_ERR);
	return true;
}

static bool case_unmapped(struct user_pair *p)
{
	p->b.mr->length = 1;
	expect_status(user_reg(&p->b, ACCESS_RW), IB_WC_MW_BIND_ERR);
	return true;
}

static bool case_valid_map(struct user_pair *p)
{
	expect(open_region(&p->b, ACCESS_RW));
	expect_status(user_map(&p->b), -EBUSY);
	return true;
}

static bool case_valid_reg(struct user_pair *p)
{
	expect(open_region(&p->b, ACCESS_RW));
	expect_status(user_reg(&p->b, ACCESS_RW), IB_WC_MW_BIND_ERR);
	return true;
}

static bool case_other_region(struct user_pair *p)
{
	struct ib_reg_wr wr = {
		.wr.opcode = IB_WR_REG_MR,
		.mr = p->b.mr,
		.key = p->a.mr->rkey,
		.access = ACCESS_RW,
	};

	expect_status(user_map(&p->b), 0);
	expect_status(ib_post_send(p->b.qp, &wr.wr, NULL), -EINVAL);
	return true;
}

static bool case_other_domain(struct user_pair *p)
{
	struct ib_pd *pd = ib_alloc_pd(p->dev, 0);
	struct ib_mr *other, *own = p->b.mr;
	int status;

	expect(!IS_ERR(pd));
	other = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG, USER_PAGES);
	if (IS_ERR(other)) {
		ib_dealloc_pd(pd);
		return false;
	}
	p->b.mr = other;
	status = user_map(&p->b) ?: user_reg(&p->b, ACCESS_RW);
	p->b.mr = own;
	ib_dereg_mr(other);
	ib_dealloc_pd(pd);
	expect_status(status, IB_WC_MW_BIND_ERR);
	return true;
}

static bool case_limits(struct user_pair *p)
{
	u32 most = p->dev->attrs.max_fast_reg_page_list_len;
	struct ib_mr *mr;

	expect(p->dev->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS);
	expect(p->pd->local_dma_lkey == p->dev->local_dma_lkey);
	mr = ib_alloc_mr(p->pd, IB_MR_TYPE_MEM_REG, most);
	expect(!IS_ERR(mr));
	ib_dereg_mr(mr);
	mr = ib_alloc_mr(p->pd, IB_MR_TYPE_MEM_REG, most + 1);
	expect_status(PTR_ERR_OR_ZERO(mr), -EINVAL);
	mr = ib_alloc_mr(p->pd, IB_MR_TYPE_SG_GAPS, 1);
	expect_status(PTR_ERR_OR_ZERO(mr), -EOPNOTSUPP);
	return true;
}

static bool case_too_many_pages(struct user_pair *p)
{
	struct ib_mr *mr = ib_alloc_mr(p->pd, IB_MR_TYPE_MEM_REG, 2);
	int n;

	expect(!IS_ERR(mr));
	n = ib_map_mr_sg(mr, p->b.sg, USER_PAGES, NULL, PAGE_SIZE);
	ib_dereg_mr(mr);
	expect_status(n, 2);
	return true;
}

/* One list: each request takes effect after those before it and before later ones. */
static bool case_order(struct user_pair *p)
{
	struct user_side *a = &p->a;
	struct ib_sge sge = { .length = USER_LEN };
	struct ib_send_wr inv = {
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
	};
	struct ib_rdma_wr write = {
		.wr.opcode = IB_WR_RDMA_WRITE,
		.wr.next = &inv,
		.wr.sg_list = &sge,
		.wr.num_sge = 1,
	};
	struct ib_reg_wr reg = {
		.wr.opcode = IB_WR_REG_MR,
		.wr.next = &write.wr,
		.mr = a->mr,
		.access = 0,
	};
	struct user_op *op = &a->op, *unused = a->recvs;

	expect(open_region(&p->b, ACCESS_RW));
	user_fill(a, SEED_NEW);
	expect_status(user_map(a), 0);
	user_op_init(op);
	user_op_init(unused);
	reg.wr.wr_cqe = &unused->cqe;
	write.wr.wr_cqe = &unused->cqe;
	inv.wr_cqe = &op->cqe;
	reg.key = a->mr->rkey;
	sge.lkey = a->mr->lkey;
	sge.addr = a->mr->iova;
	inv.ex.invalidate_rkey = a->mr->rkey;
	write.remote_addr = p->b.mr->iova;
	write.rkey = p->b.mr->rkey;
	expect_status(ib_post_send(a->qp, &reg.wr, NULL), 0);
	expect_status(user_wait(a, op), IB_WC_SUCCESS);
	expect(op->wc.opcode == IB_WC_LOCAL_INV);
	expect(user_holds(&p->b, SEED_NEW));

	/* The same WRITE, now that its region is invalidated. */
	write.wr.next = NULL;
	write.wr.wr_cqe = &op->cqe;
	write.wr.send_flags = IB_SEND_SIGNALED;
	user_op_init(op);
	expect_status(ib_post_send(a->qp, &write.wr, NULL), 0);
	expect_status(user_wait(a, op), IB_WC_LOC_PROT_ERR);
	return true;
}

/* local_dma_lkey gives no access to peers. */
static bool case_reserved_key(struct user_pair *p)
{
	u64 addr = (uintptr_t)page_address(p->b.pages[0]) + USER_SKIP;

	user_fill(&p->a, SEED_NEW);
	user_fill(&p->b, SEED_OLD);
	expect_status(user_rdma(&p->a, IB_WR_RDMA_WRITE, addr,
				p->dev->local_dma_lkey), IB_WC_REM_ACCESS_ERR);
	expect(user_holds(&p->b, SEED_OLD));
	return true;
}

/* ib_drain_qp() returns when all requests have been flushed and polled. */
static bool case_drain(struct user_pair *p)
{
	struct user_op *ops = p->b.recvs;
	int i;

	for (i = 0; i < ARRAY_SIZE(p->b.recvs); i++)
		expect_status(user_recv(&p->b, &ops[i]), 0);
	ib_drain_qp(p->b.qp);
	for (i = 0; i < ARRAY_SIZE(p->b.recvs); i++) {
		expect(try_wait_for_completion(&ops[i].done));
		expect_status(ops[i].wc.status, IB_WC_WR_FLUSH_ERR);
	}
	return true;
}

/* Also while a process has all the handles that it can get: see the script. */
static bool case_ah(struct user_pair *p)
{
	struct ib_ah *ah = user_ah_open(p);

	expect_status(PTR_ERR_OR_ZERO(ah), 0);
	rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
	return true;
}

/* The kernel warns where such a worker waits for one that memory reclaim lacks. */
static bool case_ud_fail(struct user_pair *p)
{
	expect_status(user_ud_fail(p), IB_WC_LOC_PROT_ERR);
	return true;
}

/**
 * struct user_case - a test on a new pair
 * @name: expectation
 * @run: returns true if it holds
 */
struct user_case {
	const char *name;
	bool (*run)(struct user_pair *p);
};

static const struct user_case cases[] = {
	{ "a WRITE to a registered region succeeds", case_write },
	{ "a READ of a registered region succeeds", case_read },
	{ "the address of a region may be changed after mapping", case_iova },
	{ "a WRITE to a region mapped but not registered is refused",
	  case_free_region },
	{ "a WRITE by the previous key is refused", case_old_key },
	{ "a WRITE to an invalidated region is refused", case_local_inv },
	{ "LOCAL_INV of an invalidated region succeeds", case_inv_twice },
	{ "LOCAL_INV by another key is refused", case_inv_old_key },
	{ "SEND_WITH_INV of the peer invalidates a region", case_remote_inv },
	{ "SEND_WITH_INV of a region without remote access is refused",
	  case_remote_inv_local },
	{ "a WRITE to a region with remote read only is refused",
	  case_read_only },
	{ "REG_MR with remote write without local write is refused",
	  case_remote_without_local },
	{ "REG_MR of more than is mapped is refused", case_beyond },
	{ "REG_MR of a region never mapped is refused", case_unmapped },
	{ "ib_map_mr_sg of a valid region is refused", case_valid_map },
	{ "REG_MR of a valid region is refused", case_valid_reg },
	{ "REG_MR with the key of another region is refused",
	  case_other_region },
	{ "REG_MR of a region of another protection domain is refused",
	  case_other_domain },
	{ "ib_alloc_mr keeps to the limits that the device reports",
	  case_limits },
	{ "ib_map_mr_sg maps no more pages than the region has",
	  case_too_many_pages },
	{ "REG_MR, WRITE and LOCAL_INV of one list are executed in order",
	  case_order },
	{ "a WRITE by local_dma_lkey as R_Key is refused", case_reserved_key },
	{ "ib_drain_qp flushes and polls all receives", case_drain },
	{ "an address handle is created beside those of processes", case_ah },
	{ "a worker of memory reclaim recovers a UD QP from a failed send",
	  case_ud_fail },
};

static const struct {
	const char *name;
	enum ib_poll_context poll;
} polls[] = {
	{ "direct", IB_POLL_DIRECT },
	{ "softirq", IB_POLL_SOFTIRQ },
	{ "workqueue", IB_POLL_WORKQUEUE },
};

static bool user_try(struct ib_device *dev, int gid_index,
		     enum ib_poll_context poll, const struct user_case *c)
{
	struct user_pair *p = kzalloc(sizeof(*p), GFP_KERNEL);
	bool ok;
	int err;

	if (!p)
		return false;
	err = user_pair_open(p, dev, gid_index, poll);
	if (err)
		pr_info("mrc_user: # user_pair_open() failed: %d\n", err);
	ok = !err && c->run(p);
	user_pair_close(p);
	kfree(p);
	return ok;
}

/**
 * user_run() - run all tests
 * @dev: device
 * @gid_index: index of its address
 *
 * Return: 0.
 */
int user_run(struct ib_device *dev, int gid_index)
{
	int i, j, n = 0;
	bool ok;

	pr_info("mrc_user: # local_dma_lkey %u\n", dev->local_dma_lkey);
	for (j = 0; j < ARRAY_SIZE(polls); j++) {
		for (i = 0; i < ARRAY_SIZE(cases); i++) {
			ok = user_try(dev, gid_index, polls[j].poll, &cases[i]);
			pr_info("mrc_user: %sok %d - %s, %s\n", ok ? "" : "not ",
				++n, cases[i].name, polls[j].name);
		}
	}
	pr_info("mrc_user: 1..%d\n", n);
	return 0;
}
