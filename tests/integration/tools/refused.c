// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Well-formed packets that ask for what they may not have: a transport NAK, and
 * the queue pair is in error; memory is as it was.
 */
#include <linux/kernel.h>

#include "core/psn.h"
#include "scene.h"
#include "tap.h"

#define LEN	64

/**
 * struct refused - a WRITE, READ or ATOMIC that is refused
 * @name: for people
 * @area: whose key is used
 * @rkey_xor: what is wrong with it
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
	{ "R_Key far beyond all", TARGET_FULL, 0xf0000000, false, 0, LEN },
	{ "R_Key of another protection domain", TARGET_FOREIGN, 0, false, 0,
	  LEN },
	{ "R_Key of a region without remote write", TARGET_READ_ONLY, 0, false,
	  0, LEN },
	{ "R_Key of a region that is gone", TARGET_GONE, 0, false, 0, LEN },
	{ "one byte before the region", TARGET_FULL, 0, false, -1, LEN },
	{ "just before the region", TARGET_FULL, 0, false, -LEN, LEN },
	{ "one byte over the end", TARGET_FULL, 0, true, 1 - LEN, LEN },
	{ "just behind the region", TARGET_FULL, 0, true, 0, LEN },
	{ "one byte, behind the region", TARGET_FULL, 0, true, 0, 1 },
	{ "a page behind the region", TARGET_FULL, 0, true, 4096, LEN },
	{ "far behind the region", TARGET_FULL, 0, true, 1LL << 40, LEN },
	{ "address zero", TARGET_FULL, 0, false, INT64_MIN, LEN },
	{ "QP without remote write", TARGET_FULL, 0, false, 0, LEN, true },
	{ "READ, wrong tag of the R_Key", TARGET_FULL, 0x01, false, 0, LEN,
	  false, MRC_OP_READ_REQUEST },
	{ "READ, R_Key of another protection domain", TARGET_FOREIGN, 0, false,
	  0, LEN, false, MRC_OP_READ_REQUEST },
	{ "READ, R_Key of a region that is gone", TARGET_GONE, 0, false, 0,
	  LEN, false, MRC_OP_READ_REQUEST },
	{ "READ, one byte before the region", TARGET_FULL, 0, false, -1, LEN,
	  false, MRC_OP_READ_REQUEST },
	{ "READ, one byte over the end", TARGET_FULL, 0, true, 1 - LEN, LEN,
	  false, MRC_OP_READ_REQUEST },
	{ "READ of 2 GiB", TARGET_FULL, 0, false, 0, MRC_MSG_MAX, false,
	  MRC_OP_READ_REQUEST },
	{ "READ, QP without remote read", TARGET_FULL, 0, false, 0, LEN, true,
	  MRC_OP_READ_REQUEST },
	{ "FetchAdd, wrong tag of the R_Key", TARGET_FULL, 0x01, false, 0, 8,
	  false, MRC_OP_FETCH_ADD },
	{ "FetchAdd, R_Key of a region without remote atomic",
	  TARGET_READ_ONLY, 0, false, 0, 8, false, MRC_OP_FETCH_ADD },
	{ "FetchAdd, just behind the region", TARGET_FULL, 0, true, 0, 8,
	  false, MRC_OP_FETCH_ADD },
	{ "CmpSwap, QP without remote atomic", TARGET_FULL, 0, false, 0, 8,
	  true, MRC_OP_CMP_SWAP },
	{ "FetchAdd, address not aligned", TARGET_FULL, 0, false, 4, 8, false,
	  MRC_OP_FETCH_ADD, MRC_SYN_NAK_INV_REQ },
	{ "CmpSwap, address not aligned", TARGET_FULL, 0, false, 1, 8, false,
	  MRC_OP_CMP_SWAP, MRC_SYN_NAK_INV_REQ },
	{ "READ to behind the last address", TARGET_FULL, 0, false, INT64_MAX,
	  LEN, false, MRC_OP_READ_REQUEST, MRC_SYN_NAK_INV_REQ },
};

static u64 address(const struct scene *s, const struct refused *r)
{
	const struct target_mr *mr = &s->mr[r->area];
	u64 va;

	if (r->offset == INT64_MIN)
		return 0;
	if (r->offset == INT64_MAX)
		return UINT64_MAX;
	va = mr->va + (r->from_end ? mr->len : 0);
	if (r->opcode == MRC_OP_FETCH_ADD || r->opcode == MRC_OP_CMP_SWAP)
		va = SCENE_ALIGN(va);
	return va + r->offset;
}

/* The NAK comes again with everything that the peer still sends. */
static bool is_dead(struct scene *s, u32 psn, u8 syndrome)
{
	struct mrc_pkt_data d;
	bool ok;

	ok = target_await(s->qp, TARGET_ERROR, SCENE_WAIT_MS);
	if (!ok)
		tap_note("the QP is not in error");
	scene_head(s, &d, MRC_OP_WRITE_ONLY, LEN);
	d.psn = mrc_psn_add(psn, 1);
	scene_data(s, &d);
	ok &= scene_flush(s);
	ok &= scene_ack(s, psn, syndrome);
	return ok & scene_quiet(s) & scene_intact(s);
}

