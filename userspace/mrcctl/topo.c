// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl topo: a network from a file.
 */
#include <string.h>

#include "mrcctl.h"
#include "out.h"
#include "topo.h"
#include "topo_apply.h"
#include "topo_export.h"
#include "topo_have.h"
#include "topo_import.h"
#include "topo_show.h"
#include "topo_want.h"

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
	for (i = 0; i < topo_told_mistakes(topo); i++, m++) {
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
	ret = topo_load(file, &topo);
	if (!ret)
		topo_check(&topo);
	if (!ret && out.json) {
		check_json(&topo);
		ret = topo.mistakes ? EXIT_USAGE : EXIT_OK;
	} else if (!ret) {
		ret = topo_print_mistakes(&topo);
		if (!ret)
			out_text("%s: %d planes, %d T0 and %d T1 each, %d hosts, no mistakes\n",
				 file, topo.planes, topo.t0.n, topo.t1.n,
				 topo.hosts);
	}
	topo_free(&topo);
	return ret;
}

/* --- show -------------------------------------------------------------------- */

static int show(const struct topo *topo, const char *host, const char *to)
{
	const struct topo_host *from, *peer;
	int ret;

	ret = topo_get_host(topo, "host", host, &from);
	if (ret)
		return ret;
	if (!to) {
		topo_show_peers(topo, from);
		return EXIT_OK;
	}
	ret = topo_get_host(topo, "to", to, &peer);
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
	ret = topo_load_good(file, &topo);
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

	ret = topo_get_host(topo, "host", a->host, &self);
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
	ret = topo_load_good(a.file, &topo);
	if (!ret)
		ret = apply(nl, &a, &topo);
	topo_free(&topo);
	return ret;
}

/* --- export ------------------------------------------------------------------ */

static int topo_cmd_export(struct nl *nl, int argc, char **argv)
{
	const char *file, *name = NULL;
	uint32_t format;
	struct arg args[] = {
		{ "file", ARG_LIST, true, &file, .positional = true },
		{ "format", ARG_WORD, true, &format, .words = topo_formats },
		{ "switch", ARG_NAME, false, &name },
		{ NULL }
	};
	struct topo topo = {};
	int ret;

	(void)nl;
	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	ret = topo_load_good(file, &topo);
	if (!ret)
		ret = topo_export(&topo, format, name);
	topo_free(&topo);
	return ret;
}

/* --- import ------------------------------------------------------------------ */

static int topo_cmd_import(struct nl *nl, int argc, char **argv)
{
	const char *file, *dev;
	struct in6_addr host;
	struct arg args[] = {
		{ "file", ARG_LIST, true, &file, .positional = true },
		{ "dev", ARG_NAME, true, &dev },
		{ "host", ARG_GID, false, &host },
		{ NULL }
	};
	int ret;

	(void)nl;
	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	return topo_import(file, args_given(args, "host") ? &host : NULL, dev);
}

static const struct command topo_commands[] = {
	{ "show", topo_cmd_show },
	{ "check", topo_cmd_check },
	{ "apply", topo_cmd_apply },
	{ "export", topo_cmd_export },
	{ "import", topo_cmd_import },
	{ NULL }
};

const struct object topo_object = {
	.name = "topo",
	.usage = "mrcctl topo check FILE\n"
		 "mrcctl topo show FILE [host NAME] [to NAME]\n"
		 "mrcctl topo apply FILE [host NAME] [dev NAME] [dry-run [fresh]]\n"
		 "mrcctl topo export FILE format { linux | frr | sonic } [switch NAME]\n"
		 "mrcctl topo import FILE dev NAME [host GID]\n",
	.commands = topo_commands,
};
