/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Tracepoints of connections: packets sent and received, SACKs, packets deemed
 * lost and the reason, state changes of paths, congestion window.
 *
 * A disabled tracepoint costs a branch that is not taken (static key) and
 * stores nothing.  The name of a field is the name that it is printed with, so
 * filters use the words of the output.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM mrc

#if !defined(MRC_NET_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define MRC_NET_TRACE_H

#include <linux/string.h>
#include <linux/tracepoint.h>
#include "core/req_internal.h"
#include "core/wire.h"
#include "net/conn.h"
#include "net/receive.h"

/* For programs that read the binary format and print the words themselves. */
TRACE_DEFINE_ENUM(MRC_LOSS_RACK_PATH);
TRACE_DEFINE_ENUM(MRC_LOSS_RACK_ANY);
TRACE_DEFINE_ENUM(MRC_LOSS_RTO);
TRACE_DEFINE_ENUM(MRC_LOSS_NACK);
TRACE_DEFINE_ENUM(MRC_EV_GOOD);
TRACE_DEFINE_ENUM(MRC_EV_SKIP);
TRACE_DEFINE_ENUM(MRC_EV_ASSUMED_BAD);
TRACE_DEFINE_ENUM(MRC_EV_DENIED);
TRACE_DEFINE_ENUM(MRC_EV_BACKUP);
TRACE_DEFINE_ENUM(MRC_RSP_NEW);
TRACE_DEFINE_ENUM(MRC_RSP_DUP);
TRACE_DEFINE_ENUM(MRC_RSP_NACK);
TRACE_DEFINE_ENUM(MRC_RSP_DROP);
TRACE_DEFINE_ENUM(MRC_NACK_TRIMMED);
TRACE_DEFINE_ENUM(MRC_NACK_TRIMMED_LASTHOP);
TRACE_DEFINE_ENUM(MRC_MARK_NONE);
TRACE_DEFINE_ENUM(MRC_MARK_SKIP_ONCE);
TRACE_DEFINE_ENUM(MRC_MARK_ALWAYS_SKIP);

#define mrc_show_loss(why)					\
	__print_symbolic(why,					\
		{ MRC_LOSS_RACK_PATH,	"rack_path" },		\
		{ MRC_LOSS_RACK_ANY,	"rack_any" },		\
		{ MRC_LOSS_RTO,		"rto" },		\
		{ MRC_LOSS_NACK,	"nack" })

/* The same words as in the output of mrcctl. */
#define mrc_show_path_state(state)				\
	__print_symbolic(state,					\
		{ MRC_EV_GOOD,		"good" },		\
		{ MRC_EV_SKIP,		"skip" },		\
		{ MRC_EV_ASSUMED_BAD,	"bad" },		\
		{ MRC_EV_DENIED,	"denied" },		\
		{ MRC_EV_BACKUP,	"backup" })

#define mrc_show_verdict(verdict)				\
	__print_symbolic(verdict,				\
		{ MRC_RSP_NEW,		"new" },		\
		{ MRC_RSP_DUP,		"duplicate" },		\
		{ MRC_RSP_NACK,		"nack" },		\
		{ MRC_RSP_DROP,		"dropped" })

#define mrc_show_trimmed(trimmed)				\
	__print_symbolic(trimmed,				\
		{ 0,			"no" },			\
		{ MRC_NACK_TRIMMED,	"yes" },		\
		{ MRC_NACK_TRIMMED_LASTHOP, "last_hop" })

#define mrc_show_skip(skip)					\
	__print_symbolic(skip,					\
		{ MRC_MARK_NONE,	"no" },			\
		{ MRC_MARK_SKIP_ONCE,	"once" },		\
		{ MRC_MARK_ALWAYS_SKIP,	"always" })

/*
 * Device and QP of the event.  The name of the device is written without lock,
 * when the device is registered and before it has connections.
 */
#define MRC_CONN_ENTRY(conn)					\
	__dynamic_array(char, dev,				\
			strlen((conn)->nic->events.name) + 1)	\
	__field(u32, qpn)

#define MRC_CONN_ASSIGN(conn)					\
	do {							\
		strscpy(__get_str(dev), (conn)->nic->events.name, \
			__get_dynamic_array_len(dev));		\
		__entry->qpn = (conn)->qpn;			\
	} while (0)

#define MRC_CONN_FMT "%s qpn=%u "
#define MRC_CONN_ARGS __get_str(dev), __entry->qpn