static void run_one(struct scene *s, const struct refused *r)
{
	const struct target_cfg cfg = {
		.timeout = 20,
		.retry_cnt = 7,
		.no_access = r->no_access,
	};
	const u8 syndrome = r->syndrome ?: MRC_SYN_NAK_REM_ACCESS;
	struct mrc_pkt_data d;
	bool ok;

	scene_qp(s, &cfg);
	scene_mark(s);
	scene_head(s, &d, r->opcode ?: MRC_OP_WRITE_ONLY, r->len);
	d.rkey = s->mr[r->area].rkey ^ r->rkey_xor;
	d.va = address(s, r);
	scene_data(s, &d);
	ok = scene_flush(s);
	ok &= scene_ack(s, d.psn, syndrome);
	ok &= scene_quiet(s) & scene_intact(s);
	ok &= is_dead(s, d.psn, syndrome);
	tap_ok(ok, "%s: %s: %s", scene_family(s),
	       r->syndrome ? "invalid request" : "remote access error",
	       r->name);
}

/* Their turn does not come, for a packet before them is missing. */
static void too_many(struct scene *s, u8 opcode)
{
	const struct target_cfg cfg = { .timeout = 20, .retry_cnt = 7 };
	struct mrc_pkt_data d;
	u32 i, first;
	bool ok;

	scene_qp(s, &cfg);
	first = s->psn;
	for (i = 0; i <= TARGET_RD_ATOMIC; i++) {
		scene_head(s, &d, opcode, 8);
		d.psn = mrc_psn_add(first, 1 + i);
		d.rqmsn = i;
		d.flags = MRC_PF_TS;
		scene_data(s, &d);
	}
	ok = scene_flush(s) & scene_quiet(s);
	scene_head(s, &d, MRC_OP_WRITE_ONLY, LEN);
	d.flags = MRC_PF_TS;
	scene_data(s, &d);
	scene_placed(s, &d, d.va);
	s->done += 1 + TARGET_RD_ATOMIC;
	ok &= scene_flush(s);
	d.psn = mrc_psn_add(first, 1 + TARGET_RD_ATOMIC);
	ok &= scene_ack(s, d.psn, MRC_SYN_NAK_INV_REQ);
	ok &= scene_quiet(s) & scene_intact(s);
	ok &= is_dead(s, d.psn, MRC_SYN_NAK_INV_REQ);
	tap_ok(ok, "%s: invalid request: more than %u of %s",
	       scene_family(s), TARGET_RD_ATOMIC,
	       mrc_opcode_get(opcode)->name);
}

/* A result that nobody has asked for. */
static void unasked(struct scene *s, u8 opcode, u32 len)
{
	const struct target_cfg cfg = { .timeout = 20, .retry_cnt = 7 };
	struct mrc_pkt_data d;
	bool ok;

	scene_qp(s, &cfg);
	scene_head(s, &d, opcode, len);
	d.va = 0;
	scene_data(s, &d);
	ok = scene_flush(s);
	ok &= scene_ack(s, d.psn, MRC_SYN_NAK_INV_REQ);
	ok &= scene_quiet(s) & scene_intact(s);
	ok &= is_dead(s, d.psn, MRC_SYN_NAK_INV_REQ);
	tap_ok(ok, "%s: invalid request: %s that was not asked for",
	       scene_family(s), mrc_opcode_get(opcode)->name);
}

/* IBTA 9.4.3: a WRITE of no bytes names no memory. */
static void empty_write(struct scene *s)
{
	struct mrc_pkt_data d;
	bool ok;

	scene_qp(s, NULL);
	scene_head(s, &d, MRC_OP_WRITE_ONLY, 0);
	d.rkey = 0;
	d.va = 0;
	scene_data(s, &d);
	scene_placed(s, &d, s->mr[TARGET_FULL].va);
	s->done++;
	ok = scene_flush(s);
	ok &= scene_acked(s, &d);
	tap_ok(ok & scene_quiet(s) & scene_intact(s),
	       "a WRITE of no bytes needs no key");
}

/* The first and the last byte of a region can be written. */
static void whole_region(struct scene *s)
{
	const struct target_mr *mr = &s->mr[TARGET_FULL];
	struct mrc_pkt_data d;
	bool ok = true;
	u32 i;

	scene_qp(s, NULL);
	for (i = 0; i < 2; i++) {
		scene_head(s, &d, MRC_OP_WRITE_ONLY, LEN);
		d.psn = mrc_psn_add(s->psn, i);
		d.msn = i;
		d.flags &= ~MRC_PF_ACKREQ;
		d.va = i ? mr->va + mr->len - LEN : mr->va;
		scene_data(s, &d);
		scene_placed(s, &d, d.va);
	}
	s->psn = mrc_psn_add(s->psn, 2);
	s->msn += 2;
	s->done += 2;
	ok &= scene_flush(s) & scene_quiet(s) & scene_intact(s);
	tap_ok(ok & scene_write_works(s),
	       "both ends of a region can be written, silently");
}

/**
 * refused_run - tests: what is refused with a NAK
 * @s: scene
 */
void refused_run(struct scene *s)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(refused); i++)
		run_one(s, &refused[i]);
	too_many(s, MRC_OP_READ_REQUEST);
	too_many(s, MRC_OP_FETCH_ADD);
	unasked(s, MRC_OP_READ_RSP_ONLY, LEN);
	unasked(s, MRC_OP_ATOMIC_ACK, 8);
	empty_write(s);
	whole_region(s);
}
