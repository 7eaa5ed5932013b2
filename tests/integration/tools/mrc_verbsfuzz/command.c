// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Write commands of uverbs, described by the fields of their structures: valid ones,
 * damaged ones, and any part for the driver behind them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "fuzz.h"

#define CORE_MAX	256
#define DRIVER_MAX	64
#define RESPONSE_MAX	512
/* How seldom a command is damaged, and has something for the driver. */
#define DAMAGED_ONE_IN	4
#define DRIVER_ONE_IN	4
/* How seldom a command comes by the ioctl. */
#define INVOKE_ONE_IN	2

/**
 * struct field - a field of a structure
 * @at: offset
 * @len: bytes
 * @what: its meaning
 */
struct field {
	uint16_t at;
	uint8_t len;
	uint8_t what;
};

/**
 * struct command - a command
 * @name: for the report
 * @number: of the command
 * @core: bytes of its structure
 * @resp: bytes of its response; 0: none
 * @makes: kind of object that it makes
 * @ends: kind of object that it destroys, by the handle at @handle
 * @number_at: offset of the QPN or key in the response
 * @handle: offset of the handle
 * @rings: rings that the driver's part of the response describes
 * @field: fields
 */
struct command {
	const char *name;
	uint32_t number;
	uint16_t core;
	uint16_t resp;
	enum kind makes;
	enum kind ends;
	uint16_t number_at;
	uint16_t handle;
	uint8_t rings;
	struct field field[16];
};

#define F(s, m, w)	{ offsetof(struct s, m), sizeof(((struct s *)0)->m), WHAT_##w }
#define SIZES(s)	.core = sizeof(struct s)
#define RESP(s)		.resp = sizeof(struct s)
#define ENDS(k, s, m)	.ends = KIND_##k, .handle = offsetof(struct s, m)
#define MAKES(k, s, m)	.makes = KIND_##k, .number_at = offsetof(struct s, m)

