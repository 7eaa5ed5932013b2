/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Common parts of the memory tests: side a of a pair reads and writes the memory of
 * side b.
 */
#ifndef MRC_TEST_MEM_H
#define MRC_TEST_MEM_H

#include "pair.h"
#include "tap.h"

/* Offset of windows in b's buffer. */
#define WIN_AT	4095
#define WIN_LEN	8194
#define MSG_LEN	64

#define WIN_ACCESS                                                            \
	(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |                   \
	 IBV_ACCESS_REMOTE_ATOMIC)

/**
 * struct rig - a pair, and memory of b to which windows can be bound
 * @p: pair
 * @mr: region of b's buffer
 * @mw: window of b, not bound
 */
struct rig {
	struct pair p;
	struct ibv_mr *mr;
	struct ibv_mw *mw;
};

bool rig_create(struct rig *r, const char *name, enum ibv_mw_type type);
void rig_destroy(struct rig *r);
uint64_t rig_addr(const struct rig *r, uint64_t offset);

void bind_wr(const struct rig *r, struct ibv_send_wr *wr);
bool rig_bind(struct rig *r, const char *name);
uint32_t next_key(const struct ibv_mw *mw);
bool invalidate(struct end *e, uint32_t rkey, const char *name,
		enum ibv_wc_status status);

enum ibv_wc_status access_memory(struct pair *p, enum ibv_wr_opcode opcode,
				 uint64_t addr, uint32_t rkey, uint32_t len);
bool expect_access(struct pair *p, enum ibv_wr_opcode opcode, uint64_t addr,
		   uint32_t rkey, enum ibv_wc_status status, const char *name);

void mem_window(void);
void mem_bind(void);
void mem_inval(void);
void mem_loss(void);
void mem_region(void);
void mem_dmabuf(void);
void mem_exporter(void);
void mem_many(void);
void mem_late(void);

#endif /* MRC_TEST_MEM_H */
