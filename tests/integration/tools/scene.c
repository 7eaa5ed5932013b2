// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A raw peer and a queue pair of the device it talks to.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/kernel.h>

#include "core/cc.h"
#include "core/psn.h"
#include "scene.h"
#include "tap.h"

#define RECV_MAX	131072
#define DSCP_CONTROL	46
#define DUMP_WIDTH	16

/**
 * scene_use - go on with IPv6 or IPv4
 * @s: scene
 * @v4: IPv4
 *
 * Queue pairs made from now on have addresses of that family.
 */
void scene_use(struct scene *s, bool v4)
{
	u8 own[16] = { [10] = 0xff, 0xff }, peer[16] = { [10] = 0xff, 0xff };
	const struct wire *w = &s->wires[v4];

	s->wire = *w;
	memcpy(own + (v4 ? 12 : 0), w->daddr, v4 ? 4 : 16);
	memcpy(peer + (v4 ? 12 : 0), w->saddr, v4 ? 4 : 16);
	target_use(s->target, own, peer);
}

/**
 * scene_qp - go on with a new queue pair
 * @s: scene
 * @cfg: attributes; PSNs and peer's number are filled in. NULL: connected
 */
void scene_qp(struct scene *s, const struct target_cfg *cfg)
{
	struct target_cfg c = { .timeout = 20, .retry_cnt = 7 };

	if (cfg)
		c = *cfg;
	target_qp_destroy(s->qp);
	c.peer_qpn = SCENE_PEER_QPN;
	/* Neighbouring windows, and the second QP meets the wrap around. */
	s->psn = s->qpn & 1 ? 0xfffff8 : 0x001000;
	s->sq_psn = s->qpn & 1 ? 0xfffffa : 0x400000;
	c.rq_psn = s->psn;
	c.sq_psn = s->sq_psn;
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
 * scene_send - send a frame
 * @s: scene
 * @f: frame
 */
void scene_send(struct scene *s, const struct frame *f)
{
	if (link_send(&s->link, f->buf, f->len)) {
		perror("send");
		exit(1);
	}
}

/**
 * scene_head - headers of a correct packet, the next in sequence
 * @s: scene
 * @d: filled in; asks for an answer
 * @opcode: enum mrc_opcode of a WRITE or SEND, or a request for a result
 * @len: bytes of payload, or of the result
 */
void scene_head(struct scene *s, struct mrc_pkt_data *d, u8 opcode, u32 len)
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
		.va = send ? 0 : s->mr[TARGET_FULL].va + SCENE_OFFSET,
		.rkey = send ? 0 : s->mr[TARGET_FULL].rkey,
		.dmalen = len,
	};
	if (flags & MRC_OPF_ATOMIC)
		d->va = SCENE_ALIGN(d->va);
}

/**
 * scene_frame - a correct packet with a payload never sent before
 * @s: scene
 * @f: filled in
 * @d: headers
 */
void scene_frame(struct scene *s, struct frame *f,
		 const struct mrc_pkt_data *d)
{
	u32 i;

	s->seed++;
	for (i = 0; i < d->payload_len && i < sizeof(s->payload); i++)
		s->payload[i] = s->seed + i * 7;
	frame_data(f, &s->wire, d, s->payload);
}

/**
 * scene_data - send a correct packet with a payload never sent before
 * @s: scene
 * @d: headers
 */
void scene_data(struct scene *s, const struct mrc_pkt_data *d)
{
	struct frame f;

	scene_frame(s, &f, d);
	scene_send(s, &f);
}

/**
 * scene_placed - the latest payload has to be in memory
 * @s: scene
 * @d: headers it was sent with
 * @va: where it has to be
 */
void scene_placed(struct scene *s, const struct mrc_pkt_data *d, u64 va)
{
	target_expect(s->target, va, s->payload, d->payload_len);
	s->rcvd += mrc_pkt_hdr_len(d->opcode, d->flags) + d->payload_len +
		   mrc_pkt_trailer_len(d->payload_len) +
		   MRC_CC_NOMINAL_OVERHEAD;
}

/**
 * scene_ctrl - send a control packet
 * @s: scene
 * @pkt: as mrc_pkt_put_*() writes it
 * @len: its length
 */
void scene_ctrl(struct scene *s, const u8 *pkt, u32 len)
{
	struct frame f;

	frame_ctrl(&f, &s->wire, pkt, len);
	scene_send(s, &f);
}

/*
 * The device asks in its own time who we are, and gets no answer: so it takes
 * us for a foreign one.  Nor are its results acknowledged, so they come again.
 */
static bool is_wanted(const struct scene *s, const struct got *g)
{
	if (g->err)
		return true;
	return g->pkt.op->code != MRC_OP_ENDPOINT_REQ &&
	       (s->results || !(g->pkt.op->flags & MRC_OPF_RSP));
}

