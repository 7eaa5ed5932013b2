// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue discipline of the lab: the transmitter of a port and the cable behind it.
 *
 * A packet passes, in this order:
 *
 *   host   the delay of a NIC and its driver: fixed, plus jitter (uniform, drawn once
 *          per buffer that the stack hands over); packets keep their order
 *   queue  waits for the transmitter; arrival here decides about mark, trim and drop
 *   tx     transmission takes (length + overhead) * 8 / rate, without any burst
 *          allowance
 *   wire   propagation delay; a packet that the cable loses disappears here, and one
 *          that it damages gets a wrong bit; while the far end holds packets, as a
 *          receiver that stalls does, none leaves the wire
 *
 * GSO buffers are segmented first.  With "trim", packets whose DSCP is that of control
 * or trimmed packets wait in an urgent queue with strict precedence, without marks.
 * With "bands", so do the priorities of pfifo_fast's first band: the queue of a host.
 *
 * Decision: queue length is the sum of skb->len of packets that wait; the packet in
 * transmission does not count.  A packet is marked if the data queue that it finds,
 * without itself, has the threshold's length or more, and refused if the queue with
 * it would exceed the limit.  A packet that finds the transmitter idle is neither.
 * When a transmission ends in the nanosecond in which a packet arrives, the end comes
 * first.
 *
 * Decision: drops and losses are not reported to the sender; enqueue succeeds.
 *
 * The state advances to the present on every call, from event to event at the time at
 * which each was due, so that results do not depend on when the calls come.
 * The end of a transmission is kept as nanoseconds and a fraction of rate parts: no
 * rounding error accumulates.  A timer runs for the arrival at the far end; packets of
 * local sockets also need one for the end of their transmission, at which the socket
 * gets its memory back.
 *
 * With "series" the link records, for each period in which something happened, the
 * bytes that it sent, the largest queue, and what was dropped and lost; a file of
 * debugfs has the latest LABLINK_SERIES_LEN of them.
 *
 * A network device whose root this is reports the link's rate as its speed, as a NIC
 * does; a veth device alone says 10 Gb/s, whatever it carries.
 *
 * tc(8) does not know the options; link.py sets and shows them.
 */
#include <linux/debugfs.h>
#include <linux/ethtool.h>
#include <linux/ipv6.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/vmalloc.h>
#include <net/dsfield.h>
#include <net/gso.h>
#include <net/inet_ecn.h>
#include <net/netlink.h>
#include <net/pkt_sched.h>
#include "sch_lablink.h"

/* 14 Ethernet bytes are in skb->len: preamble and delimiter 8, FCS 4, gap 12. */
#define LABLINK_OVERHEAD_ETHERNET	24
#define LABLINK_LIMIT_DEFAULT		(256 << 10)
#define LABLINK_URGENT_DEFAULT		(64 << 10)
/* Ten seconds: more is taken for a mistake of units. */
#define LABLINK_DELAY_MAX		(10ULL * NSEC_PER_SEC)
#define LABLINK_RATE_MIN		1000ULL
#define LABLINK_RATE_MAX		10000000000000ULL
#define LABLINK_OVERHEAD_MAX		1024
#define LABLINK_SERIES_MIN		100ULL
#define LABLINK_LOSS_ALL		BIT_ULL(32)

/* Link layer, SRv6 header, IPv6, UDP and the headers of MRC, with room to spare. */
#define LABLINK_TRIM_LEFT		192

#define DSCP_TRIMMABLE		4
#define DSCP_TRIMMABLE_RETX	8
#define DSCP_TRIMMED		12
#define DSCP_TRIMMED_LASTHOP	16
#define DSCP_CONTROL		46
#define DSCP_SHIFT		2

/* The root lock of the qdisc serialises access to everything. */
struct lablink {
	u64 rate;
	u64 delay;
	u64 host_delay;
	u64 loss;
	u64 corrupt;
	u64 seed;
	u32 overhead;
	u32 hold;
	u32 bands;
	u32 limit;
	u32 urgent_limit;
	u32 ecn;
	u32 trim;
	u32 host_jitter;

	struct qdisc_skb_head host;
	struct qdisc_skb_head urgent;
	struct qdisc_skb_head data;
	struct sk_buff *tx;
	struct qdisc_skb_head wire;
	u32 urgent_len;
	u32 data_len;
	/* Packets before the wire whose sockets wait for the end of transmission. */
	u32 owned;

