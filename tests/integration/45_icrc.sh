#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The ICRC, which two of our devices leave out unless an operator insists on it: on
# either side, while a program runs, and by a device that takes the place of another.
# With it nothing is taken for good that was damaged behind the back of UDP's checksum.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ctllib.sh"

# at HOST ARG...: mrcctl there.
at()
{
	nsenter --net="/run/netns/$1" mrcctl "${@:2}"
}

# qps_say HOST yes|no: packets of all its queue pairs carry the ICRC.
qps_say()
{
	local got

	got=$(at "$1" -j qp show | jq -c '[.[].icrc | values] | unique')
	echo "got $got"
	[ "$got" = "[\"$2\"]" ]
}

both_say()
{
	qps_say h0 "$1" && qps_say h1 "$1"
}

# pkts [icrc_skipped_]: that h0 has sent and received, and h1: all, or those without
# ICRC.
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

# all_grow BEFORE AFTER: numbers of two lists.
all_grow()
{
	local i before after

	read -ra before <<< "$1"
	read -ra after <<< "$2"
	for i in "${!before[@]}"; do
		[ "${after[i]}" -gt "${before[i]}" ] || return
	done
}

# Messages go both ways, and all packets have the ICRC.
carried_by_all()
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

# They have not, either way.
left_out()
{
	local before after

	before=$(skipped)
	verify_goes_on || return
	after=$(skipped)
	echo "without ICRC: before $before, after $after"
	all_grow "$before" "$after"
}

# What is already on its way arrives as it was sent.
all_carry()
{
	wait_for "$patience" both_say yes && wait_for "$patience" carried_by_all
}

none_carry()
{
	wait_for "$patience" both_say no && wait_for "$patience" left_out
}

check "two hosts come up" fabric simple
check "devices on both hosts, with GIDs" devices_up link_add 6
check "what is no word of it is refused" ends 1 dev set mrc0 icrc never
check "a program that compares every byte, both ways" verify_begin -o write -t 8 -b
check "the ICRC is left out" none_carry

for host in h0 h1; do
	dev=mrc${host#h}
	check "$host insists" at "$host" dev set "$dev" icrc always
	check "all packets carry the ICRC" all_carry
	check "$host no longer does" at "$host" dev set "$dev" icrc auto
	check "the ICRC is left out" none_carry
done
check "both insist" at h0 dev set mrc0 icrc always
check "both insist" at h1 dev set mrc1 icrc always
check "all packets carry the ICRC" all_carry
check "one no longer does" at h0 dev set mrc0 icrc auto
check "which changes nothing" all_carry
check "nor the other" at h1 dev set mrc1 icrc auto
check "the ICRC is left out" none_carry
check "the program has verified all it sent" verify_end
for host in h0 h1; do
	check_equal "$host has dropped nothing for it" \
		"$(counter "$host" drop_icrc) $(counter "$host" drop_noicrc)" "0 0"
done

# --- from the beginning ----------------------------------------------------------

check "a device insists" at h1 dev set mrc1 icrc always
before=$(skipped)
check "and new connections come" verify -o write -n 100 -b
check_equal "no packet was without ICRC" "$(skipped)" "$before"
check "it no longer does" at h1 dev set mrc1 icrc auto

# The queue pair of h0 stays while its program sleeps, and so does what h0 knows of
# the device that was there.
check "a program" verify_begin -o write -t 8
check "without ICRC" wait_for "$patience" qps_say h0 no
kill -STOP "$verify_client"
check "the peer's device goes" device_del h1
wait "$verify_server"
check "another one comes in its place" link_add h1
check "which insists" at h1 dev set mrc1 icrc always
check "and has its addresses" wait_for "$patience" have_gids 6
check "a new connection" perftest ib_write_bw -s 65536 -n 100
check "by which h0 learns that" wait_for "$patience" qps_say h0 yes
kill -CONT "$verify_client"
kill "$verify_client"
wait "$verify_client"

# --- damage ----------------------------------------------------------------------

# Between these hosts the checksum of UDP is left to the receiver's device, which is
# none: as good as one that is right by chance, or was made after the damage. A byte
# of the payload is inverted, that no answer is long enough to have.
damage()
{
	on h1 tc qdisc add dev p0 clsact &&
	on h1 tc filter add dev p0 ingress protocol ipv6 matchall \
		action ok random determ pipe 50 \
		action pedit munge offset 600 u8 invert
}

# insisting HOST: what becomes of damaged packets if it insists.
insisting()
{
	local dropped

	check "$1 insists" at "$1" dev set "mrc${1#h}" icrc always
	dropped=$(counter h1 drop_icrc)
	check "all bytes are right" verify -o write -n 300
	check "what was damaged was dropped" \
		[ "$(counter h1 drop_icrc)" -gt "$dropped" ]
	check "$1 no longer does" at "$1" dev set "mrc${1#h}" icrc auto
}

check "the peer no longer insists" at h1 dev set mrc1 icrc auto
check "something damages packets" damage
insisting h1
insisting h0
check_fails "without the ICRC nobody sees it but the program" "wrong|differ" \
	verify -o write -n 1000
