// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Traffic between two hosts of which every byte is compared.
 *
 * The server waits, and the client connects to it; mode, size and further options of
 * the client hold for both.  Each side prints one line of JSON at the end, and with
 * --progress one at regular intervals.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "oob.h"
#include "record.h"
#include "stream.h"

#define MAX_STREAMS	256
#define POLL_BATCH	64
#define IDLE_SPINS	100

static const char *const mode_names[] = {
	[STREAM_WRITE] = "write",
	[STREAM_WRITE_IMM] = "write_imm",
	[STREAM_SEND] = "send",
	[STREAM_SEND_IMM] = "send_imm",
};

/* Sent by the client to the server. */
struct agreement {
	struct stream_cfg stream;
	uint32_t qps;
	uint32_t bidir;
	uint32_t seconds;
};

/* Exchanged by both sides at the end. */
struct outcome {
	uint64_t messages;
	uint64_t errors;
};

/* Octets of the file of --count: the largest number, and a newline. */
#define COUNT_LEN	21

struct options {
	const char *device;
	const char *host;
	const char *port;
	int ib_port;
	int gid_index;
	uint32_t progress_ms;
	const char *count;
	const char *record;
	uint32_t record_us;
	uint32_t timeout_s;
	bool busy;
	bool wait;
	int vector;
	struct rc_params rc;
};

struct run {
	struct options opt;
	struct agreement agreed;
	struct rc_dev dev;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct stream *stream[MAX_STREAMS];
	int oob;
	int count;
	struct record *record;

	uint64_t start;
	uint64_t now;
	uint64_t deadline;
	uint64_t next_report;
	uint64_t last_messages;
	uint64_t last_change;
	uint64_t finished;
};

static const char usage_text[] =
"Usage: mrc_verify [OPTION]... [HOST]\n"
"Verify every byte sent to HOST; without HOST, serve one client.\n"
"Common options\n"
"  -d, --device NAME    RDMA device (default: the first)\n"
"  -i, --ib-port N      port of the device (default 1)\n"
"  -g, --gid-index N    default: first that is not link-local\n"
"  -p, --port PORT      TCP port to agree on (default 18650)\n"
"      --progress MS    print a line every MS milliseconds\n"
"      --count FILE     keep the number of verified messages in FILE, with the\n"
"                       period of --progress\n"
"      --record FILE    write bytes verified per period, for each QP\n"
"      --period US      length of a period in microseconds (default 10)\n"
"      --timeout S      give up after S seconds without progress (default 60)\n"
"      --busy           poll without waiting for events\n"
"      --wait           wait for events instead of polling for a while first\n"
"      --vector N       completion vector (default 0)\n"
"      --ack-timeout N  local ACK timeout of the QPs (default 14)\n"
"      --retry N        retry count of the QPs (default 7)\n"
"  -m, --mtu BYTES      largest path MTU\n"
"Options of the client\n"
"  -o, --mode MODE      write, write_imm, send, send_imm (default write)\n"
"  -s, --size BYTES     message size (default 65536)\n"
"  -n, --iters N        messages per QP (default 1000)\n"
"  -D, --seconds S      run for S seconds instead\n"
"  -t, --depth N        messages in flight per QP (default 64)\n"
"  -q, --qps N          queue pairs (default 1)\n"
"  -S, --sges N         elements per work request (default 1)\n"
"  -B, --batch N        work requests per call (default 4)\n"
"  -I, --inline         inline data\n"
"  -u, --unaligned      buffers at odd addresses\n"
"  -b, --bidir          both sides send\n"
"      --seed N         seed of the contents (default: the time)\n"
"      --corrupt N      send message N (from 0) with a wrong bit: must fail\n"
"With -D, SIGINT and SIGTERM make the client end its run in good order.\n";

