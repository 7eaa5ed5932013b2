// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A process that misuses a verbs device, without the library: commands that are valid,
 * so that objects exist and queue pairs are connected, and damaged ones; mappings at any
 * offset; rings that a second thread writes to; files that are closed with all objects.
 * A seed determines the commands.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"
#include "rc.h"

/* How seldom a file is closed, and something else than a command is done. */
#define CLOSE_ONE_IN	2000
#define MAP_ONE_IN	50
#define METHOD_ONE_IN	8
#define WRITE_ONE_IN	4
#define YIELD_ONE_IN	256
#define YIELD_US	20

static int failed(const char *what)
{
	fprintf(stderr, "mrc_verbsfuzz: %s: %s\n", what, strerror(errno));
	return 1;
}

/* The last page of the memory is missing. */
static int memory_alloc(struct fuzz *f)
{
	f->memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (f->memory == MAP_FAILED)
		return failed("mmap");
	return munmap(f->memory + MEMORY - sysconf(_SC_PAGESIZE),
		      sysconf(_SC_PAGESIZE));
}

/* The address and the file of the device; the library is not used afterwards. */
static int find_device(struct fuzz *f, const char *name, int gid_index)
{
	static char path[128];
	struct rc_dev dev = {};

	if (rc_open(&dev, name, 1, gid_index))
		return 1;
	snprintf(path, sizeof(path), "/dev/infiniband/%s",
		 dev.ctx->device->dev_name);
	f->path = path;
	memcpy(f->gid, &dev.gid, sizeof(f->gid));
	f->gid_index = dev.gid_index;
	rc_close(&dev);
	return 0;
}

/* The rings stay mapped when the file is closed, or are unmapped before. */
static int close_and_open(struct fuzz *f)
{
	if (rng_one_in(&f->rng, 2))
		ring_unmap_all(f);
	close(f->fd);
	close(f->event_fd);
	ring_unmap_all(f);
	memset(f->n, 0, sizeof(f->n));
	return command_open(f);
}

static int step(struct fuzz *f)
{
	if (rng_one_in(&f->rng, CLOSE_ONE_IN))
		return close_and_open(f) ? failed(f->path) : 0;
	if (rng_one_in(&f->rng, YIELD_ONE_IN))
		usleep(YIELD_US);
	if (rng_one_in(&f->rng, WRITE_ONE_IN))
		ring_write(f, &f->rng);
	if (rng_one_in(&f->rng, MAP_ONE_IN))
		ring_map_wild(f);
	else if (rng_one_in(&f->rng, METHOD_ONE_IN))
		method_run(f);
	else
		command_run(f);
	return 0;
}

static const char usage[] =
"Usage: mrc_verbsfuzz -d DEVICE [-g GID_INDEX] [-n N] [-s SEED]\n"
"Run N commands of uverbs on a device: valid and damaged ones.\n"
"  -n N       commands (default 10000)\n"
"  -s SEED    determines the commands (default 1)\n";

int main(int argc, char **argv)
{
	uint64_t n = 10000, seed = 1, i;
	const char *name = NULL;
	static struct fuzz f;
	int gid_index = RC_GID_AUTO, c, ret = 0;
	uint64_t begin;

	while ((c = getopt(argc, argv, "d:g:n:s:h")) != -1) {
		if (c == 'd')
			name = optarg;
		else if (c == 'g')
			gid_index = atoi(optarg);
		else if (c == 'n')
			n = strtoull(optarg, NULL, 0);
		else if (c == 's')
			seed = strtoull(optarg, NULL, 0);
		else
			return fputs(usage, stderr), 2;
	}
	rng_seed(&f.rng, seed);
	if (!name || find_device(&f, name, gid_index) || memory_alloc(&f))
		return 2;
	if (command_open(&f) || ring_start(&f))
		return failed(f.path);
	begin = rc_now_ns();
	for (i = 0; i < n && !ret; i++)
		ret = step(&f);
	ring_stop(&f);
	command_report();
	method_report();
	printf("%llu steps, %.0f/s\n", (unsigned long long)i,
	       i * 1e9 / (rc_now_ns() - begin + 1));
	return ret;
}
