// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * SRv6 templates: addresses of real networks, refusals, memory.
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "core/profile.h"
#include "core/rnd.h"
#include "core/srv6.h"
#include "mrc_srv6_sample.h"

/*
 * The fabric of the integration tests: uSIDs are kind, plane (from 0), index.
 * From a host on T0 0 by a T1 (the EV) to a T0 and a host (the destination).
 */
static const struct mrc_srv6_layout fabric = {
	.block = MRC_SRV6_BLOCK, .usid = MRC_SRV6_USID,
	.ev_bits = 8, .dest_bits = 16, .planes = 4, .n = 13, .field = {
		CONST(0xfcbbbb00, 32),
		CONST(1, 4), PLANE(4), CONST(0, 8),
		CONST(2, 4), PLANE(4), EV(0, 8),
		CONST(1, 4), PLANE(4), DEST(0, 8),
		CONST(3, 4), PLANE(4), DEST(8, 8),
	},
};

static void compile(struct kunit *test, const struct mrc_srv6_layout *layout,
		    struct mrc_srv6 *tmpl)
{
	struct mrc_refusal why = {};

	KUNIT_ASSERT_EQ_MSG(test, 0, mrc_srv6_compile(layout, tmpl, &why), "%s",
			    why.text);
}

static struct mrc_bitstr ev_of(u64 first)
{
	return (struct mrc_bitstr){ .w = { first } };
}

/* Expect an address, given as eight groups. */
static void expect_addr(struct kunit *test, const struct mrc_srv6_dest *dest,
			const struct mrc_bitstr *ev, u8 plane,
			const u16 *groups, u16 at)
{
	struct mrc_bitstr out;
	u8 i;

	mrc_srv6_expand(dest, ev, plane, &out);
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ_MSG(test, mrc_bitstr_get(&out, at + 16 * i, 16),
				    groups[i], "group %u, plane %u", i, plane);
}

static u16 fabric_usid(u8 kind, u8 plane, u8 idx)
{
	return kind << 12 | plane << 8 | idx;
}

/* All paths between hosts of 2 T0s over 4 planes of 4 T1s. */
static void mrc_srv6_fabric_addresses(struct kunit *test)
{
	struct mrc_refusal why;
	struct mrc_srv6_dest dest;
	struct mrc_srv6 tmpl;
	struct mrc_bitstr ev;
	u8 host, plane, t1;

	compile(test, &fabric, &tmpl);
	KUNIT_EXPECT_EQ(test, tmpl.n, 7);
	for (host = 1; host < 100; host += 2) {
		dest = (struct mrc_srv6_dest){ &tmpl, (host % 2) << 8 | host };
		KUNIT_EXPECT_EQ(test, mrc_srv6_check_dest(&dest, &why), 0);
		for (plane = 0; plane < 4; plane++) {
			for (t1 = 0; t1 < 4; t1++) {
				const u16 groups[8] = {
					0xfcbb, 0xbb00,
					fabric_usid(1, plane, 0),
					fabric_usid(2, plane, t1),
					fabric_usid(1, plane, host % 2),
					fabric_usid(3, plane, host),
				};

				ev = ev_of((u64)t1 << 56);
				expect_addr(test, &dest, &ev, plane + 1,
					    groups, 0);
				KUNIT_EXPECT_EQ(test, 0, mrc_srv6_check_path
						(&dest, &ev, plane + 1, &why));
			}
		}
	}
}

/* fcbb:bb00:1200:2203:1201:3201:: is the path from h0 to h1 by t1-2-3. */
static void mrc_srv6_address_octets(struct kunit *test)
{
	static const u8 addr[16] = {
		0xfc, 0xbb, 0xbb, 0x00, 0x12, 0x00, 0x22, 0x03,
		0x12, 0x01, 0x32, 0x01,
	};
	struct mrc_bitstr ev = ev_of(3ULL << 56), out;
	struct mrc_srv6_dest dest;
	struct mrc_srv6 tmpl;
	u8 octets[16];

	compile(test, &fabric, &tmpl);
	dest = (struct mrc_srv6_dest){ &tmpl, 0x0101 };
	mrc_srv6_expand(&dest, &ev, 3, &out);
	mrc_bitstr_write(&out, octets, sizeof(octets));
	KUNIT_EXPECT_MEMEQ(test, octets, addr, sizeof(addr));
}

