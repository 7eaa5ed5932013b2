// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * GSO buffers: several packets that arrive as one, as GRO or a peer's GSO
 * makes them, with junk among them.
 */
#include <string.h>

#include <linux/kernel.h>

#include "core/psn.h"
#include "scene.h"
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

/* Packets of one WRITE each; the last asks for an answer. */
static void add(struct scene *s, struct burst *b, struct mrc_pkt_data *d,
		bool placed)
{
	u32 i, n = b->n++;

	scene_head(s, d, MRC_OP_WRITE_ONLY, LEN);
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
		scene_placed(s, d, d->va);
}

static bool send_burst(struct scene *s, const struct burst *b, u16 seg)
{
	if (link_send_gso(&s->link, s->wire.daddr, MRC_UDP_PORT, b->buf,
			  b->n * ONE, seg) > 0)
		return true;
	tap_note("the kernel does not send GSO buffers");
	return false;
}

static void all_good(struct scene *s)
{
	struct mrc_pkt_data d;
	struct burst b = {};
	bool ok;
	u32 i;

	scene_qp(s, NULL);
	scene_mark(s);
	for (i = 0; i < PKTS; i++)
		add(s, &b, &d, true);
	s->done += PKTS;
	ok = send_burst(s, &b, ONE) & scene_flush(s);
	ok &= scene_acked(s, &d);
	ok &= scene_quiet(s) & scene_intact(s);
	ok &= scene_counted(s, "rx_bursts", 1) & scene_counted(s, "rx_pkts",
							       PKTS);
	tap_ok(ok & scene_dropped(s, NULL, 0),
	       "a buffer of %u packets gets one answer", PKTS);
}

/* 2: wrong ICRC, 4: no such QP, 5: opcode, 6: another version. */
static void junk_among(struct scene *s)
{
	static const u8 bad = 1 << 2 | 1 << 4 | 1 << 5 | 1 << 6;
	struct stats now;
	struct mrc_pkt_data d;
	struct burst b = {};
	bool ok;
	u32 i;

	scene_qp(s, NULL);
	scene_mark(s);
	for (i = 0; i < PKTS; i++)
		add(s, &b, &d, !(bad >> i & 1));
	nth(&b, 2)[ONE - 1] ^= 1;
	scene_head(s, &d, MRC_OP_WRITE_ONLY, LEN);
	d.dest_qpn ^= 0x10000;
	frame_packet(nth(&b, 4), ONE, &s->wire, &d, s->payload);
	nth(&b, 5)[0] = 0xd5;
	nth(&b, 6)[1] |= 5;
	s->done += 2;
	ok = send_burst(s, &b, ONE) & scene_flush(s);
	ok &= scene_sack(s, &(struct mrc_pkt_sack){
		.cack_psn = mrc_psn_add(s->psn, 1),
		.ack_psn_offset = PKTS - 2,
		.sack_offset = 1,
		.bitmap = 1 << 1 | 1 << 5,
		.ooo_count = 2,
		.tx_ts = 0xbe00 | (u8)(s->seed - 1),
	});
	ok &= scene_ack(s, mrc_psn_add(s->psn, 1), MRC_SYN_ACK);
	ok &= scene_quiet(s) & scene_intact(s);
	stats_read(&now, s->device);
	ok &= stats_delta(&s->before, &now, "drop_icrc") == 1 &&
	      stats_delta(&s->before, &now, "drop_no_qp") == 1 &&
	      stats_delta(&s->before, &now, "drop_opcode") == 1 &&
	      stats_delta(&s->before, &now, "drop_tver") == 1 &&
	      stats_delta(&s->before, &now, "rx_drops") == 4;
	tap_ok(ok, "junk in a buffer is dropped, the rest of it is taken");
}

/* The buffer is cut at the wrong places. */
static void wrong_cut(struct scene *s, u16 seg)
{
	struct mrc_pkt_data d;
	struct burst b = {};
	struct stats now;
	u32 i, want = DIV_ROUND_UP(PKTS * ONE, seg);
	u64 drops;
	bool ok;

	scene_qp(s, NULL);
	scene_mark(s);
	for (i = 0; i < PKTS; i++)
		add(s, &b, &d, false);
	ok = send_burst(s, &b, seg) & scene_flush(s);
	ok &= scene_quiet(s) & scene_intact(s);
	stats_read(&now, s->device);
	drops = stats_delta(&s->before, &now, "rx_drops");
	if (drops != want)
		tap_note("%llu dropped", (unsigned long long)drops);
	tap_ok(ok && drops == want,
	       "a buffer cut every %u bytes is %u packets of junk", seg, want);
}

/* One buffer, two queue pairs, in turns: answers and data of both. */
static void two_qps(struct scene *s)
{
	const struct target_cfg cfg = {
		.timeout = 20,
		.retry_cnt = 7,
		.peer_qpn = SCENE_PEER_QPN,
		.rq_psn = 0x777,
		.sq_psn = 0x888,
	};
	struct mrc_pkt_data d, last;
	struct target_qp *other;
	struct burst b = {};
	u32 i, psn = 0x777;
	bool ok;

	scene_qp(s, NULL);
	scene_mark(s);
	other = target_qp_create(s->target, &cfg);
	if (!other)
		return;
	for (i = 0; i < PKTS; i++)
		add(s, &b, &d, true);
	last = d;
	/* Every other packet is for the other. */
	for (i = 0; i < PKTS; i += 2) {
		scene_head(s, &d, MRC_OP_WRITE_ONLY, LEN);
		d.dest_qpn = target_qpn(other);
		d.flags &= ~MRC_PF_ACKREQ;
		d.psn = psn++;
		d.va += i * LEN;
		memset(s->payload, 0x80 | i, LEN);
		frame_packet(nth(&b, i), ONE, &s->wire, &d, s->payload);
		target_expect(s->target, d.va, s->payload, LEN);
	}
	ok = send_burst(s, &b, ONE) & scene_flush(s) & scene_intact(s);
	ok &= s->n_got == 2 && s->got[0].pkt.op->code == MRC_OP_SACK &&
	      s->got[0].pkt.sack.bitmap == 0x55ULL << 1 &&
	      s->got[0].pkt.sack.tx_ts == last.tx_ts;
	s->n_got = 0;
	ok &= scene_counted(s, "rx_pkts", PKTS) & scene_dropped(s, NULL, 0);
	tap_ok(ok, "a buffer for two QPs in turns");
	target_qp_destroy(other);
}

/**
 * bursts_run - tests: GSO buffers
 * @s: scene on IPv6
 */
void bursts_run(struct scene *s)
{
	struct wire right = s->wire;

	s->wire.ev = link_send_gso(&s->link, s->wire.daddr, 0, NULL, 0, 0);
	all_good(s);
	junk_among(s);
	wrong_cut(s, 50);
	wrong_cut(s, ONE - 1);
	wrong_cut(s, ONE + 1);
	wrong_cut(s, 1400);
	two_qps(s);
	s->wire = right;
}
