// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * libFuzzer: the packet decoder with arbitrary octets. A packet that it accepts must
 * be consistent, and be the same after encoding and decoding.
 */
#include "core/packet.h"
#include "fuzz.h"

#ifndef FUZZ_TARGET
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max_size,
			       unsigned int seed);
size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max_size);
#endif

/* A copy of exactly the octets that may be read: ASan detects reads beyond. */
static int decode(const u8 *data, u32 hdr_len, u32 pkt_len, struct mrc_pkt *p)
{
	u8 *hdr = malloc(hdr_len);
	int ret;

	memcpy(hdr, data, hdr_len);
	memset(p, 0, sizeof(*p));
	ret = mrc_pkt_decode_hdr(hdr, hdr_len, pkt_len, p);
	free(hdr);
	CHECK(ret <= 0 && ret > -MRC_DROP_ICRC);
	return ret;
}

static void check_data(const struct mrc_pkt *p, u32 pkt_len)
{
	struct mrc_pkt_data d = {
		.opcode = p->op->code,
		.flags = p->flags,
		.payload_len = p->payload_len,
		.dest_qpn = p->dest_qpn,
		.psn = p->psn,
		.rqmsn = p->rqmsn,
		.msn = p->msn,
		.tx_ts = p->tx_ts,
		.va = p->va,
		.rkey = p->rkey,
		.dmalen = p->dmalen,
		.imm = p->imm,
		.swap = p->swap,
		.compare = p->compare,
		.rpsn = p->rpsn,
	};
	u8 buf[MRC_DATA_HDR_MAX];
	struct mrc_pkt q;
	u32 len;

	CHECK(p->payload_off + p->payload_len + p->pad + MRC_ICRC_LEN ==
	      pkt_len);
	CHECK(p->payload_len <= MRC_PMTU_MAX);
	CHECK(p->payload_len <= p->dmalen);
	if (p->op->flags & MRC_OPF_OFFSET)
		CHECK(p->va + p->payload_len <= p->dmalen);
	else if (p->payload_len)
		CHECK(p->va + p->payload_len - 1 >= p->va);

	len = mrc_pkt_put_data(buf, &d);
	CHECK(len == p->payload_off);
	CHECK(!decode(buf, len, pkt_len, &q));
	CHECK(q.op == p->op && q.flags == p->flags && q.psn == p->psn &&
	      q.dest_qpn == p->dest_qpn && q.rqmsn == p->rqmsn &&
	      q.msn == p->msn && q.tx_ts == p->tx_ts && q.va == p->va &&
	      q.rkey == p->rkey && q.dmalen == p->dmalen && q.imm == p->imm &&
	      q.payload_len == p->payload_len && q.pad == p->pad);
	if (p->op->flags & MRC_OPF_ATOMIC)
		CHECK(q.swap == p->swap && q.compare == p->compare);
	if (p->op->flags & MRC_OPF_RD_ATOMIC)
		CHECK(q.rpsn == p->rpsn);
}

static u32 put_ctrl(u8 *buf, const struct mrc_pkt *p)
{
	switch (p->op->code) {
	case MRC_OP_SACK:
		return mrc_pkt_put_sack(buf, p->dest_qpn, &p->sack);
	case MRC_OP_NACK:
		return mrc_pkt_put_nack(buf, p->dest_qpn, &p->nack);
	case MRC_OP_ACK:
		return mrc_pkt_put_ack(buf, p->dest_qpn, &p->ack);
	case MRC_OP_PROBE:
		return mrc_pkt_put_probe(buf, p->dest_qpn, &p->probe);
	case MRC_OP_ENDPOINT_REQ:
		return mrc_pkt_put_endpoint_req(buf, &p->endpoint);
	case MRC_OP_ENDPOINT_RSP:
		return mrc_pkt_put_endpoint_rsp(buf, &p->endpoint);
	default:
		abort();
	}
}

/* Only probes have padding, which makes them as long as data at most. */
static bool is_padded(const struct mrc_pkt *p, u32 len, u32 pkt_len)
{
	return p->op->code == MRC_OP_PROBE && len < pkt_len &&
	       pkt_len <= MRC_PADDED_PROBE_LEN(MRC_PMTU_MAX);
}

static void check_ctrl(const struct mrc_pkt *p, u32 pkt_len)
{
	u8 a[MRC_CTRL_MAX], b[MRC_CTRL_MAX];
	struct mrc_pkt q;
	u32 len;

	len = put_ctrl(a, p);
	CHECK(len == pkt_len || is_padded(p, len, pkt_len));
	CHECK(len <= MRC_CTRL_MAX);
	CHECK(!decode(a, min_t(u32, len, MRC_HDR_MAX), len, &q));
	CHECK(put_ctrl(b, &q) == len && !memcmp(a, b, len));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u32 hdr_len, pkt_len = size;
	struct mrc_pkt p;

	/* The first octet is the payload's length; its content has no influence. */
	if (size) {
		pkt_len = size - 1 + data[0] * 32;
		data++;
		size--;
	}
	hdr_len = min_t(u32, size, MRC_HDR_MAX);
	if (!mrc_pkt_decode_trimmed(data, hdr_len, &p))
		CHECK(p.op->flags & MRC_OPF_DATA && p.psn <= MRC_MASK_24);
	if (decode(data, hdr_len, pkt_len, &p))
		return 0;
	if (p.op->flags & MRC_OPF_DATA)
		check_data(&p, pkt_len);
	else
		check_ctrl(&p, pkt_len);
	return 0;
}

#ifndef FUZZ_TARGET
/* A well-formed packet of any opcode, as a start for mutations. */
static size_t put_valid(u8 *buf, unsigned int seed)
{
	u8 code = MRC_OP_CLASS | (seed & MRC_OP_INDEX_MASK);
	const struct mrc_opcode_desc *op = mrc_opcode_get(code);
	u32 len = seed >> 5 & 63;
	struct mrc_pkt p = {
		.op = op,
		.dest_qpn = MRC_QPN_FIRST,
	};
	struct mrc_pkt_data d = {
		.opcode = code,
		.flags = seed >> 11 & 31,
		.payload_len = op->flags & MRC_OPF_LAST ? len : len & ~3u,
		.dest_qpn = MRC_QPN_FIRST,
		.dmalen = (op->flags & MRC_OPF_ONLY) == MRC_OPF_ONLY ?
			  len : 256,
	};

	if (op->flags & MRC_OPF_OFFSET && !(op->flags & MRC_OPF_FIRST))
		d.va = op->flags & MRC_OPF_LAST ? 256 - len : 64;
	if (code == MRC_OP_NACK)
		p.nack.reason = MRC_NACK_TRIMMED;
	if (op->flags & MRC_OPF_CTRL && op->name)
		return put_ctrl(buf, &p);
	return mrc_pkt_put_data(buf, &d) + d.payload_len +
	       mrc_pkt_trailer_len(d.payload_len);
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	u8 buf[1 + MRC_DATA_HDR_MAX + 64 + 3 + MRC_ICRC_LEN] = {};
	size_t n;

	if (seed >> 28)
		return LLVMFuzzerMutate(data, size, max_size);
	n = min_t(size_t, 1 + put_valid(buf + 1, seed), max_size);
	memcpy(data, buf, n);
	return seed >> 27 & 1 ? LLVMFuzzerMutate(data, n, max_size) : n;
}
#endif /* FUZZ_TARGET */
