// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue discipline of a switch that trims packets (MRC 1.0 7.5.3), for drills only.
 *
 * Data waits in a short queue that marks packets from half of its length on.  A
 * packet that finds the queue full is trimmed to its headers if its DSCP requests
 * it: it gets the DSCP of a trimmed packet and overtakes all data, as control
 * packets do.  Other packets are dropped.
 *
 * "trim_last" is for ports to hosts and sets DSCP TRIMMED_LASTHOP, "trim" sets
 * TRIMMED.  Neither takes options, because tc(8) does not know them.
 */
#include <linux/ipv6.h>
#include <linux/module.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>
#include <net/pkt_sched.h>

/* Bytes of data in the queue: the limit, and from which on packets are marked. */
#define TRIM_LIMIT	(32 << 10)
#define TRIM_MARK	(16 << 10)
/* Bytes of control packets and headers. */
#define TRIM_URGENT	(64 << 10)

/*
 * What is left: link layer, SRv6 header, IPv6, UDP and the headers of MRC, with
 * room to spare.
 */
#define TRIM_LEFT	192

#define DSCP_TRIMMABLE		4
#define DSCP_TRIMMABLE_RETX	8
#define DSCP_TRIMMED		12
#define DSCP_TRIMMED_LASTHOP	16
#define DSCP_CONTROL		46

#define DSCP_SHIFT	2

struct trim_queue {
	struct qdisc_skb_head urgent;
	struct qdisc_skb_head data;
	u32 urgent_len;
	u32 data_len;
};

static struct Qdisc_ops trim_last_ops;

static u8 trim_dscp(const struct sk_buff *skb)
{
	if (skb->protocol != htons(ETH_P_IPV6))
		return 0;
	return ipv6_get_dsfield(ipv6_hdr(skb)) >> DSCP_SHIFT;
}

static bool trim_is_urgent(u8 dscp)
{
	return dscp == DSCP_CONTROL || dscp == DSCP_TRIMMED ||
	       dscp == DSCP_TRIMMED_LASTHOP;
}

/* The inner lengths stay as they were, as with real switches. */
static bool trim_cut(struct sk_buff *skb, struct Qdisc *sch)
{
	u8 dscp = sch->ops == &trim_last_ops ? DSCP_TRIMMED_LASTHOP :
					       DSCP_TRIMMED;
	struct ipv6hdr *ip6;

	if (skb->len <= TRIM_LEFT || skb_is_gso(skb) ||
	    pskb_trim(skb, TRIM_LEFT) || skb_ensure_writable(skb, TRIM_LEFT))
		return false;
	ip6 = ipv6_hdr(skb);
	ip6->payload_len = htons(TRIM_LEFT - skb_network_offset(skb) -
				 sizeof(*ip6));
	ipv6_change_dsfield(ip6, INET_ECN_MASK, dscp << DSCP_SHIFT);
	return true;
}

static int trim_enqueue_urgent(struct sk_buff *skb, struct Qdisc *sch,
			       struct sk_buff **to_free)
{
	struct trim_queue *q = qdisc_priv(sch);

	if (q->urgent_len + qdisc_pkt_len(skb) > TRIM_URGENT)
		return qdisc_drop(skb, sch, to_free);
	q->urgent_len += qdisc_pkt_len(skb);
	__qdisc_enqueue_tail(skb, &q->urgent);
	qdisc_qstats_backlog_inc(sch, skb);
	sch->q.qlen++;
	return NET_XMIT_SUCCESS;
}

/* The queue above still counts it with its former length. */
static int trim_enqueue_cut(struct sk_buff *skb, struct Qdisc *sch,
			    struct sk_buff **to_free)
{
	u32 before = qdisc_pkt_len(skb);

	if (!trim_cut(skb, sch))
		return qdisc_drop(skb, sch, to_free);
	qdisc_skb_cb(skb)->pkt_len = skb->len;
	qdisc_tree_reduce_backlog(sch, 0, before - skb->len);
	qdisc_qstats_overlimit(sch);
	return trim_enqueue_urgent(skb, sch, to_free);
}

static int trim_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			struct sk_buff **to_free)
{
	struct trim_queue *q = qdisc_priv(sch);
	u8 dscp = trim_dscp(skb);

	if (trim_is_urgent(dscp))
		return trim_enqueue_urgent(skb, sch, to_free);
	if (q->data_len + qdisc_pkt_len(skb) > TRIM_LIMIT) {
		if (dscp != DSCP_TRIMMABLE && dscp != DSCP_TRIMMABLE_RETX)
			return qdisc_drop(skb, sch, to_free);
		return trim_enqueue_cut(skb, sch, to_free);
	}
	if (q->data_len >= TRIM_MARK)
		INET_ECN_set_ce(skb);
	q->data_len += qdisc_pkt_len(skb);
	__qdisc_enqueue_tail(skb, &q->data);
	qdisc_qstats_backlog_inc(sch, skb);
	sch->q.qlen++;
	return NET_XMIT_SUCCESS;
}

static struct sk_buff *trim_dequeue(struct Qdisc *sch)
{
	struct trim_queue *q = qdisc_priv(sch);
	struct sk_buff *skb = __qdisc_dequeue_head(&q->urgent);

	if (skb) {
		q->urgent_len -= qdisc_pkt_len(skb);
	} else {
		skb = __qdisc_dequeue_head(&q->data);
		if (!skb)
			return NULL;
		q->data_len -= qdisc_pkt_len(skb);
	}
	qdisc_qstats_backlog_dec(sch, skb);
	qdisc_bstats_update(sch, skb);
	sch->q.qlen--;
	return skb;
}

static int trim_init(struct Qdisc *sch, struct nlattr *opt,
		     struct netlink_ext_ack *extack)
{
	struct trim_queue *q = qdisc_priv(sch);

	memset(q, 0, sizeof(*q));
	return 0;
}

static void trim_reset(struct Qdisc *sch)
{
	struct trim_queue *q = qdisc_priv(sch);

	__qdisc_reset_queue(&q->urgent);
	__qdisc_reset_queue(&q->data);
	q->urgent_len = 0;
	q->data_len = 0;
}

static struct Qdisc_ops trim_ops = {
	.id = "trim",
	.priv_size = sizeof(struct trim_queue),
	.enqueue = trim_enqueue,
	.dequeue = trim_dequeue,
	.peek = qdisc_peek_dequeued,
	.init = trim_init,
	.reset = trim_reset,
	.owner = THIS_MODULE,
};

static struct Qdisc_ops trim_last_ops = {
	.id = "trim_last",
	.priv_size = sizeof(struct trim_queue),
	.enqueue = trim_enqueue,
	.dequeue = trim_dequeue,
	.peek = qdisc_peek_dequeued,
	.init = trim_init,
	.reset = trim_reset,
	.owner = THIS_MODULE,
};

static int __init trim_module_init(void)
{
	int ret = register_qdisc(&trim_ops);

	if (ret)
		return ret;
	ret = register_qdisc(&trim_last_ops);
	if (ret)
		unregister_qdisc(&trim_ops);
	return ret;
}

static void __exit trim_module_exit(void)
{
	unregister_qdisc(&trim_last_ops);
	unregister_qdisc(&trim_ops);
}

module_init(trim_module_init);
module_exit(trim_module_exit);
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("Queue that trims packets, for the drills of mrc");
