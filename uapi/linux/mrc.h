/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB */
/*
 * Generic netlink family "mrc": devices, explicit paths, queue pairs and
 * events.  Described for programs in Documentation/netlink/specs/mrc.yaml,
 * which holds the same numbers.
 *
 * Rules of the family: a number, once given, keeps its meaning; zero is never
 * used; an attribute that a request may not carry is refused, not ignored;
 * numbers in host byte order, addresses in network byte order.  A request sees
 * and touches only the devices of its own network namespace.  Changes need
 * CAP_NET_ADMIN in the user namespace of that; making and removing devices,
 * whose names are global, needs it in the initial one.
 */
#ifndef _UAPI_LINUX_MRC_H
#define _UAPI_LINUX_MRC_H

#define MRC_FAMILY_NAME		"mrc"
#define MRC_FAMILY_VERSION	1

#define MRC_MCGRP_EVENTS	"events"

/* Longest names, with the terminating zero: of a device, of a counter */
#define MRC_NAME_MAX		64
/* Bytes of an address; IPv4 is written ::ffff:a.b.c.d */
#define MRC_GID_LEN		16
#define MRC_PORTS_MAX		32

/**
 * enum mrc_cmd - commands; the gaps are room for their kind
 * @MRC_CMD_UNSPEC: never used
 * @MRC_CMD_DEV_GET: read one device, or all (dump)
 * @MRC_CMD_DEV_ADD: make a device of the net_devices given as ports
 * @MRC_CMD_DEV_DEL: remove a device
 * @MRC_CMD_DEV_SET: change attributes of a device
 * @MRC_CMD_PATH_GET: dump explicit paths; filters: device, destination, port
 * @MRC_CMD_PATH_ADD: add one explicit path
 * @MRC_CMD_PATH_DEL: remove the path with an entropy value
 * @MRC_CMD_PATH_FLUSH: remove all paths to one destination, or all of a device
 * @MRC_CMD_QP_GET: dump queue pairs; filters: device, QPN.  A queue pair whose
 *	paths do not fit into a message goes on in the next one, which repeats
 *	device and QPN only
 * @MRC_CMD_DEV_ADD_NTF: event: a device has come
 * @MRC_CMD_DEV_DEL_NTF: event: a device has gone
 * @MRC_CMD_PORT_NTF: event: a port went up or down
 * @MRC_CMD_PATH_NTF: event: a queue pair gave up a path or took it back
 */
enum mrc_cmd {
	MRC_CMD_UNSPEC		= 0,

	MRC_CMD_DEV_GET		= 1,
	MRC_CMD_DEV_ADD		= 2,
	MRC_CMD_DEV_DEL		= 3,
	MRC_CMD_DEV_SET		= 4,

	MRC_CMD_PATH_GET	= 16,
	MRC_CMD_PATH_ADD	= 17,
	MRC_CMD_PATH_DEL	= 18,
	MRC_CMD_PATH_FLUSH	= 19,

	MRC_CMD_QP_GET		= 32,

	MRC_CMD_DEV_ADD_NTF	= 192,
	MRC_CMD_DEV_DEL_NTF	= 193,
	MRC_CMD_PORT_NTF	= 194,
	MRC_CMD_PATH_NTF	= 195,

	/* private: end of the list */
	__MRC_CMD_MAX,
	MRC_CMD_MAX = (__MRC_CMD_MAX - 1)
};

/**
 * enum mrc_a_dev - attributes of a device
 * @MRC_A_DEV_UNSPEC: never used
 * @MRC_A_DEV_PAD: padding of 64-bit attributes
 * @MRC_A_DEV_NAME: string, name of the RDMA device
 * @MRC_A_DEV_INDEX: u32, index of the RDMA device; survives renaming
 * @MRC_A_DEV_PORT: nest of &enum mrc_a_port, one for each port, in port order
 * @MRC_A_DEV_STATS: flag, request: also tell the counters
 * @MRC_A_DEV_STAT: nest of &enum mrc_a_stat, one for each counter
 * @MRC_A_DEV_BURST: u32, most packets that leave together on one path, 1 to 16;
 *	a change holds for queue pairs that become ready to send later
 */
enum mrc_a_dev {
	MRC_A_DEV_UNSPEC,
	MRC_A_DEV_PAD,
	MRC_A_DEV_NAME,
	MRC_A_DEV_INDEX,
	MRC_A_DEV_PORT,
	MRC_A_DEV_STATS,
	MRC_A_DEV_STAT,
	MRC_A_DEV_BURST,

