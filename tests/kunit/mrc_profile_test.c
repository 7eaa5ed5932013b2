// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * EV profiles: expansion, generation, refusals.
 */
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "core/profile.h"
#include "core/rnd.h"

/* Formats of the control API's examples. */
static const struct mrc_format udp = { MRC_FORMAT_UDP, 1, { 16 } };
static const struct mrc_format stev2 = { MRC_FORMAT_STEV, 2, { 16, 16 } };
static const struct mrc_format stev3 = { MRC_FORMAT_STEV, 3, { 8, 4, 4 } };
static const struct mrc_format srv6 = {
	MRC_FORMAT_SRV6, 5, { 32, 16, 16, 16, 16 },
};

static const struct mrc_format srh = {
	MRC_FORMAT_SRV6_SRH, 10, { 32, 16, 16, 16, 16, 16, 16, 32, 16, 16 },
};

/* A field that generates all values of its mask: init, mask, width. */
#define GEN(i, m, w) { \
	.init_val = (i), .mask = (m), .width = (w), \
	.max_val = (1ULL << __builtin_popcount(m)) - 1, \
}

#define FIXED(i, w) { .init_val = (i), .width = (w) }
/* A field of explicit EVs, or of generated ones without a range. */
#define GIVEN(i, m, w) { .init_val = (i), .mask = (m), .width = (w) }

/* Expansion. */

struct expansion {
	const struct mrc_format *fmt;
	struct mrc_profile prof;
	u8 ev[16];
	u8 out[32];
};

static const struct expansion expansions[] = {
	/* All bits from the EV: the EV is unchanged. */
	{ &stev2, { .n_fields = 2, .field = {
			GIVEN(0, 0xffff, 16), GIVEN(0, 0xffff, 16) } },
	  { 0xf3, 0xb0, 0x42, 0x56 }, { 0xf3, 0xb0, 0x42, 0x56 } },
	/* Constant bits before four bits of the EV. */
	{ &stev2, { .n_fields = 2, .field = {
			GIVEN(0x100, 0xf, 16), GIVEN(0x200, 0xf, 16) } },
	  { 0xa4 }, { 0x01, 0x0a, 0x02, 0x04 } },
	/* A mask with a hole. */
	{ &stev2, { .n_fields = 2, .field = {
			GIVEN(0x1000, 0x0f0f, 16), GIVEN(0x2000, 0x0f0f, 16) } },
	  { 0x33, 0x12 }, { 0x13, 0x03, 0x21, 0x02 } },
	/* Bits of init_val in the mask are replaced. */
	{ &stev2, { .n_fields = 1, .field = { GIVEN(0xffff, 0x0ff0, 16) } },
	  { 0x12 }, { 0xf1, 0x2f } },
	/* A value narrower than its field of the format is right-aligned. */
	{ &srv6, { .n_fields = 5, .field = {
			FIXED(0x42424242, 32), GIVEN(0, 0xf, 4),
			GIVEN(0, 0xf, 4), GIVEN(0, 0xf, 4),
			GIVEN(0, 0xf, 4) } },
	  { 0x78, 0xba },
	  { 0x42, 0x42, 0x42, 0x42, 0, 7, 0, 8, 0, 0xb, 0, 0xa } },
	/* Fewer fields than the format has: the remaining bits are zero. */
	{ &srv6, { .n_fields = 3, .field = {
			FIXED(0xdeaddead, 32), GIVEN(0, 0xffff, 16),
			GIVEN(0, 0xffff, 16) } },
	  { 0xe2, 0x98, 0xf1, 0x15 },
	  { 0xde, 0xad, 0xde, 0xad, 0xe2, 0x98, 0xf1, 0x15 } },
	/* Destination address and segment of the SRH. */
	{ &srh, { .n_fields = 10, .field = {
			FIXED(0xcafecafe, 32),
			GIVEN(0, 0xffff, 16), GIVEN(0, 0xffff, 16),
			GIVEN(0, 0xffff, 16), GIVEN(0, 0xffff, 16),
			GIVEN(0, 0xffff, 16), GIVEN(0, 0xffff, 16),
			FIXED(0xdecafbad, 32),
			GIVEN(0, 0xffff, 16), GIVEN(0, 0xffff, 16) } },
	  { 0xb8, 0xa7, 0x31, 0x0e, 0x14, 0xc8, 0x09, 0x62, 0xae, 0x4b, 0x9d,
	    0xd6, 0x58, 0x7a, 0x4c, 0x16 },
	  { 0xca, 0xfe, 0xca, 0xfe, 0xb8, 0xa7, 0x31, 0x0e, 0x14, 0xc8, 0x09,
	    0x62, 0xae, 0x4b, 0x9d, 0xd6, 0xde, 0xca, 0xfb, 0xad, 0x58, 0x7a,
	    0x4c, 0x16 } },
};

