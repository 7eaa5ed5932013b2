#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Formats, EV profiles, templates, destinations and rules: every command in text
# and JSON, what is refused and in which words; then changes under ib_write_bw and
# a program that compares every byte, seen at the switches.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ctllib.sh"

# The plan of fabric.sh: T0 of the host, T1, T0 of the peer, the peer.
t1_of_ev=ev@0/8
fields_of()
{
	echo "fcbbbb00/32,1/4,plane/4,$1/8,2/4,plane/4,$2,1/4,plane/4,dest@0/8,3/4,plane/4,dest@8/8"
}

# reported N: lines of results that perftest has printed, more than N.
reported()
{
	[ "$(grep -c '^ *8192' "$tmp/perftest")" -gt "$1" ]
}

# ib_write_bw from h0 to h1 as well, until it is killed.
perftest_begin()
{
	: > "$tmp/perftest"
	perftest_server ib_write_bw -F -s 8192 -t 4 -D 1 --run_infinitely ||
		return
	perftest_peer=$server
	# Without a function between, so that it can be killed.
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

check "format add" h0 format add t1 dev mrc0 mode srv6 width 8
check "format show" grep -qx "t1 dev mrc0 mode srv6 width 8 state online users 0" \
	<(h0 format show)
check "format show, in JSON" json_is '[["t1","srv6",[8],"online"]]' \
	'map([.name, .mode, .width, .state])' format show t1 dev mrc0
check "a format that exists is refused" refused "format t1 exists" \
	format add t1 dev mrc0 mode udp width 16
check "one without fields is refused" refused "no fields" \
	format add f2 dev mrc0 mode udp
check "one that is too wide is refused" refused "fields have 17 bits, udp has 16" \
	format add f2 dev mrc0 mode udp width 16,1
check "unless it need not be right yet" \
	h0 format add f2 dev mrc0 mode udp width 16,1 state init
check "but it cannot go offline" refused "udp has 16" \
	format set f2 dev mrc0 state offline
check "before it is corrected" h0 format set f2 dev mrc0 width 8,8 state offline
check "an offline format goes online" h0 format set f2 dev mrc0 state online
check "where it cannot change" refused "format f2 is online" \
	format set f2 dev mrc0 width 16
check "nor be reset in one step" refused "take it offline first" \
	format set f2 dev mrc0 state init
check "step by step it can" h0 format set f2 dev mrc0 state offline
check "to the beginning" h0 format set f2 dev mrc0 state init
check "format del" h0 format del f2 dev mrc0
check "an unknown format is refused" refused "no format f2" \
	format del f2 dev mrc0
check "a name that is none is refused" refused "begins with a letter" \
	format add 2f dev mrc0 mode udp width 16

# --- profiles ----------------------------------------------------------------------

check "profile add" h0 profile add clos dev mrc0 mode generated format t1 \
	count 16 field 8/0xff:0-3
check "profile show" grep -q "^clos dev mrc0 mode generated format t1 count 16" \
	<(h0 profile show)
check "profile show, in JSON" json_is '["clos","online",["8/0xff:0-3"],[]]' \
	'.[] | [.name, .state, .field, .evs]' profile show clos
check "each plane has each value" json_is '[[1,4],[2,4],[3,4],[4,4]]' \
	'.[].evs | group_by(.port) | map([.[0].port, (map(.bits) | unique | length)])' \
	profile show clos evs
check "its format is in use" refused "in use by 1" \
	format set t1 dev mrc0 state offline
check "and not deleted" refused "in use by 1" format del t1 dev mrc0
check "a profile without a format is refused" refused "no format" \
	profile add p2 dev mrc0 mode generated count 16 field 8
check "with an unknown one too" refused "no format nope" \
	profile add p2 dev mrc0 mode generated count 16 field 8 format nope
check "one of more values than there are is refused" \
	refused "20 EVs, but the fields make 16" \
	profile add p2 dev mrc0 mode generated format t1 count 20 field 8/0xff:0-3
check "one that is uneven over ports is refused" refused "shared equally" \
	profile add p2 dev mrc0 mode generated format t1 count 15 field 8/0xff
check "257 are refused" refused "257 EVs, 256 are possible" \
	profile add p2 dev mrc0 mode generated format t1 count 257 field 8/0xff
mtu=$(on h0 cat /sys/class/net/p0/mtu)
check "packets that a port cannot carry are refused" \
	refused "MTU $mtu of p0 cannot carry 8192-byte packets, use MTU [0-9]* or packet 4096" \
	profile set clos dev mrc0 packet 8192
check "those that it can are not" h0 profile set clos dev mrc0 packet 4096
check "what is online changes no format" refused "profile clos is online" \
	profile set clos dev mrc0 format t1

check "an explicit profile begins offline" \
	h0 profile add list dev mrc0 mode explicit format t1 count 2 field 8/0xff
check "and empty" json_is '["offline",[]]' '.[] | [.state, .evs]' \
	profile show list evs
check "it cannot go online" refused "EV 0 of 2 is not set" \
	profile set list dev mrc0 state online
check "profile ev" h0 profile ev list dev mrc0 index 0 port 1 bits 02
check "another one" h0 profile ev list dev mrc0 index 1 port 4 bits 03
check "with all it can" h0 profile set list dev mrc0 state online
check "they are shown" json_is '[[0,1,"02",16777218],[1,4,"03",67108867]]' \
	'.[].evs | map([.index, .port, .bits, .ev])' profile show list evs
check "the same twice is refused" refused "EV 1 is in the profile already" \
	profile ev list dev mrc0 index 1 port 1 bits 02
check "a third is refused" refused "EV 2 of a profile of 2" \
	profile ev list dev mrc0 index 2 port 1 bits 02
check "a port that is none is refused" refused "no port 5" \
	profile ev list dev mrc0 index 1 port 5 bits 02
check "bits that no field uses are refused" refused "bits behind the 8" \
	profile ev list dev mrc0 index 1 port 1 bits 022
check "of some edits in one message each succeeds or fails by itself" \
	on h0 "$lib/netlink.py" edits mrc0 list
check "those that succeeded are done" \
	json_is '[[0,1,"02",1],[1,2,"05",0]]' \
	'.[].evs | map([.index, .port, .bits, .denied])' profile show list evs
check "generated ones are not replaced" refused "are generated" \
	profile ev clos dev mrc0 index 1 port 1 bits 02
check "profile del" h0 profile del list dev mrc0

# --- templates and destinations ------------------------------------------------------

check "template add" h0 template add rail dev mrc0 ev-bits 8 dest-bits 16 \
	field "$(fields_of 0 $t1_of_ev)"
check "template show" grep -q "field fcbbbb00/32,1/4,plane/4,0/8,2/4" \
	<(h0 template show rail)
check "template show, in JSON" json_is "\"$(fields_of 0 $t1_of_ev)\"" \
	'.[].field | join(",")' template show
check "a field that ends in a uSID is refused" refused "inside uSID" \
	template add t2 dev mrc0 field fcbbbb00/32,1/16,1/4
check "uSIDs of another width" h0 template add wide dev mrc0 block 32 usid 32 \
	ev-bits 8 dest-bits 16 field fcbbbb00/32,220000/24,ev@0/8,3101/16,dest@0/16
check "bits that no EV has are refused" refused "field 2: EV bits 4..11 of 8" \
	template add t2 dev mrc0 ev-bits 8 field fcbbbb00/32,ev@4/8,0/8

check "a destination of those" h0 dest add fd00:1::/48 dev mrc0 profile clos \
	template wide number 0x0101
check "its paths are made of them" \
	json_is '["fcbb:bb00:2200:3:3101:101::"]' 'map(.sid) | unique' \
	path show dst fd00:1::1 usid 22000003
check "one is forbidden" h0 path deny dev mrc0 usid 22000003
check "so are the paths there" json_is 4 length \
	path show dst fd00:1::1 state denied
check "and permitted" h0 path allow dev mrc0 usid 22000003
check "then none is" json_is 0 length path show dst fd00:1::1 state denied
check "the destination goes" h0 dest del fd00:1::/48 dev mrc0

dst=$(address_of h1 6)
check "dest add" h0 dest add "$dst" dev mrc0 profile clos template rail \
	number 0x0101
check "dest show" grep -qx \
	"$dst/128 dev mrc0 profile clos template rail number 257" <(h0 dest show)
check "a destination that exists is refused" refused "exists" \
	dest add "$dst" dev mrc0 profile clos template rail number 1
check "dest replace" h0 dest replace "$dst" dev mrc0 profile clos \
	template rail number 0x0101
check "a shorter prefix" h0 dest add 2001:db8::/32 dev mrc0 profile clos \
	template rail number 0x0909
check "in order" json_is '["2001:db8::/32","'"$dst"'/128"]' 'map(.dst)' \
	dest show
check "those inside a prefix" json_is 1 length dest show "$dst"
check "a number that is too long is refused" refused "does not fit" \
	dest add fd00::/64 dev mrc0 profile clos template rail number 0x10000
check "SRv6 without a template is refused" refused "dst needs a template" \
	dest add fd00::/64 dev mrc0 profile clos
check "SRv6 to IPv4 is refused" refused "IPv4" \
	dest add 10.0.0.0/8 dev mrc0 profile clos template rail
check "bits behind the prefix are refused" refused "bits behind its first 16" \
	dest add fd00::1/16 dev mrc0 profile clos template rail
check "an unknown profile is refused" refused "no profile nope" \
	dest add fd00::/64 dev mrc0 profile nope
check "an unknown destination is not deleted" refused "no such dst" \
	dest del fd00::/64 dev mrc0
check "dest del" h0 dest del 2001:db8::/32 dev mrc0
check "a profile in use stays online" refused "in use by 1, cannot go offline" \
	profile set clos dev mrc0 state offline
check "and is not deleted" refused "profile clos is in use" \
	profile del clos dev mrc0
check "nor is its template" refused "template rail is in use" \
	template del rail dev mrc0

check "an automatic profile" h0 profile add few dev mrc0 mode auto count 8
check "for all IPv4 peers" h0 dest add 0.0.0.0/0 dev mrc0 profile few

# --- many -----------------------------------------------------------------------------

for i in {0..2047}; do
	printf 'dest add fd00:%x::/48 dev mrc0 profile clos template rail number %d\n' \
		"$i" "$((i % 256 + 1))"
done > "$tmp/batch"
check "a batch of 2048 destinations" h0 -b "$tmp/batch"
check "all are shown once" json_is '[2050,2050]' \
	'[length, (map(.dst) | unique | length)]' dest show
sed 's/add/del/; s/ profile.*//' "$tmp/batch" > "$tmp/undo"
check "and all go" h0 -b "$tmp/undo"
check "but for those of before" json_is 2 length dest show

# --- paths ------------------------------------------------------------------------------

check "h1 needs a way back" paths_add h1 h0

perftest_limit=3600 check "ib_write_bw begins" perftest_begin
check "a program that compares every byte begins" verify_begin -o write -t 8
check "their paths are those of the profile" \
	json_is '[["profile",16],["profile",16]]' \
	'map([.mode, (.paths | length)])' qp show dev mrc0 paths
check "all switches carry data" uses .

check "path deny, a switch" h0 path deny dev mrc0 usid 2203
check "nothing goes there any more" uses '^t1-(.-[012]|[013]-3)'
check "path rules" grep -qx "dev mrc0 usid 2203" <(h0 path rules)
check "path rules, in JSON" json_is '[{"dev":"mrc0","usid":"2203"}]' . \
	path rules
check "a rule that exists is refused" refused "exists" \
	path deny dev mrc0 usid 2203
check "path allow" h0 path allow dev mrc0 usid 2203
check "all switches carry data" uses .
check "a rule that is not there is refused" refused "no such rule" \
	path allow dev mrc0 usid 2203
check "a rule about nothing is refused" refused "needs dst, ev, port or usid" \
	path deny dev mrc0

check "a rule about IPv4 peers" h0 path deny dev mrc0 dst 192.0.2.0/24
check "it is shown as it was given" \
	grep -qx "dev mrc0 dst 192.0.2.0/24" <(h0 path rules)
check "and taken back so" h0 path allow dev mrc0 dst 192.0.2.0/24

check "path deny, a link" h0 path deny dev mrc0 usid 1100 next 2102
check "nothing goes over it" uses '^t1-([023]-|1-[013])'
check "path deny, a port too" h0 path deny dev mrc0 port 4
check "nothing leaves by it" uses '^t1-([02]-|1-[013])'
check "path deny, an entropy value of a peer" \
	h0 path deny dev mrc0 dst "$dst" ev 0x1000000
check "that path is not used" uses '^t1-(0-[123]|2-|1-[013])'
check "of another peer makes no difference" \
	h0 path deny dev mrc0 dst 2001:db8:77::/48 port 1
check "to this one" uses '^t1-(0-[123]|2-|1-[013])'
for rule in "usid 1100 next 2102" "port 4" "dst $dst ev 0x1000000" \
	    "dst 2001:db8:77::/48 port 1"; do
	# shellcheck disable=SC2086
	check "path allow $rule" h0 path allow dev mrc0 $rule
done
check "all switches carry data again" uses .

index=$(h0 -j profile show clos evs |
	jq '.[].evs[] | select(.port == 2 and .bits == "01") | .index')
check "profile ev deny" h0 profile ev clos dev mrc0 index "$index" deny
check "its path is not used" uses '^t1-([023]-|1-[023])'
check "profile ev allow" h0 profile ev clos dev mrc0 index "$index" allow

check "another template under the program" h0 template set rail dev mrc0 \
	ev-bits 8 dest-bits 16 field "$(fields_of 0 2/8)"
check "sends everything by the third T1s" uses '^t1-.-2'
check "the one of before" h0 template set rail dev mrc0 \
	ev-bits 8 dest-bits 16 field "$(fields_of 0 $t1_of_ev)"
check "all switches carry data once more" uses .
check "another profile under the program" h0 profile set clos dev mrc0 \
	count 8 field 8/0xff:1-2
check "leaves two T1s in each plane" uses '^t1-.-[12]'
check "the queue pairs have those paths" json_is '[8,8]' 'map(.paths | length)' \
	qp show dev mrc0 paths
check "a template that does not fit its profile is refused" \
	refused "makes EVs of 8 bits, the template takes 4" \
	template set rail dev mrc0 ev-bits 4 dest-bits 16 \
	field "$(fields_of 0 ev@0/4,0/4)"
check "explicit paths go before it" h0 path add dev mrc0 dst "$dst" ev 1 \
	port 1 sid fcbb:bb00:1000:2003:1001:3001::
check "and are used at once" uses '^t1-0-3'
check "one more" h0 path add dev mrc0 dst "$dst" ev 2 \
	port 3 sid fcbb:bb00:1200:2200:1201:3201::
check "is used at once" uses '^t1-(0-3|2-0)'
check "without them" h0 path flush dev mrc0 dst "$dst"
check "the profile is back" uses '^t1-.-[12]'
check "the program has verified all it sent" verify_end
check "ib_write_bw has gone on all the time" perftest_goes_on
check "until it is ended" kill "$perftest_client" "$perftest_peer"
wait "$perftest_client" "$perftest_peer"
check_equal "no queue pair failed" "$(counter h0 unresponsive_remote_events)" 0

# --- who may do what --------------------------------------------------------------------

for command in "format show" "profile show" "template show" "dest show" \
	       "path rules"; do
	# shellcheck disable=SC2086
	check "everybody may: $command" nobody $command
done
for command in "format del t1 dev mrc0" "profile del clos dev mrc0" \
	       "profile ev clos dev mrc0 index 0 deny" \
	       "template del rail dev mrc0" "dest del $dst dev mrc0" \
	       "path deny dev mrc0 port 1" "path allow dev mrc0 port 1"; do
	# shellcheck disable=SC2086
	check_fails "not everybody: $command" "not permitted" nobody $command
done
check_equal "h1 has none of it" "$(on h1 mrcctl -j dest show)" '[]'
check_fails "nor may it change any" "no mrc device mrc0" \
	on h1 mrcctl dest del "$dst" dev mrc0
