// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reading a saved configuration.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "config.h"
#include "mrcctl.h"

enum { KEYS_MAX = 3 };

/**
 * struct shape - a kind of line
 * @object: first word
 * @command: second word
 * @named: the third word is a name; pairs of words follow
 * @key: keys that identify its object; none, and no name: all words
 */
struct shape {
	const char *object;
	const char *command;
	bool named;
	const char *key[KEYS_MAX];
};

static const struct shape shapes[] = {
	[LINE_DEV] = { "dev", "add", true },
	[LINE_DEV_SET] = { "dev", "set", true },
	[LINE_PORT] = { "port", "set", false, { "dev", "port" } },
	[LINE_CC] = { "cc", "add", true, { "dev" } },
	[LINE_FORMAT] = { "format", "add", true, { "dev" } },
	[LINE_PROFILE] = { "profile", "add", true, { "dev" } },
	[LINE_EV] = { "profile", "ev", true, { "dev", "index" } },
	[LINE_PROFILE_SET] = { "profile", "set", true, { "dev" } },
	[LINE_TEMPLATE] = { "template", "add", true, { "dev" } },
	[LINE_DEST] = { "dest", "add", true, { "dev" } },
	[LINE_PATH] = { "path", "add", false, { "dev", "dst", "ev" } },
	[LINE_DENY] = { "path", "deny", false },
};

enum { SHAPES = sizeof(shapes) / sizeof(*shapes) };

static void *must(void *memory)
{
	if (!memory) {
		fputs("mrcctl: out of memory\n", stderr);
		exit(EXIT_KERNEL);
	}
	return memory;
}

static int first_pair(const struct line *line)
{
	return shapes[line->kind].named ? 3 : 2;
}

/**
 * line_value() - look for the value of a key
 * @line: line
 * @key: as written
 *
 * Return: the value, or NULL.
 */
const char *line_value(const struct line *line, const char *key)
{
	int i;

	for (i = first_pair(line); i + 1 < line->argc; i++) {
		if (!strcmp(line->argv[i], key))
			return line->argv[i + 1];
	}
	return NULL;
}

static bool find_kind(struct line *line)
{
	int i;

	for (i = 0; i < SHAPES; i++) {
		if (line->argc > 2 && !strcmp(line->argv[0], shapes[i].object) &&
		    !strcmp(line->argv[1], shapes[i].command)) {
			line->kind = i;
			return true;
		}
	}
	return false;
}

static void split(struct line *line)
{
	char *word, *save;

	line->words = must(strdup(line->text));
	line->argv = must(calloc(strlen(line->text) / 2 + 1,
				 sizeof(*line->argv)));
	for (word = strtok_r(line->words, " \t\n", &save); word;
	     word = strtok_r(NULL, " \t\n", &save))
		line->argv[line->argc++] = word;
}

static char *join(const struct line *line)
{
	size_t size = 1;
	char *text;
	int i;

	for (i = 0; i < line->argc; i++)
		size += strlen(line->argv[i]) + 1;
	text = must(calloc(1, size));
	for (i = 0; i < line->argc; i++) {
		if (i)
			strcat(text, " ");
		strcat(text, line->argv[i]);
	}
	return text;
}

/* The object that the line configures; false if something is missing. */
static bool make_key(struct line *line)
{
	const struct shape *shape = &shapes[line->kind];
	const char *value;
	char *key;
	int i;

	line->dev = shape->named && !shape->key[0] ? line->argv[2] :
						     line_value(line, "dev");
	if (!line->dev)
		return false;
	if (!shape->named && !shape->key[0]) {
		line->key = must(strdup(line->text));
		return true;
	}
	if (asprintf(&line->key, "%s %s %s", shape->object, shape->command,
		     shape->named ? line->argv[2] : "") < 0)
		must(NULL);
	for (i = 0; i < KEYS_MAX && shape->key[i]; i++) {
		value = line_value(line, shape->key[i]);
		if (!value)
			return false;
		if (asprintf(&key, "%s %s", line->key, value) < 0)
			must(NULL);
		free(line->key);
		line->key = key;
	}
	if (line->kind == LINE_DEV_SET && line->argc > 3) {
		if (asprintf(&key, "%s %s", line->key, line->argv[3]) < 0)
			must(NULL);
		free(line->key);
		line->key = key;
	}
	return true;
}