static void mrc_profile_expands_examples(struct kunit *test)
{
	struct mrc_profile_ev ev = { .plane = 1 };
	struct mrc_refusal why;
	struct mrc_bitstr out;
	u8 octets[32];
	int i;

	for (i = 0; i < ARRAY_SIZE(expansions); i++) {
		const struct expansion *e = &expansions[i];
		struct mrc_profile prof = e->prof;

		prof.mode = MRC_PROFILE_EXPLICIT;
		prof.count = 1;
		mrc_bitstr_read(&ev.bits, e->ev, sizeof(e->ev));
		KUNIT_EXPECT_EQ(test, 0, mrc_profile_check(&prof, e->fmt, 1,
							   &why));
		KUNIT_EXPECT_EQ(test, 0, mrc_profile_check_ev(&prof, &ev, 1,
							      &why));
		mrc_profile_expand(&prof, e->fmt, &ev.bits, &out);
		mrc_bitstr_write(&out, octets, sizeof(octets));
		KUNIT_EXPECT_MEMEQ(test, octets, e->out, sizeof(octets));
	}
}

static bool bit_of(const struct mrc_bitstr *s, u16 at)
{
	return s->w[at / 64] >> (63 - at % 64) & 1;
}

/* Reference implementation: bit by bit. */
static void naive_expand(const struct mrc_profile *prof,
			 const struct mrc_format *fmt,
			 const struct mrc_bitstr *ev, struct mrc_bitstr *out)
{
	u16 from = 0, to = 0;
	int i, bit;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < prof->n_fields; i++) {
		u32 value = prof->field[i].init_val;

		for (bit = 31; bit >= 0; bit--) {
			if (!(prof->field[i].mask >> bit & 1))
				continue;
			value &= ~(1U << bit);
			value |= (u32)bit_of(ev, from++) << bit;
		}
		for (bit = fmt->width[i] - 1; bit >= 0; bit--, to++)
			out->w[to / 64] |= (u64)(value >> bit & 1) <<
					   (63 - to % 64);
	}
}

/* A random profile that is accepted. */
static void random_profile(u64 *rnd, struct mrc_format *fmt,
			   struct mrc_profile *prof)
{
	u16 bits;
	u8 i;

	memset(fmt, 0, sizeof(*fmt));
	memset(prof, 0, sizeof(*prof));
	fmt->mode = MRC_FORMAT_SRV6_SRH;
	for (bits = 0; fmt->n < MRC_FORMAT_FIELDS && bits < 256; fmt->n++) {
		u8 w = 1 + mrc_rnd_below(rnd, 32);

		w = min_t(u16, w, (bits < 128 ? 128 : 256) - bits);
		fmt->width[fmt->n] = w;
		bits += w;
	}
	prof->mode = MRC_PROFILE_EXPLICIT;
	prof->count = 1;
	prof->n_fields = 1 + mrc_rnd_below(rnd, fmt->n);
	for (i = 0; i < prof->n_fields; i++) {
		struct mrc_field *f = &prof->field[i];

		f->width = 1 + mrc_rnd_below(rnd, fmt->width[i]);
		f->init_val = (u32)mrc_rnd_next(rnd) >> (32 - f->width);
		f->mask = (u32)(mrc_rnd_next(rnd) & mrc_rnd_next(rnd)) >>
			  (32 - f->width);
		if (!mrc_rnd_below(rnd, 8))
			f->mask = ~0U >> (32 - f->width);
	}
}

