// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cost of a SACK while most of a full window is on its way over slower paths: loss
 * detection looks at these packets again for each SACK, and none of them is lost.
 * "make cost" counts the instructions of cost_rack().
 *
 *	bench_rack [ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <linux/kernel.h>

#include "core/requester.h"
#include "core/responder.h"

#define ROUNDS		200
#define SECOND		1000000000ULL
#define PMTU		4096
#define PATHS		MRC_EV_AUTO
#define PORTS		0xf
#define MPR		MRC_MPR_DEFAULT
#define MSGS		256
#define WINDOW		(64 << 20)
#define MSG_LEN		(1 << 20)
/* Sending takes half of a round trip, so no packet is overdue. */
#define RTT		100000
#define PKT_NS		(RTT / 2 / MPR)
#define BURST		8
#define QPN		0x11

/**
 * struct sent - a packet in flight
 * @pkt: decoded
 * @ev: entropy value
 * @slow: it takes a slower path
 */
struct sent {
	struct mrc_pkt pkt;
	u32 ev;
	bool slow;
};

static struct mrc_req req;
static struct mrc_rsp rsp;
static struct mrc_ev_set *evs;
static struct sent flight[MPR];
static u32 in_flight;
static u64 now;
static u64 sacks, spent;
static u32 most_missing;

/* Not inlined, so that the profile has the function's name. */
void cost_rack(const struct mrc_pkt *sack);

static u64 clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

static void put_pkt(const struct mrc_burst *b, struct mrc_burst_pkt *bp)
{
	struct sent *s = &flight[in_flight++];
	u8 hdr[MRC_REQ_HDR_MAX];
	u32 len = mrc_pkt_put_data(hdr, &bp->hdr);

	if (mrc_pkt_decode_hdr(hdr, len, len + bp->hdr.payload_len +
			       mrc_pkt_trailer_len(bp->hdr.payload_len),
			       &s->pkt))
		abort();
	s->ev = b->ev;
	s->slow = b->path % 8;
}

/* Send up to @max packets. */
static void send(u32 max)
{
	const struct mrc_msg_desc d = { .length = MSG_LEN, .rkey = 1 };
	struct mrc_burst_pkt bp;
	struct mrc_burst b;
	u8 i;

	while (mrc_req_free_slots(&req))
		mrc_req_post(&req, &d);
	while (in_flight + BURST <= max && mrc_req_next_burst(&req, now, &b)) {
		for (i = 0; i < b.n; i++) {
			if (i)
				mrc_req_burst_next(&req, &b, i, now, &bp);
			else
				mrc_req_burst_pkt(&req, &b, 0, now, &bp);
			put_pkt(&b, &bp);
		}
		now += b.n * PKT_NS;
	}
}

__attribute__((__noinline__, __noclone__))
void cost_rack(const struct mrc_pkt *sack)
{
	mrc_req_on_sack(&req, sack, now);
}

static void measure(const struct mrc_pkt *sack)
{
	u64 start = clock_ns();

	cost_rack(sack);
	spent += clock_ns() - start;
	sacks++;
	most_missing = max(most_missing, mrc_psn_diff(req.nxt, req.una) -
					 req.n_acked);
}

static void process_acks(const struct mrc_ack_batch *a, bool measured)
{
	struct mrc_pkt pkt;
	u32 off, len;

	for (off = 0; off < a->len; off += len) {
		len = min_t(u32, a->seg, a->len - off);
		if (mrc_pkt_decode_hdr(a->buf + off, len, len, &pkt))
			abort();
		if (pkt.op->code != MRC_OP_SACK)
			mrc_req_on_ack(&req, &pkt, now);
		else if (measured)
			measure(&pkt);
		else
			mrc_req_on_sack(&req, &pkt, now);
	}
}

/* Packets of a kind arrive, each causes a SACK. */
static void deliver(bool slow, bool measured)
{
	struct mrc_ack_batch a;
	u32 i;

	for (i = 0; i < in_flight; i++) {
		if (flight[i].slow != slow)
			continue;
		if (mrc_rsp_accept(&rsp, &flight[i].pkt, flight[i].ev,
				   false) != MRC_RSP_NEW)
			abort();
		mrc_rsp_placed(&rsp, &flight[i].pkt, flight[i].ev, false);
		while (mrc_rsp_build_acks(&rsp, &a))
			process_acks(&a, measured);
		now += PKT_NS;
	}
}

static void *alloc(size_t size)
{
	void *mem = calloc(1, size);

	if (!mem)
		abort();
	return mem;
}

static void init(void)
{
	const struct mrc_req_cfg req_cfg = {
		.dest_qpn = QPN, .pmtu = PMTU, .mpr = MPR, .max_msgs = MSGS,
		.max_wimm = MRC_MAX_WIMM, .burst = BURST,
		.timeout_ns = SECOND, .linear_cnt = 7, .rnr_retry = 7,
	};
	const struct mrc_rsp_cfg rsp_cfg = {
		.peer_qpn = QPN, .mpr = MPR, .max_wimm = MRC_MAX_WIMM,
		.sack_threshold = 1,
	};
	const struct mrc_cc_cfg cc = { .mtu = PMTU + 100, .max_cwnd = WINDOW };
	const struct mrc_ev_cfg ev_cfg = { .seed = 1 };
	struct mrc_ev_entry e[PATHS];

	evs = alloc(mrc_ev_set_size(PATHS));
	mrc_ev_auto(e, PATHS, PORTS, 1);
	if (mrc_ev_set_init(evs, e, PATHS, &ev_cfg))
		abort();
	mrc_req_init(&req, &req_cfg, evs, &mrc_cc_fixed, &cc,
		     alloc(mrc_req_mem_size(&req_cfg)));
	mrc_rsp_init(&rsp, &rsp_cfg, alloc(mrc_rsp_mem_size(&rsp_cfg)));
	now = SECOND;
}

static void fly(u32 n, bool measured)
{
	in_flight = 0;
	send(n);
	now += RTT;
	deliver(false, measured);
	if (req.n_lost)
		abort();
	deliver(true, false);
	mrc_req_on_timer(&req, now);
}

int main(int argc, char **argv)
{
	u64 rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : ROUNDS, i;

	init();
	for (i = 0; i < rounds; i++) {
		/* A short flight, so that round trips are known. */
		fly(MPR / 8, false);
		fly(MPR, true);
	}
	printf("%llu SACKs that miss up to %u of %u packets: %.2f us each\n",
	       (unsigned long long)sacks, most_missing, MPR,
	       spent / 1e3 / sacks);
	return 0;
}
