// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A transfer without a network, whose instructions "make cost" counts: a requester, a
 * responder, and all that the core does for each packet on both sides. Checksums and
 * payload belong to the net layer and are not included.
 *
 *	cost BURST PACKETS FLIGHT
 *
 * FLIGHT packets at most are sent before any is received. The program also prints where its
 * functions and objects are, for those who trace which memory it uses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "core/requester.h"
#include "core/responder.h"

#define PMTU		4096
#define PATHS		MRC_EV_AUTO
#define PORTS		0xf
#define MSG_LEN		65536
#define MAX_MSGS	256
#define WINDOW		(1 << 20)
/* Packets in flight, at most. */
#define FLIGHT_MAX	128
/* The time that a packet takes to send. */
#define PKT_NS		330
#define QPN		0x11
/* Bytes of a cache line. */
#define LINE		64

/* Not inlined, so that the profile has the function's name. */
#define MEASURED	__attribute__((__noinline__, __noclone__))

void cost_send(void);
void cost_receive(void);
void cost_complete(void);
void cost_end(void);

/**
 * struct wire - a packet in flight
 * @ev: entropy value
 * @len: bytes, payload included
 * @hdr_len: bytes in @hdr
 * @hdr: headers
 */
struct wire {
	u32 ev;
	u32 len;
	u32 hdr_len;
	u8 hdr[MRC_REQ_HDR_MAX];
};

/* The kernel allocates these in lines of their own. */
static struct mrc_req req __aligned(LINE);
static struct mrc_rsp rsp __aligned(LINE);
static struct mrc_ev_set *evs;
static struct wire flight[FLIGHT_MAX];
static u32 in_flight, burst_end, flight_max, burst;
static struct mrc_ack_batch acks[FLIGHT_MAX];
static u32 n_acks;
static u64 now = 1000000000;
static u64 sent, received;

static void post_all(void)
{
	const struct mrc_msg_desc d = { .length = MSG_LEN, .rkey = 1 };

	while (mrc_req_free_slots(&req))
		mrc_req_post(&req, &d);
}

static void put_burst(const struct mrc_burst *b)
{
	struct mrc_burst_pkt pkt;
	struct wire *w;
	u8 i;

	for (i = 0; i < b->n; i++) {
		w = &flight[in_flight++];
		if (i)
			mrc_req_burst_next(&req, b, i, now, &pkt);
		else
			mrc_req_burst_pkt(&req, b, 0, now, &pkt);
		w->ev = b->ev;
		w->hdr_len = mrc_pkt_put_data(w->hdr, &pkt.hdr);
		w->len = w->hdr_len + pkt.hdr.payload_len +
			 mrc_pkt_trailer_len(pkt.hdr.payload_len);
	}
	sent += b->n;
}

/* From messages to the octets of headers. */
MEASURED void cost_send(void)
{
	struct mrc_burst b;

	post_all();
	while (in_flight + burst <= flight_max &&
	       mrc_req_next_burst(&req, now, &b))
		put_burst(&b);
}

static void place(const struct wire *w)
{
	struct mrc_pkt pkt;

	if (mrc_pkt_decode_hdr(w->hdr, w->hdr_len, w->len, &pkt) ||
	    mrc_rsp_accept(&rsp, &pkt, w->ev, false) != MRC_RSP_NEW)
		abort();
	mrc_rsp_placed(&rsp, &pkt, w->ev, false);
	received++;
}

/* From the headers of bursts to acknowledgments. */
MEASURED void cost_receive(void)
{
	struct mrc_delivery d;
	u32 i;

	for (i = 0; i < in_flight; i = burst_end) {
		burst_end = min(i + burst, in_flight);
		for (; i < burst_end; i++)
			place(&flight[i]);
		while (mrc_rsp_pop(&rsp, &d))
			continue;
		while (mrc_rsp_build_acks(&rsp, &acks[n_acks]))
			n_acks++;
	}
}

