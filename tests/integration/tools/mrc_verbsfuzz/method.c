// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Methods of the ioctl of uverbs, described by their attributes: those of the RDMA core
 * that reach the driver, and the driver's own; valid ones, damaged ones, and any.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "fuzz.h"

#define ATTRS		16
#define ANY_ATTRS	5
#define DATA		256
/* For any method at all: numbers of the core, and of drivers behind their own base. */
#define OBJECT_IDS	20
#define METHOD_IDS	8
#define ATTR_IDS	12
#define NS		(1u << UVERBS_ID_NS_SHIFT)
/* How seldom a method is any, is damaged, and lacks an attribute that it can do without. */
#define ANY_ONE_IN	8
#define DAMAGED_ONE_IN	4
#define OPTIONAL_ONE_IN	3

/**
 * enum how - how an attribute is passed
 * @HOW_END: no attribute
 * @HOW_HANDLE: handle of an object
 * @HOW_NEW: the handle of a new object comes back
 * @HOW_FD: a new file comes back
 * @HOW_VALUE: up to 8 bytes in place of an address
 * @HOW_CAP: address of the sizes of a queue pair
 * @HOW_QP_ATTR: address of the driver's attributes of a queue pair
 * @HOW_OUT: address for an answer
 * @HOW_NUMBER: likewise, and it is the QPN or key
 * @HOW_RINGS: likewise, and it describes rings
 */
enum how {
	HOW_END,
	HOW_HANDLE,
	HOW_NEW,
	HOW_FD,
	HOW_VALUE,
	HOW_CAP,
	HOW_QP_ATTR,
	HOW_OUT,
	HOW_NUMBER,
	HOW_RINGS,
};

/**
 * struct attr - an attribute of a method
 * @id: number
 * @how: &enum how
 * @what: meaning of a value or handle
 * @len: bytes
 * @optional: the method can do without it
 */
struct attr {
	uint16_t id;
	uint8_t how;
	uint8_t what;
	uint16_t len;
	bool optional;
};

/**
 * struct method - a method
 * @name: for the report
 * @object: of the ABI
 * @id: number
 * @makes: kind of object that it makes
 * @ends: kind of object that it destroys
 * @attr: attributes
 */
struct method {
	const char *name;
	uint16_t object;
	uint16_t id;
	enum kind makes;
	enum kind ends;
	struct attr attr[ATTRS];
};

#define HANDLE(i, w)	{ UVERBS_ATTR_##i, HOW_HANDLE, WHAT_##w }
#define NEW(i)		{ UVERBS_ATTR_##i, HOW_NEW }
#define VALUE(i, w, l)	{ UVERBS_ATTR_##i, HOW_VALUE, WHAT_##w, l }
#define OUT(i, l)	{ UVERBS_ATTR_##i, HOW_OUT, .len = l }
#define NUMBER(i)	{ UVERBS_ATTR_##i, HOW_NUMBER, .len = 4 }
#define RINGS_OUT(n)	{ UVERBS_ATTR_UHW_OUT, HOW_RINGS,		\
			  .len = (n) * sizeof(struct mrc_ring_info) }
#define METHOD(o, m)	.object = UVERBS_OBJECT_##o, .id = UVERBS_METHOD_##m

