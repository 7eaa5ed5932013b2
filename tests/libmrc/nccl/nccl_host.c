// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What NCCL does with a network plug-in (interface v11), with host memory instead of a
 * GPU's: groups of messages from one process to another, all bytes compared.
 *
 *	nccl_host PLUGIN recv BYTES GROUPS	prints the handle, and accepts a connection
 *	nccl_host PLUGIN send BYTES GROUPS	reads the handle from standard input
 *
 * Built with the headers of the plug-in.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nccl.h"
#include "net.h"

enum {
	/* Receives of a group, and groups under way. */
	GROUP = 2,
	DEPTH = 4,
	IDLE_US = 20,
	TAG = 100,
};

#define CHECK(call) do {						\
	ncclResult_t _ret = (call);					\
	if (_ret) {							\
		fprintf(stderr, "%s: %d\n", #call, _ret);		\
		exit(1);						\
	}								\
} while (0)

/**
 * struct side - one side of the connection
 * @net: the plug-in
 * @comm: connection
 * @bytes: of each message
 * @buf: messages: DEPTH groups
 * @mr: region of @buf
 * @request: of each message of the sender, of each group of the receiver
 */
struct side {
	ncclNet_v11_t *net;
	void *comm;
	size_t bytes;
	uint8_t *buf;
	void *mr;
	void *request[DEPTH][GROUP];
};

