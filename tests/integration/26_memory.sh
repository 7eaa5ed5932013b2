#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Memory that is opened to a peer and closed again: regions that change,
# windows, invalidation by the owner and by the peer, also over a link that loses and repeats packets.

. "$(dirname "$0")/lib.sh"

tools=$lib/../../build/tests

link_add()
{
	on "$1" rdma link add "mrc${1#h}" type mrc netdev p0
}

# netem loses whole GSO buffers: have them cut into packets before.
lossy()
{
	local host

	for host in h0 h1; do
		on "$host" ip link set p0 gso_max_segs 1 || return
		on "$host" tc qdisc replace dev p0 root netem limit 10000 \
			loss "$1" duplicate 2% || return
	done
}

# mem GROUP: tests in one process that has both ends.
mem()
{
	"$tools/mrc_mem" -d mrc0 -D mrc1 -g "$gid" "$1" > "$tmp/mem" 2>&1 ||
		echo "# mrc_mem: status $?"
	import_tap < "$tmp/mem"
	check_equal "mrc_mem $1 runs to its end" \
		"$(grep -c '^1\.\.' "$tmp/mem")" 1
}

check "two hosts come up" fabric simple
check "device on h0" link_add h0
check "device on h1" link_add h1
check "GIDs" wait_for "$patience" have_gids 6
gid=$(gid_index h0 6)

for group in region window bind inval loss; do
	mem "$group"
done
check "the link loses packets" lossy 5%
mem loss
