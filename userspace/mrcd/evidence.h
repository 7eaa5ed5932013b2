/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What was sent on each way through the network, and what was lost; the older, the
 * less it counts.
 */
#ifndef MRCD_EVIDENCE_H
#define MRCD_EVIDENCE_H

#include "fabric.h"

/**
 * enum metric - what is counted
 * @METRIC_PROBE: probes; bad ones were not answered. There and back
 * @METRIC_DATA: data packets; bad ones were deemed lost. One way
 * @METRIC_SLOW: answered probes; bad ones took long. There and back
 * @METRICS: number of metrics
 */
enum metric {
	METRIC_PROBE,
	METRIC_DATA,
	METRIC_SLOW,
	METRICS,
};

/*
 * Evidence is kept with four time constants, the shortest first: a fault must not be
 * diluted by the time before it, and a rare loss needs time to show.
 */
enum { SCALES = 4 };

/* Parts of which it is watched whether they still lose. */
enum { WATCHES_MAX = 32 };

/**
 * struct count - packets, weighted by their age
 * @sent: by scale
 * @bad: likewise, those that were lost or slow
 */
struct count {
	float sent[SCALES];
	float bad[SCALES];
};

/**
 * struct sum - packets over a part: the sum of the counts of all ways that meet it
 * @metric: by metric, as in struct count; each in one cache line or two
 */
struct sum {
	struct {
		double sent[SCALES];
		double bad[SCALES];
	} metric[METRICS];
};

/**
 * struct cell - what was seen on one way
 * @route: the way
 * @part: parts that a probe and its response meet; a packet meets the first @one_way
 * @parts: number of parts
 * @one_way: likewise
 * @metric: counts; divide by the weight of the scale
 * @last: when the latest packet was counted, by metric, s
 * @probes: probes so far, whatever their age
 * @lost: of these, that were lost
 */
struct cell {
	struct route route;
	uint32_t part[FABRIC_PARTS];
	uint8_t parts;
	uint8_t one_way;
	struct count metric[METRICS];
	double last[METRICS];
	uint32_t probes;
	uint32_t lost;
};

/**
 * struct watch - a part of which a fault is known
 * @part: its number
 * @used: is it watched?
 * @metric: where the fault showed
 * @quiet: packets since the last bad one
 * @count: packets over it, since the watch began or its rate changed
 */
struct watch {
	uint32_t part;
	bool used;
	enum metric metric;
	double quiet;
	struct count count;
};

/**
 * struct evidence - all that was seen
 * @fabric: the network
 * @self: number of the host whose evidence it is
 * @cells: how many there are
 * @cell: array
 * @sum: by part, what was seen on all ways over it
 * @slots: size of the index, a power of two
 * @slot: index by way: number of the cell plus 1; 0: free
 * @weight: of what is seen now, by scale
 * @begin: time at which the weights were 1, s
 * @now: time of the latest evidence, s
 * @bad: bad packets seen so far, by metric
 * @watches: how many are used
 * @watch: parts with known faults
 */
struct evidence {
	const struct fabric *fabric;
	uint32_t self;
	uint32_t cells;
	struct cell *cell;
	struct sum *sum;
	uint32_t slots;
	uint32_t *slot;
	double weight[SCALES];
	double begin;
	double now;
	double bad[METRICS];
	int watches;
	struct watch watch[WATCHES_MAX];
};

/**
 * struct tally - what passed a part since the start
 * @probes: probes
 * @lost: those that were not answered
 */
struct tally {
	uint64_t probes;
	uint64_t lost;
};

void evidence_init(struct evidence *e, const struct fabric *fabric,
		   uint32_t self);
void evidence_free(struct evidence *e);
void evidence_time(struct evidence *e, double now);
uint32_t evidence_cell(struct evidence *e, const struct route *route);
double evidence_share(int scale, double seconds);
double evidence_age(const double *count, int scale);
bool cell_meets(const struct cell *cell, uint32_t part);
int cell_parts(const struct cell *cell, enum metric metric);
void evidence_add(struct evidence *e, uint32_t cell, enum metric metric,
		  uint32_t sent, uint32_t bad);
void evidence_forget(struct evidence *e, uint32_t part);
void evidence_restart(struct evidence *e, struct watch *watch);
struct watch *evidence_watch(struct evidence *e, uint32_t part,
			     enum metric metric);
bool evidence_changed(const struct evidence *e, const struct watch *watch);
void evidence_unwatch(struct evidence *e, struct watch *watch);
struct tally *evidence_tally(const struct evidence *e);

#endif /* MRCD_EVIDENCE_H */
