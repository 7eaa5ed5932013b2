/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The configuration as commands that create it, one per line.
 */
#ifndef MRCCTL_SAVE_H
#define MRCCTL_SAVE_H

#include <stdio.h>

struct nl;

/* The objects of a device, each in its file. */
int cc_save(struct nl *nl, const char *dev, FILE *f);
int dest_save(struct nl *nl, const char *dev, FILE *f);
int format_save(struct nl *nl, const char *dev, FILE *f);
int path_save(struct nl *nl, const char *dev, FILE *f);
int profile_save(struct nl *nl, const char *dev, FILE *f);
int deny_save(struct nl *nl, const char *dev, FILE *f);
int template_save(struct nl *nl, const char *dev, FILE *f);

const char *cc_key(int i);

int save_to(struct nl *nl, const char *dev, FILE *f);

#endif /* MRCCTL_SAVE_H */
