#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# In a guest with the packages: two hosts as network namespaces with a device each, and
# checked traffic between them; with nothing but what the packages have installed.
set -euo pipefail

modprobe ib_uverbs
for i in 0 1; do
	ip netns add "h$i"
	ip -n "h$i" link set lo up
done
ip link add p0 netns h0 mtu 9000 type veth peer name p0 netns h1
for i in 0 1; do
	ip -n "h$i" link set p0 up
	ip -n "h$i" addr add "2001:db8::$((i + 1))/64" dev p0 nodad
	ip -n "h$i" addr add "192.0.2.$((i + 1))/24" dev p0
	mrcctl -n "h$i" dev add "mrc$i" netdev p0
done
ip netns exec h0 ping -6 -c 1 -W 20 2001:db8::2 > /dev/null
ip netns exec h0 ping -c 1 -W 20 192.0.2.2 > /dev/null

# gid DEVICE ADDRESS: index of the address; it may take a moment to be there.
gid()
{
	local try

	for ((try = 0; try < 300; try++)); do
		(cd "/sys/class/infiniband/$1/ports/1/gids" &&
			grep -lx "$2" -- * 2> /dev/null | head -n 1 | grep .) &&
			return
		sleep 0.1
	done
	return 1
}

g0=$(gid mrc0 2001:0db8:0000:0000:0000:0000:0000:0001)
g1=$(gid mrc1 2001:0db8:0000:0000:0000:0000:0000:0002)

# pingpong N: that many messages, of which every byte is compared.
pingpong()
{
	ip netns exec h1 ibv_rc_pingpong -c -d mrc1 -g "$g1" -n "$1" > /tmp/server &
	until ip netns exec h1 grep -q ':4853 .* 0A ' /proc/net/tcp /proc/net/tcp6; do
		sleep 0.1
	done
	ip netns exec h0 ibv_rc_pingpong -c -d mrc0 -g "$g0" -n "$1" 192.0.2.2
	wait
}

pingpong 200
mrcctl -n h0 -s port show
mrcctl -n h0 metrics | grep '^mrc_send_bytes_total{device="mrc0"} [1-9]'
