// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * libFuzzer: what an operator configures of paths. Formats, EV profiles, templates,
 * deny rules and prefixes with arbitrary members: what the checks accept is expanded,
 * generated and matched, and compared with a model that works bit by bit.
 */
#include <linux/bitops.h>

#include "core/deny.h"
#include "core/lpm.h"
#include "core/profile.h"
#include "core/srv6.h"
#include "core/usid.h"
#include "fuzz.h"

/* Generated EVs that are compared with each other. */
#define EVS		48
/* Operations on a table, and prefixes in its model. */
#define OPERATIONS	400
#define PREFIXES	512

/* Small numbers reach limits more often than any others. */
static u32 take_number(struct tape *t)
{
	u8 kind = take8(t);

	if (kind & 0x80)
		return take32(t);
	return kind & 0x40 ? take16(t) : kind & 0x3f;
}

static bool get_bit(const struct mrc_bitstr *s, u16 at)
{
	return s->w[at / 64] >> (63 - at % 64) & 1;
}

static void set_bit_to(struct mrc_bitstr *s, u16 at, bool bit)
{
	s->w[at / 64] |= (u64)bit << (63 - at % 64);
}

static struct mrc_bitstr take_bits(struct tape *t)
{
	struct mrc_bitstr s;
	u8 i;

	for (i = 0; i < MRC_BITSTR_WORDS; i++)
		s.w[i] = take64(t);
	return s;
}

static bool same_bits(const struct mrc_bitstr *a, const struct mrc_bitstr *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* --- formats and profiles ------------------------------------------------------ */

static void take_format(struct tape *t, struct mrc_format *fmt)
{
	u8 i;

	memset(fmt, 0, sizeof(*fmt));
	fmt->mode = take8(t) % (MRC_FORMAT_NR + 1);
	fmt->n = take8(t) % (MRC_FORMAT_FIELDS + 2);
	for (i = 0; i < fmt->n && i < MRC_FORMAT_FIELDS; i++)
		fmt->width[i] = take8(t) % (MRC_FIELD_BITS + 2);
}

static void take_field(struct tape *t, struct mrc_field *f)
{
	f->width = take8(t) % (MRC_FIELD_BITS + 2);
	f->mask = take_number(t);
	f->init_val = take_number(t);
	f->min_val = take_number(t);
	f->max_val = take_number(t);
}

static void take_profile(struct tape *t, struct mrc_profile *prof)
{
	u8 i;

	memset(prof, 0, sizeof(*prof));
	prof->mode = take8(t) % (MRC_PROFILE_NR + 1);
	prof->n_fields = take8(t) % (MRC_FORMAT_FIELDS + 1);
	prof->count = take_number(t);
	prof->active = take_number(t);
	prof->min_active = take_number(t);
	prof->seed = take64(t);
	for (i = 0; i < prof->n_fields; i++)
		take_field(t, &prof->field[i]);
}

/* The bits of the mask, from the most significant one on, are those of the EV. */
static void model_expand(const struct mrc_profile *prof,
			 const struct mrc_format *fmt,
			 const struct mrc_bitstr *ev, struct mrc_bitstr *out)
{
	u16 from = 0, to = 0;
	int bit;
	u8 i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < prof->n_fields; i++) {
		const struct mrc_field *f = &prof->field[i];

		to += fmt->width[i];
		for (bit = 31; bit >= 0; bit--) {
			if (f->mask >> bit & 1)
				set_bit_to(out, to - 1 - bit,
					   get_bit(ev, from++));
			else if (f->init_val >> bit & 1)
				set_bit_to(out, to - 1 - bit, true);
		}
	}
}

static void check_expansion(const struct mrc_profile *prof,
			    const struct mrc_format *fmt,
			    const struct mrc_bitstr *ev)
{
	struct mrc_bitstr got, want;

	mrc_profile_expand(prof, fmt, ev, &got);
	model_expand(prof, fmt, ev, &want);
	CHECK(same_bits(&got, &want));
	CHECK(mrc_bitstr_ends(&got, mrc_format_width(fmt)));
}

static void check_ranges(const struct mrc_profile *prof,
			 const struct mrc_profile_ev *ev)
{
	u16 at = 0, width = 0;
	u64 value;
	u8 i;

	for (i = 0; i < prof->n_fields; i++) {
		const struct mrc_field *f = &prof->field[i];

		value = 0;
		for (width = hweight32(f->mask); width; width--)
			value = value << 1 | get_bit(&ev->bits, at++);
		/* Zero to zero is no range. */
		CHECK((!f->min_val && !f->max_val) ||
		      (value >= f->min_val && value <= f->max_val));
	}
}

