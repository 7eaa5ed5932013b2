// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl profile: EV profiles.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"
#include "out.h"
#include "request.h"
#include "save.h"
#include "show.h"

/**
 * struct ev_field - one field of an entropy value
 * @width: bits
 * @init: value before bits of the entropy value overwrite some
 * @mask: those bits
 * @lowest: smallest number they form
 * @highest: largest one
 */
struct ev_field {
	uint64_t width;
	uint64_t init;
	uint64_t mask;
	uint64_t lowest;
	uint64_t highest;
};

/* Cut @word at @c; returns the rest after it, or NULL. */
static char *cut(char *word, char c)
{
	char *at = strchr(word, c);

	if (at)
		*at++ = '\0';
	return at;
}

/* WIDTH[=INIT][/MASK[:LOWEST-HIGHEST]]; @word is written to. */
static int parse_ev_field(char *word, struct ev_field *f)
{
	char *mask = cut(word, '/');
	char *init = cut(word, '=');
	char *range = mask ? cut(mask, ':') : NULL;
	char *high = range ? cut(range, '-') : NULL;
	int ret;

	ret = parse_number("field", word, 10, UINT8_MAX, &f->width);
	if (!ret && init)
		ret = parse_number("field", init, 0, UINT32_MAX, &f->init);
	if (!ret && mask)
		ret = parse_number("field", mask, 0, UINT32_MAX, &f->mask);
	f->highest = (1ULL << __builtin_popcountll(f->mask)) - 1;
	if (!ret && range)
		ret = parse_number("field", range, 0, UINT32_MAX, &f->lowest);
	if (!ret && range && !high)
		return usage_error("'field': no '-' and largest number after %s",
				   range);
	if (!ret && high)
		ret = parse_number("field", high, 0, UINT32_MAX, &f->highest);
	return ret;
}

static int put_ev_field(char *word, void *arg)
{
	struct nlmsghdr *nlh = arg;
	struct ev_field f = {};
	struct nlattr *nest;
	int ret;

	ret = parse_ev_field(word, &f);
	if (ret)
		return ret;
	nest = mnl_attr_nest_start(nlh, MRC_A_PROFILE_FIELD);
	mnl_attr_put_u32(nlh, MRC_A_EV_FIELD_WIDTH, f.width);
	mnl_attr_put_u32(nlh, MRC_A_EV_FIELD_INIT, f.init);
	mnl_attr_put_u32(nlh, MRC_A_EV_FIELD_LOWEST, f.lowest);
	mnl_attr_put_u32(nlh, MRC_A_EV_FIELD_HIGHEST, f.highest);
	mnl_attr_put_u32(nlh, MRC_A_EV_FIELD_MASK, f.mask);
	mnl_attr_nest_end(nlh, nest);
	return EXIT_OK;
}

/* enum mrc_ev_event: the number of a word is the mask that it stands for, plus 1. */
static const char * const event_words[] = {
	"unknown", "none", "good", "bad", "all", NULL
};

/**
 * struct profile_args - arguments of a profile
 * @name: its name
 * @dev: device
 * @format: name of the format
 * @fields: as written
 * @mode: enum mrc_profile_kind
 * @state: enum mrc_object_state
 * @count: entropy values
 * @active: in rotation
 * @min_active: minimum that stays in rotation
 * @packet: bytes
 * @events: a word of event_words, 0: none is given
 * @seed: of generated values
 */
struct profile_args {
	const char *name;
	const char *dev;
	const char *format;
	const char *fields;
	uint32_t mode;
	uint32_t state;
	uint32_t count;
	uint32_t active;
	uint32_t min_active;
	uint32_t packet;
	uint32_t events;
	uint64_t seed;
};

/* An explicit profile is set offline: it has to be filled in first. */
static uint32_t first_state(const struct profile_args *p)
{
	return p->mode == MRC_PROFILE_KIND_EXPLICIT ?
	       MRC_OBJECT_STATE_OFFLINE : MRC_OBJECT_STATE_ONLINE;
}

