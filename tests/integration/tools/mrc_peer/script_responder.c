// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Scenarios in which the device is the responder: the peer sends data, the device
 * acknowledgments.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "core/psn.h"
#include "rc.h"
#include "script.h"

/* Both bytes differ and are not 0, so that a misplaced byte is detected. */
#define FIRST_TS	0xbe01
/* Payload that a switch leaves when it trims, and DSCPs that it sets. */
#define TRIM_LEN	8
#define TRIMMED		(12 << 2)
#define TRIMMED_LASTHOP	(16 << 2)
#define FAR_RKEY	0x700
#define SACK_TS_OFFSET	40
#define NO_ICRC		0x08

/**
 * struct packet - a data packet to be sent
 * @op: opcode
 * @psn: of the scenario
 * @msn: message
 * @offset: of the payload in the message's memory
 * @len: bytes of the message
 */
struct packet {
	u8 op;
	long psn;
	u16 msn;
	u64 offset;
	u32 len;
};

/* The device accepts a packet that is new and complete. */
static void accept_packet(struct script *p, long psn, u64 va)
{
	struct fixture *s = p->s;

	if (p->out[psn].accepted)
		return;
	p->out[psn].accepted = true;
	target_expect(s->target, va, s->payload, TARGET_PMTU);
	s->rcvd += REF_DATA_LEN + TARGET_PMTU + REF_ICRC_LEN + REF_NOMINAL;
}

static void new_payload(struct fixture *s)
{
	u32 i;

	s->seed++;
	for (i = 0; i < TARGET_PMTU; i++)
		s->payload[i] = s->seed + i * 7;
}

/* The peer leaves the ICRC out; the UDP checksum protects the packet. */
static void put_unprotected(struct frame *f, const struct fixture *s)
{
	frame_put(f, s->payload, TARGET_PMTU);
	frame_put(f, NULL, REF_ICRC_LEN);
	frame_lengths(f);
	frame_udp_sum(f);
}

/*
 * Payload and ICRC.  A switch that trims updates the lengths and nothing else; a
 * packet that is "cut" keeps its lengths.
 */
static void put_payload(struct frame *f, const struct fixture *s, bool trimmed,
			bool cut)
{
	if (trimmed) {
		frame_put(f, s->payload, TRIM_LEN);
		frame_lengths(f);
		return;
	}
	frame_put(f, s->payload, TARGET_PMTU);
	frame_put(f, NULL, REF_ICRC_LEN);
	frame_seal(f);
	if (cut)
		f->len = f->mrc + REF_DATA_LEN + TRIM_LEN;
}

/* Traffic class of the line's packet, as switches have set it. */
static u8 tclass_of_line(struct script *p)
{
	u8 tclass = p->s->wire.tclass;

	if (script_word(p, "trimmed"))
		tclass = TRIMMED;
	if (script_word(p, "trimmed-lasthop"))
		tclass = TRIMMED_LASTHOP;
	return tclass | (script_word(p, "ce") ? FRAME_CE : 0);
}

/*
 * Words of the line: ackreq, rtx, ce, trimmed, trimmed-lasthop, cut, bad-key,
 * no-icrc, rejected.
 */
static void send_packet(struct script *p, const struct packet *k, bool ackreq)
{
	bool rtx = script_word(p, "rtx");
	bool cut = script_word(p, "cut");
	bool trimmed = script_word(p, "trimmed") ||
		       script_word(p, "trimmed-lasthop");
	bool bad_key = script_word(p, "bad-key");
	bool no_icrc = script_word(p, "no-icrc");
	bool rejected = script_word(p, "rejected");
	struct fixture *s = p->s;
	u8 tclass = s->wire.tclass;
	struct ref_data d = {
		.bth.opcode = k->op,
		.bth.qpn = s->qpn,
		.bth.bits = (ackreq ? REF_A : 0) | (rtx ? REF_RTX : 0) |
			    (no_icrc ? NO_ICRC : 0),
		.bth.psn = mrc_psn_add(s->psn, k->psn),
		.msn = k->msn,
		.ts = FIRST_TS + p->ts++,
		.va = s->mr[TARGET_FULL].va + k->offset,
		.rkey = s->mr[TARGET_FULL].rkey ^ (bad_key ? FAR_RKEY : 0),
		.len = k->len,
	};
	u8 hdr[REF_DATA_LEN];
	struct frame f;

	new_payload(s);
	s->wire.tclass = tclass_of_line(p);
	frame_begin(&f, &s->wire);
	s->wire.tclass = tclass;
	frame_put(&f, hdr, ref_data(hdr, &d));
	if (no_icrc)
		put_unprotected(&f, s);
	else
		put_payload(&f, s, trimmed, cut);
	p->sent_at = rc_now_ns();
	fixture_send(s, &f);
	if (!cut) {
		p->out[k->psn].ts = d.ts;
		p->out[k->psn].rtx = rtx;
	}
	if (!cut && !trimmed && !bad_key && !rejected)
		accept_packet(p, k->psn, d.va);
}

