#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# mrcctl probe: all paths answer; those through what is cut do not, and no
# others; a peer without a device; made-up paths, IPv4; who may, and what is
# refused.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ctllib.sh"

# Of several probes of a path one comes through, however slow the guest is.
probe=(probe dev mrc0 count 3 interval 10 timeout 3000)

# probes WANTED FILTER ARG...: what jq makes of the result is WANTED.
probes()
{
	local wanted=$1 filter=$2 got

	shift 2
	h0 -j "${probe[@]}" dst "$dst" "$@" > "$tmp/probes"
	got=$(jq -c "$filter" "$tmp/probes") || return
	echo "got $got, wanted $wanted"
	[ "$got" = "$wanted" ]
}

# Numbers of the paths that were lost, by port.
lost='map(select(.answered == 0)) | map([.port, .ev]) | sort'

# fails STATUS SENTENCE ARG...: in one sentence with SENTENCE in it.
fails()
{
	ends "$1" "${@:3}" && one_sentence "$2"
}

check "two hosts and four planes come up" fabric up
dst=$(address_of h1 6)
check "a device of four ports" device_add h0
check "with paths to h1" paths_add h0 h1

# --- nobody there ------------------------------------------------------------------

nobody_answers()
{
	local status=0

	h0 probe dev mrc0 count 1 timeout 500 dst "$dst" > "$tmp/out" || status=$?
	cat "$tmp/out"
	[ "$status" -eq 1 ] && grep -q "0 of 16 paths answered" "$tmp/out" &&
		grep -q "^nobody answers: " "$tmp/out"
}
check "a host without a device does not answer, and that is said" nobody_answers

# --- all there ----------------------------------------------------------------------

check "h1 has a device" device_add h1
check "and paths back" paths_add h1 h0
check "all 16 paths answer" probes '[16,16,0]' \
	'[length, (map(select(.answered > 0)) | length), (map(.loss) | max)]'
check "each has a round trip, without what the peer needed" probes true \
	'all(.rtt_min_ns > 0 and .rtt_min_ns <= .rtt_avg_ns and .rtt_avg_ns <= .rtt_max_ns and .adjusted == 1)'
check "each is answered by its own port" probes true 'all(.rx_port == .port)'
check "paths have their addresses" probes '"fcbb:bb00:1000:2000:1001:3001::"' \
	'.[0].sid'
check "one port" probes '[3]' 'map(.port) | unique' port 3
check "one path" probes '[[7,2,3]]' 'map([.ev, .port, .sent])' ev 7
check "several, one of which there is not" \
	probes '[[1,"answered"],[99,"no-path"],[16,"answered"]]' \
	'map([.ev, .last])' ev 1,99,16

says()
{
	local line=$1

	shift
	h0 "$@" > "$tmp/out"
	cat "$tmp/out"
	grep -qE -- "$line" "$tmp/out"
}
check "each round has a line" says \
	'^3: 16 of 16 paths answered, rtt [0-9.]+[mun]s to [0-9.]+[mun]s$' \
	"${probe[@]}" dst "$dst"
check "that of a single path tells its round trip" says \
	'^1: ev 5 port 2 answered by port 2 rtt [0-9.]+[mun]s$' \
	"${probe[@]}" dst "$dst" ev 5
check "at the end there is a table" says \
	'^ +5 +2 +3 +3 +0% +[0-9.]+[mun]s +[0-9.]+[mun]s +[0-9.]+[mun]s +answered$' \
	"${probe[@]}" dst "$dst" ev 5
check "and a line for each port" says '^port 4: 4 of 4 paths answer$' \
	"${probe[@]}" dst "$dst"
check "it fits into 80 columns" awk 'length > 80 { exit 1 }' "$tmp/out"

# --- what is cut ----------------------------------------------------------------------

check "a T1 falls silent" fabric cut t1-1-2 silent
check "the paths through it are lost, no others" probes '[[2,7]]' "$lost"
check "where they break off is said" says \
	'^port 2: no path by way of 2102 answers$' "${probe[@]}" dst "$dst"
check "nothing else is suspected" awk '/by way of/ { n++ } END { exit n != 1 }' \
	"$tmp/out"
