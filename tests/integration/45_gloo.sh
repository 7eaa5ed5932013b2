#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Gloo, unmodified from Debian's package, over verbs on the standard fabric with four
# planes and 16 SRv6 paths: gloo_check, which compares all results; again while a switch
# drops everything.

. "$(dirname "$0")/lib/test.sh"

ranks=4

# gloo: four ranks, two on each host. Each prints a line.
gloo()
{
	local rank host pids=() status=0

	rm -rf "$tmp/store" && mkdir "$tmp/store"
	for ((rank = 0; rank < ranks; rank++)); do
		host=h$((rank % 2))
		on "$host" timeout -k 5 180 "$programs/gloo_check" "mrc${host#h}" \
			"$(gid_index "$host" 6)" "$rank" "$ranks" "$tmp/store" \
			> "$tmp/rank$rank" 2>&1 &
		pids+=($!)
	done
	for rank in "${!pids[@]}"; do
		wait "${pids[rank]}" || status=$?
	done
	cat "$tmp"/rank?
	[ "$status" -eq 0 ] &&
		[ "$(cat "$tmp"/rank? | grep -c ': all data as expected$')" -eq "$ranks" ]
}

# The switch dies when all switches have carried data, and some is to come.
gloo_beside_dead_switch()
{
	local pid bad status=0

	bad=$(counter h0 ev_assumed_bad_events)
	carried > "$tmp/before"
	gloo > "$tmp/gloo" 2>&1 &
	pid=$!
	wait_for "$patience" carried_more "$tmp/before" || status=$?
	fabric cut t1-1-0 silent || status=$?
	wait "$pid" || status=$?
	cat "$tmp/gloo"
	[ "$(counter h0 ev_assumed_bad_events)" -gt "$bad" ] ||
		{ echo "h0 has not left the path over the switch"; status=1; }
	return "$status"
}

check "two hosts and four planes come up" fabric up
check "devices on both hosts, with GIDs" devices_up device_add 6
check "explicit paths in both directions" paths_up

carried > "$tmp/before"
check "Gloo: all-reduce, all-gather and broadcast give the expected data" gloo
printed | note
check "all T1 switches have carried data of Gloo" carried_more "$tmp/before"
check "Gloo gives the expected data while a T1 switch dies" gloo_beside_dead_switch
