#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Unmodified perftest of Debian in virtual time prints the rate and the delay of the
# link between two hosts. To be run by
#
#	tests/lab/uml/uml.sh run --spin 500 tests/lab/uml/check-programs.sh
#
# A link carries 4096 of 4198 bytes of a packet: Ethernet 14, IPv6 40, UDP 8, BTH 12,
# MRC headers, RETH 16 in some, ICRC 4.

. "$(dirname "$0")/../../integration/lib/test.sh"

# wire RATE DELAY: set rate and one-way delay of the link.
wire()
{
	impair_link rate "$1" delay "$2"
}

# column N: print column N of the line of results of the client.
column()
{
	awk -v n="$1" '$1 ~ /^[0-9]+$/ && NF > 3 { value = $n } END { print value }' \
		"$tmp/client"
}

# between LOW VALUE HIGH
between()
{
	echo "got $2, wanted $1 to $3"
	awk -v low="$1" -v value="$2" -v high="$3" \
		'BEGIN { exit !(value != "" && low <= value && value <= high) }'
}

check "two hosts come up" fabric simple
check "the link has 100 Gb/s and a delay of 4 us" wire 100gbit 4us
check "devices come up" devices_up device_add 6

# MiB/s: 100 Gb/s are 11921, 10 Gb/s a tenth. A queue pair begins with one packet and has
# the full rate after five round trips: they must be few of all.
check "ib_write_bw runs at 100 Gb/s" perftest ib_write_bw -s 65536 -n 400
check "ib_write_bw prints 94 to 98 % of 100 Gb/s" between 11200 "$(column 4)" 11683
check "ib_read_bw runs at 100 Gb/s" perftest ib_read_bw -s 65536 -n 400
check "ib_read_bw prints 94 to 98 % of 100 Gb/s" between 11200 "$(column 4)" 11683
check_equal "perftest and /proc/cpuinfo agree on the frequency of the counter" \
	"$(grep -c 'Conflicting CPU' "$tmp/client" "$tmp/client.err")" \
	"$tmp/client:0
$tmp/client.err:0"

# Half of the round trip for WRITE and SEND, the whole for READ.
check "ib_send_lat runs" perftest ib_send_lat -s 64 -n 50
check "ib_send_lat prints the delay of the link" between 4.0 "$(column 6)" 4.4
check "ib_read_lat runs" perftest ib_read_lat -s 64 -n 50
check "ib_read_lat prints two delays of the link" between 8.0 "$(column 6)" 8.8
check "ib_write_lat, which waits for a byte of memory, runs" \
	perftest ib_write_lat -s 64 -n 50
check "ib_write_lat prints the delay of the link" between 4.0 "$(column 6)" 4.4

check "the link has 10 Gb/s and a delay of 40 us" wire 10gbit 40us
check "ib_write_bw runs at 10 Gb/s" perftest ib_write_bw -s 65536 -n 250
check "ib_write_bw prints 90 to 98 % of 10 Gb/s" between 1073 "$(column 4)" 1168
check "ib_send_lat runs with a delay of 40 us" perftest ib_send_lat -s 64 -n 20
check "ib_send_lat prints a delay of 40 us" between 40.0 "$(column 6)" 41.5
