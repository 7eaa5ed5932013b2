// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The native protocol of the journal, and sd_notify(3): a datagram each.  Without a
 * journal messages go to standard error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "report.h"

#define JOURNAL_SOCKET	"/run/systemd/journal/socket"

static int journal = -1;

static int open_socket(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t n = strlen(path);
	int fd;

	if (!n || n >= sizeof(to.sun_path))
		return -1;
	memcpy(to.sun_path, path, n);
	/* A name in the abstract name space is written with an at sign. */
	if (path[0] == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (!connect(fd, (struct sockaddr *)&to,
		     offsetof(struct sockaddr_un, sun_path) + n))
		return fd;
	close(fd);
	return -1;
}

/**
 * report_init() - find where messages go
 *
 * They go to the journal if the service manager has connected standard error to it.
 */
void report_init(void)
{
	if (getenv("JOURNAL_STREAM"))
		journal = open_socket(JOURNAL_SOCKET);
}

/**
 * report() - write a message
 * @priority: as of syslog(3)
 * @fields: further fields of the journal, "NAME=value\n" each; or ""
 * @fmt: message of one line, as printf
 */
void report(int priority, const char *fields, const char *fmt, ...)
{
	char text[REPORT_TEXT], record[REPORT_TEXT + REPORT_FIELDS + 64];
	va_list args;
	int n;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	n = snprintf(record, sizeof(record),
		     "MESSAGE=%s\nPRIORITY=%d\nSYSLOG_IDENTIFIER=mrcd\n%.*s",
		     text, priority, REPORT_FIELDS, fields);
	if (journal >= 0 && send(journal, record, n, MSG_NOSIGNAL) == n)
		return;
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, text);
}

/**
 * report_service() - tell the service manager the state of the service
 * @state: as of sd_notify(3)
 *
 * Without a service manager that wants to know nothing happens.
 */
void report_service(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	int fd = path ? open_socket(path) : -1;

	if (fd < 0)
		return;
	if (send(fd, state, strlen(state), MSG_NOSIGNAL) < 0)
		report(LOG_WARNING, "", "the service manager does not listen: %s",
		       strerror(errno));
	close(fd);
}
