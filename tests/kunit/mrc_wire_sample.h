/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Well-formed packets of every type, for the suites about the wire format.
 */
#ifndef MRC_WIRE_SAMPLE_H
#define MRC_WIRE_SAMPLE_H

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "core/packet.h"

#define PAYLOAD		64
#define BUF_LEN		(MRC_HDR_MAX + PAYLOAD + 3 + MRC_ICRC_LEN)

/*
 * Decode from a copy of exactly the octets that the decoder may read: KASAN and
 * ASan report a read beyond them.
 */
static inline int decode_as(struct kunit *test, const u8 *buf, u32 hdr_len,
			    u32 pkt_len, struct mrc_pkt *p)
{
	u8 *hdr = kunit_kmalloc(test, hdr_len ? hdr_len : 1, GFP_KERNEL);
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, hdr);
	memcpy(hdr, buf, hdr_len);
	memset(p, 0xa5, sizeof(*p));
	ret = mrc_pkt_decode_hdr(hdr, hdr_len, pkt_len, p);
	kunit_kfree(test, hdr);
	return ret;
}

static inline int decode(struct kunit *test, const u8 *buf, u32 pkt_len,
			 struct mrc_pkt *p)
{
	return decode_as(test, buf, min_t(u32, pkt_len, MRC_HDR_MAX), pkt_len,
			 p);
}

/**
 * struct wire_op - parameter of tests over many opcodes
 * @code: enum mrc_opcode
 * @len: length of the whole packet (control packets)
 * @name: label of the test
 */
struct wire_op {
	u8 code;
	u8 len;
	const char *name;
};

static const struct wire_op data_ops[] = {
	{ MRC_OP_SEND_FIRST, 0, "SEND_FIRST" },
	{ MRC_OP_SEND_MIDDLE, 0, "SEND_MIDDLE" },
	{ MRC_OP_SEND_LAST, 0, "SEND_LAST" },
	{ MRC_OP_SEND_LAST_IMM, 0, "SEND_LAST_IMM" },
	{ MRC_OP_SEND_ONLY, 0, "SEND_ONLY" },
	{ MRC_OP_SEND_ONLY_IMM, 0, "SEND_ONLY_IMM" },
	{ MRC_OP_SEND_LAST_INV, 0, "SEND_LAST_INV" },
	{ MRC_OP_SEND_ONLY_INV, 0, "SEND_ONLY_INV" },
	{ MRC_OP_WRITE_FIRST, 0, "WRITE_FIRST" },
	{ MRC_OP_WRITE_MIDDLE, 0, "WRITE_MIDDLE" },
	{ MRC_OP_WRITE_LAST, 0, "WRITE_LAST" },
	{ MRC_OP_WRITE_LAST_IMM, 0, "WRITE_LAST_IMM" },
	{ MRC_OP_WRITE_ONLY, 0, "WRITE_ONLY" },
	{ MRC_OP_WRITE_ONLY_IMM, 0, "WRITE_ONLY_IMM" },
	{ MRC_OP_READ_RSP_FIRST, 0, "READ_RSP_FIRST" },
	{ MRC_OP_READ_RSP_MIDDLE, 0, "READ_RSP_MIDDLE" },
	{ MRC_OP_READ_RSP_LAST, 0, "READ_RSP_LAST" },
	{ MRC_OP_READ_RSP_ONLY, 0, "READ_RSP_ONLY" },
};

/* READ and ATOMIC packets without payload. */
static const struct wire_op __maybe_unused rda_ops[] = {
	{ MRC_OP_READ_REQUEST, 0, "READ_REQUEST" },
	{ MRC_OP_ATOMIC_ACK, 0, "ATOMIC_ACK" },
	{ MRC_OP_CMP_SWAP, 0, "CMP_SWAP" },
	{ MRC_OP_FETCH_ADD, 0, "FETCH_ADD" },
};

static const struct wire_op __maybe_unused ctrl_ops[] = {
	{ MRC_OP_ACK, MRC_ACK_LEN, "ACK" },
	{ MRC_OP_SACK, MRC_SACK_LEN, "SACK" },
	{ MRC_OP_NACK, MRC_NACK_LEN, "NACK" },
	{ MRC_OP_PROBE, MRC_PROBE_LEN, "PROBE" },
	{ MRC_OP_ENDPOINT_REQ, MRC_EP_REQ_LEN, "ENDPOINT_REQ" },
	{ MRC_OP_ENDPOINT_RSP, MRC_EP_RSP_LEN, "ENDPOINT_RSP" },
};

