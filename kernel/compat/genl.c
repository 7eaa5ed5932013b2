// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Generic netlink family from split operations, for kernels that lack these.
 */
#include "compat/genl.h"

#ifndef MRC_HAVE_GENL_SPLIT_OPS

#include <linux/slab.h>

/* Flags that tell doit from dumpit; the rest are permissions. */
#define MRC_GENL_CAPS	(GENL_CMD_CAP_DO | GENL_CMD_CAP_DUMP)

struct genl_family mrc_nl_family __ro_after_init;

static int mrc_genl_pre_doit(const struct genl_ops *ops, struct sk_buff *skb,
			     struct genl_info *info)
{
	const struct mrc_genl_split_family *from = &mrc_nl_split_family;
	const struct genl_split_ops *split;
	u8 i;

	for (i = 0; i < from->n_split_ops; i++) {
		split = &from->split_ops[i];
		if (split->cmd == ops->cmd && split->flags & GENL_CMD_CAP_DO)
			return split->pre_doit ?
			       split->pre_doit(split, skb, info) : 0;
	}
	return 0;
}

/* These kernels have one policy and one permission for doit and dumpit. */
static bool mrc_genl_can_merge(const struct genl_ops *op,
			       const struct genl_split_ops *split)
{
	if (!op->policy)
		return true;
	return op->maxattr == split->maxattr &&
	       op->flags == (split->flags & ~MRC_GENL_CAPS) &&
	       !memcmp(op->policy, split->policy,
		       (op->maxattr + 1) * sizeof(*op->policy));
}

static void mrc_genl_merge(struct genl_ops *op,
			   const struct genl_split_ops *split)
{
	op->cmd = split->cmd;
	op->policy = split->policy;
	op->maxattr = split->maxattr;
	op->flags = split->flags & ~MRC_GENL_CAPS;
	if (split->flags & GENL_CMD_CAP_DO) {
		op->doit = split->doit;
	} else {
		op->start = split->start;
		op->dumpit = split->dumpit;
	}
}

/* Return: number of @ops, or -EINVAL if two operations exclude each other. */
static int mrc_genl_fill(const struct mrc_genl_split_family *from,
			 struct genl_ops *ops)
{
	u8 i, j, n = 0;

	for (i = 0; i < from->n_split_ops; i++) {
		for (j = 0; j < n; j++) {
			if (ops[j].cmd == from->split_ops[i].cmd)
				break;
		}
		if (WARN_ON(!mrc_genl_can_merge(&ops[j], &from->split_ops[i])))
			return -EINVAL;
		mrc_genl_merge(&ops[j], &from->split_ops[i]);
		n = max_t(u8, n, j + 1);
	}
	return n;
}

/**
 * mrc_genl_register() - register the generated family
 *
 * Return: 0 or a negative errno.
 */
int mrc_genl_register(void)
{
	const struct mrc_genl_split_family *from = &mrc_nl_split_family;
	struct genl_family *family = &mrc_nl_family;
	struct genl_ops *ops;
	int ret;

	ops = kcalloc(from->n_split_ops, sizeof(*ops), GFP_KERNEL);
	if (!ops)
		return -ENOMEM;
	ret = mrc_genl_fill(from, ops);
	if (ret < 0)
		goto err_free;

	strscpy(family->name, from->name, sizeof(family->name));
	family->version = from->version;
	family->netnsok = from->netnsok;
	family->parallel_ops = from->parallel_ops;
	family->module = from->module;
	family->pre_doit = mrc_genl_pre_doit;
	family->ops = ops;
	family->n_ops = ret;
	family->mcgrps = from->mcgrps;
	family->n_mcgrps = from->n_mcgrps;
	ret = genl_register_family(family);
	if (ret)
		goto err_free;
	return 0;

err_free:
	kfree(ops);
	return ret;
}

/**
 * mrc_genl_unregister() - undo mrc_genl_register()
 */
void mrc_genl_unregister(void)
{
	genl_unregister_family(&mrc_nl_family);
	kfree(mrc_nl_family.ops);
}

#endif
