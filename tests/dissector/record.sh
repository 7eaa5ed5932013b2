#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Record tests/dissector/real.pcapng: packets of the driver, captured at both ports of
# h0 in virtual time while one T1 loses packets and the switches trim.
#
#   record.sh            after "make tools"; needs the kernel of user-mode Linux
#
# Packets are captured with their headers only, and buffers as the ports send them
# (GSO), so the file is small.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=$root/build/dissector/record

if [ "${1:-}" != guest ]; then
	rm -rf "$out"
	mkdir -p "$out"
	"$root/tests/lab/uml/uml.sh" run --out "$out" "$here/record.sh" guest
	# As the merged file would contain the name of the system otherwise.
	mergecap -F pcapng -w "$out/merged.pcapng" "$out"/p*.pcap
	editcap -F nsecpcap "$out/merged.pcapng" "$here/real.pcap"
	exit
fi

tmp=$(mktemp -d)
# shellcheck source=tests/lab/hosts.sh
. "$here/../lab/hosts.sh"
trap 'fabric down' EXIT

# Octets of a packet: outer and inner header, and the longest headers of MRC.
snaplen=190
pids=()

capture_begin()
{
	ip netns exec h0 tcpdump -Z root -i "$1" --immediate-mode -U --nano \
		-w "$VM_OUT/$1.pcap" -s "$snaplen" "ip6 proto 41 or udp port 4791" \
		2> "$tmp/$1.log" &
	pids+=($!)
	wait_for "$patience" grep -q "listening on" "$tmp/$1.log"
}

fabric up --planes 2 --t1 2 --link 10g --queue 100 --trim 1
devices_up device_add 6
paths_up
for port in p0 p1; do
	capture_begin "$port"
done
fabric impair t1-1-1 loss 20%
verify -o send_imm -n 14 -s 9999 -m 1024 -t 8
fabric restore t1-1-1
sleep_us 100000
kill -TERM "${pids[@]}"
wait "${pids[@]}" || true
