// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A raw peer and a QP of the device under test that is connected to it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/kernel.h>

#include "core/cc.h"
#include "core/psn.h"
#include "fixture.h"
#include "rc.h"
#include "tap.h"

#define RECV_MAX	131072
#define DSCP_CONTROL	46
#define DUMP_WIDTH	16

/*
 * Where packets of a QP wait for its home processor, they are processed after the request
 * of fixture_flush(), which nothing keeps: what must come may come that much later.
 */
#define LATE_MS		5000

/**
 * fixture_set_family - use IPv6 or IPv4 from now on
 * @s: fixture
 * @v4: IPv4
 *
 * QPs created from now on have addresses of that family.
 */
void fixture_set_family(struct fixture *s, bool v4)
{
	u8 own[16] = { [10] = 0xff, 0xff }, peer[16] = { [10] = 0xff, 0xff };
	const struct wire *w = &s->wires[v4];

	s->wire = *w;
	memcpy(own + (v4 ? 12 : 0), w->daddr, v4 ? 4 : 16);
	memcpy(peer + (v4 ? 12 : 0), w->saddr, v4 ? 4 : 16);
	target_set_addresses(s->target, own, peer);
}

/**
 * fixture_qp - replace the QP by a new one
 * @s: fixture
 * @cfg: attributes; PSNs and peer's number are filled in. NULL: connected
 */
void fixture_qp(struct fixture *s, const struct target_cfg *cfg)
{
	struct target_cfg c = { .timeout = 20, .retry_cnt = 7 };

	if (cfg)
		c = *cfg;
	target_qp_destroy(s->qp);
	c.peer_qpn = FIXTURE_PEER_QPN;
	/* PSNs of consecutive QPs are close; those of the second wrap around. */
	s->psn = s->qpn & 1 ? 0xfffff8 : 0x001000;
	s->sq_psn = s->qpn & 1 ? 0xfffffa : 0x400000;
	c.rq_psn = s->psn;
	c.sq_psn = s->sq_psn;
	s->cfg = c;
	s->qp = target_qp_create(s->target, &c);
	if (!s->qp)
		exit(1);
	s->qpn = target_qpn(s->qp);
	s->msn = 0;
	s->rqmsn = 0;
	s->rcvd = 0;
	s->done = 0;
}

/**
 * fixture_send - send a frame
 * @s: fixture
 * @f: frame
 */
void fixture_send(struct fixture *s, const struct frame *f)
{
	if (link_send(&s->link, f->buf, f->len)) {
		perror("send");
		exit(1);
	}
}

/**
 * fixture_head - headers of a correct packet, the next in sequence
 * @s: fixture
 * @d: filled in, with AckReq
 * @opcode: enum mrc_opcode of a WRITE or SEND, or of a READ or ATOMIC request
 * @len: bytes of payload, or of the response
 */
void fixture_head(struct fixture *s, struct mrc_pkt_data *d, u8 opcode, u32 len)
{
	u32 flags = mrc_opcode_get(opcode)->flags;
	bool send = flags & MRC_OPF_OFFSET;

	*d = (struct mrc_pkt_data){
		.opcode = opcode,
		.flags = MRC_PF_ACKREQ | MRC_PF_TS,
		.payload_len = flags & MRC_OPF_PAYLOAD ? len : 0,
		.dest_qpn = s->qpn,
		.psn = s->psn,
		.rqmsn = s->rqmsn,
		.msn = s->msn,
		.tx_ts = 0xbe00 | s->seed,
		.va = send ? 0 : s->mr[TARGET_FULL].va + FIXTURE_OFFSET,
		.rkey = send ? 0 : s->mr[TARGET_FULL].rkey,
		.dmalen = len,
	};
	if (flags & MRC_OPF_ATOMIC)
		d->va = FIXTURE_ALIGN(d->va);
}

/**
 * fixture_frame - a correct packet with a payload never sent before
 * @s: fixture
 * @f: filled in
 * @d: headers
 */
void fixture_frame(struct fixture *s, struct frame *f,
		   const struct mrc_pkt_data *d)
{
	u32 i;

	s->seed++;
	for (i = 0; i < d->payload_len && i < sizeof(s->payload); i++)
		s->payload[i] = s->seed + i * 7;
	frame_data(f, &s->wire, d, s->payload);
}

/**
 * fixture_data - send a correct packet with a payload never sent before
 * @s: fixture
 * @d: headers
 */
void fixture_data(struct fixture *s, const struct mrc_pkt_data *d)
{
	struct frame f;

	fixture_frame(s, &f, d);
	fixture_send(s, &f);
}

