#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Tracepoints tell the truth: while one path loses packets, another swallows all of
# them, and both hosts are deaf for a while, what they record is held against the
# counters of the queue pairs and against what mrcctl monitor tells. When they are off
# nothing is recorded.
#
# Every kernel: so do tracepoints.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ctllib.sh"

tracing=/sys/kernel/tracing
# KiB per CPU: more than the run can fill.
trace_room=8192
# Mbit/s of a link: few packets tell as much as many, and are sooner read.
rate=20
verify_some=100

# --- recording ---------------------------------------------------------------

trace_set()
{
	echo "$2" > "$tracing/$1"
}

# For as long as events are recorded.
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

# What has been recorded: "NAME DEVICE KEY=VALUE ...", one event a line.
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

# --- what is compared ---------------------------------------------------------

# The queue pairs of both hosts while nothing is on its way: "HOST KEY VALUE".
counters_read()
{
	local host

	for host in h0 h1; do
		nsenter --net="/run/netns/$host" mrcctl -j qp show paths |
			jq -r --arg host "$host" '.[] |
				([.paths[].timeouts] | add) as $t |
				([.paths[].losses] | add) as $l |
				del(.paths) +
				{ path_timeouts: $t, path_losses: $l } |
				to_entries[] | select(.value | type == "number") |
				"\($host) \(.key) \(.value)"' || return
	done
}

# Has all that was sent been answered?  Then take down what has been recorded, while no
# counter moves.
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

# An awk function: what an event says, in v.
fields='
function fields(	i, pair) {
	delete v
	for (i = 3; i <= NF; i++) {
		split($i, pair, "=")
		v[pair[1]] = pair[2]
	}
}'

# What events add up to, in the words of counters_read.
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
		add("loss_path", v["reason"] == "path")
		add("loss_time", v["reason"] == "time")
		add("path_losses", v["reason"] == "path" || v["reason"] == "time")
		add("path_timeouts", v["reason"] == "timeout")
	}
	# What was measured last still holds.
	$1 == "mrc_cc" {
		sum[host() " cwnd"] = v["cwnd"]
		sum[host() " inflight"] = v["inflight"]
		sum[host() " srtt_ns"] = v["srtt"]
	}
	END { for (key in sum) print key, sum[key] }' "$1" | sort
}

# agree HOST KEY...: events and counters do.
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

# Is a counter of h0 more than nothing by now?
happened()
{
	counters_read > "$tmp/now" &&
		awk -v key="$1" '$1 == "h0" && $2 == key && $3 > 0 { yes = 1 }
				 END { exit !yes }' "$tmp/now"
}

