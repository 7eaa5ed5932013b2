#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# mrcctl under traffic of mrc_verify, which compares every byte: counters of paths and
# queue pairs agree with those of the device, during a run and after it; explicit
# paths are deleted, added again, replaced and flushed without an error of the
# application; mrcctl monitor reports when a path becomes ASSUMED_BAD and when it
# recovers.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

# Two queue pairs, 16 messages each; of small messages more, for all paths to be used.
args="-o write -t 16"
verify_some=40
! in_virtual_time || verify_some=160

# paths FILTER: print jq's FILTER of the output of path show.
paths()
{
	h0 -j path show dev mrc0 | jq -c "$1"
}

# qps FILTER: print jq's FILTER of the queue pairs with their paths.
qps()
{
	h0 -j qp show dev mrc0 paths | jq -c "$1"
}

# paths_are WANTED FILTER; qps_are WANTED FILTER: compare their output with WANTED.
paths_are()
{
	[ "$(paths "$2")" = "$1" ]
}

qps_are()
{
	[ "$(qps "$2")" = "$1" ]
}

# --- comparison of counters --------------------------------------------------

declare -A base

# Packets of explicit paths while traffic flows, between two readings of the device's
# counter. The device counts after the path: each of two queue pairs may be one burst
# ahead.
sum_lies_between()
{
	local before paths after

	before=$(($(counter h0 tx_pkts) - base[tx_pkts]))
	paths=$(paths 'map(.tx_pkts) | add')
	after=$(($(counter h0 tx_pkts) - base[tx_pkts]))
	echo "device $before, paths $paths, device $after"
	[ "$before" -le "$paths" ] && [ "$paths" -le $((after + 2 * 16)) ]
}

# The packets of the queue pairs are the sum of those of their paths.
qp_lies_between()
{
	local before paths after

	before=$(qps 'map(.tx_pkts) | add')
	paths=$(qps 'map(.paths[].tx_pkts) | add')
	after=$(qps 'map(.tx_pkts) | add')
	echo "queue pairs $before, paths $paths, queue pairs $after"
	[ "$before" -le "$paths" ] && [ "$paths" -le "$after" ]
}

# sums_up COUNTER NAME...: the sum of COUNTER over the explicit paths is the increase
# of the device counters NAME since "base".
sums_up()
{
	local name paths device=0

	paths=$(jq "map(.$1) | add" "$tmp/paths")
	shift
	for name in "$@"; do
		device=$((device + $(counter h0 "$name") - base[$name]))
	done
	echo "paths $paths, device $device"
	[ "$paths" -eq "$device" ]
}

# all_sums_up WHEN: check all counters of paths.
all_sums_up()
{
	paths . > "$tmp/paths"
	check "$1: tx_pkts of all paths add up to that of the device" \
		sums_up tx_pkts tx_pkts
	check "$1: tx_bytes of all paths add up to that of the device" \
		sums_up tx_bytes tx_bytes
	check "$1: rtx_pkts of all paths add up to that of the device" \
		sums_up rtx_pkts retrans_pkts
	check "$1: losses of all paths add up to those of the device" \
		sums_up losses \
		rack_loss_path rack_loss_any
	check "$1: probes of all paths add up to those of the device" \
		sums_up probes probe_tx
	check "$1: bad of all paths adds up to ev_assumed_bad_events" \
		sums_up bad ev_assumed_bad_events
}

# --- set up ------------------------------------------------------------------

check "two hosts and four planes come up" fabric up
check "devices on both hosts, with GIDs" devices_up device_add 6 4

ip netns exec h0 mrcctl -j monitor > "$tmp/events" &
monitor=$!

# events STATE: "EV PORT" of each path event with that state.
events()
{
	jq -r "select(.event == \"path\" and .state == \"$1\") |
		\"\(.ev) \(.port)\"" "$tmp/events"
}

