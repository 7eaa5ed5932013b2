/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Split operations of generic netlink, for kernels that lack them: the
 * generated tables have one entry for the doit and one for the dumpit of a
 * command, each with its own policy.
 */
#ifndef MRC_COMPAT_GENL_H
#define MRC_COMPAT_GENL_H

#include <net/genetlink.h>

extern struct genl_family mrc_nl_family;

#ifdef MRC_HAVE_GENL_SPLIT_OPS

static inline int mrc_genl_register(void)
{
	return genl_register_family(&mrc_nl_family);
}

static inline void mrc_genl_unregister(void)
{
	genl_unregister_family(&mrc_nl_family);
}

#else

/**
 * struct genl_split_ops - doit or dumpit of a command
 * @pre_doit: called before @doit, which is left out if it fails
 * @doit: handler of requests
 * @start: called before the first @dumpit
 * @dumpit: handler of dumps
 * @policy: of the attributes of the request
 * @maxattr: highest attribute in @policy
 * @cmd: command
 * @flags: GENL_CMD_CAP_DO or GENL_CMD_CAP_DUMP, permissions
 *
 * Kernels that have it define it with more members; these are the ones that
 * the generated tables use.
 */
struct genl_split_ops {
	union {
		struct {
			int (*pre_doit)(const struct genl_split_ops *ops,
					struct sk_buff *skb,
					struct genl_info *info);
			int (*doit)(struct sk_buff *skb,
				    struct genl_info *info);
		};
		struct {
			int (*start)(struct netlink_callback *cb);
			int (*dumpit)(struct sk_buff *skb,
				      struct netlink_callback *cb);
		};
	};
	const struct nla_policy *policy;
	unsigned int maxattr;
	u8 cmd;
	u8 flags;
};

/**
 * struct mrc_genl_split_family - family as it is generated
 * @name: name
 * @version: version of the protocol
 * @netnsok: available in all network namespaces
 * @parallel_ops: handlers run in parallel
 * @module: owner
 * @split_ops: handlers
 * @n_split_ops: length of @split_ops
 * @mcgrps: multicast groups
 * @n_mcgrps: length of @mcgrps
 */
struct mrc_genl_split_family {
	char name[GENL_NAMSIZ];
	unsigned int version;
	u8 netnsok:1;
	u8 parallel_ops:1;
	struct module *module;
	const struct genl_split_ops *split_ops;
	u8 n_split_ops;
	const struct genl_multicast_group *mcgrps;
	u8 n_mcgrps;
};

extern struct mrc_genl_split_family mrc_nl_split_family;

int mrc_genl_register(void);
void mrc_genl_unregister(void);

#endif

/**
 * mrc_genl_dump_attrs() - attributes of the request for a dump
 * @cb: state of the dump
 *
 * Return: the attributes by type, up to the maxattr of the dump.
 */
static inline struct nlattr **
mrc_genl_dump_attrs(struct netlink_callback *cb)
{
#ifdef MRC_HAVE_GENL_INFO_DUMP
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

#endif /* MRC_COMPAT_GENL_H */
