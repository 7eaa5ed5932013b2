/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The part of libibverbs' private driver interface that this provider uses.
 *
 * No package installs infiniband/driver.h, so a provider that is built outside
 * rdma-core has to define the layouts itself.  This file defines private ABI 34
 * as it is in rdma-core 36 to 56.  Versions 34 and 35 have the same ABI
 * number but a shorter struct verbs_context_ops; version-gate.c keeps the
 * library from being loaded by them.  From version 57 on the number differs:
 * build the provider inside rdma-core there.
 *
 * Members that the provider does not use keep their names and sizes, but not their
 * types.
 */
#ifndef MRC_STANDALONE_DRIVER_ABI_H
#define MRC_STANDALONE_DRIVER_ABI_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>

#ifndef container_of
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#endif

/* Matching of kernel devices to providers. */

enum {
	VERBS_MATCH_SENTINEL = 0,
	VERBS_MATCH_DRIVER_ID = 3,
};

struct verbs_match_ent {
	void *driver_data;
	union {
		const char *modalias;
		uint64_t driver_id;
	} u;
	uint16_t vendor;
	uint16_t device;
	uint8_t kind;
};

#define VERBS_DRIVER_ID(_id) \
	{ .u.driver_id = (_id), .kind = VERBS_MATCH_DRIVER_ID }

struct verbs_sysfs_dev;

struct verbs_device_ops {
	const char *name;
	uint32_t match_min_abi_version;
	uint32_t match_max_abi_version;
	const struct verbs_match_ent *match_table;
	const struct verbs_device_ops **static_providers;
	bool (*match_device)(struct verbs_sysfs_dev *sysfs_dev);
	struct verbs_context *(*alloc_context)(struct ibv_device *device,
					       int cmd_fd, void *private_data);
	struct verbs_context *(*import_context)(struct ibv_device *device,
						int cmd_fd);
	struct verbs_device *(*alloc_device)(struct verbs_sysfs_dev *sysfs_dev);
	void (*uninit_device)(struct verbs_device *device);
};

struct list_node {
	struct list_node *next, *prev;
};

struct verbs_device {
	struct ibv_device device;
	const struct verbs_device_ops *ops;
	atomic_int refcount;
	struct list_node entry;
	struct verbs_sysfs_dev *sysfs;
	uint64_t core_support;
};

void verbs_register_driver_34(const struct verbs_device_ops *ops);

#define PROVIDER_DRIVER(provider_name, drv_struct)                            \
	static __attribute__((constructor)) void                              \
	provider_name##_register_driver(void)                                 \
	{                                                                     \
		verbs_register_driver_34(&(drv_struct));                      \
	}

/* Objects whose first part belongs to libibverbs. */

enum ibv_mr_type {
	IBV_MR_TYPE_MR,
};

struct verbs_mr {
	struct ibv_mr ibv_mr;
	enum ibv_mr_type mr_type;
	int access;
};

struct verbs_cq {
	union {
		struct ibv_cq cq;
		struct ibv_cq_ex cq_ex;
	};
};

struct verbs_xrcd;

enum verbs_qp_mask {
	VERBS_QP_XRCD = 1 << 0,
	VERBS_QP_EX = 1 << 1,
};

/*
 * libibverbs reads comp_mask at the end of its own struct ibv_qp_ex, which has grown
 * in versions 44 and 45.  @grown reserves the space that a newer library accesses.
 */
struct verbs_qp {
	union {
		struct ibv_qp qp;
		struct ibv_qp_ex qp_ex;
	};
	uint32_t comp_mask;
	struct verbs_xrcd *xrcd;
	uint64_t grown[8];
};

/* Operations added to struct ibv_qp_ex since version 36, one at a time. */
#define MRC_QP_EX_GROWN 2

/*
 * Makes ibv_qp_to_qp_ex() return the extended interface in all versions: it reads
 * the word after the last operation, and each word that can be that one is set.
 * Newer libraries have operations in the other words; applications may not call
 * them, because the provider does not offer them.  Older libraries have xrcd there,
 * which they do not read without VERBS_QP_XRCD.
 */
