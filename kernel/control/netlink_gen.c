// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/mrc.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "netlink_gen.h"

#include <uapi/linux/mrc.h>

/* Integer value ranges */
static const struct netlink_range_validation mrc_a_template_ev_bits_range = {
	.max	= U16_MAX,
};

static const struct netlink_range_validation mrc_a_profile_count_range = {
	.max	= U16_MAX,
};

static const struct netlink_range_validation mrc_a_profile_active_range = {
	.max	= U16_MAX,
};

static const struct netlink_range_validation mrc_a_profile_min_active_range = {
	.max	= U16_MAX,
};

static const struct netlink_range_validation mrc_a_profile_packet_range = {
	.max	= U16_MAX,
};

/* Common nested types */
const struct nla_policy mrc_addr_field_nl_policy[MRC_A_ADDR_FIELD_VALUE + 1] = {
	[MRC_A_ADDR_FIELD_SOURCE] = NLA_POLICY_RANGE(NLA_U32, 1, 4),
	[MRC_A_ADDR_FIELD_WIDTH] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
	[MRC_A_ADDR_FIELD_FROM] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
	[MRC_A_ADDR_FIELD_VALUE] = { .type = NLA_U32, },
};

const struct nla_policy mrc_ev_edit_nl_policy[MRC_A_EV_DENIED + 1] = {
	[MRC_A_EV_INDEX] = { .type = NLA_U32, },
	[MRC_A_EV_PORT] = NLA_POLICY_RANGE(NLA_U32, 1, U8_MAX),
	[MRC_A_EV_BITS] = NLA_POLICY_EXACT_LEN(MRC_EV_LEN),
	[MRC_A_EV_DENIED] = NLA_POLICY_MAX(NLA_U32, 1),
};

const struct nla_policy mrc_ev_field_nl_policy[MRC_A_EV_FIELD_MASK + 1] = {
	[MRC_A_EV_FIELD_WIDTH] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
	[MRC_A_EV_FIELD_INIT] = { .type = NLA_U32, },
	[MRC_A_EV_FIELD_LOWEST] = { .type = NLA_U32, },
	[MRC_A_EV_FIELD_HIGHEST] = { .type = NLA_U32, },
	[MRC_A_EV_FIELD_MASK] = { .type = NLA_U32, },
};

const struct nla_policy mrc_port_add_nl_policy[MRC_A_PORT_IFINDEX + 1] = {
	[MRC_A_PORT_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

const struct nla_policy mrc_port_set_nl_policy[MRC_A_PORT_USID_LEN + 1] = {
	[MRC_A_PORT_INDEX] = { .type = NLA_U32, },
	[MRC_A_PORT_ENABLED] = NLA_POLICY_MAX(NLA_U32, 1),
	[MRC_A_PORT_USID] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_PORT_USID_LEN] = NLA_POLICY_MAX(NLA_U32, MRC_PREFIX_MAX),
};

const struct nla_policy mrc_probe_select_nl_policy[MRC_A_PROBE_PATH_PORT + 1] = {
	[MRC_A_PROBE_PATH_EV] = { .type = NLA_U32, },
	[MRC_A_PROBE_PATH_PORT] = NLA_POLICY_RANGE(NLA_U32, 1, U8_MAX),
};

const struct nla_policy mrc_probe_target_nl_policy[MRC_A_PROBE_PATH_FORMAT + 1] = {
	[MRC_A_PROBE_PATH_DST] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_PROBE_PATH_SRC] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_PROBE_PATH_EV] = { .type = NLA_U32, },
	[MRC_A_PROBE_PATH_PORT] = NLA_POLICY_RANGE(NLA_U32, 1, U8_MAX),
	[MRC_A_PROBE_PATH_SID] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_PROBE_PATH_SRH] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_PROBE_PATH_FORMAT] = NLA_POLICY_RANGE(NLA_U32, 1, 4),
};

/* MRC_CMD_DEV_GET - do */
static const struct nla_policy mrc_dev_get_do_nl_policy[MRC_A_DEV_LIMITS + 1] = {
	[MRC_A_DEV_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_DEV_STATS] = { .type = NLA_FLAG, },
	[MRC_A_DEV_LIMITS] = { .type = NLA_FLAG, },
};

