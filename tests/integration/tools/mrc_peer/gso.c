// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * GSO buffers: several packets in one buffer, as GRO or a peer's GSO makes them,
 * some of them invalid.
 */
#include <string.h>

#include <linux/kernel.h>

#include "core/psn.h"
#include "fixture.h"
#include "tap.h"

#define PKTS	8
#define LEN	256
#define ONE	(MRC_REQ_HDR_MIN + 4 + LEN + MRC_ICRC_LEN)

/**
 * struct burst - a buffer under construction
 * @n: packets
 * @buf: packets of ONE bytes, back to back
 */
struct burst {
	u32 n;
	u8 buf[PKTS * ONE];
};

static u8 *nth(struct burst *b, u32 i)
{
	return b->buf + i * ONE;
}

/* Packets of one WRITE each; the last has AckReq. */
static void add_packet(struct fixture *s, struct burst *b,
		       struct mrc_pkt_data *d, bool placed)
{
	u32 i, n = b->n++;

	fixture_head(s, d, MRC_OP_WRITE_ONLY, LEN);
	d->psn = mrc_psn_add(s->psn, n);
	d->msn = n;
	d->va += n * LEN;
	if (n != PKTS - 1)
		d->flags &= ~MRC_PF_ACKREQ;
	s->seed++;
	for (i = 0; i < LEN; i++)
		s->payload[i] = s->seed ^ i;
	frame_packet(nth(b, n), ONE, &s->wire, d, s->payload);
	if (placed)
		fixture_placed(s, d, d->va);
}

static bool send_burst(struct fixture *s, const struct burst *b, u16 seg)
{
	if (link_send_gso(&s->link, s->wire.daddr, MRC_UDP_PORT, b->buf,
			  b->n * ONE, seg) > 0)
		return true;
	tap_note("the kernel does not send GSO buffers");
	return false;
}

static void all_valid(struct fixture *s)
{
	struct mrc_pkt_data d;
	struct burst b = {};
	bool ok;
	u32 i;

	fixture_qp(s, NULL);
	fixture_snapshot(s);
	for (i = 0; i < PKTS; i++)
		add_packet(s, &b, &d, true);
	s->done += PKTS;
	ok = send_burst(s, &b, ONE) & fixture_flush(s);
	ok &= fixture_acked(s, &d);
	ok &= fixture_no_packet(s) & fixture_intact(s);
	ok &= fixture_counted(s, "rx_bursts", 1) & fixture_counted(s, "rx_pkts",
								   PKTS);
	tap_ok(ok & fixture_dropped(s, NULL, 0),
	       "a GSO buffer of %u WRITEs is acknowledged by one SACK and one ACK",
	       PKTS);
}

/* 2: wrong ICRC, 4: QPN without QP, 5: wrong opcode, 6: wrong version. */
static void invalid_among_valid(struct fixture *s)
{
	static const u8 bad = 1 << 2 | 1 << 4 | 1 << 5 | 1 << 6;
	struct stats now;
	struct mrc_pkt_data d;
	struct burst b = {};
	bool ok;
	u32 i;

	fixture_qp(s, NULL);
	fixture_snapshot(s);
	for (i = 0; i < PKTS; i++)
		add_packet(s, &b, &d, !(bad >> i & 1));
	nth(&b, 2)[ONE - 1] ^= 1;
	fixture_head(s, &d, MRC_OP_WRITE_ONLY, LEN);
	d.dest_qpn ^= 0x10000;
	frame_packet(nth(&b, 4), ONE, &s->wire, &d, s->payload);
	nth(&b, 5)[0] = 0xd5;
	nth(&b, 6)[1] |= 5;
	s->done += 2;
	ok = send_burst(s, &b, ONE) & fixture_flush(s);
	ok &= fixture_sack(s, &(struct mrc_pkt_sack){
		.cack_psn = mrc_psn_add(s->psn, 1),
		.ack_psn_offset = PKTS - 2,
		.sack_offset = 1,
		.bitmap = 1 << 1 | 1 << 5,
		.ooo_count = 2,
		.tx_ts = 0xbe00 | (u8)(s->seed - 1),
	});
	ok &= fixture_ack(s, mrc_psn_add(s->psn, 1), MRC_SYN_ACK);
	ok &= fixture_no_packet(s) & fixture_intact(s);
	ok &= fixture_grown(s, "rx_drops", 4, &now) == 4 &&
	      stats_delta(&s->before, &now, "drop_icrc") == 1 &&
	      stats_delta(&s->before, &now, "drop_no_qp") == 1 &&
	      stats_delta(&s->before, &now, "drop_opcode") == 1 &&
	      stats_delta(&s->before, &now, "drop_tver") == 1;
	tap_ok(ok,
	       "invalid packets of a GSO buffer are dropped, valid ones accepted");
}

