/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The MRC application API: queue pairs of Multipath Reliable Connection, their
 * completion queues and events, beside libibverbs, which supplies devices, protection
 * domains and memory regions.  Each function has a manual page in section 3.
 */
#ifndef MRC_H
#define MRC_H

#include <stdint.h>
#include <infiniband/verbs.h>

#include <mrc_api_ver.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of opaque data for a provider. */
#define MRC_MAX_VENDOR_CFG_SIZE 128

/* Versions of the wire protocol, a bitmap; 0 leaves the choice to the provider. */
enum mrc_protocol_version {
	MRC_PROTOCOL_VERSION_0 = 0,
	MRC_PROTOCOL_VERSION_1 = 1 << 0,
};

struct mrc_context;
struct mrc_qp_hint;
struct mrc_qp;
struct mrc_cq;
struct mrc_comp_channel;

/* --- device ------------------------------------------------------------- */

/* What a device is able to do. */
enum mrc_device_cap {
	MRC_DEVICE_CAP_TRIM_NACK = 1 << 0,	/* NACKs for trimmed packets */
	MRC_DEVICE_CAP_DYNAMIC_MPR = 1 << 1,	/* PSN windows that change */
	MRC_DEVICE_CAP_SVC_TIME = 1 << 2,	/* service times of responders */
};

struct mrc_device_attr {
	uint32_t mrc_protocol_version;		/* enum mrc_protocol_version */

	/* Largest limits of messages with immediate data in flight. */
	struct {
		uint16_t max_wimm;		/* as requester */
		uint16_t max_wimm_dest;		/* as responder */
	} wimm_attr;

	/* PSN windows, in units of 128 PSNs. */
	struct {
		uint8_t max_mpr;		/* largest */
		uint8_t mpr_resolution;		/* all are multiples of this */
	} mpr_attr;

	struct {
		uint32_t max_qp_hint;		/* QP hints of a device */
	} qp_attr;

	uint32_t cap;				/* enum mrc_device_cap */
};

/*
 * The mrc_device_attr of a device; *supported is 0 if it is no MRC device, in which
 * case the call succeeds too.  0, or -1 with errno set.
 */
#if MRC_API_VER_USED >= MRC_API_VER(1, 0, 1)
int mrc_query_device_ex(struct ibv_context *context,
			struct mrc_context *mcontext,
			struct mrc_device_attr *attr, int *supported);
#endif
int mrc_query_device(struct ibv_context *context, struct mrc_device_attr *attr,
		     int *supported);

/* Newest and oldest versions of the API and of its extensions in the library. */
void mrc_query_version(uint32_t *current_version,
		       uint32_t *last_supported_version,
		       uint32_t *vendor_version,
		       uint32_t *last_supported_vendor_version);

/* --- context ------------------------------------------------------------ */

/* Versions that the program was compiled for; 0 stands for the current ones. */
struct mrc_context_attr {
	uint32_t mrc_api_version_used;
	uint32_t mrc_vendor_api_version_used;
};

/*
 * A context is the parent of all other objects; destroying it destroys those that are
 * left.  NULL, or -1, with errno set.
 */
struct mrc_context *mrc_create_context(struct ibv_context *vcontext,
				       struct mrc_context_attr *context_attr);
int mrc_destroy_context(struct mrc_context *mrc_ctx);

/* --- completion channels and queues -------------------------------------- */

/* 0 or an errno, which is in errno too; the descriptor: 0, or -1 with errno set. */
int mrc_create_comp_channel(struct mrc_context *mrc_ctx,
			    struct mrc_comp_channel **channel);
int mrc_get_comp_channel_fd(struct mrc_comp_channel *channel, int *fd);
int mrc_destroy_comp_channel(struct mrc_comp_channel *channel);

/* NULL with errno set; number of completions, or -1 with errno set; 0 or an errno. */
struct mrc_cq *mrc_create_cq(struct mrc_context *mrc_ctx, int cqe,
			     void *cq_context,
			     struct mrc_comp_channel *channel,
			     int comp_vector);
int mrc_poll_cq(struct mrc_cq *cq, int num_entries, struct ibv_wc *wc);
int mrc_destroy_cq(struct mrc_cq *cq);

/* --- hints -------------------------------------------------------------- */

/* The traffic that an application expects of queue pairs. */
struct mrc_qp_hint_attr {
	int num_qps_per_peer;		/* that send to one peer at a time */
	int num_send_peers;		/* that they send to at a time */
	int num_remote_recv_peers;	/* remote QPs that send to one peer */
	uint8_t vendor_cfg[MRC_MAX_VENDOR_CFG_SIZE];
};

enum mrc_qp_hint_attr_mask {
	MRC_QP_HINT_NUM_QPS_PER_PEER = 1 << 0,
	MRC_QP_HINT_NUM_SEND_PEERS = 1 << 1,
	MRC_QP_HINT_NUM_REMOTE_RECV_PEERS = 1 << 2,
	MRC_QP_HINT_VENDOR_CFG = 1 << 31,
};

struct mrc_qp_hint_init_attr {
	struct mrc_qp_hint_attr attr;
};

/* NULL, or -1, with errno set; EBUSY if a queue pair has the hint. */
struct mrc_qp_hint *mrc_create_qp_hint(struct mrc_context *mrc_ctx,
				       struct mrc_qp_hint_init_attr *init_attr);
int mrc_destroy_qp_hint(struct mrc_qp_hint *qp_hint);
int mrc_query_qp_hint(struct mrc_qp_hint *qp_hint,
		      struct mrc_qp_hint_attr *qp_hint_attr,
		      int qp_hint_attr_mask);