/* MRC_CMD_DEV_GET - dump */
static const struct nla_policy mrc_dev_get_dump_nl_policy[MRC_A_DEV_LIMITS + 1] = {
	[MRC_A_DEV_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_DEV_STATS] = { .type = NLA_FLAG, },
	[MRC_A_DEV_LIMITS] = { .type = NLA_FLAG, },
};

/* MRC_CMD_DEV_ADD - do */
static const struct nla_policy mrc_dev_add_nl_policy[MRC_A_DEV_PORT_ADD + 1] = {
	[MRC_A_DEV_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_DEV_PORT_ADD] = NLA_POLICY_NESTED(mrc_port_add_nl_policy),
};

/* MRC_CMD_DEV_DEL - do */
static const struct nla_policy mrc_dev_del_nl_policy[MRC_A_DEV_NAME + 1] = {
	[MRC_A_DEV_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
};

/* MRC_CMD_DEV_SET - do */
static const struct nla_policy mrc_dev_set_nl_policy[MRC_A_DEV_PEER_PORTS + 1] = {
	[MRC_A_DEV_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_DEV_PORT_SET] = NLA_POLICY_NESTED(mrc_port_set_nl_policy),
	[MRC_A_DEV_BURST] = { .type = NLA_U32, },
	[MRC_A_DEV_CC] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_DEV_ICRC] = NLA_POLICY_RANGE(NLA_U32, 1, 2),
	[MRC_A_DEV_PEER_PORTS] = NLA_POLICY_RANGE(NLA_U32, 1, 2),
};

/* MRC_CMD_PATH_GET - dump */
static const struct nla_policy mrc_path_get_nl_policy[MRC_A_PATH_USID + 1] = {
	[MRC_A_PATH_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_PATH_DST] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_PATH_PORT] = NLA_POLICY_RANGE(NLA_U32, 1, U8_MAX),
	[MRC_A_PATH_STATE] = NLA_POLICY_RANGE(NLA_U32, 1, 7),
	[MRC_A_PATH_USID] = { .type = NLA_U32, },
};

/* MRC_CMD_PATH_ADD - do */
static const struct nla_policy mrc_path_add_nl_policy[MRC_A_PATH_SRH + 1] = {
	[MRC_A_PATH_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_PATH_DST] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_PATH_EV] = { .type = NLA_U32, },
	[MRC_A_PATH_PORT] = NLA_POLICY_RANGE(NLA_U32, 1, U8_MAX),
	[MRC_A_PATH_SID] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_PATH_SRH] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
};

/* MRC_CMD_PATH_DEL - do */
static const struct nla_policy mrc_path_del_nl_policy[MRC_A_PATH_EV + 1] = {
	[MRC_A_PATH_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_PATH_DST] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_PATH_EV] = { .type = NLA_U32, },
};

/* MRC_CMD_PATH_FLUSH - do */
static const struct nla_policy mrc_path_flush_nl_policy[MRC_A_PATH_DST + 1] = {
	[MRC_A_PATH_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_PATH_DST] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
};

/* MRC_CMD_PATH_SET - do */
static const struct nla_policy mrc_path_set_nl_policy[MRC_A_PATH_SRH + 1] = {
	[MRC_A_PATH_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_PATH_DST] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_PATH_EV] = { .type = NLA_U32, },
	[MRC_A_PATH_PORT] = NLA_POLICY_RANGE(NLA_U32, 1, U8_MAX),
	[MRC_A_PATH_SID] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_PATH_SRH] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
};

/* MRC_CMD_QP_GET - dump */
static const struct nla_policy mrc_qp_get_nl_policy[MRC_A_QP_PATHS + 1] = {
	[MRC_A_QP_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_QP_QPN] = { .type = NLA_U32, },
	[MRC_A_QP_PATHS] = { .type = NLA_FLAG, },
};