/* The template of destinations on the same T0 has no T1. */
static void mrc_srv6_same_t0_without_t1(struct kunit *test)
{
	static const struct mrc_srv6_layout local = {
		.block = 32, .usid = 16, .dest_bits = 8, .planes = 4, .n = 6,
		.field = {
			CONST(0xfcbbbb00, 32), CONST(1, 4), PLANE(4),
			CONST(0, 8), CONST(0x3, 4), PLANE(4),
		},
	};
	static const u16 groups[8] = { 0xfcbb, 0xbb00, 0x1300, 0x3304 };
	struct mrc_srv6_layout layout = local;
	struct mrc_bitstr ev = ev_of(U64_MAX);
	struct mrc_srv6_dest dest;
	struct mrc_srv6 tmpl;

	layout.field[layout.n++] = (struct mrc_srv6_field)DEST(0, 8);
	compile(test, &layout, &tmpl);
	dest = (struct mrc_srv6_dest){ &tmpl, 4 };
	expect_addr(test, &dest, &ev, 4, groups, 0);
}

/* A block per plane, counted from 1: fc00:000P::/32, uSIDs f00S and e00L. */
static void mrc_srv6_block_per_plane(struct kunit *test)
{
	static const struct mrc_srv6_layout layout = {
		.block = 32, .usid = 16, .ev_bits = 4, .dest_bits = 4,
		.first_plane = 1, .planes = 8, .n = 6, .field = {
			CONST(0xfc00, 16), PLANE(16), CONST(0xf00, 12),
			EV(0, 4), CONST(0xe00, 12), DEST(0, 4),
		},
	};
	static const u16 groups[8] = { 0xfc00, 8, 0xf00a, 0xe005 };
	struct mrc_bitstr ev = ev_of(0xaULL << 60);
	struct mrc_srv6_dest dest;
	struct mrc_srv6 tmpl;

	compile(test, &layout, &tmpl);
	dest = (struct mrc_srv6_dest){ &tmpl, 5 };
	expect_addr(test, &dest, &ev, 8, groups, 0);
}

/*
 * The control API's example: a locator and four uSIDs, upper half the tier,
 * lower half generated.  The EV is the address, independent of the destination.
 */
static void mrc_srv6_address_is_ev(struct kunit *test)
{
	static const struct mrc_format fmt = {
		MRC_FORMAT_SRV6, 5, { 32, 16, 16, 16, 16 },
	};
	static const struct mrc_profile prof = {
		.mode = MRC_PROFILE_GENERATED, .count = 256, .n_fields = 5,
		.field = {
			{ .width = 32, .init_val = 0xdeadcafe },
			{ .width = 16, .init_val = 0x100, .mask = 0xff,
			  .max_val = 255 },
			{ .width = 16, .init_val = 0x200, .mask = 0xff,
			  .max_val = 255 },
			{ .width = 16, .init_val = 0x300, .mask = 0xff,
			  .max_val = 255 },
			{ .width = 16, .init_val = 0x400, .mask = 0xff,
			  .max_val = 255 },
		},
	};
	static const struct mrc_srv6_layout layout = {
		.block = 32, .usid = 16, .ev_bits = 96, .planes = 1, .n = 3,
		.field = { EV(0, 32), EV(32, 32), EV(64, 32) },
	};
	struct mrc_profile_ev ev;
	struct mrc_bitstr bits;
	struct mrc_refusal why;
	struct mrc_srv6_dest dest = {};
	struct mrc_srv6 tmpl;
	u16 n;

	compile(test, &layout, &tmpl);
	dest.tmpl = &tmpl;
	KUNIT_ASSERT_EQ(test, mrc_profile_check(&prof, &fmt, 1, &why), 0);
	for (n = 0; n < prof.count; n++) {
		u16 groups[8] = { 0xdead, 0xcafe };
		u8 i;

		mrc_profile_generate(&prof, &fmt, 1, n, &ev);
		mrc_profile_expand(&prof, &fmt, &ev.bits, &bits);
		for (i = 0; i < 4; i++)
			groups[2 + i] = (i + 1) << 8 |
					mrc_bitstr_get(&ev.bits, 8 * i, 8);
		expect_addr(test, &dest, &bits, 1, groups, 0);
	}
}

