// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Probes of paths: parse a request, send the results to its socket.
 */
#include <linux/mm.h>
#include <linux/mrc.h>

#include "control/object.h"
#include "core/wire.h"
#include "net/evprobe.h"
#include "verbs/device.h"

/**
 * struct mrc_genl_probe - a request whose reply is not complete
 * @portid: the requesting socket
 * @seq: of the request
 * @dev: name of the device
 * @job: probes
 */
struct mrc_genl_probe {
	u32 portid;
	u32 seq;
	char dev[MRC_NAME_MAX];
	struct mrc_evprobe_job job;
};

static u32 mrc_genl_probe_result(u8 state)
{
	static const u8 results[] = {
		[MRC_EVPROBE_NEW] = MRC_PROBE_RESULT_LOST,
		[MRC_EVPROBE_PENDING] = MRC_PROBE_RESULT_LOST,
		[MRC_EVPROBE_RESPONDED] = MRC_PROBE_RESULT_ANSWERED,
		[MRC_EVPROBE_DENIED] = MRC_PROBE_RESULT_DENIED,
		[MRC_EVPROBE_PORT_DOWN] = MRC_PROBE_RESULT_PORT_DOWN,
		[MRC_EVPROBE_NO_ROUTE] = MRC_PROBE_RESULT_NO_ROUTE,
		[MRC_EVPROBE_NO_PATH] = MRC_PROBE_RESULT_NO_PATH,
		[MRC_EVPROBE_NO_MEMORY] = MRC_PROBE_RESULT_NO_MEMORY,
	};

	return results[state];
}

static int mrc_genl_put_answer(struct sk_buff *skb, const struct mrc_evprobe *p)
{
	if (p->state != MRC_EVPROBE_RESPONDED)
		return 0;
	if (nla_put_u32(skb, MRC_A_PROBE_PATH_RTT, p->rtt) ||
	    (p->port && nla_put_u32(skb, MRC_A_PROBE_PATH_RX_PORT, p->port)) ||
	    (p->adjusted && nla_put_flag(skb, MRC_A_PROBE_PATH_ADJUSTED)) ||
	    (p->has_ports && nla_put_u32(skb, MRC_A_PROBE_PATH_PEER_PORTS,
					 p->ports)))
		return -EMSGSIZE;
	return 0;
}

/* Which target of the request it is. */
static int mrc_genl_put_target(struct sk_buff *skb,
			       const struct mrc_evprobe_job *job, u16 i)
{
	if (!job->multi)
		return 0;
	return nla_put_u32(skb, MRC_A_PROBE_PATH_INDEX, i) ?:
	       nla_put_in6_addr(skb, MRC_A_PROBE_PATH_DST,
				mrc_evprobe_dst(job, i)) ?:
	       nla_put_in6_addr(skb, MRC_A_PROBE_PATH_SRC,
				mrc_evprobe_src(job, i));
}

static int mrc_genl_put_probe(struct sk_buff *skb,
			      const struct mrc_evprobe_job *job, u16 i)
{
	const struct mrc_evprobe *p = &job->round.probe[i];
	struct nlattr *nest = nla_nest_start(skb, MRC_A_PROBE_PATH);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, MRC_A_PROBE_PATH_EV, p->ev) ||
	    (p->plane && nla_put_u32(skb, MRC_A_PROBE_PATH_PORT, p->plane)) ||
	    mrc_genl_put_target(skb, job, i) ||
	    (job->srv6[i] && mrc_genl_put_sid(skb, &job->sids[i], MRC_A_PROBE_PATH_SID,
				     MRC_A_PROBE_PATH_SRH)) ||
	    nla_put_u32(skb, MRC_A_PROBE_PATH_RESULT,
			mrc_genl_probe_result(p->state)) ||
	    mrc_genl_put_answer(skb, p)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

/* One message, with as many probes from @i on as fit, and the end if it does. */
static struct sk_buff *mrc_genl_probe_message(const struct mrc_genl_probe *p,
					      u16 *i, bool *end)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	const struct mrc_evprobe_job *job = &p->job;
	void *hdr;

	if (!skb)
		return NULL;
	hdr = genlmsg_put(skb, p->portid, p->seq, &mrc_nl_family, 0,
			  MRC_CMD_PROBE);
	if (!hdr || nla_put_string(skb, MRC_A_PROBE_DEV, p->dev) ||
	    (!job->multi &&
	     (nla_put_in6_addr(skb, MRC_A_PROBE_DST, &job->dgid) ||
	      nla_put_in6_addr(skb, MRC_A_PROBE_SRC, &job->sgid))))
		goto err_free;
	while (*i < job->round.n && !mrc_genl_put_probe(skb, job, *i))
		(*i)++;
	*end = *i == job->round.n && !nla_put_flag(skb, MRC_A_PROBE_DONE);
	genlmsg_end(skb, hdr);
	return skb;

