# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Library of the tests of mrcd, which runs on host h0 of a fabric of three T0s; to be
# sourced after test.sh and mrcctl.sh:
#
#	. "$(dirname "$0")/lib/mrcd.sh"
: "${tmp:?}" "${patience:?}"

topo=$tmp/topo.json
dir=$tmp/mrcd
mkdir "$dir"

# Two hosts at each of three T0s; two planes with four T1s each.
topology()
{
	jq -n '{ planes: 2, block: "fcbb:bb00::/32", t0: { count: 3, usid: "1pnn" },
		 t1: { count: 4, usid: "2pnn" }, host_usid: "3pnn",
		 hosts: [ range(6) | { name: "h\(.)", number: .,
				       address: "2001:db8:10\(.)::1",
				       t0: (. % 3) } ] }' > "$topo"
}

# As many hosts, T0s, T1s and planes as in topology().
mrcd_fabric()
{
	fabric up --planes 2 --t0 3 --t1 4 --hosts 6
}

# Each host gets its paths from the topology.
apply()
{
	local i

	for i in {0..5}; do
		on "h$i" mrcctl topo apply "$topo" > /dev/null || return
	done
}

devices()
{
	local i

	for i in {0..5}; do
		device_add "h$i" || return
	done
	apply
}

# mrcd_start [ARG...]: start mrcd on h0; it sends $mrcd_rate probes per second, without
# that as few as the emulated network carries quickly. Its messages go to $tmp/log.
mrcd_start()
{
	ip netns exec h0 mrcd run topology "$topo" rate "${mrcd_rate:-400}" dir "$dir" \
		metrics "$dir/mrcd.prom" "$@" > "$tmp/log" 2>&1 &
	mrcd=$!
	wait_for "$patience" test -s "$dir/status.json"
}

# mrcd_stop [SIGNAL]: its status is that of mrcd.
mrcd_stop()
{
	kill "${1:--TERM}" "$mrcd"
	wait "$mrcd"
}

# await LIMIT COMMAND [ARG...]: as wait_for, but with half a second between attempts:
# mrcd needs seconds, and each program that starts takes real time.
await()
{
	local end=$((SECONDS + $1))

	shift
	until "$@" > /dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep_us 500000
	done
}

logged()
{
	[[ $(< "$tmp/log") =~ $1 ]]
}

# log_has PATTERN [SECONDS]: mrcd has written a line, within so many seconds.
log_has()
{
	await "${2:-$patience}" logged "$1" && return
	cat "$tmp/log"
	return 1
}

log_has_not()
{
	! grep -E -- "$1" "$tmp/log"
}

rules()
{
	h0 -j path rules dev mrc0 |
		jq -c 'map([.dst, .port, .usid, .next])'
}

has_rules()
{
	[ "$(rules)" = "$1" ]
}

# status FILTER: jq's FILTER applied to the status that mrcd has written last.
status()
{
	mrcd status dir "$dir" json | jq -c "$1"
}

probes_more_than()
{
	[ "$(status .probes)" -gt "$1" ]
}

# probes_go_on N: mrcd sends so many probes more.
probes_go_on()
{
	await "$patience" probes_more_than $(($(status .probes) + $1))
}

# impair SWITCH PORT NETEM...: what the switch sends to its neighbour PORT meets netem.
impair()
{
	ip netns exec "$1" tc qdisc replace dev "$2" root netem limit 10000 "${@:3}"
}

# mend SWITCH PORT: end that.
mend()
{
	ip netns exec "$1" tc qdisc del dev "$2" root
}
