#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Memory that the kernel allocates for a process is charged to its memory cgroup: a
# process without privileges that creates queue pairs without end (mrc_limits) stops at
# the limit of its cgroup, is refused memory or killed, and nobody else notices.

. "$(dirname "$0")/lib/test.sh"

memory=$((40 << 20))
cgroup=$tmp/cgroup/tenant

cgroup_make()
{
	mkdir "$tmp/cgroup" && mount -t cgroup2 cgroup "$tmp/cgroup" || return
	grep -qw memory "$tmp/cgroup/cgroup.controllers" || return
	echo +memory > "$tmp/cgroup/cgroup.subtree_control"
	mkdir "$cgroup" && echo "$memory" > "$cgroup/memory.max"
}

cgroup_remove()
{
	rmdir "$cgroup" && umount "$tmp/cgroup"
}

# Create queue pairs in the cgroup, as a user without capabilities, until there is no
# more memory. Whether the process is refused memory or killed depends on which of its
# allocations exceeds the limit.
fill()
{
	on h0 sh -c "echo \$\$ > '$cgroup/cgroup.procs' && exec setpriv --reuid 65534 \
		--regid 65534 --clear-groups \
		'$programs/mrc_limits' -d mrc0 memory" > "$tmp/fill" 2>&1
	note < "$tmp/fill"
}

created()
{
	sed -n 's/^# \([0-9]*\) queue pairs$/\1/p' "$tmp/fill" | tail -1
}

event()
{
	awk -v name="$1" '$1 == name { print $2 }' "$cgroup/memory.events"
}

# freed: at most an eighth of the limit is still charged; what is freed after a grace
# period is freed by and by.
freed()
{
	[ "$(cat "$cgroup/memory.current")" -lt $((memory / 8)) ]
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6
check "a memory cgroup of $((memory >> 20)) MiB is made" cgroup_make
check "the verbs device can be opened by everybody" \
	chmod 666 /dev/infiniband/uverbs0
fill
check "a process creates queue pairs in its memory cgroup" \
	test "$(created)" -ge 64
check "its limit ends that before it has 1024" test "$(created)" -lt 1024
check "the limit of the cgroup was reached" test "$(event max)" -gt 0
check "the memory of the process is released" wait_for "$patience" freed
note < "$cgroup/memory.events"
check "a process outside of the cgroup can use the device" verify -o write -t 1
check "the cgroup is removed" cgroup_remove
