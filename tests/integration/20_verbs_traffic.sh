#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# RC queue pairs between two hosts on one link: Debian's perftest as it is,
# every kind of message with its bytes compared, and counters that tell what
# has happened.

. "$(dirname "$0")/lib.sh"

# Message sizes around the path MTU, several of them in flight.
all_sizes()
{
	local mode=$1 size

	for size in 1 4096 4097 100001; do
		verify -o "$mode" -s "$size" -n 20 -t 8 || return
	done
}

# arrived_once HOST0 NAME0 HOST1 NAME1: what the one has sent is what the other
# has received.
arrived_once()
{
	local a b

	a=$(counter "$1" "$2")
	b=$(counter "$3" "$4")
	echo "$1 $2 $a, $3 $4 $b"
	[ "$a" -eq "$b" ] && [ "$a" -gt 0 ]
}

resource_shows()
{
	on h0 rdma -dd resource show qp link mrc0/1 > "$tmp/res"
	grep -q "psn_una" "$tmp/res"
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6 4

for program in ib_write_bw ib_send_bw; do
	check "$program" perftest "$program" -s 65536 -n 100
	check "$program, both directions, 4 QPs" \
		perftest "$program" -s 8192 -n 100 -b -q 4
done
# perftest has no events with WRITE.
check "ib_send_bw, events" perftest ib_send_bw -s 4096 -n 100 -e
for program in ib_write_lat ib_send_lat; do
	check "$program" perftest "$program" -s 8 -n 100
done
family=4 check "ib_write_bw, IPv4" perftest ib_write_bw -s 65536 -n 100
check "ib_send_lat, inline" perftest ib_send_lat -s 8 -n 100 -I 64

for mode in write write_imm send send_imm; do
	check "$mode: sizes around the path MTU" all_sizes "$mode"
	family=4 check "$mode: 16 elements at odd addresses, IPv4" \
		verify -o "$mode" -s 50001 -n 50 -S 16 -u
	check "$mode: inline, 4 QPs, both directions" \
		verify -o "$mode" -s 64 -n 100 -I -q 4 -b
done
check_fails "a wrong bit is found" "." verify -o write -n 20 --corrupt 7

check "WRITE bytes arrive once" \
	arrived_once h0 rdma_write_bytes h1 rdma_write_recv_bytes
check "and the other way" \
	arrived_once h1 rdma_write_bytes h0 rdma_write_recv_bytes
check "SEND bytes arrive once" \
	arrived_once h0 send_bytes h1 recv_bytes
check "and the other way" \
	arrived_once h1 send_bytes h0 recv_bytes
check_equal "no errors" "$(counter h0 rdma_write_wr_err)" 0
check "a program that runs" verify_begin -o write
check "the state of a QP is shown" wait_for "$patience" resource_shows
check "it has verified all it sent" verify_end
