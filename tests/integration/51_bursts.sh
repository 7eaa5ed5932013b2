#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# A host that is slower than its links sends large bursts all the same: what it delays
# itself is not taken for a full network. Nothing is configured.
#
# Needs: several processors: in virtual time no host is slow.

. "$(dirname "$0")/lib/test.sh"

# bursts_are_large PKTS BURSTS: since these counts, a burst had four packets on average.
bursts_are_large()
{
	local pkts=$(($(counter h0 tx_pkts) - $1))
	local bursts=$(($(counter h0 tx_bursts) - $2))

	echo "$pkts packets in $bursts bursts"
	on h0 mrcctl -d qp show
	[ "$pkts" -ge $((4 * bursts)) ]
}

check "two hosts come up" fabric simple --mtu 4500
check "devices on both hosts, with GIDs" devices_up link_add 6
check "mrc_verify with messages of 64 KiB starts" verify_begin -s 65536
check "mrc_verify gets past the first windows" \
	wait_for "$patience" verified_more_than 4000
pkts=$(counter h0 tx_pkts) bursts=$(counter h0 tx_bursts)
check "mrc_verify gets past 4,000 further messages" \
	wait_for "$patience" verified_more_than 8000
check "the bursts of a busy host have four packets or more" \
	bursts_are_large "$pkts" "$bursts"
check "mrc_verify ends, every byte is right" verify_end
