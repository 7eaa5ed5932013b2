/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Devices and RC queue pairs as the tests need them.
 */
#ifndef MRC_TEST_RC_H
#define MRC_TEST_RC_H

#include <stdint.h>
#include <infiniband/verbs.h>

/* Picks a GID: the first that is not link-local, else the first. */
#define RC_GID_AUTO	(-1)

/* Everything that a remote peer may do to a test's memory. */
#define RC_ACCESS_ALL                                                         \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |                   \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

/**
 * struct rc_dev - an open device with one of its ports chosen
 * @ctx: device
 * @pd: protection domain for everything in the test
 * @attr: limits
 * @port_attr: of the port
 * @gid: local identity
 * @port: from 1
 * @gid_index: of @gid
 */
struct rc_dev {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_device_attr attr;
	struct ibv_port_attr port_attr;
	union ibv_gid gid;
	int port;
	int gid_index;
};

/**
 * struct rc_addr - address of a QP for its peer
 * @gid: identity
 * @qpn: queue pair
 * @psn: first packet sequence number it sends
 * @lid: local identifier; 0 with RoCE
 * @mtu: enum ibv_mtu
 */
struct rc_addr {
	union ibv_gid gid;
	uint32_t qpn;
	uint32_t psn;
	uint16_t lid;
	uint16_t mtu;
};

/**
 * struct rc_params - attributes that tests vary
 * @access: enum ibv_access_flags of the QP
 * @timeout: local ACK timeout, 4.096 us * 2^timeout
 * @retry_cnt: transport retries
 * @rnr_retry: RNR retries; 7 is without limit
 * @min_rnr_timer: code of the delay in RNR NAKs, table 45 of IBTA 9.7.5
 * @tclass: traffic class of the packets
 * @rd_atomic: READs and ATOMICs in flight, both ways; 0 for one
 * @mtu: largest path MTU, enum ibv_mtu; 0 for the port's
 */
struct rc_params {
	int access;
	uint8_t timeout;
	uint8_t retry_cnt;
	uint8_t rnr_retry;
	uint8_t min_rnr_timer;
	uint8_t tclass;
	uint8_t rd_atomic;
	enum ibv_mtu mtu;
};

extern const struct rc_params rc_defaults;

int rc_open(struct rc_dev *dev, const char *name, int port, int gid_index);
void rc_close(struct rc_dev *dev);

void rc_address(const struct rc_dev *dev, const struct ibv_qp *qp,
		const struct rc_params *p, struct rc_addr *addr);
void rc_attr_init(const struct rc_dev *dev, const struct rc_params *p,
		  struct ibv_qp_attr *attr, int *mask);
void rc_attr_rtr(const struct rc_dev *dev, const struct rc_params *p,
		 const struct rc_addr *peer, struct ibv_qp_attr *attr,
		 int *mask);
void rc_attr_rts(const struct rc_params *p, const struct rc_addr *self,
		 struct ibv_qp_attr *attr, int *mask);

int rc_init(const struct rc_dev *dev, struct ibv_qp *qp,
	    const struct rc_params *p);
int rc_connect(const struct rc_dev *dev, struct ibv_qp *qp,
	       const struct rc_params *p, const struct rc_addr *self,
	       const struct rc_addr *peer);

#define NS_PER_US	1000ull
#define NS_PER_MS	1000000ull
#define NS_PER_S	1000000000ull

uint64_t rc_now_ns(void);

#endif /* MRC_TEST_RC_H */
