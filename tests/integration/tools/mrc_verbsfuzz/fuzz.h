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

/**
 * enum what - what a field means
 * @WHAT_END: no field
 * @WHAT_PD: a handle; those that follow are of other kinds of object
 * @WHAT_SIZE: a small number
 * @WHAT_ADDR: an address of the memory for regions
 * @WHAT_LEN: a length in it
 * @WHAT_ACCESS: rights of a region
 * @WHAT_ZERO: nothing
 * @WHAT_ONE: the number 1
 * @WHAT_BIT: 0 or 1
 * @WHAT_MASK: some bits of the lowest eight
 * @WHAT_FLAGS: some bits of the lowest three
 * @WHAT_WQE: bytes of a work request
 * @WHAT_NONE: -1, no descriptor
 * @WHAT_QPT: type of a queue pair
 * @WHAT_GID: index of the address
 * @WHAT_GID_SIZE: bytes of an entry of the table of addresses
 * @WHAT_KIND: kind of object in the ioctl ABI
 */
enum what {
	WHAT_END,
	WHAT_PD,
	WHAT_MR,
	WHAT_MW,
	WHAT_CQ,
	WHAT_SRQ,
	WHAT_QP,
	WHAT_AH,
	WHAT_SIZE,
	WHAT_ADDR,
	WHAT_LEN,
	WHAT_ACCESS,
	WHAT_ZERO,
	WHAT_ONE,
	WHAT_BIT,
	WHAT_MASK,
	WHAT_FLAGS,
	WHAT_WQE,
	WHAT_NONE,
	WHAT_QPT,
	WHAT_GID,
	WHAT_GID_SIZE,
	WHAT_KIND,
};

/* How seldom an object is destroyed: more is made than destroyed. */
#define ENDS_ONE_IN	6
/* Objects of a kind, and rings that are mapped. */
#define OBJECTS		24
/* Objects of a kind that are used most. */
#define POPULAR		6
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

/* value.c */
uint64_t value_of(struct fuzz *f, enum what what);

/* object.c */
bool object_suits(struct fuzz *f, enum kind makes, enum kind ends);
void object_made(struct fuzz *f, enum kind k, uint32_t handle, uint32_t number);
void object_ended(struct fuzz *f, enum kind k, uint32_t handle);

/* command.c */
int command_open(struct fuzz *f);
void command_run(struct fuzz *f);
void command_report(void);

/* ring.c */
void ring_map(struct fuzz *f, const struct mrc_ring_info *info);
void ring_map_wild(struct fuzz *f);
void ring_unmap_all(struct fuzz *f);
void ring_write(struct fuzz *f, struct rng *r);
int ring_start(struct fuzz *f);
void ring_stop(struct fuzz *f);

/* modify.c */
void modify_fill(struct fuzz *f, void *core);
void modify_done(struct fuzz *f, const void *core);

/* method.c */
void method_run(struct fuzz *f);
void method_report(void);

#endif /* MRC_VERBSFUZZ_FUZZ_H */
