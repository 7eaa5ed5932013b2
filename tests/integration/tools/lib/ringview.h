/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A process's view of the rings that its provider has mapped: the memory that a
 * hostile process can write.
 */
#ifndef MRC_TEST_RINGVIEW_H
#define MRC_TEST_RINGVIEW_H

#include <stddef.h>
#include <stdint.h>
#include <rdma/mrc-abi.h>

#include "pair.h"

/**
 * struct ringview - one ring
 * @hdr: start of the mapping
 * @size: bytes mapped
 * @entries: power of two
 * @stride: bytes from one entry to the next
 */
struct ringview {
	struct mrc_ring_hdr *hdr;
	size_t size;
	uint32_t entries;
	uint32_t stride;
};

/**
 * struct endview - the rings of side a of a pair
 * @scq: completions of @sq
 * @rcq: completions of @rq
 * @sq: send queue
 * @rq: receive queue
 */
struct endview {
	struct ringview scq;
	struct ringview rcq;
	struct ringview sq;
	struct ringview rq;
};

/**
 * enum mapfail - which calls of mmap() fail, in the whole program
 * @MAPFAIL_NONE: none
 * @MAPFAIL_ALL: all, as if the process had no address space left
 * @MAPFAIL_FILES: those that map a file
 */
enum mapfail {
	MAPFAIL_NONE,
	MAPFAIL_ALL,
	MAPFAIL_FILES,
};

extern enum mapfail mapfail;

int ringview_pair(struct pair *p, struct endview *v);
int ringview_init(void);
void ringview_expect(void);
struct mrc_ring_hdr *ringview_expected(void);
void *ringview_slot(const struct ringview *r, uint32_t index);
struct mrc_sqe *ringview_write(const struct pair *p, const struct ringview *sq,
			       uint32_t length);
int ringview_doorbell(const struct ibv_qp *qp, bool send);

#endif /* MRC_TEST_RINGVIEW_H */