	/* private: end of the list */
	__MRC_A_DEV_MAX,
	MRC_A_DEV_MAX = (__MRC_A_DEV_MAX - 1)
};

/**
 * enum mrc_port_state - can a port carry packets?
 * @MRC_PORT_STATE_UNSPEC: never used
 * @MRC_PORT_STATE_DOWN: its net_device is down or has no carrier
 * @MRC_PORT_STATE_UP: it can
 * @MRC_PORT_STATE_GONE: its net_device has been removed
 */
enum mrc_port_state {
	MRC_PORT_STATE_UNSPEC,
	MRC_PORT_STATE_DOWN,
	MRC_PORT_STATE_UP,
	MRC_PORT_STATE_GONE,
};

/**
 * enum mrc_a_port - attributes of a port
 * @MRC_A_PORT_UNSPEC: never used
 * @MRC_A_PORT_INDEX: u32, number of the port, from 1; also its plane
 * @MRC_A_PORT_IFINDEX: u32, its net_device, absent like name and MTU when that
 *	has gone; the only attribute in a request
 * @MRC_A_PORT_IFNAME: string, name of the net_device
 * @MRC_A_PORT_STATE: u32, &enum mrc_port_state
 * @MRC_A_PORT_MTU: u32, of the net_device, bytes
 */
enum mrc_a_port {
	MRC_A_PORT_UNSPEC,
	MRC_A_PORT_INDEX,
	MRC_A_PORT_IFINDEX,
	MRC_A_PORT_IFNAME,
	MRC_A_PORT_STATE,
	MRC_A_PORT_MTU,

	/* private: end of the list */
	__MRC_A_PORT_MAX,
	MRC_A_PORT_MAX = (__MRC_A_PORT_MAX - 1)
};

/**
 * enum mrc_a_stat - one counter of a device
 * @MRC_A_STAT_UNSPEC: never used
 * @MRC_A_STAT_PAD: padding of 64-bit attributes
 * @MRC_A_STAT_NAME: string, as "rdma statistic" shows it
 * @MRC_A_STAT_VALUE: u64, free-running
 */
enum mrc_a_stat {
	MRC_A_STAT_UNSPEC,
	MRC_A_STAT_PAD,
	MRC_A_STAT_NAME,
	MRC_A_STAT_VALUE,

	/* private: end of the list */
	__MRC_A_STAT_MAX,
	MRC_A_STAT_MAX = (__MRC_A_STAT_MAX - 1)
};

/**
 * enum mrc_path_state - what a path is worth now
 * @MRC_PATH_STATE_UNSPEC: never used
 * @MRC_PATH_STATE_IDLE: no connection uses it
 * @MRC_PATH_STATE_BACKUP: good, but held back until another one fails
 * @MRC_PATH_STATE_GOOD: in rotation
 * @MRC_PATH_STATE_SKIP: congested, sits out one turn
 * @MRC_PATH_STATE_ASSUMED_BAD: lost packets silently; only probes use it
 * @MRC_PATH_STATE_DENIED: forbidden by the operator
 * @MRC_PATH_STATE_PORT_DOWN: its own port, or the peer's, is down
 *
 * A path that several connections use is in the worst state that one of them
 * has for it, in the order of this list.
 */
enum mrc_path_state {
	MRC_PATH_STATE_UNSPEC,
	MRC_PATH_STATE_IDLE,
	MRC_PATH_STATE_BACKUP,
	MRC_PATH_STATE_GOOD,
	MRC_PATH_STATE_SKIP,
	MRC_PATH_STATE_ASSUMED_BAD,
	MRC_PATH_STATE_DENIED,
	MRC_PATH_STATE_PORT_DOWN,
};

/**
 * enum mrc_a_path - attributes of a path
 * @MRC_A_PATH_UNSPEC: never used
 * @MRC_A_PATH_PAD: padding of 64-bit attributes
 * @MRC_A_PATH_DEV: string, name of the device
 * @MRC_A_PATH_DST: address of the peer (%MRC_GID_LEN bytes)
 * @MRC_A_PATH_EV: u32, entropy value
 * @MRC_A_PATH_PORT: u32, port by which it leaves, from 1
 * @MRC_A_PATH_SID: outer IPv6 destination: the uSID list
 * @MRC_A_PATH_STATE: u32, &enum mrc_path_state
 * @MRC_A_PATH_CONNS: u32, connections that use it
 * @MRC_A_PATH_CONNS_BAD: u32, connections that assume it bad
 * @MRC_A_PATH_SRTT: u32, smoothed round trip in ns; of a queue pair's path
 * @MRC_A_PATH_COUNTERS: nest of &enum mrc_a_path_counters
 */
