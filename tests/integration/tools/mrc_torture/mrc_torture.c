// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Random work on devices. One process is one worker; a script starts many of them at
 * once and looks at kernel log and memory when they have ended.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "torture.h"

/* The last actions of all processes with this log. */
#define LOG_LINES	256
#define LOG_LINE	120

/* Longest rest between two actions, and how seldom there is one. */
#define NAP_US		300
#define NAP_ONE_IN	4

/* Constants of splitmix64. */
#define RND_STEP	0x9e3779b97f4a7c15ull
#define RND_MIX1	0xbf58476d1ce4e5b9ull
#define RND_MIX2	0x94d049bb133111ebull

/**
 * struct counter - what happened to actions of a kind
 * @done: succeeded
 * @refused: did not
 */
struct counter {
	atomic_uint done;
	atomic_uint refused;
};

/**
 * struct action_log - file that outlives the processes that write to it
 * @counter: actions of all processes
 * @next: number of the next line
 * @line: line i % LOG_LINES is line i, with end
 */
struct action_log {
	struct counter counter[COUNTS];
	atomic_uint next;
	char line[LOG_LINES][LOG_LINE];
};

static struct action_log *action_log;
static const char *worker_name = "";

static const char *const count_names[COUNTS] = {
	[COUNT_PD] = "make-pd",
	[COUNT_MR] = "make-mr",
	[COUNT_MW] = "make-mw",
	[COUNT_CQ] = "make-cq",
	[COUNT_SRQ] = "make-srq",
	[COUNT_QP] = "make-qp",
	[COUNT_AH] = "make-ah",
	[COUNT_END_PD] = "end-pd",
	[COUNT_END_MR] = "end-mr",
	[COUNT_END_MW] = "end-mw",
	[COUNT_END_CQ] = "end-cq",
	[COUNT_END_SRQ] = "end-srq",
	[COUNT_END_QP] = "end-qp",
	[COUNT_END_AH] = "end-ah",
	[COUNT_OPEN] = "open",
	[COUNT_CONNECT] = "connect",
	[COUNT_SEND] = "post-send",
	[COUNT_RECV] = "post-recv",
	[COUNT_DATAGRAM] = "post-datagram",
	[COUNT_STATE] = "change-state",
	[COUNT_QUERY] = "query-qp",
	[COUNT_BIND] = "bind",
	[COUNT_REREG] = "rereg",
	[COUNT_RESIZE_CQ] = "resize-cq",
	[COUNT_ARM_CQ] = "arm-cq",
	[COUNT_MODERATE_CQ] = "moderate-cq",
	[COUNT_RESIZE_SRQ] = "resize-srq",
	[COUNT_LIMIT_SRQ] = "limit-srq",
	[COUNT_MESSAGE] = "message",
	[COUNT_EVENT] = "event",
	[COUNT_BUSY_PAIR] = "busy-connect",
	[COUNT_BUSY_REREG] = "busy-rereg",
	[COUNT_BUSY_RESIZE_CQ] = "busy-resize-cq",
	[COUNT_BUSY_SRQ] = "busy-change-srq",
	[COUNT_BUSY_BIND] = "busy-bind",
	[COUNT_BUSY_MW] = "busy-make-mw",
	[COUNT_BUSY_STATE] = "busy-change-state",
	[COUNT_WINDOW_BIND] = "window-bind",
	[COUNT_WINDOW_REREG] = "window-rereg",
	[COUNT_WINDOW_READ] = "window-read",
	[COUNT_KILL] = "kill",
	[COUNT_PACKET_AGAIN] = "packet-again",
	[COUNT_PACKET_DAMAGED] = "packet-damaged",
	[COUNT_PACKET_FOREIGN] = "packet-foreign",
	[COUNT_DUMP] = "dump-read",
	[COUNT_DUMP_LEFT] = "dump-left",
	[COUNT_RESOURCES] = "dump-resources",
	[COUNT_FAIL_NTH] = "fail-nth",
};

static int log_show(struct torture *t);
static int counts_show(struct torture *t);

