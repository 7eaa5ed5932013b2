/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A connection: requester and responder of one QP with the kernel objects they
 * need (locks, timer, routes, paths).  The QP sits on top and supplies messages
 * and memory through struct mrc_conn_ops.
 *
 * There is no thread.  The doorbell sends in process context.  Received packets
 * and the timer change state in softirq context and queue a BH work that sends.
 * Only one CPU at a time transmits for a connection, so the packets of a path
 * leave in the order of their PSNs; another CPU sets MRC_CONN_TX_AGAIN and
 * returns.
 */
#ifndef MRC_NET_CONN_H
#define MRC_NET_CONN_H

#include <linux/bitops.h>
#include <linux/hrtimer.h>
#include <linux/in6.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <net/ipv6.h>
#include "compat/bh_work.h"
#include "core/requester.h"
#include "core/responder.h"
#include "core/rd_pending.h"
#include "net/conn_opts.h"
#include "net/conn_quarantine.h"
#include "net/encap.h"
#include "net/nic.h"
#include "path/binding.h"

struct dst_entry;
struct mrc_conn;
struct mrc_datagram;
struct mrc_explicit;
struct mrc_lpm_key;
struct mrc_peer;
struct mrc_rx;
struct mrc_rxbuf;
struct mrc_txbuf;
struct netlink_ext_ack;
struct sk_buff;

/**
 * enum mrc_place - what became of a packet's payload
 * @MRC_PLACE_OK: copied to its place
 * @MRC_PLACE_NOT_READY: no receive WQE is posted for its message (RNR)
 * @MRC_PLACE_ACCESS: R_Key, bounds or permission: remote access error
 * @MRC_PLACE_INVALID: too long for the receive WQE, or malformed: remote
 *	invalid request error
 * @MRC_PLACE_OP: the responder cannot continue: remote operation error
 * @MRC_PLACE_STALE: response packet of a request that is not pending any more
 */
enum mrc_place {
	MRC_PLACE_OK,
	MRC_PLACE_NOT_READY,
	MRC_PLACE_ACCESS,
	MRC_PLACE_INVALID,
	MRC_PLACE_OP,
	MRC_PLACE_STALE,
};

/**
 * struct mrc_conn_ops - what the QP does for its connection
 *
 * All are called with BH off and on the RCU read side, and must not sleep.
 *
 * @tx_fetch: take the next work request off the send queue into @d.  Returns
 *	false if there is none; the doorbell is armed then.  req_lock held.
 * @tx_idle: has @tx_fetch found no work request, and has none been posted since?
 *	req_lock held.
 * @tx_payload: add @len payload bytes at @offset of message @cookie to @tb with
 *	mrc_txbuf_page() or mrc_txbuf_copy().  Returns MRC_OK or the status the
 *	message must end with.  req_lock held.
 * @tx_response: likewise for the READ response that @msg describes; unless it
 *	returns MRC_OK the READ is refused.  req_lock held.
 * @tx_done: message @done->cookie ended; called in post order.  req_lock held.
 * @rx_place: copy the payload of @pkt, found at @offset of @rb.  rsp_lock held.
 * @rx_rd_atomic: execute the request @rda, whose packet @rx_place has accepted;
 *	for an ATOMIC set @orig to the value before.  Called once for each
 *	request, in order.  rsp_lock held.
 * @rx_deliver: all of a message that consumes a receive WQE has arrived;
 *	called in order.  Unless it returns MRC_PLACE_OK the message is refused:
 *	it was to invalidate an R_Key that it may not.  rsp_lock held.
 * @tx_failed: the requester stopped with an error; all messages have been
 *	ended by @tx_done.  req_lock held.
 * @rx_failed: the responder stopped with AETH @syndrome.  rsp_lock held.
 * @tx_datagrams: send some datagrams; returns true if there may be more.  NULL:
 *	the QP is connected and sends messages.
 * @rx_datagram: a datagram has arrived, at @offset of @rx; NULL likewise.
 *
 * A UD QP uses a connection that is never opened, for its QP number, its locks
 * and its BH work.
 */
