#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Memory that is opened to a peer and closed again: regions that change,
# windows, invalidation by the owner and by the peer, also over a link that loses
# and repeats packets.
#
# Every kernel: pages and their pinning are the kernel's.

. "$(dirname "$0")/lib.sh"

tools=$lib/../../build/tests

# mem GROUP: tests in one process that has both ends.
mem()
{
	check_tap "mrc_mem $1" "$tools/mrc_mem" -d mrc0 -D mrc1 -g "$gid" "$1"
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6
gid=$(gid_index h0 6)

for group in region dmabuf window bind inval loss; do
	mem "$group"
done
check "a module that exports memory" insmod \
	"$tools/$(uname -r)/mrc_exporter.ko"
mem exporter
check "it goes" rmmod mrc_exporter
check "the link loses packets" impair_link loss 5% duplicate 2%
mem loss
