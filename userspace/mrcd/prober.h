/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Probes that are under way.
 */
#ifndef MRCD_PROBER_H
#define MRCD_PROBER_H

#include "paths.h"
#include "plan.h"
#include "rtt.h"

enum {
	/* Rounds under way; the kernel permits 16, and others want some of them. */
	PENDING_MAX = 12,
};

/**
 * struct pending - a round under way
 * @seq: number of its request; 0: unused
 * @peer: number of the host
 * @learn: it asks for the paths of the peer
 * @sent: when, s
 */
struct pending {
	uint32_t seq;
	int peer;
	bool learn;
	double sent;
};

/**
 * struct prober - probes of a device
 * @nl: connection of its own: replies come when the kernel has them
 * @dev: name of the device
 * @timeout: ms to wait for responses
 * @paths: paths
 * @rtt: round trips
 * @pending: rounds under way
 * @hold: until when no round is begun, since the kernel refused one, s
 * @rounds: begun so far
 * @refused: of these, that the kernel refused
 * @sent: probes so far
 * @lost: of these, that were not answered
 * @unsent: probes that the kernel did not send: no route, port down
 * @now: time of the replies that are being read, s
 */
struct prober {
	struct nl nl;
	const char *dev;
	uint32_t timeout;
	struct paths *paths;
	struct rtt rtt;
	struct pending pending[PENDING_MAX];
	double hold;
	uint64_t rounds;
	uint64_t refused;
	uint64_t sent;
	uint64_t lost;
	uint64_t unsent;
	double now;
};

void prober_init(struct prober *prober, const char *dev, uint32_t timeout,
		 struct paths *paths);
int prober_open(struct prober *prober);
bool prober_has_room(const struct prober *prober, double now);
int prober_learn(struct prober *prober, int peer, double now);
int prober_send(struct prober *prober, const struct round *round, double now);
int prober_receive(struct prober *prober, double now);

#endif /* MRCD_PROBER_H */
