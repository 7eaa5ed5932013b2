// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packet codec.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "core/packet.h"

static const void *after_bth(const u8 *h)
{
	return h + sizeof(struct mrc_bth);
}

/* Decoder. Each step returns 0 or a negative enum mrc_drop. */

static int decode_bth(const struct mrc_bth *bth, struct mrc_pkt *p)
{
	u32 apsn = be32_to_cpu(bth->apsn);
	u8 bits = apsn >> MRC_BTH_APSN_SHIFT;

	if ((bth->flags & MRC_BTH_TVER_MASK) != MRC_BTH_TVER)
		return -MRC_DROP_TVER;
	if ((be16_to_cpu(bth->pkey) & MRC_PKEY_BASE_MASK) !=
	    (MRC_PKEY_DEFAULT & MRC_PKEY_BASE_MASK))
		return -MRC_DROP_PKEY;
	p->dest_qpn = be32_to_cpu(bth->qpn) & MRC_MASK_24;
	p->psn = apsn & MRC_MASK_24;
	p->flags = (bits & MRC_BTH_ACKREQ ? MRC_PF_ACKREQ : 0) |
		   (bits & MRC_BTH_RTX ? MRC_PF_RTX : 0) |
		   (bits & MRC_BTH_TS ? MRC_PF_TS : 0) |
		   (bits & MRC_BTH_NOICRC ? MRC_PF_NOICRC : 0) |
		   (bth->flags & MRC_BTH_SE ? MRC_PF_SE : 0);
	return 0;
}

static int check_qpn(const struct mrc_pkt *p)
{
	if (p->op->flags & MRC_OPF_ENDPOINT)
		return p->dest_qpn == MRC_QPN_ENDPOINT ? 0 : -MRC_DROP_QPN;
	if (p->dest_qpn < MRC_QPN_FIRST || p->dest_qpn > MRC_QPN_LAST)
		return -MRC_DROP_QPN;
	return 0;
}

/*
 * Payload length against the opcode. First and Middle packets are a full path
 * MTU long, which is a multiple of 4: they have payload and no padding. A Last
 * packet is not empty. (IBTA 9.7.5.1; the path MTU itself is known to the QP.)
 */
static int check_payload(const struct mrc_pkt *p)
{
	u32 flags = p->op->flags;

	if (!(flags & MRC_OPF_PAYLOAD))
		return p->payload_len || p->pad ? -MRC_DROP_LENGTH : 0;
	if (!(flags & MRC_OPF_LAST) && p->pad)
		return -MRC_DROP_PAD;
	if ((flags & MRC_OPF_ONLY) != MRC_OPF_ONLY && !p->payload_len)
		return -MRC_DROP_LENGTH;
	return p->pad == mrc_pkt_pad(p->payload_len) ? 0 : -MRC_DROP_PAD;
}

/* RETH's offset (SEND, READ response) against the message length. */
static int check_offset(const struct mrc_pkt *p)
{
	u32 flags = p->op->flags;

	if (p->va > p->dmalen || p->dmalen - p->va < p->payload_len)
		return -MRC_DROP_DMALEN;
	if (!!(flags & MRC_OPF_FIRST) != !p->va)
		return -MRC_DROP_DMALEN;
	if (!!(flags & MRC_OPF_LAST) != (p->va + p->payload_len == p->dmalen))
		return -MRC_DROP_DMALEN;
	return 0;
}

static int check_reth(const struct mrc_pkt *p)
{
	u32 flags = p->op->flags;

	if (p->dmalen > MRC_MSG_MAX)
		return -MRC_DROP_DMALEN;
	if (!(flags & MRC_OPF_PAYLOAD))
		return 0;
	if ((flags & MRC_OPF_ONLY) == MRC_OPF_ONLY ?
	    p->payload_len != p->dmalen : p->payload_len >= p->dmalen)
		return -MRC_DROP_DMALEN;
	if (flags & MRC_OPF_OFFSET)
		return check_offset(p);
	/*
	 * The last octet of the payload may be the last of the address space.
	 */
	if (p->payload_len && p->va + (p->payload_len - 1) < p->va)
		return -MRC_DROP_VA;
	return 0;
}

