// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory that a peer may access for a time: windows, invalidation, registration.
 * Both sides are in this process, on one device or on two.
 */
#include <string.h>

#include "groups.h"
#include "mem.h"

/**
 * rig_create - a pair in RTS, a region of b, and a window
 * @r: filled in
 * @name: of the test, which fails if this does
 * @type: of the window
 *
 * Return: true if all of them were created.
 */
bool rig_create(struct rig *r, const char *name, enum ibv_mw_type type)
{
	memset(r, 0, sizeof(*r));
	if (!pair_create(&r->p, NULL))
		r->mr = ibv_reg_mr(r->p.b.dev->pd, r->p.b.buf, PAIR_BUF_LEN,
				   RC_ACCESS_ALL | IBV_ACCESS_MW_BIND);
	if (r->mr)
		r->mw = ibv_alloc_mw(r->p.b.dev->pd, type);
	if (r->mw)
		return true;
	rig_destroy(r);
	return tap_ok(false, "%s: setup", name);
}

/**
 * rig_destroy - undo rig_create()
 * @r: complete or not
 */
void rig_destroy(struct rig *r)
{
	if (r->mw && ibv_dealloc_mw(r->mw))
		tap_ok(false, "teardown: ibv_dealloc_mw succeeds");
	if (r->mr && ibv_dereg_mr(r->mr))
		tap_ok(false, "teardown: ibv_dereg_mr succeeds");
	pair_destroy(&r->p);
}

/**
 * rig_addr - an address in b's buffer
 * @r: rig
 * @offset: in the buffer
 *
 * Return: the address.
 */
uint64_t rig_addr(const struct rig *r, uint64_t offset)
{
	return (uintptr_t)r->p.b.buf + offset;
}

/**
 * next_key - another key for a window
 * @mw: window
 *
 * Return: the key.
 */
uint32_t next_key(const struct ibv_mw *mw)
{
	return ibv_inc_rkey(mw->rkey);
}

/**
 * bind_wr - the work request that binds the window as most tests need it
 * @r: rig
 * @wr: filled in
 */
void bind_wr(const struct rig *r, struct ibv_send_wr *wr)
{
	*wr = (struct ibv_send_wr){
		.wr_id = 2,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = {
			.mw = r->mw,
			.rkey = next_key(r->mw),
			.bind_info = {
				.mr = r->mr,
				.addr = rig_addr(r, WIN_AT),
				.length = WIN_LEN,
				.mw_access_flags = WIN_ACCESS,
			},
		},
	};
}

/**
 * rig_bind - bind the window, as a test of its own
 * @r: rig
 * @name: of the test
 *
 * Return: true if the window is bound.
 */
bool rig_bind(struct rig *r, const char *name)
{
	struct ibv_send_wr wr;
	struct ibv_wc wc;

	bind_wr(r, &wr);
	if (end_post(&r->p.b, &wr))
		return tap_ok(false, "%s: post_send of the bind succeeds",
			      name);
	wait_wc(r->p.b.scq, &wc);
	if (wc.status == IBV_WC_SUCCESS && wc.opcode == IBV_WC_BIND_MW &&
	    wc.wr_id == wr.wr_id) {
		r->mw->rkey = wr.bind_mw.rkey;
		return true;
	}
	return tap_ok(false, "%s: the bind succeeds (status %d)", name,
		      wc.status);
}

/**
 * invalidate - a test: LOCAL_INV ends with a status
 * @e: side that posts it
 * @rkey: key to be invalidated
 * @name: of the test
 * @status: expected
 *
 * Return: whether it passed.
 */
bool invalidate(struct end *e, uint32_t rkey, const char *name,
		enum ibv_wc_status status)
{
	struct ibv_send_wr wr = {
		.wr_id = 3,
		.opcode = IBV_WR_LOCAL_INV,
		.send_flags = IBV_SEND_SIGNALED,
		.invalidate_rkey = rkey,
	};

	if (end_post(e, &wr))
		return tap_ok(false, "%s: post_send succeeds", name);
	return expect_wc(e->scq, status, name);
}

/**
 * access_memory - side a accesses memory of side b
 * @p: pair
 * @opcode: WRITE, READ or FETCH_AND_ADD
 * @addr: of b's memory
 * @rkey: its key
 * @len: bytes
 *
 * Return: status of the completion.
 */
enum ibv_wc_status access_memory(struct pair *p, enum ibv_wr_opcode opcode,
				 uint64_t addr, uint32_t rkey, uint32_t len)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_wc wc;

	end_wr(p, opcode, len, &wr, &sge);
	wr.wr.rdma.remote_addr = addr;
	wr.wr.rdma.rkey = rkey;
	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		sge.length = 8;
		wr.wr.atomic.remote_addr = addr;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = 1;
	}
	if (end_post(&p->a, &wr))
		return IBV_WC_GENERAL_ERR;
	wait_wc(p->a.scq, &wc);
	return wc.status;
}

/**
 * expect_access - a test: an access ends with a status
 * @p: pair
 * @opcode: as for access_memory()
 * @addr: address
 * @rkey: key
 * @status: expected
 * @name: of the test
 *
 * Return: whether it passed.
 */
bool expect_access(struct pair *p, enum ibv_wr_opcode opcode, uint64_t addr,
		   uint32_t rkey, enum ibv_wc_status status, const char *name)
{
	enum ibv_wc_status got = access_memory(p, opcode, addr, rkey, MSG_LEN);

	if (tap_ok(got == status, "%s: %s", name, ibv_wc_status_str(status)))
		return true;
	tap_note("completion status %d", got);
	return false;
}

int main(int argc, char **argv)
{
	static const struct group groups[] = {
		{ "window", mem_window },
		{ "bind", mem_bind },
		{ "inval", mem_inval },
		{ "loss", mem_loss },
		{ "region", mem_region },
		{ "dmabuf", mem_dmabuf },
		{ "exporter", mem_exporter },
		{ "many", mem_many },
		{ "late", mem_late },
		{ NULL },
	};

	return groups_main(argc, argv, "mrc_mem", "Tests of memory", groups);
}
