// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Callbacks of the path manager into the NIC (ports, connections, routes), and
 * the payload that ports can carry.
 */
#include <linux/netdevice.h>
#include <linux/string.h>
#include "core/refusal.h"
#include "net/conn.h"
#include "net/encap.h"
#include "net/nic.h"

/* Largest size of all headers and trailers of an IP packet with payload. */
static u32 mrc_nic_overhead(void)
{
	return mrc_encap_overhead(false, true, true);
}

/**
 * mrc_nic_pmtu - largest payload that every port can carry
 * @nic: NIC
 *
 * The result always leaves room for an outer IPv6 header with SRH, so that SRv6
 * paths can be configured for a destination while QPs run.
 *
 * Context: any.
 * Return: a power of two, MRC_PMTU_MIN..MRC_PMTU_MAX.
 */
u32 mrc_nic_pmtu(const struct mrc_nic *nic)
{
	u32 mtu = MRC_PMTU_MAX + mrc_nic_overhead();
	struct net_device *dev;
	u32 pmtu = MRC_PMTU_MIN;
	u8 i;

	rcu_read_lock();
	for (i = 0; i < nic->n_ports; i++) {
		dev = rcu_dereference(nic->port[i].dev);
		if (dev)
			mtu = min(mtu, READ_ONCE(dev->mtu));
	}
	rcu_read_unlock();

	while (pmtu < MRC_PMTU_MAX && 2 * pmtu + mrc_nic_overhead() <= mtu)
		pmtu *= 2;
	return pmtu;
}

/*
 * Reports that the MTU of a port, or of a route from it, is too small.  The
 * message names both remedies, a larger MTU and smaller packets, if it has room
 * for both.
 */
static int mrc_nic_refuse_mtu(const struct net_device *dev, const char *what,
			      u32 mtu, u32 packet, struct mrc_refusal *why)
{
	u32 fits = MRC_PMTU_MAX, needed = packet + mrc_nic_overhead();
	char less[sizeof(" or packet 65535")];
	size_t n;

	while (fits > MRC_PMTU_MIN && fits + mrc_nic_overhead() > mtu)
		fits /= 2;
	snprintf(less, sizeof(less), " or packet %u", fits);
	mrc_refuse(why, -EINVAL, MRC_NO_FIELD,
		   "%sMTU %u of %s cannot carry %u-byte packets, use MTU %u",
		   what, mtu, dev->name, packet, needed);
	n = strlen(why->text);
	if (fits + mrc_nic_overhead() <= mtu &&
	    n + strlen(less) < sizeof(why->text))
		strscpy(why->text + n, less, sizeof(why->text) - n);
	return -EINVAL;
}

static struct mrc_nic *mrc_nic_of_pm(const struct mrc_pm *pm)
{
	return container_of(pm, struct mrc_nic, pm);
}

static void mrc_nic_paths_changed(struct mrc_pm *pm,
				  const struct mrc_lpm_key *key)
{
	mrc_conn_paths_changed(mrc_nic_of_pm(pm), key);
}

static u32 mrc_nic_ports_up(const struct mrc_pm *pm)
{
	return READ_ONCE(mrc_nic_of_pm(pm)->up);
}

static u32 mrc_nic_mbps(const struct mrc_pm *pm)
{
	const struct mrc_nic *nic = mrc_nic_of_pm(pm);
	u32 up = READ_ONCE(nic->up);
	u64 sum = 0;
	u8 i;

	for (i = 0; i < nic->n_ports; i++)
		if (up & BIT(i))
			sum += READ_ONCE(nic->port[i].mbps);
	return min_t(u64, sum, U32_MAX);
}

static int mrc_nic_check_ports(const struct mrc_pm *pm, u32 packet,
			       struct mrc_refusal *why)
{
	const struct mrc_nic *nic = mrc_nic_of_pm(pm);
	const struct net_device *dev;
	int ret = 0;
	u32 mtu;
	u8 i;

	packet = max_t(u32, packet, MRC_PMTU_MIN);
	rcu_read_lock();
	for (i = 0; i < nic->n_ports && !ret; i++) {
		dev = rcu_dereference(nic->port[i].dev);
		mtu = dev ? READ_ONCE(dev->mtu) : U32_MAX;
		if (packet + mrc_nic_overhead() > mtu)
			ret = mrc_nic_refuse_mtu(dev, "", mtu, packet, why);
	}
	rcu_read_unlock();
	return ret;
}

/*
 * The MTU of a route can be smaller than that of its port, by configuration or
 * by path MTU discovery.  A destination without a route is accepted.
 */
static int mrc_nic_check_route(struct mrc_pm *pm, const struct mrc_flow *flow,
			       u32 packet, struct mrc_refusal *why)
{
	struct mrc_nic *nic = mrc_nic_of_pm(pm);
	const struct net_device *dev;
	u32 mtu = mrc_route_mtu(nic, flow);
	int ret = 0;

	packet = max_t(u32, packet, MRC_PMTU_MIN);
	if (!mtu || packet + mrc_nic_overhead() <= mtu)
		return 0;
	rcu_read_lock();
	dev = rcu_dereference(nic->port[flow->plane - 1].dev);
	if (dev)
		ret = mrc_nic_refuse_mtu(dev, "route ", mtu, packet, why);
	rcu_read_unlock();
	return ret;
}

const struct mrc_pm_ops mrc_nic_pm_ops = {
	.paths_changed = mrc_nic_paths_changed,
	.ports_up = mrc_nic_ports_up,
	.mbps = mrc_nic_mbps,
	.check_ports = mrc_nic_check_ports,
	.check_route = mrc_nic_check_route,
};
