// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcd: probes paths, names what is broken.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "exit_code.h"
#include "output.h"
#include "results.h"
#include "validate.h"

#define DIR		"/run/mrcd"
#define TOPOLOGY	"/etc/mrc/topology.json"

enum {
	LINK_SHARE = 1000,	/* 0.1 % */
	TIMEOUT_MS = 100,
	SHARE = 25,
	EXPIRY_S = 600,
	VALIDATE_S = 10,
};

static const char usage[] =
	"mrcd run [topology FILE] [dev NAME] [host NAME] [rate N] [link-share PPM]\n"
	"         [timeout MS] [deny { off | dry-run | on }] [share PERCENT]\n"
	"         [expiry S] [dir DIR] [metrics FILE]\n"
	"mrcd status [dir DIR] [json]\n"
	"mrcd validate [topology FILE] [dev NAME] [host NAME] [rate N] [seconds S]\n"
	"         [picture FILE] [jsonl FILE]\n"
	"mrcd pairs [topology FILE] [hosts]\n"
	"mrcd results FILE [rules FILE]\n"
	"mrcd withdraw [dev NAME]\n";

/* By enum deny_mode, plus 1: 0 is no word. */
static const char * const modes[] = { "", "off", "dry-run", "on", NULL };

static int check_options(const struct options *o)
{
	if (o->share > 100)
		return usage_error("'share %u': greater than 100", o->share);
	if (!o->expiry)
		return usage_error("'expiry 0': a rule must last a while");
	if (!o->timeout || o->timeout > 10000)
		return usage_error("'timeout %u': use 1 to 10000", o->timeout);
	return EXIT_OK;
}

static int cmd_run(int argc, char **argv, char **all)
{
	static struct daemon daemon;
	struct options o = {
		.topology = TOPOLOGY, .link_share = LINK_SHARE,
		.timeout = TIMEOUT_MS, .deny = DENY_DRY_RUN + 1,
		.share = SHARE, .expiry = EXPIRY_S, .dir = DIR,
	};
	struct arg args[] = {
		{ "topology", ARG_LIST, false, &o.topology },
		{ "dev", ARG_NAME, false, &o.dev },
		{ "host", ARG_NAME, false, &o.host },
		{ "rate", ARG_U32, false, &o.rate },
		{ "link-share", ARG_U32, false, &o.link_share },
		{ "timeout", ARG_U32, false, &o.timeout },
		{ "deny", ARG_WORD, false, &o.deny, .words = modes },
		{ "share", ARG_U32, false, &o.share },
		{ "expiry", ARG_U32, false, &o.expiry },
		{ "dir", ARG_LIST, false, &o.dir },
		{ "metrics", ARG_LIST, false, &o.metrics },
		{ NULL }
	};
	int ret;

	ret = args_parse(argc, argv, args);
	if (!ret)
		ret = check_options(&o);
	o.deny--;
	return ret ? ret : daemon_run(&daemon, &o, all);
}

static int cmd_validate(int argc, char **argv, char **all)
{
	struct options o = {
		.topology = TOPOLOGY, .link_share = LINK_SHARE,
		.timeout = TIMEOUT_MS, .deny = DENY_OFF,
	};
	struct validation v = { .seconds = VALIDATE_S };
	struct arg args[] = {
		{ "topology", ARG_LIST, false, &o.topology },
		{ "dev", ARG_NAME, false, &o.dev },
		{ "host", ARG_NAME, false, &o.host },
		{ "rate", ARG_U32, false, &o.rate },
		{ "seconds", ARG_U32, false, &v.seconds },
		{ "picture", ARG_LIST, false, &v.picture },
		{ "jsonl", ARG_LIST, false, &v.jsonl },
		{ NULL }
	};
	int ret = args_parse(argc, argv, args);

	(void)all;
	return ret ? ret : validate_run(&o, &v);
}

static int cmd_pairs(int argc, char **argv, char **all)
{
	const char *file = TOPOLOGY;
	struct arg args[] = {
		{ "topology", ARG_LIST, false, &file },
		{ "hosts", ARG_FLAG },
		{ NULL }
	};
	int ret = args_parse(argc, argv, args);

	(void)all;
	return ret ? ret : validate_pairs(file, args_given(args, "hosts"));
}

static int cmd_results(int argc, char **argv, char **all)
{
	const char *file, *rules = NULL;
	struct arg args[] = {
		{ "file", ARG_LIST, true, &file, .positional = true },
		{ "rules", ARG_LIST, false, &rules },
		{ NULL }
	};
	int ret = args_parse(argc, argv, args);

	(void)all;
	return ret ? ret : results_judge(file, rules);
}

static int cmd_status(int argc, char **argv, char **all)
{
	const char *dir = DIR;
	struct arg args[] = {
		{ "dir", ARG_LIST, false, &dir },
		{ "json", ARG_FLAG },
		{ NULL }
	};
	int ret = args_parse(argc, argv, args);

	(void)all;
	return ret ? ret : output_status(dir, args_given(args, "json"));
}

/* --- withdraw ------------------------------------------------------------------------- */

/**
 * struct withdrawal - rules that are to be removed
 * @n: how many
 * @rule: these
 */
struct withdrawal {
	int n;
	struct deny_rule rule[DENY_RULES];
};

static void take_rule(void *arg, uint32_t port, uint32_t usid, uint32_t next)
{
	struct withdrawal *w = arg;

	if (w->n < DENY_RULES)
		w->rule[w->n++] = (struct deny_rule){
			.port = port, .usid = usid, .next = next
		};
}

/* For the service manager: what a killed daemon has left. */
static int cmd_withdraw(int argc, char **argv, char **all)
{
	struct withdrawal w = {};
	struct device device;
	struct nl nl = {};
	const char *dev = NULL;
	struct arg args[] = {
		{ "dev", ARG_NAME, false, &dev },
		{ NULL }
	};
	int ret, i;

	(void)all;
	ret = args_parse(argc, argv, args);
	if (!ret)
		ret = device_find(&nl, dev, &device);
	if (!ret)
		ret = device_rules(&nl, device.name, take_rule, &w);
	for (i = 0; !ret && i < w.n; i++)
		ret = device_rule(&nl, device.name, &w.rule[i], false);
	nl_close(&nl);
	return ret;
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv, char **all);
} commands[] = {
	{ "run", cmd_run },
	{ "status", cmd_status },
	{ "validate", cmd_validate },
	{ "pairs", cmd_pairs },
	{ "results", cmd_results },
	{ "withdraw", cmd_withdraw },
};

int main(int argc, char **argv)
{
	size_t i;

	if (argc > 1 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))) {
		fputs(usage, stdout);
		return EXIT_OK;
	}
	for (i = 0; argc > 1 && i < sizeof(commands) / sizeof(*commands); i++) {
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 2, argv + 2, argv);
	}
	fputs(usage, stderr);
	return EXIT_USAGE;
}