enum {
	OPT_PROGRESS = 256,
	OPT_COUNT,
	OPT_RECORD,
	OPT_PERIOD,
	OPT_TIMEOUT,
	OPT_BUSY,
	OPT_WAIT,
	OPT_VECTOR,
	OPT_ACK_TIMEOUT,
	OPT_RETRY,
	OPT_SEED,
	OPT_CORRUPT,
	OPT_HELP,
};

static const struct option long_options[] = {
	{ "device", required_argument, NULL, 'd' },
	{ "ib-port", required_argument, NULL, 'i' },
	{ "gid-index", required_argument, NULL, 'g' },
	{ "port", required_argument, NULL, 'p' },
	{ "progress", required_argument, NULL, OPT_PROGRESS },
	{ "count", required_argument, NULL, OPT_COUNT },
	{ "record", required_argument, NULL, OPT_RECORD },
	{ "period", required_argument, NULL, OPT_PERIOD },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "busy", no_argument, NULL, OPT_BUSY },
	{ "wait", no_argument, NULL, OPT_WAIT },
	{ "vector", required_argument, NULL, OPT_VECTOR },
	{ "ack-timeout", required_argument, NULL, OPT_ACK_TIMEOUT },
	{ "retry", required_argument, NULL, OPT_RETRY },
	{ "mtu", required_argument, NULL, 'm' },
	{ "mode", required_argument, NULL, 'o' },
	{ "size", required_argument, NULL, 's' },
	{ "iters", required_argument, NULL, 'n' },
	{ "seconds", required_argument, NULL, 'D' },
	{ "depth", required_argument, NULL, 't' },
	{ "qps", required_argument, NULL, 'q' },
	{ "sges", required_argument, NULL, 'S' },
	{ "batch", required_argument, NULL, 'B' },
	{ "inline", no_argument, NULL, 'I' },
	{ "unaligned", no_argument, NULL, 'u' },
	{ "bidir", no_argument, NULL, 'b' },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "corrupt", required_argument, NULL, OPT_CORRUPT },
	{ "help", no_argument, NULL, OPT_HELP },
	{ }
};

static void die(const char *what, const char *arg)
{
	fprintf(stderr, "mrc_verify: %s: %s\n", what, arg);
	exit(EXIT_USAGE);
}

static uint64_t parse_number(const char *what, const char *arg, uint64_t min,
			     uint64_t max)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(arg, &end, 0);
	if (errno || end == arg || *end || n < min || n > max)
		die(what, arg);
	return n;
}

static enum stream_mode parse_mode(const char *arg)
{
	size_t i;

	for (i = 0; i < sizeof(mode_names) / sizeof(*mode_names); i++)
		if (!strcmp(arg, mode_names[i]))
			return i;
	die("unknown mode", arg);
	return 0;
}

static enum ibv_mtu parse_mtu(const char *arg)
{
	switch (parse_number("bad MTU", arg, 256, 4096)) {
	case 256:
		return IBV_MTU_256;
	case 512:
		return IBV_MTU_512;
	case 1024:
		return IBV_MTU_1024;
	case 2048:
		return IBV_MTU_2048;
	case 4096:
		return IBV_MTU_4096;
	}
	die("bad MTU", arg);
	return 0;
}

