/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * SRv6 templates: the outer destination addresses of the paths to many peers.
 *
 * The uSID list consists of bits of a constant, the EV, the plane and the
 * destination.  A template defines their positions and is shared by many
 * destinations; each destination has only a number.  No table of paths by
 * destination is needed.
 */
#ifndef MRC_CORE_SRV6_H
#define MRC_CORE_SRV6_H

#include <linux/build_bug.h>
#include <linux/types.h>

#include "core/bitstr.h"
#include "core/ev.h"
#include "core/format.h"
#include "core/refusal.h"

/* Default widths in bits: F3216 (RFC 9800). */
#define MRC_SRV6_BLOCK 32
#define MRC_SRV6_USID 16

/*
 * Maximum fields of a layout: block and uSIDs of three parts each, SRH
 * likewise.
 */
#define MRC_SRV6_FIELDS 40
/* Maximum pieces that differ between paths, destinations or planes. */
#define MRC_SRV6_PIECES 24
/* Maximum bits of the number of a destination. */
#define MRC_SRV6_DEST_BITS 64

/**
 * enum mrc_srv6_source - source of the bits of a field
 * @MRC_SRV6_CONST: constant
 * @MRC_SRV6_EV: the EV, expanded by its profile
 * @MRC_SRV6_PLANE: the plane
 * @MRC_SRV6_DEST: the number of the destination
 * @MRC_SRV6_SOURCES: number of sources
 */
enum mrc_srv6_source {
	MRC_SRV6_CONST,
	MRC_SRV6_EV,
	MRC_SRV6_PLANE,
	MRC_SRV6_DEST,
	MRC_SRV6_SOURCES,
};

/**
 * struct mrc_srv6_field - one field of an address
 * @source: enum mrc_srv6_source
 * @width: width in bits, 1..MRC_FIELD_BITS
 * @from: EV, DEST: first bit of the source, 0 being the most significant one
 * @value: CONST: the value
 */
struct mrc_srv6_field {
	u8 source;
	u8 width;
	u8 from;
	u32 value;
};

/**
 * struct mrc_srv6_layout - layout of addresses, as configured by the operator
 * @block: bits before the first uSID
 * @usid: bits of a uSID
 * @srh: an SRH of one segment follows the address; the fields continue there
 * @ev_bits: bits of the EV
 * @dest_bits: bits of a destination's number, at most MRC_SRV6_DEST_BITS
 * @first_plane: number of plane 1 in uSIDs
 * @planes: number of planes, at most MRC_PLANE_MAX
 * @n: number of fields
 * @field: fields, contiguous from the first bit of the address on
 */
struct mrc_srv6_layout {
	u8 block;
	u8 usid;
	bool srh;
	u16 ev_bits;
	u8 dest_bits;
	u32 first_plane;
	u8 planes;
	u8 n;
	struct mrc_srv6_field field[MRC_SRV6_FIELDS];
};

/**
 * struct mrc_srv6_piece - bits to be copied from a source to the address
 * @from: word of the source
 * @to: word of the address
 * @down: right shift of the source's word, 0..63
 * @width: number of bits copied after the shift, 1..MRC_FIELD_BITS
 * @up: left shift of these bits in the address's word, 0..63
 */
struct mrc_srv6_piece {
	u8 from:4;
	u8 to:4;
	u8 down;
	u8 width;
	u8 up;
};

/**
 * struct mrc_srv6 - a template: a compiled layout
 * @fixed: bits that are the same in every address
 * @first_plane: as in the layout
 * @block: likewise
 * @usid: likewise
 * @ev_bits: likewise
 * @dest_bits: likewise
 * @srh: likewise
 * @n: number of pieces
 * @piece: bits that differ between addresses
 */
struct mrc_srv6 {
	struct mrc_bitstr fixed;
	u32 first_plane;
	u8 block;
	u8 usid;
	u16 ev_bits;
	u8 dest_bits;
	bool srh;
	u8 n;
	struct mrc_srv6_piece piece[MRC_SRV6_PIECES];
};

/**
 * struct mrc_srv6_dest - template and number of a destination
 * @tmpl: template of its addresses
 * @number: number of the destination in its addresses
 */
struct mrc_srv6_dest {
	const struct mrc_srv6 *tmpl;
	u64 number;
};

/**
 * struct mrc_srh - segment routing header of one segment (RFC 8754, section 2)
 * @next: protocol of the next header
 * @len: octets beyond the first eight, in units of eight
 * @type: MRC_SRH_TYPE
 * @segments_left: remaining replacements of the destination address
 * @last_entry: index of the last segment in the header
 * @flags: zero
 * @tag: not used
 * @segment: address that replaces the destination address
 */
struct mrc_srh {
	u8 next;
	u8 len;
	u8 type;
	u8 segments_left;
	u8 last_entry;
	u8 flags;
	u8 tag[2];
	u8 segment[1][MRC_ADDR_BITS / 8];
};

/* Type of routing header. */
#define MRC_SRH_TYPE 4
/* Bytes of an SRH with one segment. */
#define MRC_SRH_LEN 24

static_assert(sizeof(struct mrc_srh) == MRC_SRH_LEN);

void mrc_srv6_put_srh(u8 *buf, u8 next, const u8 *segment);
int mrc_srv6_compile(const struct mrc_srv6_layout *layout,
		     struct mrc_srv6 *tmpl, struct mrc_refusal *why);
void mrc_srv6_expand(const struct mrc_srv6_dest *dest,
		     const struct mrc_bitstr *ev, u8 plane,
		     struct mrc_bitstr *out);
int mrc_srv6_check_dest(const struct mrc_srv6_dest *dest,
			struct mrc_refusal *why);
int mrc_srv6_check_path(const struct mrc_srv6_dest *dest,
			const struct mrc_bitstr *ev, u8 plane,
			struct mrc_refusal *why);

#endif /* MRC_CORE_SRV6_H */
