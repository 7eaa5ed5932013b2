// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * SRv6 templates: checks and expansion (RFC 8986; RFC 9800: compressed SID
 * lists; paper section 2.3: expansion of an EV to a list).
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/format.h"
#include "core/srv6.h"

/* Source words of pieces: those of the EV, then these. */
enum {
	WORD_PLANE = MRC_BITSTR_WORDS,
	WORD_DEST,
	WORDS,
};

static int check_widths(const struct mrc_srv6_layout *layout,
			struct mrc_refusal *why)
{
	if (!layout->usid || layout->usid > MRC_FIELD_BITS)
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "uSIDs of %u bits are not of 1..%u",
				  layout->usid, MRC_FIELD_BITS);
	if (!layout->block || layout->block + layout->usid > MRC_ADDR_BITS)
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "a block of %u bits is not of 1..%u",
				  layout->block,
				  MRC_ADDR_BITS - layout->usid);
	if (layout->ev_bits > MRC_BITSTR_BITS)
		return mrc_refuse(why, -E2BIG, MRC_NO_FIELD,
				  "EV of %u bits, %u are possible",
				  layout->ev_bits, MRC_BITSTR_BITS);
	if (layout->dest_bits > MRC_SRV6_DEST_BITS)
		return mrc_refuse(why, -E2BIG, MRC_NO_FIELD,
				  "destinations of %u bits, %u are possible",
				  layout->dest_bits, MRC_SRV6_DEST_BITS);
	if (!layout->planes || layout->planes > MRC_PLANE_MAX)
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "%u planes are not 1..%u", layout->planes,
				  MRC_PLANE_MAX);
	if (!layout->n || layout->n > MRC_SRV6_FIELDS)
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "%u fields are not 1..%u", layout->n,
				  MRC_SRV6_FIELDS);
	return 0;
}

static bool fits(u64 value, u8 width)
{
	return width >= 64 || !(value >> width);
}

static int check_source(const struct mrc_srv6_field *f, u8 i, const char *name,
			u16 bits, struct mrc_refusal *why)
{
	if (f->from + f->width <= bits)
		return 0;
	return mrc_refuse(why, -EINVAL, i, "%s bits %u..%u of %u", name,
			  f->from, f->from + f->width - 1, bits);
}

static int check_field(const struct mrc_srv6_layout *layout, u8 i,
		       struct mrc_refusal *why)
{
	const struct mrc_srv6_field *f = &layout->field[i];
	u64 last_plane = (u64)layout->first_plane + layout->planes - 1;

	if (!f->width || f->width > MRC_FIELD_BITS)
		return mrc_refuse(why, -EINVAL, i, "width %u is not 1..%u",
				  f->width, MRC_FIELD_BITS);
	switch (f->source) {
	case MRC_SRV6_CONST:
		if (fits(f->value, f->width))
			return 0;
		return mrc_refuse(why, -EINVAL, i,
				  "value 0x%x does not fit width %u", f->value,
				  f->width);
	case MRC_SRV6_EV:
		return check_source(f, i, "EV", layout->ev_bits, why);
	case MRC_SRV6_PLANE:
		if (fits(last_plane, f->width))
			return 0;
		return mrc_refuse(why, -EINVAL, i,
				  "plane %llu does not fit width %u",
				  last_plane, f->width);
	case MRC_SRV6_DEST:
		return check_source(f, i, "destination", layout->dest_bits,
				    why);
	}
	return mrc_refuse(why, -EINVAL, i, "there is no source %u", f->source);
}

/*
 * The last address ends with a whole uSID; with an SRH the first is complete.
 */
static int check_end(const struct mrc_srv6_layout *layout, u16 bits,
		     struct mrc_refusal *why)
{
	u16 begin = layout->srh ? MRC_ADDR_BITS : 0, end = bits - begin;

	if (bits <= begin)
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "fields have %u bits, none of them for the SRH",
				  bits);
	if (end > MRC_ADDR_BITS)
		return mrc_refuse(why, -E2BIG, MRC_NO_FIELD,
				  "fields have %u bits, there is room for %u",
				  bits, begin + MRC_ADDR_BITS);
	if (end < layout->block + layout->usid)
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "fields end before the first uSID does");
	if (end < MRC_ADDR_BITS && (end - layout->block) % layout->usid)
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "fields end inside uSID %u",
				  (end - layout->block) / layout->usid + 1);
	return 0;
}

