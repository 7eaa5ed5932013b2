/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A raw peer and a queue pair of the device it talks to: what has been sent,
 * and what must come back.
 */
#ifndef MRC_TEST_SCENE_H
#define MRC_TEST_SCENE_H

#include "frame.h"
#include "link.h"
#include "stats.h"
#include "target.h"

/* A batch of packets, of which questions are answered up to three times. */
#define SCENE_GOT_MAX	384
#define SCENE_PEER_QPN	0x001234
/* Emulated guests are slow; nothing that works takes this long. */
#define SCENE_WAIT_MS	60000
/* Window of the device's queue pairs. */
#define SCENE_MPR	1024
/* Where packets go in the area unless a test says otherwise. */
#define SCENE_OFFSET	8192
/* Areas begin at odd addresses; ATOMICs go to the next one that is aligned. */
#define SCENE_ALIGN(va)	(((va) + 7) & ~7ULL)
/* Where the peer pretends to have memory. */
#define SCENE_PEER_VA	0x123456789000ULL
#define SCENE_PEER_RKEY	0x00abcdef
/* 4.096 us << 20 = 4.3 s: no timeout before an answer is on its way. */
#define SCENE_CALM	20

/**
 * struct scene - one peer, one queue pair at a time
 * @device: name
 * @link: the peer's interface
 * @target: the device
 * @wires: addresses on IPv6 and IPv4
 * @wire: those in use
 * @sid: SRv6 destination that leads to the device
 * @decap: which takes the outer header off itself
 * @mr: its areas of memory
 * @before: counters at the last scene_mark()
 * @qp: queue pair
 * @qpn: its number
 * @psn: next PSN to send
 * @sq_psn: next PSN that the queue pair sends
 * @msn: next message number to send
 * @rqmsn: next receive queue message number to send
 * @rcvd: bytes received, as the queue pair counts
 * @done: messages completed
 * @req_id: of the latest endpoint request
 * @seed: of the latest payload
 * @payload: latest payload
 * @got: packets received and not looked at yet, oldest first
 * @n_got: how many
 * @probes: the device's probes are taken for packets like others; they are
 *	passed over otherwise
 * @results: so are results of READs and ATOMICs
 */
struct scene {
	const char *device;
	struct link link;
	struct target *target;
	struct wire wires[2];
	struct wire wire;
	u8 sid[16];
	bool decap;
	struct target_mr mr[TARGET_AREAS];
	struct stats before;
	struct target_qp *qp;
	u32 qpn;
	u32 psn;
	u32 sq_psn;
	u16 msn;
	u16 rqmsn;
	u64 rcvd;
	u32 done;
	u16 req_id;
	u8 seed;
	u8 payload[FRAME_MAX];
	struct got got[SCENE_GOT_MAX];
	u32 n_got;
	bool probes;
	bool results;
};

static inline const char *scene_family(const struct scene *s)
{
	return s->wire.v4 ? "IPv4" : "IPv6";
}

void scene_use(struct scene *s, bool v4);
void scene_qp(struct scene *s, const struct target_cfg *cfg);
void scene_send(struct scene *s, const struct frame *f);

void scene_head(struct scene *s, struct mrc_pkt_data *d, u8 opcode, u32 len);
void scene_frame(struct scene *s, struct frame *f,
		 const struct mrc_pkt_data *d);
void scene_data(struct scene *s, const struct mrc_pkt_data *d);
void scene_placed(struct scene *s, const struct mrc_pkt_data *d, u64 va);
void scene_ctrl(struct scene *s, const u8 *pkt, u32 len);

bool scene_flush(struct scene *s);
bool scene_next(struct scene *s, struct got *got);
bool scene_sack(struct scene *s, const struct mrc_pkt_sack *want);
bool scene_ack(struct scene *s, u32 psn, u8 syndrome);
bool scene_acked(struct scene *s, const struct mrc_pkt_data *d);
bool scene_nack(struct scene *s, u32 psn, u8 reason, u16 tx_ts);
bool scene_quiet(struct scene *s);
void scene_forget(struct scene *s);
bool scene_intact(struct scene *s);

void scene_mark(struct scene *s);
bool scene_counted(struct scene *s, const char *name, u64 n);
bool scene_dropped(struct scene *s, const char *reason, u64 n);

bool scene_write_works(struct scene *s);

/* The groups of tests. */
void malformed_run(struct scene *s);
void refused_run(struct scene *s);
void talk_run(struct scene *s);
void asked_run(struct scene *s);
void answers_run(struct scene *s);
void bursts_run(struct scene *s);
void mutate_run(struct scene *s, u32 packets, u32 seed);
void storm_run(struct scene *s, u32 packets, u32 seed);

#endif /* MRC_TEST_SCENE_H */
