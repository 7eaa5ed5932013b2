/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What several commands print: states by name, counters of paths, devices.
 */
#ifndef MRCCTL_SHOW_H
#define MRCCTL_SHOW_H

#include <stdio.h>

#include "nl.h"

const char *port_state_name(uint32_t state);
const char *path_state_name(uint32_t state);
const char *qp_state_name(uint32_t state);
const char *path_mode_name(uint32_t mode);

/* Words by number, for ARG_WORD and word_of(). */
extern const char * const path_states[];
extern const char * const object_states[];
extern const char * const icrc_modes[];
extern const char * const peer_ports_words[];
extern const char * const format_kinds[];
extern const char * const profile_kinds[];

const char *word_of(const char * const *words, const struct nlattr *attr);

/**
 * struct counter_name - a counter and its key
 * @attr: attribute
 * @name: key
 */
struct counter_name {
	int attr;
	const char *name;
};

/* They end with a NULL name. */
extern const struct counter_name path_counters[];
extern const struct counter_name port_counters[];
extern const struct counter_name qp_counters[];
extern const struct counter_name peer_counters[];

void fields_save(FILE *f, const struct nlmsghdr *nlh, int type,
		 void (*write)(const struct nlattr *nest, char *word));
void fields_show(const struct nlmsghdr *nlh, int type, const char *lead,
		 void (*write)(const struct nlattr *nest, char *word));
void counters_json(const struct nlattr *nest, const struct counter_name *names);
void stats_print(const struct nlmsghdr *nlh, bool all);

int dev_get(struct nl *nl, const char *name, bool stats, mnl_cb_t cb,
	    void *arg);
int dev_list(struct nl *nl, const char *name, bool stats, mnl_cb_t cb,
	     void *arg);

#endif /* MRCCTL_SHOW_H */
