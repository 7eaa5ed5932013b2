#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# EV formats, EV profiles, templates, destinations and deny rules: every mrcctl
# command in text and JSON, refusals of the kernel and their messages; then changes
# under traffic of ib_write_bw and of mrc_verify, which compares every byte. The
# receive counters of the T1 switches show which paths carry data.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

# fields_of T0 T1: template fields for the uSIDs of fabric.sh: T0 of the host, T1, T0
# of the peer, the peer.
t1_of_ev=ev@0/8
fields_of()
{
	echo "fcbbbb00/32,1/4,plane/4,$1/8,2/4,plane/4,$2,1/4,plane/4,dest@0/8,3/4,plane/4,dest@8/8"
}

# reported N: perftest has printed more than N lines of results.
reported()
{
	[ "$(grep -c '^ *8192' "$tmp/perftest")" -gt "$1" ]
}

# Start ib_write_bw from h0 to h1, which runs until it is killed.
perftest_begin()
{
	: > "$tmp/perftest"
	perftest_server ib_write_bw -F -s 8192 -t 4 -D 1 --run_infinitely ||
		return
	perftest_peer=$server
	# Not with "on": $! would be the process of a subshell.
	ip netns exec h0 ib_write_bw -F -d mrc0 -x "$(gid_index h0 6)" -s 8192 \
		-t 4 -D 1 --run_infinitely "$(address_of h1 mgmt)" \
		> "$tmp/perftest" 2>&1 &
	perftest_client=$!
	perftest_goes_on
}

perftest_goes_on()
{
	wait_for "$patience" reported \
		"$(grep -c '^ *8192' "$tmp/perftest")" && return
	cat "$tmp/perftest" "$tmp/server"
	return 1
}

check "two hosts and four planes come up" fabric up
check "devices on both hosts, with GIDs" devices_up device_add 6

# --- formats ---------------------------------------------------------------------

check "format add of an srv6 format succeeds" \
	h0 format add t1 dev mrc0 mode srv6 width 8
check "format show reports the format in text" \
	grep -qx "t1 dev mrc0 mode srv6 width 8 state online users 0" \
	<(h0 format show)
check "format show reports the format in JSON" \
	json_is '[["t1","srv6",[8],"online"]]' \
	'map([.name, .mode, .width, .state])' format show t1 dev mrc0
check "format add of an existing format is refused" refused "format t1 exists" \
	format add t1 dev mrc0 mode udp width 16
check "format add without fields is refused" refused "no fields" \
	format add f2 dev mrc0 mode udp
check "format add of 17 bits for udp is refused" \
	refused "fields have 17 bits, udp has 16" \
	format add f2 dev mrc0 mode udp width 16,1
check "format add of 17 bits for udp in state init succeeds" \
	h0 format add f2 dev mrc0 mode udp width 16,1 state init
check "taking a format of 17 bits from init to offline is refused" \
	refused "udp has 16" \
	format set f2 dev mrc0 state offline
check "a corrected format goes from init to offline" \
	h0 format set f2 dev mrc0 width 8,8 state offline
check "an offline format goes online" h0 format set f2 dev mrc0 state online
check "format set of an online format is refused" \
	refused "format f2 is online" \
	format set f2 dev mrc0 width 16
check "taking an online format to init is refused" \
	refused "take it offline first" \
	format set f2 dev mrc0 state init
check "an online format goes offline" h0 format set f2 dev mrc0 state offline
check "an offline format goes to init" h0 format set f2 dev mrc0 state init
check "format del of a format in init succeeds" h0 format del f2 dev mrc0
check "format del of an unknown format is refused" refused "no format f2" \
	format del f2 dev mrc0
check "format add with an invalid name is refused" \
	refused "begins with a letter" \
	format add 2f dev mrc0 mode udp width 16
check "format add with a number as name succeeds" \
	h0 format add 20 dev mrc0 mode udp width 16
check "format del of the number succeeds" h0 format del 20 dev mrc0
check "format add with a number that begins with 0 is refused" \
	refused "begins with a letter" \
	format add 020 dev mrc0 mode udp width 16

# --- profiles ----------------------------------------------------------------------

check "profile add of a generated profile succeeds" \
	h0 profile add clos dev mrc0 mode generated format t1 \
	count 16 field 8/0xff:0-3
