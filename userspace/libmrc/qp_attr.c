// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attributes of queue pairs that verbs do not have.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "profile.h"
#include "qp.h"

/* Those of MRC, and those of verbs. */
#define QP_MASK                                                               \
	((unsigned int)MRC_QP_MAX_WIMM | MRC_QP_MAX_WIMM_DEST | MRC_QP_MPR |  \
	 MRC_QP_MPR_DEST | MRC_QP_TIMEOUT | MRC_QP_EV_PROFILE_ID |            \
	 MRC_QP_CC_PROFILE_ID | MRC_QP_HINT | MRC_QP_RETRY_CNT | MRC_QP_CAP | \
	 (unsigned int)MRC_QP_VENDOR_CFG)
#define QP_VERBS_MASK                                                         \
	((IBV_QP_DEST_QPN << 1) - 1)
#define QP_VERBS_REFUSED (IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE)
#define QP_CAPS                                                               \
	(MRC_QP_CAP_TRIM_NACK_DEST_UNSUPPORTED | MRC_QP_CAP_DYNAMIC_MPR |     \
	 MRC_QP_CAP_SVC_TIME_DEST_UNSUPPORTED)

/* What MRC_QP_CAP consists of in the kernel. */
#define QP_CAP_ATTRS                                                          \
	(MRC_IB_QP_TRIM_NACK | MRC_IB_QP_DYNAMIC_MPR | MRC_IB_QP_SVC_TIME |   \
	 MRC_IB_QP_SVC_TIME_DEST)

/**
 * qp_mask_check() - check the masks of a query or change
 * @vmask: of attributes of verbs
 * @mask: of attributes of MRC
 *
 * Return: 0 or an errno.
 */
int qp_mask_check(int vmask, unsigned int mask)
{
	if (mask & ~QP_MASK)
		return refuse(EINVAL, "mrc_attr_mask %#x has unknown bits", mask);
	if (vmask & ~QP_VERBS_MASK)
		return refuse(EINVAL, "vattr_mask %#x has unknown bits", vmask);
	return 0;
}

/**
 * qp_hint_set() - give a queue pair a hint
 * @qp: queue pair; lock held, or nobody uses it
 * @hint: hint, held, or NULL for none
 */
void qp_hint_set(struct mrc_qp *qp, struct mrc_qp_hint *hint)
{
	if (hint)
		hint->users++;
	if (qp->hint)
		qp->hint->users--;
	qp->hint = hint;
}

/* --- changes ------------------------------------------------------------- */

static void caps_to_kernel(uint32_t caps, struct mrc_ib_qp_attr *to)
{
	to->trim_nack = !(caps & MRC_QP_CAP_TRIM_NACK_DEST_UNSUPPORTED);
	to->dynamic_mpr = !!(caps & MRC_QP_CAP_DYNAMIC_MPR);
	to->svc_time = !(caps & MRC_QP_CAP_SVC_TIME_DEST_UNSUPPORTED);
	to->svc_time_dest = to->svc_time;
	to->mask |= QP_CAP_ATTRS;
}

static void limits_to_kernel(const struct mrc_qp_attr *from, unsigned int mask,
			     struct mrc_ib_qp_attr *to)
{
	if (mask & MRC_QP_MPR) {
		to->mpr = from->mpr.mpr * MPR_UNIT;
		to->mask |= MRC_IB_QP_MPR;
	}
	if (mask & MRC_QP_MPR_DEST) {
		to->mpr_dest = from->mpr.mpr_dest * MPR_UNIT;
		to->mask |= MRC_IB_QP_MPR_DEST;
	}
	if (mask & MRC_QP_MAX_WIMM) {
		to->max_wimm = from->wimm.max_wimm;
		to->mask |= MRC_IB_QP_MAX_WIMM;
	}
	if (mask & MRC_QP_MAX_WIMM_DEST) {
		to->max_wimm_dest = from->wimm.max_wimm_dest;
		to->mask |= MRC_IB_QP_MAX_WIMM_DEST;
	}
}

static void retries_to_kernel(const struct mrc_qp_attr *from, unsigned int mask,
			      struct mrc_ib_qp_attr *to)
{
	if (mask & MRC_QP_TIMEOUT) {
		to->timeout = from->timeout;
		to->mask |= MRC_IB_QP_TIMEOUT;
	}
	if (mask & MRC_QP_RETRY_CNT) {
		to->linear_cnt = from->retry.linear_cnt;
		to->exp_cnt = from->retry.exp_cnt;
		to->mask |= MRC_IB_QP_LINEAR_CNT | MRC_IB_QP_EXP_CNT;
	}
}

