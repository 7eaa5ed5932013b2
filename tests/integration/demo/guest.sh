#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The part of the demonstration that runs in the guest. What report.py needs is
# left in $VM_OUT:
#
#   facts                NAME VALUE, one per line
#   verify-*             what mrc_verify printed at the end of each run
#   progress             what it printed during the run under faults
#   actions              SECONDS cut|restore WHAT, one line for each
#   events-h<i>          what "mrcctl monitor" told meanwhile
#   t1                   HOST EV PORT T1 SID, one line for each path
#   paths-h<i>-<n>.json  paths, 1: before, 2: after the faults
#   device-h<i>.json     the device and its counters at the end
set -uo pipefail

tmp=$(mktemp -d)
. "$(dirname "$0")/../hostlib.sh"

# How long a fault lasts, and how long the network is whole after it: enough to
# be seen in the timeline. Nothing depends on it.
hold=${DEMO_HOLD:-2}

# Link, silent link, switch, host port; one on every plane.
faults=("t0-0-0:t1-0-2" "t0-1-1:t1-1-0 silent" "t1-2-1" "h0:p3")

step()
{
	printf '\n=== %s\n' "$*"
}

fact()
{
	echo "$1 ${*:2}" >> "$VM_OUT/facts"
}

# Say what went wrong and with which state, and end.
fail()
{
	trap - EXIT
	step "FAILED: $*"
	fact failed "$*"
	dump
	cleanup
	exit 1
}

must()
{
	"$@" || fail "$*"
}

# Show a command and run it in the namespace of host $1.
run_on()
{
	echo "$1# ${*:2}"
	on "$@" || fail "$*"
}

# Keep the paths of both hosts as paths-h<i>-$1.json, and their counters.
save()
{
	local i

	for i in 0 1; do
		on "h$i" mrcctl -j path show dev "mrc$i" \
			> "$VM_OUT/paths-h$i-$1.json"
		on "h$i" mrcctl -j -s dev show "mrc$i" \
			> "$VM_OUT/device-h$i.json"
	done
}

cleanup()
{
	# shellcheck disable=SC2046
	kill $(jobs -p) 2> /dev/null
	wait
	fabric down
	wait_for "$patience" modprobe -r mrc
}

# --- set up -----------------------------------------------------------------

add_paths()
{
	local from=h$1 to=h$2 dst ev=0 port t1 sid

	while read -r _ port t1 sid dst; do
		ev=$((ev + 1))
		[ "$ev" -ne 1 ] ||
			echo "$from# mrcctl path add dev mrc$1 dst $dst" \
			     "ev $ev port $port sid $sid"
		on "$from" mrcctl path add dev "mrc$1" dst "$dst" \
			ev "$ev" port "$port" sid "$sid" ||
			fail "path by $t1"
		echo "$from $ev $port $t1 $sid" >> "$VM_OUT/t1"
	done < <(fabric paths "$from" "$to")
	echo "... and so on: $ev paths from $from to $to"
	fact "paths_$from" "$ev"
}

set_up()
{
	step "fabric: 2 hosts, 4 planes of 2 T0 and 4 T1 switches each"
	must fabric up
	sed -n '/^#  *plane 0/,/^#  *+----bridge/s/^#//p' "$lib/fabric.sh"

	step "one RDMA device of four ports on each host"
	run_on h0 mrcctl dev add mrc0 netdev p0,p1,p2,p3
	run_on h1 mrcctl dev add mrc1 netdev p0,p1,p2,p3

	step "explicit SRv6 paths"
	add_paths 0 1
	add_paths 1 0

	step "the device"
	run_on h0 mrcctl dev show mrc0
	must wait_for "$patience" gid_index h0 6
	must wait_for "$patience" gid_index h1 6
}

# --- unmodified programs ----------------------------------------------------

# bandwidth PROGRAM SIZE ITERATIONS [ARG...]
bandwidth()
{
	local program=$1 size=$2 result

	echo "h0# $program -d mrc0 -x GID -F -s $size -n ${*:3} $(address_of h1 mgmt)"
	perftest "$program" -F -s "$size" -n "${@:3}" || fail "$program"
	result=$(awk -v size="$size" '$1 == size { print $4 }' "$tmp/client")
	[ "$result" ] || fail "$program printed no bandwidth"
	echo "    $size bytes: $result MB/s"
	fact "$program" "$result"
}