/* The segment size of the buffer is not that of its packets. */
static void wrong_segment_size(struct fixture *s, u16 seg)
{
	struct mrc_pkt_data d;
	struct burst b = {};
	struct stats now;
	u32 i, want = DIV_ROUND_UP(PKTS * ONE, seg);
	u64 drops;
	bool ok;

	fixture_qp(s, NULL);
	fixture_snapshot(s);
	for (i = 0; i < PKTS; i++)
		add_packet(s, &b, &d, false);
	ok = send_burst(s, &b, seg) & fixture_flush(s);
	ok &= fixture_no_packet(s) & fixture_intact(s);
	drops = fixture_grown(s, "rx_drops", want, &now);
	if (drops != want)
		tap_note("%llu segments dropped", (unsigned long long)drops);
	tap_ok(ok && drops == want,
	       "a GSO buffer with wrong segment size %u: %u segments dropped",
	       seg, want);
}

/* Packets for two QPs alternate in one buffer. */
static void two_qps(struct fixture *s)
{
	const struct target_cfg cfg = {
		.timeout = 20,
		.retry_cnt = 7,
		.peer_qpn = FIXTURE_PEER_QPN,
		.rq_psn = 0x777,
		.sq_psn = 0x888,
	};
	struct mrc_pkt_data d, last;
	struct target_qp *other;
	struct burst b = {};
	u32 i, psn = 0x777;
	bool ok;

	fixture_qp(s, NULL);
	fixture_snapshot(s);
	other = target_qp_create(s->target, &cfg);
	if (!other)
		return;
	for (i = 0; i < PKTS; i++)
		add_packet(s, &b, &d, true);
	last = d;
	/* Every second packet is for the second QP. */
	for (i = 0; i < PKTS; i += 2) {
		fixture_head(s, &d, MRC_OP_WRITE_ONLY, LEN);
		d.dest_qpn = target_qpn(other);
		d.flags &= ~MRC_PF_ACKREQ;
		d.psn = psn++;
		d.va += i * LEN;
		memset(s->payload, 0x80 | i, LEN);
		frame_packet(nth(&b, i), ONE, &s->wire, &d, s->payload);
		target_expect(s->target, d.va, s->payload, LEN);
	}
	ok = send_burst(s, &b, ONE) & fixture_flush(s) & fixture_intact(s);
	fixture_drop_probes(s);
	if (s->n_got != 2)
		tap_note("%u acknowledgments instead of 2", s->n_got);
	ok &= s->n_got == 2 && s->got[0].pkt.op->code == MRC_OP_SACK &&
	      s->got[0].pkt.sack.bitmap == 0x55ULL << 1 &&
	      s->got[0].pkt.sack.tx_ts == last.tx_ts;
	s->n_got = 0;
	ok &= fixture_counted(s, "rx_pkts", PKTS) & fixture_dropped(s, NULL, 0);
	tap_ok(ok,
	       "a GSO buffer with packets for two QPs: both QPs accept theirs");
	target_qp_destroy(other);
}

/**
 * gso_run - tests: GSO buffers
 * @s: fixture on IPv6
 */
void gso_run(struct fixture *s)
{
	struct wire right = s->wire;

	s->wire.ev = link_send_gso(&s->link, s->wire.daddr, 0, NULL, 0, 0);
	all_valid(s);
	invalid_among_valid(s);
	wrong_segment_size(s, 50);
	wrong_segment_size(s, ONE - 1);
	wrong_segment_size(s, ONE + 1);
	wrong_segment_size(s, 1400);
	two_qps(s);
	s->wire = right;
}
