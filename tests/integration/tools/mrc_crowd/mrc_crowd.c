// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Verified traffic between many hosts of one kernel.
 *
 * One process uses all devices: on a slow machine dozens of pairs of programs would
 * need more time to start than the traffic takes.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "record.h"
#include "stream.h"

#define MAX_HOSTS	64
#define MAX_FLOWS	256
#define MAX_ENDS	(2 * MAX_FLOWS)
#define POLL_BATCH	64
#define POLL_MS		10
#define STALLED_S	60

struct host {
	struct rc_dev dev;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct stream *ends[MAX_ENDS];
	unsigned int n_ends;
};

/* One queue pair at each end. */
struct flow {
	unsigned int from;
	unsigned int to;
	bool later;
	bool begun;
	bool ended;
	struct stream *source;
	struct stream *target;
};

struct crowd {
	struct stream_cfg cfg;
	struct rc_params params;
	const char *host_arg[MAX_HOSTS];
	struct host host[MAX_HOSTS];
	unsigned int n_hosts;
	struct flow flow[MAX_FLOWS];
	unsigned int n_flows;
	unsigned int qps;
	unsigned int progress_ms;
	const char *record_path;
	unsigned int record_us;
	struct record *record;

	uint64_t next_report;
	uint64_t last_messages;
	uint64_t last_change;
	bool stdin_closed;
};

static const char usage_text[] =
"Usage: mrc_crowd -H DEVICE/GID... [OPTION]... FLOW...\n"
"Verify every byte of flows between devices of this machine. FLOW is FROM:TO,\n"
"numbers of hosts from 0 in the order of -H; +FROM:TO begins when a line \"join\"\n"
"is read from the standard input, and ends with \"leave\". SIGTERM ends all flows\n"
"in good order.\n"
"  -H DEVICE/GID  a host: RDMA device, index of its GID\n"
"  -s BYTES       message size (default 16384)\n"
"  -t N           messages in flight per QP (default 64)\n"
"  -q N           QPs per flow (default 1)\n"
"  -c N           traffic class of the packets (default 0)\n"
"  -p MS          time between lines of progress (default 20)\n"
"  -r FILE        write bytes verified per period, for each QP\n"
"  -R US          length of a period in microseconds (default 10)\n"
"  -T N           local ACK timeout of the QPs (default 14)\n";

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	stop = 1;
}

static void usage(void)
{
	fputs(usage_text, stderr);
	exit(EXIT_USAGE);
}

static unsigned int parse_number(const char *arg, unsigned int max)
{
	unsigned int n;
	char rest;

	if (sscanf(arg, "%u%c", &n, &rest) != 1 || n > max)
		usage();
	return n;
}

static void parse_flow(struct crowd *c, const char *arg)
{
	struct flow f = { .later = arg[0] == '+' };
	unsigned int i;
	char rest;

	if (sscanf(arg + f.later, "%u:%u%c", &f.from, &f.to, &rest) != 2 ||
	    f.from >= c->n_hosts || f.to >= c->n_hosts || f.from == f.to ||
	    c->n_flows + c->qps > MAX_FLOWS)
		usage();
	for (i = 0; i < c->qps; i++)
		c->flow[c->n_flows++] = f;
}

static void parse_option(struct crowd *c, int opt, const char *arg)
{
	switch (opt) {
	case 'H':
		if (c->n_hosts == MAX_HOSTS)
			usage();
		c->host_arg[c->n_hosts++] = arg;
		break;
	case 's':
		c->cfg.size = parse_number(arg, 1 << 30);
		break;
	case 't':
		c->cfg.depth = parse_number(arg, 16384);
		break;
	case 'q':
		c->qps = parse_number(arg, MAX_FLOWS);
		break;
	case 'c':
		c->params.tclass = parse_number(arg, UINT8_MAX);
		break;
	case 'p':
		c->progress_ms = parse_number(arg, 60000);
		break;
	case 'r':
		c->record_path = arg;
		break;
	case 'R':
		c->record_us = parse_number(arg, 1000000);
		break;
	case 'T':
		c->params.timeout = parse_number(arg, 31);
		break;
	default:
		usage();
	}
}

static void parse_options(struct crowd *c, int argc, char **argv)
{
	int opt;

	c->params = rc_defaults;
	c->qps = 1;
	c->progress_ms = 20;
	c->record_us = 10;
	c->cfg = (struct stream_cfg){
		.mode = STREAM_WRITE_IMM,
		.size = 16384,
		.depth = 64,
		.sges = 1,
		.batch = 4,
		.seed = time(NULL),
	};
	while ((opt = getopt(argc, argv, "H:s:t:q:c:p:r:R:T:")) != -1)
		parse_option(c, opt, optarg);
	if (!c->cfg.size || !c->cfg.depth || !c->qps || !c->progress_ms ||
	    !c->record_us || optind == argc)
		usage();
	while (optind < argc)
		parse_flow(c, argv[optind++]);
}