/* MRC_CMD_QP_SET - do */
static const struct nla_policy mrc_qp_set_nl_policy[MRC_A_QP_SVC_TIME_DEST + 1] = {
	[MRC_A_QP_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_QP_QPN] = { .type = NLA_U32, },
	[MRC_A_QP_PROFILE] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_QP_CC] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_QP_MPR] = { .type = NLA_U32, },
	[MRC_A_QP_MPR_DEST] = { .type = NLA_U32, },
	[MRC_A_QP_WIMM] = { .type = NLA_U32, },
	[MRC_A_QP_WIMM_DEST] = { .type = NLA_U32, },
	[MRC_A_QP_TIMEOUT] = { .type = NLA_U32, },
	[MRC_A_QP_LINEAR] = { .type = NLA_U32, },
	[MRC_A_QP_EXP] = { .type = NLA_U32, },
	[MRC_A_QP_TRIM_NACK] = NLA_POLICY_MAX(NLA_U32, 1),
	[MRC_A_QP_DYNAMIC_MPR] = NLA_POLICY_MAX(NLA_U32, 1),
	[MRC_A_QP_SVC_TIME] = NLA_POLICY_MAX(NLA_U32, 1),
	[MRC_A_QP_SVC_TIME_DEST] = NLA_POLICY_MAX(NLA_U32, 1),
};

/* MRC_CMD_FORMAT_GET - dump */
static const struct nla_policy mrc_format_get_nl_policy[MRC_A_FORMAT_NAME + 1] = {
	[MRC_A_FORMAT_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_FORMAT_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
};

/* MRC_CMD_FORMAT_ADD - do */
static const struct nla_policy mrc_format_add_nl_policy[MRC_A_FORMAT_WIDTH + 1] = {
	[MRC_A_FORMAT_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_FORMAT_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_FORMAT_STATE] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[MRC_A_FORMAT_MODE] = NLA_POLICY_RANGE(NLA_U32, 1, 4),
	[MRC_A_FORMAT_WIDTH] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
};

/* MRC_CMD_FORMAT_DEL - do */
static const struct nla_policy mrc_format_del_nl_policy[MRC_A_FORMAT_NAME + 1] = {
	[MRC_A_FORMAT_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_FORMAT_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
};

/* MRC_CMD_FORMAT_SET - do */
static const struct nla_policy mrc_format_set_nl_policy[MRC_A_FORMAT_WIDTH + 1] = {
	[MRC_A_FORMAT_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_FORMAT_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_FORMAT_STATE] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[MRC_A_FORMAT_MODE] = NLA_POLICY_RANGE(NLA_U32, 1, 4),
	[MRC_A_FORMAT_WIDTH] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
};

/* MRC_CMD_TEMPLATE_GET - dump */
static const struct nla_policy mrc_template_get_nl_policy[MRC_A_TEMPLATE_NAME + 1] = {
	[MRC_A_TEMPLATE_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_TEMPLATE_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
};

/* MRC_CMD_TEMPLATE_ADD - do */
static const struct nla_policy mrc_template_add_nl_policy[MRC_A_TEMPLATE_SRH + 1] = {
	[MRC_A_TEMPLATE_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_TEMPLATE_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_TEMPLATE_BLOCK] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
	[MRC_A_TEMPLATE_USID] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
	[MRC_A_TEMPLATE_EV_BITS] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_template_ev_bits_range),
	[MRC_A_TEMPLATE_DEST_BITS] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
	[MRC_A_TEMPLATE_FIRST_PLANE] = { .type = NLA_U32, },
	[MRC_A_TEMPLATE_SRH] = { .type = NLA_FLAG, },
	[MRC_A_TEMPLATE_FIELD] = NLA_POLICY_NESTED(mrc_addr_field_nl_policy),
};

/* MRC_CMD_TEMPLATE_DEL - do */
static const struct nla_policy mrc_template_del_nl_policy[MRC_A_TEMPLATE_NAME + 1] = {
	[MRC_A_TEMPLATE_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_TEMPLATE_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
};

/* MRC_CMD_TEMPLATE_SET - do */
static const struct nla_policy mrc_template_set_nl_policy[MRC_A_TEMPLATE_SRH + 1] = {
	[MRC_A_TEMPLATE_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_TEMPLATE_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_TEMPLATE_BLOCK] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
	[MRC_A_TEMPLATE_USID] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
	[MRC_A_TEMPLATE_EV_BITS] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_template_ev_bits_range),
	[MRC_A_TEMPLATE_DEST_BITS] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
	[MRC_A_TEMPLATE_FIRST_PLANE] = { .type = NLA_U32, },
	[MRC_A_TEMPLATE_SRH] = { .type = NLA_FLAG, },
	[MRC_A_TEMPLATE_FIELD] = NLA_POLICY_NESTED(mrc_addr_field_nl_policy),
};

/* MRC_CMD_PROFILE_GET - dump */
static const struct nla_policy mrc_profile_get_nl_policy[MRC_A_PROFILE_EVS + 1] = {
	[MRC_A_PROFILE_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_PROFILE_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_PROFILE_EVS] = { .type = NLA_FLAG, },
};

/* MRC_CMD_PROFILE_ADD - do */
static const struct nla_policy mrc_profile_add_nl_policy[MRC_A_PROFILE_EVENTS + 1] = {
	[MRC_A_PROFILE_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_PROFILE_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_PROFILE_STATE] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[MRC_A_PROFILE_MODE] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[MRC_A_PROFILE_FORMAT] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_PROFILE_COUNT] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_profile_count_range),
	[MRC_A_PROFILE_ACTIVE] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_profile_active_range),
	[MRC_A_PROFILE_MIN_ACTIVE] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_profile_min_active_range),
	[MRC_A_PROFILE_SEED] = { .type = NLA_U64, },
	[MRC_A_PROFILE_PACKET] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_profile_packet_range),
	[MRC_A_PROFILE_FIELD] = NLA_POLICY_NESTED(mrc_ev_field_nl_policy),
	[MRC_A_PROFILE_EVENTS] = NLA_POLICY_MASK(NLA_U32, 0x3),
};

