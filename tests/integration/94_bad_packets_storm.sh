#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Invalid packets next to traffic. First mrc_peer sends each kind of malformed packet
# while mrc_verify compares every byte: they are counted exactly, and the traffic is
# not disturbed. Then it sends random packets while queue pairs and memory regions are
# created and destroyed: its own, which the packets address, and those of perftest and
# mrc_verbs_errors. No program fails, and memory and pinned pages are released.
#
#	h0:p0 ------- p0:h1:raw ------- h1:raw
#	(mrc0)          (mrc1)          (mrc_peer)
#
# Also: several processors: objects are destroyed while packets for them arrive.

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/integration/lib/memory.sh
. "$(dirname "$0")/lib/memory.sh"

program=$programs/mrc_peer
peer6=2001:db8:1ff::1
peer4=10.199.0.1
# Leads to h1; see fabric.sh.
sid=fcbb:bb00:3001::
packets=${PACKETS:-30000}
# KiB that may remain in the kernel's caches. One of the queue pairs that are created
# and destroyed takes about 80, one packet 1.
slack=4096

# A second port of h1 leads to a host without an RDMA device, and not to h0.
raw_host()
{
	ip netns del raw 2> /dev/null
	ip netns add raw &&
	ip link add name raw netns h1 mtu 4500 type veth \
		peer name h1 netns raw mtu 4500 &&
	ip -n raw link set h1 up &&
	ip -n h1 link set raw up
}

# Addresses and routes of the raw host. (The addresses of the port h1:raw are added
# last, so that GIDs of mrc0 and mrc1 have the same index; with an address that
# ends in
# 1 it is in the same multicast groups as h1:p0.)
raw_addresses()
{
	ip -n h1 addr add 2001:db8:1fe::1/128 dev raw nodad &&
	ip -n raw addr add "$peer6/128" dev h1 nodad &&
	ip -n raw addr add "$peer4/32" dev h1 &&
	ip -n raw route add "$(address_of h1 6)/128" dev h1 &&
	ip -n raw route add "$(address_of h1 4)/32" dev h1 &&
	ip -n h1 route add "$peer6/128" dev raw src "$(address_of h1 6)" &&
	ip -n h1 route add "$peer4/32" dev raw src "$(address_of h1 4)" &&
	peer_target h1 "$sid"
}

# play GROUP [ARG...]: the raw host sends a group of packets of mrc_peer.
play()
{
	"$program" -d mrc1 -N /run/netns/raw -i h1 \
		-m "$(on h1 cat /sys/class/net/raw/address)" \
		-6 "$peer6,$(address_of h1 6)" "${@:2}" "$1"
}

# Some memory is freed a grace period later: wait for this.
memory_is_back()
{
	[ "$(kernel_memory)" -le $((before + slack)) ]
}

# Run perftest repeatedly until the storm has ended.
others_run()
{
	local n=0

	while kill -0 "$storm" 2> /dev/null; do
		perftest ib_send_bw -s 8192 -n 100 -q 16 -b || return
		n=$((n + 1))
	done
	echo "$n runs"
	[ "$n" -gt 0 ]
}

check "two hosts come up" fabric simple
check "a raw host without an RDMA device is connected to h1" raw_host
check "mrc0 is created on h0" device_add h0 p0
check "mrc1 is created on h1 with ports p0 and raw" device_add h1 p0,raw
check "both hosts have their GIDs" wait_for "$patience" have_gids 6 4
check "addresses and routes between the raw host and h1" raw_addresses

# --- the service time, which takes real time ----------------------------------

if in_virtual_time; then
	skip "mrc_peer scenarios of the service time" \
		"in virtual time a packet is processed in no time"
else
	check_tap "mrc_peer scenarios of the service time" \
		play "$tests/scenarios/service_time"
fi

# --- malformed packets, one kind after the other, while every byte is compared 

# Each group checks that the drop counters grow by exactly what it sends: so no packet
# of the traffic is dropped.
check "mrc_verify in both directions starts" \
	verify_begin -o send_imm -s 16384 -b
for group in malformed nak; do
	check_tap "mrc_peer group $group next to traffic" play "$group" \
		-4 "$peer4,$(address_of h1 4)" -o -S "$sid"
	check "mrc_verify goes on after group $group" verify_goes_on
done
check "mrc_verify ends, every byte is right" verify_end
for host in h0 h1; do
	check_equal "no queue pair of $host failed" \
		"$(counter "$host" unresponsive_remote_events)" 0
done

# --- random packets while queue pairs and memory regions are created and destroyed 

# Fill the kernel's caches before memory is measured.
check "a small storm of random packets before memory is measured" \
	play storm -n 2000 -r 2
check "ib_send_bw runs before memory is measured" \
	perftest ib_send_bw -s 8192 -n 100 -q 16 -b
pinned_before=$(pinned)
before=$(kernel_memory)

play storm -n "$packets" -r 1 > "$tmp/storm" 2>&1 &
storm=$!
check "ib_send_bw runs repeatedly during the storm of random packets" others_run
wait "$storm"
status=$?
import_tap < "$tmp/storm"
check "the storm of random packets runs to its end" [ "$status" -le 1 ]
check "mrc_verbs_errors succeeds after the storm" \
	"$programs/mrc_verbs_errors" -d mrc0 -D mrc1 \
	-g "$(gid_index h0 6)" qp resource

if keeps_freed; then
	skip "kernel memory is released after the storm" \
		"the kernel keeps freed memory; kmemleak looks for losses"
else
	check "kernel memory is released after the storm" \
		wait_for "$patience" memory_is_back
fi
echo "# $before KiB before, $(kernel_memory) KiB after, slack $slack KiB"
check_equal "no page remains pinned after the storm" \
	"$(pinned)" "$pinned_before"
ip netns del raw
