// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One queue pair that carries verified messages.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "pattern.h"
#include "stream.h"

/* Control messages: at most 5 credits, 5 notices and an end are on the way. */
#define CTRL_SLOTS	16
#define CTRL_LEN	sizeof(uint64_t)
#define CTRL_IMM	0x80000000u
#define CTRL_TYPE_SHIFT	29
#define CTRL_COUNT_MASK	((1u << CTRL_TYPE_SHIFT) - 1)
#define DATA_IMM_MASK	(CTRL_IMM - 1)

/* A quarter of the window is credited and announced at a time. */
#define BATCHES_PER_WINDOW	4

/* Bytes before and after each message, which must not change. */
#define GUARD_LEN	64
#define GUARD_BYTE	0xa5

#define MAX_REPORTS	10

enum ctrl_type {
	CTRL_CREDIT,
	CTRL_NOTICE,
	CTRL_END,
};

enum wr_kind {
	WR_DATA,
	WR_CTRL,
	WR_RECV,
};

#define WR_KIND_SHIFT	56
#define WR_ID(kind, n)	((uint64_t)(kind) << WR_KIND_SHIFT | (n))
#define WR_KIND(id)	((enum wr_kind)((id) >> WR_KIND_SHIFT))
#define WR_NUMBER(id)	((id) & ((1ull << WR_KIND_SHIFT) - 1))

/* Buffers of one size, each between two guards. */
struct slots {
	char *base;
	size_t stride;
	size_t len;
	uint32_t count;
};

struct stream {
	const struct stream_cfg *cfg;
	const struct rc_dev *dev;
	const struct rc_params *params;
	struct ibv_qp *qp;
	struct ibv_mr *mr[2];
	char *arena;
	size_t arena_len;
	struct stream_addr peer;
	uint32_t index;
	uint32_t quantum;
	bool source;
	bool target;

	struct slots tx;
	struct slots rx;
	struct slots recv;
	uint64_t ctrl[CTRL_SLOTS];
	struct ibv_mr *ctrl_mr;

	/* Source. */
	uint64_t posted;
	uint64_t completed;
	uint64_t credited;
	uint64_t noticed;
	bool ending;
	bool end_sent;

	/* Target. */
	uint64_t verified;
	uint64_t credit_sent;
	uint64_t end;
	bool end_seen;

	uint64_t ctrl_posted;
	uint64_t ctrl_completed;
	uint64_t errors;
};

static bool mode_is_write(enum stream_mode mode)
{
	return mode == STREAM_WRITE || mode == STREAM_WRITE_IMM;
}

/**
 * stream_cqes - completions that a stream may have outstanding
 * @cfg: configuration
 *
 * Return: entries of the CQ to provide per stream.
 */
uint32_t stream_cqes(const struct stream_cfg *cfg)
{
	return 2 * (cfg->depth + CTRL_SLOTS);
}

static void slots_layout(struct slots *slots, uint32_t count, size_t len,
			 size_t *total)
{
	slots->count = count;
	slots->len = len;
	/* Includes the shift of unaligned buffers. */
	slots->stride = (len + 3 * GUARD_LEN - 1) / GUARD_LEN * GUARD_LEN +
			GUARD_LEN;
	*total += slots->stride * count;
}

static char *slot_data(const struct slots *slots, uint64_t n)
{
	return slots->base + n % slots->count * slots->stride;
}

static char *slots_place(struct slots *slots, char *at, size_t shift)
{
	slots->base = at + GUARD_LEN + shift;
	return at + slots->stride * slots->count;
}

