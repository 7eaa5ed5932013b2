// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * SRv6 packets to a device that decapsulates, on an interface whose operator demands
 * an HMAC in each segment routing header (sysctl seg6_require_hmac).
 */
#include "malformed.h"

#define LEN	64

static void without_srh(struct fixture *s)
{
	struct wire right = s->wire;
	bool ok;

	s->wire.sid = s->sid;
	ok = fixture_write_works(s);
	s->wire = right;
	tap_ok(ok, "HMAC required: a WRITE in an SRv6 header without SRH is accepted");
}

static void without_hmac(struct fixture *s)
{
	struct wire right = s->wire;
	struct frame f;
	bool ok;

	fixture_snapshot(s);
	s->wire.sid = s->sid;
	malformed_write(s, &f, LEN);
	s->wire = right;
	frame_srh(&f, s->sid, 0);
	fixture_send(s, &f);
	ok = fixture_flush(s);
	ok &= fixture_dropped(s, "encap", 1);
	ok &= fixture_no_packet(s) & fixture_intact(s);
	tap_ok(ok, "HMAC required: a WRITE after an SRH without one is dropped (encap)");
}

/**
 * hmac_run - tests: segment routing headers where an HMAC is required
 * @s: fixture
 */
void hmac_run(struct fixture *s)
{
	fixture_qp(s, NULL);
	without_srh(s);
	without_hmac(s);
}