static const struct command command[] = {
	{ "alloc_pd", IB_USER_VERBS_CMD_ALLOC_PD, SIZES(ib_uverbs_alloc_pd),
	  RESP(ib_uverbs_alloc_pd_resp),
	  MAKES(PD, ib_uverbs_alloc_pd_resp, pd_handle) },
	{ "dealloc_pd", IB_USER_VERBS_CMD_DEALLOC_PD, SIZES(ib_uverbs_dealloc_pd),
	  ENDS(PD, ib_uverbs_dealloc_pd, pd_handle),
	  .field = { F(ib_uverbs_dealloc_pd, pd_handle, PD) } },
	{ "reg_mr", IB_USER_VERBS_CMD_REG_MR, SIZES(ib_uverbs_reg_mr),
	  RESP(ib_uverbs_reg_mr_resp), MAKES(MR, ib_uverbs_reg_mr_resp, lkey),
	  .field = { F(ib_uverbs_reg_mr, start, ADDR),
		     F(ib_uverbs_reg_mr, length, LEN),
		     F(ib_uverbs_reg_mr, pd_handle, PD),
		     F(ib_uverbs_reg_mr, access_flags, ACCESS) } },
	{ "rereg_mr", IB_USER_VERBS_CMD_REREG_MR, SIZES(ib_uverbs_rereg_mr),
	  RESP(ib_uverbs_rereg_mr_resp),
	  .field = { F(ib_uverbs_rereg_mr, mr_handle, MR),
		     F(ib_uverbs_rereg_mr, flags, FLAGS),
		     F(ib_uverbs_rereg_mr, start, ADDR),
		     F(ib_uverbs_rereg_mr, length, LEN),
		     F(ib_uverbs_rereg_mr, pd_handle, PD),
		     F(ib_uverbs_rereg_mr, access_flags, ACCESS) } },
	{ "dereg_mr", IB_USER_VERBS_CMD_DEREG_MR, SIZES(ib_uverbs_dereg_mr),
	  ENDS(MR, ib_uverbs_dereg_mr, mr_handle),
	  .field = { F(ib_uverbs_dereg_mr, mr_handle, MR) } },
	{ "alloc_mw", IB_USER_VERBS_CMD_ALLOC_MW, SIZES(ib_uverbs_alloc_mw),
	  RESP(ib_uverbs_alloc_mw_resp), MAKES(MW, ib_uverbs_alloc_mw_resp, rkey),
	  .field = { F(ib_uverbs_alloc_mw, pd_handle, PD),
		     F(ib_uverbs_alloc_mw, mw_type, ONE) } },
	{ "dealloc_mw", IB_USER_VERBS_CMD_DEALLOC_MW, SIZES(ib_uverbs_dealloc_mw),
	  ENDS(MW, ib_uverbs_dealloc_mw, mw_handle),
	  .field = { F(ib_uverbs_dealloc_mw, mw_handle, MW) } },
	{ "create_cq", IB_USER_VERBS_CMD_CREATE_CQ, SIZES(ib_uverbs_create_cq),
	  RESP(ib_uverbs_create_cq_resp), MAKES(CQ, ib_uverbs_create_cq_resp, cqe),
	  .rings = 1,
	  .field = { F(ib_uverbs_create_cq, cqe, SIZE),
		     F(ib_uverbs_create_cq, comp_channel, NONE) } },
	{ "resize_cq", IB_USER_VERBS_CMD_RESIZE_CQ, SIZES(ib_uverbs_resize_cq),
	  RESP(ib_uverbs_resize_cq_resp), .rings = 1,
	  .field = { F(ib_uverbs_resize_cq, cq_handle, CQ),
		     F(ib_uverbs_resize_cq, cqe, SIZE) } },
	{ "req_notify_cq", IB_USER_VERBS_CMD_REQ_NOTIFY_CQ,
	  SIZES(ib_uverbs_req_notify_cq),
	  .field = { F(ib_uverbs_req_notify_cq, cq_handle, CQ),
		     F(ib_uverbs_req_notify_cq, solicited_only, BIT) } },
	{ "destroy_cq", IB_USER_VERBS_CMD_DESTROY_CQ, SIZES(ib_uverbs_destroy_cq),
	  RESP(ib_uverbs_destroy_cq_resp), ENDS(CQ, ib_uverbs_destroy_cq, cq_handle),
	  .field = { F(ib_uverbs_destroy_cq, cq_handle, CQ) } },
	{ "create_srq", IB_USER_VERBS_CMD_CREATE_SRQ, SIZES(ib_uverbs_create_srq),
	  RESP(ib_uverbs_create_srq_resp),
	  MAKES(SRQ, ib_uverbs_create_srq_resp, srqn), .rings = 1,
	  .field = { F(ib_uverbs_create_srq, pd_handle, PD),
		     F(ib_uverbs_create_srq, max_wr, SIZE),
		     F(ib_uverbs_create_srq, max_sge, ONE) } },
	{ "modify_srq", IB_USER_VERBS_CMD_MODIFY_SRQ, SIZES(ib_uverbs_modify_srq),
	  .field = { F(ib_uverbs_modify_srq, srq_handle, SRQ),
		     F(ib_uverbs_modify_srq, attr_mask, FLAGS),
		     F(ib_uverbs_modify_srq, max_wr, SIZE),
		     F(ib_uverbs_modify_srq, srq_limit, BIT) } },
	{ "query_srq", IB_USER_VERBS_CMD_QUERY_SRQ, SIZES(ib_uverbs_query_srq),
	  RESP(ib_uverbs_query_srq_resp),
	  .field = { F(ib_uverbs_query_srq, srq_handle, SRQ) } },
	{ "destroy_srq", IB_USER_VERBS_CMD_DESTROY_SRQ, SIZES(ib_uverbs_destroy_srq),
	  RESP(ib_uverbs_destroy_srq_resp),
	  ENDS(SRQ, ib_uverbs_destroy_srq, srq_handle),
	  .field = { F(ib_uverbs_destroy_srq, srq_handle, SRQ) } },
	{ "create_qp", IB_USER_VERBS_CMD_CREATE_QP, SIZES(ib_uverbs_create_qp),
	  RESP(ib_uverbs_create_qp_resp), MAKES(QP, ib_uverbs_create_qp_resp, qpn),
	  .rings = 2,
	  .field = { F(ib_uverbs_create_qp, pd_handle, PD),
		     F(ib_uverbs_create_qp, send_cq_handle, CQ),
		     F(ib_uverbs_create_qp, recv_cq_handle, CQ),
		     F(ib_uverbs_create_qp, srq_handle, SRQ),
		     F(ib_uverbs_create_qp, max_send_wr, SIZE),
		     F(ib_uverbs_create_qp, max_recv_wr, SIZE),
		     F(ib_uverbs_create_qp, max_send_sge, ONE),
		     F(ib_uverbs_create_qp, max_recv_sge, ONE),
		     F(ib_uverbs_create_qp, max_inline_data, BIT),
		     F(ib_uverbs_create_qp, sq_sig_all, BIT),
		     F(ib_uverbs_create_qp, qp_type, QPT),
		     F(ib_uverbs_create_qp, is_srq, BIT) } },
	{ "modify_qp", IB_USER_VERBS_CMD_MODIFY_QP, SIZES(ib_uverbs_modify_qp),
	  .field = { F(ib_uverbs_modify_qp, qp_handle, QP) } },
	{ "query_qp", IB_USER_VERBS_CMD_QUERY_QP, SIZES(ib_uverbs_query_qp),
	  RESP(ib_uverbs_query_qp_resp),
	  .field = { F(ib_uverbs_query_qp, qp_handle, QP),
		     F(ib_uverbs_query_qp, attr_mask, MASK) } },
	{ "destroy_qp", IB_USER_VERBS_CMD_DESTROY_QP, SIZES(ib_uverbs_destroy_qp),
	  RESP(ib_uverbs_destroy_qp_resp), ENDS(QP, ib_uverbs_destroy_qp, qp_handle),
	  .field = { F(ib_uverbs_destroy_qp, qp_handle, QP) } },
	{ "post_send", IB_USER_VERBS_CMD_POST_SEND, SIZES(ib_uverbs_post_send),
	  RESP(ib_uverbs_post_send_resp),
	  .field = { F(ib_uverbs_post_send, qp_handle, QP),
		     F(ib_uverbs_post_send, wqe_size, WQE) } },
	{ "post_recv", IB_USER_VERBS_CMD_POST_RECV, SIZES(ib_uverbs_post_recv),
	  RESP(ib_uverbs_post_recv_resp),
	  .field = { F(ib_uverbs_post_recv, qp_handle, QP),
		     F(ib_uverbs_post_recv, wqe_size, WQE) } },
	{ "create_ah", IB_USER_VERBS_CMD_CREATE_AH, SIZES(ib_uverbs_create_ah),
	  RESP(ib_uverbs_create_ah_resp),
	  MAKES(AH, ib_uverbs_create_ah_resp, ah_handle),
	  .field = { F(ib_uverbs_create_ah, pd_handle, PD),
		     F(ib_uverbs_create_ah, attr.is_global, ONE),
		     F(ib_uverbs_create_ah, attr.port_num, ONE) } },
	{ "destroy_ah", IB_USER_VERBS_CMD_DESTROY_AH, SIZES(ib_uverbs_destroy_ah),
	  ENDS(AH, ib_uverbs_destroy_ah, ah_handle),
	  .field = { F(ib_uverbs_destroy_ah, ah_handle, AH) } },
};

