#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# A scripted peer: the scenarios of scenarios/ are played to the device of h1 by
# a program in h0 that has no RDMA device. The peer loses, swaps, trims, repeats
# and refuses packets, answers late and tells lies; what the device answers is
# compared byte for byte with what MRC 1.0 says.

. "$(dirname "$0")/lib.sh"

check "two hosts come up" fabric simple
check "one has a device" link_add h1
check "with its addresses" wait_for "$patience" eval \
	'gid_index h1 6 && gid_index h1 4'

for side in responder requester; do
	check_tap "the list of scenarios for the $side" \
		"$lib/../../build/tests/mrc_peer" -d mrc1 -N /run/netns/h0 -i p0 \
		-m "$(on h1 cat /sys/class/net/p0/address)" \
		-6 "$(address_of h0 6),$(address_of h1 6)" \
		-4 "$(address_of h0 4),$(address_of h1 4)" \
		"$lib/scenarios/$side"
done
