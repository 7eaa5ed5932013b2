// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Datagram codec.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "core/datagram.h"
#include "core/packet.h"

static int check_bth(const struct mrc_bth *bth)
{
	if ((bth->flags & MRC_BTH_TVER_MASK) != MRC_BTH_TVER)
		return -MRC_DROP_TVER;
	if ((be16_to_cpu(bth->pkey) & MRC_PKEY_BASE_MASK) !=
	    (MRC_PKEY_DEFAULT & MRC_PKEY_BASE_MASK))
		return -MRC_DROP_PKEY;
	return 0;
}

/* Subnet management and multicast are not supported. */
static int check_qpn(u32 qpn)
{
	return qpn == MRC_QPN_GSI ||
	       (qpn >= MRC_QPN_FIRST && qpn <= MRC_QPN_LAST) ?
		       0 : -MRC_DROP_QPN;
}

/* @rest: payload and padding. */
static int decode_payload(const struct mrc_bth *bth, u32 rest,
			  struct mrc_datagram *d)
{
	u32 pad = (bth->flags & MRC_BTH_PAD_MASK) >> MRC_BTH_PAD_SHIFT;

	if (pad > rest)
		return -MRC_DROP_PAD;
	if (rest - pad > MRC_PMTU_MAX)
		return -MRC_DROP_LONG;
	d->payload_len = rest - pad;
	return pad == mrc_pkt_pad(d->payload_len) ? 0 : -MRC_DROP_PAD;
}

static void decode_headers(const struct mrc_bth *bth, struct mrc_datagram *d)
{
	const struct mrc_deth *deth = (const void *)(bth + 1);
	const struct mrc_immdt *immdt = (const void *)(deth + 1);

	d->dest_qpn = be32_to_cpu(bth->qpn) & MRC_MASK_24;
	d->psn = be32_to_cpu(bth->apsn) & MRC_MASK_24;
	d->solicited = bth->flags & MRC_BTH_SE;
	d->qkey = be32_to_cpu(deth->qkey);
	d->src_qpn = be32_to_cpu(deth->src_qpn) & MRC_MASK_24;
	d->imm = d->has_imm ? immdt->imm : 0;
}

/**
 * mrc_datagram_decode() - decode and check the headers of a datagram
 * @hdr: first octets of the packet from BTH on, at any alignment; of an opcode
 *	for which mrc_datagram_is()
 * @hdr_len: octets at @hdr: at least min(@pkt_len, MRC_HDR_MAX)
 * @pkt_len: length of the whole packet, BTH to ICRC
 * @d: result; undefined on error
 *
 * The caller checks the ICRC, which is mandatory. Reserved bits are ignored.
 *
 * Context: any, no locks, no side effects.
 * Return: 0, or a negative enum mrc_drop.
 */
int mrc_datagram_decode(const u8 *hdr, u32 hdr_len, u32 pkt_len,
			struct mrc_datagram *d)
{
	const struct mrc_bth *bth = (const void *)hdr;
	u32 len;
	int err;

	if (!hdr_len)
		return -MRC_DROP_SHORT;
	d->has_imm = bth->opcode == MRC_OP_UD_SEND_IMM;
	len = mrc_datagram_hdr_len(d->has_imm);
	if (hdr_len < len || pkt_len < len + MRC_ICRC_LEN)
		return -MRC_DROP_SHORT;
	err = check_bth(bth);
	if (err)
		return err;
	d->payload_off = len;
	decode_headers(bth, d);
	err = check_qpn(d->dest_qpn);
	return err ?: decode_payload(bth, pkt_len - len - MRC_ICRC_LEN, d);
}

/**
 * mrc_datagram_put() - write the headers of a datagram
 * @buf: mrc_datagram_hdr_len() bytes, at any alignment
 * @d: content; its payload_off is ignored
 *
 * Return: bytes written.
 */
u32 mrc_datagram_put(u8 *buf, const struct mrc_datagram *d)
{
	struct mrc_bth *bth = (void *)buf;
	struct mrc_deth *deth = (void *)(bth + 1);
	struct mrc_immdt *immdt = (void *)(deth + 1);

	bth->opcode = d->has_imm ? MRC_OP_UD_SEND_IMM : MRC_OP_UD_SEND;
	bth->flags = mrc_pkt_pad(d->payload_len) << MRC_BTH_PAD_SHIFT |
		     (d->solicited ? MRC_BTH_SE : 0);
	bth->pkey = cpu_to_be16(MRC_PKEY_DEFAULT);
	bth->qpn = cpu_to_be32(d->dest_qpn);
	bth->apsn = cpu_to_be32(d->psn & MRC_MASK_24);
	deth->qkey = cpu_to_be32(d->qkey);
	deth->src_qpn = cpu_to_be32(d->src_qpn & MRC_MASK_24);
	if (d->has_imm)
		immdt->imm = d->imm;
	return mrc_datagram_hdr_len(d->has_imm);
}
