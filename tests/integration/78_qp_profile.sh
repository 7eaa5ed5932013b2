#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Queue pairs that are bound to an EV profile and a CC profile: they use the paths of
# this profile only, whatever is configured for their destination, and keep the profiles
# from being removed. The entropy values are SRv6 addresses, without a template, as in
# the MRC control API. The receive counters of the T1 switches show which paths carry
# data.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

# path_to T1: port and outer destination of the path from h0 to h1 through this switch.
path_to()
{
	local plane=${1#t1-} t1=${1##*-}

	plane=${plane%-*}
	fabric paths h0 h1 |
		awk -v port=$((plane + 1)) -v n="$t1" \
			'$2 == port && i++ == n { print $2, $4 }'
}

# hex ADDRESS: an IPv6 address as 32 hexadecimal digits.
hex()
{
	/usr/bin/python3 -c 'import ipaddress, sys
print(ipaddress.ip_address(sys.argv[1]).packed.hex())' "$1"
}

# ev_add PROFILE INDEX T1: the entropy value of the path through a switch.
ev_add()
{
	local port sid

	read -r port sid < <(path_to "$3")
	h0 profile ev "$1" dev mrc0 index "$2" port "$port" bits "$(hex "$sid")"
}

# The queue pairs of h0 that send.
qpns()
{
	h0 -j qp show dev mrc0 | jq '.[] | select(.state == "RTS") | .qpn'
}

# qps_set ARG...: set attributes of all of them.
qps_set()
{
	local qpn

	for qpn in $(qpns); do
		h0 qp set dev mrc0 qpn "$qpn" "$@" || return
	done
}

check "two hosts and four planes come up" fabric up
check "devices on both hosts, with GIDs" devices_up device_add 6
check "explicit paths between h0 and h1 are added" paths_up

check "format add of SRv6 addresses succeeds" \
	h0 format add address dev mrc0 mode srv6 width 32,32,32,32
full=32/0xffffffff:0-0
check "profile add of two addresses succeeds" \
	h0 profile add two dev mrc0 mode explicit format address count 2 min-active 1 \
	field "$full,$full,$full,$full" state offline
check "the first path is through t1-0-1" ev_add two 0 t1-0-1
check "the second path is through t1-2-3" ev_add two 1 t1-2-3
check "the profile goes online" h0 profile set two dev mrc0 state online
check "cc add of a profile with a fixed window succeeds" \
	h0 cc add still dev mrc0 algorithm fixed window 65536 state online

check "mrc_verify starts" verify_begin -o write
check "all T1 switches carry data with explicit paths" uses .
check "qp set of the profiles succeeds under traffic" \
	qps_set profile two cc still
check "only the two paths of the profile carry data" uses '^t1-(0-1|2-3)$'
check "qp show reports the profiles and two paths" \
	json_is '[["profile","two","still","fixed",2]]' \
	'map(select(.state == "RTS") | [.mode, .profile, ."cc-profile", .algorithm, (.paths | length)]) | unique' \
	qp show dev mrc0 paths
check "path show reports the paths by QP" \
	json_is '[["profile",1],["profile",3]]' \
	'map(select(.qpn) | [.mode, .port]) | unique' path show dev mrc0
check "the profile cannot be removed" refused "in use by" \
	profile del two dev mrc0
check "the profile cannot be taken offline" refused "in use by" \
	profile set two dev mrc0 state offline
check "the CC profile cannot be removed" refused "in use by" \
	cc del still dev mrc0
check "a denied entropy value carries no data" \
	h0 profile ev two dev mrc0 index 0 deny
check "only t1-2-3 carries data" uses '^t1-2-3$'
check "it is allowed again" h0 profile ev two dev mrc0 index 0 allow
check "both carry data" uses '^t1-(0-1|2-3)$'
ip netns exec h0 mrcctl -j monitor group paths >> "$tmp/events" 2>&1 &
monitor=$!
# event STATE: a path event with the profile and the index of t1-0-1.
event()
{
	jq -es --arg state "$1" \
		'any(.[]; .profile == "two" and .index == 0 and .state == $state)' \
		"$tmp/events"
}
check "t1-0-1 is cut silently" fabric cut t1-0-1 silent
check "an event reports index 0 of the profile as bad" \
	wait_for "$patience" event bad
check "t1-0-1 is restored" fabric restore t1-0-1
check "an event reports index 0 of the profile as good" \
	wait_for "$patience" event good
check "profile set of events good succeeds" \
	h0 profile set two dev mrc0 events good
check "profile show reports it" json_is '["good"]' 'map(.events)' \
	profile show two
: > "$tmp/events"
check "t1-0-1 is cut silently again" fabric cut t1-0-1 silent
check "only t1-2-3 carries data then" \
	wait_for "$patience" uses '^t1-2-3$'
check "t1-0-1 is restored again" fabric restore t1-0-1
check "an event reports index 0 as good again" wait_for "$patience" event good
check_fails "no event has reported it as bad" false event bad
kill "$monitor"
check "qp set refuses an unknown profile" refused "no profile nope" \
	qp set dev mrc0 qpn "$(qpns | head -n 1)" profile nope
check "qp set refuses an unknown QP" refused "no QP 3" \
	qp set dev mrc0 qpn 3 timeout 10
check "qp set refuses the PSN window of a QP in RTS" \
	refused "mpr: the QP is ready to send already" \
	qp set dev mrc0 qpn "$(qpns | head -n 1)" mpr 128
check "qp set without attribute is refused" refused "no attribute" \
	qp set dev mrc0 qpn "$(qpns | head -n 1)"
check_fails "users without privileges cannot set attributes" "permitted" \
	unprivileged qp set dev mrc0 qpn 2 timeout 10
check "qp set of retries succeeds" qps_set timeout 14 linear 1 exp 25
check "qp show reports them" json_is '[[14,1,25]]' \
	'map(select(.state == "RTS") | [.timeout, .linear, .exp]) | unique' \
	qp show dev mrc0
check "qp set of the profiles of the destination succeeds" \
	qps_set profile default cc default
check "all T1 switches carry data again" uses .
check "the profile can be removed" h0 profile del two dev mrc0
check "mrc_verify has compared all data" verify_end
