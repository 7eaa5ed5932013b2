#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Bad input from the wire: a raw peer in h0, without any RDMA device, plays
# packets to the device of h1 (mrc_peer). Malformed ones are dropped, each
# counted under its reason and none answered; what is not allowed is refused;
# correct ones are answered byte for byte as documented; nothing is written
# where it does not belong.

. "$(dirname "$0")/lib.sh"

program=$lib/../../build/tests/mrc_peer
# Leads to h1 on the link; see fabric.sh.
sid=fcbb:bb00:3001::
packets=${PACKETS:-10000}

# Counters are seen in the namespace in which the module was loaded only.
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

nothing_waits_in_sockets()
{
	[ -z "$(on h1 ss -Huan 'sport = :4791' | awk '$2')" ]
}

check "two hosts come up" fabric simple
check "one has a device" link_add h1
check "with its addresses" wait_for "$patience" has_gids
check "second ones, and a way to it through SRv6" peer_target h1 "$sid"
for group in malformed refused talk asked answers bursts mutate; do
	check_tap "group $group" play "$group"
done
check "nothing waits in a socket" nothing_waits_in_sockets
