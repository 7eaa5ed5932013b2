#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Scripted peer: mrc_peer on h0, which has no RDMA device, plays the scenarios of
# scenarios/ to the device of h1. The peer drops, reorders, trims, duplicates and
# refuses packets, and sends late and false acknowledgments; what the device sends is
# compared byte for byte with MRC 1.0.

. "$(dirname "$0")/lib/test.sh"

check "two hosts come up" fabric simple
check "mrc1 is created on h1" link_add h1
check "mrc1 has the GIDs of h1" wait_for "$patience" eval \
	'gid_index h1 6 && gid_index h1 4'

check "mrc1 sends without regard to queues and reordering" careless h1

for side in responder requester; do
	check_tap "mrc_peer scenarios for the $side" \
		"$programs/mrc_peer" -d mrc1 -N /run/netns/h0 -i p0 \
		-m "$(on h1 cat /sys/class/net/p0/address)" \
		-6 "$(address_of h0 6),$(address_of h1 6)" \
		-4 "$(address_of h0 4),$(address_of h1 4)" \
		"$tests/scenarios/$side"
done