static void parse_common(struct options *o, int c, const char *arg)
{
	switch (c) {
	case 'd':
		o->device = arg;
		break;
	case 'i':
		o->ib_port = parse_number("bad port", arg, 1, 255);
		break;
	case 'g':
		o->gid_index = parse_number("bad GID index", arg, 0, 65535);
		break;
	case 'p':
		o->port = arg;
		break;
	case 'm':
		o->rc.mtu = parse_mtu(arg);
		break;
	case OPT_PROGRESS:
		o->progress_ms = parse_number("bad period", arg, 1, 3600000);
		break;
	case OPT_COUNT:
		o->count = arg;
		break;
	case OPT_RECORD:
		o->record = arg;
		break;
	case OPT_PERIOD:
		o->record_us = parse_number("bad period", arg, 1, 1000000);
		break;
	case OPT_TIMEOUT:
		o->timeout_s = parse_number("bad timeout", arg, 1, 86400);
		break;
	case OPT_BUSY:
		o->busy = true;
		break;
	case OPT_WAIT:
		o->wait = true;
		break;
	case OPT_VECTOR:
		o->vector = parse_number("bad completion vector", arg, 0, 65535);
		break;
	case OPT_ACK_TIMEOUT:
		o->rc.timeout = parse_number("bad ACK timeout", arg, 0, 31);
		break;
	case OPT_RETRY:
		o->rc.retry_cnt = parse_number("bad retry count", arg, 0, 7);
		break;
	case OPT_HELP:
		fputs(usage_text, stdout);
		exit(0);
	default:
		fputs(usage_text, stderr);
		exit(EXIT_USAGE);
	}
}

/* Returns false if the option is not one of the client's. */
static bool parse_client(struct agreement *a, int c, const char *arg)
{
	struct stream_cfg *s = &a->stream;

	switch (c) {
	case 'o':
		s->mode = parse_mode(arg);
		return true;
	case 's':
		s->size = parse_number("bad size", arg, 1, 1u << 30);
		return true;
	case 'n':
		s->iters = parse_number("bad count", arg, 1, 1ull << 40);
		return true;
	case 'D':
		a->seconds = parse_number("bad duration", arg, 1, 86400);
		s->iters = 0;
		return true;
	case 't':
		s->depth = parse_number("bad depth", arg, 1, 16384);
		return true;
	case 'q':
		a->qps = parse_number("bad number of QPs", arg, 1,
				      MAX_STREAMS);
		return true;
	case 'S':
		s->sges = parse_number("bad number of elements", arg, 1,
				       STREAM_MAX_SGE);
		return true;
	case 'B':
		s->batch = parse_number("bad batch", arg, 1, STREAM_MAX_BATCH);
		return true;
	case 'I':
		s->use_inline = true;
		return true;
	case 'u':
		s->unaligned = true;
		return true;
	case 'b':
		a->bidir = 1;
		return true;
	case OPT_SEED:
		s->seed = parse_number("bad seed", arg, 0, UINT64_MAX);
		return true;
	case OPT_CORRUPT:
		s->corrupt = parse_number("bad message number", arg, 0,
					  1ull << 40) + 1;
		return true;
	}
	return false;
}

static void parse_options(struct run *r, int argc, char **argv)
{
	struct options *o = &r->opt;
	int c;

	*o = (struct options){
		.port = "18650",
		.ib_port = 1,
		.gid_index = RC_GID_AUTO,
		.timeout_s = 60,
		.record_us = 10,
		.rc = rc_defaults,
	};
	r->agreed = (struct agreement){
		.qps = 1,
		.stream.size = 65536,
		.stream.iters = 1000,
		.stream.depth = 64,
		.stream.sges = 1,
		.stream.batch = 4,
		.stream.seed = time(NULL),
	};
	while ((c = getopt_long(argc, argv, "d:i:g:p:m:o:s:n:D:t:q:S:B:Iub",
				long_options, NULL)) != -1)
		if (!parse_client(&r->agreed, c, optarg))
			parse_common(o, c, optarg);
	if (optind < argc)
		o->host = argv[optind++];
	if (optind < argc)
		die("unexpected argument", argv[optind]);
}

static int agree(struct run *r)
{
	struct agreement theirs;

	r->oob = r->opt.host ? oob_connect(r->opt.host, r->opt.port) :
			       oob_accept(r->opt.port);
	if (r->oob < 0 ||
	    oob_exchange(r->oob, &r->agreed, &theirs, sizeof(theirs)))
		return -1;
	if (!r->opt.host)
		r->agreed = theirs;
	return 0;
}