static inline void mrc_verbs_qp_set_ex(struct verbs_qp *qp)
{
	uint64_t *word = (uint64_t *)(&qp->qp_ex.wr_abort + 1);
	int i;

	for (i = 0; i <= MRC_QP_EX_GROWN; i++)
		word[i] = VERBS_QP_EX;
}

/* Commands: the header that goes before each kernel structure. */

#define MRC_VERBS_CMD(_name, _kabi)                                           \
	struct _name {                                                        \
		struct ib_uverbs_cmd_hdr hdr;                                 \
		struct _kabi core_payload;                                    \
	};                                                                    \
	static_assert(sizeof(struct _name) ==                                 \
			      sizeof(struct ib_uverbs_cmd_hdr) +              \
				      sizeof(struct _kabi),                   \
		      "padding in " #_name)

MRC_VERBS_CMD(ibv_get_context, ib_uverbs_get_context);
MRC_VERBS_CMD(ibv_query_port, ib_uverbs_query_port);
MRC_VERBS_CMD(ibv_alloc_pd, ib_uverbs_alloc_pd);
MRC_VERBS_CMD(ibv_reg_mr, ib_uverbs_reg_mr);
MRC_VERBS_CMD(ibv_rereg_mr, ib_uverbs_rereg_mr);
MRC_VERBS_CMD(ibv_alloc_mw, ib_uverbs_alloc_mw);
MRC_VERBS_CMD(ibv_create_ah, ib_uverbs_create_ah);
MRC_VERBS_CMD(ibv_create_cq, ib_uverbs_create_cq);
MRC_VERBS_CMD(ibv_resize_cq, ib_uverbs_resize_cq);
MRC_VERBS_CMD(ibv_create_qp, ib_uverbs_create_qp);
MRC_VERBS_CMD(ibv_create_srq, ib_uverbs_create_srq);
MRC_VERBS_CMD(ibv_modify_srq, ib_uverbs_modify_srq);
MRC_VERBS_CMD(ibv_query_srq, ib_uverbs_query_srq);
MRC_VERBS_CMD(ibv_query_qp, ib_uverbs_query_qp);
MRC_VERBS_CMD(ibv_modify_qp, ib_uverbs_modify_qp);

struct ibv_create_cq_ex {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_ex_cmd_hdr ex_hdr;
	struct ib_uverbs_ex_create_cq core_payload;
};

struct ibv_modify_cq {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_ex_cmd_hdr ex_hdr;
	struct ib_uverbs_ex_modify_cq core_payload;
};

struct empty {};

/* The types that DECLARE_DRV_CMD looks up by the name of the command. */
#define MRC_CMD_TYPES(_enum, _req, _resp)                                     \
	typedef struct _req mrc_req_##_enum;                                  \
	typedef struct _resp mrc_resp_##_enum

MRC_CMD_TYPES(IB_USER_VERBS_CMD_GET_CONTEXT, ibv_get_context,
	      ib_uverbs_get_context_resp);
MRC_CMD_TYPES(IB_USER_VERBS_CMD_CREATE_AH, ibv_create_ah,
	      ib_uverbs_create_ah_resp);
MRC_CMD_TYPES(IB_USER_VERBS_CMD_CREATE_CQ, ibv_create_cq,
	      ib_uverbs_create_cq_resp);
MRC_CMD_TYPES(IB_USER_VERBS_EX_CMD_CREATE_CQ, ibv_create_cq_ex,
	      ib_uverbs_ex_create_cq_resp);
MRC_CMD_TYPES(IB_USER_VERBS_CMD_RESIZE_CQ, ibv_resize_cq,
	      ib_uverbs_resize_cq_resp);
MRC_CMD_TYPES(IB_USER_VERBS_CMD_CREATE_QP, ibv_create_qp,
	      ib_uverbs_create_qp_resp);
MRC_CMD_TYPES(IB_USER_VERBS_CMD_CREATE_SRQ, ibv_create_srq,
	      ib_uverbs_create_srq_resp);
MRC_CMD_TYPES(IB_USER_VERBS_CMD_MODIFY_SRQ, ibv_modify_srq, empty);

/* Request and response of a command with the driver's parts behind. */
#define DECLARE_DRV_CMD(_name, _enum, _kabi_req, _kabi_resp)                  \
	struct _name {                                                        \
		mrc_req_##_enum ibv_cmd;                                      \
		struct _kabi_req drv_payload;                                 \
	};                                                                    \
	struct _name##_resp {                                                 \
		mrc_resp_##_enum ibv_resp;                                    \
		struct _kabi_resp drv_payload;                                \
	};                                                                    \
	static_assert(sizeof(struct _name) ==                                 \
			      sizeof(mrc_req_##_enum) +                       \
				      sizeof(struct _kabi_req),               \
		      "padding in the request of " #_name);                   \
	static_assert(sizeof(struct _name##_resp) ==                          \
			      sizeof(mrc_resp_##_enum) +                      \
				      sizeof(struct _kabi_resp),              \
		      "padding in the response of " #_name)

/* Operations of a context; sorted by name, as libibverbs has them. */

typedef void (*verbs_unused_op)(void);

struct verbs_context_ops {
	verbs_unused_op advise_mr;
	verbs_unused_op alloc_dm;
	struct ibv_mw *(*alloc_mw)(struct ibv_pd *pd, enum ibv_mw_type type);
	verbs_unused_op alloc_null_mr;
	verbs_unused_op alloc_parent_domain;
	struct ibv_pd *(*alloc_pd)(struct ibv_context *context);
	verbs_unused_op alloc_td;
	verbs_unused_op async_event;
	verbs_unused_op attach_counters_point_flow;
	verbs_unused_op attach_mcast;
	int (*bind_mw)(struct ibv_qp *qp, struct ibv_mw *mw,
		       struct ibv_mw_bind *mw_bind);
	verbs_unused_op close_xrcd;
	void (*cq_event)(struct ibv_cq *cq);
	struct ibv_ah *(*create_ah)(struct ibv_pd *pd,
				    struct ibv_ah_attr *attr);
	verbs_unused_op create_counters;
	struct ibv_cq *(*create_cq)(struct ibv_context *context, int cqe,
				    struct ibv_comp_channel *channel,
				    int comp_vector);
	struct ibv_cq_ex *(*create_cq_ex)(struct ibv_context *context,
					  struct ibv_cq_init_attr_ex *attr);
	verbs_unused_op create_flow;
	verbs_unused_op create_flow_action_esp;
	struct ibv_qp *(*create_qp)(struct ibv_pd *pd,
				    struct ibv_qp_init_attr *attr);
	struct ibv_qp *(*create_qp_ex)(struct ibv_context *context,
				       struct ibv_qp_init_attr_ex *attr);
	verbs_unused_op create_rwq_ind_table;
	struct ibv_srq *(*create_srq)(struct ibv_pd *pd,
				      struct ibv_srq_init_attr *attr);
	verbs_unused_op create_srq_ex;
	verbs_unused_op create_wq;
	int (*dealloc_mw)(struct ibv_mw *mw);
	int (*dealloc_pd)(struct ibv_pd *pd);
	verbs_unused_op dealloc_td;
	int (*dereg_mr)(struct verbs_mr *vmr);
	int (*destroy_ah)(struct ibv_ah *ah);
	verbs_unused_op destroy_counters;
	int (*destroy_cq)(struct ibv_cq *cq);
	verbs_unused_op destroy_flow;
	verbs_unused_op destroy_flow_action;
	int (*destroy_qp)(struct ibv_qp *qp);
	verbs_unused_op destroy_rwq_ind_table;
	int (*destroy_srq)(struct ibv_srq *srq);
	verbs_unused_op destroy_wq;
	verbs_unused_op detach_mcast;
	void (*free_context)(struct ibv_context *context);
	verbs_unused_op free_dm;
	verbs_unused_op get_srq_num;
	verbs_unused_op import_dm;
	verbs_unused_op import_mr;
	verbs_unused_op import_pd;
	int (*modify_cq)(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);
	verbs_unused_op modify_flow_action_esp;
	int (*modify_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			 int attr_mask);
	verbs_unused_op modify_qp_rate_limit;
	int (*modify_srq)(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			  int attr_mask);
	verbs_unused_op modify_wq;
	verbs_unused_op open_qp;
	verbs_unused_op open_xrcd;
	int (*poll_cq)(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
	int (*post_recv)(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad_wr);
	int (*post_send)(struct ibv_qp *qp, struct ibv_send_wr *wr,
			 struct ibv_send_wr **bad_wr);
	verbs_unused_op post_srq_ops;
	int (*post_srq_recv)(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			     struct ibv_recv_wr **bad_wr);
	int (*query_device_ex)(struct ibv_context *context,
			       const struct ibv_query_device_ex_input *input,
			       struct ibv_device_attr_ex *attr,
			       size_t attr_size);
	verbs_unused_op query_ece;
	int (*query_port)(struct ibv_context *context, uint8_t port_num,
			  struct ibv_port_attr *port_attr);
	int (*query_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			int attr_mask, struct ibv_qp_init_attr *init_attr);
	verbs_unused_op query_qp_data_in_order;
	int (*query_rt_values)(struct ibv_context *context,
			       struct ibv_values_ex *values);
	int (*query_srq)(struct ibv_srq *srq, struct ibv_srq_attr *attr);
	verbs_unused_op read_counters;
	verbs_unused_op reg_dm_mr;
	struct ibv_mr *(*reg_dmabuf_mr)(struct ibv_pd *pd, uint64_t offset,
					size_t length, uint64_t iova, int fd,
					int access);
	struct ibv_mr *(*reg_mr)(struct ibv_pd *pd, void *addr, size_t length,
				 uint64_t hca_va, int access);
	int (*req_notify_cq)(struct ibv_cq *cq, int solicited_only);
	int (*rereg_mr)(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
			void *addr, size_t length, int access);
	int (*resize_cq)(struct ibv_cq *cq, int cqe);
	verbs_unused_op set_ece;
	verbs_unused_op unimport_dm;
	verbs_unused_op unimport_mr;
	verbs_unused_op unimport_pd;
};

#define MRC_CHECK_OP(_op, _index)                                             \
	static_assert(offsetof(struct verbs_context_ops, _op) ==              \
			      (_index) * sizeof(verbs_unused_op),             \
		      #_op " is out of place")

/* clang-format off */
MRC_CHECK_OP(alloc_pd,		 5);
MRC_CHECK_OP(create_qp,		19);
MRC_CHECK_OP(free_context,	39);
MRC_CHECK_OP(modify_cq,		45);
MRC_CHECK_OP(modify_srq,	49);
MRC_CHECK_OP(poll_cq,		53);
MRC_CHECK_OP(post_srq_recv,	57);
MRC_CHECK_OP(query_srq,		64);
MRC_CHECK_OP(resize_cq,		71);
MRC_CHECK_OP(unimport_pd,	75);
/* clang-format on */
static_assert(sizeof(struct verbs_device_ops) == 9 * sizeof(void *),
	      "struct verbs_device_ops has a different size");

/* Helpers of libibverbs; all return 0 or a positive errno. */

void *_verbs_init_and_alloc_context(struct ibv_device *device, int cmd_fd,
				    size_t alloc_size,
				    struct verbs_context *context_offset,
				    uint32_t driver_id);
#define verbs_init_and_alloc_context(ibdev, cmd_fd, drv_ctx_ptr, ctx_memb,    \
				     driver_id)                               \
	((typeof(drv_ctx_ptr))_verbs_init_and_alloc_context(                  \
		ibdev, cmd_fd, sizeof(*(drv_ctx_ptr)),                        \
		(struct verbs_context *)offsetof(typeof(*(drv_ctx_ptr)),      \
						 ctx_memb),                   \
		driver_id))
void verbs_uninit_context(struct verbs_context *context);
void verbs_set_ops(struct verbs_context *vctx,
		   const struct verbs_context_ops *ops);

int ibv_cmd_get_context(struct verbs_context *context,
			struct ibv_get_context *cmd, size_t cmd_size,
			struct ib_uverbs_get_context_resp *resp,
			size_t resp_size);
int ibv_cmd_query_device_any(struct ibv_context *context,
			     const struct ibv_query_device_ex_input *input,
			     struct ibv_device_attr_ex *attr, size_t attr_size,
			     struct ib_uverbs_ex_query_device_resp *resp,
			     size_t *resp_size);
int ibv_cmd_query_port(struct ibv_context *context, uint8_t port_num,
		       struct ibv_port_attr *port_attr,
		       struct ibv_query_port *cmd, size_t cmd_size);
int ibv_cmd_alloc_pd(struct ibv_context *context, struct ibv_pd *pd,
		     struct ibv_alloc_pd *cmd, size_t cmd_size,
		     struct ib_uverbs_alloc_pd_resp *resp, size_t resp_size);
int ibv_cmd_dealloc_pd(struct ibv_pd *pd);
int ibv_cmd_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
		   uint64_t hca_va, int access, struct verbs_mr *vmr,
		   struct ibv_reg_mr *cmd, size_t cmd_size,
		   struct ib_uverbs_reg_mr_resp *resp, size_t resp_size);
int ibv_cmd_rereg_mr(struct verbs_mr *vmr, uint32_t flags, void *addr,
		     size_t length, uint64_t hca_va, int access,
		     struct ibv_pd *pd, struct ibv_rereg_mr *cmd,
		     size_t cmd_sz, struct ib_uverbs_rereg_mr_resp *resp,
		     size_t resp_sz);
int ibv_cmd_dereg_mr(struct verbs_mr *vmr);
int ibv_cmd_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
			  uint64_t iova, int fd, int access,
			  struct verbs_mr *vmr);
int ibv_cmd_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
		     struct ibv_mw *mw, struct ibv_alloc_mw *cmd,
		     size_t cmd_size, struct ib_uverbs_alloc_mw_resp *resp,
		     size_t resp_size);
int ibv_cmd_dealloc_mw(struct ibv_mw *mw);
int ibv_cmd_create_cq(struct ibv_context *context, int cqe,
		      struct ibv_comp_channel *channel, int comp_vector,
		      struct ibv_cq *cq, struct ibv_create_cq *cmd,
		      size_t cmd_size, struct ib_uverbs_create_cq_resp *resp,
		      size_t resp_size);
int ibv_cmd_create_cq_ex(struct ibv_context *context,
			 const struct ibv_cq_init_attr_ex *cq_attr,
			 struct verbs_cq *cq, struct ibv_create_cq_ex *cmd,
			 size_t cmd_size,
			 struct ib_uverbs_ex_create_cq_resp *resp,
			 size_t resp_size, uint32_t cmd_flags);
int ibv_cmd_req_notify_cq(struct ibv_cq *cq, int solicited_only);
int ibv_cmd_resize_cq(struct ibv_cq *cq, int cqe, struct ibv_resize_cq *cmd,
		      size_t cmd_size, struct ib_uverbs_resize_cq_resp *resp,
		      size_t resp_size);
int ibv_cmd_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr,
		      struct ibv_modify_cq *cmd, size_t cmd_size);
int ibv_cmd_destroy_cq(struct ibv_cq *cq);
int ibv_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah,
		      struct ibv_ah_attr *attr,
		      struct ib_uverbs_create_ah_resp *resp, size_t resp_size);
int ibv_cmd_destroy_ah(struct ibv_ah *ah);
int ibv_cmd_create_qp(struct ibv_pd *pd, struct ibv_qp *qp,
		      struct ibv_qp_init_attr *attr, struct ibv_create_qp *cmd,
		      size_t cmd_size, struct ib_uverbs_create_qp_resp *resp,
		      size_t resp_size);
int ibv_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *qp_attr,
		     int attr_mask, struct ibv_qp_init_attr *qp_init_attr,
		     struct ibv_query_qp *cmd, size_t cmd_size);
int ibv_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		      int attr_mask, struct ibv_modify_qp *cmd,
		      size_t cmd_size);
int ibv_cmd_destroy_qp(struct ibv_qp *qp);
int ibv_cmd_create_srq(struct ibv_pd *pd, struct ibv_srq *srq,
		       struct ibv_srq_init_attr *attr,
		       struct ibv_create_srq *cmd, size_t cmd_size,
		       struct ib_uverbs_create_srq_resp *resp,
		       size_t resp_size);
int ibv_cmd_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr,
		       int srq_attr_mask, struct ibv_modify_srq *cmd,
		       size_t cmd_size);
int ibv_cmd_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr,
		      struct ibv_query_srq *cmd, size_t cmd_size);
int ibv_cmd_destroy_srq(struct ibv_srq *srq);

#endif /* MRC_STANDALONE_DRIVER_ABI_H */