struct mrc_conn_ops {
	bool (*tx_fetch)(struct mrc_conn *conn, struct mrc_msg_desc *d);
	bool (*tx_idle)(struct mrc_conn *conn);
	enum mrc_status (*tx_payload)(struct mrc_conn *conn, u32 cookie,
				      u32 offset, u32 len,
				      struct mrc_txbuf *tb);
	enum mrc_status (*tx_response)(struct mrc_conn *conn,
				       const struct mrc_msg_desc *msg,
				     u32 offset, u32 len,
				     struct mrc_txbuf *tb);
	void (*tx_done)(struct mrc_conn *conn, const struct mrc_done *done);
	enum mrc_place (*rx_place)(struct mrc_conn *conn,
				   const struct mrc_pkt *pkt,
				   struct mrc_rxbuf *rb, u32 offset);
	enum mrc_place (*rx_rd_atomic)(struct mrc_conn *conn,
				       const struct mrc_rd_atomic *rda, u64 *orig);
	enum mrc_place (*rx_deliver)(struct mrc_conn *conn,
				     const struct mrc_delivery *d);
	void (*tx_failed)(struct mrc_conn *conn, enum mrc_status status);
	void (*rx_failed)(struct mrc_conn *conn, u8 syndrome);
	bool (*tx_datagrams)(struct mrc_conn *conn);
	enum mrc_drop (*rx_datagram)(struct mrc_conn *conn, struct mrc_rx *rx,
				     const struct mrc_datagram *d, u32 offset);
};

/**
 * struct mrc_conn_attr - addresses of a connection
 * @sgid: own inner address (IPv4 as ::ffff:a.b.c.d)
 * @dgid: peer's inner address, same family
 * @tclass: traffic class of data packets
 * @hop_limit: of data packets
 */
struct mrc_conn_attr {
	struct in6_addr sgid;
	struct in6_addr dgid;
	u8 tclass;
	u8 hop_limit;
};

enum mrc_conn_flags {
	MRC_CONN_RX,		/* responder accepts packets (RTR and later) */
	MRC_CONN_TX,		/* requester sends (RTS) */
	MRC_CONN_TX_BUSY,	/* a CPU is transmitting */
	MRC_CONN_TX_AGAIN,	/* that CPU must run another round */
	MRC_CONN_DATAGRAM,	/* UD: datagrams are sent and received (RTR and later) */
};

/**
 * struct mrc_path - what the net layer keeps for one path
 * @route: routing cache
 * @sid: outer destination of an SRv6 path
 */
struct mrc_path {
	struct mrc_route route;
	struct mrc_sid sid;
};

/**
 * struct mrc_control - control packets of one buffer
 * @data: packets with room for their ICRCs
 * @len: bytes at @data
 * @seg: bytes of every packet but the last
 * @pad: bytes of padding to be added; 0 unless there is one packet, a probe
 * @path: index of the path to use
 * @tos: traffic class
 */
struct mrc_control {
	const void *data;
	u16 len;
	u16 seg;
	u16 pad;
	u16 path;
	u8 tos;
};

struct mrc_fence_queue;

/**
 * struct mrc_conn_fence - transmit queue fence: behind packets given to one CPU
 * @node: in the queue of that CPU until the fence is passed; under its lock
 * @conn: connection
 * @queue: last queue that the fence was in, or NULL; changes on the RCU read side
 * @rounds: rounds after which NET_RX was still pending; under the lock of @queue
 */
struct mrc_conn_fence {
	struct list_head node;
	struct mrc_conn *conn;
	struct mrc_fence_queue *queue;
	u8 rounds;
};