static int create_streams(struct run *r)
{
	bool client = r->opt.host, bidir = r->agreed.bidir;
	uint32_t i, n = r->agreed.qps;

	if (rc_open(&r->dev, r->opt.device, r->opt.ib_port, r->opt.gid_index))
		return -1;
	r->channel = ibv_create_comp_channel(r->dev.ctx);
	if (r->channel)
		r->cq = ibv_create_cq(r->dev.ctx,
				      n * stream_cqes(&r->agreed.stream), NULL,
				      r->channel, r->opt.vector);
	if (!r->cq) {
		perror("create completion queue");
		return -1;
	}
	for (i = 0; i < n; i++) {
		r->stream[i] = stream_create(&r->dev, r->cq,
					     &r->agreed.stream, &r->opt.rc, i,
					     client || bidir,
					     !client || bidir);
		if (!r->stream[i])
			return -1;
	}
	return 0;
}

static int connect_streams(struct run *r)
{
	struct stream_addr mine, theirs;
	uint32_t i;

	for (i = 0; i < r->agreed.qps; i++) {
		stream_address(r->stream[i], &mine);
		if (oob_exchange(r->oob, &mine, &theirs, sizeof(mine)) ||
		    stream_connect(r->stream[i], &theirs))
			return -1;
	}
	if (r->opt.record) {
		r->record = record_create(r->opt.record,
					  r->opt.record_us * NS_PER_US,
					  r->agreed.qps);
		if (!r->record)
			return -1;
	}
	return oob_barrier(r->oob);
}

static void destroy_all(struct run *r)
{
	uint32_t i;

	for (i = 0; i < r->agreed.qps; i++)
		if (r->stream[i])
			stream_destroy(r->stream[i]);
	if (r->cq && ibv_destroy_cq(r->cq))
		perror("ibv_destroy_cq");
	if (r->channel && ibv_destroy_comp_channel(r->channel))
		perror("ibv_destroy_comp_channel");
	rc_close(&r->dev);
	close(r->oob);
}

static uint64_t count_messages(const struct run *r)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < r->agreed.qps; i++)
		sum += stream_messages(r->stream[i]);
	return sum;
}

static uint64_t count_errors(const struct run *r)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < r->agreed.qps; i++)
		sum += stream_errors(r->stream[i]);
	return sum;
}

/* In place, so that a reader finds a number at any time. */
static void write_count(const struct run *r, uint64_t messages)
{
	char line[COUNT_LEN + 1];

	snprintf(line, sizeof(line), "%*" PRIu64 "\n", COUNT_LEN - 1, messages);
	if (pwrite(r->count, line, COUNT_LEN, 0) != COUNT_LEN)
		perror(r->opt.count);
}

static void report_progress(const struct run *r, uint64_t now)
{
	uint64_t messages = count_messages(r);
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	printf("{\"progress\":true,\"time\":%lld.%03ld,\"ms\":%" PRIu64 ",",
	       (long long)wall.tv_sec, wall.tv_nsec / (long)NS_PER_MS,
	       (uint64_t)((now - r->start) / NS_PER_MS));
	printf("\"messages\":%" PRIu64 ",\"bytes\":%" PRIu64 ",", messages,
	       messages * r->agreed.stream.size);
	printf("\"errors\":%" PRIu64 "}\n", count_errors(r));
	fflush(stdout);
	if (r->opt.count)
		write_count(r, messages);
}

static void record_streams(const struct run *r)
{
	uint32_t i;

	record_now(r->record);
	for (i = 0; i < r->agreed.qps; i++)
		record_total(r->record, i, stream_messages(r->stream[i]) *
			     r->agreed.stream.size);
	record_errors(r->record, count_errors(r));
}

/* In virtual time reading the clock takes time, so it is read only if that matters. */
static uint64_t read_clock(struct run *r)
{
	r->now = rc_now_ns();
	return r->now;
}

