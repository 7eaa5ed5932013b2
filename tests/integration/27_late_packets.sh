#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Packets that are late: one of two links delays them, their copies take the other, the
# WRITE completes, and the program (mrc_mem) uses its memory again. Late packets leave
# with what is in that memory then, and the peer drops them, or, with "icrc always", as
# they were posted; the decision is in Documentation/architecture.md.

. "$(dirname "$0")/lib/test.sh"

# What mrc_mem writes to the memory after the completion; no header looks like it.
new=$(printf 'n%.0s' {1..256})

# capture_begin NAME: capture what arrives at h1 on the slow link.
capture_begin()
{
	ip netns exec h1 tcpdump -Z root -i p0 --immediate-mode -U -s 0 -Q in \
		-w "$tmp/$1.pcap" "udp dst port 4791 and greater 1000" \
		2> "$tmp/$1.log" &
	capture=$!
	wait_for "$patience" grep -q "listening on" "$tmp/$1.log"
}

# late NAME: run mrc_mem, delay the packets of the first link from its second WRITE on,
# and capture them.
late()
{
	check "$1: tcpdump captures on the slow link" capture_begin "$1"
	mkfifo "$tmp/$1.hold"
	"$programs/mrc_mem" -d mrc0 -D mrc1 -g "$(gid_index h0 6)" late \
		< "$tmp/$1.hold" > "$tmp/$1.tap" 2>&1 &
	writer=$!
	exec {hold}> "$tmp/$1.hold"
	check "$1: mrc_mem is ready for its second WRITE" \
		wait_for "$patience" grep -q "ready$" "$tmp/$1.tap"
	check "$1: the first link delays what h0 sends by half a second" \
		on h0 tc qdisc replace dev p0 root netem delay 500ms limit 10000
	exec {hold}>&-
	wait "$writer"
	import_tap < "$tmp/$1.tap"
	kill "$capture"
	wait "$capture"
	on h0 tc qdisc del dev p0 root
	check "$1: packets with the payload of the WRITE have arrived" late_packets "$1"
}

# late_packets NAME: the capture has packets with payload.
late_packets()
{
	[ "$(tcpdump -r "$tmp/$1.pcap" 2> /dev/null | wc -l)" -gt 0 ]
}

# carries_new NAME: a captured packet has bytes written after the completion.
carries_new()
{
	grep -qa "$new" "$tmp/$1.pcap"
}

carries_old_only()
{
	! carries_new "$1"
}

check "two hosts with two links come up" fabric simple --links 2
check "devices on both hosts, with GIDs" devices_up device_add 6
check "mrc_verify finds every byte right" verify -o write -n 100

late plain
check "plain: late packets leave with what the program wrote later" \
	carries_new plain
check "dev set icrc always succeeds" on h0 mrcctl dev set mrc0 icrc always
late copied
check "copied: no late packet has what the program wrote later" \
	carries_old_only copied