/**
 * fixture_placed - expect the latest payload in memory
 * @s: fixture
 * @d: headers of its packet
 * @va: expected address
 */
void fixture_placed(struct fixture *s, const struct mrc_pkt_data *d, u64 va)
{
	target_expect(s->target, va, s->payload, d->payload_len);
	s->rcvd += mrc_pkt_hdr_len(d->opcode, d->flags) + d->payload_len +
		   mrc_pkt_trailer_len(d->payload_len) +
		   MRC_CC_NOMINAL_OVERHEAD;
}

/**
 * fixture_ctrl - send a control packet
 * @s: fixture
 * @pkt: as mrc_pkt_put_*() writes it
 * @len: its length
 */
void fixture_ctrl(struct fixture *s, const u8 *pkt, u32 len)
{
	struct frame f;

	frame_ctrl(&f, &s->wire, pkt, len);
	fixture_send(s, &f);
}

/*
 * Timers of the device send endpoint requests to the peer.  Without a response it
 * takes the peer for a device of another make.  Nor are its responses to READs and
 * ATOMICs acknowledged, so it retransmits them.
 */
static bool is_expected_kind(const struct fixture *s, const struct got *g)
{
	if (g->err)
		return true;
	return (s->requests || g->pkt.op->code != MRC_OP_ENDPOINT_REQ) &&
	       (s->responses || !(g->pkt.op->flags & MRC_OPF_RSP));
}

static void drop_other_kinds(struct fixture *s, u32 from)
{
	u32 i, n = from;

	for (i = from; i < s->n_got; i++)
		if (is_expected_kind(s, &s->got[i]))
			s->got[n++] = s->got[i];
	s->n_got = n;
}

/* Receive one frame; false if none comes. */
static bool receive(struct fixture *s, int timeout_ms)
{
	static u8 buf[RECV_MAX];
	u32 from = s->n_got;
	ssize_t len;

	len = link_recv(&s->link, buf, sizeof(buf), timeout_ms);
	if (len <= 0)
		return false;
	if (from == FIXTURE_GOT_MAX) {
		tap_note("the device has sent too many packets");
		return false;
	}
	s->n_got += frame_split(buf, len, s->got + from, FIXTURE_GOT_MAX - from);
	drop_other_kinds(s, from);
	return true;
}

static bool is_response(const struct got *g, u16 req_id)
{
	return !g->err && g->icrc_ok &&
	       g->pkt.op->code == MRC_OP_ENDPOINT_RSP &&
	       g->pkt.endpoint.req_id == req_id;
}

/**
 * fixture_flush - wait until everything sent has been processed
 * @s: fixture
 *
 * An endpoint request, which always gets a response, follows on the same path.
 * Packets received before the response are left in @s->got.
 *
 * Return: false, after a note, if there is no response.
 */
bool fixture_flush(struct fixture *s)
{
	struct mrc_pkt_endpoint e = {
		.req_id = ++s->req_id,
		.op = MRC_EP_EV_PROBE,
	};
	u8 buf[MRC_EP_REQ_LEN];

	fixture_ctrl(s, buf, mrc_pkt_put_endpoint_req(buf, &e));
	while (receive(s, FIXTURE_WAIT_MS)) {
		if (!s->n_got ||
		    !is_response(&s->got[s->n_got - 1], s->req_id))
			continue;
		s->n_got--;
		return true;
	}
	tap_note("no endpoint response of the device");
	return false;
}

/* A device that receives data probes its ACK paths when a timer expires. */
static bool is_probe(const struct got *g)
{
	return !g->err && g->pkt.op->code == MRC_OP_PROBE;
}

/**
 * fixture_drop_probes - forget the probes among the packets received
 * @s: fixture after fixture_flush()
 *
 * For tests that look at @s->got: whether there are probes depends on time.
 */
void fixture_drop_probes(struct fixture *s)
{
	u32 i, n = 0;

	for (i = 0; i < s->n_got; i++)
		if (!is_probe(&s->got[i]))
			s->got[n++] = s->got[i];
	s->n_got = n;
}

/* The oldest packet received of the expected kinds. */
static bool take(struct fixture *s, struct got *got)
{
	while (s->n_got) {
		*got = s->got[0];
		s->n_got--;
		memmove(s->got, s->got + 1, s->n_got * sizeof(s->got[0]));
		if (s->probes || !is_probe(got))
			return true;
	}
	return false;
}

