// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CC profiles: create, change, delete, and apply to a connection.
 */
#include <linux/log2.h>
#include <linux/slab.h>

#include "compat/extack.h"
#include "core/lb.h"
#include "core/responder.h"
#include "core/wire.h"
#include "path/binding.h"
#include "path/ccprofile.h"
#include "path/pm.h"

enum {
	/* Default cwnd of the constant congestion control, bytes. */
	MRC_CCPROFILE_WINDOW = 1024 * 1024,
	/* NSCC: assumptions until it has measured the network, Mb/s and ns. */
	MRC_CCPROFILE_RATE = 25000, /* of a device whose ports report none */
	MRC_CCPROFILE_BASE_RTT = 50 * NSEC_PER_USEC,
	MRC_CCPROFILE_RATE_MAX = 2000000,
	MRC_CCPROFILE_NS_MAX = NSEC_PER_SEC,
	/* Fractions are configured in millionths. */
	MRC_CCPROFILE_ONE = 1000000,
};

/*
 * Ranges that mrc_nscc_check() does not check, or not in the configured unit.
 */
static const struct {
	u8 param;
	const char *name;
	u32 min;
	u32 max;
} mrc_ccprofile_ranges[] = {
	{ MRC_CCPARAM_RATE, "rate", 1, MRC_CCPROFILE_RATE_MAX },
	{ MRC_CCPARAM_BASE_RTT, "base-rtt", 1, MRC_CCPROFILE_NS_MAX },
	{ MRC_CCPARAM_TRIMS, "trims", 0, 1 },
	{ MRC_CCPARAM_QA_GATE, "qa-gate", 0, U8_MAX },
	{ MRC_CCPARAM_DISABLE_QA, "disable-qa", 0, 1 },
	{ MRC_CCPARAM_REO_WND_PATH, "reo-wnd-path", 0, MRC_CCPROFILE_NS_MAX },
	{ MRC_CCPARAM_REO_WND_ANY, "reo-wnd-any", 0, MRC_CCPROFILE_NS_MAX },
	{ MRC_CCPARAM_TIMEOUT, "timeout", 1, MRC_TIMEOUT_MAX },
	{ MRC_CCPARAM_LINEAR, "linear", 0, MRC_LINEAR_MAX },
	{ MRC_CCPARAM_EXP, "exp", 0, MRC_EXP_MAX },
	{ MRC_CCPARAM_MPR, "mpr", MRC_MPR_MIN, MRC_MPR_MAX },
	{ MRC_CCPARAM_NACK_RETRY, "nack-retry", 0, 1 },
};

/* The value of a parameter, or its default. */
static u32 mrc_ccprofile_get(const struct mrc_ccprofile_cfg *cfg,
			     enum mrc_ccparam param, u32 dflt)
{
	return cfg->set & BIT(param) ? cfg->value[param] : dflt;
}

static u32 mrc_ccprofile_ns(const struct mrc_ccprofile_cfg *cfg,
			    enum mrc_ccparam param, u32 dflt)
{
	u32 ns = mrc_ccprofile_get(cfg, param, dflt);

	return ns ?: MRC_NSCC_NEVER;
}

static u32 mrc_ccprofile_fraction(const struct mrc_ccprofile_cfg *cfg,
				  enum mrc_ccparam param, u32 dflt)
{
	if (!(cfg->set & BIT(param)))
		return dflt;
	return div_u64((u64)cfg->value[param] << MRC_NSCC_SHIFT,
		       MRC_CCPROFILE_ONE);
}

static u64 mrc_ccprofile_bytes(const struct mrc_ccprofile_cfg *cfg,
			       enum mrc_ccparam param, u64 dflt)
{
	if (!(cfg->set & BIT(param)))
		return dflt;
	return (u64)cfg->value[param] << MRC_NSCC_SHIFT;
}