static int profile_make(struct nl *nl, int argc, char **argv, enum mrc_cmd cmd)
{
	struct profile_args p = {};
	struct arg args[] = {
		{ "name", ARG_NAME, true, &p.name, .positional = true,
		  .attr = MRC_A_PROFILE_NAME },
		{ "dev", ARG_NAME, true, &p.dev, .attr = MRC_A_PROFILE_DEV },
		{ "mode", ARG_WORD, false, &p.mode, .words = profile_kinds,
		  .attr = MRC_A_PROFILE_MODE },
		{ "format", ARG_NAME, false, &p.format,
		  .attr = MRC_A_PROFILE_FORMAT },
		{ "count", ARG_U32, false, &p.count,
		  .attr = MRC_A_PROFILE_COUNT },
		{ "active", ARG_U32, false, &p.active,
		  .attr = MRC_A_PROFILE_ACTIVE },
		{ "min-active", ARG_U32, false, &p.min_active,
		  .attr = MRC_A_PROFILE_MIN_ACTIVE },
		{ "seed", ARG_U64, false, &p.seed, .attr = MRC_A_PROFILE_SEED },
		{ "packet", ARG_U32, false, &p.packet,
		  .attr = MRC_A_PROFILE_PACKET },
		{ "events", ARG_WORD, false, &p.events, .words = event_words },
		{ "field", ARG_LIST, false, &p.fields },
		{ "state", ARG_WORD, false, &p.state, .words = object_states },
		{ NULL }
	};
	struct nlmsghdr *nlh;
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	if (cmd == MRC_CMD_PROFILE_ADD && !p.state)
		p.state = first_state(&p);
	nlh = request_begin(nl, cmd, false, args);
	if (!nlh)
		return EXIT_KERNEL;
	if (p.state)
		mnl_attr_put_u32(nlh, MRC_A_PROFILE_STATE, p.state);
	if (p.events)
		mnl_attr_put_u32(nlh, MRC_A_PROFILE_EVENTS, p.events - 1);
	ret = p.fields ? parse_fields("field", p.fields, MRC_FIELDS_MAX,
				      put_ev_field, nlh) : EXIT_OK;
	return ret ? ret : nl_talk(nl, nlh, NULL, NULL);
}

static int profile_add(struct nl *nl, int argc, char **argv)
{
	return profile_make(nl, argc, argv, MRC_CMD_PROFILE_ADD);
}

static int profile_set(struct nl *nl, int argc, char **argv)
{
	return profile_make(nl, argc, argv, MRC_CMD_PROFILE_SET);
}

static int profile_del(struct nl *nl, int argc, char **argv)
{
	const char *name, *dev;
	struct arg args[] = {
		{ "name", ARG_NAME, true, &name, .positional = true,
		  .attr = MRC_A_PROFILE_NAME },
		{ "dev", ARG_NAME, true, &dev, .attr = MRC_A_PROFILE_DEV },
		{ NULL }
	};

	return request_do(nl, MRC_CMD_PROFILE_DEL, argc, argv, args);
}

/* --- entropy values ------------------------------------------------------- */

/* Hexadecimal digits, from the most significant bit on. */
static int parse_bits(const char *word, uint8_t *bits)
{
	size_t n = strlen(word), i;
	char digit[2] = {};

	if (!n || n > 2 * MRC_EV_LEN)
		return usage_error("'bits %s': not 1 to %d digits", word,
				   2 * MRC_EV_LEN);
	memset(bits, 0, MRC_EV_LEN);
	for (i = 0; i < n; i++) {
		if (!isxdigit((unsigned char)word[i]))
			return usage_error("'bits %s': not hexadecimal digits",
					   word);
		digit[0] = word[i];
		bits[i / 2] |= strtoul(digit, NULL, 16) << (i % 2 ? 0 : 4);
	}
	return EXIT_OK;
}

/* The reply contains those that were refused. */
static int on_refused(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_EV_MAX + 1];
	const struct nlattr *attr;
	int *refused = arg;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != MRC_A_PROFILE_EV)
			continue;
		nl_nest(attr, tb, MRC_A_EV_MAX);
		fprintf(stderr, "mrcctl: %s\n",
			nl_string(tb[MRC_A_EV_REASON]));
		++*refused;
	}
	return MNL_CB_OK;
}

