/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * "rdma link add NAME type mrc netdev DEV".
 */
#ifndef MRC_VERBS_LINK_H
#define MRC_VERBS_LINK_H

void mrc_link_init(void);
void mrc_link_exit(void);

#endif /* MRC_VERBS_LINK_H */
