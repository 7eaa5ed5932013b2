#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Home processors: data is processed by one processor on which the process may run,
# acknowledgments by the one on which it posts. Both follow it when it is bound to others,
# keep to a completion vector, and go on when their processor goes offline. Every byte is
# compared meanwhile. Homes are where least is done: while READs are in flight, responses
# are sent by one processor and placed by another. What waits for a processor is bounded.
# Programs that poll on one processor give way to each other.
#
# No other part of the kernel spreads packets over processors: RPS is off.
#
# Needs: every kernel: several processors, and each kernel runs work in softirqs in its way.

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/integration/lib/tracing.sh
. "$(dirname "$0")/lib/tracing.sh"
# shellcheck source=tests/integration/lib/home.sh
. "$(dirname "$0")/lib/home.sh"

[ "$(nproc)" -ge 2 ] || skip_all "one processor"

# home_is HOST ATTRIBUTE CPU: ATTRIBUTE, home or ack_home, of the QP of HOST.
home_is()
{
	[ "$(on "$1" mrcctl -j qp show | jq ".[0].$2")" = "$3" ]
}

# bind_to CPU CPU: client and server of mrc_verify may run on these only.
bind_to()
{
	taskset -cp "$1" "$verify_client" > /dev/null &&
	taskset -cp "$2" "$verify_server" > /dev/null
}

# homes_are CPU CPU: acknowledgments of the client on the first, data for the server on
# the second.
homes_are()
{
	wait_for "$patience" home_is h0 ack_home "$1" &&
	wait_for "$patience" home_is h1 home "$2"
}

# Buffers that have been steered to another processor, by host: see traffic().
declare -A steered_before=()

# Messages are verified; what is steered meanwhile counts for steered().
traffic()
{
	local host

	for host in h0 h1; do
		steered_before[$host]=$(counter "$host" rx_steered)
	done
	verify_goes_on
}

# steered HOST: buffers were, during the latest traffic().
steered()
{
	local now

	now=$(counter "$1" rx_steered)
	echo "${steered_before[$1]} -> $now buffers"
	[ "$now" -gt "${steered_before[$1]}" ]
}

# online CPU 0|1
online()
{
	echo "$2" > "/sys/devices/system/cpu/cpu$1/online"
}

nothing_dropped()
{
	[ "$(counter h0 drop_backlog)" -eq 0 ] &&
	[ "$(counter h1 drop_backlog)" -eq 0 ]
}

check "two hosts come up" fabric simple --mtu 4500
check "devices on both hosts, with GIDs" devices_up link_add 6
check "a device has a completion vector for each processor" \
	test "$(on h0 ibv_devinfo -d mrc0 -v | awk '/num_comp_vectors:/ { print $2 }')" \
	-ge "$(nproc)"

check "a client that polls sends to a server" verify_begin --busy
check "they are bound to processors of their own" bind_to 0 1
check "data is processed where the server is, acknowledgments where the client is" \
	homes_are 0 1
check "messages are verified on two processors" traffic
check "data is steered to the server" steered h1
check "acknowledgments are steered to the client" steered h0

check "client and server change places" bind_to 1 0
check "data and acknowledgments follow them" homes_are 1 0
check "messages are verified after that" traffic
check "data is steered to the server's new place" steered h1
check "acknowledgments are steered to the client's new place" steered h0

check "the server may run anywhere" taskset -cp 0,1 "$verify_server"
check "the client is bound to the processor that processes data" \
	taskset -cp 0 "$verify_client"
check "data leaves the processor on which the client polls" homes_are 0 1
check "messages are verified after the move" verify_goes_on

check "the home processor goes offline" online 1 0
check "messages are verified without it" verify_goes_on
check "the home processor comes back" online 1 1
check "messages are verified with it" verify_goes_on
check "the first client ends, every byte is right" verify_end

check "a client with completion vector 1 sends and receives" \
	verify_begin --busy -b --vector 1
