#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Limits that a device tells, reached: numbers of objects of each kind, work
# requests that wait at the same time, what one work request may have, the longest
# message. (What limits one object, as the depth of a queue, is tested with that
# object.)

. "$(dirname "$0")/lib.sh"

# Each queue is mapped.
mappings=400000

limits()
{
	check_tap "mrc_limits $1" "$lib/../../build/tests/mrc_limits" \
		-d mrc0 -D mrc1 -g "$(gid_index h0 6)" "$1"
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6
check "a process may have many mappings" sysctl -qw "vm.max_map_count=$mappings"
for group in pd ah cq srq element; do
	limits "$group"
done
if ! needs_memory 8192; then
	skip "more objects, longer messages" "too little memory"
	exit
fi
for group in mw mr qp wqe message; do
	limits "$group"
done
