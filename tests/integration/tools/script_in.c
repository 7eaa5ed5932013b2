// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Scenarios: the device sends data, the peer answers, or lies.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "core/psn.h"
#include "script.h"

#define TS_OFFSET	16

/* Which copy of a packet an answer is about. */
enum { FIRST, LATEST };

/**
 * script_post - "! write N": the device is told to write N packets
 * @p: script
 *
 * Return: true, or false after a note.
 */
bool script_post(struct script *p)
{
	struct script_msg *last = &p->msgs[p->n_msgs], *m = last;
	struct scene *s = p->s;

	if (p->n_msgs == SCRIPT_MSGS)
		script_unclear(p, "too many messages");
	if (p->n_msgs)
		m->psn = last[-1].psn + last[-1].n;
	m->n = strtoul(script_arg(p), NULL, 0);
	if (!m->n || m->n * TARGET_PMTU > s->mr[TARGET_FULL].len)
		script_unclear(p, "not so many packets");
	if (target_write(s->qp, p->n_msgs, s->mr[TARGET_FULL].va,
			 m->n * TARGET_PMTU, SCENE_PEER_VA, SCENE_PEER_RKEY)) {
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

static void note_probe(struct script *p, const struct got *g)
{
	p->probe_id = get16(g->buf + 16);
	p->probe_ts = get16(g->buf + 24);
	p->probe_ev = g->ev;
}

static void answer_probe(struct script *p)
{
	u8 buf[REF_SACK_LEN + REF_ICRC_LEN] = {};
	struct ref_sack k = p->standing;

	k.offset = p->probe_id;
	k.ts = p->probe_ts;
	k.ev = p->probe_ev;
	scene_ctrl(p->s, buf, ref_sack(buf, &k) + REF_ICRC_LEN);
}

/* Next data packet, waiting for it. Probes come in between. */
static bool next_data(struct script *p, struct got *g)
{
	while (scene_next(p->s, g)) {
		if (g->buf[0] != REF_PROBE)
			return true;
		note_probe(p, g);
		if (p->standing.probe)
			answer_probe(p);
	}
	return false;
}

static bool is_last(const struct script *p, long psn)
{
	const struct script_msg *m = &p->msgs[p->n_msgs - 1];

	return psn == m->psn + m->n - 1;
}

/*
 * All of its bytes but the time stamp.  Some must ask for an answer, others
 * may.
 */
static bool is_packet(struct script *p, const struct got *g, long psn,
		      bool again, bool must_ask)
{
	const struct script_msg *m = msg_of(p, psn);
	const u8 *source = (const u8 *)(uintptr_t)p->s->mr[TARGET_FULL].va;
	u32 i = psn - m->psn;
	struct ref_data d = {
		.bth.opcode = m->n == 1 ? REF_WRITE_ONLY :
			      i == 0 ? REF_WRITE_FIRST : i == m->n - 1 ?
			      REF_WRITE_LAST : REF_WRITE_MIDDLE,
		.bth.qpn = SCENE_PEER_QPN,
		.bth.bits = (must_ask ? REF_A : g->buf[8] & REF_A) |
			    (again ? REF_RTX : 0),
		.bth.psn = mrc_psn_add(p->s->sq_psn, psn),
		.msn = m - p->msgs,
		.ts = get16(g->buf + TS_OFFSET),
		.va = SCENE_PEER_VA + i * TARGET_PMTU,
		.rkey = SCENE_PEER_RKEY,
		.len = m->n * TARGET_PMTU,
	};
	u8 want[REF_DATA_LEN + TARGET_PMTU];

	ref_data(want, &d);
	memcpy(want + REF_DATA_LEN, source + i * TARGET_PMTU, TARGET_PMTU);
	return script_same(g, want, sizeof(want));
}

static void note_copy(struct script_in *in, const struct got *g)
{
	in->ev[LATEST] = g->ev;
	in->ts[LATEST] = get16(g->buf + TS_OFFSET);
	if (!in->copies++) {
		in->ev[FIRST] = in->ev[LATEST];
		in->ts[FIRST] = in->ts[LATEST];
	}
}

static bool other_path(const struct script_in *in, long psn)
{
	if (in->copies < 2 || in->ev[FIRST] != in->ev[LATEST])
		return true;
	tap_note("%ld comes by the same path again", psn);
	return false;
}

static bool expect_one(struct script *p, long first, long last, bool again,
		       bool must_ask)
{
	struct got g;
	long psn;

	do {
		if (!next_data(p, &g))
			return false;
	} while (script_word(p, "copies") && g.buf[8] & REF_RTX);
	psn = mrc_psn_diff((g.buf[9] << 16 | get16(g.buf + 10)), p->s->sq_psn);
	if (psn < first || psn > last || !msg_of(p, psn)) {
		tap_note("packet %ld came", psn);
		return false;
	}
	if (!again && p->in[psn].copies) {
		tap_note("packet %ld came twice", psn);
		return false;
	}
	note_copy(&p->in[psn], &g);
	return is_packet(p, &g, psn, again, must_ask || is_last(p, psn)) &
	       other_path(&p->in[psn], psn);
}

/**
 * script_expect_write - "< write PSN[-PSN] [again|copies]": do they come?
 * @p: script
 *
 * They come in any order if for the first time, for there are many paths; one
 * that comes again must take another path than the first time.  The last one of
 * all asks for an answer, and so does the last one of those that come again.
 * With "copies" others may be sent again in between.
 *
 * Return: true, or false after a note.
 */
bool script_expect_write(struct script *p)
{
	bool again = script_word(p, "again"), ok = true;
	long first, last, i;

	first = script_psn_arg(p, &last);
	for (i = first; ok && i <= last; i++)
		ok = again ? expect_one(p, i, i, true, i == last) :
			     expect_one(p, first, last, false, false);
	return ok;
}

/**
 * script_expect_probe - "< probe": does the device ask?
 * @p: script
 *
 * Return: true, or false after a note.
 */
bool script_expect_probe(struct script *p)
{
	u8 want[REF_PROBE_LEN];
	struct got g;

	do {
		if (!scene_next(p->s, &g))
			return false;
	} while (g.buf[0] != REF_PROBE);
	note_probe(p, &g);
	return script_same(&g, want, ref_probe(want, SCENE_PEER_QPN,
					       p->probe_id, p->probe_ts));
}

static bool set_acked(void *arg, long psn)
{
	struct script *p = arg;

	if (psn >= 0 && psn < SCRIPT_PSNS)
		p->in[psn].acked = true;
	return true;
}

static void note_acked(struct script *p, long cack, const char *has)
{
	long i;

	for (i = 0; i <= cack; i++)
		set_acked(p, i);
	if (has)
		script_each(has, set_acked, p);
}

/* What the peer says to have got, it counts. */
static long count_acked(const struct script *p)
{
	long i, n = 0;

	for (i = 0; i < SCRIPT_PSNS; i++)
		n += p->in[i].acked;
	return n;
}

/**
 * script_send_sack - "> sack cack PSN for PSN [first] ...": answer the device
 * @p: script
 *
 * "for" names the packet that is answered, of which there may be copies: the
 * latest, or the "first". "for-probe" answers the latest probe instead, and
 * those to come until another SACK is sent. "mpr N" is the PSN window in units
 * of 128, "rcvd N" the number of packets that the peer says to have received,
 * if it shall lie about it.
 *
 * Return: true.
 */
bool script_send_sack(struct script *p)
{
	u8 buf[REF_SACK_LEN + REF_ICRC_LEN] = {};
	long trigger = script_number(p, "for", 0);
	int copy = script_word(p, "first") ? FIRST : LATEST;
	const struct script_in *in = &p->in[trigger];
	struct scene *s = p->s;
	struct ref_sack k = {
		.qpn = s->qpn,
		.again = copy == LATEST && in->copies > 1,
		.probe = script_word(p, "for-probe"),
		.mpr = script_number(p, "mpr", 0),
		.ev = in->ev[copy],
		.ts = in->ts[copy],
	};

	script_sack(p, &k);
	k.offset = trigger - (int)k.cack;
	note_acked(p, (int)k.cack, script_text(p, "has"));
	k.rcvd = script_number(p, "rcvd", count_acked(p)) *
		 (REF_DATA_LEN + TARGET_PMTU + REF_ICRC_LEN + REF_NOMINAL) /
		 REF_RCVD_UNIT;
	k.cack = mrc_psn_add(s->sq_psn, k.cack);
	p->standing = k;
	if (k.probe) {
		p->standing.again = false;
		answer_probe(p);
		return true;
	}
	scene_ctrl(s, buf, ref_sack(buf, &k) + REF_ICRC_LEN);
	return true;
}

static bool send_ack(struct script *p, u8 syndrome)
{
	u8 buf[REF_ACK_LEN + REF_ICRC_LEN] = {};
	u32 psn = mrc_psn_add(p->s->sq_psn, script_psn_arg(p, NULL));
	long msn = script_number(p, "msn", 0);

	scene_ctrl(p->s, buf, ref_ack(buf, p->s->qpn, psn, syndrome, msn) +
			      REF_ICRC_LEN);
	return true;
}

/**
 * script_send_ack - "> ack PSN [msn N]": acknowledge
 * @p: script
 *
 * Return: true.
 */
bool script_send_ack(struct script *p)
{
	return send_ack(p, 0x1f);
}

/**
 * script_send_nak - "> nak PSN WHY [msn N]": refuse for good
 * @p: script
 *
 * Return: true.
 */
bool script_send_nak(struct script *p)
{
	return send_ack(p, script_syndrome(p));
}

/**
 * script_send_nack - "> nack PSN REASON [first]": refuse a packet
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

	scene_ctrl(p->s, buf, ref_nack(buf, &n) + REF_ICRC_LEN);
	return true;
}
