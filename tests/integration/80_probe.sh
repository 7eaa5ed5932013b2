#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# mrcctl probe: all paths are answered; paths over a cut link, switch or port are not,
# and no others; a peer without a device; automatic paths, IPv4; privileges and
# refusals. netlink.py shows that the kernel bounds the number of pending requests.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

# Three probes for each path, so that one is answered even in a slow guest.
probe=(probe dev mrc0 count 3 interval 10 timeout 3000)

# probes WANTED FILTER ARG...: jq's FILTER of the result of a probe yields WANTED.
probes()
{
	local wanted=$1 filter=$2 got

	shift 2
	h0 -j "${probe[@]}" dst "$dst" "$@" > "$tmp/probes"
	got=$(jq -c "$filter" "$tmp/probes") || return
	echo "got $got, wanted $wanted"
	[ "$got" = "$wanted" ]
}

# Filter: port and EV of the paths of which no probe was answered.
lost='map(select(.answered == 0)) | map([.port, .ev]) | sort'

# fails STATUS SENTENCE ARG...: mrcctl ARG... ends with STATUS and one message
# with SENTENCE.
fails()
{
	exits_with "$1" "${@:3}" && one_sentence "$2"
}

check "two hosts and four planes come up" fabric up
dst=$(address_of h1 6)
check "mrc0 with four ports is created" device_add h0
check "explicit paths from h0 to h1 are added" paths_add h0 h1

# --- a peer without a device -------------------------------------------------

no_path_answers()
{
	local status=0

	h0 probe dev mrc0 count 1 timeout 500 dst "$dst" > "$tmp/out" || status=$?
	cat "$tmp/out"
	[ "$status" -eq 1 ] && grep -q "0 of 16 paths answered" "$tmp/out" &&
		grep -q "^no probe was answered: " "$tmp/out"
}
check "probe reports that a host without a device does not answer" \
	no_path_answers

# --- a peer with a device ----------------------------------------------------

check "mrc1 with four ports is created" device_add h1
check "explicit paths from h1 to h0 are added" paths_add h1 h0
check "probe reports all 16 paths answered without loss" probes '[16,16,0]' \
	'[length, (map(select(.answered > 0)) | length), (map(.loss) | max)]'
check "probe reports round trips without the service time of the peer" \
	probes true \
	'all(.rtt_min_ns > 0 and .rtt_min_ns <= .rtt_avg_ns and .rtt_avg_ns <= .rtt_max_ns and .adjusted == 1)'
check "probe reports that each path is answered on its own port" \
	probes true 'all(.rx_port == .port)'
check "probe reports the sid of the first path" \
	probes '"fcbb:bb00:1000:2000:1001:3001::"' \
	'.[0].sid'
check "probe port 3 probes the paths of port 3 only" \
	probes '[3]' 'map(.port) | unique' port 3
check "probe ev 7 probes that path only" \
	probes '[[7,2,3]]' 'map([.ev, .port, .sent])' ev 7
check "probe of three EVs reports no-path for the unknown one" \
	probes '[[1,"answered"],[99,"no-path"],[16,"answered"]]' \
	'map([.ev, .last])' ev 1,99,16

# prints LINE ARG...: mrcctl ARG... prints a line that matches LINE.
prints()
{
	local line=$1

	shift
	h0 "$@" > "$tmp/out"
	cat "$tmp/out"
	grep -qE -- "$line" "$tmp/out"
}
check "probe prints a line for each round" prints \
	'^3: 16 of 16 paths answered, rtt [0-9.]+[mun]s to [0-9.]+[mun]s$' \
	"${probe[@]}" dst "$dst"
check "probe of a single path prints its round trip for each round" prints \
	'^1: ev 5 port 2 answered by port 2 rtt [0-9.]+[mun]s$' \
	"${probe[@]}" dst "$dst" ev 5
check "probe prints a table with a row for each path" prints \
	'^ +5 +2 +3 +3 +0% +[0-9.]+[mun]s +[0-9.]+[mun]s +[0-9.]+[mun]s +answered$' \
	"${probe[@]}" dst "$dst" ev 5
check "probe prints a line for each port" prints '^port 4: 4 of 4 paths answered$' \
	"${probe[@]}" dst "$dst"
check "probe prints at most 80 columns" awk 'length > 80 { exit 1 }' "$tmp/out"

# --- cut links, switches and ports -------------------------------------------

check "switch t1-1-2 is cut silently" fabric cut t1-1-2 silent
check "only the path through the cut switch t1-1-2 is not answered" \
	probes '[[2,7]]' "$lost"
check "probe names uSID 2102 as the one through which no path answers" prints \
	'^port 2: no path through 2102 was answered$' "${probe[@]}" dst "$dst"
check "probe names no other uSID than 2102" \
	awk '/no path through/ { n++ } END { exit n != 1 }' \
	"$tmp/out"
check "switch t1-1-2 is restored" fabric restore t1-1-2
check "all paths are answered after t1-1-2 is restored" probes '[]' "$lost"
check "link t0-3-1:t1-3-0 is cut silently" fabric cut t0-3-1:t1-3-0 silent
check "only the path over the cut link t0-3-1:t1-3-0 is not answered" \
	probes '[[4,13]]' "$lost"
