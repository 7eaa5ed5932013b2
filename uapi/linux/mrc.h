/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB */
/*
 * Generic netlink family "mrc": devices, paths and what they are made of, queue
 * pairs, events.  Described for programs in
 * Documentation/netlink/specs/mrc.yaml, which holds the same numbers.
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

/* Events: of devices and ports, of queue pairs that fail, of paths */
#define MRC_MCGRP_PORTS		"ports"
#define MRC_MCGRP_QPS		"qps"
#define MRC_MCGRP_PATHS		"paths"

/* Longest names, with the terminating zero: of a device, of a counter */
#define MRC_NAME_MAX		64
/* Bytes of an address; IPv4 is written ::ffff:a.b.c.d */
#define MRC_GID_LEN		16
#define MRC_PORTS_MAX		32
/* Bytes of an entropy value as its profile has it */
#define MRC_EV_LEN		32
/* Most entropy values of a profile, and most fields of one */
#define MRC_EVS_MAX		256
#define MRC_FIELDS_MAX		16
/* Most fields of a template */
#define MRC_ADDR_FIELDS_MAX	40
/* In a CC profile: as usual. */
#define MRC_CC_DEFAULT		4294967295

/**
 * enum mrc_cmd - commands; the gaps are room for their kind
 * @MRC_CMD_UNSPEC: never used
 * @MRC_CMD_DEV_GET: read one device, or all (dump)
 * @MRC_CMD_DEV_ADD: make a device of the net_devices given as ports
 * @MRC_CMD_DEV_DEL: remove a device
 * @MRC_CMD_DEV_SET: change attributes of a device
 * @MRC_CMD_PATH_GET: dump paths: explicit ones; those of profiles, to peers that
 *	queue pairs have or to the destination of the filter; those that queue
 *	pairs have made up.  Filters: device, destination, port, state, usid
 * @MRC_CMD_PATH_ADD: add one explicit path
 * @MRC_CMD_PATH_DEL: remove the path with an entropy value
 * @MRC_CMD_PATH_FLUSH: remove all paths to one destination, or all of a device
 * @MRC_CMD_PATH_SET: add one explicit path, or lead it another way by its port
 * @MRC_CMD_QP_GET: dump queue pairs; filters: device, QPN.  A queue pair whose
 *	paths do not fit into a message goes on in the next one, which repeats
 *	device and QPN only
 * @MRC_CMD_FORMAT_GET: dump formats; filters: device, name
 * @MRC_CMD_FORMAT_ADD: make a format
 * @MRC_CMD_FORMAT_DEL: remove a format that nobody uses
 * @MRC_CMD_FORMAT_SET: change a format, or take it a step further
 * @MRC_CMD_TEMPLATE_GET: dump SRv6 templates; filters: device, name
 * @MRC_CMD_TEMPLATE_ADD: make an SRv6 template
 * @MRC_CMD_TEMPLATE_DEL: remove a template that nobody uses
 * @MRC_CMD_TEMPLATE_SET: replace a template; queue pairs use it at once
 * @MRC_CMD_PROFILE_GET: dump EV profiles; filters: device, name.  One whose
 *	entropy values do not fit into a message goes on in the next one, which
 *	repeats device and name only
 * @MRC_CMD_PROFILE_ADD: make an EV profile
 * @MRC_CMD_PROFILE_DEL: remove a profile that nobody uses
 * @MRC_CMD_PROFILE_SET: change a profile, or take it a step further; queue
 *	pairs follow at once
 * @MRC_CMD_PROFILE_EV_SET: replace, forbid or permit entropy values.  Each
 *	succeeds or fails by itself; those that failed are in the answer
 * @MRC_CMD_DEST_GET: dump destinations in no particular order; filters: device,
 *	and the destinations that are this one or inside it
 * @MRC_CMD_DEST_ADD: make a destination
 * @MRC_CMD_DEST_DEL: remove a destination
 * @MRC_CMD_DEST_SET: make a destination, or replace it
 * @MRC_CMD_DENY_GET: dump rules; filter: device
 * @MRC_CMD_DENY_ADD: make a rule
 * @MRC_CMD_DENY_DEL: remove a rule
 * @MRC_CMD_CC_GET: dump CC profiles; filters: device, name
 * @MRC_CMD_CC_ADD: make a CC profile
 * @MRC_CMD_CC_DEL: remove a CC profile that is not in use
 * @MRC_CMD_CC_SET: change a CC profile, for queue pairs that send already too
 * @MRC_CMD_PROBE: probe paths to a peer.  What becomes of the probes follows,
 *	when all have been answered or the time is over, in messages to the
 *	asker; the last one has the attribute done
 * @MRC_CMD_DEV_ADD_NTF: event: a device has come
 * @MRC_CMD_DEV_DEL_NTF: event: a device has gone
 * @MRC_CMD_PORT_NTF: event: a port went up or down
 * @MRC_CMD_PATH_NTF: event: a queue pair gave up a path or took it back
 * @MRC_CMD_QP_NTF: event: a queue pair has failed because of its peer, or of the
 *	network
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
	MRC_CMD_PATH_SET	= 20,

	MRC_CMD_QP_GET		= 32,

	MRC_CMD_FORMAT_GET	= 48,
	MRC_CMD_FORMAT_ADD	= 49,
	MRC_CMD_FORMAT_DEL	= 50,
	MRC_CMD_FORMAT_SET	= 51,

	MRC_CMD_TEMPLATE_GET	= 64,
	MRC_CMD_TEMPLATE_ADD	= 65,
	MRC_CMD_TEMPLATE_DEL	= 66,
	MRC_CMD_TEMPLATE_SET	= 67,

	MRC_CMD_PROFILE_GET	= 80,
	MRC_CMD_PROFILE_ADD	= 81,
	MRC_CMD_PROFILE_DEL	= 82,
	MRC_CMD_PROFILE_SET	= 83,
	MRC_CMD_PROFILE_EV_SET	= 84,

	MRC_CMD_DEST_GET	= 96,
	MRC_CMD_DEST_ADD	= 97,
	MRC_CMD_DEST_DEL	= 98,
	MRC_CMD_DEST_SET	= 99,

	MRC_CMD_DENY_GET	= 112,
	MRC_CMD_DENY_ADD	= 113,
	MRC_CMD_DENY_DEL	= 114,

	MRC_CMD_CC_GET		= 128,
	MRC_CMD_CC_ADD		= 129,
	MRC_CMD_CC_DEL		= 130,
	MRC_CMD_CC_SET		= 131,

	MRC_CMD_PROBE		= 160,

	MRC_CMD_DEV_ADD_NTF	= 192,
	MRC_CMD_DEV_DEL_NTF	= 193,
	MRC_CMD_PORT_NTF	= 194,
	MRC_CMD_PATH_NTF	= 195,
	MRC_CMD_QP_NTF		= 196,

	/* private: end of the list */
	__MRC_CMD_MAX,
	MRC_CMD_MAX = (__MRC_CMD_MAX - 1)
};

