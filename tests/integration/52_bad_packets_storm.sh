#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Bad packets while the device has work to do. First each kind of malformed ones
# next to traffic of which every byte is compared: they are counted exactly, and
# the traffic is unharmed. Then a flood of random ones while queue pairs and
# memory regions come and go: those it is aimed at, and those of programs that
# have nothing to do with it. Nothing breaks, and nothing is left behind.
#
#	h0:p0 ------- p0:h1:raw ------- h1:raw
#	(mrc0)          (mrc1)          (mrc_peer)

. "$(dirname "$0")/lib.sh"

program=$lib/../../build/tests/mrc_peer
tools=$lib/../../build/tests
peer6=2001:db8:1ff::1
peer4=10.199.0.1
# Leads to h1; see fabric.sh.
sid=fcbb:bb00:3001::
packets=${PACKETS:-30000}
# Memory that may remain in the kernel's caches, KiB. One queue pair of those
# that come and go takes about 80, one packet 1.
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

# Its addresses. (Those of the port h1:raw come after all others, so that GIDs of
# mrc0 and mrc1 have the same index; one that ends in 1 makes it a member of the
# same groups as h1:p0 is.)
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

# play GROUP [ARG...]: let the raw peer play a group of packets.
play()
{
	"$program" -d mrc1 -N /run/netns/raw -i h1 \
		-m "$(on h1 cat /sys/class/net/raw/address)" \
		-6 "$peer6,$(address_of h1 6)" "${@:2}" "$1"
}

# What the kernel has allocated for itself, KiB.
kernel_memory()
{
	awk '/^(SUnreclaim|VmallocUsed|Percpu|KernelStack):/ { n += $2 }
		END { print n }' /proc/meminfo
}

# Pages that are pinned for some device. (Processors add what they count to the
# sum once a second, unless they are told to.)
pinned()
{
	echo 1 > /proc/sys/vm/stat_refresh
	awk '/^nr_foll_pin_acquired / { n += $2 }
	     /^nr_foll_pin_released / { n -= $2 }
		END { print n }' /proc/vmstat
}

# Some of it is freed a grace period later.
memory_is_back()
{
	[ "$(kernel_memory)" -le $((before + slack)) ]
}

# Other programs, one after the other until the storm has ended.
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
check "a host that sends raw packets" raw_host
check "device on h0" device_add h0 p0
check "device on h1" device_add h1 p0,raw
check "their GIDs" wait_for "$patience" have_gids 6 4
check "ways between that host and h1" raw_addresses

# --- bad packets, one kind after the other, while every byte is compared ------

# Each of them counts exactly what it sends, and nothing else may be dropped:
# so no packet of the traffic is.
check "traffic begins" verify_begin -o send_imm -s 16384 -b
for group in malformed refused; do
	check_tap "group $group" play "$group" \
		-4 "$peer4,$(address_of h1 4)" -o -S "$sid"
	check "the traffic goes on" verify_goes_on
done
check "the traffic ends, every byte is right" verify_end
for host in h0 h1; do
	check_equal "no queue pair of $host failed" \
		"$(counter "$host" unresponsive_remote_events)" 0
done

# --- random ones, at queue pairs and memory that come and go ------------------

# Fill the kernel's caches first.
check "a breeze" play storm -n 2000 -r 2
check "a run without a storm" perftest ib_send_bw -s 8192 -n 100 -q 16 -b
pinned_before=$(pinned)
before=$(kernel_memory)

play storm -n "$packets" -r 1 > "$tmp/storm" 2>&1 &
storm=$!
check "programs run through the storm" others_run
wait "$storm"
status=$?
import_tap < "$tmp/storm"
check "the storm runs to its end" [ "$status" -le 1 ]
check "use and misuse run after it" "$tools/mrc_bad" -d mrc0 -D mrc1 \
	-g "$(gid_index h0 6)" qp resource

check "memory is given back" wait_for "$patience" memory_is_back
echo "# $before KiB before, $(kernel_memory) KiB after, slack $slack KiB"
check_equal "no page remains pinned" "$(pinned)" "$pinned_before"
ip netns del raw
