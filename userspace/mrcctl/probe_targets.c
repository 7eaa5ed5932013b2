// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl probe targets: one probe of each path of a list, to any number of peers.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"
#include "out.h"
#include "probe.h"
#include "request.h"
#include "show.h"

enum {
	LINE = 512,
	/* The kernel permits 10,000 probes per second. */
	RETRY_MS = 20,
	RETRIES = 500,
};

/**
 * struct batch - targets that have been read and not been probed yet
 * @probe: options
 * @args: arguments of the command
 * @first: number of the first target of the batch in the file
 * @n: number of targets
 * @line: their lines
 * @sent: probes that have been sent, of all batches
 * @answered: those that were answered
 */
struct batch {
	const struct probe *probe;
	const struct arg *args;
	uint32_t first;
	uint32_t n;
	char line[MRC_PROBES_MAX][LINE];
	uint32_t sent;
	uint32_t answered;
};

/* Keys of a line, as those of the command. */
struct target {
	struct in6_addr dst;
	struct in6_addr src;
	struct in6_addr sid;
	struct in6_addr srh;
	uint32_t ev;
	uint32_t port;
	uint32_t format;
};

static int put_target(struct nlmsghdr *nlh, char *line)
{
	struct target t;
	struct arg args[] = {
		{ "dst", ARG_GID, true, &t.dst, .positional = true,
		  .attr = MRC_A_PROBE_PATH_DST },
		{ "port", ARG_PORT, true, &t.port,
		  .attr = MRC_A_PROBE_PATH_PORT },
		{ "src", ARG_GID, false, &t.src,
		  .attr = MRC_A_PROBE_PATH_SRC },
		{ "ev", ARG_U32, false, &t.ev, .attr = MRC_A_PROBE_PATH_EV },
		{ "sid", ARG_IN6, false, &t.sid, .attr = MRC_A_PROBE_PATH_SID },
		{ "srh", ARG_IN6, false, &t.srh, .attr = MRC_A_PROBE_PATH_SRH },
		{ "format", ARG_WORD, false, &t.format, .words = format_kinds,
		  .attr = MRC_A_PROBE_PATH_FORMAT },
		{ NULL }
	};
	struct nlattr *nest;
	char *words[16], *save, *word;
	int n = 0, ret;

	for (word = strtok_r(line, " \t\n", &save); word && n < 16;
	     word = strtok_r(NULL, " \t\n", &save))
		words[n++] = word;
	ret = args_parse(n, words, args);
	if (ret)
		return ret;
	nest = mnl_attr_nest_start(nlh, MRC_A_PROBE_TARGET);
	request_put(nlh, args);
	mnl_attr_nest_end(nlh, nest);
	return EXIT_OK;
}

static void show_result(struct batch *b, const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_PROBE_PATH_MAX + 1];
	uint32_t result;
	char word[OUT_WORD];

	nl_nest(nest, tb, MRC_A_PROBE_PATH_MAX);
	result = nl_u32(tb[MRC_A_PROBE_PATH_RESULT]);
	b->sent++;
	b->answered += result == MRC_PROBE_RESULT_ANSWERED;
	out_object(NULL);
	out_uint("index", "%s", b->first + nl_u32(tb[MRC_A_PROBE_PATH_INDEX]));
	out_addr("dst", " dst %s", nl_addr(tb[MRC_A_PROBE_PATH_DST]));
	out_addr("src", " src %s", nl_addr(tb[MRC_A_PROBE_PATH_SRC]));
	out_uint("port", " port %s", nl_u32(tb[MRC_A_PROBE_PATH_PORT]));
	out_uint("ev", " ev %s", nl_u32(tb[MRC_A_PROBE_PATH_EV]));
	if (tb[MRC_A_PROBE_PATH_SID])
		out_addr("sid", " sid %s", nl_addr(tb[MRC_A_PROBE_PATH_SID]));
	out_string("result", " %s", probe_result_name(result));
	if (tb[MRC_A_PROBE_PATH_RTT]) {
		out_uint("rtt_ns", NULL, nl_u32(tb[MRC_A_PROBE_PATH_RTT]));
		out_text(" rtt %s",
			 out_nsec(nl_u32(tb[MRC_A_PROBE_PATH_RTT]), word));
		out_uint("rx_port", " rx-port %s",
			 nl_u32(tb[MRC_A_PROBE_PATH_RX_PORT]));
	}
	if (tb[MRC_A_PROBE_PATH_PEER_PORTS])
		out_uint("peer_ports", " peer-ports %s",
			 nl_u32(tb[MRC_A_PROBE_PATH_PEER_PORTS]));
	out_text("\n");
	out_object_end();
}

static int on_results(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_PROBE_MAX + 1];
	const struct nlattr *attr;

	nl_attrs(nlh, tb, MRC_A_PROBE_MAX);
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == MRC_A_PROBE_PATH)
			show_result(arg, attr);
	}
	return tb[MRC_A_PROBE_DONE] ? MNL_CB_STOP : MNL_CB_OK;
}

static int send_once(struct nl *nl, struct batch *b, bool *busy)
{
	struct nlmsghdr *nlh;
	char line[LINE];
	uint32_t i;
	int ret;

	nlh = request_begin(nl, MRC_CMD_PROBE, false, b->args);
	if (!nlh)
		return EXIT_KERNEL;
	nlh->nlmsg_flags &= ~NLM_F_ACK;
	probe_put_timeout(nlh, b->probe, b->args);
	for (i = 0; i < b->n; i++) {
		memcpy(line, b->line[i], LINE);
		ret = put_target(nlh, line);
		if (ret)
			return ret;
	}
	return nl_try(nl, nlh, on_results, b, busy);
}

static int send_batch(struct nl *nl, struct batch *b)
{
	int ret = EXIT_OK, i;
	bool busy = true;

	for (i = 0; b->n && busy && i < RETRIES; i++) {
		if (i)
			poll(NULL, 0, RETRY_MS);
		busy = false;
		ret = send_once(nl, b, &busy);
	}
	if (busy && b->n)
		fprintf(stderr, "mrcctl: too many probes await responses\n");
	b->first += b->n;
	b->n = 0;
	return ret;
}

/**
 * probe_targets() - probe each path of a file once
 * @nl: connection
 * @probe: options
 * @args: arguments of the command
 *
 * Return: enum exit_code.
 */
int probe_targets(struct nl *nl, const struct probe *probe,
		  const struct arg *args)
{
	FILE *f = fopen(probe->targets, "r");
	struct batch *b = calloc(1, sizeof(*b));
	int ret = EXIT_OK;

	if (!f || !b) {
		ret = usage_error("'targets %s': %s", probe->targets,
				  strerror(errno));
		goto out;
	}
	b->probe = probe;
	b->args = args;
	out_begin();
	while (!ret && fgets(b->line[b->n], LINE, f)) {
		if (*b->line[b->n] == '#' || *b->line[b->n] == '\n')
			continue;
		if (++b->n == MRC_PROBES_MAX)
			ret = send_batch(nl, b);
	}
	if (!ret)
		ret = send_batch(nl, b);
	out_end();
	out_text("%u of %u probes answered\n", b->answered, b->sent);
	if (!ret && !b->answered)
		ret = EXIT_NO_ANSWER;
out:
	if (f)
		fclose(f);
	free(b);
	return ret;
}