check "profile show reports the profile in text" \
	grep -q "^clos dev mrc0 mode generated format t1 count 16" \
	<(h0 profile show)
check "profile show reports the profile in JSON" \
	json_is '["clos","online",["8/0xff:0-3"],[]]' \
	'.[] | [.name, .state, .field, .evs]' profile show clos
check "the generated profile has each of its four values on each port" \
	json_is '[[1,4],[2,4],[3,4],[4,4]]' \
	'.[].evs | group_by(.port) | map([.[0].port, (map(.bits) | unique | length)])' \
	profile show clos evs
check "profile add of a field with the range 0-0 succeeds" \
	h0 profile add zero dev mrc0 mode generated format t1 \
	count 16 field 8/0x3:0-0
check "the profile whose field has the range 0-0 has all values of the mask" \
	json_is '[4,4]' '.[] | [(.evs | map(.bits) | unique | length), (.evs | map(.port) | unique | length)]' \
	profile show zero evs
check "profile del of that profile succeeds" h0 profile del zero dev mrc0
check "taking a format in use by a profile offline is refused" \
	refused "in use by 1" \
	format set t1 dev mrc0 state offline
check "format del of a format in use by a profile is refused" \
	refused "in use by 1" format del t1 dev mrc0
check "profile add of a generated profile without a format is refused" \
	refused "no format" \
	profile add p2 dev mrc0 mode generated count 16 field 8
check "profile add with an unknown format is refused" refused "no format nope" \
	profile add p2 dev mrc0 mode generated count 16 field 8 format nope
check "profile add with more EVs than the fields make is refused" \
	refused "20 EVs, but the fields make 16" \
	profile add p2 dev mrc0 mode generated format t1 count 20 field 8/0xff:0-3
check "profile add with a count that ports cannot share equally is refused" \
	refused "shared equally" \
	profile add p2 dev mrc0 mode generated format t1 count 15 field 8/0xff
check "profile add of 257 EVs is refused" refused "257 EVs, 256 are possible" \
	profile add p2 dev mrc0 mode generated format t1 count 257 field 8/0xff
mtu=$(on h0 cat /sys/class/net/p0/mtu)
check "profile set packet 8192 is refused for the MTU of the ports" \
	refused "MTU $mtu of p0 cannot carry 8192-byte packets, use MTU [0-9]* or packet 4096" \
	profile set clos dev mrc0 packet 8192
check "profile set packet 4096 succeeds" \
	h0 profile set clos dev mrc0 packet 4096
check "profile set of the format of an online profile is refused" \
	refused "profile clos is online" \
	profile set clos dev mrc0 format t1

check "profile add of an explicit profile succeeds" \
	h0 profile add list dev mrc0 mode explicit format t1 count 2 field 8/0xff
check "a new explicit profile is offline and has no EVs" \
	json_is '["offline",[]]' '.[] | [.state, .evs]' \
	profile show list evs
check "taking an explicit profile with unset EVs online is refused" \
	refused "EV 0 of 2 is not set" \
	profile set list dev mrc0 state online
check "profile ev sets EV 0 of the explicit profile" \
	h0 profile ev list dev mrc0 index 0 port 1 bits 02
check "profile ev sets EV 1 of the explicit profile" \
	h0 profile ev list dev mrc0 index 1 port 4 bits 03
check "an explicit profile with all EVs set goes online" \
	h0 profile set list dev mrc0 state online
check "profile show evs reports the EVs of the explicit profile" \
	json_is '[[0,1,"02",16777218],[1,4,"03",67108867]]' \
	'.[].evs | map([.index, .port, .bits, .ev])' profile show list evs
check "profile ev with a value that the profile has is refused" \
	refused "EV 1 is in the profile already" \
	profile ev list dev mrc0 index 1 port 1 bits 02
check "profile ev of index 2 of a profile of 2 is refused" \
	refused "EV 2 of a profile of 2" \
	profile ev list dev mrc0 index 2 port 1 bits 02
check "profile ev with port 5 of 4 is refused" refused "no port 5" \
	profile ev list dev mrc0 index 1 port 5 bits 02
check "profile ev with bits behind the format is refused" \
	refused "bits behind the 8" \
	profile ev list dev mrc0 index 1 port 1 bits 022
check "of several EV edits in one netlink message each succeeds or fails by itself" \
	on h0 "$tests/tools/netlink/netlink.py" edits mrc0 list
