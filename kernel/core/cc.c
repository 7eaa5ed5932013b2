// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Congestion control: the frame around the algorithms, and the constant window.
 */
#include <linux/minmax.h>

#include "core/cc.h"

/**
 * mrc_cc_init() - start a congestion controller
 * @cc: congestion controller
 * @ops: algorithm
 * @cfg: profile; copied
 *
 * The window never falls below one full packet, so @cfg's window is raised to
 * that if it is smaller.
 *
 * Context: any, the caller serialises.
 */
void mrc_cc_init(struct mrc_cc *cc, const struct mrc_cc_ops *ops,
		 const struct mrc_cc_cfg *cfg)
{
	cc->ops = ops;
	cc->cfg = *cfg;
	cc->cfg.max_cwnd = max(cfg->max_cwnd, cfg->mtu);
	cc->cwnd = cc->cfg.max_cwnd;
	cc->ops->init(cc);
}

static void fixed_init(struct mrc_cc *cc)
{
	cc->cwnd = cc->cfg.max_cwnd;
}

static void fixed_on_ack(struct mrc_cc *cc, const struct mrc_cc_ack *ack)
{
}

static void fixed_on_packet(struct mrc_cc *cc, u64 now, u32 nominal)
{
}

const struct mrc_cc_ops mrc_cc_fixed = {
	.name		= "fixed",
	.init		= fixed_init,
	.on_ack		= fixed_on_ack,
	.on_trim	= fixed_on_packet,
	.on_loss	= fixed_on_packet,
};