/**
 * enum mrc_icrc_mode - do data packets of queue pairs carry the ICRC?
 * @MRC_ICRC_MODE_UNSPEC: never used
 * @MRC_ICRC_MODE_AUTO: not if both devices can do without
 * @MRC_ICRC_MODE_ALWAYS: those that the device sends, and those sent to it
 */
enum mrc_icrc_mode {
	MRC_ICRC_MODE_UNSPEC,
	MRC_ICRC_MODE_AUTO,
	MRC_ICRC_MODE_ALWAYS,
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
 * @MRC_A_DEV_CC: string, name of the CC profile of queue pairs whose destination
 *	names none; absent if they send as usual; in a request "" means that
 * @MRC_A_DEV_ICRC: u32, &enum mrc_icrc_mode; a change holds for all queue pairs
 *	at once
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
	MRC_A_DEV_CC,
	MRC_A_DEV_ICRC,

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
 * @MRC_PORT_STATE_DISABLED: an operator has taken it out of use
 */
enum mrc_port_state {
	MRC_PORT_STATE_UNSPEC,
	MRC_PORT_STATE_DOWN,
	MRC_PORT_STATE_UP,
	MRC_PORT_STATE_GONE,
	MRC_PORT_STATE_DISABLED,
};

/**
 * enum mrc_a_port - attributes of a port
 * @MRC_A_PORT_UNSPEC: never used
 * @MRC_A_PORT_INDEX: u32, number of the port, from 1; also its plane
 * @MRC_A_PORT_IFINDEX: u32, its net_device, absent like name and MTU when that
 *	has gone; the only attribute when a device is made
 * @MRC_A_PORT_IFNAME: string, name of the net_device
 * @MRC_A_PORT_STATE: u32, &enum mrc_port_state
 * @MRC_A_PORT_MTU: u32, of the net_device, bytes
 * @MRC_A_PORT_ENABLED: u32, 0: an operator has taken it out of use, otherwise 1
 * @MRC_A_PORT_USID: outer destinations of packets that the device decapsulates
 *	when they come by this port begin like this address; the other bits are
 *	zero (%MRC_GID_LEN bytes).  Absent: it decapsulates none
 * @MRC_A_PORT_USID_LEN: u32, for so many bits, 8 to 128; in a request 0 means
 *	none
 */
enum mrc_a_port {
	MRC_A_PORT_UNSPEC,
	MRC_A_PORT_INDEX,
	MRC_A_PORT_IFINDEX,
	MRC_A_PORT_IFNAME,
	MRC_A_PORT_STATE,
	MRC_A_PORT_MTU,
	MRC_A_PORT_ENABLED,
	MRC_A_PORT_USID,
	MRC_A_PORT_USID_LEN,

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
 * @MRC_A_PATH_SRTT: u32, smoothed round trip in ns, the mean of all who know one
 * @MRC_A_PATH_COUNTERS: nest of &enum mrc_a_path_counters
 * @MRC_A_PATH_MODE: u32, &enum mrc_path_mode
 * @MRC_A_PATH_QPN: u32, the queue pair that has made it up
 * @MRC_A_PATH_USID: u32, request: paths that visit this micro-segment
 * @MRC_A_PATH_SRH: the uSID list that follows that of the outer destination, in
 *	a segment routing header; absent: there is none
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
	MRC_A_PATH_MODE,
	MRC_A_PATH_QPN,
	MRC_A_PATH_USID,
	MRC_A_PATH_SRH,

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
 * @MRC_A_QP_ALGORITHM: string, congestion control
 * @MRC_A_QP_LB: string, load balancer
 * @MRC_A_QP_ICRC: u32, 1: data packets to the peer carry the ICRC, otherwise 0
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
	MRC_A_QP_ALGORITHM,
	MRC_A_QP_LB,
	MRC_A_QP_ICRC,

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
 * enum mrc_object_state - how far an object is (control API)
 * @MRC_OBJECT_STATE_UNSPEC: never used
 * @MRC_OBJECT_STATE_INIT: it has a name; attributes may be missing
 * @MRC_OBJECT_STATE_OFFLINE: its attributes have been checked; it is not used
 * @MRC_OBJECT_STATE_ONLINE: it may be used
 */
enum mrc_object_state {
	MRC_OBJECT_STATE_UNSPEC,
	MRC_OBJECT_STATE_INIT,
	MRC_OBJECT_STATE_OFFLINE,
	MRC_OBJECT_STATE_ONLINE,
};

/**
 * enum mrc_format_kind - where in a packet the path is named
 * @MRC_FORMAT_KIND_UNSPEC: never used
 * @MRC_FORMAT_KIND_UDP: UDP source port, which switches hash
 * @MRC_FORMAT_KIND_STEV: UDP source port and flow label, which switches take
 *	apart
 * @MRC_FORMAT_KIND_SRV6: outer IPv6 destination, a list of micro-segments
 * @MRC_FORMAT_KIND_SRV6_SRH: the same, going on in a segment routing header
 */
enum mrc_format_kind {
	MRC_FORMAT_KIND_UNSPEC,
	MRC_FORMAT_KIND_UDP,
	MRC_FORMAT_KIND_STEV,
	MRC_FORMAT_KIND_SRV6,
	MRC_FORMAT_KIND_SRV6_SRH,
};

/**
 * enum mrc_profile_kind - where entropy values come from
 * @MRC_PROFILE_KIND_UNSPEC: never used
 * @MRC_PROFILE_KIND_AUTO: made up; no format, no fields
 * @MRC_PROFILE_KIND_EXPLICIT: the operator lists them
 * @MRC_PROFILE_KIND_GENERATED: from the ranges of the fields
 */
enum mrc_profile_kind {
	MRC_PROFILE_KIND_UNSPEC,
	MRC_PROFILE_KIND_AUTO,
	MRC_PROFILE_KIND_EXPLICIT,
	MRC_PROFILE_KIND_GENERATED,
};

/**
 * enum mrc_source - where bits of an address come from
 * @MRC_SOURCE_UNSPEC: never used
 * @MRC_SOURCE_CONST: the same in every address
 * @MRC_SOURCE_EV: the entropy value, as its profile expands it
 * @MRC_SOURCE_PLANE: the plane: its port's number, counted from first-plane
 * @MRC_SOURCE_DEST: the number of the destination
 */
enum mrc_source {
	MRC_SOURCE_UNSPEC,
	MRC_SOURCE_CONST,
	MRC_SOURCE_EV,
	MRC_SOURCE_PLANE,
	MRC_SOURCE_DEST,
};

/**
 * enum mrc_a_format - attributes of an EV format profile
 * @MRC_A_FORMAT_UNSPEC: never used
 * @MRC_A_FORMAT_DEV: string, name of the device
 * @MRC_A_FORMAT_NAME: string, name of the format
 * @MRC_A_FORMAT_STATE: u32, &enum mrc_object_state; how far it is; a request
 *	asks for a step
 * @MRC_A_FORMAT_MODE: u32, &enum mrc_format_kind
 * @MRC_A_FORMAT_WIDTH: u32, bits of a field, 1 to 32; one for each field, in
 *	order
 * @MRC_A_FORMAT_USERS: u32, profiles of this format
 */
enum mrc_a_format {
	MRC_A_FORMAT_UNSPEC,
	MRC_A_FORMAT_DEV,
	MRC_A_FORMAT_NAME,
	MRC_A_FORMAT_STATE,
	MRC_A_FORMAT_MODE,
	MRC_A_FORMAT_WIDTH,
	MRC_A_FORMAT_USERS,