/* MRC_CMD_PROFILE_DEL - do */
static const struct nla_policy mrc_profile_del_nl_policy[MRC_A_PROFILE_NAME + 1] = {
	[MRC_A_PROFILE_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_PROFILE_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
};

/* MRC_CMD_PROFILE_SET - do */
static const struct nla_policy mrc_profile_set_nl_policy[MRC_A_PROFILE_EVENTS + 1] = {
	[MRC_A_PROFILE_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_PROFILE_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_PROFILE_STATE] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[MRC_A_PROFILE_MODE] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[MRC_A_PROFILE_FORMAT] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_PROFILE_COUNT] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_profile_count_range),
	[MRC_A_PROFILE_ACTIVE] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_profile_active_range),
	[MRC_A_PROFILE_MIN_ACTIVE] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_profile_min_active_range),
	[MRC_A_PROFILE_SEED] = { .type = NLA_U64, },
	[MRC_A_PROFILE_PACKET] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_profile_packet_range),
	[MRC_A_PROFILE_FIELD] = NLA_POLICY_NESTED(mrc_ev_field_nl_policy),
	[MRC_A_PROFILE_EVENTS] = NLA_POLICY_MASK(NLA_U32, 0x3),
};

/* MRC_CMD_PROFILE_EV_SET - do */
static const struct nla_policy mrc_profile_ev_set_nl_policy[MRC_A_PROFILE_EDIT + 1] = {
	[MRC_A_PROFILE_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_PROFILE_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_PROFILE_EDIT] = NLA_POLICY_NESTED(mrc_ev_edit_nl_policy),
};

/* MRC_CMD_DEST_GET - dump */
static const struct nla_policy mrc_dest_get_nl_policy[MRC_A_DEST_LEN + 1] = {
	[MRC_A_DEST_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_DEST_DST] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_DEST_LEN] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
};

/* MRC_CMD_DEST_ADD - do */
static const struct nla_policy mrc_dest_add_nl_policy[MRC_A_DEST_CC + 1] = {
	[MRC_A_DEST_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_DEST_DST] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_DEST_LEN] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
	[MRC_A_DEST_PROFILE] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_DEST_TEMPLATE] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_DEST_NUMBER] = { .type = NLA_U64, },
	[MRC_A_DEST_CC] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
};