static void decode_reth(const struct mrc_reth *reth, struct mrc_pkt *p)
{
	p->va = be64_to_cpu(reth->va);
	p->rkey = be32_to_cpu(reth->rkey);
	p->dmalen = be32_to_cpu(reth->dmalen);
}

/* ATOMICs have AtomicETH or AtomicAckETH in place of RETH. */
static void decode_atomic(const u8 *next, struct mrc_pkt *p)
{
	const struct mrc_atomicacketh *ack = (const void *)next;
	const struct mrc_atomiceth *eth = (const void *)next;

	p->dmalen = sizeof(u64);
	if (p->op->flags & MRC_OPF_RSP) {
		p->va = 0;
		p->rkey = 0;
		p->compare = 0;
		p->orig = be64_to_cpu(ack->orig);
		return;
	}
	p->va = be64_to_cpu(eth->va);
	p->rkey = be32_to_cpu(eth->rkey);
	p->swap = be64_to_cpu(eth->swap);
	p->compare = be64_to_cpu(eth->compare);
}

/* decode_data() has checked that @h contains all headers of the opcode. */
static void decode_data_hdr(const u8 *h, struct mrc_pkt *p)
{
	const struct mrc_meth *meth = after_bth(h);
	const u8 *next = (const u8 *)(meth + 1);

	p->rqmsn = be16_to_cpu(meth->rqmsn);
	p->msn = be16_to_cpu(meth->msn);
	p->tx_ts = 0;
	if (p->flags & MRC_PF_TS) {
		const struct mrc_tseth *tseth = (const void *)next;

		p->tx_ts = be16_to_cpu(tseth->tx_ts);
		next += sizeof(*tseth);
	}
	p->imm = 0;
	/* RPSNETH is the last header. */
	if (p->op->flags & MRC_OPF_RD_ATOMIC)
		p->rpsn = be32_to_cpu(((const struct mrc_rpsneth *)
				       (h + p->payload_off))[-1].rpsn) &
			  MRC_MASK_24;
	if (!(p->op->flags & MRC_OPF_RETH)) {
		decode_atomic(next, p);
		return;
	}
	decode_reth((const void *)next, p);
	next += sizeof(struct mrc_reth);
	/* IETH has the size and place of ImmDt. */
	if (p->op->flags & (MRC_OPF_IMM | MRC_OPF_INV))
		p->imm = ((const struct mrc_immdt *)next)->imm;
}

static int decode_data(const u8 *h, u32 hdr_len, u32 pkt_len,
		       struct mrc_pkt *p)
{
	const struct mrc_bth *bth = (const void *)h;
	u32 len = mrc_pkt_hdr_len(bth->opcode, p->flags);
	u32 pad = (bth->flags & MRC_BTH_PAD_MASK) >> MRC_BTH_PAD_SHIFT;
	int err;

	if (pkt_len < len + MRC_ICRC_LEN || hdr_len < len)
		return -MRC_DROP_SHORT;
	pkt_len -= len + MRC_ICRC_LEN;
	if (pkt_len < pad)
		return -MRC_DROP_PAD;
	if (pkt_len > MRC_PMTU_MAX)
		return -MRC_DROP_LONG;
	p->pad = pad;
	p->payload_off = len;
	p->payload_len = pkt_len - pad;
	err = check_payload(p);
	if (err)
		return err;
	decode_data_hdr(h, p);
	return check_reth(p);
}

