// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mrcctl restore: change the configuration to that of a file.
 *
 * The current configuration is saved and compared line by line; only lines that
 * differ are executed.  If one fails, the saved one is restored.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "mrcctl.h"
#include "out.h"
#include "request.h"
#include "save.h"

/**
 * struct change - from the current to the wanted configuration
 * @nl: connection
 * @file: name of the file, for messages
 * @have: current configuration
 * @want: wanted configuration
 */
struct change {
	struct nl *nl;
	const char *file;
	struct config have;
	struct config want;
};

/* One command; @line: that it comes from, if it is of the file. */
static int run(const struct change *c, const struct line *line,
	       const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int run(const struct change *c, const struct line *line,
	       const char *fmt, ...)
{
	char *text, *copy;
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = vasprintf(&text, fmt, args);
	va_end(args);
	copy = ret < 0 ? NULL : strdup(text);
	if (!copy) {
		fputs("mrcctl: out of memory\n", stderr);
		return EXIT_KERNEL;
	}
	if (out.details)
		printf("%s\n", text);
	ret = run_line(c->nl, copy);
	if (ret && line)
		fprintf(stderr, "mrcctl: this error is in line %d of %s\n",
			line->number, c->file);
	else if (ret)
		fprintf(stderr, "mrcctl: the failed command is '%s'\n", text);
	free(copy);
	free(text);
	return ret;
}

static bool same(const struct line *a, const struct line *b)
{
	return a && b && !strcmp(a->text, b->text);
}

static bool same_value(const struct line *a, const struct line *b,
		       const char *key)
{
	const char *x = line_value(a, key), *y = line_value(b, key);

	return x && y ? !strcmp(x, y) : x == y;
}

/* --- states --------------------------------------------------------------------- */

/* In the order in which they are reached. */
enum { STATE_INIT, STATE_OFFLINE, STATE_ONLINE, STATES };

static const char * const states[STATES] = { "init", "offline", "online" };

static bool is_explicit(const struct line *line)
{
	const char *mode = line_value(line, "mode");

	return mode && !strcmp(mode, "explicit");
}

/* What brings an explicit profile online when it has been filled in. */
static const struct line *profile_set(const struct config *config,
				      const struct line *line)
{
	char key[2 * ARG_FIELD + sizeof("profile set  ")];

	snprintf(key, sizeof(key), "profile set %.63s %.63s", line->argv[2],
		 line->dev);
	return config_find(config, key);
}

/* The state that a CC or EV profile has by a configuration. */
static int state_of(const struct config *config, const struct line *line)
{
	const char *state = line_value(line, "state");
	const struct line *set = NULL;
	int i = STATE_ONLINE;

	if (line->kind == LINE_PROFILE && is_explicit(line)) {
		set = profile_set(config, line);
		i = STATE_OFFLINE;
	}
	if (set && line_value(set, "state"))
		state = line_value(set, "state");
	if (!state)
		return i;
	for (i = STATE_INIT; i < STATE_ONLINE; i++) {
		if (!strcmp(state, states[i]))
			break;
	}
	return i;
}

/* --- can it be done? --------------------------------------------------------- */

/* An explicit profile that is online has all its values, and gets no others. */
static bool grows_online(const struct change *c, const struct line *have,
			 const struct line *want)
{
	const char *x = line_value(have, "count"), *y = line_value(want, "count");

	return is_explicit(have) && x && y && atoi(x) < atoi(y) &&
	       state_of(&c->have, have) == STATE_ONLINE;
}

/* What a format is, and of what a profile is made, changes for no user. */
static bool needs_rebuild(const struct change *c, const struct line *have,
			  const struct line *want)
{
	if (!want)
		return false;
	if (have->kind == LINE_FORMAT)
		return !same(have, want);
	return have->kind == LINE_PROFILE &&
	       (!same_value(have, want, "mode") ||
		!same_value(have, want, "format") ||
		grows_online(c, have, want));
}

static int check_devs(struct change *c)
{
	struct line *have, *want, *dev;
	size_t i;

	for (i = 0; i < c->have.n; i++) {
		have = c->have.line[i];
		want = config_find(&c->want, have->key);
		dev = config_dev(&c->want, have->dev);
		if (!dev)
			continue;
		if (have->kind == LINE_DEV && !same(have, want)) {
			usage_error("device %s has other ports: delete it first",
				    have->dev);
			fprintf(stderr, "mrcctl: this error is in line %d of %s\n",
				want->number, c->file);
			return EXIT_USAGE;
		}
		if (needs_rebuild(c, have, want))
			dev->rebuild = true;
	}
	return EXIT_OK;
}

/* Is it deleted and added again, as formats of its device change? */
static bool is_rebuilt(const struct change *c, const struct line *line)
{
	switch (line->kind) {
	case LINE_FORMAT:
	case LINE_PROFILE:
	case LINE_EV:
	case LINE_PROFILE_SET:
	case LINE_DEST:
		return config_dev(&c->want, line->dev)->rebuild;
	default:
		return false;
	}
}

/* --- first: delete what conflicts ------------------------------------------------ */

static int remove_named(const struct change *c, const struct line *line)
{
	return run(c, NULL, "%s del %s dev %s", line->argv[0], line->argv[2],
		   line->dev);
}

static int allow_ev(const struct change *c, const struct line *line)
{
	char key[2 * ARG_FIELD + sizeof("profile add  ")];

	snprintf(key, sizeof(key), "profile add %.63s %.63s", line->argv[2],
		 line->dev);
	if (!config_find(&c->want, key) ||
	    strcmp(line->argv[line->argc - 1], "deny"))
		return EXIT_OK;
	return run(c, NULL, "profile ev %s dev %s index %s allow",
		   line->argv[2], line->dev, line_value(line, "index"));
}

/* The SID of a path can be replaced in one step, but not its port. */
static bool is_led_on(const struct line *have, const struct line *want)
{
	return want && same_value(have, want, "port");
}

/* An attribute of a device without a line has its default. */
static int clear_dev(const struct change *c, const struct line *line)
{
	if (!strcmp(line->argv[3], "cc"))
		return run(c, NULL, "dev set %s cc default", line->dev);
	if (!strcmp(line->argv[3], "icrc"))
		return run(c, NULL, "dev set %s icrc auto", line->dev);
	if (!strcmp(line->argv[3], "peer-ports"))
		return run(c, NULL, "dev set %s peer-ports trust", line->dev);
	return EXIT_OK;
}

static int clear_line(const struct change *c, const struct line *line)
{
	const struct line *want = config_find(&c->want, line->key);
	bool rebuilt = is_rebuilt(c, line);

	switch (line->kind) {
	case LINE_DENY:
		return want ? EXIT_OK :
			      run(c, NULL, "path allow%s",
				  line->text + strlen("path deny"));
	case LINE_PATH:
		return is_led_on(line, want) ? EXIT_OK :
		       run(c, NULL, "path del dev %s dst %s ev %s", line->dev,
			   line_value(line, "dst"), line_value(line, "ev"));
	case LINE_DEST:
		return want && !rebuilt ? EXIT_OK : remove_named(c, line);
	case LINE_PROFILE:
	case LINE_FORMAT:
		return rebuilt ? remove_named(c, line) : EXIT_OK;
	case LINE_EV:
		return want || rebuilt ? EXIT_OK : allow_ev(c, line);
	case LINE_PORT:
		return want ? EXIT_OK :
			      run(c, NULL, "port set dev %s port %s up%s",
				  line->dev, line_value(line, "port"),
				  line_value(line, "usid") ? " usid none" : "");
	case LINE_DEV_SET:
		return want ? EXIT_OK : clear_dev(c, line);
	default:
		return EXIT_OK;
	}
}

/* --- then: what is new or different ----------------------------------------------- */

enum { WITHOUT_MAX = 3 };

static bool is_in(const char *const *keys, const char *key)
{
	int i;

	for (i = 0; i < WITHOUT_MAX; i++) {
		if (keys[i] && !strcmp(keys[i], key))
			return true;
	}
	return false;
}

/* Name and pairs of words, but for the pairs of some keys. */
static char *words_of(const struct line *line, const char *const *without)
{
	char *text = calloc(1, strlen(line->text) + 1);
	int i;

	for (i = 2; text && i < line->argc; i++) {
		if (i > 2 && i % 2 && is_in(without, line->argv[i])) {
			i++;
			continue;
		}
		strcat(text, " ");
		strcat(text, line->argv[i]);
	}
	return text;
}

static const char *const nothing[WITHOUT_MAX];

/*
 * The state to which an object is raised now, or NULL.  It is lowered when no
 * object refers to it; an explicit profile is set online when it is filled in.
 */
static const char *state_up(const struct change *c, const struct line *have,
			    const struct line *want)
{
	int from = state_of(&c->have, have), to = state_of(&c->want, want);

	if (want->kind == LINE_PROFILE && is_explicit(want) &&
	    to == STATE_ONLINE)
		return NULL;
	return to > from ? states[to] : NULL;
}

/* A parameter without a value in the file gets its default. */
static int set_cc(const struct change *c, const struct line *have,
		  const struct line *line)
{
	const char *without[WITHOUT_MAX] = { "state" };
	const char *state = state_up(c, have, line);
	char *text = NULL, *words = words_of(line, without);
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int i, ret = EXIT_KERNEL;

	if (f && words) {
		fputs(words, f);
		for (i = 0; cc_key(i); i++) {
			if (!line_value(line, cc_key(i)))
				fprintf(f, " %s default", cc_key(i));
		}
		if (state)
			fprintf(f, " state %s", state);
	}
	if (f && !fclose(f) && words)
		ret = run(c, line, "cc set%s", text);
	free(words);
	free(text);
	return ret;
}

static int set(const struct change *c, const struct line *line,
	       const char *command, const char *const *without,
	       const char *state)
{
	char *words = words_of(line, without);
	int ret = EXIT_KERNEL;

	if (words)
		ret = run(c, line, "%s %s%s%s%s", line->argv[0], command, words,
			  state ? " state " : "", state ? state : "");
	free(words);
	return ret;
}

/* Mode and format are equal, and refused for a profile that is online. */
static int set_profile(const struct change *c, const struct line *have,
		       const struct line *line)
{
	const char *without[WITHOUT_MAX] = { "mode", "format", "state" };

	return set(c, line, "set", without, state_up(c, have, line));
}

/* Is there a word of its own among the pairs: that a port is up, or down? */
static bool says_state(const struct line *line)
{
	int i;

	for (i = 2; i < line->argc; i += 2) {
		if (!strcmp(line->argv[i], "up") ||
		    !strcmp(line->argv[i], "down"))
			return true;
	}
	return false;
}

/* What a line does not name of a port has its default. */
static int set_port(const struct change *c, const struct line *have,
		    const struct line *line)
{
	bool no_usid = line_value(have, "usid") && !line_value(line, "usid");
	bool up = !says_state(line);

	return run(c, line, "%s%s%s", line->text, up ? " up" : "",
		   no_usid ? " usid none" : "");
}

static int make_line(const struct change *c, const struct line *line)
{
	const struct line *have = config_find(&c->have, line->key);

	if (is_rebuilt(c, line) ||
	    (have && line->kind == LINE_PATH && !is_led_on(have, line)))
		have = NULL;
	if (same(have, line))
		return EXIT_OK;
	if (!have)
		return run(c, line, "%s", line->text);
	switch (line->kind) {
	case LINE_CC:
		return set_cc(c, have, line);
	case LINE_PORT:
		return set_port(c, have, line);
	case LINE_TEMPLATE:
		return set(c, line, "set", nothing, NULL);
	case LINE_PROFILE:
		return set_profile(c, have, line);
	case LINE_DEST:
	case LINE_PATH:
		return set(c, line, "replace", nothing, NULL);
	default:
		return run(c, line, "%s", line->text);
	}
}

/* --- unreferenced objects: lower the state step by step ------------------------------ */

static int lower_line(const struct change *c, const struct line *have)
{
	const struct line *want = config_find(&c->want, have->key);
	int state, to, ret = EXIT_OK;

	if ((have->kind != LINE_CC && have->kind != LINE_PROFILE) || !want ||
	    is_rebuilt(c, have))
		return EXIT_OK;
	to = state_of(&c->want, want);
	for (state = state_of(&c->have, have); state > to && !ret; state--)
		ret = run(c, want, "%s set %s dev %s state %s", have->argv[0],
			  have->argv[2], have->dev, states[state - 1]);
	return ret;
}

/* --- last: delete unreferenced objects ------------------------------------------- */

static int remove_line(const struct change *c, const struct line *line)
{
	if (config_find(&c->want, line->key) || is_rebuilt(c, line))
		return EXIT_OK;
	switch (line->kind) {
	case LINE_CC:
	case LINE_FORMAT:
	case LINE_PROFILE:
	case LINE_TEMPLATE:
		return remove_named(c, line);
	default:
		return EXIT_OK;
	}
}

static int backwards(const struct change *c,
		     int (*fn)(const struct change *c, const struct line *line))
{
	const struct line *line;
	size_t i;
	int ret = EXIT_OK;

	for (i = c->have.n; i && !ret; i--) {
		line = c->have.line[i - 1];
		if (config_dev(&c->want, line->dev))
			ret = fn(c, line);
	}
	return ret;
}

/* After check_devs(). */
static int change_all(struct change *c)
{
	size_t i;
	int ret;

	ret = backwards(c, clear_line);
	for (i = 0; i < c->want.n && !ret; i++)
		ret = make_line(c, c->want.line[i]);
	if (!ret)
		ret = backwards(c, lower_line);
	return ret ? ret : backwards(c, remove_line);
}

/* --- around it ------------------------------------------------------------------ */

static int read_have(struct nl *nl, struct config *config)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int ret = EXIT_KERNEL;

	memset(config, 0, sizeof(*config));
	if (f) {
		ret = save_to(nl, NULL, f);
		if (fclose(f))
			ret = EXIT_KERNEL;
	}
	f = ret || !size ? NULL : fmemopen(text, size, "r");
	if (f) {
		ret = config_read(config, f, "the current configuration");
		fclose(f);
	}
	free(text);
	return ret;
}

