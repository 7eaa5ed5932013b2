#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The test network itself: every SRv6 path leads through its T1, plain routing
# works on every plane, cuts cut and restoring restores.

. "$(dirname "$0")/lib.sh"

peer6=$(address_of h1 6)
peer4=$(address_of h1 4)

# Packets that T1 switch $1 has sent towards h1's T0.
forwarded()
{
	local plane=${1#t1-}

	nsenter --net="/run/netns/$1" awk -v dev="t0-${plane%-*}-1:" \
		'$1 == dev { print $11 }' /proc/net/dev
}

# Echo requests that h1 has got.
echoes()
{
	nsenter --net=/run/netns/h1 awk '/^Icmp6InEchos / { print $2 }' \
		/proc/net/snmp6
}

# Send one ping by way of the SRv6 destination $3 out of port p$1, and see that
# T1 $2 carried it and h1 got it. The reply comes back by any path, perhaps by
# one that has been cut: it says nothing.
path_works()
{
	local forwarded_before echoes_before

	ip -n h0 route replace "$peer6/128" encap seg6 mode encap.red \
		segs "$3" dev "p$1" src "$(address_of h0 6)" || return
	forwarded_before=$(forwarded "$2")
	echoes_before=$(echoes)
	on h0 ping -q -c 1 -W 3 "$peer6"
	[ "$(echoes)" -gt "$echoes_before" ] &&
		[ "$(forwarded "$2")" -gt "$forwarded_before" ]
}

every_path_works()
{
	local plane t1 segs failed=0

	while read -r plane _ t1 segs _; do
		path_works "$plane" "$t1" "$segs" ||
			{ echo "no way through $t1 ($segs)"; failed=1; }
	done < <(fabric paths h0 h1)
	ip -n h0 route del "$peer6/128"
	return "$failed"
}

# Requests leave by one plane; a reply may come back by any.
every_plane_routes()
{
	local plane hop

	for plane in 0 1 2 3; do
		hop="fe80::ff:fe00:1${plane}00 dev p$plane"
		ip -n h0 -batch - <<-END
			route replace $peer6/128 via $hop
			route replace $peer4/32 via inet6 $hop
		END
		on h0 ping -q -c 1 -W 3 "$peer6" || return
		on h0 ping -q -c 1 -W 3 "$peer4" || return
	done
	ip -n h0 route del "$peer6/128"
	ip -n h0 route del "$peer4/32"
}

path_of()
{
	fabric paths h0 h1 | grep " $1 "
}

# $1 = 0 or 1: does the path by T1 $2 work?
path_state_is()
{
	local plane t1 segs state=1

	read -r plane _ t1 segs _ < <(path_of "$2")
	path_works "$plane" "$t1" "$segs" || state=0
	ip -n h0 route del "$peer6/128"
	[ "$state" -eq "$1" ]
}

has_carrier()
{
	[ "$(on h0 cat /sys/class/net/p3/carrier)" -eq "$1" ]
}

tcp_flows()
{
	on h1 iperf3 -s -1 > /dev/null &
	wait_for "$patience" listening h1 5201 || return
	on h0 iperf3 -c "$peer6" -n 16M
}

check "a fabric of 4 planes comes up" fabric up
check_equal "there are 16 paths" "$(fabric paths h0 h1 | wc -l)" 16
check "every path leads through its T1" every_path_works
check "plain packets reach the peer on every plane" every_plane_routes
check "TCP works on plain routes" tcp_flows

fabric cut t0-0-0:t1-0-2
check "a cut link carries nothing" path_state_is 0 t1-0-2
check "its neighbour does" path_state_is 1 t1-0-1
fabric restore t0-0-0:t1-0-2
check "the restored link carries again" path_state_is 1 t1-0-2

fabric cut t1-1-3
check "a cut switch carries nothing" path_state_is 0 t1-1-3
fabric restore t1-1-3
check "the restored switch carries again" path_state_is 1 t1-1-3

fabric cut t0-2-1:t1-2-0 silent
check "a silent cut carries nothing" path_state_is 0 t1-2-0
fabric restore t0-2-1:t1-2-0
check "it can be restored too" path_state_is 1 t1-2-0

fabric cut h0:p3
check "a cut host port loses carrier" wait_for "$patience" has_carrier 0
fabric restore h0:p3
check "a restored host port has carrier" wait_for "$patience" has_carrier 1
check "and its plane carries again" path_state_is 1 t1-3-0

check_fails "an unknown link is refused" "no such link or switch" \
	fabric cut t0-0-0:t1-0-9
fabric down

check "two hosts joined directly come up" fabric simple --links 2
check "they reach each other (IPv6)" \
	on h0 ping -q -c 1 -W 3 -I p1 "$peer6"
check "they reach each other (IPv4)" on h0 ping -q -c 1 -W 3 "$peer4"
check "a cut works there too" fabric cut h0:p1
check "and so does restoring it" fabric restore h0:p1
check "they reach each other again" \
	on h0 ping -q -c 1 -W 3 -I p1 "$peer6"