static void check_generated(const struct mrc_profile *prof,
			    const struct mrc_format *fmt, u32 ports)
{
	u16 n = min_t(u16, prof->count, EVS), i, k, of_plane[33] = {};
	struct mrc_profile_ev ev[EVS];
	struct mrc_refusal why;

	for (i = 0; i < n; i++) {
		mrc_profile_generate(prof, fmt, ports, i, &ev[i]);
		CHECK(!mrc_profile_check_ev(prof, &ev[i], ports, &why));
		check_ranges(prof, &ev[i]);
		check_expansion(prof, fmt, &ev[i].bits);
		of_plane[ev[i].plane]++;
		for (k = 0; k < i; k++)
			CHECK(ev[k].plane != ev[i].plane ||
			      !same_bits(&ev[k].bits, &ev[i].bits));
	}
	/* Ports take turns. */
	for (i = 1; i <= 32; i++)
		CHECK(of_plane[i] <= DIV_ROUND_UP(n, hweight32(ports)));
}

static void check_explicit(struct tape *t, const struct mrc_profile *prof,
			   const struct mrc_format *fmt, u32 ports)
{
	struct mrc_profile_ev ev = { .bits = take_bits(t), .plane = take8(t) };
	struct mrc_refusal why;

	if (mrc_profile_check_ev(prof, &ev, ports, &why)) {
		CHECK(strlen(why.text));
		return;
	}
	CHECK(ports >> (ev.plane - 1) & 1);
	check_expansion(prof, fmt, &ev.bits);
	mrc_profile_value(prof, fmt, 0, &ev);
}

static void fuzz_profile(struct tape *t)
{
	struct mrc_refusal why = {};
	struct mrc_profile prof;
	struct mrc_format fmt;
	u32 ports = take_number(t);
	bool format = take8(t) % 8;
	int ret;

	take_format(t, &fmt);
	take_profile(t, &prof);
	if (mrc_format_check(&fmt, &why)) {
		CHECK(strlen(why.text));
		return;
	}
	ret = mrc_profile_check(&prof, format ? &fmt : NULL, ports, &why);
	CHECK(!ret == !why.text[0]);
	if (ret || prof.mode == MRC_PROFILE_AUTO)
		return;
	if (prof.mode == MRC_PROFILE_GENERATED)
		check_generated(&prof, &fmt, ports);
	else
		check_explicit(t, &prof, &fmt, ports);
}

/* --- templates and deny rules -------------------------------------------------- */

static void take_layout(struct tape *t, struct mrc_srv6_layout *layout)
{
	u8 i;

	memset(layout, 0, sizeof(*layout));
	layout->block = take8(t);
	layout->usid = take8(t) % (MRC_FIELD_BITS + 2);
	layout->srh = take8(t) & 1;
	layout->ev_bits = take_number(t);
	layout->dest_bits = take8(t) % (MRC_SRV6_DEST_BITS + 2);
	layout->first_plane = take_number(t);
	layout->planes = take8(t) % (MRC_PLANE_MAX + 2);
	layout->n = take8(t) % (MRC_SRV6_FIELDS + 2);
	for (i = 0; i < layout->n && i < MRC_SRV6_FIELDS; i++)
		layout->field[i] = (struct mrc_srv6_field){
			.source = take8(t) % (MRC_SRV6_SOURCES + 1),
			.width = take8(t) % (MRC_FIELD_BITS + 2),
			.from = take8(t),
			.value = take_number(t),
		};
}

static bool source_bit(const struct mrc_srv6_layout *layout,
		       const struct mrc_srv6_field *f, u8 i,
		       const struct mrc_bitstr *ev, u8 plane, u64 number)
{
	u8 up = f->width - 1 - i;

	switch (f->source) {
	case MRC_SRV6_CONST:
		return f->value >> up & 1;
	case MRC_SRV6_EV:
		return get_bit(ev, f->from + i);
	case MRC_SRV6_PLANE:
		return (layout->first_plane + (u64)plane - 1) >> up & 1;
	default:
		return number >> (layout->dest_bits - 1 - f->from - i) & 1;
	}
}

