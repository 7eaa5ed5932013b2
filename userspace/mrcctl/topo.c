// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl topo: a network from a file.
 */
#include <ifaddrs.h>
#include <string.h>

#include "mrcctl.h"
#include "out.h"
#include "topo.h"
#include "topo_apply.h"
#include "topo_have.h"
#include "topo_show.h"
#include "topo_want.h"

/* Read a file and find its mistakes. */
static int load(const char *file, struct topo *topo)
{
	int ret = topo_load(file, topo);

	if (!ret)
		topo_check(topo);
	return ret;
}

static int told_mistakes(const struct topo *topo)
{
	return topo->mistakes < TOPO_MISTAKES ? topo->mistakes : TOPO_MISTAKES;
}

/* Returns EXIT_USAGE if there are any. */
static int print_mistakes(const struct topo *topo)
{
	const struct topo_mistake *m = topo->mistake;
	int i;

	for (i = 0; i < told_mistakes(topo); i++, m++)
		usage_error("%s: %s%s%s", topo->file, m->place,
			    *m->place ? ": " : "", m->text);
	if (topo->mistakes > i)
		usage_error("%s: %d more mistakes", topo->file,
			    topo->mistakes - i);
	return topo->mistakes ? EXIT_USAGE : EXIT_OK;
}

static int load_good(const char *file, struct topo *topo)
{
	int ret = load(file, topo);

	return ret ? ret : print_mistakes(topo);
}

/* --- check ------------------------------------------------------------------- */

static void check_json(const struct topo *topo)
{
	const struct topo_mistake *m = topo->mistake;
	int i;

	out_begin();
	out_object(NULL);
	out_string("file", NULL, topo->file);
	out_uint("planes", NULL, topo->planes);
	out_uint("t0", NULL, topo->t0.n);
	out_uint("t1", NULL, topo->t1.n);
	out_uint("hosts", NULL, topo->hosts);
	out_array("mistakes");
	for (i = 0; i < told_mistakes(topo); i++, m++) {
		out_object(NULL);
		out_string("place", NULL, m->place);
		out_string("text", NULL, m->text);
		out_object_end();
	}
	out_array_end();
	out_object_end();
	out_end();
}

static int topo_cmd_check(struct nl *nl, int argc, char **argv)
{
	const char *file;
	struct arg args[] = {
		{ "file", ARG_LIST, true, &file, .positional = true },
		{ NULL }
	};
	struct topo topo = {};
	int ret;

	(void)nl;
	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	ret = load(file, &topo);
	if (!ret && out.json) {
		check_json(&topo);
		ret = topo.mistakes ? EXIT_USAGE : EXIT_OK;
	} else if (!ret) {
		ret = print_mistakes(&topo);
		if (!ret)
			out_text("%s: %d planes, %d T0 and %d T1 each, %d hosts, no mistakes\n",
				 file, topo.planes, topo.t0.n, topo.t1.n,
				 topo.hosts);
	}
	topo_free(&topo);
	return ret;
}

/* --- which host this is --------------------------------------------------------- */

static bool has_prefix(const struct prefix *prefix, const struct in6_addr *addr)
{
	uint32_t i;

	for (i = 0; i < prefix->len; i++) {
		if ((prefix->addr.s6_addr[i / 8] ^ addr->s6_addr[i / 8]) &
		    0x80 >> i % 8)
			return false;
	}
	return true;
}

static const struct topo_host *host_of(const struct topo *topo,
				       const struct in6_addr *addr)
{
	int i;

	for (i = 0; i < topo->hosts; i++) {
		if (has_prefix(&topo->host[i].prefix, addr))
			return &topo->host[i];
	}
	return NULL;
}

/* The host that has an address of this machine. */
static const struct topo_host *find_self(const struct topo *topo)
{
	const struct topo_host *host = NULL;
	const struct sockaddr_in6 *in6;
	struct ifaddrs *list, *a;

	if (getifaddrs(&list))
		return NULL;
	for (a = list; a && !host; a = a->ifa_next) {
		if (!a->ifa_addr || a->ifa_addr->sa_family != AF_INET6)
			continue;
		in6 = (const struct sockaddr_in6 *)a->ifa_addr;
		host = host_of(topo, &in6->sin6_addr);
	}
	freeifaddrs(list);
	return host;
}

