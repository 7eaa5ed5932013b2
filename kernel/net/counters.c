// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Names of the per-CPU counters, and their sums over all CPUs.
 */
#include <linux/cpumask.h>
#include "net/counters.h"

const char * const mrc_counter_names[MRC_CNT_MAX] = {
	[MRC_CNT_TX_BYTES] = "tx_bytes",
	[MRC_CNT_TX_PKTS] = "tx_pkts",
	[MRC_CNT_TX_BURSTS] = "tx_bursts",
	[MRC_CNT_RX_BYTES] = "rx_bytes",
	[MRC_CNT_RX_PKTS] = "rx_pkts",
	[MRC_CNT_RX_BURSTS] = "rx_bursts",
	[MRC_CNT_RX_STEERED] = "rx_steered",
	[MRC_CNT_RX_DROPS] = "rx_drops",
	[MRC_CNT_RETRANS_PKTS] = "retrans_pkts",
	[MRC_CNT_RETRANS_BYTES] = "retrans_bytes",
	[MRC_CNT_RETRANS_TIMEOUTS] = "retrans_timeout_events",
	[MRC_CNT_RETRANS_SPURIOUS] = "retrans_spurious_pkts",
	[MRC_CNT_RACK_LOSS_PATH] = "rack_loss_path",
	[MRC_CNT_RACK_LOSS_ANY] = "rack_loss_any",
	[MRC_CNT_UNRESPONSIVE_REMOTE] = "unresponsive_remote_events",
	[MRC_CNT_SEND_WRS] = "send_wrs",
	[MRC_CNT_SEND_BYTES] = "send_bytes",
	[MRC_CNT_RECV_WRS] = "recv_wrs",
	[MRC_CNT_RECV_BYTES] = "recv_bytes",
	[MRC_CNT_RDMA_WRITE_WRS] = "rdma_write_wrs",
	[MRC_CNT_RDMA_WRITE_BYTES] = "rdma_write_bytes",
	[MRC_CNT_RDMA_WRITE_WR_ERR] = "rdma_write_wr_err",
	[MRC_CNT_RDMA_WRITE_RECV_BYTES] = "rdma_write_recv_bytes",
	[MRC_CNT_RDMA_READ_WRS] = "rdma_read_wrs",
	[MRC_CNT_RDMA_READ_BYTES] = "rdma_read_bytes",
	[MRC_CNT_RDMA_READ_WR_ERR] = "rdma_read_wr_err",
	[MRC_CNT_RDMA_READ_RESP_BYTES] = "rdma_read_resp_bytes",
	[MRC_CNT_ATOMIC_WRS] = "atomic_wrs",
	[MRC_CNT_ATOMIC_WR_ERR] = "atomic_wr_err",
	[MRC_CNT_ATOMIC_RECV] = "atomic_requests",
	[MRC_CNT_DOORBELLS] = "doorbells",
	[MRC_CNT_SACK_TX] = "sack_tx",
	[MRC_CNT_SACK_RX] = "sack_rx",
	[MRC_CNT_ACK_TX] = "ack_tx",
	[MRC_CNT_ACK_RX] = "ack_rx",
	[MRC_CNT_NACK_TX] = "nack_tx",
	[MRC_CNT_NACK_RX] = "nack_rx",
	[MRC_CNT_RNR_TX] = "rnr_nak_tx",
	[MRC_CNT_RNR_RX] = "rnr_nak_rx",
	[MRC_CNT_PROBE_TX] = "probe_tx",
	[MRC_CNT_PROBE_RX] = "probe_rx",
	[MRC_CNT_PROBE_LIMITED] = "probe_rate_limited",
	[MRC_CNT_DUP_LIMITED] = "duplicate_rate_limited",
	[MRC_CNT_ENDPOINT_TX] = "endpoint_tx",
	[MRC_CNT_ENDPOINT_RX] = "endpoint_rx",
	[MRC_CNT_ENDPOINT_LIMITED] = "endpoint_rate_limited",
	[MRC_CNT_DATAGRAM_TX] = "datagram_tx",
	[MRC_CNT_DATAGRAM_RX] = "datagram_rx",
	[MRC_CNT_DUPLICATES] = "duplicate_request",
	[MRC_CNT_OUT_OF_ORDER] = "out_of_order_pkts",
	[MRC_CNT_OUT_OF_WINDOW] = "out_of_window_pkts",
	[MRC_CNT_ECN_RX] = "ecn_marked_pkts",
	[MRC_CNT_TRIMMED_RX] = "trimmed_pkts",
	[MRC_CNT_DECAP] = "decapsulated_pkts",
	[MRC_CNT_ICRC_SKIPPED_TX] = "icrc_skipped_tx_pkts",
	[MRC_CNT_ICRC_SKIPPED_RX] = "icrc_skipped_rx_pkts",
	[MRC_CNT_NO_PATH] = "tx_no_path",
	[MRC_CNT_TX_NOMEM] = "tx_no_memory",
	[MRC_CNT_EV_BAD] = "ev_assumed_bad_events",
	[MRC_CNT_EV_GOOD] = "ev_recovered_events",
	[MRC_CNT_PORT_DOWN] = "port_down_events",
	[MRC_CNT_PORT_UP] = "port_up_events",
	[MRC_CNT_DROP_SHORT] = "drop_short",
	[MRC_CNT_DROP_LONG] = "drop_long",
	[MRC_CNT_DROP_NOT_MRC] = "drop_not_mrc",
	[MRC_CNT_DROP_OPCODE] = "drop_opcode",
	[MRC_CNT_DROP_TVER] = "drop_tver",
	[MRC_CNT_DROP_PKEY] = "drop_pkey",
	[MRC_CNT_DROP_QPN] = "drop_qpn",
	[MRC_CNT_DROP_PAD] = "drop_pad",
	[MRC_CNT_DROP_LENGTH] = "drop_length",
	[MRC_CNT_DROP_DMALEN] = "drop_dmalen",
	[MRC_CNT_DROP_VA] = "drop_va",
	[MRC_CNT_DROP_NOICRC] = "drop_noicrc",
	[MRC_CNT_DROP_NACK_REASON] = "drop_nack_reason",
	[MRC_CNT_DROP_EP_OP] = "drop_ep_op",
	[MRC_CNT_DROP_ICRC] = "drop_icrc",
	[MRC_CNT_DROP_NO_QP] = "drop_no_qp",
	[MRC_CNT_DROP_QP_STATE] = "drop_qp_state",
	[MRC_CNT_DROP_PEER] = "drop_peer",
	[MRC_CNT_DROP_WINDOW] = "drop_window",
	[MRC_CNT_DROP_MTU] = "drop_mtu",
	[MRC_CNT_DROP_ENCAP] = "drop_encap",
	[MRC_CNT_DROP_NO_MEM] = "drop_no_mem",
	[MRC_CNT_DROP_STALE] = "drop_stale",
	[MRC_CNT_DROP_QKEY] = "drop_qkey",
	[MRC_CNT_DROP_NO_RECV] = "drop_no_recv",
	[MRC_CNT_DROP_EP_RESPONSE] = "drop_ep_response",
	[MRC_CNT_DROP_BACKLOG] = "drop_backlog",
};