static struct { uint64_t done, refused; } result[ARRAY_SIZE(command)];

static void fill_ah(struct fuzz *f, struct ib_uverbs_create_ah *ah)
{
	memcpy(ah->attr.grh.dgid, f->gid, sizeof(f->gid));
	ah->attr.grh.sgid_index = f->gid_index;
	ah->attr.grh.hop_limit = 1;
}

/* Only the memory for regions may be written to by queue pairs, whatever is damaged. */
static uint64_t confined(const struct fuzz *f, uint64_t start)
{
	if (start - (uintptr_t)f->memory < MEMORY)
		return start;
	return start & UINT16_MAX;
}

static void confine(const struct fuzz *f, const struct command *c, uint8_t *core)
{
	struct ib_uverbs_rereg_mr *rereg = (void *)core;
	struct ib_uverbs_reg_mr *reg = (void *)core;

	if (c->number == IB_USER_VERBS_CMD_REG_MR)
		reg->start = confined(f, reg->start);
	if (c->number == IB_USER_VERBS_CMD_REREG_MR)
		rereg->start = confined(f, rereg->start);
}

/* Fill the structure of a command, and damage it now and then. */
static void fill(struct fuzz *f, const struct command *c, uint8_t *core)
{
	const struct field *fl;
	uint64_t value;

	memset(core, 0, c->core);
	if (c->number == IB_USER_VERBS_CMD_MODIFY_QP)
		modify_fill(f, core);
	if (c->number == IB_USER_VERBS_CMD_CREATE_AH)
		fill_ah(f, (void *)core);
	for (fl = c->field; fl->what && c->number != IB_USER_VERBS_CMD_MODIFY_QP; fl++) {
		value = value_of(f, fl->what);
		memcpy(core + fl->at, &value, fl->len);
	}
	/* The address of a region is that of its memory. */
	if (c->number == IB_USER_VERBS_CMD_REG_MR)
		((struct ib_uverbs_reg_mr *)core)->hca_va =
			((struct ib_uverbs_reg_mr *)core)->start;
	while (rng_one_in(&f->rng, DAMAGED_ONE_IN)) {
		value = rng_edge(&f->rng, 0, UINT32_MAX);
		/* Whole words: the address of the response is never damaged. */
		if (c->core > 8)
			memcpy(core + 8 + 4 * rng_below(&f->rng, (c->core - 8) / 4),
			       &value, 4);
	}
	confine(f, c, core);
}