/* A well-formed data packet with @len octets of payload. */
static inline struct mrc_pkt_data sample(u8 code, u8 flags, u16 len)
{
	u32 op = mrc_opcode_get(code)->flags;
	struct mrc_pkt_data d = {
		.opcode = code,
		.flags = flags,
		.payload_len = len,
		.dest_qpn = 0x654321,
		.psn = 0xfedcba,
		.rqmsn = 0x1122,
		.msn = 0x3344,
		.tx_ts = flags & MRC_PF_TS ? 0x5566 : 0,
		.va = 0x0123456789abcdefull,
		.rkey = 0x89abcdef,
		.dmalen = len,
		.imm = op & (MRC_OPF_IMM | MRC_OPF_INV) ?
		       cpu_to_be32(0xfeedface) : 0,
	};

	if ((op & MRC_OPF_ONLY) != MRC_OPF_ONLY)
		d.dmalen = 3 * PAYLOAD;
	if (op & MRC_OPF_OFFSET) {
		d.rkey = 0;
		d.va = op & MRC_OPF_FIRST ? 0 :
		       op & MRC_OPF_LAST ? d.dmalen - len : PAYLOAD;
	}
	return d;
}

static inline u32 put_sample(u8 *buf, const struct mrc_pkt_data *d)
{
	memset(buf, 0, BUF_LEN);
	return mrc_pkt_put_data(buf, d) + d->payload_len +
	       mrc_pkt_trailer_len(d->payload_len);
}

static inline u8 op_code(struct kunit *test)
{
	const struct wire_op *op = test->param_value;

	return op->code;
}

static const struct mrc_pkt_endpoint __maybe_unused own_endpoint = {
	.port_mask = 0x80000005,
	.req_id = 0x4321,
	.tx_ts = 0xcafe,
	.caps = MRC_CAP_NOICRC | MRC_CAP_SEND,
	.op = MRC_EP_EV_PROBE,
	.has_magic = true,
};

static inline u32 put_ctrl_sample(u8 *buf, u8 code)
{
	static const struct mrc_pkt_sack sack = { .cack_psn = 5 };
	static const struct mrc_pkt_nack nack = {
		.reason = MRC_NACK_NO_BITMAP,
	};
	static const struct mrc_pkt_ack ack = { .syndrome = MRC_SYN_ACK };
	static const struct mrc_pkt_probe probe = { .probe_id = 1 };

	memset(buf, 0, BUF_LEN);
	switch (code) {
	case MRC_OP_SACK:
		return mrc_pkt_put_sack(buf, 3, &sack);
	case MRC_OP_NACK:
		return mrc_pkt_put_nack(buf, 3, &nack);
	case MRC_OP_ACK:
		return mrc_pkt_put_ack(buf, 3, &ack);
	case MRC_OP_PROBE:
		return mrc_pkt_put_probe(buf, 3, &probe);
	case MRC_OP_ENDPOINT_REQ:
		return mrc_pkt_put_endpoint_req(buf, &own_endpoint);
	default:
		return mrc_pkt_put_endpoint_rsp(buf, &own_endpoint);
	}
}

static inline void expect_data_eq(struct kunit *test, const struct mrc_pkt *p,
				  const struct mrc_pkt_data *d)
{
	KUNIT_EXPECT_EQ(test, p->op->code, d->opcode);
	KUNIT_EXPECT_EQ(test, p->flags, d->flags);
	KUNIT_EXPECT_EQ(test, p->dest_qpn, d->dest_qpn);
	KUNIT_EXPECT_EQ(test, p->psn, d->psn);
	KUNIT_EXPECT_EQ(test, p->payload_len, d->payload_len);
	KUNIT_EXPECT_EQ(test, p->pad, mrc_pkt_pad(d->payload_len));
	KUNIT_EXPECT_EQ(test, p->payload_off,
			mrc_pkt_hdr_len(d->opcode, d->flags));
	KUNIT_EXPECT_EQ(test, p->rqmsn, d->rqmsn);
	KUNIT_EXPECT_EQ(test, p->msn, d->msn);
	KUNIT_EXPECT_EQ(test, p->tx_ts, d->tx_ts);
	KUNIT_EXPECT_EQ(test, p->va, d->va);
	KUNIT_EXPECT_EQ(test, p->rkey, d->rkey);
	KUNIT_EXPECT_EQ(test, p->dmalen, d->dmalen);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(p->imm), be32_to_cpu(d->imm));
}

#endif /* MRC_WIRE_SAMPLE_H */
