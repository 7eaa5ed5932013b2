/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two connected queue pairs in one process, on one device or on two.
 */
#ifndef MRC_TEST_PAIR_H
#define MRC_TEST_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rc.h"

#define PAIR_BUF_LEN	65536
#define PAIR_DEPTH	16
#define PAIR_SGES	4
#define PAIR_INLINE	64

/* Emulated guests are slow; nothing that works takes this long. */
#define PAIR_WAIT_MS	60000

/**
 * struct end - one side of a pair
 * @dev: device
 * @qp: queue pair
 * @scq: completions of the send queue
 * @rcq: completions of the receive queue
 * @mr: all of @buf, with all access
 * @buf: PAIR_BUF_LEN bytes
 * @addr: address of @qp for the peer
 */
struct end {
	struct rc_dev *dev;
	struct ibv_qp *qp;
	struct ibv_cq *scq;
	struct ibv_cq *rcq;
	struct ibv_mr *mr;
	char *buf;
	struct rc_addr addr;
};

/**
 * struct pair - two connected QPs
 * @a: one side
 * @b: other side
 * @params: attributes of both
 */
struct pair {
	struct end a;
	struct end b;
	struct rc_params params;
};

/**
 * struct pair_opts - options of a pair
 * @params: attributes, or NULL for the defaults
 * @depth: work requests of a queue; 0 for PAIR_DEPTH
 * @buf_len: bytes of the buffers; 0 for PAIR_BUF_LEN
 * @scq_entries: size of the send CQs; 0 for four times the depth
 * @sq_sig_all: all send work requests are signaled
 * @channel: for the receive CQ of b, or NULL
 * @send_ops: enum ibv_qp_create_send_ops_flags of struct ibv_qp_ex; 0: without
 * @srq: SRQ of b, or NULL for a receive queue of its own
 * @type: of the queue pairs; 0 for RC
 * @sges: of a work request; 0 for PAIR_SGES
 * @inline_len: inline bytes of a work request; 0 for PAIR_INLINE
 */
struct pair_opts {
	const struct rc_params *params;
	uint32_t depth;
	size_t buf_len;
	int scq_entries;
	bool sq_sig_all;
	struct ibv_comp_channel *channel;
	uint64_t send_ops;
	struct ibv_srq *srq;
	enum ibv_qp_type type;
	uint32_t sges;
	uint32_t inline_len;
};

/**
 * struct pair_args - options of every program that makes pairs
 * @a: device of the one side, or NULL for the first
 * @b: device of the other side, or NULL for the same
 * @port: from 1
 * @gid_index: or RC_GID_AUTO
 */
struct pair_args {
	const char *a;
	const char *b;
	int port;
	int gid_index;
};

#define PAIR_ARGS_DEFAULT	{ .port = 1, .gid_index = RC_GID_AUTO }
/* Options for getopt(), and their help. */
#define PAIR_ARGS	"d:D:i:g:h"
#define PAIR_ARGS_USAGE							\
	"  -d NAME  device of the one side (default: the first)\n"	\
	"  -D NAME  device of the other side (default: the same)\n"	\
	"  -i N     port of the devices (default 1)\n"			\
	"  -g N     GID index (default: first that is not link-local)\n"

extern struct rc_dev pair_dev[2];

bool pair_arg(struct pair_args *args, int c, const char *value);
int pair_open_devices(const struct pair_args *args);
void pair_close_devices(void);

int pair_alloc(struct pair *p, const struct pair_opts *opts);
int pair_connect(struct pair *p);
int pair_create(struct pair *p, const struct pair_opts *opts);
int pair_renew(struct pair *p, const struct pair_opts *opts);
bool pair_ready(struct pair *p, const char *name, const struct pair_opts *opts);
void pair_destroy(struct pair *p);

bool end_filled_with(const struct end *e, char fill);

int end_recv(struct end *e, uint64_t wr_id, size_t offset, uint32_t len);
void end_wr(const struct pair *p, enum ibv_wr_opcode opcode, uint32_t len,
	    struct ibv_send_wr *wr, struct ibv_sge *sge);
int end_post(struct end *e, struct ibv_send_wr *wr);

bool wait_wc(struct ibv_cq *cq, struct ibv_wc *wc);
bool expect_wc(struct ibv_cq *cq, enum ibv_wc_status status, const char *what);
bool wait_state(struct ibv_qp *qp, enum ibv_qp_state state);
bool wait_async(struct rc_dev *dev, enum ibv_event_type type);
void drain_async(struct rc_dev *dev);
enum ibv_qp_state qp_state(struct ibv_qp *qp);

#endif /* MRC_TEST_PAIR_H */
