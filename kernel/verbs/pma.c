// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The performance management agent (PMA) of each port: ClassPortInfo, PortCounters
 * and PortCountersExtended (IBTA volume 1, 16.1.3).  The RDMA core makes
 * ports/N/counters of sysfs from them.
 *
 * Decision: only queries of this host are answered.  A RoCE network has no manager
 * that would ask, and what a port carries is no business of strangers.
 */
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>
#include "net/counters.h"
#include "verbs/device.h"
#include "verbs/pma.h"

enum {
	MRC_PMA_VERSION = 1,
	/* 4.096 us * 2^18, about a second, as the subnet management class has it. */
	MRC_PMA_RESP_TIME = 18,
	/* Counters of data are in units of four octets. */
	MRC_PMA_DATA_UNIT = 4,
};

static_assert(sizeof(struct ib_pma_mad) == sizeof(struct ib_mad));

static void mrc_pma_class_port_info(struct ib_pma_mad *out)
{
	struct ib_class_port_info *info = (void *)out->data;

	info->base_version = IB_MGMT_BASE_VERSION;
	info->class_version = MRC_PMA_VERSION;
	info->capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH;
	ib_set_cpi_resp_time(info, MRC_PMA_RESP_TIME);
}

/* Counters of PortCounters stop at their largest value. */
static void mrc_pma_port_counters(struct ib_pma_mad *out,
				  const struct mrc_port_counters *c)
{
	struct ib_pma_portcounters *p = (void *)out->data;
	u64 tx_data = c->c[MRC_PORT_CNT_TX_BYTES] / MRC_PMA_DATA_UNIT;
	u64 rx_data = c->c[MRC_PORT_CNT_RX_BYTES] / MRC_PMA_DATA_UNIT;

	p->link_downed_counter =
		min_t(u64, c->c[MRC_PORT_CNT_LINK_DOWNED], U8_MAX);
	p->port_rcv_errors =
		cpu_to_be16(min_t(u64, c->c[MRC_PORT_CNT_RX_ERRORS], U16_MAX));
	p->port_xmit_discards =
		cpu_to_be16(min_t(u64, c->c[MRC_PORT_CNT_TX_DISCARDS],
				  U16_MAX));
	p->port_xmit_data = cpu_to_be32(min_t(u64, tx_data, U32_MAX));
	p->port_rcv_data = cpu_to_be32(min_t(u64, rx_data, U32_MAX));
	p->port_xmit_packets =
		cpu_to_be32(min_t(u64, c->c[MRC_PORT_CNT_TX_PKTS], U32_MAX));
	p->port_rcv_packets =
		cpu_to_be32(min_t(u64, c->c[MRC_PORT_CNT_RX_PKTS], U32_MAX));
}

/* There are no multicast packets. */
static void mrc_pma_port_counters_ext(struct ib_pma_mad *out,
				      const struct mrc_port_counters *c)
{
	struct ib_pma_portcounters_ext *p = (void *)out->data;

	p->port_xmit_data = cpu_to_be64(c->c[MRC_PORT_CNT_TX_BYTES] /
					MRC_PMA_DATA_UNIT);
	p->port_rcv_data = cpu_to_be64(c->c[MRC_PORT_CNT_RX_BYTES] /
				       MRC_PMA_DATA_UNIT);
	p->port_xmit_packets = cpu_to_be64(c->c[MRC_PORT_CNT_TX_PKTS]);
	p->port_rcv_packets = cpu_to_be64(c->c[MRC_PORT_CNT_RX_PKTS]);
	p->port_unicast_xmit_packets = p->port_xmit_packets;
	p->port_unicast_rcv_packets = p->port_rcv_packets;
}

/* PortCounters and PortCountersExtended begin alike. */
static __be16 mrc_pma_counters(const struct mrc_nic *nic, u32 port,
			       const struct ib_pma_mad *in,
			       struct ib_pma_mad *out)
{
	const struct ib_pma_portcounters *query = (const void *)in->data;
	struct ib_pma_portcounters *reply = (void *)out->data;
	struct mrc_port_counters c;

	if (query->port_select != port)
		return cpu_to_be16(IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE);
	reply->port_select = query->port_select;
	reply->counter_select = query->counter_select;
	mrc_port_counters_sum(nic->port_stats, port, &c);
	if (in->mad_hdr.attr_id == IB_PMA_PORT_COUNTERS)
		mrc_pma_port_counters(out, &c);
	else
		mrc_pma_port_counters_ext(out, &c);
	return 0;
}

/* Counters are never reset, so there is no Set. */
static __be16 mrc_pma_get(const struct mrc_nic *nic, u32 port,
			  const struct ib_pma_mad *in, struct ib_pma_mad *out)
{
	if (in->mad_hdr.base_version != IB_MGMT_BASE_VERSION ||
	    in->mad_hdr.class_version != MRC_PMA_VERSION)
		return cpu_to_be16(IB_MGMT_MAD_STATUS_BAD_VERSION);
	if (in->mad_hdr.method != IB_MGMT_METHOD_GET)
		return cpu_to_be16(IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD);

	switch (in->mad_hdr.attr_id) {
	case IB_PMA_CLASS_PORT_INFO:
		mrc_pma_class_port_info(out);
		return 0;
	case IB_PMA_PORT_COUNTERS:
	case IB_PMA_PORT_COUNTERS_EXT:
		return mrc_pma_counters(nic, port, in, out);
	default:
		return cpu_to_be16(IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB);
	}
}

/**
 * mrc_pma_process_mad() - answer a management datagram
 * @ibdev: device
 * @flags: keys to ignore; there are none
 * @port: 1-based
 * @in_wc: how it was received; NULL: the RDMA core asks by itself
 * @in_grh: likewise
 * @in: the datagram
 * @out: reply, zeroed
 * @out_size: size of @out; the reply fills it
 * @out_pkey_index: unused, there is one P_Key
 *
 * Return: enum ib_mad_result; without IB_MAD_RESULT_REPLY the RDMA core proceeds as
 * if there was no agent.
 */
int mrc_pma_process_mad(struct ib_device *ibdev, int flags, u32 port,
			const struct ib_wc *in_wc, const struct ib_grh *in_grh,
			const struct ib_mad *in, struct ib_mad *out,
			size_t *out_size, u16 *out_pkey_index)
{
	const struct mrc_nic *nic = mrc_device_from_ib(ibdev)->nic;

	if (in_wc || in->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT)
		return IB_MAD_RESULT_SUCCESS;
	memset(out, 0, sizeof(*out));
	out->mad_hdr = in->mad_hdr;
	out->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	out->mad_hdr.status = mrc_pma_get(nic, port, (const void *)in,
					  (void *)out);
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}