static int decode_sack(const u8 *h, struct mrc_pkt *p)
{
	const struct mrc_seth *seth = after_bth(h);
	const struct mrc_cc_state *cc = (const void *)(seth + 1);
	struct mrc_pkt_sack *s = &p->sack;
	u16 info = be16_to_cpu(seth->info);
	u32 rcvd = be32_to_cpu(cc->rcvd);

	s->cack_psn = be32_to_cpu(seth->cack_psn) & MRC_MASK_24;
	s->entropy = be32_to_cpu(seth->entropy);
	s->bitmap = be64_to_cpu(seth->bitmap);
	s->rcvd_bytes = rcvd & MRC_MASK_24;
	s->ooo_count = be16_to_cpu(cc->ooo) & MRC_CC_OOO_MASK;
	s->sack_offset = (s16)be16_to_cpu(seth->sack_offset);
	s->tx_ts = be16_to_cpu(cc->tx_ts);
	s->mpr = seth->mpr;
	s->mark = (info & MRC_SETH_M_MASK) >> MRC_SETH_M_SHIFT;
	if (s->mark > MRC_MARK_ALWAYS_SKIP)
		s->mark = MRC_MARK_NONE;
	s->cwnd_pen = (rcvd >> MRC_CC_PEN_SHIFT) & MRC_CC_PEN_MASK;
	s->restore_cwnd = rcvd & MRC_CC_RESTORE;
	s->rtx = p->flags & MRC_PF_RTX;
	s->probe = info & MRC_SETH_PR;
	s->probe_id = s->probe ? be16_to_cpu(seth->ack_psn_offset) : 0;
	s->ack_psn_offset =
		s->probe ? 0 : (s16)be16_to_cpu(seth->ack_psn_offset);
	return 0;
}

static bool nack_reason_known(u8 reason)
{
	switch (reason) {
	case MRC_NACK_TRIMMED:
	case MRC_NACK_TRIMMED_LASTHOP:
	case MRC_NACK_NO_BITMAP:
	case MRC_NACK_NO_PKT_BUFFER:
	case MRC_NACK_NO_RESOURCE:
	case MRC_NACK_PSN_OOR_WINDOW:
	case MRC_NACK_UNEXP_EVENT:
		return true;
	default:
		return false;
	}
}

static int decode_nack(const u8 *h, struct mrc_pkt *p)
{
	const struct mrc_neth *neth = after_bth(h);

	if (!nack_reason_known(neth->reason))
		return -MRC_DROP_NACK_REASON;
	p->nack.psn = be32_to_cpu(neth->nack_psn) & MRC_MASK_24;
	p->nack.entropy = be32_to_cpu(neth->entropy);
	p->nack.tx_ts = be16_to_cpu(neth->tx_ts);
	p->nack.reason = neth->reason;
	return 0;
}

/* Reserved codes of a known type are handled by the requester. */
static bool syndrome_known(u8 syndrome)
{
	switch (syndrome & MRC_SYN_TYPE_MASK) {
	case MRC_SYN_TYPE_ACK:
	case MRC_SYN_TYPE_RNR:
	case MRC_SYN_TYPE_NAK:
		return true;
	default:
		return false;
	}
}

static int decode_ack(const u8 *h, struct mrc_pkt *p)
{
	const struct mrc_aeth *aeth = after_bth(h);
	u32 smsn = be32_to_cpu(aeth->smsn);

	if (!syndrome_known(smsn >> MRC_AETH_SYNDROME_SHIFT))
		return -MRC_DROP_NACK_REASON;
	p->ack.psn = p->psn;
	p->ack.msn = smsn & MRC_MASK_24;
	p->ack.syndrome = smsn >> MRC_AETH_SYNDROME_SHIFT;
	return 0;
}

static int decode_probe(const u8 *h, struct mrc_pkt *p)
{
	const struct mrc_peth *peth = after_bth(h);

	p->probe.probe_id = be16_to_cpu(peth->probe_id);
	p->probe.tx_ts = be16_to_cpu(peth->tx_ts);
	return 0;
}

/* Fields that both endpoint headers have in common. */
static int decode_endpoint(u8 op, u8 vendor_info, u32 port_mask, u32 caps,
			   struct mrc_pkt *p)
{
	struct mrc_pkt_endpoint *e = &p->endpoint;

	if (op != MRC_EP_PORT_STATUS && op != MRC_EP_EV_PROBE)
		return -MRC_DROP_EP_OP;
	e->op = op;
	e->req_id = p->psn;
	e->port_mask = port_mask;
	e->has_magic = vendor_info == MRC_VENDOR_MAGIC &&
		    (caps & MRC_CAPS_MAGIC_MASK) == MRC_CAPS_MAGIC;
	e->caps = e->has_magic ? caps : 0;
	return 0;
}

static int decode_erth(const u8 *h, struct mrc_pkt *p)
{
	const struct mrc_erth *erth = after_bth(h);

	p->endpoint.tx_ts = be16_to_cpu(erth->tx_ts);
	return decode_endpoint(be16_to_cpu(erth->info) & MRC_ERTH_OP_MASK,
			       erth->vendor_info, be32_to_cpu(erth->port_mask),
			       be32_to_cpu(erth->caps), p);
}