# events_reach STATE N: the monitor has reported STATE of paths N times or more.
events_reach()
{
	[ "$(events "$1" | wc -l)" -ge "$2" ]
}

# --- automatic paths ---------------------------------------------------------

# shellcheck disable=SC2086
family=4 check "automatic paths: mrc_verify starts" verify_begin $args
check "automatic paths: the queue pair has 128 paths, 32 on each port" qps_are \
	'[["auto",128,[32,32,32,32]]]' \
	'map([.mode, (.paths | length),
	      (.paths | group_by(.port) | map(length))])'
check "automatic paths: no two paths have the same EV" qps_are '[128]' \
	'map([.paths[].ev] | unique | length)'
check "automatic paths: each path carries packets and is good" \
	wait_for "$patience" qps_are '[true]' \
	'map(.paths | all(.tx_pkts > 0 and .state == "good"))'
check "automatic paths: packets of the queue pair are those of its paths" \
	qp_lies_between
check "automatic paths: mrc_verify ends, every byte is right" verify_end
check "automatic paths: the queue pair is not shown after its run" \
	qps_are '[]' .

# --- explicit paths: counters ------------------------------------------------

renew_counters
for file in /sys/class/infiniband/mrc0/ports/1/hw_counters/*; do
	read -r value < "$file"
	base[${file##*/}]=$value
done

check "16 explicit paths are added" paths_add h0 h1
check "the 16 explicit paths are idle" paths_are '[16,0,["idle"]]' \
	'[length, (map(.qps + .tx_pkts) | add), (map(.state) | unique)]'

# shellcheck disable=SC2086
# With an infinite ACK timeout: the RTO would end a run that has no path for too long,
# and would resume sending when the run gets a path.
check "mrc_verify with two queue pairs starts" verify_begin $args -q 2 \
	--ack-timeout 0
check "each explicit path is good and used by both queue pairs" \
	paths_are '[16,[["good",2,0]]]' \
	'[length, (map([.state, .qps, .qps_bad]) | unique)]'
check "each explicit path carries packets" wait_for "$patience" paths_are true \
	'all(.tx_pkts > 0)'
check "qp show reports the 16 explicit paths of each queue pair" qps_are \
	'[["explicit",16],["explicit",16]]' 'map([.mode, (.paths | length)])'
check "during the run packets of the paths agree with those of the device" \
	sum_lies_between
check "during the run packets of the queue pairs agree with those of their paths" \
	qp_lies_between

# --- paths change under load -------------------------------------------------

dst=$(address_of h1 6)

# del EV...; add EV...: delete and add explicit paths; EV i is path i of the fabric.
del()
{
	printf "path del dev mrc0 dst $dst ev %s\n" "$@" | h0 -b -
}

add()
{
	fabric paths h0 h1 | awk -v dst="$dst" -v evs=" $* " '
		index(evs, " " NR " ") {
			print "path add dev mrc0 dst", dst, "ev", NR,
			      "port", $2, "sid", $4 }' | h0 -b -
}

# states_become STATES: the paths of both queue pairs have these states.
states_become()
{
	wait_for "$patience" qps_are "[$1,$1]" \
		'map(.paths | group_by(.state) | map([.[0].state, length]))'
}

# Packets by EV, of both queue pairs together.
by_path()
{
	qps '[.[].paths[]] | group_by(.ev) | map({ key: "\(.[0].ev)",
		value: map(.tx_pkts) | add }) | from_entries'
}

# only_used EV...: exactly these paths carry packets while messages are verified.
only_used()
{
	local before after

	before=$(by_path)
	verify_goes_on || return
	after=$(by_path)
	echo "before: $before"
	echo "after:  $after"
	[ "$(jq -n -c --argjson a "$before" --argjson b "$after" \
		'[$b | to_entries[] | select(.value > $a[.key]) |
		  .key | tonumber] | sort')" = "[${*// /,}]" ]
}

evs=$(echo {1..16} | tr ' ' ,)