int mrc_modify_qp_hint(struct mrc_qp_hint *qp_hint,
		       struct mrc_qp_hint_attr *qp_hint_attr,
		       int qp_hint_attr_mask);

/* --- queue pairs --------------------------------------------------------- */

struct mrc_qp_init_attr {
	void *qp_context;
	struct mrc_cq *send_cq;
	struct mrc_cq *recv_cq;
	struct ibv_qp_cap cap;		/* updated to what was granted */
	int sq_sig_all;
	struct ibv_pd *pd;
	uint64_t send_ops_flags;	/* enum ibv_qp_create_send_ops_flags */
	enum mrc_protocol_version protocol_version;
};

/* NULL with errno set; 0 or an errno. */
struct mrc_qp *mrc_create_qp(struct mrc_context *mrc_ctx,
			     struct mrc_qp_init_attr *mrc_qp_attr);
int mrc_destroy_qp(struct mrc_qp *qp);

/* Members of struct mrc_qp_attr, and the states with which they are set. */
enum mrc_qp_attr_mask {
	MRC_QP_MAX_WIMM = 1 << 0,	/* RTS */
	MRC_QP_MAX_WIMM_DEST = 1 << 1,	/* RTR */
	MRC_QP_MPR = 1 << 2,		/* RTS */
	MRC_QP_MPR_DEST = 1 << 3,	/* RTR */
	MRC_QP_TIMEOUT = 1 << 4,	/* RTS */
	MRC_QP_EV_PROFILE_ID = 1 << 5,	/* INIT */
	MRC_QP_CC_PROFILE_ID = 1 << 6,	/* INIT */
	MRC_QP_HINT = 1 << 7,		/* INIT */
	MRC_QP_RETRY_CNT = 1 << 8,	/* RTS */
	MRC_QP_CAP = 1 << 9,		/* RTR */
	MRC_QP_VENDOR_CFG = 1 << 31,
};

enum mrc_qp_cap {
	/* The peer generates no NACKs for trimmed packets. */
	MRC_QP_CAP_TRIM_NACK_DEST_UNSUPPORTED = 1 << 0,
	/* PSN windows may change, as requester and as responder. */
	MRC_QP_CAP_DYNAMIC_MPR = 1 << 1,
	/* The peer reports no service times. */
	MRC_QP_CAP_SVC_TIME_DEST_UNSUPPORTED = 1 << 2,
};

struct mrc_qp_attr {
	/* PSN windows, in units of 128 PSNs. */
	struct {
		uint8_t mpr;		/* as requester */
		uint8_t mpr_dest;	/* as responder */
	} mpr;

	/* Messages with immediate data in flight. */
	struct {
		uint16_t max_wimm;	/* as requester */
		uint16_t max_wimm_dest;	/* as responder */
	} wimm;

	uint8_t timeout;		/* 1.024 us * 2^timeout, up to 24 */

	/* Profiles that a controller has configured. */
	struct {
		uint64_t ev_profile_id;
		uint64_t cc_profile_id;
	} profile;

	struct {
		uint8_t linear_cnt;	/* timeouts of that length, up to 7 */
		uint8_t exp_cnt;	/* doubled ones, up to 24; 25: no limit */
	} retry;

	struct mrc_qp_hint *qp_hint;	/* or NULL */

	uint32_t cap;			/* enum mrc_qp_cap */

	uint8_t vendor_cfg[MRC_MAX_VENDOR_CFG_SIZE];
};

/* 0 or an errno, which is in errno too. */
int mrc_query_qp(struct mrc_qp *qp, struct ibv_qp_attr *vattr, int vattr_mask,
		 struct mrc_qp_attr *mrc_attr, int mrc_attr_mask,
		 struct mrc_qp_init_attr *init_attr);
int mrc_modify_qp(struct mrc_qp *qp, struct ibv_qp_attr *vattr, int vattr_mask,
		  struct mrc_qp_attr *mrc_attr, int mrc_attr_mask);

/* 0, or -1 with errno set. */
int mrc_get_qpn(struct mrc_qp *qp, uint32_t *qpn);

/* 0, or -1 with errno set. */
int mrc_post_recv(struct mrc_qp *qp, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad_wr);
/* 0 or an errno, which is in errno too; WRITE and WRITE with immediate data only. */
int mrc_post_send(struct mrc_qp *qp, struct ibv_send_wr *wr,
		  struct ibv_send_wr **bad_wr);

/* --- events ------------------------------------------------------------- */

struct mrc_async_event {
	union {
		struct mrc_cq *cq;
		struct mrc_qp *qp;
		int port_num;
	} element;
	enum ibv_event_type event_type;
};

/* 0, or -1 with errno set.  Each event has to be acknowledged. */
int mrc_get_async_event(struct mrc_context *mrc_ctx,
			struct mrc_async_event *event);
void mrc_ack_async_event(struct mrc_async_event *event);

/* 0 or an errno, which is in errno too. */
int mrc_req_notify_cq(struct mrc_cq *cq, int solicited_only);

/* 0, or -1 with errno set.  Each event has to be acknowledged. */
int mrc_get_cq_event(struct mrc_comp_channel *channel, struct mrc_cq **cq,
		     void **cq_context);
void mrc_ack_cq_events(struct mrc_cq *cq, unsigned int nevents);

#ifdef __cplusplus
}
#endif

#endif /* MRC_H */
