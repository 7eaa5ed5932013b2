#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# RPS spreads the packets of each queue pair over the processors; at the home processors of
# the queue pairs they meet without waiting for each other. The waits for locks of the
# driver are counted where the kernel waits for any lock that another processor holds.
#
# Needs: every kernel: several processors.

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/integration/lib/tracing.sh
. "$(dirname "$0")/lib/tracing.sh"

[ "$(nproc)" -ge 2 ] || skip_all "one processor"

mount_tracing || skip_all "there is no tracefs"
slowpath=native_queued_spin_lock_slowpath
grep -qw "$slowpath" "$tracing/available_filter_functions" ||
	skip_all "the kernel cannot trace $slowpath"
probe=$tracing/events/kprobes/mrc_wait

# All processors of the guest receive.
spread()
{
	local host mask

	printf -v mask '%x' $(((1 << $(nproc)) - 1))
	for host in h0 h1; do
		on "$host" sh -c "echo $mask > /sys/class/net/p0/queues/rx-0/rps_cpus" || return
	done
}

trace_waits()
{
	echo 16384 > "$tracing/buffer_size_kb" &&
	echo "p:mrc_wait $slowpath" > "$tracing/kprobe_events" &&
	echo stacktrace > "$probe/trigger" &&
	echo 1 > "$probe/enable"
}

trace_no_waits()
{
	echo 0 > "$probe/enable" &&
	echo '!stacktrace' > "$probe/trigger" &&
	echo > "$tracing/kprobe_events"
}

# Waits in the trace for locks that functions of the driver take, by function.
waits()
{
	awk '$2 ~ /^_raw_spin_lock/ { getline; if ($2 ~ /^mrc_/) n[$2]++ }
	     END { for (f in n) print n[f], f }' "$tracing/trace" | sort -rn
}

# Buffers that both hosts have sent and received.
buffers()
{
	local host name sum=0

	for host in h0 h1; do
		for name in tx_bursts rx_bursts; do
			sum=$((sum + $(counter "$host" "$name")))
		done
	done
	echo "$sum"
}

# waits_seldom SELDOM PROGRAM [ARG...]: perftest runs, and of SELDOM buffers fewer than one
# waits for a lock.
waits_seldom()
{
	local seldom=$1 before n waited

	shift
	before=$(buffers)
	echo > "$tracing/trace"
	perftest "$@" || return
	# Other parts of the kernel wait, too.
	grep -q 'mrc_wait:' "$tracing/trace" || { echo "nothing is traced"; return 1; }
	waits > "$tmp/waits"
	n=$(($(buffers) - before))
	waited=$(awk '{ n += $1 } END { print n + 0 }' "$tmp/waits")
	echo "$waited waits, $n buffers"
	cat "$tmp/waits"
	[ "$n" -gt 1000 ] && [ $((waited * seldom)) -lt "$n" ]
}

check "two hosts come up" fabric simple --mtu 4500
check "devices on both hosts, with GIDs" devices_up link_add 6
check "packets are spread over all processors" spread
check "waits for locks are traced" trace_waits
# Measured are 370, 440, 30 and 280 buffers for one wait, and more; where nothing leads
# packets to home processors 12, 50, 30 and 160.
for run in "50 ib_write_bw -q 1 -n 3000" "50 ib_write_bw -q 4 -n 1000" \
	   "10 ib_read_bw -q 1 -n 2000" "50 ib_send_bw -q 4 -n 1000 -b"; do
	# shellcheck disable=SC2086
	check "${run#* }: fewer than one of ${run%% *} buffers waits for a lock" \
		waits_seldom $run -s 65536
	printed | note
done
check "waits for locks are no longer traced" trace_no_waits
