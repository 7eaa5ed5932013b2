#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Probes of any path to any peer (mrcctl probe targets): 10,000 probes to 100 addresses
# over 16 SRv6 paths, one of which is cut; traffic class, port status on demand,
# timeouts in ns, and requests that are refused.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

dsts=100
probes=10000

dst_of()
{
	printf '2001:db8:200::%x' "$1"
}

addresses_add()
{
	local i port

	for ((i = 1; i <= dsts; i++)); do
		for port in p0 p1 p2 p3; do
			echo "addr add $(dst_of "$i")/128 dev $port nodad"
		done
	done | ip -n h1 -batch -
}

# Line i is a probe over path i modulo 16 to address i modulo 100. h1 responds on its
# path with the same EV.
targets()
{
	fabric paths h0 h1 | awk -v n="$probes" -v dsts="$dsts" '
		{ port[NR - 1] = $2; sid[NR - 1] = $4 }
		END { for (i = 0; i < n; i++)
			printf "2001:db8:200::%x port %u sid %s ev %u\n",
			       i % dsts + 1, port[i % NR], sid[i % NR], i % NR + 1 }'
}

# The port and SID of the path through a T1 switch.
path_to()
{
	local plane=${1#t1-} t1=${1##*-}

	plane=${plane%-*}
	fabric paths h0 h1 |
		awk -v port=$((plane + 1)) -v n="$t1" \
			'$2 == port && i++ == n { print $2, $4 }'
}

# probe FILE [ARG...]: the results go to $tmp/results.
probe()
{
	h0 -j probe dev mrc0 targets "$@" > "$tmp/results"
}

results()
{
	jq -c 'group_by([.result, .sid])[] | [.[0].result, .[0].sid, length]' \
		"$tmp/results"
	jq -e "$@" "$tmp/results"
}

check "two hosts and four planes come up" fabric up
check "devices on both hosts, with GIDs" devices_up device_add 6
check "explicit paths between h0 and h1 are added" paths_up
check "h1 has $dsts more addresses" addresses_add
targets > "$tmp/targets"
check_equal "there are $probes targets" "$(wc -l < "$tmp/targets")" "$probes"

# The first packets to a neighbour that is not known yet may be dropped.
check "the neighbours on all paths are known" \
	h0 probe dev mrc0 dst "$(address_of h1 6)" count 2 interval 1000
check "$probes probes to $dsts addresses are sent" \
	probe "$tmp/targets" timeout 100
check "all of them are answered" \
	results "length == $probes and all(.[]; .result == \"answered\")"
check "each result is that of its target" cmp "$tmp/targets" \
	<(jq -r 'sort_by(.index)[] |
		"\(.dst) port \(.port) sid \(.sid) ev \(.ev)"' "$tmp/results")
check "the results have each index once" \
	results "map(.index) | sort == [range($probes)]"
check "each answer came at the port of its path" \
	results 'all(.[]; .rx_port == .port)'
check "the peer reports four ports" results 'all(.[]; .peer_ports == 15)'

check "t1-2-3 is cut silently" fabric cut t1-2-3 silent
read -r port sid < <(path_to t1-2-3)
check "$probes probes are sent again" probe "$tmp/targets" timeout-ns 100000000
check "probes through t1-2-3 are lost, and no others" \
	results --arg sid "$sid" \
	"length == $probes and all(.[]; (.sid == \$sid) == (.result == \"lost\"))"
check "t1-2-3 is restored" fabric restore t1-2-3

read -r port sid < <(path_to t1-1-2)
echo "$(address_of h1 6) port $port sid $sid" > "$tmp/one"
echo "$(address_of h1 6) port $port ev 7 format udp" > "$tmp/plain"
ip netns exec h0 tcpdump -l -n -v -i "p$((port - 1))" ip6 \
	> "$tmp/dump" 2> "$tmp/dump.err" &
dump=$!
check "tcpdump listens" wait_for "$patience" grep -q "listening on" "$tmp/dump.err"
check "a probe with traffic class 0x28 is answered" probe "$tmp/one" tclass 40
check "its packet has this traffic class" wait_for "$patience" \
	grep -qE "class 0x28, .*$(address_of h0 6)|class 0x28" "$tmp/dump"
kill "$dump"
check "a port status update is acknowledged" probe "$tmp/one" op port-status
check "the response reports the ports of h1" \
	results '.[0].result == "answered" and .[0].peer_ports == 15'

check "traffic class of trimmed packets is refused" \
	refused "tclass is that of trimmed packets" \
	probe dev mrc0 targets "$tmp/one" tclass 48
check "ports that the device has not are refused" refused "the device has 4" \
	probe dev mrc0 targets "$tmp/one" op port-status ports 1f
check "a timeout of more than 10 s is refused" refused "timeout is 1 to 10000" \
	probe dev mrc0 targets "$tmp/one" timeout-ns 10000000001
check "targets and dst together are refused" refused "targets have their own" \
	probe dev mrc0 dst "$(address_of h1 6)" targets "$tmp/one"
sed 's/port [0-9]*/port 5/' "$tmp/one" > "$tmp/bad"
check "a target with a port that the device has not is refused" \
	refused "no port 5" probe dev mrc0 targets "$tmp/bad"
sed 's/ sid .*//' "$tmp/one" > "$tmp/bad"
check "a target without path is refused" refused "needs ev or sid" \
	probe dev mrc0 targets "$tmp/bad"
sed 's/$/ format udp/' "$tmp/one" > "$tmp/bad"
check "a target of UDP with a sid is refused" refused "has a sid" \
	probe dev mrc0 targets "$tmp/bad"