	/* End of the transmission: ns, and parts of 1 / rate ns. */
	u64 end;
	u64 end_parts;
	u64 began;
	u64 began_parts;
	u64 busy_parts;
	/* When the last packet leaves the host stage. */
	u64 host_last;

	struct rnd_state jitter_state;
	struct rnd_state loss_state;
	struct qdisc_watchdog watchdog;
	u64 created;
	u64 integrated;
	struct lablink_stats stats;

	/* Time of the event that is being carried out. */
	u64 event;
	struct lablink_series *series;
	struct debugfs_blob_wrapper blob;
	struct dentry *file;
	/* What there is no record for. */
	struct lablink_period unused;
};

static struct dentry *lablink_directory;

struct lablink_cb {
	u64 time;	/* when the packet leaves host or wire */
	bool owned;
};

static struct lablink_cb *lablink_cb(const struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct lablink_cb));
	return (struct lablink_cb *)qdisc_skb_cb(skb)->data;
}

static u8 lablink_dscp(const struct sk_buff *skb)
{
	if (skb->protocol != htons(ETH_P_IPV6))
		return 0;
	return ipv6_get_dsfield(ipv6_hdr(skb)) >> DSCP_SHIFT;
}

static bool lablink_is_urgent(const struct lablink *q,
			      const struct sk_buff *skb, u8 dscp)
{
	if (q->bands && (skb->priority == TC_PRIO_INTERACTIVE ||
			 skb->priority == TC_PRIO_CONTROL))
		return true;
	return q->trim && (dscp == DSCP_CONTROL || dscp == DSCP_TRIMMED ||
			   dscp == DSCP_TRIMMED_LASTHOP);
}

static void lablink_disown(struct lablink *q, struct sk_buff *skb)
{
	if (!lablink_cb(skb)->owned)
		return;
	lablink_cb(skb)->owned = false;
	q->owned--;
}

/* The entry of the record for the present event. */
static struct lablink_period *lablink_period(struct lablink *q)
{
	struct lablink_series *s = q->series;
	struct lablink_period *p;
	u64 begin;

	if (!s || !s->period)
		return &q->unused;
	begin = div64_u64(q->event, s->period) * s->period;
	p = &s->entry[(s->count - 1) % LABLINK_SERIES_LEN];
	if (!s->count || p->begin != begin) {
		p = &s->entry[s->count++ % LABLINK_SERIES_LEN];
		*p = (struct lablink_period){ .begin = begin };
		q->blob.size = lablink_series_size(s);
	}
	return p;
}

/* Remove a packet that enqueue has accepted. */
static void lablink_discard(struct Qdisc *sch, struct sk_buff *skb)
{
	lablink_disown(qdisc_priv(sch), skb);
	qdisc_qstats_backlog_dec(sch, skb);
	sch->q.qlen--;
	qdisc_tree_reduce_backlog(sch, 1, qdisc_pkt_len(skb));
	kfree_skb_reason(skb, SKB_DROP_REASON_QDISC_DROP);
}

static void lablink_drop(struct Qdisc *sch, struct sk_buff *skb)
{
	struct lablink *q = qdisc_priv(sch);

	q->stats.drops++;
	lablink_period(q)->drops++;
	qdisc_qstats_drop(sch);
	lablink_discard(sch, skb);
}

/* Account for the queue length until @time, before it changes. */
static void lablink_integrate(struct lablink *q, u64 time)
{
	q->stats.queue_time += (u64)(q->data_len + q->urgent_len) *
			       (time - q->integrated);
	q->integrated = time;
}

/* The first nanosecond at which the transmission is over. */
static u64 lablink_tx_end(const struct lablink *q)
{
	return q->end + !!q->end_parts;
}

