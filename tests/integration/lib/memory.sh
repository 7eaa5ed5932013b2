# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# For tests that look for memory that is not released, and for those that make
# allocations fail; to be sourced after test.sh.

# Memory that the kernel has allocated for itself, in KiB.
kernel_memory()
{
	awk '/^(SUnreclaim|VmallocUsed|Percpu|KernelStack):/ { n += $2 }
		END { print n }' /proc/meminfo
}

# Number of pinned pages. (Processors add their counts to the sum once a second;
# stat_refresh makes them do it immediately.)
pinned()
{
	[ ! -e /proc/sys/vm/stat_refresh ] || echo 1 > /proc/sys/vm/stat_refresh
	awk '/^nr_foll_pin_acquired / { n += $2 }
	     /^nr_foll_pin_released / { n -= $2 }
		END { print n }' /proc/vmstat
}

pinned_is()
{
	[ "$(pinned)" -eq "$1" ]
}

# The kernel keeps what has been freed, to find its use (KASAN).
keeps_freed()
{
	[ -e /sys/kernel/debug/kmemleak ]
}

# The kernel can make allocations fail.
can_fail()
{
	[ -e /proc/self/fail-nth ] && [ -d /sys/kernel/debug/failslab ]
}

# set_fault NAME VALUE: an attribute of all faults that have it.
set_fault()
{
	local fault

	for fault in failslab fail_page_alloc fail_usercopy; do
		[ ! -e "/sys/kernel/debug/$fault/$1" ] ||
			echo "$2" > "/sys/kernel/debug/$fault/$1" || return
	done
}

# faults_in_module PERCENT: that many of the allocations that the module asks for
# fail, whoever it works for.
faults_in_module()
{
	local begin size

	begin=$(cat /sys/module/mrc/sections/.text) &&
		size=$(awk '$1 == "mrc" { print $2 }' /proc/modules) &&
		set_fault require-start "$begin" &&
		set_fault require-end "$(printf '0x%x' $((begin + size)))" &&
		set_fault task-filter N && set_fault times -1 &&
		set_fault probability "$1"
}

# faults_at_random PERCENT: that many of the allocations of processes that ask for it
# fail. (Not copies: an event that cannot be copied to a process is lost, and it waits
# for ever before it can destroy the object.)
faults_at_random()
{
	set_fault times -1 && set_fault task-filter Y &&
		set_fault probability "$1" &&
		echo 0 > /sys/kernel/debug/fail_usercopy/probability
}

no_faults()
{
	set_fault probability 0 && set_fault require-start 0 &&
		set_fault require-end 0xffffffffffffffff
}

# Allocations that may sleep fail as well as others; the kernel does not tell.
faults_reach_all()
{
	set_fault verbose 0 && set_fault ignore-gfp-wait N &&
		set_fault ignore-gfp-highmem N && set_fault min-order 0
}