/* Returns an exit status, 0 to go on. */
static int tick(struct run *r, bool idle)
{
	uint64_t now, messages = count_messages(r);
	uint32_t i;

	if (!idle && messages == r->last_messages)
		return 0;
	now = read_clock(r);

	if (r->opt.progress_ms && now >= r->next_report) {
		report_progress(r, now);
		while (r->next_report <= now)
			r->next_report += r->opt.progress_ms * NS_PER_MS;
	}
	if (messages != r->last_messages) {
		r->last_messages = messages;
		r->last_change = now;
		if (r->record)
			record_streams(r);
	}
	if (now - r->last_change < r->opt.timeout_s * NS_PER_S)
		return 0;
	fprintf(stderr, "no progress for %u s\n", r->opt.timeout_s);
	for (i = 0; i < r->agreed.qps; i++)
		stream_describe(r->stream[i]);
	return EXIT_STALLED;
}

static struct stream *find_stream(const struct run *r, uint32_t qpn)
{
	uint32_t i;

	for (i = 0; i < r->agreed.qps; i++)
		if (stream_qpn(r->stream[i]) == qpn)
			return r->stream[i];
	return NULL;
}

/* Returns the number of completions polled, or -1. */
static int poll_once(struct run *r)
{
	struct ibv_wc wc[POLL_BATCH];
	struct stream *s;
	int i, n;

	n = ibv_poll_cq(r->cq, POLL_BATCH, wc);
	if (n < 0)
		fprintf(stderr, "ibv_poll_cq: %d\n", n);
	for (i = 0; i < n; i++) {
		s = find_stream(r, wc[i].qp_num);
		if (!s) {
			fprintf(stderr, "completion of unknown QP %u\n",
				wc[i].qp_num);
			return -1;
		}
		if (stream_complete(s, &wc[i]))
			return -1;
	}
	return n;
}

/* Ports come and go; the kernel keeps their events until somebody takes them. */
static int take_async(struct ibv_context *ctx)
{
	struct ibv_async_event event;

	if (ibv_get_async_event(ctx, &event)) {
		perror("ibv_get_async_event");
		return -1;
	}
	ibv_ack_async_event(&event);
	return 0;
}

/* Wait for an event, at most until the next tick. */
static int wait_event(struct run *r)
{
	enum { COMPLETION, ASYNC, FDS };
	struct pollfd pfd[FDS] = {
		[COMPLETION] = { .fd = r->channel->fd, .events = POLLIN },
		[ASYNC] = { .fd = r->dev.ctx->async_fd, .events = POLLIN },
	};
	int ms = r->opt.progress_ms && r->opt.progress_ms < 100 ?
			 (int)r->opt.progress_ms : 100;
	struct ibv_cq *cq;
	void *context;
	int n;

	if (ibv_req_notify_cq(r->cq, 0)) {
		perror("ibv_req_notify_cq");
		return -1;
	}
	n = poll_once(r);
	if (n)
		return n;
	n = poll(pfd, FDS, ms);
	if (n <= 0)
		return n && errno != EINTR ? -1 : 0;
	if (pfd[ASYNC].revents && take_async(r->dev.ctx))
		return -1;
	if (!pfd[COMPLETION].revents)
		return 0;
	if (ibv_get_cq_event(r->channel, &cq, &context)) {
		perror("ibv_get_cq_event");
		return -1;
	}
	ibv_ack_cq_events(cq, 1);
	return 0;
}

static volatile sig_atomic_t stop;

/* Messages already posted are still completed and compared. */
static void on_signal(int sig)
{
	stop = 1;
}

static bool time_is_left(const struct run *r)
{
	return !stop && (!r->deadline || r->now < r->deadline);
}

/* Returns 1 when all streams are done, 0 to go on, -1 if one is broken. */
static int pump_all(struct run *r)
{
	bool more = time_is_left(r);
	int done = 1;
	uint32_t i;

	for (i = 0; i < r->agreed.qps; i++) {
		if (stream_pump(r->stream[i], more))
			return -1;
		done &= stream_done(r->stream[i]);
	}
	return done;
}

