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

# Results of ten nodes; node n7 is slow, and loses more than the others. Values of a
# healthy fleet differ by some per cent.
fleet()
{
	jq -nc --argjson bw "$1" --argjson loss "$2" 'range(10) | {
		node: "n\(.)",
		"ib-traffic/ib_write_bw_65536_cpu-to-cpu_0_0:\(.)_0:0":
			(if . == 7 then 11 else 12 end),
		"ib-loopback/ib_write_bw_8388608":
			(if . == 7 then $bw else 100 + . % 3 end),
		"mrc-probe/loss": (if . == 7 then $loss else 0 end) }' > "$tmp/fleet"
}

fleet 100 0
run results "$tmp/fleet" rules "$tmp/rules.yaml"
[ "$status" -eq 0 ] && grep -q "^10 nodes, 30 results: none is worse" "$tmp/out"
verdict $? "of equal nodes none is worse"
python3 - "$tmp/rules.yaml" > "$tmp/out" 2> "$tmp/err" << 'END'
import re, sys, yaml
rules = yaml.safe_load(open(sys.argv[1]))["superbench"]["rules"].values()
bw, = (r for r in rules if re.fullmatch(r["metrics"][0], "ib-loopback/ib_write_bw_8388608"))
loss, = (r for r in rules if re.fullmatch(r["metrics"][0], "mrc-probe/loss"))
assert all(r["function"] == "variance" for r in rules)
assert eval(bw["criteria"])(-0.06) and not eval(bw["criteria"])(0.06)
assert eval(loss["criteria"])(0.06) and not eval(loss["criteria"])(-0.06)
END
verdict $? "rules for SuperBench are YAML, and refuse what is worse"
fleet 80 0.02
run results "$tmp/fleet"
[ "$status" -eq 1 ] && [ "$(wc -l < "$tmp/out")" -eq 2 ] &&
	[ "$(grep -c "^n7 .* usual" "$tmp/out")" -eq 2 ]
verdict $? "a node with less bandwidth and more loss is named, and no other"
fleet 130 0
run results "$tmp/fleet"
[ "$status" -eq 0 ]
verdict $? "a node with more bandwidth is not worse"
echo '{"node": "a", "x/y": 1' > "$tmp/bad"
refuses "a damaged line is refused" "line 1" results "$tmp/bad"
echo '{"x/y": 1}' > "$tmp/bad"
refuses "a line without a node is refused" "no \"node\"" results "$tmp/bad"

[ "$failed" -eq 0 ]
