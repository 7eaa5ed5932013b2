#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What is on the wire: one path of the fabric is captured at each hop, both
# ways, and every packet compared with Documentation/wire-format.md (capture.py),
# and with what tshark's dissector of InfiniBand sees.

. "$(dirname "$0")/lib.sh"

# Entropy values that use all bits of port and flow label.
ev_data=0x1234abcd
ev_answers=0x5678ef01
points=(h0:p0 t0-0-0:t1-0-0 t1-0-0:t0-0-1 t0-0-1:h1 h1:p0)
fields=(ipv6.dst ipv6.hlim ipv6.tclass ipv6.flow ipv6.nxt udp.srcport
	udp.dstport udp.checksum.status infiniband.bth.opcode
	infiniband.bth.se infiniband.bth.m infiniband.bth.padcnt
	infiniband.bth.tver infiniband.bth.p_key infiniband.bth.destqp
	infiniband.bth.a infiniband.bth.reserved7 infiniband.bth.psn)
declare -A capturing=()

# capture_begin NAMESPACE INTERFACE FILE FILTER: it runs when this returns.
capture_begin()
{
	ip netns exec "$1" tcpdump -Z root -i "$2" --immediate-mode -U \
		-w "$tmp/$3.pcap" -s 0 "$4" 2> "$tmp/$3.log" &
	capturing[$3]=$!
	wait_for "$patience" grep -q "listening on" "$tmp/$3.log"
}

# Each capture has the same packets when it is complete.
all_captured()
{
	local sizes

	sizes=$(for point in "${points[@]}"; do
		stat -c %s "$tmp/${point%:*}.pcap"
	done | sort -u)
	[ "$(wc -l <<< "$sizes")" -eq 1 ] && [ "$sizes" -gt 4096 ]
}

capture_end()
{
	kill -TERM "${capturing[$1]}"
	wait "${capturing[$1]}"
	cat "$tmp/$1.log"
	grep -q "^0 packets dropped by kernel" "$tmp/$1.log"
}

# dissect FILE: what tshark makes of a capture, one line for each packet.
dissect()
{
	HOME=$tmp tshark -r "$tmp/$1.pcap" -o udp.check_checksum:TRUE \
		-T fields -E occurrence=a "${fields[@]/#/-e}" \
		> "$tmp/$1.txt" 2> "$tmp/$1.log"
}

# Packets are on the wire what they are without offloads: whole, one by one, with
# their checksums.
real_packets()
{
	on h0 ethtool -K p0 tx off gso off tso off gro off &&
		on h1 ethtool -K p0 tx off gso off tso off gro off
}

probed()
{
	[ "$(on h0 mrcctl -j qp show | jq '.[0].probes_tx')" -gt 0 ]
}

check "two hosts and a plane come up" fabric up --planes 1
check "without offloads" real_packets
check "devices on both hosts, with GIDs" devices_up device_add 6
check "one path there" on h0 mrcctl path add dev mrc0 \
	dst "$(address_of h1 6)" ev "$ev_data" port 1 \
	sid fcbb:bb00:1000:2000:1001:3001::
check "and back" on h1 mrcctl path add dev mrc1 \
	dst "$(address_of h0 6)" ev "$ev_answers" port 1 \
	sid fcbb:bb00:1001:2000:1000:3000::

for point in "${points[@]}"; do
	check "capture at $point" capture_begin "${point%:*}" "${point#*:}" \
		"${point%:*}" "ip6 proto 41"
done
check "six messages" verify -o write -n 6 -s 9999 -m 4096
check "all captures have as much" wait_for "$patience" all_captured
for point in "${points[@]}"; do
	check "all of $point has been captured" capture_end "${point%:*}"
done

# Before the program, so that none is missed; behind two IPv6 headers and UDP
# is the opcode.
check "probes are captured" capture_begin h0 p0 probes \
	"ip6 proto 41 and ip6[88] = 0xde"
# A slow host must not use up the retries before the path lives again.
check "a program runs" verify_begin -o write -s 9999 \
	--ack-timeout 20
check "the path dies" fabric cut t1-0-0 silent
check "and is probed" wait_for "$patience" probed
check "it lives again" fabric restore t1-0-0
check "and the program goes on" verify_goes_on
check "no probe was lost before it was captured" capture_end probes
check "the program has verified all it sent" verify_end

for name in "${points[@]%:*}" probes; do
	check "tshark reads what $name has seen" dissect "$name"
done
check_tap "their comparison" \
	"$lib/capture.py" "$tmp" "$ev_data" "$ev_answers"
