#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# "mrcctl metrics" and "mrcctl peer show" on a fabric with 16 paths: the text is what
# promtool and an OpenMetrics parser accept, values are those of other commands,
# counters never fall while queue pairs come and go, and the number of series does not
# depend on that of paths, queue pairs and peers.

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/integration/lib/mrcctl.sh
. "$(dirname "$0")/lib/mrcctl.sh"

# metric SAMPLE: its value; SAMPLE is a name with labels.
metric()
{
	h0 metrics | awk -v sample="$1" '
		index($0, sample " ") == 1 { print $NF; found = 1 }
		END { exit !found }'
}

# metric_is SAMPLE VALUE
metric_is()
{
	local got

	got=$(metric "$1") || return
	echo "$1 $got, wanted $2"
	[ "$got" = "$2" ]
}

series()
{
	h0 metrics | grep -vc '^#'
}

# What monitoring systems make of a text; warnings of promtool are errors here.
promtool_accepts()
{
	h0 metrics > "$tmp/metrics" || return
	"$(daemons)/usr/bin/promtool" check metrics < "$tmp/metrics" \
		> "$tmp/promtool" 2>&1 || { cat "$tmp/promtool"; return 1; }
	[ ! -s "$tmp/promtool" ] || { cat "$tmp/promtool"; return 1; }
}

daemons()
{
	"$root/scripts/daemons.sh" --dir
}

openmetrics_accepts()
{
	h0 metrics openmetrics > "$tmp/openmetrics" || return
	python3 - "$tmp/openmetrics" <<-'EOP'
	import sys
	from prometheus_client.openmetrics.parser import \
	    text_string_to_metric_families as parse
	families = list(parse(open(sys.argv[1], encoding="utf-8").read()))
	kinds = {f.name: f.type for f in families}
	assert kinds["mrc_tx_bytes"] == "counter", kinds
	assert kinds["mrc_port_rtt_seconds"] == "histogram", kinds
	assert kinds["mrc_port_paths"] == "gauge", kinds
	EOP
}

# names_exist FILE: "mrcctl metrics" has each metric that FILE names.
names_exist()
{
	grep -o '\bmrc_[a-z_]*' "$1" | sort -u > "$tmp/named"
	grep -v '^#' "$tmp/metrics" | grep -o '^[a-z_]*' | sort -u > "$tmp/exist"
	comm -23 "$tmp/named" "$tmp/exist" | tee "$tmp/missing"
	[ -s "$tmp/named" ] && [ ! -s "$tmp/missing" ]
}

# Each kind of number, against the command that shows it otherwise. The link is idle.
values_agree()
{
	metric_is 'mrc_send_bytes_total{device="mrc0"}' "$(counter h0 send_bytes)" &&
	metric_is 'mrc_dropped_pkts_total{device="mrc0",reason="icrc"}' \
		"$(counter h0 drop_icrc)" &&
	metric_is 'mrc_port_tx_pkts_total{device="mrc0",port="2"}' \
		"$(h0 -j -s port show | jq '.[1].counters.tx_pkts')" &&
	metric_is 'mrc_port_state{device="mrc0",port="2",state="up"}' 1 &&
	metric_is 'mrc_port_state{device="mrc0",port="2",state="down"}' 0 &&
	metric_is 'mrc_port_paths{device="mrc0",port="3",state="idle"}' \
		"$(h0 -j path show port 3 | jq 'map(select(.state == "idle")) | length')" &&
	metric_is "mrc_peers{device=\"mrc0\"}" "$(h0 -j peer show | jq length)" &&
	metric_is 'mrc_peers_omitted{device="mrc0"}' 0
}

peer_sample()
{
	echo "mrc_peer_$1{device=\"mrc0\",src=\"$(address_of h0 6)\",dst=\"$(address_of h1 6)\"}"
}

# Round trips were counted, in seconds that the queue of a port explains.
histogram_is_sound()
{
	h0 metrics | awk '
		/^mrc_port_rtt_seconds_bucket.*port="1"/ {
			if ($NF < last) { print "falls: " $0; exit 1 }
			last = $NF
		}
		/^mrc_port_rtt_seconds_sum.*port="1"/ { sum = $NF }
		/^mrc_port_rtt_seconds_count.*port="1"/ { count = $NF }
		END {
			print "last bucket", last, "sum", sum, "count", count
			exit !(count > 0 && last == count &&
			       sum / count > 1e-6 && sum / count < 1)
		}'
}

