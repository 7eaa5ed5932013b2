/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Record of verified bytes over time, in a file that is mapped: others may read it
 * while the program runs, and nothing is lost if the program ends early.
 */
#ifndef MRC_TEST_RECORD_H
#define MRC_TEST_RECORD_H

#include <stdbool.h>
#include <stdint.h>

/* 16 MiB, of which only those that are used exist. */
#define RECORD_ENTRIES	(1u << 20)

/**
 * struct record_head - start of the file
 * @period: length of a period, ns
 * @bytes: of all flows since the start
 * @errors: messages that were wrong
 * @count: entries
 * @full: the record is incomplete
 */
struct record_head {
	uint64_t period;
	uint64_t bytes;
	uint64_t errors;
	uint32_t count;
	uint32_t full;
};

/**
 * struct record_entry - what a flow has received in a period
 * @begin: of the period, ns of CLOCK_REALTIME
 * @flow: number
 * @bytes: count
 */
struct record_entry {
	uint64_t begin;
	uint32_t flow;
	uint32_t bytes;
};

struct record;

struct record *record_create(const char *path, uint64_t period_ns,
			     unsigned int flows);
void record_now(struct record *r);
void record_total(struct record *r, unsigned int flow, uint64_t bytes);
void record_errors(struct record *r, uint64_t errors);

#endif /* MRC_TEST_RECORD_H */
