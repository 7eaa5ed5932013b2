#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Packet size of an EV profile ("packet"): a profile goes online, or changes, only if
# the MTU of every port fits; a destination, profile or template is accepted only if
# the MTU of the routes that it uses fits. Each refusal of mrcctl names the MTU to
# set and changes nothing. Configuration only, no traffic.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

# refused_with SENTENCE ARG...: the kernel refuses mrcctl ARG... with exactly
# SENTENCE.
refused_with()
{
	exits_with 2 "${@:2}" && [ "$(cat "$tmp/err")" = "mrcctl: $1" ]
}

# packet_of PROFILE: the packet size that the profile requires now.
packet_of()
{
	h0 -j profile show "$1" dev mrc0 | jq '.[].packet'
}

# fields N: template fields of addresses through T0 number N of each plane.
fields()
{
	echo "fcbbbb00/32,1/4,plane/4,0$1/8,2/4,plane/4,ev/8,dest/32"
}

check "a fabric of two planes comes up" fabric up --planes 2 --t1 2
check "mrc0 with two ports is created" device_add h0
check "format t1 is created" h0 format add t1 dev mrc0 mode srv6 width 8

# --- ports --------------------------------------------------------------------

profile=(profile add srv6 dev mrc0 mode generated format t1 count 4
	 field 8/0xff:0-1)
check "the MTU of port p1 is set to 1500" ip -n h0 link set p1 mtu 1500
# The MTU that refusals name; the checks below show that it is the smallest that fits.
needed=$(h0 "${profile[@]}" packet 4096 2>&1 | sed 's/.*use MTU \([0-9]*\) .*/\1/')
port="cannot carry 4096-byte packets, use MTU $needed"
check "a profile with packet 4096 is refused for a port with MTU 1500" \
	refused_with "MTU 1500 of p1 $port or packet 1024" \
	"${profile[@]}" packet 4096
check "an offline profile may have packet 4096" \
	h0 "${profile[@]}" packet 4096 state offline
check "taking the profile with packet 4096 online is refused" \
	refused_with "MTU 1500 of p1 $port or packet 1024" \
	profile set srv6 dev mrc0 state online
check "the profile goes online with packet 1024" \
	h0 profile set srv6 dev mrc0 packet 1024 state online
check "packet 4096 is refused for the online profile" \
	refused_with "MTU 1500 of p1 $port or packet 1024" \
	profile set srv6 dev mrc0 packet 4096
check_equal "the online profile keeps packet 1024 after the refusal" \
	"$(packet_of srv6)" 1024
check "the MTU of port p1 is set to one less than needed" \
	ip -n h0 link set p1 mtu $((needed - 1))
check "packet 4096 is refused for a port with one byte less than needed" \
	refused_with "MTU $((needed - 1)) of p1 $port or packet 2048" \
	profile set srv6 dev mrc0 packet 4096
check "the MTU of port p1 is set to the MTU of the refusal" \
	ip -n h0 link set p1 mtu "$needed"
check "the profile takes packet 4096 with the MTU of the refusal" \
	h0 profile set srv6 dev mrc0 packet 4096

# --- routes of SRv6 paths --------------------------------------------------------

# narrow PREFIX GATEWAY: add a route through port 2 with MTU 1500, less than the MTU
# of the port.
narrow()
{
	ip -n h0 route add "$1" via "$2" dev p1 mtu 1500
}

gateway=fe80::ff:fe00:1100
srv6=(2001:db8:101::1/128 dev mrc0 profile srv6 template rail
      number 0x11013101)
route="route MTU 1500 of p1 $port"
check "template rail is created" \
	h0 template add rail dev mrc0 ev-bits 8 dest-bits 32 \
	field "$(fields 0)"
check "a route with MTU 1500 to T0 0 of plane 1 is added" \
	narrow fcbb:bb00:1100::/48 "$gateway"
check "a destination behind a route with MTU 1500 is refused" \
	refused_with "$route" \
	dest add "${srv6[@]}"
check_equal "the refused destination is not shown" "$(h0 -j dest show)" '[]'
check "profile srv6 is set to packet 1024" \
	h0 profile set srv6 dev mrc0 packet 1024
check "the destination is accepted with packet 1024" h0 dest add "${srv6[@]}"
check "packet 4096 is refused while the destination has a route with MTU 1500" \
	refused_with "$route" \
	profile set srv6 dev mrc0 packet 4096
check_equal "profile srv6 keeps packet 1024 after the refusal" \
	"$(packet_of srv6)" 1024
check "packet 0 is accepted behind a route with MTU 1500" \
	h0 profile set srv6 dev mrc0 packet 0
check "the route with MTU 1500 is deleted" \
	ip -n h0 route del fcbb:bb00:1100::/48
check "packet 4096 is accepted after the route with MTU 1500 is deleted" \
	h0 profile set srv6 dev mrc0 packet 4096
check "a route with MTU 1500 to T0 1 of plane 1 is added" \
	narrow fcbb:bb00:1101::/48 "$gateway"
check "a template through a route with MTU 1500 is refused" \
	refused_with "$route" \
	template set rail dev mrc0 ev-bits 8 dest-bits 32 field "$(fields 1)"
check "template rail keeps its fields after the refusal" \
	grep -q "plane/4,0/8" <(h0 template show rail)
check "a template through addresses without a route is accepted" \
	h0 template set rail dev mrc0 ev-bits 8 dest-bits 32 \
	field "fcbbcc00/32,1/4,plane/4,01/8,2/4,plane/4,ev/8,dest/32"

# --- routes to the peer -----------------------------------------------------------

check "profile auto without SRv6 is created" \
	h0 profile add auto dev mrc0 mode auto count 8 packet 4096
for dst in 2001:db8:101::2 10.101.0.2; do
	via=$gateway
	[[ $dst == *:* ]] || via="inet6 $gateway"
	# shellcheck disable=SC2086
	check "$dst: a route with MTU 1500 to the peer is added" \
		ip -n h0 route add "$dst" via $via dev p1 mtu 1500
	check "$dst: a destination with packet 4096 is refused" \
		refused_with "$route" \
		dest add "$dst" dev mrc0 profile auto
	check "$dst: profile auto is set to packet 1024" \
		h0 profile set auto dev mrc0 packet 1024
	check "$dst: a destination with packet 1024 is accepted" \
		h0 dest add "$dst" dev mrc0 profile auto
	check "$dst: packet 4096 is refused for profile auto while the peer uses it" \
		refused_with "$route" \
		profile set auto dev mrc0 packet 4096
	check "$dst: the destination is deleted" h0 dest del "$dst" dev mrc0
	check "$dst: profile auto takes packet 4096 without the destination" \
		h0 profile set auto dev mrc0 packet 4096
done

# --- text of refusals --------------------------------------------------------

check "port p1 is taken down to be renamed" ip -n h0 link set p1 down
check "port p1 is renamed to the 15-character name enp193s0f11np15" \
	ip -n h0 link set p1 name enp193s0f11np15
check "the MTU of enp193s0f11np15 is set to 1500" \
	ip -n h0 link set enp193s0f11np15 mtu 1500
check "the refusal for a port with a 15-character name is complete" \
	refused_with "MTU 1500 of enp193s0f11np15 $port" \
	profile set srv6 dev mrc0 packet 4096
