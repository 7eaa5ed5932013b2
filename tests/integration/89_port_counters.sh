#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Counters of ports: ports/N/counters in sysfs, which the RDMA core makes of PMA
# queries, against captured packets, and "mrcctl -s port show" against both; damaged
# packets, refused packets, lost carriers; state, speed and width of links.
#
# Also: older kernels: the RDMA core makes the files and the speed.

. "$(dirname "$0")/lib/test.sh"
# shellcheck source=tests/integration/lib/mrcctl.sh
. "$(dirname "$0")/lib/mrcctl.sh"

# pma HOST NAME [PORT]: a counter of the port in sysfs.
pma()
{
	cat "/sys/class/infiniband/mrc${1#h}/ports/${3:-1}/counters/$2"
}

# netlink HOST NAME: the counter of port 1 as mrcctl shows it.
netlink()
{
	on "$1" mrcctl -j -s port show |
		jq ".[0].counters.$2"
}

# What tcpdump has to select: all packets of the device.
filter='(udp port 4791 or ip6 proto 41)'

capture_begin()
{
	on h1 tcpdump -Z root -i p0 -w "$tmp/pcap" --immediate-mode -B 65536 -U \
		2> "$tmp/tcpdump" &
	tcpdump=$!
	wait_for "$patience" grep -q listening "$tmp/tcpdump"
}

# captured SOURCE: packets from the address, and their bytes.
captured()
{
	tcpdump -n -e -r "$tmp/pcap" "$filter and ip6 src $1" 2> /dev/null |
		sed -n 's/^[^(]*(0x86dd), length \([0-9]*\):.*/\1/p' |
		awk '{ n++; bytes += $1 } END { print n + 0, bytes + 0 }'
}

# carried HOST DIRECTION: packets and bytes of the port, by netlink.
carried_by()
{
	echo "$(netlink "$1" "$2_pkts") $(netlink "$1" "$2_bytes")"
}

# all_arrived: each host has received what the other has sent.
all_arrived()
{
	[ "$(carried_by h0 tx)" = "$(carried_by h1 rx)" ] &&
		[ "$(carried_by h1 tx)" = "$(carried_by h0 rx)" ]
}

# capture_is_complete: the capture has the packets of both counters. The packets that
# were sent before it began are those of $before.
capture_is_complete()
{
	local from0 from1

	from0=$(captured "$(address_of h0 6)")
	from1=$(captured "$(address_of h1 6)")
	echo "captured: $from0, $from1; counted: $(grown h0), $(grown h1)"
	[ "$from0" = "$(grown h0)" ] && [ "$from1" = "$(grown h1)" ]
}

declare -A before

# grown HOST: by how much packets and bytes that HOST has sent have grown.
grown()
{
	local pkts bytes old_pkts old_bytes

	read -r old_pkts old_bytes <<< "${before[$1]}"
	read -r pkts bytes < <(carried_by "$1" tx)
	echo "$((pkts - old_pkts)) $((bytes - old_bytes))"
}

# pma_is HOST NAME VALUE
pma_is()
{
	local got

	got=$(pma "$1" "$2") || return
	echo "$2 $got, wanted $3"
	[ "$got" -eq "$3" ]
}

# The link is idle when this is called.
pma_agrees()
{
	local host

	for host in h0 h1; do
		pma_is "$host" port_xmit_packets "$(netlink "$host" tx_pkts)" &&
		pma_is "$host" unicast_xmit_packets "$(netlink "$host" tx_pkts)" &&
		pma_is "$host" port_rcv_packets "$(netlink "$host" rx_pkts)" &&
		pma_is "$host" unicast_rcv_packets "$(netlink "$host" rx_pkts)" &&
		pma_is "$host" port_xmit_data "$(($(netlink "$host" tx_bytes) / 4))" &&
		pma_is "$host" port_rcv_data "$(($(netlink "$host" rx_bytes) / 4))" &&
		pma_is "$host" multicast_xmit_packets 0 &&
		pma_is "$host" multicast_rcv_packets 0 || return
	done
}