/* MRC_CMD_DEST_DEL - do */
static const struct nla_policy mrc_dest_del_nl_policy[MRC_A_DEST_LEN + 1] = {
	[MRC_A_DEST_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_DEST_DST] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_DEST_LEN] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
};

/* MRC_CMD_DEST_SET - do */
static const struct nla_policy mrc_dest_set_nl_policy[MRC_A_DEST_CC + 1] = {
	[MRC_A_DEST_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_DEST_DST] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_DEST_LEN] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
	[MRC_A_DEST_PROFILE] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_DEST_TEMPLATE] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_DEST_NUMBER] = { .type = NLA_U64, },
	[MRC_A_DEST_CC] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
};

/* MRC_CMD_DENY_GET - dump */
static const struct nla_policy mrc_deny_get_nl_policy[MRC_A_DENY_DEV + 1] = {
	[MRC_A_DENY_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
};

/* MRC_CMD_DENY_ADD - do */
static const struct nla_policy mrc_deny_add_nl_policy[MRC_A_DENY_NEXT + 1] = {
	[MRC_A_DENY_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_DENY_DST] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_DENY_LEN] = NLA_POLICY_MAX(NLA_U32, MRC_PREFIX_MAX),
	[MRC_A_DENY_EV] = { .type = NLA_U32, },
	[MRC_A_DENY_PORT] = NLA_POLICY_RANGE(NLA_U32, 1, U8_MAX),
	[MRC_A_DENY_USID] = { .type = NLA_U32, },
	[MRC_A_DENY_NEXT] = { .type = NLA_U32, },
};

/* MRC_CMD_DENY_DEL - do */
static const struct nla_policy mrc_deny_del_nl_policy[MRC_A_DENY_NEXT + 1] = {
	[MRC_A_DENY_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_DENY_DST] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_DENY_LEN] = NLA_POLICY_MAX(NLA_U32, MRC_PREFIX_MAX),
	[MRC_A_DENY_EV] = { .type = NLA_U32, },
	[MRC_A_DENY_PORT] = NLA_POLICY_RANGE(NLA_U32, 1, U8_MAX),
	[MRC_A_DENY_USID] = { .type = NLA_U32, },
	[MRC_A_DENY_NEXT] = { .type = NLA_U32, },
};

/* MRC_CMD_CC_GET - dump */
static const struct nla_policy mrc_cc_get_nl_policy[MRC_A_CC_NAME + 1] = {
	[MRC_A_CC_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_CC_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
};

/* MRC_CMD_CC_ADD - do */
static const struct nla_policy mrc_cc_add_nl_policy[MRC_A_CC_NACK_RETRY + 1] = {
	[MRC_A_CC_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_CC_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_CC_STATE] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[MRC_A_CC_ALGORITHM] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_CC_LB] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_CC_WINDOW] = { .type = NLA_U32, },
	[MRC_A_CC_RATE] = { .type = NLA_U32, },
	[MRC_A_CC_BASE_RTT] = { .type = NLA_U32, },
	[MRC_A_CC_TRIMS] = { .type = NLA_U32, },
	[MRC_A_CC_TARGET_DELAY] = { .type = NLA_U32, },
	[MRC_A_CC_JITTER] = { .type = NLA_U32, },
	[MRC_A_CC_FI] = { .type = NLA_U32, },
	[MRC_A_CC_FI_SCALE] = { .type = NLA_U32, },
	[MRC_A_CC_ETA] = { .type = NLA_U32, },
	[MRC_A_CC_GAMMA] = { .type = NLA_U32, },
	[MRC_A_CC_MAX_MD_JUMP] = { .type = NLA_U32, },
	[MRC_A_CC_ADJUST_BYTES] = { .type = NLA_U32, },
	[MRC_A_CC_ADJUST_PERIOD] = { .type = NLA_U32, },
	[MRC_A_CC_QA_THRESHOLD] = { .type = NLA_U32, },
	[MRC_A_CC_QA_GATE] = { .type = NLA_U32, },
	[MRC_A_CC_DISABLE_QA] = { .type = NLA_U32, },
	[MRC_A_CC_REO_WND_PATH] = { .type = NLA_U32, },
	[MRC_A_CC_REO_WND_ANY] = { .type = NLA_U32, },
	[MRC_A_CC_TIMEOUT] = { .type = NLA_U32, },
	[MRC_A_CC_LINEAR] = { .type = NLA_U32, },
	[MRC_A_CC_EXP] = { .type = NLA_U32, },
	[MRC_A_CC_MPR] = { .type = NLA_U32, },
	[MRC_A_CC_NACK_RETRY] = { .type = NLA_U32, },
};

