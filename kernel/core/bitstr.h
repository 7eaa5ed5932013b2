/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Strings of up to 256 bits: entropy values of the control API and their
 * expansion.  Bits are counted from the most significant one of the first
 * octet.
 */
#ifndef MRC_CORE_BITSTR_H
#define MRC_CORE_BITSTR_H

#include <linux/string.h>
#include <linux/types.h>
#include <asm/byteorder.h>

#define MRC_BITSTR_WORDS 4
#define MRC_BITSTR_BITS (64 * MRC_BITSTR_WORDS)
#define MRC_BITSTR_BYTES (MRC_BITSTR_BITS / 8)

/**
 * struct mrc_bitstr - a string of bits
 * @w: bits 0..63, 64..127, ..; the first bit of each word is the most
 *	significant
 */
struct mrc_bitstr {
	u64 w[MRC_BITSTR_WORDS];
};

/**
 * mrc_bitstr_get() - read a number
 * @s: string
 * @at: its first bit
 * @width: bits, 0..32; the last one is inside the string
 *
 * Return: the number.
 */
static inline u32 mrc_bitstr_get(const struct mrc_bitstr *s, u16 at, u8 width)
{
	u8 off = at % 64;
	u64 v;

	if (!width)
		return 0;
	v = s->w[at / 64] << off;
	/* Two shifts: sparse warns of one by 64, which @off == 0 would be. */
	if (off + width > 64)
		v |= s->w[at / 64 + 1] >> 1 >> (63 - off);
	return v >> (64 - width);
}

/**
 * mrc_bitstr_put() - write a number
 * @s: string, zero where the number goes
 * @at: its first bit
 * @width: bits, 0..32; the last one is inside the string
 * @v: the number, at most @width bits
 */
static inline void mrc_bitstr_put(struct mrc_bitstr *s, u16 at, u8 width, u32 v)
{
	u8 end = at % 64 + width;

	if (!width)
		return;
	if (end <= 64) {
		s->w[at / 64] |= (u64)v << (64 - end);
		return;
	}
	s->w[at / 64] |= v >> (end - 64);
	s->w[at / 64 + 1] |= (u64)v << (128 - end);
}

/**
 * mrc_bitstr_ends() - are all bits from a given one on zero?
 * @s: string
 * @at: first bit, 0..MRC_BITSTR_BITS
 *
 * Return: true if so.
 */
static inline bool mrc_bitstr_ends(const struct mrc_bitstr *s, u16 at)
{
	u16 i = at / 64;

	if (at % 64 && s->w[i++] << at % 64)
		return false;
	for (; i < MRC_BITSTR_WORDS; i++)
		if (s->w[i])
			return false;
	return true;
}

/**
 * mrc_bitstr_read() - convert octets to a string
 * @s: filled in
 * @from: octets in network order
 * @len: number of octets, 0..MRC_BITSTR_BYTES; the other bits are set to zero
 */
static inline void mrc_bitstr_read(struct mrc_bitstr *s, const u8 *from,
				   u8 len)
{
	__be64 be[MRC_BITSTR_WORDS] = {};
	u8 i;

	memcpy(be, from, len);
	for (i = 0; i < MRC_BITSTR_WORDS; i++)
		s->w[i] = be64_to_cpu(be[i]);
}

/**
 * mrc_bitstr_write() - convert a string to octets
 * @s: string
 * @to: filled in, in network order
 * @len: number of octets, 0..MRC_BITSTR_BYTES
 */
static inline void mrc_bitstr_write(const struct mrc_bitstr *s, u8 *to, u8 len)
{
	__be64 be[MRC_BITSTR_WORDS];
	u8 i;

	for (i = 0; i < MRC_BITSTR_WORDS; i++)
		be[i] = cpu_to_be64(s->w[i]);
	memcpy(to, be, len);
}

#endif /* MRC_CORE_BITSTR_H */
