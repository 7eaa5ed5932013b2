/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Send queue: fetches work requests from the ring, supplies the payload of their
 * packets and reports their completion.
 *
 * All of it is protected by the connection's req_lock.
 */
#ifndef MRC_VERBS_SQ_H
#define MRC_VERBS_SQ_H

#include <linux/types.h>
#include "net/conn.h"
#include "verbs/ring.h"

struct ib_qp_cap;
struct ib_ucontext;
struct mrc_qp;
struct mrc_swqe;

/**
 * struct mrc_sq - send queue
 * @ring: shared with the process; NULL if the QP sends nothing
 * @wqes: private copies, index & (entries - 1), from fetching to completion
 * @wqe_size: bytes of one of them
 * @max_sge: most SGEs of a work request
 * @max_inline: most bytes of inline data
 * @prod: producer index of the process as last read
 * @fetch: next work request to fetch
 * @done: oldest work request that has not completed
 * @unwatched_until: ns before which the ring is not watched
 * @idle: the ring was empty when last looked at, and @watched or armed then
 * @watched: the ring has MRC_RING_WATCHED; the watch is over when @look_at of the
 *	connection is 0
 * @suspended: no work request is fetched: SQD, or the process has written an invalid
 *	index to the ring
 * @failed: a work request has completed, or will complete, with an error
 * @quiet: no completions are written: RESET, or the QP is being destroyed
 * @drain: IB_EVENT_SQ_DRAINED is due when @done reaches @fetch
 * @unplaced: a completion will report that memory for a READ or ATOMIC response is
 *	not accessible; written under rsp_lock, read with READ_ONCE()
 */
struct mrc_sq {
	struct mrc_ring *ring;
	void *wqes;
	u32 wqe_size;
	u32 max_sge;
	u32 max_inline;
	u32 prod;
	u32 fetch;
	u32 done;
	u64 unwatched_until;
	bool idle;
	bool watched;
	bool suspended;
	bool failed;
	bool quiet;
	bool drain;
	bool unplaced;
};

/**
 * struct mrc_sq_work - a work request that has been fetched
 * @sqe: private copy
 * @length: bytes of the message
 * @cookie: identifies it for mrc_sq_payload()
 * @status: MRC_OK, or the status with which it must complete
 */
struct mrc_sq_work {
	const struct mrc_sqe *sqe;
	u32 length;
	u32 cookie;
	enum mrc_status status;
};

/**
 * mrc_sq_wqe() - private copy of a work request that has been fetched
 * @sq: send queue
 * @index: of its entry; the low bits are enough
 *
 * Return: the copy.
 */
static inline struct mrc_swqe *mrc_sq_wqe(const struct mrc_sq *sq, u32 index)
{
	return sq->wqes + (size_t)(index & (sq->ring->entries - 1)) *
			  sq->wqe_size;
}

int mrc_sq_create(struct mrc_sq *sq, struct ib_ucontext *uctx,
		  struct ib_qp_cap *cap, struct mrc_ring_info *info);
void mrc_sq_destroy(struct mrc_sq *sq);
u32 mrc_sq_entries(const struct mrc_sq *sq);

bool mrc_sq_fetch(struct mrc_conn *conn, struct mrc_msg_desc *d);
bool mrc_sq_is_idle(struct mrc_conn *conn);
bool mrc_sq_fetch_ud(struct mrc_conn *conn, struct mrc_sq_work *work);
void mrc_sq_finish(struct mrc_conn *conn, u8 status);
enum mrc_status mrc_sq_payload(struct mrc_conn *conn, u32 cookie, u32 offset,
			       u32 len, struct mrc_txbuf *tb);
enum mrc_status mrc_sq_response(struct mrc_conn *conn,
				const struct mrc_msg_desc *msg, u32 offset,
				u32 len, struct mrc_txbuf *tb);
enum mrc_place mrc_sq_place(struct mrc_conn *conn, const struct mrc_pkt *pkt,
			    struct mrc_rxbuf *rb, u32 offset);
void mrc_sq_done(struct mrc_conn *conn, const struct mrc_done *done);

void mrc_sq_suspend(struct mrc_conn *conn, bool notify);
void mrc_sq_resume(struct mrc_conn *conn);
void mrc_sq_restart(struct mrc_conn *conn);
void mrc_sq_stop_completions(struct mrc_conn *conn);
void mrc_sq_flush(struct mrc_conn *conn);
void mrc_sq_reset(struct mrc_conn *conn);

/* Between the files of the send queue. */
void mrc_sq_check_drained(struct mrc_qp *qp);
void mrc_sq_retire(struct mrc_qp *qp, u8 status);
void mrc_sq_retire_ended(struct mrc_qp *qp);

#endif /* MRC_VERBS_SQ_H */
