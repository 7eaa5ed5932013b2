/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A saved configuration, line by line.
 */
#ifndef MRCCTL_CONFIG_H
#define MRCCTL_CONFIG_H

#include <stdbool.h>
#include <stdio.h>

/**
 * enum line_kind - what a line configures
 * @LINE_DEV: a device
 * @LINE_DEV_SET: an attribute of a device
 * @LINE_PORT: the state of a port
 * @LINE_CC: a CC profile
 * @LINE_FORMAT: a format
 * @LINE_PROFILE: an EV profile
 * @LINE_EV: an entropy value of a profile
 * @LINE_PROFILE_SET: the state of a profile that has been filled in
 * @LINE_TEMPLATE: a template
 * @LINE_DEST: a destination
 * @LINE_PATH: an explicit path
 * @LINE_DENY: a deny rule
 */
enum line_kind {
	LINE_DEV,
	LINE_DEV_SET,
	LINE_PORT,
	LINE_CC,
	LINE_FORMAT,
	LINE_PROFILE,
	LINE_EV,
	LINE_PROFILE_SET,
	LINE_TEMPLATE,
	LINE_DEST,
	LINE_PATH,
	LINE_DENY,
};

/**
 * struct line - one command
 * @kind: what it configures
 * @number: in its file, from 1
 * @text: its words, separated by one space each
 * @key: object that it configures; no other line has the same
 * @dev: device
 * @argc: words
 * @argv: the words
 * @words: memory of the words
 * @rebuild: of LINE_DEV: delete and add the profiles of the device again
 */
struct line {
	enum line_kind kind;
	int number;
	char *text;
	char *key;
	const char *dev;
	int argc;
	char **argv;
	char *words;
	bool rebuild;
};

/**
 * struct config - a configuration
 * @line: in order
 * @n: how many
 * @by_key: the same, sorted
 */
struct config {
	struct line **line;
	size_t n;
	struct line **by_key;
};

int config_read(struct config *config, FILE *f, const char *name);
void config_free(struct config *config);
struct line *config_find(const struct config *config, const char *key);
struct line *config_dev(const struct config *config, const char *dev);
const char *line_value(const struct line *line, const char *key);

#endif /* MRCCTL_CONFIG_H */
