#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Events that come faster than they can be sent, and faster than they are read:
# those that arrive and those that are said to be lost are together all that
# happened.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ctllib.sh"

qps=8
paths=256

check "two hosts come up" fabric simple --links 2
check "a device" device_add h0
check "and its peer" device_add h1
check "with addresses" wait_for "$patience" have_gids 6
dst=$(address_of h1 6)
check "a profile of $paths paths" h0 profile add many dev mrc0 mode auto \
	count "$paths"
check "for the peer" h0 dest add "$dst" dev mrc0 profile many

ip netns exec h0 mrcctl -j monitor > "$tmp/events" 2> "$tmp/events.err" &
monitor=$!
listens()
{
	[ "$(jq -s length "$tmp/events")" -gt 0 ]
}
two_port_events()
{
	h0 port set dev mrc0 port 2 down && h0 port set dev mrc0 port 2 up
}
heard()
{
	two_port_events && listens
}
check "the monitor listens" wait_for "$patience" heard

# Without a timeout: for a while there is no path.
check "a program with $qps queue pairs" verify_begin -o write -s 4096 -t 8 \
	-q "$qps" --ack-timeout 0
good=$(counter h0 ev_recovered_events)
bad=$(counter h0 ev_assumed_bad_events)
begin=$(jq -s 'map(.serial) | max + 1' "$tmp/events")
rounds=0
ports=0

# Each path of each queue pair is forbidden and permitted: so many events.
round()
{
	h0 path deny dev mrc0 dst "$dst" && h0 path allow dev mrc0 dst "$dst" &&
		rounds=$((rounds + 1))
}

told()
{
	jq -s "map(select(.serial >= $begin)) | $1" "$tmp/events"
}

some_are_lost()
{
	round && [ "$(told 'map(.lost // 0) | add // 0')" -gt 0 ]
}

# Paths that were given up and came back meanwhile have been told, too. What was
# lost last comes out with the next event.
complete()
{
	local happened

	two_port_events || return
	ports=$((ports + 2))
	happened=$((2 * qps * paths * rounds + ports +
		    $(counter h0 ev_assumed_bad_events) - bad +
		    $(counter h0 ev_recovered_events) - good))
	told "{ rounds: $rounds, happened: $happened, told: length,
		lost: (map(.lost // 0) | add) }" | tee "$tmp/sum"
	jq -e '.happened == .told + .lost' "$tmp/sum"
}

check "events come faster than they can be sent" wait_for "$patience" \
	some_are_lost
check "those that came and those that were lost are all" \
	wait_for "$patience" complete
check "the reader stands still" kill -STOP "$monitor"
for _ in {1..4}; do
	check "all paths go and come" round
done
check "it goes on" kill -CONT "$monitor"
check "those that came and those that were lost are all" \
	wait_for "$patience" complete
note < "$tmp/sum"
check "the program has verified all it sent" verify_end
kill "$monitor"
