/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A responder under test: data packets go in, and acknowledgments come out, as
 * octets.
 */
#ifndef MRC_RSP_SAMPLE_H
#define MRC_RSP_SAMPLE_H

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "core/cc.h"
#include "core/psn.h"
#include "core/responder.h"

#define MPR		256
#define WIMM		8
#define PMTU		1024
#define PEER_QPN	0x4711
#define LOCAL_QPN	0x815
#define MAX_ACKS	64

/**
 * struct bench - a responder and its acknowledgments
 * @test: for assertions
 * @rsp: responder
 * @psn0: its first PSN; tests number packets from it
 * @acks: acknowledgments of the latest collect()
 * @n: number of @acks
 * @segs: number of GSO buffers that contained them
 */
struct bench {
	struct kunit *test;
	struct mrc_rsp rsp;
	u32 psn0;
	struct mrc_pkt acks[MAX_ACKS];
	u32 n;
	u32 segs;
};

static inline struct mrc_rsp_cfg bench_cfg(u32 psn0)
{
	return (struct mrc_rsp_cfg){
		.peer_qpn = PEER_QPN,
		.rq_psn = psn0,
		.mpr = MPR,
		.max_wimm = WIMM,
		.sack_threshold = MRC_SACK_THRESHOLD,
	};
}

static inline struct bench *bench_of(struct kunit *test,
				     const struct mrc_rsp_cfg *cfg)
{
	struct bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);
	void *mem;

	KUNIT_ASSERT_NOT_NULL(test, b);
	mem = kunit_kzalloc(test, mrc_rsp_mem_size(cfg), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mem);
	b->test = test;
	b->psn0 = cfg->rq_psn;
	mrc_rsp_init(&b->rsp, cfg, mem);
	return b;
}

static inline struct bench *bench(struct kunit *test, u32 psn0)
{
	const struct mrc_rsp_cfg cfg = bench_cfg(psn0);

	return bench_of(test, &cfg);
}

/* A packet of @b's peer; @at is its number, 0 for the first PSN. */
static inline struct mrc_pkt_data data(const struct bench *b, u32 at, u8 opcode)
{
	u32 op = mrc_opcode_get(opcode)->flags;
	struct mrc_pkt_data d = {
		.opcode = opcode,
		.flags = MRC_PF_TS,
		.payload_len = PMTU,
		.dest_qpn = LOCAL_QPN,
		.psn = mrc_psn_add(b->psn0, at),
		.tx_ts = (0x8000 + at) & U16_MAX,
		.va = 0x10000 + at * PMTU,
		.dmalen = PMTU,
	};

	if ((op & MRC_OPF_ONLY) != MRC_OPF_ONLY)
		d.dmalen = 3 * PMTU;
	if (op & MRC_OPF_OFFSET)
		d.va = op & MRC_OPF_FIRST ? 0 :
		       op & MRC_OPF_LAST ? 2 * PMTU : PMTU;
	return d;
}

static inline u32 ev_of(u32 at)
{
	return 0xabc00000 + at;
}

static inline void to_pkt(const struct bench *b, const struct mrc_pkt_data *d,
			  struct mrc_pkt *p)
{
	u8 buf[MRC_DATA_HDR_MAX];
	u32 len = mrc_pkt_put_data(buf, d);

	KUNIT_ASSERT_EQ(b->test, 0,
			mrc_pkt_decode_hdr(buf, len, len + d->payload_len +
					   mrc_pkt_trailer_len(d->payload_len),
					   p));
}

static inline u32 at_of(const struct bench *b, u32 psn)
{
	return mrc_psn_diff(psn, b->psn0);
}

static inline enum mrc_rsp_verdict rx_ce(struct bench *b,
					 const struct mrc_pkt_data *d, bool ce)
{
	u32 ev = ev_of(at_of(b, d->psn));
	enum mrc_rsp_verdict v;
	struct mrc_pkt p;

	to_pkt(b, d, &p);
	v = mrc_rsp_accept(&b->rsp, &p, ev, ce);
	if (v == MRC_RSP_NEW)
		mrc_rsp_placed(&b->rsp, &p, ev, ce);
	return v;
}

static inline enum mrc_rsp_verdict rx(struct bench *b, const struct mrc_pkt_data *d)
{
	return rx_ce(b, d, false);
}

/* Receive a WRITE Only. */
static inline enum mrc_rsp_verdict rx_at(struct bench *b, u32 at)
{
	struct mrc_pkt_data d = data(b, at, MRC_OP_WRITE_ONLY);

	return rx(b, &d);
}

static inline enum mrc_rsp_verdict rx_flags(struct bench *b, u32 at, u8 flags)
{
	struct mrc_pkt_data d = data(b, at, MRC_OP_WRITE_ONLY);

	d.flags |= flags;
	return rx(b, &d);
}

static inline void take_acks(struct bench *b, const struct mrc_ack_batch *a)
{
	u32 off, len;

	b->segs++;
	for (off = 0; off < a->len; off += len) {
		len = min_t(u32, a->seg, a->len - off);
		KUNIT_ASSERT_LT(b->test, b->n, MAX_ACKS);
		KUNIT_ASSERT_EQ(b->test, 0,
				mrc_pkt_decode_hdr(a->buf + off, len, len,
						   &b->acks[b->n]));
		KUNIT_EXPECT_EQ(b->test, b->acks[b->n].dest_qpn, PEER_QPN);
		b->n++;
	}
}

/* End of a received burst: decode all acknowledgments that are due. */
static inline u32 collect(struct bench *b)
{
	struct mrc_ack_batch a;

	b->n = 0;
	b->segs = 0;
	while (mrc_rsp_build_acks(&b->rsp, &a))
		take_acks(b, &a);
	return b->n;
}

/* The only acknowledgment with @opcode in the latest collect(), or NULL. */
static inline const struct mrc_pkt *find_ack(struct bench *b, u8 opcode)
{
	const struct mrc_pkt *found = NULL;
	u32 i;

	for (i = 0; i < b->n; i++) {
		if (b->acks[i].op->code != opcode)
			continue;
		KUNIT_EXPECT_NULL(b->test, found);
		found = &b->acks[i];
	}
	return found;
}

static inline const struct mrc_pkt_sack *sack(struct bench *b)
{
	const struct mrc_pkt *p = find_ack(b, MRC_OP_SACK);

	KUNIT_ASSERT_NOT_NULL(b->test, p);
	return &p->sack;
}

static inline const struct mrc_pkt_ack *ack(struct bench *b)
{
	const struct mrc_pkt *p = find_ack(b, MRC_OP_ACK);

	KUNIT_ASSERT_NOT_NULL(b->test, p);
	return &p->ack;
}

static inline void probe(struct bench *b, u16 id, u32 ev, bool ce)
{
	struct mrc_pkt_probe pr = { .probe_id = id, .tx_ts = id ^ 0x5555 };
	u8 buf[MRC_PROBE_LEN];
	struct mrc_pkt p;

	mrc_pkt_put_probe(buf, LOCAL_QPN, &pr);
	KUNIT_ASSERT_EQ(b->test, 0, mrc_pkt_decode_hdr(buf, sizeof(buf),
						       sizeof(buf), &p));
	mrc_rsp_on_probe(&b->rsp, &p, ev, ce);
}

static inline void trim(struct bench *b, u32 at, u8 reason)
{
	struct mrc_pkt_data d = data(b, at, MRC_OP_WRITE_ONLY);
	struct mrc_pkt p;

	to_pkt(b, &d, &p);
	mrc_rsp_nack(&b->rsp, &p, ev_of(at), reason);
}

#endif /* MRC_RSP_SAMPLE_H */
