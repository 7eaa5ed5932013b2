#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The test network (lab/fabric.sh) itself, tested with ping and iperf3 on plain
# net devices, without an RDMA device: every SRv6 path leads through its T1 switch,
# plain routes work on every plane, a cut link, switch or port carries nothing, and
# a restored one carries packets again.

. "$(dirname "$0")/lib/test.sh"

peer6=$(address_of h1 6)
peer4=$(address_of h1 4)

# Packets that T1 switch $1 has sent to the T0 switch of h1.
forwarded()
{
	local plane=${1#t1-}

	nsenter --net="/run/netns/$1" awk -v dev="t0-${plane%-*}-1:" \
		'$1 == dev { print $11 }' /proc/net/dev
}

# Number of echo requests that h1 has received.
echoes()
{
	nsenter --net=/run/netns/h1 awk '/^Icmp6InEchos / { print $2 }' \
		/proc/net/snmp6
}

# Send one ping to the SRv6 destination $3 through port p$1; succeed if T1 $2
# has carried the request and h1 has received it. The reply is ignored: its path
# is any, perhaps one that has been cut.
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

# Ping h1 over each plane in turn; the reply may use any plane.
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

# path_state_is 0|1 T1: the path through T1 does not work (0) or works (1).
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
check_equal "the fabric has 16 paths from h0 to h1" \
	"$(fabric paths h0 h1 | wc -l)" 16
check "every SRv6 path leads through its T1 switch" every_path_works
check "plain packets reach h1 on every plane (IPv6, IPv4)" every_plane_routes
check "TCP works on plain routes" tcp_flows

fabric cut t0-0-0:t1-0-2
check "the path over the cut link t0-0-0:t1-0-2 carries nothing" \
	path_state_is 0 t1-0-2
check "the path through t1-0-1 works while link t0-0-0:t1-0-2 is cut" \
	path_state_is 1 t1-0-1
fabric restore t0-0-0:t1-0-2
check "the path over the restored link t0-0-0:t1-0-2 carries packets" \
	path_state_is 1 t1-0-2

fabric cut t1-1-3
check "the path through the cut switch t1-1-3 carries nothing" \
	path_state_is 0 t1-1-3
fabric restore t1-1-3
check "the path through the restored switch t1-1-3 carries packets" \
	path_state_is 1 t1-1-3

fabric cut t0-2-1:t1-2-0 silent
check "the path over the silently cut link t0-2-1:t1-2-0 carries nothing" \
	path_state_is 0 t1-2-0
fabric restore t0-2-1:t1-2-0
check "the path over link t0-2-1:t1-2-0 carries packets after the silent cut" \
	path_state_is 1 t1-2-0

fabric cut h0:p3
check "host port h0:p3 loses its carrier when it is cut" \
	wait_for "$patience" has_carrier 0
fabric restore h0:p3
check "host port h0:p3 has its carrier when it is restored" \
	wait_for "$patience" has_carrier 1
check "plane 3 carries packets after host port h0:p3 is restored" \
	path_state_is 1 t1-3-0

check_fails "fabric.sh refuses to cut a link that does not exist" \
	"no such link or switch" \
	fabric cut t0-0-0:t1-0-9
fabric down

check "two directly connected hosts come up" fabric simple --links 2
check "directly connected hosts reach each other (IPv6)" \
	on h0 ping -q -c 1 -W 3 -I p1 "$peer6"
check "directly connected hosts reach each other (IPv4)" \
	on h0 ping -q -c 1 -W 3 "$peer4"
check "a port of directly connected hosts can be cut" fabric cut h0:p1
check "the cut port of directly connected hosts can be restored" \
	fabric restore h0:p1
check "directly connected hosts reach each other after the port is restored" \
	wait_for "$patience" on h0 ping -q -c 1 -W 3 -I p1 "$peer6"
