/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Random work on devices, for tests that look for misuse of memory and locks: what
 * each worker does follows from a seed.
 */
#ifndef MRC_TORTURE_H
#define MRC_TORTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rc.h"

/* Devices and net devices that the command line names at most. */
#define TORTURE_NAMES	8

/**
 * struct rnd - random numbers of a seed
 * @state: of the generator
 */
struct rnd {
	uint64_t state;
};

/**
 * struct torture - what all workers know
 * @dev: RDMA devices
 * @devs: entries of @dev
 * @port: net devices, as NETNS:NAME
 * @ports: entries of @port
 * @actions: how many actions to take
 * @seed: of the random numbers
 * @faults: allocations of the worker are to fail
 * @failing: allocations fail at random or devices go: a refusal proves nothing
 * @done: messages that completed
 * @failed: messages that completed with an error
 * @rnd: random numbers of the worker
 */
struct torture {
	const char *dev[TORTURE_NAMES];
	int devs;
	const char *port[TORTURE_NAMES];
	int ports;
	uint32_t actions;
	uint64_t seed;
	bool faults;
	bool failing;
	uint32_t done;
	uint32_t failed;
	struct rnd rnd;
};

/**
 * struct worker - a kind of work
 * @name: on the command line
 * @about: one line of help
 * @run: does @actions actions; returns 0, or -1 after a message
 */
struct worker {
	const char *name;
	const char *about;
	int (*run)(struct torture *t);
};

uint32_t rnd_below(struct rnd *r, uint32_t n);
bool rnd_one_in(struct rnd *r, uint32_t n);
uint32_t rnd_size(struct rnd *r, uint32_t max);
void rnd_seed(struct rnd *r, uint64_t seed);
void rnd_nap(struct rnd *r);

void count_completions(struct torture *t, const struct ibv_wc *wc, int n);
void act(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void make_it_fail(const struct torture *t, bool fail);

int objects_run(struct torture *t);
int traffic_run(struct torture *t);
int kill_run(struct torture *t);
int packet_run(struct torture *t);
int dump_run(struct torture *t);
int fault_run(struct torture *t);
int load_run(struct torture *t);

#endif /* MRC_TORTURE_H */
