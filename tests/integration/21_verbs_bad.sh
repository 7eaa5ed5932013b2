#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What must be refused is refused with the right status, and a process that
# writes nonsense into its rings hurts only its own queue pairs.

. "$(dirname "$0")/lib.sh"

tools=$lib/../../build/tests

check "two hosts come up" fabric simple
check "device on h0" link_add h0
check "device on h1" link_add h1
check "their GIDs" wait_for "$patience" have_gids 6

gid=$(gid_index h0 6)
for group in send post qp resource event wr; do
	check_tap "mrc_bad $group" \
		"$tools/mrc_bad" -d mrc0 -D mrc1 -g "$gid" "$group"
done
check_tap mrc_ring "$tools/mrc_ring" -d mrc0 -D mrc1 -g "$gid"
