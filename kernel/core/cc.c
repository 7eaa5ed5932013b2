// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Congestion control: selection of the algorithm, the constant window, and no
 * congestion control.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "core/cc.h"

/* Large batches: acknowledgments take much of the time of a software host. */
#define BATCH	(128 * 1024)

static const struct mrc_cc_ops * const algorithms[] = {
	&mrc_cc_none, &mrc_cc_fixed, &mrc_cc_nscc,
};

/**
 * mrc_cc_at() - iterate over the algorithms
 * @i: index, from 0
 *
 * Context: any.
 * Return: the algorithm, or NULL after the last one.
 */
const struct mrc_cc_ops *mrc_cc_at(u32 i)
{
	return i < ARRAY_SIZE(algorithms) ? algorithms[i] : NULL;
}

/**
 * mrc_cc_name() - iterate over the names of the algorithms
 * @i: index, from 0
 *
 * Context: any.
 * Return: the name as the operator writes it, or NULL after the last one.
 */
const char *mrc_cc_name(u32 i)
{
	const struct mrc_cc_ops *ops = mrc_cc_at(i);

	return ops ? ops->name : NULL;
}

/**
 * mrc_cc_find() - find an algorithm by name
 * @name: as the operator writes it
 *
 * Context: any.
 * Return: the algorithm, or NULL.
 */
const struct mrc_cc_ops *mrc_cc_find(const char *name)
{
	const struct mrc_cc_ops *ops;
	u32 i;

	for (i = 0; (ops = mrc_cc_at(i)); i++)
		if (!strcmp(ops->name, name))
			break;
	return ops;
}

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
	cc->own_metrics = (struct mrc_metrics){};
	cc->ops->init(cc);
}

/**
 * mrc_cc_change() - change the profile
 * @cc: congestion controller that is in use
 * @ops: algorithm
 * @cfg: profile; copied
 *
 * The same algorithm keeps its state, another one starts anew.
 *
 * Context: any, the caller serialises.
 */
void mrc_cc_change(struct mrc_cc *cc, const struct mrc_cc_ops *ops,
		   const struct mrc_cc_cfg *cfg)
{
	if (cc->ops != ops) {
		mrc_cc_init(cc, ops, cfg);
		return;
	}
	cc->cfg = *cfg;
	cc->cfg.max_cwnd = max(cfg->max_cwnd, cfg->mtu);
	cc->ops->change(cc);
}

static void fixed_init(struct mrc_cc *cc)
{
	cc->cwnd = cc->cfg.max_cwnd;
}

static void none_init(struct mrc_cc *cc)
{
	cc->cwnd = U32_MAX;
}

static void ignore_ack(struct mrc_cc *cc, const struct mrc_cc_ack *ack)
{
}

static void ignore_trim(struct mrc_cc *cc, const struct mrc_cc_trim *trim)
{
}

static void ignore_loss(struct mrc_cc *cc, u64 now, u32 nominal)
{
}

const struct mrc_cc_ops mrc_cc_none = {
	.name		= "none",
	.batch		= BATCH,
	.init		= none_init,
	.change		= none_init,
	.on_ack		= ignore_ack,
	.on_trim	= ignore_trim,
	.on_loss	= ignore_loss,
};

const struct mrc_cc_ops mrc_cc_fixed = {
	.name		= "fixed",
	.batch		= BATCH,
	.init		= fixed_init,
	.change		= fixed_init,
	.on_ack		= ignore_ack,
	.on_trim	= ignore_trim,
	.on_loss	= ignore_loss,
};
