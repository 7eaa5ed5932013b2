// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What several commands print: names of numbers that the kernel reports, lists.
 */
#include "mrcctl.h"
#include "out.h"
#include "show.h"

static const char *name_of(const char * const *names, size_t n, uint32_t value)
{
	return value < n && names[value] ? names[value] : "unknown";
}

/**
 * port_state_name() - word for the state of a port
 * @state: enum mrc_port_state
 *
 * Return: the word.
 */
const char *port_state_name(uint32_t state)
{
	static const char * const names[] = {
		[MRC_PORT_STATE_DOWN] = "down",
		[MRC_PORT_STATE_UP] = "up",
		[MRC_PORT_STATE_GONE] = "gone",
		[MRC_PORT_STATE_DISABLED] = "disabled",
		[MRC_PORT_STATE_NARROW] = "narrow",
	};

	return name_of(names, MNL_ARRAY_SIZE(names), state);
}

const char * const path_states[] = {
	"unknown", "idle", "backup", "good", "skip", "bad", "denied", "down",
	NULL
};

/**
 * path_state_name() - word for the state of a path
 * @state: enum mrc_path_state
 *
 * Return: the word.
 */
const char *path_state_name(uint32_t state)
{
	return name_of(path_states, MNL_ARRAY_SIZE(path_states) - 1, state);
}

/**
 * qp_state_name() - word for the state of a queue pair
 * @state: enum mrc_qp_state
 *
 * Return: the word.
 */
const char *qp_state_name(uint32_t state)
{
	static const char * const names[] = {
		[MRC_QP_STATE_RESET] = "RESET",
		[MRC_QP_STATE_INIT] = "INIT",
		[MRC_QP_STATE_RTR] = "RTR",
		[MRC_QP_STATE_RTS] = "RTS",
		[MRC_QP_STATE_SQD] = "SQD",
		[MRC_QP_STATE_SQE] = "SQE",
		[MRC_QP_STATE_ERR] = "ERR",
	};

	return name_of(names, MNL_ARRAY_SIZE(names), state);
}

/**
 * path_mode_name() - word for the origin of paths
 * @mode: enum mrc_path_mode
 *
 * Return: the word.
 */
const char *path_mode_name(uint32_t mode)
{
	static const char * const names[] = {
		[MRC_PATH_MODE_AUTO] = "auto",
		[MRC_PATH_MODE_EXPLICIT] = "explicit",
		[MRC_PATH_MODE_PROFILE] = "profile",
	};

	return name_of(names, MNL_ARRAY_SIZE(names), mode);
}

const char * const object_states[] = {
	"unknown", "init", "offline", "online", NULL
};

const char * const icrc_modes[] = { "unknown", "auto", "always", NULL };

const char * const peer_ports_words[] = {
	"unknown", "trust", "ignore", NULL
};

const char * const format_kinds[] = {
	"unknown", "udp", "stev", "srv6", "srv6-srh", NULL
};

const char * const profile_kinds[] = {
	"unknown", "auto", "explicit", "generated", NULL
};

/**
 * word_of() - word for a number
 * @words: by number, up to a NULL; 0 is for unknown numbers
 * @attr: attribute with the number, or NULL
 *
 * Return: the word.
 */
const char *word_of(const char * const *words, const struct nlattr *attr)
{
	uint32_t i;

	for (i = 1; words[i]; i++) {
		if (i == nl_u32(attr))
			return words[i];
	}
	return words[0];
}

const struct counter_name path_counters[] = {
	{ MRC_A_PATH_COUNTERS_TX_PKTS, "tx_pkts" },
	{ MRC_A_PATH_COUNTERS_TX_BYTES, "tx_bytes" },
	{ MRC_A_PATH_COUNTERS_RTX_PKTS, "rtx_pkts" },
	{ MRC_A_PATH_COUNTERS_ACKED, "acked" },
	{ MRC_A_PATH_COUNTERS_ECN, "ecn" },
	{ MRC_A_PATH_COUNTERS_TRIMS, "trims" },
	{ MRC_A_PATH_COUNTERS_LOSSES, "losses" },
	{ MRC_A_PATH_COUNTERS_TIMEOUTS, "timeouts" },
	{ MRC_A_PATH_COUNTERS_PROBES, "probes" },
	{ MRC_A_PATH_COUNTERS_BAD, "bad" },
	{ MRC_A_PATH_COUNTERS_PADDED_LOST, "padded_lost" },
	{ 0, NULL }
};

const struct counter_name port_counters[] = {
	{ MRC_A_PORT_COUNTERS_TX_PKTS, "tx_pkts" },
	{ MRC_A_PORT_COUNTERS_TX_BYTES, "tx_bytes" },
	{ MRC_A_PORT_COUNTERS_TX_DISCARDS, "tx_discards" },
	{ MRC_A_PORT_COUNTERS_RX_PKTS, "rx_pkts" },
	{ MRC_A_PORT_COUNTERS_RX_BYTES, "rx_bytes" },
	{ MRC_A_PORT_COUNTERS_RX_ERRORS, "rx_errors" },
	{ MRC_A_PORT_COUNTERS_LINK_DOWNED, "link_downed" },
	{ 0, NULL }
};