all_files_are_numbers()
{
	local file

	for file in /sys/class/infiniband/mrc0/ports/1/counters/*; do
		grep -Ex '[0-9]+' "$file" ||
			{ echo "$file: $(< "$file")"; return 1; }
	done
}

# A datagram that is no MRC packet, to the UDP port of the device.
send_junk()
{
	# shellcheck disable=SC2016
	on h0 bash -c 'echo junk > "/dev/udp/$1/4791"' - "$(address_of h1 6)"
}

# link_is HOST STATE PHYS_STATE: as rdma(8), sysfs and ibv_devinfo show the port.
link_is()
{
	local dev=mrc${1#h} sysfs

	rdma link show "$dev/1" | grep -q "state $2 physical_state $3" ||
		{ rdma link show "$dev/1"; return 1; }
	read -r _ sysfs < "/sys/class/infiniband/$dev/ports/1/state"
	[ "$sysfs" = "$2" ] || { echo "state in sysfs: $sysfs"; return 1; }
	ibv_devinfo -d "$dev" | grep -q "state:.*PORT_$2 "
}

# speed_is MBPS RATE: a port of that speed has RATE in sysfs, and mrcctl shows it.
speed_is()
{
	local rate speed

	ip -n h0 tuntap add tap0 mode tap || return
	on h0 ethtool -s tap0 speed "$1" duplex full &&
		on h0 rdma link add mrc9 type mrc netdev tap0
	rate=$(< /sys/class/infiniband/mrc9/ports/1/rate)
	speed=$(h0 -j port show dev mrc9 | jq '.[0].speed')
	echo "$rate, $speed"
	rdma link delete mrc9
	ip -n h0 link delete tap0
	[ "$rate" = "$2" ] && [ "$speed" = "$1" ]
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6
check "ports/1/counters of mrc0 contains numbers only" all_files_are_numbers

# GSO buffers would be captured whole.
on h0 ip link set p0 gso_max_segs 1
on h1 ip link set p0 gso_max_segs 1
check "devices of both hosts are idle before the capture" \
	wait_for "$patience" all_arrived
before[h0]=$(carried_by h0 tx)
before[h1]=$(carried_by h1 tx)
check "the capture on h1 begins" capture_begin
check "messages of many sizes arrive" verify -o send -s 50001 -n 20
check "each host has counted the packets that the other has sent" \
	wait_for "$patience" all_arrived
check "counted packets and bytes are those of the capture" \
	wait_for "$patience" capture_is_complete
kill "$tcpdump"
wait "$tcpdump"
on h0 ip link set p0 gso_max_segs 65535
on h1 ip link set p0 gso_max_segs 65535
check "messages arrive in whole GSO buffers" verify -o write -s 262144 -n 8
check "each host has counted the packets of GSO buffers, and their bytes on the wire" \
	wait_for "$patience" all_arrived
check "the counters of sysfs agree with those of netlink, in units of four bytes" \
	pma_agrees
check "the port of h0 has counted round trips of its packets" \
	json_is true '[.[].counters] | all(.rx_pkts > 0 and .tx_pkts > 0)' \
	-s port show

errors=$(pma h1 port_rcv_errors)
check "a datagram that is no MRC packet reaches h1" send_junk
check "port_rcv_errors of h1 has counted it" \
	wait_for "$patience" pma_is h1 port_rcv_errors $((errors + 1))
check_equal "no packet of the traffic was counted as an error" "$errors" 0

discards=$(pma h0 port_xmit_discards)
check "the queue of h0 becomes too small for any packet" \
	tc -n h0 qdisc replace dev p0 root bfifo limit 1
check_fails "probes of h0 are lost in that queue" "no probe was answered" \
	h0 probe dev mrc0 dst "$(address_of h1 6)" count 1 timeout 50
check "port_xmit_discards of h0 has counted them" \
	[ "$(pma h0 port_xmit_discards)" -gt "$discards" ]
# shellcheck disable=SC2046
tc -n h0 qdisc replace dev p0 root $(port_qdisc)

check "mrc0 is active and its link is up" \
	wait_for "$patience" link_is h0 ACTIVE LINK_UP
downed0=$(pma h0 link_downed)
downed1=$(pma h1 link_downed)
check "the port of h1 is set down" ip -n h1 link set p0 down
check "mrc0 without carrier is down and polls for a partner" \
	wait_for "$patience" link_is h0 DOWN POLLING
check "mrc1 whose net device is down is disabled" \
	wait_for "$patience" link_is h1 DOWN DISABLED
check "link_downed of h0 has grown by 1" pma_is h0 link_downed $((downed0 + 1))
check "link_downed of h1 has grown by 1" pma_is h1 link_downed $((downed1 + 1))
check "the port of h1 is set up again" ip -n h1 link set p0 up
check "mrc0 is active again" wait_for "$patience" link_is h0 ACTIVE LINK_UP

modprobe tun
check "a port of 1 Gb/s shows 2.5 Gb/s (1X SDR), the least that there is" \
	speed_is 1000 "2.5 Gb/sec (1X SDR)"
check "a port of 25 Gb/s shows 25 Gb/s (1X EDR)" \
	speed_is 25000 "25 Gb/sec (1X EDR)"
check "a port of 100 Gb/s shows 100 Gb/s (4X EDR)" \
	speed_is 100000 "100 Gb/sec (4X EDR)"