static void attr_to_kernel(const struct mrc_qp_attr *from, unsigned int mask,
			   struct mrc_ib_qp_attr *to)
{
	*to = (struct mrc_ib_qp_attr){};
	limits_to_kernel(from, mask, to);
	retries_to_kernel(from, mask, to);
	if (mask & MRC_QP_CAP)
		caps_to_kernel(from->cap, to);
	if (mask & MRC_QP_EV_PROFILE_ID) {
		profile_name(from->profile.ev_profile_id, to->ev_profile);
		to->mask |= MRC_IB_QP_EV_PROFILE;
	}
	if (mask & MRC_QP_CC_PROFILE_ID) {
		profile_name(from->profile.cc_profile_id, to->cc_profile);
		to->mask |= MRC_IB_QP_CC_PROFILE;
	}
}

static bool vendor_cfg_empty(const uint8_t *cfg)
{
	static const uint8_t empty[MRC_MAX_VENDOR_CFG_SIZE];

	return !memcmp(cfg, empty, sizeof(empty));
}

static int attr_check(const struct mrc_qp_attr *attr, unsigned int mask)
{
	if (mask & MRC_QP_CAP && attr->cap & ~QP_CAPS)
		return refuse(EINVAL, "cap %#x has unknown bits", attr->cap);
	if (mask & (unsigned int)MRC_QP_VENDOR_CFG &&
	    !vendor_cfg_empty(attr->vendor_cfg))
		return refuse(EOPNOTSUPP, "there is no vendor configuration");
	return 0;
}

static int attr_set(struct ibv_qp *vqp, const struct mrc_ib_qp_attr *attr)
{
	int ret;

	if (!attr->mask)
		return 0;
	ret = qp_attr_set(vqp, attr);
	switch (ret) {
	case 0:
		return 0;
	case EBUSY:
		return refuse(ret, "an attribute cannot be changed in this state");
	case ENOENT:
		return refuse(ret, "there is no profile '%s' or '%s'",
			      attr->ev_profile, attr->cc_profile);
	default:
		return refuse(ret, "an attribute is out of range, or a profile not ONLINE");
	}
}

/* Both parts, or none. */
static int modify_both(struct ibv_qp *vqp, struct ibv_qp_attr *vattr, int vmask,
		       const struct mrc_ib_qp_attr *attr)
{
	struct mrc_ib_qp_attr before = {};
	int ret;

	if (attr->mask && vmask) {
		ret = qp_attr_get(vqp, &before);
		if (ret)
			return refuse(ret, "the queue pair cannot be queried");
	}
	ret = attr_set(vqp, attr);
	if (ret || !vmask)
		return ret;
	ret = ibv_modify_qp(vqp, vattr, vmask);
	if (!ret)
		return 0;
	before.mask = attr->mask;
	if (attr->mask)
		qp_attr_set(vqp, &before);
	return refuse(ret, "verbs refuse attributes %#x", vmask);
}

/* A queue pair that enters RESET forgets attributes: set them afterwards. */
static int modify_reset(struct ibv_qp *vqp, struct ibv_qp_attr *vattr, int vmask,
			const struct mrc_ib_qp_attr *attr)
{
	int ret = ibv_modify_qp(vqp, vattr, vmask);

	if (ret)
		return refuse(ret, "verbs refuse attributes %#x", vmask);
	return attr_set(vqp, attr);
}

static int qp_modify_held(struct mrc_qp *qp, const struct ibv_qp_attr *from,
			  int vmask, const struct mrc_qp_attr *attr,
			  unsigned int mask)
{
	struct ibv_qp_attr vattr = *from;
	struct mrc_ib_qp_attr kattr;
	bool reset, rtr;
	int ret;

	reset = vmask & IBV_QP_STATE && vattr.qp_state == IBV_QPS_RESET;
	rtr = vmask & IBV_QP_STATE && vattr.qp_state == IBV_QPS_RTR;
	ret = qp_state_complete(qp, &vattr, &vmask);
	if (ret)
		return ret;
	if (reset)
		qp->caps_given = false;
	attr_to_kernel(attr, mask, &kattr);
	/* The API turns on what both sides can, unless the application says no. */
	if (rtr && !(mask & MRC_QP_CAP) && !qp->caps_given)
		caps_to_kernel(0, &kattr);
	ret = reset ? modify_reset(qp_verbs(qp), &vattr, vmask, &kattr) :
		      modify_both(qp_verbs(qp), &vattr, vmask, &kattr);
	if (!ret && mask & MRC_QP_CAP)
		qp->caps_given = true;
	return ret;
}

