#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# libmrc on the four planes of the standard fabric: a queue pair that is bound to an EV
# profile of SRv6 addresses uses these paths only; EV events name profile, entropy value
# and port while a path is cut, obey the event mask, and count what was lost; 10,000
# probes to 100 addresses over 16 paths, one of which is cut; port status updates.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

api=$programs/mrc_api
profile=14
dsts=100
probes=10000
# States of enum mrc_ctl_ev_state.
good=1
bad=2

# of_api ARG...: run mrc_api for mrc0 in the namespace of h0.
of_api()
{
	nsenter --net=/run/netns/h0 "$api" mrc0 "$@"
}

# path_to T1...: port and outer destination of the path from h0 to h1 through each of
# these switches.
path_to()
{
	local t1 plane

	for t1; do
		plane=${t1#t1-}
		fabric paths h0 h1 |
			awk -v port=$((${plane%-*} + 1)) -v n="${t1##*-}" \
				'$2 == port && i++ == n { print $2, $4 }'
	done
}

# event STATE: $tmp/events has one for t1-2-2 with this state.
event()
{
	cat "$tmp/events"
	grep -q "^profile $profile port 3 sid $sid state $1 drops [0-9]*$" \
		"$tmp/events"
}

check "two hosts and four planes come up" fabric up
check "devices on both hosts, with GIDs" devices_up device_add 6
check "explicit paths between h0 and h1 are added" paths_up

# --- a queue pair with an EV profile ------------------------------------------------

path_to t1-{0-0,1-1,2-2,3-3} > "$tmp/paths"
check_equal "four paths are chosen" "$(wc -l < "$tmp/paths")" 4
check "a controller makes an EV profile of them" of_api paths "$profile" \
	< "$tmp/paths"
check "mrcctl shows the ports of its entropy values" \
	json_is '[1,2,3,4]' 'map(.evs[].port)' profile show "$profile" dev mrc0 evs
: > "$tmp/count"
"$api" mrc0 write mrc1 "$(gid_index h0 6)" "$profile" > "$tmp/count" \
	2> "$tmp/write" &
writer=$!
check "an application writes with the EV profile" verify_goes_on
check "the four paths of the profile carry data, and no others" \
	uses '^t1-(0-0|1-1|2-2|3-3)$'

# --- EV events ------------------------------------------------------------------

read -r _ sid < <(path_to t1-2-2)
# Not with of_api: $! would be the process of a subshell.
nsenter --net=/run/netns/h0 "$api" mrc0 events 1024 > "$tmp/events" 2>&1 &
listener=$!
check "a controller listens to EV events" \
	wait_for "$patience" grep -q listening "$tmp/events"
check "t1-2-2 is cut silently" fabric cut t1-2-2 silent
check "an EV event reports its entropy value as assumed bad" \
	wait_for "$patience" event bad
check "the three other paths carry data" uses '^t1-(0-0|1-1|3-3)$'
check "t1-2-2 is restored" fabric restore t1-2-2
check "an EV event reports its entropy value as good" \
	wait_for "$patience" event good
check "all events are of the path that was cut" awk \
	"/^profile/ && !/ port 3 sid $sid / { exit 1 }" "$tmp/events"
check "the entropy value of t1-0-0 is denied" \
	h0 profile ev "$profile" dev mrc0 index 0 deny
check "the three other paths carry data while it is denied" \
	uses '^t1-(1-1|2-2|3-3)$'
check_equal "what a controller denies is no EV event" \
	"$(grep " port 1 " "$tmp/events")" ""
check "the entropy value is allowed" \
	h0 profile ev "$profile" dev mrc0 index 0 allow
check "an EV event reports it as good after that" \
	wait_for "$patience" grep " port 1 .* state good " "$tmp/events"
check "no event has another state than bad or good" \
	awk '/another/ { exit 1 }' "$tmp/events"
check "no event was lost" awk '/^profile/ && !/ drops 0$/ { exit 1 }' "$tmp/events"

check "the event mask is set to good" of_api mask "$profile" "$good"
# The listener appends.
lines=$(wc -l < "$tmp/events")
later_event()
{
	tail -n "+$((lines + 1))" "$tmp/events" | grep -q " state $1 "
}
check "t1-2-2 is cut silently again" fabric cut t1-2-2 silent
check "the three other paths carry data then" \
	wait_for "$patience" uses '^t1-(0-0|1-1|3-3)$'
check "t1-2-2 is restored again" fabric restore t1-2-2
check "an EV event reports it as good" wait_for "$patience" later_event good
check_equal "no EV event has reported it as assumed bad" \
	"$(tail -n "+$((lines + 1))" "$tmp/events" | grep " state bad ")" ""
check "the event mask is set to all states" \
	of_api mask "$profile" $((good | bad))
check "the controller is ended" kill "$listener"

# --- EV events that are lost --------------------------------------------------------

nsenter --net=/run/netns/h0 "$api" mrc0 events 1 > "$tmp/few" 2>&1 &
listener=$!
check "a controller listens with a queue of one event" \
	wait_for "$patience" grep -q listening "$tmp/few"
happened_before=$(($(counter h0 ev_assumed_bad_events) +
		   $(counter h0 ev_recovered_events)))
happened()
{
	echo $(($(counter h0 ev_assumed_bad_events) +
		$(counter h0 ev_recovered_events) - happened_before))
}
happened_more_than()
{
	[ "$(happened)" -gt "$1" ]
}
check "the controller is stopped" kill -STOP "$listener"
for round in {1..4}; do
	n=$(happened)
	check "t1-2-2 is cut silently in round $round" fabric cut t1-2-2 silent
	check "its path is assumed bad in round $round" \
		wait_for "$patience" happened_more_than "$n"
	check "t1-2-2 is restored in round $round" fabric restore t1-2-2
	check "its path is good in round $round" \
		wait_for "$patience" happened_more_than $((n + 1))
done
check "the controller is continued" kill -CONT "$listener"
# What was lost last is in the next event.
one_more()
{
	local n

	n=$(happened)
	fabric cut t1-2-2 silent
	wait_for "$patience" happened_more_than "$n"
	fabric restore t1-2-2
	wait_for "$patience" happened_more_than $((n + 1))
}
events_add_up()
{
	local sum

	sum=$(awk '/^profile/ { n++; lost += $NF } END { print n + lost, lost + 0 }' \
		"$tmp/few")
	echo "happened $(happened), arrived and lost, lost: $sum"
	[ "${sum% *}" -eq "$(happened)" ] && [ "${sum#* }" -gt 0 ]
}
check "one more path is cut and restored" one_more
check "EV events that arrived and were lost add up to all that happened" \
	wait_for "$patience" events_add_up
events_add_up | note
kill "$listener"

# --- port status ------------------------------------------------------------------

# The first line of output says how many requests have had responses.
send()
{
	of_api "$@" > "$tmp/responses"
	head -n 1 "$tmp/responses"
	grep -q "^$expected$" "$tmp/responses"
}

# down_are [PORT]: the ports of which paths from h1 to h0 are down.
down_are()
{
	local got

	got=$(on h1 mrcctl -j qp show dev mrc1 paths |
		jq -c '[.[].paths[] | select(.state == "down") | .port] | unique')
	echo "down: $got, wanted [$1]"
	[ "$got" = "[$1]" ]
}

all=$((1 << 1 | 1 << 2 | 1 << 3 | 1 << 4))
read -r port sid < <(path_to t1-0-0)
echo "$(address_of h1 6) $port srv6 $sid" > "$tmp/one"
expected="all, 1 of 1"
check "a port status update with all ports is acknowledged" \
	send status "$all" 200000000 < "$tmp/one"
check "h0 disables port 3" h0 port set dev mrc0 port 3 down
check "h1 leaves its paths of port 3" wait_for "$patience" down_are 3
check "a port status update without port 3 is acknowledged" \
	send status $((all & ~(1 << 3))) 200000000 < "$tmp/one"
expected="Connection timed out, 0 of 1"
check "one with all ports, which is not true, is not acknowledged" \
	send status "$all" 200000000 < "$tmp/one"
check "h1 has not believed it" down_are 3
check "h0 enables port 3" h0 port set dev mrc0 port 3 up
check "h1 uses its paths of port 3 again" wait_for "$patience" down_are ""

kill "$writer"
check "the application has received what was written, in order" wait "$writer"

# --- probes -----------------------------------------------------------------------

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

# Request i goes to address i modulo 100 over path i modulo 16.
targets()
{
	fabric paths h0 h1 | awk -v n="$probes" -v dsts="$dsts" '
		{ port[NR - 1] = $2; sid[NR - 1] = $4 }
		END { for (i = 0; i < n; i++)
			printf "2001:db8:200::%x %u srv6 %s\n",
			       i % dsts + 1, port[i % NR], sid[i % NR] }'
}

# responses FILE SID: $tmp/responses has one response for each request of FILE, except
# for those with this SID, at the port that the request left by.
responses()
{
	awk -v sid="$2" '
		FNR == 1 { file++ }
		file == 1 { port[FNR - 1] = $2; lost[FNR - 1] = $4 == sid; next }
		/^request/ {
			if (!($2 in port) || lost[$2] || $4 != port[$2] || !$6 ||
			    !$8 || seen[$2]++)
				bad++
		}
		END {
			for (i in port)
				if (!lost[i] != !!seen[i])
					bad++
			print bad + 0, "wrong or missing"
			exit bad != 0
		}' "$1" "$tmp/responses"
}

check "h1 has $dsts more addresses" addresses_add
targets > "$tmp/targets"
# The first packets to a neighbour that is not known yet may be dropped.
check "the neighbours on all paths are known" \
	h0 probe dev mrc0 dst "$(address_of h1 6)" count 2 interval 1000
expected="all, $probes of $probes"
check "a batch of $probes probes to $dsts addresses is answered" \
	send probe 200000000 < "$tmp/targets"
check "each response is that of its request, without service time" \
	responses "$tmp/targets" none
check "t1-2-3 is cut silently" fabric cut t1-2-3 silent
# Responses may come back on any path of the port.
check "h1 does not use its path through t1-2-3, which is number 12" \
	on h1 mrcctl path deny dev mrc1 ev 12
read -r _ sid < <(path_to t1-2-3)
lost=$(grep -c "$sid" "$tmp/targets")
expected="Connection timed out, $((probes - lost)) of $probes"
check "the batch is answered except for one path" \
	send probe 200000000 < "$tmp/targets"
check "the responses that are missing are those of t1-2-3" \
	responses "$tmp/targets" "$sid"
check "t1-2-3 is restored" fabric restore t1-2-3
