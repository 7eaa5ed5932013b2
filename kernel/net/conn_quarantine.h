/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Quarantine: the time after RESET in which a QP is not connected again to the
 * same peer, because packets of the old connection may still arrive.
 */
#ifndef MRC_NET_CONN_QUARANTINE_H
#define MRC_NET_CONN_QUARANTINE_H

#include <linux/in6.h>

struct mrc_conn;
struct mrc_conn_attr;

/**
 * struct mrc_quarantine - old connection of a QP
 * @until: get_jiffies_64() when its quarantine ends; 0: it has none
 * @sgid: own address
 * @dgid: peer's address
 * @any: there were several peers: the quarantine applies to all of them
 *
 * The QP serialises all accesses.
 */
struct mrc_quarantine {
	u64 until;
	struct in6_addr sgid;
	struct in6_addr dgid;
	bool any;
};

void mrc_conn_quarantine(struct mrc_conn *conn);
int mrc_conn_quarantine_wait(const struct mrc_conn *conn,
			     const struct mrc_conn_attr *attr);

#endif /* MRC_NET_CONN_QUARANTINE_H */