check "paths 1 to 8, all of two ports, are deleted" del {1..8}
check "path show reports paths 9 to 16 only" \
	paths_are '[9,10,11,12,13,14,15,16]' \
	'map(.ev)'
check "paths 1 to 8 are denied in both queue pairs after deletion" \
	states_become '[["denied",8],["good",8]]'
check "only paths 9 to 16 carry packets" only_used 9,10,11,12,13,14,15,16
check "paths 1 to 8 are added again" add {1..8}
check "all 16 paths are good in both queue pairs after 1 to 8 are added" \
	states_become '[["good",16]]'
check "all 16 paths carry packets after 1 to 8 are added" only_used "$evs"

check "paths 2 to 16 are deleted" del {2..16}
check "paths 2 to 16 are denied in both queue pairs after deletion" \
	states_become '[["denied",15],["good",1]]'
check "only path 1 carries packets" only_used 1
check "paths 2 to 16 are added again" add {2..16}
check "all 16 paths are good in both queue pairs after 2 to 16 are added" \
	states_become '[["good",16]]'

# Bytes that the T1 switches of plane 0 have received from the T0 of h0.
by_t1()
{
	"$programs/received" t1-0-{0..3} | awk '$2 == "t0-0-0" { print $1, $3 }'
}

# Path 1 leads through t1-0-1 now, like path 2: t1-0-0 carries hardly anything, once
# the packets have arrived that were in a queue at the change.
t1_is_left()
{
	verify_goes_on || return
	by_t1 > "$tmp/before"
	verify_goes_on || return
	by_t1 > "$tmp/after"
	awk 'FNR == NR { was[$1] = $2; next }
		{ grew[$1] = $2 - was[$1]; print $1, grew[$1] }
		END { exit 10 * grew["t1-0-0"] >= grew["t1-0-1"] }' \
		"$tmp/before" "$tmp/after"
}

sid1=$(fabric paths h0 h1 | awk 'NR == 1 { print $4 }')
sid2=$(fabric paths h0 h1 | awk 'NR == 2 { print $4 }')
sent1=$(paths '.[] | select(.ev == 1) | .tx_pkts')
check "path replace gives path 1 the sid of path 2" \
	h0 path replace dev mrc0 dst "$dst" ev 1 port 1 \
	sid "$sid2"
check "path 1 keeps its tx_pkts when it is replaced" paths_are true \
	".[] | select(.ev == 1) | .tx_pkts >= $sent1"
check "both queue pairs have the new sid of path 1" \
	wait_for "$patience" qps_are \
	"[\"$sid2\",\"$sid2\"]" 'map(.paths[] | select(.ev == 1) | .sid)'
check "t1-0-0 carries no data after path 1 leads through t1-0-1" t1_is_left
check "path replace with a port of another plane is refused" \
	refused "leaves by port 1" \
	path replace dev mrc0 dst "$dst" ev 1 port 2 sid "$sid1"
check "path 1 is deleted and added with its first sid in a batch" h0 -b - << END
path del dev mrc0 dst $dst ev 1
path add dev mrc0 dst $dst ev 1 port 1 sid $sid1
END

check "path 17 is added" h0 path add dev mrc0 dst "$dst" ev 17 port 2 \
	sid "$(fabric paths h0 h1 | awk 'NR == 6 { print $4 }')"
evs+=,17
check "path 17 is good in both queue pairs" states_become '[["good",17]]'
check "all 17 paths carry packets" only_used "$evs"

# --- a path becomes ASSUMED_BAD ----------------------------------------------

path7_is()
{
	paths_are "[[\"$1\",$2]]" \
		'map(select(.ev == 7) | [.state, .qps_bad])'
}

# Each of the two queue pairs reports an event.
check "the link of path 7 is cut silently" fabric cut t0-1-0:t1-1-2 silent
check "the monitor reports path 7 bad for both queue pairs" \
	wait_for "$patience" events_reach bad 2