static void drop_unwanted(struct scene *s, u32 from)
{
	u32 i, n = from;

	for (i = from; i < s->n_got; i++)
		if (is_wanted(s, &s->got[i]))
			s->got[n++] = s->got[i];
	s->n_got = n;
}

/* Receive one frame; false if none comes. */
static bool receive(struct scene *s)
{
	static u8 buf[RECV_MAX];
	u32 from = s->n_got;
	ssize_t len;

	len = link_recv(&s->link, buf, sizeof(buf), SCENE_WAIT_MS);
	if (len <= 0)
		return false;
	if (from == SCENE_GOT_MAX) {
		tap_note("too many answers");
		return false;
	}
	s->n_got += frame_split(buf, len, s->got + from, SCENE_GOT_MAX - from);
	drop_unwanted(s, from);
	return true;
}

static bool is_response(const struct got *g, u16 req_id)
{
	return !g->err && g->icrc_ok &&
	       g->pkt.op->code == MRC_OP_ENDPOINT_RSP &&
	       g->pkt.endpoint.req_id == req_id;
}

/**
 * scene_flush - wait until everything sent has been processed
 * @s: scene
 *
 * An endpoint request, which is always answered, follows on the same way.
 * Whatever came before its answer is left in @s->got.
 *
 * Return: false, after a note, if there is no answer.
 */
bool scene_flush(struct scene *s)
{
	struct mrc_pkt_endpoint e = { .req_id = ++s->req_id };
	u8 buf[MRC_EP_REQ_LEN];

	scene_ctrl(s, buf, mrc_pkt_put_endpoint_req(buf, &e));
	while (receive(s)) {
		if (!s->n_got ||
		    !is_response(&s->got[s->n_got - 1], s->req_id))
			continue;
		s->n_got--;
		return true;
	}
	tap_note("the device does not answer any more");
	return false;
}

/* A device that data reaches looks for ways back, in its own time. */
static bool is_probe(const struct got *g)
{
	return !g->err && g->pkt.op->code == MRC_OP_PROBE;
}

/* The oldest packet received that is wanted. */
static bool take(struct scene *s, struct got *got)
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

/**
 * scene_next - next packet, waiting for it
 * @s: scene
 * @got: filled in
 *
 * Return: false, after a note, if none comes.
 */