static const struct worker workers[] = {
	{ "objects", "objects of verbs: made, used and destroyed", objects_run },
	{ "traffic", "objects that change while messages use them", traffic_run },
	{ "windows", "windows of a region that shrinks and grows", windows_run },
	{ "queues", "queues that come and go quickly", queues_run },
	{ "kill", "processes of these two kinds, killed at any point", kill_run },
	{ "packet", "packets of ports -p: repeated and damaged", packet_run },
	{ "dump", "dumps that are read slowly, in part or not at all", dump_run },
	{ "resource", "objects as the RDMA core shows them", resource_run },
	{ "fault", "each request while its nth allocation fails", fault_run },
	{ "load", "the module loads while an allocation fails (-p FILE)", load_run },
	{ "log", "prints the last actions in the log", log_show },
	{ "counts", "prints how often each action in the log was done", counts_show },
	{}
};

/**
 * rnd_seed - begin a sequence of random numbers
 * @r: random numbers
 * @seed: which
 */
void rnd_seed(struct rnd *r, uint64_t seed)
{
	r->state = seed * RND_STEP;
}

static uint64_t rnd_next(struct rnd *r)
{
	uint64_t x = r->state += RND_STEP;

	x = (x ^ x >> 30) * RND_MIX1;
	x = (x ^ x >> 27) * RND_MIX2;
	return x ^ x >> 31;
}

/**
 * rnd_below - a random number
 * @r: random numbers
 * @n: limit, not 0
 *
 * Return: 0 to n - 1.
 */
uint32_t rnd_below(struct rnd *r, uint32_t n)
{
	return rnd_next(r) % n;
}

/**
 * rnd_one_in - decide at random
 * @r: random numbers
 * @n: how often
 *
 * Return: true in one of @n cases.
 */
bool rnd_one_in(struct rnd *r, uint32_t n)
{
	return rnd_below(r, n) == 0;
}

/**
 * rnd_size - a random size, each power of two as likely as the others
 * @r: random numbers
 * @max: largest
 *
 * Return: 1 to @max.
 */
uint32_t rnd_size(struct rnd *r, uint32_t max)
{
	uint32_t bits = 32 - __builtin_clz(max);
	uint32_t size = 1 + rnd_below(r, 1u << rnd_below(r, bits));

	return size < max ? size : max;
}

/**
 * rnd_nap - let others run, sometimes
 * @r: random numbers
 *
 * In virtual time this decides who runs next.
 */
void rnd_nap(struct rnd *r)
{
	if (rnd_one_in(r, NAP_ONE_IN))
		usleep(rnd_below(r, NAP_US));
}

/**
 * act - note an action before it is taken
 * @fmt: what is done
 */
void act(const char *fmt, ...)
{
	char text[LOG_LINE];
	unsigned int n;
	va_list args;
	int len;

	if (!action_log)
		return;
	n = atomic_fetch_add(&action_log->next, 1);
	len = snprintf(text, sizeof(text), "%u %s[%d] ", n, worker_name,
		       getpid());
	va_start(args, fmt);
	vsnprintf(text + len, sizeof(text) - len, fmt, args);
	va_end(args);
	memcpy(action_log->line[n % LOG_LINES], text, sizeof(text));
}

/**
 * wrong - print what is not as it must be
 * @fmt: what
 *
 * Return: -1.
 */
int wrong(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "WRONG %s[%d]: ", worker_name, getpid());
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	return -1;
}

/**
 * count - count an action
 * @what: of which kind
 * @done: it succeeded
 */
void count(enum count what, bool done)
{
	struct counter *counter;

	if (!action_log)
		return;
	counter = &action_log->counter[what];
	atomic_fetch_add(done ? &counter->done : &counter->refused, 1);
}

/**
 * count_completions - count messages by their result
 * @wc: completions
 * @n: how many; negative: none
 */
void count_completions(const struct ibv_wc *wc, int n)
{
	for (; n > 0; n--, wc++)
		count(COUNT_MESSAGE, wc->status == IBV_WC_SUCCESS);
}