/* Parameters of NSCC that are not to be derived from measurements. */
static u32 mrc_ccprofile_chosen(const struct mrc_ccprofile_cfg *from)
{
	static const struct {
		u8 param;
		u8 field;
	} map[] = {
		{ MRC_CCPARAM_WINDOW, MRC_NSCC_MAX_CWND },
		{ MRC_CCPARAM_TARGET_DELAY, MRC_NSCC_TARGET_DELAY },
		{ MRC_CCPARAM_FI, MRC_NSCC_FI },
		{ MRC_CCPARAM_FI_SCALE, MRC_NSCC_FI_SCALE },
		{ MRC_CCPARAM_ETA, MRC_NSCC_ETA },
		{ MRC_CCPARAM_GAMMA, MRC_NSCC_GAMMA },
		{ MRC_CCPARAM_MAX_MD_JUMP, MRC_NSCC_MAX_MD_JUMP },
		{ MRC_CCPARAM_ADJUST_BYTES, MRC_NSCC_ADJUST_BYTES },
		{ MRC_CCPARAM_ADJUST_PERIOD, MRC_NSCC_ADJUST_PERIOD },
		{ MRC_CCPARAM_QA_THRESHOLD, MRC_NSCC_QA_THRESHOLD },
		{ MRC_CCPARAM_QA_GATE, MRC_NSCC_QA_GATE },
	};
	u32 i, set = 0;

	for (i = 0; i < ARRAY_SIZE(map); i++)
		if (from->set & BIT(map[i].param))
			set |= BIT(map[i].field);
	return set;
}

/* @mbps: of the ports; 0: not known */
static void mrc_ccprofile_nscc(const struct mrc_ccprofile_cfg *from, u32 mtu,
			       u32 mbps, struct mrc_nscc_cfg *to)
{
	mbps = clamp(mbps ?: MRC_CCPROFILE_RATE, 1, MRC_CCPROFILE_RATE_MAX);
	mrc_nscc_defaults(to, mrc_ccprofile_get(from, MRC_CCPARAM_RATE, mbps),
			  mrc_ccprofile_get(from, MRC_CCPARAM_BASE_RTT,
					    MRC_CCPROFILE_BASE_RTT),
			  mtu, mrc_ccprofile_get(from, MRC_CCPARAM_TRIMS, 0));
	to->max_cwnd = mrc_ccprofile_get(from, MRC_CCPARAM_WINDOW,
					 to->max_cwnd);
	to->target_delay = mrc_ccprofile_get(from, MRC_CCPARAM_TARGET_DELAY,
					     to->target_delay);
	to->jitter = mrc_ccprofile_get(from, MRC_CCPARAM_JITTER, to->jitter);
	to->fi = mrc_ccprofile_bytes(from, MRC_CCPARAM_FI, to->fi);
	to->fi_scale = mrc_ccprofile_fraction(from, MRC_CCPARAM_FI_SCALE,
					      to->fi_scale);
	to->eta = mrc_ccprofile_bytes(from, MRC_CCPARAM_ETA, to->eta);
	to->gamma = mrc_ccprofile_fraction(from, MRC_CCPARAM_GAMMA, to->gamma);
	to->max_md_jump = mrc_ccprofile_fraction(from, MRC_CCPARAM_MAX_MD_JUMP,
						 to->max_md_jump);
	to->adjust_bytes = mrc_ccprofile_get(from, MRC_CCPARAM_ADJUST_BYTES,
					     to->adjust_bytes);
	to->adjust_period = mrc_ccprofile_get(from, MRC_CCPARAM_ADJUST_PERIOD,
					      to->adjust_period);
	to->qa_threshold = mrc_ccprofile_ns(from, MRC_CCPARAM_QA_THRESHOLD,
					    to->qa_threshold);
	to->qa_gate = mrc_ccprofile_get(from, MRC_CCPARAM_QA_GATE, to->qa_gate);
	to->disable_qa = mrc_ccprofile_get(from, MRC_CCPARAM_DISABLE_QA, 0);
	/* Alpha is not configurable: it is derived from the fair increase. */
	to->alpha = 0;
	to->measured = !(from->set & BIT(MRC_CCPARAM_BASE_RTT));
	to->learn = !(from->set & (BIT(MRC_CCPARAM_RATE) |
				   BIT(MRC_CCPARAM_WINDOW)));
	to->set = mrc_ccprofile_chosen(from);
}

/* Bytes of a full packet, as congestion control counts them. */
static u32 mrc_ccprofile_mtu(u32 pmtu)
{
	return pmtu + MRC_REQ_HDR_MAX + MRC_ICRC_LEN + MRC_CC_NOMINAL_OVERHEAD;
}

static int mrc_ccprofile_check_nscc(const struct mrc_ccprofile_cfg *cfg,
				    struct mrc_refusal *why)
{
	u32 mtu = mrc_ccprofile_mtu(MRC_PMTU_MAX);
	enum mrc_nscc_field field;
	struct mrc_nscc_cfg nscc;

