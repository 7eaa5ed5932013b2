/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Limits and capabilities of a device.
 */
#ifndef MRC_CONTROL_LIMIT_H
#define MRC_CONTROL_LIMIT_H

struct mrc_device;
struct sk_buff;

int mrc_genl_put_limits(struct sk_buff *skb, const struct mrc_device *dev);

#endif /* MRC_CONTROL_LIMIT_H */
