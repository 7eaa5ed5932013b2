// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The RDMA device: registration with the RDMA core, and queries of its attributes.
 *
 * A device exists from mrc_device_create() until it is unregistered: by "rdma link
 * delete", by mrc_device_delete(), with its last net_device, or when the module is
 * unloaded.  The RDMA core ensures that this happens once; it destroys all QPs and
 * then calls mrc_device_free().
 */
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <net/addrconf.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mrc-abi.h>
#include "core/wire.h"
#include "verbs/ah.h"
#include "verbs/counters.h"
#include "verbs/cq.h"
#include "verbs/device.h"
#include "verbs/methods.h"
#include "verbs/mr.h"
#include "verbs/mw.h"
#include "verbs/pma.h"
#include "verbs/qp.h"
#include "verbs/ring.h"
#include "verbs/srq.h"
#include "verbs/sysfs.h"
#include "verbs/ucontext.h"

/* All registered devices; outside RTNL. */
static DEFINE_MUTEX(mrc_devices_lock);
static LIST_HEAD(mrc_devices);

static int mrc_device_query(struct ib_device *ibdev,
			    struct ib_device_attr *attr, struct ib_udata *udata)
{
	int err = mrc_udata_check(udata);

	if (err)
		return err;
	attr->sys_image_guid = ibdev->node_guid;
	attr->device_cap_flags = IB_DEVICE_RC_RNR_NAK_GEN |
				 IB_DEVICE_CURR_QP_STATE_MOD |
				 IB_DEVICE_PORT_ACTIVE_EVENT |
				 IB_DEVICE_SRQ_RESIZE |
				 IB_DEVICE_SYS_IMAGE_GUID |
				 IB_DEVICE_MEM_MGT_EXTENSIONS |
				 IB_DEVICE_MEM_WINDOW |
				 IB_DEVICE_MEM_WINDOW_TYPE_2B;
	attr->kernel_cap_flags = IBK_ALLOW_USER_UNREG | IBK_LOCAL_DMA_LKEY;
	attr->vendor_id = MRC_VENDOR_ID;
	attr->page_size_cap = PAGE_SIZE;
	attr->max_mr_size = MRC_MAX_MR_SIZE;
	attr->max_qp = MRC_MAX_QP;
	attr->max_qp_wr = MRC_MAX_QP_WR;
	attr->max_send_sge = MRC_MAX_SGE;
	attr->max_recv_sge = MRC_MAX_SGE;
	attr->max_sge_rd = MRC_MAX_SGE;
	attr->max_srq = MRC_MAX_SRQ;
	attr->max_srq_wr = MRC_MAX_SRQ_WR;
	attr->max_srq_sge = MRC_MAX_SGE;
	attr->max_ah = MRC_MAX_AH;
	attr->max_cq = MRC_MAX_CQ;
	attr->max_cqe = MRC_MAX_CQE;
	attr->cq_caps.max_cq_moderation_count = U16_MAX;
	attr->cq_caps.max_cq_moderation_period = U16_MAX;
	attr->max_mr = MRC_MAX_MR;
	attr->max_fast_reg_page_list_len = MRC_MAX_FAST_REG_PAGES;
	attr->max_mw = MRC_MAX_MW;
	attr->max_pd = MRC_MAX_PD;
	attr->max_qp_rd_atom = MRC_RD_ATOMIC_MAX;
	attr->max_qp_init_rd_atom = MRC_RD_ATOMIC_MAX;
	attr->max_res_rd_atom = MRC_MAX_QP * MRC_RD_ATOMIC_MAX;
	/* 64-bit CPUs have an atomic instruction; others take a lock. */
	attr->atomic_cap = IS_ENABLED(CONFIG_64BIT) ? IB_ATOMIC_GLOB :
						      IB_ATOMIC_HCA;
	attr->max_pkeys = MRC_PKEY_TBL_LEN;
	/* Time stamps of completions are in nanoseconds. */
	attr->timestamp_mask = U64_MAX;
	attr->hca_core_clock = NSEC_PER_SEC / MSEC_PER_SEC;
	return 0;
}

