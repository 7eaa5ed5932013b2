#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Ports that an operator disables (mrcctl port set) or that lose their carrier: the
# device leaves them immediately and sends port status updates to its peers, which
# leave them without losing a packet on them first; both use the ports again when
# they are up. Ports of peers are ignored if the operator says so. mrc_verify compares
# every byte meanwhile; lab/received shows which ports carry data.
#
# Also: older kernels: notifications of net devices differ between kernels.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

# at_is HOST WANTED FILTER ARG...: as json_is, on HOST.
at_is()
{
	local host=$1 wanted=$2 filter=$3 got

	shift 3
	got=$(at "$host" -j "$@" | jq -c "$filter") || return
	echo "got $got, wanted $wanted"
	[ "$got" = "$wanted" ]
}

# ports_are HOST STATE...: "port show" of HOST reports these states, in order.
ports_are()
{
	at_is "$1" "\"${*:2}\"" 'map(.state) | join(" ")' port show
}

# down_are HOST [PORT[,PORT]...]: in all queue pairs of HOST the paths of these ports
# are down, and no others.
down_are()
{
	at_is "$1" "[${2:-}]" '[.[].paths[] | select(.state == "down") |
		.port] | unique' qp show paths
}

# received HOST N: bytes that port N of HOST, p<N - 1>, has received.
received()
{
	"$programs/received" "$1" | awk -v dev="p$(($2 - 1))" '$2 == dev { print $3 }'
}

# quiet HOST PORT: PORT receives no data while messages arrive by the other ports.
# (Neighbour discovery makes a few small packets.)
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
check "explicit paths in both directions" paths_up
check "port set is refused for port 5 of 4" \
	refused "no port 5: there are 1 to 4" \
	port set dev mrc0 port 5 down
check "netlink requests that are refused in one part are not carried out in the other" \
	on h0 "$tests/tools/netlink/netlink.py" halves mrc0
check "port show reports all four ports of h0 up" ports_are h0 up up up up
check "the refused requests have left burst 16" \
	json_is '[16]' 'map(.burst)' dev show
check_fails "port set without privileges is refused" \
	"not permitted" unprivileged port set dev mrc0 port 1 down

ip netns exec h0 mrcctl -j monitor > "$tmp/events" &
# monitored PORT STATES: the monitor has reported exactly these states of PORT.
monitored()
{
	jq -e -s "map(select(.event == \"port\" and .port == $1) |
		.state) == $2" "$tmp/events"
}

check "identities on all ports" identities_on_all_ports
check "port 2 of both hosts has its GID" \
	wait_for "$patience" eval 'verbs_port=2 have_gids 6'

check "mrc_verify from h0 to h1 starts" verify_begin -o write -t 8
check "port 2 of h1 receives data before port set down" busy h1 2

check "port 2 of mrc0 can be set down" at h0 port set dev mrc0 port 2 down
check "h0: the paths of port 2, and no others, are down after port set down" \
	down_are h0 2
check "port show of h0 reports port 2 disabled" ports_are h0 up disabled up up
check_equal "verbs report port 2 of mrc0 DOWN" \
	"$(cat /sys/class/infiniband/mrc0/ports/2/state)" "1: DOWN"
check "port 2 of h1 receives no data while port 2 of h0 is disabled" quiet h1 2
check "h1: the paths of port 2, and no others, are down while h0 has it disabled" \
	wait_for "$patience" down_are h1 2
check "the net device of disabled port 2 of h0 can lose its carrier" \
	fabric cut h0:p1
check "the net device of disabled port 2 of h0 can get its carrier back" \
	fabric restore h0:p1
check "port 2 of h0 stays disabled when its carrier returns" \
	ports_are h0 up disabled up up
check "port 2 of mrc0 can be set up" at h0 port set dev mrc0 port 2 up
check "h0: no path is down after port set up of port 2" \
	wait_for "$patience" down_are h0
