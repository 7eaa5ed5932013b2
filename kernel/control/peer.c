// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Peers: what all queue pairs to one address do together.
 */
#include <linux/math64.h>
#include <linux/mrc.h>
#include <net/netlink.h>

#include "control/genl.h"
#include "core/metrics.h"
#include "net/peer.h"
#include "verbs/device.h"

/* A call of mrc_genl_peer_dump_one(). */
struct mrc_genl_peer_dump {
	struct mrc_genl_dump *d;
	struct mrc_device *dev;
};

static int mrc_genl_put_peer_counters(struct sk_buff *skb,
				      const struct mrc_peer_counters *c)
{
	const struct mrc_genl_counter counters[] = {
		{ MRC_A_QP_COUNTERS_TX_PKTS, c->tx_pkts },
		{ MRC_A_QP_COUNTERS_TX_BYTES, c->tx_bytes },
		{ MRC_A_QP_COUNTERS_RTX_PKTS, c->rtx_pkts },
		{ MRC_A_QP_COUNTERS_RTX_BYTES, c->rtx_bytes },
		{ MRC_A_QP_COUNTERS_TIMEOUTS, c->timeouts },
		{ MRC_A_QP_COUNTERS_NACKS_RX, c->nacks },
		{ MRC_A_QP_COUNTERS_RX_PKTS, c->rx_pkts },
		{ MRC_A_QP_COUNTERS_RX_BYTES, c->rx_bytes },
		{ MRC_A_QP_COUNTERS_RX_DUPS, c->dups },
		{ MRC_A_QP_COUNTERS_RX_ECN, c->ecn },
		{ MRC_A_QP_COUNTERS_SPURIOUS, c->spurious },
	};

	return mrc_genl_put_qp_counters(skb, MRC_A_PEER_COUNTERS, counters,
					ARRAY_SIZE(counters));
}

static int mrc_genl_put_peer(struct sk_buff *skb, struct mrc_peer *peer)
{
	struct mrc_peer_use use;
	u32 srtt;

	mrc_peer_read_use(peer, &use);
	srtt = use.timed ? div_u64(use.srtt, use.timed) : 0;
	return nla_put_in6_addr(skb, MRC_A_PEER_SRC, &peer->sgid) ?:
	       nla_put_in6_addr(skb, MRC_A_PEER_DST, &peer->dgid) ?:
	       nla_put_u32(skb, MRC_A_PEER_QPS, use.conns) ?:
	       nla_put_u64_64bit(skb, MRC_A_PEER_CWND, use.cwnd,
				 MRC_A_PEER_PAD) ?:
	       nla_put_u64_64bit(skb, MRC_A_PEER_INFLIGHT, use.inflight,
				 MRC_A_PEER_PAD) ?:
	       nla_put_u32(skb, MRC_A_PEER_SRTT, srtt) ?:
	       nla_put_u32(skb, MRC_A_PEER_BASE_RTT,
			   mrc_metrics_mean_rtt(&peer->metrics)) ?:
	       mrc_genl_put_peer_counters(skb, &use.counters);
}

static int mrc_genl_peer_dump_one(struct mrc_peer *peer, void *arg)
{
	const struct mrc_genl_peer_dump *dump = arg;
	struct mrc_genl_dump *d = dump->d;
	void *hdr;

	hdr = mrc_genl_dump_begin(d, MRC_CMD_PEER_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_string(d->skb, MRC_A_PEER_DEV, mrc_device_name(dump->dev)) ||
	    mrc_genl_put_peer(d->skb, peer)) {
		genlmsg_cancel(d->skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(d->skb, hdr);
	return 0;
}

static int mrc_genl_peer_dump_dev(struct mrc_device *dev,
				  struct mrc_genl_dump *d)
{
	struct mrc_genl_peer_dump dump = { .d = d, .dev = dev };

	return mrc_peer_for_each(dev->nic, &d->pos->id, &d->pos->slot,
				 mrc_genl_peer_dump_one, &dump);
}

/**
 * mrc_nl_peer_get_dumpit() - show peers
 * @skb: message to fill
 * @cb: state of the dump; attributes: device as filter
 *
 * Return: as a dumpit function.
 */
int mrc_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_genl_dump(skb, cb, MRC_A_PEER_DEV, mrc_genl_peer_dump_dev);
}