/* Begin to transmit the next packet, at the end of the previous one. */
static void lablink_start(struct lablink *q)
{
	u64 bits, parts;

	q->tx = __qdisc_dequeue_head(&q->urgent);
	if (q->tx) {
		q->urgent_len -= q->tx->len;
	} else {
		q->tx = __qdisc_dequeue_head(&q->data);
		if (!q->tx)
			return;
		q->data_len -= q->tx->len;
	}
	bits = (u64)(q->tx->len + q->overhead) * BITS_PER_BYTE;
	q->began = q->end;
	q->began_parts = q->end_parts;
	q->end += div64_u64_rem(bits * NSEC_PER_SEC, q->rate, &parts);
	q->end_parts += parts;
	if (q->end_parts >= q->rate) {
		q->end_parts -= q->rate;
		q->end++;
	}
}

static void lablink_account(struct lablink *q)
{
	q->stats.packets++;
	q->stats.bytes += q->tx->len;
	lablink_period(q)->bytes += q->tx->len;
	q->stats.busy += q->end - q->began;
	q->busy_parts += q->end_parts;
	if (q->busy_parts < q->began_parts) {
		q->busy_parts += q->rate;
		q->stats.busy--;
	}
	q->busy_parts -= q->began_parts;
	if (q->busy_parts >= q->rate) {
		q->busy_parts -= q->rate;
		q->stats.busy++;
	}
}

static bool lablink_is_lost(struct lablink *q)
{
	return q->loss && prandom_u32_state(&q->loss_state) < q->loss;
}

/* A bit anywhere in the packet. */
static void lablink_damage(struct lablink *q, struct sk_buff *skb)
{
	u32 bit;

	if (!q->corrupt || prandom_u32_state(&q->loss_state) >= q->corrupt)
		return;
	if (skb->ip_summed == CHECKSUM_PARTIAL && skb_checksum_help(skb))
		return;
	if (skb_linearize(skb) || skb_ensure_writable(skb, skb->len))
		return;
	bit = prandom_u32_state(&q->loss_state) % (skb->len * BITS_PER_BYTE);
	skb->data[bit / BITS_PER_BYTE] ^= 1 << bit % BITS_PER_BYTE;
	q->stats.corruptions++;
}

/* The transmission ends at @time: its packet goes to the wire, and the next begins. */
static void lablink_finish(struct Qdisc *sch, u64 time)
{
	struct lablink *q = qdisc_priv(sch);
	struct sk_buff *skb = q->tx;

	q->event = time;
	lablink_account(q);
	lablink_integrate(q, time);
	lablink_start(q);
	if (lablink_is_lost(q)) {
		q->stats.losses++;
		lablink_period(q)->losses++;
		lablink_discard(sch, skb);
		return;
	}
	lablink_damage(q, skb);
	lablink_disown(q, skb);
	skb_orphan(skb);
	/* If the delay has been shortened, packets wait for those before them. */
	lablink_cb(skb)->time = time + q->delay;
	__qdisc_enqueue_tail(skb, &q->wire);
}

static void lablink_mark(struct lablink *q, struct sk_buff *skb)
{
	unsigned int headers = skb_network_offset(skb);
	bool marked;

	switch (skb->protocol) {
	case htons(ETH_P_IPV6):
		headers += sizeof(struct ipv6hdr);
		if (skb_ensure_writable(skb, headers))
			return;
		marked = INET_ECN_is_ce(ipv6_get_dsfield(ipv6_hdr(skb)));
		break;
	case htons(ETH_P_IP):
		headers += sizeof(struct iphdr);
		if (skb_ensure_writable(skb, headers))
			return;
		marked = INET_ECN_is_ce(ipv4_get_dsfield(ip_hdr(skb)));
		break;
	default:
		return;
	}
	if (!marked && INET_ECN_set_ce(skb))
		q->stats.marks++;
}

/* The inner lengths stay as they were, as with real switches. */
static bool lablink_cut(struct Qdisc *sch, struct sk_buff *skb)
{
	struct lablink *q = qdisc_priv(sch);
	u8 dscp = q->trim == LABLINK_TRIM_LASTHOP ? DSCP_TRIMMED_LASTHOP :
						    DSCP_TRIMMED;
	u32 before = skb->len;
	struct ipv6hdr *ip6;

	if (before <= LABLINK_TRIM_LEFT || pskb_trim(skb, LABLINK_TRIM_LEFT) ||
	    skb_ensure_writable(skb, LABLINK_TRIM_LEFT))
		return false;
	ip6 = ipv6_hdr(skb);
	ip6->payload_len = htons(LABLINK_TRIM_LEFT - skb_network_offset(skb) -
				 sizeof(*ip6));
	ipv6_change_dsfield(ip6, INET_ECN_MASK, dscp << DSCP_SHIFT);

	qdisc_skb_cb(skb)->pkt_len = skb->len;
	sch->qstats.backlog -= before - skb->len;
	qdisc_tree_reduce_backlog(sch, 0, before - skb->len);
	qdisc_qstats_overlimit(sch);
	q->stats.trims++;
	return true;
}

