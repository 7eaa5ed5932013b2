// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl cc: CC profiles.
 */
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"
#include "out.h"
#include "request.h"
#include "save.h"
#include "show.h"

/* Fractions are transferred in millionths. */
enum { DIGITS = 6, ONE = 1000000 };

/**
 * struct param - a number of a profile
 * @key: as written
 * @fraction: with a decimal point
 */
struct param {
	const char *key;
	bool fraction;
};

enum { PARAMS = MRC_A_CC_MAX - MRC_A_CC_WINDOW + 1 };

/* In the order of their attributes. */
static const struct param params[PARAMS] = {
	{ "window" },
	{ "rate" },
	{ "base-rtt" },
	{ "trims" },
	{ "target-delay" },
	{ "jitter" },
	{ "fi" },
	{ "fi-scale", true },
	{ "eta" },
	{ "gamma", true },
	{ "max-md-jump", true },
	{ "adjust-bytes" },
	{ "adjust-period" },
	{ "qa-threshold" },
	{ "qa-gate" },
	{ "disable-qa" },
	{ "reo-wnd-path" },
	{ "reo-wnd-any" },
	{ "timeout" },
	{ "linear" },
	{ "exp" },
	{ "mpr" },
	{ "nack-retry" },
};

/* Digits after the point; @value is in units of one on entry. */
static int parse_decimals(const char *key, const char *digits, uint64_t *value)
{
	size_t n = strspn(digits, "0123456789");
	uint64_t unit = ONE / 10;

	if (!n || n > DIGITS || digits[n])
		return usage_error("'%s': not 1 to %d digits after the point",
				   key, DIGITS);
	*value *= ONE;
	for (; *digits; digits++, unit /= 10)
		*value += (*digits - '0') * unit;
	return EXIT_OK;
}

static int parse_fraction(const char *key, const char *word, uint64_t *value)
{
	char whole[ARG_FIELD];
	size_t n = strcspn(word, ".");
	int ret;

	snprintf(whole, sizeof(whole), "%.*s", (int)n, word);
	ret = parse_number(key, whole, 10, (MRC_CC_DEFAULT - 1) / ONE - 1,
			   value);
	if (ret)
		return ret;
	if (word[n])
		return parse_decimals(key, word + n + 1, value);
	*value *= ONE;
	return EXIT_OK;
}

/* "default" resets a parameter. */
static int parse_param(const struct param *param, const char *word,
		       uint64_t *value)
{
	if (!strcmp(word, "default")) {
		*value = MRC_CC_DEFAULT;
		return EXIT_OK;
	}
	if (param->fraction)
		return parse_fraction(param->key, word, value);
	return parse_number(param->key, word, 0, MRC_CC_DEFAULT - 1, value);
}

static int parse_params(const char **words, uint64_t *values)
{
	int i, ret = EXIT_OK;

	for (i = 0; i < PARAMS && !ret; i++) {
		if (words[i])
			ret = parse_param(&params[i], words[i], &values[i]);
	}
	return ret;
}

static void put_word(struct nlmsghdr *nlh, int attr, const char *word)
{
	if (word)
		mnl_attr_put_strz(nlh, attr,
				  strcmp(word, "default") ? word : "");
}

/* Arguments that are no numbers, and the end of the table. */
enum { FIRST_PARAM = 5 };

static int cc_make(struct nl *nl, int argc, char **argv, enum mrc_cmd cmd)
{
	const char *name, *dev, *algorithm = NULL, *lb = NULL;
	const char *words[PARAMS] = {};
	uint64_t values[PARAMS];
	uint32_t state = 0;
	struct arg args[FIRST_PARAM + PARAMS + 1] = {
		{ "name", ARG_NAME, true, &name, .positional = true,
		  .attr = MRC_A_CC_NAME },
		{ "dev", ARG_NAME, true, &dev, .attr = MRC_A_CC_DEV },
		{ "algorithm", ARG_NAME, false, &algorithm },
		{ "lb", ARG_NAME, false, &lb },
		{ "state", ARG_WORD, false, &state, .words = object_states },
	};
	struct nlmsghdr *nlh;
	int i, ret;

	for (i = 0; i < PARAMS; i++)
		args[FIRST_PARAM + i] = (struct arg){
			params[i].key, ARG_LIST, false, &words[i],
		};
	ret = args_parse(argc, argv, args);
	if (!ret)
		ret = parse_params(words, values);
	if (ret)
		return ret;
	if (cmd == MRC_CMD_CC_ADD && !state)
		state = MRC_OBJECT_STATE_ONLINE;
	nlh = request_begin(nl, cmd, false, args);
	if (!nlh)
		return EXIT_KERNEL;
	put_word(nlh, MRC_A_CC_ALGORITHM, algorithm);
	put_word(nlh, MRC_A_CC_LB, lb);
	if (state)
		mnl_attr_put_u32(nlh, MRC_A_CC_STATE, state);
	for (i = 0; i < PARAMS; i++) {
		if (words[i])
			mnl_attr_put_u32(nlh, MRC_A_CC_WINDOW + i, values[i]);
	}
	return nl_talk(nl, nlh, NULL, NULL);
}

static int cc_add(struct nl *nl, int argc, char **argv)
{
	return cc_make(nl, argc, argv, MRC_CMD_CC_ADD);
}

static int cc_set(struct nl *nl, int argc, char **argv)
{
	return cc_make(nl, argc, argv, MRC_CMD_CC_SET);
}

