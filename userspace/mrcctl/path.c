// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl path: paths of devices.
 */
#include <stdio.h>
#include <string.h>

#include "mrcctl.h"
#include "out.h"
#include "path.h"
#include "request.h"
#include "save.h"
#include "deny.h"
#include "show.h"

/* A path by its keys; @args are those of all commands on paths. */
struct path_args {
	const char *dev;
	struct in6_addr dst;
	struct in6_addr sid;
	struct in6_addr srh;
	uint32_t ev;
	uint32_t port;
};

static int path_make(struct nl *nl, int argc, char **argv, enum mrc_cmd cmd)
{
	struct path_args p;
	struct arg args[] = {
		{ "dev", ARG_NAME, true, &p.dev, .attr = MRC_A_PATH_DEV },
		{ "dst", ARG_GID, true, &p.dst, .attr = MRC_A_PATH_DST },
		{ "ev", ARG_U32, true, &p.ev, .attr = MRC_A_PATH_EV },
		{ "port", ARG_PORT, true, &p.port, .attr = MRC_A_PATH_PORT },
		{ "sid", ARG_IN6, true, &p.sid, .attr = MRC_A_PATH_SID },
		{ "srh", ARG_IN6, false, &p.srh, .attr = MRC_A_PATH_SRH },
		{ NULL }
	};

	return request_do(nl, cmd, argc, argv, args);
}

static int path_add(struct nl *nl, int argc, char **argv)
{
	return path_make(nl, argc, argv, MRC_CMD_PATH_ADD);
}

static int path_replace(struct nl *nl, int argc, char **argv)
{
	return path_make(nl, argc, argv, MRC_CMD_PATH_SET);
}

static int path_del(struct nl *nl, int argc, char **argv)
{
	struct path_args p;
	struct arg args[] = {
		{ "dev", ARG_NAME, true, &p.dev, .attr = MRC_A_PATH_DEV },
		{ "dst", ARG_GID, true, &p.dst, .attr = MRC_A_PATH_DST },
		{ "ev", ARG_U32, true, &p.ev, .attr = MRC_A_PATH_EV },
		{ NULL }
	};

	return request_do(nl, MRC_CMD_PATH_DEL, argc, argv, args);
}

static int path_flush(struct nl *nl, int argc, char **argv)
{
	struct path_args p;
	struct arg args[] = {
		{ "dev", ARG_NAME, true, &p.dev, .attr = MRC_A_PATH_DEV },
		{ "dst", ARG_GID, false, &p.dst, .attr = MRC_A_PATH_DST },
		{ NULL }
	};

	return request_do(nl, MRC_CMD_PATH_FLUSH, argc, argv, args);
}

/* --- show ---------------------------------------------------------------- */

/* The first ones fit into 80 columns, the others are shown with details. */
static const struct out_column path_columns[] = {
	{ "EV" }, { "PORT" }, { "STATE", true }, { "QPS" }, { "PKTS" },
	{ "BYTES" }, { "LOST" },
	{ "RTX" }, { "ACKED" }, { "ECN" }, { "TRIMS" }, { "TIMEOUTS" }, { "PROBES" },
	{ "BAD" }, { "SRTT" },
	{ "SID", true },
};

static const struct out_column path_columns_short[] = {
	{ "EV" }, { "PORT" }, { "STATE", true }, { "QPS" }, { "PKTS" },
	{ "BYTES" }, { "LOST" }, { "SID", true },
};

/**
 * path_table_new() - begin a table of paths
 *
 * Return: the table, for path_row(); NULL in JSON mode.
 */
struct out_table *path_table_new(void)
{
	if (out.json)
		return NULL;
	if (out.details)
		return out_table_new(path_columns,
				     MNL_ARRAY_SIZE(path_columns));
	return out_table_new(path_columns_short,
			     MNL_ARRAY_SIZE(path_columns_short));
}

static void path_cells(struct out_table *table, const struct nlattr **counters,
		       const int *attrs, size_t n)
{
	char word[OUT_WORD];
	size_t i;

	for (i = 0; i < n; i++)
		out_table_cell(table, "%s",
			       out_human(nl_u64(counters[attrs[i]]), word));
}

/**
 * path_row() - add a path to a table
 * @table: table
 * @tb: attributes of the path
 */
