// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Hardware counters of an RDMA device.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "stats.h"
#include "tap.h"

/* sysfs shows values up to 10 ms old, and the kernel's clock ticks slowly. */
#define FRESH_NS	30000000L

static int read_value(int dir, const char *path, uint64_t *value)
{
	char name[512];
	FILE *file;
	int ret;

	snprintf(name, sizeof(name), "/proc/self/fd/%d/%s", dir, path);
	file = fopen(name, "r");
	if (!file)
		return -1;
	ret = fscanf(file, "%" SCNu64, value) == 1 ? 0 : -1;
	fclose(file);
	return ret;
}

/**
 * stats_read - read the counters
 * @s: filled in
 * @device: RDMA device
 *
 * Return: 0, or -1 after a message.
 */
int stats_read(struct stats *s, const char *device)
{
	const struct timespec fresh = { .tv_nsec = FRESH_NS };
	struct dirent *entry;
	char path[256];
	DIR *dir;

	snprintf(path, sizeof(path),
		 "/sys/class/infiniband/%s/ports/1/hw_counters", device);
	dir = opendir(path);
	if (!dir) {
		perror(path);
		return -1;
	}
	nanosleep(&fresh, NULL);
	s->n = 0;
	while ((entry = readdir(dir)) && s->n < STATS_MAX) {
		if (entry->d_name[0] == '.' ||
		    !strcmp(entry->d_name, "lifespan") ||
		    read_value(dirfd(dir), entry->d_name, &s->value[s->n]))
			continue;
		snprintf(s->name[s->n++], STATS_NAME, "%.*s", STATS_NAME - 1,
			 entry->d_name);
	}
	closedir(dir);
	return 0;
}

/* All ones if there is no such counter. */
static uint64_t stats_get(const struct stats *s, const char *name)
{
	unsigned int i;

	for (i = 0; i < s->n; i++)
		if (!strcmp(s->name[i], name))
			return s->value[i];
	tap_note("there is no counter %s", name);
	return UINT64_MAX;
}

/**
 * stats_delta - how much a counter has grown
 * @before: earlier values
 * @after: later values
 * @name: which
 *
 * Return: difference.
 */
uint64_t stats_delta(const struct stats *before, const struct stats *after,
		     const char *name)
{
	return stats_get(after, name) - stats_get(before, name);
}

/**
 * stats_only - compare the growth of a set of counters
 * @before: earlier values
 * @after: later values
 * @prefix: common start of their names
 * @name: the counter that must have grown; NULL: none
 * @n: expected growth of @name
 *
 * Return: true, or false after a note about each counter that differs.
 */
bool stats_only(const struct stats *before, const struct stats *after,
		const char *prefix, const char *name, uint64_t n)
{
	uint64_t grown, want;
	bool found = !name, ok = true;
	unsigned int i;

	for (i = 0; i < after->n; i++) {
		if (strncmp(after->name[i], prefix, strlen(prefix)))
			continue;
		want = name && !strcmp(after->name[i], name) ? n : 0;
		found |= name && !strcmp(after->name[i], name);
		grown = stats_delta(before, after, after->name[i]);
		if (grown == want)
			continue;
		tap_note("%s has grown by %" PRIu64 ", expected %" PRIu64,
			 after->name[i], grown, want);
		ok = false;
	}
	if (!found)
		tap_note("there is no counter %s", name);
	return ok && found;
}