/* All pages at once: in user-mode Linux a page fault takes 100 us. */
static int arena_alloc(struct stream *s)
{
	void *p = mmap(NULL, s->arena_len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (p == MAP_FAILED)
		return errno;
	s->arena = p;
	memset(p, GUARD_BYTE, s->arena_len);
	return 0;
}

/* Memory for messages of the directions that the stream has. */
static int stream_alloc(struct stream *s)
{
	const struct stream_cfg *cfg = s->cfg;
	size_t shift = cfg->unaligned ? 3 : 0;
	size_t recv_len = cfg->size;
	char *at;
	int i, ret;

	if (!s->target || mode_is_write(cfg->mode) || recv_len < CTRL_LEN)
		recv_len = CTRL_LEN;
	slots_layout(&s->tx, s->source ? cfg->depth : 0, cfg->size,
		     &s->arena_len);
	slots_layout(&s->rx, s->target ? cfg->depth : 0, cfg->size,
		     &s->arena_len);
	slots_layout(&s->recv, cfg->depth + CTRL_SLOTS, recv_len,
		     &s->arena_len);
	ret = arena_alloc(s);
	if (ret)
		return ret;
	at = slots_place(&s->tx, s->arena, shift);
	at = slots_place(&s->rx, at, shift ? shift + 2 : 0);
	slots_place(&s->recv, at, shift ? shift + 4 : 0);

	/* Two keys for the same memory: elements of a request alternate. */
	for (i = 0; i < 2; i++) {
		s->mr[i] = ibv_reg_mr(s->dev->pd, s->arena, s->arena_len,
				      IBV_ACCESS_LOCAL_WRITE |
				      IBV_ACCESS_REMOTE_WRITE);
		if (!s->mr[i])
			return errno;
	}
	s->ctrl_mr = ibv_reg_mr(s->dev->pd, s->ctrl, sizeof(s->ctrl), 0);
	return s->ctrl_mr ? 0 : errno;
}

static int stream_create_qp(struct stream *s, struct ibv_cq *cq)
{
	const struct stream_cfg *cfg = s->cfg;
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap.max_send_wr = cfg->depth + CTRL_SLOTS,
		.cap.max_recv_wr = cfg->depth + CTRL_SLOTS,
		.cap.max_send_sge = cfg->sges,
		.cap.max_recv_sge = cfg->sges,
		.cap.max_inline_data = cfg->use_inline ? cfg->size : 0,
		.qp_type = IBV_QPT_RC,
	};

	s->qp = ibv_create_qp(s->dev->pd, &attr);
	return s->qp ? 0 : errno;
}

/**
 * stream_create - buffers and a QP in INIT
 * @dev: device
 * @cq: for both queues; stream_cqes() entries of it are this stream's
 * @cfg: configuration; must outlive the stream
 * @params: QP attributes; must outlive the stream
 * @index: number of the stream, the same on both sides
 * @source: this side sends messages
 * @target: the other side sends messages
 *
 * Return: stream, or NULL after a message.
 */
struct stream *stream_create(const struct rc_dev *dev, struct ibv_cq *cq,
			     const struct stream_cfg *cfg,
			     const struct rc_params *params, uint32_t index,
			     bool source, bool target)
{
	struct stream *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return NULL;
	s->dev = dev;
	s->cfg = cfg;
	s->params = params;
	s->index = index;
	s->source = source;
	s->target = target;
	s->quantum = cfg->depth / BATCHES_PER_WINDOW;
	if (!s->quantum)
		s->quantum = 1;
	ret = stream_alloc(s);
	if (!ret)
		ret = stream_create_qp(s, cq);
	if (!ret)
		ret = rc_init(dev, s->qp, params);
	if (!ret)
		return s;
	fprintf(stderr, "stream %u: %s\n", index, strerror(ret));
	stream_destroy(s);
	return NULL;
}

/**
 * stream_destroy - undo stream_create()
 * @s: stream, complete or not
 */
void stream_destroy(struct stream *s)
{
	int i;

	if (s->qp && ibv_destroy_qp(s->qp))
		perror("ibv_destroy_qp");
	if (s->ctrl_mr && ibv_dereg_mr(s->ctrl_mr))
		perror("ibv_dereg_mr");
	for (i = 0; i < 2; i++)
		if (s->mr[i] && ibv_dereg_mr(s->mr[i]))
			perror("ibv_dereg_mr");
	if (s->arena)
		munmap(s->arena, s->arena_len);
	free(s);
}

/**
 * stream_qpn - number that the completions of a stream carry
 * @s: stream
 *
 * Return: QP number.
 */