latency()
{
	local program=$1 result

	echo "h0# $program -d mrc0 -x GID -F -s 8 -n 2000 $(address_of h1 mgmt)"
	perftest "$program" -F -s 8 -n 2000 || fail "$program"
	result=$(awk '$1 == 8 { print $5 }' "$tmp/client")
	[ "$result" ] || fail "$program printed no latency"
	echo "    8 bytes: $result us (median)"
	fact "$program" "$result"
}

run_perftest()
{
	step "perftest, unmodified"
	bandwidth ib_write_bw 65536 4000
	bandwidth ib_send_bw 65536 4000
	latency ib_write_lat
	latency ib_send_lat
}

# --- every byte -------------------------------------------------------------

compare()
{
	local mode=$1

	echo "h0# mrc_verify -d mrc0 -o $mode -s 65536 -n 2000" \
	     "$(address_of h1 mgmt)"
	verify -o "$mode" -s 65536 -n 2000 || fail "mrc_verify in mode $mode"
	tail -n 1 "$tmp/server" > "$VM_OUT/verify-$mode"
	jq -r '"    \(.bytes) bytes compared, \(.errors) wrong, " +
	       "\(.mbit_per_s / 8 | floor) MB/s"' "$VM_OUT/verify-$mode"
}

compare_bytes()
{
	step "programs that compare every byte"
	compare write
	compare send

	step "packets by path, from h0 to h1"
	save 1
	/usr/bin/python3 "$here/report.py" paths "$VM_OUT" ||
		fail "a path carried no packets"
}

# --- faults -----------------------------------------------------------------

# Bytes that h1 has compared so far.
progress()
{
	tail -n 1 "$VM_OUT/progress" | sed -n 's/.*"bytes":\([0-9]*\).*/\1/p'
}

progress_exceeds()
{
	[ "$(progress)" -gt "$1" ]
}

# Let the run go on for a while, and see that it does.
go_on()
{
	local before

	sleep "$hold"
	before=$(progress)
	wait_for "$patience" progress_exceeds "${before:-0}" ||
		fail "no progress after: $1"
}

# act cut|restore WHAT [silent]
act()
{
	local start=$EPOCHREALTIME

	fabric "$@" || fail "fabric $*"
	echo "$start $*" >> "$VM_OUT/actions"
	echo "    $*"
	go_on "$*"
}

start_run()
{
	local i

	for i in 0 1; do
		ip netns exec "h$i" mrcctl -j monitor > "$VM_OUT/events-h$i" &
	done
	ip netns exec h1 "$verifier" -d mrc1 -g "$(gid_index h1 6)" \
		--progress 20 > "$VM_OUT/progress" 2> "$tmp/server" &
	server=$!
	ip netns exec h0 "$verifier" -d mrc0 -g "$(gid_index h0 6)" \
		-o write -s 65536 -D 86400 "$(address_of h1 mgmt)" \
		> "$tmp/client" 2>&1 &
	client=$!
	wait_for "$patience" progress_exceeds 0 ||
		fail "the run under faults does not start"
}

run_ends()
{
	local status=0

	kill "$client"
	wait "$client" || status=1
	wait "$server" || status=1
	[ "$status" -eq 0 ] || cat "$tmp/client" "$tmp/server"
	return "$status"
}

run_under_faults()
{
	local what

	step "the same while links, a switch and a port fail"
	start_run
	# The run takes all processors; whoever pulls cables does not care.
	renice -n -10 -p $$ > /dev/null
	go_on "start"
	for what in "${faults[@]}"; do
		# shellcheck disable=SC2086
		act cut $what
		act restore "${what%% *}"
	done
	run_ends || fail "the run under faults"
	tail -n 1 "$VM_OUT/progress" > "$VM_OUT/verify-faults"
	save 2
}

here=$(cd "$(dirname "$0")" && pwd)
verifier=$lib/../../build/tests/mrc_verify

fact kernel "$(uname -r)"
fact accelerator "${VM_ACCEL:-none}"
fact cpus "$(nproc)"
set_up
run_perftest
compare_bytes
run_under_faults
step "the end"
cleanup || fail "the module does not unload"
