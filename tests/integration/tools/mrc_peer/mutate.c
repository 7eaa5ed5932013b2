// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Thousands of correct packets with random damage.  They may end the QP; no other
 * effect is allowed.
 */
#include <stdio.h>
#include <string.h>

#include <linux/kernel.h>

#include "core/psn.h"
#include "malformed.h"

/* Packets between two checks of the target. */
#define BATCH		32
/* Socket buffers that other users or the caches of CPUs may hold. */
#define SKB_SLACK	2048
#define SKB_CACHE	"skbuff_head_cache"

static u64 state;

/* splitmix64 (Steele, Lea, Flood 2014) */
static u64 rnd64(void)
{
	u64 z = state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static u32 rnd(u32 below)
{
	return (u32)rnd64() % below;
}

/* A part of a message of 4096 bytes, or all of a shorter one. */
static void random_part(struct mrc_pkt_data *d, u32 flags)
{
	if ((flags & MRC_OPF_ONLY) == MRC_OPF_ONLY)
		return;
	d->dmalen = 4096;
	if (!(flags & MRC_OPF_OFFSET) || flags & MRC_OPF_FIRST)
		return;
	d->va = flags & MRC_OPF_LAST ? d->dmalen - d->payload_len : 1024;
}

static void random_data(struct fixture *s, struct frame *f)
{
	static const u8 op[] = {
		MRC_OP_SEND_FIRST, MRC_OP_SEND_MIDDLE, MRC_OP_SEND_LAST,
		MRC_OP_SEND_LAST_IMM, MRC_OP_SEND_ONLY, MRC_OP_SEND_ONLY_IMM,
		MRC_OP_WRITE_FIRST, MRC_OP_WRITE_MIDDLE, MRC_OP_WRITE_LAST,
		MRC_OP_WRITE_LAST_IMM, MRC_OP_WRITE_ONLY,
		MRC_OP_WRITE_ONLY_IMM,
		MRC_OP_READ_REQUEST, MRC_OP_CMP_SWAP, MRC_OP_FETCH_ADD,
		MRC_OP_READ_RSP_FIRST, MRC_OP_READ_RSP_MIDDLE,
		MRC_OP_READ_RSP_LAST, MRC_OP_READ_RSP_ONLY, MRC_OP_ATOMIC_ACK,
	};
	struct mrc_pkt_data d;

	fixture_head(s, &d, op[rnd(ARRAY_SIZE(op))], 4 + 4 * rnd(65));
	random_part(&d, mrc_opcode_get(d.opcode)->flags);
	d.flags = rnd(32);
	d.psn = mrc_psn_add(s->psn, rnd(4) ? rnd(1024) : rnd(8));
	d.rqmsn = rnd(8);
	d.msn = rnd(8);
	fixture_frame(s, f, &d);
}

static void random_ctrl(struct fixture *s, struct frame *f)
{
	static const u8 op[] = {
		MRC_OP_SACK, MRC_OP_NACK, MRC_OP_ACK, MRC_OP_PROBE,
		MRC_OP_ENDPOINT_REQ, MRC_OP_ENDPOINT_RSP,
	};

	malformed_ctrl(s, f, op[rnd(ARRAY_SIZE(op))]);
}

/* Most damage is after the UDP header: the network stack parses the rest. */
static u32 random_offset(const struct frame *f)
{
	u32 from = rnd(16) ? f->mrc : FRAME_ETH_LEN;

	return f->len > from ? from + rnd(f->len - from) : f->len - 1;
}

static void flip(struct frame *f)
{
	u32 n = 1 + rnd(8);

	while (n--)
		f->buf[random_offset(f)] ^= 1 << rnd(8);
}

static void cut(struct frame *f)
{
	f->len = f->mrc + rnd(f->len - f->mrc + 1);
}

static void extend(struct frame *f)
{
	u32 n = 1 + rnd(96);
	u64 junk = rnd64();

	for (; n; n--)
		frame_put(f, &junk, 1 + rnd(8));
}

static void duplicate(struct frame *f)
{
	static const u8 sizes[] = { 4, 8, 12, 16, 28, 36, 40 };
	u32 len = min_t(u32, sizes[rnd(ARRAY_SIZE(sizes))], f->len - f->mrc);
	u32 at = f->mrc + rnd(f->len - f->mrc + 1);
	u8 copy[64];

	memcpy(copy, f->buf + f->mrc, len);
	frame_insert(f, at, copy, len);
	f->mrc = f->udp + FRAME_UDP_LEN;
}

static void overwrite(struct frame *f)
{
	static const u64 values[] = {
		0, 1, ~0ULL, 0x80, 0x8080808080808080ULL, 0x7f, 0xffff,
		0x7fffffffffffffffULL, 0x1000, 0xfffffffffffff000ULL,
	};
	u64 v = rnd(4) ? values[rnd(ARRAY_SIZE(values))] : rnd64();
	u32 at = random_offset(f), len = 1 << rnd(4);

	memcpy(f->buf + at, &v, min_t(u32, len, f->len - at));
}

static void splice(struct fixture *s, struct frame *f)
{
	struct frame other;
	u32 at;

	random_data(s, &other);
	at = other.mrc + rnd(other.len - other.mrc);
	frame_put(f, other.buf + at, other.len - at);
}

static void mutate(struct fixture *s, struct frame *f)
{
	switch (rnd(6)) {
	case 0:
		flip(f);
		break;
	case 1:
		cut(f);
		break;
	case 2:
		extend(f);
		break;
	case 3:
		duplicate(f);
		break;
	case 4:
		overwrite(f);
		break;
	case 5:
		splice(s, f);
		break;
	}
}

/**
 * mutate_seed - begin a sequence of random packets
 * @seed: any
 */
void mutate_seed(u32 seed)
{
	state = seed;
}

/**
 * mutate_send - send the next random packet, damaged or not
 * @s: fixture; its QP and memory are the destination of the packet
 *
 * A packet with a wrong ICRC is dropped early: for most packets the ICRC and the
 * lengths are recalculated after the damage.
 */
void mutate_send(struct fixture *s)
{
	struct wire right = s->wire;
	struct frame f;
	u32 n = rnd(3);

	if (!s->wire.v4 && rnd(8) == 0)
		s->wire.sid = s->sid;
	if (rnd(3))
		random_data(s, &f);
	else
		random_ctrl(s, &f);
	s->wire = right;
	while (n--)
		mutate(s, &f);
	if (rnd(8))
		frame_lengths(&f);
	if (rnd(4))
		frame_icrc(&f);
	fixture_send(s, &f);
}

static void new_qp(struct fixture *s)
{
	u32 i;

	fixture_qp(s, NULL);
	for (i = 0; i < TARGET_RECV_WR; i++)
		target_recv(s->qp, i, s->mr[TARGET_FULL].va + 65536, 4096);
}

/* All packets have been processed; no area but TARGET_FULL has changed. */
static bool check_target(struct fixture *s)
{
	bool ok = fixture_flush(s);

	s->n_got = 0;
	target_accept_all(s->target, TARGET_FULL);
	ok &= fixture_intact(s);
	if (target_state(s->qp) != TARGET_RTS || rnd(16) == 0)
		new_qp(s);
	return ok;
}

/* KASAN keeps buffers that have been freed, until their cache is shrunk. */
static void shrink_skbs(void)
{
	FILE *file = fopen("/sys/kernel/slab/" SKB_CACHE "/shrink", "w");

	if (!file)
		return;
	fputs("1", file);
	fclose(file);
}

/* Socket buffers in use, or -1. */
static long skbs(void)
{
	FILE *file = fopen("/proc/slabinfo", "r");
	char line[512], name[64];
	long n, active = -1;

	shrink_skbs();
	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %ld", name, &n) == 2 &&
		    !strcmp(name, SKB_CACHE))
			active = n;
	fclose(file);
	return active;
}

