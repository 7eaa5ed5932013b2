// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Methods of the driver in the uverbs ioctl ABI: attributes of queue pairs that verbs
 * have not, and their limits.
 *
 * uverbs looks the QP up among the objects of the calling process, and EV profiles and
 * CC profiles are looked up in the device of the QP: a process can neither reach the
 * QPs of others nor use what the operator has configured elsewhere.
 */
#include <rdma/mrc-abi.h>
#include <rdma/uverbs_ioctl.h>
#define UVERBS_MODULE_NAME mrc_ib
#include <rdma/uverbs_named_ioctl.h>
#include "verbs/methods.h"
#include "verbs/qp.h"
#include "verbs/qp_attr.h"

static_assert(MRC_IB_NAME_MAX == MRC_OBJECT_NAME_MAX);

/**
 * struct mrc_methods_opt - attribute of the ABI and of a connection
 * @opt: enum mrc_conn_opt
 * @bit: enum mrc_ib_qp_attr_mask
 * @offset: in &struct mrc_ib_qp_attr
 * @size: bytes, 1 or 4
 */
struct mrc_methods_opt {
	u32 opt;
	u32 bit;
	u8 offset;
	u8 size;
};

#define MRC_METHODS_OPT(_opt, _bit, _field) {				\
	.opt = MRC_CONN_OPT_##_opt,					\
	.bit = MRC_IB_QP_##_bit,					\
	.offset = offsetof(struct mrc_ib_qp_attr, _field),		\
	.size = sizeof_field(struct mrc_ib_qp_attr, _field),		\
}

static const struct mrc_methods_opt mrc_methods_opts[MRC_CONN_OPTS] = {
	MRC_METHODS_OPT(TIMEOUT, TIMEOUT, timeout),
	MRC_METHODS_OPT(LINEAR, LINEAR_CNT, linear_cnt),
	MRC_METHODS_OPT(EXP, EXP_CNT, exp_cnt),
	MRC_METHODS_OPT(MPR, MPR, mpr),
	MRC_METHODS_OPT(WIMM, MAX_WIMM, max_wimm),
	MRC_METHODS_OPT(MPR_DEST, MPR_DEST, mpr_dest),
	MRC_METHODS_OPT(WIMM_DEST, MAX_WIMM_DEST, max_wimm_dest),
	MRC_METHODS_OPT(TRIM_NACK, TRIM_NACK, trim_nack),
	MRC_METHODS_OPT(DYNAMIC_MPR, DYNAMIC_MPR, dynamic_mpr),
	MRC_METHODS_OPT(SVC_TIME, SVC_TIME, svc_time),
	MRC_METHODS_OPT(SVC_TIME_DEST, SVC_TIME_DEST, svc_time_dest),
};

static u32 mrc_methods_read(const struct mrc_ib_qp_attr *attr,
			    const struct mrc_methods_opt *o)
{
	const void *at = (const void *)attr + o->offset;

	return o->size == sizeof(u8) ? *(const u8 *)at : *(const u32 *)at;
}

static void mrc_methods_write(struct mrc_ib_qp_attr *attr,
			      const struct mrc_methods_opt *o, u32 value)
{
	void *at = (void *)attr + o->offset;

	if (o->size == sizeof(u8))
		*(u8 *)at = value;
	else
		*(u32 *)at = value;
}

static u32 mrc_methods_known(void)
{
	u32 i, known = MRC_IB_QP_EV_PROFILE | MRC_IB_QP_CC_PROFILE;

	for (i = 0; i < ARRAY_SIZE(mrc_methods_opts); i++)
		known |= mrc_methods_opts[i].bit;
	return known;
}

static int mrc_methods_check(const struct mrc_ib_qp_attr *attr)
{
	if (attr->mask & ~mrc_methods_known() || attr->reserved ||
	    attr->reserved1)
		return -EOPNOTSUPP;
	if ((attr->mask & MRC_IB_QP_EV_PROFILE &&
	     !memchr(attr->ev_profile, 0, sizeof(attr->ev_profile))) ||
	    (attr->mask & MRC_IB_QP_CC_PROFILE &&
	     !memchr(attr->cc_profile, 0, sizeof(attr->cc_profile))))
		return -EINVAL;
	return 0;
}

static void mrc_methods_parse(const struct mrc_ib_qp_attr *attr,
			      struct mrc_qp_change *change)
{
	const struct mrc_methods_opt *o;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(mrc_methods_opts); i++) {
		o = &mrc_methods_opts[i];
		if (!(attr->mask & o->bit))
			continue;
		change->opts.set |= BIT(o->opt);
		change->opts.value[o->opt] = mrc_methods_read(attr, o);
	}
	if (attr->mask & MRC_IB_QP_EV_PROFILE)
		change->bind.profile = attr->ev_profile;
	if (attr->mask & MRC_IB_QP_CC_PROFILE)
		change->bind.cc = attr->cc_profile;
}

