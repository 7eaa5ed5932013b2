#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Debian's prometheus-node-exporter on a host with mrc devices: its InfiniBand collector
# reads ports/N/counters of all RDMA devices and gives up if one device has none; its
# textfile collector reads what "mrcctl metrics file" writes. Beside a device of
# rdma_rxe, whose driver has such counters in newer kernels only.
#
# Needs: stock kernel: rdma_rxe

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/integration/lib/mrcctl.sh
. "$(dirname "$0")/lib/mrcctl.sh"

exporter=$("$root/scripts/daemons.sh" --dir)/usr/bin/prometheus-node-exporter
sysfs=/sys/class/infiniband

# scrape [OPTION...]: run the exporter for one scrape; $tmp/scrape has its metrics.
# It reads the first namespace's sysfs, which has the devices of all namespaces.
scrape()
{
	local pid

	"$exporter" --log.level=debug --collector.disable-defaults --collector.infiniband \
		--collector.textfile "--collector.textfile.directory=$tmp/text" \
		--web.listen-address=127.0.0.1:9100 "$@" \
		> "$tmp/exporter.log" 2>&1 &
	pid=$!
	wait_for "$patience" fetch
	kill "$pid"
	wait "$pid"
	cat "$tmp/exporter.log"
	grep -q '^node_scrape_collector_success' "$tmp/scrape"
}

fetch()
{
	python3 -c '
import sys, urllib.request
with urllib.request.urlopen("http://127.0.0.1:9100/metrics", timeout=30) as r:
    open(sys.argv[1], "wb").write(r.read())' "$tmp/scrape"
}

# value SAMPLE: in the last scrape.
value()
{
	awk -v sample="$1" 'index($0, sample " ") == 1 { printf "%.0f\n", $NF }' \
		"$tmp/scrape"
}

collector_succeeds()
{
	scrape "$@" || return
	cat "$tmp/exporter.log"
	[ "$(value 'node_scrape_collector_success{collector="infiniband"}')" = 1 ]
}

# is SAMPLE VALUE
is()
{
	echo "$1 $(value "$1"), wanted $2"
	[ "$(value "$1")" = "$2" ]
}

# The link is idle: what the exporter has read is what the files contain now. A value
# of data is in units of four bytes.
data_agrees()
{
	local dev name

	for dev in mrc0 mrc1; do
		for name in transmitted received; do
			is "node_infiniband_port_data_${name}_bytes_total{device=\"$dev\",port=\"1\"}" \
				$((4 * $(file_of $dev $name data))) &&
			is "node_infiniband_port_packets_${name}_total{device=\"$dev\",port=\"1\"}" \
				"$(file_of $dev $name packets)" || return
		done
	done
}

# file_of DEVICE transmitted|received data|packets
file_of()
{
	local name=xmit

	[ "$2" = transmitted ] || name=rcv
	cat "$sysfs/$1/ports/1/counters/port_${name}_$3"
}

states_agree()
{
	is 'node_infiniband_state_id{device="mrc0",port="1"}' 4 &&
	is 'node_infiniband_physical_state_id{device="mrc0",port="1"}' 5 &&
	is 'node_infiniband_rate_bytes_per_second{device="mrc0",port="1"}' \
		$(($(cut -d ' ' -f 1 "$sysfs/mrc0/ports/1/rate") * 125000000))
}

# A sysfs in which rxe0 has counters, as newer kernels show it, and the board_id that
# this exporter requires: a copy of what the exporter reads, with files added.
sysfs_of_newer_kernel()
{
	local dev port dir

	for dev in "$sysfs"/*; do
		dir=$tmp/sys/class/infiniband/${dev##*/}
		mkdir -p "$dir" && cat "$dev/fw_ver" > "$dir/fw_ver" || return
		cat "$dev/board_id" > "$dir/board_id" 2> /dev/null ||
			echo rxe > "$dir/board_id"
		for port in "$dev"/ports/*; do
			dir=$tmp/sys/class/infiniband/${dev##*/}/ports/${port##*/}
			mkdir -p "$dir/counters" || return
			for file in state phys_state rate; do
				cat "$port/$file" > "$dir/$file" || return
			done
			cp "$port"/counters/* "$dir/counters/" 2> /dev/null
		done
	done
	echo 4711 > "$tmp/sys/class/infiniband/rxe0/ports/1/counters/port_xmit_data"
}

mkdir "$tmp/text"
check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6
check "messages arrive" verify -o send -s 50001 -n 20
check "the InfiniBand collector of the node exporter succeeds" collector_succeeds
check "it reports the bytes and packets of both mrc devices" data_agrees
check "it reports state and speed of the port" states_agree

check "mrcctl writes metrics for the textfile collector" \
	h0 metrics file "$tmp/text/mrc.prom"
check "the exporter is asked again" scrape
check_equal "the textfile collector has no error" \
	"$(value node_textfile_scrape_error)" 0
check "the exporter passes the metrics of mrcctl on" \
	is 'mrc_send_bytes_total{device="mrc0"}' "$(counter h0 send_bytes)"

modprobe rdma_rxe
check "a device of rdma_rxe is added in the first namespace" eval \
	'ip link add dummy0 type dummy && ip link set dummy0 up &&
	 rdma link add rxe0 type rxe netdev dummy0'
name="the collector succeeds beside rxe0"
if [ -d "$sysfs/rxe0/ports/1/counters" ] && [ -e "$sysfs/rxe0/board_id" ]; then
	check "$name" collector_succeeds
	check "$name and reports mrc0 and mrc1" data_agrees
else
	skip "$name" "rdma_rxe of this kernel has neither counters/ nor board_id, which alone fails the collector"
fi
check "a copy of sysfs is made in which rxe0 has counters" sysfs_of_newer_kernel
check "with such a sysfs the collector succeeds with mrc0, mrc1 and rxe0" \
	collector_succeeds "--path.sysfs=$tmp/sys"
check "it reports mrc0 and mrc1 beside rxe0" data_agrees
check "it reports rxe0" is \
	'node_infiniband_port_data_transmitted_bytes_total{device="rxe0",port="1"}' \
	$((4 * 4711))
rdma link delete rxe0
ip link delete dummy0
modprobe -r rdma_rxe
