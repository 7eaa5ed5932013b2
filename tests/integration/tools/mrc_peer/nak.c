// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Well-formed packets that the responder must refuse: it sends a transport NAK, its
 * QP is in error, and memory is unchanged.
 */
#include <stdlib.h>

#include <linux/kernel.h>

#include "core/psn.h"
#include "fixture.h"
#include "tap.h"

#define LEN	64

/**
 * struct refused - a WRITE, READ or ATOMIC that is refused
 * @name: of the test
 * @area: area whose key and address are used
 * @rkey_xor: damage of the key
 * @from_end: @offset counts from the end of the area
 * @offset: of the first byte
 * @len: bytes
 * @no_access: the QP allows no access
 * @opcode: enum mrc_opcode; 0 for WRITE
 * @syndrome: of the NAK; 0 for that of a remote access error
 */
static const struct refused {
	const char *name;
	enum target_area area;
	u32 rkey_xor;
	bool from_end;
	s64 offset;
	u32 len;
	bool no_access;
	u8 opcode;
	u8 syndrome;
} refused[] = {
	{ "wrong tag of the R_Key", TARGET_FULL, 0x01, false, 0, LEN },
	{ "wrong index of the R_Key", TARGET_FULL, 0x700, false, 0, LEN },
	{ "R_Key far beyond existing ones", TARGET_FULL, 0xf0000000, false, 0, LEN },
	{ "R_Key of another protection domain", TARGET_FOREIGN, 0, false, 0,
	  LEN },
	{ "R_Key of a region without remote write", TARGET_READ_ONLY, 0, false,
	  0, LEN },
	{ "R_Key of a deregistered region", TARGET_GONE, 0, false, 0, LEN },
	{ "one byte before the region", TARGET_FULL, 0, false, -1, LEN },
	{ "just before the region", TARGET_FULL, 0, false, -LEN, LEN },
	{ "one byte beyond the end of the region", TARGET_FULL, 0, true, 1 - LEN,
	  LEN },
	{ "just after the region", TARGET_FULL, 0, true, 0, LEN },
	{ "one byte just after the region", TARGET_FULL, 0, true, 0, 1 },
	{ "a page after the region", TARGET_FULL, 0, true, 4096, LEN },
	{ "far after the region", TARGET_FULL, 0, true, 1LL << 40, LEN },
	{ "address zero", TARGET_FULL, 0, false, INT64_MIN, LEN },
	{ "QP without remote write", TARGET_FULL, 0, false, 0, LEN, true },
	{ "READ, wrong tag of the R_Key", TARGET_FULL, 0x01, false, 0, LEN,
	  false, MRC_OP_READ_REQUEST },
	{ "READ, R_Key of another protection domain", TARGET_FOREIGN, 0, false,
	  0, LEN, false, MRC_OP_READ_REQUEST },
	{ "READ, R_Key of a deregistered region", TARGET_GONE, 0, false, 0,
	  LEN, false, MRC_OP_READ_REQUEST },
	{ "READ, one byte before the region", TARGET_FULL, 0, false, -1, LEN,
	  false, MRC_OP_READ_REQUEST },
	{ "READ, one byte beyond the end of the region", TARGET_FULL, 0, true,
	  1 - LEN, LEN, false, MRC_OP_READ_REQUEST },
	{ "READ of 2 GiB", TARGET_FULL, 0, false, 0, MRC_MSG_MAX, false,
	  MRC_OP_READ_REQUEST },
	{ "READ, QP without remote read", TARGET_FULL, 0, false, 0, LEN, true,
	  MRC_OP_READ_REQUEST },
	{ "FetchAdd, wrong tag of the R_Key", TARGET_FULL, 0x01, false, 0, 8,
	  false, MRC_OP_FETCH_ADD },
	{ "FetchAdd, R_Key of a region without remote atomic",
	  TARGET_READ_ONLY, 0, false, 0, 8, false, MRC_OP_FETCH_ADD },
	{ "FetchAdd, just after the region", TARGET_FULL, 0, true, 0, 8,
	  false, MRC_OP_FETCH_ADD },
	{ "CmpSwap, QP without remote atomic", TARGET_FULL, 0, false, 0, 8,
	  true, MRC_OP_CMP_SWAP },
	{ "FetchAdd, address not aligned", TARGET_FULL, 0, false, 4, 8, false,
	  MRC_OP_FETCH_ADD, MRC_SYN_NAK_INV_REQ },
	{ "CmpSwap, address not aligned", TARGET_FULL, 0, false, 1, 8, false,
	  MRC_OP_CMP_SWAP, MRC_SYN_NAK_INV_REQ },
	{ "READ beyond the last address", TARGET_FULL, 0, false, INT64_MAX,
	  LEN, false, MRC_OP_READ_REQUEST, MRC_SYN_NAK_INV_REQ },
};