static bool take_within(struct fixture *s, struct got *got, int timeout_ms)
{
	u64 end = rc_now_ns() + timeout_ms * NS_PER_MS;
	u64 now;

	while (!take(s, got)) {
		now = rc_now_ns();
		/* Packets of other kinds, which are dropped, do not extend the wait. */
		if (now < end && receive(s, DIV_ROUND_UP(end - now, NS_PER_MS)))
			continue;
		tap_note("the device has sent no packet");
		return false;
	}
	return true;
}

/**
 * fixture_next - wait for the next packet of the device
 * @s: fixture
 * @got: filled in
 *
 * Return: false, after a note, if none comes.
 */
bool fixture_next(struct fixture *s, struct got *got)
{
	return take_within(s, got, FIXTURE_WAIT_MS);
}

static void dump(const char *what, const u8 *p, u32 len)
{
	char line[3 * DUMP_WIDTH + 1];
	u32 i, n;

	for (i = 0; i < len; i += DUMP_WIDTH) {
		for (n = 0; n < DUMP_WIDTH && i + n < len; n++)
			sprintf(line + 3 * n, " %02x", p[i + n]);
		tap_note("%s %02x:%s", what, i, line);
	}
}

static void note_packet(const struct got *g)
{
	tap_note("received %s (enum mrc_drop %d), ICRC %s",
		 g->err ? "invalid packet" : g->pkt.op->name, -g->err,
		 g->icrc_ok ? "right" : "wrong");
	dump("received", g->buf, min_t(u32, g->len, MRC_CTRL_MAX));
}

/* Compare the next packet byte for byte. */
static bool expect(struct fixture *s, const u8 *want, u32 len)
{
	struct got got;

	if (!take_within(s, &got, LATE_MS)) {
		dump("expected", want, len);
		return false;
	}
	if (got.len == len && got.icrc_ok &&
	    !memcmp(got.buf, want, len - MRC_ICRC_LEN) &&
	    got.dsfield == DSCP_CONTROL << 2)
		return true;
	dump("expected", want, len);
	note_packet(&got);
	tap_note("traffic class of the received packet %#x", got.dsfield);
	return false;
}

/**
 * fixture_sack - expect a SACK as the next packet
 * @s: fixture after fixture_flush()
 * @want: content; entropy and byte count are filled in
 *
 * Return: true, or false after a note.
 */
bool fixture_sack(struct fixture *s, const struct mrc_pkt_sack *want)
{
	struct mrc_pkt_sack w = *want;
	u8 buf[MRC_SACK_LEN];

	w.entropy = s->wire.v4 ? s->wire.ev & 0xffff : s->wire.ev;
	w.rcvd_bytes = (s->rcvd + MRC_RCVD_UNIT - 1) >> MRC_RCVD_UNIT_SHIFT;
	return expect(s, buf, mrc_pkt_put_sack(buf, FIXTURE_PEER_QPN, &w));
}

/**
 * fixture_ack - expect an ACK or NAK as the next packet
 * @s: fixture after fixture_flush()
 * @psn: expected PSN
 * @syndrome: enum mrc_syndrome
 *
 * Return: true, or false after a note.
 */
bool fixture_ack(struct fixture *s, u32 psn, u8 syndrome)
{
	struct mrc_pkt_ack a = {
		.psn = psn,
		.msn = s->done,
		.syndrome = syndrome,
	};
	u8 buf[MRC_ACK_LEN];

	return expect(s, buf, mrc_pkt_put_ack(buf, FIXTURE_PEER_QPN, &a));
}

/**
 * fixture_acked - expect a SACK and an ACK of a packet, without a gap
 * @s: fixture after fixture_flush()
 * @d: headers of the packet
 *
 * Return: true, or false after a note.
 */
bool fixture_acked(struct fixture *s, const struct mrc_pkt_data *d)
{
	bool ok;

	ok = fixture_sack(s, &(struct mrc_pkt_sack){
		.cack_psn = d->psn,
		.sack_offset = 1,
		.tx_ts = d->tx_ts,
		.rtx = d->flags & MRC_PF_RTX,
	});
	return ok & fixture_ack(s, d->psn, MRC_SYN_ACK);
}

/**
 * fixture_nack - expect a NACK as the next packet
 * @s: fixture after fixture_flush()
 * @psn: refused PSN
 * @reason: enum mrc_nack_reason
 * @tx_ts: time stamp of the refused packet
 *
 * Return: true, or false after a note.
 */
