#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Two hosts that share nothing but wires: two guests, with two NICs of virtio and two of
# e1000e each, and their drivers. Every byte is compared, also while ports of either host
# go down and come back.
#
# Needs: two guests: drivers of NICs, and hosts with a clock and memory of their own.

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/lab/pair.sh
. "$lab/pair.sh"

[ "${VM_PAIR:-}" ] || skip_all "not in a pair of guests (vm.sh pair)"

# received HOST PORT: bytes that HOST has received on PORT.
received()
{
	on "$1" cat "/sys/class/net/$2/statistics/rx_bytes"
}

received_more_than()
{
	[ "$(received "$1" "$2")" -gt "$3" ]
}

# carries PORT: both hosts receive data on PORT; probes and discovery of neighbours are less.
carries()
{
	local host bytes

	for host in h0 h1; do
		bytes=$(received "$host" "$1")
		wait_for "$patience" received_more_than "$host" "$1" \
			$((bytes + (1 << 20))) || return
	done
}

# port_is HOST PORT STATE: port PORT of the device of HOST.
port_is()
{
	[ "$(on "$1" mrcctl -j port show dev "mrc${1#h}" |
	     jq -r --arg netdev "$2" '.[] | select(.netdev == $netdev).state')" = "$3" ]
}

# nic_fails DRIVER HOST PORT OTHER: PORT of HOST goes down and comes back.
nic_fails()
{
	local what="$1: $3 of $2"

	check "$what goes down" on "$2" ip link set "$3" down
	check "$what is a port that is down" wait_for "$patience" port_is "$2" "$3" down
	check "$what is down, data is verified over $4" verify_goes_on
	check "$what comes up" port_returns "$2" "$3"
	check "$what is a port that is up" wait_for "$patience" port_is "$2" "$3" up
	check "$what carries data again" carries "$3"
	check "$what is up, data is verified" verify_goes_on
}

# Guests that do not run for a while have probes sent, but a timeout is long.
timeouts()
{
	echo $(($(counter h0 retrans_timeout_events) + $(counter h1 retrans_timeout_events)))
}

# traffic DRIVER PORT PORT
traffic()
{
	local mode

	check "$1: devices with two ports on both hosts" pair_up 4500 "$2" "$3"
	for mode in write send_imm; do
		check "$1: $mode, every byte is compared" verify -o "$mode" -n 300
	done
	check "$1: short messages of four queue pairs in both directions are compared" \
		verify -o send -s 100 -q 4 -b -n 1000
	check_equal "$1: no timeout expired" "$(timeouts)" 0

	check "$1: a stream in both directions begins" verify_begin -b
	check "$1: $2 carries data" carries "$2"
	check "$1: $3 carries data" carries "$3"
	nic_fails "$1" h0 "$2" "$3"
	nic_fails "$1" h1 "$3" "$2"
	check "$1: the stream ends, every byte is right" verify_end
	check "$1: devices are removed" pair_down "$2" "$3"
}

check "the NICs of this host have names" "$lab/vm/peer.sh" nics
traffic virtio p0 p1
traffic e1000e p2 p3
check "the module of the other host unloads" \
	wait_for "$patience" on h1 modprobe -r mrc
