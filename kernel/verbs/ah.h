/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Address handles: destinations of datagrams.
 */
#ifndef MRC_VERBS_AH_H
#define MRC_VERBS_AH_H

#include <rdma/ib_verbs.h>
#include "net/datagram.h"

struct mrc_device;

/* Bytes before the payload of a received datagram (IBTA 8.3). */
#define MRC_GRH_LEN sizeof(struct ib_grh)

/**
 * struct mrc_ah_entry - part of a handle that work requests look up by number
 * @av: address vector; fixed
 * @pd: protection domain
 * @number: of the handle, from 1
 * @user: it belongs to a process
 * @rcu: frees the entry after a grace period
 */
struct mrc_ah_entry {
	struct mrc_av av;
	struct ib_pd *pd;
	u32 number;
	bool user;
	struct rcu_head rcu;
};

/**
 * struct mrc_ah - address handle
 * @ib: address handle of the RDMA core
 * @entry: freed a grace period after the handle
 */
struct mrc_ah {
	struct ib_ah ib;
	struct mrc_ah_entry *entry;
};

int mrc_ah_check(const struct rdma_ah_attr *attr);
int mrc_ah_create(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		  struct ib_udata *udata);
int mrc_ah_destroy(struct ib_ah *ibah, u32 flags);
u32 mrc_ah_number(const struct ib_ah *ibah);
const struct mrc_av *mrc_ah_find(struct mrc_device *dev, u32 number,
				 const struct ib_pd *pd);

#endif /* MRC_VERBS_AH_H */
