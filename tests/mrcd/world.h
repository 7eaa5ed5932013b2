/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A model of a network and of one host that probes it, in simulated time.
 */
#ifndef WORLD_H
#define WORLD_H

#include "plan.h"
#include "rtt.h"

enum { WORLD_FAULTS = 8 };

/**
 * struct broken - a fault of the model
 * @part: number of the part, with its direction if it has one
 * @loss: share of probes that it loses
 * @data_loss: share of data packets that it loses
 * @slow: share of probes that it delays
 * @liar: only packets to this host meet the fault, which pretends it; 0: all do
 */
struct broken {
	uint32_t part;
	double loss;
	double data_loss;
	double slow;
	int liar;
};

/**
 * struct world - network, host and time
 * @topo: network
 * @fabric: its parts
 * @evidence: what the host has seen
 * @faults: what it has named
 * @plan: what it probes
 * @self: its number
 * @now: time, s
 * @second: latest second that was complete, s
 * @background: share of packets that a healthy network loses
 * @slow: share of probes that it delays
 * @wire: ns that a probe takes on the wire of a port, while those behind it wait
 * @rtt: round trips, of which some are long
 * @traffic: data packets per second on each path to some peers; 0: no traffic
 * @n_broken: faults of the model
 * @broken: these
 * @skip: packets until the next loss of the background
 * @probes: sent so far
 * @named: names of parts, each with a space behind it, as they were named
 * @named_at: time of the latest name
 * @cleared: faults that were over
 * @cell: by peer, plane and T1: its cell plus 1
 */
struct world {
	struct topo topo;
	struct fabric fabric;
	struct evidence evidence;
	struct faults faults;
	struct plan plan;
	int self;
	double now;
	uint64_t second;
	double background;
	double slow;
	uint32_t wire;
	struct rtt rtt;
	double traffic;
	int n_broken;
	struct broken broken[WORLD_FAULTS];
	double skip;
	uint64_t probes;
	char named[1024];
	double named_at;
	int cleared;
	uint32_t *cell;
};

void world_begin(struct world *world, const char *file, int self, double rate);
void world_end(struct world *world);
struct broken *world_break(struct world *world, const char *name);
void world_repair(struct world *world);
void world_run(struct world *world, double seconds);
bool world_run_until_named(struct world *world, double seconds);
const char *world_first_name(const struct world *world, char *name);

#endif /* WORLD_H */
