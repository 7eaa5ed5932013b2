// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl probe: which paths to a peer are answered, and their round trips.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include "mrcctl.h"
#include "out.h"
#include "probe.h"
#include "request.h"
#include "show.h"

enum {
	PROBE_COUNT = 5,
	PROBE_INTERVAL_MS = 200,
	PROBE_INTERVAL_MIN_MS = 10,
	PROBE_TIMEOUT_MS = 1000,
	/* Extra time for the kernel beyond the timeout of the probes. */
	PROBE_GRACE_S = 10,
	/* Lost paths that are named in the line of a round. */
	PROBE_NAMED = 6,
};

/* --- one round ------------------------------------------------------------ */

static struct probe_path *probe_path_of(struct probe *probe,
					const struct nlattr **tb)
{
	uint32_t port = nl_u32(tb[MRC_A_PROBE_PATH_PORT]);
	uint32_t ev = nl_u32(tb[MRC_A_PROBE_PATH_EV]);
	struct probe_path *path = probe->path;

	while (path < probe->path + probe->n &&
	       (path->ev != ev || path->port != port))
		path++;
	if (path == probe->path + MRC_EVS_MAX)
		return NULL;
	if (path == probe->path + probe->n) {
		*path = (struct probe_path){ .ev = ev, .port = port };
		probe->n++;
	}
	path->has_sid = tb[MRC_A_PROBE_PATH_SID];
	if (path->has_sid)
		path->sid = *nl_addr(tb[MRC_A_PROBE_PATH_SID]);
	path->has_srh = tb[MRC_A_PROBE_PATH_SRH];
	if (path->has_srh)
		path->srh = *nl_addr(tb[MRC_A_PROBE_PATH_SRH]);
	return path;
}

static void probe_answered(struct probe_path *path, const struct nlattr **tb)
{
	uint32_t rtt = nl_u32(tb[MRC_A_PROBE_PATH_RTT]);

	if (!path->answered || rtt < path->min)
		path->min = rtt;
	if (rtt > path->max)
		path->max = rtt;
	path->sum += rtt;
	path->rtt = rtt;
	path->answered++;
	path->rx_port = nl_u32(tb[MRC_A_PROBE_PATH_RX_PORT]);
	path->adjusted = tb[MRC_A_PROBE_PATH_ADJUSTED];
}

static void probe_take(struct probe *probe, const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_PROBE_PATH_MAX + 1];
	struct probe_path *path;

	nl_nest(nest, tb, MRC_A_PROBE_PATH_MAX);
	path = probe_path_of(probe, tb);
	if (!path)
		return;
	path->round = probe->round;
	path->result = nl_u32(tb[MRC_A_PROBE_PATH_RESULT]);
	if (path->result == MRC_PROBE_RESULT_ANSWERED)
		probe_answered(path, tb);
	if (path->result == MRC_PROBE_RESULT_ANSWERED ||
	    path->result == MRC_PROBE_RESULT_LOST)
		path->sent++;
}

static int on_probe(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_PROBE_MAX + 1];
	const struct nlattr *attr;
	struct probe *probe = arg;

	nl_attrs(nlh, tb, MRC_A_PROBE_MAX);
	if (tb[MRC_A_PROBE_SRC])
		probe->src = *nl_addr(tb[MRC_A_PROBE_SRC]);
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == MRC_A_PROBE_PATH)
			probe_take(probe, attr);
	}
	return tb[MRC_A_PROBE_DONE] ? MNL_CB_STOP : MNL_CB_OK;
}

static void put_ev(struct nlmsghdr *nlh, uint32_t ev)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, MRC_A_PROBE_SELECT);

	mnl_attr_put_u32(nlh, MRC_A_PROBE_PATH_EV, ev);
	mnl_attr_nest_end(nlh, nest);
}

/**
 * probe_put_timeout() - add the timeout to a request if no argument has set it
 * @nlh: request
 * @probe: options
 * @args: arguments of the command
 */
void probe_put_timeout(struct nlmsghdr *nlh, const struct probe *probe,
		       const struct arg *args)
{
	if (!args_given(args, "timeout") && !args_given(args, "timeout-ns"))
		mnl_attr_put_u32(nlh, MRC_A_PROBE_TIMEOUT, probe->timeout);
}