/* Seven hops and more: the list of uSIDs continues in the SRH. */
static void mrc_srv6_list_continues_in_srh(struct kunit *test)
{
	static const struct mrc_srv6_layout layout = {
		.block = 32, .usid = 16, .srh = true, .ev_bits = 32,
		.dest_bits = 16, .planes = 2, .first_plane = 1, .n = 12,
		.field = {
			CONST(0xfc000042, 32), CONST(0x11, 16), EV(0, 16),
			CONST(0x13, 16), CONST(0x14, 16), CONST(0x15, 16),
			CONST(0x16, 16),
			CONST(0xfc000043, 32), EV(16, 16), PLANE(16),
			DEST(0, 16), CONST(0, 16),
		},
	};
	static const u16 addr[8] = {
		0xfc00, 0x42, 0x11, 0xaaa, 0x13, 0x14, 0x15, 0x16,
	};
	static const u16 segment[8] = { 0xfc00, 0x43, 0xbbb, 2, 0xddd };
	struct mrc_bitstr ev = ev_of(0x0aaa0bbb00000000);
	struct mrc_srv6_dest dest;
	struct mrc_refusal why;
	struct mrc_srv6 tmpl;

	compile(test, &layout, &tmpl);
	dest = (struct mrc_srv6_dest){ &tmpl, 0xddd };
	expect_addr(test, &dest, &ev, 2, addr, 0);
	expect_addr(test, &dest, &ev, 2, segment, 128);
	KUNIT_EXPECT_EQ(test, mrc_srv6_check_path(&dest, &ev, 2, &why), 0);
	ev = ev_of(0x0aaa000000000000);
	KUNIT_EXPECT_EQ(test, mrc_srv6_check_path(&dest, &ev, 2, &why),
			-EINVAL);
	KUNIT_EXPECT_STREQ(test, why.text,
			   "uSID 1 is zero, which ends the list");
}

/* The header with the remaining list (RFC 8754 section 2). */
static void mrc_srv6_srh_octets(struct kunit *test)
{
	static const u8 segment[16] = {
		0xfc, 0x00, 0x00, 0x43, 0x0b, 0xbb, 0x00, 0x02, 0x0d, 0xdd,
	};
	static const u8 wire[MRC_SRH_LEN + 1] = {
		0x29,			/* next header: IPv6 */
		0x02,			/* 16 bytes after the first 8 */
		0x04,			/* segment routing */
		0x01,			/* segments left */
		0x00,			/* the last entry is the first */
		0x00,			/* flags */
		0x00, 0x00,		/* tag */
		0xfc, 0x00, 0x00, 0x43, 0x0b, 0xbb, 0x00, 0x02,
		0x0d, 0xdd, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0xa5,			/* not written */
	};
	u8 buf[sizeof(wire)];

	memset(buf, 0xa5, sizeof(buf));
	mrc_srv6_put_srh(buf, 0x29, segment);
	KUNIT_EXPECT_MEMEQ(test, buf, wire, sizeof(wire));
}

/* Random layouts against a reference implementation, bit by bit. */

static bool bit_of(const struct mrc_bitstr *s, u16 at)
{
	return s->w[at / 64] >> (63 - at % 64) & 1;
}

static bool naive_bit(const struct mrc_srv6_layout *layout,
		      const struct mrc_srv6_field *f, u8 i,
		      const struct mrc_bitstr *ev, u8 plane, u64 number)
{
	switch (f->source) {
	case MRC_SRV6_CONST:
		return f->value >> (f->width - 1 - i) & 1;
	case MRC_SRV6_EV:
		return bit_of(ev, f->from + i);
	case MRC_SRV6_PLANE:
		return (layout->first_plane + plane - 1) >>
		       (f->width - 1 - i) & 1;
	default:
		return number >> (layout->dest_bits - 1 - f->from - i) & 1;
	}
}

static void naive_expand(const struct mrc_srv6_layout *layout,
			 const struct mrc_bitstr *ev, u8 plane, u64 number,
			 struct mrc_bitstr *out)
{
	u16 to = 0;
	u8 i, j;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < layout->n; i++)
		for (j = 0; j < layout->field[i].width; j++, to++)
			out->w[to / 64] |= (u64)naive_bit(layout,
					&layout->field[i], j, ev, plane,
					number) << (63 - to % 64);
}

