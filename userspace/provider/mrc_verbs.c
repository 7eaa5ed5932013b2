// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Verbs that consist of one command to the kernel.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mrc.h"

/**
 * mrc_query_device_ex - query the attributes of the device
 * @ctx: open device
 * @input: reserved for extensions, or NULL
 * @attr: filled in
 * @attr_size: bytes of @attr that the caller knows
 *
 * The kernel packs the firmware version as three 16-bit numbers into 64 bits.
 *
 * Return: 0 or an errno.
 */
int mrc_query_device_ex(struct ibv_context *ctx,
			const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct ib_uverbs_ex_query_device_resp resp;
	size_t resp_size = sizeof(resp);
	uint64_t ver;
	int ret;

	ret = ibv_cmd_query_device_any(ctx, input, attr, attr_size, &resp,
				       &resp_size);
	if (ret)
		return ret;

	ver = resp.base.fw_ver;
	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver),
		 "%u.%u.%u", (unsigned int)(ver >> 32) & 0xffff,
		 (unsigned int)(ver >> 16) & 0xffff,
		 (unsigned int)ver & 0xffff);
	return 0;
}

/**
 * mrc_query_port - query the attributes of a port
 * @ctx: open device
 * @port: from 1
 * @attr: filled in
 *
 * Return: 0 or an errno.
 */
int mrc_query_port(struct ibv_context *ctx, uint8_t port,
		   struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd = {};

	return ibv_cmd_query_port(ctx, port, attr, &cmd, sizeof(cmd));
}

/**
 * mrc_query_rt_values - read the clock of the completion time stamps
 * @ctx: open device
 * @values: comp_mask holds the requested values and, on return, the available ones
 *
 * Return: 0 or an errno.
 */
int mrc_query_rt_values(struct ibv_context *ctx, struct ibv_values_ex *values)
{
	uint32_t wanted = values->comp_mask;

	values->comp_mask = 0;
	if (!(wanted & IBV_VALUES_MASK_RAW_CLOCK))
		return 0;
	if (clock_gettime(CLOCK_MONOTONIC, &values->raw_clock))
		return errno;
	values->comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
	return 0;
}

/**
 * mrc_alloc_pd - allocate a protection domain
 * @ctx: open device
 *
 * Return: the domain, or NULL with errno set.
 */
struct ibv_pd *mrc_alloc_pd(struct ibv_context *ctx)
{
	struct ib_uverbs_alloc_pd_resp resp;
	struct ibv_alloc_pd cmd = {};
	struct ibv_pd *pd;
	int ret;

	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;

	ret = ibv_cmd_alloc_pd(ctx, pd, &cmd, sizeof(cmd), &resp,
			       sizeof(resp));
	if (ret) {
		free(pd);
		errno = ret;
		return NULL;
	}
	return pd;
}

/**
 * mrc_dealloc_pd - free a protection domain
 * @pd: without objects in it
 *
 * Return: 0 or an errno.
 */
int mrc_dealloc_pd(struct ibv_pd *pd)
{
	int ret = ibv_cmd_dealloc_pd(pd);

	if (!ret)
		free(pd);
	return ret;
}

/**
 * mrc_reg_mr - register memory
 * @pd: protection domain
 * @addr: start of the memory
 * @length: bytes
 * @hca_va: address that work requests and the peer use for @addr
 * @access: enum ibv_access_flags
 *
 * Return: the memory region, or NULL with errno set.
 */
struct ibv_mr *mrc_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			  uint64_t hca_va, int access)
{
	struct ib_uverbs_reg_mr_resp resp;
	struct ibv_reg_mr cmd = {};
	struct verbs_mr *vmr;
	int ret;

	vmr = calloc(1, sizeof(*vmr));
	if (!vmr)
		return NULL;

	ret = ibv_cmd_reg_mr(pd, addr, length, hca_va, access, vmr, &cmd,
			     sizeof(cmd), &resp, sizeof(resp));
	if (ret) {
		free(vmr);
		errno = ret;
		return NULL;
	}
	return &vmr->ibv_mr;
}

