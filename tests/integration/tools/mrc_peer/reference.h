/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * An encoder of MRC packets written from the public descriptions of MRC 1.0,
 * independent of the driver's encoder.
 */
#ifndef MRC_TEST_REFERENCE_H
#define MRC_TEST_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#define REF_ICRC_LEN	4
/* BTH, METH, TSETH, RETH */
#define REF_DATA_LEN	36
#define REF_SACK_LEN	48
#define REF_NACK_LEN	32
#define REF_ACK_LEN	16
#define REF_PROBE_LEN	28
/* Nominal bytes of a packet are its UDP payload and this (8.3.1). */
#define REF_NOMINAL	40
/* Unit of SACK's count of received bytes. */
#define REF_RCVD_UNIT	256
/* ns of a unit of time stamps (TSETH, tables 6-6 and 6-7). */
#define REF_TS_NS	128

enum ref_opcode {
	REF_WRITE_FIRST	= 0xc6,
	REF_WRITE_MIDDLE = 0xc7,
	REF_WRITE_LAST	= 0xc8,
	REF_WRITE_ONLY	= 0xca,
	REF_ACK		= 0xd1,
	REF_SACK	= 0xdc,
	REF_NACK	= 0xdd,
	REF_PROBE	= 0xde,
};

/* Bits of the PSN's word. */
#define REF_A		0x80
#define REF_RTX		0x20
#define REF_TS		0x10

/**
 * struct ref_bth - content of BTH, the first header of a packet
 * @opcode: enum ref_opcode
 * @qpn: destination
 * @bits: REF_A, REF_RTX, REF_TS
 * @psn: 24 bits
 */
struct ref_bth {
	uint8_t opcode;
	uint32_t qpn;
	uint8_t bits;
	uint32_t psn;
};

/**
 * struct ref_data - headers of a packet of a WRITE, with a time stamp
 * @bth: first header; REF_TS is added
 * @msn: number of the message
 * @ts: time stamp, 128 ns
 * @va: where the payload goes
 * @rkey: key
 * @len: bytes of the whole message
 */
struct ref_data {
	struct ref_bth bth;
	uint16_t msn;
	uint16_t ts;
	uint64_t va;
	uint32_t rkey;
	uint32_t len;
};

/**
 * struct ref_sack - selective acknowledgment
 * @qpn: destination
 * @rtx: the trigger was a retransmission
 * @cack: cumulative PSN
 * @offset: PSN of the trigger relative to @cack; or the probe's id
 * @probe: the trigger was a reliability probe
 * @mark: 1: the trigger had an ECN mark
 * @ev: entropy value of the trigger
 * @mpr: PSN window in units of 128
 * @first: PSN of the lowest bit relative to @cack
 * @bitmap: packets that have arrived
 * @ts: time stamp of the trigger
 * @ooo: packets beyond a gap
 * @rcvd: bytes received, in units of REF_RCVD_UNIT
 */
struct ref_sack {
	uint32_t qpn;
	bool rtx;
	uint32_t cack;
	int16_t offset;
	bool probe;
	uint8_t mark;
	uint32_t ev;
	uint8_t mpr;
	int16_t first;
	uint64_t bitmap;
	uint16_t ts;
	uint16_t ooo;
	uint32_t rcvd;
};

/**
 * struct ref_nack - refusal of a packet
 * @qpn: destination
 * @psn: PSN of the packet
 * @reason: table 7-3
 * @ev: entropy value of the packet
 * @ts: time stamp of the packet
 */
struct ref_nack {
	uint32_t qpn;
	uint32_t psn;
	uint8_t reason;
	uint32_t ev;
	uint16_t ts;
};

uint32_t ref_data(uint8_t *p, const struct ref_data *d);
uint32_t ref_sack(uint8_t *p, const struct ref_sack *k);
uint32_t ref_nack(uint8_t *p, const struct ref_nack *n);
uint32_t ref_ack(uint8_t *p, uint32_t qpn, uint32_t psn, uint8_t syndrome,
		 uint32_t msn);
uint32_t ref_probe(uint8_t *p, uint32_t qpn, uint16_t id, uint16_t ts);

#endif /* MRC_TEST_REFERENCE_H */