check "profile show evs reports the successful edits of the message" \
	json_is '[[0,1,"02",1],[1,2,"05",0]]' \
	'.[].evs | map([.index, .port, .bits, .denied])' profile show list evs
check "profile ev of a generated profile is refused" refused "are generated" \
	profile ev clos dev mrc0 index 1 port 1 bits 02
check "profile del of the explicit profile succeeds" \
	h0 profile del list dev mrc0

# --- templates and destinations ------------------------------------------------------

check "template add of template rail succeeds" \
	h0 template add rail dev mrc0 ev-bits 8 dest-bits 16 \
	field "$(fields_of 0 $t1_of_ev)"
check "template show reports template rail in text" \
	grep -q "field fcbbbb00/32,1/4,plane/4,0/8,2/4" \
	<(h0 template show rail)
check "template show reports template rail in JSON" \
	json_is "\"$(fields_of 0 $t1_of_ev)\"" \
	'.[].field | join(",")' template show
check "template add with a field that ends inside a uSID is refused" \
	refused "inside uSID" \
	template add t2 dev mrc0 field fcbbbb00/32,1/16,1/4
check "template add with uSIDs of 32 bits succeeds" \
	h0 template add wide dev mrc0 block 32 usid 32 \
	ev-bits 8 dest-bits 16 field fcbbbb00/32,220000/24,ev@0/8,3101/16,dest@0/16
check "template add with EV bits beyond ev-bits is refused" \
	refused "field 2: EV bits 4..11 of 8" \
	template add t2 dev mrc0 ev-bits 8 field fcbbbb00/32,ev@4/8,0/8

check "dest add with a template of 32-bit uSIDs succeeds" \
	h0 dest add fd00:1::/48 dev mrc0 profile clos \
	template wide number 0x0101
check "path show reports paths with 32-bit uSIDs" \
	json_is '["fcbb:bb00:2200:3:3101:101::"]' 'map(.sid) | unique' \
	path show dst fd00:1::1 usid 22000003
check "path deny of a 32-bit uSID succeeds" h0 path deny dev mrc0 usid 22000003
check "path show reports the four paths through the denied uSID" \
	json_is 4 length \
	path show dst fd00:1::1 state denied
check "path allow of a 32-bit uSID succeeds" \
	h0 path allow dev mrc0 usid 22000003
check "path show reports no denied path after path allow" \
	json_is 0 length path show dst fd00:1::1 state denied
check "dest del of the destination with 32-bit uSIDs succeeds" \
	h0 dest del fd00:1::/48 dev mrc0

dst=$(address_of h1 6)
check "dest add of h1 with number 0x0101 succeeds" \
	h0 dest add "$dst" dev mrc0 profile clos template rail \
	number 0x0101
check "dest show reports the destination in text" grep -qx \
	"$dst/128 dev mrc0 profile clos template rail number 257" <(h0 dest show)
check "dest add of an existing destination is refused" refused "exists" \
	dest add "$dst" dev mrc0 profile clos template rail number 1
check "dest replace of an existing destination succeeds" \
	h0 dest replace "$dst" dev mrc0 profile clos \
	template rail number 0x0101
check "dest add of a shorter prefix succeeds" \
	h0 dest add 2001:db8::/32 dev mrc0 profile clos \
	template rail number 0x0909
check "dest show reports destinations in order of their prefixes" \
	json_is '["2001:db8::/32","'"$dst"'/128"]' 'map(.dst)' \
	dest show
check "dest show of a prefix reports the destinations inside" \
	json_is 1 length dest show "$dst"
check "dest add with a number longer than dest-bits is refused" \
	refused "does not fit" \
	dest add fd00::/64 dev mrc0 profile clos template rail number 0x10000
check "dest add with an SRv6 profile without a template is refused" \
	refused "dst needs a template" \
	dest add fd00::/64 dev mrc0 profile clos
check "dest add with an SRv6 profile to an IPv4 prefix is refused" \
	refused "IPv4" \
	dest add 10.0.0.0/8 dev mrc0 profile clos template rail
check "dest add with bits behind the prefix is refused" \
	refused "bits behind its first 16" \
	dest add fd00::1/16 dev mrc0 profile clos template rail