/* Delete the devices that restore has added. */
static int del_devs(const struct change *c)
{
	const struct line *line;
	size_t i;
	int ret = EXIT_OK;

	for (i = 0; i < c->have.n && !ret; i++) {
		line = c->have.line[i];
		if (line->kind == LINE_DEV && !config_dev(&c->want, line->dev))
			ret = run(c, NULL, "dev del %s", line->dev);
	}
	return ret;
}

static void go_back(struct nl *nl, const struct config *before)
{
	struct change back = {
		.nl = nl, .file = "the previous configuration", .want = *before,
	};
	int ret;

	ret = read_have(nl, &back.have);
	if (!ret)
		ret = del_devs(&back);
	if (!ret)
		ret = check_devs(&back);
	if (!ret)
		ret = change_all(&back);
	fputs(ret ? "mrcctl: the previous configuration could not be restored completely\n" :
		    "mrcctl: the previous configuration has been restored\n", stderr);
	config_free(&back.have);
}

/* If a line fails, those before it are undone. */
static int restore_config(struct change *c)
{
	int ret;

	ret = read_have(c->nl, &c->have);
	if (!ret)
		ret = check_devs(c);
	if (ret)
		return ret;
	ret = change_all(c);
	if (ret)
		go_back(c->nl, &c->have);
	return ret;
}

static int restore_stream(struct nl *nl, FILE *f, const char *name)
{
	struct change c = { .nl = nl, .file = name };
	int ret;

	ret = config_read(&c.want, f, name);
	if (!ret)
		ret = restore_config(&c);
	config_free(&c.have);
	config_free(&c.want);
	return ret;
}

static int restore_from(struct nl *nl, int argc, char **argv)
{
	const char *name;
	struct arg args[] = {
		{ "file", ARG_LIST, true, &name, .positional = true },
		{ NULL }
	};
	FILE *f;
	int ret;

	ret = args_parse(argc, argv, args);
	if (ret)
		return ret;
	if (!strcmp(name, "-"))
		return restore_stream(nl, stdin, "standard input");
	f = fopen(name, "r");
	if (!f)
		return usage_error("'file %s': %s", name, strerror(errno));
	ret = restore_stream(nl, f, name);
	fclose(f);
	return ret;
}

static const struct command restore_commands[] = {
	{ "from", restore_from },
	{ NULL }
};

const struct object restore_object = {
	.name = "restore",
	.usage = "mrcctl restore FILE\n",
	.commands = restore_commands,
};
