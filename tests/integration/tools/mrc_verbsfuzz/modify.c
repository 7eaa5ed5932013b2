// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs are connected to each other, step by step.
 */
#include <string.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>

#include "fuzz.h"

static void fill_init(struct fuzz *f, struct ib_uverbs_modify_qp *m)
{
	m->attr_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		       IBV_QP_ACCESS_FLAGS;
	m->qp_state = IBV_QPS_INIT;
	m->port_num = 1;
	m->qp_access_flags = 15;
}

static void fill_rtr(struct fuzz *f, struct ib_uverbs_modify_qp *m)
{
	m->attr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
		       IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
		       IBV_QP_MIN_RNR_TIMER;
	m->qp_state = IBV_QPS_RTR;
	m->path_mtu = IBV_MTU_1024;
	m->dest_qp_num = f->object[KIND_QP][rng_below(&f->rng, f->n[KIND_QP])].number;
	m->max_dest_rd_atomic = 1;
	m->min_rnr_timer = 12;
	memcpy(m->dest.dgid, f->gid, sizeof(f->gid));
	m->dest.sgid_index = f->gid_index;
	m->dest.hop_limit = 1;
	m->dest.is_global = 1;
	m->dest.port_num = 1;
}

static void fill_rts(struct fuzz *f, struct ib_uverbs_modify_qp *m)
{
	m->attr_mask = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		       IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC;
	m->qp_state = IBV_QPS_RTS;
	m->timeout = 8;
	m->retry_cnt = 1;
	m->rnr_retry = 1;
	m->max_rd_atomic = 1;
}

/**
 * modify_fill - fill MODIFY_QP: the next step, or any state
 * @f: run
 * @core: struct ib_uverbs_modify_qp, all zero
 */
void modify_fill(struct fuzz *f, void *core)
{
	struct ib_uverbs_modify_qp *m = core;
	struct object *o;

	if (!f->n[KIND_QP])
		return;
	o = &f->object[KIND_QP][rng_below(&f->rng, f->n[KIND_QP])];
	m->qp_handle = o->handle;
	if (rng_one_in(&f->rng, 10)) {
		m->attr_mask = IBV_QP_STATE;
		m->qp_state = rng_below(&f->rng, 8);
	} else if (rng_one_in(&f->rng, 10)) {
		m->attr_mask = rng_next(&f->rng) & rng_next(&f->rng);
		rng_bytes(&f->rng, &m->qkey, sizeof(*m) -
			  ((char *)&m->qkey - (char *)m));
	} else if (o->step == IBV_QPS_RESET) {
		fill_init(f, m);
	} else if (o->step == IBV_QPS_INIT) {
		fill_rtr(f, m);
	} else {
		fill_rts(f, m);
	}
}

/**
 * modify_done - MODIFY_QP was carried out
 * @f: run
 * @core: the structure
 */
void modify_done(struct fuzz *f, const void *core)
{
	const struct ib_uverbs_modify_qp *m = core;
	int i;

	for (i = 0; i < f->n[KIND_QP] && m->attr_mask & IBV_QP_STATE; i++)
		if (f->object[KIND_QP][i].handle == m->qp_handle)
			f->object[KIND_QP][i].step = m->qp_state;
}