static int transfer(struct run *r)
{
	int spins = r->opt.wait ? 0 : IDLE_SPINS;
	int idle = 0, n = 0, status = 0, done = 0;

	while (!status) {
		done = pump_all(r);
		if (done)
			break;
		n = poll_once(r);
		idle = n ? 0 : idle + 1;
		if (idle > spins && !r->opt.busy)
			n = wait_event(r);
		if (n < 0)
			return EXIT_BROKEN;
		status = tick(r, !n);
	}
	return done < 0 ? EXIT_BROKEN : status;
}

static void start_clock(struct run *r)
{
	r->start = read_clock(r);
	r->last_change = r->start;
	r->next_report = r->start + r->opt.progress_ms * NS_PER_MS;
	if (!r->agreed.stream.iters)
		r->deadline = r->start + r->agreed.seconds * NS_PER_S;
}

static void report_result(const struct run *r, const struct outcome *theirs,
			  int status)
{
	uint64_t end = r->finished ? r->finished : rc_now_ns();
	double seconds = (double)(end - r->start) / NS_PER_S;
	const struct stream_cfg *cfg = &r->agreed.stream;
	uint64_t messages = count_messages(r);

	printf("{\"mode\":\"%s\",\"role\":\"%s\",\"size\":%u,\"qps\":%u,",
	       mode_names[cfg->mode], r->opt.host ? "client" : "server",
	       cfg->size, r->agreed.qps);
	printf("\"depth\":%u,\"seed\":%" PRIu64 ",\"messages\":%" PRIu64 ",",
	       cfg->depth, cfg->seed, messages);
	printf("\"bytes\":%" PRIu64 ",\"seconds\":%.6f,\"mbit_per_s\":%.1f,",
	       messages * cfg->size, seconds,
	       seconds > 0 ? messages * cfg->size * 8 / seconds / 1e6 : 0);
	printf("\"errors\":%" PRIu64 ",\"peer_errors\":%" PRIu64 ",",
	       count_errors(r), theirs->errors);
	printf("\"status\":%d}\n", status);
	fflush(stdout);
}

/* Each side keeps its QPs until both sides are done. */
static int finish(struct run *r, struct outcome *theirs)
{
	struct outcome mine;
	uint32_t i;

	r->finished = rc_now_ns();
	for (i = 0; i < r->agreed.qps; i++)
		stream_recheck(r->stream[i]);
	mine.messages = count_messages(r);
	mine.errors = count_errors(r);
	if (r->record)
		record_streams(r);
	if (oob_exchange(r->oob, &mine, theirs, sizeof(mine)))
		return EXIT_BROKEN;
	if (!r->agreed.bidir && mine.messages != theirs->messages) {
		fprintf(stderr, "messages: this side %" PRIu64 ", peer %" PRIu64
			"\n", mine.messages, theirs->messages);
		return EXIT_MISMATCH;
	}
	return mine.errors || theirs->errors ? EXIT_MISMATCH : 0;
}

int main(int argc, char **argv)
{
	static struct run r;
	struct outcome theirs = {};
	int status;

	parse_options(&r, argc, argv);
	if (r.opt.count) {
		r.count = open(r.opt.count, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		if (r.count < 0) {
			perror(r.opt.count);
			return EXIT_BROKEN;
		}
	}
	if (r.opt.host && !r.agreed.stream.iters) {
		signal(SIGINT, on_signal);
		signal(SIGTERM, on_signal);
	}
	if (agree(&r) || create_streams(&r) || connect_streams(&r))
		return EXIT_BROKEN;
	start_clock(&r);
	status = transfer(&r);
	if (!status)
		status = finish(&r, &theirs);
	report_result(&r, &theirs, status);
	destroy_all(&r);
	return status;
}
