/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mrcctl metrics: what devices, ports and peers do, for monitoring systems.
 */
#ifndef MRCCTL_METRICS_H
#define MRCCTL_METRICS_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nl.h"

enum {
	/* Sizes of tables; a newer kernel may have more counters. */
	METRICS_NAME_MAX = 48,
	METRICS_STATS_MAX = 256,
	METRICS_STATES = MRC_PATH_STATE_PORT_DOWN + 1,
	METRICS_COUNTERS = 16,
	METRICS_RTT_MAX = 32,
	/* The first interval of round trips ends at 2^this ns. */
	METRICS_RTT_SHIFT = 11,
	/* Peers that are described one by one, unless the user says otherwise. */
	METRICS_PEERS = 128,
};

/**
 * struct metrics_stat - a counter of a device
 * @name: its name
 * @value: its value
 */
struct metrics_stat {
	char name[METRICS_NAME_MAX];
	uint64_t value;
};

/**
 * struct metrics_dev - a device
 * @name: its name
 * @stat: its counters
 * @n_stats: how many
 * @peers: peers
 */
struct metrics_dev {
	char name[MRC_NAME_MAX];
	struct metrics_stat stat[METRICS_STATS_MAX];
	size_t n_stats;
	size_t peers;
};

/**
 * struct metrics_port - a port
 * @dev: device
 * @port: number
 * @ifname: net device
 * @state: enum mrc_port_state
 * @speed: Mb/s; 0: unknown
 * @counters: in the order of port_counters
 * @rtt: round trips by interval
 * @n_rtt: intervals
 * @rtt_sum: sum of the round trips, ns
 * @paths: paths by enum mrc_path_state
 */
struct metrics_port {
	char dev[MRC_NAME_MAX];
	uint32_t port;
	char ifname[IF_NAMESIZE];
	uint32_t state;
	uint32_t speed;
	uint64_t counters[METRICS_COUNTERS];
	uint64_t rtt[METRICS_RTT_MAX];
	size_t n_rtt;
	uint64_t rtt_sum;
	uint64_t paths[METRICS_STATES];
};

/**
 * struct metrics_peer - a peer
 * @dev: device
 * @src: own address
 * @dst: address of the peer
 * @qps: queue pairs
 * @cwnd: sum of their congestion windows, bytes
 * @inflight: sum of their bytes in flight
 * @srtt: ns; 0: unknown
 * @base_rtt: ns; 0: unknown
 * @counters: in the order of peer_counters
 */
struct metrics_peer {
	char dev[MRC_NAME_MAX];
	struct in6_addr src;
	struct in6_addr dst;
	uint32_t qps;
	uint64_t cwnd;
	uint64_t inflight;
	uint32_t srtt;
	uint32_t base_rtt;
	uint64_t counters[METRICS_COUNTERS];
};

/**
 * struct metrics - everything at one moment
 * @devs: devices
 * @n_devs: how many
 * @ports: ports, by device
 * @n_ports: how many
 * @peers: peers, by device and address
 * @n_peers: how many
 */
struct metrics {
	struct metrics_dev *devs;
	size_t n_devs;
	struct metrics_port *ports;
	size_t n_ports;
	struct metrics_peer *peers;
	size_t n_peers;
};

/**
 * struct metrics_format - how to write metrics
 * @openmetrics: OpenMetrics 1.0 instead of the text format 0.0.4
 * @peers: most peers of a device that are described one by one
 */
struct metrics_format {
	bool openmetrics;
	uint32_t peers;
};

int metrics_collect(struct nl *nl, const char *dev, struct metrics *m);
void metrics_free(struct metrics *m);
void metrics_write(FILE *f, const struct metrics *m,
		   const struct metrics_format *format);

#endif /* MRCCTL_METRICS_H */
