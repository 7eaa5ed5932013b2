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
 * @fail_nth: descriptor of fault_open(), with @faults
 * @failing: allocations fail at random or devices go: a refusal proves nothing
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
	int fail_nth;
	bool failing;
	struct rnd rnd;
};

/* What is counted: how often it succeeded, and how often it was refused. */
enum count {
	COUNT_PD,
	COUNT_MR,
	COUNT_MW,
	COUNT_CQ,
	COUNT_SRQ,
	COUNT_QP,
	COUNT_AH,
	COUNT_END_PD,
	COUNT_END_MR,
	COUNT_END_MW,
	COUNT_END_CQ,
	COUNT_END_SRQ,
	COUNT_END_QP,
	COUNT_END_AH,
	COUNT_OPEN,
	COUNT_CONNECT,
	COUNT_SEND,
	COUNT_RECV,
	COUNT_DATAGRAM,
	COUNT_STATE,
	COUNT_QUERY,
	COUNT_BIND,
	COUNT_REREG,
	COUNT_RESIZE_CQ,
	COUNT_ARM_CQ,
	COUNT_MODERATE_CQ,
	COUNT_RESIZE_SRQ,
	COUNT_LIMIT_SRQ,
	COUNT_MESSAGE,
	COUNT_EVENT,
	COUNT_BUSY_PAIR,
	COUNT_BUSY_REREG,
	COUNT_BUSY_RESIZE_CQ,
	COUNT_BUSY_SRQ,
	COUNT_BUSY_BIND,
	COUNT_BUSY_MW,
	COUNT_BUSY_STATE,
	COUNT_WINDOW_BIND,
	COUNT_WINDOW_REREG,
	COUNT_WINDOW_READ,
	COUNT_KILL,
	COUNT_PACKET_AGAIN,
	COUNT_PACKET_DAMAGED,
	COUNT_PACKET_FOREIGN,
	COUNT_DUMP,
	COUNT_DUMP_LEFT,
	COUNT_RESOURCES,
	COUNT_FAIL_NTH,
	COUNTS,
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

void count(enum count what, bool done);
void count_completions(const struct ibv_wc *wc, int n);
void act(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void make_it_fail(const struct torture *t, bool fail);

int objects_run(struct torture *t);
int traffic_run(struct torture *t);
int windows_run(struct torture *t);
int queues_run(struct torture *t);
int kill_run(struct torture *t);
int packet_run(struct torture *t);
int dump_run(struct torture *t);
int resource_run(struct torture *t);
int fault_run(struct torture *t);
int load_run(struct torture *t);

#endif /* MRC_TORTURE_H */
