// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * NSCC in integers against NSCC in floating point, over long random traces.
 * Not a KUnit suite: kernels have no floating point.
 *
 * The model follows UEC 3.6.13 with the parameters of table 3-82; it has only the
 * acknowledgments in common with the core.
 */
#include <kunit/test.h>
#include <linux/kernel.h>

#include "core/cc.h"
#include "core/rnd.h"

#define MTU		4096
#define STEPS		200000
#define SEEDS		20
/* Round trip in ns above which the growth of windows is limited. */
#define LONG_RTT	60000.0
/* ns; the memory of the shortest round trips counts these. */
#define RTT_UNIT	1048576.0

/* Allowed difference at any step: a byte, and 1 in 10,000. */
#define TOLERANCE	0.0001
#define TOLERANCE_BYTES	1.0

/**
 * struct model - NSCC as published
 *
 * Times are in ns, sizes in bytes.  Names are those of UEC.
 */
struct model {
	double config_base_rtt;
	double config_max_wnd;
	double target_qdelay;
	double alpha;
	double fi;
	double fi_scale;
	double eta;
	double gamma;
	double max_md_jump;
	double qa_threshold;
	double near_zero;
	double adjust_bytes;
	double adjust_period;
	int qa_gate;

	double cwnd;
	double max_wnd;
	double base_rtt;
	double avg_delay;
	double inc_bytes;
	double received;
	double achieved;
	double fi_count;
	double saved_cwnd;
	double bytes_ignored;
	double bytes_to_ignore;
	double qa_endtime;
	double last_adjust_time;
	double last_dec_time;
	double half_began;
	double half_min[2];
	bool increase;
	bool trigger_qa;
	bool limiting;
	bool began;
};

