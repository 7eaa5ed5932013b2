/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Receive queue: places the payload of request packets and completes the messages
 * that consume a receive work request.
 *
 * All of it is protected by the connection's rsp_lock.
 */
#ifndef MRC_VERBS_RQ_H
#define MRC_VERBS_RQ_H

#include <linux/types.h>
#include "net/conn.h"

struct ib_qp_cap;
struct ib_ucontext;
struct mrc_cqe;
struct mrc_ring;
struct mrc_ring_info;
struct mrc_srq;

/**
 * struct mrc_rq - receive queue
 * @ring: shared with the process; NULL if the QP receives nothing, or with @srq
 * @srq: source of work requests instead of @ring, or NULL
 * @wqes: private copies, index & (@entries - 1), from @head to @fetch
 * @entries: of @wqes, a power of two; 0 if the QP receives nothing
 * @wqe_size: bytes of one of them
 * @max_sge: most SGEs of a work request
 * @prod: producer index of the process as last read
 * @fetch: next work request to copy; can be several ahead of @head, because packets
 *	of later messages may arrive first
 * @head: oldest work request that is not complete
 * @msn: rqmsn of the message that @head belongs to
 * @bad: the process has written an invalid index to the ring
 * @closed: the QP is in error; posted work requests are flushed
 * @quiet: no completions are written: RESET, or the QP is being destroyed
 */
struct mrc_rq {
	struct mrc_ring *ring;
	struct mrc_srq *srq;
	void *wqes;
	u32 entries;
	u32 wqe_size;
	u32 max_sge;
	u32 prod;
	u32 fetch;
	u32 head;
	u16 msn;
	bool bad;
	bool closed;
	bool quiet;
};

int mrc_rq_create(struct mrc_rq *rq, struct ib_ucontext *uctx,
		  struct ib_qp_cap *cap, struct mrc_ring_info *info);
int mrc_rq_create_shared(struct mrc_rq *rq, struct mrc_srq *srq);
void mrc_rq_destroy(struct mrc_rq *rq);

enum mrc_place mrc_rq_execute(struct mrc_conn *conn,
			      const struct mrc_rd_atomic *req, u64 *orig);
enum mrc_place mrc_rq_place(struct mrc_conn *conn, const struct mrc_pkt *pkt,
			    struct mrc_rxbuf *rb, u32 offset);
enum mrc_place mrc_rq_deliver(struct mrc_conn *conn,
			      const struct mrc_delivery *d);
enum mrc_drop mrc_rq_receive_datagram(struct mrc_conn *conn, const u8 *grh,
				      struct mrc_rxbuf *rb, u32 offset, u32 len,
				      struct mrc_cqe *cqe, bool solicited);
bool mrc_rq_has_failed_wqe(const struct mrc_rq *rq);

void mrc_rq_stop_completions(struct mrc_conn *conn);
void mrc_rq_flush(struct mrc_conn *conn);
void mrc_rq_reset(struct mrc_conn *conn);

#endif /* MRC_VERBS_RQ_H */
