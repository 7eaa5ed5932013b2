// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a field is filled with, so that a command is likely to be carried out.
 */
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>

#include "fuzz.h"

static uint32_t handle_of(struct fuzz *f, enum kind kind)
{
	int n = f->n[kind];

	if (!n || rng_one_in(&f->rng, 50))
		return rng_below(&f->rng, 64);
	/* Others stay unused, and can be destroyed. */
	if (n > POPULAR && !rng_one_in(&f->rng, 4))
		n = POPULAR;
	return f->object[kind][rng_below(&f->rng, n)].handle;
}

/**
 * value_of - value of a field
 * @f: run
 * @what: its meaning
 *
 * Return: the value, of which the field takes the lowest bytes.
 */
uint64_t value_of(struct fuzz *f, enum what what)
{
	struct rng *r = &f->rng;

	switch (what) {
	case WHAT_SIZE:
		return 1 + rng_below(r, rng_one_in(r, 20) ? 1024 : 64);
	case WHAT_ADDR:
		return (uintptr_t)f->memory + rng_below(r, MEMORY / 2);
	case WHAT_LEN:
		return 1 + rng_below(r, MEMORY / 2);
	case WHAT_ACCESS:
		return IBV_ACCESS_LOCAL_WRITE | rng_below(r, 32);
	case WHAT_ONE:
		return 1;
	case WHAT_BIT:
		return rng_below(r, 2);
	case WHAT_MASK:
		return rng_below(r, 256) & rng_below(r, 256);
	case WHAT_FLAGS:
		return rng_below(r, 8);
	case WHAT_WQE:
		return 128;
	case WHAT_NONE:
		return UINT64_MAX;
	case WHAT_QPT:
		return rng_one_in(r, 4) ? IB_UVERBS_QPT_UD : IB_UVERBS_QPT_RC;
	case WHAT_GID:
		return f->gid_index;
	case WHAT_GID_SIZE:
		return sizeof(struct ib_uverbs_gid_entry);
	case WHAT_KIND:
		return UVERBS_OBJECT_PD + rng_below(r, UVERBS_OBJECT_MW);
	case WHAT_END:
	case WHAT_ZERO:
		return 0;
	default:
		return handle_of(f, KIND_PD + what - WHAT_PD);
	}
}