enum mrc_a_path {
	MRC_A_PATH_UNSPEC,
	MRC_A_PATH_PAD,
	MRC_A_PATH_DEV,
	MRC_A_PATH_DST,
	MRC_A_PATH_EV,
	MRC_A_PATH_PORT,
	MRC_A_PATH_SID,
	MRC_A_PATH_STATE,
	MRC_A_PATH_CONNS,
	MRC_A_PATH_CONNS_BAD,
	MRC_A_PATH_SRTT,
	MRC_A_PATH_COUNTERS,

	/* private: end of the list */
	__MRC_A_PATH_MAX,
	MRC_A_PATH_MAX = (__MRC_A_PATH_MAX - 1)
};

/**
 * enum mrc_a_path_counters - what a path has carried; u64, free-running
 * @MRC_A_PATH_COUNTERS_UNSPEC: never used
 * @MRC_A_PATH_COUNTERS_PAD: padding of 64-bit attributes
 * @MRC_A_PATH_COUNTERS_TX_PKTS: packets sent, retransmissions included
 * @MRC_A_PATH_COUNTERS_TX_BYTES: payload bytes sent, likewise
 * @MRC_A_PATH_COUNTERS_RTX_PKTS: packets sent that were retransmissions
 * @MRC_A_PATH_COUNTERS_ACKED: packets answered
 * @MRC_A_PATH_COUNTERS_ECN: answers that told of an ECN mark
 * @MRC_A_PATH_COUNTERS_TRIMS: packets trimmed before the last hop
 * @MRC_A_PATH_COUNTERS_LOSSES: packets inferred lost
 * @MRC_A_PATH_COUNTERS_TIMEOUTS: retransmission timeouts
 * @MRC_A_PATH_COUNTERS_PROBES: reliability probes sent
 * @MRC_A_PATH_COUNTERS_BAD: times it was assumed bad
 */
enum mrc_a_path_counters {
	MRC_A_PATH_COUNTERS_UNSPEC,
	MRC_A_PATH_COUNTERS_PAD,
	MRC_A_PATH_COUNTERS_TX_PKTS,
	MRC_A_PATH_COUNTERS_TX_BYTES,
	MRC_A_PATH_COUNTERS_RTX_PKTS,
	MRC_A_PATH_COUNTERS_ACKED,
	MRC_A_PATH_COUNTERS_ECN,
	MRC_A_PATH_COUNTERS_TRIMS,
	MRC_A_PATH_COUNTERS_LOSSES,
	MRC_A_PATH_COUNTERS_TIMEOUTS,
	MRC_A_PATH_COUNTERS_PROBES,
	MRC_A_PATH_COUNTERS_BAD,

	/* private: end of the list */
	__MRC_A_PATH_COUNTERS_MAX,
	MRC_A_PATH_COUNTERS_MAX = (__MRC_A_PATH_COUNTERS_MAX - 1)
};

/**
 * enum mrc_qp_state - state of a queue pair (IBTA)
 * @MRC_QP_STATE_UNSPEC: never used
 * @MRC_QP_STATE_RESET: Reset
 * @MRC_QP_STATE_INIT: Initialized
 * @MRC_QP_STATE_RTR: Ready to Receive
 * @MRC_QP_STATE_RTS: Ready to Send
 * @MRC_QP_STATE_SQD: Send Queue Drained
 * @MRC_QP_STATE_SQE: Send Queue Error
 * @MRC_QP_STATE_ERR: Error
 */
enum mrc_qp_state {
	MRC_QP_STATE_UNSPEC,
	MRC_QP_STATE_RESET,
	MRC_QP_STATE_INIT,
	MRC_QP_STATE_RTR,
	MRC_QP_STATE_RTS,
	MRC_QP_STATE_SQD,
	MRC_QP_STATE_SQE,
	MRC_QP_STATE_ERR,
};

/**
 * enum mrc_path_mode - where the paths of a queue pair come from
 * @MRC_PATH_MODE_UNSPEC: never used
 * @MRC_PATH_MODE_AUTO: spread over all ports without configuration
 * @MRC_PATH_MODE_EXPLICIT: given by the operator for the destination
 * @MRC_PATH_MODE_PROFILE: of an EV profile
 */
