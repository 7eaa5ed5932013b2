/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One queue pair that carries verified messages.
 *
 * A source writes message m from slot m % depth and may use the slot again
 * when the message has completed and the target has given credit for it.  The
 * target compares every byte before it gives credit.  Credits and other
 * control messages are SENDs with immediate data on the same queue pair.
 */
#ifndef MRC_TEST_STREAM_H
#define MRC_TEST_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "rc.h"

#define STREAM_MAX_SGE		16
#define STREAM_MAX_BATCH	32

/* Status of a program that runs streams. */
enum stream_exit {
	EXIT_MISMATCH = 1,
	EXIT_USAGE,
	EXIT_BROKEN,
	EXIT_STALLED,
};

enum stream_mode {
	STREAM_WRITE,
	STREAM_WRITE_IMM,
	STREAM_SEND,
	STREAM_SEND_IMM,
};

/**
 * struct stream_cfg - configuration, the same on both sides
 * @mode: operation that carries the messages
 * @size: bytes per message
 * @depth: messages in flight
 * @sges: elements per work request
 * @batch: work requests per post
 * @unaligned: buffers start at odd addresses
 * @use_inline: messages are inline data
 * @seed: of the contents
 * @iters: messages per stream; 0 if the time decides
 * @corrupt: number of a message that the client sends with a wrong bit, plus 1;
 *	0 for none
 */
struct stream_cfg {
	enum stream_mode mode;
	uint32_t size;
	uint32_t depth;
	uint32_t sges;
	uint32_t batch;
	bool unaligned;
	bool use_inline;
	uint64_t seed;
	uint64_t iters;
	uint64_t corrupt;
};

/**
 * struct stream_addr - address of a stream for its peer
 * @rc: queue pair
 * @rkey: of the slots that messages are written to
 * @slots: address of the first slot
 */
struct stream_addr {
	struct rc_addr rc;
	uint32_t rkey;
	uint64_t slots;
};

struct stream;

struct stream *stream_create(const struct rc_dev *dev, struct ibv_cq *cq,
			     const struct stream_cfg *cfg,
			     const struct rc_params *params, uint32_t index,
			     bool source, bool target);
void stream_destroy(struct stream *s);
uint32_t stream_qpn(const struct stream *s);
void stream_address(const struct stream *s, struct stream_addr *addr);
int stream_connect(struct stream *s, const struct stream_addr *peer);

int stream_complete(struct stream *s, const struct ibv_wc *wc);
int stream_pump(struct stream *s, bool more);
bool stream_done(const struct stream *s);
void stream_recheck(struct stream *s);

uint64_t stream_messages(const struct stream *s);
uint64_t stream_errors(const struct stream *s);
void stream_describe(const struct stream *s);

uint32_t stream_cqes(const struct stream_cfg *cfg);

#endif /* MRC_TEST_STREAM_H */
