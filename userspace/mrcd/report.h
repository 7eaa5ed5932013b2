/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Messages to the journal, and the state of the service to its manager.
 */
#ifndef MRCD_REPORT_H
#define MRCD_REPORT_H

#include <syslog.h>

/* Most bytes of a message, and of the fields beside it. */
enum { REPORT_TEXT = 1024, REPORT_FIELDS = 1024 };

void report_init(void);
void report(int priority, const char *fields, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void report_service(const char *state);

#endif /* MRCD_REPORT_H */
