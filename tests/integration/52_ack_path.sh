#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# ACK paths of a host that only receives (h1): its acknowledgments must avoid paths
# that do not lead back to the requester, although no data of its own shows which
# these are. One T1 switch of each plane silently drops what h1 sends and goes on
# carrying data to h1; the counters sack_tx of h1 and sack_rx of h0 tell how many
# acknowledgments arrive. Programs: mrc_verify, ib_write_bw.

. "$(dirname "$0")/lib/test.sh"

planes="0 1 2 3"
# In virtual time ib_write_bw runs for seconds, too, in which h1 probes its paths.
port_rate=50mbit

# Drop what h1 sends through the first T1 of each plane.
cut_ack_paths()
{
	local plane

	for plane in $planes; do
		tc -n "t0-$plane-1" qdisc replace dev "t1-$plane-0" root \
			netem loss 100% || return
	done
}

restore_ack_paths()
{
	local plane

	for plane in $planes; do
		tc -n "t0-$plane-1" qdisc del dev "t1-$plane-0" root || return
	done
}

# Number of packets that the cut has dropped.
dropped()
{
	local plane

	for plane in $planes; do
		tc -n "t0-$plane-1" -s -j qdisc show dev "t1-$plane-0"
	done | jq -s 'map(.[].drops) | add'
}

dropped_more_than()
{
	[ "$(dropped)" -gt "$1" ]
}

# sent BEFORE: number of SACKs that h1 has sent since its counter was BEFORE.
sent()
{
	echo $(($(counter h1 sack_tx) - $1))
}

sent_more_than()
{
	[ "$(sent "$1")" -gt "$2" ]
}

# most_arrive SENT GOT [N]: of the SACKs that h1 has sent since their counters were SENT
# at h1 and GOT at h0, h0 has received N - 1 of N at least (9 of 10).
most_arrive()
{
	local n=${3:-10} got sent

	sent=$(sent "$1")
	got=$(($(counter h0 sack_rx) - $2))
	echo "SACKs: $sent sent, $got arrived"
	[ $((n * got)) -ge $(((n - 1) * sent)) ]
}

# At least 9 of 10 of the next five hundred SACKs arrive; if h1 used all paths, one
# of four would be lost.
sacks_arrive()
{
	local sent0 got0

	got0=$(counter h0 sack_rx)
	sent0=$(counter h1 sack_tx)
	wait_for "$patience" sent_more_than "$sent0" 500 || return
	most_arrive "$sent0" "$got0"
}

check "two hosts and four planes come up" fabric up
check "devices on both hosts, with GIDs" devices_up device_add 6
check "explicit paths in both directions" paths_up

check "mrc_verify from h0 to h1 starts" \
	verify_begin -o write -t 16 -q 2
check "SACKs of h1 arrive before the cut" wait_for "$patience" sacks_arrive

timeouts=$(counter h0 retrans_timeout_events)
bursts=$(counter h0 tx_bursts)
check "a quarter of the paths from h1 to h0 is cut" cut_ack_paths
check "the cut drops packets of h1" wait_for "$patience" dropped_more_than 0
check "SACKs of h1 arrive during the cut" wait_for "$patience" sacks_arrive
check "the run goes on during the cut" verify_goes_on
drops=$(dropped)
check "probes of h1 are dropped on the cut paths" \
	wait_for "$patience" dropped_more_than "$drops"
check "SACKs of h1 arrive while the cut paths are probed" \
	wait_for "$patience" sacks_arrive
timeouts=$(($(counter h0 retrans_timeout_events) - timeouts))
bursts=$(($(counter h0 tx_bursts) - bursts))
note < <(echo "h0: $timeouts timeouts, $bursts bursts")
check "h0 has fewer than one retransmission timeout for 100 bursts" \
	[ $((100 * timeouts)) -lt "$bursts" ]

check "the cut paths from h1 to h0 are restored" restore_ack_paths
check "the run goes on after the cut" verify_goes_on
check "mrc_verify ends, every byte is right" verify_end

# The server of mrc_verify sends small messages, whose acknowledgments tell h1 about
# its paths. In this run h1 sends no data at all.
check "a quarter of the paths from h1 to h0 is cut before ib_write_bw" \
	cut_ack_paths
probes=$(counter h1 probe_tx)
got0=$(counter h0 sack_rx)
sent0=$(counter h1 sack_tx)
# In virtual time ports have queues of different lengths, and every second SACK tries
# another path while there is a gap: with one message in flight there is none.
run="-n 3000"
! in_virtual_time || run="-n 600 -t 1"
# shellcheck disable=SC2086
check "ib_write_bw succeeds while ACK paths are cut" \
	perftest ib_write_bw -s 65536 $run
check "h1 has probed its paths during ib_write_bw" \
	[ "$(counter h1 probe_tx)" -gt "$probes" ]
# One of nine is lost: those that tell of a gap. More of those without one were sent when
# each eighth of a window asked for them. On all paths, one of four would be lost.
check "SACKs of h1 have arrived during ib_write_bw" most_arrive "$sent0" "$got0" 6
check_equal "no queue pair of h0 failed" \
	"$(counter h0 unresponsive_remote_events)" 0
