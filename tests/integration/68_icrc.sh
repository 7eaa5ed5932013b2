#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The ICRC, which two devices of this driver leave out unless one of them is set to
# "icrc always": set on either side under traffic, before connections are made, and on
# a device that replaces another one. With the ICRC a packet that was damaged although
# its UDP checksum is right is dropped. Programs: mrc_verify, ib_write_bw.

. "$(dirname "$0")/lib/test.sh"
. "$(dirname "$0")/lib/mrcctl.sh"

# qps_have_icrc HOST yes|no: "qp show" of HOST reports that packets of its queue pairs
# carry the ICRC, or do not.
qps_have_icrc()
{
	local got

	got=$(at "$1" -j qp show | jq -c '[.[].icrc | values] | unique')
	echo "got $got"
	[ "$got" = "[\"$2\"]" ]
}

both_have_icrc()
{
	qps_have_icrc h0 "$1" && qps_have_icrc h1 "$1"
}

# pkts [icrc_skipped_]: print how many packets h0 has sent and received, and h1: of
# all packets, or of those without ICRC.
pkts()
{
	local host

	for host in h0 h1; do
		counter "$host" "${1:-}tx_pkts" && counter "$host" "${1:-}rx_pkts"
	done | xargs
}

skipped()
{
	pkts icrc_skipped_
}

# all_grow BEFORE AFTER: each number of list AFTER is greater than that of BEFORE.
all_grow()
{
	local i before after

	read -ra before <<< "$1"
	read -ra after <<< "$2"
	for i in "${!before[@]}"; do
		[ "${after[i]}" -gt "${before[i]}" ] || return
	done
}

# While messages are verified, all four packet counters grow and no packet is without
# ICRC.
no_packet_without()
{
	local all before after

	verify_goes_on || return
	all=$(pkts)
	before=$(skipped)
	verify_goes_on || return
	after=$(skipped)
	echo "without ICRC: before $before, after $after"
	[ "$before" = "$after" ] && all_grow "$all" "$(pkts)"
}

# While messages are verified, both hosts send and receive packets without ICRC.
packets_without()
{
	local before after

	before=$(skipped)
	verify_goes_on || return
	after=$(skipped)
	echo "without ICRC: before $before, after $after"
	all_grow "$before" "$after"
}

# Wait until the ICRC is in use, or left out, in both directions: packets that are in
# flight at a change arrive as they were sent.
icrc_used()
{
	wait_for "$patience" both_have_icrc yes &&
		wait_for "$patience" no_packet_without
}

icrc_left_out()
{
	wait_for "$patience" both_have_icrc no &&
		wait_for "$patience" packets_without
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6
check "dev set icrc with an unknown word is refused" \
	exits_with 1 dev set mrc0 icrc never
check "mrc_verify in both directions starts" verify_begin -o write -t 8 -b
check "the ICRC is left out while both devices are set to auto" icrc_left_out

for host in h0 h1; do
	dev=mrc${host#h}
	check "$host: dev set icrc always succeeds under traffic" \
		at "$host" dev set "$dev" icrc always
	check "$host: all packets carry the ICRC after icrc always" icrc_used
	check "$host: dev set icrc auto succeeds under traffic" \
		at "$host" dev set "$dev" icrc auto
	check "$host: the ICRC is left out after icrc auto" icrc_left_out
done
check "both: dev set icrc always of mrc0 succeeds" \
	at h0 dev set mrc0 icrc always
check "both: dev set icrc always of mrc1 succeeds" \
	at h1 dev set mrc1 icrc always
check "both: all packets carry the ICRC" icrc_used
check "both: dev set icrc auto of mrc0 succeeds" at h0 dev set mrc0 icrc auto
check "both: all packets carry the ICRC while mrc1 only has icrc always" \
	icrc_used
check "both: dev set icrc auto of mrc1 succeeds" at h1 dev set mrc1 icrc auto
check "both: the ICRC is left out after both are set to auto" icrc_left_out
check "mrc_verify in both directions ends, every byte is right" verify_end
for host in h0 h1; do
	check_equal "$host has dropped no packet for a wrong or missing ICRC" \
		"$(counter "$host" drop_icrc) $(counter "$host" drop_noicrc)" "0 0"
done

# --- new connections ---------------------------------------------------------

check "mrc1 is set to icrc always before a connection is made" \
	at h1 dev set mrc1 icrc always
before=$(skipped)
check "mrc_verify on a new connection with icrc always of mrc1" \
	verify -o write -n 100 -b
check_equal "no packet of the new connection was without ICRC" \
	"$(skipped)" "$before"
check "mrc1 is set to icrc auto after the new connection" \
	at h1 dev set mrc1 icrc auto

# The queue pair of h0 exists as long as its program is stopped, and with it what h0
# knows about the device of h1 that has been deleted.
check "mrc_verify with icrc auto on both hosts starts" \
	verify_begin -o write -t 8
check "qp show of h0 reports no ICRC before mrc1 is replaced" \
	wait_for "$patience" qps_have_icrc h0 no
kill -STOP "$verify_client"
check "mrc1 is deleted while the queue pair of h0 exists" device_del h1
wait "$verify_server"
check "another mrc1 is created" link_add h1
check "the new mrc1 is set to icrc always" at h1 dev set mrc1 icrc always
check "the new mrc1 has its GIDs" wait_for "$patience" have_gids 6
check "ib_write_bw connects h0 to the new mrc1" \
	perftest ib_write_bw -s 65536 -n 100
check "qp show of h0 reports the ICRC after a connection to the new mrc1" \
	wait_for "$patience" qps_have_icrc h0 yes
kill -CONT "$verify_client"
kill "$verify_client"
wait "$verify_client"

# --- damage ----------------------------------------------------------------------

# Invert one byte of the payload in some packets that h1 receives. Between these
# hosts nothing checks the UDP checksum (veth leaves it to the receiver's
# hardware), as if it were right by chance or computed after the damage. The byte
# is behind the end of any acknowledgment.
damage()
{
	on h1 tc qdisc add dev p0 clsact &&
	on h1 tc filter add dev p0 ingress protocol ipv6 matchall \
		action ok random determ pipe 50 \
		action pedit munge offset 600 u8 invert
}

# damage_dropped HOST: damaged packets are dropped while HOST has icrc always.
damage_dropped()
{
	local dropped

	check "damage, $1: dev set icrc always succeeds" \
		at "$1" dev set "mrc${1#h}" icrc always
	dropped=$(counter h1 drop_icrc)
	check "damage, $1: mrc_verify finds every byte right" \
		verify -o write -n 300
	check "damage, $1: h1 counts drop_icrc" \
		[ "$(counter h1 drop_icrc)" -gt "$dropped" ]
	check "damage, $1: dev set icrc auto succeeds" \
		at "$1" dev set "mrc${1#h}" icrc auto
}

check "the new mrc1 is set to icrc auto" at h1 dev set mrc1 icrc auto
check "tc inverts a payload byte of packets to h1" damage
damage_dropped h1
damage_dropped h0
check_fails "without the ICRC mrc_verify finds damaged bytes" "wrong|differ" \
	verify -o write -n 1000
