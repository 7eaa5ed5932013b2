#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Error handling of verbs: mrc_verbs_errors posts invalid requests and checks error
# number or completion status; mrc_ring corrupts the rings of a process and checks
# that only its own queue pairs fail.
#
# Spins: programs wait for entries of a ring in memory.
# Also: several processors: processes corrupt their rings while the kernel reads them.

. "$(dirname "$0")/lib/test.sh"


check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6

gid=$(gid_index h0 6)
for group in send post qp resource event wr abi; do
	check_tap "mrc_verbs_errors $group" \
		"$programs/mrc_verbs_errors" -d mrc0 -D mrc1 -g "$gid" "$group"
done
check_tap mrc_ring "$programs/mrc_ring" -d mrc0 -D mrc1 -g "$gid"
