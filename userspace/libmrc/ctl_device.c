// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Controller API: devices and ports.
 */
#include <string.h>

#include "device.h"
#include "genl.h"
#include "profile.h"

/**
 * struct dev_info - what the kernel tells of a device
 * @limit: by MRC_A_LIMIT_*
 * @nscc: it has the congestion control of "uet-1.0-nscc"
 * @ports: bit n: port n, from 1
 * @enabled: those that the operator has not disabled
 */
struct dev_info {
	uint32_t limit[MRC_A_LIMIT_MAX + 1];
	bool nscc;
	uint64_t ports;
	uint64_t enabled;
};

/* NULL, which ends the list, stands for no congestion control. */
static const char *algorithms[] = { "uet-1.0-nscc", NULL };

static void take_limit(struct dev_info *info, const struct nlattr *attr)
{
	int type = mnl_attr_get_type(attr);

	if (type == MRC_A_LIMIT_ALGORITHM)
		info->nscc |= !strcmp(nl_string(attr), "nscc");
	else if (type <= MRC_A_LIMIT_MAX)
		info->limit[type] = nl_u32(attr);
}

static void take_port(struct dev_info *info, const struct nlattr *nest)
{
	const struct nlattr *tb[MRC_A_PORT_MAX + 1];
	uint32_t index;

	nl_nest(nest, tb, MRC_A_PORT_MAX);
	index = nl_u32(tb[MRC_A_PORT_INDEX]);
	if (!index || index > MRC_PORTS_MAX)
		return;
	info->ports |= 1ull << index;
	if (nl_u32(tb[MRC_A_PORT_ENABLED]))
		info->enabled |= 1ull << index;
}

static int on_dev(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr, *limit;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == MRC_A_DEV_PORT)
			take_port(arg, attr);
		if (mnl_attr_get_type(attr) != MRC_A_DEV_LIMIT)
			continue;
		mnl_attr_for_each_nested(limit, attr)
			take_limit(arg, limit);
	}
	return MNL_CB_OK;
}

static int dev_get(struct genl *g, struct dev_info *info)
{
	struct nlmsghdr *nlh = genl_begin(g, MRC_CMD_DEV_GET, false,
					  MRC_A_DEV_NAME);

	memset(info, 0, sizeof(*info));
	mnl_attr_put(nlh, MRC_A_DEV_LIMITS, 0, NULL);
	return genl_talk(g, nlh, on_dev, info);
}

/* --- device -------------------------------------------------------------- */

static uint32_t format_modes(uint32_t kinds)
{
	return (kinds & 1 << MRC_FORMAT_KIND_STEV ? MRC_CTL_EV_FMT_MODE_STEV : 0) |
	       (kinds & 1 << MRC_FORMAT_KIND_SRV6 ? MRC_CTL_EV_FMT_MODE_SRV6 : 0) |
	       (kinds & 1 << MRC_FORMAT_KIND_UDP ? MRC_CTL_EV_FMT_MODE_UDP : 0);
}

static uint32_t profile_modes(uint32_t kinds)
{
	return (kinds & 1 << MRC_PROFILE_KIND_AUTO ? MRC_CTL_EV_MODE_AUTO : 0) |
	       (kinds & 1 << MRC_PROFILE_KIND_EXPLICIT ? MRC_CTL_EV_MODE_EXP : 0) |
	       (kinds & 1 << MRC_PROFILE_KIND_GENERATED ? MRC_CTL_EV_MODE_GEN : 0);
}

/* Port 32 has no bit in the API. */
static void info_to_attr(const struct dev_info *info,
			 struct mrc_ctl_device_attr *attr)
{
	attr->mrc_ctl_protocol_version = MRC_CTL_PROTOCOL_VERSION_1;
	attr->ev.ev_max_fmt_profiles = info->limit[MRC_A_LIMIT_FORMATS_MAX];
	attr->ev.ev_max_profiles = info->limit[MRC_A_LIMIT_PROFILES_MAX];
	attr->ev.ev_max_count = info->limit[MRC_A_LIMIT_EVS_MAX];
	attr->ev.ev_free_count = info->limit[MRC_A_LIMIT_EVS_FREE];
	attr->ev.ev_max_count_profile = info->limit[MRC_A_LIMIT_PROFILE_EVS_MAX];
	attr->ev.ev_count_align = 1;
	attr->ev.ev_max_width = info->limit[MRC_A_LIMIT_EV_WIDTH_MAX];
	attr->ev.ev_fmt_mode_mask = format_modes(info->limit[MRC_A_LIMIT_FORMAT_KINDS]);
	attr->ev.ev_mode_mask = profile_modes(info->limit[MRC_A_LIMIT_PROFILE_KINDS]);
	attr->ev.ev_op_max_entries = 0;
	attr->cc.cc_max_profiles = info->limit[MRC_A_LIMIT_CCS_MAX];
	attr->cc.algorithms = info->nscc ? algorithms : algorithms + 1;
	attr->phy_port_mask = info->ports;
	attr->opt_attr = MRC_CTL_OPT_CAP_EV_PROFILE_MODIFY_ONLINE |
			 MRC_CTL_OPT_CAP_CC_PROFILE_MODIFY_ONLINE |
			 MRC_CTL_OPT_CAP_EV_EVENT |
			 MRC_CTL_OPT_CAP_EV_EVENT_PRECISE_DROP_CNT |
			 MRC_CTL_OPT_CAP_EP_OP_EV_PROBE;
}