void path_row(struct out_table *table, const struct nlattr **tb)
{
	static const int main_counters[] = {
		MRC_A_PATH_COUNTERS_TX_PKTS, MRC_A_PATH_COUNTERS_TX_BYTES,
		MRC_A_PATH_COUNTERS_LOSSES,
	};
	static const int other_counters[] = {
		MRC_A_PATH_COUNTERS_RTX_PKTS,
		MRC_A_PATH_COUNTERS_ACKED, MRC_A_PATH_COUNTERS_ECN,
		MRC_A_PATH_COUNTERS_TRIMS, MRC_A_PATH_COUNTERS_TIMEOUTS,
		MRC_A_PATH_COUNTERS_PROBES, MRC_A_PATH_COUNTERS_BAD,
	};
	const struct nlattr *counters[MRC_A_PATH_COUNTERS_MAX + 1];
	char word[OUT_WORD];

	nl_nest(tb[MRC_A_PATH_COUNTERS], counters, MRC_A_PATH_COUNTERS_MAX);
	out_table_cell(table, "%u", nl_u32(tb[MRC_A_PATH_EV]));
	out_table_cell(table, "%u", nl_u32(tb[MRC_A_PATH_PORT]));
	out_table_cell(table, "%s",
		       path_state_name(nl_u32(tb[MRC_A_PATH_STATE])));
	if (tb[MRC_A_PATH_CONNS])
		out_table_cell(table, "%u", nl_u32(tb[MRC_A_PATH_CONNS]));
	else
		out_table_cell(table, "-");
	path_cells(table, counters, main_counters,
		   MNL_ARRAY_SIZE(main_counters));
	if (out.details) {
		path_cells(table, counters, other_counters,
			   MNL_ARRAY_SIZE(other_counters));
		out_table_cell(table, "%s",
			       out_nsec(nl_u32(tb[MRC_A_PATH_SRTT]), word));
	}
	out_table_sid(table, nl_addr(tb[MRC_A_PATH_SID]),
		      nl_addr(tb[MRC_A_PATH_SRH]));
}

/**
 * path_json() - print what path_row() prints
 * @tb: attributes of the path
 */
void path_json(const struct nlattr **tb)
{
	out_uint("ev", NULL, nl_u32(tb[MRC_A_PATH_EV]));
	out_uint("port", NULL, nl_u32(tb[MRC_A_PATH_PORT]));
	out_addr("sid", NULL, nl_addr(tb[MRC_A_PATH_SID]));
	out_addr("srh", NULL, nl_addr(tb[MRC_A_PATH_SRH]));
	out_string("state", NULL,
		   path_state_name(nl_u32(tb[MRC_A_PATH_STATE])));
	if (tb[MRC_A_PATH_CONNS]) {
		out_uint("qps", NULL, nl_u32(tb[MRC_A_PATH_CONNS]));
		out_uint("qps_bad", NULL, nl_u32(tb[MRC_A_PATH_CONNS_BAD]));
	}
	if (tb[MRC_A_PATH_SRTT])
		out_uint("srtt_ns", NULL, nl_u32(tb[MRC_A_PATH_SRTT]));
	counters_json(tb[MRC_A_PATH_COUNTERS], path_counters);
}

/**
 * struct path_show - paths of one destination after the other
 * @dev: device of the table
 * @dst: destination of the table
 * @mode: enum mrc_path_mode of the table
 * @qpn: queue pair of the table; 0: none
 * @table: its paths so far; NULL: none yet
 */
struct path_show {
	char dev[MRC_NAME_MAX];
	struct in6_addr dst;
	uint32_t mode;
	uint32_t qpn;
	struct out_table *table;
};

static void path_show_flush(void *arg)
{
	struct path_show *show = arg;
	char word[OUT_WORD];

	if (!show->table)
		return;
	out_text("%s dst %s %s", show->dev, out_addr_word(&show->dst, word),
		 path_mode_name(show->mode));
	if (show->qpn)
		out_text(" qpn %u", show->qpn);
	out_text("\n");
	out_table_end(show->table, 0);
	show->table = NULL;
}

static void path_show_text(struct path_show *show, const struct nlattr **tb)
{
	const char *dev = nl_string(tb[MRC_A_PATH_DEV]);
	const struct in6_addr *dst = nl_addr(tb[MRC_A_PATH_DST]);
	uint32_t mode = nl_u32(tb[MRC_A_PATH_MODE]);
	uint32_t qpn = nl_u32(tb[MRC_A_PATH_QPN]);

	if (!dst)
		return;
	if (!show->table || strcmp(show->dev, dev) || show->mode != mode ||
	    show->qpn != qpn || memcmp(&show->dst, dst, sizeof(*dst))) {
		path_show_flush(show);
		snprintf(show->dev, sizeof(show->dev), "%s", dev);
		show->dst = *dst;
		show->mode = mode;
		show->qpn = qpn;
		show->table = path_table_new();
	}
	path_row(show->table, tb);
}