check "path show reports path 7 bad for both queue pairs" path7_is bad 2
check_equal "the monitor reports no path but 7 bad" \
	"$(events bad | sort -u)" "7 2"
check "mrc_verify goes on while the link of path 7 is cut" verify_goes_on
# Paths that were deleted and added again have reported "good" as well.
good=$(events good | wc -l)
check "the link of path 7 is restored" fabric restore t0-1-0:t1-1-2
check "the monitor reports path 7 good for both queue pairs" \
	wait_for "$patience" events_reach good $((good + 2))
check_equal "the last two good events of the monitor are of path 7" \
	"$(events good | tail -n 2 | sort -u)" "7 2"
check "path show reports path 7 good for both queue pairs" \
	wait_for "$patience" path7_is good 0
check "all 17 paths carry packets after path 7 recovers" only_used "$evs"

check "the link of path 7 is cut silently a second time" \
	fabric cut t0-1-0:t1-1-2 silent
check "the monitor reports path 7 bad for both queue pairs a second time" \
	wait_for "$patience" events_reach bad 4
recovered=$(counter h0 ev_recovered_events)
check "bad path 7 is deleted" del 7
check "bad path 7 is denied in both queue pairs after deletion" \
	states_become '[["denied",1],["good",16]]'
check_equal "deletion of bad path 7 does not count in ev_recovered_events" \
	"$(counter h0 ev_recovered_events)" "$recovered"
check "the link of path 7 is restored a second time" \
	fabric restore t0-1-0:t1-1-2
check "path 7 is added again" add 7
check "path 7 is good in both queue pairs after it is added" \
	states_become '[["good",17]]'
check "all 17 paths carry packets after path 7 is added" only_used "$evs"

check "mrc_verify ends after all changes of paths, every byte is right" \
	verify_end
check_equal "no queue pair of h0 failed" \
	"$(counter h0 unresponsive_remote_events)" 0

# --- counters after the run --------------------------------------------------

all_sums_up "after the run"
check "all 17 paths are idle after the run" paths_are '[17,0,["idle"]]' \
	'[length, (map(.qps) | add), (map(.state) | unique)]'
check "ib_write_bw uses the 17 paths" perftest ib_write_bw -s 65536 -n 200
all_sums_up "after ib_write_bw"
check_equal "the monitor has reported each of ev_assumed_bad_events" \
	"$(events bad | wc -l)" "$(counter h0 ev_assumed_bad_events)"
kill "$monitor"

# --- no path left ------------------------------------------------------------

# shellcheck disable=SC2086
# (With an infinite ACK timeout, as above.)
check "a second run of mrc_verify with two queue pairs starts" \
	verify_begin $args -q 2 \
	--ack-timeout 0
check "a deny rule for the peer is added" h0 path deny dev mrc0 dst "$dst"
check "all paths of both queue pairs are denied" states_become '[["denied",17]]'
check "the deny rule for the peer is removed" h0 path allow dev mrc0 dst "$dst"
check "all 17 paths are good after the deny rule is removed" \
	states_become '[["good",17]]'
check "all 17 paths carry packets after the deny rule is removed" \
	only_used "$evs"

check "path flush of the peer succeeds under traffic" \
	h0 path flush dev mrc0 dst "$dst"
check "path show reports automatic paths only after path flush" \
	wait_for "$patience" paths_are '[]' \
	'map(select(.mode != "auto"))'
check "both queue pairs have 128 automatic paths after path flush" \
	wait_for "$patience" qps_are \
	'[["auto",128],["auto",128]]' 'map([.mode, (.paths | length)])'
check "mrc_verify goes on with automatic paths after path flush" verify_goes_on
check "paths 1 to 16 are added after path flush" add {1..16}
check "both queue pairs have the 16 explicit paths after path flush" \
	states_become '[["good",16]]'
check "all 16 paths carry packets after path flush and addition" only_used "${evs%,17}"
check "the second run of mrc_verify ends, every byte is right" verify_end