	/* private: end of the list */
	__MRC_A_FORMAT_MAX,
	MRC_A_FORMAT_MAX = (__MRC_A_FORMAT_MAX - 1)
};

/**
 * enum mrc_a_template - attributes of an SRv6 template
 * @MRC_A_TEMPLATE_UNSPEC: never used
 * @MRC_A_TEMPLATE_DEV: string, name of the device
 * @MRC_A_TEMPLATE_NAME: string, name of the template
 * @MRC_A_TEMPLATE_BLOCK: u32, bits before the first micro-segment; 32 if absent
 * @MRC_A_TEMPLATE_USID: u32, bits of a micro-segment; 16 if absent
 * @MRC_A_TEMPLATE_EV_BITS: u32, bits of the entropy value
 * @MRC_A_TEMPLATE_DEST_BITS: u32, bits of a destination's number, at most 64
 * @MRC_A_TEMPLATE_FIRST_PLANE: u32, number that addresses have for port 1
 * @MRC_A_TEMPLATE_FIELD: nest of &enum mrc_a_addr_field; one for each field,
 *	from the first bit of the address on
 * @MRC_A_TEMPLATE_USERS: u32, destinations that use it
 * @MRC_A_TEMPLATE_SRH: flag: fields have 128 bits for the destination address
 *	and go on in the one segment of a segment routing header
 */
enum mrc_a_template {
	MRC_A_TEMPLATE_UNSPEC,
	MRC_A_TEMPLATE_DEV,
	MRC_A_TEMPLATE_NAME,
	MRC_A_TEMPLATE_BLOCK,
	MRC_A_TEMPLATE_USID,
	MRC_A_TEMPLATE_EV_BITS,
	MRC_A_TEMPLATE_DEST_BITS,
	MRC_A_TEMPLATE_FIRST_PLANE,
	MRC_A_TEMPLATE_FIELD,
	MRC_A_TEMPLATE_USERS,
	MRC_A_TEMPLATE_SRH,