# New packets follow each other; what is sent again was lost before, once for each
# time, but for the newest packet, which a timeout repeats to have it answered.
repairs_follow_losses()
{
	awk -v timeouts="$(awk '$1 == "h0" && $2 == "timeouts" { print $3 }' \
			       "$tmp/counters")" "$fields"'
	$2 != "mrc0"	{ next }
	{ fields() }
	$1 == "mrc_loss" { lost[v["psn"]]++; losses++ }
	$1 == "mrc_tx_burst" && v["rtx"] {
		for (i = 0; i < v["pkts"]; i++) {
			psn = (v["psn"] + i) % 2 ^ 24
			again++
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
		print losses " lost, " again " sent again, " unexplained + 0 \
			" of them never lost, " timeouts " timeouts"
		exit bad || !again || unexplained > timeouts
	}' "$tmp/recorded"
}

# What is said to have been compared was.  (The rule of other paths judges when an answer
# says that a packet is missing, with what was known then.)
losses_had_their_time()
{
	awk "$fields"'
	$1 == "mrc_loss" {
		fields()
		if (v["sent"] < 1 || (v["reason"] != "time" &&
				      v["age"] < v["room"])) {
			print
			bad = 1
		}
	}
	END { exit bad }' "$tmp/recorded"
}

# The states of paths of h0, as they came, by path.
states_traced()
{
	awk "$fields"'
	$1 == "mrc_path_state" && $2 == "mrc0" {
		fields()
		print $2, v["qpn"], v["port"], v["ev"], v["new"]
	}' "$tmp/recorded" | sort -s -k 1,4
}

states_told()
{
	jq -r 'select(.event == "path") |
	       "\(.dev) \(.qpn) \(.port) \(.ev) \(.state)"' "$tmp/events" |
		sort -s -k 1,4
}

same_states()
{
	states_traced > "$tmp/traced"
	states_told > "$tmp/told"
	[ -s "$tmp/traced" ] && diff "$tmp/told" "$tmp/traced"
}

path_given_up()
{
	jq -e -s 'any(.[]; .event == "path" and .state == "bad")' "$tmp/events"
}

mend()
{
	fabric restore t0-0-0:t1-0-1 && fabric restore t1-2-1
}

all_good()
{
	h0 -j qp show dev mrc0 paths |
		jq -e 'all(.[].paths[]; .state == "good")'
}

# --- the run ------------------------------------------------------------------

[ -e "$tracing/trace" ] || mount -t tracefs tracefs "$tracing" ||
	skip_all "there is no tracefs"

check "hosts, four planes" fabric up --rate "$rate"
check "devices on both hosts, with GIDs" devices_up device_add 6
check "paths there and back" paths_up
check_equal "all tracepoints are there" \
	"$(cd "$tracing/events/mrc" && echo mrc_*)" \
	"mrc_cc mrc_loss mrc_path_state mrc_rx_data mrc_sack_rx mrc_sack_tx mrc_tx_burst"

trace_set tracing_on 1
trace_set trace 0
check "data goes while all are off" verify -o write -s 16384 -t 8 -n 100
check "nothing is recorded" nothing_recorded

ip netns exec h0 mrcctl -j monitor > "$tmp/events" 2> "$tmp/events.err" &
heard()
{
	h0 port set dev mrc0 port 2 down && h0 port set dev mrc0 port 2 up &&
		[ -s "$tmp/events" ]
}

# On a busy machine one silence may be too short, for the peer is asked first.
deaf()
{
	fabric blackout 600 && happened timeouts
}

check "a monitor listens" wait_for "$patience" heard

check "all are on" trace_begin
check "a run begins" verify_begin -o write -s 16384 -t 8
check "a link loses packets" fabric impair t0-0-0:t1-0-1 loss 20%
check "losses are found by answers on the same path, or on others" \
	wait_for "$patience" happened path_losses
check "a switch drops everything" fabric cut t1-2-1 silent
check "a path is given up" wait_for "$patience" path_given_up
check "both hosts are deaf until a timeout has passed" wait_for "$patience" deaf
check "the link and the switch are well again" mend
check "the run goes on" verify_goes_on
check "all paths are good again" wait_for "$patience" all_good
check "it pauses" kill -STOP "$verify_client"
check "all that was sent is answered" wait_for "$patience" at_rest
check "no event was overwritten" nothing_overwritten
sums "$tmp/recorded" > "$tmp/sums"

check "what was sent is what the counters say" \
	agree h0 tx_pkts tx_bytes rtx_pkts rtx_bytes
check "what came, too" agree h1 rx_pkts rx_bytes rx_ooo rx_dups rx_ecn
check "the SACKs" agree h0 sacks_rx
check "and on the other side" agree h1 sacks_tx
check "losses by reason" agree h0 loss_path loss_time path_losses \
	path_timeouts
check "the window and the round trip" agree h0 cwnd inflight srtt_ns
check "what is sent again was lost, the rest is new" repairs_follow_losses
check "no rule has judged too early" losses_had_their_time
check "states of paths are those that the monitor tells" \
	wait_for "$patience" same_states
awk '{ n[$1]++ } END { for (name in n) print name, n[name] }' \
	"$tmp/recorded" | sort | note
grep '^h0 \(loss\|path_\|timeouts\)' "$tmp/counters" | note

check "all are off again" trace_end
check "the run goes on" kill -CONT "$verify_client"
check "it does" verify_goes_on
check "nothing is recorded" nothing_recorded
check "the run ends, every byte is right" verify_end