static void lablink_queue_urgent(struct Qdisc *sch, struct sk_buff *skb)
{
	struct lablink *q = qdisc_priv(sch);

	if (q->tx && q->urgent_len + skb->len > q->urgent_limit) {
		lablink_drop(sch, skb);
		return;
	}
	q->urgent_len += skb->len;
	__qdisc_enqueue_tail(skb, &q->urgent);
}

static void lablink_queue_data(struct Qdisc *sch, struct sk_buff *skb, u8 dscp)
{
	struct lablink *q = qdisc_priv(sch);

	if (q->tx && q->limit && q->data_len + skb->len > q->limit) {
		if (q->trim &&
		    (dscp == DSCP_TRIMMABLE || dscp == DSCP_TRIMMABLE_RETX) &&
		    lablink_cut(sch, skb))
			lablink_queue_urgent(sch, skb);
		else
			lablink_drop(sch, skb);
		return;
	}
	if (q->tx && q->ecn && q->data_len >= q->ecn)
		lablink_mark(q, skb);
	q->data_len += skb->len;
	__qdisc_enqueue_tail(skb, &q->data);
}

/* The first packet of the host stage arrives at the queue at @time. */
static void lablink_arrive(struct Qdisc *sch, u64 time)
{
	struct lablink *q = qdisc_priv(sch);
	struct sk_buff *skb = __qdisc_dequeue_head(&q->host);
	u8 dscp = lablink_dscp(skb);
	struct lablink_period *p;
	u32 len;

	q->event = time;
	lablink_integrate(q, time);
	if (lablink_is_urgent(q, skb, dscp))
		lablink_queue_urgent(sch, skb);
	else
		lablink_queue_data(sch, skb, dscp);
	if (!q->tx) {
		q->end = time;
		q->end_parts = 0;
		lablink_start(q);
	}
	len = q->data_len + q->urgent_len;
	q->stats.queue_max = max_t(u64, q->stats.queue_max, len);
	p = lablink_period(q);
	p->queue_max = max(p->queue_max, len);
}

/* Carry out in order what was due until @now. */
static void lablink_advance(struct Qdisc *sch, u64 now)
{
	struct lablink *q = qdisc_priv(sch);
	u64 end, arrival;

	for (;;) {
		end = q->tx ? lablink_tx_end(q) : U64_MAX;
		arrival = q->host.head ? lablink_cb(q->host.head)->time : U64_MAX;
		if (min(end, arrival) > now)
			break;
		if (end <= arrival)
			lablink_finish(sch, end);
		else
			lablink_arrive(sch, arrival);
	}
}

/* When dequeue has to be called; U64_MAX: not before the next packet. */
static u64 lablink_next(const struct lablink *q)
{
	u64 next = U64_MAX, tx;

	if (q->wire.head && !q->hold)
		next = lablink_cb(q->wire.head)->time;
	if (next != U64_MAX && !q->owned)
		return next;
	if (q->tx)
		tx = lablink_tx_end(q);
	else if (q->host.head)
		tx = lablink_cb(q->host.head)->time;
	else
		return next;
	return min(next, tx);
}

static void lablink_schedule(struct lablink *q)
{
	u64 next = lablink_next(q);

	if (next != U64_MAX)
		qdisc_watchdog_schedule_ns(&q->watchdog, next);
}

static void lablink_accept(struct Qdisc *sch, struct sk_buff *skb, u64 time)
{
	struct lablink *q = qdisc_priv(sch);

	lablink_cb(skb)->time = time;
	lablink_cb(skb)->owned = !!skb->destructor;
	q->owned += lablink_cb(skb)->owned;
	qdisc_qstats_backlog_inc(sch, skb);
	sch->q.qlen++;
	__qdisc_enqueue_tail(skb, &q->host);
}

