/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A raw peer and a QP of the device under test that is connected to it: packets
 * sent, and packets expected from the device.
 */
#ifndef MRC_TEST_FIXTURE_H
#define MRC_TEST_FIXTURE_H

#include "frame.h"
#include "link.h"
#include "stats.h"
#include "target.h"

/* A batch of packets; a probe makes up to three packets. */
#define FIXTURE_GOT_MAX	384
#define FIXTURE_PEER_QPN	0x001234
/* Emulated guests are slow; nothing that works takes this long. */
#define FIXTURE_WAIT_MS	60000
/* Window of the device's queue pairs. */
#define FIXTURE_MPR	1024
/* Default address of packets, as an offset in the area. */
#define FIXTURE_OFFSET	8192
/* Areas begin at odd addresses; ATOMICs use the next aligned address. */
#define FIXTURE_ALIGN(va)	(((va) + 7) & ~7ULL)
/* Address and key of the peer's memory, which does not exist. */
#define FIXTURE_PEER_VA	0x123456789000ULL
#define FIXTURE_PEER_RKEY	0x00abcdef
/* 4.096 us << 20 = 4.3 s: the peer acknowledges before the RTO expires. */
#define FIXTURE_LONG_TIMEOUT	20

/**
 * struct fixture - one peer, one queue pair at a time
 * @device: name
 * @link: the peer's interface
 * @target: the device
 * @wires: addresses on IPv6 and IPv4
 * @wire: addresses in use
 * @sid: SRv6 destination that leads to the device
 * @decap: the device decapsulates packets to @sid, not the network stack
 * @mr: areas of the device's memory
 * @before: counters at the last fixture_snapshot()
 * @qp: queue pair
 * @cfg: its attributes
 * @qpn: its number
 * @psn: next PSN to send
 * @sq_psn: next PSN that the queue pair sends
 * @msn: next message number to send
 * @rqmsn: next receive queue message number to send
 * @rcvd: nominal bytes received, as the QP counts
 * @done: messages completed
 * @req_id: of the latest endpoint request
 * @seed: of the latest payload
 * @payload: latest payload
 * @got: packets received and not yet checked, oldest first
 * @n_got: how many
 * @probes: @got has the device's probes, too; they are dropped otherwise
 * @requests: @got has the device's endpoint requests, too; they are dropped
 *	otherwise
 * @responses: @got has responses of READs and ATOMICs, too; they are dropped
 *	otherwise
 */
struct fixture {
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
	struct target_cfg cfg;
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
	struct got got[FIXTURE_GOT_MAX];
	u32 n_got;
	bool probes;
	bool requests;
	bool responses;
};

static inline const char *fixture_family(const struct fixture *s)
{
	return s->wire.v4 ? "IPv4" : "IPv6";
}

void fixture_set_family(struct fixture *s, bool v4);
void fixture_qp(struct fixture *s, const struct target_cfg *cfg);
void fixture_send(struct fixture *s, const struct frame *f);

void fixture_head(struct fixture *s, struct mrc_pkt_data *d, u8 opcode, u32 len);
void fixture_frame(struct fixture *s, struct frame *f,
		   const struct mrc_pkt_data *d);
void fixture_data(struct fixture *s, const struct mrc_pkt_data *d);
void fixture_placed(struct fixture *s, const struct mrc_pkt_data *d, u64 va);
void fixture_ctrl(struct fixture *s, const u8 *pkt, u32 len);

bool fixture_flush(struct fixture *s);
void fixture_drop_probes(struct fixture *s);
bool fixture_next(struct fixture *s, struct got *got);
bool fixture_sack(struct fixture *s, const struct mrc_pkt_sack *want);
bool fixture_ack(struct fixture *s, u32 psn, u8 syndrome);
bool fixture_acked(struct fixture *s, const struct mrc_pkt_data *d);
bool fixture_nack(struct fixture *s, u32 psn, u8 reason, u16 tx_ts);
bool fixture_no_packet(struct fixture *s);
void fixture_discard(struct fixture *s);
bool fixture_intact(struct fixture *s);

void fixture_snapshot(struct fixture *s);
u64 fixture_grown(struct fixture *s, const char *name, u64 n, struct stats *now);
bool fixture_counted(struct fixture *s, const char *name, u64 n);
bool fixture_dropped(struct fixture *s, const char *reason, u64 n);

bool fixture_write_works(struct fixture *s);

/* The groups of tests. */
void malformed_run(struct fixture *s);
void nak_run(struct fixture *s);
void responder_run(struct fixture *s);
void rd_atomic_run(struct fixture *s);
void requester_run(struct fixture *s);
void gso_run(struct fixture *s);
void hmac_run(struct fixture *s);
void endpoint_run(struct fixture *s);
void mutate_run(struct fixture *s, u32 packets, u32 seed);
void storm_run(struct fixture *s, u32 packets, u32 seed);

#endif /* MRC_TEST_FIXTURE_H */
