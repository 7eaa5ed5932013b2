#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# One message at a time, as programs send whose latency matters: acknowledgments leave
# nothing to be sent, and responses to READ and ATOMIC are sent where their requests are
# received. So the work that sends what acknowledgments permit seldom runs.
#
# Needs: every kernel: its tracing, and each kernel runs work in softirqs in its way.

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/integration/lib/tracing.sh
. "$(dirname "$0")/lib/tracing.sh"

trips=1000

count_works()
{
	echo "p:mrc_work mrc:mrc_conn_tx_work" > "$tracing/kprobe_events" &&
	echo 1 > "$tracing/events/kprobes/mrc_work/enable"
}

count_no_works()
{
	echo 0 > "$tracing/events/kprobes/mrc_work/enable" &&
	echo > "$tracing/kprobe_events"
}

works()
{
	awk '$1 == "mrc_work" { print $2 }' "$tracing/kprobe_profile"
}

# few_works PROGRAM [ARG...]: perftest runs, and for three round trips less than one work.
# Measured are 8 to 53 for 1,000, which timers queue. Were all acknowledgments followed by one,
# it would be two for each round trip, and three for READ and ATOMIC; with responses alone one.
few_works()
{
	local before n

	before=$(works)
	perftest "$@" -s 8 -n "$trips" || return
	n=$(($(works) - before))
	echo "$n works, $trips round trips"
	[ "$n" -lt $((trips / 3)) ]
}

# When a READ of more than one packet is answered, others may have come.
many_works()
{
	local before n

	before=$(works)
	perftest ib_read_bw -s 65536 -n "$trips" || return
	n=$(($(works) - before))
	echo "$n works, $trips messages"
	[ "$n" -gt $((trips / 20)) ]
}

check "two hosts come up" fabric simple --mtu 4500
check "devices on both hosts, with GIDs" devices_up link_add 6
mount_tracing || skip_all "there is no tracefs"
check "works are counted" count_works
for program in ib_write_lat ib_send_lat ib_read_lat "ib_atomic_lat -A FETCH_AND_ADD"; do
	# shellcheck disable=SC2086
	check "${program%% *}: few works" few_works $program
	printed | note
done
check "where much is in flight, works send" many_works
printed | note
check "works are no longer counted" count_no_works
