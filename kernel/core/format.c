// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * EV format profiles.
 */
#include <linux/errno.h>
#include <linux/kernel.h>

#include "core/format.h"

static const struct {
	const char *name;
	u16 bits;
} modes[MRC_FORMAT_NR] = {
	[MRC_FORMAT_UDP]	= { "udp", 16 },
	[MRC_FORMAT_STEV]	= { "stev", 32 },
	[MRC_FORMAT_SRV6]	= { "srv6", MRC_ADDR_BITS },
	[MRC_FORMAT_SRV6_SRH]	= { "srv6-srh", 2 * MRC_ADDR_BITS },
};

/**
 * mrc_format_name() - name of a mode
 * @mode: any number
 *
 * Return: name in the CLI, or NULL.
 */
const char *mrc_format_name(u8 mode)
{
	return mode < MRC_FORMAT_NR ? modes[mode].name : NULL;
}

/**
 * mrc_format_max() - maximum number of bits of an EV
 * @mode: enum mrc_format_mode
 *
 * Return: bits.
 */
u16 mrc_format_max(u8 mode)
{
	return modes[mode].bits;
}

/**
 * mrc_format_width() - number of bits of all fields
 * @fmt: format
 *
 * Return: bits.
 */
u16 mrc_format_width(const struct mrc_format *fmt)
{
	u16 sum = 0;
	u8 i;

	for (i = 0; i < fmt->n; i++)
		sum += fmt->width[i];
	return sum;
}

/* The SRH's segment is a separate address: no field may extend across both. */
static int check_srh(const struct mrc_format *fmt, struct mrc_refusal *why)
{
	u16 end = 0;
	u8 i;

	for (i = 0; i < fmt->n && end < MRC_ADDR_BITS; i++)
		end += fmt->width[i];
	if (end > MRC_ADDR_BITS)
		return mrc_refuse(why, -EINVAL, i - 1,
				  "lies across bit %u, where the SRH begins",
				  MRC_ADDR_BITS);
	if (i == fmt->n)
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "fields have %u bits, none of them for the SRH",
				  end);
	return 0;
}

/**
 * mrc_format_check() - check a format
 * @fmt: format, unchecked
 * @why: filled in on error
 *
 * Context: any.
 * Return: 0; -E2BIG if a number exceeds its limit; -EINVAL.
 */
int mrc_format_check(const struct mrc_format *fmt, struct mrc_refusal *why)
{
	u8 i;

	if (fmt->mode >= MRC_FORMAT_NR)
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "there is no format mode %u", fmt->mode);
	if (!fmt->n)
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD, "no fields");
	if (fmt->n > MRC_FORMAT_FIELDS)
		return mrc_refuse(why, -E2BIG, MRC_NO_FIELD,
				  "%u fields, %u are possible", fmt->n,
				  MRC_FORMAT_FIELDS);
	for (i = 0; i < fmt->n; i++)
		if (!fmt->width[i] || fmt->width[i] > MRC_FIELD_BITS)
			return mrc_refuse(why, -EINVAL, i,
					  "width %u is not 1..%u",
					  fmt->width[i], MRC_FIELD_BITS);
	if (mrc_format_width(fmt) > mrc_format_max(fmt->mode))
		return mrc_refuse(why, -E2BIG, MRC_NO_FIELD,
				  "fields have %u bits, %s has %u",
				  mrc_format_width(fmt),
				  mrc_format_name(fmt->mode),
				  mrc_format_max(fmt->mode));
	if (fmt->mode == MRC_FORMAT_SRV6_SRH)
		return check_srh(fmt, why);
	return 0;
}
