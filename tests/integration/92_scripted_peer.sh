#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Scripted peer: mrc_peer on h0, which has no RDMA device, plays the scenarios of
# scenarios/ to the device of h1. The peer drops, reorders, trims, duplicates and
# refuses packets, and sends late and false acknowledgments; what the device sends is
# compared byte for byte with MRC 1.0. A third network namespace takes the address of
# h1, and has no access to the QPs of h1. A device that requires the ICRC accepts
# packets without it for two seconds.

. "$(dirname "$0")/lib/test.sh"

has_gids()
{
	gid_index "$1" 6 && gid_index "$1" 4
}

check "two hosts come up" fabric simple
check "mrc1 is created on h1" link_add h1
check "mrc1 has the GIDs of h1" wait_for "$patience" has_gids h1

check "mrc1 sends without regard to queues and reordering" careless h1

# play FILE HOST TARGET: execute the scenarios of FILE between mrc1 and the peer, whose
# packets leave HOST and arrive at TARGET.
play()
{
	"$programs/mrc_peer" -d mrc1 -N "/run/netns/$2" -i p0 \
		-m "$(on "$3" cat /sys/class/net/p0/address)" \
		-6 "$(address_of h0 6),$(address_of h1 6)" \
		-4 "$(address_of h0 4),$(address_of h1 4)" \
		"$tests/scenarios/$1"
}

# take HOST FROM PEER: HOST has the addresses of host FROM, and routes to those of PEER.
take()
{
	ip -n "$1" link set p0 up &&
		ip -n "$1" addr add "$(address_of "$2" 6)" dev p0 nodad &&
		ip -n "$1" addr add "$(address_of "$2" 4)" dev p0 &&
		ip -n "$1" route add "$(address_of "$3" 6)" dev p0 &&
		ip -n "$1" route add "$(address_of "$3" 4)" dev p0
}

# Hosts h8 and h9 are joined by a link, and have the addresses of h0 and h1; h9 has a
# device.
impostors()
{
	ip netns add h8 && ip netns add h9 &&
		ip -n h8 link add p0 type veth peer name p0 netns h9 &&
		take h8 h0 h1 && take h9 h1 h0 && link_add h9 &&
		wait_for "$patience" gid_find mrc9 "$(address_of h1 6)" &&
		on h9 ping -q -c 1 -w "$patience" "$(address_of h0 6)"
}

for side in responder requester; do
	check_tap "mrc_peer scenarios for the $side" play "$side" h0 h1
done

check "mrc1 is set to icrc always" on h1 mrcctl dev set mrc1 icrc always
check_tap "mrc_peer scenarios for a device that requires the ICRC" \
	play icrc_always h0 h1
check "mrc1 is set to icrc auto" on h1 mrcctl dev set mrc1 icrc auto

check "mrc1 counts NACKs as retries" \
	on h1 mrcctl cc set careless dev mrc1 nack-retry 1
check_tap "mrc_peer scenarios of retries" play retries h0 h1

check "h8 and h9 take the addresses of h0 and h1" impostors
check_tap "mrc_peer scenarios for a stranger" play stranger h8 h9