	/* private: end of the list */
	__MRC_A_TEMPLATE_MAX,
	MRC_A_TEMPLATE_MAX = (__MRC_A_TEMPLATE_MAX - 1)
};

/**
 * enum mrc_a_addr_field - one field of an outer address
 * @MRC_A_ADDR_FIELD_UNSPEC: never used
 * @MRC_A_ADDR_FIELD_SOURCE: u32, &enum mrc_source
 * @MRC_A_ADDR_FIELD_WIDTH: u32, bits, 1 to 32
 * @MRC_A_ADDR_FIELD_FROM: u32, first bit of the source that is taken, of ev and
 *	dest
 * @MRC_A_ADDR_FIELD_VALUE: u32, the bits, of const
 */
enum mrc_a_addr_field {
	MRC_A_ADDR_FIELD_UNSPEC,
	MRC_A_ADDR_FIELD_SOURCE,
	MRC_A_ADDR_FIELD_WIDTH,
	MRC_A_ADDR_FIELD_FROM,
	MRC_A_ADDR_FIELD_VALUE,

	/* private: end of the list */
	__MRC_A_ADDR_FIELD_MAX,
	MRC_A_ADDR_FIELD_MAX = (__MRC_A_ADDR_FIELD_MAX - 1)
};

/**
 * enum mrc_a_profile - attributes of an EV profile
 * @MRC_A_PROFILE_UNSPEC: never used
 * @MRC_A_PROFILE_PAD: padding of 64-bit attributes
 * @MRC_A_PROFILE_DEV: string, name of the device
 * @MRC_A_PROFILE_NAME: string, name of the profile
 * @MRC_A_PROFILE_STATE: u32, &enum mrc_object_state; how far it is; a request
 *	asks for a step
 * @MRC_A_PROFILE_MODE: u32, &enum mrc_profile_kind
 * @MRC_A_PROFILE_FORMAT: string, name of its format
 * @MRC_A_PROFILE_COUNT: u32, entropy values, 1 to 256
 * @MRC_A_PROFILE_ACTIVE: u32, those of them that are in rotation; 0: all
 * @MRC_A_PROFILE_MIN_ACTIVE: u32, active ones of which none is given up; 0: one
 *	per port
 * @MRC_A_PROFILE_SEED: u64, of what is made up or generated
 * @MRC_A_PROFILE_PACKET: u32, payload bytes of packets that all ports must
 *	carry; 0: any
 * @MRC_A_PROFILE_FIELD: nest of &enum mrc_a_ev_field; one for each field
 * @MRC_A_PROFILE_EVS: flag, request: also tell the entropy values
 * @MRC_A_PROFILE_EV: nest of &enum mrc_a_ev; an entropy value; in an answer to
 *	profile-ev-set, one that was refused
 * @MRC_A_PROFILE_USERS: u32, destinations that use it
 */
enum mrc_a_profile {
	MRC_A_PROFILE_UNSPEC,
	MRC_A_PROFILE_PAD,
	MRC_A_PROFILE_DEV,
	MRC_A_PROFILE_NAME,
	MRC_A_PROFILE_STATE,
	MRC_A_PROFILE_MODE,
	MRC_A_PROFILE_FORMAT,
	MRC_A_PROFILE_COUNT,
	MRC_A_PROFILE_ACTIVE,
	MRC_A_PROFILE_MIN_ACTIVE,
	MRC_A_PROFILE_SEED,
	MRC_A_PROFILE_PACKET,
	MRC_A_PROFILE_FIELD,
	MRC_A_PROFILE_EVS,
	MRC_A_PROFILE_EV,
	MRC_A_PROFILE_USERS,

