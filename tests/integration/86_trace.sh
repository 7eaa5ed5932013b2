#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Tracepoints: while one path loses packets, a switch drops all packets, and both
# hosts neither send nor receive for a while, the recorded events are compared
# with the counters of the queue pairs and with mrcctl monitor. Disabled
# tracepoints record nothing. Traffic by mrc_verify.
#
# Also: older kernels: tracepoints differ between kernels.

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/integration/lib/tracing.sh
. "$(dirname "$0")/lib/tracing.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

# KiB per CPU: more than the events of the run need.
trace_room=8192
# Mbit/s of a link: few packets show as much as many, and their events are read
# faster.
rate=20
verify_some=100

# --- recording ---------------------------------------------------------------

trace_set()
{
	echo "$2" > "$tracing/$1"
}

# Start recording, with a buffer that trace_end frees.
trace_begin()
{
	trace_set buffer_size_kb "$trace_room" && trace_set trace_clock mono &&
		trace_set events/mrc/enable 1
}

trace_end()
{
	trace_set events/mrc/enable 0 && trace_set trace 0 &&
		trace_set trace_clock local && trace_set buffer_size_kb 1
}

# Print the recorded events, one per line: "NAME DEVICE KEY=VALUE ...".
recorded()
{
	sed -n 's/^.*: \(mrc_[a-z_]*\): /\1 /p' "$tracing/trace"
}

nothing_recorded()
{
	recorded | awk 'NR < 20 { print } END { exit NR > 0 }'
}

nothing_overwritten()
{
	cat "$tracing"/per_cpu/cpu*/stats > "$tmp/stats" &&
		awk '/^(overrun|dropped events|commit overrun):/ && $NF {
			print; bad = 1 }
		     END { exit bad }' "$tmp/stats"
}

# --- comparison --------------------------------------------------------------

# Print the counters of the queue pairs of both hosts: "HOST KEY VALUE".
counters_read()
{
	local host

	for host in h0 h1; do
		on "$host" mrcctl -j qp show paths |
			jq -r --arg host "$host" '.[] |
				([.paths[].timeouts] | add) as $t |
				([.paths[].losses] | add) as $l |
				del(.paths) +
				{ path_timeouts: $t, path_losses: $l } |
				to_entries[] | select(.value | type == "number") |
				"\($host) \(.key) \(.value)"' || return
	done
}

# Succeed if all that h0 sent is acknowledged; then save counters and recorded events,
# if no counter changes meanwhile.
at_rest()
{
	counters_read > "$tmp/counters" || return
	awk '$1 == "h0" { v[$2] = $3 }
	     END { exit !v["nxt"] || v["una"] != v["nxt"] || v["inflight"] }' \
		"$tmp/counters" || return
	counters_read | cmp - "$tmp/counters" || return
	recorded > "$tmp/recorded"
	counters_read | cmp - "$tmp/counters"
}

# An awk function that splits the KEY=VALUE pairs of an event into v.
fields='
function fields(	i, pair) {
	delete v
	for (i = 3; i <= NF; i++) {
		split($i, pair, "=")
		v[pair[1]] = pair[2]
	}
}'

# Print the sums of the events in FILE with the keys of counters_read.
sums()
{
	awk "$fields"'
	function host() { return $2 == "mrc0" ? "h0" : "h1" }
	function add(key, n) { sum[host() " " key] += n }
	{ fields() }
	$1 == "mrc_tx_burst" {
		add("tx_pkts", v["pkts"])
		add("tx_bytes", v["bytes"])
		add("rtx_pkts", v["rtx"] * v["pkts"])
		add("rtx_bytes", v["rtx"] * v["bytes"])
	}
	$1 == "mrc_rx_data" {
		new = v["verdict"] == "new"
		add("rx_pkts", new)
		add("rx_bytes", new * v["bytes"])
		add("rx_ooo", new && v["psn"] != (v["cack"] + 1) % 2 ^ 24)
		add("rx_dups", v["verdict"] == "duplicate")
		add("rx_ecn", v["ce"])
	}
	$1 == "mrc_sack_tx"	{ add("sacks_tx", 1) }
	$1 == "mrc_sack_rx"	{ add("sacks_rx", 1) }
	$1 == "mrc_loss" {
		add("rack_loss_path", v["reason"] == "rack_path")
		add("rack_loss_any", v["reason"] == "rack_any")
		add("path_losses", v["reason"] == "rack_path" ||
				   v["reason"] == "rack_any")
		add("path_timeouts", v["reason"] == "rto")
	}
	# These are values, not counts: the last event has the present one.
	$1 == "mrc_cc" {
		sum[host() " cwnd"] = v["cwnd"]
		sum[host() " inflight"] = v["inflight"]
		sum[host() " srtt_ns"] = v["srtt"]
	}
	END { for (key in sum) print key, sum[key] }' "$1" | sort
}

