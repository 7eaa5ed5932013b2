#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What must be refused is refused with the right status, and a process that
# writes nonsense into its rings hurts only its own queue pairs.

. "$(dirname "$0")/lib.sh"

tools=$lib/../../build/tests

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6

gid=$(gid_index h0 6)
for group in send post qp resource event wr; do
	check_tap "mrc_bad $group" \
		"$tools/mrc_bad" -d mrc0 -D mrc1 -g "$gid" "$group"
done
check_tap mrc_ring "$tools/mrc_ring" -d mrc0 -D mrc1 -g "$gid"
