/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counters of a device: a per-CPU array, free-running, summed when read, so
 * that no shared cache line is written per packet.  Counters with the name of
 * an EFA counter have the same meaning.
 */
#ifndef MRC_NET_COUNTERS_H
#define MRC_NET_COUNTERS_H

#include <linux/bitops.h>
#include <linux/minmax.h>
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
	MRC_CNT_RX_STEERED,
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
	MRC_CNT_DROP_BACKLOG,
	MRC_CNT_MAX
};

static_assert(MRC_CNT_DROP_BACKLOG - MRC_CNT_DROP_SHORT ==
	      MRC_DROP_BACKLOG - MRC_DROP_SHORT);

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

/*
 * Counters of a port, with the meaning that IBTA gives to those of PortCounters and
 * PortCountersExtended (volume 1, 16.1.3): packets are those on the wire, whatever
 * they carry and whether they are valid; octets are those of the Ethernet frame
 * without its checksum, as headers of the link layer count and its CRC does not.
 */
enum mrc_port_counter {
	MRC_PORT_CNT_TX_PKTS,
	MRC_PORT_CNT_TX_BYTES,
	/* The network stack refused packets, or a queue of this host was full. */
	MRC_PORT_CNT_TX_DISCARDS,
	MRC_PORT_CNT_RX_PKTS,
	MRC_PORT_CNT_RX_BYTES,
	/* Packets that were damaged, malformed, or for which memory was short. */
	MRC_PORT_CNT_RX_ERRORS,
	/* The port went down. */
	MRC_PORT_CNT_LINK_DOWNED,
	MRC_PORT_CNT_MAX
};

/*
 * Round trips of data packets are counted in intervals that double: those of the
 * first are at most 2^MRC_RTT_SHIFT ns long, those of the last one longer than
 * 1.07 s.
 */
enum {
	MRC_RTT_SHIFT = 11,
	MRC_RTT_BUCKETS = 21,
};

/**
 * struct mrc_port_counters - counters of one port on one CPU
 * @c: values by enum mrc_port_counter; written as those of &struct mrc_counters
 * @rtt: round trips of packets that were sent by the port, by their length
 * @rtt_sum: sum of these round trips, ns
 */
struct mrc_port_counters {
	u64 c[MRC_PORT_CNT_MAX];
	u64 rtt[MRC_RTT_BUCKETS];
	u64 rtt_sum;
};

/**
 * mrc_rtt_bucket - interval in which a round trip is counted
 * @rtt: ns
 *
 * Return: index of &struct mrc_port_counters.rtt; interval i ends at
 * 2^(MRC_RTT_SHIFT + i) ns, inclusive.
 */
static inline u32 mrc_rtt_bucket(u32 rtt)
{
	u32 bits = rtt ? fls(rtt - 1) : 0;

	return bits <= MRC_RTT_SHIFT ? 0 : min_t(u32, bits - MRC_RTT_SHIFT,
						 MRC_RTT_BUCKETS - 1);
}

/**
 * mrc_drop_is_error - does a drop say that the packet itself was wrong?
 * @reason: reason of the drop
 *
 * IBTA distinguishes packets that contain an error, or for which there was no
 * buffer, from those that are dropped because of the state of their queue pair.
 *
 * Return: true for the former, which MRC_PORT_CNT_RX_ERRORS counts.
 */
static inline bool mrc_drop_is_error(enum mrc_drop reason)
{
	return reason <= MRC_DROP_ICRC || reason == MRC_DROP_ENCAP ||
	       reason == MRC_DROP_NO_MEM;
}

extern const char * const mrc_counter_names[MRC_CNT_MAX];

u64 mrc_counters_sum(const struct mrc_counters __percpu *stats,
		     enum mrc_counter id);
void mrc_port_counters_sum(const struct mrc_port_counters __percpu *stats,
			   u8 port, struct mrc_port_counters *sum);

#endif /* MRC_NET_COUNTERS_H */
