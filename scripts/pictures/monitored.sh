#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# In a guest, in virtual time: two hosts exchange messages for a quarter of an hour, a
# link loses packets and a cable dies, and the monitoring of Documentation/monitoring.md runs as
# on real hosts: metrics of mrcctl and mrcd, the textfile collector of a node exporter on
# each host, Prometheus with mrc-rules.yml. For scripts/pictures.sh.
#
#   monitored.sh       leaves in $VM_OUT the data of Prometheus (tsdb) and what was done
#                      when (events: seconds, text)
#
# Links have 4 Mbit/s, because each packet takes real time; the CC profile fits them.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
# shellcheck source=tests/lab/hosts.sh
. "$here/../../tests/lab/hosts.sh"

daemons=$("$root/scripts/daemons.sh" --dir)/usr/bin
topology=$tmp/topology.json
# Others respond to probes: with two hosts mrcd cannot tell which of them is broken.
all=(h0 h1 h2 h3 h4 h5)
hosts=(h0 h1)
interval=15
jobs=()
link=t0-0-0:t1-0-2
cable=h0:p2

# The clock of a guest in virtual time begins in 2033.
start="2026-01-05 12:00:00 UTC"

event()
{
	echo "$(date +%s) $1" | tee -a "$VM_OUT/events"
}

minutes()
{
	local i

	for ((i = 0; i < $1; i++)); do
		sleep_us 60000000
		date +%T
	done
}

# What mrc-metrics.timer does.
metrics_timer()
{
	while :; do
		on "$1" mrcctl metrics file "$tmp/$1/mrc.prom"
		sleep_us $((interval * 1000000))
	done
}

monitor_host()
{
	mkdir "$tmp/$1"
	metrics_timer "$1" &
	jobs+=($!)
	ip netns exec "$1" "$daemons/prometheus-node-exporter" \
		--collector.disable-defaults --collector.textfile \
		"--collector.textfile.directory=$tmp/$1" \
		"--web.listen-address=$(address_of "$1" mgmt):9100" \
		&> "$tmp/$1/exporter.log" &
	jobs+=($!)
}

# Messages from h0 to h1, without polling, which takes real time.
traffic_begin()
{
	local program=$programs/mrc_verify

	ip netns exec h1 "$program" --wait -d mrc1 -g "$(gid_index h1 6)" \
		&> "$VM_OUT/server" &
	served=$!
	ip netns exec h0 "$program" --wait -d mrc0 -g "$(gid_index h0 6)" -D 86400 \
		-s 16384 -t 32 -q 2 "$(address_of h1 mgmt)" &> "$VM_OUT/client" &
	client=$!
}

prometheus_config()
{
	local host

	cat <<-END
	global:
	  scrape_interval: ${interval}s
	  evaluation_interval: ${interval}s
	rule_files:
	  - $root/packaging/monitoring/mrc-rules.yml
	scrape_configs:
	  - job_name: node
	    static_configs:
	END
	for host in "${hosts[@]}"; do
		echo "      - targets: [ '$(address_of "$host" mgmt):9100' ]"
		echo "        labels: { instance: $host }"
	done
}

# Two hosts at each of three T0s.
write_topology()
{
	jq -n '{ planes: 4, block: "fcbb:bb00::/32", t0: { count: 3, usid: "1pnn" },
		 t1: { count: 4, usid: "2pnn" }, host_usid: "3pnn",
		 hosts: [ range(6) | { name: "h\(.)", number: ., t0: (. % 3),
				       address: "2001:db8:10\(.)::1" } ] }' > "$topology"
}

device()
{
	device_add "$1"
	on "$1" mrcctl cc add slow dev "mrc${1#h}" algorithm nscc rate 16 \
		window 110000 base-rtt 18000000 target-delay 27000000 \
		reo-wnd-path 24000000 reo-wnd-any 48000000 state online
	on "$1" mrcctl dev set "mrc${1#h}" cc slow
	on "$1" mrcctl topo apply "$topology" > /dev/null
}

mrcd_begin()
{
	ip netns exec "$1" mrcd run topology "$topology" rate 64 dir "$tmp/$1" \
		metrics "$tmp/$1/mrcd.prom" &> "$VM_OUT/mrcd-$1.log" &
	jobs+=($!)
}

monitor()
{
	local host

	for host in "${hosts[@]}"; do
		monitor_host "$host"
	done
	prometheus_config > "$tmp/prometheus.yml"
	ip -n mgmt address add 192.168.100.254/24 dev bridge
	ip netns exec mgmt "$daemons/prometheus" "--config.file=$tmp/prometheus.yml" \
		"--storage.tsdb.path=$tmp/tsdb" --web.listen-address=192.168.100.254:9090 \
		&> "$VM_OUT/prometheus.log" &
	prometheus=$!
	wait_for "$patience" grep -q "Server is ready" "$VM_OUT/prometheus.log"
}

date -s "$start"
write_topology
fabric up --t0 3 --hosts ${#all[@]} --link 4m --queue 64 --ecn 8
for host in "${all[@]}"; do
	device "$host"
done
wait_for "$patience" have_gids 6
wait_for "$patience" neighbours_known 6
monitor
minutes 1
event "traffic begins"
traffic_begin
minutes 1
for host in "${hosts[@]}"; do
	mrcd_begin "$host"
done
minutes 2
event "link t0-0-0 - t1-0-2 loses 20 %"
fabric impair "$link" loss 20%
minutes 4
event "the cable of port 3 loses everything"
fabric cut "$cable" silent
minutes 4
event "it is pulled"
fabric restore "$cable"
fabric cut "$cable"
minutes 2
event "both are replaced"
fabric restore "$cable,$link"
minutes 3
event "end"
kill -TERM "$client"
wait "$client" "$served"
kill "${jobs[@]}"
kill "$prometheus"
wait "$prometheus" || true
cp -r "$tmp/tsdb" "$VM_OUT/"