bool scene_next(struct scene *s, struct got *got)
{
	while (!take(s, got)) {
		if (receive(s))
			continue;
		tap_note("the device sends nothing");
		return false;
	}
	return true;
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

static void note_got(const struct got *g)
{
	tap_note("got %s, ICRC %s",
		 g->err ? mrc_drop_name(-g->err) : g->pkt.op->name,
		 g->icrc_ok ? "right" : "wrong");
	dump("got", g->buf, min_t(u32, g->len, MRC_CTRL_MAX));
}

/* Is the next packet this one, byte for byte? */
static bool expect(struct scene *s, const u8 *want, u32 len)
{
	struct got got;

	if (!take(s, &got)) {
		tap_note("no answer");
		dump("want", want, len);
		return false;
	}
	if (got.len == len && got.icrc_ok &&
	    !memcmp(got.buf, want, len - MRC_ICRC_LEN) &&
	    got.dsfield == DSCP_CONTROL << 2)
		return true;
	dump("want", want, len);
	note_got(&got);
	tap_note("traffic class %#x", got.dsfield);
	return false;
}

/**
 * scene_sack - is the next packet this SACK?
 * @s: scene after scene_flush()
 * @want: content; entropy and byte count are filled in
 *
 * Return: true, or false after a note.
 */
bool scene_sack(struct scene *s, const struct mrc_pkt_sack *want)
{
	struct mrc_pkt_sack w = *want;
	u8 buf[MRC_SACK_LEN];

	w.entropy = s->wire.v4 ? s->wire.ev & 0xffff : s->wire.ev;
	w.rcvd_bytes = (s->rcvd + MRC_RCVD_UNIT - 1) >> MRC_RCVD_UNIT_SHIFT;
	return expect(s, buf, mrc_pkt_put_sack(buf, SCENE_PEER_QPN, &w));
}

/**
 * scene_ack - is the next packet this Acknowledge?
 * @s: scene after scene_flush()
 * @psn: its PSN
 * @syndrome: enum mrc_syndrome
 *
 * Return: true, or false after a note.
 */
bool scene_ack(struct scene *s, u32 psn, u8 syndrome)
{
	struct mrc_pkt_ack a = {
		.psn = psn,
		.msn = s->done,
		.syndrome = syndrome,
	};
	u8 buf[MRC_ACK_LEN];

	return expect(s, buf, mrc_pkt_put_ack(buf, SCENE_PEER_QPN, &a));
}

/**
 * scene_acked - do the next packets acknowledge a packet, and report no gap?
 * @s: scene after scene_flush()
 * @d: what the packet said
 *
 * Return: true, or false after a note.
 */
bool scene_acked(struct scene *s, const struct mrc_pkt_data *d)
{
	bool ok;

	ok = scene_sack(s, &(struct mrc_pkt_sack){
		.cack_psn = d->psn,
		.sack_offset = 1,
		.tx_ts = d->tx_ts,
		.rtx = d->flags & MRC_PF_RTX,
	});
	return ok & scene_ack(s, d->psn, MRC_SYN_ACK);
}

/**
 * scene_nack - is the next packet this NACK?
 * @s: scene after scene_flush()
 * @psn: refused PSN
 * @reason: enum mrc_nack_reason
 * @tx_ts: time stamp of the refused packet
 *
 * Return: true, or false after a note.
 */
bool scene_nack(struct scene *s, u32 psn, u8 reason, u16 tx_ts)
{
	struct mrc_pkt_nack n = {
		.psn = psn,
		.entropy = s->wire.v4 ? s->wire.ev & 0xffff : s->wire.ev,
		.tx_ts = tx_ts,
		.reason = reason,
	};
	u8 buf[MRC_NACK_LEN];

	return expect(s, buf, mrc_pkt_put_nack(buf, SCENE_PEER_QPN, &n));
}

/**
 * scene_quiet - has nothing (more) been answered?
 * @s: scene after scene_flush(); forgets what has
 *
 * Return: true, or false after a note.
 */
bool scene_quiet(struct scene *s)
{
	struct got got;
	bool ok = true;

	while (take(s, &got)) {
		tap_note("an answer where none is due");
		note_got(&got);
		ok = false;
	}
	return ok;
}

/**
 * scene_forget - forget everything that has been received
 * @s: scene
 */
void scene_forget(struct scene *s)
{
	static u8 buf[RECV_MAX];

	while (link_recv(&s->link, buf, sizeof(buf), 0) > 0)
		;
	s->n_got = 0;
}

/**
 * scene_intact - is every byte of memory what it has to be?
 * @s: scene after scene_flush()
 *
 * Return: true, or false after a note.
 */
bool scene_intact(struct scene *s)
{
	uint64_t va;
	size_t n = target_damage(s->target, &va);

	if (n)
		tap_note("%zu bytes are wrong, the first at %#" PRIx64
			 ", area begins at %#" PRIx64, n, va,
			 s->mr[TARGET_FULL].va);
	return !n;
}

/**
 * scene_mark - remember the counters
 * @s: scene
 */
void scene_mark(struct scene *s)
{
	if (stats_read(&s->before, s->device))
		exit(1);
}

/**
 * scene_counted - has a counter grown by so much since scene_mark()?
 * @s: scene after scene_flush()
 * @name: counter
 * @n: by how much
 *
 * Return: true, or false after a note.
 */
bool scene_counted(struct scene *s, const char *name, u64 n)
{
	struct stats now;
	u64 grown;

	if (stats_read(&now, s->device))
		exit(1);
	grown = stats_delta(&s->before, &now, name);
	if (grown != n)
		tap_note("%s grew by %llu, not %llu", name,
			 (unsigned long long)grown, (unsigned long long)n);
	return grown == n;
}

/**
 * scene_dropped - have so many packets been dropped since scene_mark()?
 * @s: scene after scene_flush(); the counters are remembered anew
 * @reason: name of the drop reason, or NULL if nothing may have been dropped
 * @n: how many
 *
 * Return: true if they were, for this reason, and no others; or false after a
 *	note.
 */
bool scene_dropped(struct scene *s, const char *reason, u64 n)
{
	char name[STATS_NAME];
	struct stats now;
	bool ok;

	if (stats_read(&now, s->device))
		exit(1);
	snprintf(name, sizeof(name), "drop_%s", reason ? reason : "");
	ok = stats_only(&s->before, &now, "drop_", reason ? name : NULL, n);
	ok &= stats_only(&s->before, &now, "rx_drops",
			 reason ? "rx_drops" : NULL, n);
	s->before = now;
	return ok;
}

/**
 * scene_write_works - does a correct WRITE on the queue pair work?
 * @s: scene with a connected queue pair
 *
 * Return: true, or false after a note.
 */
bool scene_write_works(struct scene *s)
{
	struct mrc_pkt_data d;
	bool ok;

	scene_head(s, &d, MRC_OP_WRITE_ONLY, 64);
	scene_data(s, &d);
	scene_placed(s, &d, d.va);
	s->psn = mrc_psn_add(s->psn, 1);
	s->msn++;
	s->done++;
	ok = scene_flush(s);
	ok &= scene_acked(s, &d);
	return ok & scene_quiet(s) & scene_intact(s);
}