/**
 * struct mrc_conn - one connection
 * @ops: the QP
 * @nic: ports and counters; holds a reference
 * @qpn: own QP number, unique in the module
 * @flags: enum mrc_conn_flags, atomic bits
 * @attr: addresses, fixed while MRC_CONN_RX is set
 * @v4: @attr holds IPv4 addresses
 * @pmtu: payload bytes of a full packet
 * @rnr_timer: IBTA code put into RNR NAKs
 * @heard: a packet of the peer has arrived since the connection was opened; set
 *	on the RCU read side
 * @quarantine: of the previous connection
 * @peer: state of the peer device
 * @explicit: explicit paths to this peer, or NULL
 * @evs: paths, the core's part; written under @req_lock.  The pointer and the
 *	members from here to @min_active change under the lock of @nic, @req_lock
 *	and @rsp_lock together
 * @paths: paths, the net layer's part; one per EV with SRv6, otherwise one per
 *	port, whose paths share a route
 * @source: enum mrc_path_source
 * @profile: EV profile of the paths, if there is one
 * @events: enum mrc_evprofile_event: changes of paths that are reported
 * @bound: paths are those of the EV profile of @binding
 * @srv6: paths have outer destinations
 * @active: configured number of paths in rotation, see &struct mrc_resolved
 * @min_active: configured minimum of it, likewise
 * @req_cfg: requester attributes that the application has set, before the CC
 *	profile is applied; valid while mrc_conn_has_req()
 * @opts: attributes that verbs have not; written under @req_lock too, by the QP,
 *	which serialises
 * @binding: EV profile and CC profile of this connection; see its kernel-doc
 * @repath: applies the current configuration of paths
 * @memcg: memory cgroup of the process that made the QP, or NULL; @repath charges it
 * @vector: completion vector that the application has chosen; fixed while MRC_CONN_RX is
 *	set
 * @owner: thread that has opened the connection, with a reference; fixed while
 *	MRC_CONN_RX is set
 * @home: processor that processes data, or MRC_HOME_NONE; written under @rsp_lock while
 *	MRC_CONN_RX is set, read without lock
 * @ack_home: processor that processes acknowledgments, likewise; written under @req_lock
 *	while MRC_CONN_TX is set
 * @req_lock: protects @req and @evs; BH-safe; outside rsp_lock and CQ locks
 * @req: requester; valid while mrc_conn_has_req()
 * @req_mem: its arrays
 * @timer: earliest deadline of the requester; softirq
 * @tx_work: sends; queued on the RCU read side
 * @fences: each belongs to one of @txq_fences of @req
 * @woken: mrc_conn_wake() was called: look for work although no deadline has passed;
 *	under @req_lock
 * @timer_cost: ns by which @timer is late on average; under @req_lock
 * @timer_at: ns for which @timer is armed; 0: it is not; under @req_lock
 * @counted: counters of @req that the NIC's counters already contain; under
 *	@req_lock
 * @poster: thread that has rung the latest doorbell, with a reference; or NULL; under
 *	@req_lock
 * @polled: processor on which @poster ran when last seen, or MRC_HOME_NONE if it slept;
 *	under @req_lock
 * @failed: ops->tx_failed has been called; under @req_lock
 * @epoch: mrc_conn_ports_epoch() when @evs last took over the state of ports;
 *	under @req_lock
 * @ports_at: ns when planes without a route are checked again, 0: there are
 *	none; under @req_lock
 * @look_at: ns when the QP is asked for work again although no doorbell rings, 0: it
 *	is not; set by the QP, cleared when the time has come; under @req_lock
 * @narrow: mask of planes whose routes have too small an MTU; under @req_lock
 * @no_carrier: mask of planes without a route because their ports had no carrier;
 *	under @req_lock
 * @rsp_lock: protects @rsp; BH-safe
 * @rsp: responder; valid while MRC_CONN_RX is set
 * @rsp_mem: its arrays
 * @rsp_failed: ops->rx_failed has been called; under @rsp_lock
 * @home_checked: jiffies when a better home was last looked for; under @rsp_lock
 * @work: ns for which @home has worked for this connection since, without what is done
 *	where @poster runs; updates may be lost
 * @ctl_cursor: position of the control packets' path choice by plane, 0: no plane;
 *	under @rsp_lock
 * @rda_lock: protects the members that follow, up to @resp_tail; BH-safe; inside
 *	@req_lock and @rsp_lock
 * @rd_pending: outstanding READ and ATOMIC requests of the requester
 * @resp_psn: PSN of the first response if the requester has sent nothing before
 * @response_only: the requester sends responses only, and starts with the first
 *	of them; under @req_lock
 * @resp_slots: entries of @resp_queue, mrc_rd_atomic_slots(); fixed while MRC_CONN_RX is
 *	set
 * @resp_queue: responses that are not posted to the requester yet, or NULL without
 *	@resp_slots
 * @resp_head: next one to be filled; written under @rsp_lock as well
 * @resp_tail: next one to be posted; written under @req_lock as well
 * @node: in &struct mrc_nic.conns
 * @peer_node: in &struct mrc_peer.conns while there is a @peer
 */
struct mrc_conn {
	const struct mrc_conn_ops *ops;
	struct mrc_nic *nic;
	u32 qpn;
	unsigned long flags;
	struct mrc_conn_attr attr;
	bool v4;
	u32 pmtu;
	u8 rnr_timer;
	bool heard;
	struct mrc_quarantine quarantine;
	struct mrc_peer *peer;
	struct mrc_explicit *explicit;
	struct mrc_ev_set *evs;
	struct mrc_path *paths;
	u8 source;
	struct mrc_object_ref profile;
	u8 events;
	bool bound;
	bool srv6;
	u16 active;
	u16 min_active;
	struct mrc_req_cfg req_cfg;
	struct mrc_conn_opts opts;
	struct mrc_binding binding;
	struct work_struct repath;
	struct mem_cgroup *memcg;
	u32 vector;
	struct task_struct *owner;
	int home;
	int ack_home;