static int UVERBS_HANDLER(MRC_IB_METHOD_QP_MODIFY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_qp *ibqp =
		uverbs_attr_get_obj(attrs, MRC_IB_ATTR_QP_MODIFY_HANDLE);
	struct mrc_qp *qp = mrc_qp_from_ib(ibqp);
	struct mrc_qp_change change = {};
	struct mrc_ib_qp_attr attr;
	int err;

	err = uverbs_copy_from_or_zero(&attr, attrs,
				       MRC_IB_ATTR_QP_MODIFY_ATTR);
	if (!err)
		err = mrc_methods_check(&attr);
	if (err)
		return err;
	mrc_methods_parse(&attr, &change);
	mutex_lock(&qp->mutex);
	err = mrc_qp_set_attrs(qp, &change, NULL);
	mutex_unlock(&qp->mutex);
	return err;
}

static void mrc_methods_fill(const struct mrc_qp_state_attrs *from,
			     struct mrc_ib_qp_attr *attr)
{
	const struct mrc_methods_opt *o;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(mrc_methods_opts); i++) {
		o = &mrc_methods_opts[i];
		if (from->set & BIT(o->opt))
			attr->mask |= o->bit;
		mrc_methods_write(attr, o, from->value[o->opt]);
	}
	if (*from->profile)
		attr->mask |= MRC_IB_QP_EV_PROFILE;
	if (*from->cc)
		attr->mask |= MRC_IB_QP_CC_PROFILE;
	strscpy(attr->ev_profile, from->profile, sizeof(attr->ev_profile));
	strscpy(attr->cc_profile, from->cc, sizeof(attr->cc_profile));
}

static int UVERBS_HANDLER(MRC_IB_METHOD_QP_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_qp *ibqp =
		uverbs_attr_get_obj(attrs, MRC_IB_ATTR_QP_QUERY_HANDLE);
	struct mrc_qp_state_attrs state;
	struct mrc_ib_qp_attr attr = {};
	int err;

	err = mrc_qp_get_attrs(mrc_qp_from_ib(ibqp), &state);
	if (err)
		return err;
	mrc_methods_fill(&state, &attr);
	return uverbs_copy_to_struct_or_zero(attrs, MRC_IB_ATTR_QP_QUERY_ATTR,
					     &attr, sizeof(attr));
}

static int UVERBS_HANDLER(MRC_IB_METHOD_DEVICE_QUERY)(struct uverbs_attr_bundle *attrs)
{
	const struct mrc_ib_device_attr attr = {
		.protocol = MRC_QP_PROTOCOL,
		.caps = MRC_IB_CAP_TRIM_NACK | MRC_IB_CAP_DYNAMIC_MPR |
			MRC_IB_CAP_SVC_TIME,
		.mpr_min = MRC_QP_MPR_MIN,
		.mpr_max = MRC_QP_MPR_MAX,
		.mpr_unit = MRC_MPR_UNIT,
		.max_wimm = MRC_QP_WIMM_MAX,
		.max_wimm_dest = MRC_QP_WIMM_MAX,
		.timeout_max = MRC_TIMEOUT_MAX,
		.linear_max = MRC_LINEAR_MAX,
		.exp_max = MRC_EXP_MAX,
	};

	return uverbs_copy_to_struct_or_zero(attrs,
					     MRC_IB_ATTR_DEVICE_QUERY_ATTR,
					     &attr, sizeof(attr));
}

/*
 * Access for reading: the QP has its own lock, and doorbells, which are commands that
 * read the QP, must not fail meanwhile.
 */
DECLARE_UVERBS_NAMED_METHOD(MRC_IB_METHOD_QP_MODIFY,
	UVERBS_ATTR_IDR(MRC_IB_ATTR_QP_MODIFY_HANDLE, UVERBS_OBJECT_QP,
			UVERBS_ACCESS_READ, UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(MRC_IB_ATTR_QP_MODIFY_ATTR,
			   UVERBS_ATTR_STRUCT(struct mrc_ib_qp_attr,
					      cc_profile),
			   UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(MRC_IB_METHOD_QP_QUERY,
	UVERBS_ATTR_IDR(MRC_IB_ATTR_QP_QUERY_HANDLE, UVERBS_OBJECT_QP,
			UVERBS_ACCESS_READ, UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(MRC_IB_ATTR_QP_QUERY_ATTR,
			    UVERBS_ATTR_STRUCT(struct mrc_ib_qp_attr,
					       cc_profile),
			    UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(MRC_IB_METHOD_DEVICE_QUERY,
	UVERBS_ATTR_PTR_OUT(MRC_IB_ATTR_DEVICE_QUERY_ATTR,
			    UVERBS_ATTR_STRUCT(struct mrc_ib_device_attr,
					       exp_max),
			    UA_MANDATORY));

ADD_UVERBS_METHODS(mrc_qp_methods, UVERBS_OBJECT_QP,
		   &UVERBS_METHOD(MRC_IB_METHOD_QP_MODIFY),
		   &UVERBS_METHOD(MRC_IB_METHOD_QP_QUERY));

ADD_UVERBS_METHODS(mrc_device_methods, UVERBS_OBJECT_DEVICE,
		   &UVERBS_METHOD(MRC_IB_METHOD_DEVICE_QUERY));

/* For &struct ib_device.driver_def. */
const struct uapi_definition mrc_methods[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_QP, &mrc_qp_methods),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &mrc_device_methods),
	{},
};
