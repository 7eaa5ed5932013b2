/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Acknowledgments in transit from a responder to a requester, for models that
 * have both.
 */
#ifndef MRC_ACK_SAMPLE_H
#define MRC_ACK_SAMPLE_H

#include <kunit/test.h>
#include <linux/minmax.h>

#include "core/packet.h"
#include "core/requester.h"

/**
 * acks_next() - decode the next packet of a GSO buffer
 * @test: for assertions
 * @buf: the buffer
 * @len: bytes in @buf
 * @seg: bytes of each packet but the last
 * @off: offset of the next packet, 0 at first; advanced by its length
 * @pkt: the decoded packet
 *
 * Return: false at the end of the buffer.
 */
static inline bool acks_next(struct kunit *test, const u8 *buf, u16 len,
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
 * acks_deliver() - deliver an acknowledgment to its requester
 * @req: requester
 * @pkt: SACK, NACK or Acknowledge; other packets are ignored
 * @now: ns
 */
static inline void acks_deliver(struct mrc_req *req, const struct mrc_pkt *pkt,
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

#endif /* MRC_ACK_SAMPLE_H */
