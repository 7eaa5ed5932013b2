/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Probes of paths: results so far and their summary.
 */
#ifndef MRCCTL_PROBE_H
#define MRCCTL_PROBE_H

#include <linux/mrc.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct probe_path - one path
 * @ev: entropy value
 * @port: port by which it leaves; 0: none
 * @has_sid: @sid is valid
 * @sid: outer destination
 * @has_srh: @srh is valid
 * @srh: segment of its SRH
 * @round: latest round with a result for it
 * @result: enum mrc_probe_result, of that round
 * @sent: probes
 * @answered: those that were answered; what follows is of them
 * @rtt: latest round trip, ns
 * @min: shortest
 * @max: longest
 * @sum: of all
 * @rx_port: port on which the latest probe response arrived
 * @adjusted: round trips exclude the service time of the peer
 */
struct probe_path {
	uint32_t ev;
	uint32_t port;
	bool has_sid;
	struct in6_addr sid;
	bool has_srh;
	struct in6_addr srh;
	uint32_t round;
	uint32_t result;
	uint32_t sent;
	uint32_t answered;
	uint32_t rtt;
	uint32_t min;
	uint32_t max;
	uint64_t sum;
	uint32_t rx_port;
	bool adjusted;
};

/**
 * struct probe - rounds of probes
 * @dev: device
 * @dst: peer
 * @src: own address, once it is known
 * @ev_list: entropy values as given; NULL: all
 * @count: rounds; 0: until interrupted
 * @interval: ms from one to the next
 * @timeout: ms to wait for probe responses
 * @targets: file with paths to any peer; NULL: those of @dst
 * @n_evs: entries of @evs
 * @evs: entropy values that are to be probed
 * @round: rounds so far
 * @n: entries of @path
 * @path: paths
 */
struct probe {
	const char *dev;
	struct in6_addr dst;
	struct in6_addr src;
	const char *ev_list;
	uint32_t count;
	uint32_t interval;
	uint32_t timeout;
	const char *targets;
	uint32_t n_evs;
	uint32_t evs[MRC_EVS_MAX];
	uint32_t round;
	uint32_t n;
	struct probe_path path[MRC_EVS_MAX];
};

struct arg;
struct nl;
struct nlmsghdr;

void probe_put_timeout(struct nlmsghdr *nlh, const struct probe *probe,
		       const struct arg *args);
int probe_targets(struct nl *nl, const struct probe *probe,
		  const struct arg *args);
const char *probe_result_name(uint32_t result);
bool probe_any_answered(const struct probe *probe);
void probe_summary(const struct probe *probe);

#endif /* MRCCTL_PROBE_H */
