/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Faults that are known: since when, how sure, and when they are over.
 */
#ifndef MRCD_FAULTS_H
#define MRCD_FAULTS_H

#include "localise.h"

enum { FAULTS_MAX = 16 };

/**
 * enum fault_event - what happened to a fault
 * @FAULT_NAMED: it was found
 * @FAULT_REVISED: another part explains it better
 * @FAULT_CLEARED: it is over
 */
enum fault_event {
	FAULT_NAMED,
	FAULT_REVISED,
	FAULT_CLEARED,
};

/**
 * struct fault - a fault
 * @used: the entry is in use
 * @id: number, unique in this run
 * @since: when it was named, s
 * @seen: when it was found last, s
 * @doubt: since when another part explains it better, s; 0: none does
 * @was: part that was named before it was revised
 * @finding: what is broken
 * @watch: watch for its end
 */
struct fault {
	bool used;
	uint32_t id;
	double since;
	double seen;
	double doubt;
	uint32_t was;
	struct finding finding;
	struct watch *watch;
};

/**
 * struct faults - all that are known
 * @e: evidence
 * @next_id: of the next one
 * @fault: these
 * @suspects: parts that further probes should visit
 * @suspect: their numbers
 * @looked: by metric, bad packets when it was searched last
 * @looked_at: time of the latest search, s
 * @named_at: when a fault was named last, or got another rate, s
 * @founds: how many parts the latest search found
 * @found: these
 * @waiting: when something was found that is not sure yet, s; 0: nothing
 * @tell: called for each event
 * @arg: for @tell
 */
struct faults {
	struct evidence *e;
	uint32_t next_id;
	struct fault fault[FAULTS_MAX];
	int suspects;
	uint32_t suspect[SUSPECTS_MAX];
	double looked[METRICS];
	double looked_at;
	double named_at;
	int founds;
	uint32_t found[FINDINGS_MAX];
	double waiting;
	void (*tell)(void *arg, enum fault_event event,
		     const struct fault *fault);
	void *arg;
};

void faults_init(struct faults *faults, struct evidence *e);
void faults_update(struct faults *faults, double now);
const struct fault *faults_find(const struct faults *faults, uint32_t part);

#endif /* MRCD_FAULTS_H */
