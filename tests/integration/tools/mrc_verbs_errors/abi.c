// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests and responses of other lengths than this provider's, as an older or newer
 * provider has them. The test writes them to the command file itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rdma/ib_user_verbs.h>
#include <rdma/mrc-abi.h>

#include "verbs_errors.h"

#define CORE_MAX	512
#define DRV_MAX		128
/* Bytes that a newer provider has after ours; a multiple of 8. */
#define BEHIND		16
#define CANARY		0xa5

/**
 * struct call - a command
 * @name: of the verb
 * @number: of the command; with IB_USER_VERBS_CMD_FLAG_EXTENDED if it is extended
 * @req: request of the RDMA core; begins with the address of the response, if it is
 *	not extended and has one
 * @req_len: bytes of @req
 * @resp_len: bytes of the core's response
 * @drv_resp: bytes of the driver's response
 */
struct call {
	const char *name;
	uint32_t number;
	void *req;
	size_t req_len;
	size_t resp_len;
	size_t drv_resp;
};

/**
 * struct reply - what the kernel has written
 * @core: response of the RDMA core
 * @drv: response of the driver, truncated to the caller's length; then CANARY
 */
struct reply {
	uint8_t core[CORE_MAX];
	uint8_t drv[DRV_MAX];
};

#define CALL(_name, _number, _req, _resp, _drv) {			\
	.name = _name,							\
	.number = _number,						\
	.req = &(_req),							\
	.req_len = sizeof(_req),					\
	.resp_len = _resp,						\
	.drv_resp = _drv,						\
}

static size_t put(char *to, size_t at, const void *from, size_t len)
{
	memcpy(to + at, from, len);
	return at + len;
}

/* The response is one piece; the driver's part of it starts at @resp_len. */
static size_t build(char *msg, const struct call *c, const void *in,
		    size_t in_len, uint8_t *out, size_t room)
{
	const bool ex = c->number & IB_USER_VERBS_CMD_FLAG_EXTENDED;
	const struct ib_uverbs_ex_cmd_hdr ex_hdr = {
		.response = (uintptr_t)out,
		.provider_in_words = in_len / 8,
		.provider_out_words = room / 8,
	};
	struct ib_uverbs_cmd_hdr hdr = { .command = c->number };
	const uint64_t response = (uintptr_t)out;
	size_t len, body;

	len = put(msg, 0, &hdr, sizeof(hdr));
	if (ex)
		len = put(msg, len, &ex_hdr, sizeof(ex_hdr));
	body = len;
	len = put(msg, len, c->req, c->req_len);
	if (!ex && c->resp_len)
		put(msg, body, &response, sizeof(response));
	len = put(msg, len, in, in_len);
	hdr.in_words = ex ? c->req_len / 8 : len / 4;
	hdr.out_words = ex ? c->resp_len / 8 : (c->resp_len + room) / 4;
	put(msg, 0, &hdr, sizeof(hdr));
	return len;
}

/* Returns 0 or an errno. */
static int call(int fd, const struct call *c, const void *in, size_t in_len,
		size_t room, struct reply *reply)
{
	uint8_t out[CORE_MAX + DRV_MAX];
	char msg[CORE_MAX + DRV_MAX];
	int err = 0;
	size_t len;

	memset(out, CANARY, sizeof(out));
	len = build(msg, c, in, in_len, out, room);
	if (write(fd, msg, len) != (ssize_t)len)
		err = errno;
	memcpy(reply->core, out, c->resp_len);
	memcpy(reply->drv, out + c->resp_len, DRV_MAX);
	return err;
}

/* A call as this provider makes it; returns the first word of the response, or 0. */
static uint32_t create(int fd, const struct call *c)
{
	struct reply reply;
	uint32_t word;

	if (call(fd, c, NULL, 0, c->drv_resp, &reply))
		return 0;
	memcpy(&word, reply.core, sizeof(word));
	return word;
}

static int open_device(void)
{
	char path[128];

	snprintf(path, sizeof(path), "/dev/infiniband/%s",
		 pair_dev[0].ctx->device->dev_name);
	return open(path, O_RDWR | O_CLOEXEC);
}

