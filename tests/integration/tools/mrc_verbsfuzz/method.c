// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Methods of the ioctl of uverbs, with any attributes and the driver's parts.
 */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "fuzz.h"

#define ATTRS		12
#define ATTR_IDS	12
#define DATA		128
#define OBJECT_IDS	20
#define METHOD_IDS	8

static uint64_t methods_done, methods_refused;

/* An attribute as one of the methods needs it: a handle, a number, or an address. */
static void fill_attr(struct fuzz *f, struct ib_uverbs_attr *a, uint16_t id,
		      char *data)
{
	enum kind kind = KIND_PD + rng_below(&f->rng, KINDS - KIND_PD);

	*a = (struct ib_uverbs_attr){ .attr_id = id };
	if (rng_one_in(&f->rng, 4))
		a->flags = UVERBS_ATTR_F_MANDATORY;
	if (rng_one_in(&f->rng, 2) && f->n[kind]) {
		a->data = f->object[kind][rng_below(&f->rng, f->n[kind])].handle;
		return;
	}
	a->len = rng_one_in(&f->rng, 2) ? 4u << rng_below(&f->rng, 4) :
					  rng_below(&f->rng, DATA);
	a->data = a->len <= 8 ? rng_below(&f->rng, 64) : (uintptr_t)data;
	if (rng_one_in(&f->rng, 8))
		a->data = rng_next(&f->rng);
}

static void fill_driver_part(struct ib_uverbs_attr *a, uint16_t id, char *data,
			     uint16_t len)
{
	*a = (struct ib_uverbs_attr){ .attr_id = id, .len = len,
				      .data = (uintptr_t)data };
}

/**
 * method_run - call a method
 * @f: run
 */
void method_run(struct fuzz *f)
{
	static char data[DATA] __attribute__((aligned(8)));
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attr[ATTRS + 2];
	} cmd = {};
	int n = 0, id;

	if (rng_one_in(&f->rng, 2))
		rng_bytes(&f->rng, data, sizeof(data));
	for (id = 0; id < ATTR_IDS && n < ATTRS; id++)
		if (rng_one_in(&f->rng, 2))
			fill_attr(f, &cmd.attr[n++], id, data);
	if (rng_one_in(&f->rng, 2))
		fill_driver_part(&cmd.attr[n++], UVERBS_ATTR_UHW_IN, data,
				 rng_below(&f->rng, DATA));
	if (rng_one_in(&f->rng, 2))
		fill_driver_part(&cmd.attr[n++], UVERBS_ATTR_UHW_OUT, data,
				 rng_below(&f->rng, DATA));
	cmd.hdr.object_id = rng_below(&f->rng, OBJECT_IDS);
	cmd.hdr.method_id = rng_below(&f->rng, METHOD_IDS);
	cmd.hdr.driver_id = RDMA_DRIVER_MRC;
	cmd.hdr.num_attrs = n;
	cmd.hdr.length = sizeof(cmd.hdr) + n * sizeof(cmd.attr[0]);
	/* Responses go where it does no harm. */
	if (ioctl(f->fd, RDMA_VERBS_IOCTL, &cmd))
		methods_refused++;
	else
		methods_done++;
}

/**
 * method_report - print how often methods were carried out and refused
 */
void method_report(void)
{
	printf("%-14s %8llu done %8llu refused\n", "ioctl",
	       (unsigned long long)methods_done,
	       (unsigned long long)methods_refused);
}
