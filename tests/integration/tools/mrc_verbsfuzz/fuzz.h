/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A process that misuses a verbs device: its objects and rings.
 */
#ifndef MRC_VERBSFUZZ_FUZZ_H
#define MRC_VERBSFUZZ_FUZZ_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <rdma/mrc-abi.h>

#include "rng.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

enum kind {
	KIND_NONE,
	KIND_PD,
	KIND_MR,
	KIND_MW,
	KIND_CQ,
	KIND_SRQ,
	KIND_QP,
	KIND_AH,
	KINDS,
};

/* Objects of a kind, and rings that are mapped. */
#define OBJECTS		24
#define RINGS		64
/* Memory for regions: some of it is not mapped. */
#define MEMORY		(1 << 20)

/**
 * struct object - an object of this process
 * @handle: of the RDMA core
 * @number: QPN, or local key
 * @step: of a queue pair, how far it is connected
 */
struct object {
	uint32_t handle;
	uint32_t number;
	uint32_t step;
};

/**
 * struct ring - a mapped ring
 * @hdr: mapping
 * @size: its bytes
 * @entries: power of two
 * @stride: bytes of an entry
 */
struct ring {
	struct mrc_ring_hdr *hdr;
	size_t size;
	uint32_t entries;
	uint32_t stride;
};

/**
 * struct fuzz - a run
 * @rng: decides
 * @path: device file
 * @fd: open device file
 * @event_fd: its asynchronous events
 * @gid: address of the device
 * @gid_index: of @gid
 * @memory: for regions
 * @object: by kind
 * @n: how many
 * @lock: serialises @ring with the thread that writes to rings
 * @ring: mapped rings; only the first are of queues
 * @rings: how many
 * @stop: ends the thread
 * @thread: writes to rings
 */
struct fuzz {
	struct rng rng;
	const char *path;
	int fd;
	int event_fd;
	uint8_t gid[16];
	uint8_t gid_index;
	char *memory;
	struct object object[KINDS][OBJECTS];
	int n[KINDS];
	pthread_mutex_t lock;
	struct ring ring[RINGS];
	int rings;
	bool stop;
	pthread_t thread;
};

/* command.c */
extern const int commands;
int command_open(struct fuzz *f);
void command_run(struct fuzz *f, int i);
void command_report(void);
bool command_all_accepted(void);

/* ring.c */
void ring_map(struct fuzz *f, const struct mrc_ring_info *info);
void ring_map_wild(struct fuzz *f);
void ring_unmap_all(struct fuzz *f);
int ring_start(struct fuzz *f);
void ring_stop(struct fuzz *f);

/* modify.c */
void modify_fill(struct fuzz *f, void *core);
void modify_done(struct fuzz *f, const void *core);

/* method.c */
void method_run(struct fuzz *f);
void method_report(void);

#endif /* MRC_VERBSFUZZ_FUZZ_H */
