/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mrcctl top: what ports and paths do now.
 */
#ifndef MRCCTL_TOP_H
#define MRCCTL_TOP_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nl.h"

/**
 * enum top_sort - order of paths
 * @TOP_SORT_RATE: highest rate first
 * @TOP_SORT_RTT: longest round trip first
 * @TOP_SORT_ECN: most marks first
 * @TOP_SORT_LOSS: most losses first
 * @TOP_SORT_NAME: by port and entropy value
 * @TOP_SORTS: end of the list
 */
enum top_sort {
	TOP_SORT_RATE = 1,
	TOP_SORT_RTT,
	TOP_SORT_ECN,
	TOP_SORT_LOSS,
	TOP_SORT_NAME,
	TOP_SORTS,
};

/**
 * struct top_counters - what is counted, or by how much it grew
 * @pkts: packets sent
 * @bytes: payload sent
 * @rtx: packets that were retransmissions
 * @acked: packets acknowledged
 * @ecn: acknowledgments that report a mark
 * @losses: losses and retransmission timeouts
 */
struct top_counters {
	uint64_t pkts;
	uint64_t bytes;
	uint64_t rtx;
	uint64_t acked;
	uint64_t ecn;
	uint64_t losses;
};

/**
 * struct top_path - a path
 * @dev: device
 * @dst: peer
 * @qpn: queue pair of an automatic path; 0: none
 * @ev: entropy value
 * @port: port
 * @state: enum mrc_path_state
 * @qps: queue pairs that use it
 * @rtt: ns; 0: unknown
 * @now: counters
 * @grown: since the sample before
 */
struct top_path {
	char dev[MRC_NAME_MAX];
	struct in6_addr dst;
	uint32_t qpn;
	uint32_t ev;
	uint32_t port;
	uint32_t state;
	uint32_t qps;
	uint32_t rtt;
	struct top_counters now;
	struct top_counters grown;
};

/**
 * struct top_port - a port, and what its paths do together
 * @dev: device
 * @port: number
 * @ifname: net device
 * @state: enum mrc_port_state
 * @paths: paths
 * @good: those in rotation and usable backups
 * @bad: those assumed bad, denied or down
 * @rtt_sum: of the round trips that are known, ns
 * @rtt_n: how many
 * @grown: sum over the paths
 */
struct top_port {
	char dev[MRC_NAME_MAX];
	uint32_t port;
	char ifname[IF_NAMESIZE];
	uint32_t state;
	uint32_t paths;
	uint32_t good;
	uint32_t bad;
	uint64_t rtt_sum;
	uint32_t rtt_n;
	struct top_counters grown;
};

/**
 * struct top_sample - everything at one moment
 * @ns: monotonic time
 * @ports: ports
 * @n_ports: how many
 * @paths: paths
 * @n_paths: how many
 */
struct top_sample {
	uint64_t ns;
	struct top_port *ports;
	size_t n_ports;
	struct top_path *paths;
	size_t n_paths;
};

/**
 * struct top_view - how a sample is drawn
 * @seconds: since the sample before; 0: there is none
 * @sort: enum top_sort
 * @columns: width; 0: any
 * @lines: height; 0: any
 * @first: paths that are scrolled away
 * @colour: use colours
 */
struct top_view {
	double seconds;
	uint32_t sort;
	int columns;
	int lines;
	size_t first;
	bool colour;
};

extern const char * const top_sorts[];

int top_sample(struct nl *nl, const char *dev, struct top_sample *s);
void top_compare(struct top_sample *s, const struct top_sample *before);
void top_order(struct top_sample *s, uint32_t sort);
void top_forget(struct top_sample *s);
void top_draw(const struct top_sample *s, const struct top_view *view);
void top_json(const struct top_sample *s, const struct top_view *view);

#endif /* MRCCTL_TOP_H */