static int open_host(struct crowd *c, unsigned int i)
{
	struct host *h = &c->host[i];
	unsigned int ends = 0, f;
	char name[64], rest;
	int gid;

	if (sscanf(c->host_arg[i], "%63[^/]/%d%c", name, &gid, &rest) != 2)
		usage();
	for (f = 0; f < c->n_flows; f++)
		ends += c->flow[f].from == i || c->flow[f].to == i;
	if (rc_open(&h->dev, name, 1, gid))
		return -1;
	h->channel = ibv_create_comp_channel(h->dev.ctx);
	if (h->channel)
		h->cq = ibv_create_cq(h->dev.ctx,
				      (ends + 1) * stream_cqes(&c->cfg), NULL,
				      h->channel, 0);
	if (!h->cq || ibv_req_notify_cq(h->cq, 0)) {
		perror(name);
		return -1;
	}
	return 0;
}

static struct stream *create_end(struct crowd *c, unsigned int host,
				 unsigned int flow, bool source)
{
	struct host *h = &c->host[host];
	struct stream *s = stream_create(&h->dev, h->cq, &c->cfg, &c->params,
					 flow, source, !source);

	if (s)
		h->ends[h->n_ends++] = s;
	return s;
}

static int connect_flow(struct crowd *c, unsigned int i)
{
	struct flow *f = &c->flow[i];
	struct stream_addr from, to;

	f->source = create_end(c, f->from, i, true);
	f->target = create_end(c, f->to, i, false);
	if (!f->source || !f->target)
		return -1;
	stream_address(f->source, &from);
	stream_address(f->target, &to);
	f->begun = !f->later;
	return stream_connect(f->target, &from) ?:
	       stream_connect(f->source, &to);
}

static int set_up(struct crowd *c)
{
	unsigned int i;

	for (i = 0; i < c->n_hosts; i++)
		if (open_host(c, i))
			return -1;
	for (i = 0; i < c->n_flows; i++)
		if (connect_flow(c, i))
			return -1;
	if (c->record_path) {
		c->record = record_create(c->record_path,
					  c->record_us * NS_PER_US, c->n_flows);
		if (!c->record)
			return -1;
	}
	return 0;
}

static void tear_down(struct crowd *c)
{
	unsigned int i, j;

	for (i = 0; i < c->n_hosts; i++) {
		struct host *h = &c->host[i];

		for (j = 0; j < h->n_ends; j++)
			stream_destroy(h->ends[j]);
		if (ibv_destroy_cq(h->cq) ||
		    ibv_destroy_comp_channel(h->channel))
			perror("destroy completion queue");
		rc_close(&h->dev);
	}
}

/* Bytes that the targets of flows have compared. */
static uint64_t count_bytes(const struct crowd *c, bool later)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < c->n_flows; i++)
		if (c->flow[i].later == later)
			sum += stream_messages(c->flow[i].target);
	return sum * c->cfg.size;
}

static uint64_t count_errors(const struct crowd *c)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < c->n_flows; i++)
		sum += stream_errors(c->flow[i].source) +
		       stream_errors(c->flow[i].target);
	return sum;
}

static void report(const struct crowd *c, bool progress)
{
	struct timespec wall;
	unsigned int i;

	clock_gettime(CLOCK_REALTIME, &wall);
	printf("{\"progress\":%s,\"time\":%lld.%03ld,",
	       progress ? "true" : "false", (long long)wall.tv_sec,
	       wall.tv_nsec / (long)NS_PER_MS);
	printf("\"bytes\":%" PRIu64 ",\"later\":%" PRIu64 ",\"errors\":%" PRIu64,
	       count_bytes(c, false), count_bytes(c, true), count_errors(c));
	printf(",\"flows\":[");
	for (i = 0; i < c->n_flows; i++)
		printf("%s%" PRIu64, i ? "," : "",
		       stream_messages(c->flow[i].target) * c->cfg.size);
	printf("]}\n");
	fflush(stdout);
}

static void record_flows(const struct crowd *c)
{
	unsigned int i;

	record_now(c->record);
	for (i = 0; i < c->n_flows; i++)
		record_total(c->record, i, stream_messages(c->flow[i].target) *
			     c->cfg.size);
	record_errors(c->record, count_errors(c));
}

