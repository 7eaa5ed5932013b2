#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# One message at a time, as programs send whose latency matters: acknowledgments leave
# nothing to be sent, and responses to READ and ATOMIC are sent where their requests are
# received. So mrc_conn_tx_work, which sends what acknowledgments permit, is seldom called.
#
# Needs: every kernel: its tracing, and each kernel runs work in softirqs in its way.

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/integration/lib/tracing.sh
. "$(dirname "$0")/lib/tracing.sh"

mount_tracing || skip_all "there is no tracefs"
trips=1000

count_calls()
{
	echo "p:mrc_work mrc:mrc_conn_tx_work" > "$tracing/kprobe_events" &&
	echo 1 > "$tracing/events/kprobes/mrc_work/enable"
}

count_no_calls()
{
	echo 0 > "$tracing/events/kprobes/mrc_work/enable" &&
	echo > "$tracing/kprobe_events"
}

calls_so_far()
{
	awk '$1 == "mrc_work" { print $2 }' "$tracing/kprobe_profile"
}

# count_during PROGRAM [ARG...]: perftest runs, with as many messages as $trips; $calls is
# how often mrc_conn_tx_work was called meanwhile.
count_during()
{
	local before

	before=$(calls_so_far)
	perftest "$@" -n "$trips" || return
	calls=$(($(calls_so_far) - before))
	echo "$calls calls, $trips messages or round trips"
}

# Measured are 8 to 53 calls for 1,000 round trips, which timers cause. Were there one after
# each acknowledgment, it would be two for each round trip, and three for READ and ATOMIC;
# after each request of these alone, one.
seldom()
{
	count_during "$@" -s 8 && [ "$calls" -lt $((trips / 3)) ]
}

# When a READ of more than one packet is answered, others may have come.
often()
{
	count_during "$@" -s 65536 && [ "$calls" -gt $((trips / 20)) ]
}

check "two hosts come up" fabric simple --mtu 4500
check "devices on both hosts, with GIDs" devices_up link_add 6
check "calls of mrc_conn_tx_work are counted" count_calls
for program in ib_write_lat ib_send_lat ib_read_lat "ib_atomic_lat -A FETCH_AND_ADD"; do
	# shellcheck disable=SC2086
	check "${program%% *}: mrc_conn_tx_work is seldom called" seldom $program
	printed | note
done
check "many READs of 64 KiB: mrc_conn_tx_work is called often" often ib_read_bw
printed | note
check "calls are no longer counted" count_no_calls