	/* private: end of the list */
	__MRC_A_PROFILE_MAX,
	MRC_A_PROFILE_MAX = (__MRC_A_PROFILE_MAX - 1)
};

/**
 * enum mrc_a_ev_field - one field of an entropy value, and how it is expanded
 * @MRC_A_EV_FIELD_UNSPEC: never used
 * @MRC_A_EV_FIELD_WIDTH: u32, bits, 1 to 32
 * @MRC_A_EV_FIELD_INIT: u32, value before bits of the entropy value overwrite
 *	some
 * @MRC_A_EV_FIELD_LOWEST: u32, smallest number those bits form, if generated
 * @MRC_A_EV_FIELD_HIGHEST: u32, largest one
 * @MRC_A_EV_FIELD_MASK: u32, bits of the value that come from the entropy value
 */
enum mrc_a_ev_field {
	MRC_A_EV_FIELD_UNSPEC,
	MRC_A_EV_FIELD_WIDTH,
	MRC_A_EV_FIELD_INIT,
	MRC_A_EV_FIELD_LOWEST,
	MRC_A_EV_FIELD_HIGHEST,
	MRC_A_EV_FIELD_MASK,

	/* private: end of the list */
	__MRC_A_EV_FIELD_MAX,
	MRC_A_EV_FIELD_MAX = (__MRC_A_EV_FIELD_MAX - 1)
};

/**
 * enum mrc_a_ev - one entropy value of a profile
 * @MRC_A_EV_UNSPEC: never used
 * @MRC_A_EV_INDEX: u32, its place in the profile, from 0
 * @MRC_A_EV_PORT: u32, port by which it leaves, from 1
 * @MRC_A_EV_BITS: the value, left-aligned; unused bits are zero (%MRC_EV_LEN
 *	bytes)
 * @MRC_A_EV_VALUE: u32, what packets carry and answers reflect
 * @MRC_A_EV_DENIED: u32, 1: forbidden by the operator; 0: not
 * @MRC_A_EV_ERROR: u32, number of the error with which it was refused
 * @MRC_A_EV_REASON: string, the reason, in words
 */
enum mrc_a_ev {
	MRC_A_EV_UNSPEC,
	MRC_A_EV_INDEX,
	MRC_A_EV_PORT,
	MRC_A_EV_BITS,
	MRC_A_EV_VALUE,
	MRC_A_EV_DENIED,
	MRC_A_EV_ERROR,
	MRC_A_EV_REASON,