static const struct method method[] = {
	{ "CQ_CREATE", METHOD(CQ, CQ_CREATE), .makes = KIND_CQ, .attr = {
		NEW(CREATE_CQ_HANDLE),
		VALUE(CREATE_CQ_CQE, SIZE, 4),
		VALUE(CREATE_CQ_USER_HANDLE, ZERO, 8),
		VALUE(CREATE_CQ_COMP_VECTOR, ZERO, 4),
		{ UVERBS_ATTR_CREATE_CQ_FLAGS, HOW_VALUE, WHAT_BIT, 8, true },
		OUT(CREATE_CQ_RESP_CQE, 4), RINGS_OUT(1) } },
	{ "CQ_DESTROY", METHOD(CQ, CQ_DESTROY), .ends = KIND_CQ, .attr = {
		HANDLE(DESTROY_CQ_HANDLE, CQ),
		OUT(DESTROY_CQ_RESP, sizeof(struct ib_uverbs_destroy_cq_resp)) } },
	{ "QP_CREATE", METHOD(QP, QP_CREATE), .makes = KIND_QP, .attr = {
		NEW(CREATE_QP_HANDLE),
		HANDLE(CREATE_QP_PD_HANDLE, PD),
		{ UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, HOW_HANDLE, WHAT_SRQ,
		  .optional = true },
		HANDLE(CREATE_QP_SEND_CQ_HANDLE, CQ),
		HANDLE(CREATE_QP_RECV_CQ_HANDLE, CQ),
		VALUE(CREATE_QP_USER_HANDLE, ZERO, 8),
		{ UVERBS_ATTR_CREATE_QP_CAP, HOW_CAP,
		  .len = sizeof(struct ib_uverbs_qp_cap) },
		VALUE(CREATE_QP_TYPE, QPT, 8),
		{ UVERBS_ATTR_CREATE_QP_FLAGS, HOW_VALUE, WHAT_BIT, 8, true },
		OUT(CREATE_QP_RESP_CAP, sizeof(struct ib_uverbs_qp_cap)),
		NUMBER(CREATE_QP_RESP_QP_NUM), RINGS_OUT(2) } },
	{ "QP_DESTROY", METHOD(QP, QP_DESTROY), .ends = KIND_QP, .attr = {
		HANDLE(DESTROY_QP_HANDLE, QP),
		OUT(DESTROY_QP_RESP, sizeof(struct ib_uverbs_destroy_qp_resp)) } },
	{ "SRQ_CREATE", METHOD(SRQ, SRQ_CREATE), .makes = KIND_SRQ, .attr = {
		NEW(CREATE_SRQ_HANDLE),
		HANDLE(CREATE_SRQ_PD_HANDLE, PD),
		VALUE(CREATE_SRQ_TYPE, ZERO, 8),
		VALUE(CREATE_SRQ_USER_HANDLE, ZERO, 8),
		VALUE(CREATE_SRQ_MAX_WR, SIZE, 4),
		VALUE(CREATE_SRQ_MAX_SGE, ONE, 4),
		VALUE(CREATE_SRQ_LIMIT, BIT, 4),
		OUT(CREATE_SRQ_RESP_MAX_WR, 4),
		OUT(CREATE_SRQ_RESP_MAX_SGE, 4),
		NUMBER(CREATE_SRQ_RESP_SRQ_NUM), RINGS_OUT(1) } },
	{ "SRQ_DESTROY", METHOD(SRQ, SRQ_DESTROY), .ends = KIND_SRQ, .attr = {
		HANDLE(DESTROY_SRQ_HANDLE, SRQ),
		OUT(DESTROY_SRQ_RESP, sizeof(struct ib_uverbs_destroy_srq_resp)) } },
	{ "PD_DESTROY", METHOD(PD, PD_DESTROY), .ends = KIND_PD, .attr = {
		HANDLE(DESTROY_PD_HANDLE, PD) } },
	{ "MW_DESTROY", METHOD(MW, MW_DESTROY), .ends = KIND_MW, .attr = {
		HANDLE(DESTROY_MW_HANDLE, MW) } },
	{ "AH_DESTROY", METHOD(AH, AH_DESTROY), .ends = KIND_AH, .attr = {
		HANDLE(DESTROY_AH_HANDLE, AH) } },
	{ "MR_DESTROY", METHOD(MR, MR_DESTROY), .ends = KIND_MR, .attr = {
		HANDLE(DESTROY_MR_HANDLE, MR) } },
	{ "QUERY_MR", METHOD(MR, QUERY_MR), .attr = {
		HANDLE(QUERY_MR_HANDLE, MR),
		OUT(QUERY_MR_RESP_LKEY, 4), OUT(QUERY_MR_RESP_RKEY, 4),
		OUT(QUERY_MR_RESP_LENGTH, 8),
		{ UVERBS_ATTR_QUERY_MR_RESP_IOVA, HOW_OUT, .len = 8,
		  .optional = true } } },
	{ "QUERY_PORT", METHOD(DEVICE, QUERY_PORT), .attr = {
		VALUE(QUERY_PORT_PORT_NUM, ONE, 8),
		OUT(QUERY_PORT_RESP, sizeof(struct ib_uverbs_query_port_resp_ex)) } },
	{ "INFO_HANDLES", METHOD(DEVICE, INFO_HANDLES), .attr = {
		VALUE(INFO_OBJECT_ID, KIND, 8),
		OUT(INFO_TOTAL_HANDLES, 4), OUT(INFO_HANDLES_LIST, DATA) } },
	{ "QUERY_GID_TABLE", METHOD(DEVICE, QUERY_GID_TABLE), .attr = {
		VALUE(QUERY_GID_TABLE_ENTRY_SIZE, GID_SIZE, 8),
		OUT(QUERY_GID_TABLE_RESP_ENTRIES, DATA),
		OUT(QUERY_GID_TABLE_RESP_NUM_ENTRIES, 8) } },
	{ "QUERY_GID_ENTRY", METHOD(DEVICE, QUERY_GID_ENTRY), .attr = {
		VALUE(QUERY_GID_ENTRY_PORT, ONE, 8),
		VALUE(QUERY_GID_ENTRY_GID_INDEX, GID, 8),
		VALUE(QUERY_GID_ENTRY_FLAGS, ZERO, 8),
		OUT(QUERY_GID_ENTRY_RESP_ENTRY,
		    sizeof(struct ib_uverbs_gid_entry)) } },
	{ "ASYNC_EVENT_ALLOC", METHOD(ASYNC_EVENT, ASYNC_EVENT_ALLOC), .attr = {
		{ UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, HOW_FD } } },
	{ "MRC_DEVICE_QUERY", UVERBS_OBJECT_DEVICE, MRC_IB_METHOD_DEVICE_QUERY,
	  .attr = { { MRC_IB_ATTR_DEVICE_QUERY_ATTR, HOW_OUT,
		      .len = sizeof(struct mrc_ib_device_attr) } } },
	{ "MRC_QP_QUERY", UVERBS_OBJECT_QP, MRC_IB_METHOD_QP_QUERY, .attr = {
		{ MRC_IB_ATTR_QP_QUERY_HANDLE, HOW_HANDLE, WHAT_QP },
		{ MRC_IB_ATTR_QP_QUERY_ATTR, HOW_OUT,
		  .len = sizeof(struct mrc_ib_qp_attr) } } },
	{ "MRC_QP_MODIFY", UVERBS_OBJECT_QP, MRC_IB_METHOD_QP_MODIFY, .attr = {
		{ MRC_IB_ATTR_QP_MODIFY_HANDLE, HOW_HANDLE, WHAT_QP },
		{ MRC_IB_ATTR_QP_MODIFY_ATTR, HOW_QP_ATTR,
		  .len = sizeof(struct mrc_ib_qp_attr) } } },
};