err_free:
	nlmsg_free(skb);
	return NULL;
}

static_assert(MRC_PROBES_MAX == MRC_EVPROBE_MAX);

/* If the socket has been closed meanwhile, the results are dropped. */
static void mrc_genl_probe_done(struct mrc_evprobe_job *job)
{
	struct mrc_genl_probe *p = container_of(job, struct mrc_genl_probe,
						job);
	struct net *net = mrc_event_net_get(job->nic);
	struct sk_buff *skb;
	bool end = false;
	u16 i = 0;

	while (net && !end) {
		skb = mrc_genl_probe_message(p, &i, &end);
		if (!skb || genlmsg_unicast(net, skb, p->portid))
			break;
	}
	if (net)
		put_net(net);
	kvfree(p);
}

static int mrc_genl_probe_want(struct genl_info *info,
			       const struct nlattr *nest,
			       struct mrc_evprobe_job *job)
{
	struct nlattr *tb[MRC_A_PROBE_PATH_MAX + 1];
	struct mrc_evprobe_target *want;
	int ret;

	if (job->n == MRC_EV_MAX) {
		NL_SET_ERR_MSG_FMT(info->extack, "more than %u paths",
				   MRC_EV_MAX);
		return -E2BIG;
	}
	/* The policy of the command has been applied to the nest already. */
	ret = nla_parse_nested(tb, MRC_A_PROBE_PATH_MAX, nest, NULL,
			       info->extack);
	if (ret)
		return ret;
	if (!tb[MRC_A_PROBE_PATH_EV]) {
		NL_SET_ERR_MSG(info->extack, "a path needs ev");
		return -EINVAL;
	}
	want = &job->target[job->n++];
	want->ev = nla_get_u32(tb[MRC_A_PROBE_PATH_EV]);
	if (tb[MRC_A_PROBE_PATH_PORT])
		want->plane = nla_get_u32(tb[MRC_A_PROBE_PATH_PORT]);
	return 0;
}

static void mrc_genl_probe_sid(struct nlattr **tb,
			       struct mrc_evprobe_target *t)
{
	t->route = MRC_EVPROBE_SRV6;
	t->sid.dst = nla_get_in6_addr(tb[MRC_A_PROBE_PATH_SID]);
	if (tb[MRC_A_PROBE_PATH_SRH])
		t->sid.seg = nla_get_in6_addr(tb[MRC_A_PROBE_PATH_SRH]);
}

/* How the probe of a target is sent. */
static int mrc_genl_probe_route(struct genl_info *info, struct nlattr **tb,
				struct mrc_evprobe_target *t)
{
	const struct nlattr *format = tb[MRC_A_PROBE_PATH_FORMAT];
	u32 kind = format ? nla_get_u32(format) : 0;

	if (tb[MRC_A_PROBE_PATH_SID] && kind != MRC_FORMAT_KIND_UDP &&
	    kind != MRC_FORMAT_KIND_STEV) {
		mrc_genl_probe_sid(tb, t);
		return 0;
	}
	if (tb[MRC_A_PROBE_PATH_SID] || tb[MRC_A_PROBE_PATH_SRH] ||
	    kind > MRC_FORMAT_KIND_STEV) {
		NL_SET_ERR_MSG(info->extack,
			       "a target of SRv6 has a sid, and no other has");
		return -EINVAL;
	}
	if (!tb[MRC_A_PROBE_PATH_EV]) {
		NL_SET_ERR_MSG(info->extack, "a target needs ev or sid");
		return -EINVAL;
	}
	t->route = kind ? MRC_EVPROBE_PLAIN : MRC_EVPROBE_PATH;
	return 0;
}

static int mrc_genl_probe_target(struct genl_info *info,
				 const struct nlattr *nest,
				 struct mrc_evprobe_job *job)
{
	struct nlattr *tb[MRC_A_PROBE_PATH_MAX + 1];
	struct mrc_evprobe_target *t;
	int ret;

	if (job->n == MRC_PROBES_MAX) {
		NL_SET_ERR_MSG_FMT(info->extack, "more than %u targets",
				   MRC_PROBES_MAX);
		return -E2BIG;
	}
	/* The policy of the command has been applied to the nest already. */
	ret = nla_parse_nested(tb, MRC_A_PROBE_PATH_MAX, nest, NULL,
			       info->extack);
	if (ret)
		return ret;
	if (!tb[MRC_A_PROBE_PATH_DST] || !tb[MRC_A_PROBE_PATH_PORT]) {
		NL_SET_ERR_MSG(info->extack, "a target needs dst and port");
		return -EINVAL;
	}
	t = &job->target[job->n++];
	t->dgid = nla_get_in6_addr(tb[MRC_A_PROBE_PATH_DST]);
	t->plane = nla_get_u32(tb[MRC_A_PROBE_PATH_PORT]);
	if (tb[MRC_A_PROBE_PATH_SRC])
		t->sgid = nla_get_in6_addr(tb[MRC_A_PROBE_PATH_SRC]);
	if (tb[MRC_A_PROBE_PATH_EV])
		t->ev = nla_get_u32(tb[MRC_A_PROBE_PATH_EV]);
	return mrc_genl_probe_route(info, tb, t);
}

