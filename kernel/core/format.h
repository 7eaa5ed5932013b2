/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * EV format profiles: which header fields of a packet carry the EV, and of
 * which fields the EV consists (control API; limits in MRC 1.0 chapter 9).
 */
#ifndef MRC_CORE_FORMAT_H
#define MRC_CORE_FORMAT_H

#include <linux/types.h>

#include "core/refusal.h"

/*
 * Block and six uSIDs in the address, the same in the SRH, and two spare ones.
 */
#define MRC_FORMAT_FIELDS 16
/* Bits of a field: its values are 32-bit numbers in the control API. */
#define MRC_FIELD_BITS 32

/**
 * enum mrc_format_mode - header fields that carry the EV
 * @MRC_FORMAT_UDP: UDP source port; switches hash it (ECMP)
 * @MRC_FORMAT_STEV: UDP source port and flow label; switches parse them
 *	(structured EV)
 * @MRC_FORMAT_SRV6: outer IPv6 destination, a uSID list
 * @MRC_FORMAT_SRV6_SRH: outer IPv6 destination, and an SRH of one segment
 * @MRC_FORMAT_NR: number of modes
 */
enum mrc_format_mode {
	MRC_FORMAT_UDP,
	MRC_FORMAT_STEV,
	MRC_FORMAT_SRV6,
	MRC_FORMAT_SRV6_SRH,
	MRC_FORMAT_NR,
};

/* Bits of an IPv6 address. */
#define MRC_ADDR_BITS 128

/**
 * struct mrc_format - an EV format profile
 * @mode: enum mrc_format_mode
 * @n: number of fields
 * @width: widths of the fields in bits; the first field has the most
 *	significant bits
 */
struct mrc_format {
	u8 mode;
	u8 n;
	u8 width[MRC_FORMAT_FIELDS];
};

const char *mrc_format_name(u8 mode);
u16 mrc_format_max(u8 mode);
u16 mrc_format_width(const struct mrc_format *fmt);
int mrc_format_check(const struct mrc_format *fmt, struct mrc_refusal *why);

/**
 * mrc_format_routes() - does the EV encode a route, as opposed to a hash input?
 * @fmt: format
 *
 * Return: true if so; a value then has the same meaning in each plane.
 */
static inline bool mrc_format_routes(const struct mrc_format *fmt)
{
	return fmt->mode != MRC_FORMAT_UDP;
}

/**
 * mrc_format_is_srv6() - is there an outer header?
 * @fmt: format
 *
 * Return: true if so.
 */
static inline bool mrc_format_is_srv6(const struct mrc_format *fmt)
{
	return fmt->mode == MRC_FORMAT_SRV6 ||
	       fmt->mode == MRC_FORMAT_SRV6_SRH;
}

#endif /* MRC_CORE_FORMAT_H */
