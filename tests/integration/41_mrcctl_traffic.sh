#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What mrcctl tells of traffic, and what it changes under it: counters of paths
# and queue pairs that agree with those of the device, during a run and after
# it; paths that are deleted, given back, replaced, added and all taken away
# without an error; events when a path falls silent and when it is heard again.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ctllib.sh"

# Two queue pairs, 16 messages each.
args="-o write -s 65536 -t 16"
verify_some=40

# paths FILTER: what jq makes of the explicit paths.
paths()
{
	h0 -j path show dev mrc0 | jq -c "$1"
}

# qps FILTER: what jq makes of the queue pairs with their paths.
qps()
{
	h0 -j qp show dev mrc0 paths | jq -c "$1"
}

# paths_are WANTED FILTER; qps_are WANTED FILTER
paths_are()
{
	[ "$(paths "$2")" = "$1" ]
}

qps_are()
{
	[ "$(qps "$2")" = "$1" ]
}

# --- do the numbers agree? ---------------------------------------------------

declare -A base

# Packets of explicit paths while they are being sent. The counter of the device
# follows the path's: two queue pairs may each be a burst ahead.
sum_lies_between()
{
	local before paths after

	before=$(($(counter h0 tx_pkts) - base[tx_pkts]))
	paths=$(paths 'map(.tx_pkts) | add')
	after=$(($(counter h0 tx_pkts) - base[tx_pkts]))
	echo "device $before, paths $paths, device $after"
	[ "$before" -le "$paths" ] && [ "$paths" -le $((after + 2 * 16)) ]
}

# A queue pair counts what its paths do.
qp_lies_between()
{
	local before paths after

	before=$(qps 'map(.tx_pkts) | add')
	paths=$(qps 'map(.paths[].tx_pkts) | add')
	after=$(qps 'map(.tx_pkts) | add')
	echo "queue pairs $before, paths $paths, queue pairs $after"
	[ "$before" -le "$paths" ] && [ "$paths" -le "$after" ]
}

# sums_up COUNTER NAME...: the explicit paths have COUNTER what the device has
# under these names, since it had what is in "base".
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

all_sums_up()
{
	paths . > "$tmp/paths"
	check "$1: packets" sums_up tx_pkts tx_pkts
	check "$1: bytes" sums_up tx_bytes tx_bytes
	check "$1: retransmissions" sums_up rtx_pkts retrans_pkts
	check "$1: losses" sums_up losses \
		loss_inferred_path loss_inferred_time
	check "$1: probes" sums_up probes probe_tx
	check "$1: paths given up" sums_up bad ev_assumed_bad_events
}

# --- set up ------------------------------------------------------------------

check "hosts, four planes" fabric up
check "devices on both hosts, with GIDs" devices_up device_add 6 4

ip netns exec h0 mrcctl -j monitor > "$tmp/events" &
monitor=$!

# events STATE: "EV PORT" of each path event with that state.
events()
{
	jq -r "select(.event == \"path\" and .state == \"$1\") |
		\"\(.ev) \(.port)\"" "$tmp/events"
}

# told STATE N: there have been so many such events.
told()
{
	[ "$(events "$1" | wc -l)" -ge "$2" ]
}

# --- automatic paths ---------------------------------------------------------

# shellcheck disable=SC2086
family=4 check "a run without explicit paths" verify_begin $args
check "its queue pair has 128 paths, 32 on each port" qps_are \
	'[["auto",128,[32,32,32,32]]]' \
	'map([.mode, (.paths | length),
	      (.paths | group_by(.port) | map(length))])'
check "with values of their own" qps_are '[128]' \
	'map([.paths[].ev] | unique | length)'
check "each of them carries packets" wait_for "$patience" qps_are '[true]' \
	'map(.paths | all(.tx_pkts > 0 and .state == "good"))'
check "the queue pair counts what its paths do" qp_lies_between
check "the run ends, every byte is right" verify_end
check "its queue pair is not shown any more" qps_are '[]' .

# --- explicit paths: counters ------------------------------------------------

for file in /sys/class/infiniband/mrc0/ports/1/hw_counters/*; do
	read -r value < "$file"
	base[${file##*/}]=$value
done

check "16 paths" paths_add h0 h1
check "nobody uses them" paths_are '[16,0,["idle"]]' \
	'[length, (map(.qps + .tx_pkts) | add), (map(.state) | unique)]'

# shellcheck disable=SC2086
# Without a timeout, which would end a run that has no path for too long, and
# which would wake it when it gets one.
check "a run with two queue pairs" verify_begin $args -q 2 \
	--ack-timeout 0
check "each path is good and in use by both" paths_are '[16,[["good",2,0]]]' \
	'[length, (map([.state, .qps, .qps_bad]) | unique)]'
check "each path carries packets" wait_for "$patience" paths_are true \
	'all(.tx_pkts > 0)'
check "the paths are shown with each queue pair" qps_are \
	'[["explicit",16],["explicit",16]]' 'map([.mode, (.paths | length)])'
check "counters agree during the run" sum_lies_between
check "and those of the queue pairs" qp_lies_between

# --- paths change under load -------------------------------------------------

dst=$(address_of h1 6)

# del EV...; add EV...: add has the paths of the fabric.
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

# Queue pairs follow before they send the next burst.
states_become()
{
	wait_for "$patience" qps_are "[$1,$1]" \
		'map(.paths | group_by(.state) | map([.[0].state, length]))'
}

# Packets by path, of both queue pairs.
by_path()
{
	qps '[.[].paths[]] | group_by(.ev) | map({ key: "\(.[0].ev)",
		value: map(.tx_pkts) | add }) | from_entries'
}

