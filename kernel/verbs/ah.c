// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address handles: destinations of datagrams.
 *
 * A work request refers to a handle by its number, in a ring that a process can
 * write: so the number is looked up for each datagram.  The address vector has been
 * checked when the handle was created.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/mrc-abi.h>
#include "verbs/ah.h"
#include "verbs/device.h"
#include "verbs/ucontext.h"

static struct mrc_ah *mrc_ah_from_ib(struct ib_ah *ibah)
{
	return container_of(ibah, struct mrc_ah, ib);
}

static bool mrc_ah_v4_ok(__be32 addr)
{
	return !ipv4_is_lbcast(addr) && !ipv4_is_zeronet(addr);
}

/**
 * mrc_ah_check() - check the addresses of an address handle or RC QP
 * @attr: source and destination must be RoCEv2, unicast and of one family
 *
 * Return: 0, -EINVAL, or -EOPNOTSUPP for a multicast group.
 */
int mrc_ah_check(const struct rdma_ah_attr *attr)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);
	const struct in6_addr *dgid = (const void *)grh->dgid.raw;
	const struct in6_addr *sgid;
	bool v4 = ipv6_addr_v4mapped(dgid);

	if (!(rdma_ah_get_ah_flags(attr) & IB_AH_GRH) || !grh->sgid_attr ||
	    grh->sgid_attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return -EINVAL;
	sgid = (const void *)grh->sgid_attr->gid.raw;
	if (v4 != ipv6_addr_v4mapped(sgid))
		return -EINVAL;
	if (v4 ? ipv4_is_multicast(dgid->s6_addr32[3]) :
		 ipv6_addr_is_multicast(dgid))
		return -EOPNOTSUPP;
	return (v4 ? mrc_ah_v4_ok(dgid->s6_addr32[3]) :
		     !ipv6_addr_any(dgid)) ? 0 : -EINVAL;
}

static void mrc_ah_fill_av(const struct rdma_ah_attr *attr, struct mrc_av *av)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);

	memcpy(&av->sgid, grh->sgid_attr->gid.raw, sizeof(av->sgid));
	memcpy(&av->dgid, grh->dgid.raw, sizeof(av->dgid));
	av->v4 = ipv6_addr_v4mapped(&av->dgid);
	if (ipv6_addr_type(&av->dgid) & IPV6_ADDR_LINKLOCAL)
		av->port = rdma_ah_get_port_num(attr);
	av->tclass = grh->traffic_class;
	av->hop_limit = grh->hop_limit ?: IPV6_DEFAULT_HOPLIMIT;
	av->turn = get_random_u32();
}

/*
 * Processes leave MRC_KERNEL_AH numbers to the kernel: connection managers create
 * handles on behalf of all processes.  Callers in the kernel may be in atomic
 * context, hence GFP_ATOMIC.
 */
static int mrc_ah_publish(struct mrc_device *dev, struct mrc_ah_entry *entry)
{
	unsigned long irq;
	int err = -ENOMEM;

	xa_lock_irqsave(&dev->ahs, irq);
	if (!entry->user || dev->n_user_ahs < MRC_MAX_AH)
		err = __xa_alloc_cyclic(&dev->ahs, &entry->number, entry,
					XA_LIMIT(1, MRC_MAX_AH + MRC_KERNEL_AH),
					&dev->ah_next, GFP_ATOMIC);
	if (err >= 0)
		dev->n_user_ahs += entry->user;
	xa_unlock_irqrestore(&dev->ahs, irq);
	return err < 0 ? -ENOMEM : 0;
}

/**
 * mrc_ah_create() - create an address handle
 * @ibah: address handle
 * @init: addresses
 * @udata: response: struct mrc_create_ah_resp; NULL for users in the kernel
 *
 * Context: any; may sleep if @init has RDMA_CREATE_AH_SLEEPABLE or with @udata.
 * Return: 0, -EINVAL, -EOPNOTSUPP for multicast, -ENOMEM.
 */
int mrc_ah_create(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		  struct ib_udata *udata)
{
	struct mrc_device *dev = mrc_device_from_ib(ibah->device);
	struct mrc_create_ah_resp resp = {};
	struct mrc_ah_entry *entry;
	int err;

	err = mrc_udata_check(udata) ?:
	      mrc_ah_check(init->ah_attr);
	if (err)
		return err;
	entry = kzalloc(sizeof(*entry),
			init->flags & RDMA_CREATE_AH_SLEEPABLE ?
				GFP_KERNEL_ACCOUNT : GFP_ATOMIC);
	if (!entry)
		return -ENOMEM;
	entry->pd = ibah->pd;
	entry->user = udata;
	mrc_ah_fill_av(init->ah_attr, &entry->av);
	err = mrc_ah_publish(dev, entry);
	if (err) {
		kfree(entry);
		return err;
	}
	mrc_ah_from_ib(ibah)->entry = entry;
	resp.ah = entry->number;
	err = mrc_udata_respond(udata, &resp, sizeof(resp));
	if (err)
		mrc_ah_destroy(ibah, 0);
	return err;
}

/**
 * mrc_ah_destroy() - destroy an address handle
 * @ibah: address handle
 * @flags: enum rdma_destroy_ah_flags; ignored, the function never sleeps
 *
 * Context: any.
 * Return: 0.
 */
int mrc_ah_destroy(struct ib_ah *ibah, u32 flags)
{
	struct mrc_device *dev = mrc_device_from_ib(ibah->device);
	struct mrc_ah_entry *entry = mrc_ah_from_ib(ibah)->entry;
	unsigned long irq;

	xa_lock_irqsave(&dev->ahs, irq);
	__xa_erase(&dev->ahs, entry->number);
	dev->n_user_ahs -= entry->user;
	xa_unlock_irqrestore(&dev->ahs, irq);
	kfree_rcu(entry, rcu);
	return 0;
}

/**
 * mrc_ah_number() - the number of a handle in work requests
 * @ibah: address handle
 *
 * Return: number.
 */
u32 mrc_ah_number(const struct ib_ah *ibah)
{
	return container_of(ibah, const struct mrc_ah, ib)->entry->number;
}

/**
 * mrc_ah_find() - look up the address vector of a datagram
 * @dev: device
 * @number: number of the handle, from the work request
 * @pd: protection domain of the QP
 *
 * Context: RCU read side for as long as the result is used.
 * Return: address vector, or NULL if @pd has no such handle.
 */
const struct mrc_av *mrc_ah_find(struct mrc_device *dev, u32 number,
				 const struct ib_pd *pd)
{
	const struct mrc_ah_entry *entry = xa_load(&dev->ahs, number);

	return entry && entry->pd == pd ? &entry->av : NULL;
}
