// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Scenarios in which the device is the requester: the peer sends
 * acknowledgments, also false ones.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "core/psn.h"
#include "rc.h"
#include "script.h"

#define TS_OFFSET	16

/* The copy of a packet that an acknowledgment refers to. */
enum { FIRST, LATEST };

/**
 * script_post - "! write N": post a WRITE of N packets to the device
 * @p: script
 *
 * Return: true, or false after a note.
 */
bool script_post(struct script *p)
{
	struct script_msg *last = &p->msgs[p->n_msgs], *m = last;
	struct fixture *s = p->s;

	if (p->n_msgs == SCRIPT_MSGS)
		script_syntax_error(p, "too many messages");
	if (p->n_msgs)
		m->psn = last[-1].psn + last[-1].n;
	m->n = strtoul(script_arg(p), NULL, 0);
	if (!m->n || m->n * TARGET_PMTU > s->mr[TARGET_FULL].len)
		script_syntax_error(p, "a WRITE cannot have so many packets");
	if (target_write(s->qp, p->n_msgs, s->mr[TARGET_FULL].va,
			 m->n * TARGET_PMTU, FIXTURE_PEER_VA, FIXTURE_PEER_RKEY)) {
		tap_note("post send failed");
		return false;
	}
	p->n_msgs++;
	return true;
}

static const struct script_msg *msg_of(const struct script *p, long psn)
{
	u32 i;

	for (i = 0; i < p->n_msgs; i++) {
		if (psn >= p->msgs[i].psn &&
		    psn < p->msgs[i].psn + p->msgs[i].n)
			return &p->msgs[i];
	}
	return NULL;
}

static u16 get16(const u8 *p)
{
	return p[0] << 8 | p[1];
}

static void record_probe(struct script *p, const struct got *g)
{
	p->probe_id = get16(g->buf + 16);
	p->probe_ts = get16(g->buf + 24);
	p->probe_ev = g->ev;
}

static void respond_to_probe(struct script *p)
{
	u8 buf[REF_SACK_LEN + REF_ICRC_LEN] = {};
	struct ref_sack k = p->probe_sack;

	k.offset = p->probe_id;
	k.ts = p->probe_ts;
	k.ev = p->probe_ev;
	fixture_ctrl(p->s, buf, ref_sack(buf, &k) + REF_ICRC_LEN);
}

static void record_time(struct script *p)
{
	u64 now = rc_now_ns();

	p->gap = p->got_at ? now - p->got_at : 0;
	p->got_at = now;
}

/* Wait for the next data packet. The device may send probes before it. */
static bool next_data(struct script *p, struct got *g)
{
	while (fixture_next(p->s, g)) {
		if (g->buf[0] != REF_PROBE) {
			record_time(p);
			return true;
		}
		record_probe(p, g);
		if (p->probe_sack.probe)
			respond_to_probe(p);
	}
	return false;
}

static bool is_last(const struct script *p, long psn)
{
	const struct script_msg *m = &p->msgs[p->n_msgs - 1];

	return psn == m->psn + m->n - 1;
}

/*
 * Compare all bytes but the time stamp.  AckReq must be set if must_ackreq, and
 * may be set otherwise.
 */
static bool is_packet(struct script *p, const struct got *g, long psn,
		      bool rtx, bool must_ackreq)
{
	const struct script_msg *m = msg_of(p, psn);
	const u8 *source = (const u8 *)(uintptr_t)p->s->mr[TARGET_FULL].va;
	u32 i = psn - m->psn;
	struct ref_data d = {
		.bth.opcode = m->n == 1 ? REF_WRITE_ONLY :
			      i == 0 ? REF_WRITE_FIRST : i == m->n - 1 ?
			      REF_WRITE_LAST : REF_WRITE_MIDDLE,
		.bth.qpn = FIXTURE_PEER_QPN,
		.bth.bits = (must_ackreq ? REF_A : g->buf[8] & REF_A) |
			    (rtx ? REF_RTX : 0),
		.bth.psn = mrc_psn_add(p->s->sq_psn, psn),
		.msn = m - p->msgs,
		.ts = get16(g->buf + TS_OFFSET),
		.va = FIXTURE_PEER_VA + i * TARGET_PMTU,
		.rkey = FIXTURE_PEER_RKEY,
		.len = m->n * TARGET_PMTU,
	};
	u8 want[REF_DATA_LEN + TARGET_PMTU];

	ref_data(want, &d);
	memcpy(want + REF_DATA_LEN, source + i * TARGET_PMTU, TARGET_PMTU);
	return script_check_packet(g, want, sizeof(want));
}