/* A port without carrier waits for its partner; one that is not used is disabled. */
static enum ib_port_phys_state mrc_device_phys_state(const struct mrc_nic *nic,
						     u32 port)
{
	const struct net_device *dev;
	bool running;

	if (READ_ONCE(nic->up) & BIT(port - 1))
		return IB_PORT_PHYS_STATE_LINK_UP;
	rcu_read_lock();
	dev = rcu_dereference(nic->port[port - 1].dev);
	running = dev && netif_running(dev) &&
		  !(READ_ONCE(nic->disabled) & BIT(port - 1));
	rcu_read_unlock();
	return running ? IB_PORT_PHYS_STATE_POLLING :
			 IB_PORT_PHYS_STATE_DISABLED;
}

static int mrc_device_query_port(struct ib_device *ibdev, u32 port,
				 struct ib_port_attr *attr)
{
	const struct mrc_nic *nic = mrc_device_from_ib(ibdev)->nic;

	attr->phys_state = mrc_device_phys_state(nic, port);
	attr->state = attr->phys_state == IB_PORT_PHYS_STATE_LINK_UP ?
			      IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->max_mtu = ib_mtu_int_to_enum(MRC_PMTU_MAX);
	attr->active_mtu = ib_mtu_int_to_enum(mrc_nic_pmtu(nic));
	attr->gid_tbl_len = MRC_GID_TBL_LEN;
	attr->pkey_tbl_len = MRC_PKEY_TBL_LEN;
	attr->ip_gids = true;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->max_msg_sz = MRC_MSG_MAX;
	attr->max_vl_num = 1;
	if (ib_get_eth_speed(ibdev, port, &attr->active_speed,
			     &attr->active_width)) {
		/* The port has no net_device. */
		attr->active_speed = IB_SPEED_SDR;
		attr->active_width = IB_WIDTH_1X;
	}
	return 0;
}

static int mrc_device_query_pkey(struct ib_device *ibdev, u32 port, u16 index,
				 u16 *pkey)
{
	if (index >= MRC_PKEY_TBL_LEN)
		return -EINVAL;
	*pkey = IB_DEFAULT_PKEY_FULL;
	return 0;
}

