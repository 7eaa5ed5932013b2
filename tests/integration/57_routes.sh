#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Routes of ports: a path leaves by its own port, whichever route has the best metric;
# a port without a route, or whose next hop does not answer, is not used and its
# paths are not condemned; it is used when that has changed. A port whose MTU, or
# that of its route, is too small for the packets of a queue pair is not used by it
# either.

. "$(dirname "$0")/lib/test.sh"

prefix6=2001:db8:101::/48
prefix4=10.101.0.0/16

# hop PLANE: link-local address of the T0 of h0.
hop()
{
	echo "fe80::ff:fe00:1${1}00"
}

# Replace the routes of h0 to h1, over all planes, by one per plane; each has another
# metric.
routes_by_metric()
{
	local plane

	ip -n h0 -6 route del "$prefix6" && ip -n h0 route del "$prefix4" ||
		return
	for plane in 0 1 2 3; do
		route6 add "$plane" &&
		ip -n h0 route add "$prefix4" via inet6 "$(hop "$plane")" \
			dev "p$plane" metric $((100 + plane)) \
			src "$(address_of h0 4)" || return
	done
}

# route6 add|del PLANE: the route of h0 to h1 over a plane.
route6()
{
	ip -n h0 -6 route "$1" "$prefix6" via "$(hop "$2")" dev "p$2" \
		metric $((100 + $2))
}

# planes_used PLANE...: exactly these planes carry data from h0.
planes_used()
{
	local got

	got=$(used) || return
	got=$(tr ' ' '\n' <<< "$got" | sed -n 's/^t1-\([0-9]\)-.*/\1/p' |
		sort -u | paste -sd ' ')
	echo "planes $got, wanted $*"
	[ "$got" = "$*" ]
}

# unchanged COUNTER COMMAND...: COMMAND succeeds, and COUNTER of h0 has not changed.
unchanged()
{
	local name=$1 before after

	before=$(counter h0 "$name")
	"${@:2}" || return
	after=$(counter h0 "$name")
	echo "$name before $before, after $after"
	[ "$before" -eq "$after" ]
}

# deaf PLANE: the T0 of h0 does not receive neighbour solicitations.
deaf()
{
	tc -n "t0-$1-0" qdisc add dev h0 clsact &&
	tc -n "t0-$1-0" filter add dev h0 ingress protocol ipv6 flower \
		ip_proto icmpv6 action drop
}

# run_planes PLANE...: a new queue pair uses exactly these planes, and retransmits
# nothing.
run_planes()
{
	local status=0

	verify_begin -o write || return
	unchanged retrans_pkts planes_used "$@" || status=1
	verify_end || status=1
	return "$status"
}

run_planes4()
{
	local family=4

	run_planes "$@"
}

# port_is PORT STATE: as "port show" of h0 reports it.
port_is()
{
	local got

	got=$(on h0 mrcctl -j port show | jq -r ".[] | select(.port == $1).state")
	echo "port $1 is $got, wanted $2"
	[ "$got" = "$2" ]
}

# reported STATE: the monitor of h0 has reported that port 3 is in STATE.
reported()
{
	jq -r 'select(.event == "port" and .port == 3).state' "$tmp/events" |
		grep -qx "$1"
}

# reports PORT STATE: how often the monitor of h0 has reported PORT in STATE.
reports()
{
	jq -r "select(.event == \"port\" and .port == $1).state" "$tmp/events" |
		grep -cx "$2"
}

reported_more()
{
	[ "$(reports "$1" "$2")" -gt "$3" ]
}

# second_transfer: another queue pair from h0 to h1 that transfers and closes.
second_transfer()
{
	local port=18651 server status=0

	on h1 "$programs/mrc_verify" -d mrc1 -g "$(gid_index h1 6)" -p "$port" &
	server=$!
	on h0 "$programs/mrc_verify" -d mrc0 -g "$(gid_index h0 6)" -p "$port" \
		-o write -s 8192 -n 200 "$(address_of h1 mgmt)" || status=$?
	wait "$server" && return "$status"
}

