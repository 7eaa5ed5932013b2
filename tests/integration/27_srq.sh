#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Shared receive queues, also while packets come late, twice or not at all:
# Debian's perftest, and what a program can see of each rule.

. "$(dirname "$0")/lib.sh"

tools=$lib/../../build/tests

# srq ARG...: what a program can see of each rule.
srq()
{
	check_tap "mrc_srq $*" "$tools/mrc_srq" -d mrc0 -D mrc1 \
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

check "packets come late, twice or not at all" \
	impair_link delay 200us 100us loss 1% duplicate 1%
srq -n 60