static struct { uint64_t done, refused; } result[ARRAY_SIZE(method)];
static uint64_t any_done, any_refused;

/**
 * struct call - a call of a method
 * @hdr: header
 * @attr: attributes
 * @data: what the attributes have the addresses of
 * @tail: behind them, so that an answer of any length does no harm
 */
struct call {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attr[ATTRS + 2];
	char data[ATTRS + 2][DATA] __attribute__((aligned(8)));
	char tail[UINT16_MAX + 8];
};

static void fill_cap(struct fuzz *f, void *data)
{
	*(struct ib_uverbs_qp_cap *)data = (struct ib_uverbs_qp_cap){
		.max_send_wr = value_of(f, WHAT_SIZE),
		.max_recv_wr = value_of(f, WHAT_SIZE),
		.max_send_sge = 1,
		.max_recv_sge = 1,
		.max_inline_data = value_of(f, WHAT_BIT),
	};
}

/* Few attributes at a time, of small values: most are within their limits. */
static void fill_qp_attr(struct fuzz *f, void *data)
{
	struct mrc_ib_qp_attr *a = data;

	*a = (struct mrc_ib_qp_attr){
		.mask = value_of(f, WHAT_MASK) << rng_below(&f->rng, 8),
		.mpr = value_of(f, WHAT_SIZE) * 64,
		.mpr_dest = value_of(f, WHAT_SIZE) * 64,
		.max_wimm = value_of(f, WHAT_SIZE),
		.max_wimm_dest = value_of(f, WHAT_SIZE),
		.timeout = value_of(f, WHAT_MASK) & 31,
		.linear_cnt = value_of(f, WHAT_FLAGS),
		.exp_cnt = value_of(f, WHAT_FLAGS),
		.trim_nack = value_of(f, WHAT_BIT),
		.dynamic_mpr = value_of(f, WHAT_BIT),
		.svc_time = value_of(f, WHAT_BIT),
		.svc_time_dest = value_of(f, WHAT_BIT),
		.ev_profile = "default",
		.cc_profile = "default",
	};
}