	/* private: end of the list */
	__MRC_A_EV_MAX,
	MRC_A_EV_MAX = (__MRC_A_EV_MAX - 1)
};

/**
 * enum mrc_a_dest - attributes of a destination
 * @MRC_A_DEST_UNSPEC: never used
 * @MRC_A_DEST_PAD: padding of 64-bit attributes
 * @MRC_A_DEST_DEV: string, name of the device
 * @MRC_A_DEST_DST: addresses of peers begin like this one; the other bits are
 *	zero (%MRC_GID_LEN bytes)
 * @MRC_A_DEST_LEN: u32, so many bits, 0 to 128
 * @MRC_A_DEST_PROFILE: string, name of the EV profile
 * @MRC_A_DEST_TEMPLATE: string, name of the SRv6 template, if the profile is of
 *	SRv6
 * @MRC_A_DEST_NUMBER: u64, what the template puts in for this destination
 * @MRC_A_DEST_CC: string, name of the CC profile, if not that of the device
 */
enum mrc_a_dest {
	MRC_A_DEST_UNSPEC,
	MRC_A_DEST_PAD,
	MRC_A_DEST_DEV,
	MRC_A_DEST_DST,
	MRC_A_DEST_LEN,
	MRC_A_DEST_PROFILE,
	MRC_A_DEST_TEMPLATE,
	MRC_A_DEST_NUMBER,
	MRC_A_DEST_CC,

	/* private: end of the list */
	__MRC_A_DEST_MAX,
	MRC_A_DEST_MAX = (__MRC_A_DEST_MAX - 1)
};

/**
 * enum mrc_a_deny - a rule that forbids paths: those of which all is true that
 *	it names
 * @MRC_A_DENY_UNSPEC: never used
 * @MRC_A_DENY_DEV: string, name of the device
 * @MRC_A_DENY_DST: they lead to a peer whose address begins like this one
 *	(%MRC_GID_LEN bytes)
 * @MRC_A_DENY_LEN: u32, so many bits; 128 if absent
 * @MRC_A_DENY_EV: u32, they have this entropy value
 * @MRC_A_DENY_PORT: u32, they leave by this port
 * @MRC_A_DENY_USID: u32, they visit this micro-segment
 * @MRC_A_DENY_NEXT: u32, and then this one
 */
enum mrc_a_deny {
	MRC_A_DENY_UNSPEC,
	MRC_A_DENY_DEV,
	MRC_A_DENY_DST,
	MRC_A_DENY_LEN,
	MRC_A_DENY_EV,
	MRC_A_DENY_PORT,
	MRC_A_DENY_USID,
	MRC_A_DENY_NEXT,

	/* private: end of the list */
	__MRC_A_DENY_MAX,
	MRC_A_DENY_MAX = (__MRC_A_DENY_MAX - 1)
};

/**
 * enum mrc_a_cc - attributes of a CC profile
 * @MRC_A_CC_UNSPEC: never used
 * @MRC_A_CC_DEV: string, name of the device
 * @MRC_A_CC_NAME: string, name of the profile
 * @MRC_A_CC_STATE: u32, &enum mrc_object_state; how far it is; a request asks
 *	for a step
 * @MRC_A_CC_USERS: u32, destinations that name it, and 1 if the device does
 * @MRC_A_CC_ALGORITHM: string: none (the PSN window alone), fixed (a constant
 *	window) or nscc (UEC)
 * @MRC_A_CC_LB: string, load balancer: rotation or reps
 * @MRC_A_CC_WINDOW: u32, bytes; the window of "fixed", the largest of NSCC
 * @MRC_A_CC_RATE: u32, Mb/s of a port, of which NSCC makes its usual values
 * @MRC_A_CC_BASE_RTT: u32, ns, round trip of the empty network, likewise
 * @MRC_A_CC_TRIMS: u32, 1: switches trim packets, they do not drop them
 * @MRC_A_CC_TARGET_DELAY: u32, ns, queueing delay that NSCC keeps
 * @MRC_A_CC_JITTER: u32, ns that hosts cannot measure any finer
 * @MRC_A_CC_FI: u32, bytes, fair increase per window
 * @MRC_A_CC_FI_SCALE: u32, millionths, fast increase per byte
 * @MRC_A_CC_ETA: u32, bytes, increase per adjust-period
 * @MRC_A_CC_GAMMA: u32, millionths, part of the excess that a decrease removes
 * @MRC_A_CC_MAX_MD_JUMP: u32, millionths, smallest factor of a decrease
 * @MRC_A_CC_ADJUST_BYTES: u32, bytes after which increases take effect
 * @MRC_A_CC_ADJUST_PERIOD: u32, ns after which they do in any case
 * @MRC_A_CC_QA_THRESHOLD: u32, ns of queueing delay that make quick adapt
 *	run; 0: none does
 * @MRC_A_CC_QA_GATE: u32, quick adapt runs below so many halvings of the
 *	largest window
 * @MRC_A_CC_DISABLE_QA: u32, 1: quick adapt never runs
 * @MRC_A_CC_REO_PATH: u32, ns by which packets of a path may be reordered
 * @MRC_A_CC_REO_TIME: u32, ns by which packets of different paths may
 * @MRC_A_CC_TIMEOUT: u32, local ACK timeout, 1.024 us times 2 to the power
 *	of this, 1 to 24; without it what the program asks for, like the next two
 * @MRC_A_CC_LINEAR: u32, retransmission timeouts of that length, 0 to 7
 * @MRC_A_CC_EXP: u32, further ones, each twice as long as before; 25: no end
 * @MRC_A_CC_MPR: u32, PSNs in flight, a power of two, 64 to 1024; for queue
 *	pairs that become ready to send later
 *
 * What is absent is as usual; MRC_CC_DEFAULT or "" in a request make it so.
 */
enum mrc_a_cc {
	MRC_A_CC_UNSPEC,
	MRC_A_CC_DEV,
	MRC_A_CC_NAME,
	MRC_A_CC_STATE,
	MRC_A_CC_USERS,
	MRC_A_CC_ALGORITHM,
	MRC_A_CC_LB,
	MRC_A_CC_WINDOW,
	MRC_A_CC_RATE,
	MRC_A_CC_BASE_RTT,
	MRC_A_CC_TRIMS,
	MRC_A_CC_TARGET_DELAY,
	MRC_A_CC_JITTER,
	MRC_A_CC_FI,
	MRC_A_CC_FI_SCALE,
	MRC_A_CC_ETA,
	MRC_A_CC_GAMMA,
	MRC_A_CC_MAX_MD_JUMP,
	MRC_A_CC_ADJUST_BYTES,
	MRC_A_CC_ADJUST_PERIOD,
	MRC_A_CC_QA_THRESHOLD,
	MRC_A_CC_QA_GATE,
	MRC_A_CC_DISABLE_QA,
	MRC_A_CC_REO_PATH,
	MRC_A_CC_REO_TIME,
	MRC_A_CC_TIMEOUT,
	MRC_A_CC_LINEAR,
	MRC_A_CC_EXP,
	MRC_A_CC_MPR,