static void model_init(struct model *m, double gbps, double base_rtt, bool trims)
{
	double bdp = gbps * base_rtt / 8;
	double a = bdp / 150000;
	double target = trims ? base_rtt * 0.75 : base_rtt;
	double b = target / 12000;

	*m = (struct model){
		.config_base_rtt = base_rtt,
		.config_max_wnd = 1.5 * bdp,
		.target_qdelay = target,
		/* An extension of this driver, for long round trips. */
		.alpha = 4.0 * a * b * MTU / target *
			 (base_rtt > LONG_RTT ? LONG_RTT / base_rtt : 1),
		.fi = 5 * MTU * a,
		.fi_scale = 0.25 * a,
		.eta = 0.15 * MTU * a,
		.gamma = 0.8,
		.max_md_jump = 0.5,
		.qa_threshold = trims ? 1e30 : 4 * target,
		.near_zero = (u32)(base_rtt / 12),
		.adjust_bytes = 8 * MTU,
		.adjust_period = base_rtt,
		.qa_gate = 3,
		.cwnd = 1.5 * bdp,
		.max_wnd = 1.5 * bdp,
		.base_rtt = base_rtt,
		.half_min = { 1e30, 1e30 },
	};
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

static void model_begin(struct model *m, double now)
{
	if (m->began)
		return;
	m->began = true;
	m->last_adjust_time = now;
	m->last_dec_time = now;
}

static void model_clamp(struct model *m)
{
	m->cwnd = most(MTU, least(m->cwnd, m->max_wnd));
}

static void model_base_rtt(struct model *m, double rtt, double now)
{
	double at = __builtin_floor(now / RTT_UNIT);
	double half = __builtin_floor(5e9 / RTT_UNIT);
	double age = at - m->half_began;

	if (!m->half_began) {
		m->half_began = at;
	} else if (age >= half) {
		m->half_min[1] = age < 2 * half ? m->half_min[0] : 1e30;
		m->half_min[0] = 1e30;
		m->half_began = at;
	}
	m->half_min[0] = least(m->half_min[0], rtt);
	m->base_rtt = least(m->config_base_rtt,
			    least(m->half_min[0], m->half_min[1]));
	m->max_wnd = most(MTU, m->config_max_wnd * m->base_rtt /
			       m->config_base_rtt);
}

static void model_delay(struct model *m, double delay, bool marked)
{
	if (!marked && delay > m->target_qdelay)
		delay = 0.25 * m->base_rtt;
	m->avg_delay = 0.0125 * delay + (1 - 0.0125) * m->avg_delay;
}

static bool model_penalty(struct model *m, const struct mrc_cc_ack *a,
			  double bytes)
{
	if (a->rcv_cwnd_pen) {
		if (!m->limiting)
			m->saved_cwnd = m->cwnd;
		m->limiting = true;
		m->cwnd = least(m->cwnd, a->inflight);
		m->cwnd = most(MTU, m->cwnd - a->rcv_cwnd_pen * bytes / 128);
		return true;
	}
	if (m->limiting && a->restore_cwnd)
		m->cwnd = least(m->saved_cwnd, m->max_wnd);
	m->limiting = false;
	return false;
}

static bool model_quick_adapt(struct model *m, bool loss, bool marked,
			      double delay, double inflight, double now)
{
	bool handled = false;

	if (m->bytes_ignored < m->bytes_to_ignore && marked) {
		handled = true;
	} else if (now >= m->qa_endtime) {
		if (m->qa_endtime != 0 &&
		    (m->trigger_qa || loss || delay > m->qa_threshold) &&
		    m->achieved < (u32)m->max_wnd >> m->qa_gate) {
			m->cwnd = most(m->achieved, MTU);
			m->bytes_to_ignore = inflight;
			m->bytes_ignored = 0;
			m->trigger_qa = false;
			handled = true;
		}
		m->achieved = 0;
		m->qa_endtime = now + m->base_rtt + m->target_qdelay;
	}
	if (handled) {
		m->inc_bytes = 0;
		m->received = 0;
	}
	return handled;
}

static void model_fast_increase(struct model *m, double bytes, double delay)
{
	if (delay < m->near_zero) {
		m->fi_count += bytes;
		if (m->fi_count > m->cwnd || m->increase) {
			m->cwnd += bytes * m->fi_scale;
			m->increase = true;
			return;
		}
	} else {
		m->fi_count = 0;
	}
	m->increase = false;
}

static void model_decrease(struct model *m, double now)
{
	double excess = m->avg_delay - m->target_qdelay;

	m->increase = false;
	m->fi_count = 0;
	if (excess <= 0 || now - m->last_dec_time <= m->base_rtt)
		return;
	m->cwnd *= most(1 - m->gamma * excess / m->avg_delay, m->max_md_jump);
	m->last_dec_time = now;
}

static void model_fulfill(struct model *m, double now)
{
	bool period = now - m->last_adjust_time >= m->adjust_period;

	if (m->received <= m->adjust_bytes && !period)
		return;
	m->cwnd += m->inc_bytes / m->cwnd;
	if (period) {
		m->cwnd += m->eta;
		m->last_adjust_time = now;
	}
	m->inc_bytes = 0;
	m->received = 0;
	model_clamp(m);
}

static void model_ack(struct model *m, const struct mrc_cc_ack *a)
{
	double delay, bytes = a->acked;
	bool limited;

	model_begin(m, a->now);
	m->bytes_ignored += bytes;
	m->received += bytes;
	m->achieved += bytes;
	limited = model_penalty(m, a, bytes);
	if (!a->rtt)
		return;
	model_base_rtt(m, a->rtt, a->now);
	delay = a->rtt - m->base_rtt;
	model_delay(m, delay, a->marked);
	if (model_quick_adapt(m, false, a->marked, delay, a->inflight, a->now))
		return;
	if (!a->marked && delay >= m->target_qdelay && !limited) {
		m->inc_bytes += m->fi * bytes;
	} else if (!a->marked && delay < m->target_qdelay && !limited) {
		model_fast_increase(m, bytes, delay);
		if (!m->increase)
			m->inc_bytes += m->alpha * bytes *
					(m->target_qdelay - delay);
	} else if (a->marked && delay >= m->target_qdelay) {
		model_decrease(m, a->now);
	}
	model_clamp(m);
	model_fulfill(m, a->now);
}

static void model_trim(struct model *m, const struct mrc_cc_trim *t)
{
	model_begin(m, t->now);
	if (t->rtt)
		model_base_rtt(m, t->rtt, t->now);
	model_delay(m, m->config_base_rtt, true);
	m->bytes_ignored += t->nominal;
	m->trigger_qa = true;
	if (model_quick_adapt(m, true, true, 0, t->inflight, t->now))
		return;
	m->cwnd -= t->nominal;
	model_clamp(m);
}

static void model_loss(struct model *m, double nominal)
{
	m->cwnd -= nominal;
	m->bytes_ignored += nominal;
	model_clamp(m);
}

/**
 * struct net - network of a trace
 * @name: of the case
 * @gbps: rate of the link
 * @base_rtt: ns
 * @trims: switches trim
 */
struct net {
	const char *name;
	u32 gbps;
	u32 base_rtt;
	bool trims;
};

static const struct net nets[] = {
	{ "100 Gb/s, 12 us, trims", 100, 12000, true },
	{ "800 Gb/s, 10 us, trims", 800, 10000, true },
	{ "25 Gb/s, 50 us, trims", 25, 50000, true },
	{ "25 Gb/s, 50 us", 25, 50000, false },
	{ "10 Gb/s, 1 ms", 10, 1000000, false },
};

KUNIT_ARRAY_PARAM_DESC(nets, nets, name);

/**
 * struct trace - a queue that fills and drains at random, and its effects
 * @net: network
 * @rnd: generator
 * @now: ns
 * @delay: ns of queueing
 * @step: ns between two acknowledgments
 * @pen: cwnd penalty of the responder
 */
struct trace {
	const struct net *net;
	u64 rnd;
	u64 now;
	u32 delay;
	u32 step;
	u8 pen;
};

static u32 below(struct trace *t, u32 n)
{
	return mrc_rnd_below(&t->rnd, n);
}

/* A random walk; sometimes the queue is empty, or full. */
static void walk(struct trace *t)
{
	u32 rtt = t->net->base_rtt;
	u32 by = below(t, rtt / 8);

	t->delay = below(t, 2) ? t->delay + by : t->delay - min(by, t->delay);
	t->delay = min(t->delay, 8 * rtt);
	switch (below(t, 2000)) {
	case 0:
		t->delay = 0;
		break;
	case 1:
		t->delay = 5 * rtt;
		break;
	case 2:
		t->pen = below(t, 128);
		break;
	case 3:
		t->pen = 0;
		break;
	case 4:
		t->now += below(t, 2000000000);
		break;
	}
	t->now += below(t, 2 * t->step);
}

static void next_ack(struct trace *t, u32 cwnd, struct mrc_cc_ack *a)
{
	u32 rtt = t->net->base_rtt;

	*a = (struct mrc_cc_ack){
		.now = t->now,
		.acked = below(t, 65536),
		.inflight = below(t, 2 * cwnd),
		.rtt = below(t, 20) ? rtt - below(t, rtt / 50) + t->delay : 0,
		.marked = below(t, 2 * rtt) < t->delay,
		.rcv_cwnd_pen = t->pen,
		.restore_cwnd = below(t, 2),
	};
}

static bool same(u32 cwnd, double model)
{
	double diff = cwnd - model;

	return (diff < 0 ? -diff : diff) <=
	       TOLERANCE_BYTES + model * TOLERANCE;
}

static void run(struct kunit *test, const struct net *net, u64 seed)
{
	struct trace t = {
		.net = net, .rnd = seed, .now = 1000000000,
		.step = 32768 * 8 / net->gbps,
	};
	struct mrc_cc_cfg cfg = { .mtu = MTU };
	struct mrc_cc_trim trim;
	struct mrc_cc_ack a;
	struct model m;
	struct mrc_cc cc;
	u32 i;

	mrc_nscc_defaults(&cfg.nscc, net->gbps * 1000, net->base_rtt, MTU,
			  net->trims);
	/* The model begins as UEC does. */
	cfg.nscc.init_cwnd = 0;
	mrc_cc_init(&cc, &mrc_cc_nscc, &cfg);
	model_init(&m, net->gbps, net->base_rtt, net->trims);
	for (i = 0; i < STEPS; i++) {
		walk(&t);
		next_ack(&t, cc.cwnd, &a);
		cc.ops->on_ack(&cc, &a);
		model_ack(&m, &a);
		if (t.delay > 2 * net->base_rtt && !below(&t, 50)) {
			trim = (struct mrc_cc_trim){
				.now = t.now, .nominal = MTU,
				.inflight = a.inflight,
			};
			cc.ops->on_trim(&cc, &trim);
			model_trim(&m, &trim);
		}
		if (!below(&t, 500)) {
			cc.ops->on_loss(&cc, t.now, MTU);
			model_loss(&m, MTU);
		}
		KUNIT_ASSERT_TRUE_MSG(test, same(cc.cwnd, m.cwnd),
				      "seed %llu step %u: %u, model %f",
				      (unsigned long long)seed, i, cc.cwnd,
				      m.cwnd);
	}
}

static void mrc_nscc_float_traces(struct kunit *test)
{
	u64 seed;

	for (seed = 1; seed <= SEEDS; seed++)
		run(test, test->param_value, seed);
}

static struct kunit_case mrc_nscc_float_cases[] = {
	KUNIT_CASE_PARAM(mrc_nscc_float_traces, nets_gen_params),
	{}
};

static struct kunit_suite mrc_nscc_float_suite = {
	.name = "mrc_nscc_float",
	.test_cases = mrc_nscc_float_cases,
};

kunit_test_suite(mrc_nscc_float_suite);
