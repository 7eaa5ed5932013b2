// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * MRC packets, byte by byte. Numbers of tables are those of MRC 1.0, as public
 * descriptions of it cite them.
 */
#include <string.h>

#include "reference.h"

#define PKEY		0xffff
/* Type of a time stamp in units of 128 ns. */
#define TS_TYPE		1
#define NACK_CC_TYPE	0x20

static void put16(uint8_t *p, uint16_t v)
{
	p[0] = v >> 8;
	p[1] = v;
}

static void put32(uint8_t *p, uint32_t v)
{
	put16(p, v >> 16);
	put16(p + 2, v);
}

static void put64(uint8_t *p, uint64_t v)
{
	put32(p, v >> 32);
	put32(p + 4, v);
}

/* Tables 6-3 and 6-4: opcode, flags, P_Key, QPN, bits, PSN. */
static uint8_t *put_bth(uint8_t *p, const struct ref_bth *b)
{
	p[0] = b->opcode;
	p[1] = 0;
	put16(p + 2, PKEY);
	put32(p + 4, b->qpn);
	put32(p + 8, (uint32_t)b->bits << 24 | b->psn);
	return p + 12;
}

/**
 * ref_data - headers of a data packet
 * @p: destination
 * @d: content
 *
 * BTH, METH (tables 6-8, 6-9), TSETH (6-6, 6-7), RETH (6-5).
 *
 * Return: their length, REF_DATA_LEN.
 */
uint32_t ref_data(uint8_t *p, const struct ref_data *d)
{
	struct ref_bth b = d->bth;

	b.bits |= REF_TS;
	p = put_bth(p, &b);
	/* No message here consumes a receive: rqmsn is zero. */
	put16(p, 0);
	put16(p + 2, d->msn);
	put16(p + 4, d->ts);
	put16(p + 6, TS_TYPE);
	put64(p + 8, d->va);
	put32(p + 16, d->rkey);
	put32(p + 20, d->len);
	return REF_DATA_LEN;
}

/**
 * ref_sack - a SACK
 * @p: destination, with room for the ICRC, which is not set
 * @k: content
 *
 * SETH (tables 7-14, 7-15) and CC_STATE (7-12, 7-13).
 *
 * Return: length without ICRC, REF_SACK_LEN.
 */
uint32_t ref_sack(uint8_t *p, const struct ref_sack *k)
{
	const struct ref_bth b = {
		REF_SACK, k->qpn, k->rtx ? REF_RTX : 0, k->cack,
	};

	p = put_bth(p, &b);
	memset(p, 0, 36);
	put16(p, k->mark << 5 | k->probe << 1);
	put16(p + 2, k->offset);
	put32(p + 4, k->ev);
	put32(p + 12, k->cack);
	p[17] = k->mpr;
	put16(p + 18, k->first);
	put64(p + 20, k->bitmap);
	put16(p + 28, k->ts);
	put16(p + 30, k->ooo);
	put32(p + 32, k->rcvd & 0xffffff);
	return REF_SACK_LEN;
}

/**
 * ref_nack - a NACK
 * @p: destination
 * @n: content
 *
 * NETH (tables 7-16, 7-17).
 *
 * Return: length without ICRC, REF_NACK_LEN.
 */
uint32_t ref_nack(uint8_t *p, const struct ref_nack *n)
{
	const struct ref_bth b = { REF_NACK, n->qpn, 0, n->psn };

	p = put_bth(p, &b);
	memset(p, 0, 20);
	p[2] = n->reason;
	put32(p + 4, n->ev);
	put32(p + 12, n->psn);
	p[16] = NACK_CC_TYPE;
	put16(p + 18, n->ts);
	return REF_NACK_LEN;
}

/**
 * ref_ack - an ACK or NAK
 * @p: destination
 * @qpn: destination
 * @psn: everything up to it is acknowledged; of a NAK: the refused packet
 * @syndrome: as in IBTA, credits are always 31
 * @msn: messages completed
 *
 * Return: length without ICRC, REF_ACK_LEN.
 */
uint32_t ref_ack(uint8_t *p, uint32_t qpn, uint32_t psn, uint8_t syndrome,
		 uint32_t msn)
{
	const struct ref_bth b = { REF_ACK, qpn, 0, psn };

	p = put_bth(p, &b);
	put32(p, (uint32_t)syndrome << 24 | (msn & 0xffffff));
	return REF_ACK_LEN;
}

/**
 * ref_probe - a Reliability Probe Request
 * @p: destination
 * @qpn: destination
 * @id: reflected by the SACK
 * @ts: time stamp, reflected by the SACK
 *
 * PETH (tables 7-18, 7-19).
 *
 * Return: length without ICRC, REF_PROBE_LEN.
 */
uint32_t ref_probe(uint8_t *p, uint32_t qpn, uint16_t id, uint16_t ts)
{
	const struct ref_bth b = { REF_PROBE, qpn, 0, 0 };

	p = put_bth(p, &b);
	memset(p, 0, 16);
	put16(p + 4, id);
	put16(p + 12, ts);
	put16(p + 14, TS_TYPE);
	return REF_PROBE_LEN;
}