/* MRC_CMD_CC_DEL - do */
static const struct nla_policy mrc_cc_del_nl_policy[MRC_A_CC_NAME + 1] = {
	[MRC_A_CC_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_CC_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
};

/* MRC_CMD_CC_SET - do */
static const struct nla_policy mrc_cc_set_nl_policy[MRC_A_CC_NACK_RETRY + 1] = {
	[MRC_A_CC_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_CC_NAME] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_CC_STATE] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[MRC_A_CC_ALGORITHM] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_CC_LB] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_CC_WINDOW] = { .type = NLA_U32, },
	[MRC_A_CC_RATE] = { .type = NLA_U32, },
	[MRC_A_CC_BASE_RTT] = { .type = NLA_U32, },
	[MRC_A_CC_TRIMS] = { .type = NLA_U32, },
	[MRC_A_CC_TARGET_DELAY] = { .type = NLA_U32, },
	[MRC_A_CC_JITTER] = { .type = NLA_U32, },
	[MRC_A_CC_FI] = { .type = NLA_U32, },
	[MRC_A_CC_FI_SCALE] = { .type = NLA_U32, },
	[MRC_A_CC_ETA] = { .type = NLA_U32, },
	[MRC_A_CC_GAMMA] = { .type = NLA_U32, },
	[MRC_A_CC_MAX_MD_JUMP] = { .type = NLA_U32, },
	[MRC_A_CC_ADJUST_BYTES] = { .type = NLA_U32, },
	[MRC_A_CC_ADJUST_PERIOD] = { .type = NLA_U32, },
	[MRC_A_CC_QA_THRESHOLD] = { .type = NLA_U32, },
	[MRC_A_CC_QA_GATE] = { .type = NLA_U32, },
	[MRC_A_CC_DISABLE_QA] = { .type = NLA_U32, },
	[MRC_A_CC_REO_WND_PATH] = { .type = NLA_U32, },
	[MRC_A_CC_REO_WND_ANY] = { .type = NLA_U32, },
	[MRC_A_CC_TIMEOUT] = { .type = NLA_U32, },
	[MRC_A_CC_LINEAR] = { .type = NLA_U32, },
	[MRC_A_CC_EXP] = { .type = NLA_U32, },
	[MRC_A_CC_MPR] = { .type = NLA_U32, },
	[MRC_A_CC_NACK_RETRY] = { .type = NLA_U32, },
};

/* MRC_CMD_PROBE - do */
static const struct nla_policy mrc_probe_nl_policy[MRC_A_PROBE_TARGET + 1] = {
	[MRC_A_PROBE_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
	[MRC_A_PROBE_DST] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_PROBE_SRC] = NLA_POLICY_EXACT_LEN(MRC_GID_LEN),
	[MRC_A_PROBE_TIMEOUT] = { .type = NLA_U32, },
	[MRC_A_PROBE_PORT] = NLA_POLICY_RANGE(NLA_U32, 1, U8_MAX),
	[MRC_A_PROBE_SELECT] = NLA_POLICY_NESTED(mrc_probe_select_nl_policy),
	[MRC_A_PROBE_TIMEOUT_NS] = { .type = NLA_U64, },
	[MRC_A_PROBE_TCLASS] = NLA_POLICY_MAX(NLA_U32, U8_MAX),
	[MRC_A_PROBE_OP] = NLA_POLICY_RANGE(NLA_U32, 1, 2),
	[MRC_A_PROBE_PORTS] = { .type = NLA_U32, },
	[MRC_A_PROBE_TARGET] = NLA_POLICY_NESTED(mrc_probe_target_nl_policy),
};

