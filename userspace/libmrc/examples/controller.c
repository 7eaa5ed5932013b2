// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* controller DEVICE: format 1 and EV profile 1, two paths on each port; deny one; show all. */
#include <mrc_ctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(ok) do { if (!(ok)) { perror(#ok); exit(1); } } while (0)

int main(int argc, char **argv)
{
	struct mrc_ctl_ev_fmt_field widths[] = { { 16 }, { 16 } };
	struct mrc_ctl_ev_op_entry entry[64] = {};
	struct mrc_ctl_ev_profile_attr profile;
	struct mrc_ctl_device_attr dev;
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *verbs;
	struct mrc_context *ctx;
	uint32_t ev, n = 0;
	int i;

	CHECK(argc == 2);
	while (*list && strcmp(ibv_get_device_name(*list), argv[1]))
		list++;
	CHECK(*list && (verbs = ibv_open_device(*list)));
	CHECK(ctx = mrc_create_context(verbs, NULL));
	CHECK(!mrc_ctl_query_device(verbs, &dev));
	CHECK(!mrc_ctl_modify_ev_fmt_profile(ctx, 1, &(struct mrc_ctl_ev_fmt_profile_attr){
		.profile_state = MRC_CTL_PROFILE_ONLINE, .ev_fmt_mode = MRC_CTL_EV_FMT_MODE_STEV,
		.ev_fmt_op = { MRC_CTL_EV_FMT_OP_MODIFY_FIELDS, widths, 2 } },
		MRC_CTL_EV_FMT_PROFILE_STATE | MRC_CTL_EV_FMT_PROFILE_MODE | MRC_CTL_EV_FMT_PROFILE_OP));
	for (i = 1; i < 32; i++) {
		for (ev = 0x10000 * i; dev.phy_port_mask >> i & 1 && ev < 0x10000u * i + 2; ev++) {
			memcpy(entry[n].ev_new.val, &ev, sizeof(ev));
			entry[n].ev_new.port = i;
			entry[n++].state = MRC_CTL_EV_GOOD;
		}
	}
	profile = (struct mrc_ctl_ev_profile_attr){ .profile_state = MRC_CTL_PROFILE_ONLINE,
		.ev_mode = MRC_CTL_EV_MODE_EXP, .ev_fmt_profile_id = 1, .ev_count = n,
		.ev_op = { MRC_CTL_EV_OP_REPLACE_EV, entry, n } };
	CHECK(!mrc_ctl_modify_ev_profile(ctx, 1, &profile, MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_MODE |
		MRC_CTL_EV_PROFILE_FMT_ID | MRC_CTL_EV_PROFILE_COUNT | MRC_CTL_EV_PROFILE_EV_OP));
	entry[0].ev = entry[0].ev_new;
	entry[0].state = MRC_CTL_EV_DENIED;
	profile.ev_op.op = MRC_CTL_EV_OP_MODIFY_EV_STATE;
	profile.ev_op.entry_count = 1;
	CHECK(!mrc_ctl_modify_ev_profile(ctx, 1, &profile, MRC_CTL_EV_PROFILE_EV_OP));
	profile.ev_op.op = MRC_CTL_EV_OP_QUERY_EV_ARRAY;
	profile.ev_op.entry_count = 64;
	CHECK(!mrc_ctl_query_ev_profile(ctx, 1, &profile, MRC_CTL_EV_PROFILE_EV_OP));
	for (i = 0; i < profile.ev_op.entry_count; i++) {
		memcpy(&ev, entry[i].ev.val, sizeof(ev));
		printf("ev %#x port %u %s\n", ev, entry[i].ev.port, entry[i].state == MRC_CTL_EV_DENIED ? "denied" : "good");
	}
	return mrc_destroy_context(ctx) || ibv_close_device(verbs);
}
