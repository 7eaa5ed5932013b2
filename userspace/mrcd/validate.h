/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Validation of the network before a job.
 */
#ifndef MRCD_VALIDATE_H
#define MRCD_VALIDATE_H

#include "daemon.h"

/**
 * struct validation - what is wanted of it
 * @seconds: how long it probes
 * @picture: file for a picture, or NULL
 * @jsonl: file for the results in the format of SuperBench, or NULL
 */
struct validation {
	uint32_t seconds;
	const char *picture;
	const char *jsonl;
};

int validate_run(const struct options *options, const struct validation *v);
int validate_pairs(const char *file, bool hosts);

#endif /* MRCD_VALIDATE_H */