static int profile_ev(struct nl *nl, int argc, char **argv)
{
	const char *name, *dev, *word = NULL;
	uint8_t bits[MRC_EV_LEN];
	uint32_t index, port = 0;
	struct arg args[] = {
		{ "name", ARG_NAME, true, &name, .positional = true,
		  .attr = MRC_A_PROFILE_NAME },
		{ "dev", ARG_NAME, true, &dev, .attr = MRC_A_PROFILE_DEV },
		{ "index", ARG_U32, true, &index },
		{ "port", ARG_PORT, false, &port },
		{ "bits", ARG_LIST, false, &word },
		{ "deny", ARG_FLAG },
		{ "allow", ARG_FLAG },
		{ NULL }
	};
	struct nlmsghdr *nlh;
	struct nlattr *nest;
	int ret, refused = 0;

	ret = args_parse(argc, argv, args);
	if (!ret && word)
		ret = parse_bits(word, bits);
	if (!ret && args_given(args, "deny") && args_given(args, "allow"))
		ret = usage_error("'deny' and 'allow' exclude each other");
	if (ret)
		return ret;
	nlh = request_begin(nl, MRC_CMD_PROFILE_EV_SET, false, args);
	if (!nlh)
		return EXIT_KERNEL;
	nest = mnl_attr_nest_start(nlh, MRC_A_PROFILE_EDIT);
	mnl_attr_put_u32(nlh, MRC_A_EV_INDEX, index);
	if (port)
		mnl_attr_put_u32(nlh, MRC_A_EV_PORT, port);
	if (word)
		mnl_attr_put(nlh, MRC_A_EV_BITS, sizeof(bits), bits);
	if (args_given(args, "deny") || args_given(args, "allow"))
		mnl_attr_put_u32(nlh, MRC_A_EV_DENIED,
				 args_given(args, "deny"));
	mnl_attr_nest_end(nlh, nest);
	ret = nl_talk(nl, nlh, on_refused, &refused);
	return ret || !refused ? ret : EXIT_KERNEL;
}

/* --- show ----------------------------------------------------------------- */

static void ev_field_word(const struct nlattr *nest, char *word)
{
	const struct nlattr *tb[MRC_A_EV_FIELD_MAX + 1];
	uint32_t init, mask;
	int n;

	nl_nest(nest, tb, MRC_A_EV_FIELD_MAX);
	init = nl_u32(tb[MRC_A_EV_FIELD_INIT]);
	mask = nl_u32(tb[MRC_A_EV_FIELD_MASK]);
	n = snprintf(word, OUT_WORD, "%u", nl_u32(tb[MRC_A_EV_FIELD_WIDTH]));
	if (init)
		n += snprintf(word + n, OUT_WORD - n, "=0x%x", init);
	if (mask)
		snprintf(word + n, OUT_WORD - n, "/0x%x:%u-%u", mask,
			 nl_u32(tb[MRC_A_EV_FIELD_LOWEST]),
			 nl_u32(tb[MRC_A_EV_FIELD_HIGHEST]));
}

/* Hexadecimal digits of an entropy value. */
enum { BITS_WORD = 2 * MRC_EV_LEN + 1 };

/* Digits up to the last that is not zero; @word has BITS_WORD bytes. */
static void bits_word(const struct nlattr *attr, char *word)
{
	const uint8_t *bits = attr ? mnl_attr_get_payload(attr) : NULL;
	int i, n = 0;

	for (i = 0; bits && i < 2 * MRC_EV_LEN; i++) {
		word[i] = "0123456789abcdef"[bits[i / 2] >> (i % 2 ? 0 : 4) &
					     15];
		if (word[i] != '0')
			n = i + 1;
	}
	if (!n)
		word[n++] = '0';
	word[n] = '\0';
}

static void show_ev(const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_EV_MAX + 1];
	char word[BITS_WORD];

	nl_nest(nest, tb, MRC_A_EV_MAX);
	bits_word(tb[MRC_A_EV_BITS], word);
	out_object(NULL);
	out_uint("index", "    index %s", nl_u32(tb[MRC_A_EV_INDEX]));
	out_uint("port", " port %s", nl_u32(tb[MRC_A_EV_PORT]));
	out_string("bits", " bits %s", word);
	out_uint("ev", " ev %s", nl_u32(tb[MRC_A_EV_VALUE]));
	out_uint("denied", NULL, nl_u32(tb[MRC_A_EV_DENIED]));
	out_text("%s\n", nl_u32(tb[MRC_A_EV_DENIED]) ? " denied" : "");
	out_object_end();
}

static void show_evs(const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == MRC_A_PROFILE_EV)
			show_ev(attr);
	}
}