	spinlock_t req_lock ____cacheline_aligned_in_smp;
	struct mrc_req req;
	void *req_mem;
	struct hrtimer timer;
	struct mrc_bh_work tx_work;
	struct mrc_conn_fence fences[MRC_TXQ_FENCES];
	u64 timer_at;
	s32 timer_cost;
	bool woken;
	struct task_struct *poster;
	int polled;
	struct mrc_req_stats counted;
	bool failed;
	int epoch;
	u64 ports_at;
	u64 look_at;
	u32 narrow;
	u32 no_carrier;

	spinlock_t rsp_lock ____cacheline_aligned_in_smp;
	struct mrc_rsp rsp;
	void *rsp_mem;
	bool rsp_failed;
	unsigned long home_checked;
	u64 work;
	u32 ctl_cursor[MRC_PLANE_MAX + 1];

	spinlock_t rda_lock ____cacheline_aligned_in_smp;
	struct mrc_rd_pending rd_pending;
	u32 resp_psn;
	bool response_only;
	u32 resp_slots;
	struct mrc_msg_desc *resp_queue;
	u32 resp_head;
	u32 resp_tail;

	struct rb_node node;
	struct list_head peer_node;
};

/**
 * mrc_nic_first_conn() - the connection of a NIC with the least QP number
 * @nic: NIC
 *
 * Context: the lock of the NIC held.
 * Return: the connection, or NULL if there is none.
 */
static inline struct mrc_conn *mrc_nic_first_conn(const struct mrc_nic *nic)
{
	return rb_entry_safe(rb_first(&nic->conns), struct mrc_conn, node);
}

/**
 * mrc_nic_next_conn() - the next connection of a NIC
 * @conn: connection
 *
 * Context: the lock of the NIC held.
 * Return: the connection with the next greater QP number, or NULL.
 */
static inline struct mrc_conn *mrc_nic_next_conn(const struct mrc_conn *conn)
{
	return rb_entry_safe(rb_next(&conn->node), struct mrc_conn, node);
}

/**
 * mrc_conn_has_req() - whether a requester has been set up
 * @conn: connection
 *
 * Context: req_lock held.
 * Return: true if @conn->req is valid and changes of paths apply to it.
 */
static inline bool mrc_conn_has_req(const struct mrc_conn *conn)
{
	lockdep_assert_held(&conn->req_lock);
	return conn->response_only || test_bit(MRC_CONN_TX, &conn->flags);
}

/**
 * mrc_conn_is_between() - are these the addresses of a connection?
 * @conn: connection
 * @own: inner address of this host
 * @peer: of the peer
 *
 * Return: true if so.
 */
static inline bool mrc_conn_is_between(const struct mrc_conn *conn,
				       const struct in6_addr *own,
				       const struct in6_addr *peer)
{
	return ipv6_addr_equal(&conn->attr.sgid, own) &&
	       ipv6_addr_equal(&conn->attr.dgid, peer);
}

/*
 * Life: mrc_conn_init() allocates the QPN (INIT), mrc_conn_quarantine_wait() waits
 * for the end of an old connection, mrc_conn_open() sets up the paths to the peer
 * and the responder (RTR), mrc_conn_start() the requester
 * (RTS), mrc_conn_stop() ends all messages with MRC_ERR_FLUSH (ERR),
 * mrc_conn_reset() releases peer and paths (RESET), mrc_conn_exit() frees the
 * QPN.  The QP serialises these calls.
 */
int mrc_conn_init(struct mrc_conn *conn, struct mrc_nic *nic,
		  const struct mrc_conn_ops *ops);
int mrc_conn_open(struct mrc_conn *conn, const struct mrc_conn_attr *attr,
		  const struct mrc_rsp_cfg *rsp_cfg, u8 rnr_timer, u32 pmtu);
int mrc_conn_start(struct mrc_conn *conn, const struct mrc_req_cfg *req_cfg,
		   bool response_only);
int mrc_conn_set_opts(struct mrc_conn *conn, const struct mrc_conn_opts *change,
		      const struct mrc_binding_change *bind,
		      struct netlink_ext_ack *extack);
void mrc_conn_clear_opts(struct mrc_conn *conn);
void mrc_conn_cfgs(struct mrc_conn *conn, struct mrc_req_cfg *req,
		   struct mrc_rsp_cfg *rsp, u32 *set);
void mrc_conn_stop(struct mrc_conn *conn);
void mrc_conn_reset(struct mrc_conn *conn);
void mrc_conn_exit(struct mrc_conn *conn);