enum mrc_path_mode {
	MRC_PATH_MODE_UNSPEC,
	MRC_PATH_MODE_AUTO,
	MRC_PATH_MODE_EXPLICIT,
	MRC_PATH_MODE_PROFILE,
};

/**
 * enum mrc_a_qp - attributes of a queue pair
 * @MRC_A_QP_UNSPEC: never used
 * @MRC_A_QP_PAD: padding of 64-bit attributes
 * @MRC_A_QP_DEV: string, name of the device
 * @MRC_A_QP_QPN: u32, its number
 * @MRC_A_QP_STATE: u32, &enum mrc_qp_state
 * @MRC_A_QP_SRC: own address; from Ready to Receive on, like all that follow
 * @MRC_A_QP_DST: address of the peer
 * @MRC_A_QP_DST_QPN: u32, number of the peer's queue pair
 * @MRC_A_QP_MODE: u32, &enum mrc_path_mode
 * @MRC_A_QP_UNA: u32, oldest PSN that is not acknowledged
 * @MRC_A_QP_NXT: u32, next new PSN
 * @MRC_A_QP_INFLIGHT: u32, bytes in the network
 * @MRC_A_QP_CWND: u32, bytes that may be in the network
 * @MRC_A_QP_SRTT: u32, smoothed round trip over all paths in ns
 * @MRC_A_QP_COUNTERS: nest of &enum mrc_a_qp_counters
 * @MRC_A_QP_PATHS: flag, request: also tell the paths
 * @MRC_A_QP_PATH: nest of &enum mrc_a_path, one for each path
 */
enum mrc_a_qp {
	MRC_A_QP_UNSPEC,
	MRC_A_QP_PAD,
	MRC_A_QP_DEV,
	MRC_A_QP_QPN,
	MRC_A_QP_STATE,
	MRC_A_QP_SRC,
	MRC_A_QP_DST,
	MRC_A_QP_DST_QPN,
	MRC_A_QP_MODE,
	MRC_A_QP_UNA,
	MRC_A_QP_NXT,
	MRC_A_QP_INFLIGHT,
	MRC_A_QP_CWND,
	MRC_A_QP_SRTT,
	MRC_A_QP_COUNTERS,
	MRC_A_QP_PATHS,
	MRC_A_QP_PATH,

	/* private: end of the list */
	__MRC_A_QP_MAX,
	MRC_A_QP_MAX = (__MRC_A_QP_MAX - 1)
};

/**
 * enum mrc_a_qp_counters - what a queue pair did; u64, free-running
 * @MRC_A_QP_COUNTERS_UNSPEC: never used
 * @MRC_A_QP_COUNTERS_PAD: padding of 64-bit attributes
 * @MRC_A_QP_COUNTERS_TX_PKTS: data packets sent, with retransmissions
 * @MRC_A_QP_COUNTERS_TX_BYTES: payload bytes sent, with retransmissions
 * @MRC_A_QP_COUNTERS_RTX_PKTS: data packets retransmitted
 * @MRC_A_QP_COUNTERS_RTX_BYTES: payload bytes retransmitted
 * @MRC_A_QP_COUNTERS_LOSS_PATH: losses inferred from packets of the same path
 * @MRC_A_QP_COUNTERS_LOSS_TIME: losses inferred from packets of other paths
 * @MRC_A_QP_COUNTERS_TIMEOUTS: retransmission timeouts
 * @MRC_A_QP_COUNTERS_SACKS_RX: SACKs received
 * @MRC_A_QP_COUNTERS_NACKS_RX: NACKs received
 * @MRC_A_QP_COUNTERS_RNR_RX: RNR NAKs received
 * @MRC_A_QP_COUNTERS_PROBES_TX: reliability probes sent
 * @MRC_A_QP_COUNTERS_STALLS_MPR: bursts held back by the PSN window
 * @MRC_A_QP_COUNTERS_STALLS_CWND: bursts held back by the congestion window
 * @MRC_A_QP_COUNTERS_STALLS_PATH: bursts held back for want of a usable path
 * @MRC_A_QP_COUNTERS_RX_PKTS: data packets placed
 * @MRC_A_QP_COUNTERS_RX_BYTES: payload bytes placed
 * @MRC_A_QP_COUNTERS_RX_DUPS: packets received again
 * @MRC_A_QP_COUNTERS_RX_OOO: packets that arrived beyond a gap
 * @MRC_A_QP_COUNTERS_RX_WINDOW: packets outside the PSN window
 * @MRC_A_QP_COUNTERS_RX_ECN: packets that arrived with an ECN mark
 * @MRC_A_QP_COUNTERS_SACKS_TX: SACKs sent
 * @MRC_A_QP_COUNTERS_ACKS_TX: transport acknowledgements sent
 * @MRC_A_QP_COUNTERS_NACKS_TX: NACKs sent
 * @MRC_A_QP_COUNTERS_RNR_TX: RNR NAKs sent
 */