TRACE_EVENT(mrc_tx_burst,
	    TP_PROTO(const struct mrc_conn *conn, const struct mrc_burst *b,
		     u64 bytes),

	TP_ARGS(conn, b, bytes),

	TP_STRUCT__entry(
		MRC_CONN_ENTRY(conn)
		__field(u32, psn)
		__field(u32, bytes)
		__field(u32, ev)
		__field(u32, inflight)
		__field(u32, cwnd)
		__field(u8, pkts)
		__field(u8, port)
		__field(bool, rtx)
		__field(bool, ackreq)
	),

	TP_fast_assign(
		MRC_CONN_ASSIGN(conn);
		__entry->psn = b->psn;
		__entry->bytes = bytes;
		__entry->ev = b->ev;
		__entry->inflight = conn->req.inflight;
		__entry->cwnd = conn->req.cc.cwnd;
		__entry->pkts = b->n;
		__entry->port = b->plane;
		__entry->rtx = b->rtx;
		__entry->ackreq = b->ackreq;
	),

	TP_printk(MRC_CONN_FMT
		  "psn=%u pkts=%u bytes=%u port=%u ev=%u rtx=%d ackreq=%d inflight=%u cwnd=%u",
		  MRC_CONN_ARGS, __entry->psn, __entry->pkts, __entry->bytes,
		  __entry->port, __entry->ev, __entry->rtx, __entry->ackreq,
		  __entry->inflight, __entry->cwnd)
);

/* Under rsp_lock, after the verdict and before payload is placed. */
TRACE_EVENT(mrc_rx_data,
	    TP_PROTO(const struct mrc_rx *rx, const struct mrc_pkt *pkt,
		     enum mrc_rsp_verdict verdict),

	TP_ARGS(rx, pkt, verdict),

	TP_STRUCT__entry(
		MRC_CONN_ENTRY(rx->conn)
		__field(u32, psn)
		__field(u32, cack)
		__field(u32, ev)
		__field(u16, bytes)
		__field(u8, port)
		__field(u8, verdict)
		__field(u8, trimmed)
		__field(bool, ce)
		__field(bool, rtx)
	),

	TP_fast_assign(
		MRC_CONN_ASSIGN(rx->conn);
		__entry->psn = pkt->psn;
		__entry->cack = rx->conn->rsp.cack;
		__entry->ev = rx->ev;
		__entry->bytes = pkt->payload_len;
		__entry->port = rx->plane;
		__entry->verdict = verdict;
		__entry->trimmed = rx->trim;
		__entry->ce = rx->ce;
		__entry->rtx = pkt->flags & MRC_PF_RTX;
	),

	TP_printk(MRC_CONN_FMT
		  "psn=%u cack=%u bytes=%u port=%u ev=%u ce=%d trimmed=%s rtx=%d verdict=%s",
		  MRC_CONN_ARGS, __entry->psn, __entry->cack, __entry->bytes,
		  __entry->port, __entry->ev, __entry->ce,
		  mrc_show_trimmed(__entry->trimmed), __entry->rtx,
		  mrc_show_verdict(__entry->verdict))
);

DECLARE_EVENT_CLASS(mrc_sack,
		    TP_PROTO(const struct mrc_conn *conn,
			     const struct mrc_pkt_sack *s),

	TP_ARGS(conn, s),

	TP_STRUCT__entry(
		MRC_CONN_ENTRY(conn)
		__field(u64, bitmap)
		__field(u32, cack)
		__field(u32, base)
		__field(u32, ev)
		__field(u32, rcvd)
		__field(u16, ooo)
		__field(u8, skip)
		__field(bool, probe)
		__field(bool, rtx)
	),

	TP_fast_assign(
		MRC_CONN_ASSIGN(conn);
		__entry->bitmap = s->bitmap;
		__entry->cack = s->cack_psn;
		__entry->base = mrc_psn_add(s->cack_psn, s->sack_offset);
		__entry->ev = s->entropy;
		__entry->rcvd = s->rcvd_bytes << MRC_RCVD_UNIT_SHIFT;
		__entry->ooo = s->ooo_count;
		__entry->skip = s->mark;
		__entry->probe = s->probe;
		__entry->rtx = s->rtx;
	),

	TP_printk(MRC_CONN_FMT
		  "cack=%u ooo=%u base=%u bitmap=%#018llx ev=%u skip=%s probe=%d rtx=%d rcvd=%u",
		  MRC_CONN_ARGS, __entry->cack, __entry->ooo, __entry->base,
		  __entry->bitmap, __entry->ev, mrc_show_skip(__entry->skip),
		  __entry->probe, __entry->rtx, __entry->rcvd)
);