	/* private: end of the list */
	__MRC_A_CC_MAX,
	MRC_A_CC_MAX = (__MRC_A_CC_MAX - 1)
};

/**
 * enum mrc_probe_result - what became of a probe
 * @MRC_PROBE_RESULT_UNSPEC: never used
 * @MRC_PROBE_RESULT_ANSWERED: it was answered
 * @MRC_PROBE_RESULT_LOST: it was not, in time
 * @MRC_PROBE_RESULT_DENIED: it was not sent: the operator forbids the path
 * @MRC_PROBE_RESULT_PORT_DOWN: it was not sent: the port is down
 * @MRC_PROBE_RESULT_NO_ROUTE: it was not sent: there is no route by this port
 * @MRC_PROBE_RESULT_NO_PATH: it was not sent: the peer has no such path
 * @MRC_PROBE_RESULT_NO_MEMORY: it was not sent: no memory for a packet
 */
enum mrc_probe_result {
	MRC_PROBE_RESULT_UNSPEC,
	MRC_PROBE_RESULT_ANSWERED,
	MRC_PROBE_RESULT_LOST,
	MRC_PROBE_RESULT_DENIED,
	MRC_PROBE_RESULT_PORT_DOWN,
	MRC_PROBE_RESULT_NO_ROUTE,
	MRC_PROBE_RESULT_NO_PATH,
	MRC_PROBE_RESULT_NO_MEMORY,
};

/**
 * enum mrc_a_probe - attributes of a round of probes
 * @MRC_A_PROBE_UNSPEC: never used
 * @MRC_A_PROBE_DEV: string, name of the device
 * @MRC_A_PROBE_DST: address of the peer (%MRC_GID_LEN bytes)
 * @MRC_A_PROBE_SRC: own address; absent: whichever the host would use
 * @MRC_A_PROBE_TIMEOUT: u32, ms to wait for answers, 1 to 10000
 * @MRC_A_PROBE_PORT: u32, only paths that leave by this port
 * @MRC_A_PROBE_PATH: nest of &enum mrc_a_probe_path, one for each path.  In a
 *	request, which paths; without any, all that queue pairs would use and
 *	that are not forbidden
 * @MRC_A_PROBE_DONE: flag, answer: nothing follows
 */
enum mrc_a_probe {
	MRC_A_PROBE_UNSPEC,
	MRC_A_PROBE_DEV,
	MRC_A_PROBE_DST,
	MRC_A_PROBE_SRC,
	MRC_A_PROBE_TIMEOUT,
	MRC_A_PROBE_PORT,
	MRC_A_PROBE_PATH,
	MRC_A_PROBE_DONE,

