#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Entropy values without SRv6: EV format udp puts them into the UDP source port, stev
# into source port and flow label. tcpdump shows that each port of the peer receives the
# values of that port and no others, while mrc_verify compares every byte.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

# capture_data PORT: 200 data packets that PORT of h1 receives, as tcpdump prints them.
capture_data()
{
	local capture

	ip netns exec h1 tcpdump -Z root -i "$1" --immediate-mode -U -c 200 -s 128 \
		-Q in -w "$tmp/$1.pcap" "udp dst port 4791 and greater 1000" \
		2> "$tmp/$1.log" &
	capture=$!
	wait_for "$patience" grep -q "listening on" "$tmp/$1.log" || return
	verify_goes_on
	wait_for "$patience" finished "$capture" || return
	tcpdump -n -v -r "$tmp/$1.pcap" 2> /dev/null
}

# source_ports PORT, flow_labels PORT: sorted values in data that PORT of h1 receives.
source_ports()
{
	capture_data "$1" | grep -oP '\.\K\d+(?= > )' | sort -u | paste -sd ' '
}

flow_labels()
{
	capture_data "$1" | grep -oP 'flowlabel \K\w+' | sort -u | paste -sd ' '
}

finished()
{
	! kill -0 "$1"
}

check "two hosts come up" fabric simple --links 2
check "devices on both hosts, with GIDs" devices_up device_add 6 4

# --- udp, generated ----------------------------------------------------------------

check "udp: a format of two fields is created" \
	h0 format add ecmp dev mrc0 mode udp width 8,8
check "udp: a generated profile of four values is created" \
	h0 profile add ecmp dev mrc0 mode generated format ecmp \
	count 4 field 8=0xc0,8/0xff:1-4
for family in 6 4; do
	dst=$(address_of h1 "$family")
	check "udp, IPv$family: a destination with the profile is added" \
		h0 dest add "$dst" dev mrc0 profile ecmp
	mapfile -t wanted < <(h0 -j path show dst "$dst" |
		jq -r 'group_by(.port) | .[] | map(.ev) | sort | join(" ")')
	check_equal "udp, IPv$family: path show lists the four values of the profile" \
		"$(xargs -n 1 <<< "${wanted[*]}" | sort | paste -sd ' ')" \
		"49153 49154 49155 49156"
	check "udp, IPv$family: mrc_verify starts" \
		verify_begin -o write
	for port in 0 1; do
		check_equal "udp, IPv$family: port p$port of h1 receives the source ports of its two values" \
			"$(source_ports "p$port")" "${wanted[port]}"
	done
	check "udp, IPv$family: mrc_verify ends, every byte is right" verify_end
done
family=6
dst=$(address_of h1 6)

# --- stev, explicit -------------------------------------------------------------------

check "stev: a format of flow label and port is created" \
	h0 format add stev dev mrc0 mode stev \
	width 16,16
check "stev: an explicit profile of four values is created" \
	h0 profile add stev dev mrc0 mode explicit format stev \
	count 4 field 16/0xffff,16/0xffff
i=0
for bits in 000ac001 0b00c002; do
	for port in 1 2; do
		check "stev: value $bits of port $port is set" \
			h0 profile ev stev dev mrc0 \
			index "$i" port "$port" bits "$bits"
		i=$((i + 1))
	done
done
check "stev: the profile goes online" h0 profile set stev dev mrc0 state online
check "stev: the destination uses the profile" \
	h0 dest replace "$dst" dev mrc0 profile stev
check "stev: mrc_verify starts" verify_begin -o write
for port in p0 p1; do
	check_equal "stev: $port of h1 receives the source ports of its values" \
		"$(source_ports "$port")" "49153 49154"
	check_equal "stev: $port of h1 receives the flow labels of its values" \
		"$(flow_labels "$port")" \
		"0x0000a 0x00b00"
done
check "stev: a value of port 1 is replaced under traffic" \
	h0 profile ev stev dev mrc0 index 0 port 1 \
	bits 000dc003
check "stev: packets that were sent before the replacement arrive" verify_goes_on
check_equal "stev: p0 of h1 receives the flow label of the replaced value" \
	"$(flow_labels p0)" "0x0000d 0x00b00"
check_equal "stev: p1 of h1 receives the same flow labels as before" \
	"$(flow_labels p1)" \
	"0x0000a 0x00b00"
check "stev: mrc_verify ends, every byte is right" verify_end
check "stev: ib_write_bw" perftest ib_write_bw -s 65536 -n 200
check_equal "no queue pair of h0 failed" \
	"$(counter h0 unresponsive_remote_events)" 0