/* The driver's part: nothing, zeros or anything; of MODIFY_SRQ an address. */
static int fill_driver(struct fuzz *f, const struct command *c, uint8_t *driver)
{
	static struct mrc_ring_info info;
	struct mrc_modify_srq_req *req = (void *)driver;
	int len = 4 * rng_below(&f->rng, DRIVER_MAX / 4);

	if (c->number == IB_USER_VERBS_CMD_MODIFY_SRQ && !rng_one_in(&f->rng, 4)) {
		*req = (struct mrc_modify_srq_req){ .info = (uintptr_t)&info };
		return sizeof(*req);
	}
	if (!rng_one_in(&f->rng, DRIVER_ONE_IN))
		return 0;
	memset(driver, 0, len);
	/* Half an address might be one of this process. */
	if (rng_one_in(&f->rng, 2) && len >= (int)sizeof(req->info))
		rng_bytes(&f->rng, driver, len);
	return len;
}

static uint32_t word(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static void done(struct fuzz *f, const struct command *c, const uint8_t *core,
		 const uint8_t *resp)
{
	const struct mrc_ring_info *info = (const void *)(resp + c->resp);
	int i;

	if (c->makes)
		object_made(f, c->makes, word(resp), word(resp + c->number_at));
	if (c->ends)
		object_ended(f, c->ends, word(core + c->handle));
	if (c->number == IB_USER_VERBS_CMD_MODIFY_QP)
		modify_done(f, core);
	for (i = 0; i < c->rings; i++)
		ring_map(f, &info[i]);
}

static struct ib_uverbs_attr attr_out(uint16_t id, const void *data, uint16_t len)
{
	return (struct ib_uverbs_attr){ .attr_id = id, .len = len,
					.data = (uintptr_t)data };
}

/* What fits in place of the address stands there. */
static struct ib_uverbs_attr attr_in(uint16_t id, const void *data, uint16_t len)
{
	struct ib_uverbs_attr attr = attr_out(id, data, len);

	if (len <= sizeof(attr.data)) {
		attr.data = 0;
		memcpy(&attr.data, data, len);
	}
	return attr;
}

/* As the library does it: by a method of the ioctl. */
static bool invoke(struct fuzz *f, const struct command *c, const uint8_t *core,
		   const uint8_t *driver, int driver_len, uint8_t *resp, int room)
{
	int out = room < c->resp ? room : c->resp, n = 0;
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attr[5];
	} msg = {
		.hdr.object_id = UVERBS_OBJECT_DEVICE,
		.hdr.method_id = UVERBS_METHOD_INVOKE_WRITE,
		.hdr.driver_id = RDMA_DRIVER_MRC,
	};

	msg.attr[n++] = (struct ib_uverbs_attr){ UVERBS_ATTR_WRITE_CMD, 8,
						 .data = c->number };
	if (c->core)
		msg.attr[n++] = attr_in(UVERBS_ATTR_CORE_IN, core, c->core);
	if (driver_len)
		msg.attr[n++] = attr_in(UVERBS_ATTR_UHW_IN, driver, driver_len);
	if (c->resp)
		msg.attr[n++] = attr_out(UVERBS_ATTR_CORE_OUT, resp, out);
	if (room > out)
		msg.attr[n++] = attr_out(UVERBS_ATTR_UHW_OUT, resp + out, room - out);
	msg.hdr.num_attrs = n;
	msg.hdr.length = sizeof(msg.hdr) + n * sizeof(msg.attr[0]);
	return !ioctl(f->fd, RDMA_VERBS_IOCTL, &msg);
}