/**
 * mrc_counters_sum - sum of one counter over all CPUs
 * @stats: counters of a NIC
 * @id: counter
 *
 * Context: any.
 * Return: the sum; concurrent increments may be missing.
 */
u64 mrc_counters_sum(const struct mrc_counters __percpu *stats,
		     enum mrc_counter id)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(stats, cpu)->c[id]);
	return sum;
}

/**
 * mrc_port_counters_sum - sums of the counters of a port over all CPUs
 * @stats: counters of all ports of a NIC
 * @port: 1-based
 * @sum: receives the sums; concurrent increments may be missing
 *
 * Context: any.
 */
void mrc_port_counters_sum(const struct mrc_port_counters __percpu *stats,
			   u8 port, struct mrc_port_counters *sum)
{
	const struct mrc_port_counters *c;
	int cpu, i;

	*sum = (struct mrc_port_counters){};
	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(stats, cpu) + port - 1;
		for (i = 0; i < MRC_PORT_CNT_MAX; i++)
			sum->c[i] += READ_ONCE(c->c[i]);
		for (i = 0; i < MRC_RTT_BUCKETS; i++)
			sum->rtt[i] += READ_ONCE(c->rtt[i]);
		sum->rtt_sum += READ_ONCE(c->rtt_sum);
	}
}
