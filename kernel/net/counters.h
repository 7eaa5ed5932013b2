/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counters of a device: a per-CPU array, free-running, summed when read, so
 * that no shared cache line is written per packet.  Counters with the name of
 * an EFA counter have the same meaning.
 */
#ifndef MRC_NET_COUNTERS_H
#define MRC_NET_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>
#include "core/drop.h"

/*
 * Index of a counter; mrc_counter_names has the name that users see.
 *
 * From MRC_CNT_DROP_SHORT on: dropped packets, a counter for each enum
 * mrc_drop, in the order of that enum.
 */
enum mrc_counter {
	MRC_CNT_TX_BYTES,
	MRC_CNT_TX_PKTS,
	MRC_CNT_TX_BURSTS,
	MRC_CNT_RX_BYTES,
	MRC_CNT_RX_PKTS,
	MRC_CNT_RX_BURSTS,
	MRC_CNT_RX_DROPS,
	MRC_CNT_RETRANS_PKTS,
	MRC_CNT_RETRANS_BYTES,
	MRC_CNT_RETRANS_TIMEOUTS,
	MRC_CNT_RETRANS_SPURIOUS,
	MRC_CNT_RACK_LOSS_PATH,
	MRC_CNT_RACK_LOSS_ANY,
	MRC_CNT_UNRESPONSIVE_REMOTE,
	MRC_CNT_SEND_WRS,
	MRC_CNT_SEND_BYTES,
	MRC_CNT_RECV_WRS,
	MRC_CNT_RECV_BYTES,
	MRC_CNT_RDMA_WRITE_WRS,
	MRC_CNT_RDMA_WRITE_BYTES,
	MRC_CNT_RDMA_WRITE_WR_ERR,
	MRC_CNT_RDMA_WRITE_RECV_BYTES,
	MRC_CNT_RDMA_READ_WRS,
	MRC_CNT_RDMA_READ_BYTES,
	MRC_CNT_RDMA_READ_WR_ERR,
	MRC_CNT_RDMA_READ_RESP_BYTES,
	MRC_CNT_ATOMIC_WRS,
	MRC_CNT_ATOMIC_WR_ERR,
	MRC_CNT_ATOMIC_RECV,
	MRC_CNT_DOORBELLS,
	MRC_CNT_SACK_TX,
	MRC_CNT_SACK_RX,
	MRC_CNT_ACK_TX,
	MRC_CNT_ACK_RX,
	MRC_CNT_NACK_TX,
	MRC_CNT_NACK_RX,
	MRC_CNT_RNR_TX,
	MRC_CNT_RNR_RX,
	MRC_CNT_PROBE_TX,
	MRC_CNT_PROBE_RX,
	MRC_CNT_PROBE_LIMITED,
	MRC_CNT_DUP_LIMITED,
	MRC_CNT_ENDPOINT_TX,
	MRC_CNT_ENDPOINT_RX,
	MRC_CNT_ENDPOINT_LIMITED,
	MRC_CNT_DATAGRAM_TX,
	MRC_CNT_DATAGRAM_RX,
	MRC_CNT_DUPLICATES,
	MRC_CNT_OUT_OF_ORDER,
	MRC_CNT_OUT_OF_WINDOW,
	MRC_CNT_ECN_RX,
	MRC_CNT_TRIMMED_RX,
	MRC_CNT_DECAP,
	MRC_CNT_ICRC_SKIPPED_TX,
	MRC_CNT_ICRC_SKIPPED_RX,
	MRC_CNT_NO_PATH,
	MRC_CNT_TX_NOMEM,
	MRC_CNT_EV_BAD,
	MRC_CNT_EV_GOOD,
	MRC_CNT_PORT_DOWN,
	MRC_CNT_PORT_UP,
	MRC_CNT_DROP_SHORT,
	MRC_CNT_DROP_LONG,
	MRC_CNT_DROP_NOT_MRC,
	MRC_CNT_DROP_OPCODE,
	MRC_CNT_DROP_TVER,
	MRC_CNT_DROP_PKEY,
	MRC_CNT_DROP_QPN,
	MRC_CNT_DROP_PAD,
	MRC_CNT_DROP_LENGTH,
	MRC_CNT_DROP_DMALEN,
	MRC_CNT_DROP_VA,
	MRC_CNT_DROP_NOICRC,
	MRC_CNT_DROP_NACK_REASON,
	MRC_CNT_DROP_EP_OP,
	MRC_CNT_DROP_ICRC,
	MRC_CNT_DROP_NO_QP,
	MRC_CNT_DROP_QP_STATE,
	MRC_CNT_DROP_PEER,
	MRC_CNT_DROP_WINDOW,
	MRC_CNT_DROP_MTU,
	MRC_CNT_DROP_ENCAP,
	MRC_CNT_DROP_NO_MEM,
	MRC_CNT_DROP_STALE,
	MRC_CNT_DROP_QKEY,
	MRC_CNT_DROP_NO_RECV,
	MRC_CNT_DROP_EP_RESPONSE,
	MRC_CNT_MAX
};

static_assert(MRC_CNT_DROP_EP_RESPONSE - MRC_CNT_DROP_SHORT ==
	      MRC_DROP_EP_RESPONSE - MRC_DROP_SHORT);

/**
 * mrc_counter_of_drop - the counter of a drop reason
 * @reason: reason of the drop, not MRC_DROP_NONE
 *
 * Return: counter.
 */
static inline enum mrc_counter mrc_counter_of_drop(enum mrc_drop reason)
{
	return MRC_CNT_DROP_SHORT + (reason - MRC_DROP_SHORT);
}

/**
 * struct mrc_counters - counters of one CPU
 * @c: values by enum mrc_counter; written by this CPU only, with this_cpu_add()
 */
struct mrc_counters {
	u64 c[MRC_CNT_MAX];
};

extern const char * const mrc_counter_names[MRC_CNT_MAX];

u64 mrc_counters_sum(const struct mrc_counters __percpu *stats,
		     enum mrc_counter id);

#endif /* MRC_NET_COUNTERS_H */
