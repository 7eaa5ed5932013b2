#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Each allocation of each request fails in turn, and each copy from and to user space:
# requests of verbs, of netlink, devices that come and go, and the module as it loads.
# A request that failed has no effect, and succeeds when it is repeated; a message
# whose packets could not be allocated arrives all the same.
#
# Environment: FAULT_CALLS, how many calls of each request fail; FAULT_REQUESTS, how many
# netlink requests of seed FAULT_SEED.
#
# Needs a kernel with fault injection, that is the debug kernel.

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/integration/lib/memory.sh
. "$(dirname "$0")/lib/memory.sh"

can_fail || skip_all "the kernel has no fault injection"

program=$programs/mrc_torture
faults=(/usr/bin/python3 "$tests/tools/netlink/faults.py")
calls=${FAULT_CALLS:-400}

index_of()
{
	on "$1" cat "/sys/class/net/$2/ifindex"
}

check "allocations that may sleep can fail" faults_reach_all
# Before the module's own, calls of the kernel fail, which warns when it cannot create
# tracepoints. (Modules that this one needs stay.)
own_calls=160
for module in $(modinfo -F depends mrc | tr , ' '); do
	modprobe "$module"
done
check_tap "the module loads" "$program" -n "$own_calls" -p "$(modinfo -n mrc)" load
check "two hosts come up" fabric simple --links 2
check "devices on both hosts, with GIDs" devices_up link_add 6
pinned_before=$(pinned)
check_tap "requests of verbs" "$program" -n "$calls" -d mrc0 -d mrc1 fault
check_equal "no page remains pinned after requests of verbs" \
	"$(pinned)" "$pinned_before"
check_tap "netlink requests" on h0 "${faults[@]}" mrc0 "${FAULT_REQUESTS:-60}" \
	"${FAULT_SEED:-1}" "$(address_of h1 6)"
check_tap "devices come and go" on h0 "${faults[@]}" devices \
	"$(index_of h0 p1)" p1

# Packets, acknowledgments and responses for which there is no memory are like lost ones.
check "mrc_verify in both directions starts" verify_begin -o write_imm -s 16384 -b
check "5 % of the allocations of the module fail" faults_in_module 5
check "mrc_verify goes on while allocations of the module fail" verify_goes_on
check "allocations succeed again" no_faults
check "mrc_verify goes on when allocations succeed again" verify_goes_on
check "mrc_verify ends, every byte is right" verify_end
for host in h0 h1; do
	check_equal "no queue pair of $host failed" \
		"$(counter "$host" unresponsive_remote_events)" 0
done