static u64 address(const struct fixture *s, const struct refused *r)
{
	const struct target_mr *mr = &s->mr[r->area];
	u64 va;

	if (r->offset == INT64_MIN)
		return 0;
	if (r->offset == INT64_MAX)
		return UINT64_MAX;
	va = mr->va + (r->from_end ? mr->len : 0);
	if (r->opcode == MRC_OP_FETCH_ADD || r->opcode == MRC_OP_CMP_SWAP)
		va = FIXTURE_ALIGN(va);
	return va + r->offset;
}

/* In error, the QP repeats the NAK for each packet that it receives. */
static bool repeats_nak_in_error(struct fixture *s, u32 psn, u8 syndrome)
{
	struct mrc_pkt_data d;
	bool ok;

	ok = target_await(s->qp, TARGET_ERROR, FIXTURE_WAIT_MS);
	if (!ok)
		tap_note("the QP is not in error");
	fixture_head(s, &d, MRC_OP_WRITE_ONLY, LEN);
	d.psn = mrc_psn_add(psn, 1);
	fixture_data(s, &d);
	ok &= fixture_flush(s);
	ok &= fixture_ack(s, psn, syndrome);
	return ok & fixture_no_packet(s) & fixture_intact(s);
}

static void run_one(struct fixture *s, const struct refused *r)
{
	const struct target_cfg cfg = {
		.timeout = 20,
		.retry_cnt = 7,
		.no_access = r->no_access,
	};
	const u8 syndrome = r->syndrome ?: MRC_SYN_NAK_REM_ACCESS;
	struct mrc_pkt_data d;
	bool ok;

	fixture_qp(s, &cfg);
	fixture_snapshot(s);
	fixture_head(s, &d, r->opcode ?: MRC_OP_WRITE_ONLY, r->len);
	d.rkey = s->mr[r->area].rkey ^ r->rkey_xor;
	d.va = address(s, r);
	fixture_data(s, &d);
	ok = fixture_flush(s);
	ok &= fixture_ack(s, d.psn, syndrome);
	ok &= fixture_no_packet(s) & fixture_intact(s);
	ok &= repeats_nak_in_error(s, d.psn, syndrome);
	tap_ok(ok, "%s: %s: NAK \"%s\"", fixture_family(s), r->name,
	       r->syndrome ? "invalid request" : "remote access error");
}

/* The requests stay queued because an earlier packet is missing. */
static void exceed_resources(struct fixture *s, u8 opcode)
{
	const struct target_cfg cfg = { .timeout = 20, .retry_cnt = 7 };
	struct mrc_pkt_data d;
	u32 i, first;
	bool ok;

	fixture_qp(s, &cfg);
	first = s->psn;
	for (i = 0; i <= TARGET_RD_ATOMIC; i++) {
		fixture_head(s, &d, opcode, 8);
		d.psn = mrc_psn_add(first, 1 + i);
		d.rqmsn = i;
		d.flags = MRC_PF_TS;
		fixture_data(s, &d);
	}
	ok = fixture_flush(s) & fixture_no_packet(s);
	fixture_head(s, &d, MRC_OP_WRITE_ONLY, LEN);
	d.flags = MRC_PF_TS;
	fixture_data(s, &d);
	fixture_placed(s, &d, d.va);
	s->done += 1 + TARGET_RD_ATOMIC;
	ok &= fixture_flush(s);
	d.psn = mrc_psn_add(first, 1 + TARGET_RD_ATOMIC);
	ok &= fixture_ack(s, d.psn, MRC_SYN_NAK_INV_REQ);
	ok &= fixture_no_packet(s) & fixture_intact(s);
	ok &= repeats_nak_in_error(s, d.psn, MRC_SYN_NAK_INV_REQ);
	tap_ok(ok, "%s: more than %u outstanding %s: NAK \"invalid request\"",
	       fixture_family(s), TARGET_RD_ATOMIC,
	       mrc_opcode_get(opcode)->name);
}

/*
 * A message that consumes a receive, while the one before it is missing and the limit
 * (WIMM_DEST) is 1, is refused; with a limit of 2 it is not.
 */