/**
 * script_write - "> write PSN[-PSN] of N [ackreq]": packets of a WRITE
 * @p: script
 *
 * The message has N packets and begins with PSN 0; "ackreq" sets AckReq in the last
 * packet of the line.
 *
 * Return: true.
 */
bool script_write(struct script *p)
{
	long first, last, n = script_number(p, "of", 0);
	bool ackreq = script_word(p, "ackreq");

	first = script_psn_arg(p, &last);
	if (first < 0 || n < 2 || last >= n)
		script_syntax_error(p, "the PSN is not in the message");
	for (; first <= last; first++) {
		const struct packet k = {
			.op = first == 0 ? REF_WRITE_FIRST : first == n - 1 ?
			      REF_WRITE_LAST : REF_WRITE_MIDDLE,
			.psn = first,
			.offset = first * TARGET_PMTU,
			.len = n * TARGET_PMTU,
		};

		send_packet(p, &k, ackreq && first == last);
	}
	return true;
}

/**
 * script_only - "> only PSN[-PSN] [ackreq]": WRITEs of one packet each
 * @p: script
 *
 * All of them write to the same address.
 *
 * Return: true.
 */
bool script_only(struct script *p)
{
	bool ackreq = script_word(p, "ackreq");
	long first, last;

	first = script_psn_arg(p, &last);
	if (first < 0)
		script_syntax_error(p, "the PSN is out of range");
	for (; first <= last; first++) {
		const struct packet k = {
			.op = REF_WRITE_ONLY,
			.psn = first,
			.msn = first,
			.len = TARGET_PMTU,
		};

		send_packet(p, &k, ackreq && first == last);
	}
	return true;
}

static bool is_update(const struct got *g)
{
	return !g->err && g->pkt.op->code == MRC_OP_ENDPOINT_REQ &&
	       g->pkt.endpoint.op == MRC_EP_PORT_STATUS &&
	       !(g->pkt.endpoint.caps & MRC_CAP_NOICRC);
}

/**
 * script_expect_update - "< update": expect a report that the ICRC is required
 * @p: script
 *
 * Other packets before it are skipped.
 *
 * Return: true, or false after a note.
 */
bool script_expect_update(struct script *p)
{
	bool found = false;
	struct got g;

	p->s->requests = true;
	while (!found && fixture_next(p->s, &g))
		found = is_update(&g);
	p->s->requests = false;
	return found;
}

/**
 * script_probe - "> probe ID": a reliability probe
 * @p: script
 *
 * Return: true.
 */
bool script_probe(struct script *p)
{
	u8 buf[REF_PROBE_LEN + REF_ICRC_LEN] = {};
	u16 id = strtoul(script_arg(p), NULL, 0);

	p->probe_ts = FIRST_TS + p->ts++;
	fixture_ctrl(p->s, buf, ref_probe(buf, p->s->qpn, id, p->probe_ts) +
			      REF_ICRC_LEN);
	return true;
}

static bool set_bitmap_bit(void *arg, long psn)
{
	struct { struct ref_sack *k; long first; } *a = arg;

	if (psn < a->first || psn >= a->first + 64)
		return false;
	a->k->bitmap |= 1ULL << (psn - a->first);
	return true;
}

/**
 * script_sack - "cack PSN [from PSN] [has LIST] [ooo N] [mark] [mpr N]"
 * @p: script
 * @k: filled in; offsets as on the wire
 *
 * The bitmap begins with the PSN after the cumulative one unless "from" is given.
 */