static int log_show(struct torture *t)
{
	unsigned int next, i;

	if (!action_log)
		return -1;
	next = atomic_load(&action_log->next);
	for (i = next > LOG_LINES ? next - LOG_LINES : 0; i < next; i++)
		printf("%.*s\n", LOG_LINE, action_log->line[i % LOG_LINES]);
	return 0;
}

static int counts_show(struct torture *t)
{
	const struct counter *c;
	int i;

	if (!action_log)
		return -1;
	for (i = 0; i < COUNTS; i++) {
		c = &action_log->counter[i];
		printf("%s %u %u\n", count_names[i], atomic_load(&c->done),
		       atomic_load(&c->refused));
	}
	return 0;
}

static void log_open(const char *file)
{
	int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *map;

	if (fd < 0 || ftruncate(fd, sizeof(*action_log))) {
		perror(file);
		exit(2);
	}
	map = mmap(NULL, sizeof(*action_log), PROT_READ | PROT_WRITE,
		   MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED) {
		perror(file);
		exit(2);
	}
	action_log = map;
}

/**
 * make_it_fail - let allocations of this process fail, or not, from now on
 * @t: worker; nothing is done unless its allocations are to fail
 * @fail: whether they fail
 *
 * Not before fork(): user-mode Linux does not survive a process without memory for
 * its page tables.
 */
void make_it_fail(const struct torture *t, bool fail)
{
	int fd;

	if (!t->faults)
		return;
	fd = open("/proc/self/make-it-fail", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, fail ? "1" : "0", 1) != 1) {
		perror("/proc/self/make-it-fail");
		if (fail)
			exit(2);
	}
	if (fd >= 0)
		close(fd);
}

static void print_help(void)
{
	const struct worker *w;

	printf("usage: mrc_torture [OPTION...] WORKER\n"
	       "  -d NAME  an RDMA device (up to %d)\n"
	       "  -p PORT  a net device, NETNS:NAME (up to %d)\n"
	       "  -n N     number of actions (default 1000)\n"
	       "  -s SEED  of the random numbers (default 1)\n"
	       "  -l FILE  log of the last actions\n"
	       "  -f       make it fail: allocations, as /sys/kernel/debug says\n"
	       "  -g       devices may go meanwhile\n",
	       TORTURE_NAMES, TORTURE_NAMES);
	for (w = workers; w->name; w++)
		printf("  %-8s %s\n", w->name, w->about);
}

static void add_name(const char **names, int *n, const char *name)
{
	if (*n == TORTURE_NAMES) {
		fprintf(stderr, "mrc_torture: too many names\n");
		exit(2);
	}
	names[(*n)++] = name;
}

static void parse(struct torture *t, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "d:p:n:s:l:fgh")) != -1) {
		switch (c) {
		case 'd':
			add_name(t->dev, &t->devs, optarg);
			break;
		case 'p':
			add_name(t->port, &t->ports, optarg);
			break;
		case 'n':
			t->actions = strtoul(optarg, NULL, 0);
			break;
		case 's':
			t->seed = strtoull(optarg, NULL, 0);
			break;
		case 'l':
			log_open(optarg);
			break;
		case 'f':
			t->faults = true;
			t->failing = true;
			break;
		case 'g':
			t->failing = true;
			break;
		default:
			print_help();
			exit(c == 'h' ? 0 : 2);
		}
	}
}

int main(int argc, char **argv)
{
	struct torture t = { .actions = 1000, .seed = 1 };
	const struct worker *w;

	parse(&t, argc, argv);
	if (optind != argc - 1) {
		print_help();
		return 2;
	}
	for (w = workers; w->name; w++)
		if (!strcmp(w->name, argv[optind]))
			break;
	if (!w->name) {
		fprintf(stderr, "mrc_torture: no worker %s\n", argv[optind]);
		return 2;
	}
	worker_name = w->name;
	rnd_seed(&t.rnd, t.seed);
	return w->run(&t) ? 1 : 0;
}