static void exceed_wimm(struct fixture *s, u32 limit)
{
	const struct target_cfg cfg = {
		.timeout = 20,
		.retry_cnt = 7,
		.attr = { .mask = MRC_IB_QP_MAX_WIMM_DEST, .max_wimm_dest = limit },
	};
	struct mrc_pkt_data d;
	u32 first, i;
	bool ok;

	fixture_qp(s, &cfg);
	first = s->psn;
	for (i = 0; i < 2; i++)
		if (target_recv(s->qp, i, s->mr[TARGET_FULL].va, LEN))
			exit(1);
	fixture_head(s, &d, MRC_OP_WRITE_ONLY_IMM, LEN);
	d.psn = mrc_psn_add(first, 1);
	d.rqmsn = 1;
	d.flags = MRC_PF_TS;
	fixture_data(s, &d);
	if (limit > 1)
		fixture_placed(s, &d, d.va);
	ok = fixture_flush(s) & fixture_no_packet(s);
	fixture_head(s, &d, MRC_OP_WRITE_ONLY, LEN);
	d.flags = MRC_PF_TS;
	fixture_data(s, &d);
	fixture_placed(s, &d, d.va);
	s->done++;
	ok &= fixture_flush(s);
	d.psn = mrc_psn_add(first, 1);
	if (limit == 1)
		ok &= fixture_ack(s, d.psn, MRC_SYN_NAK_INV_REQ) &
		      repeats_nak_in_error(s, d.psn, MRC_SYN_NAK_INV_REQ);
	tap_ok(ok & fixture_no_packet(s) & fixture_intact(s),
	       "%s: the second message that consumes a receive, with a limit of %u: %s",
	       fixture_family(s), limit, limit == 1 ? "NAK \"invalid request\"" :
						      "accepted");
}

/* A response without a request. */
static void unsolicited(struct fixture *s, u8 opcode, u32 len)
{
	const struct target_cfg cfg = { .timeout = 20, .retry_cnt = 7 };
	struct mrc_pkt_data d;
	bool ok;

	fixture_qp(s, &cfg);
	fixture_head(s, &d, opcode, len);
	d.va = 0;
	fixture_data(s, &d);
	ok = fixture_flush(s);
	ok &= fixture_ack(s, d.psn, MRC_SYN_NAK_INV_REQ);
	ok &= fixture_no_packet(s) & fixture_intact(s);
	ok &= repeats_nak_in_error(s, d.psn, MRC_SYN_NAK_INV_REQ);
	tap_ok(ok, "%s: %s without a request: NAK \"invalid request\"",
	       fixture_family(s), mrc_opcode_get(opcode)->name);
}

/* IBTA 9.4.3: a WRITE of no bytes names no memory. */
static void empty_write(struct fixture *s)
{
	struct mrc_pkt_data d;
	bool ok;

	fixture_qp(s, NULL);
	fixture_head(s, &d, MRC_OP_WRITE_ONLY, 0);
	d.rkey = 0;
	d.va = 0;
	fixture_data(s, &d);
	fixture_placed(s, &d, s->mr[TARGET_FULL].va);
	s->done++;
	ok = fixture_flush(s);
	ok &= fixture_acked(s, &d);
	tap_ok(ok & fixture_no_packet(s) & fixture_intact(s),
	       "a WRITE of no bytes with key 0 is acknowledged");
}

/* The first and the last byte of a region can be written. */
static void whole_region(struct fixture *s)
{
	const struct target_mr *mr = &s->mr[TARGET_FULL];
	struct mrc_pkt_data d;
	bool ok = true;
	u32 i;

	fixture_qp(s, NULL);
	for (i = 0; i < 2; i++) {
		fixture_head(s, &d, MRC_OP_WRITE_ONLY, LEN);
		d.psn = mrc_psn_add(s->psn, i);
		d.msn = i;
		d.flags &= ~MRC_PF_ACKREQ;
		d.va = i ? mr->va + mr->len - LEN : mr->va;
		fixture_data(s, &d);
		fixture_placed(s, &d, d.va);
	}
	s->psn = mrc_psn_add(s->psn, 2);
	s->msn += 2;
	s->done += 2;
	ok &= fixture_flush(s) & fixture_no_packet(s) & fixture_intact(s);
	tap_ok(ok & fixture_write_works(s),
	       "WRITEs to the first and last bytes of a region are accepted");
}

/**
 * nak_run - tests: requests that are refused with a NAK
 * @s: fixture
 */
void nak_run(struct fixture *s)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(refused); i++)
		run_one(s, &refused[i]);
	exceed_resources(s, MRC_OP_READ_REQUEST);
	exceed_resources(s, MRC_OP_FETCH_ADD);
	exceed_wimm(s, 1);
	exceed_wimm(s, 2);
	unsolicited(s, MRC_OP_READ_RSP_ONLY, LEN);
	unsolicited(s, MRC_OP_ATOMIC_ACK, 8);
	empty_write(s);
	whole_region(s);
}
