#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The controller API of libmrc: what it sets, mrcctl shows, and the other way round; EV
# probes; the tutorial's controller; privileges. 58_libmrc_paths has events of paths.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

export LD_LIBRARY_PATH=$root/build/lib
api=$programs/mrc_api

# of_api ARG...: run mrc_api for mrc0 in the namespace of h0.
of_api()
{
	nsenter --net=/run/netns/h0 "$api" mrc0 "$@"
}

tutorial()
{
	cc -Wall -I"$root/userspace/libmrc/include" -o "$tmp/$1" \
		"$root/userspace/libmrc/examples/$1.c" -L"$root/build/lib" \
		-lmrc -libverbs
}

# answered N PORTS: the last probe has N responses, at ports PORTS.
answered()
{
	cat "$tmp/probes"
	grep -q "^all, $1 of $1$" "$tmp/probes" &&
		[ "$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$tmp/probes" |
		     sort | tr -d '\n')" = "$2" ]
}

check "two hosts with two links come up" fabric simple --links 2
check "mrc0 and mrc1 with two ports each, with GIDs" devices_up device_add 6

# --- what the API sets, mrcctl shows -------------------------------------------

check_tap "libmrc" of_api setup
check "mrcctl shows format 13" json_is '["13","stev","online",[16,16]]' \
	'.[] | [.name, .mode, .state, .width]' format show dev mrc0
check "mrcctl shows EV profile 13, its format and count" \
	json_is '["13","explicit","online","13",4]' \
	'.[] | [.name, .mode, .state, .format, .count]' profile show dev mrc0
check "mrcctl shows CC profile 13" json_is '["13","nscc","online"]' \
	'.[] | [.name, .algorithm, .state]' cc show dev mrc0

# --- what mrcctl sets, the API shows --------------------------------------------

check "mrcctl takes EV profile 13 offline" h0 profile set 13 dev mrc0 state offline
check "mrcctl brings it online again" h0 profile set 13 dev mrc0 state online
check_tap "libmrc removes what it has made" of_api clear
check "mrcctl shows no EV profile any more" json_is '[]' . profile show dev mrc0

# --- the tutorial's controller ---------------------------------------------------

check "the tutorial's controller is built" tutorial controller
check_equal "the tutorial's controller makes two paths on each port" \
	"$(on h0 "$tmp/controller" mrc0 2>&1 | tr '\n' ';')" \
	"ev 0x10000 port 1 denied;ev 0x10001 port 1 good;ev 0x20000 port 2 good;ev 0x20001 port 2 good;"
check "the tutorial's application is built" tutorial write
check_equal "the tutorial's application uses the profile" \
	"$(on h1 "$tmp/controller" mrc1 > /dev/null 2>&1
	   MRC_QP_EV_PROFILE_ID=1 "$tmp/write" mrc0 mrc1 "$(gid_index h0 6)" 2>&1)" \
	"written by MRC"
chmod 755 "$tmp"
check_fails "without privilege a controller changes nothing" \
	"Operation not permitted" on h0 setpriv --reuid 65534 --regid 65534 \
	--clear-groups env LD_LIBRARY_PATH="$LD_LIBRARY_PATH" \
	"$tmp/controller" mrc0

# --- probes -----------------------------------------------------------------------

# Numbers as entropy values, in two formats, over both ports; 58_libmrc_paths has SRv6.
probe()
{
	local i mode

	for i in 0 1 2 3; do
		mode=stev
		[ $((i % 2)) -eq 0 ] || mode=udp
		echo "$(address_of h1 6) $((1 + i % 2)) $mode $((0x1234 + i))"
	done | of_api probe 1000000000 > "$tmp/probes" 2>&1
}

probe
check "probes with STEV and UDP are answered on both ports" answered 4 1122

# probe_from ADDRESS RESULT: one probe with an own address has this result.
second=2001:db8:201::1
probe_from()
{
	echo "$(address_of h1 6) 1 stev 5 $1" | of_api probe 1000000000 > "$tmp/probes" 2>&1
	cat "$tmp/probes"
	grep -q "^$2$" "$tmp/probes"
}

second_address()
{
	ip -n h0 addr add "$second/128" dev p0 nodad &&
		wait_for "$patience" gid_find mrc0 "$second"
}
check "h0 has a second address" second_address
check "a probe from the second address of h0 is not answered while h1 has no route to it" \
	probe_from "$second" "Connection timed out, 0 of 1"
check "h1 gets a route to the second address of h0" \
	ip -n h1 route add "$second/128" dev p0
check "a probe from the second address of h0 is answered when h1 has a route to it" \
	probe_from "$second" "all, 1 of 1"
check "a probe from an address that h0 does not have is refused" \
	probe_from "${second%1}2" "Invalid argument, 0 of 1"
check "the net device p1 of h1 is taken down" ip -n h1 link set p1 down
probe
check "probes through a port whose link is down are not answered" \
	grep -q "^Connection timed out, 2 of 4$" "$tmp/probes"
check "the net device p1 of h1 is brought up" ip -n h1 link set p1 up