check "h1: no path is down after port set up of port 2 of h0" \
	wait_for "$patience" down_are h1
check "port show reports all four ports of h0 up after port set up" \
	ports_are h0 up up up up
check "port 2 of h1 receives data after port set up" busy h1 2
check "mrcctl monitor reports port 2 disabled, then up" \
	wait_for "$patience" monitored 2 '["disabled","up"]'

bad=$(counter h0 ev_assumed_bad_events)
check "port 3 of mrc1 can be set down" at h1 port set dev mrc1 port 3 down
check "h0: the paths of port 3, and no others, are down while h1 has it disabled" \
	wait_for "$patience" down_are h0 3
check "port 3 of h1 receives no data while it is disabled" quiet h1 3
check "dev set peer-ports ignore of mrc0 succeeds" \
	at h0 dev set mrc0 peer-ports ignore
check "h0: no path is down with peer-ports ignore" \
	wait_for "$patience" down_are h0
check "port 3 of h1 receives data with peer-ports ignore of mrc0" \
	wait_for "$patience" busy h1 3
check "dev set peer-ports trust of mrc0 succeeds" \
	at h0 dev set mrc0 peer-ports trust
check "h0: the paths of port 3, and no others, are down with peer-ports trust" \
	wait_for "$patience" down_are h0 3
check "port 3 of mrc1 can be set up" at h1 port set dev mrc1 port 3 up
check "h0: no path is down after port 3 of h1 is set up" \
	wait_for "$patience" down_are h0
check "port 3 of h1 receives data after it is set up" busy h1 3
check_equal "no path of h0 has become ASSUMED_BAD while port 3 of h1 was disabled" \
	"$(counter h0 ev_assumed_bad_events)" "$bad"

check "port 4 of h1 loses its carrier" fabric cut h1:p3
check "h0: the paths of port 4, and no others, are down while h1 has no carrier there" \
	wait_for "$patience" down_are h0 4
check "port 4 of h1 receives no data without carrier" quiet h1 4
check "port 4 of h1 gets its carrier back" fabric restore h1:p3
check "h0: no path is down after port 4 of h1 has its carrier back" \
	wait_for "$patience" down_are h0
check "port 4 of h1 receives data after it has its carrier back" \
	wait_for "$patience" busy h1 4

check "port 1 of mrc0 can be set down before port 2 of mrc1" \
	at h0 port set dev mrc0 port 1 down
check "port 2 of mrc1 can be set down while port 1 of mrc0 is down" \
	at h1 port set dev mrc1 port 2 down
check "h0: the paths of ports 1 and 2, and no others, are down" \
	wait_for "$patience" down_are h0 1,2
check "h1: the paths of ports 1 and 2, and no others, are down" \
	wait_for "$patience" down_are h1 1,2
check "mrc_verify goes on while each host has one port disabled" verify_goes_on
check "port 1 of mrc0 can be set up while port 2 of mrc1 is down" \
	at h0 port set dev mrc0 port 1 up
check "port 2 of mrc1 can be set up after port 1 of mrc0" \
	at h1 port set dev mrc1 port 2 up
check "h0: no path is down after all ports are set up" \
	wait_for "$patience" down_are h0
check "mrc_verify ends, every byte is right" verify_end
check_equal "no queue pair of h0 failed" \
	"$(counter h0 unresponsive_remote_events)" 0

# The RDMA core resolves the neighbour of a new connection on the port that the
# application has chosen.
for host in h0 h1; do
	check "port 1 of $host is cut" fabric cut "$host:p0"
done
check "ib_write_bw on verbs port 2 connects while port 1 is cut" eval \
	'verbs_port=2 perftest ib_write_bw -s 8192 -n 100'
check "ib_send_bw with UD on verbs port 2 works while port 1 is cut" \
	eval 'verbs_port=2 perftest ib_send_bw -c UD -s 1024 -n 100'