/**
 * qp_modify() - change attributes
 * @qp: queue pair; lock held
 * @vattr: attributes of verbs
 * @vmask: which of them
 * @attr: attributes of MRC
 * @mask: which of them
 *
 * Return: 0 or an errno; then nothing has changed.
 */
int qp_modify(struct mrc_qp *qp, struct ibv_qp_attr *vattr, int vmask,
	      const struct mrc_qp_attr *attr, unsigned int mask)
{
	struct mrc_qp_hint *hint = mask & MRC_QP_HINT ? attr->qp_hint : NULL;
	int ret;

	if (vmask & QP_VERBS_REFUSED)
		return refuse(EOPNOTSUPP, "there are no alternate paths");
	ret = mask ? attr_check(attr, mask) : 0;
	if (ret)
		return ret;
	if (hint && !object_hold(hint, OBJECT_HINT))
		return refuse(EINVAL, "qp_hint is no QP hint");
	if (hint && hint->obj.ctx != qp->obj.ctx)
		ret = refuse(EINVAL, "a QP hint of another context");
	else
		ret = qp_modify_held(qp, vattr, vmask, attr, mask);
	if (!ret && mask & MRC_QP_HINT)
		qp_hint_set(qp, hint);
	if (hint)
		object_drop(hint);
	return ret;
}

/* --- queries ------------------------------------------------------------- */

static uint8_t mpr_from_kernel(uint32_t mpr)
{
	uint32_t units = (mpr + MPR_UNIT - 1) / MPR_UNIT;

	return units < UINT8_MAX ? units : UINT8_MAX;
}

static uint16_t wimm_from_kernel(uint32_t wimm)
{
	return wimm < UINT16_MAX ? wimm : UINT16_MAX;
}

static uint32_t caps_from_kernel(const struct mrc_ib_qp_attr *from)
{
	return (from->trim_nack ? 0 : MRC_QP_CAP_TRIM_NACK_DEST_UNSUPPORTED) |
	       (from->dynamic_mpr ? MRC_QP_CAP_DYNAMIC_MPR : 0) |
	       (from->svc_time ? 0 : MRC_QP_CAP_SVC_TIME_DEST_UNSUPPORTED);
}

static void attr_from_kernel(const struct mrc_ib_qp_attr *from,
			     unsigned int mask, struct mrc_qp_attr *to)
{
	if (mask & MRC_QP_MPR)
		to->mpr.mpr = mpr_from_kernel(from->mpr);
	if (mask & MRC_QP_MPR_DEST)
		to->mpr.mpr_dest = mpr_from_kernel(from->mpr_dest);
	if (mask & MRC_QP_MAX_WIMM)
		to->wimm.max_wimm = wimm_from_kernel(from->max_wimm);
	if (mask & MRC_QP_MAX_WIMM_DEST)
		to->wimm.max_wimm_dest = wimm_from_kernel(from->max_wimm_dest);
	if (mask & MRC_QP_TIMEOUT)
		to->timeout = from->timeout;
	if (mask & MRC_QP_EV_PROFILE_ID)
		to->profile.ev_profile_id = profile_id(from->ev_profile);
	if (mask & MRC_QP_CC_PROFILE_ID)
		to->profile.cc_profile_id = profile_id(from->cc_profile);
	if (mask & MRC_QP_RETRY_CNT) {
		to->retry.linear_cnt = from->linear_cnt;
		to->retry.exp_cnt = from->exp_cnt;
	}
}

/**
 * qp_query() - query attributes of MRC
 * @qp: queue pair; lock held
 * @attr: filled in
 * @mask: which attributes
 *
 * Return: 0 or an errno.
 */
int qp_query(struct mrc_qp *qp, struct mrc_qp_attr *attr, unsigned int mask)
{
	struct mrc_ib_qp_attr kattr;
	int ret;

	if (!mask)
		return 0;
	ret = qp_attr_get(qp_verbs(qp), &kattr);
	if (ret)
		return refuse(ret, "the queue pair cannot be queried");
	attr_from_kernel(&kattr, mask, attr);
	/* Before RTR, the kernel does not know yet what RTR will turn on. */
	if (mask & MRC_QP_CAP)
		attr->cap = !qp->caps_given &&
			    qp_verbs(qp)->state < IBV_QPS_RTR ?
			    0 : caps_from_kernel(&kattr);
	if (mask & MRC_QP_HINT)
		attr->qp_hint = qp->hint;
	if (mask & (unsigned int)MRC_QP_VENDOR_CFG)
		memset(attr->vendor_cfg, 0, sizeof(attr->vendor_cfg));
	return 0;
}