bool fixture_nack(struct fixture *s, u32 psn, u8 reason, u16 tx_ts)
{
	struct mrc_pkt_nack n = {
		.psn = psn,
		.entropy = s->wire.v4 ? s->wire.ev & 0xffff : s->wire.ev,
		.tx_ts = tx_ts,
		.reason = reason,
	};
	u8 buf[MRC_NACK_LEN];

	return expect(s, buf, mrc_pkt_put_nack(buf, FIXTURE_PEER_QPN, &n));
}

/**
 * fixture_no_packet - expect no (further) packet
 * @s: fixture after fixture_flush(); received packets are discarded
 *
 * Return: true, or false after a note.
 */
bool fixture_no_packet(struct fixture *s)
{
	struct got got;
	bool ok = true;

	while (take(s, &got)) {
		tap_note("the device has sent an unexpected packet");
		note_packet(&got);
		ok = false;
	}
	return ok;
}

/**
 * fixture_discard - discard all received packets
 * @s: fixture
 */
void fixture_discard(struct fixture *s)
{
	static u8 buf[RECV_MAX];

	while (link_recv(&s->link, buf, sizeof(buf), 0) > 0)
		;
	s->n_got = 0;
}

/**
 * fixture_intact - compare the device's memory with its expected content
 * @s: fixture after fixture_flush()
 *
 * Return: true, or false after a note.
 */
bool fixture_intact(struct fixture *s)
{
	u64 end = rc_now_ns() + LATE_MS * NS_PER_MS;
	uint64_t va;
	size_t n;

	do {
		n = target_damage(s->target, &va);
	} while (n && target_pause(end));
	if (n)
		tap_note("%zu bytes of memory differ, the first at %#" PRIx64
			 ", area begins at %#" PRIx64, n, va,
			 s->mr[TARGET_FULL].va);
	return !n;
}

/**
 * fixture_snapshot - save the counters
 * @s: fixture
 */
void fixture_snapshot(struct fixture *s)
{
	if (stats_read(&s->before, s->device))
		exit(1);
}

/**
 * fixture_grown - how much has a counter grown since fixture_snapshot()?
 * @s: fixture after fixture_flush()
 * @name: counter
 * @n: growth that is waited for
 * @now: filled in: the counters
 *
 * Return: its growth.
 */
u64 fixture_grown(struct fixture *s, const char *name, u64 n, struct stats *now)
{
	u64 end = rc_now_ns() + LATE_MS * NS_PER_MS;
	u64 grown;

	do {
		if (stats_read(now, s->device))
			exit(1);
		grown = stats_delta(&s->before, now, name);
	} while (grown < n && target_pause(end));
	return grown;
}

/**
 * fixture_counted - compare the growth of a counter since fixture_snapshot()
 * @s: fixture after fixture_flush()
 * @name: counter
 * @n: expected growth
 *
 * Return: true, or false after a note.
 */
bool fixture_counted(struct fixture *s, const char *name, u64 n)
{
	struct stats now;
	u64 grown = fixture_grown(s, name, n, &now);

	if (grown != n)
		tap_note("%s has grown by %llu, expected %llu", name,
			 (unsigned long long)grown, (unsigned long long)n);
	return grown == n;
}

/**
 * fixture_dropped - compare the drop counters with those of fixture_snapshot()
 * @s: fixture after fixture_flush(); the counters are saved anew
 * @reason: name of the drop reason, or NULL if no packet may have been dropped
 * @n: expected number
 *
 * Return: true if @n packets were dropped for this reason and none for others;
 *	or false after a note.
 */
bool fixture_dropped(struct fixture *s, const char *reason, u64 n)
{
	char name[STATS_NAME];
	struct stats now;
	bool ok;

	snprintf(name, sizeof(name), "drop_%s", reason ? reason : "");
	fixture_grown(s, reason ? name : "rx_drops", reason ? n : 0, &now);
	ok = stats_only(&s->before, &now, "drop_", reason ? name : NULL, n);
	ok &= stats_only(&s->before, &now, "rx_drops",
			 reason ? "rx_drops" : NULL, n);
	s->before = now;
	return ok;
}

/**
 * fixture_write_works - send a correct WRITE and expect its acknowledgment
 * @s: fixture with a connected queue pair
 *
 * Return: true, or false after a note.
 */
bool fixture_write_works(struct fixture *s)
{
	struct mrc_pkt_data d;
	bool ok;

	fixture_head(s, &d, MRC_OP_WRITE_ONLY, 64);
	fixture_data(s, &d);
	fixture_placed(s, &d, d.va);
	s->psn = mrc_psn_add(s->psn, 1);
	s->msn++;
	s->done++;
	ok = fixture_flush(s);
	ok &= fixture_acked(s, &d);
	return ok & fixture_no_packet(s) & fixture_intact(s);
}
