#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Queue pairs that are connected, have been used, and are idle now: what 10,000 of them,
# half on each host (mrc_limits hold-qps), take in memory, and that they send nothing, and
# need no timer or other softirq.

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/integration/lib/memory.sh
. "$(dirname "$0")/lib/memory.sh"

qps=10000
# Most KiB of kernel memory for each, two rings of a page among them.
most_kib=90
# Seconds of idleness, and most softirqs meanwhile, of the kernel and the shell.
period=10
most_softirqs=200

# Timers, tasklets and received packets, of all processors.
softirqs()
{
	awk '$1 ~ /^(TIMER|HRTIMER|TASKLET|NET_RX|HI):/ {
		for (i = 2; i <= NF; i++) n += $i } END { print n }' /proc/softirqs
}

# The work that the kernel does in softirqs in some seconds without work.
idle_softirqs()
{
	local before

	before=$(softirqs)
	sleep "$period"
	echo $(($(softirqs) - before))
}

# Packets of every kind that both hosts have sent.
packets()
{
	local host

	for host in h0 h1; do
		on "$host" mrcctl -j stats show
	done | jq -s '[.. | objects | to_entries[] |
		select(.key | test("_tx$|^tx_pkts$")) | .value] | add'
}

hold()
{
	exec 9> >(exec "$programs/mrc_limits" -d mrc0 -D mrc1 -g "$(gid_index h0 6)" \
		hold-qps > "$tmp/held" 2>&1)
	holder=$!
	wait_for 300 grep -q 'each writes' "$tmp/held"
	cat "$tmp/held"
	! grep '^not ok' "$tmp/held"
}

no_packets()
{
	local before

	before=$(packets)
	busy=$(idle_softirqs)
	echo "$(($(packets) - before)) packets"
	[ "$(packets)" -eq "$before" ]
}

release()
{
	exec 9>&-
	wait "$holder"
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6
check "the limit of mappings of a process is raised" \
	sysctl -qw vm.max_map_count=400000

before=$(kernel_memory)
holder=
busy=
check "$qps queue pairs are connected, and each has written" hold
per_qp=$((($(kernel_memory) - before) / qps))
check "no packet is sent in $period s of idleness" no_packets
check "few softirqs run meanwhile: $busy" test "$busy" -le "$most_softirqs"
if keeps_freed; then
	skip "a queue pair takes less than $most_kib KiB of kernel memory" \
		"the debug kernel takes more for each object"
else
	check "a queue pair takes less than $most_kib KiB of kernel memory: $per_qp" \
		test "$per_qp" -lt "$most_kib"
fi
check "the queue pairs are destroyed" release
