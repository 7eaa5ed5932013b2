#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The part of the demonstration that runs in the guest. It leaves the input of
# report.py in $VM_OUT:
#
#   facts                NAME VALUE, one per line
#   verify-*             last line of mrc_verify in each run
#   progress             output of mrc_verify during the run with faults
#   actions              SECONDS cut|restore WHAT, one line for each
#   events-h<i>          output of "mrcctl monitor" during the run with faults
#   t1                   HOST EV PORT T1 SID, one line for each path
#   paths-h<i>-<n>.json  paths; n is 1 before and 2 after the faults
#   device-h<i>.json     the device and its counters at the end
set -uo pipefail

tmp=$(mktemp -d)
. "$(dirname "$0")/../tests/lab/hosts.sh"

# Seconds that a fault lasts, and that follow without a fault: enough to be visible
# in the timeline. The result does not depend on it.
hold=${DEMO_HOLD:-2}

# Faults: a link, a link silently, a switch, a host port; one on each plane.
faults=("t0-0-0:t1-0-2" "t0-1-1:t1-1-0 silent" "t1-2-1" "h0:p3")

step()
{
	printf '\n=== %s\n' "$*"
}

fact()
{
	echo "$1 ${*:2}" >> "$VM_OUT/facts"
}

# fail REASON: report the failure, print the state, clean up and exit.
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

# run_on HOST COMMAND...: print the command and run it in the namespace of HOST.
run_on()
{
	echo "$1# ${*:2}"
	on "$@" || fail "$*"
}

# save N: write paths-h<i>-<N>.json and device-h<i>.json of both hosts.
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
	sed -n '/^#  *plane 0/,/^#  *+----bridge/s/^#//p' "$lab/fabric.sh"

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

# --- comparison of every byte ------------------------------------------------

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

# Print the bytes that h1 has compared so far.
progress()
{
	tail -n 1 "$VM_OUT/progress" | sed -n 's/.*"bytes":\([0-9]*\).*/\1/p'
}

progress_exceeds()
{
	[ "$(progress)" -gt "$1" ]
}

# go_on AFTER: wait $hold seconds, then until the run has made progress.
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
		fail "the run with faults does not start"
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

	step "comparison of every byte while links, a switch and a port fail"
	start_run
	# The run uses all processors; faults must still happen on time.
	renice -n -10 -p $$ > /dev/null
	go_on "start"
	for what in "${faults[@]}"; do
		# shellcheck disable=SC2086
		act cut $what
		act restore "${what%% *}"
	done
	run_ends || fail "the run with faults"
	tail -n 1 "$VM_OUT/progress" > "$VM_OUT/verify-faults"
	save 2
}

here=$(cd "$(dirname "$0")" && pwd)
verifier=$programs/mrc_verify

fact kernel "$(uname -r)"
fact accelerator "${VM_ACCEL:-none}"
fact cpus "$(nproc)"
set_up
run_perftest
compare_bytes
run_under_faults
step "the end"
cleanup || fail "the module does not unload"
