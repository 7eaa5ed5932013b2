#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# READ and ATOMIC between two hosts: Debian's perftest as it is, bytes and sums
# over a link that loses packets, and what must be refused.

. "$(dirname "$0")/lib.sh"

tools=$lib/../../build/tests

# counted HOST COUNTER: the device has counted some.
counted()
{
	local n

	n=$(counter "$1" "$2")
	echo "$1 $2 $n"
	[ "$n" -gt 0 ]
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6 4

check "ib_read_bw" perftest ib_read_bw -s 65536 -n 100
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
# ask ARG...: bytes and sums, in one process that has both ends.
ask()
{
	check_tap "mrc_ask $*" "$tools/mrc_ask" -d mrc0 -D mrc1 -g "$gid" "$@"
}

ask -q 4 -n 200

# reads_more_than N: so many READs have ended on h0.
reads_more_than()
{
	[ "$(counter h0 rdma_read_wrs)" -gt "$1" ]
}

# killed WHICH: kill the client or the server of perftest while READs run; the
# other one has to end by itself.
killed()
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
		# The program itself, not what limits its time.
		pid=$(pgrep -P "$server")
		other=$client
	fi
	kill -KILL "$pid" || return
	wait "$other"
	echo "the other one: status $?"
}

for side in client server; do
	check "the $side is killed while READs run" killed "$side"
	check "READs go on with another one" \
		perftest ib_read_bw -s 8192 -n 20
done

check_tap "mrc_bad ask" "$tools/mrc_bad" -d mrc0 -D mrc1 -g "$gid" ask

# Exactly once, whatever is lost or comes twice; more of it with ASK_OPS=12500:
# 100,000 of each kind.
check "the link loses 5 % of the packets" impair_link loss 5% duplicate 2%
ask -q 8 -n "${ASK_OPS:-100}"
for name in rdma_read_wrs rdma_read_bytes atomic_wrs; do
	check "h0 counts $name" counted h0 "$name"
done
for name in rdma_read_resp_bytes atomic_requests; do
	check "h1 counts $name" counted h1 "$name"
done
check "something was sent again" counted h0 retrans_pkts
