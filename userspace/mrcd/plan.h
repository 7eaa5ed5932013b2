/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Which paths are probed next, at a bounded rate.
 */
#ifndef MRCD_PLAN_H
#define MRCD_PLAN_H

#include "faults.h"
#include "topo_path.h"

/**
 * struct plan_path - a path in a round
 * @plane: from 0
 * @t1: T1; -1: none
 * @times: how many probes
 */
struct plan_path {
	int16_t plane;
	int16_t t1;
	uint8_t times;
};

/**
 * struct round - probes to one peer
 * @peer: number of the host
 * @paths: how many
 * @path: these
 * @probes: sum of their probes
 */
struct round {
	int peer;
	int paths;
	struct plan_path path[MRC_EVS_MAX];
	uint32_t probes;
};

/**
 * struct order - a place in the order in which the probes of a round are sent
 * @pass: probes before on the path
 * @next: path
 */
struct order {
	int pass;
	int next;
};

/**
 * struct plan - what to probe
 * @topo: network
 * @self: number of this host
 * @rate: probes per second, of all ports
 * @port_rate: probes per second, of each port
 * @peers: hosts that can be probed
 * @peer: their numbers, in the order in which they take turns
 * @turn: next entry of @peer
 * @tokens: probes that may be sent
 * @port_tokens: likewise, by port
 * @filled: when tokens were added last, s
 * @focus: counts rounds, to divide them among suspects, faults and all others
 * @seed: state of the random numbers
 */
struct plan {
	const struct topo *topo;
	int self;
	double rate;
	double port_rate[MRC_PORTS_MAX];
	int peers;
	uint16_t *peer;
	int turn;
	double tokens;
	double port_tokens[MRC_PORTS_MAX];
	double filled;
	uint32_t focus;
	uint32_t seed;
};

void plan_init(struct plan *plan, const struct topo *topo, int self,
	       double rate, uint32_t seed);
void plan_free(struct plan *plan);
void plan_add_peer(struct plan *plan, int host);
bool plan_next(struct plan *plan, const struct faults *faults, double now,
	       struct round *round);
int plan_order(const struct round *round, struct order *order);

#endif /* MRCD_PLAN_H */
