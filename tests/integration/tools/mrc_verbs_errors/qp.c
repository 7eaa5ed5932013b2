// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The state machine of a QP: every attribute missing, every attribute wrong,
 * transitions that do not exist (IBTA 10.3.1, table 91).
 */
#include <errno.h>
#include <string.h>

#include "verbs_errors.h"

enum transition {
	STEP_INIT,
	STEP_RTR,
	STEP_RTS,
	N_STEPS,
};

static const struct {
	const char *name;
	enum ibv_qp_state from;
} steps[N_STEPS] = {
	[STEP_INIT] = { "RESET to INIT", IBV_QPS_RESET },
	[STEP_RTR] = { "INIT to RTR", IBV_QPS_INIT },
	[STEP_RTS] = { "RTR to RTS", IBV_QPS_RTR },
};

static const struct {
	int bit;
	const char *name;
} attr_names[] = {
	{ IBV_QP_PKEY_INDEX, "pkey_index" },
	{ IBV_QP_PORT, "port_num" },
	{ IBV_QP_ACCESS_FLAGS, "qp_access_flags" },
	{ IBV_QP_AV, "ah_attr" },
	{ IBV_QP_PATH_MTU, "path_mtu" },
	{ IBV_QP_DEST_QPN, "dest_qp_num" },
	{ IBV_QP_RQ_PSN, "rq_psn" },
	{ IBV_QP_MAX_DEST_RD_ATOMIC, "max_dest_rd_atomic" },
	{ IBV_QP_MIN_RNR_TIMER, "min_rnr_timer" },
	{ IBV_QP_TIMEOUT, "timeout" },
	{ IBV_QP_RETRY_CNT, "retry_cnt" },
	{ IBV_QP_RNR_RETRY, "rnr_retry" },
	{ IBV_QP_SQ_PSN, "sq_psn" },
	{ IBV_QP_MAX_QP_RD_ATOMIC, "max_rd_atomic" },
};

static void step_attr(struct pair *p, enum transition step, struct ibv_qp_attr *attr,
		      int *mask)
{
	switch (step) {
	case STEP_INIT:
		rc_attr_init(p->a.dev, &p->params, attr, mask);
		break;
	case STEP_RTR:
		rc_attr_rtr(p->a.dev, &p->params, &p->b.addr, attr, mask);
		break;
	default:
		rc_attr_rts(&p->params, &p->a.addr, attr, mask);
		break;
	}
}

static bool step_apply(struct pair *p, enum transition step)
{
	struct ibv_qp_attr attr;
	int mask;

	step_attr(p, step, &attr, &mask);
	return tap_ok(!ibv_modify_qp(p->a.qp, &attr, mask), "%s",
		      steps[step].name);
}

/*
 * The RDMA core checks addresses first: the GID may not exist, or there may be no
 * route to the peer's.
 */
static bool is_refusal(int ret)
{
	return ret == EINVAL || ret == ENODATA || ret == ENETUNREACH;
}

static void check_refused(struct pair *p, enum transition step, const char *what,
			  struct ibv_qp_attr *attr, int mask)
{
	int ret = ibv_modify_qp(p->a.qp, attr, mask);

	if (!tap_ok(is_refusal(ret), "%s %s: %s", steps[step].name, what,
		    strerror(EINVAL)))
		tap_note("ibv_modify_qp: %s", ret ? strerror(ret) : "success");
	tap_ok(qp_state(p->a.qp) == steps[step].from,
	       "%s %s: the state is unchanged", steps[step].name, what);
}

static void missing_attributes(struct pair *p, enum transition step)
{
	struct ibv_qp_attr attr;
	char what[64];
	int mask;
	size_t i;

	for (i = 0; i < sizeof(attr_names) / sizeof(*attr_names); i++) {
		step_attr(p, step, &attr, &mask);
		if (!(mask & attr_names[i].bit))
			continue;
		strcpy(what, "without ");
		strcat(what, attr_names[i].name);
		check_refused(p, step, what, &attr,
			      mask & ~attr_names[i].bit);
	}
}

static void port_zero(struct pair *p, struct ibv_qp_attr *attr)
{
	attr->port_num = 0;
}

static void port_beyond(struct pair *p, struct ibv_qp_attr *attr)
{
	attr->port_num = p->a.dev->attr.phys_port_cnt + 1;
}

static void pkey_beyond(struct pair *p, struct ibv_qp_attr *attr)
{
	attr->pkey_index = p->a.dev->port_attr.pkey_tbl_len;
}

static void access_unknown(struct pair *p, struct ibv_qp_attr *attr)
{
	attr->qp_access_flags |= 1 << 18;
}

static void mtu_zero(struct pair *p, struct ibv_qp_attr *attr)
{
	attr->path_mtu = 0;
}

static void mtu_unknown(struct pair *p, struct ibv_qp_attr *attr)
{
	attr->path_mtu = IBV_MTU_4096 + 1;
}

static void qpn_wide(struct pair *p, struct ibv_qp_attr *attr)
{
	attr->dest_qp_num = 1 << 24;
}

