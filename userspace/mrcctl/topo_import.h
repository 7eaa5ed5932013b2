/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Paths from the path file of another MRC implementation.
 */
#ifndef MRCCTL_TOPO_IMPORT_H
#define MRCCTL_TOPO_IMPORT_H

#include <netinet/in.h>

int topo_import(const char *file, const struct in6_addr *host, const char *dev);

#endif /* MRCCTL_TOPO_IMPORT_H */