# agree HOST KEY...: the sums of the events are equal to the counters.
agree()
{
	local host=$1 key

	shift
	for key; do
		awk -v key="$host $key" '
		$1 " " $2 != key	{ next }
		FILENAME ~ /counters$/	{ counter = $3; n++ }
		FILENAME ~ /sums$/	{ events = $3; n++ }
		END {
			print key ": counter " counter ", events " events
			exit n != 2 || counter != events
		}' "$tmp/counters" "$tmp/sums" || return
	done
}

# counted KEY: the counter of h0 is above 0.
counted()
{
	counters_read > "$tmp/now" &&
		awk -v key="$1" '$1 == "h0" && $2 == key && $3 > 0 { yes = 1 }
				 END { exit !yes }' "$tmp/now"
}

# New packets have consecutive PSNs; each retransmission follows a loss of its packet,
# except those of the newest packet, which the RTO retransmits to get an
# acknowledgment.
retransmissions_follow_losses()
{
	awk -v timeouts="$(awk '$1 == "h0" && $2 == "timeouts" { print $3 }' \
			       "$tmp/counters")" "$fields"'
	$2 != "mrc0"	{ next }
	{ fields() }
	$1 == "mrc_loss" { lost[v["psn"]]++; losses++ }
	$1 == "mrc_tx_burst" && v["rtx"] {
		for (i = 0; i < v["pkts"]; i++) {
			psn = (v["psn"] + i) % 2 ^ 24
			rtx++
			if (lost[psn])
				lost[psn]--
			else
				unexplained++
		}
	}
	$1 == "mrc_tx_burst" && !v["rtx"] {
		if (next_psn != "" && v["psn"] != next_psn) {
			print "new packet " v["psn"] ", not " next_psn
			bad = 1
		}
		next_psn = (v["psn"] + v["pkts"]) % 2 ^ 24
	}
	END {
		print losses " lost, " rtx " retransmitted, " \
			unexplained + 0 " of them never lost, " \
			timeouts " timeouts"
		exit bad || !rtx || unexplained > timeouts
	}' "$tmp/recorded"
}

# No packet is deemed lost before its delay. (The any-path rule is excepted: it
# makes a candidate when a SACK arrives, with the window of that time.)
losses_follow_rule()
{
	awk "$fields"'
	$1 == "mrc_loss" {
		fields()
		if (v["tx_cnt"] < 1 || (v["reason"] != "rack_any" &&
					v["age"] < v["delay"])) {
			print
			bad = 1
		}
	}
	END { exit bad }' "$tmp/recorded"
}

# The states of the paths of h0 in order of their events, grouped by path: from
# tracepoints, and from mrcctl monitor.
states_traced()
{
	awk "$fields"'
	$1 == "mrc_path_state" && $2 == "mrc0" {
		fields()
		print $2, v["qpn"], v["port"], v["ev"], v["new"]
	}' "$tmp/recorded" | sort -s -k 1,4
}

states_monitored()
{
	jq -r 'select(.event == "path") |
	       "\(.dev) \(.qpn) \(.port) \(.ev) \(.state)"' "$tmp/events" |
		sort -s -k 1,4
}

same_states()
{
	states_traced > "$tmp/traced"
	states_monitored > "$tmp/monitored"
	[ -s "$tmp/traced" ] && diff "$tmp/monitored" "$tmp/traced"
}

path_bad()
{
	jq -e -s 'any(.[]; .event == "path" and .state == "bad")' "$tmp/events"
}

restore_all()
{
	fabric restore t0-0-0:t1-0-1 && fabric restore t1-2-1
}