static void log_line(ncclDebugLogLevel level, unsigned long flags, const char *file,
		     int line, const char *fmt, ...)
{
	va_list args;

	if (level > NCCL_LOG_INFO)
		return;
	fprintf(stderr, "%s %s:%d ", level == NCCL_LOG_WARN ? "WARN" : "INFO", file,
		line);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

/*
 * The plug-in wants the PCI device of an adapter, to tell NCCL how near it is to a GPU. A
 * device on virtual ports has none. The plug-in finds this function before that of libc.
 */
char *realpath(const char *path, char *resolved)
{
	static const char pci[] = "/sys/devices/pci0000:00/0000:00:00.0";
	char *(*real)(const char *path, char *resolved);

	if (!resolved && strstr(path, "/sys/class/infiniband/"))
		return strdup(pci);
	real = (char *(*)(const char *, char *))dlsym(RTLD_NEXT, "realpath");
	return real(path, resolved);
}

/* --- messages --------------------------------------------------------------- */

static uint8_t *message(const struct side *s, unsigned int group, int i)
{
	return s->buf + (group % DEPTH * GROUP + i) * s->bytes;
}

static uint8_t byte_of(unsigned int group, int i, size_t at)
{
	return group * 31 + i * 7 + at + (at >> 8);
}

static void fill(const struct side *s, unsigned int group, int i)
{
	uint8_t *p = message(s, group, i);
	size_t at;

	for (at = 0; at < s->bytes; at++)
		p[at] = byte_of(group, i, at);
}

static void compare(const struct side *s, unsigned int group, int i)
{
	const uint8_t *p = message(s, group, i);
	size_t at;

	for (at = 0; at < s->bytes; at++) {
		if (p[at] == byte_of(group, i, at))
			continue;
		fprintf(stderr, "group %u message %d: byte %zu is %#x\n", group, i,
			at, p[at]);
		exit(1);
	}
}

/* Wait until a request is done; its sizes are those of the messages. */
static void complete(const struct side *s, void *request, int n)
{
	int done = 0, sizes[GROUP] = {}, i;

	while (!done) {
		CHECK(s->net->test(request, &done, sizes));
		if (!done)
			usleep(IDLE_US);
	}
	for (i = 0; i < n; i++)
		if ((size_t)sizes[i] != s->bytes) {
			fprintf(stderr, "message of %d bytes\n", sizes[i]);
			exit(1);
		}
}

/* A request that is NULL has to be tried again: the receiver is not ready. */
static void send_group(struct side *s, unsigned int group)
{
	void **request = s->request[group % DEPTH];
	int i;

	for (i = 0; i < GROUP; i++) {
		fill(s, group, i);
		for (;;) {
			CHECK(s->net->isend(s->comm, message(s, group, i), s->bytes,
					    TAG + i, s->mr, NULL, &request[i]));
			if (request[i])
				break;
			usleep(IDLE_US);
		}
	}
}

static void sent_group(struct side *s, unsigned int group)
{
	int i;

	for (i = 0; i < GROUP; i++)
		complete(s, s->request[group % DEPTH][i], 1);
}

static void recv_group(struct side *s, unsigned int group)
{
	size_t sizes[GROUP] = { s->bytes, s->bytes };
	void *data[GROUP], *mrs[GROUP] = { s->mr, s->mr }, *handles[GROUP] = {};
	void **request = s->request[group % DEPTH];
	int tags[GROUP] = { TAG, TAG + 1 }, i;

	for (i = 0; i < GROUP; i++) {
		data[i] = message(s, group, i);
		memset(data[i], 0xee, s->bytes);
	}
	for (;;) {
		CHECK(s->net->irecv(s->comm, GROUP, data, sizes, tags, mrs, handles,
				    request));
		if (*request)
			break;
		usleep(IDLE_US);
	}
}

static void received_group(struct side *s, unsigned int group)
{
	int i;

	complete(s, s->request[group % DEPTH][0], GROUP);
	for (i = 0; i < GROUP; i++)
		compare(s, group, i);
}

static void transfer(struct side *s, unsigned int groups,
		     void (*begin)(struct side *s, unsigned int group),
		     void (*end)(struct side *s, unsigned int group))
{
	unsigned int begun = 0, ended = 0;

	while (ended < groups) {
		if (begun < groups && begun < ended + DEPTH)
			begin(s, begun++);
		else
			end(s, ended++);
	}
}

/* --- connection --------------------------------------------------------------- */

static void accept_side(struct side *s, void *ctx)
{
	uint8_t handle[NCCL_NET_HANDLE_MAXSIZE] = {};
	void *listener;
	int i;

	CHECK(s->net->listen(ctx, 0, handle, &listener));
	for (i = 0; i < NCCL_NET_HANDLE_MAXSIZE; i++)
		printf("%02x", handle[i]);
	putchar('\n');
	fflush(stdout);
	while (!s->comm) {
		CHECK(s->net->accept(listener, &s->comm, NULL));
		usleep(IDLE_US);
	}
	CHECK(s->net->closeListen(listener));
}

static void connect_side(struct side *s, void *ctx)
{
	uint8_t handle[NCCL_NET_HANDLE_MAXSIZE] = {};
	unsigned int byte;
	int i;

	for (i = 0; i < NCCL_NET_HANDLE_MAXSIZE && scanf("%2x", &byte) == 1; i++)
		handle[i] = byte;
	while (!s->comm) {
		CHECK(s->net->connect(ctx, 0, handle, &s->comm, NULL));
		usleep(IDLE_US);
	}
}

static void *open_net(struct side *s, const char *plugin)
{
	ncclNetCommConfig_v11_t config = { NCCL_NET_TRAFFIC_CLASS_UNDEF };
	void *lib = dlopen(plugin, RTLD_NOW | RTLD_GLOBAL), *ctx = NULL;
	ncclNetProperties_v11_t props = {};
	int n = 0;

	s->net = lib ? dlsym(lib, "ncclNetPlugin_v11") : NULL;
	if (!s->net) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	CHECK(s->net->init(&ctx, 1, &config, log_line, NULL));
	CHECK(s->net->devices(&n));
	if (n != 1) {
		fprintf(stderr, "%d devices, wanted 1: NCCL_IB_HCA\n", n);
		exit(1);
	}
	CHECK(s->net->getProperties(0, &props));
	fprintf(stderr, "device %s speed %d memory %#x receives %d\n", props.name,
		props.speed, props.ptrSupport, props.maxRecvs);
	return ctx;
}

int main(int argc, char **argv)
{
	struct side s = {};
	bool sends;
	void *ctx;

	if (argc != 5)
		return 2;
	sends = !strcmp(argv[2], "send");
	s.bytes = strtoul(argv[3], NULL, 0);
	s.buf = calloc(DEPTH * GROUP, s.bytes);
	ctx = open_net(&s, argv[1]);
	(sends ? connect_side : accept_side)(&s, ctx);
	CHECK(s.net->regMr(s.comm, s.buf, DEPTH * GROUP * s.bytes, NCCL_PTR_HOST,
			   &s.mr));
	if (sends)
		transfer(&s, atoi(argv[4]), send_group, sent_group);
	else
		transfer(&s, atoi(argv[4]), recv_group, received_group);
	CHECK(s.net->deregMr(s.comm, s.mr));
	CHECK((sends ? s.net->closeSend : s.net->closeRecv)(s.comm));
	CHECK(s.net->finalize(ctx));
	printf("%s groups of %d messages of %zu bytes\n", argv[4], GROUP, s.bytes);
	return 0;
}