static void record_copy(struct script_in *in, const struct got *g)
{
	in->ev[LATEST] = g->ev;
	in->ts[LATEST] = get16(g->buf + TS_OFFSET);
	if (!in->copies++) {
		in->ev[FIRST] = in->ev[LATEST];
		in->ts[FIRST] = in->ts[LATEST];
	}
}

static bool takes_other_path(const struct script_in *in, long psn)
{
	if (in->copies < 2 || in->ev[FIRST] != in->ev[LATEST])
		return true;
	tap_note("packet %ld is retransmitted on the path of its first copy",
		 psn);
	return false;
}

static bool expect_packet(struct script *p, long first, long last, bool rtx,
			  bool must_ackreq)
{
	struct got g;
	long psn;

	do {
		if (!next_data(p, &g))
			return false;
	} while (script_word(p, "any-rtx") && g.buf[8] & REF_RTX);
	psn = mrc_psn_diff((g.buf[9] << 16 | get16(g.buf + 10)), p->s->sq_psn);
	if (psn < first || psn > last || !msg_of(p, psn)) {
		tap_note("packet %ld received, expected %ld to %ld", psn,
			 first, last);
		return false;
	}
	if (!rtx && p->in[psn].copies) {
		tap_note("packet %ld received twice", psn);
		return false;
	}
	record_copy(&p->in[psn], &g);
	return is_packet(p, &g, psn, rtx, must_ackreq || is_last(p, psn)) &
	       takes_other_path(&p->in[psn], psn);
}

/* "after US": time since the packet before, to an eighth. */
static bool came_after(struct script *p)
{
	u64 us = script_number(p, "after", 0), gap = p->gap / 1000;

	if (!us || (gap >= us - us / 8 && gap <= us + us / 8))
		return true;
	tap_note("the packet came %llu us after the one before",
		 (unsigned long long)gap);
	return false;
}

/**
 * script_expect_write - "< write PSN[-PSN] [rtx|any-rtx] [after US]": expect data packets
 * @p: script
 *
 * First copies arrive in any order, because the QP has many paths; with "rtx" the
 * packets are retransmissions, each of which must take another path than the first
 * copy.  AckReq must be set in the last packet of the latest WRITE and in the last
 * retransmission of the line.  With "any-rtx" other packets may be retransmitted in
 * between.  With "after" the time since the packet before is US, to an eighth.
 *
 * Return: true, or false after a note.
 */
bool script_expect_write(struct script *p)
{
	bool rtx = script_word(p, "rtx"), ok = true;
	long first, last, i;

	first = script_psn_arg(p, &last);
	for (i = first; ok && i <= last; i++)
		ok = rtx ? expect_packet(p, i, i, true, i == last) :
			     expect_packet(p, first, last, false, false);
	return ok && came_after(p);
}

/**
 * script_expect_probe - "< probe": expect a reliability probe
 * @p: script
 *
 * Return: true, or false after a note.
 */
bool script_expect_probe(struct script *p)
{
	u8 want[REF_PROBE_LEN];
	struct got g;

	do {
		if (!fixture_next(p->s, &g))
			return false;
	} while (g.buf[0] != REF_PROBE);
	record_probe(p, &g);
	return script_check_packet(&g, want, ref_probe(want, FIXTURE_PEER_QPN,
						       p->probe_id,
						       p->probe_ts));
}

static bool set_acked(void *arg, long psn)
{
	struct script *p = arg;

	if (psn >= 0 && psn < SCRIPT_PSNS)
		p->in[psn].acked = true;
	return true;
}

