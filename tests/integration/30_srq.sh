#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Shared receive queues, also over a link that delays, duplicates and loses packets:
# unmodified perftest of Debian, and mrc_srq, which tests the rules for WQEs, limit
# events and errors.
#
# Also: several processors: queue pairs take WQEs of one queue at the same time.

. "$(dirname "$0")/lib/test.sh"


# srq ARG...: run mrc_srq.
srq()
{
	check_tap "mrc_srq $*" "$programs/mrc_srq" -d mrc0 -D mrc1 \
		-g "$(gid_index h0 6)" "$@"
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6

srq
check "ib_send_bw with an SRQ, 4 QPs" \
	perftest ib_send_bw -s 8192 -n 100 -q 4 --use-srq
check "ib_send_bw with an SRQ, both directions" \
	perftest ib_send_bw -s 8192 -n 100 -b --use-srq
check "ib_send_lat with an SRQ" perftest ib_send_lat -s 8 -n 100 --use-srq

check "the link delays packets, loses 1 % and duplicates 1 %" \
	impair_link delay 200us 100us loss 1% duplicate 1%
srq -n 60
