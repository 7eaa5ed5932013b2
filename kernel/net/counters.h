/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counters of a device.  One per-CPU array, free-running, summed when read; no
 * shared cache line is written per packet.  Names that EFA also has mean the
 * same as there.
 */
#ifndef MRC_NET_COUNTERS_H
#define MRC_NET_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>
#include "core/drop.h"

/* X(enumerator, name) in the order of the "rdma statistic" output */
#define MRC_COUNTERS(X) \
	X(TX_BYTES, "tx_bytes") \
	X(TX_PKTS, "tx_pkts") \
	X(TX_BURSTS, "tx_bursts") \
	X(RX_BYTES, "rx_bytes") \
	X(RX_PKTS, "rx_pkts") \
	X(RX_BURSTS, "rx_bursts") \
	X(RX_DROPS, "rx_drops") \
	X(RETRANS_PKTS, "retrans_pkts") \
	X(RETRANS_BYTES, "retrans_bytes") \
	X(RETRANS_TIMEOUTS, "retrans_timeout_events") \
	X(LOSS_PATH, "loss_inferred_path") \
	X(LOSS_TIME, "loss_inferred_time") \
	X(UNRESPONSIVE_REMOTE, "unresponsive_remote_events") \
	X(SEND_WRS, "send_wrs") \
	X(SEND_BYTES, "send_bytes") \
	X(RECV_WRS, "recv_wrs") \
	X(RECV_BYTES, "recv_bytes") \
	X(RDMA_WRITE_WRS, "rdma_write_wrs") \
	X(RDMA_WRITE_BYTES, "rdma_write_bytes") \
	X(RDMA_WRITE_WR_ERR, "rdma_write_wr_err") \
	X(RDMA_WRITE_RECV_BYTES, "rdma_write_recv_bytes") \
	X(DOORBELLS, "doorbells") \
	X(SACK_TX, "sack_tx") \
	X(SACK_RX, "sack_rx") \
	X(ACK_TX, "ack_tx") \
	X(ACK_RX, "ack_rx") \
	X(NACK_TX, "nack_tx") \
	X(NACK_RX, "nack_rx") \
	X(RNR_TX, "rnr_nak_tx") \
	X(RNR_RX, "rnr_nak_rx") \
	X(PROBE_TX, "probe_tx") \
	X(PROBE_RX, "probe_rx") \
	X(ENDPOINT_TX, "endpoint_tx") \
	X(ENDPOINT_RX, "endpoint_rx") \
	X(DUPLICATES, "duplicate_request") \
	X(OUT_OF_ORDER, "out_of_order_pkts") \
	X(OUT_OF_WINDOW, "out_of_window_pkts") \
	X(ECN_RX, "ecn_marked_pkts") \
	X(ICRC_SKIPPED_TX, "icrc_skipped_tx_pkts") \
	X(ICRC_SKIPPED_RX, "icrc_skipped_rx_pkts") \
	X(NO_PATH, "tx_no_path") \
	X(TX_NOMEM, "tx_no_memory") \
	X(TX_ERRORS, "tx_errors") \
	X(EV_BAD, "ev_assumed_bad_events") \
	X(EV_GOOD, "ev_recovered_events") \
	X(PORT_DOWN, "port_down_events") \
	X(PORT_UP, "port_up_events") \
	/* packets dropped, one counter for every enum mrc_drop, in its order */ \
	X(DROP_SHORT, "drop_short") \
	X(DROP_LONG, "drop_long") \
	X(DROP_NOT_MRC, "drop_not_mrc") \
	X(DROP_OPCODE, "drop_opcode") \
	X(DROP_TVER, "drop_tver") \
	X(DROP_PKEY, "drop_pkey") \
	X(DROP_QPN, "drop_qpn") \
	X(DROP_PAD, "drop_pad") \
	X(DROP_LENGTH, "drop_length") \
	X(DROP_DMALEN, "drop_dmalen") \
	X(DROP_VA, "drop_va") \
	X(DROP_NOICRC, "drop_noicrc") \
	X(DROP_NACK_REASON, "drop_nack_reason") \
	X(DROP_EP_OP, "drop_ep_op") \
	X(DROP_ICRC, "drop_icrc") \
	X(DROP_NO_QP, "drop_no_qp") \
	X(DROP_QP_STATE, "drop_qp_state") \
	X(DROP_PEER, "drop_peer") \
	X(DROP_WINDOW, "drop_window") \
	X(DROP_MTU, "drop_mtu") \
	X(DROP_ENCAP, "drop_encap") \
	X(DROP_NO_MEM, "drop_no_mem") \
	X(DROP_STALE, "drop_stale")

enum mrc_counter {
#define MRC_COUNTER_ENUM(id, name) MRC_CNT_##id,
	MRC_COUNTERS(MRC_COUNTER_ENUM)
#undef MRC_COUNTER_ENUM
	MRC_CNT_MAX
};

static_assert(MRC_CNT_DROP_STALE - MRC_CNT_DROP_SHORT ==
	      MRC_DROP_STALE - MRC_DROP_SHORT);

/**
 * mrc_counter_of_drop - the counter of a drop reason
 * @reason: why a packet was dropped; not MRC_DROP_NONE
 *
 * Return: counter.
 */
static inline enum mrc_counter mrc_counter_of_drop(enum mrc_drop reason)
{
	return MRC_CNT_DROP_SHORT + (reason - MRC_DROP_SHORT);
}

/**
 * struct mrc_counters - one CPU's share
 * @c: values by enum mrc_counter; written by the owning CPU only, with BH off
 */
struct mrc_counters {
	u64 c[MRC_CNT_MAX];
};

extern const char * const mrc_counter_names[MRC_CNT_MAX];

u64 mrc_counters_sum(const struct mrc_counters __percpu *stats,
		     enum mrc_counter id);

#endif /* MRC_NET_COUNTERS_H */
