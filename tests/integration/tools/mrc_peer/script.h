/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Scenarios: packets that the peer sends and must receive, line by line.
 */
#ifndef MRC_TEST_SCRIPT_H
#define MRC_TEST_SCRIPT_H

#include <pthread.h>

#include "reference.h"
#include "fixture.h"
#include "tap.h"

#define SCRIPT_WORDS	24
#define SCRIPT_LINE	256
/* Limit of the PSNs in a scenario, which are relative to the first one. */
#define SCRIPT_PSNS	4096
#define SCRIPT_MSGS	16

/**
 * struct script_out - a packet that the peer has sent
 * @accepted: the device has received and counted it
 * @ts: time stamp of the latest copy
 * @rtx: the latest copy is a retransmission
 */
struct script_out {
	bool accepted;
	u16 ts;
	bool rtx;
};

/**
 * struct script_in - a packet that the device has sent
 * @copies: how many
 * @acked: a SACK of the peer has reported it as received
 * @ev: entropy values of the first and of the latest copy
 * @ts: time stamps of the first and of the latest copy
 */
struct script_in {
	u32 copies;
	bool acked;
	u32 ev[2];
	u16 ts[2];
};

/**
 * struct script_msg - a WRITE of the device
 * @psn: its first packet
 * @n: packets
 */
struct script_msg {
	u32 psn;
	u32 n;
};

/**
 * struct script_reconnect - the device's application connects its QP again
 * @thread: runs beside the peer
 * @running: it has been started and not been waited for
 * @ret: errno of the thread
 * @ns: time it took
 */
struct script_reconnect {
	pthread_t thread;
	bool running;
	int ret;
	u64 ns;
};

/**
 * struct script - a scenario that is being executed
 * @s: fixture
 * @words: of the current line
 * @n_words: how many
 * @used: bitmap of the words that have been parsed
 * @out: packets of the peer, by PSN
 * @in: packets of the device, by PSN
 * @msgs: messages of the device
 * @n_msgs: how many
 * @ts: latest time stamp sent
 * @got_at: ns when the device's latest data packet arrived; 0: none has
 * @gap: ns from the one before to it
 * @probe_id: of the latest probe of the device
 * @probe_ts: time stamp of that probe
 * @probe_ev: entropy value of that probe
 * @probe_sack: response to each probe, if its member "probe" is set
 * @sent_at: ns when the peer's latest data packet was about to leave
 * @served: service times that SACKs have reported, sum in units of REF_TS_NS
 * @reconnect: see script_reconnect()
 */
struct script {
	struct fixture *s;
	char *words[SCRIPT_WORDS];
	u32 n_words;
	u32 used;
	struct script_out out[SCRIPT_PSNS];
	struct script_in in[SCRIPT_PSNS];
	struct script_msg msgs[SCRIPT_MSGS];
	u32 n_msgs;
	u16 ts;
	u64 got_at;
	u64 gap;
	u16 probe_id;
	u16 probe_ts;
	u32 probe_ev;
	struct ref_sack probe_sack;
	u64 sent_at;
	u64 served;
	struct script_reconnect reconnect;
};

/* The PSN before the first one of a scenario. */
#define SCRIPT_PSN_BEFORE	(-1)

bool script_word(struct script *p, const char *word);
const char *script_value(struct script *p, const char *key);
long script_number(struct script *p, const char *key, long fallback);
const char *script_arg(struct script *p);
long script_psn_arg(struct script *p, long *last);
bool script_each(const char *list, bool (*fn)(void *arg, long psn),
		 void *arg);
void script_syntax_error(struct script *p, const char *why);

u32 script_ev(const struct script *p);
bool script_next(struct script *p, struct got *got);
bool script_check_packet(const struct got *g, const u8 *expected, u32 len);
void script_sack(struct script *p, struct ref_sack *k);
u8 script_syndrome(struct script *p);
u8 script_reason(struct script *p);

bool script_write(struct script *p);
bool script_only(struct script *p);
bool script_expect_update(struct script *p);
bool script_probe(struct script *p);
bool script_expect_sack(struct script *p);
bool script_served(struct script *p);
bool script_expect_ack(struct script *p);
bool script_expect_nak(struct script *p);
bool script_expect_nack(struct script *p);

bool script_reconnect(struct script *p);
bool script_reconnected(struct script *p);
bool script_end_reconnect(struct script *p);

bool script_post(struct script *p);
bool script_expect_write(struct script *p);
bool script_expect_probe(struct script *p);
bool script_send_sack(struct script *p);
bool script_send_ack(struct script *p);
bool script_send_nak(struct script *p);
bool script_send_nack(struct script *p);

bool script_run(struct fixture *s, const char *file);

#endif /* MRC_TEST_SCRIPT_H */