check "link t0-3-1:t1-3-0 is restored" fabric restore t0-3-1:t1-3-0
check "port 3 of h0 loses its carrier" fabric cut h0:p2
port_3_down()
{
	probes '["down"]' 'map(select(.port == 3) | .last) | unique'
}
check "probe reports the paths of port 3 down" wait_for "$patience" port_3_down
check "only the paths of port 3 are not answered" \
	probes '[[3,9],[3,10],[3,11],[3,12]]' "$lost"
check "port 3 of h0 gets its carrier back" fabric restore h0:p2
all_answered()
{
	probes '[]' "$lost"
}
check "all paths are answered after port 3 has its carrier back" \
	wait_for "$patience" all_answered

check "a deny rule for uSID 2303 is added" h0 path deny dev mrc0 usid 2303
check "the denied path is not probed" probes '[[16,0,"denied"]]' \
	'map(select(.answered == 0)) | map([.ev, .sent, .last])'
check "the denied path is probed when its EV is given" probes '[[16,3]]' \
	'map([.ev, .answered])' ev 16
check "the deny rule for uSID 2303 is removed" h0 path allow dev mrc0 usid 2303

# --- automatic and generated paths -------------------------------------------

check "path flush removes the explicit paths" h0 path flush dev mrc0
check "probe without explicit paths probes 128 automatic ones" \
	probes '[128,[1,2,3,4],0]' \
	'[length, (map(.port) | unique), (map(select(.answered == 0)) | length)]'
check "probe of any EV probes an automatic path" probes '[[4711,2,3]]' \
	'map([.ev, .port, .answered])' ev 4711 port 2
dst=$(address_of h1 4)
check "probe to an IPv4 peer probes 128 automatic paths" probes '[128,0]' \
	'[length, (map(select(.answered == 0)) | length)]'
dst=$(address_of h1 6)
check "probe of the host's own address is answered" \
	h0 probe dev mrc0 dst "$(address_of h0 6)" count 1

dst=$(address_of h1 6)
check "a stev format is created" h0 format add each dev mrc0 mode stev width 8
check "a profile with the same 64 EVs on each port is created" \
	h0 profile add each dev mrc0 mode generated format each \
	count 256 field 8/0xff
check "the destination h1 uses the profile" \
	h0 dest add "$dst" dev mrc0 profile each
names=$(h0 -j profile show each evs | jq -r '.[].evs | map(.ev) | unique |
	map(tostring) | join(",")')
check "probe of one EV of the profile probes a path of each port" \
	probes '[1,2,3,4]' \
	'map(.port) | sort' ev "${names%%,*}"
check "probe of 64 EVs of the profile probes 256 paths" probes '256' length \
	ev "$names"
check "probe of more than 256 EVs is refused" fails 1 "more than 256 fields" \
	"${probe[@]}" dst "$dst" ev "$names,$names,$names,$names,${names%%,*}"
check "probe of more than 64 EVs of one port is not refused" \
	probes '64' length port 1 \
	ev "$names,${names%%,*}"
check "the destination h1 is deleted" h0 dest del "$dst" dev mrc0

# --- privileges and refusals -------------------------------------------------

check_fails "probe without privileges is refused" "not permitted" \
	unprivileged probe dev mrc0 dst "$dst"
check_fails "probe on h1 does not find the device of h0" "no mrc device mrc0" \
	on h1 mrcctl probe dev mrc0 dst "$dst"
check "probe of an IPv6 multicast address is refused" \
	fails 2 "not the address of one host" \
	probe dev mrc0 dst ff02::1
check "probe of an IPv4 multicast address is refused" \
	fails 2 "not the address of one host" \
	probe dev mrc0 dst 224.0.0.1
check "probe with a source address of another host is refused" \
	fails 2 "src is not an address of this host" \
	probe dev mrc0 dst "$dst" src "$dst"
check "probe with a source address of another family is refused" \
	fails 2 "src is not an address of this host" \
	probe dev mrc0 dst "$(address_of h1 4)" src "$(address_of h0 6)"
check "probe on port 5 of 4 is refused" fails 2 "no port 5, the device has 4" \
	probe dev mrc0 dst "$dst" port 5
check "probe with timeout 0 is refused" fails 2 "timeout is 1 to 10000 ms" \
	probe dev mrc0 dst "$dst" timeout 0
check "probe with timeout 10001 is refused" fails 2 "timeout is 1 to 10000 ms" \
	probe dev mrc0 dst "$dst" timeout 10001

# --- pending requests --------------------------------------------------------

check "mrc1 is deleted" device_del h1

check "the kernel bounds the number of pending probe requests" \
	on h0 "$tests/tools/netlink/netlink.py" probes mrc0 "$dst"
check "mrc0 with pending probe requests can be deleted" device_del h0
check "another mrc0 is created" device_add h0
sent=$(counter h0 endpoint_tx)
h0 probe dev mrc0 dst "$dst" count 1 timeout 10000 > "$tmp/pending" 2>&1 &
pending=$!
probes_sent()
{
	[ "$(counter h0 endpoint_tx)" -gt "$sent" ]
}
check "mrc0 has sent probes that are not answered" \
	wait_for "$patience" probes_sent
check "mrc0 can be deleted while mrcctl probe waits" device_del h0
probe_ends()
{
	local status=0

	wait "$pending" || status=$?
	[ "$status" -eq 1 ]
}
check "mrcctl probe ends with status 1 after its device is deleted" \
	probe_ends
check "mrcctl probe reports 0 of 128 paths answered after its device is deleted" \
	grep -q "0 of 128 paths answered" "$tmp/pending"
