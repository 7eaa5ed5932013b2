/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Grace periods of RCU that a process waits for.
 */
#ifndef MRC_NET_GRACE_H
#define MRC_NET_GRACE_H

void mrc_grace_init(void);
void mrc_grace_wait(void);

#endif /* MRC_NET_GRACE_H */