/* RoCEv2 addresses and management datagrams, for the connection manager. */
static int mrc_device_port_immutable(struct ib_device *ibdev, u32 port,
				     struct ib_port_immutable *immutable)
{
	immutable->gid_tbl_len = MRC_GID_TBL_LEN;
	immutable->pkey_tbl_len = MRC_PKEY_TBL_LEN;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static enum rdma_link_layer mrc_device_link_layer(struct ib_device *ibdev,
						  u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

/* Last callback of the RDMA core; also for a device that was never registered. */
static void mrc_device_free(struct ib_device *ibdev)
{
	struct mrc_device *dev = mrc_device_from_ib(ibdev);

	mutex_lock(&mrc_devices_lock);
	if (!list_empty(&dev->node))
		mrc_event_dev(dev->nic, mrc_device_name(dev), false);
	list_del(&dev->node);
	mutex_unlock(&mrc_devices_lock);

	mrc_nic_stop(dev->nic);
	mrc_nic_put(dev->nic);
	mrc_mr_unreserve(dev);
	WARN_ON(!xa_empty(&dev->ahs));
	WARN_ON(!xa_empty(&dev->qps));
	WARN_ON(!xa_empty(&dev->regions));
	xa_destroy(&dev->ahs);
	xa_destroy(&dev->qps);
	xa_destroy(&dev->regions);
	mutex_destroy(&dev->qps_lock);
}

static const struct ib_device_ops mrc_device_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_MRC,
	.uverbs_abi_ver = MRC_ABI_VERSION,

	.alloc_hw_port_stats = mrc_counters_alloc,
	.alloc_mr = mrc_mr_alloc,
	.alloc_mw = mrc_mw_alloc,
	.alloc_pd = mrc_pd_alloc,
	.alloc_ucontext = mrc_ucontext_alloc,
	.create_ah = mrc_ah_create,
	.create_cq = MRC_CREATE_CQ(mrc_cq_create_udata, mrc_cq_create_attrs),
	.create_qp = mrc_qp_create,
	.create_srq = mrc_srq_create,
	.create_user_ah = mrc_ah_create,
	.dealloc_driver = mrc_device_free,
	.dealloc_mw = mrc_mw_dealloc,
	.dealloc_pd = mrc_pd_dealloc,
	.dealloc_ucontext = mrc_ucontext_dealloc,
	.dereg_mr = mrc_mr_dereg,
	.destroy_ah = mrc_ah_destroy,
	.destroy_cq = mrc_cq_destroy,
	.destroy_qp = mrc_qp_destroy,
	.destroy_srq = mrc_srq_destroy,
	.device_group = &mrc_sysfs_group,
	.disassociate_ucontext = mrc_ucontext_disassociate,
	.fill_res_cq_entry = mrc_cq_fill_res,
	.fill_res_mr_entry = mrc_mr_fill_res,
	.fill_res_qp_entry = mrc_qp_fill_res,
#ifdef MRC_HAVE_FILL_RES_SRQ
	.fill_res_srq_entry = mrc_srq_fill_res,
#endif
	.get_dma_mr = mrc_mr_get_dma,
	.get_hw_stats = mrc_counters_get,
	.get_link_layer = mrc_device_link_layer,
	.get_port_immutable = mrc_device_port_immutable,
	.map_mr_sg = mrc_mr_map_sg,
	.mmap = mrc_ring_mmap,
	.mmap_free = mrc_ring_mmap_free,
	.modify_cq = mrc_cq_modify,
	.modify_qp = mrc_qp_modify,
	.modify_srq = mrc_srq_modify,
	.poll_cq = mrc_cq_poll,
	.post_recv = mrc_qp_post_recv,
	.post_send = mrc_qp_post_send,
	.post_srq_recv = mrc_srq_post_recv,
	.process_mad = mrc_pma_process_mad,
	.query_device = mrc_device_query,
	.query_pkey = mrc_device_query_pkey,
	.query_port = mrc_device_query_port,
	.query_qp = mrc_qp_query,
	.query_srq = mrc_srq_query,
	.reg_user_mr = mrc_mr_reg_user,
	.req_notify_cq = mrc_cq_req_notify,
	.rereg_user_mr = mrc_mr_rereg_user,
	.resize_cq = mrc_cq_resize,

	INIT_RDMA_OBJ_SIZE(ib_ah, mrc_ah, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, mrc_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_mw, mrc_mw, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, mrc_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, mrc_qp, ib),
	INIT_RDMA_OBJ_SIZE(ib_srq, mrc_srq, ib),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, mrc_ucontext, ib),
};

/*
 * Reports of the net layer, under RTNL.  If the device is being unregistered, the
 * event is discarded; otherwise the reference ensures that the RDMA core handles the
 * event before the device is freed.
 */
static void mrc_device_port_change(struct mrc_nic *nic, u8 port, bool up)
{
	struct mrc_device *dev = nic->priv;
	struct ib_event event = {
		.device = &dev->ib,
		.event = up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR,
		.element.port_num = port,
	};

	if (!ib_device_try_get(&dev->ib))
		return;
	ib_dispatch_event(&event);
	ib_device_put(&dev->ib);
}

static void mrc_device_port_gone(struct mrc_nic *nic, u8 port)
{
	struct mrc_device *dev = nic->priv;

	ib_device_set_netdev(&dev->ib, NULL, port);
}

static bool mrc_device_port_has(const struct mrc_nic *nic, u8 port,
				const struct in6_addr *gid)
{
	struct mrc_device *dev = nic->priv;
	const struct ib_gid_attr *attr;

	attr = rdma_find_gid_by_port(&dev->ib, (const union ib_gid *)gid,
				     IB_GID_TYPE_ROCE_UDP_ENCAP, port, NULL);
	if (IS_ERR(attr))
		return false;
	rdma_put_gid_attr(attr);
	return true;
}

static void mrc_device_last_port_gone(struct mrc_nic *nic)
{
	struct mrc_device *dev = nic->priv;

	if (!ib_device_try_get(&dev->ib))
		return;
	ib_unregister_device_queued(&dev->ib);
	ib_device_put(&dev->ib);
}

