// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl qp: attributes of queue pairs that verbs have not.
 */
#include <string.h>

#include "mrcctl.h"
#include "out.h"
#include "qp_attr.h"
#include "request.h"
#include "show.h"

/* Words of ARG_WORD begin with 1, values of the kernel with 0. */
static const char * const switch_words[] = { "unknown", "off", "on", NULL };
enum { SWITCH_OFF = 1, SWITCH_ON };

/* Attributes that are on or off. */
static const struct {
	const char *key;
	const char *fmt;
	int attr;
} switches[] = {
	{ "trim-nack", " trim-nack %s", MRC_A_QP_TRIM_NACK },
	{ "dynamic-mpr", " dynamic-mpr %s", MRC_A_QP_DYNAMIC_MPR },
	{ "svc-time", " svc-time %s", MRC_A_QP_SVC_TIME },
	{ "svc-time-dest", " svc-time-dest %s", MRC_A_QP_SVC_TIME_DEST },
};

enum { SWITCHES = MNL_ARRAY_SIZE(switches) };

/* Attributes that are numbers. */
static const struct {
	const char *key;
	const char *fmt;
	int attr;
} numbers[] = {
	{ "timeout", "    timeout %s", MRC_A_QP_TIMEOUT },
	{ "linear", " linear %s", MRC_A_QP_LINEAR },
	{ "exp", " exp %s", MRC_A_QP_EXP },
	{ "mpr", " mpr %s", MRC_A_QP_MPR },
	{ "mpr-dest", " mpr-dest %s", MRC_A_QP_MPR_DEST },
	{ "wimm", " wimm %s", MRC_A_QP_WIMM },
	{ "wimm-dest", " wimm-dest %s", MRC_A_QP_WIMM_DEST },
};

enum { NUMBERS = MNL_ARRAY_SIZE(numbers) };

/**
 * qp_attrs_show() - show the attributes of a queue pair
 * @tb: attributes of the message
 */
void qp_attrs_show(const struct nlattr **tb)
{
	uint32_t i;

	if (!tb[MRC_A_QP_TIMEOUT])
		return;
	for (i = 0; i < NUMBERS; i++)
		out_uint(numbers[i].key, numbers[i].fmt,
			 nl_u32(tb[numbers[i].attr]));
	out_text("\n   ");
	for (i = 0; i < SWITCHES; i++)
		out_string(switches[i].key, switches[i].fmt,
			   nl_u32(tb[switches[i].attr]) ? "on" : "off");
	if (tb[MRC_A_QP_PROFILE])
		out_string("profile", " profile %s",
			   nl_string(tb[MRC_A_QP_PROFILE]));
	if (tb[MRC_A_QP_CC])
		out_string("cc-profile", " cc-profile %s", nl_string(tb[MRC_A_QP_CC]));
	out_text("\n");
}

static void put_profile(struct nlmsghdr *nlh, int attr, const char *name)
{
	if (name)
		mnl_attr_put_strz(nlh, attr,
				  strcmp(name, "default") ? name : "");
}

/**
 * qp_set() - "qp set": change attributes of a queue pair
 * @nl: connection
 * @argc: number of arguments
 * @argv: arguments
 *
 * "default" stands for the profile of the destination.
 *
 * Return: enum exit_code.
 */
int qp_set(struct nl *nl, int argc, char **argv)
{
	const char *dev, *profile = NULL, *cc = NULL;
	uint32_t qpn, i, number[NUMBERS] = {}, on[SWITCHES] = {};
	struct arg args[NUMBERS + SWITCHES + 5] = {
		{ "dev", ARG_NAME, true, &dev, .attr = MRC_A_QP_DEV },
		{ "qpn", ARG_U32, true, &qpn, .attr = MRC_A_QP_QPN },
		{ "profile", ARG_NAME, false, &profile },
		{ "cc", ARG_NAME, false, &cc },
	};
	struct arg *a = args + 4;
	struct nlmsghdr *nlh;
	int ret;

	for (i = 0; i < NUMBERS; i++)
		*a++ = (struct arg){ numbers[i].key, ARG_U32, false,
				     &number[i], .attr = numbers[i].attr };
	for (i = 0; i < SWITCHES; i++)
		*a++ = (struct arg){ switches[i].key, ARG_WORD, false, &on[i],
				     .words = switch_words };
	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	nlh = request_begin(nl, MRC_CMD_QP_SET, false, args);
	if (!nlh)
		return EXIT_KERNEL;
	put_profile(nlh, MRC_A_QP_PROFILE, profile);
	put_profile(nlh, MRC_A_QP_CC, cc);
	for (i = 0; i < SWITCHES; i++) {
		if (on[i])
			mnl_attr_put_u32(nlh, switches[i].attr,
					 on[i] == SWITCH_ON);
	}
	return nl_talk(nl, nlh, NULL, NULL);
}