check "it is heard again" fabric restore t1-1-2
check "so are its paths" probes '[]' "$lost"
check "a link falls silent" fabric cut t0-3-1:t1-3-0 silent
check "the path over it is lost" probes '[[4,13]]' "$lost"
check "the link is heard again" fabric restore t0-3-1:t1-3-0
check "a port loses its carrier" fabric cut h0:p2
down()
{
	probes '["down"]' 'map(select(.port == 3) | .last) | unique'
}
check "its probes are not sent" wait_for "$patience" down
check "all others are answered" probes '[[3,9],[3,10],[3,11],[3,12]]' "$lost"
check "the port comes back" fabric restore h0:p2
comes_back()
{
	probes '[]' "$lost"
}
check "and with it its paths" wait_for "$patience" comes_back

check "a switch is forbidden" h0 path deny dev mrc0 usid 2303
check "its path is not probed" probes '[[16,0,"denied"]]' \
	'map(select(.answered == 0)) | map([.ev, .sent, .last])'
check "unless it is asked for by name" probes '[[16,3]]' \
	'map([.ev, .answered])' ev 16
check "it is allowed again" h0 path allow dev mrc0 usid 2303

# --- other paths -------------------------------------------------------------------------

check "without paths" h0 path flush dev mrc0
check "those that are made up are probed" probes '[128,[1,2,3,4],0]' \
	'[length, (map(.port) | unique), (map(select(.answered == 0)) | length)]'
check "a made-up name too" probes '[[4711,2,3]]' \
	'map([.ev, .port, .answered])' ev 4711 port 2
dst=$(address_of h1 4)
check "with IPv4" probes '[128,0]' \
	'[length, (map(select(.answered == 0)) | length)]'
dst=$(address_of h1 6)
check "oneself" h0 probe dev mrc0 dst "$(address_of h0 6)" count 1

dst=$(address_of h1 6)
check "names that each port has" h0 format add each dev mrc0 mode stev width 8
check "in a profile" h0 profile add each dev mrc0 mode generated format each \
	count 256 field 8/0xff
check "for h1" h0 dest add "$dst" dev mrc0 profile each
names=$(h0 -j profile show each evs | jq -r '.[].evs | map(.ev) | unique |
	map(tostring) | join(",")')
check "one name stands for a path of each port" probes '[1,2,3,4]' \
	'map(.port) | sort' ev "${names%%,*}"
check "64 of them for as many paths as there can be" probes '256' length \
	ev "$names"
check "one more is refused" fails 2 "more than 256 paths" \
	"${probe[@]}" dst "$dst" ev "$names,${names%%,*}"
check "for one port it is not" probes '64' length port 1 \
	ev "$names,${names%%,*}"
check "the destination goes" h0 dest del "$dst" dev mrc0

# --- who may, and what is refused -----------------------------------------------------------

check_fails "not everybody may" "not permitted" \
	nobody probe dev mrc0 dst "$dst"
check_fails "h1 has no such device" "no mrc device mrc0" \
	on h1 mrcctl probe dev mrc0 dst "$dst"
check "a group is refused" fails 2 "not the address of one host" \
	probe dev mrc0 dst ff02::1
check "an IPv4 group too" fails 2 "not the address of one host" \
	probe dev mrc0 dst 224.0.0.1
check "a foreign source is refused" fails 2 "no address of this host" \
	probe dev mrc0 dst "$dst" src "$dst"
check "one of the other family too" fails 2 "no address of this host" \
	probe dev mrc0 dst "$(address_of h1 4)" src "$(address_of h0 6)"
check "a port that is none is refused" fails 2 "no port 5, the device has 4" \
	probe dev mrc0 dst "$dst" port 5
check "no time is refused" fails 2 "timeout is 1 to 10000 ms" \
	probe dev mrc0 dst "$dst" timeout 0
check "too much, too" fails 2 "timeout is 1 to 10000 ms" \
	probe dev mrc0 dst "$dst" timeout 10001

# --- many, and for long -------------------------------------------------------------------

check "the peer's device goes" device_del h1

check "the kernel keeps a bounded number of requests" \
	on h0 "$lib/netlink.py" probes mrc0 "$dst"
check "they go with the device" device_del h0
check "another one" device_add h0
sent=$(counter h0 endpoint_tx)
h0 probe dev mrc0 dst "$dst" count 1 timeout 10000 > "$tmp/late" 2>&1 &
late=$!
under_way()
{
	[ "$(counter h0 endpoint_tx)" -gt "$sent" ]
}
check "probes are under way" wait_for "$patience" under_way
check "a device goes while they are" device_del h0
nobody_answered()
{
	local status=0

	wait "$late" || status=$?
	[ "$status" -eq 1 ]
}
check "who waited is told" nobody_answered
check "what became of them" grep -q "0 of 128 paths answered" "$tmp/late"