	mrc_ccprofile_nscc(cfg, mtu, 0, &nscc);
	field = mrc_nscc_check(&nscc, mtu);
	if (field == MRC_NSCC_FIELD_OK)
		return 0;
	return mrc_refuse(why, -EINVAL, MRC_NO_FIELD, "%s is out of range",
			  mrc_nscc_field_name(field));
}

static int mrc_ccprofile_check(const struct mrc_ccprofile_cfg *cfg,
			       struct mrc_refusal *why)
{
	u32 i, value;

	for (i = 0; i < ARRAY_SIZE(mrc_ccprofile_ranges); i++) {
		value = mrc_ccprofile_get(cfg, mrc_ccprofile_ranges[i].param,
					  mrc_ccprofile_ranges[i].min);
		if (value < mrc_ccprofile_ranges[i].min ||
		    value > mrc_ccprofile_ranges[i].max)
			return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
					  "%s is %u, not %u to %u",
					  mrc_ccprofile_ranges[i].name, value,
					  mrc_ccprofile_ranges[i].min,
					  mrc_ccprofile_ranges[i].max);
	}
	value = mrc_ccprofile_get(cfg, MRC_CCPARAM_MPR, MRC_MPR_DEFAULT);
	if (!is_power_of_2(value))
		return mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
				  "mpr is %u, no power of 2", value);
	/*
	 * Checked for all algorithms, even if they do not use these parameters.
	 */
	return mrc_ccprofile_check_nscc(cfg, why);
}

static int mrc_ccprofile_merge_names(const struct mrc_ccprofile_change *change,
				     struct mrc_ccprofile_cfg *to,
				     struct mrc_refusal *why)
{
	if (change->algo)
		to->algo = mrc_cc_find(change->algo);
	if (change->algo && *change->algo && !to->algo)
		return mrc_refuse_name(why, "algorithm", change->algo,
				       mrc_cc_name);
	if (change->lb)
		to->lb = mrc_lb_find(change->lb);
	if (change->lb && *change->lb && !to->lb)
		return mrc_refuse_name(why, "load balancer", change->lb,
				       mrc_lb_name);
	return 0;
}

static void mrc_ccprofile_merge(const struct mrc_ccprofile_change *change,
				struct mrc_ccprofile_cfg *to)
{
	u32 i;

	to->set = (to->set & ~change->given) | (change->set & change->given);
	for (i = 0; i < MRC_CCPARAMS; i++) {
		if (change->given & BIT(i))
			to->value[i] = change->value[i];
	}
}

static int mrc_ccprofile_apply(struct mrc_pm *pm, struct mrc_ccprofile *p,
			       const struct mrc_ccprofile_change *change,
			       struct netlink_ext_ack *extack)
{
	u8 life = change->has_life ? change->life : p->obj.life;
	struct mrc_ccprofile_cfg cfg = p->cfg;
	struct mrc_refusal why;
	int ret;

	mrc_ccprofile_merge(change, &cfg);
	ret = mrc_ccprofile_merge_names(change, &cfg, &why);
	if (!ret)
		ret = mrc_life_check(p->obj.life, life, p->obj.users, &why);
	if (!ret && mrc_life_needs_check(life))
		ret = mrc_ccprofile_check(&cfg, &why);
	if (ret)
		return mrc_object_refused(ret, &why, extack);
	p->obj.life = life;
	spin_lock_bh(&pm->lock);
	p->cfg = cfg;
	spin_unlock_bh(&pm->lock);
	return 0;
}

/**
 * mrc_ccprofile_add() - create a profile
 * @pm: path manager
 * @name: its name
 * @change: attributes
 * @extack: set to the reason on error
 *
 * Context: process, may sleep.
 * Return: 0, -EEXIST, -E2BIG, -EINVAL or -ENOMEM.
 */
int mrc_ccprofile_add(struct mrc_pm *pm, const char *name,
		      const struct mrc_ccprofile_change *change,
		      struct netlink_ext_ack *extack)
{
	struct mrc_object *obj;
	int ret;

	mutex_lock(&pm->mutex);
	obj = mrc_object_new(pm, MRC_OBJECT_CC, sizeof(struct mrc_ccprofile),
			     name, extack);
	ret = PTR_ERR_OR_ZERO(obj);
	if (!ret) {
		ret = mrc_ccprofile_apply(pm, mrc_ccprofile_of(obj), change,
					  extack);
		if (ret)
			kfree(obj);
		else
			mrc_object_add(pm, MRC_OBJECT_CC, obj);
	}
	mutex_unlock(&pm->mutex);
	return ret;
}

