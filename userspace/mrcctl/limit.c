// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl dev limits: limits and capabilities of devices.
 */
#include <stdio.h>

#include "limit.h"
#include "mrcctl.h"
#include "out.h"
#include "request.h"
#include "show.h"

/* Numbers, as they are shown; a line begins with each one that has a NULL before. */
static const struct limit {
	const char *key;
	int attr;
} limits[] = {
	{ "protocol", MRC_A_LIMIT_PROTOCOL },
	{ "mpr-min", MRC_A_LIMIT_MPR_MIN },
	{ "mpr-max", MRC_A_LIMIT_MPR_MAX },
	{ "mpr-unit", MRC_A_LIMIT_MPR_UNIT },
	{ NULL },
	{ "wimm-max", MRC_A_LIMIT_WIMM_MAX },
	{ "wimm-dest-max", MRC_A_LIMIT_WIMM_DEST_MAX },
	{ "timeout-max", MRC_A_LIMIT_TIMEOUT_MAX },
	{ "linear-max", MRC_A_LIMIT_LINEAR_MAX },
	{ "exp-max", MRC_A_LIMIT_EXP_MAX },
	{ NULL },
	{ "formats-max", MRC_A_LIMIT_FORMATS_MAX },
	{ "templates-max", MRC_A_LIMIT_TEMPLATES_MAX },
	{ "profiles-max", MRC_A_LIMIT_PROFILES_MAX },
	{ "ccs-max", MRC_A_LIMIT_CCS_MAX },
	{ "denies-max", MRC_A_LIMIT_DENIES_MAX },
	{ NULL },
	{ "evs-max", MRC_A_LIMIT_EVS_MAX },
	{ "evs-free", MRC_A_LIMIT_EVS_FREE },
	{ "profile-evs-max", MRC_A_LIMIT_PROFILE_EVS_MAX },
	{ "edits-max", MRC_A_LIMIT_EDITS_MAX },
	{ "fields-max", MRC_A_LIMIT_FIELDS_MAX },
	{ "ev-width-max", MRC_A_LIMIT_EV_WIDTH_MAX },
	{ NULL },
	{ "probes-max", MRC_A_LIMIT_PROBES_MAX },
	{ "probe-rounds-max", MRC_A_LIMIT_PROBE_ROUNDS_MAX },
	{ "probe-timeout-max", MRC_A_LIMIT_PROBE_TIMEOUT_MAX },
};

static const char * const features[] = {
	"trim-nack", "dynamic-mpr", "svc-time", NULL
};

static void show_numbers(const struct nlattr **tb)
{
	const struct limit *l = limits;
	char fmt[64];

	out_text("   ");
	for (; l < limits + MNL_ARRAY_SIZE(limits); l++) {
		if (!l->key) {
			out_text("\n   ");
			continue;
		}
		if (!tb[l->attr])
			continue;
		snprintf(fmt, sizeof(fmt), " %s %%s", l->key);
		out_uint(l->key, fmt, nl_u32(tb[l->attr]));
	}
	out_text("\n");
}

/* The words of a list, of which bit @from + i of @mask says whether word i is in. */
static void show_bits(const char *key, const char * const *words, int from,
		      uint32_t mask)
{
	int i;

	out_text("    %s", key);
	out_array(key);
	for (i = 0; words[i]; i++) {
		if (mask & 1u << (from + i))
			out_string(NULL, " %s", words[i]);
	}
	out_array_end();
	out_text("\n");
}

static void show_names(const char *key, const struct nlattr *nest, int attr)
{
	const struct nlattr *a;

	out_text("    %s", key);
	out_array(key);
	mnl_attr_for_each_nested(a, nest) {
		if (mnl_attr_get_type(a) == attr)
			out_string(NULL, " %s", mnl_attr_get_str(a));
	}
	out_array_end();
	out_text("\n");
}

static int on_dev(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_DEV_MAX + 1];
	const struct nlattr *limit[MRC_A_LIMIT_MAX + 1];

	(void)arg;
	nl_attrs(nlh, tb, MRC_A_DEV_MAX);
	if (!tb[MRC_A_DEV_LIMIT])
		return MNL_CB_OK;
	nl_nest(tb[MRC_A_DEV_LIMIT], limit, MRC_A_LIMIT_MAX);
	out_object(NULL);
	out_string("dev", "%s\n", nl_string(tb[MRC_A_DEV_NAME]));
	show_numbers(limit);
	show_bits("qp-features", features, 0,
		  nl_u32(limit[MRC_A_LIMIT_QP_FEATURES]));
	show_bits("formats", format_kinds + 1, 1,
		  nl_u32(limit[MRC_A_LIMIT_FORMAT_KINDS]));
	show_bits("profiles", profile_kinds + 1, 1,
		  nl_u32(limit[MRC_A_LIMIT_PROFILE_KINDS]));
	show_names("algorithms", tb[MRC_A_DEV_LIMIT], MRC_A_LIMIT_ALGORITHM);
	show_names("lbs", tb[MRC_A_DEV_LIMIT], MRC_A_LIMIT_LB);
	out_object_end();
	return MNL_CB_OK;
}

static int get_limits(struct nl *nl, const char *name)
{
	struct nlmsghdr *nlh = nl_begin(nl, MRC_CMD_DEV_GET, !name);

	if (!nlh)
		return EXIT_KERNEL;
	if (name)
		mnl_attr_put_strz(nlh, MRC_A_DEV_NAME, name);
	mnl_attr_put(nlh, MRC_A_DEV_LIMITS, 0, NULL);
	return nl_talk(nl, nlh, on_dev, NULL);
}

/**
 * dev_limits() - "dev limits": show limits and capabilities
 * @nl: connection
 * @argc: number of arguments
 * @argv: arguments
 *
 * Return: enum exit_code.
 */
int dev_limits(struct nl *nl, int argc, char **argv)
{
	const char *name = NULL;
	struct arg args[] = {
		{ "dev", ARG_NAME, false, &name, .positional = true },
		{ NULL }
	};
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	out_begin();
	ret = get_limits(nl, name);
	out_end();
	return ret;
}
