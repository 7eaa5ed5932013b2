#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# SRv6 decapsulation by the device, on hosts whose network stack has no End.DT6 route
# and does not accept SRv6: packets of a raw peer (mrc_peer), valid and malformed, and
# where an HMAC is required;
# configuration of the uSID prefixes of ports (mrcctl port set usid); traffic of
# mrc_verify over all paths of the fabric.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

program=$programs/mrc_peer
# Leads to h1 on the link; see fabric.sh.
sid=fcbb:bb00:3001::
prefixes='["fcbb:bb00:3000::/48","fcbb:bb00:3100::/48","fcbb:bb00:3200::/48",
	   "fcbb:bb00:3300::/48"]'

# no_srv6 HOST: remove the SRv6 routes of HOST and disable SRv6 in its stack.
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

# port_set HOST ARG...: run "mrcctl port set" on HOST.
port_set()
{
	on "$1" mrcctl port set dev "mrc${1#h}" port "${@:2}"
}

# usids HOST: set the uSID prefixes of all four ports.
usids()
{
	local p

	for p in 0 1 2 3; do
		port_set "$1" "$((p + 1))" usid "fcbb:bb00:3${p}0${1#h}::/48" ||
			return
	done
}

# --- packets of a raw peer ------------------------------------------------------

check "two hosts on one link come up" fabric simple
check "mrc1 with one port is created on h1" \
	on h1 rdma link add mrc1 type mrc netdev p0
check "mrc1 has the GIDs of h1" wait_for "$patience" has_gids
check "h1 has second addresses and a route for its uSID" peer_target h1 "$sid"
check "one link: SRv6 is switched off in the stack of h1" no_srv6 h1
check "mrc1 gets the uSID prefix of h1" port_set h1 1 usid "$sid/48"
# peer GROUP: run a group of mrc_peer.
peer()
{
	"$program" -d mrc1 -N /run/netns/h0 -i p0 \
		-m "$(on h1 cat /sys/class/net/p0/address)" \
		-6 "$(address_of h0 6),$(address_of h1 6)" \
		-4 "$(address_of h0 4),$(address_of h1 4)" -S "$sid" -D \
		-n 1000 "$1"
}

for group in malformed responder mutate; do
	check_tap "mrc_peer group $group" peer "$group"
done
check "the stack of h1 requires an HMAC in each SRH" \
	on h1 sysctl -qw net.ipv6.conf.p0.seg6_require_hmac=1
check_tap "mrc_peer group hmac" peer hmac
check "h1 has decapsulated packets of mrc_peer" [ "$(decapsulated h1)" -gt 0 ]
device_del h1
fabric down

# --- configuration -----------------------------------------------------------

check "two hosts and four planes come up" fabric up
check "devices on both hosts, with GIDs" devices_up device_add 6
check "four planes: SRv6 is switched off in the stack of h0" no_srv6 h0
check "four planes: SRv6 is switched off in the stack of h1" no_srv6 h1
check "port set usid with a link-local prefix is refused" \
	refused "no prefix that switches can lead to a host" \
	port set dev mrc0 port 1 usid fe80::/10
check "port set usid with a multicast address is refused" \
	refused "no prefix that switches can lead to a host" \
	port set dev mrc0 port 1 usid ff02::1
check "port set usid with an IPv4 prefix is refused" \
	refused "no prefix that switches can lead to a host" \
	port set dev mrc0 port 1 usid 10.0.0.0/8
check "port set usid with a prefix of 7 bits is refused" \
	refused "8 to 128 bits, not of 7" \
	port set dev mrc0 port 1 usid fc00::/7
check "port set usid with bits behind the prefix is refused" \
	refused "usid has bits behind its first 48" \
	port set dev mrc0 port 1 usid fcbb:bb00:3001:1::/48
check "port set usid of port 5 of 4 is refused" refused "no port 5" \
	port set dev mrc0 port 5 usid "$sid/48"
check_fails "port set usid without privileges is refused" "not permitted" \
	unprivileged port set dev mrc0 port 1 usid "$sid/48"
check "malformed netlink requests for a uSID prefix are refused" \
	on h0 "$tests/tools/netlink/netlink.py" usid mrc0
check "the refused requests have set no uSID prefix" \
	json_is '[null,null,null,null]' 'map(.usid)' \
	port show
check "port set usid of all ports of mrc0 succeeds" usids h0
check "port show reports the uSID prefixes, in JSON" \
	json_is "$(jq -c . <<< "$prefixes")" 'map(.usid)' \
	port show
check "dev show reports the uSID prefixes, in JSON" \
	json_is "$(jq -c . <<< "$prefixes")" \
	'.[].ports | map(.usid)' dev show
check "dev show reports a uSID prefix, in text" \
	grep -q "usid fcbb:bb00:3200::/48" <(h0 dev show)
check "port show reports a uSID prefix, as a table" \
	grep -q "fcbb:bb00:3200::/48" <(h0 port show)
check "port set usid replaces the prefix of port 2" \
	h0 port set dev mrc0 port 2 usid fc00:1::/32
check "port show reports the replaced prefix of port 2" \
	json_is '"fc00:1::/32"' '.[1].usid' port show
check "port set usid none of port 2 succeeds" \
	h0 port set dev mrc0 port 2 usid none
check "port show reports no prefix of port 2" \
	json_is 'null' '.[1].usid' port show
check "port set usid none of port 2 without a prefix succeeds" \
	h0 port set dev mrc0 port 2 usid none
check "the uSID prefixes of all ports of mrc0 are set again" usids h0

# --- traffic ------------------------------------------------------------------------

check "explicit paths in both directions" paths_up
check_equal "h1 has decapsulated nothing before it has prefixes" \
	"$(decapsulated h1)" 0
check "port set usid of all ports of mrc1 succeeds" usids h1
check "mrc_verify from h0 to h1 starts" verify_begin -o write -t 8
check "all T1 switches carry data while all ports have prefixes" uses .
check "h1 has decapsulated data packets" [ "$(decapsulated h1)" -gt 1000 ]
check "h0 has decapsulated acknowledgments" [ "$(decapsulated h0)" -gt 100 ]
check "the prefix of port 3 of mrc1 is removed" port_set h1 3 usid none
check "plane 2 carries no data while port 3 of h1 has no prefix" \
	uses '^t1-[013]-'
check "the prefix of port 3 of mrc1 is set again" \
	port_set h1 3 usid fcbb:bb00:3201::/48
check "all T1 switches carry data after port 3 of h1 has its prefix back" \
	wait_for "$patience" uses .
check "setting the same prefixes on mrc1 again succeeds" usids h1
check "mrc_verify ends, every byte is right" verify_end
check_equal "no queue pair of h0 failed" \
	"$(counter h0 unresponsive_remote_events)" 0
check "restoring the saved configuration of mrc0 changes nothing" \
	test -z "$(h0 save | h0 -d restore -)"
check "the net device p3 of h1 can be deleted" ip -n h1 link del p3
check "the net device p2 of h1 can be deleted" ip -n h1 link del p2