check "dest add with an unknown profile is refused" refused "no profile nope" \
	dest add fd00::/64 dev mrc0 profile nope
check "dest del of an unknown destination is refused" refused "no such dst" \
	dest del fd00::/64 dev mrc0
check "dest del of the shorter prefix succeeds" \
	h0 dest del 2001:db8::/32 dev mrc0
check "taking a profile in use by a destination offline is refused" \
	refused "in use by 1, cannot go offline" \
	profile set clos dev mrc0 state offline
check "profile del of a profile in use by a destination is refused" \
	refused "profile clos is in use" \
	profile del clos dev mrc0
check "template del of a template in use by a destination is refused" \
	refused "template rail is in use" \
	template del rail dev mrc0

check "profile add of an automatic profile succeeds" \
	h0 profile add few dev mrc0 mode auto count 8
check "dest add of 0.0.0.0/0 with the automatic profile succeeds" \
	h0 dest add 0.0.0.0/0 dev mrc0 profile few

# --- many destinations -------------------------------------------------------

for i in {0..2047}; do
	printf 'dest add fd00:%x::/48 dev mrc0 profile clos template rail number %d\n' \
		"$i" "$((i % 256 + 1))"
done > "$tmp/batch"
check "a batch adds 2048 destinations" h0 -b "$tmp/batch"
check "dest show reports each of the 2050 destinations once" \
	json_is '[2050,2050]' \
	'[length, (map(.dst) | unique | length)]' dest show
sed 's/add/del/; s/ profile.*//' "$tmp/batch" > "$tmp/undo"
check "a batch deletes 2048 destinations" h0 -b "$tmp/undo"
check "dest show reports the two destinations from before the batch" \
	json_is 2 length dest show

# --- paths ------------------------------------------------------------------------------

check "explicit paths from h1 to h0 are added" paths_add h1 h0

perftest_limit=3600 check "ib_write_bw starts" perftest_begin
check "mrc_verify starts" verify_begin -o write -t 8
check "both queue pairs have the 16 paths of the profile" \
	json_is '[["profile",16],["profile",16]]' \
	'map([.mode, (.paths | length)])' qp show dev mrc0 paths
check "all T1 switches carry data with the profile" uses .

check "path deny of switch uSID 2203 (t1-2-3) succeeds" \
	h0 path deny dev mrc0 usid 2203
check "t1-2-3 carries no data after path deny of its uSID" \
	uses '^t1-(.-[012]|[013]-3)'
check "path rules reports the deny rule in text" \
	grep -qx "dev mrc0 usid 2203" <(h0 path rules)
check "path rules reports the deny rule in JSON" \
	json_is '[{"dev":"mrc0","usid":"2203"}]' . \
	path rules
check "path deny of an existing rule is refused" refused "exists" \
	path deny dev mrc0 usid 2203
check "path allow of switch uSID 2203 succeeds" h0 path allow dev mrc0 usid 2203
check "all T1 switches carry data after path allow of uSID 2203" uses .
check "path allow without such a rule is refused" refused "no such rule" \
	path allow dev mrc0 usid 2203
check "path deny without a criterion is refused" \
	refused "needs dst, ev, port or usid" \
	path deny dev mrc0

check "path deny of an IPv4 prefix succeeds" \
	h0 path deny dev mrc0 dst 192.0.2.0/24
check "path rules reports the IPv4 prefix" \
	grep -qx "dev mrc0 dst 192.0.2.0/24" <(h0 path rules)
check "path allow of the IPv4 prefix succeeds" \
	h0 path allow dev mrc0 dst 192.0.2.0/24

check "path deny of link 1100 to 2102 (t0-1-0:t1-1-2) succeeds" \
	h0 path deny dev mrc0 usid 1100 next 2102
check "t1-1-2 carries no data after path deny of its link" \
	uses '^t1-([023]-|1-[013])'
check "path deny of port 4 succeeds" h0 path deny dev mrc0 port 4
check "plane 3 carries no data after path deny of port 4" \
	uses '^t1-([02]-|1-[013])'
check "path deny of EV 0x1000000 of the peer succeeds" \
	h0 path deny dev mrc0 dst "$dst" ev 0x1000000
check "t1-0-0 carries no data after path deny of its EV" \
	uses '^t1-(0-[123]|2-|1-[013])'
check "path deny of port 1 to another prefix succeeds" \
	h0 path deny dev mrc0 dst 2001:db8:77::/48 port 1
