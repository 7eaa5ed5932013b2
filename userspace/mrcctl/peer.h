/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Peers: the addresses that queue pairs are connected to.
 */
#ifndef MRCCTL_PEER_H
#define MRCCTL_PEER_H

#include "nl.h"

int peer_get(struct nl *nl, const char *dev, mnl_cb_t cb, void *arg);

#endif /* MRCCTL_PEER_H */
