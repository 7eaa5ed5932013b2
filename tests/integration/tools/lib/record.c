// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Record of verified bytes over time.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "record.h"

#define NS_PER_S	1000000000ull

/* @last: number of the latest entry of the flow, plus 1; @bytes: in total. */
struct record_flow {
	uint32_t last;
	uint64_t bytes;
};

struct record {
	struct record_head *head;
	struct record_entry *entry;
	struct record_flow *flow;
	uint64_t begin;
};

static void *map_file(const char *path)
{
	size_t size = sizeof(struct record_head) +
		      RECORD_ENTRIES * sizeof(struct record_entry);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	void *map;

	if (fd < 0)
		return NULL;
	map = ftruncate(fd, size) ? MAP_FAILED :
	      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

/**
 * record_create - begin a record
 * @path: of the file
 * @period_ns: length of a period
 * @flows: number of flows
 *
 * It exists until the process ends.
 *
 * Return: record, or NULL after a message.
 */
struct record *record_create(const char *path, uint64_t period_ns,
			     unsigned int flows)
{
	struct record *r = calloc(1, sizeof(*r));

	if (r) {
		r->head = map_file(path);
		r->flow = calloc(flows, sizeof(*r->flow));
	}
	if (!r || !r->head || !r->flow) {
		perror(path);
		return NULL;
	}
	r->entry = (struct record_entry *)(r->head + 1);
	r->head->period = period_ns;
	return r;
}

/**
 * record_now - begin to note totals that are those of the present
 * @r: record
 *
 * The clock is read here, once for all flows: in virtual time each reading takes
 * time, and with hundreds of flows receivers would wait for their readings.
 */
void record_now(struct record *r)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	r->begin = now.tv_sec * NS_PER_S + now.tv_nsec;
	r->begin -= r->begin % r->head->period;
}

/* The entry of the present period, or NULL if the record is full. */
static struct record_entry *present(struct record *r, unsigned int flow)
{
	struct record_flow *f = &r->flow[flow];
	struct record_entry *e;

	if (f->last && r->entry[f->last - 1].begin == r->begin)
		return &r->entry[f->last - 1];
	if (r->head->count == RECORD_ENTRIES) {
		r->head->full = 1;
		return NULL;
	}
	e = &r->entry[r->head->count];
	e->begin = r->begin;
	e->flow = flow;
	f->last = ++r->head->count;
	return e;
}

/**
 * record_total - note how much a flow has received until the last record_now()
 * @r: record
 * @flow: its number
 * @bytes: since the start
 */
void record_total(struct record *r, unsigned int flow, uint64_t bytes)
{
	uint64_t more = bytes - r->flow[flow].bytes;
	struct record_entry *e;

	if (!more)
		return;
	r->flow[flow].bytes = bytes;
	e = present(r, flow);
	if (e)
		e->bytes += more;
	r->head->bytes += more;
}

/**
 * record_errors - note how many messages were wrong
 * @r: record
 * @errors: since the start
 */
void record_errors(struct record *r, uint64_t errors)
{
	r->head->errors = errors;
}