static struct ib_uverbs_get_context get_context;

static const struct call context_call =
	CALL("get_context", IB_USER_VERBS_CMD_GET_CONTEXT, get_context,
	     sizeof(struct ib_uverbs_get_context_resp),
	     sizeof(struct mrc_alloc_ucontext_resp));

static int open_context(void)
{
	int fd = open_device();

	if (fd >= 0)
		close(create(fd, &context_call));
	return fd;
}

static bool filled(const uint8_t *at, uint8_t value, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (at[i] != value)
			return false;
	return true;
}

/* Whether no word has the value of the canary. */
static bool written(const uint8_t *at, size_t len)
{
	size_t i;

	for (i = 0; i + 4 <= len; i += 4)
		if (filled(at + i, CANARY, 4))
			return false;
	return true;
}

/* The kernel fills @room bytes: its response, then zeros. */
static bool response_fits(int fd, const struct call *c, size_t room)
{
	const size_t known = room < c->drv_resp ? room : c->drv_resp;
	struct reply r;
	int err;

	err = call(fd, c, NULL, 0, room, &r);
	if (err) {
		tap_note("%s", strerror(err));
		return false;
	}
	return written(r.drv, known) &&
	       filled(r.drv + known, 0, room - known) &&
	       filled(r.drv + room, CANARY, DRV_MAX - room);
}

static void responses(int fd, const struct call *c)
{
	const size_t len = c->drv_resp;

	if (len > 8)
		tap_ok(response_fits(fd, c, len - 8),
		       "%s: a response of %zu bytes is truncated to 8 bytes less",
		       c->name, len);
	tap_ok(response_fits(fd, c, 4),
	       "%s: a response buffer of 4 bytes is filled", c->name);
	tap_ok(response_fits(fd, c, 0),
	       "%s: without a response buffer the call succeeds", c->name);
	tap_ok(response_fits(fd, c, len + BEHIND),
	       "%s: a response buffer that is too long ends with zeros",
	       c->name);
}

static void expect_call(int fd, const struct call *c, const void *in,
			size_t len, int error, const char *what)
{
	struct reply r;
	int err;

	err = call(fd, c, in, len, c->drv_resp, &r);
	if (!tap_ok(err == error, "%s: %s: %s", c->name, what,
		    error ? strerror(error) : "accepted"))
		tap_note("the call: %s", strerror(err));
}

static void requests(int fd, const struct call *c)
{
	uint8_t in[BEHIND] = {};

	expect_call(fd, c, in, sizeof(in), 0, "trailing zeros");
	in[BEHIND - 1] = 1;
	expect_call(fd, c, in, sizeof(in), EOPNOTSUPP,
		    "a trailing byte that is not zero");
}

/* A file has one context: each call needs a file of its own. */
static void contexts(void)
{
	const size_t last = context_call.drv_resp + BEHIND;
	uint8_t in[BEHIND] = {};
	size_t room;
	int fd;

	for (room = 0; room <= last; room += 4) {
		fd = open_device();
		tap_ok(response_fits(fd, &context_call, room),
		       "get_context: a response buffer of %zu bytes is filled",
		       room);
		close(fd);
	}
	fd = open_device();
	expect_call(fd, &context_call, in, sizeof(in), 0, "trailing zeros");
	close(fd);
	fd = open_device();
	in[BEHIND - 1] = 1;
	expect_call(fd, &context_call, in, sizeof(in), EOPNOTSUPP,
		    "a trailing byte that is not zero");
	close(fd);
}

/* Attributes of an address handle to the device's own address. */
static void ah_addresses(struct ib_uverbs_ah_attr *attr)
{
	const struct rc_dev *dev = &pair_dev[0];
	union ibv_gid gid;

	if (ibv_query_gid(dev->ctx, dev->port, dev->gid_index, &gid))
		return;
	memcpy(attr->grh.dgid, &gid, sizeof(gid));
	attr->grh.sgid_index = dev->gid_index;
	attr->grh.hop_limit = 64;
	attr->is_global = 1;
	attr->port_num = dev->port;
}

