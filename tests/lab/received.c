// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receive counters of the interfaces of many network namespaces.
 *
 *   received NETNS...     prints "NETNS INTERFACE BYTES PACKETS" for each interface
 *
 * (In an emulated guest a process takes tens of milliseconds to start, and an interpreter
 * half a second: this is one process for all namespaces.)
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

/* What "ip netns add" makes. */
#define NETNS_DIR "/run/netns/"

static void enter(const char *netns)
{
	char path[sizeof(NETNS_DIR) + NAME_MAX];
	int fd;

	if (snprintf(path, sizeof(path), NETNS_DIR "%s", netns) >= (int)sizeof(path))
		errx(1, "%s: too long", netns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		err(1, "%s", path);
	close(fd);
}

/* Two lines of headings, then "NAME: BYTES PACKETS ..." for each interface. */
static void show(const char *netns)
{
	unsigned long long bytes, packets;
	char line[512], name[64];
	FILE *f;

	f = fopen("/proc/thread-self/net/dev", "re");
	if (!f)
		err(1, "/proc/thread-self/net/dev");
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, " %63[^:]: %llu %llu", name, &bytes, &packets) == 3)
			printf("%s %s %llu %llu\n", netns, name, bytes, packets);
	fclose(f);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		enter(argv[i]);
		show(argv[i]);
	}
	if (fflush(stdout))
		err(1, "output");
	return 0;
}