static int lablink_accept_segments(struct Qdisc *sch, struct sk_buff *skb,
				   struct sk_buff **to_free, u64 time)
{
	netdev_features_t features = netif_skb_features(skb);
	struct lablink *q = qdisc_priv(sch);
	u32 before = qdisc_pkt_len(skb);
	struct sk_buff *segs, *next;
	u32 count = 0, len = 0;

	segs = skb_gso_segment(skb, features & ~NETIF_F_GSO_MASK);
	if (IS_ERR_OR_NULL(segs)) {
		q->stats.drops++;
		return qdisc_drop(skb, sch, to_free);
	}
	skb_list_walk_safe(segs, segs, next) {
		skb_mark_not_on_list(segs);
		qdisc_skb_cb(segs)->pkt_len = segs->len;
		count++;
		len += segs->len;
		lablink_accept(sch, segs, time);
	}
	/* The qdisc above counts one packet after the return. */
	qdisc_tree_reduce_backlog(sch, 1 - (int)count, (int)(before - len));
	consume_skb(skb);
	return NET_XMIT_SUCCESS;
}

/* When a packet that comes @now leaves the host stage. */
static u64 lablink_host_exit(struct lablink *q, u64 now)
{
	u64 jitter = 0;

	if (q->host_jitter)
		jitter = ((u64)prandom_u32_state(&q->jitter_state) *
			  ((u64)q->host_jitter + 1)) >> 32;
	q->host_last = max(q->host_last, now + q->host_delay + jitter);
	return q->host_last;
}

static int lablink_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			   struct sk_buff **to_free)
{
	struct lablink *q = qdisc_priv(sch);
	u64 now = ktime_get_ns();
	u64 time = lablink_host_exit(q, now);
	int ret = NET_XMIT_SUCCESS;

	if (skb_is_gso(skb)) {
		ret = lablink_accept_segments(sch, skb, to_free, time);
	} else {
		qdisc_skb_cb(skb)->pkt_len = skb->len;
		lablink_accept(sch, skb, time);
	}
	lablink_advance(sch, now);
	return ret;
}

static struct sk_buff *lablink_dequeue(struct Qdisc *sch)
{
	struct lablink *q = qdisc_priv(sch);
	u64 now = ktime_get_ns();
	struct sk_buff *skb;

	lablink_advance(sch, now);
	if (q->wire.head && !q->hold &&
	    lablink_cb(q->wire.head)->time <= now) {
		skb = __qdisc_dequeue_head(&q->wire);
		qdisc_qstats_backlog_dec(sch, skb);
		qdisc_bstats_update(sch, skb);
		sch->q.qlen--;
		return skb;
	}
	lablink_schedule(q);
	return NULL;
}

static const struct nla_policy lablink_policy[LABLINK_MAX + 1] = {
	[LABLINK_RATE] = NLA_POLICY_MIN(NLA_U64, LABLINK_RATE_MIN),
	[LABLINK_OVERHEAD] = NLA_POLICY_MAX(NLA_U32, LABLINK_OVERHEAD_MAX),
	[LABLINK_DELAY] = { .type = NLA_U64 },
	[LABLINK_LIMIT] = { .type = NLA_U32 },
	[LABLINK_URGENT] = { .type = NLA_U32 },
	[LABLINK_ECN] = { .type = NLA_U32 },
	[LABLINK_TRIM] = NLA_POLICY_MAX(NLA_U32, LABLINK_TRIM_LASTHOP),
	[LABLINK_HOST_DELAY] = { .type = NLA_U64 },
	[LABLINK_HOST_JITTER] = { .type = NLA_U32 },
	[LABLINK_LOSS] = { .type = NLA_U64 },
	[LABLINK_SEED] = { .type = NLA_U64 },
	[LABLINK_CORRUPT] = { .type = NLA_U64 },
	[LABLINK_HOLD] = NLA_POLICY_MAX(NLA_U32, 1),
	[LABLINK_SERIES] = { .type = NLA_U64 },
	[LABLINK_BANDS] = NLA_POLICY_MAX(NLA_U32, 1),
};