static void random_field(u64 *rnd, struct mrc_srv6_layout *layout, u16 room)
{
	struct mrc_srv6_field *f = &layout->field[layout->n++];
	u8 w = min_t(u16, room, 1 + mrc_rnd_below(rnd, MRC_FIELD_BITS));

	*f = (struct mrc_srv6_field){
		.source = mrc_rnd_below(rnd, MRC_SRV6_SOURCES), .width = w,
	};
	if (f->source == MRC_SRV6_PLANE && w < 6)
		f->source = MRC_SRV6_CONST;
	if (f->source == MRC_SRV6_DEST && w > layout->dest_bits)
		f->source = MRC_SRV6_CONST;
	if (f->source == MRC_SRV6_CONST)
		f->value = (u32)mrc_rnd_next(rnd) >> (32 - w);
	if (f->source == MRC_SRV6_EV)
		f->from = mrc_rnd_below(rnd, layout->ev_bits - w + 1);
	if (f->source == MRC_SRV6_DEST)
		f->from = mrc_rnd_below(rnd, layout->dest_bits - w + 1);
}

static void random_layout(u64 *rnd, struct mrc_srv6_layout *layout)
{
	u16 bits = 0, limit;
	u8 i;

	*layout = (struct mrc_srv6_layout){
		.block = 32, .usid = 16, .srh = mrc_rnd_below(rnd, 2),
		.ev_bits = 32 + mrc_rnd_below(rnd, 225),
		.dest_bits = 1 + mrc_rnd_below(rnd, 64),
		.planes = 1 + mrc_rnd_below(rnd, 32),
		.first_plane = mrc_rnd_below(rnd, 32),
	};
	limit = layout->srh ? 256 : 128;
	while (bits < limit) {
		random_field(rnd, layout, bits < 128 ? 128 - bits : 256 - bits);
		for (i = 0, bits = 0; i < layout->n; i++)
			bits += layout->field[i].width;
	}
}

static void mrc_srv6_expansion_matches_reference(struct kunit *test)
{
	struct mrc_srv6_layout *layout;
	struct mrc_srv6_dest dest;
	struct mrc_bitstr ev, a, b;
	struct mrc_refusal why;
	struct mrc_srv6 tmpl;
	u32 i, j, good = 0;
	u64 rnd = 3;
	u8 plane;

	layout = kunit_kzalloc(test, sizeof(*layout), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, layout);
	for (i = 0; i < 5000; i++) {
		random_layout(&rnd, layout);
		if (mrc_srv6_compile(layout, &tmpl, &why))
			continue;
		good++;
		for (j = 0; j < MRC_BITSTR_WORDS; j++)
			ev.w[j] = mrc_rnd_next(&rnd);
		plane = 1 + mrc_rnd_below(&rnd, layout->planes);
		dest = (struct mrc_srv6_dest){
			&tmpl, mrc_rnd_next(&rnd) >> (64 - layout->dest_bits),
		};
		KUNIT_ASSERT_EQ(test, mrc_srv6_check_dest(&dest, &why), 0);
		mrc_srv6_expand(&dest, &ev, plane, &a);
		naive_expand(layout, &ev, plane, dest.number, &b);
		KUNIT_ASSERT_MEMEQ(test, &a, &b, sizeof(a));
	}
	KUNIT_EXPECT_GT(test, good, 4000);
}

/* Refusals. */

static void expect_refused(struct kunit *test,
			   const struct mrc_srv6_layout *layout, int err,
			   int field, const char *text)
{
	struct mrc_refusal why = {};
	struct mrc_srv6 tmpl;

	KUNIT_EXPECT_EQ(test, mrc_srv6_compile(layout, &tmpl, &why), err);
	KUNIT_EXPECT_EQ(test, why.field, field);
	KUNIT_EXPECT_STREQ(test, why.text, text);
	KUNIT_EXPECT_LT(test, strlen(text), MRC_REFUSAL_LEN);
}

static void mrc_srv6_bad_layout_refused(struct kunit *test)
{
	struct mrc_srv6_layout *l;

	l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, l);

