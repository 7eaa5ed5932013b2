// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events: from the queues of the NICs to the multicast groups, which are those of
 * enum mrc_event_group.
 */
#include <linux/mrc.h>

#include "control/genl.h"
#include "net/event.h"
#include "net/nic.h"

static u8 mrc_genl_event_cmd(const struct mrc_event *event)
{
	static const u8 cmds[] = {
		[MRC_EVENT_DEV_ADD] = MRC_CMD_DEV_ADD_NTF,
		[MRC_EVENT_DEV_DEL] = MRC_CMD_DEV_DEL_NTF,
		[MRC_EVENT_PORT] = MRC_CMD_PORT_NTF,
		[MRC_EVENT_PATH] = MRC_CMD_PATH_NTF,
		[MRC_EVENT_QP] = MRC_CMD_QP_NTF,
	};

	return cmds[event->type];
}

static u32 mrc_genl_port_event_state(const struct mrc_nic *nic,
				     const struct mrc_event *event)
{
	u32 state;

	if (event->state == MRC_EVENT_PORT_NARROW)
		return MRC_PORT_STATE_NARROW;
	if (event->state == MRC_EVENT_PORT_UP)
		return MRC_PORT_STATE_UP;
	state = mrc_genl_port_state(nic, event->port);
	/* A port that is up again since the event: report that it was down. */
	return state == MRC_PORT_STATE_GONE ||
	       state == MRC_PORT_STATE_DISABLED ? state : MRC_PORT_STATE_DOWN;
}

static int mrc_genl_put_port_event(struct sk_buff *skb, struct mrc_nic *nic,
				   const struct mrc_event *event)
{
	u32 state = mrc_genl_port_event_state(nic, event);

	return nla_put_u32(skb, MRC_A_EVENT_PORT, event->port) ?:
	       nla_put_string(skb, MRC_A_EVENT_IFNAME, event->ifname) ?:
	       nla_put_u32(skb, MRC_A_EVENT_PORT_STATE, state);
}

/* A profile that has been removed meanwhile has no name any more. */
static int mrc_genl_put_event_profile(struct sk_buff *skb, struct mrc_nic *nic,
				      const struct mrc_event *event)
{
	char name[MRC_OBJECT_NAME_MAX];

	if (!mrc_object_name(&nic->pm, MRC_OBJECT_PROFILE, &event->profile,
			     name))
		return 0;
	if (nla_put_string(skb, MRC_A_EVENT_PROFILE, name))
		return -EMSGSIZE;
	return event->index == MRC_EVENT_NO_INDEX ? 0 :
	       nla_put_u32(skb, MRC_A_EVENT_INDEX, event->index);
}

static int mrc_genl_put_path_event(struct sk_buff *skb, struct mrc_nic *nic,
				   const struct mrc_event *event)
{
	return nla_put_u32(skb, MRC_A_EVENT_QPN, event->qpn) ?:
	       nla_put_in6_addr(skb, MRC_A_EVENT_DST, &event->dst) ?:
	       nla_put_u32(skb, MRC_A_EVENT_EV, event->ev) ?:
	       nla_put_u32(skb, MRC_A_EVENT_PORT, event->port) ?:
	       nla_put_u32(skb, MRC_A_EVENT_PATH_STATE,
			   mrc_genl_ev_state(event->state)) ?:
	       mrc_genl_put_event_profile(skb, nic, event);
}

static int mrc_genl_put_qp_event(struct sk_buff *skb,
				 const struct mrc_event *event)
{
	return nla_put_u32(skb, MRC_A_EVENT_QPN, event->qpn) ?:
	       nla_put_in6_addr(skb, MRC_A_EVENT_DST, &event->dst) ?:
	       nla_put_u32(skb, MRC_A_EVENT_QP_CAUSE, event->state);
}

static int mrc_genl_put_event(struct sk_buff *skb, struct mrc_nic *nic,
			      const struct mrc_event *event, u64 serial)
{
	char name[MRC_EVENT_NAME_MAX];

	mrc_event_name(nic, name);
	if (nla_put_string(skb, MRC_A_EVENT_DEV, name) ||
	    nla_put_u64_64bit(skb, MRC_A_EVENT_TIME, event->time,
			      MRC_A_EVENT_PAD) ||
	    nla_put_u64_64bit(skb, MRC_A_EVENT_SERIAL, serial,
			      MRC_A_EVENT_PAD))
		return -EMSGSIZE;
	if (event->type == MRC_EVENT_PORT)
		return mrc_genl_put_port_event(skb, nic, event);
	if (event->type == MRC_EVENT_PATH)
		return mrc_genl_put_path_event(skb, nic, event);
	if (event->type == MRC_EVENT_QP)
		return mrc_genl_put_qp_event(skb, event);
	return 0;
}

static void mrc_genl_event_send(struct net *net, struct mrc_nic *nic,
				const struct mrc_event *event, u64 serial)
{
	struct sk_buff *skb;
	void *hdr;

	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		return;
	hdr = genlmsg_put(skb, 0, 0, &mrc_nl_family, 0,
			  mrc_genl_event_cmd(event));
	if (!hdr || mrc_genl_put_event(skb, nic, event, serial)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, hdr);
	/* A slow listener detects losses by ENOBUFS and by the serial number. */
	genlmsg_multicast_netns(&mrc_nl_family, net, skb, 0,
				mrc_event_group(event->type), GFP_KERNEL);
}

/**
 * mrc_genl_events() - send the events in the queue of a NIC
 * @nic: NIC
 *
 * Context: work item.
 */
void mrc_genl_events(struct mrc_nic *nic)
{
	struct net *net = mrc_event_net_get(nic);
	struct mrc_event event;
	u64 serial;

	while (mrc_event_pop(nic, &event, &serial)) {
		if (net && genl_has_listeners(&mrc_nl_family, net,
					      mrc_event_group(event.type)))
			mrc_genl_event_send(net, nic, &event, serial);
	}
	if (net)
		put_net(net);
}
