# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# RoCE in software (rdma_rxe) on the network of a drill; to be sourced by
# beside.sh.
#
# Its sockets belong to the initial network namespace, where it also looks up its
# routes (rxe_net_ipv6_init, rxe_find_route6 in the kernel's rxe_net.c). So both ends
# are there, each with a veth into its host, which forwards:
#
#	rxe0, roce0 ---- roce, h0, p0 .. p3 ---- fabric ---- h1, roce ---- roce1, rxe1
#
# A rule before the table of local addresses sends packets out through roce0 or roce1
# although the destination is an address of the same namespace.
#
# For switches a queue pair is one flow with one path. That is the path which the drill
# disturbs: with a random path the fault would have an effect in one of sixteen drills.
# A switch or host stops using it when its link is down, as with any routing.
# Acknowledgments take a path that no drill disturbs.

: "${patience:?}"

roce_table=100
roce_mtu=4500

# roce_address HOST
roce_address()
{
	local id6

	id6=$(address_of "$1" 6)
	echo "${id6%1}e"
}

# roce_end HOST PEER: a veth between the initial namespace and the host.
roce_end()
{
	local host=$1 i=${1#h} inner=02:00:00:00:f0:0${1#h} self peer
	local outer=02:00:00:00:f1:0${1#h}

	self=$(roce_address "$host")
	peer=$(roce_address "$2")
	ip -6 -batch - <<-END &&
	link add roce$i mtu $roce_mtu address $outer type veth peer name roce netns $host mtu $roce_mtu address $inner
	addr add $self/128 dev roce$i nodad
	link set roce$i up
	neigh replace $peer lladdr $inner dev roce$i nud permanent
	route add $peer dev roce$i src $self table $roce_table
	rule add pref 5 oif roce$i lookup $roce_table
	END
	ip -6 -n "$host" -batch - <<-END &&
	link set roce up
	neigh replace $self lladdr $outer dev roce nud permanent
	route add $self dev roce
	END
	on "$host" sysctl -qw net.ipv6.conf.all.forwarding=1
}

# roce_way replace|del FROM TO PLANE T1: the route of packets to TO.
roce_way()
{
	local verb=$1 from=$2 to plane=$4 t1=$5

	to=$(roce_address "$3")
	ip -n "$from" -6 route "$verb" "$to" \
		via "fe80::ff:fe00:1${plane}0${from#h}" dev "p$plane" &&
	ip -n "t0-$plane-${from#h}" -6 route "$verb" "$to" \
		via "fe80::ff:fe00:2${plane}0$t1" dev "t1-$plane-$t1"
}

# roce_ways replace|del PLANE T1
roce_ways()
{
	roce_way "$1" h0 h1 "$2" "$3" && roce_way "$1" h1 h0 0 0
}

roce_ready()
{
	local i

	for i in 0 1; do
		gid_find "rxe$i" "$(roce_address "h$i")" || return
	done
}

# roce_set_up PLANE T1: set up both ends; data take the path by way of this T1.
roce_set_up()
{
	local i

	ip -6 rule add pref 10 lookup local &&
	ip -6 rule del pref 0 &&
	roce_end h0 h1 &&
	roce_end h1 h0 &&
	roce_ways replace "$@" || return
	for i in 0 1; do
		rdma link add "rxe$i" type rxe netdev "roce$i" || return
	done
	wait_for "$patience" roce_ready
}
