#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Memory registration (mrc_mem): regions, re-registration, dma-buf, memory windows,
# invalidation by the owner and by the peer, also over a link that loses and
# duplicates packets; dma-buf memory of a kernel module (mrc_exporter).
#
# Also: older kernels: pages and their pinning are implemented by the kernel.

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/integration/lib/tracing.sh
. "$(dirname "$0")/lib/tracing.sh"

# mem GROUP: run a group of mrc_mem, in one process that has both QPs.
mem()
{
	check_tap "mrc_mem $1" "$programs/mrc_mem" -d mrc0 -D mrc1 -g "$gid" "$1"
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6
gid=$(gid_index h0 6)

for group in region dmabuf window bind inval loss; do
	mem "$group"
done
check "the module mrc_exporter, which exports memory, loads" insmod \
	"$programs/$(uname -r)/mrc_exporter.ko"
mem exporter
check "the module mrc_exporter unloads" rmmod mrc_exporter

# Expedited grace periods of RCU are bounded (kernel/net/grace.c): $grace_at_once after
# a pause, and $grace_rate per second.
grace_at_once=1000
grace_rate=1000

expedited()
{
	awk '$1 == "mrc_expedited" { print $2 }' "$tracing/kprobe_profile"
}

expedited_bounded()
{
	local start count ms

	start=$(($(date +%s%N) / 1000000))
	"$programs/mrc_mem" -d mrc0 -D mrc1 -g "$gid" many || return
	ms=$(($(date +%s%N) / 1000000 - start))
	count=$(expedited)
	echo "# $count expedited grace periods in $ms ms"
	[ "$count" -gt 0 ] &&
		[ "$count" -le $((grace_at_once + grace_rate * (ms + 1) / 1000)) ]
}

if mount_tracing && echo p:mrc_expedited synchronize_rcu_expedited \
	> "$tracing/kprobe_events" 2> /dev/null; then
	# Recording names of processes patches the scheduler while it runs, which
	# emulated processors do not always survive.
	echo 0 > "$tracing/options/record-cmd"
	echo 1 > "$tracing/events/kprobes/mrc_expedited/enable"
	check "5000 objects are destroyed in bounded expedited grace periods" \
		expedited_bounded
	grep '^#' "$tmp/check"
	echo 0 > "$tracing/events/kprobes/mrc_expedited/enable"
	echo > "$tracing/kprobe_events"
else
	skip "5000 objects are destroyed in bounded expedited grace periods" \
		 "this kernel has no kprobe events"
fi

check "the link loses 5 % and duplicates 2 % of the packets" \
	impair_link loss 5% duplicate 2%
mem loss