#define REFUSED(change, ...) do {					\
	*l = fabric;							\
	change;								\
	expect_refused(test, l, __VA_ARGS__);				\
} while (0)

	REFUSED(l->usid = 0, -EINVAL, MRC_NO_FIELD,
		"uSIDs of 0 bits are not of 1..32");
	REFUSED(l->usid = 33, -EINVAL, MRC_NO_FIELD,
		"uSIDs of 33 bits are not of 1..32");
	REFUSED(l->block = 0, -EINVAL, MRC_NO_FIELD,
		"a block of 0 bits is not of 1..112");
	REFUSED(l->block = 113, -EINVAL, MRC_NO_FIELD,
		"a block of 113 bits is not of 1..112");
	REFUSED(l->ev_bits = 257, -E2BIG, MRC_NO_FIELD,
		"EV of 257 bits, 256 are possible");
	REFUSED(l->dest_bits = 65, -E2BIG, MRC_NO_FIELD,
		"destinations of 65 bits, 64 are possible");
	REFUSED(l->planes = 0, -EINVAL, MRC_NO_FIELD,
		"0 planes are not 1..32");
	REFUSED(l->planes = 33, -EINVAL, MRC_NO_FIELD,
		"33 planes are not 1..32");
	REFUSED(l->n = 0, -EINVAL, MRC_NO_FIELD, "0 fields are not 1..40");
	REFUSED(l->n = 41, -EINVAL, MRC_NO_FIELD, "41 fields are not 1..40");
	REFUSED(l->field[3].width = 0, -EINVAL, 3,
		"field 4: width 0 is not 1..32");
	REFUSED(l->field[3].width = 33, -EINVAL, 3,
		"field 4: width 33 is not 1..32");
	REFUSED(l->field[3].source = 4, -EINVAL, 3,
		"field 4: there is no source 4");
	REFUSED(l->field[3].value = 0x100, -EINVAL, 3,
		"field 4: value 0x100 does not fit width 8");
	REFUSED(l->field[6].from = 1, -EINVAL, 6,
		"field 7: EV bits 1..8 of 8");
	REFUSED(l->field[12].from = 9, -EINVAL, 12,
		"field 13: destination bits 9..16 of 16");
	REFUSED(l->planes = 17, -EINVAL, 2,
		"field 3: plane 16 does not fit width 4");
	REFUSED(l->first_plane = U32_MAX, -EINVAL, 2,
		"field 3: plane 4294967298 does not fit width 4");
	REFUSED(l->n = 1, -EINVAL, MRC_NO_FIELD,
		"fields end before the first uSID does");
	REFUSED(l->n = 12, -EINVAL, MRC_NO_FIELD,
		"fields end inside uSID 4");
	REFUSED(l->n = 16; l->field[13] = l->field[14] = l->field[15] =
		l->field[0], -E2BIG, MRC_NO_FIELD,
		"fields have 192 bits, there is room for 128");
	REFUSED(l->srh = true, -EINVAL, MRC_NO_FIELD,
		"fields have 96 bits, none of them for the SRH");
	REFUSED(l->srh = true; l->field[13] = l->field[1];
		l->field[14] = l->field[0]; l->n = 15, -EINVAL, 14,
		"field 15: lies across bit 128, where the SRH begins");
#undef REFUSED
}

/* The most pieces of a template, of one bit each, and one more. */
static void mrc_srv6_too_many_pieces_refused(struct kunit *test)
{
	struct mrc_srv6_layout *l;
	struct mrc_srv6 tmpl;
	u8 i;

	l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, l);
	*l = (struct mrc_srv6_layout){
		.block = 1, .usid = 1, .ev_bits = 1, .planes = 1,
		.n = MRC_SRV6_PIECES,
	};
	for (i = 0; i <= MRC_SRV6_PIECES; i++)
		l->field[i] = (struct mrc_srv6_field)EV(0, 1);
	compile(test, l, &tmpl);
	l->n++;
	expect_refused(test, l, -E2BIG, MRC_SRV6_PIECES,
		       "field 25: more than 24 pieces that are not constant");
}

static void expect_bad_path(struct kunit *test, struct mrc_srv6_layout *layout,
			    u64 ev, u64 number, const char *text)
{
	struct mrc_bitstr bits = ev_of(ev);
	struct mrc_refusal why = {};
	struct mrc_srv6_dest dest;
	struct mrc_srv6 tmpl;

	compile(test, layout, &tmpl);
	dest = (struct mrc_srv6_dest){ &tmpl, number };
	KUNIT_EXPECT_EQ(test, mrc_srv6_check_path(&dest, &bits, 1, &why),
			-EINVAL);
	KUNIT_EXPECT_STREQ(test, why.text, text);
}