# Take the counter of bytes sent to the peer again and again; it must not fall.
never_falls()
{
	local sample before=0 now i

	sample=$(peer_sample tx_bytes_total)
	for ((i = 0; i < 8; i++)); do
		now=$(metric "$sample") || return
		[ "$now" -ge "$before" ] ||
			{ echo "$now after $before"; return 1; }
		before=$now
		verify -o write -s 20000 -n 4 || return
	done
	# Each of the 8 rounds was counted: 80,000 bytes.
	now=$(metric "$sample") || return
	echo "$now"
	[ "$now" -ge $((8 * 80000)) ]
}

file_is_replaced()
{
	local file=$tmp/mrc.prom

	echo old > "$file"
	h0 metrics file "$file" || return
	grep -q '^mrc_device_info{device="mrc0"' "$file" || return
	[ "$(stat -c %a "$file")" = 644 ] || return
	[ "$(find "$tmp" -name 'mrc.prom*' | wc -l)" -eq 1 ]
}

check "the standard fabric comes up" fabric up
check "h0 gets a device of four ports" device_add h0
check "h1 gets a device of four ports" device_add h1
check "16 explicit paths in each direction" paths_up
check "both hosts have their GIDs" wait_for "$patience" have_gids 6
check_equal "without queue pairs there is no peer" \
	"$(h0 -j peer show | jq length)" 0

check "traffic starts" verify_begin -o write -q 2
check "peer show has the queue pairs to h1, and no other peer" \
	json_is '[["mrc0",2,true,true]]' \
	'map([.dev, .qps, .cwnd > 0, .counters.tx_bytes > 0])' peer show
check "peer show in text has one line for the peer" \
	[ "$(h0 peer show | grep -c "$(address_of h1 6)\$")" -eq 1 ]
check "the metrics of paths in rotation are those of path show" \
	metric_is 'mrc_port_paths{device="mrc0",port="1",state="good"}' 4
before=$(series)
check "counters of the peer do not fall while queue pairs come and go" never_falls
check_equal "the number of series does not depend on that of queue pairs" \
	"$(series)" "$before"
check "round trips of port 1 are counted in a histogram" histogram_is_sound
check "the operator denies a path of port 1" \
	h0 path deny dev mrc0 ev 1
check "one path less is in rotation, and one is denied" \
	wait_for "$patience" \
	metric_is 'mrc_port_paths{device="mrc0",port="1",state="denied"}' 1
check "port 2 goes down" fabric cut h0:p1
check "the state of port 2 changes in the metrics" wait_for "$patience" \
	metric_is 'mrc_port_state{device="mrc0",port="2",state="down"}' 1
check "port 2 comes back" fabric restore h0:p1
check "promtool finds nothing to complain about" promtool_accepts
check "an OpenMetrics parser accepts the metrics" openmetrics_accepts
check "the metrics that the dashboard shows exist" \
	names_exist "$root/packaging/monitoring/mrc-dashboard.json"
check "the metrics that the rules use exist" \
	names_exist "$root/packaging/monitoring/mrc-rules.yml"
check "metrics peers 0 describes no peer" \
	[ "$(h0 metrics peers 0 | grep -c '^mrc_peer_')" -eq 0 ]
check "metrics peers 0 counts the peer that is left out" \
	[ "$(h0 metrics peers 0 | grep '^mrc_peers_omitted')" = \
	  'mrc_peers_omitted{device="mrc0"} 1' ]
check "the traffic ends" verify_end
check "values agree with those of other commands" \
	wait_for "$patience" values_agree
check "a file is replaced at once, and readable by everybody" file_is_replaced
check "metrics are open to every user" unprivileged metrics
check_equal "the series are as many with 16 explicit paths less" \
	"$(h0 path flush dev mrc0 && h0 metrics peers 0 | grep -vc '^#')" \
	"$((before - $(grep -c '^mrc_peer_' "$tmp/metrics")))"