/* Send a command; the response is of any size now and then. */
static bool send(struct fuzz *f, const struct command *c, uint8_t *core,
		 const uint8_t *driver, int driver_len, uint8_t *resp)
{
	int room = c->resp ? c->resp + 2 * sizeof(struct mrc_ring_info) : 0;
	uint64_t address = (uintptr_t)resp;
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		uint8_t data[CORE_MAX + DRIVER_MAX];
	} msg;
	size_t len = sizeof(msg.hdr) + c->core + driver_len;

	if (c->resp) {
		if (rng_one_in(&f->rng, 30))
			room = 4 * rng_below(&f->rng, RESPONSE_MAX / 4);
		if (rng_one_in(&f->rng, INVOKE_ONE_IN))
			return invoke(f, c, core, driver, driver_len, resp, room);
		memcpy(core, &address, sizeof(address));
	} else if (rng_one_in(&f->rng, INVOKE_ONE_IN)) {
		return invoke(f, c, core, driver, driver_len, resp, 0);
	}
	msg.hdr = (struct ib_uverbs_cmd_hdr){
		.command = c->number,
		.in_words = len / 4,
		.out_words = room / 4,
	};
	memcpy(msg.data, core, c->core);
	memcpy(msg.data + c->core, driver, driver_len);
	return write(f->fd, &msg, len) == (ssize_t)len;
}

static const struct command *some_command(struct fuzz *f)
{
	const struct command *c;

	do {
		c = &command[rng_below(&f->rng, ARRAY_SIZE(command))];
	} while (!object_suits(f, c->makes, c->ends));
	return c;
}

/**
 * command_run - run any command
 * @f: run
 */
void command_run(struct fuzz *f)
{
	const struct command *c = some_command(f);
	uint8_t core[CORE_MAX], driver[DRIVER_MAX];
	/* As the RDMA core writes it. */
	uint8_t resp[RESPONSE_MAX] __attribute__((aligned(8))) = {};
	int driver_len;

	fill(f, c, core);
	driver_len = fill_driver(f, c, driver);
	if (send(f, c, core, driver, driver_len, resp)) {
		result[c - command].done++;
		done(f, c, core, resp);
	} else {
		result[c - command].refused++;
	}
}

/**
 * command_open - open the device
 * @f: run
 *
 * Return: 0, or -1 with errno.
 */
int command_open(struct fuzz *f)
{
	struct ib_uverbs_get_context_resp resp = {};
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_get_context core;
	} msg = {
		.hdr.command = IB_USER_VERBS_CMD_GET_CONTEXT,
		.hdr.in_words = sizeof(msg) / 4,
		.hdr.out_words = sizeof(resp) / 4,
		.core.response = (uintptr_t)&resp,
	};

	f->fd = open(f->path, O_RDWR | O_CLOEXEC);
	if (f->fd < 0 || write(f->fd, &msg, sizeof(msg)) != sizeof(msg))
		return -1;
	f->event_fd = resp.async_fd;
	return 0;
}

/**
 * command_report - print how often each command was carried out and refused
 */
void command_report(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(command); i++)
		printf("%-18s %8llu done %8llu refused\n", command[i].name,
		       (unsigned long long)result[i].done,
		       (unsigned long long)result[i].refused);
}