/* What a policy cannot express: limits of more than 16 bits. */
static int lablink_check(struct nlattr **tb, struct netlink_ext_ack *extack)
{
	static const struct {
		int attr;
		u64 max;
		const char *text;
	} limits[] = {
		{ LABLINK_RATE, LABLINK_RATE_MAX, "rate is more than 10 Tb/s" },
		{ LABLINK_DELAY, LABLINK_DELAY_MAX, "delay is more than 10 s" },
		{ LABLINK_HOST_DELAY, LABLINK_DELAY_MAX,
		  "host delay is more than 10 s" },
		{ LABLINK_LOSS, LABLINK_LOSS_ALL, "loss is more than 100 %" },
		{ LABLINK_CORRUPT, LABLINK_LOSS_ALL,
		  "corrupt is more than 100 %" },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		if (!tb[limits[i].attr] ||
		    nla_get_u64(tb[limits[i].attr]) <= limits[i].max)
			continue;
		NL_SET_ERR_MSG_ATTR_FMT(extack, tb[limits[i].attr], "%s",
					limits[i].text);
		return -ERANGE;
	}
	return 0;
}

/* Fractions of the former rate become whole nanoseconds. */
static void lablink_set_rate(struct lablink *q, u64 rate)
{
	if (rate == q->rate)
		return;
	q->end = lablink_tx_end(q);
	q->began += !!q->began_parts;
	q->stats.busy += !!q->busy_parts;
	q->end_parts = 0;
	q->began_parts = 0;
	q->busy_parts = 0;
	q->rate = rate;
}

static void lablink_set_seed(struct lablink *q, u64 seed)
{
	q->seed = seed;
	prandom_seed_state(&q->jitter_state, seed);
	/* Another stream, so that jitter does not change which packets are lost. */
	prandom_seed_state(&q->loss_state, ~seed);
}

/* Start a record, or end it if the period is 0. */
static int lablink_record(struct Qdisc *sch, u64 period,
			  struct netlink_ext_ack *extack)
{
	struct lablink *q = qdisc_priv(sch);
	struct net_device *dev = qdisc_dev(sch);
	struct lablink_series *s;
	char name[IFNAMSIZ + 16];

	if (period && period < LABLINK_SERIES_MIN) {
		NL_SET_ERR_MSG(extack, "series is less than 100 ns");
		return -ERANGE;
	}
	if (period && !q->series) {
		/* Not zeroed: few of many megabytes are used, none without period. */
		s = vmalloc(struct_size(s, entry, LABLINK_SERIES_LEN));
		if (!s)
			return -ENOMEM;
		s->period = 0;
		q->series = s;
		q->blob.data = s;
		snprintf(name, sizeof(name), "%u-%s", dev_net(dev)->ns.inum,
			 dev->name);
		q->file = debugfs_create_blob(name, 0400, lablink_directory,
					      &q->blob);
	}
	if (!q->series)
		return 0;
	sch_tree_lock(sch);
	if (period)
		q->series->count = 0;
	q->series->period = period;
	q->blob.size = lablink_series_size(q->series);
	sch_tree_unlock(sch);
	return 0;
}

/* Options that are not there keep their values. */
static void lablink_apply(struct lablink *q, struct nlattr **tb)
{
	if (tb[LABLINK_RATE])
		lablink_set_rate(q, nla_get_u64(tb[LABLINK_RATE]));
	if (tb[LABLINK_OVERHEAD])
		q->overhead = nla_get_u32(tb[LABLINK_OVERHEAD]);
	if (tb[LABLINK_DELAY])
		q->delay = nla_get_u64(tb[LABLINK_DELAY]);
	if (tb[LABLINK_LIMIT])
		q->limit = nla_get_u32(tb[LABLINK_LIMIT]);
	if (tb[LABLINK_URGENT])
		q->urgent_limit = nla_get_u32(tb[LABLINK_URGENT]);
	if (tb[LABLINK_ECN])
		q->ecn = nla_get_u32(tb[LABLINK_ECN]);
	if (tb[LABLINK_TRIM])
		q->trim = nla_get_u32(tb[LABLINK_TRIM]);
	if (tb[LABLINK_HOST_DELAY])
		q->host_delay = nla_get_u64(tb[LABLINK_HOST_DELAY]);
	if (tb[LABLINK_HOST_JITTER])
		q->host_jitter = nla_get_u32(tb[LABLINK_HOST_JITTER]);
	if (tb[LABLINK_LOSS])
		q->loss = nla_get_u64(tb[LABLINK_LOSS]);
	if (tb[LABLINK_SEED])
		lablink_set_seed(q, nla_get_u64(tb[LABLINK_SEED]));
	if (tb[LABLINK_CORRUPT])
		q->corrupt = nla_get_u64(tb[LABLINK_CORRUPT]);
	if (tb[LABLINK_HOLD])
		q->hold = nla_get_u32(tb[LABLINK_HOLD]);
	if (tb[LABLINK_BANDS])
		q->bands = nla_get_u32(tb[LABLINK_BANDS]);
}