all_good()
{
	h0 -j qp show dev mrc0 paths |
		jq -e 'all(.[].paths[]; .state == "good")'
}

# --- the run ------------------------------------------------------------------

mount_tracing || skip_all "there is no tracefs"

check "two hosts and four planes come up" fabric up --rate "$rate"
check "devices on both hosts, with GIDs" devices_up device_add 6
check "explicit paths in both directions" paths_up
check_equal "the kernel has all tracepoints of mrc" \
	"$(cd "$tracing/events/mrc" && echo mrc_*)" \
	"mrc_cc mrc_loss mrc_path_state mrc_rx_data mrc_sack_rx mrc_sack_tx mrc_tx_burst"

trace_set tracing_on 1
trace_set trace 0
# Recording names of processes patches the scheduler while it runs, which emulated
# processors do not always survive.
trace_set options/record-cmd 0
check "mrc_verify succeeds with tracepoints off" \
	verify -o write -s 16384 -t 8 -n 100
check "disabled tracepoints record nothing" nothing_recorded

ip netns exec h0 mrcctl -j monitor > "$tmp/events" 2> "$tmp/events.err" &
port_event_reported()
{
	h0 port set dev mrc0 port 2 down && h0 port set dev mrc0 port 2 up &&
		[ -s "$tmp/events" ]
}

# On a busy machine one blackout may be too short for the RTO, which follows
# reliability probes.
blackout_until_rto()
{
	fabric blackout 600 && counted timeouts
}

check "mrcctl monitor reports events" wait_for "$patience" port_event_reported

check "all tracepoints are switched on" trace_begin
check "mrc_verify starts with tracepoints on" \
	verify_begin -o write -s 16384 -t 8
check "link t0-0-0:t1-0-1 loses 20 % of the packets" \
	fabric impair t0-0-0:t1-0-1 loss 20%
check "h0 counts losses detected by RACK" \
	wait_for "$patience" counted path_losses
check "switch t1-2-1 drops everything" fabric cut t1-2-1 silent
check "the monitor reports a path bad" wait_for "$patience" path_bad
check "h0 counts an RTO after blackouts of both hosts" wait_for "$patience" blackout_until_rto
check "the link and the switch are restored" restore_all
check "mrc_verify goes on after all faults" verify_goes_on
check "all paths of h0 are good after all faults" wait_for "$patience" all_good
check "mrc_verify is stopped" kill -STOP "$verify_client"
check "all packets of h0 are acknowledged while mrc_verify is stopped" \
	wait_for "$patience" at_rest
check "no trace event was dropped or overwritten" nothing_overwritten
sums "$tmp/recorded" > "$tmp/sums"

check "h0: mrc_tx_burst events agree with the counters of sent packets" \
	agree h0 tx_pkts tx_bytes rtx_pkts rtx_bytes
check "h1: mrc_rx_data events agree with the counters of received packets" \
	agree h1 rx_pkts rx_bytes rx_ooo rx_dups rx_ecn
check "h0: mrc_sack_rx events agree with sacks_rx" agree h0 sacks_rx
check "h1: mrc_sack_tx events agree with sacks_tx" agree h1 sacks_tx
check "h0: mrc_loss events agree with the counters of losses by reason" \
	agree h0 rack_loss_path rack_loss_any path_losses \
	path_timeouts
check "h0: mrc_cc events agree with cwnd, inflight and srtt_ns" \
	agree h0 cwnd inflight srtt_ns
check "h0: each retransmission follows a loss, other packets are new" \
	retransmissions_follow_losses
check "no packet is deemed lost before its delay" \
	losses_follow_rule
check "h0: mrc_path_state events agree with mrcctl monitor" \
	wait_for "$patience" same_states
awk '{ n[$1]++ } END { for (name in n) print name, n[name] }' \
	"$tmp/recorded" | sort | note
grep '^h0 \(loss\|path_\|timeouts\)' "$tmp/counters" | note

check "all tracepoints are switched off" trace_end
check "mrc_verify is continued with tracepoints off" kill -CONT "$verify_client"
check "mrc_verify goes on with tracepoints off" verify_goes_on
check "tracepoints that were switched off record nothing" nothing_recorded
check "mrc_verify ends, every byte is right" verify_end
