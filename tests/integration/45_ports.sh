#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Ports that an operator takes out of use, or that lose their carrier: the
# device leaves them at once, its peers are told and leave them too, without
# losing a packet on them first; and both take them back.
#
# Every kernel: so do the notifications of network devices.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ctllib.sh"

# at HOST ARG...: mrcctl there.
at()
{
	nsenter --net="/run/netns/$1" mrcctl "${@:2}"
}

# at_is HOST WANTED FILTER ARG...
at_is()
{
	local host=$1 wanted=$2 filter=$3 got

	shift 3
	got=$(at "$host" -j "$@" | jq -c "$filter") || return
	echo "got $got, wanted $wanted"
	[ "$got" = "$wanted" ]
}

# ports_are HOST STATE...: of its ports.
ports_are()
{
	at_is "$1" "\"${*:2}\"" 'map(.state) | join(" ")' port show
}

# down_are HOST [PORT[,PORT]...]: all queue pairs hold the paths of these ports
# for down, and no others.
down_are()
{
	at_is "$1" "[${2:-}]" '[.[].paths[] | select(.state == "down") |
		.port] | unique' qp show paths
}

# What has come over a port of the hosts: bytes that HOST's p<N - 1> received.
received()
{
	"$lib/received.py" "$1" | awk -v dev="p$(($2 - 1))" '$2 == dev { print $3 }'
}

# quiet HOST PORT: no data come to a port while messages arrive by the others.
# What neighbours say to each other is small.
quiet()
{
	local before after

	verify_goes_on || return
	before=$(received "$1" "$2")
	verify_goes_on || return
	after=$(received "$1" "$2")
	echo "before $before, after $after"
	[ $((after - before)) -lt 20000 ]
}

busy()
{
	! quiet "$1" "$2"
}

check "two hosts and four planes come up" fabric up
check "devices on both hosts, with GIDs" devices_up device_add 6
check "paths there and back" paths_up
check "a port that is not there is refused" refused "no port 5: there are 1 to 4" \
	port set dev mrc0 port 5 down
check "what is refused in part changes nothing" \
	on h0 "$lib/netlink.py" halves mrc0
check "all ports are up" ports_are h0 up up up up
check "bursts are as long as before" json_is '[16]' 'map(.burst)' dev show
check_fails "not everybody may" "not permitted" nobody port set dev mrc0 port 1 down

ip netns exec h0 mrcctl -j monitor > "$tmp/events" &
told()
{
	jq -e -s "map(select(.event == \"port\" and .port == $1) |
		.state) == $2" "$tmp/events"
}

check "all ports have the addresses" identities_everywhere
check "as GIDs" wait_for "$patience" eval 'verbs_port=2 have_gids 6'

check "a program that compares every byte" verify_begin -o write -t 8
check "all ports carry data" busy h1 2

check "port set down" at h0 port set dev mrc0 port 2 down
check "its paths are down" down_are h0 2
check "port show has it" ports_are h0 up disabled up up
check_equal "so have verbs" \
	"$(cat /sys/class/infiniband/mrc0/ports/2/state)" "1: DOWN"
check "nothing leaves by it" quiet h1 2
check "the peer leaves it" wait_for "$patience" down_are h1 2
check "its net device loses its carrier" fabric cut h0:p1
check "and gets it back" fabric restore h0:p1
check "which changes nothing" ports_are h0 up disabled up up
check "port set up" at h0 port set dev mrc0 port 2 up
check "its paths are used" wait_for "$patience" down_are h0
check "also by the peer" wait_for "$patience" down_are h1
check "port show has it" ports_are h0 up up up up
check "all ports carry data" busy h1 2
check "the monitor has told" wait_for "$patience" told 2 '["disabled","up"]'

bad=$(counter h0 ev_assumed_bad_events)
check "a port of the peer goes down" at h1 port set dev mrc1 port 3 down
check "it is told" wait_for "$patience" down_are h0 3
check "nothing goes there" quiet h1 3
check "the port comes back" at h1 port set dev mrc1 port 3 up
check "that is told" wait_for "$patience" down_are h0
check "data go there" busy h1 3
check_equal "no path had to be given up for that" \
	"$(counter h0 ev_assumed_bad_events)" "$bad"

check "a port of the peer loses its carrier" fabric cut h1:p3
check "that is told, too" wait_for "$patience" down_are h0 4
check "nothing goes there" quiet h1 4
check "it comes back" fabric restore h1:p3
check "that is told" wait_for "$patience" down_are h0
check "data go there" wait_for "$patience" busy h1 4

check "two ports of each side" at h0 port set dev mrc0 port 1 down
check "are down" at h1 port set dev mrc1 port 2 down
check "the others are left" wait_for "$patience" down_are h0 1,2
check "to both" wait_for "$patience" down_are h1 1,2
check "the program goes on" verify_goes_on
check "one comes back" at h0 port set dev mrc0 port 1 up
check "and the other" at h1 port set dev mrc1 port 2 up
check "all are used" wait_for "$patience" down_are h0
check "the program has verified all it sent" verify_end
check_equal "no queue pair failed" "$(counter h0 unresponsive_remote_events)" 0

# The RDMA core finds the neighbour of a new connection by the port that has
# been chosen for it.
for host in h0 h1; do
	check "the first port of $host is cut" fabric cut "$host:p0"
done
check "new connections by the second one" eval \
	'verbs_port=2 perftest ib_write_bw -s 8192 -n 100'
check "datagrams, too" eval 'verbs_port=2 perftest ib_send_bw -c UD -s 1024 -n 100'
