/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requests from a command's arguments.
 */
#ifndef MRCCTL_REQUEST_H
#define MRCCTL_REQUEST_H

#include <stdio.h>

#include "args.h"
#include "nl.h"

void request_put(struct nlmsghdr *nlh, const struct arg *args);
struct nlmsghdr *request_begin(struct nl *nl, enum mrc_cmd cmd, bool dump,
			       const struct arg *args);
int request_do(struct nl *nl, enum mrc_cmd cmd, int argc, char **argv,
	       struct arg *args);
int request_dump(struct nl *nl, enum mrc_cmd cmd, const struct arg *args,
		 mnl_cb_t cb, void (*end)(void *arg), void *arg);
int request_show(struct nl *nl, enum mrc_cmd cmd, int argc, char **argv,
		 struct arg *args, mnl_cb_t cb);
int request_save(struct nl *nl, enum mrc_cmd cmd, int attr, const char *dev,
		 mnl_cb_t cb, FILE *f);

#endif /* MRCCTL_REQUEST_H */