static int lablink_change(struct Qdisc *sch, struct nlattr *opt,
			  struct netlink_ext_ack *extack)
{
	struct nlattr *tb[LABLINK_MAX + 1];
	struct lablink *q = qdisc_priv(sch);
	int ret;

	ret = nla_parse_nested(tb, LABLINK_MAX, opt, lablink_policy, extack);
	if (ret)
		return ret;
	ret = lablink_check(tb, extack);
	if (!ret && tb[LABLINK_SERIES])
		ret = lablink_record(sch, nla_get_u64(tb[LABLINK_SERIES]),
				     extack);
	if (ret)
		return ret;
	sch_tree_lock(sch);
	lablink_advance(sch, ktime_get_ns());
	lablink_apply(q, tb);
	lablink_schedule(q);
	sch_tree_unlock(sch);
	return 0;
}

static struct Qdisc_ops lablink_ops;
/* Those of veth devices, and these with the speed of the link; under RTNL. */
static const struct ethtool_ops *lablink_ethtool_orig;
static struct ethtool_ops lablink_ethtool;

static bool lablink_is_root(const struct net_device *dev)
{
	return rtnl_dereference(dev->qdisc)->ops == &lablink_ops;
}

static int lablink_get_link_ksettings(struct net_device *dev,
				      struct ethtool_link_ksettings *cmd)
{
	int ret = lablink_ethtool_orig->get_link_ksettings(dev, cmd);
	struct lablink *q = qdisc_priv(rtnl_dereference(dev->qdisc));

	if (!ret && lablink_is_root(dev))
		cmd->base.speed = max_t(u64, 1, div_u64(q->rate, 1000000));
	return ret;
}

/* Only devices of one driver are given a speed: those that came first. */
static void lablink_report_speed(struct net_device *dev)
{
	const struct ethtool_ops *ops = dev->ethtool_ops;

	if (!ops->get_link_ksettings || ops == &lablink_ethtool)
		return;
	if (!lablink_ethtool_orig) {
		lablink_ethtool_orig = ops;
		lablink_ethtool = *ops;
		lablink_ethtool.get_link_ksettings =
			lablink_get_link_ksettings;
	}
	if (ops == lablink_ethtool_orig)
		dev->ethtool_ops = &lablink_ethtool;
}

/* The next root may be a link, too. */
static void lablink_report_no_speed(struct net_device *dev)
{
	if (dev->ethtool_ops == &lablink_ethtool && !lablink_is_root(dev))
		dev->ethtool_ops = lablink_ethtool_orig;
}

static int lablink_init(struct Qdisc *sch, struct nlattr *opt,
			struct netlink_ext_ack *extack)
{
	struct lablink *q = qdisc_priv(sch);
	int ret;

	/* destroy is called if this fails. */
	qdisc_watchdog_init(&q->watchdog, sch);
	q->overhead = LABLINK_OVERHEAD_ETHERNET;
	q->limit = LABLINK_LIMIT_DEFAULT;
	q->urgent_limit = LABLINK_URGENT_DEFAULT;
	q->created = ktime_get_ns();
	q->integrated = q->created;
	lablink_set_seed(q, 0);
	if (!opt) {
		NL_SET_ERR_MSG(extack, "rate is missing");
		return -EINVAL;
	}
	ret = lablink_change(sch, opt, extack);
	if (!ret && !q->rate) {
		NL_SET_ERR_MSG(extack, "rate is missing");
		return -EINVAL;
	}
	if (!ret && sch->parent == TC_H_ROOT)
		lablink_report_speed(qdisc_dev(sch));
	return ret;
}