/**
 * mrc_rereg_mr - change a memory region
 * @vmr: memory region
 * @flags: enum ibv_rereg_mr_flags
 * @pd: new protection domain
 * @addr: new start
 * @length: new length, bytes
 * @access: new access flags
 *
 * Return: 0 or an errno.
 */
int mrc_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
		 void *addr, size_t length, int access)
{
	struct ib_uverbs_rereg_mr_resp resp;
	struct ibv_rereg_mr cmd = {};

	return ibv_cmd_rereg_mr(vmr, flags, addr, length, (uintptr_t)addr,
				access, pd, &cmd, sizeof(cmd), &resp,
				sizeof(resp));
}

/**
 * mrc_dereg_mr - deregister memory
 * @vmr: memory region
 *
 * Return: 0 or an errno.
 */
int mrc_dereg_mr(struct verbs_mr *vmr)
{
	int ret = ibv_cmd_dereg_mr(vmr);

	if (!ret)
		free(vmr);
	return ret;
}

/**
 * mrc_reg_dmabuf_mr - register a part of a DMA buffer
 * @pd: protection domain
 * @offset: of the part within the buffer
 * @length: bytes
 * @iova: address that work requests and the peer use for its first byte
 * @fd: the buffer
 * @access: enum ibv_access_flags
 *
 * Return: the memory region, or NULL with errno set.
 */
struct ibv_mr *mrc_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset,
				 size_t length, uint64_t iova, int fd,
				 int access)
{
	struct verbs_mr *vmr;
	int ret;

	vmr = calloc(1, sizeof(*vmr));
	if (!vmr)
		return NULL;

	ret = ibv_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access, vmr);
	if (ret) {
		free(vmr);
		errno = ret;
		return NULL;
	}
	return &vmr->ibv_mr;
}

/**
 * mrc_alloc_mw - allocate a memory window
 * @pd: protection domain
 * @type: type 1, or type 2, which is 2B
 *
 * Return: the window, bound to nothing, or NULL with errno set.
 */
struct ibv_mw *mrc_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct ib_uverbs_alloc_mw_resp resp = {};
	struct ibv_alloc_mw cmd = {};
	struct ibv_mw *mw;
	int ret;

	mw = calloc(1, sizeof(*mw));
	if (!mw)
		return NULL;

	ret = ibv_cmd_alloc_mw(pd, type, mw, &cmd, sizeof(cmd), &resp,
			       sizeof(resp));
	if (ret) {
		free(mw);
		errno = ret;
		return NULL;
	}
	return mw;
}

/**
 * mrc_dealloc_mw - free a memory window
 * @mw: bound or not
 *
 * Return: 0 or an errno.
 */
int mrc_dealloc_mw(struct ibv_mw *mw)
{
	int ret = ibv_cmd_dealloc_mw(mw);

	if (!ret)
		free(mw);
	return ret;
}

/**
 * mrc_create_ah - create an address handle
 * @pd: protection domain
 * @attr: destination of datagrams
 *
 * Return: the handle, or NULL with errno set.
 */
struct ibv_ah *mrc_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct mrc_cmd_create_ah_resp resp = {};
	struct mrc_ah *ah;
	int ret;

	ah = calloc(1, sizeof(*ah));
	if (!ah)
		return NULL;

	ret = ibv_cmd_create_ah(pd, &ah->ah, attr, &resp.ibv_resp,
				sizeof(resp));
	if (ret) {
		free(ah);
		errno = ret;
		return NULL;
	}
	ah->number = resp.drv_payload.ah;
	return &ah->ah;
}

/**
 * mrc_destroy_ah - destroy an address handle
 * @ibah: address handle
 *
 * Return: 0 or an errno.
 */
int mrc_destroy_ah(struct ibv_ah *ibah)
{
	int ret = ibv_cmd_destroy_ah(ibah);

	if (!ret)
		free(to_mah(ibah));
	return ret;
}