uint32_t stream_qpn(const struct stream *s)
{
	return s->qp->qp_num;
}

/**
 * stream_address - the stream's address for the peer
 * @s: stream
 * @addr: filled in
 */
void stream_address(const struct stream *s, struct stream_addr *addr)
{
	memset(addr, 0, sizeof(*addr));
	rc_address(s->dev, s->qp, s->params, &addr->rc);
	addr->rkey = s->mr[0]->rkey;
	addr->slots = (uintptr_t)s->rx.base;
}

/* Cuts a buffer into elements of different lengths. */
static int stream_cut(const struct stream *s, char *buf, size_t len,
		      struct ibv_sge *sge)
{
	uint32_t n = s->cfg->sges, i;
	size_t from = 0, to;

	for (i = 0; i < n; i++) {
		to = len * (i + 1) / n;
		if (i + 1 < n && to > from + i)
			to -= i;
		sge[i].addr = (uintptr_t)buf + from;
		sge[i].length = to - from;
		sge[i].lkey = s->mr[i & 1]->lkey;
		from = to;
	}
	return n;
}

static int stream_post_recv(struct stream *s, uint32_t n)
{
	struct ibv_sge sge[STREAM_MAX_SGE];
	struct ibv_recv_wr *bad, wr = {
		.wr_id = WR_ID(WR_RECV, n),
		.sg_list = sge,
	};
	int ret;

	wr.num_sge = stream_cut(s, slot_data(&s->recv, n), s->recv.len, sge);
	ret = ibv_post_recv(s->qp, &wr, &bad);
	if (ret)
		fprintf(stderr, "stream %u: ibv_post_recv: %s\n", s->index,
			strerror(ret));
	return ret;
}

/**
 * stream_connect - post the receives and bring the QP to RTS
 * @s: stream
 * @peer: the other side
 *
 * Return: 0, or an errno after a message.
 */
int stream_connect(struct stream *s, const struct stream_addr *peer)
{
	struct stream_addr self;
	uint32_t n;
	int ret;

	s->peer = *peer;
	for (n = 0; n < s->recv.count; n++) {
		ret = stream_post_recv(s, n);
		if (ret)
			return ret;
	}
	stream_address(s, &self);
	return rc_connect(s->dev, s->qp, s->params, &self.rc, &peer->rc);
}

/* The two directions of a stream carry different contents. */
static uint64_t stream_base(const struct stream *s, bool tx, uint64_t m)
{
	uint32_t qpn = tx ? s->qp->qp_num : s->peer.rc.qpn;

	return pattern_base(s->cfg->seed, qpn, m);
}

static void stream_report(struct stream *s, uint64_t m, const char *what)
{
	if (s->errors++ < MAX_REPORTS)
		fprintf(stderr, "stream %u message %" PRIu64 ": %s\n",
			s->index, m, what);
}

static bool guard_intact(const char *p)
{
	char expect[GUARD_LEN - 8];

	memset(expect, GUARD_BYTE, sizeof(expect));
	return !memcmp(p, expect, sizeof(expect));
}

/* Whether the slot has the bytes of its previous message. */
static const char *stream_verdict(const struct stream *s, const char *buf,
				  size_t at, uint64_t m)
{
	uint64_t older = m - s->cfg->depth;
	size_t word = at & ~(sizeof(uint64_t) - 1);
	char want[2 * sizeof(uint64_t)];
	char *all;
	bool stale;

	if (m < s->cfg->depth || word + sizeof(uint64_t) > s->cfg->size)
		return "wrong contents";
	all = malloc(s->cfg->size);
	if (!all)
		return "wrong contents";
	pattern_fill(all, s->cfg->size, stream_base(s, false, older));
	memcpy(want, all + word, sizeof(uint64_t));
	stale = !memcmp(want, buf + word, sizeof(uint64_t));
	free(all);
	return stale ? "contents of the previous message in this slot" :
		       "wrong contents";
}