/**
 * mrc_ccprofile_set() - change a profile
 * @pm: path manager
 * @name: its name
 * @change: attributes to be changed
 * @extack: set to the reason on error
 *
 * When the function returns, connections that refer to the profile use it.
 *
 * Context: process, may sleep.
 * Return: 0, -ENOENT, -EBUSY or -EINVAL; on error nothing has changed.
 */
int mrc_ccprofile_set(struct mrc_pm *pm, const char *name,
		      const struct mrc_ccprofile_change *change,
		      struct netlink_ext_ack *extack)
{
	struct mrc_object *obj;
	bool used = false;
	int ret = -ENOENT;

	mutex_lock(&pm->mutex);
	obj = mrc_object_get(pm, MRC_OBJECT_CC, name, extack);
	if (obj) {
		ret = mrc_ccprofile_apply(pm, mrc_ccprofile_of(obj), change,
					  extack);
		used = !ret && obj->users;
	}
	mutex_unlock(&pm->mutex);
	if (used)
		pm->ops->paths_changed(pm, NULL);
	return ret;
}

/**
 * mrc_ccprofile_del() - remove a profile
 * @pm: path manager
 * @name: its name
 * @extack: set to the reason on error
 *
 * Context: process, may sleep.
 * Return: 0, -ENOENT or -EBUSY.
 */
int mrc_ccprofile_del(struct mrc_pm *pm, const char *name,
		      struct netlink_ext_ack *extack)
{
	return mrc_object_remove(pm, MRC_OBJECT_CC, name, extack);
}

/**
 * mrc_ccprofile_find() - look up a profile for a reference
 * @pm: path manager
 * @name: its name; "": no profile
 * @obj: filled in: the profile, or NULL
 * @extack: set to the reason on error
 *
 * Context: @pm's mutex held.
 * Return: 0, -ENOENT or -EINVAL.
 */
int mrc_ccprofile_find(struct mrc_pm *pm, const char *name,
		       struct mrc_object **obj, struct netlink_ext_ack *extack)
{
	lockdep_assert_held(&pm->mutex);
	*obj = NULL;
	if (!*name)
		return 0;
	*obj = mrc_object_get(pm, MRC_OBJECT_CC, name, extack);
	if (!*obj)
		return -ENOENT;
	if ((*obj)->life == MRC_LIFE_ONLINE)
		return 0;
	NL_SET_ERR_MSG_FMT(extack, "cc %s is %s: bring it online first", name,
			   mrc_life_name((*obj)->life));
	return -EINVAL;
}

/**
 * mrc_ccprofile_default() - set the profile of connections whose destination
 *	refers to none
 * @pm: path manager
 * @name: name of the profile; "": none, that is NSCC, which configures itself
 * @extack: set to the reason on error
 *
 * When the function returns, these connections use it.
 *
 * Context: process, may sleep.
 * Return: 0, -ENOENT or -EINVAL.
 */
int mrc_ccprofile_default(struct mrc_pm *pm, const char *name,
			  struct netlink_ext_ack *extack)
{
	struct mrc_object *obj;
	int ret;

	mutex_lock(&pm->mutex);
	ret = mrc_ccprofile_find(pm, name, &obj, extack);
	if (!ret) {
		if (pm->cc)
			pm->cc->users--;
		if (obj)
			obj->users++;
		spin_lock_bh(&pm->lock);
		pm->cc = obj;
		spin_unlock_bh(&pm->lock);
	}
	mutex_unlock(&pm->mutex);
	if (!ret)
		pm->ops->paths_changed(pm, NULL);
	return ret;
}

/*
 * The profile of the connection, that of the longest matching destination, or that of
 * the device.
 */
static const struct mrc_object *mrc_ccprofile_for(const struct mrc_pm *pm,
						  const struct in6_addr *dgid,
						  const struct mrc_binding *b)
{
	const struct mrc_lpm_slot *slot;
	struct mrc_lpm_key key;

	lockdep_assert_held(&pm->lock);
	if (b->cc)
		return b->cc;
	mrc_lpm_key_init(&key, dgid->s6_addr, MRC_LPM_BITS);
	slot = mrc_lpm_lookup(&pm->dests, &key);
	return slot && slot->cc ? pm->at[MRC_OBJECT_CC][slot->cc - 1] : pm->cc;
}