static void fill_attr(struct fuzz *f, struct ib_uverbs_attr *to, const struct attr *a,
		      char *data)
{
	*to = (struct ib_uverbs_attr){
		.attr_id = a->id,
		.flags = UVERBS_ATTR_F_MANDATORY,
		.len = a->len,
		.data = (uintptr_t)data,
	};
	/* Not the answer to an earlier call. */
	memset(data, 0, a->len);
	if (a->how == HOW_VALUE || a->how == HOW_HANDLE)
		to->data = value_of(f, a->what);
	else if (a->how == HOW_NEW || a->how == HOW_FD)
		to->data = 0;
	else if (a->how == HOW_CAP)
		fill_cap(f, data);
	else if (a->how == HOW_QP_ATTR)
		fill_qp_attr(f, data);
	else if (a->how == HOW_RINGS)
		to->flags = 0;
}

static void fill(struct fuzz *f, struct call *call, const struct method *m)
{
	const struct attr *a;
	int n = 0;

	for (a = m->attr; a < m->attr + ATTRS && a->how; a++) {
		if (a->optional && !rng_one_in(&f->rng, OPTIONAL_ONE_IN))
			continue;
		fill_attr(f, &call->attr[n], a, call->data[n]);
		n++;
	}
	call->hdr.object_id = m->object;
	call->hdr.method_id = m->id;
	call->hdr.num_attrs = n;
}

/* Add an attribute of any number, length and value. */
static void add_any(struct fuzz *f, struct call *call)
{
	struct rng *r = &f->rng;
	int i = call->hdr.num_attrs;
	char *data = call->data[i];

	if (i == ATTRS + 2)
		return;
	if (rng_one_in(r, 2))
		rng_bytes(r, data, DATA);
	call->attr[i] = (struct ib_uverbs_attr){
		.attr_id = rng_below(r, ATTR_IDS) + (rng_one_in(r, 2) ? NS : 0),
		.len = rng_below(r, DATA),
		.flags = rng_one_in(r, 8) ? UVERBS_ATTR_F_MANDATORY : 0,
		.data = (uintptr_t)data,
	};
	if (call->attr[i].len <= 8 || rng_one_in(r, 8))
		call->attr[i].data = rng_edge(r, 0, UINT64_MAX);
	call->hdr.num_attrs++;
}

static void damage_attr(struct fuzz *f, struct ib_uverbs_attr *a, char *data)
{
	struct rng *r = &f->rng;

	switch (rng_below(r, 5)) {
	case 0:
		a->len = rng_edge(r, 0, UINT16_MAX);
		break;
	case 1:
		a->attr_id = rng_below(r, ATTR_IDS) + (rng_one_in(r, 2) ? NS : 0);
		break;
	case 2:
		a->attr_data.reserved = rng_next(r);
		break;
	case 3:
		rng_bytes(r, data + 4 * rng_below(r, DATA / 4), 4);
		break;
	default:
		/* No other address of this process: answers must do no harm. */
		if (a->data - (uintptr_t)data < DATA)
			a->data = rng_one_in(r, 2) ? 0 : a->data + rng_below(r, 8);
		else
			a->data = rng_edge(r, 0, UINT16_MAX);
	}
}

