#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Invalid input from the wire: mrc_peer on h0, which has no RDMA device, sends raw
# packets to the device of h1. Malformed packets are dropped, each counted under
# its reason, and not acknowledged; requests that are not allowed get a NAK; valid
# ones are acknowledged byte for byte as documented; no other memory is written.
# Forged endpoint responses and port status updates change nothing.

. "$(dirname "$0")/lib/test.sh"

program=$programs/mrc_peer
# Leads to h1 on the link; see fabric.sh.
sid=fcbb:bb00:3001::
packets=${PACKETS:-10000}

# play GROUP: run mrc_peer in the first namespace, where the counters of devices
# are visible.
play()
{
	"$program" -d mrc1 -N /run/netns/h0 -i p0 \
		-m "$(on h1 cat /sys/class/net/p0/address)" \
		-6 "$(address_of h0 6),$(address_of h1 6)" \
		-4 "$(address_of h0 4),$(address_of h1 4)" \
		-S "$sid" -n "$packets" "$@" 2>&1
}

has_gids()
{
	gid_index h1 6 && gid_index h1 4
}

# No socket of port 4791 on h1 has packets in its receive queue.
sockets_empty()
{
	[ -z "$(on h1 ss -Huan 'sport = :4791' | awk '$2')" ]
}

check "two hosts come up" fabric simple
check "mrc1 is created on h1" link_add h1
check "mrc1 has the GIDs of h1" wait_for "$patience" has_gids
check "h1 has second addresses and a route for its uSID" peer_target h1 "$sid"
check "mrc1 sends without regard to queues and reordering" careless h1
for group in malformed nak responder rd_atomic requester gso endpoint mutate; do
	check_tap "mrc_peer group $group" play "$group"
done
check "no UDP socket on h1 holds packets after the test" \
	sockets_empty