static void stream_verify(struct stream *s, const struct slots *slots,
			  uint64_t slot, uint64_t m)
{
	const char *buf = slot_data(slots, slot);
	char what[96];
	size_t at;

	at = pattern_check(buf, s->cfg->size, stream_base(s, false, m));
	if (at < s->cfg->size) {
		snprintf(what, sizeof(what), "offset %zu: %s", at,
			 stream_verdict(s, buf, at, m));
		stream_report(s, m, what);
	}
	if (!guard_intact(buf - GUARD_LEN + 8) ||
	    (slots->len == s->cfg->size && !guard_intact(buf + s->cfg->size)))
		stream_report(s, m, "bytes outside of the message changed");
}

/**
 * stream_recheck - compare the last messages once more
 * @s: stream that is done
 *
 * Detects a late duplicate that was written after the credit.
 */
void stream_recheck(struct stream *s)
{
	uint64_t m = s->verified;

	if (!s->target || !mode_is_write(s->cfg->mode))
		return;
	m = m > s->cfg->depth ? m - s->cfg->depth : 0;
	for (; m < s->verified; m++)
		stream_verify(s, &s->rx, m, m);
}

static int stream_post(struct stream *s, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;
	int ret = ibv_post_send(s->qp, wr, &bad);

	if (ret)
		fprintf(stderr, "stream %u: ibv_post_send: %s\n", s->index,
			strerror(ret));
	return ret;
}

static bool stream_ctrl_room(const struct stream *s)
{
	return s->ctrl_posted - s->ctrl_completed < CTRL_SLOTS;
}

static int stream_ctrl(struct stream *s, enum ctrl_type type, uint64_t count)
{
	uint64_t *word = &s->ctrl[s->ctrl_posted % CTRL_SLOTS];
	struct ibv_sge sge = {
		.addr = (uintptr_t)word,
		.length = CTRL_LEN,
		.lkey = s->ctrl_mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = WR_ID(WR_CTRL, s->ctrl_posted),
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED,
		.imm_data = htonl(CTRL_IMM | type << CTRL_TYPE_SHIFT |
				  (count & CTRL_COUNT_MASK)),
	};

	*word = count;
	s->ctrl_posted++;
	return stream_post(s, &wr);
}