/* CPUs cache some buffers, so a small difference is no leak. */
static void check_no_leak(struct fixture *s, u32 packets, long before)
{
	long after = skbs();
	bool ok;

	if (before < 0 || packets < 2 * SKB_SLACK) {
		tap_skip("damaged packets leak no socket buffers",
			 "/proc/slabinfo has no " SKB_CACHE);
		return;
	}
	ok = after < before + SKB_SLACK;
	if (!ok)
		tap_note("%ld socket buffers before, %ld after", before,
			 after);
	tap_ok(ok, "damaged packets leak no socket buffers");
}

static bool drops_have_reasons(struct fixture *s, u32 packets)
{
	struct stats now;
	u64 sum = 0, drops;
	u32 i;

	if (stats_read(&now, s->device))
		return false;
	for (i = 0; i < now.n; i++)
		if (!strncmp(now.name[i], "drop_", 5))
			sum += stats_delta(&s->before, &now, now.name[i]);
	drops = stats_delta(&s->before, &now, "rx_drops");
	tap_note("%llu of %u packets dropped, %llu accepted",
		 (unsigned long long)drops, packets, (unsigned long long)
		 stats_delta(&s->before, &now, "rx_pkts"));
	return drops == sum && drops && drops <= packets;
}

/**
 * mutate_run - tests: packets with random damage
 * @s: fixture
 * @packets: how many
 * @seed: of the random numbers
 */
void mutate_run(struct fixture *s, u32 packets, u32 seed)
{
	const char *family = fixture_family(s);
	bool ok = true;
	long before;
	u32 i;

	mutate_seed(seed);
	new_qp(s);
	fixture_snapshot(s);
	before = skbs();
	for (i = 0; i < packets && ok; i++) {
		mutate_send(s);
		if (i % BATCH == BATCH - 1)
			ok &= check_target(s);
	}
	tap_ok(ok & check_target(s),
	       "%s: %u damaged packets (seed %u) write to no other memory",
	       family, packets, seed);
	tap_ok(drops_have_reasons(s, packets),
	       "%s: drops of damaged packets add up to the drop reasons",
	       family);
	check_no_leak(s, packets, before);
	fixture_qp(s, NULL);
	tap_ok(fixture_write_works(s),
	       "%s: a correct WRITE after damaged packets is accepted", family);
}