static int cc_del(struct nl *nl, int argc, char **argv)
{
	const char *name, *dev;
	struct arg args[] = {
		{ "name", ARG_NAME, true, &name, .positional = true,
		  .attr = MRC_A_CC_NAME },
		{ "dev", ARG_NAME, true, &dev, .attr = MRC_A_CC_DEV },
		{ NULL }
	};

	return request_do(nl, MRC_CMD_CC_DEL, argc, argv, args);
}

/* As parse_fraction() accepts it, without zeros at the end. */
static void fraction_word(uint32_t value, char *word)
{
	int n = snprintf(word, OUT_WORD, "%u.%06u", value / ONE, value % ONE);

	while (word[n - 1] == '0')
		n--;
	if (word[n - 1] == '.')
		n--;
	word[n] = '\0';
}

static void show_param(const struct param *param, const struct nlattr *attr)
{
	char word[OUT_WORD];

	out_text(" %s ", param->key);
	if (!param->fraction) {
		out_uint(param->key, "%s", nl_u32(attr));
		return;
	}
	fraction_word(nl_u32(attr), word);
	out_string(param->key, "%s", word);
}

static int on_cc(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_CC_MAX + 1];
	int i;

	(void)arg;
	nl_attrs(nlh, tb, MRC_A_CC_MAX);
	out_object(NULL);
	out_string("name", "%s", nl_string(tb[MRC_A_CC_NAME]));
	out_string("dev", " dev %s", nl_string(tb[MRC_A_CC_DEV]));
	if (tb[MRC_A_CC_ALGORITHM])
		out_string("algorithm", " algorithm %s",
			   nl_string(tb[MRC_A_CC_ALGORITHM]));
	if (tb[MRC_A_CC_LB])
		out_string("lb", " lb %s", nl_string(tb[MRC_A_CC_LB]));
	for (i = 0; i < PARAMS; i++) {
		if (tb[MRC_A_CC_WINDOW + i])
			show_param(&params[i], tb[MRC_A_CC_WINDOW + i]);
	}
	out_string("state", " state %s",
		   word_of(object_states, tb[MRC_A_CC_STATE]));
	out_uint("users", " users %s\n", nl_u32(tb[MRC_A_CC_USERS]));
	out_object_end();
	return MNL_CB_OK;
}

static int cc_show(struct nl *nl, int argc, char **argv)
{
	const char *name, *dev;
	struct arg args[] = {
		{ "name", ARG_NAME, false, &name, .positional = true,
		  .attr = MRC_A_CC_NAME },
		{ "dev", ARG_NAME, false, &dev, .attr = MRC_A_CC_DEV },
		{ NULL }
	};

	return request_show(nl, MRC_CMD_CC_GET, argc, argv, args, on_cc);
}

static void save_param(FILE *f, const struct param *param,
		       const struct nlattr *attr)
{
	char word[OUT_WORD];

	if (param->fraction)
		fraction_word(nl_u32(attr), word);
	else
		snprintf(word, sizeof(word), "%u", nl_u32(attr));
	fprintf(f, " %s %s", param->key, word);
}

static int on_save(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_CC_MAX + 1];
	FILE *f = arg;
	int i;

	nl_attrs(nlh, tb, MRC_A_CC_MAX);
	fprintf(f, "cc add %s dev %s", nl_string(tb[MRC_A_CC_NAME]),
		nl_string(tb[MRC_A_CC_DEV]));
	if (tb[MRC_A_CC_ALGORITHM])
		fprintf(f, " algorithm %s", nl_string(tb[MRC_A_CC_ALGORITHM]));
	if (tb[MRC_A_CC_LB])
		fprintf(f, " lb %s", nl_string(tb[MRC_A_CC_LB]));
	for (i = 0; i < PARAMS; i++) {
		if (tb[MRC_A_CC_WINDOW + i])
			save_param(f, &params[i], tb[MRC_A_CC_WINDOW + i]);
	}
	fprintf(f, " state %s\n", word_of(object_states, tb[MRC_A_CC_STATE]));
	return MNL_CB_OK;
}

/**
 * cc_save() - write the commands that create the CC profiles of a device
 * @nl: connection
 * @dev: name of the device
 * @f: where to
 *
 * Return: enum exit_code.
 */
int cc_save(struct nl *nl, const char *dev, FILE *f)
{
	return request_save(nl, MRC_CMD_CC_GET, MRC_A_CC_DEV, dev, on_save, f);
}

/**
 * cc_key() - key of a parameter of a CC profile
 * @i: number
 *
 * Return: the key, or NULL after the last.
 */
const char *cc_key(int i)
{
	static const char * const words[] = { "algorithm", "lb" };
	int n = MNL_ARRAY_SIZE(words);

	if (i < n)
		return words[i];
	return i < n + PARAMS ? params[i - n].key : NULL;
}

static const struct command cc_commands[] = {
	{ "show", cc_show },
	{ "add", cc_add },
	{ "set", cc_set },
	{ "del", cc_del },
	{ NULL }
};

const struct object cc_object = {
	.name = "cc",
	.usage = "mrcctl cc show [NAME] [dev DEV]\n"
		 "mrcctl cc { add | set } NAME dev DEV [algorithm { none | fixed | nscc }]\n"
		 "          [lb { rotation | reps }] [state STATE] [PARAMETER VALUE]...\n"
		 "mrcctl cc del NAME dev DEV\n",
	.commands = cc_commands,
};