/* MRC_CMD_PEER_GET - dump */
static const struct nla_policy mrc_peer_get_nl_policy[MRC_A_PEER_DEV + 1] = {
	[MRC_A_PEER_DEV] = { .type = NLA_NUL_STRING, .len = MRC_NAME_LEN, },
};

/* Ops table for mrc */
static const struct genl_split_ops mrc_nl_ops[] = {
	{
		.cmd		= MRC_CMD_DEV_GET,
		.doit		= mrc_nl_dev_get_doit,
		.policy		= mrc_dev_get_do_nl_policy,
		.maxattr	= MRC_A_DEV_LIMITS,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_DEV_GET,
		.start		= mrc_nl_dev_get_start,
		.dumpit		= mrc_nl_dev_get_dumpit,
		.policy		= mrc_dev_get_dump_nl_policy,
		.maxattr	= MRC_A_DEV_LIMITS,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_DEV_ADD,
		.doit		= mrc_nl_dev_add_doit,
		.policy		= mrc_dev_add_nl_policy,
		.maxattr	= MRC_A_DEV_PORT_ADD,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_DEV_DEL,
		.doit		= mrc_nl_dev_del_doit,
		.policy		= mrc_dev_del_nl_policy,
		.maxattr	= MRC_A_DEV_NAME,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_DEV_SET,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_dev_set_doit,
		.policy		= mrc_dev_set_nl_policy,
		.maxattr	= MRC_A_DEV_PEER_PORTS,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_PATH_GET,
		.dumpit		= mrc_nl_path_get_dumpit,
		.policy		= mrc_path_get_nl_policy,
		.maxattr	= MRC_A_PATH_USID,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_PATH_ADD,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_path_add_doit,
		.policy		= mrc_path_add_nl_policy,
		.maxattr	= MRC_A_PATH_SRH,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_PATH_DEL,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_path_del_doit,
		.policy		= mrc_path_del_nl_policy,
		.maxattr	= MRC_A_PATH_EV,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_PATH_FLUSH,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_path_flush_doit,
		.policy		= mrc_path_flush_nl_policy,
		.maxattr	= MRC_A_PATH_DST,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_PATH_SET,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_path_set_doit,
		.policy		= mrc_path_set_nl_policy,
		.maxattr	= MRC_A_PATH_SRH,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_QP_GET,
		.start		= mrc_nl_qp_get_start,
		.dumpit		= mrc_nl_qp_get_dumpit,
		.policy		= mrc_qp_get_nl_policy,
		.maxattr	= MRC_A_QP_PATHS,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_QP_SET,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_qp_set_doit,
		.policy		= mrc_qp_set_nl_policy,
		.maxattr	= MRC_A_QP_SVC_TIME_DEST,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_FORMAT_GET,
		.dumpit		= mrc_nl_format_get_dumpit,
		.policy		= mrc_format_get_nl_policy,
		.maxattr	= MRC_A_FORMAT_NAME,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_FORMAT_ADD,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_format_add_doit,
		.policy		= mrc_format_add_nl_policy,
		.maxattr	= MRC_A_FORMAT_WIDTH,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_FORMAT_DEL,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_format_del_doit,
		.policy		= mrc_format_del_nl_policy,
		.maxattr	= MRC_A_FORMAT_NAME,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_FORMAT_SET,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_format_set_doit,
		.policy		= mrc_format_set_nl_policy,
		.maxattr	= MRC_A_FORMAT_WIDTH,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_TEMPLATE_GET,
		.dumpit		= mrc_nl_template_get_dumpit,
		.policy		= mrc_template_get_nl_policy,
		.maxattr	= MRC_A_TEMPLATE_NAME,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_TEMPLATE_ADD,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_template_add_doit,
		.policy		= mrc_template_add_nl_policy,
		.maxattr	= MRC_A_TEMPLATE_SRH,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_TEMPLATE_DEL,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_template_del_doit,
		.policy		= mrc_template_del_nl_policy,
		.maxattr	= MRC_A_TEMPLATE_NAME,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_TEMPLATE_SET,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_template_set_doit,
		.policy		= mrc_template_set_nl_policy,
		.maxattr	= MRC_A_TEMPLATE_SRH,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_PROFILE_GET,
		.dumpit		= mrc_nl_profile_get_dumpit,
		.policy		= mrc_profile_get_nl_policy,
		.maxattr	= MRC_A_PROFILE_EVS,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_PROFILE_ADD,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_profile_add_doit,
		.policy		= mrc_profile_add_nl_policy,
		.maxattr	= MRC_A_PROFILE_EVENTS,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_PROFILE_DEL,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_profile_del_doit,
		.policy		= mrc_profile_del_nl_policy,
		.maxattr	= MRC_A_PROFILE_NAME,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_PROFILE_SET,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_profile_set_doit,
		.policy		= mrc_profile_set_nl_policy,
		.maxattr	= MRC_A_PROFILE_EVENTS,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_PROFILE_EV_SET,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_profile_ev_set_doit,
		.policy		= mrc_profile_ev_set_nl_policy,
		.maxattr	= MRC_A_PROFILE_EDIT,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_DEST_GET,
		.dumpit		= mrc_nl_dest_get_dumpit,
		.policy		= mrc_dest_get_nl_policy,
		.maxattr	= MRC_A_DEST_LEN,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_DEST_ADD,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_dest_add_doit,
		.policy		= mrc_dest_add_nl_policy,
		.maxattr	= MRC_A_DEST_CC,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_DEST_DEL,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_dest_del_doit,
		.policy		= mrc_dest_del_nl_policy,
		.maxattr	= MRC_A_DEST_LEN,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_DEST_SET,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_dest_set_doit,
		.policy		= mrc_dest_set_nl_policy,
		.maxattr	= MRC_A_DEST_CC,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_DENY_GET,
		.dumpit		= mrc_nl_deny_get_dumpit,
		.policy		= mrc_deny_get_nl_policy,
		.maxattr	= MRC_A_DENY_DEV,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_DENY_ADD,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_deny_add_doit,
		.policy		= mrc_deny_add_nl_policy,
		.maxattr	= MRC_A_DENY_NEXT,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_DENY_DEL,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_deny_del_doit,
		.policy		= mrc_deny_del_nl_policy,
		.maxattr	= MRC_A_DENY_NEXT,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_CC_GET,
		.dumpit		= mrc_nl_cc_get_dumpit,
		.policy		= mrc_cc_get_nl_policy,
		.maxattr	= MRC_A_CC_NAME,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_CC_ADD,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_cc_add_doit,
		.policy		= mrc_cc_add_nl_policy,
		.maxattr	= MRC_A_CC_NACK_RETRY,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_CC_DEL,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_cc_del_doit,
		.policy		= mrc_cc_del_nl_policy,
		.maxattr	= MRC_A_CC_NAME,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_CC_SET,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_cc_set_doit,
		.policy		= mrc_cc_set_nl_policy,
		.maxattr	= MRC_A_CC_NACK_RETRY,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_PROBE,
		.pre_doit	= mrc_nl_ns_admin_pre_doit,
		.doit		= mrc_nl_probe_doit,
		.policy		= mrc_probe_nl_policy,
		.maxattr	= MRC_A_PROBE_TARGET,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_PEER_GET,
		.dumpit		= mrc_nl_peer_get_dumpit,
		.policy		= mrc_peer_get_nl_policy,
		.maxattr	= MRC_A_PEER_DEV,
		.flags		= GENL_CMD_CAP_DUMP,
	},
};

static const struct genl_multicast_group mrc_nl_mcgrps[] = {
	[MRC_NLGRP_PORTS] = { "ports", },
	[MRC_NLGRP_QPS] = { "qps", },
	[MRC_NLGRP_PATHS] = { "paths", },
};

struct genl_family mrc_nl_family __ro_after_init = {
	.name		= MRC_FAMILY_NAME,
	.version	= MRC_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= mrc_nl_ops,
	.n_split_ops	= ARRAY_SIZE(mrc_nl_ops),
	.mcgrps		= mrc_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(mrc_nl_mcgrps),
};