check "path deny of another prefix does not change the paths of this peer" \
	uses '^t1-(0-[123]|2-|1-[013])'
for rule in "usid 1100 next 2102" "port 4" "dst $dst ev 0x1000000" \
	    "dst 2001:db8:77::/48 port 1"; do
	# shellcheck disable=SC2086
	check "path allow of '$rule' succeeds" h0 path allow dev mrc0 $rule
done
check "all T1 switches carry data after all rules are removed" uses .

index=$(h0 -j profile show clos evs |
	jq '.[].evs[] | select(.port == 2 and .bits == "01") | .index')
check "profile ev deny of value 01 on port 2 succeeds" \
	h0 profile ev clos dev mrc0 index "$index" deny
check "t1-1-1 carries no data after profile ev deny" uses '^t1-([023]-|1-[023])'
check "profile ev allow of value 01 on port 2 succeeds" \
	h0 profile ev clos dev mrc0 index "$index" allow

check "template set to T1 2 only succeeds under traffic" \
	h0 template set rail dev mrc0 \
	ev-bits 8 dest-bits 16 field "$(fields_of 0 2/8)"
check "only the third T1 of each plane carries data after template set" \
	uses '^t1-.-2'
check "template set to the previous fields succeeds under traffic" \
	h0 template set rail dev mrc0 \
	ev-bits 8 dest-bits 16 field "$(fields_of 0 $t1_of_ev)"
check "all T1 switches carry data with the previous template" uses .
check "profile set to values 1 and 2 succeeds under traffic" \
	h0 profile set clos dev mrc0 \
	count 8 field 8/0xff:1-2
check "T1 1 and 2 of each plane carry data after profile set" uses '^t1-.-[12]'
check "both queue pairs have the 8 paths of the changed profile" \
	json_is '[8,8]' 'map(.paths | length)' \
	qp show dev mrc0 paths
check "template set with another ev-bits than the profile is refused" \
	refused "makes EVs of 8 bits, the template takes 4" \
	template set rail dev mrc0 ev-bits 4 dest-bits 16 \
	field "$(fields_of 0 ev@0/4,0/4)"
check "an explicit path through t1-0-3 is added under traffic" \
	h0 path add dev mrc0 dst "$dst" ev 1 \
	port 1 sid fcbb:bb00:1000:2003:1001:3001::
check "only t1-0-3 carries data with one explicit path" uses '^t1-0-3'
check "an explicit path through t1-2-0 is added under traffic" \
	h0 path add dev mrc0 dst "$dst" ev 2 \
	port 3 sid fcbb:bb00:1200:2200:1201:3201::
check "only t1-0-3 and t1-2-0 carry data with two explicit paths" \
	uses '^t1-(0-3|2-0)'
check "path flush of the peer succeeds under traffic" \
	h0 path flush dev mrc0 dst "$dst"
check "T1 1 and 2 of each plane carry data after path flush" uses '^t1-.-[12]'
check "mrc_verify ends, every byte is right" verify_end
check "ib_write_bw has gone on during all changes" perftest_goes_on
check "ib_write_bw is killed on both hosts" \
	kill "$perftest_client" "$perftest_peer"
wait "$perftest_client" "$perftest_peer"
check_equal "no queue pair of h0 failed" \
	"$(counter h0 unresponsive_remote_events)" 0

# --- privileges --------------------------------------------------------------

for command in "format show" "profile show" "template show" "dest show" \
	       "path rules"; do
	# shellcheck disable=SC2086
	check "'$command' works without privileges" unprivileged $command
done
for command in "format del t1 dev mrc0" "profile del clos dev mrc0" \
	       "profile ev clos dev mrc0 index 0 deny" \
	       "template del rail dev mrc0" "dest del $dst dev mrc0" \
	       "path deny dev mrc0 port 1" "path allow dev mrc0 port 1"; do
	# shellcheck disable=SC2086
	check_fails "'$command' is refused without privileges" \
		"not permitted" unprivileged $command
done
check_equal "dest show on h1 reports no destination of h0" \
	"$(on h1 mrcctl -j dest show)" '[]'
check_fails "dest del on h1 does not find the device of h0" \
	"no mrc device mrc0" \
	on h1 mrcctl dest del "$dst" dev mrc0