DEFINE_EVENT(mrc_sack, mrc_sack_tx,
	     TP_PROTO(const struct mrc_conn *conn,
		      const struct mrc_pkt_sack *s),
	TP_ARGS(conn, s)
);

DEFINE_EVENT(mrc_sack, mrc_sack_rx,
	     TP_PROTO(const struct mrc_conn *conn,
		      const struct mrc_pkt_sack *s),
	TP_ARGS(conn, s)
);

/* Under req_lock, when a packet is deemed lost.  All times are in ns. */
TRACE_EVENT(mrc_loss,
	    TP_PROTO(const struct mrc_conn *conn, u32 psn,
		     const struct mrc_tx_pkt *rec, enum mrc_loss why, u64 now),

	TP_ARGS(conn, psn, rec, why, now),

	TP_STRUCT__entry(
		MRC_CONN_ENTRY(conn)
		__field(u64, age)
		__field(u64, delay)
		__field(u32, psn)
		__field(u32, ev)
		__field(u8, port)
		__field(u8, reason)
		__field(u8, tx_cnt)
	),

	TP_fast_assign(
		MRC_CONN_ASSIGN(conn);
		__entry->age = now - rec->sent;
		__entry->delay = mrc_req_loss_delay(&conn->req, rec, why);
		__entry->psn = psn;
		__entry->ev = conn->req.evs->ev[rec->path].value;
		__entry->port = conn->req.evs->ev[rec->path].plane;
		__entry->reason = why;
		__entry->tx_cnt = rec->tx_cnt;
	),

	TP_printk(MRC_CONN_FMT
		  "psn=%u reason=%s port=%u ev=%u age=%llu delay=%llu tx_cnt=%u",
		  MRC_CONN_ARGS, __entry->psn, mrc_show_loss(__entry->reason),
		  __entry->port, __entry->ev, __entry->age, __entry->delay,
		  __entry->tx_cnt)
);

TRACE_EVENT(mrc_path_state,
	    TP_PROTO(const struct mrc_conn *conn, const struct mrc_ev *ev,
		     enum mrc_ev_state old),

	TP_ARGS(conn, ev, old),

	TP_STRUCT__entry(
		MRC_CONN_ENTRY(conn)
		__field(u32, ev)
		__field(u8, port)
		__field(u8, old)
		__field(u8, new)
	),

	TP_fast_assign(
		MRC_CONN_ASSIGN(conn);
		__entry->ev = ev->value;
		__entry->port = ev->plane;
		__entry->old = old;
		__entry->new = ev->state;
	),

	TP_printk(MRC_CONN_FMT "port=%u ev=%u old=%s new=%s",
		  MRC_CONN_ARGS, __entry->port, __entry->ev,
		  mrc_show_path_state(__entry->old),
		  mrc_show_path_state(__entry->new))
);

/* Under req_lock, after a SACK has been processed.  All times are in ns. */
TRACE_EVENT(mrc_cc,
	    TP_PROTO(const struct mrc_conn *conn),

	TP_ARGS(conn),

	TP_STRUCT__entry(
		MRC_CONN_ENTRY(conn)
		__field(u32, cwnd)
		__field(u32, inflight)
		__field(u32, acked)
		__field(u32, rtt)
		__field(u32, srtt)
		__field(u32, base_rtt)
		__field(u32, target)
		__field(u32, avg_delay)
		__field(bool, marked)
	),

	TP_fast_assign(
		MRC_CONN_ASSIGN(conn);
		__entry->cwnd = conn->req.cc.cwnd;
		__entry->inflight = conn->req.cc_ack.inflight;
		__entry->acked = conn->req.cc_ack.acked;
		__entry->rtt = conn->req.cc_ack.rtt;
		__entry->srtt = conn->req.rtt.srtt;
		__entry->base_rtt = conn->req.cc.nscc.base_rtt;
		__entry->target = conn->req.cc.nscc.target;
		__entry->avg_delay = conn->req.cc.nscc.avg_delay >>
				     MRC_NSCC_SHIFT;
		__entry->marked = conn->req.cc_ack.marked;
	),

	TP_printk(MRC_CONN_FMT
		  "cwnd=%u inflight=%u acked=%u rtt=%u srtt=%u base_rtt=%u target=%u avg_delay=%u marked=%d",
		  MRC_CONN_ARGS, __entry->cwnd, __entry->inflight,
		  __entry->acked, __entry->rtt, __entry->srtt,
		  __entry->base_rtt, __entry->target, __entry->avg_delay,
		  __entry->marked)
);

#endif /* MRC_NET_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH net
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