static int decode_eeth(const u8 *h, struct mrc_pkt *p)
{
	const struct mrc_eeth *eeth = after_bth(h);
	u16 info = be16_to_cpu(eeth->info);

	p->endpoint.tx_ts = be16_to_cpu(eeth->tx_ts);
	return decode_endpoint((info & MRC_EETH_OP_MASK) >> MRC_EETH_OP_SHIFT,
			       eeth->vendor_info, be32_to_cpu(eeth->port_mask),
			       be32_to_cpu(eeth->caps), p);
}

/* Padding makes a probe as long as a data packet; its content is ignored. */
static u32 ctrl_len_max(const struct mrc_pkt *p)
{
	if (p->op->code == MRC_OP_PROBE)
		return MRC_PADDED_PROBE_LEN(MRC_PMTU_MAX);
	return p->op->hdr_len + MRC_ICRC_LEN;
}

static int decode_ctrl(const u8 *h, u32 hdr_len, u32 pkt_len,
		       struct mrc_pkt *p)
{
	u32 len = p->op->hdr_len;

	if (pkt_len < len + MRC_ICRC_LEN || hdr_len < len)
		return -MRC_DROP_SHORT;
	/* The pad count is ignored: lengths are fixed multiples of 4. */
	if (pkt_len > ctrl_len_max(p))
		return -MRC_DROP_LONG;
	if (p->flags & MRC_PF_NOICRC)
		return -MRC_DROP_NOICRC;

	switch (p->op->code) {
	case MRC_OP_SACK:
		return decode_sack(h, p);
	case MRC_OP_NACK:
		return decode_nack(h, p);
	case MRC_OP_ACK:
		return decode_ack(h, p);
	case MRC_OP_PROBE:
		return decode_probe(h, p);
	case MRC_OP_ENDPOINT_REQ:
		return decode_erth(h, p);
	case MRC_OP_ENDPOINT_RSP:
		return decode_eeth(h, p);
	default:
		return -MRC_DROP_OPCODE;
	}
}

/**
 * mrc_pkt_decode_hdr() - decode and check the headers of a packet
 * @hdr: first octets of the packet from BTH on, at any alignment
 * @hdr_len: octets at @hdr: at least min(@pkt_len, MRC_HDR_MAX), otherwise the
 *	packet may be rejected as short
 * @pkt_len: length of the whole packet, BTH to ICRC, that is the UDP payload
 * @p: result; undefined on error
 *
 * Does not read payload, padding or ICRC; the caller checks the ICRC unless
 * MRC_PF_NOICRC is set and permitted. Reserved bits are ignored.
 *
 * Context: any, no locks, no side effects.
 * Return: 0, or a negative enum mrc_drop.
 */
int mrc_pkt_decode_hdr(const u8 *hdr, u32 hdr_len, u32 pkt_len,
		       struct mrc_pkt *p)
{
	const struct mrc_bth *bth = (const void *)hdr;
	int err;

	if (pkt_len < MRC_PKT_MIN || hdr_len < sizeof(*bth))
		return -MRC_DROP_SHORT;
	if (!mrc_opcode_is_mrc(bth->opcode))
		return -MRC_DROP_NOT_MRC;
	p->op = mrc_opcode_get(bth->opcode);
	if (!p->op->name)
		return -MRC_DROP_OPCODE;

	err = decode_bth(bth, p);
	if (err)
		return err;
	err = check_qpn(p);
	if (err)
		return err;
	if (p->op->flags & MRC_OPF_CTRL)
		return decode_ctrl(hdr, hdr_len, pkt_len, p);
	return decode_data(hdr, hdr_len, pkt_len, p);
}

/**
 * mrc_pkt_decode_trimmed() - decode the headers of a trimmed data packet
 * @hdr: first octets of the packet from BTH on
 * @hdr_len: octets at @hdr
 * @p: filled in: the fields of BTH, the timestamp unless it was trimmed, and a payload
 *	of no bytes; no other fields may be used
 *
 * MRC 1.0 7.5.3: lengths and ICRC of trimmed packets are invalid.
 *
 * Context: any.
 * Return: 0, or a negative enum mrc_drop.
 */