/* The results replace the reply that NLM_F_ACK requests. */
static int probe_round(struct nl *nl, struct probe *probe,
		       const struct arg *args)
{
	const struct timeval patience = {
		.tv_sec = probe->timeout / 1000 + PROBE_GRACE_S,
	};
	struct nlmsghdr *nlh;
	uint32_t i;

	nlh = request_begin(nl, MRC_CMD_PROBE, false, args);
	if (!nlh)
		return EXIT_KERNEL;
	nlh->nlmsg_flags &= ~NLM_F_ACK;
	probe_put_timeout(nlh, probe, args);
	for (i = 0; i < probe->n_evs; i++)
		put_ev(nlh, probe->evs[i]);
	setsockopt(mnl_socket_get_fd(nl->sock), SOL_SOCKET, SO_RCVTIMEO,
		   &patience, sizeof(patience));
	probe->round++;
	return nl_talk(nl, nlh, on_probe, probe);
}

/* --- live ----------------------------------------------------------------- */

static void probe_line_one(const struct probe *probe)
{
	const struct probe_path *path = probe->path;
	char word[OUT_WORD];

	out_text("%u: ev %u port %u ", probe->round, path->ev, path->port);
	if (path->result != MRC_PROBE_RESULT_ANSWERED) {
		out_text("%s\n", probe_result_name(path->result));
		return;
	}
	out_text("answered by port %u rtt %s\n", path->rx_port,
		 out_nsec(path->rtt, word));
}

static void probe_line_silent(const struct probe *probe, uint32_t silent)
{
	const struct probe_path *path = probe->path;
	uint32_t named = 0;

	out_text(";");
	for (; path < probe->path + probe->n && named < PROBE_NAMED; path++) {
		if (path->round != probe->round ||
		    path->result == MRC_PROBE_RESULT_ANSWERED)
			continue;
		out_text("%s %s ev %u port %u", named ? "," : "",
			 probe_result_name(path->result), path->ev,
			 path->port);
		named++;
	}
	if (silent > named)
		out_text(", and %u more", silent - named);
}

static void probe_line_many(const struct probe *probe)
{
	uint32_t n = 0, answered = 0, min = UINT32_MAX, max = 0;
	const struct probe_path *path = probe->path;
	char low[OUT_WORD], high[OUT_WORD];

	for (; path < probe->path + probe->n; path++) {
		if (path->round != probe->round)
			continue;
		n++;
		if (path->result != MRC_PROBE_RESULT_ANSWERED)
			continue;
		answered++;
		min = path->rtt < min ? path->rtt : min;
		max = path->rtt > max ? path->rtt : max;
	}
	out_text("%u: %u of %u paths answered", probe->round, answered, n);
	if (answered)
		out_text(", rtt %s to %s", out_nsec(min, low),
			 out_nsec(max, high));
	if (answered < n)
		probe_line_silent(probe, n - answered);
	out_text("\n");
}

static void probe_line(const struct probe *probe)
{
	char dst[OUT_WORD], src[OUT_WORD];

	if (probe->round == 1)
		out_text("probe %s dst %s src %s\n", probe->dev,
			 out_addr_word(&probe->dst, dst),
			 out_addr_word(&probe->src, src));
	if (probe->n == 1)
		probe_line_one(probe);
	else
		probe_line_many(probe);
	fflush(stdout);
}

/* --- command -------------------------------------------------------------- */

static int take_ev(char *word, void *arg)
{
	struct probe *probe = arg;
	uint64_t ev;
	int ret;

	ret = parse_number("ev", word, 0, UINT32_MAX, &ev);
	if (!ret)
		probe->evs[probe->n_evs++] = ev;
	return ret;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

/* Returns true if it was interrupted; the signal is blocked otherwise. */
static bool probe_pause(const sigset_t *interrupt, uint64_t until)
{
	uint64_t now = now_ms();
	uint64_t ms = until > now ? until - now : 0;
	const struct timespec left = {
		.tv_sec = ms / 1000,
		.tv_nsec = ms % 1000 * 1000000,
	};

	return sigtimedwait(interrupt, NULL, &left) >= 0;
}

static int probe_rounds(struct nl *nl, struct probe *probe,
			const struct arg *args)
{
	sigset_t interrupt, before;
	uint64_t next;
	int ret;

	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, &before);
	do {
		next = now_ms() + probe->interval;
		ret = probe_round(nl, probe, args);
		if (ret)
			break;
		probe_line(probe);
	} while (probe->round != probe->count &&
		 !probe_pause(&interrupt, next));
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret;
}