static void dest_rd_atomic_beyond(struct pair *p, struct ibv_qp_attr *attr)
{
	attr->max_dest_rd_atomic = p->a.dev->attr.max_qp_rd_atom + 1;
}

static void rnr_timer_wide(struct pair *p, struct ibv_qp_attr *attr)
{
	attr->min_rnr_timer = 32;
}

static void ah_no_grh(struct pair *p, struct ibv_qp_attr *attr)
{
	attr->ah_attr.is_global = 0;
}

static void ah_gid_beyond(struct pair *p, struct ibv_qp_attr *attr)
{
	attr->ah_attr.grh.sgid_index = 255;
}

static void ah_gid_empty(struct pair *p, struct ibv_qp_attr *attr)
{
	attr->ah_attr.grh.sgid_index = p->a.dev->port_attr.gid_tbl_len - 1;
}

static void ah_port_beyond(struct pair *p, struct ibv_qp_attr *attr)
{
	attr->ah_attr.port_num = p->a.dev->attr.phys_port_cnt + 1;
}

static void ah_dgid_none(struct pair *p, struct ibv_qp_attr *attr)
{
	memset(&attr->ah_attr.grh.dgid, 0, sizeof(attr->ah_attr.grh.dgid));
}

static void timeout_wide(struct pair *p, struct ibv_qp_attr *attr)
{
	attr->timeout = 32;
}

static void retry_wide(struct pair *p, struct ibv_qp_attr *attr)
{
	attr->retry_cnt = 8;
}

static void rnr_retry_wide(struct pair *p, struct ibv_qp_attr *attr)
{
	attr->rnr_retry = 8;
}

static void rd_atomic_beyond(struct pair *p, struct ibv_qp_attr *attr)
{
	attr->max_rd_atomic = p->a.dev->attr.max_qp_init_rd_atom + 1;
}

static const struct {
	enum transition step;
	const char *what;
	void (*spoil)(struct pair *p, struct ibv_qp_attr *attr);
} wrong_values[] = {
	{ STEP_INIT, "with port_num 0", port_zero },
	{ STEP_INIT, "with port_num beyond the last", port_beyond },
	{ STEP_INIT, "with pkey_index beyond the last", pkey_beyond },
	{ STEP_INIT, "with unknown qp_access_flags", access_unknown },
	{ STEP_RTR, "with path_mtu 0", mtu_zero },
	{ STEP_RTR, "with unknown path_mtu", mtu_unknown },
	{ STEP_RTR, "with dest_qp_num of 25 bits", qpn_wide },
	{ STEP_RTR, "with max_dest_rd_atomic beyond the limit",
	  dest_rd_atomic_beyond },
	{ STEP_RTR, "with min_rnr_timer of 6 bits", rnr_timer_wide },
	{ STEP_RTR, "with ah_attr without GRH", ah_no_grh },
	{ STEP_RTR, "with sgid_index beyond the last", ah_gid_beyond },
	{ STEP_RTR, "with sgid_index of an empty entry", ah_gid_empty },
	{ STEP_RTR, "with ah_attr.port_num beyond the last", ah_port_beyond },
	{ STEP_RTR, "with dgid of zeros", ah_dgid_none },
	{ STEP_RTS, "with timeout of 6 bits", timeout_wide },
	{ STEP_RTS, "with retry_cnt of 4 bits", retry_wide },
	{ STEP_RTS, "with rnr_retry of 4 bits", rnr_retry_wide },
	{ STEP_RTS, "with max_rd_atomic beyond the limit", rd_atomic_beyond },
};

static void wrong_attributes(struct pair *p, enum transition step)
{
	struct ibv_qp_attr attr;
	int mask;
	size_t i;

	for (i = 0; i < sizeof(wrong_values) / sizeof(*wrong_values); i++) {
		if (wrong_values[i].step != step)
			continue;
		step_attr(p, step, &attr, &mask);
		wrong_values[i].spoil(p, &attr);
		check_refused(p, step, wrong_values[i].what, &attr, mask);
	}
}

/* An attribute that belongs to another transition. */
static void foreign_attributes(struct pair *p, enum transition step)
{
	static const int foreign[N_STEPS] = {
		[STEP_INIT] = IBV_QP_TIMEOUT,
		[STEP_RTR] = IBV_QP_RETRY_CNT,
		[STEP_RTS] = IBV_QP_DEST_QPN,
	};
	struct ibv_qp_attr attr;
	int mask;

	step_attr(p, step, &attr, &mask);
	check_refused(p, step, "with an attribute of another transition", &attr,
		      mask | foreign[step]);
	step_attr(p, step, &attr, &mask);
	attr.cur_qp_state = IBV_QPS_SQD;
	check_refused(p, step, "with the wrong cur_qp_state", &attr,
		      mask | IBV_QP_CUR_STATE);
}