static void model_address(const struct mrc_srv6_layout *layout,
			  const struct mrc_bitstr *ev, u8 plane, u64 number,
			  struct mrc_bitstr *out)
{
	u16 to = 0;
	u8 i, bit;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < layout->n; i++)
		for (bit = 0; bit < layout->field[i].width; bit++)
			set_bit_to(out, to++,
				   source_bit(layout, &layout->field[i], bit,
					      ev, plane, number));
}

static u32 usid_at(const struct mrc_bitstr *addr, u16 at, u8 usid)
{
	u32 value = 0;
	u8 i;

	for (i = 0; i < usid; i++)
		value = value << 1 | get_bit(addr, at + i);
	return value;
}

/* Whether a switch, or a link between two, is in one of the lists. */
static bool model_visits(const struct mrc_deny *rule,
			 const struct mrc_deny_path *p)
{
	u16 list, at, end;
	u32 last, usid;

	for (list = 0; list <= p->srh; list++) {
		end = (list + 1) * MRC_ADDR_BITS;
		last = 0;
		for (at = end - MRC_ADDR_BITS + p->block;
		     at + p->usid <= end; at += p->usid) {
			usid = usid_at(&p->addr, at, p->usid);
			if (!usid)
				break;
			if (rule->match & MRC_DENY_NEXT ?
			    last == rule->usid && usid == rule->next :
			    usid == rule->usid)
				return true;
			last = usid;
		}
	}
	return false;
}

static void fuzz_deny(struct tape *t, const struct mrc_srv6 *tmpl,
		      const struct mrc_bitstr *addr, u8 plane)
{
	struct mrc_deny_path path = {
		.ev = take_number(t),
		.port = plane,
		.srv6 = true,
		.srh = tmpl->srh,
		.block = tmpl->block,
		.usid = tmpl->usid,
		.addr = *addr,
	};
	struct mrc_deny rule = {
		.match = take8(t) & (MRC_DENY_EV | MRC_DENY_PORT |
				     MRC_DENY_USID | MRC_DENY_NEXT),
		.port = take8(t) % (MRC_PLANE_MAX + 2),
		.ev = take_number(t),
		.usid = take_number(t),
		.next = take_number(t),
	};
	struct mrc_refusal why;
	bool want;

	/* As it is in the path, so that rules match. */
	if (take8(t) & 1) {
		rule.usid = usid_at(addr, tmpl->block, tmpl->usid);
		rule.ev = path.ev;
	}
	if (mrc_deny_check(&rule, MRC_PLANE_MAX, &why))
		return;
	want = (!(rule.match & MRC_DENY_EV) || rule.ev == path.ev) &&
	       (!(rule.match & MRC_DENY_PORT) || rule.port == path.port) &&
	       (!(rule.match & MRC_DENY_USID) || model_visits(&rule, &path));
	CHECK(mrc_deny_matches(&rule, &path) == want);
}

static void fuzz_template(struct tape *t)
{
	struct mrc_refusal why = {};
	struct mrc_srv6_layout layout;
	struct mrc_bitstr ev, got, want;
	struct mrc_srv6_dest dest;
	struct mrc_srv6 tmpl;
	u8 plane;

	take_layout(t, &layout);
	if (mrc_srv6_compile(&layout, &tmpl, &why)) {
		CHECK(strlen(why.text));
		return;
	}
	dest = (struct mrc_srv6_dest){ .tmpl = &tmpl, .number = take64(t) };
	if (take8(t) % 8)
		dest.number = layout.dest_bits ?
			      dest.number >> (64 - layout.dest_bits) : 0;
	if (mrc_srv6_check_dest(&dest, &why))
		return;
	ev = take_bits(t);
	plane = 1 + take8(t) % layout.planes;
	mrc_srv6_expand(&dest, &ev, plane, &got);
	model_address(&layout, &ev, plane, dest.number, &want);
	CHECK(same_bits(&got, &want));
	if (!mrc_srv6_check_path(&dest, &ev, plane, &why))
		CHECK(usid_at(&got, tmpl.block, tmpl.usid));
	fuzz_deny(t, &tmpl, &got, plane);
}

/* --- prefixes ------------------------------------------------------------------ */

/**
 * struct model - prefixes of a table in a list
 * @key: prefixes
 * @number: of the entry
 * @n: how many
 */
struct model {
	struct mrc_lpm_key key[PREFIXES];
	u64 number[PREFIXES];
	u32 n;
};

static bool same_key(const struct mrc_lpm_key *a, const struct mrc_lpm_key *b)
{
	return a->hi == b->hi && a->lo == b->lo && a->len == b->len;
}

