#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Limits that a device reports, reached and exceeded by mrc_limits: number of
# objects of each kind, work requests pending at the same time, elements of a work
# request, longest message. (Limits of one object, such as the depth of a queue,
# are tested with that object.)

. "$(dirname "$0")/lib/test.sh"

# Each queue of the device is one mapping of the process.
mappings=400000

limits()
{
	check_tap "mrc_limits $1" "$programs/mrc_limits" \
		-d mrc0 -D mrc1 -g "$(gid_index h0 6)" "$1"
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6
check "the limit of mappings of a process is raised" \
	sysctl -qw "vm.max_map_count=$mappings"
for group in pd ah cq srq element; do
	limits "$group"
done
if ! needs_memory 8192; then
	skip "mrc_limits mw, mr, qp, wqe, message" "too little memory"
	exit
fi
for group in mw mr qp wqe message; do
	limits "$group"
done