static int probe_run(struct nl *nl, struct probe *probe,
		     const struct arg *args)
{
	int ret;

	if (probe->targets)
		return probe_targets(nl, probe, args);
	if (!args_given(args, "dst"))
		return usage_error("'dst' or 'targets' is missing");
	if (probe->interval < PROBE_INTERVAL_MIN_MS)
		return usage_error("'interval %u': less than %u ms",
				   probe->interval, PROBE_INTERVAL_MIN_MS);
	if (probe->ev_list) {
		ret = parse_fields("ev", probe->ev_list, MRC_EVS_MAX, take_ev,
				   probe);
		if (ret)
			return ret;
	}
	ret = probe_rounds(nl, probe, args);
	if (ret)
		return ret;
	probe_summary(probe);
	return probe_any_answered(probe) ? EXIT_OK : EXIT_NO_ANSWER;
}

static const char * const op_words[] = {
	"unknown", "ev-probe", "port-status", NULL
};

static int probe_command(struct nl *nl, int argc, char **argv)
{
	struct in6_addr src;
	uint32_t port, tclass, ports, op = 0;
	uint64_t timeout_ns;
	struct probe *probe = calloc(1, sizeof(*probe));
	int ret = EXIT_KERNEL;

	if (probe) {
		struct arg args[] = {
			{ "dev", ARG_NAME, true, &probe->dev,
			  .attr = MRC_A_PROBE_DEV },
			{ "dst", ARG_GID, false, &probe->dst,
			  .attr = MRC_A_PROBE_DST },
			{ "src", ARG_GID, false, &src,
			  .attr = MRC_A_PROBE_SRC },
			{ "port", ARG_PORT, false, &port,
			  .attr = MRC_A_PROBE_PORT },
			{ "ev", ARG_LIST, false, &probe->ev_list },
			{ "targets", ARG_LIST, false, &probe->targets },
			{ "tclass", ARG_U32, false, &tclass,
			  .attr = MRC_A_PROBE_TCLASS },
			{ "op", ARG_WORD, false, &op, .words = op_words,
			  .attr = MRC_A_PROBE_OP },
			{ "ports", ARG_HEX, false, &ports,
			  .attr = MRC_A_PROBE_PORTS },
			{ "count", ARG_U32, false, &probe->count },
			{ "interval", ARG_U32, false, &probe->interval },
			{ "timeout", ARG_U32, false, &probe->timeout,
			  .attr = MRC_A_PROBE_TIMEOUT },
			{ "timeout-ns", ARG_U64, false, &timeout_ns,
			  .attr = MRC_A_PROBE_TIMEOUT_NS },
			{ NULL }
		};

		probe->count = PROBE_COUNT;
		probe->interval = PROBE_INTERVAL_MS;
		probe->timeout = PROBE_TIMEOUT_MS;
		ret = args_parse(argc, argv, args) ?:
		      probe_run(nl, probe, args);
	}
	free(probe);
	return ret;
}

static const struct command probe_commands[] = {
	{ "run", probe_command },
	{ NULL }
};

const struct object probe_object = {
	.name = "probe",
	.usage = "mrcctl probe dev NAME dst GID [src GID] [port N] [ev VALUE[,VALUE]...]\n"
		 "             [count N] [interval MS] [timeout MS | timeout-ns NS] [tclass N]\n"
		 "             [op { ev-probe | port-status }] [ports MASK]\n"
		 "mrcctl probe dev NAME targets FILE [timeout MS | timeout-ns NS] [tclass N]\n"
		 "             [op { ev-probe | port-status }] [ports MASK]\n",
	.commands = probe_commands,
};