int mrc_pkt_decode_trimmed(const u8 *hdr, u32 hdr_len, struct mrc_pkt *p)
{
	const struct mrc_bth *bth = (const void *)hdr;
	const struct mrc_meth *meth;
	const struct mrc_tseth *tseth;
	int err;

	if (hdr_len < sizeof(*bth))
		return -MRC_DROP_SHORT;
	if (!mrc_opcode_is_mrc(bth->opcode))
		return -MRC_DROP_NOT_MRC;
	p->op = mrc_opcode_get(bth->opcode);
	if (!p->op->name || !(p->op->flags & MRC_OPF_DATA))
		return -MRC_DROP_OPCODE;
	err = decode_bth(bth, p);
	if (err)
		return err;
	p->payload_len = 0;
	p->tx_ts = 0;
	meth = after_bth(hdr);
	tseth = (const void *)(meth + 1);
	if (p->flags & MRC_PF_TS &&
	    hdr_len >= sizeof(*bth) + sizeof(*meth) + sizeof(*tseth))
		p->tx_ts = be16_to_cpu(tseth->tx_ts);
	return check_qpn(p);
}

/* Encoder. */

static void put_bth(u8 *buf, u8 opcode, u8 flags, u32 qpn, u8 apsn_bits,
		    u32 psn)
{
	struct mrc_bth *bth = (void *)buf;

	bth->opcode = opcode;
	bth->flags = flags;
	bth->pkey = cpu_to_be16(MRC_PKEY_DEFAULT);
	bth->qpn = cpu_to_be32(qpn & MRC_MASK_24);
	bth->apsn = cpu_to_be32((u32)apsn_bits << MRC_BTH_APSN_SHIFT |
				(psn & MRC_MASK_24));
}

static u32 put_reth(u8 *next, const struct mrc_pkt_data *d, u32 op_flags)
{
	struct mrc_reth *reth = (void *)next;

	reth->va = cpu_to_be64(d->va);
	reth->rkey = cpu_to_be32(d->rkey);
	reth->dmalen = cpu_to_be32(d->dmalen);
	if (!(op_flags & (MRC_OPF_IMM | MRC_OPF_INV)))
		return sizeof(*reth);
	((struct mrc_immdt *)(reth + 1))->imm = d->imm;
	return sizeof(*reth) + sizeof(struct mrc_immdt);
}

static u32 put_atomic(u8 *next, const struct mrc_pkt_data *d, u32 op_flags)
{
	struct mrc_atomicacketh *ack = (void *)next;
	struct mrc_atomiceth *eth = (void *)next;

	if (op_flags & MRC_OPF_RSP) {
		ack->orig = cpu_to_be64(d->orig);
		return sizeof(*ack);
	}
	eth->va = cpu_to_be64(d->va);
	eth->rkey = cpu_to_be32(d->rkey);
	eth->swap = cpu_to_be64(d->swap);
	eth->compare = cpu_to_be64(d->compare);
	return sizeof(*eth);
}

/**
 * mrc_pkt_put_data() - write the headers of a data packet
 * @buf: MRC_DATA_HDR_MAX octets, or MRC_REQ_HDR_MAX if the opcode has RETH; at
 *	any alignment
 * @d: content
 *
 * The caller appends payload, mrc_pkt_trailer_len() octets of padding (zero)
 * and ICRC.
 *
 * Return: octets written, the same as mrc_pkt_hdr_len().
 */