/* Index of a prefix, or of the longest one that covers an address; @n if none. */
static u32 model_find(const struct model *m, const struct mrc_lpm_key *key,
		      bool covers)
{
	u32 best = m->n, i;

	for (i = 0; i < m->n; i++) {
		if (covers && best < m->n && m->key[i].len <= m->key[best].len)
			continue;
		if (covers ? mrc_lpm_covers(&m->key[i], key) :
			     same_key(&m->key[i], key))
			best = i;
	}
	return best;
}

/* Few bits are set, so that prefixes cover each other. */
static void take_key(struct tape *t, struct mrc_lpm_key *key, u8 len)
{
	u8 bits = take8(t);
	u8 addr[16] = { bits & 3, bits >> 2 & 1 };

	addr[7] = bits >> 3 & 3;
	addr[8] = bits >> 5 & 3;
	addr[15] = bits >> 7;
	mrc_lpm_key_init(key, addr, len);
}

static void grow(struct mrc_lpm *table)
{
	u32 size = mrc_lpm_next_size(table);
	struct mrc_lpm_slot *slot;

	if (size == table->size)
		return;
	slot = calloc(size, sizeof(*slot));
	mrc_lpm_copy(table, slot, size);
	free(table->slot);
	table->slot = slot;
	table->size = size;
}

static void check_slot(const struct model *m, u32 i,
		       const struct mrc_lpm_slot *slot)
{
	CHECK((i < m->n) == !!slot);
	CHECK(!slot || slot->number == m->number[i]);
}

static void change(struct tape *t, struct mrc_lpm *table, struct model *m)
{
	struct mrc_lpm_slot *slot;
	struct mrc_lpm_key key;
	u32 i;

	take_key(t, &key, take8(t) % (MRC_LPM_BITS + 1));
	i = model_find(m, &key, false);
	slot = mrc_lpm_find(table, &key);
	check_slot(m, i, slot);
	if (slot) {
		mrc_lpm_del(table, slot);
		m->n--;
		m->key[i] = m->key[m->n];
		m->number[i] = m->number[m->n];
	} else if (m->n < PREFIXES) {
		grow(table);
		slot = mrc_lpm_add(table, &key);
		slot->number = t->left;
		m->key[m->n] = key;
		m->number[m->n++] = slot->number;
	}
	CHECK(table->n == m->n);
}

static void fuzz_prefixes(struct tape *t)
{
	static struct model m;
	struct mrc_lpm table;
	struct mrc_lpm_key key;
	int i;

	m.n = 0;
	mrc_lpm_init(&table, calloc(MRC_LPM_SIZE_MIN, sizeof(*table.slot)),
		     MRC_LPM_SIZE_MIN);
	for (i = 0; i < OPERATIONS && t->left; i++) {
		change(t, &table, &m);
		take_key(t, &key, MRC_LPM_BITS);
		check_slot(&m, model_find(&m, &key, true),
			   mrc_lpm_lookup(&table, &key));
	}
	free(table.slot);
}

/* --- outer headers ------------------------------------------------------------- */

static void fuzz_outer(struct tape *t)
{
	u8 *hdr = malloc(MRC_USID_OUTER_LEN), *inner = malloc(MRC_USID_INNER_LEN);
	struct mrc_refusal why;
	struct mrc_lpm_key usid;
	u8 addr[16];
	u32 i, len;

	for (i = 0; i < MRC_USID_OUTER_LEN; i++)
		hdr[i] = take8(t);
	for (i = 0; i < MRC_USID_INNER_LEN; i++)
		inner[i] = take8(t);
	memcpy(addr, hdr + 24, sizeof(addr));
	mrc_lpm_key_init(&usid, addr, take8(t) % (MRC_LPM_BITS + 1));
	if (!mrc_usid_check(&usid, &why)) {
		len = mrc_usid_outer_len(&usid, hdr);
		CHECK(!len || len >= 40);
		CHECK(len % 8 == 0);
	}
	mrc_usid_inner_ok(inner);
	free(inner);
	free(hdr);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct tape t = { .p = data, .left = size };

	switch (take8(&t) % 4) {
	case 0:
		fuzz_profile(&t);
		break;
	case 1:
		fuzz_template(&t);
		break;
	case 2:
		fuzz_prefixes(&t);
		break;
	default:
		fuzz_outer(&t);
	}
	return 0;
}