static void mrc_ccprofile_resolve_req(const struct mrc_ccprofile_cfg *from,
				      struct mrc_req_cfg *to)
{
	u32 code = from->value[MRC_CCPARAM_TIMEOUT];

	if (from->set & BIT(MRC_CCPARAM_TIMEOUT))
		to->timeout_ns = MRC_TIMEOUT_NS(code);
	to->linear_cnt = mrc_ccprofile_get(from, MRC_CCPARAM_LINEAR,
					   to->linear_cnt);
	to->exp_cnt = mrc_ccprofile_get(from, MRC_CCPARAM_EXP, to->exp_cnt);
	to->reo_wnd_path = mrc_ccprofile_get(from, MRC_CCPARAM_REO_WND_PATH,
					     to->reo_wnd_path);
	to->reo_wnd_any = mrc_ccprofile_get(from, MRC_CCPARAM_REO_WND_ANY,
					    to->reo_wnd_any);
	to->mpr = mrc_ccprofile_get(from, MRC_CCPARAM_MPR, to->mpr);
	/* Not every peer has a window of this size. */
	to->dynamic_mpr = to->mpr > MRC_MPR_DEFAULT;
	to->nack_retry = mrc_ccprofile_get(from, MRC_CCPARAM_NACK_RETRY,
					   to->nack_retry);
}

/* Settings of the CC profile that applies to a peer; without one, none is set. */
static void mrc_ccprofile_read(struct mrc_pm *pm, const struct in6_addr *dgid,
			       const struct mrc_binding *b,
			       struct mrc_ccprofile_cfg *cfg)
{
	const struct mrc_object *obj;

	spin_lock_bh(&pm->lock);
	obj = mrc_ccprofile_for(pm, dgid, b);
	*cfg = obj ? mrc_ccprofile_of(obj)->cfg : (struct mrc_ccprofile_cfg){};
	spin_unlock_bh(&pm->lock);
}

/**
 * mrc_ccprofile_resolve() - determine congestion control and attributes
 * @pm: path manager
 * @dgid: address of the peer
 * @b: profiles of the connection
 * @own: attributes that the application has set
 * @use: filled in
 *
 * Context: process or softirq.
 */
void mrc_ccprofile_resolve(struct mrc_pm *pm, const struct in6_addr *dgid,
			   const struct mrc_binding *b,
			   const struct mrc_req_cfg *own,
			   struct mrc_cc_setup *use)
{
	u32 mtu = mrc_ccprofile_mtu(own->pmtu);
	struct mrc_ccprofile_cfg from;

	mrc_ccprofile_read(pm, dgid, b, &from);
	use->ops = from.algo ?: &mrc_cc_nscc;
	use->lb = from.lb ?: &mrc_lb_rotation;
	use->cc = (struct mrc_cc_cfg){
		.mtu = mtu,
		.max_cwnd = mrc_ccprofile_get(&from, MRC_CCPARAM_WINDOW,
					      MRC_CCPROFILE_WINDOW),
		.ack_trigger = MRC_SACK_THRESHOLD,
	};
	mrc_ccprofile_nscc(&from, mtu, pm->ops->mbps(pm), &use->cc.nscc);
	use->cc.nscc.init_cwnd =
		mrc_nscc_first_flight(hweight32(pm->ops->ports_up(pm)), mtu);
	use->req = *own;
	mrc_ccprofile_resolve_req(&from, &use->req);
}

/**
 * mrc_ccprofile_resolve_rsp() - determine the PSN window of a responder
 * @pm: path manager
 * @dgid: address of the peer
 * @b: profiles of the connection
 * @cfg: attributes; a larger window than its own is set, and announced
 *
 * A smaller one limits the requester only: peers may use MRC_MPR_DEFAULT unasked (MRC
 * 6.2).
 *
 * Context: process or softirq.
 */
void mrc_ccprofile_resolve_rsp(struct mrc_pm *pm, const struct in6_addr *dgid,
			       const struct mrc_binding *b,
			       struct mrc_rsp_cfg *cfg)
{
	struct mrc_ccprofile_cfg from;
	u32 mpr;

	mrc_ccprofile_read(pm, dgid, b, &from);
	mpr = mrc_ccprofile_get(&from, MRC_CCPARAM_MPR, cfg->mpr);
	if (mpr > cfg->mpr) {
		cfg->mpr = mpr;
		cfg->dynamic_mpr = true;
	}
}
