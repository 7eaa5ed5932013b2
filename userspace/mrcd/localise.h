/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * From what was lost to what is broken.
 */
#ifndef MRCD_LOCALISE_H
#define MRCD_LOCALISE_H

#include "evidence.h"

enum {
	/* Faults that are found at a time. */
	FINDINGS_MAX = 8,
	/* Other explanations that a finding lists. */
	OTHERS_MAX = 3,
	/* Parts that further probes should visit. */
	SUSPECTS_MAX = 8,
};

/**
 * enum fault_kind - what a part does
 * @FAULT_LOSS: it loses packets
 * @FAULT_GREY: it loses data packets and no probes, for instance those of one size
 * @FAULT_SLOW: it delays packets
 * @FAULT_KINDS: number of kinds
 */
enum fault_kind {
	FAULT_LOSS,
	FAULT_GREY,
	FAULT_SLOW,
	FAULT_KINDS,
};

/**
 * struct other - another explanation
 * @part: number of the part
 * @confidence: probability that it is this one
 */
struct other {
	uint32_t part;
	double confidence;
};

/**
 * struct finding - what is broken
 * @part: number of the part; of a link always both directions
 * @exact: likewise; if only one direction explains what was seen, that one
 * @kind: what it does
 * @rate: share of packets that it loses or delays
 * @confidence: probability that it is @part, of 1
 * @score: logarithm of how much likelier a fault is than none
 * @sent: packets over it, in the time that shows the fault best
 * @bad: how many of them were lost or slow
 * @paths: ways on which they were
 * @shared: share of the bad packets that known faults may explain too
 * @open: data packets were lost, and too few probes were sent to tell the kind
 * @others: how many other explanations there are
 * @other: these
 */
struct finding {
	uint32_t part;
	uint32_t exact;
	enum fault_kind kind;
	double rate;
	double confidence;
	double score;
	double sent;
	double bad;
	uint32_t paths;
	double shared;
	bool open;
	int others;
	struct other other[OTHERS_MAX];
};

/**
 * struct diagnosis - the result
 * @findings: how many faults were found
 * @finding: these, the surest first
 * @suspects: how many parts need more probes
 * @suspect: their numbers
 */
struct diagnosis {
	int findings;
	struct finding finding[FINDINGS_MAX];
	int suspects;
	uint32_t suspect[SUSPECTS_MAX];
};

void localise(const struct evidence *e, struct diagnosis *diagnosis);
const char *fault_kind_name(enum fault_kind kind);
enum metric fault_metric(enum fault_kind kind);

#endif /* MRCD_LOCALISE_H */
