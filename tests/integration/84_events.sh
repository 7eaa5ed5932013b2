#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Netlink events that are generated faster than the kernel can send them, or than
# mrcctl monitor reads them: the events that arrive and those reported as lost add up
# to all that happened, and no events of other groups are lost. Paths are denied and
# allowed in many queue pairs under traffic of mrc_verify.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

qps=8
paths=256

check "two hosts come up" fabric simple --links 2
check "devices on both hosts, with GIDs" devices_up device_add 6
dst=$(address_of h1 6)
check "an automatic profile of $paths paths is created" \
	h0 profile add many dev mrc0 mode auto \
	count "$paths"
check "the destination h1 uses the profile" \
	h0 dest add "$dst" dev mrc0 profile many

ip netns exec h0 mrcctl -j monitor > "$tmp/events" 2> "$tmp/events.err" &
monitor=$!
has_events()
{
	[ "$(jq -s length "$1")" -gt 0 ]
}
two_port_events()
{
	h0 port set dev mrc0 port 2 down && h0 port set dev mrc0 port 2 up
}
port_events_reported()
{
	two_port_events && has_events "$1"
}
check "the monitor of all groups reports events" \
	wait_for "$patience" port_events_reported "$tmp/events"
ip netns exec h0 mrcctl -j monitor group ports > "$tmp/ports" &
check "the monitor of group ports reports events" \
	wait_for "$patience" port_events_reported "$tmp/ports"

good=$(counter h0 ev_recovered_events)
bad=$(counter h0 ev_assumed_bad_events)
# With an infinite ACK timeout: at times no path is allowed.
check "mrc_verify with $qps queue pairs starts" \
	verify_begin -o write -s 4096 -t 8 \
	-q "$qps" --ack-timeout 0
rounds=0
ones=0
ports=0

# One EV, and the number of queue pairs that have it. An event of it reports how
# many events were lost before.
h0 -j qp show dev mrc0 paths > "$tmp/paths"
one=$(jq '.[0].paths[0].ev' "$tmp/paths")
ev_users=$(jq "[.[].paths[] | select(.ev == $one)] | length" "$tmp/paths")

toggle_one()
{
	h0 path deny dev mrc0 ev "$one" && h0 path allow dev mrc0 ev "$one" &&
		ones=$((ones + 1))
}

# Deny and allow each path of each queue pair: 2 * qps * paths events.
round()
{
	h0 path deny dev mrc0 dst "$dst" && h0 path allow dev mrc0 dst "$dst" &&
		rounds=$((rounds + 1))
}

# path_events FILTER: jq's FILTER of the recorded events of group paths.
path_events()
{
	jq -s "map(select(.group == \"paths\")) | $1" "$tmp/events"
}

some_are_lost()
{
	two_port_events || return
	ports=$((ports + 2))
	round && [ "$(path_events 'map(.lost // 0) | add // 0')" -gt 0 ]
}

# All port events arrive, without a gap in their serial numbers.
port_events_complete()
{
	jq -e -s "length >= $ports and
		  last.serial - first.serial + 1 == length" "$tmp/ports"
}

# Path events that arrived and those reported as lost are all that happened, including
# transitions to ASSUMED_BAD and recoveries. The number of events lost last is in the
# next event.
path_events_complete()
{
	local happened

	toggle_one || return
	happened=$((2 * (qps * paths * rounds + ev_users * ones) +
		    $(counter h0 ev_assumed_bad_events) - bad +
		    $(counter h0 ev_recovered_events) - good))
	path_events "{ rounds: $rounds, happened: $happened, arrived: length,
		lost: (map(.lost // 0) | add) }" | tee "$tmp/sum"
	jq -e '.happened == .arrived + .lost' "$tmp/sum"
}

# Events lost before the first one are not reported: the first must have serial 0.
first_event_arrives()
{
	toggle_one && [ "$(path_events '.[0].serial')" = 0 ]
}

check "the monitor reports the first path event" \
	wait_for "$patience" first_event_arrives
check "path events are generated faster than the kernel sends them" \
	wait_for "$patience" \
	some_are_lost
check "path events that arrived and were lost add up when the kernel was too slow" \
	wait_for "$patience" path_events_complete
check "no port event is lost among the path events" \
	wait_for "$patience" port_events_complete
check "the monitor is stopped" kill -STOP "$monitor"
for _ in {1..4}; do
	check "all paths are denied and allowed while the monitor is stopped" \
		round
done
check "the monitor is continued" kill -CONT "$monitor"
check "path events that arrived and were lost add up after the monitor was stopped" \
	wait_for "$patience" path_events_complete
note < "$tmp/sum"
check "mrc_verify ends, every byte is right" verify_end
# shellcheck disable=SC2046
kill $(jobs -p)
