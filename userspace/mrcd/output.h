/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the daemon knows, for people and programs.
 */
#ifndef MRCD_OUTPUT_H
#define MRCD_OUTPUT_H

#include "daemon.h"

/* Name of the status in the daemon's directory. */
#define OUTPUT_STATUS	"status.json"

/* Enough for a sentence about a fault. */
enum { OUTPUT_TEXT = 768 };

bool output_write(const struct daemon *d);
const char *output_fault(const struct fabric *fabric, const struct finding *f,
			 char *text);
json_t *output_finding(const struct fabric *fabric, const struct finding *f);
int output_status(const char *dir, bool json);
bool output_file(const char *file, const char *text, size_t size);

#endif /* MRCD_OUTPUT_H */