u32 mrc_pkt_put_data(u8 *buf, const struct mrc_pkt_data *d)
{
	const struct mrc_opcode_desc *op = mrc_opcode_get(d->opcode);
	u8 *next = buf + sizeof(struct mrc_bth);
	struct mrc_meth *meth = (void *)next;

	put_bth(buf, d->opcode,
		(d->flags & MRC_PF_SE ? MRC_BTH_SE : 0) |
			mrc_pkt_pad(d->payload_len) << MRC_BTH_PAD_SHIFT,
		d->dest_qpn,
		(d->flags & MRC_PF_ACKREQ ? MRC_BTH_ACKREQ : 0) |
			(d->flags & MRC_PF_RTX ? MRC_BTH_RTX : 0) |
			(d->flags & MRC_PF_TS ? MRC_BTH_TS : 0) |
			(d->flags & MRC_PF_NOICRC ? MRC_BTH_NOICRC : 0),
		d->psn);
	meth->rqmsn = cpu_to_be16(d->rqmsn);
	meth->msn = cpu_to_be16(d->msn);
	next += sizeof(*meth);
	if (d->flags & MRC_PF_TS) {
		struct mrc_tseth *tseth = (void *)next;

		tseth->tx_ts = cpu_to_be16(d->tx_ts);
		tseth->info = cpu_to_be16(MRC_TSETH_FTYPE);
		next += sizeof(*tseth);
	}
	next += op->flags & MRC_OPF_RETH ? put_reth(next, d, op->flags) :
					   put_atomic(next, d, op->flags);
	if (op->flags & MRC_OPF_RD_ATOMIC) {
		((struct mrc_rpsneth *)next)->rpsn = cpu_to_be32(d->rpsn);
		next += sizeof(struct mrc_rpsneth);
	}
	return next - buf;
}

/*
 * Write BTH of a control packet of @len octets and set all others, ICRC field
 * included, to zero. Return the header after BTH.
 */
static void *put_ctrl(u8 *buf, u32 len, u8 opcode, u32 qpn, u8 apsn_bits,
		      u32 psn)
{
	memset(buf, 0, len);
	put_bth(buf, opcode, 0, qpn, apsn_bits, psn);
	return buf + sizeof(struct mrc_bth);
}

/**
 * mrc_pkt_put_sack() - write a SACK
 * @buf: MRC_SACK_LEN octets, at any alignment
 * @dest_qpn: requester's QPN
 * @s: content; values are truncated to the width of their fields
 *
 * Return: MRC_SACK_LEN, of which the last MRC_ICRC_LEN octets are zero: the
 * caller fills in the ICRC, as of all control packets.
 */
u32 mrc_pkt_put_sack(u8 *buf, u32 dest_qpn, const struct mrc_pkt_sack *s)
{
	struct mrc_seth *seth = put_ctrl(buf, MRC_SACK_LEN, MRC_OP_SACK,
					 dest_qpn, s->rtx ? MRC_BTH_RTX : 0,
					 s->cack_psn);
	struct mrc_cc_state *cc = (void *)(seth + 1);

	seth->info = cpu_to_be16((s->mark << MRC_SETH_M_SHIFT &
				  MRC_SETH_M_MASK) |
				 (s->probe ? MRC_SETH_PR : 0));
	seth->ack_psn_offset = cpu_to_be16(s->probe ? s->probe_id :
						      (u16)s->ack_psn_offset);
	seth->entropy = cpu_to_be32(s->entropy);
	seth->cack_psn = cpu_to_be32(s->cack_psn & MRC_MASK_24);
	seth->mpr = s->mpr;
	seth->sack_offset = cpu_to_be16((u16)s->sack_offset);
	seth->bitmap = cpu_to_be64(s->bitmap);
	cc->tx_ts = cpu_to_be16(s->tx_ts);
	cc->ooo = cpu_to_be16(s->ooo_count & MRC_CC_OOO_MASK);
	cc->rcvd = cpu_to_be32((s->restore_cwnd ? MRC_CC_RESTORE : 0) |
			       (u32)(s->cwnd_pen & MRC_CC_PEN_MASK) <<
				       MRC_CC_PEN_SHIFT |
			       (s->rcvd_bytes & MRC_MASK_24));
	return MRC_SACK_LEN;
}

/**
 * mrc_pkt_put_nack() - write a NACK
 * @buf: MRC_NACK_LEN octets, at any alignment
 * @dest_qpn: requester's QPN
 * @n: content
 *
 * Return: MRC_NACK_LEN.
 */
u32 mrc_pkt_put_nack(u8 *buf, u32 dest_qpn, const struct mrc_pkt_nack *n)
{
	struct mrc_neth *neth = put_ctrl(buf, MRC_NACK_LEN, MRC_OP_NACK,
					 dest_qpn, 0, n->psn);

	neth->reason = n->reason;
	neth->entropy = cpu_to_be32(n->entropy);
	neth->nack_psn = cpu_to_be32(n->psn & MRC_MASK_24);
	neth->cc = MRC_NETH_CC_TYPE;
	neth->tx_ts = cpu_to_be16(n->tx_ts);
	return MRC_NACK_LEN;
}

