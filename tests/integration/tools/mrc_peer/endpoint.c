// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the endpoint exchange: responses and port status updates, right and forged
 * ones, of a peer that has the magic of this driver.
 */
#include <string.h>
#include <unistd.h>

#include <linux/kernel.h>

#include "core/evprobe.h"
#include "fixture.h"
#include "tap.h"

enum {
	/* Port masks: the peer has one port, and it is up. */
	DOWN = 0,
	UP = 1,
	/* Wrong responses that end a request. */
	WRONG = 16,
	/* More than the time between requests that updates cause. */
	PAUSE_MS = 20,
	/* More than the time until a request that was ended is sent anew. */
	AGAIN_MS = 1200,
	/* A WRITE leaves at once; long enough to show that it does not. */
	QUIET_MS = 50,
	WRITE_LEN = 64,
};

static void pause_ms(u32 ms)
{
	usleep(ms * 1000);
}

/* The next endpoint request of the device that is no port status update. */
static bool next_request(struct fixture *s, struct mrc_pkt_endpoint *e)
{
	struct got g;

	do {
		if (!fixture_next(s, &g))
			return false;
	} while (g.err || g.pkt.op->code != MRC_OP_ENDPOINT_REQ ||
		 g.pkt.endpoint.op != MRC_EP_EV_PROBE);
	*e = g.pkt.endpoint;
	return true;
}

/* Respond to @e as a device of this driver that requires the ICRC. */
static void respond(struct fixture *s, const struct mrc_pkt_endpoint *e,
		    u32 mask)
{
	struct mrc_pkt_endpoint rsp = *e;
	u8 buf[MRC_EP_RSP_LEN];

	rsp.port_mask = mask;
	rsp.caps = 0;
	rsp.has_magic = true;
	fixture_ctrl(s, buf, mrc_pkt_put_endpoint_rsp(buf, &rsp));
}

/* Respond with an id and a timestamp that differ from those of @e in these bits. */
static void respond_wrong(struct fixture *s, const struct mrc_pkt_endpoint *e,
			  u16 id, u16 ts)
{
	struct mrc_pkt_endpoint rsp = *e;

	rsp.req_id ^= id;
	rsp.tx_ts ^= ts;
	respond(s, &rsp, DOWN);
}

static bool is_response_to(const struct got *g, u16 req_id)
{
	return !g->err && g->pkt.op->code == MRC_OP_ENDPOINT_RSP &&
	       g->pkt.endpoint.req_id == req_id;
}

/* Send a port status update; is it acknowledged? */
static bool update_acked(struct fixture *s, u32 mask)
{
	struct mrc_pkt_endpoint e = {
		.port_mask = mask,
		.req_id = ++s->req_id,
		.op = MRC_EP_PORT_STATUS,
		.has_magic = true,
	};
	u8 buf[MRC_EP_REQ_LEN];
	bool acked = false;
	u32 i;

	pause_ms(PAUSE_MS);
	fixture_ctrl(s, buf, mrc_pkt_put_endpoint_req(buf, &e));
	if (!fixture_flush(s))
		return false;
	for (i = 0; i < s->n_got; i++)
		acked |= is_response_to(&s->got[i], e.req_id);
	return acked;
}

/* A new QP, and with it a peer about which the device knows nothing. */
static bool unknown_peer(struct fixture *s, struct mrc_pkt_endpoint *e)
{
	fixture_qp(s, NULL);
	fixture_discard(s);
	fixture_snapshot(s);
	return next_request(s, e);
}

static bool known_peer(struct fixture *s)
{
	struct mrc_pkt_endpoint e;
	bool ok = unknown_peer(s, &e);

	respond(s, &e, UP);
	ok &= fixture_flush(s);
	s->n_got = 0;
	return ok;
}

/* Does a WRITE that is posted now leave? */
static bool write_leaves(struct fixture *s)
{
	bool left = false;
	u32 i;

	s->n_got = 0;
	if (target_write(s->qp, 0, s->mr[TARGET_FULL].va, WRITE_LEN,
			 FIXTURE_PEER_VA, FIXTURE_PEER_RKEY))
		return false;
	pause_ms(QUIET_MS);
	if (!fixture_flush(s))
		return false;
	for (i = 0; i < s->n_got; i++)
		left |= !s->got[i].err &&
			s->got[i].pkt.op->flags & MRC_OPF_DATA;
	return left;
}