static void process_acks(const struct mrc_ack_batch *a)
{
	struct mrc_pkt pkt;
	u32 off, len;

	for (off = 0; off < a->len; off += len) {
		len = min_t(u32, a->seg, a->len - off);
		if (mrc_pkt_decode_hdr(a->buf + off, len, len, &pkt))
			abort();
		if (pkt.op->code == MRC_OP_SACK)
			mrc_req_on_sack(&req, &pkt, now);
		else
			mrc_req_on_ack(&req, &pkt, now);
	}
}

/* From acknowledgments to completions. */
MEASURED void cost_complete(void)
{
	struct mrc_done done;
	u32 i;

	for (i = 0; i < n_acks; i++)
		process_acks(&acks[i]);
	while (mrc_req_pop(&req, &done))
		if (done.status != MRC_OK)
			abort();
}

/* Marks the end of the work for a flight of packets. */
MEASURED void cost_end(void)
{
	barrier();
}

static void show(const char *what, const void *begin, size_t size)
{
	printf("%s %p %zu\n", what, begin, size);
}

static void *alloc(const char *what, size_t size)
{
	void *mem = aligned_alloc(LINE, DIV_ROUND_UP(size, LINE) * LINE);

	if (!mem)
		abort();
	memset(mem, 0, size);
	show(what, mem, size);
	return mem;
}

static void init(void)
{
	const struct mrc_req_cfg req_cfg = {
		.dest_qpn = QPN, .pmtu = PMTU, .mpr = MRC_MPR_DEFAULT,
		.max_msgs = MAX_MSGS, .max_wimm = MRC_MAX_WIMM, .burst = burst,
		.timeout_ns = 67000000, .linear_cnt = 7, .rnr_retry = 7,
	};
	const struct mrc_rsp_cfg rsp_cfg = {
		.peer_qpn = QPN, .mpr = MRC_MPR_DEFAULT,
		.max_wimm = MRC_MAX_WIMM, .sack_threshold = MRC_SACK_THRESHOLD,
	};
	const struct mrc_cc_cfg cc = { .mtu = PMTU + 100, .max_cwnd = WINDOW };
	const struct mrc_ev_cfg ev_cfg = { .seed = 1 };
	struct mrc_ev_entry e[PATHS];

	evs = alloc("paths", mrc_ev_set_size(PATHS));
	mrc_ev_auto(e, PATHS, PORTS, 1);
	if (mrc_ev_set_init(evs, e, PATHS, &ev_cfg))
		abort();
	mrc_req_init(&req, &req_cfg, evs, &mrc_cc_fixed, &cc,
		     alloc("requester-arrays", mrc_req_mem_size(&req_cfg)));
	mrc_rsp_init(&rsp, &rsp_cfg,
		     alloc("responder-arrays", mrc_rsp_mem_size(&rsp_cfg)));
}

static void show_program(void)
{
	show("cost_send", cost_send, 0);
	show("cost_receive", cost_receive, 0);
	show("cost_complete", cost_complete, 0);
	show("cost_end", cost_end, 0);
	show("requester", &req, sizeof(req));
	show("responder", &rsp, sizeof(rsp));
}

int main(int argc, char **argv)
{
	u64 packets;

	if (argc != 4)
		return 2;
	packets = strtoull(argv[2], NULL, 0);
	flight_max = min_t(u32, strtoul(argv[3], NULL, 0), FLIGHT_MAX);
	burst = strtoul(argv[1], NULL, 0);
	if (burst > flight_max)
		return 2;
	show_program();
	init();
	while (received < packets) {
		cost_send();
		now += in_flight * PKT_NS;
		cost_receive();
		in_flight = 0;
		now += PKT_NS;
		cost_complete();
		cost_end();
		n_acks = 0;
		mrc_req_on_timer(&req, now);
	}
	if (req.stats.rtx_pkts || sent != received)
		return 1;
	printf("%llu packets\n", (unsigned long long)received);
	return 0;
}
