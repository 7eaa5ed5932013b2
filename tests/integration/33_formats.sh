#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Entropy values without SRv6: format udp puts them into the UDP source port,
# stev into source port and flow label. Each port of the peer sees the values of
# that port and no others, while every byte is compared.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ctllib.sh"

# names FIELD PORT: values of tshark's FIELD in packets of data that come to a
# port of h1, in order.
names()
{
	local port=$2 capture

	ip netns exec h1 tcpdump -Z root -i "$port" --immediate-mode -U -c 200 -s 128 \
		-Q in -w "$tmp/$port.pcap" "udp dst port 4791 and greater 1000" \
		2> "$tmp/$port.log" &
	capture=$!
	wait_for "$patience" grep -q "listening on" "$tmp/$port.log" || return
	verify_goes_on
	wait_for "$patience" finished "$capture" || return
	HOME=$tmp tshark -r "$tmp/$port.pcap" -T fields -e "$1" 2> /dev/null |
		sort -u | paste -sd ' '
}

finished()
{
	! kill -0 "$1"
}

check "two hosts come up" fabric simple --links 2
check "devices on both hosts, with GIDs" devices_up device_add 6 4

# --- udp, generated ----------------------------------------------------------------

check "a format of two fields" h0 format add ecmp dev mrc0 mode udp width 8,8
check "a profile" h0 profile add ecmp dev mrc0 mode generated format ecmp \
	count 4 field 8=0xc0,8/0xff:1-4
for family in 6 4; do
	dst=$(address_of h1 "$family")
	check "for a peer, IPv$family" h0 dest add "$dst" dev mrc0 profile ecmp
	mapfile -t wanted < <(h0 -j path show dst "$dst" |
		jq -r 'group_by(.port) | .[] | map(.ev) | sort | join(" ")')
	check_equal "its four values, two by each port" \
		"$(xargs -n 1 <<< "${wanted[*]}" | sort | paste -sd ' ')" \
		"49153 49154 49155 49156"
	check "a program that compares every byte begins" \
		verify_begin -o write -s 65536
	for port in 0 1; do
		check_equal "are the source ports that come to port $port" \
			"$(names udp.srcport "p$port")" "${wanted[port]}"
	done
	check "it has verified all it sent" verify_end
done
family=6
dst=$(address_of h1 6)

# --- stev, explicit -------------------------------------------------------------------

check "a format of flow label and port" h0 format add stev dev mrc0 mode stev \
	width 16,16
check "a profile" h0 profile add stev dev mrc0 mode explicit format stev \
	count 4 field 16/0xffff,16/0xffff
i=0
for bits in 000ac001 0b00c002; do
	for port in 1 2; do
		check "value $bits by port $port" h0 profile ev stev dev mrc0 \
			index "$i" port "$port" bits "$bits"
		i=$((i + 1))
	done
done
check "online" h0 profile set stev dev mrc0 state online
check "for the peer" h0 dest replace "$dst" dev mrc0 profile stev
check "a program that compares every byte begins" verify_begin -o write -s 65536
for port in p0 p1; do
	check_equal "source ports that come to $port" \
		"$(names udp.srcport "$port")" "49153 49154"
	check_equal "and flow labels" "$(names ipv6.flow "$port")" \
		"0x00000a 0x000b00"
done
check "a value is replaced" h0 profile ev stev dev mrc0 index 0 port 1 \
	bits 000dc003
check_equal "on its port" "$(names ipv6.flow p0)" "0x00000d 0x000b00"
check_equal "and not on another one" "$(names ipv6.flow p1)" \
	"0x00000a 0x000b00"
check "it has verified all it sent" verify_end
check "ib_write_bw" perftest ib_write_bw -s 65536 -n 200
check_equal "no queue pair failed" "$(counter h0 unresponsive_remote_events)" 0