static const char *events_word(const struct nlattr *attr)
{
	return event_words[(nl_u32(attr) & (MRC_EV_EVENT_GOOD |
					    MRC_EV_EVENT_ASSUMED_BAD)) + 1];
}

static void show_profile(const struct nlmsghdr *nlh, const struct nlattr **tb)
{
	out_string("name", "%s", nl_string(tb[MRC_A_PROFILE_NAME]));
	out_string("dev", " dev %s", nl_string(tb[MRC_A_PROFILE_DEV]));
	out_string("mode", " mode %s",
		   word_of(profile_kinds, tb[MRC_A_PROFILE_MODE]));
	if (tb[MRC_A_PROFILE_FORMAT])
		out_string("format", " format %s",
			   nl_string(tb[MRC_A_PROFILE_FORMAT]));
	out_uint("count", " count %s", nl_u32(tb[MRC_A_PROFILE_COUNT]));
	out_uint("active", " active %s", nl_u32(tb[MRC_A_PROFILE_ACTIVE]));
	out_uint("min-active", " min-active %s",
		 nl_u32(tb[MRC_A_PROFILE_MIN_ACTIVE]));
	out_uint("packet", " packet %s", nl_u32(tb[MRC_A_PROFILE_PACKET]));
	out_string("state", " state %s",
		   word_of(object_states, tb[MRC_A_PROFILE_STATE]));
	out_uint("users", " users %s", nl_u32(tb[MRC_A_PROFILE_USERS]));
	out_uint("seed", "\n    seed %s", nl_u64(tb[MRC_A_PROFILE_SEED]));
	if (tb[MRC_A_PROFILE_EVENTS])
		out_string("events", " events %s",
			   events_word(tb[MRC_A_PROFILE_EVENTS]));
	fields_show(nlh, MRC_A_PROFILE_FIELD, "\n    field ", ev_field_word);
	out_text("\n");
}

/**
 * struct profile_show - what is being printed
 * @open: a profile, whose continuation may follow
 */
struct profile_show {
	bool open;
};

static void profile_show_end(void *arg)
{
	struct profile_show *show = arg;

	if (show->open) {
		out_array_end();
		out_object_end();
	}
	show->open = false;
}

static int on_profile(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_PROFILE_MAX + 1];
	struct profile_show *show = arg;

	nl_attrs(nlh, tb, MRC_A_PROFILE_MAX);
	if (tb[MRC_A_PROFILE_STATE]) {
		profile_show_end(show);
		out_object(NULL);
		show_profile(nlh, tb);
		out_array("evs");
		show->open = true;
	}
	show_evs(nlh);
	return MNL_CB_OK;
}

static int profile_show(struct nl *nl, int argc, char **argv)
{
	struct profile_show show = {};
	const char *name, *dev;
	struct arg args[] = {
		{ "name", ARG_NAME, false, &name, .positional = true,
		  .attr = MRC_A_PROFILE_NAME },
		{ "dev", ARG_NAME, false, &dev, .attr = MRC_A_PROFILE_DEV },
		{ "evs", ARG_FLAG, .attr = MRC_A_PROFILE_EVS },
		{ NULL }
	};
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	return request_dump(nl, MRC_CMD_PROFILE_GET, args, on_profile,
			    profile_show_end, &show);
}

/* --- save ----------------------------------------------------------------- */

/**
 * struct profile_save - what is being written
 * @f: where to
 * @dev: device
 * @name: profile whose continuation may follow
 * @explicit: its entropy values were set one by one
 * @online: set it online after they have been set
 */
struct profile_save {
	FILE *f;
	const char *dev;
	char name[MRC_NAME_MAX];
	bool explicit;
	bool online;
};

static void save_end(struct profile_save *save)
{
	if (save->explicit && save->online)
		fprintf(save->f, "profile set %s dev %s state online\n",
			save->name, save->dev);
	save->explicit = false;
}

static void save_ev(const struct profile_save *save, const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_EV_MAX + 1];
	char word[BITS_WORD];
	bool set, denied;

	nl_nest(nest, tb, MRC_A_EV_MAX);
	set = save->explicit && nl_u32(tb[MRC_A_EV_PORT]);
	denied = nl_u32(tb[MRC_A_EV_DENIED]);
	if (!set && !denied)
		return;
	fprintf(save->f, "profile ev %s dev %s index %u", save->name,
		save->dev, nl_u32(tb[MRC_A_EV_INDEX]));
	bits_word(tb[MRC_A_EV_BITS], word);
	if (set)
		fprintf(save->f, " port %u bits %s", nl_u32(tb[MRC_A_EV_PORT]),
			word);
	fputs(denied ? " deny\n" : " allow\n", save->f);
}

