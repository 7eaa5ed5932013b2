#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# mrcd without a kernel: refused arguments, pairs of hosts that cover all links.
# Called with the path of mrcd.

. "$(dirname "$0")/lib.sh"

topo=$tmp/topo.json
jq -n '{ planes: 2, block: "fcbb:bb00::/32", t0: { count: 5, usid: "1pnn" },
	 t1: { count: 4, usid: "2pnn" }, host_usid: "3pnn",
	 hosts: [ range(20) | { name: "h\(.)", number: ., t0: (. % 5),
				address: "2001:db8:1\(. + 10)::1" } ] }' > "$topo"

# refuses NAME SENTENCE ARG...: mrcd ends with status 1 and one message.
refuses()
{
	local name=$1 sentence=$2

	shift 2
	run "$@"
	[ "$status" -eq 1 ] && grep -q "^mrcd: .*$sentence" "$tmp/err" &&
		[ "$(wc -l < "$tmp/err")" -eq 1 ]
	verdict $? "$name"
}

refuses "a share of more than 100 % is refused" "greater than 100" \
	run topology "$topo" share 101
refuses "rules that expire at once are refused" "must last" \
	run topology "$topo" expiry 0
refuses "an unknown mode is refused" "not one of" \
	run topology "$topo" deny maybe
refuses "a topology that does not exist is refused" "No such file" \
	run topology "$tmp/none"
refuses "a host that is not in the topology is refused" "no such host" \
	run topology "$topo" host nobody
refuses "status without a daemon is refused" "is mrcd running" \
	status dir "$tmp"
run
[ "$status" -eq 1 ] && grep -q "^mrcd run" "$tmp/err"
verdict $? "without a command the usage is printed"

# Each round has a host once at most; each pair of T0s is measured, and each host with a
# neighbour. Host i is at T0 i mod 5.
pairs_cover()
{
	awk -F '[;,]' '
	{
		delete busy
		for (i = 1; i < NF; i += 2) {
			if (busy[$i]++ || busy[$(i + 1)]++)
				bad = 1
			a = $i % 5
			b = $(i + 1) % 5
			if (a == b)
				local[$i] = local[$(i + 1)] = 1
			else
				pair[a < b ? a " " b : b " " a] = 1
		}
	}
	END { exit bad || length(pair) != 10 || length(local) != 20 }' "$tmp/out"
}
run pairs topology "$topo"
pairs_cover
verdict $? "pairs join each T0 with each other one, and hosts with neighbours"
run pairs topology "$topo" hosts
[ "$(wc -l < "$tmp/out")" -eq 20 ] && [ "$(sed -n 8p "$tmp/out")" = h7 ]
verdict $? "hosts are printed in the order of the numbers in pairs"

[ "$failed" -eq 0 ]
