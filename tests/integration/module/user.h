/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A user of verbs in the kernel, for tests: two connected QPs of one device that
 * access each other's memory.
 */
#ifndef MRC_TESTS_USER_H
#define MRC_TESTS_USER_H

#include <linux/completion.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

/* Pages of a region, not contiguous; the first is used from the middle. */
#define USER_PAGES	5
#define USER_SKIP	512
#define USER_LEN	(USER_PAGES * PAGE_SIZE - 2 * USER_SKIP)
#define USER_DEPTH	16

/**
 * struct user_op - a work request and its completion
 * @cqe: identifies the completion
 * @done: its completion has been polled
 * @wc: the completion
 */
struct user_op {
	struct ib_cqe cqe;
	struct completion done;
	struct ib_wc wc;
};

/**
 * struct user_side - one of the two queue pairs
 * @cq: for all its completions
 * @poll: context in which @cq is polled
 * @qp: queue pair
 * @mr: region that it registers
 * @pages: memory of the region
 * @sg: the same, mapped for DMA
 * @buf: memory that work requests name by local_dma_lkey
 * @op: the work request whose completion is awaited
 * @recvs: receive work requests; they may outlive the function that posts them
 */
struct user_side {
	struct ib_cq *cq;
	enum ib_poll_context poll;
	struct ib_qp *qp;
	struct ib_mr *mr;
	struct page *pages[USER_PAGES];
	struct scatterlist sg[USER_PAGES];
	u8 *buf;
	struct user_op op;
	struct user_op recvs[USER_DEPTH / 2];
};

/**
 * struct user_pair - two queue pairs that are connected
 * @dev: device
 * @pd: protection domain
 * @gid: address of @dev
 * @gid_index: index of @gid
 * @a: requester of most WRITEs and READs
 * @b: responder of most WRITEs and READs
 */
struct user_pair {
	struct ib_device *dev;
	struct ib_pd *pd;
	union ib_gid gid;
	int gid_index;
	struct user_side a;
	struct user_side b;
};

int user_pair_open(struct user_pair *p, struct ib_device *dev, int gid_index,
		   enum ib_poll_context poll);
void user_pair_close(struct user_pair *p);

void user_fill(struct user_side *s, u8 seed);
bool user_holds(const struct user_side *s, u8 seed);

int user_map(struct user_side *s);
void user_op_init(struct user_op *op);
int user_wait(struct user_side *s, struct user_op *op);
int user_reg(struct user_side *s, int access);
int user_inval(struct user_side *s);
int user_rdma(struct user_side *s, enum ib_wr_opcode opcode, u64 addr, u32 key);
int user_recv(struct user_side *s, struct user_op *op);
int user_send_inv(struct user_side *s, u32 key);

struct ib_ah *user_ah_open(struct user_pair *p);
int user_ud_fail(struct user_pair *p);

int user_run(struct ib_device *dev, int gid_index);

#endif /* MRC_TESTS_USER_H */