static void line_free(struct line *line)
{
	free(line->text);
	free(line->key);
	free(line->argv);
	free(line->words);
	free(line);
}

static int add_line(struct config *config, const char *text, int number)
{
	struct line *line = must(calloc(1, sizeof(*line)));

	line->number = number;
	line->text = must(strndup(text, strcspn(text, "#\n")));
	split(line);
	if (!line->argc) {
		line_free(line);
		return EXIT_OK;
	}
	free(line->text);
	line->text = join(line);
	config->line = must(reallocarray(config->line, config->n + 1,
					 sizeof(*config->line)));
	config->line[config->n++] = line;
	if (line->argc > MRCCTL_WORDS)
		return usage_error("more than %d words", MRCCTL_WORDS);
	if (!find_kind(line))
		return usage_error("'save' does not write '%s', run it with -b",
				   line->text);
	if (!make_key(line))
		return usage_error("'%s': an argument is missing", line->text);
	return EXIT_OK;
}

static int by_key(const void *a, const void *b)
{
	const struct line *const *x = a, *const *y = b;
	int order = strcmp((*x)->key, (*y)->key);

	return order ? order : (*x)->number - (*y)->number;
}

/* Each object once, and on devices that the file adds. */
static int sort(struct config *config, int *number)
{
	struct line *line;
	size_t i;

	if (!config->n)
		return EXIT_OK;
	config->by_key = must(calloc(config->n, sizeof(*config->by_key)));
	memcpy(config->by_key, config->line,
	       config->n * sizeof(*config->by_key));
	qsort(config->by_key, config->n, sizeof(*config->by_key), by_key);
	for (i = 0; i < config->n; i++) {
		line = config->by_key[i];
		*number = line->number;
		if (i && !strcmp(line->key, config->by_key[i - 1]->key))
			return usage_error("line %d configures the same object",
					   config->by_key[i - 1]->number);
		if (!config_dev(config, line->dev))
			return usage_error("no line 'dev add %s'", line->dev);
	}
	return EXIT_OK;
}

/**
 * config_read() - read a configuration
 * @config: filled in; config_free() it in any case
 * @f: what 'mrcctl save' has written
 * @name: of the file, for messages
 *
 * Return: EXIT_OK, or EXIT_USAGE after reporting what is wrong, and where.
 */
int config_read(struct config *config, FILE *f, const char *name)
{
	char *text = NULL;
	size_t size = 0;
	int number = 0, ret = EXIT_OK;

	memset(config, 0, sizeof(*config));
	while (!ret && getline(&text, &size, f) >= 0)
		ret = add_line(config, text, ++number);
	free(text);
	if (!ret)
		ret = sort(config, &number);
	if (ret)
		fprintf(stderr, "mrcctl: this error is in line %d of %s\n", number,
			name);
	return ret;
}

/**
 * config_free() - free a configuration
 * @config: filled in by config_read()
 */
void config_free(struct config *config)
{
	size_t i;

	for (i = 0; i < config->n; i++)
		line_free(config->line[i]);
	free(config->line);
	free(config->by_key);
}

/**
 * config_find() - look for a line
 * @config: configuration
 * @key: object of the line
 *
 * Return: the line, or NULL.
 */
struct line *config_find(const struct config *config, const char *key)
{
	size_t low = 0, high = config->n, middle;
	int order;

	while (low < high) {
		middle = low + (high - low) / 2;
		order = strcmp(key, config->by_key[middle]->key);
		if (!order)
			return config->by_key[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/**
 * config_dev() - look for the line that adds a device
 * @config: configuration
 * @dev: name of the device
 *
 * Return: the line, or NULL.
 */
struct line *config_dev(const struct config *config, const char *dev)
{
	char key[ARG_FIELD + sizeof("dev add ")];

	snprintf(key, sizeof(key), "dev add %.*s", ARG_FIELD - 1, dev);
	return config_find(config, key);
}
