#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Limits that a device tells, reached: protection domains, address handles,
# completion queues. (What limits one object, as the depth of a queue, is tested
# with that object; queue pairs and regions by the million do not fit into a guest.)

. "$(dirname "$0")/lib.sh"

# Each completion queue is mapped.
mappings=200000

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6
check "a process may have many mappings" sysctl -qw "vm.max_map_count=$mappings"
for group in pd ah cq; do
	check_tap "mrc_limits $group" "$lib/../../build/tests/mrc_limits" \
		-d mrc0 -g "$(gid_index h0 6)" "$group"
done