static void numbers_differ(struct fixture *s)
{
	struct mrc_pkt_endpoint a, b;
	bool ok = unknown_peer(s, &a);

	ok &= unknown_peer(s, &b);
	tap_ok(ok && a.req_id != b.req_id && a.tx_ts != b.tx_ts,
	       "%s: two endpoint requests have different ids and timestamps",
	       fixture_family(s));
	tap_ok(ok && b.has_magic && !(b.caps & MRC_CAP_SVC_TIME),
	       "%s: an endpoint request asks for no service time",
	       fixture_family(s));
}

/* An update of a peer about which nothing is known is acknowledged. */
static void wrong_responses(struct fixture *s)
{
	struct mrc_pkt_endpoint e;
	bool ok = unknown_peer(s, &e);

	respond_wrong(s, &e, 1, 0);
	respond_wrong(s, &e, 0, 1);
	respond_wrong(s, &e, 0, 0x8000);
	/* As if it were for a probe of the operator. */
	respond_wrong(s, &e, MRC_EVPROBE_ID, 0);
	ok &= update_acked(s, DOWN);
	ok &= fixture_dropped(s, "ep_response", 4);
	tap_ok(ok,
	       "%s: endpoint responses with a wrong id or timestamp are dropped",
	       fixture_family(s));
	respond(s, &e, UP);
	ok = !update_acked(s, DOWN);
	ok &= fixture_dropped(s, NULL, 0);
	tap_ok(ok, "%s: the right response is accepted after wrong ones",
	       fixture_family(s));
}

static void too_many_wrong_responses(struct fixture *s)
{
	struct mrc_pkt_endpoint e, next;
	bool ok = unknown_peer(s, &e);
	u32 i;

	for (i = 0; i < WRONG; i++)
		respond_wrong(s, &e, 0, 1 + i);
	respond(s, &e, UP);
	ok &= update_acked(s, DOWN);
	ok &= fixture_dropped(s, "ep_response", WRONG);
	tap_ok(ok, "%s: %u wrong responses end an endpoint request",
	       fixture_family(s), WRONG);

	pause_ms(AGAIN_MS);
	ok = fixture_flush(s);
	s->n_got = 0;
	ok &= next_request(s, &next);
	tap_ok(ok && next.req_id != e.req_id && next.tx_ts != e.tx_ts,
	       "%s: the request is sent anew with another id and timestamp",
	       fixture_family(s));
	respond(s, &next, UP);
	tap_ok(!update_acked(s, DOWN), "%s: the response to that is accepted",
	       fixture_family(s));
}

static void port_goes_down_and_up(struct fixture *s)
{
	struct mrc_pkt_endpoint e;
	bool ok = known_peer(s);

	ok &= !update_acked(s, DOWN);
	ok &= next_request(s, &e);
	tap_ok(ok & write_leaves(s),
	       "%s: a port status update alone withdraws no port",
	       fixture_family(s));

	respond(s, &e, DOWN);
	s->n_got = 0;
	ok = !update_acked(s, DOWN);
	ok &= next_request(s, &e);
	tap_ok(ok & write_leaves(s), "%s: one response withdraws no port",
	       fixture_family(s));

	respond(s, &e, DOWN);
	s->n_got = 0;
	ok = update_acked(s, DOWN);
	tap_ok(ok & !write_leaves(s),
	       "%s: a second response withdraws the port", fixture_family(s));

	s->n_got = 0;
	ok = !update_acked(s, UP);
	ok &= next_request(s, &e);
	respond(s, &e, UP);
	tap_ok(ok & write_leaves(s),
	       "%s: one response is enough to use the port again",
	       fixture_family(s));
}

/**
 * endpoint_run - tests: the endpoint exchange with a peer
 * @s: fixture
 */
void endpoint_run(struct fixture *s)
{
	s->requests = true;
	numbers_differ(s);
	wrong_responses(s);
	too_many_wrong_responses(s);
	port_goes_down_and_up(s);
	s->requests = false;
	fixture_qp(s, NULL);
	fixture_discard(s);
}
