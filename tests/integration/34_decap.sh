#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Decapsulation by the device, on a host whose stack has no End.DT6 and takes no
# SRv6 at all: packets for the uSID prefix of the port they come by, those that
# a raw peer has spoilt, and traffic over all paths of the fabric.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ctllib.sh"

program=$lib/../../build/tests/mrc_peer
# Leads to h1 on the link; see fabric.sh.
sid=fcbb:bb00:3001::
prefixes='["fcbb:bb00:3000::/48","fcbb:bb00:3100::/48","fcbb:bb00:3200::/48",
	   "fcbb:bb00:3300::/48"]'

# The stack of HOST leaves micro-segments alone.
no_srv6()
{
	local dev

	ip -n "$1" -6 route show | awk '/seg6local/ { print $1 }' |
		xargs -r -n 1 ip -n "$1" -6 route del || return
	for dev in all default p0 p1 p2 p3; do
		on "$1" sysctl -qw "net.ipv6.conf.$dev.seg6_enabled=0" \
			2> /dev/null
	done
	! ip -n "$1" -6 route show | grep seg6local
}

has_gids()
{
	gid_index h1 6 && gid_index h1 4
}

decapsulated()
{
	counter "$1" decapsulated_pkts
}

# port_set HOST ARG...
port_set()
{
	on "$1" mrcctl port set dev "mrc${1#h}" port "${@:2}"
}

# usids HOST: give all four ports their prefixes.
usids()
{
	local p

	for p in 0 1 2 3; do
		port_set "$1" "$((p + 1))" usid "fcbb:bb00:3${p}0${1#h}::/48" ||
			return
	done
}

# --- packets of a raw peer ------------------------------------------------------

check "two hosts come up" fabric simple
check "one has a device" on h1 rdma link add mrc1 type mrc netdev p0
check "with its addresses" wait_for "$patience" has_gids
check "second ones, and a way to it through SRv6" peer_target h1 "$sid"
check "of which the stack knows nothing" no_srv6 h1
check "but the device" port_set h1 1 usid "$sid/48"
for group in malformed talk mutate; do
	"$program" -d mrc1 -N /run/netns/h0 -i p0 \
		-m "$(on h1 cat /sys/class/net/p0/address)" \
		-6 "$(address_of h0 6),$(address_of h1 6)" \
		-4 "$(address_of h0 4),$(address_of h1 4)" -S "$sid" -D \
		-n 1000 "$group" > "$tmp/$group" 2>&1
	status=$?
	import_tap < "$tmp/$group"
	check "group $group runs to its end" [ "$status" -le 1 ]
done
check "packets were decapsulated" [ "$(decapsulated h1)" -gt 0 ]
device_del h1
fabric down

# --- what is configured -----------------------------------------------------------

check "two hosts and four planes come up" fabric up
check "devices on both hosts, with GIDs" devices_up device_add 6
check "the stacks leave micro-segments alone" no_srv6 h0
check "both" no_srv6 h1
check "a host is no uSID" refused "no prefix that switches can lead to a host" \
	port set dev mrc0 port 1 usid fe80::/10
check "nor is a group" refused "no prefix that switches can lead to a host" \
	port set dev mrc0 port 1 usid ff02::1
check "nor IPv4" refused "no prefix that switches can lead to a host" \
	port set dev mrc0 port 1 usid 10.0.0.0/8
check "a prefix that is too short" refused "8 to 128 bits, not of 7" \
	port set dev mrc0 port 1 usid fc00::/7
check "bits that are not in it" refused "usid has bits behind its first 48" \
	port set dev mrc0 port 1 usid fcbb:bb00:3001:1::/48
check "a port that is not there" refused "no port 5" \
	port set dev mrc0 port 5 usid "$sid/48"
check_fails "not everybody may" "not permitted" \
	nobody port set dev mrc0 port 1 usid "$sid/48"
check "what is malformed" on h0 "$lib/netlink.py" usid mrc0
check "nothing has been set" json_is '[null,null,null,null]' 'map(.usid)' \
	port show
check "port set usid" usids h0
check "port show has it" json_is "$(jq -c . <<< "$prefixes")" 'map(.usid)' \
	port show
check "dev show, too" json_is "$(jq -c . <<< "$prefixes")" \
	'.[].ports | map(.usid)' dev show
check "in text" grep -q "usid fcbb:bb00:3200::/48" <(h0 dev show)
check "and as a table" grep -q "fcbb:bb00:3200::/48" <(h0 port show)
check "another one" h0 port set dev mrc0 port 2 usid fc00:1::/32
check "is shown" json_is '"fc00:1::/32"' '.[1].usid' port show
check "none" h0 port set dev mrc0 port 2 usid none
check "is shown" json_is 'null' '.[1].usid' port show
check "and again none" h0 port set dev mrc0 port 2 usid none
check "all of them" usids h0

# --- traffic ------------------------------------------------------------------------

check "paths there and back" paths_up
check_equal "the peer has taken nothing off yet" "$(decapsulated h1)" 0
check "port set usid on the peer" usids h1
check "a program that compares every byte" verify_begin -o write -t 8
check "all paths carry data" uses .
check "its packets were decapsulated" [ "$(decapsulated h1)" -gt 1000 ]
check "and the answers" [ "$(decapsulated h0)" -gt 100 ]
check "a port of the peer loses its prefix" port_set h1 3 usid none
check "its paths are given up" uses '^t1-[013]-'
check "it gets it back" port_set h1 3 usid fcbb:bb00:3201::/48
check "they are used" wait_for "$patience" uses .
check "a prefix is changed for the same" usids h1
check "the program has verified all it sent" verify_end
check_equal "no queue pair failed" "$(counter h0 unresponsive_remote_events)" 0
check "it is saved and restored" test -z "$(h0 save | h0 -d restore -)"
check "a port loses its net device" ip -n h1 link del p3
check "and the others theirs" ip -n h1 link del p2