# Events are reported in order: those of port 1 come after all earlier ones of port 3.
still_narrow_after_second_transfer()
{
	local up3 up1

	up3=$(reports 3 up) up1=$(reports 1 up)
	second_transfer && on h0 mrcctl port set dev mrc0 port 1 down &&
		on h0 mrcctl port set dev mrc0 port 1 up &&
		wait_for "$patience" reported_more 1 up "$up1" &&
		! reported_more 3 up "$up3" && port_is 3 narrow && return
	cat "$tmp/events"
	return 1
}

# leaves_out_3 COMMAND...: after COMMAND, plane 2 (port 3) is not used, no path is
# condemned and no packet lost.
leaves_out_3()
{
	"$@" && wait_for "$patience" port_is 3 narrow &&
		unchanged ev_assumed_bad_events planes_used 0 1 3 && return
	on h0 mrcctl port show
	ip -n h0 -6 route show "$prefix6"
	return 1
}

uses_3_again()
{
	"$@" && wait_for "$patience" port_is 3 up &&
		wait_for "$patience" planes_used 0 1 2 3
}

check "two hosts and four planes come up" fabric up
check "devices on both hosts, with GIDs" devices_up device_add 6 4
check "h0 has a route for each plane, with metrics that differ" routes_by_metric

check "mrc_verify starts with routes of different metrics" verify_begin -o write
check "IPv6: all planes are used although the routes differ in metric" \
	planes_used 0 1 2 3
check "the route of plane 2 disappears" route6 del 2
check "plane 2 is not used while it has no route" \
	wait_for "$patience" planes_used 0 1 3
check "no path is condemned for want of a route" \
	unchanged ev_assumed_bad_events planes_used 0 1 3
check "the route of plane 2 returns" route6 add 2
check "plane 2 is used when it has a route again" \
	wait_for "$patience" planes_used 0 1 2 3
check "every byte is right" verify_end
check "IPv4: all planes are used although the routes differ in metric" \
	run_planes4 0 1 2 3

check "the T0 of plane 1 does not receive solicitations" deaf 1
check "the next hop of plane 1 is unknown" \
	ip -n h0 neigh flush dev p1
check "a new queue pair leaves out a plane whose next hop is unknown" \
	run_planes 0 2 3
check "mrc_verify starts without plane 1" verify_begin -o write
check "the T0 of plane 1 receives solicitations again" \
	tc -n t0-1-0 qdisc del dev h0 clsact
check "plane 1 is used when its next hop answers" \
	wait_for "$patience" planes_used 0 1 2 3
check "every byte is right after the next hop has answered" verify_end

mtu=$(ip -n h0 -j link show p2 | jq '.[].mtu')
hop=$(hop 2)
ip netns exec h0 mrcctl -j monitor group ports > "$tmp/events" &
monitor=$!
check "mrc_verify starts with ports of MTU $mtu" verify_begin -o write
check "all planes are used before an MTU changes" planes_used 0 1 2 3
check "a port whose MTU becomes too small is left out, its paths are not condemned" \
	leaves_out_3 ip -n h0 link set p2 mtu 2000
check "an event reports the narrow port" wait_for "$patience" reported narrow
check "the port is used again with its old MTU" \
	uses_3_again ip -n h0 link set p2 mtu "$mtu"
check "an event reports the port up" wait_for "$patience" reported up
check "every byte is right after the MTU has changed twice" verify_end
check "mrc_verify starts before the MTU of a route changes" verify_begin -o write
check "a port is left out while its route has too small an MTU" \
	leaves_out_3 ip -n h0 -6 route change "$prefix6" via "$hop" dev p2 \
	metric 102 mtu 2000
check "the port is used again when its route has no MTU" \
	uses_3_again ip -n h0 -6 route change "$prefix6" via "$hop" dev p2 metric 102
check "every byte is right after the MTU of the route has changed" verify_end

check "mrc_verify starts before the MTU of the port changes again" \
	verify_begin -o write
check "the port is left out again" leaves_out_3 ip -n h0 link set p2 mtu 2000
check "the port stays narrow when one of two queue pairs that need its MTU closes" \
	still_narrow_after_second_transfer
check "every byte is right while the port is narrow" verify_end
check "the port is not narrow when no queue pair is left that needs its MTU" \
	wait_for "$patience" port_is 3 up
kill "$monitor"