const struct counter_name qp_counters[] = {
	{ MRC_A_QP_COUNTERS_TX_PKTS, "tx_pkts" },
	{ MRC_A_QP_COUNTERS_TX_BYTES, "tx_bytes" },
	{ MRC_A_QP_COUNTERS_RTX_PKTS, "rtx_pkts" },
	{ MRC_A_QP_COUNTERS_RTX_BYTES, "rtx_bytes" },
	{ MRC_A_QP_COUNTERS_RACK_LOSS_PATH, "rack_loss_path" },
	{ MRC_A_QP_COUNTERS_RACK_LOSS_ANY, "rack_loss_any" },
	{ MRC_A_QP_COUNTERS_TIMEOUTS, "timeouts" },
	{ MRC_A_QP_COUNTERS_SACKS_RX, "sacks_rx" },
	{ MRC_A_QP_COUNTERS_NACKS_RX, "nacks_rx" },
	{ MRC_A_QP_COUNTERS_RNR_RX, "rnr_rx" },
	{ MRC_A_QP_COUNTERS_PROBES_TX, "probes_tx" },
	{ MRC_A_QP_COUNTERS_STALLS_MPR, "stalls_mpr" },
	{ MRC_A_QP_COUNTERS_STALLS_CWND, "stalls_cwnd" },
	{ MRC_A_QP_COUNTERS_SPURIOUS, "spurious" },
	{ MRC_A_QP_COUNTERS_STALLS_PATH, "stalls_path" },
	{ MRC_A_QP_COUNTERS_RX_PKTS, "rx_pkts" },
	{ MRC_A_QP_COUNTERS_RX_BYTES, "rx_bytes" },
	{ MRC_A_QP_COUNTERS_RX_DUPS, "rx_dups" },
	{ MRC_A_QP_COUNTERS_RX_OOO, "rx_ooo" },
	{ MRC_A_QP_COUNTERS_RX_WINDOW, "rx_window" },
	{ MRC_A_QP_COUNTERS_RX_ECN, "rx_ecn" },
	{ MRC_A_QP_COUNTERS_SACKS_TX, "sacks_tx" },
	{ MRC_A_QP_COUNTERS_ACKS_TX, "acks_tx" },
	{ MRC_A_QP_COUNTERS_NACKS_TX, "nacks_tx" },
	{ MRC_A_QP_COUNTERS_RNR_TX, "rnr_tx" },
	{ 0, NULL }
};

/* Those of a peer are some of these of a queue pair, under the same numbers. */
const struct counter_name peer_counters[] = {
	{ MRC_A_QP_COUNTERS_TX_PKTS, "tx_pkts" },
	{ MRC_A_QP_COUNTERS_TX_BYTES, "tx_bytes" },
	{ MRC_A_QP_COUNTERS_RTX_PKTS, "rtx_pkts" },
	{ MRC_A_QP_COUNTERS_RTX_BYTES, "rtx_bytes" },
	{ MRC_A_QP_COUNTERS_TIMEOUTS, "timeouts" },
	{ MRC_A_QP_COUNTERS_NACKS_RX, "nacks_rx" },
	{ MRC_A_QP_COUNTERS_SPURIOUS, "spurious" },
	{ MRC_A_QP_COUNTERS_RX_PKTS, "rx_pkts" },
	{ MRC_A_QP_COUNTERS_RX_BYTES, "rx_bytes" },
	{ MRC_A_QP_COUNTERS_RX_DUPS, "rx_dups" },
	{ MRC_A_QP_COUNTERS_RX_ECN, "rx_ecn" },
	{ 0, NULL }
};

/**
 * counters_json() - print counters
 * @nest: the counters, or NULL
 * @names: their keys
 */
void counters_json(const struct nlattr *nest, const struct counter_name *names)
{
	const struct nlattr *tb[MRC_A_QP_COUNTERS_MAX + 1];

	nl_nest(nest, tb, MRC_A_QP_COUNTERS_MAX);
	for (; names->name; names++)
		out_uint(names->name, NULL, nl_u64(tb[names->attr]));
}

/**
 * fields_save() - write a list of fields as the command line accepts it
 * @f: where to
 * @nlh: message
 * @type: attribute of a field
 * @write: writes a field into OUT_WORD bytes
 */
void fields_save(FILE *f, const struct nlmsghdr *nlh, int type,
		 void (*write)(const struct nlattr *nest, char *word))
{
	const char *lead = " field ";
	const struct nlattr *attr;
	char word[OUT_WORD];

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != type)
			continue;
		write(attr, word);
		fprintf(f, "%s%s", lead, word);
		lead = ",";
	}
}

/**
 * fields_show() - print a list of fields as the command line accepts it
 * @nlh: message
 * @type: attribute of a field
 * @lead: in text: printed before the first
 * @write: writes a field into OUT_WORD bytes
 */
void fields_show(const struct nlmsghdr *nlh, int type, const char *lead,
		 void (*write)(const struct nlattr *nest, char *word))
{
	const struct nlattr *attr;
	char word[OUT_WORD];

	out_array("field");
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != type)
			continue;
		write(attr, word);
		out_text("%s", lead);
		lead = ",";
		out_string(NULL, "%s", word);
	}
	out_array_end();
}

/**
 * stats_print() - print the counters in a device's message
 * @nlh: message
 * @all: in text, also those that are zero
 */
void stats_print(const struct nlmsghdr *nlh, bool all)
{
	const struct nlattr *tb[MRC_A_STAT_MAX + 1];
	const struct nlattr *attr;
	uint64_t value;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != MRC_A_DEV_STAT)
			continue;
		nl_nest(attr, tb, MRC_A_STAT_MAX);
		value = nl_u64(tb[MRC_A_STAT_VALUE]);
		if (!all && !value && !out.json)
			continue;
		out_text("    %-28s", nl_string(tb[MRC_A_STAT_NAME]));
		out_uint(nl_string(tb[MRC_A_STAT_NAME]), "%s\n", value);
	}
}