/* The host @name, or this one. */
static int get_host(const struct topo *topo, const char *key, const char *name,
		    const struct topo_host **host)
{
	*host = name ? topo_find_host(topo, name) : find_self(topo);
	if (*host)
		return EXIT_OK;
	if (name)
		return usage_error("'%s %s': no such host in %s", key, name,
				   topo->file);
	return usage_error("'%s' is missing, no local address is one of a host in %s",
			   key, topo->file);
}

/* --- show -------------------------------------------------------------------- */

static int show(const struct topo *topo, const char *host, const char *to)
{
	const struct topo_host *from, *peer;
	int ret;

	ret = get_host(topo, "host", host, &from);
	if (ret)
		return ret;
	if (!to) {
		topo_show_peers(topo, from);
		return EXIT_OK;
	}
	ret = get_host(topo, "to", to, &peer);
	if (ret)
		return ret;
	if (peer == from)
		return usage_error("'to %s': this is the host whose paths "
				   "are shown, name another one",
				   to);
	topo_show_paths(topo, from, peer);
	return EXIT_OK;
}

static int topo_cmd_show(struct nl *nl, int argc, char **argv)
{
	const char *file, *host = NULL, *to = NULL;
	struct arg args[] = {
		{ "file", ARG_LIST, true, &file, .positional = true },
		{ "host", ARG_NAME, false, &host },
		{ "to", ARG_NAME, false, &to },
		{ NULL }
	};
	struct topo topo = {};
	int ret;

	(void)nl;
	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	ret = load_good(file, &topo);
	if (!ret)
		ret = show(&topo, host, to);
	topo_free(&topo);
	return ret;
}

/* --- apply ------------------------------------------------------------------- */

/**
 * struct apply_args - arguments of apply
 * @file: name
 * @host: name; NULL: this one
 * @dev: name; NULL: the only one
 * @dry_run: change nothing
 * @fresh: assume a device without configuration, do not query the kernel
 */
struct apply_args {
	const char *file;
	const char *host;
	const char *dev;
	bool dry_run;
	bool fresh;
};

static int get_have(struct nl *nl, const struct apply_args *a,
		    const struct topo *topo, struct topo_have *have)
{
	int ret;

	if (a->fresh) {
		memset(have, 0, sizeof(*have));
		snprintf(have->dev, sizeof(have->dev), "%s", a->dev);
		return EXIT_OK;
	}
	ret = topo_have(nl, a->dev, have);
	if (!ret && have->ports != topo->planes)
		ret = usage_error("%s has %d planes, %s has %d ports, use one with that many ports",
				  a->file, topo->planes, have->dev,
				  have->ports);
	return ret;
}

static int apply(struct nl *nl, const struct apply_args *a,
		 const struct topo *topo)
{
	const struct topo_host *self;
	struct topo_want want;
	struct topo_have have = {};
	int ret;

	ret = get_host(topo, "host", a->host, &self);
	if (ret)
		return ret;
	topo_want(topo, self, &want);
	ret = get_have(nl, a, topo, &have);
	if (!ret)
		ret = topo_check_foreign(&have, &want);
	if (!ret)
		ret = topo_apply(nl, &have, &want, a->dry_run);
	topo_have_free(&have);
	topo_want_free(&want);
	return ret;
}

static int topo_cmd_apply(struct nl *nl, int argc, char **argv)
{
	struct apply_args a = {};
	struct arg args[] = {
		{ "file", ARG_LIST, true, &a.file, .positional = true },
		{ "host", ARG_NAME, false, &a.host },
		{ "dev", ARG_NAME, false, &a.dev },
		{ "dry-run", ARG_FLAG },
		{ "fresh", ARG_FLAG },
		{ NULL }
	};
	struct topo topo = {};
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	a.dry_run = args_given(args, "dry-run");
	a.fresh = args_given(args, "fresh");
	if (a.fresh && (!a.dry_run || !a.dev))
		return usage_error("'fresh' needs 'dry-run' and 'dev'");
	ret = load_good(a.file, &topo);
	if (!ret)
		ret = apply(nl, &a, &topo);
	topo_free(&topo);
	return ret;
}

static const struct command topo_commands[] = {
	{ "show", topo_cmd_show },
	{ "check", topo_cmd_check },
	{ "apply", topo_cmd_apply },
	{ NULL }
};

const struct object topo_object = {
	.name = "topo",
	.usage = "mrcctl topo check FILE\n"
		 "mrcctl topo show FILE [host NAME] [to NAME]\n"
		 "mrcctl topo apply FILE [host NAME] [dev NAME] [dry-run [fresh]]\n",
	.commands = topo_commands,
};