static void mrc_profile_expansion_matches_reference(struct kunit *test)
{
	struct mrc_bitstr ev, a, b;
	struct mrc_profile prof;
	struct mrc_refusal why;
	struct mrc_format fmt;
	u64 rnd = 7;
	int i, j;

	for (i = 0; i < 5000; i++) {
		random_profile(&rnd, &fmt, &prof);
		if (mrc_format_width(&fmt) > MRC_ADDR_BITS)
			KUNIT_ASSERT_EQ(test, 0, mrc_format_check(&fmt, &why));
		KUNIT_ASSERT_EQ(test, 0, mrc_profile_check(&prof, &fmt, 1,
							   &why));
		for (j = 0; j < MRC_BITSTR_WORDS; j++)
			ev.w[j] = mrc_rnd_next(&rnd);
		mrc_profile_expand(&prof, &fmt, &ev, &a);
		naive_expand(&prof, &fmt, &ev, &b);
		KUNIT_ASSERT_MEMEQ(test, &a, &b, sizeof(a));
	}
}

/* Refusals. */

static struct mrc_profile sample(void)
{
	return (struct mrc_profile){
		.mode = MRC_PROFILE_GENERATED, .count = 128, .n_fields = 3,
		.field = {
			GEN(0, 0xff, 8), GEN(0, 0xf, 4), GEN(0, 0xf, 4),
		},
	};
}

static void expect_refused(struct kunit *test, const struct mrc_profile *prof,
			   const struct mrc_format *fmt, u32 ports, int err,
			   int field, const char *text)
{
	struct mrc_refusal why = {};

	KUNIT_EXPECT_EQ(test, mrc_profile_check(prof, fmt, ports, &why), err);
	KUNIT_EXPECT_EQ(test, why.field, field);
	KUNIT_EXPECT_STREQ(test, why.text, text);
	KUNIT_EXPECT_LT(test, strlen(text), MRC_REFUSAL_LEN);
}

static void mrc_profile_bad_cfg_refused(struct kunit *test)
{
	const struct mrc_profile good = sample();
	struct mrc_profile p;
	struct mrc_refusal why;

#define REFUSED(change, ...) do {					\
	p = good;							\
	change;								\
	expect_refused(test, &p, &stev3, 0xf, __VA_ARGS__);		\
} while (0)

	KUNIT_EXPECT_EQ(test, mrc_profile_check(&good, &stev3, 0xf, &why), 0);
	REFUSED(p.mode = MRC_PROFILE_NR, -EINVAL, MRC_NO_FIELD,
		"there is no profile mode 3");
	REFUSED(p.count = 0, -EINVAL, MRC_NO_FIELD, "no EVs");
	REFUSED(p.count = 257, -E2BIG, MRC_NO_FIELD,
		"257 EVs, 256 are possible");
	REFUSED(p.active = 129, -EINVAL, MRC_NO_FIELD,
		"129 active of 128 EVs");
	REFUSED(p.min_active = 129, -EINVAL, MRC_NO_FIELD,
		"at least 129 active of 128 EVs");
	REFUSED(p.n_fields = 0, -EINVAL, MRC_NO_FIELD, "no fields");
	REFUSED(p.n_fields = 4, -E2BIG, MRC_NO_FIELD,
		"4 fields, the format has 3");
	REFUSED(p.field[1].width = 0, -EINVAL, 1,
		"field 2: width 0 is not 1..4, as the format has it");
	REFUSED(p.field[1].width = 5, -EINVAL, 1,
		"field 2: width 5 is not 1..4, as the format has it");
	REFUSED(p.field[0].init_val = 0x100, -EINVAL, 0,
		"field 1: init 0x100 does not fit width 8");
	REFUSED(p.field[2].mask = 0x1f, -EINVAL, 2,
		"field 3: mask 0x1f does not fit width 4");
	REFUSED(p.field[2].mask = 0xb, -EINVAL, 2,
		"field 3: max 15 does not fit the 3 bits of mask 0xb");
	REFUSED(p.field[2].mask = 0, -EINVAL, 2,
		"field 3: max 15 does not fit the 0 bits of mask 0x0");
	REFUSED(p.field[2].min_val = 16, -EINVAL, 2,
		"field 3: min 16 is above max 15");
	REFUSED(p.count = 130, -EINVAL, MRC_NO_FIELD,
		"130 EVs cannot be shared equally by 4 ports");
	REFUSED(p.n_fields = 1; p.field[0].max_val = 30, -E2BIG, MRC_NO_FIELD,
		"128 EVs, but the fields make 124 on 4 ports");
	REFUSED(p.mode = MRC_PROFILE_AUTO, -EINVAL, MRC_NO_FIELD,
		"an auto profile has no format and no fields");