static void stream_data_wr(const struct stream *s, uint64_t m,
			   struct ibv_send_wr *wr, struct ibv_sge *sge)
{
	static const enum ibv_wr_opcode opcode[] = {
		[STREAM_WRITE] = IBV_WR_RDMA_WRITE,
		[STREAM_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
		[STREAM_SEND] = IBV_WR_SEND,
		[STREAM_SEND_IMM] = IBV_WR_SEND_WITH_IMM,
	};
	const struct stream_cfg *cfg = s->cfg;
	char *buf = slot_data(&s->tx, m);

	pattern_fill(buf, cfg->size, stream_base(s, true, m));
	if (m + 1 == cfg->corrupt)
		buf[cfg->size / 2] ^= 1;
	*wr = (struct ibv_send_wr){
		.wr_id = WR_ID(WR_DATA, m),
		.sg_list = sge,
		.num_sge = stream_cut(s, buf, cfg->size, sge),
		.opcode = opcode[cfg->mode],
		.imm_data = htonl(m & DATA_IMM_MASK),
	};
	if (mode_is_write(cfg->mode)) {
		wr->wr.rdma.rkey = s->peer.rkey;
		wr->wr.rdma.remote_addr = s->peer.slots +
					  m % cfg->depth * s->rx.stride;
	}
	if (cfg->use_inline)
		wr->send_flags |= IBV_SEND_INLINE;
	if ((m + 1) % s->quantum == 0)
		wr->send_flags |= IBV_SEND_SIGNALED;
}

static uint64_t stream_window_end(const struct stream *s)
{
	uint64_t free = s->completed < s->credited ? s->completed :
						     s->credited;
	uint64_t end = free + s->cfg->depth;

	if (s->cfg->iters && end > s->cfg->iters)
		end = s->cfg->iters;
	return end;
}

static int stream_send_data(struct stream *s, uint32_t count)
{
	struct ibv_sge sge[STREAM_MAX_BATCH][STREAM_MAX_SGE];
	struct ibv_send_wr wr[STREAM_MAX_BATCH];
	uint32_t i;

	for (i = 0; i < count; i++) {
		stream_data_wr(s, s->posted + i, &wr[i], sge[i]);
		wr[i].next = i + 1 < count ? &wr[i + 1] : NULL;
	}
	s->posted += count;
	return stream_post(s, wr);
}

/* A WRITE has no completion at the target, so the source announces it. */
static int stream_notify(struct stream *s)
{
	if (s->cfg->mode != STREAM_WRITE || !stream_ctrl_room(s) ||
	    s->posted - s->noticed < s->quantum)
		return 0;
	s->noticed = s->posted;
	return stream_ctrl(s, CTRL_NOTICE, s->posted);
}

static int stream_pump_source(struct stream *s, bool more)
{
	uint64_t room;
	int ret = 0;

	if (s->end_sent)
		return 0;
	/* Without a number of messages, the peer's end ends this side, too. */
	if (!more || (s->cfg->iters ? s->posted == s->cfg->iters : s->end_seen))
		s->ending = true;
	while (!ret && !s->ending) {
		room = stream_window_end(s) - s->posted;
		if (!room)
			break;
		if (room > s->cfg->batch)
			room = s->cfg->batch;
		ret = stream_send_data(s, room);
		if (!ret)
			ret = stream_notify(s);
		if (s->cfg->iters && s->posted == s->cfg->iters)
			s->ending = true;
	}
	if (ret || !s->ending || !stream_ctrl_room(s))
		return ret;
	s->end_sent = true;
	return stream_ctrl(s, CTRL_END, s->posted);
}

static int stream_pump_target(struct stream *s)
{
	bool all = s->end_seen && s->verified == s->end;
	uint64_t due = s->verified - s->credit_sent;

	if (!due || !stream_ctrl_room(s) || (due < s->quantum && !all))
		return 0;
	s->credit_sent = s->verified;
	return stream_ctrl(s, CTRL_CREDIT, s->verified);
}

/**
 * stream_pump - post what may be posted
 * @s: stream
 * @more: the source may begin new messages
 *
 * Return: 0, or an errno after a message.
 */
int stream_pump(struct stream *s, bool more)
{
	int ret = 0;

	if (s->target)
		ret = stream_pump_target(s);
	if (!ret && s->source)
		ret = stream_pump_source(s, more);
	return ret;
}

/* Full value of a counter near @near of which the low bits are known. */
static uint64_t stream_expand(uint64_t near, uint32_t low)
{
	return near + ((low - near) & CTRL_COUNT_MASK);
}

static void stream_verify_until(struct stream *s, uint64_t end)
{
	for (; s->verified < end; s->verified++)
		stream_verify(s, &s->rx, s->verified, s->verified);
}

static void stream_ctrl_arrived(struct stream *s, const struct ibv_wc *wc,
				uint32_t imm)
{
	enum ctrl_type type = (imm & ~CTRL_IMM) >> CTRL_TYPE_SHIFT;
	const char *buf = slot_data(&s->recv, WR_NUMBER(wc->wr_id));
	uint32_t count = imm & CTRL_COUNT_MASK;
	uint64_t word;

	memcpy(&word, buf, sizeof(word));
	if (wc->byte_len != CTRL_LEN || (word & CTRL_COUNT_MASK) != count)
		stream_report(s, word, "control message is damaged");
	switch (type) {
	case CTRL_CREDIT:
		s->credited = stream_expand(s->credited, count);
		break;
	case CTRL_NOTICE:
		stream_verify_until(s, stream_expand(s->verified, count));
		break;
	case CTRL_END:
		s->end = stream_expand(s->verified, count);
		s->end_seen = true;
		if (s->cfg->mode == STREAM_WRITE)
			stream_verify_until(s, s->end);
		else if (s->verified != s->end)
			stream_report(s, s->end, "messages are missing");
		break;
	}
}

static void stream_data_arrived(struct stream *s, const struct ibv_wc *wc,
				uint32_t imm)
{
	static const enum ibv_wc_opcode opcode[] = {
		[STREAM_WRITE] = IBV_WC_RECV,
		[STREAM_WRITE_IMM] = IBV_WC_RECV_RDMA_WITH_IMM,
		[STREAM_SEND] = IBV_WC_RECV,
		[STREAM_SEND_IMM] = IBV_WC_RECV,
	};
	bool with_imm = s->cfg->mode != STREAM_SEND;
	uint64_t m = s->verified;

	if (wc->opcode != opcode[s->cfg->mode])
		stream_report(s, m, "completion has the wrong opcode");
	if (wc->byte_len != s->cfg->size)
		stream_report(s, m, "completion has the wrong length");
	if (!!(wc->wc_flags & IBV_WC_WITH_IMM) != with_imm ||
	    (with_imm && imm != (m & DATA_IMM_MASK)))
		stream_report(s, m, "wrong immediate data");
	if (mode_is_write(s->cfg->mode))
		stream_verify(s, &s->rx, m, m);
	else
		stream_verify(s, &s->recv, WR_NUMBER(wc->wr_id), m);
	s->verified++;
}

static int stream_arrived(struct stream *s, const struct ibv_wc *wc)
{
	uint32_t imm = wc->wc_flags & IBV_WC_WITH_IMM ? ntohl(wc->imm_data) :
							0;

	if (imm & CTRL_IMM)
		stream_ctrl_arrived(s, wc, imm);
	else
		stream_data_arrived(s, wc, imm);
	return stream_post_recv(s, WR_NUMBER(wc->wr_id));
}

/**
 * stream_complete - process a completion of the stream's QP
 * @s: stream
 * @wc: completion
 *
 * Return: 0, or an errno after a message if the stream is broken.
 */
int stream_complete(struct stream *s, const struct ibv_wc *wc)
{
	if (wc->status != IBV_WC_SUCCESS) {
		fprintf(stderr,
			"stream %u: work request %#" PRIx64 ": %s, vendor error %u\n",
			s->index, wc->wr_id, ibv_wc_status_str(wc->status),
			wc->vendor_err);
		s->errors++;
		return EIO;
	}
	switch (WR_KIND(wc->wr_id)) {
	case WR_DATA:
		/* This request is signaled, those before it may not be. */
		s->completed = WR_NUMBER(wc->wr_id) + 1;
		return 0;
	case WR_CTRL:
		/* The end was posted after the last message of the source. */
		s->ctrl_completed = WR_NUMBER(wc->wr_id) + 1;
		if (s->end_sent && s->ctrl_completed == s->ctrl_posted)
			s->completed = s->posted;
		return 0;
	case WR_RECV:
		return stream_arrived(s, wc);
	}
	stream_report(s, 0, "completion with an unknown wr_id");
	return EIO;
}

/**
 * stream_done - nothing is left to do
 * @s: stream
 *
 * Return: whether all messages are verified, credited and completed.
 */
bool stream_done(const struct stream *s)
{
	if (s->ctrl_completed != s->ctrl_posted)
		return false;
	if (s->source && (!s->end_sent || s->credited < s->posted ||
			  s->completed < s->posted))
		return false;
	return !s->target ||
	       (s->end_seen && s->verified >= s->end &&
		s->credit_sent >= s->end);
}

/**
 * stream_messages - progress
 * @s: stream
 *
 * Return: messages that this side has verified or, if it only sends, those
 * for which it has credit.
 */
uint64_t stream_messages(const struct stream *s)
{
	return s->target ? s->verified : s->credited;
}

/**
 * stream_errors - number of errors found
 * @s: stream
 *
 * Return: count.
 */
uint64_t stream_errors(const struct stream *s)
{
	return s->errors;
}

/**
 * stream_describe - print the state of a stream
 * @s: stream that makes no progress
 */
void stream_describe(const struct stream *s)
{
	fprintf(stderr,
		"stream %u qpn %u: posted %" PRIu64 " completed %" PRIu64
		" credited %" PRIu64 " verified %" PRIu64
		" control %" PRIu64 "/%" PRIu64 "\n",
		s->index, s->qp->qp_num, s->posted, s->completed, s->credited,
		s->verified, s->ctrl_completed, s->ctrl_posted);
}