check "data is processed by processor 1" wait_for "$patience" home_is h0 home 1
check "the client is bound to processor 0" taskset -cp 0 "$verify_client"
check "messages are verified in both directions" verify_goes_on
check "acknowledgments are processed by processor 1, where the client is not" \
	home_is h0 ack_home 1
check "the second client ends, every byte is right" verify_end
check "no buffer was dropped for want of room" nothing_dropped

# trace_sides 0|1: trace what h1 sends, and SACKs of h0, or no longer.
trace_sides()
{
	local event

	for event in mrc_tx_burst mrc_sack_tx; do
		echo "$1" > "$tracing/events/mrc/$event/enable" || return
	done
}

# The program posts and polls on one of two processors and does little else, so it is there
# that the peer's responses are sent: seldom by the processor that placed responses, and
# acknowledged them, just before. That was measured of 0 to 12 %, beside other work of the
# machine of up to 34 %, and of 87 % and more where threads that poll are avoided whatever
# else is done.
responses_apart()
{
	echo > "$tracing/trace"
	perftest ib_read_bw -s 65536 -n 8192 || return
	awk '/ mrc_sack_tx: mrc0 / {
		match($0, /\[[0-9]+\]/)
		cpu = substr($0, RSTART, RLENGTH)
		moves += placed != "" && placed != cpu
		placed = cpu
	     }
	     / mrc_tx_burst: mrc1 / && placed != "" {
		match($0, /\[[0-9]+\]/)
		bursts++
		same += placed == substr($0, RSTART, RLENGTH)
	     }
	     END {
		print same + 0 " of " bursts + 0 " bursts where the latest were placed,",
		      "which has moved " moves + 0 " times"
		exit !(bursts > 1000 && same < bursts / 2)
	     }' "$tracing/trace"
}

mount_tracing
check "both sides of READs are traced" trace_sides 1
check "responses are seldom sent by the processor that places them" responses_apart
printed | note
check "they are no longer traced" trace_sides 0

# So that many buffers are in flight.
short_bursts()
{
	no_congestion_window && on h0 mrcctl dev set mrc0 burst 2
}

some_dropped()
{
	local dropped

	dropped=$(counter h1 drop_backlog)
	echo "$dropped buffers"
	[ "$dropped" -gt 0 ]
}

check "the module mrc_bh_off loads" insmod "$programs/$(uname -r)/mrc_bh_off.ko"
check "bursts of two packets, of which no congestion window bounds the number" short_bursts
check "a client sends on 64 queue pairs" verify_begin --busy -q 64
check "client and server are bound to processors of their own" bind_to 0 1
check "data of all queue pairs is processed where the server is" \
	wait_for "$patience" all_at_home 64
check "processor 1 runs no softirqs for 1 s" no_softirqs 1000
check "messages are verified after that" verify_goes_on
check "more than 1024 buffers waited, and the others were dropped" some_dropped
printed | note
check "the third client ends, every byte is right" verify_end
check "the module mrc_bh_off unloads" rmmod mrc_bh_off

# Two programs poll on processor 0.
poll_on_one()
{
	(
		taskset -cp 0 "$BASHPID" > /dev/null &&
		perftest ib_send_lat -s 8 -n 200
	) || return
	echo "$(awk '$1 == 8 { print $5 }' "$tmp/client") us one way"
}

# They say so: perftest calls sched_yield() nowhere.
give_way()
{
	local yields

	yields=$(grep -c 'ib_send_lat-.*sys_sched_yield' "$tracing/trace")
	echo "$yields calls of sched_yield()"
	[ "$yields" -gt 0 ]
}

echo 1 > "$tracing/events/syscalls/sys_enter_sched_yield/enable"
check "two programs poll on one processor" poll_on_one
printed | note
check "they give way to each other" give_way
printed | note
echo 0 > "$tracing/events/syscalls/sys_enter_sched_yield/enable"