/* An explicit one is set offline: it has to be filled in first. */
static void save_begin(struct profile_save *save, const struct nlmsghdr *nlh,
		       const struct nlattr **tb)
{
	uint32_t state = nl_u32(tb[MRC_A_PROFILE_STATE]);
	FILE *f = save->f;

	snprintf(save->name, sizeof(save->name), "%s",
		 nl_string(tb[MRC_A_PROFILE_NAME]));
	save->explicit = nl_u32(tb[MRC_A_PROFILE_MODE]) ==
			 MRC_PROFILE_KIND_EXPLICIT;
	save->online = state == MRC_OBJECT_STATE_ONLINE;
	if (save->explicit && save->online)
		state = MRC_OBJECT_STATE_OFFLINE;
	fprintf(f, "profile add %s dev %s mode %s", save->name, save->dev,
		word_of(profile_kinds, tb[MRC_A_PROFILE_MODE]));
	if (*nl_string(tb[MRC_A_PROFILE_FORMAT]))
		fprintf(f, " format %s", nl_string(tb[MRC_A_PROFILE_FORMAT]));
	fprintf(f, " count %u active %u min-active %u seed %llu packet %u",
		nl_u32(tb[MRC_A_PROFILE_COUNT]),
		nl_u32(tb[MRC_A_PROFILE_ACTIVE]),
		nl_u32(tb[MRC_A_PROFILE_MIN_ACTIVE]),
		(unsigned long long)nl_u64(tb[MRC_A_PROFILE_SEED]),
		nl_u32(tb[MRC_A_PROFILE_PACKET]));
	if (tb[MRC_A_PROFILE_EVENTS])
		fprintf(f, " events %s", events_word(tb[MRC_A_PROFILE_EVENTS]));
	fields_save(f, nlh, MRC_A_PROFILE_FIELD, ev_field_word);
	fprintf(f, " state %s\n", object_states[state]);
}

static int on_save(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[MRC_A_PROFILE_MAX + 1];
	struct profile_save *save = arg;
	const struct nlattr *attr;

	nl_attrs(nlh, tb, MRC_A_PROFILE_MAX);
	if (tb[MRC_A_PROFILE_STATE]) {
		save_end(save);
		save_begin(save, nlh, tb);
	}
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == MRC_A_PROFILE_EV)
			save_ev(save, attr);
	}
	return MNL_CB_OK;
}

/**
 * profile_save() - write the commands that create the EV profiles of a device
 * @nl: connection
 * @dev: name of the device
 * @f: where to
 *
 * Return: enum exit_code.
 */
int profile_save(struct nl *nl, const char *dev, FILE *f)
{
	struct profile_save save = { .f = f, .dev = dev };
	struct nlmsghdr *nlh = nl_begin(nl, MRC_CMD_PROFILE_GET, true);
	int ret;

	if (!nlh)
		return EXIT_KERNEL;
	mnl_attr_put_strz(nlh, MRC_A_PROFILE_DEV, dev);
	mnl_attr_put(nlh, MRC_A_PROFILE_EVS, 0, NULL);
	ret = nl_talk(nl, nlh, on_save, &save);
	save_end(&save);
	return ret;
}

static const struct command profile_commands[] = {
	{ "show", profile_show },
	{ "add", profile_add },
	{ "set", profile_set },
	{ "ev", profile_ev },
	{ "del", profile_del },
	{ NULL }
};

const struct object profile_object = {
	.name = "profile",
	.usage = "mrcctl profile show [NAME] [dev DEV] [evs]\n"
		 "mrcctl profile { add | set } NAME dev DEV [mode MODE] [format NAME]\n"
		 "               [count N] [active N] [min-active N] [seed N] [packet BYTES]\n"
		 "               [events { none | good | bad | all }] [field FIELD[,FIELD]...] [state STATE]\n"
		 "mrcctl profile ev NAME dev DEV index N [port N bits DIGITS] [deny | allow]\n"
		 "mrcctl profile del NAME dev DEV\n",
	.commands = profile_commands,
};