/* Verbs that need nothing but a protection domain. */
static void domain_calls(int fd, uint32_t pd)
{
	static char mem[4096];
	struct ib_uverbs_reg_mr reg_mr = {
		.start = (uintptr_t)mem,
		.length = sizeof(mem),
		.hca_va = (uintptr_t)mem,
		.pd_handle = pd,
		.access_flags = IBV_ACCESS_LOCAL_WRITE,
	};
	struct ib_uverbs_rereg_mr rereg_mr = {
		.flags = IBV_REREG_MR_CHANGE_ACCESS,
		.access_flags = IBV_ACCESS_LOCAL_WRITE,
		.pd_handle = pd,
	};
	struct ib_uverbs_alloc_mw alloc_mw = {
		.pd_handle = pd,
		.mw_type = IBV_MW_TYPE_2,
	};
	struct ib_uverbs_create_ah create_ah = { .pd_handle = pd };
	const struct call reg =
		CALL("reg_mr", IB_USER_VERBS_CMD_REG_MR, reg_mr,
		     sizeof(struct ib_uverbs_reg_mr_resp), 0);
	const struct call rereg =
		CALL("rereg_mr", IB_USER_VERBS_CMD_REREG_MR, rereg_mr,
		     sizeof(struct ib_uverbs_rereg_mr_resp), 0);
	const struct call mw =
		CALL("alloc_mw", IB_USER_VERBS_CMD_ALLOC_MW, alloc_mw,
		     sizeof(struct ib_uverbs_alloc_mw_resp), 0);
	const struct call ah =
		CALL("create_ah", IB_USER_VERBS_CMD_CREATE_AH, create_ah,
		     sizeof(struct ib_uverbs_create_ah_resp),
		     sizeof(struct mrc_create_ah_resp));

	ah_addresses(&create_ah.attr);
	requests(fd, &reg);
	rereg_mr.mr_handle = create(fd, &reg);
	requests(fd, &rereg);
	requests(fd, &mw);
	requests(fd, &ah);
	/* The second word is reserved, and zero. */
	tap_ok(response_fits(fd, &ah, 4),
	       "create_ah: a response buffer of 4 bytes is filled");
	tap_ok(response_fits(fd, &ah, 0),
	       "create_ah: without a response buffer the call succeeds");
	tap_ok(response_fits(fd, &ah, ah.drv_resp + BEHIND),
	       "create_ah: a response buffer that is too long ends with zeros");
}

static void queue_calls(int fd, uint32_t pd)
{
	struct ib_uverbs_create_cq create_cq = { .cqe = 4, .comp_channel = -1 };
	struct ib_uverbs_resize_cq resize_cq = { .cqe = 8 };
	struct ib_uverbs_create_qp create_qp = {
		.pd_handle = pd,
		.max_send_wr = 4,
		.max_recv_wr = 4,
		.max_send_sge = 1,
		.max_recv_sge = 1,
		.qp_type = IBV_QPT_RC,
	};
	struct ib_uverbs_ex_modify_qp modify_qp = {
		.base.attr_mask = IBV_QP_STATE,
		.base.qp_state = IBV_QPS_RESET,
	};
	const struct call cq =
		CALL("create_cq", IB_USER_VERBS_CMD_CREATE_CQ, create_cq,
		     sizeof(struct ib_uverbs_create_cq_resp),
		     sizeof(struct mrc_create_cq_resp));
	const struct call resize =
		CALL("resize_cq", IB_USER_VERBS_CMD_RESIZE_CQ, resize_cq,
		     sizeof(struct ib_uverbs_resize_cq_resp),
		     sizeof(struct mrc_resize_cq_resp));
	const struct call qp =
		CALL("create_qp", IB_USER_VERBS_CMD_CREATE_QP, create_qp,
		     sizeof(struct ib_uverbs_create_qp_resp),
		     sizeof(struct mrc_create_qp_resp));
	const struct call modify =
		CALL("modify_qp", IB_USER_VERBS_CMD_FLAG_EXTENDED |
				  IB_USER_VERBS_EX_CMD_MODIFY_QP, modify_qp,
		     sizeof(struct ib_uverbs_ex_modify_qp_resp), 0);

	responses(fd, &cq);
	requests(fd, &cq);
	create_qp.send_cq_handle = create(fd, &cq);
	create_qp.recv_cq_handle = create_qp.send_cq_handle;
	resize_cq.cq_handle = create_qp.send_cq_handle;
	responses(fd, &resize);
	requests(fd, &resize);
	responses(fd, &qp);
	requests(fd, &qp);
	modify_qp.base.qp_handle = create(fd, &qp);
	requests(fd, &modify);
}

