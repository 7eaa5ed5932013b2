/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Differences between the RDMA cores of the supported kernels, detected by the
 * types of the kernel headers.
 */
#ifndef MRC_COMPAT_IB_H
#define MRC_COMPAT_IB_H

#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

/*
 * Newer kernels pass the attribute bundle to ib_device_ops.create_cq, older
 * ones its struct ib_udata: select the function with the signature of the
 * kernel.
 */
#define MRC_CREATE_CQ(with_udata, with_attrs)				\
	__builtin_choose_expr(						\
		__builtin_types_compatible_p(				\
			typeof(((const struct ib_device_ops *)NULL)->create_cq), \
			int (*)(struct ib_cq *,				\
				const struct ib_cq_init_attr *,		\
				struct ib_udata *)),			\
		with_udata, with_attrs)

/* Likewise for ib_device_ops.reg_user_mr_dmabuf. */
#define MRC_REG_USER_MR_DMABUF(with_udata, with_attrs)			\
	__builtin_choose_expr(						\
		__builtin_types_compatible_p(				\
			typeof(((const struct ib_device_ops *)NULL)->reg_user_mr_dmabuf), \
			struct ib_mr *(*)(struct ib_pd *, u64, u64, u64, \
					  int, int, struct ib_udata *)), \
		with_udata, with_attrs)

#endif /* MRC_COMPAT_IB_H */