static int ctl_query(struct ibv_context *vctx, struct mrc_ctl_device_attr *attr,
		     int *supported)
{
	struct dev_info info;
	struct genl *g;
	int ret;

	memset(attr, 0, sizeof(*attr));
	attr->cc.algorithms = algorithms + 1;
	*supported = 0;
	ret = device_limits(vctx, NULL);
	if (ret == EOPNOTSUPP)
		return 0;
	if (ret)
		return refuse(EIO, "the device does not tell its limits");
	g = genl_open(vctx);
	if (!g)
		return errno;
	ret = dev_get(g, &info);
	genl_close(g);
	if (ret)
		return ret;
	*supported = 1;
	info_to_attr(&info, attr);
	return 0;
}

EXPORT
int mrc_ctl_query_device(struct ibv_context *context,
			 struct mrc_ctl_device_attr *ctl_attr)
{
	int supported, ret;

	if (!context || !ctl_attr)
		return minus_one(refuse(EINVAL, "an argument is NULL"));
	ret = ctl_query(context, ctl_attr, &supported);
	if (!ret && !supported)
		ret = refuse(EINVAL, "not an MRC device");
	errno = ret ? ret : errno;
	return minus_one(ret);
}

EXPORT
int mrc_ctl_query_device_ex(struct ibv_context *context,
			    struct mrc_context *mcontext,
			    struct mrc_ctl_device_attr *ctl_attr,
			    int *supported)
{
	bool same;
	int ret;

	if (!context || !ctl_attr || !supported)
		return minus_one(refuse(EINVAL, "an argument is NULL"));
	/* A program that has no context yet passes none. */
	if (mcontext) {
		if (!object_hold(mcontext, OBJECT_CONTEXT))
			return minus_one(refuse(EINVAL, "not a context"));
		same = context_verbs(mcontext) == context;
		object_drop(mcontext);
		if (!same)
			return minus_one(refuse(EINVAL, "a context of another verbs context"));
	}
	ret = ctl_query(context, ctl_attr, supported);
	errno = ret ? ret : errno;
	return minus_one(ret);
}

static void version_put(uint32_t *to, uint32_t version)
{
	if (to)
		*to = version;
}

EXPORT
void mrc_ctl_query_version(uint32_t *current_version,
			   uint32_t *last_supported_version,
			   uint32_t *vendor_version,
			   uint32_t *last_supported_vendor_version)
{
	version_put(current_version, MRC_CTL_API_CURRENT_VERSION);
	version_put(last_supported_version, MRC_CTL_API_LAST_SUPPORTED_VERSION);
	version_put(vendor_version, MRC_CTL_VENDOR_API_CURRENT_VERSION);
	version_put(last_supported_vendor_version,
		    MRC_CTL_VENDOR_API_LAST_SUPPORTED_VERSION);
}

/* --- ports --------------------------------------------------------------- */

static int port_get(struct genl *g, uint8_t port, bool *enabled)
{
	struct dev_info info;
	int ret = dev_get(g, &info);

	if (ret)
		return ret;
	if (port > MRC_PORTS_MAX || !(info.ports >> port & 1))
		return refuse(EINVAL, "there is no port %u", port);
	*enabled = info.enabled >> port & 1;
	return 0;
}

static int port_set(struct genl *g, uint8_t port, bool enabled)
{
	struct nlmsghdr *nlh = genl_begin(g, MRC_CMD_DEV_SET, false,
					  MRC_A_DEV_NAME);
	struct nlattr *nest = mnl_attr_nest_start(nlh, MRC_A_DEV_PORT_SET);

	mnl_attr_put_u32(nlh, MRC_A_PORT_INDEX, port);
	mnl_attr_put_u32(nlh, MRC_A_PORT_ENABLED, enabled);
	mnl_attr_nest_end(nlh, nest);
	return genl_talk(g, nlh, NULL, NULL);
}

static int port_query(struct genl *g, uint8_t port,
		      struct mrc_ctl_port_attr *attr, unsigned int mask)
{
	bool enabled;
	int ret;

	ret = profile_mask_check(mask, MRC_CTL_PORT_ADMIN_STATE, attr) ?:
	      port_get(g, port, &enabled);
	if (!ret && mask)
		attr->port_admin_state = enabled ? MRC_CTL_PORT_ADMIN_ENABLED :
						   MRC_CTL_PORT_ADMIN_DISABLED;
	return ret;
}

static int port_modify(struct genl *g, uint8_t port,
		       const struct mrc_ctl_port_attr *attr, unsigned int mask)
{
	bool enabled;
	int ret;

	ret = profile_mask_check(mask, MRC_CTL_PORT_ADMIN_STATE, attr) ?:
	      port_get(g, port, &enabled);
	if (ret || !mask)
		return ret;
	switch (attr->port_admin_state) {
	case MRC_CTL_PORT_ADMIN_DISABLED:
	case MRC_CTL_PORT_ADMIN_ENABLED:
		return port_set(g, port, attr->port_admin_state);
	default:
		return refuse(EINVAL, "port_admin_state %d is unknown",
			      attr->port_admin_state);
	}
}

EXPORT
int mrc_ctl_query_port(struct mrc_context *context, uint8_t port_num,
		       struct mrc_ctl_port_attr *attr, int attr_mask)
{
	struct genl *g = genl_get(context);
	int ret;

	if (!g)
		return -1;
	ret = port_query(g, port_num, attr, attr_mask);
	genl_put(context);
	return minus_one(ret);
}

EXPORT
int mrc_ctl_modify_port(struct mrc_context *context, uint8_t port_num,
			struct mrc_ctl_port_attr *attr, int attr_mask)
{
	struct genl *g = genl_get(context);
	int ret;

	if (!g)
		return -1;
	ret = port_modify(g, port_num, attr, attr_mask);
	genl_put(context);
	return minus_one(ret);
}