static const struct mrc_nic_ops mrc_device_nic_ops = {
	.port_change = mrc_device_port_change,
	.port_gone = mrc_device_port_gone,
	.port_has = mrc_device_port_has,
	.last_port_gone = mrc_device_last_port_gone,
};

static void mrc_device_init(struct mrc_device *dev, struct mrc_nic *nic,
			    const u8 *mac)
{
	struct ib_device *ib = &dev->ib;

	mutex_init(&dev->qps_lock);
	xa_init_flags(&dev->qps, XA_FLAGS_ACCOUNT);
	xa_init_flags(&dev->ahs, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ |
				 XA_FLAGS_ACCOUNT);
	xa_init_flags(&dev->regions, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	mrc_region_init_keys(dev);
	INIT_LIST_HEAD(&dev->node);
	dev->nic = nic;
	nic->priv = dev;

	ib->node_type = RDMA_NODE_IB_CA;
	ib->phys_port_cnt = nic->n_ports;
	/* A vector is the number of a processor; see mrc_home_choose(). */
	ib->num_comp_vectors = nr_cpu_ids;
	ib->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
			       BIT_ULL(IB_USER_VERBS_CMD_POST_RECV) |
			       BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	addrconf_addr_eui48((u8 *)&ib->node_guid, mac);
	strscpy(ib->node_desc, "Multipath Reliable Connection",
		sizeof(ib->node_desc));
	ib->driver_def = mrc_methods;
	ib_set_device_ops(ib, &mrc_device_ops);
	if (IS_ENABLED(CONFIG_DMA_SHARED_BUFFER))
		ib_set_device_ops(ib, &mrc_mr_dmabuf_ops);
}

static int mrc_device_register(struct mrc_device *dev, const char *name,
			       struct net_device **devs, u8 n,
			       struct netlink_ext_ack *extack)
{
	int err;
	u8 i;

	/* The RDMA core creates queue pairs during registration. */
	err = mrc_mr_reserve(dev);
	if (err)
		return err;
	for (i = 0; i < n; i++) {
		err = ib_device_set_netdev(&dev->ib, devs[i], i + 1);
		if (err)
			return err;
	}
	err = ib_register_device(&dev->ib, name, NULL);
	if (err == -ENFILE || err == -EEXIST) {
		NL_SET_ERR_MSG(extack,
			       "an RDMA device of that name exists already");
		return -EEXIST;
	}
	return err;
}

/**
 * mrc_device_create() - create an RDMA device from net_devices
 * @name: of the RDMA device; unique on the host
 * @devs: net_devices in the order of the ports, all in one namespace; the
 *	caller holds references
 * @n: number of @devs, 1..MRC_PLANE_MAX
 * @extack: reports the reason of a failure; may be NULL
 *
 * Context: process, RTNL not held.
 * Return: 0 or a negative errno.
 */
int mrc_device_create(const char *name, struct net_device **devs, u8 n,
		      struct netlink_ext_ack *extack)
{
	struct mrc_device *dev;
	struct mrc_nic *nic;
	int err;

	nic = mrc_nic_create(devs, n, &mrc_device_nic_ops, extack);
	if (IS_ERR(nic))
		return PTR_ERR(nic);

	dev = ib_alloc_device(mrc_device, ib);
	if (!dev) {
		err = -ENOMEM;
		goto err_nic;
	}
	mrc_device_init(dev, nic, devs[0]->dev_addr);
	err = mrc_device_register(dev, name, devs, n, extack);
	if (err)
		goto err_dealloc;

	/*
	 * The device can be unregistered at any time from now on; the reference
	 * keeps it in memory.
	 */
	if (!ib_device_try_get(&dev->ib))
		return -ENODEV;
	mutex_lock(&mrc_devices_lock);
	list_add_tail(&dev->node, &mrc_devices);
	mutex_unlock(&mrc_devices_lock);
	mrc_event_dev(nic, mrc_device_name(dev), true);
	mrc_nic_start(nic);
	ib_device_put(&dev->ib);
	return 0;

err_dealloc:
	/* Also stops and releases the NIC. */
	ib_dealloc_device(&dev->ib);
	return err;

err_nic:
	mrc_nic_stop(nic);
	mrc_nic_put(nic);
	return err;
}

/**
 * mrc_device_delete() - unregister a device
 * @dev: device, with a reference that this call drops
 *
 * Context: process, RTNL not held; waits for all users.
 * Return: 0.
 */
int mrc_device_delete(struct mrc_device *dev)
{
	ib_unregister_device_and_put(&dev->ib);
	return 0;
}

/**
 * mrc_device_get() - find a device by name
 * @net: namespace of its ports
 * @name: of the RDMA device
 *
 * Context: process.
 * Return: the device with a reference, which keeps it registered, or NULL.
 */
struct mrc_device *mrc_device_get(struct net *net, const char *name)
{
	struct mrc_device *dev, *found = NULL;

	mutex_lock(&mrc_devices_lock);
	list_for_each_entry(dev, &mrc_devices, node) {
		if (READ_ONCE(dev->nic->net) == net &&
		    !strcmp(mrc_device_name(dev), name) &&
		    ib_device_try_get(&dev->ib)) {
			found = dev;
			break;
		}
	}
	mutex_unlock(&mrc_devices_lock);
	return found;
}

/**
 * mrc_device_put() - drop a reference
 * @dev: device
 */
void mrc_device_put(struct mrc_device *dev)
{
	ib_device_put(&dev->ib);
}

/*
 * The device of @net behind @dev in the list, or the first one, with a reference.
 * @dev has one too, so it is in the list.
 */
static struct mrc_device *mrc_device_next(struct net *net,
					  struct mrc_device *dev)
{
	mutex_lock(&mrc_devices_lock);
	dev = list_prepare_entry(dev, &mrc_devices, node);
	list_for_each_entry_continue(dev, &mrc_devices, node) {
		if (READ_ONCE(dev->nic->net) == net &&
		    ib_device_try_get(&dev->ib))
			goto found;
	}
	dev = NULL;
found:
	mutex_unlock(&mrc_devices_lock);
	return dev;
}

/**
 * mrc_device_for_each() - call a function for all devices of a namespace
 * @net: namespace of the ports
 * @fn: called for each device, which stays registered meanwhile; may sleep
 * @arg: for @fn
 *
 * Context: process, RTNL not held.
 * Return: 0, or the first result of @fn that is not 0, which ends the iteration.
 */
int mrc_device_for_each(struct net *net,
			int (*fn)(struct mrc_device *dev, void *arg),
			void *arg)
{
	struct mrc_device *dev = NULL, *next;
	int ret = 0;

	/* Not below the lock: a dump may be long, and other tenants need it. */
	do {
		next = mrc_device_next(net, dev);
		if (dev)
			ib_device_put(&dev->ib);
		dev = next;
		if (dev)
			ret = fn(dev, arg);
	} while (dev && !ret);
	if (dev)
		ib_device_put(&dev->ib);
	return ret;
}

/**
 * mrc_device_for_each_qp() - call a function for the QPs of a device in numeric order
 * @dev: device, with a reference
 * @start: lowest QP number, to continue an interrupted iteration
 * @fn: called for each QP, which is not destroyed meanwhile; may sleep
 * @arg: for @fn
 *
 * Context: process.
 * Return: 0, or the first result of @fn that is not 0, which ends the iteration.
 */
int mrc_device_for_each_qp(struct mrc_device *dev, u32 start,
			   int (*fn)(struct mrc_qp *qp, void *arg),
			   void *arg)
{
	struct mrc_qp *qp;
	unsigned long qpn;
	int ret = 0;

	mutex_lock(&dev->qps_lock);
	xa_for_each_start(&dev->qps, qpn, qp, start) {
		ret = fn(qp, arg);
		if (ret)
			break;
	}
	mutex_unlock(&dev->qps_lock);
	return ret;
}

/**
 * mrc_device_exit() - unregister all devices
 *
 * Context: process; netlink and link type are unregistered, so no device can be
 * created any more.
 */
void mrc_device_exit(void)
{
	ib_unregister_driver(RDMA_DRIVER_MRC);
	WARN_ON(!list_empty(&mrc_devices));
}