static void mrc_srv6_bad_path_refused(struct kunit *test)
{
	static const struct mrc_srv6_layout plain = {
		.block = 32, .usid = 16, .ev_bits = 16, .dest_bits = 16,
		.planes = 1, .n = 4, .field = {
			CONST(0xfc000001, 32), EV(0, 16), DEST(0, 16),
			CONST(0xd000, 16),
		},
	};
	struct mrc_srv6_layout l = plain;
	struct mrc_refusal why;
	struct mrc_srv6_dest dest;
	struct mrc_bitstr ev = ev_of(1ULL << 48);
	struct mrc_srv6 tmpl;

	expect_bad_path(test, &l, 0, 1, "uSID 1 is zero, which ends the list");
	expect_bad_path(test, &l, 1ULL << 48, 0,
			"uSID 2 is zero, which ends the list");
	l.field[0].value = 0;
	expect_bad_path(test, &l, 1ULL << 48, 1, "0:0::/32 is not unicast");
	l.field[0].value = 0xff020000;
	expect_bad_path(test, &l, 1ULL << 48, 1, "ff02:0::/32 is not unicast");
	l.field[0].value = 0xfebf0001;
	expect_bad_path(test, &l, 1ULL << 48, 1, "febf:1::/32 is not unicast");

	/* The list may be shorter than the address, but not empty. */
	l = plain;
	l.n = 3;
	compile(test, &l, &tmpl);
	dest = (struct mrc_srv6_dest){ &tmpl, 0 };
	KUNIT_EXPECT_EQ(test, mrc_srv6_check_path(&dest, &ev, 1, &why), 0);
	expect_bad_path(test, &l, 0, 0, "uSID 1 is zero, which ends the list");

	dest.number = 0x10000;
	KUNIT_EXPECT_EQ(test, mrc_srv6_check_dest(&dest, &why), -EINVAL);
	KUNIT_EXPECT_STREQ(test, why.text,
			   "destination 0x10000 does not fit the template's 16 bits");
	dest.number--;
	KUNIT_EXPECT_EQ(test, mrc_srv6_check_dest(&dest, &why), 0);
}

/*
 * Memory for the largest network of the paper, 131072 destinations and 256 EVs,
 * with a tree node and a prefix for each destination.
 */
static void mrc_srv6_memory_is_bounded(struct kunit *test)
{
	const size_t node = 3 * sizeof(void *) + 16 + 8;
	size_t all = 131072 * (sizeof(struct mrc_srv6_dest) + node) +
		     MRC_EV_MAX * sizeof(struct mrc_profile_ev) +
		     1024 * sizeof(struct mrc_srv6);

	kunit_info(test, "template %zu, destination %zu, all %zu bytes\n",
		   sizeof(struct mrc_srv6), sizeof(struct mrc_srv6_dest), all);
	KUNIT_EXPECT_LE(test, sizeof(struct mrc_srv6), 144);
	KUNIT_EXPECT_LE(test, sizeof(struct mrc_srv6_dest), 16);
	KUNIT_EXPECT_LE(test, all, 32 << 20);
}

static struct kunit_case mrc_srv6_cases[] = {
	KUNIT_CASE(mrc_srv6_fabric_addresses),
	KUNIT_CASE(mrc_srv6_address_octets),
	KUNIT_CASE(mrc_srv6_same_t0_without_t1),
	KUNIT_CASE(mrc_srv6_block_per_plane),
	KUNIT_CASE(mrc_srv6_address_is_ev),
	KUNIT_CASE(mrc_srv6_list_continues_in_srh),
	KUNIT_CASE(mrc_srv6_srh_octets),
	KUNIT_CASE(mrc_srv6_expansion_matches_reference),
	KUNIT_CASE(mrc_srv6_bad_layout_refused),
	KUNIT_CASE(mrc_srv6_too_many_pieces_refused),
	KUNIT_CASE(mrc_srv6_bad_path_refused),
	KUNIT_CASE(mrc_srv6_memory_is_bounded),
	{}
};

static struct kunit_suite mrc_srv6_suite = {
	.name = "mrc_srv6",
	.test_cases = mrc_srv6_cases,
};

kunit_test_suite(mrc_srv6_suite);

MODULE_DESCRIPTION("KUnit tests of SRv6 templates");
MODULE_LICENSE("Dual BSD/GPL");