/* Returns an exit status, 0 to go on. */
static int tick(struct crowd *c, bool idle)
{
	uint64_t messages = count_bytes(c, false) + count_bytes(c, true);
	unsigned int i;
	uint64_t now;

	/* In virtual time reading the clock takes time. */
	if (!idle && messages == c->last_messages)
		return 0;
	now = rc_now_ns();

	if (now >= c->next_report) {
		report(c, true);
		while (c->next_report <= now)
			c->next_report += c->progress_ms * NS_PER_MS;
	}
	if (messages != c->last_messages) {
		c->last_messages = messages;
		c->last_change = now;
		if (c->record)
			record_flows(c);
	}
	if (now - c->last_change < STALLED_S * NS_PER_S)
		return 0;
	fprintf(stderr, "no progress for %u s\n", STALLED_S);
	for (i = 0; i < c->n_flows; i++)
		stream_describe(c->flow[i].source);
	return EXIT_STALLED;
}

static int complete(struct host *h, const struct ibv_wc *wc)
{
	unsigned int i;

	for (i = 0; i < h->n_ends; i++)
		if (stream_qpn(h->ends[i]) == wc->qp_num)
			return stream_complete(h->ends[i], wc);
	fprintf(stderr, "completion of unknown QP %u\n", wc->qp_num);
	return -1;
}

static int poll_host(struct host *h)
{
	struct ibv_wc wc[POLL_BATCH];
	int i, n;

	do {
		n = ibv_poll_cq(h->cq, POLL_BATCH, wc);
		for (i = 0; i < n; i++)
			if (complete(h, &wc[i]))
				return -1;
	} while (n > 0);
	return n;
}

static int poll_all(struct crowd *c)
{
	unsigned int i;

	for (i = 0; i < c->n_hosts; i++)
		if (poll_host(&c->host[i]))
			return -1;
	return 0;
}

static void read_command(struct crowd *c)
{
	char line[64] = "";
	ssize_t n = read(STDIN_FILENO, line, sizeof(line) - 1);
	unsigned int i;
	bool join;

	c->stdin_closed = n <= 0;
	join = !strcmp(line, "join\n");
	if (!join && strcmp(line, "leave\n"))
		return;
	for (i = 0; i < c->n_flows; i++) {
		struct flow *f = &c->flow[i];

		f->begun |= join;
		f->ended |= f->later && !join;
	}
}

/* Wait for completions or a command, but not longer than until the next report.
 * Returns whether there was anything, or -1.
 */
static int wait_events(struct crowd *c)
{
	struct pollfd pfd[MAX_HOSTS + 1] = {};
	unsigned int i, n = c->n_hosts;
	struct ibv_cq *cq;
	void *context;
	int ready;

	for (i = 0; i < n; i++)
		pfd[i] = (struct pollfd){ c->host[i].channel->fd, POLLIN };
	pfd[n] = (struct pollfd){ c->stdin_closed ? -1 : STDIN_FILENO, POLLIN };
	ready = poll(pfd, n + 1, POLL_MS);
	if (ready <= 0)
		return ready && errno != EINTR ? -1 : 0;
	for (i = 0; i < n; i++) {
		if (!pfd[i].revents)
			continue;
		if (ibv_get_cq_event(c->host[i].channel, &cq, &context))
			return -1;
		ibv_ack_cq_events(cq, 1);
		if (ibv_req_notify_cq(cq, 0))
			return -1;
	}
	if (pfd[n].revents)
		read_command(c);
	return 1;
}

/* Returns 1 when all flows are done, 0 to go on, -1 if one is broken. */
static int pump_all(struct crowd *c)
{
	int done = 1;
	unsigned int i;

	for (i = 0; i < c->n_flows; i++) {
		struct flow *f = &c->flow[i];

		if (!f->begun)
			continue;
		if (stream_pump(f->source, !stop && !f->ended) ||
		    stream_pump(f->target, true))
			return -1;
		done &= stop && stream_done(f->source) &&
			stream_done(f->target);
	}
	return done;
}

static int transfer(struct crowd *c)
{
	int status = 0, done = 0, ready;

	while (!status) {
		done = pump_all(c);
		if (done)
			break;
		/* Poll completions from before the events were armed. */
		ready = wait_events(c);
		if (ready < 0 || poll_all(c))
			return EXIT_BROKEN;
		status = tick(c, !ready);
	}
	return done < 0 ? EXIT_BROKEN : status;
}

static int finish(struct crowd *c)
{
	unsigned int i;

	for (i = 0; i < c->n_flows; i++)
		stream_recheck(c->flow[i].target);
	if (c->record)
		record_flows(c);
	report(c, false);
	return count_errors(c) ? EXIT_MISMATCH : 0;
}

int main(int argc, char **argv)
{
	static struct crowd c;
	int status;

	parse_options(&c, argc, argv);
	signal(SIGTERM, on_signal);
	if (set_up(&c))
		return EXIT_BROKEN;
	c.last_change = rc_now_ns();
	c.next_report = c.last_change;
	status = transfer(&c);
	if (!status)
		status = finish(&c);
	tear_down(&c);
	return status;
}