static int on_path(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_PATH_MAX + 1];

	nl_attrs(nlh, tb, MRC_A_PATH_MAX);
	if (!out.json) {
		path_show_text(arg, tb);
		return MNL_CB_OK;
	}
	out_object(NULL);
	out_string("dev", NULL, nl_string(tb[MRC_A_PATH_DEV]));
	out_addr("dst", NULL, nl_addr(tb[MRC_A_PATH_DST]));
	out_string("mode", NULL, path_mode_name(nl_u32(tb[MRC_A_PATH_MODE])));
	if (tb[MRC_A_PATH_QPN])
		out_uint("qpn", NULL, nl_u32(tb[MRC_A_PATH_QPN]));
	path_json(tb);
	out_object_end();
	return MNL_CB_OK;
}

static int path_show(struct nl *nl, int argc, char **argv)
{
	struct path_show show = {};
	struct path_args p;
	uint32_t state, usid;
	struct arg args[] = {
		{ "dev", ARG_NAME, false, &p.dev, .attr = MRC_A_PATH_DEV },
		{ "dst", ARG_GID, false, &p.dst, .attr = MRC_A_PATH_DST },
		{ "port", ARG_PORT, false, &p.port, .attr = MRC_A_PATH_PORT },
		{ "state", ARG_WORD, false, &state, .words = path_states,
		  .attr = MRC_A_PATH_STATE },
		{ "usid", ARG_HEX, false, &usid, .attr = MRC_A_PATH_USID },
		{ NULL }
	};
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	return request_dump(nl, MRC_CMD_PATH_GET, args, on_path,
			    path_show_flush, &show);
}

static int on_save(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_PATH_MAX + 1];
	char dst[OUT_WORD], sid[OUT_WORD];

	nl_attrs(nlh, tb, MRC_A_PATH_MAX);
	/* Others follow from what is saved anyway. */
	if (nl_u32(tb[MRC_A_PATH_MODE]) != MRC_PATH_MODE_EXPLICIT)
		return MNL_CB_OK;
	if (!nl_addr(tb[MRC_A_PATH_DST]) || !nl_addr(tb[MRC_A_PATH_SID]))
		return MNL_CB_OK;
	fprintf(arg, "path add dev %s dst %s ev %u port %u sid %s",
		nl_string(tb[MRC_A_PATH_DEV]),
		out_addr_word(nl_addr(tb[MRC_A_PATH_DST]), dst),
		nl_u32(tb[MRC_A_PATH_EV]), nl_u32(tb[MRC_A_PATH_PORT]),
		out_addr_word(nl_addr(tb[MRC_A_PATH_SID]), sid));
	if (tb[MRC_A_PATH_SRH])
		fprintf(arg, " srh %s",
			out_addr_word(nl_addr(tb[MRC_A_PATH_SRH]), sid));
	fputc('\n', arg);
	return MNL_CB_OK;
}

/**
 * path_save() - write the commands that create the explicit paths of a device
 * @nl: connection
 * @dev: name of the device
 * @f: where to
 *
 * Return: enum exit_code.
 */
int path_save(struct nl *nl, const char *dev, FILE *f)
{
	return request_save(nl, MRC_CMD_PATH_GET, MRC_A_PATH_DEV, dev, on_save,
			    f);
}

static const struct command path_commands[] = {
	{ "show", path_show },
	{ "add", path_add },
	{ "replace", path_replace },
	{ "del", path_del },
	{ "flush", path_flush },
	{ "deny", path_deny },
	{ "allow", path_allow },
	{ "rules", path_rules },
	{ NULL }
};

const struct object path_object = {
	.name = "path",
	.usage = "mrcctl path show [dev NAME] [dst GID] [port N] [state STATE] [usid HEX]\n"
		 "mrcctl path { add | replace } dev NAME dst GID ev VALUE port N\n"
		 "            sid IPV6 [srh IPV6]\n"
		 "mrcctl path del dev NAME dst GID ev VALUE\n"
		 "mrcctl path flush dev NAME [dst GID]\n"
		 "mrcctl path { deny | allow } dev NAME [dst PREFIX] [ev VALUE] [port N]\n"
		 "            [usid HEX [next HEX]]\n"
		 "mrcctl path rules [dev NAME]\n",
	.commands = path_commands,
};