static int check_fields(const struct mrc_srv6_layout *layout,
			struct mrc_refusal *why)
{
	u16 bits = 0;
	int ret;
	u8 i;

	for (i = 0; i < layout->n; i++) {
		ret = check_field(layout, i, why);
		if (ret)
			return ret;
		if (layout->srh && bits < MRC_ADDR_BITS &&
		    bits + layout->field[i].width > MRC_ADDR_BITS)
			return mrc_refuse(why, -EINVAL, i,
					  "lies across bit %u, where the SRH begins",
					  MRC_ADDR_BITS);
		bits += layout->field[i].width;
	}
	return check_end(layout, bits, why);
}

/* First source word of a field; @at is set to the first bit in that word. */
static u8 source_word(const struct mrc_srv6_layout *layout,
		      const struct mrc_srv6_field *f, u16 *at)
{
	switch (f->source) {
	case MRC_SRV6_EV:
		*at = f->from % 64;
		return f->from / 64;
	case MRC_SRV6_PLANE:
		*at = 64 - f->width;
		return WORD_PLANE;
	default:
		*at = 64 - layout->dest_bits + f->from;
		return WORD_DEST;
	}
}

/* Split a field at word boundaries of source and address; false: too many. */
static bool add_pieces(const struct mrc_srv6_layout *layout,
		       const struct mrc_srv6_field *f, u16 to,
		       struct mrc_srv6 *tmpl)
{
	u8 word, width, left;
	u16 at;

	word = source_word(layout, f, &at);
	for (left = f->width; left; left -= width) {
		if (tmpl->n == MRC_SRV6_PIECES)
			return false;
		width = min3((u16)left, (u16)(64 - at), (u16)(64 - to % 64));
		tmpl->piece[tmpl->n++] = (struct mrc_srv6_piece){
			.from = word,
			.to = to / 64,
			.down = 64 - at - width,
			.width = width,
			.up = 64 - to % 64 - width,
		};
		to += width;
		at += width;
		word += at / 64;
		at %= 64;
	}
	return true;
}

/* Octets beyond the first eight, in units of eight. */
#define SRH_HDR_LEN	(MRC_SRH_LEN / 8 - 1)

/**
 * mrc_srv6_put_srh() - write an SRH of one segment
 * @buf: MRC_SRH_LEN bytes
 * @next: protocol of the next header
 * @segment: address that replaces the destination address at the end of its
 *	list
 *
 * The destination address is the first segment and not repeated (reduced SRH,
 * RFC 8754 section 4.1.1): one segment is left, and it is entry 0.
 */
void mrc_srv6_put_srh(u8 *buf, u8 next, const u8 *segment)
{
	struct mrc_srh srh = {
		.next = next,
		.len = SRH_HDR_LEN,
		.type = MRC_SRH_TYPE,
		.segments_left = 1,
		.last_entry = 0,
	};

	memcpy(srh.segment[0], segment, sizeof(srh.segment[0]));
	memcpy(buf, &srh, sizeof(srh));
}

/**
 * mrc_srv6_compile() - check a layout and compile it to a template
 * @layout: layout, unchecked
 * @tmpl: filled in
 * @why: filled in on error
 *
 * Context: any.
 * Return: 0; -E2BIG if a number exceeds its limit; -EINVAL.
 */
int mrc_srv6_compile(const struct mrc_srv6_layout *layout,
		     struct mrc_srv6 *tmpl, struct mrc_refusal *why)
{
	const struct mrc_srv6_field *f;
	u16 to = 0;
	int ret;
	u8 i;