/**
 * mrc_pkt_put_ack() - write an Acknowledge
 * @buf: MRC_ACK_LEN octets, at any alignment
 * @dest_qpn: requester's QPN
 * @a: content
 *
 * Return: MRC_ACK_LEN.
 */
u32 mrc_pkt_put_ack(u8 *buf, u32 dest_qpn, const struct mrc_pkt_ack *a)
{
	struct mrc_aeth *aeth = put_ctrl(buf, MRC_ACK_LEN, MRC_OP_ACK,
					 dest_qpn, 0, a->psn);

	aeth->smsn = cpu_to_be32((u32)a->syndrome << MRC_AETH_SYNDROME_SHIFT |
				 (a->msn & MRC_MASK_24));
	return MRC_ACK_LEN;
}

/**
 * mrc_pkt_put_probe() - write a reliability probe
 * @buf: MRC_PROBE_LEN octets, at any alignment
 * @dest_qpn: responder's QPN
 * @pr: content
 *
 * Return: MRC_PROBE_LEN.
 */
u32 mrc_pkt_put_probe(u8 *buf, u32 dest_qpn, const struct mrc_pkt_probe *pr)
{
	struct mrc_peth *peth = put_ctrl(buf, MRC_PROBE_LEN, MRC_OP_PROBE,
					 dest_qpn, 0, 0);

	peth->probe_id = cpu_to_be16(pr->probe_id);
	peth->tx_ts = cpu_to_be16(pr->tx_ts);
	peth->ts_info = cpu_to_be16(MRC_TSETH_FTYPE);
	return MRC_PROBE_LEN;
}

/**
 * mrc_pkt_put_endpoint_req() - write an endpoint request
 * @buf: MRC_EP_REQ_LEN octets, at any alignment
 * @e: content; caps are sent only with has_magic
 *
 * Return: MRC_EP_REQ_LEN.
 */
u32 mrc_pkt_put_endpoint_req(u8 *buf, const struct mrc_pkt_endpoint *e)
{
	struct mrc_erth *erth = put_ctrl(buf, MRC_EP_REQ_LEN,
					 MRC_OP_ENDPOINT_REQ, MRC_QPN_ENDPOINT,
					 0, e->req_id);

	erth->info = cpu_to_be16(e->op & MRC_ERTH_OP_MASK);
	erth->port_mask = cpu_to_be32(e->port_mask);
	if (e->has_magic) {
		erth->vendor_info = MRC_VENDOR_MAGIC;
		erth->caps = cpu_to_be32(MRC_CAPS_MAGIC | e->caps);
	}
	erth->tx_ts = cpu_to_be16(e->tx_ts);
	erth->ts_info = cpu_to_be16(MRC_TSETH_FTYPE);
	return MRC_EP_REQ_LEN;
}

/**
 * mrc_pkt_put_endpoint_rsp() - write an endpoint response
 * @buf: MRC_EP_RSP_LEN octets, at any alignment
 * @e: content; port mask and caps are sent only with has_magic, their fields
 *	are reserved in MRC 1.0
 *
 * Return: MRC_EP_RSP_LEN.
 */
u32 mrc_pkt_put_endpoint_rsp(u8 *buf, const struct mrc_pkt_endpoint *e)
{
	struct mrc_eeth *eeth = put_ctrl(buf, MRC_EP_RSP_LEN,
					 MRC_OP_ENDPOINT_RSP, MRC_QPN_ENDPOINT,
					 0, e->req_id);

	eeth->info = cpu_to_be16(e->op << MRC_EETH_OP_SHIFT & MRC_EETH_OP_MASK);
	if (e->has_magic) {
		eeth->vendor_info = MRC_VENDOR_MAGIC;
		eeth->port_mask = cpu_to_be32(e->port_mask);
		eeth->caps = cpu_to_be32(MRC_CAPS_MAGIC | e->caps);
	}
	eeth->tx_ts = cpu_to_be16(e->tx_ts);
	return MRC_EP_RSP_LEN;
}
