/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The device under test: its QPs, its counters, and memory of which every byte is
 * compared with what is expected.
 */
#ifndef MRC_TEST_TARGET_H
#define MRC_TEST_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rdma/mrc-abi.h>

#define TARGET_PMTU	1024
#define TARGET_RECV_WR	64
/* Responder resources (max_dest_rd_atomic) of the device's QPs. */
#define TARGET_RD_ATOMIC	16

/**
 * enum target_area - registration of a part of the memory
 * @TARGET_FULL: all access
 * @TARGET_READ_ONLY: remote read only
 * @TARGET_FOREIGN: all access, but in another protection domain
 * @TARGET_GONE: deregistered, its key is stale
 * @TARGET_AREAS: number of areas; the bytes between them are not registered
 */
enum target_area {
	TARGET_FULL,
	TARGET_READ_ONLY,
	TARGET_FOREIGN,
	TARGET_GONE,
	TARGET_AREAS
};

/**
 * struct target_mr - a part of the memory
 * @va: first byte
 * @len: bytes
 * @rkey: key
 */
struct target_mr {
	uint64_t va;
	uint64_t len;
	uint32_t rkey;
};

/**
 * struct target_wc - a completion
 * @wr_id: work request
 * @status: enum ibv_wc_status
 * @opcode: enum ibv_wc_opcode
 * @byte_len: bytes received
 * @imm: immediate data as on the wire, 0 without
 */
struct target_wc {
	uint64_t wr_id;
	int status;
	int opcode;
	uint32_t byte_len;
	uint32_t imm;
};

enum target_state {
	TARGET_RTS,
	TARGET_RTR,
	TARGET_INIT,
	TARGET_ERROR,
	TARGET_OTHER,
};

/**
 * struct target_cfg - attributes of a queue pair
 * @peer_qpn: of the raw peer
 * @rq_psn: first PSN the peer sends
 * @sq_psn: first PSN the queue pair sends
 * @timeout: local ACK timeout, 4.096 us * 2^timeout
 * @retry_cnt: transport retries
 * @no_access: the peer may neither write nor read
 * @state: state to be reached
 * @attr: attributes that verbs have not
 */
struct target_cfg {
	uint32_t peer_qpn;
	uint32_t rq_psn;
	uint32_t sq_psn;
	uint8_t timeout;
	uint8_t retry_cnt;
	bool no_access;
	enum target_state state;
	struct mrc_ib_qp_attr attr;
};

struct target;
struct target_qp;

struct target *target_open(const char *name, const uint8_t *own,
			   const uint8_t *peer);
void target_close(struct target *t);
void target_set_addresses(struct target *t, const uint8_t *own,
			  const uint8_t *peer);
void target_mr(const struct target *t, enum target_area area,
	       struct target_mr *mr);

int target_deregister(struct target *t, enum target_area area);
int target_reregister(struct target *t, enum target_area area,
		      struct target_mr *mr);

void target_expect(struct target *t, uint64_t va, const void *data,
		   size_t len);
size_t target_damage(const struct target *t, uint64_t *va);
void target_accept_all(struct target *t, enum target_area area);

struct target_qp *target_qp_create(struct target *t,
				   const struct target_cfg *cfg);
int target_qp_reconnect(struct target_qp *qp, const struct target_cfg *cfg);
void target_qp_destroy(struct target_qp *qp);
uint32_t target_qpn(const struct target_qp *qp);
enum target_state target_state(const struct target_qp *qp);
int target_recv(struct target_qp *qp, uint64_t wr_id, uint64_t va,
		uint32_t len);
int target_write(struct target_qp *qp, uint64_t wr_id, uint64_t va,
		 uint32_t len, uint64_t remote_va, uint32_t rkey);
bool target_pause(uint64_t end);
bool target_poll(struct target *t, struct target_wc *wc, int timeout_ms);
bool target_await(const struct target_qp *qp, enum target_state state,
		  int timeout_ms);

#endif /* MRC_TEST_TARGET_H */
