/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * How one path is printed, alone or as part of a queue pair.
 */
#ifndef MRCCTL_PATH_H
#define MRCCTL_PATH_H

#include "nl.h"
#include "out.h"

struct out_table *path_table_new(void);
void path_row(struct out_table *table, const struct nlattr **tb);
void path_json(const struct nlattr **tb);

#endif /* MRCCTL_PATH_H */