void mrc_conn_doorbell(struct mrc_conn *conn);
void mrc_conn_kick(struct mrc_conn *conn);
void mrc_conn_for_each(struct mrc_nic *nic,
		       void (*fn)(struct mrc_conn *conn, void *arg), void *arg);
void mrc_conn_ports_changed(struct mrc_nic *nic);
void mrc_conn_peer_changed(struct mrc_nic *nic, struct mrc_peer *peer);
int mrc_conn_ports_epoch(const struct mrc_conn *conn);
void mrc_conn_paths_changed(struct mrc_nic *nic, const struct mrc_lpm_key *key);
void mrc_conn_drop_routes(struct mrc_nic *nic);

/* Between the files of the connection. */
struct mrc_conn *mrc_conn_find(const struct net *net, u32 qpn);
void mrc_conn_flow(const struct mrc_conn *conn, u16 path, u8 tos,
		   struct mrc_flow *flow, struct mrc_route **route);
int mrc_conn_make_paths(struct mrc_conn *conn);
void mrc_conn_free_paths(struct mrc_conn *conn);
void mrc_conn_repath(struct work_struct *work);
void mrc_conn_refresh_cc(struct mrc_conn *conn);
void mrc_conn_queue_repath(struct mrc_conn *conn);
void mrc_conn_refresh_ports(struct mrc_conn *conn, u64 now);
u64 mrc_conn_exact_min(const struct mrc_conn *conn);
void mrc_conn_arm(struct mrc_conn *conn);
void mrc_conn_end_req(struct mrc_conn *conn);
void mrc_conn_wake(struct mrc_conn *conn);
void mrc_conn_refuse(struct mrc_conn *conn, u32 psn);
void mrc_conn_end_rsp(struct mrc_conn *conn, u8 plane, bool responses);
int mrc_conn_rd_atomic_init(struct mrc_conn *conn, u32 max_dest_rd_atomic);
void mrc_conn_rd_atomic_exit(struct mrc_conn *conn);
void mrc_conn_start_responses(struct mrc_conn *conn);
bool mrc_conn_is_response(u32 cookie);
void mrc_conn_rd_atomic_sent(struct mrc_conn *conn, const struct mrc_burst_pkt *bp);
void mrc_conn_close_rd_pending(struct mrc_conn *conn);
void mrc_conn_complete_rd_atomic(struct mrc_conn *conn, u64 now);
u32 mrc_conn_execute(struct mrc_conn *conn);
bool mrc_conn_next_response(struct mrc_conn *conn, struct mrc_msg_desc *d);
bool mrc_conn_is_idle(struct mrc_conn *conn);
void mrc_conn_respond(struct mrc_conn *conn, u32 pkts);
void mrc_conn_tx_work(struct mrc_bh_work *work);
void mrc_conn_init_fences(struct mrc_conn *conn);
struct mrc_conn_fence *mrc_conn_post_fence(struct mrc_conn *conn, u64 now);
void mrc_conn_queue_fence(struct mrc_conn_fence *fence);
void mrc_conn_drop_fences(struct mrc_conn *conn);
void mrc_conn_choose_home(struct mrc_conn *conn);
void mrc_conn_leave_home(struct mrc_conn *conn);
void mrc_conn_check_home(struct mrc_conn *conn);
u64 mrc_conn_worked(struct mrc_conn *conn, u64 since, bool data);
void mrc_conn_note_poster(struct mrc_conn *conn);
void mrc_conn_follow_poster(struct mrc_conn *conn);
int mrc_conn_steer(struct mrc_rx *rx);
enum mrc_drop mrc_conn_rx_select(struct mrc_rx *rx, u32 qpn);
void mrc_conn_rx(struct mrc_rx *rx, const struct mrc_pkt *pkt, u32 offset);
enum mrc_drop mrc_conn_rx_trimmed(struct mrc_rx *rx, const struct mrc_pkt *pkt);
void mrc_conn_rx_end(struct mrc_rx *rx);
struct sk_buff *mrc_conn_control(struct mrc_conn *conn,
				 const struct mrc_control *c,
				 struct dst_entry **dst);

void mrc_conn_init_numbers(void);
int mrc_conn_wq_init(void);
void mrc_conn_wq_exit(void);
void mrc_conn_fence_init(void);
void mrc_conn_fence_exit(void);

/* Payload of the burst being built; called from tx_payload() only. */
int mrc_txbuf_page(struct mrc_txbuf *tb, struct page *page, u32 offset,
		   u32 len);
int mrc_txbuf_copy(struct mrc_txbuf *tb, const void *data, u32 len);

#endif /* MRC_NET_CONN_H */
