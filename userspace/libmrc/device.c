// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Devices: their limits, and attributes of queue pairs, by the driver's methods of the
 * uverbs ioctl ABI.
 */
#include <string.h>
#include <sys/ioctl.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "context.h"
#include "device.h"

/* Most attributes of a request. */
enum { REQUEST_ATTRS = 2 };

/**
 * struct request - request of the ioctl ABI
 * @hdr: its header
 * @attr: its attributes, which @hdr ends with
 */
struct request {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attr[REQUEST_ATTRS];
};

static void request_add(struct request *req, uint16_t id, uint16_t len,
			uint64_t data)
{
	req->attr[req->hdr.num_attrs++] = (struct ib_uverbs_attr){
		.attr_id = id,
		.len = len,
		.flags = UVERBS_ATTR_F_MANDATORY,
		.data = data,
	};
}

static int request_do(struct ibv_context *vctx, struct request *req,
		      uint16_t object, uint16_t method)
{
	int saved = errno, ret = 0;

	req->hdr.object_id = object;
	req->hdr.method_id = method;
	req->hdr.driver_id = RDMA_DRIVER_MRC;
	req->hdr.length = sizeof(req->hdr) +
			  req->hdr.num_attrs * sizeof(req->attr[0]);
	if (ioctl(vctx->cmd_fd, RDMA_VERBS_IOCTL, req))
		ret = errno;
	errno = saved;
	return ret;
}

/**
 * device_limits() - limits of a device
 * @vctx: context of libibverbs
 * @attr: filled in, or NULL
 *
 * Return: 0; EOPNOTSUPP if it is no MRC device; another errno.
 */
int device_limits(struct ibv_context *vctx, struct mrc_ib_device_attr *attr)
{
	struct mrc_ib_device_attr limits;
	struct request req = {};
	int ret;

	request_add(&req, MRC_IB_ATTR_DEVICE_QUERY_ATTR, sizeof(limits),
		    (uintptr_t)&limits);
	ret = request_do(vctx, &req, UVERBS_OBJECT_DEVICE,
			 MRC_IB_METHOD_DEVICE_QUERY);
	switch (ret) {
	case 0:
		if (attr)
			*attr = limits;
		return 0;
	/* EINVAL: another driver. */
	case EINVAL:
	case ENOTTY:
	case EPROTONOSUPPORT:
		return EOPNOTSUPP;
	default:
		return ret;
	}
}

/**
 * qp_attr_get() - attributes of a queue pair that verbs do not have
 * @vqp: queue pair of libibverbs
 * @attr: filled in
 *
 * Return: 0 or an errno.
 */
int qp_attr_get(struct ibv_qp *vqp, struct mrc_ib_qp_attr *attr)
{
	struct request req = {};

	request_add(&req, MRC_IB_ATTR_QP_QUERY_HANDLE, 0, vqp->handle);
	request_add(&req, MRC_IB_ATTR_QP_QUERY_ATTR, sizeof(*attr),
		    (uintptr_t)attr);
	return request_do(vqp->context, &req, UVERBS_OBJECT_QP,
			  MRC_IB_METHOD_QP_QUERY);
}

/**
 * qp_attr_set() - set such attributes
 * @vqp: queue pair of libibverbs
 * @attr: those of its mask are set
 *
 * Return: 0 or an errno; then nothing has changed.
 */
int qp_attr_set(struct ibv_qp *vqp, const struct mrc_ib_qp_attr *attr)
{
	struct request req = {};

	request_add(&req, MRC_IB_ATTR_QP_MODIFY_HANDLE, 0, vqp->handle);
	request_add(&req, MRC_IB_ATTR_QP_MODIFY_ATTR, sizeof(*attr),
		    (uintptr_t)attr);
	return request_do(vqp->context, &req, UVERBS_OBJECT_QP,
			  MRC_IB_METHOD_QP_MODIFY);
}

/* --- the API ------------------------------------------------------------- */

static uint32_t device_caps(uint32_t caps)
{
	return (caps & MRC_IB_CAP_TRIM_NACK ? MRC_DEVICE_CAP_TRIM_NACK : 0) |
	       (caps & MRC_IB_CAP_DYNAMIC_MPR ? MRC_DEVICE_CAP_DYNAMIC_MPR : 0) |
	       (caps & MRC_IB_CAP_SVC_TIME ? MRC_DEVICE_CAP_SVC_TIME : 0);
}

static uint32_t at_most(uint32_t value, uint32_t max)
{
	return value < max ? value : max;
}

static int device_query(struct ibv_context *vctx, struct mrc_device_attr *attr,
			int *supported)
{
	struct mrc_ib_device_attr limits;
	int ret;

	if (!vctx || !attr || !supported)
		return refuse(EINVAL, "an argument is NULL");
	memset(attr, 0, sizeof(*attr));
	*supported = 0;
	ret = device_limits(vctx, &limits);
	if (ret == EOPNOTSUPP)
		return 0;
	if (ret)
		return refuse(ret, "the device does not tell its limits");
	*supported = 1;
	attr->mrc_protocol_version = limits.protocol;
	attr->wimm_attr.max_wimm = at_most(limits.max_wimm, UINT16_MAX);
	attr->wimm_attr.max_wimm_dest = at_most(limits.max_wimm_dest, UINT16_MAX);
	attr->mpr_attr.max_mpr = at_most(limits.mpr_max / MPR_UNIT, UINT8_MAX);
	attr->mpr_attr.mpr_resolution = 1;
	attr->qp_attr.max_qp_hint = HINTS_MAX;
	attr->cap = device_caps(limits.caps);
	return 0;
}

EXPORT
int mrc_query_device(struct ibv_context *context, struct mrc_device_attr *attr,
		     int *supported)
{
	return minus_one(device_query(context, attr, supported));
}

EXPORT
int mrc_query_device_ex(struct ibv_context *context,
			struct mrc_context *mcontext,
			struct mrc_device_attr *attr, int *supported)
{
	bool same;

	/* A program that has no context yet passes none. */
	if (mcontext) {
		if (!object_hold(mcontext, OBJECT_CONTEXT))
			return minus_one(refuse(EINVAL, "not a context"));
		same = context_verbs(mcontext) == context;
		object_drop(mcontext);
		if (!same)
			return minus_one(refuse(EINVAL, "a context of another verbs context"));
	}
	return minus_one(device_query(context, attr, supported));
}

static void version_put(uint32_t *to, uint32_t version)
{
	if (to)
		*to = version;
}

EXPORT
void mrc_query_version(uint32_t *current_version,
		       uint32_t *last_supported_version,
		       uint32_t *vendor_version,
		       uint32_t *last_supported_vendor_version)
{
	version_put(current_version, MRC_API_CURRENT_VERSION);
	version_put(last_supported_version, MRC_API_LAST_SUPPORTED_VERSION);
	version_put(vendor_version, MRC_VENDOR_API_CURRENT_VERSION);
	version_put(last_supported_vendor_version,
		    MRC_VENDOR_API_LAST_SUPPORTED_VERSION);
}
