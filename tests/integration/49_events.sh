#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Events that come faster than they can be sent, and faster than they are read:
# those that arrive and those that are said to be lost are together all that
# happened. Those of other groups are not lost with them.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ctllib.sh"

qps=8
paths=256

check "two hosts come up" fabric simple --links 2
check "devices on both hosts, with GIDs" devices_up device_add 6
dst=$(address_of h1 6)
check "a profile of $paths paths" h0 profile add many dev mrc0 mode auto \
	count "$paths"
check "for the peer" h0 dest add "$dst" dev mrc0 profile many

ip netns exec h0 mrcctl -j monitor > "$tmp/events" 2> "$tmp/events.err" &
monitor=$!
listens()
{
	[ "$(jq -s length "$1")" -gt 0 ]
}
two_port_events()
{
	h0 port set dev mrc0 port 2 down && h0 port set dev mrc0 port 2 up
}
heard()
{
	two_port_events && listens "$1"
}
check "the monitor listens" wait_for "$patience" heard "$tmp/events"
ip netns exec h0 mrcctl -j monitor group ports > "$tmp/ports" &
check "another one to ports only" wait_for "$patience" heard "$tmp/ports"

good=$(counter h0 ev_recovered_events)
bad=$(counter h0 ev_assumed_bad_events)
# Without a timeout: for a while there is no path.
check "a program with $qps queue pairs" verify_begin -o write -s 4096 -t 8 \
	-q "$qps" --ack-timeout 0
rounds=0
ones=0
ports=0

# A path, of one queue pair or more, so that what was lost before it is told.
h0 -j qp show dev mrc0 paths > "$tmp/paths"
one=$(jq '.[0].paths[0].ev' "$tmp/paths")
have_it=$(jq "[.[].paths[] | select(.ev == $one)] | length" "$tmp/paths")

toggle_one()
{
	h0 path deny dev mrc0 ev "$one" && h0 path allow dev mrc0 ev "$one" &&
		ones=$((ones + 1))
}

# Each path of each queue pair is forbidden and permitted: so many events.
round()
{
	h0 path deny dev mrc0 dst "$dst" && h0 path allow dev mrc0 dst "$dst" &&
		rounds=$((rounds + 1))
}

told()
{
	jq -s "map(select(.group == \"paths\")) | $1" "$tmp/events"
}

some_are_lost()
{
	two_port_events || return
	ports=$((ports + 2))
	round && [ "$(told 'map(.lost // 0) | add // 0')" -gt 0 ]
}

# Among thousands of paths, and with none missing.
ports_are_told()
{
	jq -e -s "length >= $ports and
		  last.serial - first.serial + 1 == length" "$tmp/ports"
}

# Paths that were given up and came back meanwhile have been told, too. What was
# lost last comes out with the next event.
complete()
{
	local happened

	toggle_one || return
	happened=$((2 * (qps * paths * rounds + have_it * ones) +
		    $(counter h0 ev_assumed_bad_events) - bad +
		    $(counter h0 ev_recovered_events) - good))
	told "{ rounds: $rounds, happened: $happened, told: length,
		lost: (map(.lost // 0) | add) }" | tee "$tmp/sum"
	jq -e '.happened == .told + .lost' "$tmp/sum"
}

# What is lost before the first one is not told.
first_is_told()
{
	toggle_one && [ "$(told '.[0].serial')" = 0 ]
}

check "the first of a path is told" wait_for "$patience" first_is_told
check "events come faster than they can be sent" wait_for "$patience" \
	some_are_lost
check "those that came and those that were lost are all" \
	wait_for "$patience" complete
check "no port's is lost among them" wait_for "$patience" ports_are_told
check "the reader stands still" kill -STOP "$monitor"
for _ in {1..4}; do
	check "all paths go and come" round
done
check "it goes on" kill -CONT "$monitor"
check "those that came and those that were lost are all" \
	wait_for "$patience" complete
note < "$tmp/sum"
check "the program has verified all it sent" verify_end
# shellcheck disable=SC2046
kill $(jobs -p)