void script_sack(struct script *p, struct ref_sack *k)
{
	const char *has = script_value(p, "has");
	long cack = script_number(p, "cack", SCRIPT_PSNS);
	struct { struct ref_sack *k; long first; } bits = {
		k, script_number(p, "from", cack + 1),
	};

	if (cack == SCRIPT_PSNS)
		script_syntax_error(p, "the SACK has no cumulative PSN");
	k->cack = cack;
	k->first = bits.first - cack;
	k->ooo = script_number(p, "ooo", 0);
	k->mark = script_word(p, "mark");
	k->mpr = script_number(p, "mpr", 0);
	if (has && !script_each(has, set_bitmap_bit, &bits))
		script_syntax_error(p, "a PSN is outside the bitmap");
}

/*
 * Time stamp in a SACK for what was sent at @ts: later by the device's service time, which
 * is less than has passed since.
 */
static u16 served_ts(struct script *p, u16 ts, const struct got *g)
{
	const u8 *at = g->buf + SACK_TS_OFFSET;
	u16 units = (at[0] << 8 | at[1]) - ts;
	u64 passed = rc_now_ns() - p->sent_at;

	if ((u64)units * REF_TS_NS > passed) {
		tap_note("a service time of %u units, and %llu ns have passed", units,
			 (unsigned long long)passed);
		return ts;
	}
	p->served += units;
	return ts + units;
}

/**
 * script_served - "= served": a SACK with "served" has reported a service time
 * @p: script
 *
 * Return: true, or false after a note.
 */
bool script_served(struct script *p)
{
	tap_note("service times: %llu units of %u ns", (unsigned long long)p->served,
		 REF_TS_NS);
	return p->served;
}

/**
 * script_expect_sack - "< sack cack PSN for PSN ...": expect a SACK
 * @p: script
 *
 * "for" names the packet that is the trigger, "probe ID" a reliability probe. With
 * "served" the SACK may report a service time.
 *
 * Return: true, or false after a note.
 */
bool script_expect_sack(struct script *p)
{
	long trigger = script_number(p, "probe", -1);
	bool served = script_word(p, "served");
	struct fixture *s = p->s;
	u8 want[REF_SACK_LEN];
	struct ref_sack k = {
		.qpn = FIXTURE_PEER_QPN,
		.probe = trigger >= 0,
		.ev = script_ev(p),
		.rcvd = (s->rcvd + REF_RCVD_UNIT - 1) / REF_RCVD_UNIT,
	};
	struct got got;

	script_sack(p, &k);
	if (k.probe) {
		k.offset = trigger;
		k.ts = p->probe_ts;
	} else {
		trigger = script_number(p, "for", 0);
		k.offset = trigger - (int)k.cack;
		k.ts = p->out[trigger].ts;
		k.rtx = p->out[trigger].rtx;
	}
	k.cack = mrc_psn_add(s->psn, k.cack);
	if (!script_next(p, &got))
		return false;
	if (served)
		k.ts = served_ts(p, k.ts, &got);
	return script_check_packet(&got, want, ref_sack(want, &k));
}

static bool expect_ack(struct script *p, u8 syndrome)
{
	long msn = script_number(p, "msn", 0);
	u32 psn = mrc_psn_add(p->s->psn, script_psn_arg(p, NULL));
	u8 want[REF_ACK_LEN];
	struct got got;

	return script_next(p, &got) &&
	       script_check_packet(&got, want, ref_ack(want, FIXTURE_PEER_QPN,
						       psn,
						       syndrome, msn));
}

/**
 * script_expect_ack - "< ack PSN [msn N]": expect an ACK
 * @p: script
 *
 * Return: true, or false after a note.
 */
bool script_expect_ack(struct script *p)
{
	/* ACK whose credit field says "no credits" (IBTA, AETH). */
	return expect_ack(p, 0x1f);
}

/**
 * script_expect_nak - "< nak PSN SYNDROME [msn N]": expect a NAK
 * @p: script
 *
 * Return: true, or false after a note.
 */
bool script_expect_nak(struct script *p)
{
	return expect_ack(p, script_syndrome(p));
}

/**
 * script_expect_nack - "< nack PSN REASON": expect a NACK
 * @p: script
 *
 * Return: true, or false after a note.
 */
bool script_expect_nack(struct script *p)
{
	long psn = script_psn_arg(p, NULL);
	const struct ref_nack n = {
		.qpn = FIXTURE_PEER_QPN,
		.psn = mrc_psn_add(p->s->psn, psn),
		.reason = script_reason(p),
		.ev = script_ev(p),
		.ts = p->out[psn].ts,
	};
	u8 want[REF_NACK_LEN];
	struct got got;

	return script_next(p, &got) &&
	       script_check_packet(&got, want, ref_nack(want, &n));
}
