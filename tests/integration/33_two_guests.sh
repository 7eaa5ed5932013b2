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

# Of what has been verified the last line of progress tells.
messages()
{
	sed -n '$s/.*"messages":\([0-9]*\).*/\1/p' "$tmp/progress"
}

verified_more_than()
{
	[ "$(messages)" -gt "$1" ]
}

stream_goes_on()
{
	wait_for "$patience" verified_more_than $(($(messages) + verify_some))
}

# stream_begin [ARG...]: a run of mrc_verify from h0 to h1 until stream_end.
stream_begin()
{
	local program=$programs/mrc_verify

	echo '"messages":0' > "$tmp/progress"
	on h1 "$program" -d mrc1 -g "$(gid_index h1 6)" --progress 50 \
		>> "$tmp/progress" 2>&1 &
	verify_server=$!
	"$program" -d mrc0 -g "$(gid_index h0 6)" -D 86400 "$@" "$(address_of h1 mgmt)" \
		> "$tmp/client" 2>&1 &
	verify_client=$!
	stream_goes_on && return
	show_files client progress
	return 1
}

stream_end()
{
	local status=0

	kill "$verify_client" || status=$?
	wait "$verify_client" || status=$?
	wait "$verify_server" || status=$?
	cat "$tmp/client"
	tail -n 2 "$tmp/progress"
	return "$status"
}

# sent PORT: bytes that h0 has sent on PORT.
sent()
{
	local bytes

	read -r bytes < "/sys/class/net/$1/statistics/tx_bytes" && echo "$bytes"
}

sent_more_than()
{
	[ "$(sent "$1")" -gt "$2" ]
}

# carries PORT: h0 sends data on PORT; probes and discovery of neighbours send less.
carries()
{
	wait_for "$patience" sent_more_than "$1" $(($(sent "$1") + (1 << 20)))
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
	check "$what is down, data is verified over $4" stream_goes_on
	check "$what comes up" port_returns "$2" "$3"
	check "$what is a port that is up" wait_for "$patience" port_is "$2" "$3" up
	check "$what carries data again" carries "$3"
	check "$what is up, data is verified" stream_goes_on
}

retransmissions()
{
	echo $(($(counter h0 retrans_pkts) + $(counter h1 retrans_pkts)))
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
	check_equal "$1: nothing was retransmitted" "$(retransmissions)" 0

	check "$1: a stream in both directions begins" stream_begin -b
	check "$1: $2 carries data" carries "$2"
	check "$1: $3 carries data" carries "$3"
	nic_fails "$1" h0 "$2" "$3"
	nic_fails "$1" h1 "$3" "$2"
	check "$1: the stream ends, every byte is right" stream_end
	check "$1: devices are removed" pair_down "$2" "$3"
}

check "the NICs of this host have names" "$lab/vm/peer.sh" nics
traffic virtio p0 p1
traffic e1000e p2 p3
check "the module of the other host unloads" on h1 modprobe -r mrc