/* Transitions before the state that they start from is reached. */
static void skipped_steps(struct pair *p, enum transition step)
{
	struct ibv_qp_attr attr;
	enum transition later;
	int mask;

	for (later = step + 1; later < N_STEPS; later++) {
		step_attr(p, later, &attr, &mask);
		check_refused(p, step, later == STEP_RTR ?
			      "skipped by a transition to RTR" :
			      "skipped by a transition to RTS", &attr, mask);
	}
}

static void backward_steps(struct pair *p)
{
	struct ibv_qp_attr attr;
	enum transition step;
	int mask;

	for (step = STEP_INIT; step < STEP_RTS; step++) {
		step_attr(p, step, &attr, &mask);
		tap_ok(ibv_modify_qp(p->a.qp, &attr, mask) == EINVAL &&
		       qp_state(p->a.qp) == IBV_QPS_RTS,
		       "transition %s in RTS: %s", steps[step].name,
		       strerror(EINVAL));
	}
}

/* ibv_query_qp returns the attributes that were set. */
static void query_attributes(struct pair *p)
{
	struct ibv_qp_attr rtr, rts, got;
	struct ibv_qp_init_attr init;
	int mask;

	step_attr(p, STEP_RTR, &rtr, &mask);
	step_attr(p, STEP_RTS, &rts, &mask);
	mask = (IBV_QP_DEST_QPN << 1) - 1;
	if (!tap_ok(!ibv_query_qp(p->a.qp, &got, mask, &init),
		    "query_qp succeeds"))
		return;
	tap_ok(got.qp_state == IBV_QPS_RTS && got.cur_qp_state == IBV_QPS_RTS,
	       "query_qp: state");
	tap_ok(got.path_mtu == rtr.path_mtu, "query_qp: path_mtu");
	tap_ok(got.dest_qp_num == rtr.dest_qp_num, "query_qp: dest_qp_num");
	tap_ok(got.rq_psn == rtr.rq_psn, "query_qp: rq_psn");
	tap_ok(got.sq_psn == rts.sq_psn, "query_qp: sq_psn");
	tap_ok(got.min_rnr_timer == rtr.min_rnr_timer,
	       "query_qp: min_rnr_timer");
	tap_ok(got.timeout == rts.timeout, "query_qp: timeout");
	tap_ok(got.retry_cnt == rts.retry_cnt, "query_qp: retry_cnt");
	tap_ok(got.rnr_retry == rts.rnr_retry, "query_qp: rnr_retry");
	tap_ok(got.qp_access_flags == (unsigned int)p->params.access,
	       "query_qp: qp_access_flags");
	tap_ok(got.port_num == p->a.dev->port, "query_qp: port_num");
	tap_ok(!memcmp(&got.ah_attr.grh.dgid, &rtr.ah_attr.grh.dgid,
		       sizeof(rtr.ah_attr.grh.dgid)), "query_qp: dgid");
	tap_ok(init.cap.max_send_wr >= PAIR_DEPTH &&
	       init.cap.max_recv_wr >= PAIR_DEPTH,
	       "query_qp: max_send_wr and max_recv_wr");
	tap_ok(init.cap.max_send_sge >= PAIR_SGES &&
	       init.cap.max_recv_sge >= PAIR_SGES,
	       "query_qp: max_send_sge and max_recv_sge");
	tap_ok(init.cap.max_inline_data >= PAIR_INLINE,
	       "query_qp: max_inline_data");
}

static void final_states(struct pair *p)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	tap_ok(!ibv_modify_qp(p->a.qp, &attr, IBV_QP_STATE) &&
	       qp_state(p->a.qp) == IBV_QPS_ERR, "RTS to ERR");
	tap_ok(!ibv_modify_qp(p->a.qp, &attr, IBV_QP_STATE), "ERR to ERR");
	attr.qp_state = IBV_QPS_RTS;
	tap_ok(ibv_modify_qp(p->a.qp, &attr, IBV_QP_STATE) == EINVAL,
	       "ERR to RTS: %s", strerror(EINVAL));
	attr.qp_state = IBV_QPS_RESET;
	tap_ok(!ibv_modify_qp(p->a.qp, &attr, IBV_QP_STATE) &&
	       qp_state(p->a.qp) == IBV_QPS_RESET, "ERR to RESET");
	attr.qp_state = 99;
	tap_ok(ibv_modify_qp(p->a.qp, &attr, IBV_QP_STATE) == EINVAL,
	       "RESET to an unknown state: %s", strerror(EINVAL));
}

/**
 * bad_qp - tests: what modify_qp must refuse, and what it must accept
 */
void bad_qp(void)
{
	enum transition step;
	struct pair p;

	if (pair_alloc(&p, NULL)) {
		tap_ok(false, "state machine: setup");
		goto out;
	}
	for (step = STEP_INIT; step < N_STEPS; step++) {
		missing_attributes(&p, step);
		wrong_attributes(&p, step);
		foreign_attributes(&p, step);
		skipped_steps(&p, step);
		if (!step_apply(&p, step))
			goto out;
	}
	backward_steps(&p);
	query_attributes(&p);
	final_states(&p);
out:
	pair_destroy(&p);
}
