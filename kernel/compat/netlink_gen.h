/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Included in front of control/netlink_gen.c by Kbuild, so that the generated
 * file is the same for all kernels.
 */
#ifndef MRC_COMPAT_NETLINK_GEN_H
#define MRC_COMPAT_NETLINK_GEN_H

#include "compat/genl.h"

#ifndef MRC_HAVE_GENL_SPLIT_OPS
/* compat/genl.c makes a family of this kernel from the generated one. */
#define genl_family	mrc_genl_split_family
#define mrc_nl_family	mrc_nl_split_family
#endif

#ifndef MRC_HAVE_CONST_RANGE
/* The range is constant, but the member of these kernels is not. */
#undef NLA_POLICY_FULL_RANGE
#define NLA_POLICY_FULL_RANGE(tp, _range) {				\
	.type = NLA_ENSURE_UINT_OR_BINARY_TYPE(tp),			\
	.validation_type = NLA_VALIDATE_RANGE_PTR,			\
	.range = (struct netlink_range_validation *)(_range),		\
}
#endif

#endif /* MRC_COMPAT_NETLINK_GEN_H */
