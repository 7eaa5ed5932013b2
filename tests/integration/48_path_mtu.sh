#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# A profile may say which packets its paths must carry. Ports are looked at when
# it goes online, routes whenever they get to be used: by a new destination,
# another profile or another template. Each refusal says what to do, and changes
# nothing.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ctllib.sh"

# refused_with SENTENCE ARG...: by the kernel, with exactly this sentence.
refused_with()
{
	ends 2 "${@:2}" && [ "$(cat "$tmp/err")" = "mrcctl: $1" ]
}

# What a profile asks for now.
packet_of()
{
	h0 -j profile show "$1" dev mrc0 | jq '.[].packet'
}

# Fields of addresses by way of T0 number $1 of each plane.
fields()
{
	echo "fcbbbb00/32,1/4,plane/4,0$1/8,2/4,plane/4,ev/8,dest/32"
}

check "a fabric of two planes comes up" fabric up --planes 2 --t1 2
check "a device of two ports" device_add h0
check "format" h0 format add t1 dev mrc0 mode srv6 width 8

# --- ports --------------------------------------------------------------------

profile=(profile add srv6 dev mrc0 mode generated format t1 count 4
	 field 8/0xff:0-1)
check "a port becomes narrow" ip -n h0 link set p1 mtu 1500
# The MTU that refusals name: what it takes, which the rest shows to be so.
needed=$(h0 "${profile[@]}" packet 4096 2>&1 | sed 's/.*use MTU \([0-9]*\) .*/\1/')
port="cannot carry 4096-byte packets, use MTU $needed"
check "a profile of full packets is refused" \
	refused_with "MTU 1500 of p1 $port or packet 1024" \
	"${profile[@]}" packet 4096
check "offline it may ask for them" h0 "${profile[@]}" packet 4096 state offline
check "but not go online" refused_with "MTU 1500 of p1 $port or packet 1024" \
	profile set srv6 dev mrc0 state online
check "smaller packets are possible" \
	h0 profile set srv6 dev mrc0 packet 1024 state online
check "online it cannot ask for more" \
	refused_with "MTU 1500 of p1 $port or packet 1024" \
	profile set srv6 dev mrc0 packet 4096
check_equal "and goes on as it was" "$(packet_of srv6)" 1024
check "the port is narrow by one byte" ip -n h0 link set p1 mtu $((needed - 1))
check "so it still cannot" \
	refused_with "MTU $((needed - 1)) of p1 $port or packet 2048" \
	profile set srv6 dev mrc0 packet 4096
check "the port becomes as wide as was said" ip -n h0 link set p1 mtu "$needed"
check "and it can" h0 profile set srv6 dev mrc0 packet 4096

# --- routes of SRv6 paths --------------------------------------------------------

# narrow PREFIX GATEWAY: the route of port 2 carries 1500 bytes, where its device
# would carry more.
narrow()
{
	ip -n h0 route add "$1" via "$2" dev p1 mtu 1500
}

gateway=fe80::ff:fe00:1100
srv6=(2001:db8:101::1/128 dev mrc0 profile srv6 template rail
      number 0x11013101)
route="route MTU 1500 of p1 $port"
check "a template" h0 template add rail dev mrc0 ev-bits 8 dest-bits 32 \
	field "$(fields 0)"
check "a route becomes narrow" narrow fcbb:bb00:1100::/48 "$gateway"
check "a destination behind it is refused" refused_with "$route" \
	dest add "${srv6[@]}"
check_equal "and is not there" "$(h0 -j dest show)" '[]'
check "smaller packets are asked for" \
	h0 profile set srv6 dev mrc0 packet 1024
check "they reach it" h0 dest add "${srv6[@]}"
check "the profile cannot ask for more" refused_with "$route" \
	profile set srv6 dev mrc0 packet 4096
check_equal "and goes on as it is" "$(packet_of srv6)" 1024
check "what asks for nothing is not held back" \
	h0 profile set srv6 dev mrc0 packet 0
check "without that route a wide one is left" ip -n h0 route del fcbb:bb00:1100::/48
check "and more can be asked for" h0 profile set srv6 dev mrc0 packet 4096
check "one for other addresses is narrow" narrow fcbb:bb00:1101::/48 "$gateway"
check "a template that leads there is refused" refused_with "$route" \
	template set rail dev mrc0 ev-bits 8 dest-bits 32 field "$(fields 1)"
check "and goes on as it is" grep -q "plane/4,0/8" <(h0 template show rail)
check "what has no route yet is not judged" \
	h0 template set rail dev mrc0 ev-bits 8 dest-bits 32 \
	field "fcbbcc00/32,1/4,plane/4,01/8,2/4,plane/4,ev/8,dest/32"

# --- routes to the peer -----------------------------------------------------------

check "a profile without SRv6" \
	h0 profile add auto dev mrc0 mode auto count 8 packet 4096
for dst in 2001:db8:101::2 10.101.0.2; do
	via=$gateway
	[[ $dst == *:* ]] || via="inet6 $gateway"
	# shellcheck disable=SC2086
	check "a route to a peer is narrow: $dst" \
		ip -n h0 route add "$dst" via $via dev p1 mtu 1500
	check "full packets cannot go there" refused_with "$route" \
		dest add "$dst" dev mrc0 profile auto
	check "smaller ones are asked for" \
		h0 profile set auto dev mrc0 packet 1024
	check "they can" h0 dest add "$dst" dev mrc0 profile auto
	check "the profile cannot ask for more" refused_with "$route" \
		profile set auto dev mrc0 packet 4096
	check "unless the peer is left out" h0 dest del "$dst" dev mrc0
	check "then it can" h0 profile set auto dev mrc0 packet 4096
done

# --- words ------------------------------------------------------------------------

check "a port with a long name" ip -n h0 link set p1 down
check "as they are today" ip -n h0 link set p1 name enp193s0f11np15
check "is narrow" ip -n h0 link set enp193s0f11np15 mtu 1500
check "the sentence is complete" refused_with "MTU 1500 of enp193s0f11np15 $port" \
	profile set srv6 dev mrc0 packet 4096
