#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# RC queue pairs between two hosts on one link: unmodified perftest of Debian,
# mrc_verify with SEND and WRITE of every kind and size, of which every byte is
# compared, and the counters of the device.
#
# Spins: ib_write_lat waits for a byte of memory.

. "$(dirname "$0")/lib/test.sh"

# all_sizes MODE: messages of sizes around the path MTU, up to 8 in flight.
all_sizes()
{
	local mode=$1 size

	for size in 1 4096 4097 100001; do
		verify -o "$mode" -s "$size" -n 20 -t 8 || return
	done
}

# arrived_once HOST0 NAME0 HOST1 NAME1: the counters NAME0 of HOST0 (sent) and NAME1
# of HOST1 (received) are equal and not 0.
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
	grep -q "state RTS.*sq_outstanding" "$tmp/res"
}

# What would help to forge packets, or tells addresses of a process or of the kernel.
resource_is_discreet()
{
	rdma -dd resource show mr >> "$tmp/res"
	! grep -E "psn [1-9]|psn_|iova" "$tmp/res"
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6 4

for program in ib_write_bw ib_send_bw; do
	check "$program, IPv6" perftest "$program" -s 65536 -n 100
	check "$program, both directions, 4 QPs" \
		perftest "$program" -s 8192 -n 100 -b -q 4
done
# perftest has no events with WRITE.
check "ib_send_bw, completion events" perftest ib_send_bw -s 4096 -n 100 -e
for program in ib_write_lat ib_send_lat; do
	check "$program, IPv6" perftest "$program" -s 8 -n 100
done
family=4 check "ib_write_bw, IPv4" perftest ib_write_bw -s 65536 -n 100
check "ib_send_lat, inline" perftest ib_send_lat -s 8 -n 100 -I 64

for mode in write write_imm send send_imm; do
	check "mrc_verify $mode: messages of sizes around the path MTU arrive unchanged" \
		all_sizes "$mode"
	family=4 check "mrc_verify $mode: 16 elements at odd addresses arrive unchanged, IPv4" \
		verify -o "$mode" -s 50001 -n 50 -S 16 -u
	check "mrc_verify $mode: inline, 4 QPs, both directions, arrives unchanged" \
		verify -o "$mode" -s 64 -n 100 -I -q 4 -b
done
check_equal "h0 counts no rdma_write_wr_err" "$(counter h0 rdma_write_wr_err)" 0
# The receiver ends then, while more is on its way: that counts where it is retried for long.
check_fails "mrc_verify fails when one bit of a WRITE is wrong" \
	"." verify -o write -n 20 --corrupt 7

check "WRITE bytes sent by h0 are counted once by h1" \
	arrived_once h0 rdma_write_bytes h1 rdma_write_recv_bytes
check "WRITE bytes sent by h1 are counted once by h0" \
	arrived_once h1 rdma_write_bytes h0 rdma_write_recv_bytes
check "SEND bytes sent by h0 are counted once by h1" \
	arrived_once h0 send_bytes h1 recv_bytes
check "SEND bytes sent by h1 are counted once by h0" \
	arrived_once h1 send_bytes h0 recv_bytes
check "mrc_verify with WRITE starts" verify_begin -o write
check "rdma resource show qp reports the send queue of a running QP" \
	wait_for "$patience" resource_shows
check "rdma resource show tells neither PSNs nor addresses" resource_is_discreet
check "mrc_verify ends, every byte is right" verify_end
