/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Answers on their way from a responder to a requester, for the models that have
 * both.
 */
#ifndef MRC_ANSWERS_H
#define MRC_ANSWERS_H

#include <kunit/test.h>
#include <linux/minmax.h>

#include "core/packet.h"
#include "core/requester.h"

/**
 * answers_next() - decode the next packet of a GSO buffer
 * @test: for assertions
 * @buf: the buffer
 * @len: its bytes
 * @seg: those of each packet but the last
 * @off: where the next packet begins; 0 for the first, moved on
 * @pkt: the packet
 *
 * Return: false if there is none.
 */
static inline bool answers_next(struct kunit *test, const u8 *buf, u16 len,
				u16 seg, u16 *off, struct mrc_pkt *pkt)
{
	u16 n = min_t(u16, seg, len - *off);

	if (!n)
		return false;
	KUNIT_ASSERT_EQ(test, 0, mrc_pkt_decode_hdr(buf + *off, n, n, pkt));
	*off += n;
	return true;
}

/**
 * answers_take() - hand a packet to the requester that it is for
 * @req: requester
 * @pkt: SACK, NACK or Acknowledge; others are passed over
 * @now: ns
 */
static inline void answers_take(struct mrc_req *req, const struct mrc_pkt *pkt,
				u64 now)
{
	switch (pkt->op->code) {
	case MRC_OP_SACK:
		mrc_req_on_sack(req, pkt, now);
		break;
	case MRC_OP_NACK:
		mrc_req_on_nack(req, pkt, now);
		break;
	case MRC_OP_ACK:
		mrc_req_on_ack(req, pkt, now);
		break;
	}
}

#endif /* MRC_ANSWERS_H */