/* Paths to one peer, or targets. */
static int mrc_genl_probe_paths(struct genl_info *info,
				struct mrc_evprobe_job *job)
{
	const struct nlattr *attr;
	int ret = 0, rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) == MRC_A_PROBE_SELECT)
			ret = mrc_genl_probe_want(info, attr, job);
		else if (nla_type(attr) == MRC_A_PROBE_TARGET)
			ret = mrc_genl_probe_target(info, attr, job);
		if (ret)
			return ret;
	}
	return 0;
}

static int mrc_genl_probe_get(struct genl_info *info,
			      struct mrc_evprobe_job *job)
{
	struct nlattr **attrs = info->attrs;

	if (attrs[MRC_A_PROBE_TIMEOUT])
		job->timeout_ns = (u64)NSEC_PER_MSEC *
				  nla_get_u32(attrs[MRC_A_PROBE_TIMEOUT]);
	else
		job->timeout_ns = nla_get_u64(attrs[MRC_A_PROBE_TIMEOUT_NS]);
	job->multi = attrs[MRC_A_PROBE_TARGET];
	if (attrs[MRC_A_PROBE_DST])
		job->dgid = nla_get_in6_addr(attrs[MRC_A_PROBE_DST]);
	if (attrs[MRC_A_PROBE_SRC])
		job->sgid = nla_get_in6_addr(attrs[MRC_A_PROBE_SRC]);
	if (attrs[MRC_A_PROBE_PORT])
		job->plane = nla_get_u32(attrs[MRC_A_PROBE_PORT]);
	job->tos = attrs[MRC_A_PROBE_TCLASS] ?
		   nla_get_u32(attrs[MRC_A_PROBE_TCLASS]) :
		   MRC_DSCP_CONTROL << 2;
	job->op = MRC_EP_EV_PROBE;
	if (attrs[MRC_A_PROBE_OP] &&
	    nla_get_u32(attrs[MRC_A_PROBE_OP]) == MRC_PROBE_OP_PORT_STATUS)
		job->op = MRC_EP_PORT_STATUS;
	if (attrs[MRC_A_PROBE_PORTS])
		job->ports = nla_get_u32(attrs[MRC_A_PROBE_PORTS]);
	return mrc_genl_probe_paths(info, job);
}

/* What depends on each other. */
static int mrc_genl_probe_check(struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;

	if (!attrs[MRC_A_PROBE_TIMEOUT] == !attrs[MRC_A_PROBE_TIMEOUT_NS]) {
		NL_SET_ERR_MSG(info->extack, "timeout or timeout-ns is needed");
		return -EINVAL;
	}
	if (!attrs[MRC_A_PROBE_TARGET])
		return mrc_genl_require(info, MRC_A_PROBE_DST, "dst");
	if (!attrs[MRC_A_PROBE_DST] && !attrs[MRC_A_PROBE_SRC] &&
	    !attrs[MRC_A_PROBE_PORT] && !attrs[MRC_A_PROBE_SELECT])
		return 0;
	NL_SET_ERR_MSG(info->extack,
		       "dst, src, port and select: targets have their own");
	return -EINVAL;
}

/**
 * mrc_nl_probe_doit() - probe paths to a peer, or to many
 * @skb: request
 * @info: its attributes: device, timeout; destination, own address, port, paths, or
 *	targets; traffic class, operation, port mask
 *
 * The memory of a request is bounded, and so is the number of those under way;
 * they end with the device.
 *
 * Return: 0 or a negative errno; 0 even if no probe could be sent, which the
 * reply reports.
 */
int mrc_nl_probe_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_genl_probe *p;
	struct mrc_device *dev;
	int ret;

	ret = mrc_genl_probe_check(info);
	if (ret)
		return ret;
	dev = mrc_genl_device(info, MRC_A_PROBE_DEV);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	p = kvzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	ret = p ? mrc_genl_probe_get(info, &p->job) : -ENOMEM;
	if (!ret) {
		p->portid = info->snd_portid;
		p->seq = info->snd_seq;
		strscpy(p->dev, mrc_device_name(dev), sizeof(p->dev));
		p->job.nic = dev->nic;
		p->job.done = mrc_genl_probe_done;
		ret = mrc_evprobe_start(&p->job, info->extack);
	}
	if (ret)
		kvfree(p);
	mrc_device_put(dev);
	return ret;
}