#undef REFUSED
	expect_refused(test, &good, NULL, 0xf, -EINVAL, MRC_NO_FIELD,
		       "no format");
	expect_refused(test, &good, &stev3, 0, -EINVAL, MRC_NO_FIELD,
		       "no ports");
}

static void mrc_profile_limits_accepted(struct kunit *test)
{
	struct mrc_profile p = sample();
	struct mrc_refusal why;

	/* Values at their limits. */
	p.field[2].max_val = 3;
	p.field[2].mask = 0xa;
	p.active = 128;
	p.min_active = 128;
	KUNIT_EXPECT_EQ(test, mrc_profile_check(&p, &stev3, 0xf, &why), 0);
	p.n_fields = 1;
	p.field[0].max_val = 31;
	KUNIT_EXPECT_EQ(test, mrc_profile_check(&p, &stev3, 0xf, &why), 0);
	/* Explicit: no ranges, and planes may have unequal numbers of EVs. */
	p.mode = MRC_PROFILE_EXPLICIT;
	p.count = 99;
	p.active = 99;
	p.min_active = 0;
	p.field[0].max_val = 0;
	KUNIT_EXPECT_EQ(test, mrc_profile_check(&p, &stev3, 0xf, &why), 0);
	p = (struct mrc_profile){ .mode = MRC_PROFILE_AUTO, .count = 128 };
	KUNIT_EXPECT_EQ(test, mrc_profile_check(&p, NULL, 0x7, &why), 0);
	/* A field of all 32 bits has a maximum of 2^32 - 1. */
	p = (struct mrc_profile){
		.mode = MRC_PROFILE_GENERATED, .count = 256, .n_fields = 1,
		.field = { GEN(0, 0xffffffff, 32) },
	};
	KUNIT_EXPECT_EQ(test, p.field[0].max_val, U32_MAX);
	KUNIT_EXPECT_EQ(test, 0, mrc_profile_check(&p, &(struct mrc_format){
				MRC_FORMAT_STEV, 1, { 32 } }, 1, &why));
}

static void mrc_profile_bad_ev_refused(struct kunit *test)
{
	struct mrc_profile p = sample();
	struct mrc_profile_ev ev = { .plane = 2 };
	struct mrc_refusal why;

	p.mode = MRC_PROFILE_EXPLICIT;
	KUNIT_EXPECT_EQ(test, mrc_profile_ev_width(&p), 16);
	ev.bits.w[0] = 0xffff000000000000;
	KUNIT_EXPECT_EQ(test, mrc_profile_check_ev(&p, &ev, 2, &why), 0);
	ev.bits.w[3] = 1;
	KUNIT_EXPECT_EQ(test, mrc_profile_check_ev(&p, &ev, 2, &why), -EINVAL);
	KUNIT_EXPECT_STREQ(test, why.text,
			   "EV has bits behind the 16 that fields use");
	ev.bits.w[3] = 0;
	KUNIT_EXPECT_EQ(test, mrc_profile_check_ev(&p, &ev, 5, &why), -EINVAL);
	KUNIT_EXPECT_STREQ(test, why.text, "no port 2");
	ev.plane = 0;
	KUNIT_EXPECT_EQ(test, mrc_profile_check_ev(&p, &ev, 5, &why), -EINVAL);
	ev.plane = MRC_PLANE_MAX + 1;
	KUNIT_EXPECT_EQ(test, mrc_profile_check_ev(&p, &ev, U32_MAX, &why),
			-EINVAL);
}