static void lablink_reset(struct Qdisc *sch)
{
	struct lablink *q = qdisc_priv(sch);

	lablink_integrate(q, ktime_get_ns());
	__qdisc_reset_queue(&q->host);
	__qdisc_reset_queue(&q->urgent);
	__qdisc_reset_queue(&q->data);
	__qdisc_reset_queue(&q->wire);
	rtnl_kfree_skbs(q->tx, q->tx);
	q->tx = NULL;
	q->urgent_len = 0;
	q->data_len = 0;
	q->owned = 0;
	q->host_last = 0;
	qdisc_watchdog_cancel(&q->watchdog);
}

static void lablink_destroy(struct Qdisc *sch)
{
	struct lablink *q = qdisc_priv(sch);

	qdisc_watchdog_cancel(&q->watchdog);
	debugfs_remove(q->file);
	vfree(q->series);
	if (sch->parent == TC_H_ROOT)
		lablink_report_no_speed(qdisc_dev(sch));
}

static int lablink_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	const struct lablink *q = qdisc_priv(sch);
	struct nlattr *nest = nla_nest_start(skb, TCA_OPTIONS);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u64_64bit(skb, LABLINK_RATE, q->rate, LABLINK_PAD) ||
	    nla_put_u32(skb, LABLINK_OVERHEAD, q->overhead) ||
	    nla_put_u64_64bit(skb, LABLINK_DELAY, q->delay, LABLINK_PAD) ||
	    nla_put_u32(skb, LABLINK_LIMIT, q->limit) ||
	    nla_put_u32(skb, LABLINK_URGENT, q->urgent_limit) ||
	    nla_put_u32(skb, LABLINK_ECN, q->ecn) ||
	    nla_put_u32(skb, LABLINK_TRIM, q->trim) ||
	    nla_put_u64_64bit(skb, LABLINK_HOST_DELAY, q->host_delay,
			      LABLINK_PAD) ||
	    nla_put_u32(skb, LABLINK_HOST_JITTER, q->host_jitter) ||
	    nla_put_u64_64bit(skb, LABLINK_LOSS, q->loss, LABLINK_PAD) ||
	    nla_put_u64_64bit(skb, LABLINK_SEED, q->seed, LABLINK_PAD) ||
	    nla_put_u64_64bit(skb, LABLINK_CORRUPT, q->corrupt, LABLINK_PAD) ||
	    nla_put_u32(skb, LABLINK_HOLD, q->hold) ||
	    nla_put_u64_64bit(skb, LABLINK_SERIES,
			      q->series ? q->series->period : 0, LABLINK_PAD) ||
	    nla_put_u32(skb, LABLINK_BANDS, q->bands)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	return nla_nest_end(skb, nest);
}

static int lablink_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	struct lablink *q = qdisc_priv(sch);
	struct lablink_stats stats;
	u64 now;

	sch_tree_lock(sch);
	now = ktime_get_ns();
	lablink_advance(sch, now);
	lablink_integrate(q, now);
	stats = q->stats;
	stats.queue = q->data_len + q->urgent_len;
	stats.elapsed = now - q->created;
	stats.held = sch->q.qlen;
	sch_tree_unlock(sch);
	return gnet_stats_copy_app(d, &stats, sizeof(stats));
}

static struct Qdisc_ops lablink_ops = {
	.id = "lablink",
	.priv_size = sizeof(struct lablink),
	.enqueue = lablink_enqueue,
	.dequeue = lablink_dequeue,
	.peek = qdisc_peek_dequeued,
	.init = lablink_init,
	.reset = lablink_reset,
	.destroy = lablink_destroy,
	.change = lablink_change,
	.dump = lablink_dump,
	.dump_stats = lablink_dump_stats,
	.owner = THIS_MODULE,
};
MODULE_ALIAS_NET_SCH("lablink");

static int __init lablink_module_init(void)
{
	int ret;

	lablink_directory = debugfs_create_dir("lablink", NULL);
	ret = register_qdisc(&lablink_ops);
	if (ret)
		debugfs_remove(lablink_directory);
	return ret;
}

static void __exit lablink_module_exit(void)
{
	unregister_qdisc(&lablink_ops);
	debugfs_remove(lablink_directory);
}

module_init(lablink_module_init);
module_exit(lablink_module_exit);
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("Link of the lab of mrc: transmitter, queue and cable");