	/* private: end of the list */
	__MRC_A_PROBE_MAX,
	MRC_A_PROBE_MAX = (__MRC_A_PROBE_MAX - 1)
};

/**
 * enum mrc_a_probe_path - one path that is probed
 * @MRC_A_PROBE_PATH_UNSPEC: never used
 * @MRC_A_PROBE_PATH_EV: u32, entropy value
 * @MRC_A_PROBE_PATH_PORT: u32, port by which it leaves, from 1
 * @MRC_A_PROBE_PATH_SID: outer IPv6 destination, if there is one
 * @MRC_A_PROBE_PATH_RESULT: u32, &enum mrc_probe_result
 * @MRC_A_PROBE_PATH_RTT: u32, round trip in ns; like all that follow, of an
 *	answered probe
 * @MRC_A_PROBE_PATH_RX_PORT: u32, port by which the answer came; absent: none
 *	of the device's
 * @MRC_A_PROBE_PATH_ADJUSTED: flag: the round trip is without the time that the
 *	peer needed to answer
 * @MRC_A_PROBE_PATH_SRH: the uSID list of its segment routing header, if there
 *	is one
 */
enum mrc_a_probe_path {
	MRC_A_PROBE_PATH_UNSPEC,
	MRC_A_PROBE_PATH_EV,
	MRC_A_PROBE_PATH_PORT,
	MRC_A_PROBE_PATH_SID,
	MRC_A_PROBE_PATH_RESULT,
	MRC_A_PROBE_PATH_RTT,
	MRC_A_PROBE_PATH_RX_PORT,
	MRC_A_PROBE_PATH_ADJUSTED,
	MRC_A_PROBE_PATH_SRH,

	/* private: end of the list */
	__MRC_A_PROBE_PATH_MAX,
	MRC_A_PROBE_PATH_MAX = (__MRC_A_PROBE_PATH_MAX - 1)
};

/**
 * enum mrc_qp_cause - why a queue pair has failed
 * @MRC_QP_CAUSE_UNSPEC: never used
 * @MRC_QP_CAUSE_NO_ANSWER: the peer does not answer on any path, and all retries
 *	are used up
 * @MRC_QP_CAUSE_NO_RECEIVE: the peer has no receive buffers, and all retries for
 *	that are used up
 */
enum mrc_qp_cause {
	MRC_QP_CAUSE_UNSPEC,
	MRC_QP_CAUSE_NO_ANSWER,
	MRC_QP_CAUSE_NO_RECEIVE,
};

/**
 * enum mrc_a_event - attributes of an event
 * @MRC_A_EVENT_UNSPEC: never used
 * @MRC_A_EVENT_PAD: padding of 64-bit attributes
 * @MRC_A_EVENT_DEV: string, name of the device
 * @MRC_A_EVENT_TIME: u64, when it happened, CLOCK_REALTIME in ns
 * @MRC_A_EVENT_SERIAL: u64, number of the event among those that the group has had
 *	of the device, from 0.  Numbers that are left out are of events that were
 *	lost, because they came faster than they could be sent or read
 * @MRC_A_EVENT_PORT: u32, port, or port of the path, from 1
 * @MRC_A_EVENT_IFNAME: string, net_device of the port
 * @MRC_A_EVENT_PORT_STATE: u32, &enum mrc_port_state
 * @MRC_A_EVENT_QPN: u32, queue pair, or the one whose path it is
 * @MRC_A_EVENT_DST: address of its peer
 * @MRC_A_EVENT_EV: u32, entropy value of the path
 * @MRC_A_EVENT_PATH_STATE: u32, &enum mrc_path_state, the new one
 * @MRC_A_EVENT_QP_CAUSE: u32, &enum mrc_qp_cause
 */
enum mrc_a_event {
	MRC_A_EVENT_UNSPEC,
	MRC_A_EVENT_PAD,
	MRC_A_EVENT_DEV,
	MRC_A_EVENT_TIME,
	MRC_A_EVENT_SERIAL,
	MRC_A_EVENT_PORT,
	MRC_A_EVENT_IFNAME,
	MRC_A_EVENT_PORT_STATE,
	MRC_A_EVENT_QPN,
	MRC_A_EVENT_DST,
	MRC_A_EVENT_EV,
	MRC_A_EVENT_PATH_STATE,
	MRC_A_EVENT_QP_CAUSE,

	/* private: end of the list */
	__MRC_A_EVENT_MAX,
	MRC_A_EVENT_MAX = (__MRC_A_EVENT_MAX - 1)
};

#endif /* _UAPI_LINUX_MRC_H */
