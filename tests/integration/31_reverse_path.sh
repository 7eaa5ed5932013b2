#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# A host that only receives: what it answers has to arrive, though it learns
# nothing from data of its own. One T1 switch of each plane swallows what comes
# from there, silently, and goes on carrying data towards it.

. "$(dirname "$0")/lib.sh"

planes="0 1 2 3"

# What h1 sends by way of the first T1 of each plane is lost.
cut_way_back()
{
	local plane

	for plane in $planes; do
		tc -n "t0-$plane-1" qdisc replace dev "t1-$plane-0" root \
			netem loss 100% || return
	done
}

restore_way_back()
{
	local plane

	for plane in $planes; do
		tc -n "t0-$plane-1" qdisc del dev "t1-$plane-0" root || return
	done
}

swallowed()
{
	local plane

	for plane in $planes; do
		tc -n "t0-$plane-1" -s -j qdisc show dev "t1-$plane-0"
	done | jq -s 'map(.[].drops) | add'
}

has_swallowed()
{
	[ "$(swallowed)" -gt "$1" ]
}

# SACKs that h1 has sent since it had sent $1, and how many of them h0 has not
# got since it had got $2.
sent()
{
	echo $(($(counter h1 sack_tx) - $1))
}

sent_more_than()
{
	[ "$(sent "$1")" -gt "$2" ]
}

# got_most SENT GOT: of the SACKs of h1, since there were so many.
got_most()
{
	local got sent

	sent=$(sent "$1")
	got=$(($(counter h0 sack_rx) - $2))
	echo "SACKs: $sent sent, $got arrived"
	[ $((10 * got)) -ge $((9 * sent)) ]
}

# Hardly any answer of the next five hundred is lost; of a quarter of the paths
# it would be every fourth.
answers_arrive()
{
	local sent0 got0

	got0=$(counter h0 sack_rx)
	sent0=$(counter h1 sack_tx)
	wait_for "$patience" sent_more_than "$sent0" 500 || return
	got_most "$sent0" "$got0"
}

check "hosts, four planes" fabric up
check "devices on both hosts, with GIDs" devices_up device_add 6
check "paths there and back" paths_up

check "a run towards h1 begins" verify_begin -o write -s 65536 -t 16 -q 2
check "answers arrive" wait_for "$patience" answers_arrive

timeouts=$(counter h0 retrans_timeout_events)
bursts=$(counter h0 tx_bursts)
check "cut the way back through a quarter of the paths" cut_way_back
check "packets are lost there" wait_for "$patience" has_swallowed 0
check "answers arrive again" wait_for "$patience" answers_arrive
check "the run goes on" verify_goes_on
drops=$(swallowed)
check "probes still try what is cut" \
	wait_for "$patience" has_swallowed "$drops"
check "answers arrive still" wait_for "$patience" answers_arrive
timeouts=$(($(counter h0 retrans_timeout_events) - timeouts))
bursts=$(($(counter h0 tx_bursts) - bursts))
note < <(echo "h0: $timeouts timeouts, $bursts bursts")
check "it does not wait for timeouts" [ $((100 * timeouts)) -lt "$bursts" ]

check "restore it" restore_way_back
check "the run goes on" verify_goes_on
check "the run ends, every byte is right" verify_end

# That run has told h1 of its paths by what h1 sent to let it go on. Here h1
# sends no data at all.
check "cut the way back once more" cut_way_back
probes=$(counter h1 probe_tx)
got0=$(counter h0 sack_rx)
sent0=$(counter h1 sack_tx)
check "ib_write_bw" perftest ib_write_bw -s 65536 -n 3000
check "h1 has probed its paths" [ "$(counter h1 probe_tx)" -gt "$probes" ]
check "its answers have arrived" got_most "$sent0" "$got0"
check_equal "no queue pair failed" \
	"$(counter h0 unresponsive_remote_events)" 0