/* The only request with a part for the driver. */
static void resize_calls(int fd, const struct call *limit,
			 const struct call *resize)
{
	struct mrc_ring_info info = {};
	struct {
		struct mrc_modify_srq_req req;
		uint8_t behind[BEHIND];
	} in = { .req.info = (uintptr_t)&info };

	expect_call(fd, resize, &in, sizeof(in), 0, "trailing zeros");
	tap_ok(info.entries == 32 && info.mmap_size,
	       "modify_srq: the response has size and mapping of the new ring");
	expect_call(fd, resize, &in, sizeof(in.req.info), 0,
		    "a request with the oldest field only");
	in.behind[BEHIND - 1] = 1;
	expect_call(fd, resize, &in, sizeof(in), EOPNOTSUPP,
		    "a trailing byte that is not zero");
	in.req.comp_mask = 1;
	expect_call(fd, resize, &in, sizeof(in.req), EOPNOTSUPP,
		    "an unknown bit of comp_mask");
	in.req = (struct mrc_modify_srq_req){ .info = in.req.info,
					      .reserved = 1 };
	expect_call(fd, resize, &in, sizeof(in.req), EOPNOTSUPP,
		    "a reserved field that is not zero");
	expect_call(fd, resize, NULL, 0, EINVAL,
		    "a new size without an address for the ring");
	requests(fd, limit);
}

static void srq_calls(int fd, uint32_t pd)
{
	struct ib_uverbs_create_srq create_srq = {
		.pd_handle = pd,
		.max_wr = 16,
		.max_sge = 1,
	};
	struct ib_uverbs_modify_srq set_limit = {
		.attr_mask = IBV_SRQ_LIMIT,
	};
	struct ib_uverbs_modify_srq set_size = {
		.attr_mask = IBV_SRQ_MAX_WR,
		.max_wr = 32,
	};
	const struct call srq =
		CALL("create_srq", IB_USER_VERBS_CMD_CREATE_SRQ, create_srq,
		     sizeof(struct ib_uverbs_create_srq_resp),
		     sizeof(struct mrc_create_srq_resp));
	const struct call limit =
		CALL("modify_srq (limit)", IB_USER_VERBS_CMD_MODIFY_SRQ,
		     set_limit, 0, 0);
	const struct call resize =
		CALL("modify_srq (size)", IB_USER_VERBS_CMD_MODIFY_SRQ,
		     set_size, 0, 0);

	responses(fd, &srq);
	requests(fd, &srq);
	set_limit.srq_handle = create(fd, &srq);
	set_size.srq_handle = set_limit.srq_handle;
	resize_calls(fd, &limit, &resize);
}

/**
 * bad_abi - tests: requests and responses of other lengths
 */
void bad_abi(void)
{
	struct ib_uverbs_alloc_pd alloc_pd;
	struct ib_uverbs_ex_query_device query_device = {};
	const struct call pd =
		CALL("alloc_pd", IB_USER_VERBS_CMD_ALLOC_PD, alloc_pd,
		     sizeof(struct ib_uverbs_alloc_pd_resp), 0);
	const struct call query =
		CALL("query_device", IB_USER_VERBS_CMD_FLAG_EXTENDED |
				     IB_USER_VERBS_EX_CMD_QUERY_DEVICE,
		     query_device,
		     sizeof(struct ib_uverbs_ex_query_device_resp), 0);
	uint32_t handle;
	int fd;

	contexts();
	fd = open_context();
	if (!tap_ok(fd >= 0, "get_context through the command file"))
		return;
	requests(fd, &query);
	requests(fd, &pd);
	handle = create(fd, &pd);
	domain_calls(fd, handle);
	queue_calls(fd, handle);
	srq_calls(fd, handle);
	tap_ok(!close(fd), "close of the command file destroys all objects");
}