/* Generation. */

#define ALL 256

static struct mrc_profile_ev *generate(struct kunit *test,
				       const struct mrc_profile *prof,
				       const struct mrc_format *fmt, u32 ports)
{
	struct mrc_profile_ev *ev;
	struct mrc_refusal why;
	u16 n;

	KUNIT_ASSERT_EQ(test, 0, mrc_profile_check(prof, fmt, ports, &why));
	ev = kunit_kcalloc(test, ALL, sizeof(*ev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ev);
	for (n = 0; n < prof->count; n++) {
		mrc_profile_generate(prof, fmt, ports, n, &ev[n]);
		KUNIT_EXPECT_EQ(test, 0, mrc_profile_check_ev(prof, &ev[n],
							      ports, &why));
	}
	return ev;
}

static bool same(const struct mrc_profile_ev *a, const struct mrc_profile_ev *b)
{
	return a->plane == b->plane && !memcmp(&a->bits, &b->bits,
					       sizeof(a->bits));
}

static void expect_distinct(struct kunit *test, const struct mrc_profile_ev *ev,
			    u16 n)
{
	u16 i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_FALSE(test, same(&ev[i], &ev[j]));
}

/* As many EVs as combinations: each combination once per port. */
static void mrc_profile_generates_all_combinations(struct kunit *test)
{
	struct mrc_profile p = {
		.mode = MRC_PROFILE_GENERATED, .count = 60, .n_fields = 3,
		.field = {
			{ .width = 8, .mask = 0x81, .min_val = 1,
			  .max_val = 3 },
			FIXED(9, 4),
			{ .width = 4, .mask = 0xf, .min_val = 11,
			  .max_val = 15 },
		},
	};
	struct mrc_profile_ev *ev;
	u8 seen[32][33] = {};
	u16 i, a, b;

	for (p.seed = 0; p.seed < 20; p.seed++) {
		memset(seen, 0, sizeof(seen));
		ev = generate(test, &p, &stev3, BIT(0) | BIT(4) | BIT(5) |
			      BIT(31));
		for (i = 0; i < p.count; i++) {
			a = mrc_bitstr_get(&ev[i].bits, 0, 2);
			b = mrc_bitstr_get(&ev[i].bits, 2, 4);
			KUNIT_EXPECT_TRUE(test, a >= 1 && a <= 3);
			KUNIT_EXPECT_TRUE(test, b >= 11 && b <= 15);
			seen[a * 5 + b - 11][ev[i].plane]++;
		}
		for (a = 1; a <= 3; a++)
			for (b = 11; b <= 15; b++)
				for (i = 1; i <= 32; i++)
					KUNIT_EXPECT_EQ(test,
							seen[a * 5 + b - 11][i],
							i == 1 || i == 5 ||
							i == 6 || i == 32);
	}
}

/* The example of the control API: min = max = 0, all values of the mask. */
static void mrc_profile_zero_range_is_no_range(struct kunit *test)
{
	struct mrc_profile p = {
		.mode = MRC_PROFILE_GENERATED, .count = 64, .n_fields = 3,
		.field = { GIVEN(0x40, 0x81, 8), FIXED(9, 4),
			   GIVEN(0, 0xf, 4) },
	};
	struct mrc_profile_ev *ev;
	struct mrc_refusal why;
	u8 seen[64] = {};
	u16 i;

	KUNIT_ASSERT_EQ(test, mrc_profile_check(&p, &stev3, 1, &why), 0);
	ev = generate(test, &p, &stev3, 1);
	for (i = 0; i < p.count; i++)
		seen[mrc_bitstr_get(&ev[i].bits, 0, 6)]++;
	for (i = 0; i < p.count; i++)
		KUNIT_EXPECT_EQ(test, seen[i], 1);
	p.count++;
	KUNIT_EXPECT_EQ(test, mrc_profile_check(&p, &stev3, 1, &why), -E2BIG);
	/* Zero alone is the value of a field without a mask. */
	p.field[2] = (struct mrc_field)FIXED(0, 4);
	p.count = 5;
	KUNIT_EXPECT_EQ(test, mrc_profile_check(&p, &stev3, 1, &why), -E2BIG);
	p.count = 4;
	KUNIT_EXPECT_EQ(test, mrc_profile_check(&p, &stev3, 1, &why), 0);
}

/*
 * Fewer EVs than combinations: each value of each field is generated, about
 * equally often, so that no switch has more of the paths than others.
 */
static void mrc_profile_generated_values_are_spread(struct kunit *test)
{
	struct mrc_profile p = sample();
	u16 count[3][256], i, f;
	struct mrc_profile_ev *ev;

	p.count = ALL;
	for (p.seed = 0; p.seed < 20; p.seed++) {
		ev = generate(test, &p, &stev3, 1);
		expect_distinct(test, ev, ALL);
		memset(count, 0, sizeof(count));
		for (i = 0; i < ALL; i++) {
			count[0][mrc_bitstr_get(&ev[i].bits, 0, 8)]++;
			count[1][mrc_bitstr_get(&ev[i].bits, 8, 4)]++;
			count[2][mrc_bitstr_get(&ev[i].bits, 12, 4)]++;
		}
		for (i = 0; i < 256; i++)
			KUNIT_EXPECT_EQ(test, count[0][i], 1);
		for (f = 1; f < 3; f++) {
			for (i = 0; i < 16; i++) {
				KUNIT_EXPECT_GE(test, count[f][i], 12);
				KUNIT_EXPECT_LE(test, count[f][i], 20);
			}
		}
	}
}

/* The same seed gives the same EVs, another seed gives others. */
static void mrc_profile_seed_determines_paths(struct kunit *test)
{
	struct mrc_profile p = sample();
	struct mrc_profile_ev *a, *b, *c;
	int i, common = 0;

	a = generate(test, &p, &stev3, 0xf);
	b = generate(test, &p, &stev3, 0xf);
	p.seed = 1;
	c = generate(test, &p, &stev3, 0xf);
	for (i = 0; i < p.count; i++) {
		KUNIT_EXPECT_TRUE(test, same(&a[i], &b[i]));
		common += same(&a[i], &c[i]);
	}
	KUNIT_EXPECT_LT(test, common, p.count / 2);
}

/* Switches hash the UDP port: each EV has a distinct value. */
static void mrc_profile_udp_values_are_distinct(struct kunit *test)
{
	struct mrc_profile p = {
		.mode = MRC_PROFILE_GENERATED, .count = 128, .n_fields = 1,
		.field = { GEN(0xc000, 0x3fff, 16) },
	};
	struct mrc_profile_ev *ev = generate(test, &p, &udp, 0xf);
	u32 value[128], ports[5] = {};
	u16 i, j;

	for (i = 0; i < p.count; i++) {
		value[i] = mrc_profile_value(&p, &udp, i, &ev[i]);
		KUNIT_EXPECT_TRUE(test, value[i] >= 0xc000 &&
				  value[i] <= 0xffff);
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_NE(test, value[i], value[j]);
		ports[ev[i].plane]++;
	}
	for (i = 1; i <= 4; i++)
		KUNIT_EXPECT_EQ(test, ports[i], 32);
}

/* The number of combinations exceeds 64 bits. */
static void mrc_profile_generates_256_bits(struct kunit *test)
{
	struct mrc_profile p = {
		.mode = MRC_PROFILE_GENERATED, .count = ALL, .n_fields = 9,
		.field = {
			GEN(0, 0xff, 8), GEN(0, 0xffffffff, 32),
			GEN(0, 0xffffffff, 32), GEN(0, 0xffffffff, 32),
			GEN(0, 0xffffff, 24), GEN(0, 0xffffffff, 32),
			GEN(0, 0xffffffff, 32), GEN(0, 0xffffffff, 32),
			GEN(0, 0xffffffff, 32),
		},
	};
	static const struct mrc_format fmt = {
		MRC_FORMAT_SRV6_SRH, 9, { 8, 32, 32, 32, 24, 32, 32, 32, 32 },
	};
	struct mrc_profile_ev *ev = generate(test, &p, &fmt, 1);
	struct mrc_bitstr any = {};
	u16 i, j;

	KUNIT_EXPECT_EQ(test, mrc_profile_ev_width(&p), 256);
	expect_distinct(test, ev, ALL);
	for (i = 0; i < ALL; i++)
		for (j = 0; j < MRC_BITSTR_WORDS; j++)
			any.w[j] |= ev[i].bits.w[j];
	for (j = 0; j < MRC_BITSTR_WORDS; j++)
		KUNIT_EXPECT_EQ(test, any.w[j], U64_MAX);
}

/* The EV on the wire: bits of the path if they fit, otherwise its index. */
static void mrc_profile_value_on_wire(struct kunit *test)
{
	struct mrc_profile p = {
		.mode = MRC_PROFILE_EXPLICIT, .count = 1, .n_fields = 2,
		.field = { GIVEN(0x100, 0xf, 16), GIVEN(0x200, 0xf, 16) },
	};
	struct mrc_profile_ev ev = { .plane = 3 };

	ev.bits.w[0] = 0xa4ULL << 56;
	KUNIT_EXPECT_EQ(test, mrc_profile_value(&p, &stev2, 7, &ev),
			0x010a0204);
	/* A short format is left-aligned in the EV. */
	p.field[0] = (struct mrc_field)GIVEN(0, 0xff, 8);
	p.n_fields = 1;
	KUNIT_EXPECT_EQ(test, mrc_profile_value(&p, &stev3, 7, &ev),
			0xa4000000);
	KUNIT_EXPECT_EQ(test, mrc_profile_value(&p, &(struct mrc_format){
				MRC_FORMAT_UDP, 1, { 8 } }, 7, &ev), 0xa400);

	/* SRv6: plane and EV, or index. */
	p = (struct mrc_profile){
		.mode = MRC_PROFILE_EXPLICIT, .count = 1, .n_fields = 3,
		.field = {
			FIXED(0xfcbbbb00, 32), GIVEN(0x1200, 0xff, 16),
			GIVEN(0, 0xffff, 16),
		},
	};
	KUNIT_EXPECT_EQ(test, mrc_profile_value(&p, &srv6, 7, &ev), 0x03a40000);
	p.field[1].mask = 0x1ff;
	KUNIT_EXPECT_EQ(test, mrc_profile_value(&p, &srv6, 7, &ev), 0x03000007);
	p.n_fields = 1;
	KUNIT_EXPECT_EQ(test, mrc_profile_value(&p, &srv6, 9, &ev), 0x03000009);
}

static struct kunit_case mrc_profile_cases[] = {
	KUNIT_CASE(mrc_profile_expands_examples),
	KUNIT_CASE(mrc_profile_expansion_matches_reference),
	KUNIT_CASE(mrc_profile_bad_cfg_refused),
	KUNIT_CASE(mrc_profile_limits_accepted),
	KUNIT_CASE(mrc_profile_bad_ev_refused),
	KUNIT_CASE(mrc_profile_generates_all_combinations),
	KUNIT_CASE(mrc_profile_zero_range_is_no_range),
	KUNIT_CASE(mrc_profile_generated_values_are_spread),
	KUNIT_CASE(mrc_profile_seed_determines_paths),
	KUNIT_CASE(mrc_profile_udp_values_are_distinct),
	KUNIT_CASE(mrc_profile_generates_256_bits),
	KUNIT_CASE(mrc_profile_value_on_wire),
	{}
};

static struct kunit_suite mrc_profile_suite = {
	.name = "mrc_profile",
	.test_cases = mrc_profile_cases,
};

kunit_test_suite(mrc_profile_suite);

MODULE_DESCRIPTION("KUnit tests of EV profiles");
MODULE_LICENSE("Dual BSD/GPL");