# only_used EV...: of all paths, these grow.
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

check "half of the paths are deleted, two ports without any" del {1..8}
check "they are not shown any more" paths_are '[9,10,11,12,13,14,15,16]' \
	'map(.ev)'
check "both queue pairs leave them" states_become '[["denied",8],["good",8]]'
check "and use the others" only_used 9,10,11,12,13,14,15,16
check "the paths are given back" add {1..8}
check "both queue pairs take them" states_become '[["good",16]]'
check "and use all" only_used "$evs"

check "all but one are deleted" del {2..16}
check "both queue pairs leave them" states_become '[["denied",15],["good",1]]'
check "and go on with the last" only_used 1
check "the paths are given back" add {2..16}
check "both queue pairs take them" states_become '[["good",16]]'

# What T1 switches of plane 0 have got from h0's T0.
by_t1()
{
	"$lib/received.py" t1-0-{0..3} | awk '$2 == "t0-0-0" { print $1, $3 }'
}

# Path 1 leads by t1-0-1 now, as path 2 does.
t1_is_left()
{
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
check "a path is replaced" h0 path replace dev mrc0 dst "$dst" ev 1 port 1 \
	sid "$sid2"
check "its counters go on" paths_are true \
	".[] | select(.ev == 1) | .tx_pkts >= $sent1"
check "both queue pairs have the new one" wait_for "$patience" qps_are \
	"[\"$sid2\",\"$sid2\"]" 'map(.paths[] | select(.ev == 1) | .sid)'
check "the old way is left" t1_is_left
check "a port of another plane is refused" refused "leaves by port 1" \
	path replace dev mrc0 dst "$dst" ev 1 port 2 sid "$sid1"
check "and back again, in two steps" h0 -b - << END
path del dev mrc0 dst $dst ev 1
path add dev mrc0 dst $dst ev 1 port 1 sid $sid1
END

check "one more path is added" h0 path add dev mrc0 dst "$dst" ev 17 port 2 \
	sid "$(fabric paths h0 h1 | awk 'NR == 6 { print $4 }')"
evs+=,17
check "both queue pairs take it" states_become '[["good",17]]'
check "and use it as all others" only_used "$evs"

# --- a path falls silent -----------------------------------------------------

path7_is()
{
	paths_are "[[\"$1\",$2]]" \
		'map(select(.ev == 7) | [.state, .qps_bad])'
}

# Both queue pairs tell of it, each for itself.
check "a link swallows everything" fabric cut t0-1-0:t1-1-2 silent
check "the monitor tells that its path is bad" \
	wait_for "$patience" told bad 2
check "so does path show" path7_is bad 2
check_equal "and of no other" "$(events bad | sort -u)" "7 2"
check "queue pairs go on" verify_goes_on
# Paths that are given back are good, too.
good=$(events good | wc -l)
check "the link is repaired" fabric restore t0-1-0:t1-1-2
check "the monitor tells that the path is good" \
	wait_for "$patience" told good $((good + 2))
check_equal "the path, and no other" \
	"$(events good | tail -n 2 | sort -u)" "7 2"
check "so does path show" wait_for "$patience" path7_is good 0
check "all paths are used" only_used "$evs"

check "it fails again" fabric cut t0-1-0:t1-1-2 silent
check "which is told" wait_for "$patience" told bad 4
recovered=$(counter h0 ev_recovered_events)
check "the bad path is deleted" del 7
check "both queue pairs leave it" states_become '[["denied",1],["good",16]]'
check_equal "that is no recovery" \
	"$(counter h0 ev_recovered_events)" "$recovered"
check "the link is repaired" fabric restore t0-1-0:t1-1-2
check "the path is given back" add 7
check "both queue pairs take it" states_become '[["good",17]]'
check "and use it" only_used "$evs"

check "the run ends, every byte is right" verify_end
check_equal "no queue pair failed" \
	"$(counter h0 unresponsive_remote_events)" 0

# --- counters after the run --------------------------------------------------

all_sums_up "after the run"
check "nobody uses the paths" paths_are '[17,0,["idle"]]' \
	'[length, (map(.qps) | add), (map(.state) | unique)]'
check "a new queue pair" perftest ib_write_bw -s 65536 -n 200
all_sums_up "after another"
check_equal "each path given up was told" \
	"$(events bad | wc -l)" "$(counter h0 ev_assumed_bad_events)"
kill "$monitor"

# --- none left ---------------------------------------------------------------

# shellcheck disable=SC2086
# (Without a timeout, as above.)
check "another run with two queue pairs" verify_begin $args -q 2 \
	--ack-timeout 0
check "the peer is denied" h0 path deny dev mrc0 dst "$dst"
check "both queue pairs are left without paths" states_become '[["denied",17]]'
check "the peer is allowed" h0 path allow dev mrc0 dst "$dst"
check "both queue pairs have them again" states_become '[["good",17]]'
check "and use all" only_used "$evs"

check "all paths are flushed" h0 path flush dev mrc0 dst "$dst"
check "none is left" wait_for "$patience" paths_are '[]' \
	'map(select(.mode != "auto"))'
check "both queue pairs have automatic ones" wait_for "$patience" qps_are \
	'[["auto",128],["auto",128]]' 'map([.mode, (.paths | length)])'
check "and go on" verify_goes_on
check "the paths are given back" add {1..16}
check "both queue pairs take them" states_become '[["good",16]]'
check "and use all" only_used "${evs%,17}"
check "the run ends, every byte is right" verify_end
