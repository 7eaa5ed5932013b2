#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# READ and ATOMIC between two hosts: unmodified perftest of Debian, mrc_rd_atomic
# (every byte and every sum compared, also over a link that loses and duplicates
# packets), invalid requests (mrc_verbs_errors), and a killed requester or responder.

. "$(dirname "$0")/lib/test.sh"


# counted HOST COUNTER: the counter is above 0.
counted()
{
	local n

	n=$(counter "$1" "$2")
	echo "$1 $2 $n"
	[ "$n" -gt 0 ]
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6 4

check "ib_read_bw, IPv6" perftest ib_read_bw -s 65536 -n 100
check "ib_read_bw, both directions, 4 QPs" \
	perftest ib_read_bw -s 8192 -n 100 -b -q 4
check "ib_read_lat" perftest ib_read_lat -s 8 -n 100
family=4 check "ib_read_bw, IPv4" perftest ib_read_bw -s 65536 -n 100
for type in FETCH_AND_ADD CMP_AND_SWAP; do
	check "ib_atomic_bw, $type" perftest ib_atomic_bw -A "$type" -n 200
	check "ib_atomic_lat, $type" perftest ib_atomic_lat -A "$type" -n 100
done
check "ib_atomic_bw, both directions, 4 QPs" \
	perftest ib_atomic_bw -n 100 -b -q 4

gid=$(gid_index h0 6)
# rd_atomic ARG...: compare bytes and sums, in one process that has both QPs.
rd_atomic()
{
	check_tap "mrc_rd_atomic $*" "$programs/mrc_rd_atomic" \
		-d mrc0 -D mrc1 -g "$gid" "$@"
}

rd_atomic -q 4 -n 200

# reads_more_than N: more than N READs have completed on h0.
reads_more_than()
{
	[ "$(counter h0 rdma_read_wrs)" -gt "$1" ]
}

# peer_of_killed_ends client|server: kill the client or the server of perftest while
# READs run; the other program has to end by itself.
peer_of_killed_ends()
{
	local before server client other pid

	before=$(counter h0 rdma_read_wrs)
	perftest_server ib_read_bw -s 65536 -D 100 || return
	ip netns exec h0 ib_read_bw -d mrc0 -x "$(gid_index h0 6)" \
		-s 65536 -D 100 "$(address_of h1 mgmt)" \
		> "$tmp/client" 2>&1 &
	client=$!
	wait_for "$patience" reads_more_than $((before + 50)) || return
	pid=$client
	other=$server
	if [ "$1" = server ]; then
		# Kill the program itself, not timeout(1), which started it.
		pid=$(pgrep -P "$server")
		other=$client
	fi
	kill -KILL "$pid" || return
	wait "$other"
	echo "the other program: status $?"
}

for side in client server; do
	check "ib_read_bw: the other side ends after the $side is killed" \
		peer_of_killed_ends "$side"
	check "ib_read_bw runs after the $side of an earlier run was killed" \
		perftest ib_read_bw -s 8192 -n 20
done

check_tap "mrc_verbs_errors rd_atomic" "$programs/mrc_verbs_errors" \
	-d mrc0 -D mrc1 -g "$gid" rd_atomic

# Exactly-once execution while packets are lost and duplicated. RD_ATOMIC_OPS=12500
# makes it 100,000 operations of each kind.
check "the link loses 5 % and duplicates 2 % of the packets" \
	impair_link loss 5% duplicate 2%
rd_atomic -q 8 -n "${RD_ATOMIC_OPS:-100}"
for name in rdma_read_wrs rdma_read_bytes atomic_wrs; do
	check "h0 counts $name" counted h0 "$name"
done
for name in rdma_read_resp_bytes atomic_requests; do
	check "h1 counts $name" counted h1 "$name"
done
check "h0 counts retransmissions" counted h0 retrans_pkts
