#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Memory that the kernel allocates for a process is charged to its memory cgroup: a
# process without privileges that creates queue pairs without end (mrc_limits) stops at
# the limit of its cgroup, is refused memory or killed, and nobody else notices. The
# rdma cgroup limits the number of objects, and RLIMIT_MEMLOCK the memory of regions.
# The same is true of an operator who configures more than his cgroup has memory for.

. "$(dirname "$0")/lib/test.sh"

memory=$((40 << 20))
cgroup=$tmp/cgroup/tenant

cgroup_make()
{
	mkdir "$tmp/cgroup" && mount -t cgroup2 cgroup "$tmp/cgroup" || return
	grep -qw memory "$tmp/cgroup/cgroup.controllers" || return
	echo "+memory +rdma" > "$tmp/cgroup/cgroup.subtree_control"
	mkdir "$cgroup" && echo "$memory" > "$cgroup/memory.max"
}

operator_make()
{
	mkdir "$cgroup" && echo "$operator" > "$cgroup/memory.max"
}

# configure: add destinations as an operator in the cgroup.
configure()
{
	awk 'BEGIN {
		for (i = 0; i < 65536; i++)
			printf "dest add fd00:1::%x dev mrc0 profile p\n", i
	}' > "$tmp/batch"
	inside mrcctl -b "$tmp/batch" > "$tmp/configure" 2>&1
}

# mrcctl is refused memory or killed.
exceeded()
{
	! configure
}

destinations()
{
	on h0 mrcctl -j dest show dev mrc0 | jq length
}

# Bytes of kernel memory that are charged to the cgroup. (Others are files that its
# processes were the first to read.)
kernel_memory()
{
	awk '$1 == "kernel" { print $2 }' "$cgroup/memory.stat"
}

delete_device()
{
	on h0 rdma link del mrc0 && wait_for "$patience" released
}

released()
{
	[ "$(kernel_memory)" -lt $((charged / 8)) ]
}

# A cgroup in which a process ends is busy for a moment.
cgroup_remove()
{
	local dir

	for dir in tenant operator; do
		[ ! -d "$tmp/cgroup/$dir" ] || rmdir "$tmp/cgroup/$dir" || return
	done
	umount "$tmp/cgroup"
}

# Create queue pairs in the cgroup, as a user without capabilities, until there is no
# more memory. Whether the process is refused memory or killed depends on which of its
# allocations exceeds the limit.
fill()
{
	on h0 sh -c "echo \$\$ > '$cgroup/cgroup.procs' && exec prlimit --memlock=unlimited \
		setpriv --reuid 65534 --regid 65534 --clear-groups \
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

# inside COMMAND...: run COMMAND in the cgroup, on h0.
inside()
{
	on h0 sh -c "echo \$\$ > '$cgroup/cgroup.procs' && exec \"\$@\"" sh "$@"
}

# objects N: the cgroup may have that many objects of mrc0.
objects()
{
	echo "mrc0 hca_object=$1" > "$cgroup/rdma.max"
}

# objects_are N: as the cgroup counts them.
objects_are()
{
	cat "$cgroup/rdma.current"
	grep -q "^mrc0 .*hca_object=$1 *$" "$cgroup/rdma.current"
}

# Creates a protection domain, a memory region, a completion queue and a queue pair, then
# waits for a peer.
pingpong()
{
	inside timeout 2 ibv_rc_pingpong -d mrc0 -g "$(gid_index h0 6)"
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

check "3 objects are permitted" objects 3
check_fails "the fourth object is refused in words" "Couldn't create QP" pingpong
check "the objects of a process that has ended are not counted" \
	wait_for "$patience" objects_are 0
check "4 objects are permitted" objects 4
pingpong > "$tmp/pingpong" 2>&1 &
check "then the process has all of them" wait_for "$patience" objects_are 4
wait $!
check "they are destroyed when it ends" wait_for "$patience" objects_are 0
check "any number of objects is permitted" objects max

check_fails "a region beyond RLIMIT_MEMLOCK is refused in words" "Couldn't register MR" \
	inside setpriv --reuid 65534 --regid 65534 --clear-groups \
		prlimit --memlock=65536 timeout 2 \
		ibv_rc_pingpong -d mrc0 -g "$(gid_index h0 6)" -s 1048576

operator=$((4 << 20))
cgroup=$tmp/cgroup/operator
check "a memory cgroup of $((operator >> 20)) MiB is made for an operator" \
	operator_make
check "a profile is made outside of it" \
	on h0 mrcctl profile add p dev mrc0 mode auto count 16
check "65536 destinations are more than an operator's cgroup has memory for" exceeded
note < "$tmp/configure"
check "the first thousand of them have been added" test "$(destinations)" -ge 1000
check "the last ones have not" test "$(destinations)" -lt 65536
check "the limit of the operator's cgroup was reached" test "$(event max)" -gt 0
charged=$(kernel_memory)
echo "# $(destinations) destinations, $charged bytes of kernel memory"
check "they are charged to it" test "$charged" -ge $((operator / 8))
check "the device carries data" verify -o write -t 1
check "the memory is released with the device" delete_device

check "the cgroups are removed" wait_for "$patience" cgroup_remove