	ret = check_widths(layout, why) ?: check_fields(layout, why);
	if (ret)
		return ret;
	*tmpl = (struct mrc_srv6){
		.first_plane = layout->first_plane,
		.block = layout->block,
		.usid = layout->usid,
		.ev_bits = layout->ev_bits,
		.dest_bits = layout->dest_bits,
		.srh = layout->srh,
	};
	for (i = 0; i < layout->n; i++, to += f->width) {
		f = &layout->field[i];
		if (f->source == MRC_SRV6_CONST)
			mrc_bitstr_put(&tmpl->fixed, to, f->width, f->value);
		else if (!add_pieces(layout, f, to, tmpl))
			return mrc_refuse(why, -E2BIG, i,
					  "more than %u pieces that are not constant",
					  MRC_SRV6_PIECES);
	}
	return 0;
}

/**
 * mrc_srv6_expand() - compute the outer destination of a path
 * @dest: checked destination
 * @ev: EV, expanded by its profile
 * @plane: plane, 1..MRC_PLANE_MAX
 * @out: filled in: the address, followed by the SRH's segment
 *
 * Context: any; a few instructions per piece of the template.
 */
void mrc_srv6_expand(const struct mrc_srv6_dest *dest,
		     const struct mrc_bitstr *ev, u8 plane,
		     struct mrc_bitstr *out)
{
	const struct mrc_srv6 *tmpl = dest->tmpl;
	const struct mrc_srv6_piece *p = tmpl->piece;
	const struct mrc_srv6_piece *end = p + tmpl->n;
	u64 word[WORDS];

	memcpy(word, ev->w, sizeof(ev->w));
	word[WORD_PLANE] = (u64)tmpl->first_plane + plane - 1;
	word[WORD_DEST] = dest->number;
	*out = tmpl->fixed;
	for (; p < end; p++)
		out->w[p->to] |= (word[p->from] >> p->down &
				  U64_MAX >> (64 - p->width)) << p->up;
}

/**
 * mrc_srv6_check_dest() - check the number of a destination
 * @dest: template and unchecked number
 * @why: filled in on error
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int mrc_srv6_check_dest(const struct mrc_srv6_dest *dest,
			struct mrc_refusal *why)
{
	if (fits(dest->number, dest->tmpl->dest_bits))
		return 0;
	return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
			  "destination 0x%llx does not fit the template's %u bits",
			  dest->number, dest->tmpl->dest_bits);
}

/* Global unicast (RFC 4291), as far as the first four octets show. */
static bool is_unicast(u32 first)
{
	return first && first >> 24 != 0xff && first >> 22 != 0xfe80 >> 6;
}

/* A uSID of zero ends the list: only zeros may follow (RFC 9800). */
static int check_usids(const struct mrc_srv6 *tmpl,
		       const struct mrc_bitstr *addr, u16 at,
		       struct mrc_refusal *why)
{
	u16 end = at + MRC_ADDR_BITS, n = 1, zero = 0;

	for (at += tmpl->block; at + tmpl->usid <= end; at += tmpl->usid, n++) {
		if (!mrc_bitstr_get(addr, at, tmpl->usid))
			zero = zero ?: n;
		else if (zero)
			break;
	}
	if (zero && (zero == 1 || at + tmpl->usid <= end))
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "uSID %u is zero, which ends the list", zero);
	return 0;
}

/**
 * mrc_srv6_check_path() - check the outer destination of a path
 * @dest: checked destination
 * @ev: EV, expanded by its profile
 * @plane: plane, 1..MRC_PLANE_MAX
 * @why: filled in on error
 *
 * Context: any; not in the data path.
 * Return: 0 or -EINVAL.
 */
int mrc_srv6_check_path(const struct mrc_srv6_dest *dest,
			const struct mrc_bitstr *ev, u8 plane,
			struct mrc_refusal *why)
{
	struct mrc_bitstr addr;
	u16 at;
	u32 first;
	int ret;

	mrc_srv6_expand(dest, ev, plane, &addr);
	for (at = 0; at <= (dest->tmpl->srh ? MRC_ADDR_BITS : 0);
	     at += MRC_ADDR_BITS) {
		first = mrc_bitstr_get(&addr, at, 32);
		if (!is_unicast(first))
			return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
					  "%x:%x::/32 is not unicast",
					  first >> 16, first & 0xffff);
		ret = check_usids(dest->tmpl, &addr, at, why);
		if (ret)
			return ret;
	}
	return 0;
}