static void record_acked(struct script *p, long cack, const char *has)
{
	long i;

	for (i = 0; i <= cack; i++)
		set_acked(p, i);
	if (has)
		script_each(has, set_acked, p);
}

/* Number of packets that the SACKs of the peer have reported as received. */
static long count_acked(const struct script *p)
{
	long i, n = 0;

	for (i = 0; i < SCRIPT_PSNS; i++)
		n += p->in[i].acked;
	return n;
}

/**
 * script_send_sack - "> sack cack PSN for PSN [first] ...": send a SACK
 * @p: script
 *
 * "for" names the trigger; if the packet has been retransmitted, its latest copy,
 * or with "first" its first. With "for-probe" the SACK responds to the latest probe
 * instead, and to each later one until another SACK is sent. "mpr N" is the PSN
 * window in units of 128, "rcvd N" overrides the number of packets reported as
 * received, "svc US" is the service time that the SACK reports.
 *
 * Return: true.
 */
bool script_send_sack(struct script *p)
{
	u8 buf[REF_SACK_LEN + REF_ICRC_LEN] = {};
	long trigger = script_number(p, "for", 0);
	int copy = script_word(p, "first") ? FIRST : LATEST;
	const struct script_in *in = &p->in[trigger];
	struct fixture *s = p->s;
	struct ref_sack k = {
		.qpn = s->qpn,
		.rtx = copy == LATEST && in->copies > 1,
		.probe = script_word(p, "for-probe"),
		.ev = in->ev[copy],
		.ts = in->ts[copy] + script_number(p, "svc", 0) * NS_PER_US /
				     REF_TS_NS,
	};

	script_sack(p, &k);
	k.offset = trigger - (int)k.cack;
	record_acked(p, (int)k.cack, script_value(p, "has"));
	k.rcvd = script_number(p, "rcvd", count_acked(p)) *
		 (REF_DATA_LEN + TARGET_PMTU + REF_ICRC_LEN + REF_NOMINAL) /
		 REF_RCVD_UNIT;
	k.cack = mrc_psn_add(s->sq_psn, k.cack);
	p->probe_sack = k;
	if (k.probe) {
		p->probe_sack.rtx = false;
		respond_to_probe(p);
		return true;
	}
	fixture_ctrl(s, buf, ref_sack(buf, &k) + REF_ICRC_LEN);
	return true;
}

static bool send_ack(struct script *p, u8 syndrome)
{
	u8 buf[REF_ACK_LEN + REF_ICRC_LEN] = {};
	u32 psn = mrc_psn_add(p->s->sq_psn, script_psn_arg(p, NULL));
	long msn = script_number(p, "msn", 0);

	fixture_ctrl(p->s, buf, ref_ack(buf, p->s->qpn, psn, syndrome, msn) +
			      REF_ICRC_LEN);
	return true;
}

/**
 * script_send_ack - "> ack PSN [msn N]": send an ACK
 * @p: script
 *
 * Return: true.
 */
bool script_send_ack(struct script *p)
{
	return send_ack(p, 0x1f);
}

/**
 * script_send_nak - "> nak PSN SYNDROME [msn N]": send a NAK
 * @p: script
 *
 * Return: true.
 */
bool script_send_nak(struct script *p)
{
	return send_ack(p, script_syndrome(p));
}

/**
 * script_send_nack - "> nack PSN REASON [first]": send a NACK
 * @p: script
 *
 * Return: true.
 */
bool script_send_nack(struct script *p)
{
	u8 buf[REF_NACK_LEN + REF_ICRC_LEN] = {};
	int copy = script_word(p, "first") ? FIRST : LATEST;
	long psn = script_psn_arg(p, NULL);
	const struct script_in *in = &p->in[max(psn, 0L)];
	const struct ref_nack n = {
		.qpn = p->s->qpn,
		.psn = mrc_psn_add(p->s->sq_psn, psn),
		.reason = script_reason(p),
		.ev = in->ev[copy],
		.ts = in->ts[copy],
	};

	fixture_ctrl(p->s, buf, ref_nack(buf, &n) + REF_ICRC_LEN);
	return true;
}