enum mrc_a_qp_counters {
	MRC_A_QP_COUNTERS_UNSPEC,
	MRC_A_QP_COUNTERS_PAD,
	MRC_A_QP_COUNTERS_TX_PKTS,
	MRC_A_QP_COUNTERS_TX_BYTES,
	MRC_A_QP_COUNTERS_RTX_PKTS,
	MRC_A_QP_COUNTERS_RTX_BYTES,
	MRC_A_QP_COUNTERS_LOSS_PATH,
	MRC_A_QP_COUNTERS_LOSS_TIME,
	MRC_A_QP_COUNTERS_TIMEOUTS,
	MRC_A_QP_COUNTERS_SACKS_RX,
	MRC_A_QP_COUNTERS_NACKS_RX,
	MRC_A_QP_COUNTERS_RNR_RX,
	MRC_A_QP_COUNTERS_PROBES_TX,
	MRC_A_QP_COUNTERS_STALLS_MPR,
	MRC_A_QP_COUNTERS_STALLS_CWND,
	MRC_A_QP_COUNTERS_STALLS_PATH,
	MRC_A_QP_COUNTERS_RX_PKTS,
	MRC_A_QP_COUNTERS_RX_BYTES,
	MRC_A_QP_COUNTERS_RX_DUPS,
	MRC_A_QP_COUNTERS_RX_OOO,
	MRC_A_QP_COUNTERS_RX_WINDOW,
	MRC_A_QP_COUNTERS_RX_ECN,
	MRC_A_QP_COUNTERS_SACKS_TX,
	MRC_A_QP_COUNTERS_ACKS_TX,
	MRC_A_QP_COUNTERS_NACKS_TX,
	MRC_A_QP_COUNTERS_RNR_TX,

	/* private: end of the list */
	__MRC_A_QP_COUNTERS_MAX,
	MRC_A_QP_COUNTERS_MAX = (__MRC_A_QP_COUNTERS_MAX - 1)
};

/**
 * enum mrc_a_event - attributes of an event
 * @MRC_A_EVENT_UNSPEC: never used
 * @MRC_A_EVENT_PAD: padding of 64-bit attributes
 * @MRC_A_EVENT_DEV: string, name of the device
 * @MRC_A_EVENT_TIME: u64, when it happened, CLOCK_REALTIME in ns
 * @MRC_A_EVENT_LOST: u64, events of this device that were lost before this
 *	one because they came faster than they could be sent
 * @MRC_A_EVENT_PORT: u32, port, or port of the path, from 1
 * @MRC_A_EVENT_IFNAME: string, net_device of the port
 * @MRC_A_EVENT_PORT_STATE: u32, &enum mrc_port_state
 * @MRC_A_EVENT_QPN: u32, queue pair whose path it is
 * @MRC_A_EVENT_DST: address of its peer
 * @MRC_A_EVENT_EV: u32, entropy value of the path
 * @MRC_A_EVENT_PATH_STATE: u32, &enum mrc_path_state, the new one
 */
enum mrc_a_event {
	MRC_A_EVENT_UNSPEC,
	MRC_A_EVENT_PAD,
	MRC_A_EVENT_DEV,
	MRC_A_EVENT_TIME,
	MRC_A_EVENT_LOST,
	MRC_A_EVENT_PORT,
	MRC_A_EVENT_IFNAME,
	MRC_A_EVENT_PORT_STATE,
	MRC_A_EVENT_QPN,
	MRC_A_EVENT_DST,
	MRC_A_EVENT_EV,
	MRC_A_EVENT_PATH_STATE,

	/* private: end of the list */
	__MRC_A_EVENT_MAX,
	MRC_A_EVENT_MAX = (__MRC_A_EVENT_MAX - 1)
};

#endif /* _UAPI_LINUX_MRC_H */