static void damage(struct fuzz *f, struct call *call)
{
	struct rng *r = &f->rng;
	int n = call->hdr.num_attrs, i = rng_below(r, n);

	switch (rng_below(r, 10)) {
	case 0:
		call->hdr.method_id = rng_below(r, METHOD_IDS) +
				      (rng_one_in(r, 2) ? NS : 0);
		break;
	case 1:
		call->hdr.reserved1 = rng_next(r);
		break;
	case 2:
		call->attr[i] = call->attr[n - 1];
		call->hdr.num_attrs -= n > 1;
		break;
	case 3:
	case 4:
		add_any(f, call);
		break;
	default:
		damage_attr(f, &call->attr[i], call->data[i]);
	}
}

static void map_rings(struct fuzz *f, const struct mrc_ring_info *info, size_t len)
{
	size_t i;

	for (i = 0; i < len / sizeof(*info); i++)
		ring_map(f, &info[i]);
}

/* Note what an attribute of a method that was carried out has brought or ended. */
static void note(struct fuzz *f, const struct method *m, const struct attr *a,
		 const struct ib_uverbs_attr *at, const char *data)
{
	uint32_t number = 0;

	if (a->how == HOW_NEW)
		object_made(f, m->makes, at->data, 0);
	else if (a->how == HOW_FD)
		close(at->data);
	else if (a->how == HOW_RINGS)
		map_rings(f, (const void *)data, a->len);
	else if (a->how == HOW_HANDLE && m->ends)
		object_ended(f, m->ends, at->data);
	if (a->how != HOW_NUMBER || !f->n[m->makes])
		return;
	memcpy(&number, data, sizeof(number));
	f->object[m->makes][f->n[m->makes] - 1].number = number;
}

static void done(struct fuzz *f, const struct method *m, const struct call *call)
{
	const struct attr *a;
	int i;

	for (a = m->attr; a < m->attr + ATTRS && a->how; a++)
		for (i = 0; i < call->hdr.num_attrs; i++)
			if (call->attr[i].attr_id == a->id)
				note(f, m, a, &call->attr[i], call->data[i]);
}

static bool invoke(struct fuzz *f, struct call *call)
{
	call->hdr.driver_id = RDMA_DRIVER_MRC;
	call->hdr.length = sizeof(call->hdr) +
			   call->hdr.num_attrs * sizeof(call->attr[0]);
	return !ioctl(f->fd, RDMA_VERBS_IOCTL, &call->hdr);
}

static void run_any(struct fuzz *f, struct call *call)
{
	int n = rng_below(&f->rng, ANY_ATTRS);

	call->hdr.object_id = rng_below(&f->rng, OBJECT_IDS);
	call->hdr.method_id = rng_below(&f->rng, METHOD_IDS) +
			      (rng_one_in(&f->rng, 4) ? NS : 0);
	while (n--)
		add_any(f, call);
	if (invoke(f, call))
		any_done++;
	else
		any_refused++;
}

static const struct method *some_method(struct fuzz *f)
{
	const struct method *m;

	do {
		m = &method[rng_below(&f->rng, ARRAY_SIZE(method))];
	} while (!object_suits(f, m->makes, m->ends));
	return m;
}

/**
 * method_run - call any method
 * @f: run
 */
void method_run(struct fuzz *f)
{
	const struct method *m;
	static struct call call;

	memset(&call.hdr, 0, sizeof(call.hdr));
	if (rng_one_in(&f->rng, ANY_ONE_IN)) {
		run_any(f, &call);
		return;
	}
	m = some_method(f);
	fill(f, &call, m);
	while (rng_one_in(&f->rng, DAMAGED_ONE_IN))
		damage(f, &call);
	if (!invoke(f, &call)) {
		result[m - method].refused++;
		return;
	}
	/* A damaged one may have been another method. */
	if (call.hdr.method_id == m->id) {
		result[m - method].done++;
		done(f, m, &call);
	}
}

/**
 * method_report - print how often each method was carried out and refused
 */
void method_report(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(method); i++)
		printf("%-18s %8llu done %8llu refused\n", method[i].name,
		       (unsigned long long)result[i].done,
		       (unsigned long long)result[i].refused);
	printf("%-18s %8llu done %8llu refused\n", "any",
	       (unsigned long long)any_done, (unsigned long long)any_refused);
}
