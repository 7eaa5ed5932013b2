/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The daemon: one device, one topology.
 */
#ifndef MRCD_DAEMON_H
#define MRCD_DAEMON_H

#include "deny.h"
#include "device.h"
#include "prober.h"

/**
 * struct options - how the daemon runs
 * @topology: name of the file
 * @dev: name of the device; NULL: the only one
 * @host: name of this host; NULL: the one with an address of this machine
 * @rate: probes per second; 0: as many as the network needs, within limits
 * @link_share: part of the rate of a port that probes may take, in millionths
 * @timeout: ms to wait for a response
 * @deny: enum deny_mode
 * @share: per cent of the paths of a plane that may be denied
 * @expiry: s after which a deny rule ends unless the fault is still seen
 * @dir: directory of status.json
 * @metrics: file for metrics, or NULL
 */
struct options {
	const char *topology;
	const char *dev;
	const char *host;
	uint32_t rate;
	uint32_t link_share;
	uint32_t timeout;
	uint32_t deny;
	uint32_t share;
	uint32_t expiry;
	const char *dir;
	const char *metrics;
};

/**
 * struct daemon - state of the daemon
 * @options: how it runs
 * @topo: network
 * @self: number of this host
 * @device: the device
 * @nl: connection for all but probes
 * @fabric: parts of the network
 * @evidence: what was seen
 * @faults: what is broken
 * @plan: what to probe
 * @paths: paths of the kernel
 * @prober: probes under way
 * @deny: rules
 * @objection: by fault: why there is no rule against it; NULL: not reported yet
 * @overruled: by fault: somebody has removed its rule
 * @named: faults named so far
 * @written: the latest files could be written
 * @learning: number of the host whose paths are asked for next
 * @begin: CLOCK_MONOTONIC at the start, s
 * @ticks: seconds so far
 * @foreign_told: paths that differ from the topology have been reported
 * @strangers_told: peers that are not in the topology have been reported
 */
struct daemon {
	const struct options *options;
	struct topo topo;
	int self;
	struct device device;
	struct nl nl;
	struct fabric fabric;
	struct evidence evidence;
	struct faults faults;
	struct plan plan;
	struct paths paths;
	struct prober prober;
	struct deny deny;
	const char *objection[FAULTS_MAX];
	bool overruled[FAULTS_MAX];
	uint64_t named;
	bool written;
	int learning;
	double begin;
	uint64_t ticks;
	bool foreign_told;
	bool strangers_told;
};

int daemon_run(struct daemon *d, const struct options *options, char **argv);
int daemon_open(struct daemon *d, const struct options *options);
void daemon_close(struct daemon *d);
double daemon_now(const struct daemon *d);
void daemon_probe(struct daemon *d);
int daemon_wait(const struct daemon *d);

#endif /* MRCD_DAEMON_H */
