/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the objects of mrcctl share: table of commands.
 */
#ifndef MRCCTL_H
#define MRCCTL_H

#include <stdbool.h>
#include <stddef.h>

#include "exit_code.h"

struct nl;

/**
 * struct command - one command of an object
 * @name: the first one is also what an object alone means
 * @run: executes it; returns enum exit_code
 */
struct command {
	const char *name;
	int (*run)(struct nl *nl, int argc, char **argv);
};

/**
 * struct object - an object of the command line
 * @name: as written
 * @usage: one line for each command
 * @commands: up to a NULL name
 */
struct object {
	const char *name;
	const char *usage;
	const struct command *commands;
};

extern const struct object cc_object;
extern const struct object dest_object;
extern const struct object dev_object;
extern const struct object format_object;
extern const struct object metrics_object;
extern const struct object monitor_object;
extern const struct object path_object;
extern const struct object peer_object;
extern const struct object port_object;
extern const struct object probe_object;
extern const struct object profile_object;
extern const struct object qp_object;
extern const struct object restore_object;
extern const struct object save_object;
extern const struct object stats_object;
extern const struct object template_object;
extern const struct object top_object;
extern const struct object topo_object;

/* Most words of a line. */
enum { MRCCTL_WORDS = 256 };

int run_line(struct nl *nl, char *line);

#endif /* MRCCTL_H */
